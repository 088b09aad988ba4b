/* Dijkstra from node 0 on 10 nodes and a matrix of weights, 0 where there is no edge: the textbooks' graph of nine nodes and a
 * tenth. Seven of its 16 edges have symbolic weights in [1,50], one for each direction. A round for each node but one; of
 * nodes that are equally near the last is taken. */
#include "../algo/algo.h"
enum { V = 10, E = 16, NSYM = 7, INF = 1000 };
static const int from[E] = {0, 1, 6, 2, 3, 7, 4, 0, 1, 2, 2, 3, 4, 5, 6, 3}, to[E] = {1, 7, 8, 5, 4, 8, 9, 7, 2, 3, 8, 5, 5, 6, 7, 9};
static const int known[E] = {0, 0, 0, 0, 0, 0, 0, 8, 8, 7, 2, 14, 10, 2, 1, 10};
static algo_word w[V][V], d[V];
static int done[V];
static int nearest(void) {
  algo_word least = INF;
  int at = 0;
  for (int v = 0; v < V; v++)
    if (!done[v])
      if (BR(d[v] <= least)) { least = d[v]; at = v; }
  return at;
}
int main(void) {
  for (int e = NSYM; e < E; e++) w[from[e]][to[e]] = w[to[e]][from[e]] = known[e];
  for (int e = 0; e < NSYM; e++) {
    algo_word x, y;
    SYM(x, 1, 50, "w");
    SYM(y, 1, 50, "w");
    w[from[e]][to[e]] = x;
    w[to[e]][from[e]] = y;
  }
  for (int v = 1; v < V; v++) d[v] = INF;
  for (int round = 1; round < V; round++) {
    int u = nearest();
    done[u] = 1;
    for (int v = 0; v < V; v++)
      if (!done[v])
        if (BR(w[u][v] > 0))
          if (BR(d[u] < INF))
            if (BR(d[u] + w[u][v] < d[v])) d[v] = d[u] + w[u][v];
  }
  CHECK(d[0] == 0);
  CHECK(d[7] <= 8);
  return 0;
}
