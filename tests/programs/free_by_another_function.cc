//@ paths: 6 completed, 9 errors
//@ finding: free 19 operator delete of
//@ finding: free 20 operator delete[] of
//@ finding: free 21 which operator new made
//@ finding: free 22 which operator new[] made
//@ finding: free 23 which malloc made
//@ finding: free 24 which malloc made
//@ finding: free 25 which operator new[] made
//@ finding: free 26 operator delete of
//@ finding: free 27 operator delete of
//@ exit: 1
//@ why: memory is given back by the function that goes with the one that made it; nine of the cases do not
#include <cstdlib>
#include <cstring>
#include <klee/klee.h>
#include <new>
int main() {
  switch (klee_range(0, 15, "which")) {
  case 0: delete new int[3]; break;
  case 1: delete[] new int; break;
  case 2: free(new int); break;
  case 3: free(new int[3]); break;
  case 4: delete (int *)malloc(4); break;
  case 5: delete[] (int *)calloc(4, 1); break;
  case 6: free(realloc(new int[2], 40)); break;
  case 7: delete new (std::nothrow) int[3]; break;
  case 8: operator delete(operator new[](5)); break;
  case 9: delete new int; break;
  case 10: delete[] new int[4]; break;
  case 11: operator delete(operator new(3, std::nothrow)); break;
  case 12: { void *p = malloc(8); new (p) int(3); free(p); } break;
  case 13: free(strdup("abc")); break;
  }
}
