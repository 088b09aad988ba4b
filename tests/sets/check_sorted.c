/* Are the lines of a file in order? LINES lines of LENGTH bytes, every second one symbolic (PARTI,
 * 4.2.3, where the program is sort -C). */
void klee_make_symbolic(void *addr, unsigned long size, const char *name);
static unsigned char line[LINES][LENGTH];
static int compare(const unsigned char *a, const unsigned char *b) {
  for (int i = 0; i < LENGTH; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}
int main(void) {
  unsigned long random = 1;
  for (int i = 0; i < LINES; i++) {
    if (i % 2) {
      klee_make_symbolic(line[i], LENGTH, "line");
      continue;
    }
    /* The first byte rises, so that lines in order exist. */
    line[i][0] = (unsigned char)(10 * i + 10);
    for (int j = 1; j < LENGTH; j++) {
      random = random * 6364136223846793005UL + 1442695040888963407UL;
      line[i][j] = (unsigned char)(random >> 56);
    }
  }
  for (int i = 0; i + 1 < LINES; i++)
    if (compare(line[i], line[i + 1]) > 0) return 1;
  return 0;
}
