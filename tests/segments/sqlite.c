// The names of a database: buckets that count what they hold and point into one list of all entries. Triggers are there; one more
// with an unknown letter is looked up without regard to case and put into the list if it is new.
#include <klee/klee.h>
#include <ctype.h>
#include <stdlib.h>
#ifndef BUCKETS
#define BUCKETS 16
#endif
#ifndef TRIGGERS
#define TRIGGERS 15
#endif
#ifndef NEW
#define NEW 3
#endif
struct entry {
  struct entry *next, *before;
  int data;
  const char *key;
};
static struct {
  unsigned buckets, count;
  struct entry *first;
  struct { unsigned count; struct entry *chain; } *table;
} hash;
static unsigned char lower(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static unsigned place(const char *key) {
  unsigned h = 0;
  for (; *key; key++) h = (h + lower((unsigned char)*key)) * 0x9e3779b1u;
  return h % hash.buckets;
}
static int same(const char *a, const char *b) {
  while (*a && lower((unsigned char)*a) == lower((unsigned char)*b)) a++, b++;
  return lower((unsigned char)*a) == lower((unsigned char)*b);
}
static struct entry *find(const char *key) {
  unsigned h = place(key), count = hash.table[h].count;
  struct entry *e = hash.table[h].chain;
  for (; count--; e = e->next)
    if (same(e->key, key)) return e;
  return 0;
}
static void add(const char *key, int data) {
  unsigned h = place(key);
  struct entry *e = malloc(sizeof *e), *head = hash.table[h].count ? hash.table[h].chain : 0;
  e->data = data;
  e->key = key;
  hash.table[h].count++;
  hash.table[h].chain = e;
  if (head) {
    e->next = head;
    e->before = head->before;
    if (head->before) head->before->next = e;
    else hash.first = e;
    head->before = e;
  } else {
    e->next = hash.first;
    if (hash.first) hash.first->before = e;
    e->before = 0;
    hash.first = e;
  }
  hash.count++;
}
int main(void) {
  static char names[TRIGGERS][3], made[NEW][3];
  char letters[NEW];
  int olds = 0;
  hash.buckets = BUCKETS;
  hash.table = calloc(BUCKETS, sizeof *hash.table);
  for (int i = 0; i < TRIGGERS; i++) {
    names[i][0] = 'T';
    names[i][1] = 'a' + i % 26;
    add(names[i], i);
  }
  klee_make_symbolic(letters, sizeof letters, "letters");
  for (int i = 0; i < NEW; i++) {
    klee_assume(letters[i] >= 'a');
    klee_assume(letters[i] <= 'z');
    made[i][0] = 't';
    made[i][1] = letters[i];
    if (find(made[i])) olds++;
    else add(made[i], 100 + i);
  }
  return olds;
}
