# Recursive functions.
t('recursion', 'factorial', 'The factorial against a product in a loop.', '''
static @CT fact(@CT n) { return n @BASE ? 1 : n * fact(n - 1); }
int main(void) {
  @CT n = $@T(), want = 1;
  ASSUME(n <= @N);
  for (@CT i = 2; i <= n; i++) want *= i;
  ASSERT(fact(n) == want);
  return 0;
}
''', params=[dict(T='uint', N=7), dict(T='ulong', N=10)], base=dict(BASE='<= 1'), safe='uot', bugs=[('bug', dict(BASE='<= 2'), 'u', '4', 'ot')])

t('recursion', 'fibonacci', 'Recursive Fibonacci numbers.', '''
static int fib(int n) {
  if (n < @BASE) return n;
  return fib(n - 1) + fib(n - 2);
}
int main(void) {
  int n = $@T();
  ASSUME(n >= 0 && n <= @N);
  int a = 0, b = 1;
  for (int i = 0; i < n; i++) {
    b += a;
    a = b - a;
  }
  ASSERT(fib(n) == a);
  return 0;
}
''', params=[dict(T='int', N=7), dict(T='uchar', N=9)], base=dict(BASE=2), safe='uot', bugs=[('bug', dict(BASE=3), 'u', '2', 'ot')])

t('recursion', 'gcd', 'Euclid recursively.', '''
static unsigned int gcd(unsigned int a, unsigned int b) { return b == 0 ? a : gcd(b, a % b); }
int main(void) {
  unsigned int a = $@T(), b = $@T();
  ASSUME(a <= @N && b <= @N);
  ASSUME(@PRE);
  unsigned int g = gcd(a, b);
  ASSERT(g >= 1);
  ASSERT(a % g == 0 && b % g == 0);
  return 0;
}
''', params=[dict(T='uchar', N=9), dict(T='uint', N=12)], base=dict(PRE='a > 0 || b > 0'), safe='ut',
  bugs=[('bug', dict(PRE='a + b < 20'), 'u', '0 0', '')])

t('recursion', 'even_odd', 'Two functions call each other.', '''
static int odd(@CT n);
static int even(@CT n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(@CT n) { return n == 0 ? @ZERO : even(n - 1); }
int main(void) {
  @CT n = $@T();
  ASSUME(n <= @N);
  ASSERT(even(n) == (n % 2 == 0));
  return 0;
}
''', params=[dict(T='uint', N=12), dict(T='uchar', N=20)], base=dict(ZERO=0), safe='uot', bugs=[('bug', dict(ZERO='even(0)'), 'u', '3', 'ot')])

t('recursion', 'power', 'Powers by squaring.', '''
static unsigned int power(unsigned int b, unsigned int e) {
  if (e == 0) return 1;
  unsigned int h = power(b, e / 2);
  return @ODD;
}
int main(void) {
  unsigned int b = $@T(), e = $uchar(), r = 1;
  ASSUME(e <= @N);
  for (unsigned int i = 0; i < e; i++) r *= b;
  ASSERT(power(b, e) == r);
  return 0;
}
''', params=[dict(T='uchar', N=4), dict(T='ushort', N=3)], base=dict(ODD='e % 2 ? h * h * b : h * h'), safe='uot', bugs=[('bug', dict(ODD='e % 2 ? h * b : h * h'), 'u', '3 3', 'ot')])

t('recursion', 'ninety_one', 'The function that gives 91 for all arguments up to 101.', '''
static int f(int n) { return n > 100 ? n - @BACK : f(f(n + 11)); }
int main(void) {
  int n = $@T();
  ASSUME(n >= @LO && n <= 120);
  int r = f(n);
  if (n <= 101) ASSERT(r == 91);
  else ASSERT(r == n - 10);
  return 0;
}
''', params=[dict(T='int', LO=95), dict(T='short', LO=90)], base=dict(BACK=10), safe='uot', bugs=[('bug', dict(BACK='(n == 111 ? 9 : 10)'), 'u', '100', 'ot')])

t('recursion', 'digit_sum', 'The sum of the digits keeps the remainder by nine.', '''
static unsigned int digits(unsigned int n) { return n < 10 ? n : n % @TEN + digits(n / 10); }
int main(void) {
  @CT n = $@T();
  ASSUME(n < @MAX);
  ASSERT(digits(n) % 9 == n % 9u);
  return 0;
}
''', params=[dict(T='uchar', MAX=200), dict(T='ushort', MAX=2000)], base=dict(TEN=10), safe='uot', bugs=[('bug', dict(TEN=9), 'u', '19', 'ot')])

t('recursion', 'binomial', 'Binomial coefficients are symmetric.', '''
static int choose(int n, int k) {
  if (k == 0@EDGE) return 1;
  if (k > n) return 0;
  return choose(n - 1, k - 1) + choose(n - 1, k);
}
int main(void) {
  int n = $uchar(), k = $uchar();
  ASSUME(n <= @N && k <= n);
  ASSERT(choose(n, k) == choose(n, n - k));
  return 0;
}
''', params=[dict(N=4), dict(N=6)], base=dict(EDGE=''), safe='uot', bugs=[('bug', dict(EDGE=' || k == n - 1'), 'u', '3 2', 'ot')])

t('recursion', 'hanoi', 'The number of moves for a tower of discs.', '''
static unsigned int moves;
static int peg[@N];
static void move(int n, int from, int to) {
  if (n == 0) return;
  int other = 3 - from - to;
  move(n - 1, from, other);
  peg[n - 1] = to;
  moves++;
  move(n - 1, other, @LAST);
}
int main(void) {
  int n = $uchar();
  ASSUME(n >= 1 && n <= @N);
  move(n, 0, @TO);
  ASSERT(moves == (1u << n) - 1);
  for (int i = 0; i < n; i++) ASSERT(peg[i] == @TO);
  return 0;
}
''', params=[dict(N=3, TO=2), dict(N=5, TO=1)], base=dict(LAST='to'), safe='umot', bugs=[('bug', dict(LAST='from'), 'u', '2', 'mot')])

t('recursion', 'array_max', 'The maximum of an array by halves.', '''
static @CT max(const @CT *a, int n) {
  if (n == 1) return a[0];
  @CT l = max(a, n / 2), r = max(a + n / 2, @REST);
  return l > r ? l : r;
}
int main(void) {
  @CT a[@N];
  for (int i = 0; i < @N; i++) a[i] = $@T();
  @CT m = max(a, @N);
  for (int i = 0; i < @N; i++) ASSERT(m >= a[i]);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='uchar', N=7)], base=dict(REST='n - n / 2'), safe='umot', bugs=[('bug', dict(REST='n / 2'), 'u', lambda p: '1 ' * (p['N'] - 1) + '9', 'mot')])

t('recursion', 'subset_sum', 'Is there a subset with a given sum?', '''
static const int item[@N] = {@ROW};
static int reach(int i, int rest) {
  if (rest == 0) return 1;
  if (i == @N || rest < 0) return 0;
  return reach(i + 1, rest - item[i])@ELSE;
}
int main(void) {
  unsigned int pick = $@T();
  ASSUME(pick < (1u << @N));
  int sum = 0;
  for (int i = 0; i < @N; i++)
    if ((pick >> i) & 1) sum += item[i];
  ASSERT(reach(0, sum));
  return 0;
}
''', params=[dict(T='uchar', N=4, ROW='3, 5, 11, 20'), dict(T='uint', N=5, ROW='2, 3, 7, 13, 29')], base=dict(ELSE=' || reach(i + 1, rest)'), safe='umot',
  bugs=[('bug', dict(ELSE=''), 'u', '2', 'mot')])

t('recursion', 'balanced', 'Parsing brackets by recursive descent agrees with a counter.', '''
static unsigned char s[@N + 1];
static int pos;
static int parse(int depth) {
  while (s[pos] == 1) {
    pos++;
    if (!parse(depth + 1)) return 0;
    if (s[pos] != 2) return 0;
    pos++;
  }
  return 1;
}
int main(void) {
  int depth = 0, good = 1;
  for (int i = 0; i < @N; i++) {
    s[i] = $bool() ? 1 : 2;
    depth += s[i] == 1 ? 1 : -1;
    @CHECK
  }
  if (depth != 0) good = 0;
  ASSERT((parse(0) && pos == @N) == good);
  return 0;
}
''', params=[dict(N=4), dict(N=6)], base=dict(CHECK='if (depth < 0) good = 0;'), safe='umot', bugs=[('bug', dict(CHECK='if (depth < -1) good = 0;'), 'u', '0 1 1 0 1 0', 'mot')])

t('recursion', 'depth_stack', 'A recursion with a fixed stack of frames.', '''
#define MAX @N
static int frame[MAX];
static int down(int level, int n) {
  if (level @CMP MAX) return 0;
  frame[level] = n;
  if (n == 0) return 1;
  return 1 + down(level + 1, n - 1);
}
int main(void) {
  @CT n = $@T();
  if (n < 0 || n > 20) return 0;
  int r = down(0, n);
  ASSERT(r <= MAX);
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='char', N=9)], base=dict(CMP='>='), safe='umot', bugs=[('bug', dict(CMP='>'), 'm:valid-deref', lambda p: str(p['N']), '')])
