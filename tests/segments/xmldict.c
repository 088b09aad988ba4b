// The dictionary of a parser: an array of entries, the first of a chain stands in the array itself, names point into one pool of bytes.
// Names of two unknown letters are looked up and added if they are new.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef SIZE
#define SIZE 32
#endif
#ifndef WORDS
#define WORDS 40
#endif
#ifndef NEW
#define NEW 2
#endif
struct entry {
  struct entry *next;
  const char *name;
  unsigned length;
  int valid;
};
static struct entry *table;
static char pool[4096];
static unsigned used;
static unsigned hash(const char *name, unsigned length) {
  unsigned h = 0;
  for (unsigned i = 0; i < length; i++) h = (h ^ ((h << 5) + (h >> 3))) + (unsigned char)name[i];
  return h;
}
static const char *lookup(const char *name, unsigned length) {
  struct entry *e = &table[hash(name, length) % SIZE], *last = 0;
  if (e->valid)
    for (; e; last = e, e = e->next)
      if (e->length == length && !memcmp(e->name, name, length)) return e->name;
  char *kept = pool + used;
  memcpy(kept, name, length);
  used += length + 1;
  if (last) {
    e = calloc(1, sizeof *e);
    last->next = e;
  }
  e->name = kept;
  e->length = length;
  e->valid = 1;
  return kept;
}
int main(void) {
  char words[NEW][2];
  const char *found[NEW];
  int same = 0;
  table = calloc(SIZE, sizeof *table);
  for (int i = 0; i < WORDS; i++) {
    char name[2] = {'a' + i % 26, 'a' + i / 26};
    lookup(name, 2);
  }
  klee_make_symbolic(words, sizeof words, "words");
  for (int i = 0; i < NEW; i++) {
    klee_assume(words[i][0] >= 'a');
    klee_assume(words[i][0] <= 'z');
    klee_assume(words[i][1] >= 'a');
    klee_assume(words[i][1] <= 'b');
    found[i] = lookup(words[i], 2);
    if (i) same += found[i] == found[i - 1];
  }
  return same;
}
