// A portable runtime's hash table in a pool: entries and keys are pieces of one block of memory that is given out piece by piece.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef POOL
#define POOL 8192
#endif
#ifndef KEYS
#define KEYS 15
#endif
#ifndef BUCKETS
#define BUCKETS 16
#endif
#ifndef LOOKUPS
#define LOOKUPS 2
#endif
struct entry {
  struct entry *next;
  unsigned hash;
  const int *key;
  int value;
};
static char *pool;
static unsigned used;
static struct entry **table;
static void *give(unsigned bytes) {
  void *at = pool + used;
  used += (bytes + 7) & ~7u;
  return memset(at, 0, bytes);
}
static unsigned hash_of(const int *key) {
  unsigned h = 0;
  for (unsigned i = 0; i < sizeof *key; i++) h = h * 33 + ((const unsigned char *)key)[i];
  return h;
}
static struct entry **find(const int *key) {
  unsigned h = hash_of(key);
  struct entry **at = &table[h & (BUCKETS - 1)];
  for (; *at; at = &(*at)->next)
    if ((*at)->hash == h && *(*at)->key == *key) break;
  return at;
}
static void set(const int *key, int value) {
  struct entry **at = find(key);
  if (!*at) {
    *at = give(sizeof **at);
    (*at)->hash = hash_of(key);
    (*at)->key = key;
  }
  (*at)->value = value;
}
int main(void) {
  int wanted[LOOKUPS], sum = 0;
  pool = malloc(POOL);
  table = give(BUCKETS * sizeof *table);
  for (int i = 0; i < KEYS; i++) {
    int *key = give(sizeof *key);
    *key = i * 1001;
    set(key, i);
  }
  klee_make_symbolic(wanted, sizeof wanted, "wanted");
  for (int i = 0; i < LOOKUPS; i++) {
    struct entry **at = find(&wanted[i]);
    if (*at) {
      sum += (*at)->value & 1;
      (*at)->value = 2;
    }
  }
  return sum;
}
