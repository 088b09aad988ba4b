/* A maze of four moves: which input finds the way out? And is every move safe? */
#include <assert.h>
#include <klee/klee.h>

static const char maze[5][6] = {
    "#####",
    "#s #x",
    "## ##",
    "#   #",
    "#####",
};

int main(void) {
  char moves[4];
  klee_make_symbolic(moves, sizeof moves, "moves");
  int x = 1, y = 1;
  for (int i = 0; i < 4; i++) {
    switch (moves[i]) {
    case 'u': y--; break;
    case 'd': y++; break;
    case 'l': x--; break;
    case 'r': x++; break;
    default: return 1; /* no move */
    }
    if (maze[y][x] == '#') return 2; /* a wall */
  }
  assert(!(x == 3 && y == 3)); /* nobody gets there */
  return 0;
}
