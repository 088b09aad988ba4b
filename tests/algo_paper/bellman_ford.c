/* Bellman-Ford from node 0 on 5 nodes and a matrix of weights: 7 edges that lead both ways, with symbolic weights in [0,9];
 * where the weight is 0 there is no edge. A round for each node, and one more that looks for negative cycles. */
#include "../algo/algo.h"
enum { V = 5, E = 7, INF = 1000 };
static const int from[E] = {0, 0, 1, 1, 1, 2, 3}, to[E] = {1, 2, 2, 3, 4, 4, 4};
static algo_word w[V][V], d[V];
static int shorter(int u, int v) {
  if (BR(w[u][v] != 0))
    if (BR(d[u] != INF))
      if (BR(d[u] + w[u][v] < d[v])) return 1;
  return 0;
}
int main(void) {
  for (int e = 0; e < E; e++) { algo_word x; SYM(x, 0, 9, "w"); w[from[e]][to[e]] = x; w[to[e]][from[e]] = x; }
  for (int i = 1; i < V; i++) d[i] = INF;
  for (int round = 0; round < V; round++)
    for (int u = 0; u < V; u++)
      for (int v = 0; v < V; v++)
        if (shorter(u, v)) d[v] = d[u] + w[u][v];
  for (int u = 0; u < V; u++)
    for (int v = 0; v < V; v++)
      if (shorter(u, v)) return 1; /* a negative cycle */
  CHECK(d[0] == 0);
  return 0;
}
