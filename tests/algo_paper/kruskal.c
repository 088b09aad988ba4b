/* Kruskal without sorting on 10 nodes and a matrix of weights: in each round the first of the least edges between two trees. The
 * textbooks' graph of nine nodes and a tenth; four of its 16 edges have symbolic weights in [1,50], one for each direction. */
#include "../algo/algo.h"
enum { V = 10, E = 16, NSYM = 4, INF = 1000 };
static const int from[E] = {0, 1, 6, 2, 3, 7, 4, 0, 1, 2, 2, 3, 4, 5, 6, 3}, to[E] = {1, 7, 8, 5, 4, 8, 9, 7, 2, 3, 8, 5, 5, 6, 7, 9};
static const int known[E] = {0, 0, 0, 0, 9, 7, 10, 8, 8, 7, 2, 14, 10, 2, 1, 10};
static algo_word w[V][V];
static int tree[V];
static int root(int v) {
  while (tree[v] != v) v = tree[v];
  return v;
}
int main(void) {
  for (int u = 0; u < V; u++) {
    tree[u] = u;
    for (int v = 0; v < V; v++) w[u][v] = INF;
  }
  for (int e = NSYM; e < E; e++) w[from[e]][to[e]] = w[to[e]][from[e]] = known[e];
  for (int e = 0; e < NSYM; e++) {
    algo_word x, y;
    SYM(x, 1, 50, "w");
    SYM(y, 1, 50, "w");
    w[from[e]][to[e]] = x;
    w[to[e]][from[e]] = y;
  }
  algo_word total = 0;
  for (int round = 1; round < V; round++) {
    algo_word least = INF;
    int a = 0, b = 0;
    for (int u = 0; u < V; u++)
      for (int v = 0; v < V; v++)
        if (root(u) != root(v))
          if (BR(w[u][v] < least)) { least = w[u][v]; a = u; b = v; }
    tree[root(a)] = root(b);
    total += least;
  }
  CHECK(total <= 62);
  return 0;
}
