// The members of an object of a data format: one array of entries with open addressing, entries linked in the order in which they came.
// Keys of one letter are inserted, each followed by a look-up of an unknown letter.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef SIZE
#define SIZE 16
#endif
#ifndef PAIRS
#define PAIRS 4
#endif
struct entry {
  const char *key;
  int *value;
  struct entry *next, *before;
};
static struct {
  unsigned size, count;
  struct entry *head, *tail, *entries;
} object;
static const char empty[] = "";
static unsigned hash(const char *key) {
  unsigned h = 0x811c9dc5u;
  for (; *key; key++) h = (h ^ (unsigned char)*key) * 0x01000193u;
  return h ^ (h >> 15);
}
static void insert(const char *key, int *value) {
  unsigned at = hash(key) % object.size;
  while (object.entries[at].key != empty) at = at + 1 == object.size ? 0 : at + 1;
  struct entry *e = &object.entries[at];
  e->key = key;
  e->value = value;
  e->before = object.tail;
  if (object.tail) object.tail->next = e;
  else object.head = e;
  object.tail = e;
  object.count++;
}
static struct entry *find(const char *key) {
  unsigned at = hash(key) % object.size;
  for (unsigned tried = 0; tried < object.size; tried++) {
    struct entry *e = &object.entries[at];
    if (e->key == empty) return 0;
    if (!strcmp(e->key, key)) return e;
    if (++at == object.size) at = 0;
  }
  return 0;
}
int main(void) {
  static char keys[PAIRS][2], wanted[PAIRS][2];
  char letters[PAIRS];
  int hits = 0;
  object.size = SIZE;
  object.entries = calloc(SIZE, sizeof *object.entries);
  for (int i = 0; i < SIZE; i++) object.entries[i].key = empty;
  klee_make_symbolic(letters, sizeof letters, "letters");
  for (int i = 0; i < PAIRS; i++) {
    int *value = malloc(sizeof *value);
    *value = i;
    keys[i][0] = 'a' + 3 * i;
    insert(keys[i], value);
    klee_assume(letters[i] != 0);
    wanted[i][0] = letters[i];
    struct entry *e = find(wanted[i]);
    if (e) hits += *e->value;
  }
  return hits;
}
