// The scanner of a macro processor over a template with unknown bytes: a letter is a word of one letter and looked up, what is found is
// written in its place, and every other byte as it is. Built-in names are there before those that the template defines.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#ifndef BUCKETS
#define BUCKETS 37
#endif
#ifndef BUILTINS
#define BUILTINS 78
#endif
#ifndef TEMPLATE
#define TEMPLATE 3
#endif
struct symbol {
  struct symbol *next;
  char *name;
  char *text;
};
static struct symbol **table;
static unsigned hash(const char *s) {
  unsigned h = 0;
  while (*s) h = (h << 7) + (h >> 25) + (unsigned char)*s++;
  return h % BUCKETS;
}
static char *copy(const char *s) { return strcpy(malloc(strlen(s) + 1), s); }
static void define(const char *name, const char *text) {
  struct symbol *s = malloc(sizeof *s);
  unsigned h = hash(name);
  s->name = copy(name);
  s->text = copy(text);
  s->next = table[h];
  table[h] = s;
}
static struct symbol *find(const char *name) {
  for (struct symbol *s = table[hash(name)]; s; s = s->next)
    if (!strcmp(s->name, name)) return s;
  return 0;
}
// The first byte of what a byte of the input is expanded to.
static char expand(char byte) {
  char word[2] = {byte, 0};
  if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_')) return byte;
  struct symbol *s = find(word);
  return s ? s->text[0] : byte;
}
int main(void) {
  char unknown[4], out[4] = {0};
  int known = 0;
  table = calloc(BUCKETS, sizeof *table);
  for (int i = 0; i < BUILTINS; i++) {
    char name[5] = {'a' + i % 26, 'a' + i * 7 % 26, 'a' + i / 26, 'x', 0};
    define(name, "builtin");
  }
  klee_make_symbolic(unknown, sizeof unknown, "unknown");
#if TEMPLATE == 1
  // Four definitions, two unknown words, then two unknown words that are compared.
  define("m", "k"), define("n", "l"), define("o", "P"), define("p", "q");
  out[0] = expand(unknown[0]);
  out[1] = expand(unknown[1]);
  if (expand(unknown[2]) == 'l') known += expand(unknown[3]) == 'P' ? 1 : 1 + 1;
  else known = 7;
#elif TEMPLATE == 2
  // An unknown word after two definitions, another after four.
  define("a", "A"), define("b", "A");
  out[0] = expand(unknown[0]);
  define("c", "A"), define("d", "A");
  out[1] = expand(unknown[1]);
#else
  // An unknown word after each of two definitions.
  define("a", "1");
  out[0] = expand(unknown[0]);
  define("b", "2");
  out[1] = expand(unknown[1]);
#endif
  return known + (out[0] == out[1]);
}
