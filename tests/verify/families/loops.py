# Counting, nested and bounded loops.
t('loops', 'sum_formula', 'The sum of the first n numbers.', '''
int main(void) {
  @CT n = $@T();
  ASSUME(n <= @N);
  unsigned int sum = 0;
  for (unsigned int i = 1; i @CMP n; i++)
    sum += i;
  ASSERT(sum == (unsigned int)n * (n + 1u) / 2);
  return 0;
}
''', params=[dict(T='uchar', N=10), dict(T='ushort', N=8)], base=dict(CMP='<='), safe='uot',
  bugs=[('bug', dict(CMP='<'), 'u', '3', 'ot')])

t('loops', 'pairs', 'Counts the pairs i < j below n.', '''
int main(void) {
  int n = $int(), pairs = 0;
  ASSUME(n >= 0 && n <= @N);
  for (int i = 0; i < n; i++)
    for (int j = @FROM; j < n; j++)
      pairs++;
  ASSERT(2 * pairs == n * (n - 1));
  return 0;
}
''', params=[dict(N=5), dict(N=7)], base=dict(FROM='i + 1'), safe='uot',
  bugs=[('bug', dict(FROM='i'), 'u', '2', 'ot')])

t('loops', 'remainder', 'The remainder by repeated subtraction.', '''
int main(void) {
  @CT x = $@T();
  if (x > @MAX) return 0;
  @CT r = x;
  while (r @CMP @D)
    r -= @D;
  ASSERT(r < @D);
  ASSERT(r == x % @D);
  return 0;
}
''', params=[dict(T='uint', D=7, MAX=50), dict(T='uchar', D=30, MAX=255), dict(T='ulong', D=1000, MAX=9000)],
  base=dict(CMP='>='), safe='uot', bugs=[('bug', dict(CMP='>'), 'u', lambda p: p['D'], 'ot')])

t('loops', 'gcd_subtract', 'The greatest common divisor by subtraction.', '''
int main(void) {
  unsigned int a = $uint(), b = $uint();
  ASSUME(a >= 1 && a <= @N && b >= 1 && b <= @N);
  unsigned int x = a, y = b;
  @STEPS
  while (@COND) {
    if (x > y) x -= y;
    else y -= x;
    @COUNT
  }
  ASSERT(a % x == 0);
  ASSERT(b % x == 0);
  return 0;
}
''', params=[dict(N=6), dict(N=8)], base=dict(COND='x != y', STEPS='//-', COUNT='//-'), safe='uot',
  bugs=[('steps_bug', dict(COND='x != y && steps < 4', STEPS='int steps = 0;', COUNT='steps++;'), 'u', '6 1', 'ot')])

t('loops', 'reverse_digits', 'Reversing the decimal digits twice gives the number again.', '''
static unsigned int rev(unsigned int n) {
  unsigned int r = 0;
  while (n > 0) {
    r = r * 10 + n % 10;
    n /= 10;
  }
  return r;
}
int main(void) {
  @CT n = $@T();
  ASSUME(@PRE);
  ASSERT(rev(rev(n)) == n);
  return 0;
}
''', params=[dict(T='uchar', PRE='n % 10 != 0', BUG='n > 0'), dict(T='ushort', PRE='n < 300 && n % 10 != 0', BUG='n < 300')],
  safe='uot', bugs=[('bug', lambda p: dict(PRE=p['BUG']), 'u', '120', 'ot')])

t('loops', 'power', 'The power function against shifting.', '''
static unsigned int power(unsigned int base, unsigned int exp) {
  unsigned int r = @INIT;
  @LOOP
  return r;
}
int main(void) {
  unsigned int e = $@T();
  ASSUME(e <= 8);
  ASSERT(power(2, e) == 1u << e);
  ASSERT(power(4, e) == 1u << (2 * e));
  return 0;
}
''', params=[dict(T='uchar', INIT=1, LOOP='''while (exp > 0) {
    if (exp @BIT 1) r *= base;
    base *= base;
    exp >>= 1;
  }''', BIT='&'), dict(T='uint', INIT=1, LOOP='for (unsigned int i = 0; i < exp; i++) r *= base;', BIT='')], safe='ut',
  bugs=[('bug', lambda p: dict(BIT='>=') if p['BIT'] else dict(INIT='base'), 'u', lambda p: '2' if p['BIT'] else '1', 't')])

t('loops', 'fibonacci', 'Fibonacci numbers by two variables and by a table.', '''
int main(void) {
  static const unsigned short table[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  unsigned char n = $uchar();
  ASSUME(n <= 10);
  unsigned int a = 0, b = 1;
  for (int i = 0; i < n; i++) {
    @STEP
  }
  ASSERT(a == table[n]);
  return 0;
}
''', base=dict(STEP='unsigned int c = a + b; a = b; b = c;'), safe='uotm',
  bugs=[('order_bug', dict(STEP='a = b; b = a + b;'), 'u', '3', 'otm')])

t('loops', 'stream_extrema', 'The smallest and the largest of a stream of values.', '''
int main(void) {
  @CT v = $@T();
  @CT min = v, max = @MAX0;
  int negative = 1;
  for (int i = 0; i < @N; i++) {
    if (v < min) min = v;
    if (v > max) max = v;
    if (v >= 0) negative = 0;
    ASSERT(min <= v && v <= max);
    v = $@T();
  }
  if (negative) ASSERT(max < 0);
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='short', N=5), dict(T='longlong', N=3)], base=dict(MAX0='v'), safe='uot',
  bugs=[('zero_bug', dict(MAX0='0'), 'u', '-5 -5 -5 -5 -5', 'ot')])

t('loops', 'two_counters', 'Each event is counted in exactly one of two counters.', '''
int main(void) {
  unsigned int seen = 0, left = 0, right = 0;
  for (int i = 0; i < @N; i++) {
    @CT e = $@T();
    seen++;
    if (@A) left++;
    if (@B) right++;
  }
  ASSERT(left + right == seen);
  return 0;
}
''', params=[dict(T='bool', N=8, A='e', B='!e', BUG='!e || i == 5'), dict(T='char', N=6, A='e < 0', B='e >= 0', BUG='e > 0')],
  safe='uot',
  bugs=[('bug', lambda p: dict(B=p['BUG']), 'u', lambda p: '1 1 1 1 1 1 1 1' if p['N'] == 8 else '0 0 0 0 0 0', 'ot')])

t('loops', 'saturating_counter', 'A counter that stays between 0 and a limit.', '''
#define LIMIT @L
int main(void) {
  int level = $uchar() % (LIMIT + 1);
  for (int i = 0; i < @N; i++) {
    if ($bool()) {
      if (level @LT LIMIT) level++;
    } else {
      if (level @GT 0) level--;
    }
  }
  ASSERT(level >= 0 && level <= LIMIT);
  return 0;
}
''', params=[dict(L=3, N=6), dict(L=10, N=8)], base=dict(LT='<', GT='>'), safe='uot',
  bugs=[('top_bug', dict(LT='<='), 'u', lambda p: f"{p['L']}" + ' 1' * p['N'], 'ot'),
        ('bottom_bug', dict(GT='>='), 'u', '0 0 0 0 0 0 0 0 0', 'ot')])

t('loops', 'events_thousands', 'Six events of four kinds: several thousand paths.', '''
int main(void) {
  int open = 0, shut = 0, locked = 0;
  for (int i = 0; i < 6; i++) {
    @CT e = $@T();
    switch (e) {
      case 1: if (!locked && shut < open + @SLACK) shut++; break;
      case 2: if (open < shut) open++; break;
      case 7: locked = !locked; break;
      default: if (locked) locked = 0; break;
    }
    ASSERT(open <= shut);
    ASSERT(shut - open <= 2);
  }
  return 0;
}
''', params=[dict(T='uchar'), dict(T='int')], base=dict(SLACK='2'), safe='uot',
  bugs=[('bug', dict(SLACK='3'), 'u', '1 1 1 0 0 0', 'ot')], tags=['many paths'])

t('loops', 'nested_stop', 'Looks for a product in the multiplication table; the outer loop must stop too.', '''
int main(void) {
  unsigned int want = $@T(), row = 0, col = 0, found = 0;
  for (unsigned int i = 1; i <= @N@STOP; i++)
    for (unsigned int j = 1; j <= @N; j++)
      if (i * j == want) {
        row = i;
        col = j;
        found++;
        break;
      }
  ASSERT(found <= 1);
  ASSERT(found == 0 || row * col == want);
  return 0;
}
''', params=[dict(T='uchar', N=5), dict(T='uint', N=4)], base=dict(STOP=' && !found'), safe='uot',
  bugs=[('bug', dict(STOP=''), 'u', '4', 'ot')])

t('loops', 'collatz_limit', 'The 3n+1 walk reaches 1 within the stated number of steps.', '''
int main(void) {
  unsigned int n = $@T(), steps = 0;
  ASSUME(n >= 1 && n <= 8);
  while (n != 1 && steps < @LIMIT) {
    if (n % 2) n = 3 * n + 1;
    else n /= 2;
    steps++;
  }
  ASSERT(n == 1);
  return 0;
}
''', params=[dict(T='ushort', LIMIT=16), dict(T='ulong', LIMIT=20)], safe='uot',
  bugs=[('bug', dict(LIMIT=15), 'u', '7', 'ot')])

t('loops', 'double_step', 'Two loop variables move towards each other.', '''
int main(void) {
  int lo = 0, hi = $@T();
  ASSUME(hi >= 0 && hi <= @N);
  int sum = hi;
  while (lo @CMP hi) {
    lo++;
    hi--;
    @EXTRA
  }
  ASSERT(lo + hi == sum);
  ASSERT(lo >= hi && lo - hi <= 1 + @OFF);
  return 0;
}
''', params=[dict(T='int', N=12), dict(T='short', N=9)], base=dict(CMP='<', EXTRA='//-', OFF='0'), safe='uot',
  bugs=[('le_bug', dict(CMP='<='), 'u', '4', 'ot'), ('skip_bug', dict(EXTRA='if (hi == 3) hi--;'), 'u', '6', 'ot')])

t('loops', 'sqrt_odd', 'The integer square root by subtracting odd numbers.', '''
int main(void) {
  unsigned int n = $@T(), rest, odd = 1, root = 0;
  ASSUME(n <= @MAX);
  rest = n;
  while (rest >= odd) {
    rest -= odd;
    odd += @STEP;
    root++;
  }
  ASSERT(root * root <= n);
  ASSERT((root + 1) * (root + 1) > n);
  return 0;
}
''', params=[dict(T='uchar', MAX=80), dict(T='ushort', MAX=100)], base=dict(STEP='2'), safe='uot',
  bugs=[('bug', dict(STEP='root + 1'), 'u', '3', 'ot')])
