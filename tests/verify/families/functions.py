# Function pointers.
t('functions', 'dispatch', 'A table of operations chosen by a free index.', '''
static int op_and(int a, int b) { return a & b; }
static int op_or(int a, int b) { return a | b; }
static int op_max(int a, int b) { return a > b ? a : b; }
static int op_min(int a, int b) { return @MIN; }
static int (*const op[4])(int, int) = {op_and, op_or, op_max, op_min};
int main(void) {
  @CT k = $@T();
  int a = $uchar(), b = $uchar();
  if (@OUT) return 0;
  int r = op[k](a, b);
  ASSERT(r >= 0 && r <= 255);
  if (k == 3) ASSERT(r <= a && r <= b);
  return 0;
}
''', params=[dict(T='uint', OUT='k >= 4', BAD='k > 4', W='4 1 2'), dict(T='int', OUT='k < 0 || k > 3', BAD='k > 3', W='-1 1 2')], base=dict(MIN='a < b ? a : b'), safe='umot',
  bugs=[('bug', dict(MIN='a < b ? b : a'), 'u', '3 5 6', 'mot'), ('index_bug', lambda p: dict(OUT=p['BAD']), 'm:valid-deref', lambda p: p['W'], '')])

t('functions', 'callback', 'Calls back for each element; a missing callback is allowed.', '''
typedef void (*visit_t)(@CT v, void *arg);
struct acc { unsigned long sum; int calls; };
static void add(@CT v, void *arg) {
  struct acc *a = arg;
  a->sum += v;
  a->calls++;
}
static void each(const @CT *v, int n, visit_t f, void *arg) {
  @GUARD
  for (int i = 0; i < n; i++) f(v[i], arg);
}
int main(void) {
  @CT v[@N];
  unsigned long want = 0;
  struct acc a = {0, 0};
  for (int i = 0; i < @N; i++) {
    v[i] = $@T();
    want += v[i];
  }
  _Bool quiet = $bool();
  each(v, @LEN, quiet ? 0 : add, &a);
  ASSERT(a.sum == (quiet ? 0 : want));
  ASSERT(a.calls == (quiet ? 0 : @N));
  return 0;
}
''', params=[dict(T='uint', N=3), dict(T='uchar', N=5)], base=dict(GUARD='if (!f) return;', LEN='@N'), safe='umot',
  bugs=[('null_bug', dict(GUARD='//-'), 'm:valid-deref', lambda p: '0 ' * p['N'] + '1', ''), ('length_bug', dict(LEN='@N - 1'), 'u', lambda p: '1 ' * p['N'] + '0', 'mot')])

t('functions', 'shapes', 'Objects with a table of functions.', '''
struct shape;
struct table { int (*area)(const struct shape *); int (*edges)(const struct shape *); };
struct shape { const struct table *f; int a, b; };
static int rect_area(const struct shape *s) { return s->a * s->b; }
static int rect_edges(const struct shape *s) { return 2 * (s->a + s->b); }
static int square_area(const struct shape *s) { return s->a * s->@SIDE; }
static int square_edges(const struct shape *s) { return 4 * s->a; }
static const struct table rect = {rect_area, rect_edges}, square = {square_area, square_edges};
int main(void) {
  struct shape s[@N];
  int total = 0;
  for (int i = 0; i < @N; i++) {
    s[i].a = $@T();
    s[i].b = 0;
    ASSUME(s[i].a >= 1 && s[i].a <= 20);
    if ($bool()) {
      s[i].f = &rect;
      s[i].b = s[i].a + 1;
    } else s[i].f = &square;
    ASSERT(s[i].f->area(&s[i]) >= s[i].a);
    total += s[i].f->edges(&s[i]);
  }
  ASSERT(total >= 4 * @N && total % 2 == 0);
  return 0;
}
''', params=[dict(T='uchar', N=3), dict(T='int', N=2)], base=dict(SIDE='a'), safe='umot', bugs=[('bug', dict(SIDE='b'), 'u', '3 0', 'mot')])

t('functions', 'comparator', 'Sorting three values by a comparison function.', '''
static int cmp(@CT a, @CT b) { return @CMP; }
static void order(@CT *x, @CT *y, int (*f)(@CT, @CT)) {
  if (f(*x, *y) > 0) {
    @CT h = *x;
    *x = *y;
    *y = h;
  }
}
int main(void) {
  @CT a = $@T(), b = $@T(), c = $@T();
  order(&a, &b, cmp);
  order(&b, &c, cmp);
  order(&a, &b, cmp);
  ASSERT(a <= b && b <= c);
  return 0;
}
''', params=[dict(T='int'), dict(T='uint'), dict(T='longlong')], base=dict(CMP='(a > b) - (a < b)'), safe='umot',
  bugs=[('once_bug', dict(CMP='(a > b && b != 7) - (a < b)'), 'u', '9 7 9', 'mot')])

t('functions', 'comparator_difference', 'Comparing by the difference.', '''
static int by_value(@CT a, @CT b) { return @CMP; }
static int (*compare)(@CT, @CT) = by_value;
int main(void) {
  @CT a = $@T(), b = $@T();
  int r = compare(a, b);
  if (a < b) ASSERT(r < 0);
  if (a == b) ASSERT(r == 0);
  if (a > b) ASSERT(r > 0);
  return 0;
}
''', params=[dict(T='short', CMP='a - b', BUG='(signed char)(a - b)', W='128 0'), dict(T='uint', CMP='a < b ? -1 : a > b', BUG='(int)(a - b)', W='3000000000 1')],
  safe='umo', bugs=[('bug', lambda p: dict(CMP=p['BUG']), 'u', lambda p: p['W'], 'mo')])

t('functions', 'comparator_overflow', 'Comparing by the difference can overflow.', '''
static int down(@CT a, @CT b) { return @CMP; }
static int up(@CT a, @CT b) { return down(b, a); }
int main(void) {
  int (*f)(@CT, @CT) = $bool() ? up : down;
  @CT a = $@T(), b = $@T();
  int r = f(a, b);
  return r > 0;
}
''', params=[dict(T='int', BUG='b - a'), dict(T='long', BUG='b - a > 0 ? 1 : -1')], base=dict(CMP='(b > a) - (b < a)'), safe='omt',
  bugs=[('bug', lambda p: dict(CMP=p['BUG']), 'o', lambda p: '0 -9223372036854775808 1' if p['T'] == 'long' else '0 -2147483648 1', 't')])

t('functions', 'state_functions', 'Each state is a function that gives the next one.', '''
static int idle(int in), busy(int in), done(int in);
static int (*current)(int) = idle;
static int work;
static int idle(int in) { if (in) current = busy; return 0; }
static int busy(int in) { work++; if (work @GE @N) current = done; return in; }
static int done(int in) { if (!in) { current = idle; work = 0; } return 2; }
int main(void) {
  for (int i = 0; i < @EVENTS; i++) {
    current($bool());
    ASSERT(work <= @N);
    if (current == done) ASSERT(work == @N);
  }
  return 0;
}
''', params=[dict(N=2, EVENTS=6), dict(N=4, EVENTS=8)], base=dict(GE='>='), safe='umot', bugs=[('bug', dict(GE='>'), 'u', '1 1 1 1 1 1 1 1', 'mot')])

t('functions', 'compose', 'Functions chosen freely are applied one after the other.', '''
static unsigned int inc(unsigned int x) { return x + 1; }
static unsigned int dec(unsigned int x) { return x - 1; }
static unsigned int same(unsigned int x) { return x; }
typedef unsigned int (*fn)(unsigned int);
static fn choose(unsigned char c) { return c == 0 ? inc : c == 1 ? @DEC : same; }
int main(void) {
  unsigned int x = $@T(), y = x;
  int net = 0;
  for (int i = 0; i < @N; i++) {
    unsigned char c = $uchar();
    ASSUME(c < 3);
    y = choose(c)(y);
    net += c == 0 ? 1 : c == 1 ? -1 : 0;
  }
  ASSERT(y - x == (unsigned int)net);
  return 0;
}
''', params=[dict(T='uint', N=4), dict(T='ushort', N=6)], base=dict(DEC='dec'), safe='umot', bugs=[('bug', dict(DEC='same'), 'u', '0 1', 'mot')])
