//@ finding: ptr 21 null
//@ finding: ptr 22 outside
//@ finding: ptr 26 ended
//@ finding: readonly 23
//@ finding: assert 29
//@ exit: 1
//@ native: objects
//@ why: copies and fills by chosen pointers: from, to and both; null, one that is too short, one that is constant, one that was freed
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct item { int key, value; struct item *next; char text[5]; };
static const struct item fixed = {7, 70, 0, "gh"};
static struct item a = {1, 10, &a, "ab"}, b = {2, 20, &a, "cd"}, x, y;
static struct item *t[4] = {&a, &b, 0, (struct item *)&fixed};
int main(void) {
  int i = klee_range(0, 4, "i"), j = klee_range(0, 3, "j");
  struct item own, *short_one = malloc(12), *to[3] = {&x, &y, short_one};
  memset(short_one, 1, 12);
  own = *t[i];
  *to[j] = own;
  if (klee_range(0, 9, "w") == 8) memset(t[i]->text, 'h', 2);
  struct item *gone[2] = {&b, short_one};
  free(short_one);
  memcpy(gone[klee_range(0, 2, "k")], to[j], 8);
  *to[j] = *t[i];
  assert((j ? &x : &y)->key == 0 && to[j]->value == 10 * to[j]->key);
  assert(to[j]->key != 7 || to[j]->text[1] != 'h');
  return to[j]->next && to[j]->next->key == 1 ? to[j]->key : 9;
}
