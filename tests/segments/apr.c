// A portable runtime's hash table: chains of entries that know their hash, a mask for the bucket, the hash by multiplying with 33. Fifteen
// keys are numbers that are there; two are looked up that are unknown, and what is found is changed.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef BUCKETS
#define BUCKETS 16
#endif
#ifndef KEYS
#define KEYS 15
#endif
#ifndef LOOKUPS
#define LOOKUPS 2
#endif
struct entry {
  struct entry *next;
  unsigned hash;
  const void *key;
  int length;
  int value;
};
static struct entry *table[BUCKETS];
static unsigned hash_of(const void *key, int length) {
  unsigned h = 0;
  for (const unsigned char *p = key; length--; p++) h = h * 33 + *p;
  return h;
}
static struct entry **find(const void *key, int length) {
  unsigned h = hash_of(key, length);
  struct entry **at = &table[h & (BUCKETS - 1)];
  for (; *at; at = &(*at)->next)
    if ((*at)->hash == h && (*at)->length == length && !memcmp((*at)->key, key, length)) break;
  return at;
}
static void set(const void *key, int length, int value) {
  struct entry **at = find(key, length);
  if (!*at) {
    *at = calloc(1, sizeof **at);
    (*at)->hash = hash_of(key, length);
    (*at)->key = key;
    (*at)->length = length;
  }
  (*at)->value = value;
}
int main(void) {
  static int keys[KEYS];
  int wanted[LOOKUPS], sum = 0;
  for (int i = 0; i < KEYS; i++) {
    keys[i] = i * 1001;
    set(&keys[i], sizeof keys[i], i);
  }
  klee_make_symbolic(wanted, sizeof wanted, "wanted");
  for (int i = 0; i < LOOKUPS; i++) {
    struct entry **at = find(&wanted[i], sizeof wanted[i]);
    if (*at) {
      sum += (*at)->value & 1;
      (*at)->value = 2;
    }
  }
  return sum;
}
