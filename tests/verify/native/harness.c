/* Runs a task (compiled with main renamed to task_main) natively.
 *   task -w V1 V2 ...            one run on the given values (missing values are 0)
 *   task -f SEED RUNS C1,C2,...  many runs: all combinations of small and edge values and of
 *                                the listed constants as far as RUNS goes, then RUNS random runs
 *   task -a MAX                  every value of every 8-bit input, if that takes at most MAX runs
 * Globals of the task are restored before each run; abort and exit come back here. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END, ABORTED, EXITED, REACH, OVERFLOW, ASSUMED, BADFREE, SEGV, TOOWIDE, NCODES };
static const char *const names[] = {"end", "abort", "exit", "reach_error", "overflow", "assume", "bad-free", "segv", "wide"};
extern int task_main(void);
extern char __start_taskdata[] __attribute__((weak)), __stop_taskdata[] __attribute__((weak));
extern char __start_taskbss[] __attribute__((weak)), __stop_taskbss[] __attribute__((weak));
static sigjmp_buf back;

/* The task's globals. */
static char *saved[2];
static void copy(char *to, const char *from, long n) { for (long i = 0; i < n; i++) ((volatile char *)to)[i] = from[i]; }
static void snapshot(int restore) {
  char *lo[2] = {__start_taskdata, __start_taskbss}, *hi[2] = {__stop_taskdata, __stop_taskbss};
  for (int k = 0; k < 2; k++) {
    if (!lo[k]) continue;
    if (!restore) { saved[k] = malloc(hi[k] - lo[k] + 1); copy(saved[k], lo[k], hi[k] - lo[k]); }
    else copy(lo[k], saved[k], hi[k] - lo[k]);
  }
}

/* The task's heap. */
#define MAXB 4096
static struct { char *p; size_t n; int live, mark; } blk[MAXB];
static int nblk;
void *h_malloc(size_t n) {
  char *p = malloc(n);
  if (nblk < MAXB) { blk[nblk].p = p; blk[nblk].n = n; blk[nblk].live = 1; nblk++; }
  return p;
}
void *h_calloc(size_t a, size_t b) { void *p = h_malloc(a * b); memset(p, 0, a * b); return p; }
static int find(void *p) { for (int i = nblk - 1; i >= 0; i--) if (blk[i].live && blk[i].p == p) return i; return -1; }
void h_free(void *p) {
  if (!p) return;
  int i = find(p);
  if (i < 0) siglongjmp(back, BADFREE + 1);
  blk[i].live = 0;
  free(p);
}
void *h_realloc(void *p, size_t n) {
  if (!p) return h_malloc(n);
  int i = find(p);
  if (i < 0) siglongjmp(back, BADFREE + 1);
  void *q = h_malloc(n);
  memcpy(q, p, blk[i].n < n ? blk[i].n : n);
  blk[i].live = 0;
  free(p);
  return q;
}
static void mark(const char *lo, long n) {
  for (long o = 0; o + 8 <= n; o++) { /* any address: fields may be packed */
    char *v;
    copy((char *)&v, lo + o, 8);
    for (int i = 0; i < nblk; i++)
      if (blk[i].live && !blk[i].mark && v >= blk[i].p && v <= blk[i].p + blk[i].n) { blk[i].mark = 1; mark(blk[i].p, (long)blk[i].n); }
  }
}
static void heap_state(int *live, int *lost) {
  *live = *lost = 0;
  for (int i = 0; i < nblk; i++) blk[i].mark = 0, *live += blk[i].live;
  if (!*live) return;
  if (__start_taskdata) mark(__start_taskdata, __stop_taskdata - __start_taskdata);
  if (__start_taskbss) mark(__start_taskbss, __stop_taskbss - __start_taskbss);
  for (int i = 0; i < nblk; i++) *lost += blk[i].live && !blk[i].mark;
}

/* Inputs. */
static int mode; /* 0 given, 1 combinations, 2 random, 3 all 8-bit values */
static char **av; static int ac, ai;
static unsigned long long st;
static long long consts[256]; static int nconsts;
static int idx[4096], used;
static long long vec[64]; /* inputs of this run, for the report */
static long long focus; static int focused; /* this run's inputs lie in [focus, focus + 9] */
static unsigned rnd(void) { st = st * 6364136223846793005ull + 1442695040888963407ull; return (unsigned)(st >> 33); }
static long long edge(int k, int bits, int sgn) {
  unsigned long long top = 1ull << (bits - 1);
  switch (k) {
    case 0: return sgn ? (long long)(0 - top) : 0;
    case 1: return sgn ? (long long)(top - 1) : (long long)(top - 1 + top);
    case 2: return sgn ? (long long)(0 - top) + 1 : 1;
    default: return (long long)(top - 1);
  }
}
static long long fit(long long v, int bits, int sgn) {
  if (bits == 64) return v;
  if (bits == 1) return v & 1;
  unsigned long long m = (1ull << bits) - 1, u = (unsigned long long)v & m;
  return sgn && (u >> (bits - 1)) ? (long long)(u | ~m) : (long long)u;
}
static long long choose(int bits, int sgn) {
  long long v = 0;
  if (mode == 0) { if (ai < ac) { v = av[ai][0] == '-' ? strtoll(av[ai], 0, 0) : (long long)strtoull(av[ai], 0, 0); ai++; } }
  else if (mode == 2) {
    unsigned r = rnd() % 12;
    if (focused) v = focus + (long long)(rnd() % 10);
    else if (r < 5) v = (long long)(rnd() % 12) - 1;
    else if (r < 9 && nconsts) v = consts[rnd() % nconsts] + (long long)(rnd() % 3) - 1;
    else if (r == 9) v = edge(rnd() % 4, bits == 1 ? 8 : bits, sgn);
    else if (r == 10) v = (long long)(rnd() % 130);
    else v = (long long)(((unsigned long long)rnd() << 33) ^ ((unsigned long long)rnd() << 11) ^ rnd());
  } else if (mode == 1) {
    if (used >= 4096) siglongjmp(back, TOOWIDE + 1);
    int k = idx[used];
    if (bits == 1) v = k;
    else if (k < 4) v = k;
    else if (k == 4) v = sgn ? -1 : 5;
    else if (k < 9) v = edge(k - 5, bits, sgn);
    else if (nconsts) v = consts[(k - 9) % nconsts];
  } else {
    if (bits > 8 || used >= 4096) siglongjmp(back, TOOWIDE + 1);
    v = idx[used];
  }
  v = fit(v, bits, sgn);
  if (used < 64) vec[used] = v;
  if (used < 4095) used++;
  return v;
}
static int width(int i, int bits) { (void)i; return mode == 3 ? 1 << bits : bits == 1 ? 2 : 9 + nconsts; }
static unsigned char wid[4096];
static long long next(int bits, int sgn) { if (used < 4096) wid[used] = (unsigned char)bits; return choose(bits, sgn); }
#define ND(ty, name, sgn) ty __VERIFIER_nondet_##name(void) { return (ty)next(sizeof(ty) * 8, sgn); }
_Bool __VERIFIER_nondet_bool(void) { return next(1, 0) & 1; }
ND(char, char, 1) ND(unsigned char, uchar, 0) ND(unsigned char, unsigned_char, 0) ND(unsigned char, u8, 0)
ND(short, short, 1) ND(unsigned short, ushort, 0) ND(unsigned short, u16, 0)
ND(int, int, 1) ND(unsigned, uint, 0) ND(unsigned, unsigned_int, 0) ND(unsigned, unsigned, 0) ND(unsigned, u32, 0)
#ifdef ILP32
ND(int, long, 1) ND(unsigned, ulong, 0) ND(unsigned, size_t, 0)
#else
ND(long, long, 1) ND(unsigned long, ulong, 0) ND(size_t, size_t, 0)
#endif
ND(long long, longlong, 1) ND(unsigned long long, ulonglong, 0)
float __VERIFIER_nondet_float(void) {
  unsigned u = (unsigned)next(32, 0); float f;
  if (mode && u < 4096) return (float)u / 8 - 8;
  memcpy(&f, &u, 4); return f;
}
double __VERIFIER_nondet_double(void) {
  unsigned long long u = (unsigned long long)next(64, 0); double f;
  if (mode && u < 4096) return (double)u / 8 - 8;
  memcpy(&f, &u, 8); return f;
}

/* Ends of a run. */
void __VERIFIER_assume(int c) { if (!c) siglongjmp(back, ASSUMED + 1); }
void h_abort(void) { siglongjmp(back, ABORTED + 1); }
void h_exit(int c) { (void)c; siglongjmp(back, EXITED + 1); }
void h_reach(void) { siglongjmp(back, REACH + 1); }
void h_assert_fail(const char *a, const char *f, unsigned l, const char *g) { (void)a; (void)f; (void)l; (void)g; siglongjmp(back, REACH + 1); }
static void on_signal(int s) { siglongjmp(back, (s == SIGSEGV || s == SIGBUS ? SEGV : OVERFLOW) + 1); }

static long count[NCODES], nlive, nlost; static int quiet;
static int run(void) {
  int live, lost, code;
  snapshot(1);
  for (int i = 0; i < nblk; i++) if (blk[i].live) free(blk[i].p);
  nblk = 0; used = 0;
  focused = mode == 2 && nconsts && rnd() % 4 == 0;
  if (focused) focus = consts[rnd() % nconsts];
  int r = sigsetjmp(back, 1);
  if (r) code = r - 1; else { task_main(); code = END; }
  heap_state(&live, &lost);
  if (code > EXITED) live = lost = 0;
  int odd = (code != END && code != ABORTED && code != EXITED && code != ASSUMED && code != TOOWIDE && !count[code]) || (lost && !nlost) || (live && !nlive);
  count[code]++; nlive += live > 0; nlost += lost > 0;
  if (odd && !quiet) {
    printf("FIRST %s live %d lost %d inputs:", names[code], live, lost);
    for (int i = 0; i < used && i < 64; i++) printf(" %lld", vec[i]);
    printf("\n");
  }
  return code;
}
static int odometer(long max) { /* 1 if every combination was run */
  memset(idx, 0, sizeof idx);
  for (long n = 0; n < max; n++) {
    if (run() == TOOWIDE) return 0;
    int u = used;
    for (int i = u; i < 4096 && idx[i]; i++) idx[i] = 0;
    while (u > 0 && idx[u - 1] + 1 >= width(u - 1, wid[u - 1])) idx[--u] = 0;
    if (!u) return 1;
    idx[u - 1]++;
  }
  return 0;
}
int main(int argc, char **argv) {
  struct sigaction sa; memset(&sa, 0, sizeof sa); sa.sa_handler = on_signal; sa.sa_flags = SA_NODEFER;
  sigaction(SIGILL, &sa, 0); sigaction(SIGFPE, &sa, 0); sigaction(SIGTRAP, &sa, 0);
#ifndef ASAN
  static char stack[65536]; stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack}; sigaltstack(&ss, 0);
  sa.sa_flags |= SA_ONSTACK; sigaction(SIGSEGV, &sa, 0); sigaction(SIGBUS, &sa, 0);
#endif
  setvbuf(stdout, 0, _IONBF, 0);
  snapshot(0);
  ac = argc; av = argv; ai = 2;
  int all = 0;
  if (argc > 1 && !strcmp(argv[1], "-f")) {
    st = strtoull(argv[2], 0, 0) * 0x9E3779B97F4A7C15ull + 77;
    long runs = atol(argv[3]);
    for (char *s = argc > 4 ? strtok(argv[4], ",") : 0; s && nconsts < 200; s = strtok(0, ",")) consts[nconsts++] = (long long)strtoull(s, 0, 0);
    mode = 1; odometer(runs);
    mode = 2; for (long n = 0; n < runs; n++) run();
  } else if (argc > 1 && !strcmp(argv[1], "-a")) { mode = 3; all = odometer(atol(argv[2])); }
  else run();
  printf("RESULT");
  for (int i = 0; i < NCODES; i++) printf(" %s=%ld", names[i], count[i]);
  printf(" live=%ld lost=%ld all=%d\n", nlive, nlost, all);
  return 0;
}
