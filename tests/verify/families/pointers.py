# Pointers: use after free, scope and return, bounds, wrong sizes, wrong frees.
t('pointers', 'after_free', 'A block is used after it was freed.', '''
struct buf { @CT v[@N]; };
int main(void) {
  struct buf *p = malloc(sizeof *p);
  unsigned char i = $uchar();
  for (int k = 0; k < @N; k++) p->v[k] = $@T();
  @CT last = p->v[@N - 1];
  @ORDER
  return last == 3;
}
''', params=[dict(T='int', N=3), dict(T='char', N=6)], base=dict(ORDER='if (i < @N) last = p->v[i];\n  free(p);'), safe='mct', bugs=[('bug', dict(ORDER='if (i == 4) free(p);\n  last = p->v[0];\n  if (i != 4) free(p);'), 'm:valid-deref', '4', 't')])

t('pointers', 'alias_free', 'Two names for one block.', '''
int main(void) {
  @CT *p = malloc(2 * sizeof *p), *q = p;
  p[0] = $@T();
  p[1] = $@T();
  if (p[0] > p[1]) q = p + @OFF;
  *q = 7;
  free(@WHICH);
  @AFTER
  return 0;
}
''', params=[dict(T='int'), dict(T='short')], base=dict(OFF=1, WHICH='p', AFTER='p = q = 0;'), safe='mct', bugs=[('middle', dict(WHICH='q'), 'm:valid-free', '2 1', 't'), ('after', dict(AFTER='if (*q == 7) q = 0;'), 'm:valid-deref', '1 1', 't'), ('bounds', dict(OFF=2), 'm:valid-deref', '2 1', 't')])

t('pointers', 'scope', 'A pointer to a variable of a block that has ended.', '''
int main(void) {
  int @OUTER *p = 0, r = $int();
  if (r > 0) {
    int @INNER;
    p = &value;
    *p = 5;
  } else p = &r;
  *p = *p > 3 ? 3 : 1;
  ASSERT(*p == 3 || *p == 1);
  return 0;
}
''', base=dict(OUTER='value,', INNER='unused = r;\n    r = unused'), safe='umt', bugs=[('bug', dict(OUTER='', INNER='value'), 'm:valid-deref', '1', '')])

t('pointers', 'scope_loop', 'Remembers the address of the largest value of a loop.', '''
int main(void) {
  @CT v[@N], zero = 0, *best = &zero;
  for (int i = 0; i < @N; i++) {
    v[i] = $@T();
    @CT now = v[i];
    if (now > *best) best = &@WHAT;
    @STOP
  }
  ASSERT(*best >= 0);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=4)], base=dict(WHAT='v[i]', STOP='//-'), safe='umt', bugs=[('bug', dict(WHAT='now', STOP='if (now == 9) break;'), 'm:valid-deref', '9', '')])

t('pointers', 'return_local', 'A function returns the address of its own variable.', '''
struct cell { @CT v; int used; };
static struct cell pool[2];
static struct cell *pick(int i) {
  @LOCAL
  if (i < 0 || i > 1) return @DEFAULT;
  return &pool[i];
}
int main(void) {
  int i = $@TI();
  struct cell *c = pick(i);
  if (c) {
    c->v = 1;
    ASSERT(c == pool || c == pool + 1 || c->v == 1);
  }
  return 0;
}
''', params=[dict(T='int', TI='int'), dict(T='uchar', TI='char')], base=dict(LOCAL='//-', DEFAULT='0'), safe='umt', safes=[('static', dict(LOCAL='static struct cell none;', DEFAULT='&none'))], bugs=[('bug', dict(LOCAL='struct cell none, *p = &none;\n  none.v = 0;\n  none.used = 0;', DEFAULT='p'), 'm:valid-deref', '2', '')])

t('pointers', 'heap_bounds', 'The last element of a block of chosen size.', '''
int main(void) {
  unsigned int n = $@TI();
  if (n == 0 || n > @N) return 0;
  @CT *a = malloc(@SIZE);
  for (unsigned int i = 0; i < n; i++) a[i] = i;
  unsigned int k = $@TI();
  if (k @LT n) ASSERT(a[k] == (@CT)k);
  free(a);
  return 0;
}
''', params=[dict(T='int', TI='uint', N=5), dict(T='ushort', TI='uchar', N=8)], base=dict(SIZE='n * sizeof *a', LT='<'), safe='umct', bugs=[('bug', dict(LT='<='), 'm:valid-deref', '2 2', ''), ('size_bug', dict(SIZE='n'), 'm:valid-deref', '3', '')])

t('pointers', 'wrong_sizeof', 'The size of a pointer is not the size of the record.', '''
struct rec { int id; @CT body[@N]; };
int main(void) {
  struct rec *r = malloc(sizeof @WHAT);
  int id = $int();
  r->id = id;
  for (int i = 0; i < @N; i++) r->body[i] = $@T();
  ASSERT(r->id == id);
  free(r);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=12)], base=dict(WHAT='*r'), safe='umct', bugs=[('bug', dict(WHAT='r'), 'm:valid-deref', '1 2 3 4', '')])

t('pointers', 'memset_span', 'Clears part of a buffer.', '''
#define N @N
int main(void) {
  @CT buf[N];
  unsigned int from = $uint(), count = $uint();
  for (int i = 0; i < N; i++) buf[i] = i + 1;
  if (@BAD) return 0;
  memset(buf + from, 0, count * sizeof buf[0]);
  for (unsigned int i = 0; i < N; i++)
    ASSERT((buf[i] == 0) == (i >= from && i - from < count));
  return 0;
}
''', params=[dict(T='uchar', N=8), dict(T='int', N=4)], base=dict(BAD='from > N || count > N - from'), safe='um', bugs=[('bug', dict(BAD='from > N || count > N'), 'm:valid-deref', lambda p: f"2 {p['N']}", ''), ('end_bug', dict(BAD='from > N || count > N + 1 - from'), 'm:valid-deref', lambda p: f"1 {p['N']}", '')])

t('pointers', 'memcpy_record', 'Copies records through a byte buffer.', '''
struct msg { unsigned char kind; @CT value; };
int main(void) {
  unsigned char wire[@SIZE];
  struct msg out, in;
  memset(&out, 0, sizeof out);
  out.kind = $uchar();
  out.value = $@T();
  memcpy(wire, &out, sizeof out);
  memcpy(&in, wire, sizeof in);
  ASSERT(in.kind == out.kind && in.value == out.value);
  return 0;
}
''', params=[dict(T='int'), dict(T='ushort')], base=dict(SIZE='sizeof(struct msg)'), safe='um', bugs=[('bug', dict(SIZE='1 + sizeof(@CT)'), 'm:valid-deref', '1 2', '')])

t('pointers', 'null_missing', 'A search that may give a null pointer.', '''
struct entry { @CT key; int value; };
static struct entry table[@N];
static struct entry *find(@CT key) {
  for (int i = 0; i < @N; i++)
    if (table[i].key == key) return &table[i];
  return 0;
}
int main(void) {
  for (int i = 0; i < @N; i++) {
    table[i].key = (@CT)(3 * i + 1);
    table[i].value = i;
  }
  @CT key = $@T();
  struct entry *e = find(key);
  @GUARD
  ASSERT(e->value >= 0 && e->value < @N);
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=6)], base=dict(GUARD='if (!e) return 0;'), safe='umot', bugs=[('bug', dict(GUARD='if (key % 3 != 1) return 0;'), 'm:valid-deref', '100', 'ot')])

t('pointers', 'double_free', 'A block is freed by two owners.', '''
static @CT *shared;
static void close_a(void) { free(shared); @CLEAR }
static void close_b(void) { if (shared) free(shared); @CLEAR }
int main(void) {
  shared = malloc(sizeof *shared);
  *shared = $@T();
  @CT mode = $@T();
  if (mode == 1) close_a();
  if (mode <= @K) close_b();
  if (mode > @K) close_a();
  return 0;
}
''', params=[dict(T='uint', K=1), dict(T='char', K=2)], base=dict(CLEAR='shared = 0;'), safe='mct', bugs=[('bug', dict(CLEAR=''), 'm:valid-free', '0 1', 't')])

t('pointers', 'free_stack', 'Small requests use a buffer on the stack.', '''
int main(void) {
  char small[@N], *p = small;
  @CT need = $@T();
  if (need < 1 || need > @BIG) return 0;
  if (need > @N) p = malloc(need);
  p[need - 1] = 'x';
  if (@WHEN) free(p);
  return 0;
}
''', params=[dict(T='int', N=4, BIG=16), dict(T='ulong', N=8, BIG=20)], base=dict(WHEN='p != small'), safe='mct', bugs=[('bug', dict(WHEN='need >= @N'), 'm:valid-free', lambda p: str(p['N']), 't'), ('leak', dict(WHEN='need > @N + 1'), 'm:valid-memtrack', lambda p: str(p['N'] + 1), 't')])

t('pointers', 'realloc_stale', 'An old pointer after a block was enlarged.', '''
int main(void) {
  @CT *a = malloc(2 * sizeof *a), *mark = a + 1;
  a[0] = $@T();
  a[1] = $@T();
  if (a[0] == 0) {
    size_t at = mark - a;
    a = realloc(a, @N * sizeof *a);
    a[@N - 1] = 0;
    mark = @MARK;
  }
  *mark = 1;
  ASSERT(a[1] == 1);
  free(a);
  return 0;
}
''', params=[dict(T='int', N=64), dict(T='char', N=100)], base=dict(MARK='a + at'), safe='umct', bugs=[('bug', dict(MARK='at ? mark : a'), 'm:valid-deref', '0 1', '')])

t('pointers', 'negative_index', 'An index that goes below zero.', '''
#define N @N
int main(void) {
  @CT a[N];
  int top = 0;
  for (int i = 0; i < N; i++) a[i] = 0;
  for (int i = 0; i < @EVENTS; i++) {
    if ($bool()) {
      if (top < N) a[top++] = i + 1;
    } else if (@COND) {
      a[--top] = 0;
    }
  }
  ASSERT(top >= 0 && top <= N);
  return 0;
}
''', params=[dict(T='int', N=3, EVENTS=6), dict(T='uchar', N=4, EVENTS=8)], base=dict(COND='top > 0'), safe='umot', bugs=[('bug', dict(COND='top >= 0'), 'm:valid-deref', '0', ''), ('other_bug', dict(COND='top < N'), 'm:valid-deref', '0', '')])

t('pointers', 'row_of_table', 'Rows of a table of fixed width.', '''
#define W @W
#define H @H
static @CT cell[H][W];
static int inside(int x, int y) { return @TEST; }
int main(void) {
  int x = $@TX(), y = $@TX();
  if (!inside(x, y)) return 0;
  *(&cell[0][0] + y * W + x) = 1;
  ASSERT(cell[y][x] == 1);
  return 0;
}
''', params=[dict(T='int', TX='short', W=4, H=3), dict(T='char', TX='int', W=5, H=3)], base=dict(TEST='x >= 0 && x < W && y >= 0 && y < H'), safe='umo', bugs=[('swapped', dict(TEST='x >= 0 && x < H && y >= 0 && y < W'), 'm:valid-deref', lambda p: f"0 {p['W'] - 1}", ''), ('sign_bug', dict(TEST='x < W && y >= 0 && y < H && x > -2'), 'm:valid-deref', '-1 0', '')])

t('pointers', 'swap_pointers', 'Swaps blocks by swapping pointers.', '''
static void swap(@CT **a, @CT **b) {
  @CT *h = *a;
  *a = *b;
  *b = @H;
}
int main(void) {
  @CT *x = malloc(sizeof *x), *y = malloc(sizeof *y);
  *x = $@T();
  *y = $@T();
  @CT *a = x, *b = y;
  if ($bool()) {
    swap(&x, &y);
    ASSERT(x == b && y == a);
  }
  free(x);
  free(y);
  return 0;
}
''', params=[dict(T='int'), dict(T='ulonglong')], base=dict(H='h'), safe='umct', bugs=[('bug', dict(H='*a'), 'u', '1 2 1', '')])

t('pointers', 'arena', 'Pieces of one block.', '''
static unsigned char *arena;
static size_t top;
static void *take(size_t n) {
  @ALIGN
  if (n > @N - top) return 0;
  void *p = arena + top;
  top += n;
  return p;
}
int main(void) {
  arena = malloc(@CAP);
  for (int i = 0; i < @TIMES; i++) {
    size_t n = $uchar();
    if (n == 0 || n > @N) break;
    unsigned char *p = take(n);
    if (p) p[0] = p[n - 1] = (unsigned char)n;
    ASSERT(top <= @N);
  }
  free(arena);
  return 0;
}
''', params=[dict(N=16, TIMES=3), dict(N=24, TIMES=2)], base=dict(ALIGN='n = (n + 3) & ~(size_t)3;', CAP='@N'), safe='umct', bugs=[('bug', dict(CAP='@N - 1'), 'm:valid-deref', lambda p: str(p['N']), ''), ('round_bug', dict(ALIGN='if (n % 4) n -= n % 4;'), 'm:valid-deref', lambda p: f"{p['N'] - 4} 7", '')])

t('pointers', 'end_pointer', 'Walking to the end of an array with pointers.', '''
#define N @N
int main(void) {
  @CT a[N], *end = a + N;
  for (int i = 0; i < N; i++) a[i] = $@T();
  @CT *p = a;
  while (@COND) p++;
  if (p != end) ASSERT(*p == 0);
  ASSERT(p >= a && p <= end);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='bool', N=7)], base=dict(COND='p != end && *p != 0'), safe='umt', bugs=[('bug', dict(COND='*p != 0 && p != end'), 'm:valid-deref', '1 1 1 1 1 1 1', 't')])

t('pointers', 'union_view', 'Looks at a number as bytes.', '''
union view { @CT word; unsigned char byte[sizeof(@CT)]; };
int main(void) {
  union view v;
  v.word = $@T();
  unsigned int i = $uint(), sum = 0;
  ASSUME(i @LT sizeof v.byte);
  v.byte[i] = 0;
  for (unsigned int k = 0; k < sizeof v.byte; k++) sum += v.byte[k];
  ASSERT(sum <= 255 * (sizeof v.byte - 1));
  return 0;
}
''', params=[dict(T='uint'), dict(T='ushort')], base=dict(LT='<'), safe='um', bugs=[('bug', dict(LT='<='), 'm:valid-deref', lambda p: '1 4' if p['T'] == 'uint' else '1 2', '')])

t('pointers', 'calloc_zero', 'Memory from calloc is zero.', '''
int main(void) {
  unsigned int n = $@T();
  if (n < 1 || n > @N) return 0;
  int *a = calloc(n, sizeof(int)), sum = 0;
  if ($bool()) a[@WHERE] = 1;
  for (unsigned int i = 0; i < n; i++) sum += a[i];
  ASSERT(sum == 0 || sum == 1);
  free(a);
  return 0;
}
''', params=[dict(T='uint', N=4), dict(T='uchar', N=6)], base=dict(WHERE='n - 1'), safe='umct', bugs=[('bug', dict(WHERE='n'), 'm:valid-deref', '2 1', '')])
