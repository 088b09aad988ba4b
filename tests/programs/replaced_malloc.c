//@ paths: 2 completed, 0 errors
//@ exit: 2
//@ partial: beside a malloc of the program
//@ native: no it is about what is not explored
//@ why: strdup and calloc would call the malloc of the program, whose free knows only what that made; what they make is not explored
#include <klee/klee.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
static _Alignas(16) char pool[4096];
static size_t used;
static int frees;
void *malloc(size_t n) {
  size_t *head = (size_t *)(pool + used);
  *head = n;
  used += 16 + ((n + 15) & ~15ul);
  return (char *)head + 16;
}
void free(void *p) {
  if (p)
    frees += *(size_t *)((char *)p - 16) > 0;
}
int main(void) {
  switch (klee_range(0, 4, "which")) {
  case 0: free(strdup("abc")); break;
  case 1: free(calloc(2, 4)); break;
  case 2: free(malloc(3)); break;
  }
}
