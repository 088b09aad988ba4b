//@ exit: 0
//@ why: tables with pointers and numbers that are read and written at symbolic places: what is compared are the numbers
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Row {
  long key;
  const char *name;
  long value;
  int small;
};

static struct Row table[20];
static const char *names[4] = {"one", "two", "three", "four"};
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*functions[2])(int) = {one, two};

int main(void) {
  unsigned index;
  klee_make_symbolic(&index, sizeof index, "index");
  klee_assume(index < 20);
  for (int i = 0; i < 20; i++)
    table[i] = (struct Row){i, names[i % 4], 2 * i, 3};
  struct Row row = table[index];
  if (row.value > 30 && row.small == 3 && row.name)
    return 1;
  table[index].value = 7;
  table[index].name = "seven";
  table[index].small = 8;
  if (table[5].value == 7 && table[6].small == 3)
    return table[5].name[0] == 's' ? 2 : 3;
  table[(index + 1) % 20] = row;
  if (table[4].key > 4)
    return 4;
  return functions[index % 2](names[index % 4][0] == 't');
}
