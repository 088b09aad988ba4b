// The variables of a build tool: a table with open addressing whose size is a power of two, names of a known length, the next place by a
// second hash. Expanding `$x` with an unknown letter is a look-up; assigning to it afterwards writes the variable that was found.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef SLOTS
#define SLOTS 128
#endif
#ifndef NAMES
#define NAMES 60
#endif
#ifndef WORDS
#define WORDS 2
#endif
struct variable {
  const char *name;
  unsigned length;
  int value;
};
static struct variable **table;
static unsigned first_hash(const struct variable *v) {
  unsigned h = 0;
  for (unsigned i = 0; i < v->length; i++) h = 5 * h + (unsigned char)v->name[i];
  return h;
}
static unsigned second_hash(const struct variable *v) {
  unsigned h = 7;
  for (unsigned i = 0; i < v->length; i++) h = 3 * h + (unsigned char)v->name[i];
  return h | 1;
}
static struct variable **place(const struct variable *key) {
  unsigned at = first_hash(key), step = 0;
  for (;; at += step) {
    struct variable **slot = &table[at & (SLOTS - 1)], *v = *slot;
    if (!v) return slot;
    if (v->length == key->length && !memcmp(v->name, key->name, key->length)) return slot;
    if (!step) step = second_hash(key);
  }
}
static void define(const char *name, unsigned length, int value) {
  struct variable key = {name, length, value}, **slot = place(&key);
  if (!*slot) {
    char *copy = malloc(length);
    memcpy(copy, name, length);
    *slot = malloc(sizeof **slot);
    **slot = (struct variable){copy, length, value};
  }
}
int main(void) {
  char words[WORDS][2];
  int sum = 0;
  table = calloc(SLOTS, sizeof *table);
  for (int i = 0; i < NAMES; i++) {
    char name[2] = {'a' + i % 26, 'a' + i / 26};
    define(name, 2, i);
  }
  klee_make_symbolic(words, sizeof words, "words");
  for (int i = 0; i < WORDS; i++) {
    struct variable key = {words[i], 2, 0}, **slot;
    klee_assume(words[i][0] >= 'a');
    klee_assume(words[i][0] <= 'z');
    klee_assume(words[i][1] == 'a' + i % 2);
    slot = place(&key);
    if (*slot) {
      sum += (*slot)->value & 1;
      (*slot)->value = i;
    }
  }
  return sum;
}
