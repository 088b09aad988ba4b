//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: pointers that are copied, by bytes too, sorted by what they point to and followed are used as pointers
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Node {
  char tag;
  struct Node *next;
  int value;
  const char *name;
};

struct __attribute__((packed)) Packed {
  char tag;
  struct Node *node;
};

static void copy_bytes(void *to, const void *from, size_t length) {
  for (size_t i = 0; i < length; i++)
    ((char *)to)[i] = ((const char *)from)[i];
}

static void exchange(void *a, void *b, size_t length) {
  for (char *x = a, *y = b; length; length--, x++, y++) {
    int kept = *x;
    *x = *y;
    *y = kept;
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(struct Node *const *)a)->name, (*(struct Node *const *)b)->name);
}

static int (*chosen(int which))(const char *, const char *) { return which ? strcmp : 0; }

int main(void) {
  const char *names[4] = {"pear", "apple", "quince", "fig"};
  struct Node *nodes[4], *list = 0;
  for (int i = 0; i < 4; i++) {
    nodes[i] = calloc(1, sizeof *nodes[i]);
    nodes[i]->name = names[i];
    nodes[i]->value = i;
    nodes[i]->next = list;
    list = nodes[i];
  }
  qsort(nodes, 4, sizeof *nodes, by_name);
  exchange(&nodes[0], &nodes[1], sizeof *nodes);
  exchange(nodes[0], nodes[1], sizeof *nodes[0]);
  struct Node copy;
  copy_bytes(&copy, nodes[0], sizeof copy);
  struct Packed packed[3] = {{1, nodes[2]}, {2, &copy}, {3, 0}};
  struct Packed moved[4];
  memcpy(&moved[1], packed, sizeof packed);
  memmove((char *)moved + 3, &moved[1], sizeof packed);
  memmove(moved, (char *)moved + 3, sizeof packed);
  int sum = moved[1].node->value + moved[0].node->value;
  if (moved[0].node != nodes[2] || moved[2].node || memcmp(&moved[0], &packed[0], sizeof *moved))
    return 1;
  char *again = (char *)(uintptr_t)nodes[0];
  if (again != (char *)nodes[0] || again + 8 - (char *)nodes[0] != 8 || !again)
    return 2;
  union {
    void *pointer;
    int number;
    char bytes[8];
  } both;
  both.pointer = nodes[0];
  both.number = 5;
  if (both.number != 5 || both.bytes[0] != 5)
    return 3;
  memset(&both, 0, sizeof both);
  if (both.bytes[7])
    return 4;
  if (!chosen(1) || chosen(0) || chosen(1) != chosen(1) || chosen(1)("a", "a"))
    return 5;
  char **grown = malloc(2 * sizeof *grown);
  grown[0] = grown[1] = "x";
  grown = realloc(grown, 200 * sizeof *grown);
  void *aligned = aligned_alloc(64, 64);
  if (((uintptr_t)aligned & 63) || grown[1][0] != 'x')
    return 6;
  for (struct Node *at = list, *next; at; at = next) {
    next = at->next;
    sum += at->value;
    printf("%s %d\n", at->name, at->value);
    free(at);
  }
  free(grown);
  free(aligned);
  return sum != 6 + 1 + 3 && sum < 0;
}
