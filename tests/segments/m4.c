// The symbol table of a macro processor: a name is hashed, the newest definition of a name hides the older ones, and expanding a
// word is a look-up by comparing strings. Names are three letters; the words that are expanded have one letter that is unknown.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef BUCKETS
#define BUCKETS 37
#endif
#ifndef NAMES
#define NAMES 78
#endif
#ifndef WORDS
#define WORDS 3
#endif
struct symbol {
  struct symbol *next;
  char *name;
  int value;
};
static struct symbol *table[BUCKETS];
static unsigned hash(const char *s) {
  unsigned h = 0;
  while (*s) h = (h << 7) + (h >> 25) + (unsigned char)*s++;
  return h % BUCKETS;
}
static void define(const char *name, int value) {
  struct symbol *s = malloc(sizeof *s);
  unsigned h = hash(name);
  s->name = malloc(strlen(name) + 1);
  strcpy(s->name, name);
  s->value = value;
  s->next = table[h];
  table[h] = s;
}
static struct symbol *find(const char *name) {
  for (struct symbol *s = table[hash(name)]; s; s = s->next)
    if (!strcmp(s->name, name)) return s;
  return 0;
}
int main(void) {
  char letters[WORDS], sum = 0;
  for (int i = 0; i < NAMES; i++) {
    char name[4] = {'a' + i % 26, 'a' + i / 26 % 26, 'x', 0};
    define(name, i);
  }
  klee_make_symbolic(letters, sizeof letters, "letters");
  for (int i = 0; i < WORDS; i++) {
    char word[4] = {letters[i], 'a' + i % 3, 'x', 0};
    klee_assume(letters[i] >= 'a');
    klee_assume(letters[i] <= 'z');
    struct symbol *found = find(word);
    if (found) sum += found->value & 1;
  }
  return sum;
}
