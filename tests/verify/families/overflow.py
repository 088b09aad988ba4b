# Signed overflow: which arithmetic can leave the range of its type.
MIN = {'int': '-2147483648', 'long': '-9223372036854775808', 'longlong': '-9223372036854775808'}
MAX = {'int': '2147483647', 'long': '9223372036854775807', 'longlong': '9223372036854775807'}
t('overflow', 'add', 'Adding two numbers that were checked first.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  if (@OUT) return 0;
  @CT c = a + b;
  return c > 0;
}
''', params=[dict(T='int', L=1000000000), dict(T='longlong', L=4000000000000000000)], base=dict(OUT='a < -@L || a > @L || b < -@L || b > @L'), safe='ot',
  bugs=[('bug', dict(OUT='a < -@L || b < -@L'), 'o', lambda p: MAX[p['T']] + ' 1', 't'), ('one_bug', dict(OUT='a < -@L || a > @L'), 'o', lambda p: '5 ' + MAX[p['T']], 't')])

t('overflow', 'sub', 'Subtracting: negative minus positive is the dangerous direction.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  ASSUME(@PRE);
  @CT c = a - b;
  return c == 3;
}
''', params=[dict(T='int'), dict(T='long')], base=dict(PRE='(a >= 0) == (b >= 0)'), safe='ot',
  bugs=[('bug', dict(PRE='a <= b'), 'o', lambda p: MIN[p['T']] + ' 1', 't')])

t('overflow', 'mul', 'Multiplying numbers from a limited range.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  if (@OUT) return 1;
  @CT area = a * b;
  return area > 10;
}
''', params=[dict(T='int', L=46340, M=65536), dict(T='longlong', L=3037000499, M=5000000000)], base=dict(OUT='a < 0 || a > @L || b < 0 || b > @L'), safe='ot',
  bugs=[('bug', dict(OUT='a < 0 || a > @M || b < 0 || b > @M'), 'o', lambda p: f"{p['M']} {p['M']}", 't'), ('low_bug', dict(OUT='a > @L || b > @L'), 'o', lambda p: MIN[p['T']] + ' 2', 't')])

t('overflow', 'negate', 'The negative of a number.', '''
int main(void) {
  @CT x = $@T();
  @GUARD
  @CT y = -x;
  return y < 0;
}
''', params=[dict(T='int', LOW='(-2147483647 - 1)'), dict(T='long', LOW='(-9223372036854775807L - 1)')], base=dict(GUARD='if (x == @LOW) return 0;'), safe='ot',
  bugs=[('bug', dict(GUARD='if (x == 0) return 0;'), 'o', lambda p: MIN[p['T']], 't')])

t('overflow', 'divide', 'Dividing: one quotient does not fit.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  if (b == 0@GUARD) return 0;
  @CT q = a @OP b;
  return q > 1;
}
''', params=[dict(T='int', OP='/'), dict(T='longlong', OP='/'), dict(T='int', OP='%')], base=dict(GUARD=' || b == -1'), safe='ot',
  bugs=[('bug', dict(GUARD=''), 'o', lambda p: MIN[p['T']] + ' -1', 't')])

t('overflow', 'absolute', 'The absolute value, in the same or in a wider type.', '''
static @WIDE absolute(@CT x) { return x < 0 ? -(@WIDE)x : x; }
int main(void) {
  @CT x = $@T();
  @WIDE y = absolute(x);
  ASSERT(y >= 0);
  return 0;
}
''', params=[dict(T='int', WIDE='long long'), dict(T='short', WIDE='int')], safe='ot', bugs=[])

t('overflow', 'absolute_same', 'The absolute value in the same type.', '''
static @CT absolute(@CT x) { return x < 0 ? -x : x; }
int main(void) {
  @CT x = $@T();
  @GUARD
  @CT y = absolute(x);
  return y > 100;
}
''', params=[dict(T='int', GUARD='if (x < -100) return 0;'), dict(T='longlong', GUARD='if (x / 2 < -4000000000000000000) return 0;')], safe='ot',
  bugs=[('bug', dict(GUARD='if (x > 100) return 0;'), 'o', lambda p: MIN[p['T']], 't')])

t('overflow', 'small_types', 'Small types are widened before the arithmetic.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  @EXPR
  return 0;
}
''', params=[dict(T='short', EXPR='int p = a * b;\n  p = p - a - b;'), dict(T='char', EXPR='a++;\n  b = (char)(a + b);'), dict(T='uchar', EXPR='int p = (a << 8) + b;\n  p *= 255;')], safe='ot', bugs=[])

t('overflow', 'ushort_product', 'The product of two 16-bit numbers is computed in int.', '''
int main(void) {
  unsigned short a = $@T(), b = $@T();
  unsigned int p = @A * b;
  ASSERT(@POST);
  return 0;
}
''', params=[dict(T='ushort', POST='a == 0 || b == 0 || p >= a'), dict(T='u16', POST='p <= 4294836225u')], base=dict(A='(unsigned int)a'), safe='uot', bugs=[('bug', dict(A='a'), 'o', '65535 65535', 't')])

t('overflow', 'unsigned_wrap', 'Unsigned arithmetic wraps around and is no overflow.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  @CT s = a + b, d = a - b, p = a * b, n = -a;
  ASSERT(s - b == a);
  ASSERT(d + b == a);
  ASSERT(n + a == 0);
  return p == 77;
}
''', params=[dict(T='uint'), dict(T='ulong'), dict(T='size_t')], safe='uot', bugs=[])

t('overflow', 'midpoint', 'The middle of two indexes.', '''
int main(void) {
  @CT lo = $@T(), hi = $@T();
  ASSUME(0 <= lo && lo <= hi);
  @CT mid = @MID;
  ASSERT(lo <= mid && mid <= hi);
  return 0;
}
''', params=[dict(T='int', MID='lo + (hi - lo) / 2'), dict(T='longlong', MID='lo / 2 + hi / 2 + (lo % 2 + hi % 2) / 2')], safe='uot',
  bugs=[('bug', dict(MID='(lo + hi) / 2'), 'o', lambda p: MAX[p['T']] + ' ' + MAX[p['T']], 't')])

t('overflow', 'sum_array', 'Summing an array.', '''
int main(void) {
  @CT a[@N];
  @SUM sum = 0;
  for (int i = 0; i < @N; i++) {
    a[i] = $@T();
    sum += a[i];
  }
  return sum > 0;
}
''', params=[dict(T='int', N=4), dict(T='int', N=8)], base=dict(SUM='long long'), safe='omt', bugs=[('bug', dict(SUM='int'), 'o', '2147483647 1', 'mt')])

t('overflow', 'late_cast', 'The cast to the wider type comes too late.', '''
int main(void) {
  int @A = $int(), @B = $int();
  long long r = @EXPR;
  return r == 42;
}
''', params=[dict(A='width', B='height', EXPR='(long long)width * height', BUG='(long long)(width * height)', W='65536 65536'),
             dict(A='base', B='offset', EXPR='(long long)base + offset', BUG='(long long)(base + offset)', W='2147483647 2147483647'),
             dict(A='from', B='to', EXPR='(long long)to - from', BUG='(unsigned int)(to - from)', W='-5 2147483647')], safe='ot',
  bugs=[('bug', lambda p: dict(EXPR=p['BUG']), 'o', lambda p: p['W'], 't')])

t('overflow', 'checked_add', 'An addition that is refused if it does not fit.', '''
static int add(@CT a, @CT b, @CT *sum) {
  @CHECK
  *sum = a + b;
  return 1;
}
int main(void) {
  @CT a = $@T(), b = $@T(), s;
  if (add(a, b, &s)) ASSERT(b >= 0 ? s >= a : s < a);
  return 0;
}
''', params=[dict(T='int', HI='2147483647', LO='(-2147483647 - 1)'), dict(T='longlong', HI='9223372036854775807LL', LO='(-9223372036854775807LL - 1)')],
  base=dict(CHECK='if (b > 0 ? a > @HI - b : a < @LO - b) return 0;'), safe='uot',
  bugs=[('late_bug', dict(CHECK='if (b > 0 && a + b < a) return 0;'), 'o', lambda p: MAX[p['T']] + ' 1', 't'), ('half_bug', dict(CHECK='if (b > 0 && a > @HI - b) return 0;'), 'o', lambda p: MIN[p['T']] + ' -1', 't')])

t('overflow', 'checked_mul', 'A multiplication checked by division.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  if (a < 0 || b < 0) return 0;
  if (@CHECK) return 0;
  @CT p = a * b;
  return p > 99;
}
''', params=[dict(T='int', HI='2147483647'), dict(T='long', HI='9223372036854775807L')], base=dict(CHECK='b != 0 && a > @HI / b'), safe='ot',
  bugs=[('bug', dict(CHECK='b != 0 && a > @HI / b + 1'), 'o', lambda p: {'int': '1073741824 2', 'long': '4611686018427387904 2'}[p['T']], 't'), ('zero_bug', dict(CHECK='a > 1000 && b > 1000 && a > @HI / b'), 'o', lambda p: {'int': '2147484 1000', 'long': '2305843009213693952 5'}[p['T']], 't')])

t('overflow', 'hash', 'A polynomial hash of three characters.', '''
int main(void) {
  @H h = @START;
  for (int i = 0; i < @N; i++) {
    @CT c = $@T();
    h = h * @MUL + c;
  }
  return h % 64 == 1;
}
''', params=[dict(T='uchar', N=6, START=5381, MUL=33), dict(T='char', N=7, START=17, MUL=31)], base=dict(H='unsigned int'), safe='ot', bugs=[('bug', dict(H='int'), 'o', '127 127 127 127 127 127 127', 't')])

t('overflow', 'seconds', 'Times of day in seconds.', '''
int main(void) {
  int h = $int(), m = $int(), s = $int();
  ASSUME(@PRE);
  int t = h * 3600 + m * 60 + s;
  ASSERT(t >= 0@POST);
  return 0;
}
''', base=dict(PRE='h >= 0 && h < 24 && m >= 0 && m < 60 && s >= 0 && s < 60', POST=' && t < 86400'), safe='uot',
  bugs=[('bug', dict(PRE='h >= 0 && m >= 0 && m < 60 && s >= 0 && s < 60', POST=' || h > 5'), 'o', '600000 0 0', 't'), ('edge_bug', dict(PRE='h >= 0 && h <= 596523 && m >= 0 && m < 60 && s >= 0 && s < 60', POST=' || h > 5'), 'o', '596523 59 59', 't')])

t('overflow', 'distance', 'Squared distance of two points.', '''
int main(void) {
  @CT x = $@T(), y = $@T(), u = $@T(), v = $@T();
  @WIDE dx = (@WIDE)x - u, dy = (@WIDE)y - v;
  @WIDE d = dx * dx + dy * dy;
  ASSERT(d >= 0);
  return 0;
}
''', params=[dict(T='short', WIDE='long long', W='32767 32767 -32768 -32768')], safe='ot', bugs=[('bug', lambda p: dict(WIDE='int'), 'o', lambda p: p['W'], 't')])

t('overflow', 'factorial', 'The factorial fits up to a limit.', '''
int main(void) {
  int n = $@T();
  ASSUME(n >= 0 && n <= @LIMIT);
  @R f = 1;
  for (int i = 2; i <= n; i++) f *= i;
  return f == 720;
}
''', params=[dict(T='uchar', LIMIT=12, R='int', OVER=13), dict(T='int', LIMIT=20, R='long long', OVER=21)], safe='ot', bugs=[('bug', lambda p: dict(LIMIT=p['OVER']), 'o', lambda p: p['OVER'], 't')])

t('overflow', 'loop_near_limit', 'A loop that runs close to the largest number.', '''
int main(void) {
  int start = $int(), n = 0;
  ASSUME(start > 2147483640);
  for (int i = start; @COND; @STEP) n++;
  ASSERT(n <= 8);
  return 0;
}
''', params=[dict(COND='i < 2147483647', STEP='i++', BC='i <= 2147483647 && n < 8', BS='i++'), dict(COND='i < 2147483645', STEP='i += 2', BC='i < 2147483647', BS='i += 2')], safe='uot',
  bugs=[('bug', lambda p: dict(COND=p['BC'], STEP=p['BS']), 'o', '2147483646', 't')])

t('overflow', 'percent', 'A percentage of an amount.', '''
int main(void) {
  int amount = $int(), percent = $uchar();
  ASSUME(amount >= 0 && percent <= 100);
  int part = @EXPR;
  ASSERT(part >= 0 && part <= amount);
  return 0;
}
''', base=dict(EXPR='amount / 100 * percent + amount % 100 * percent / 100'), safe='uot', bugs=[('bug', dict(EXPR='amount * percent / 100'), 'o', '2147483647 2', 't')])

t('overflow', 'clamp_step', 'A step on a scale, clamped at both ends.', '''
int main(void) {
  int pos = $int(), step = $@T();
  ASSUME(pos >= -1000 && pos <= 1000);
  for (int i = 0; i < 4; i++) {
    @ORDER
    if (pos > 1000) pos = 1000;
    if (pos < -1000) pos = -1000;
  }
  ASSERT(pos >= -1000 && pos <= 1000);
  return 0;
}
''', params=[dict(T='short', ORDER='pos += step;'), dict(T='int', ORDER='if (step > 500) step = 500;\n    if (step < -500) step = -500;\n    pos += step;')], safe='uot',
  bugs=[('bug', lambda p: dict(T='int', ORDER='pos += step;' if p['T'] == 'short' else 'if (step > 500) step = 500;\n    pos += step;'), 'o', '-1000 -2147483648', 't')])

t('overflow', 'difference_loop', 'The sum of differences of a sequence collapses to one difference.', '''
int main(void) {
  @CT first = $@T(), last = first;
  int sum = 0;
  for (int i = 0; i < @N; i++) {
    @CT x = $@T();
    sum += x - last;
    last = x;
  }
  ASSERT(sum == last - first);
  return 0;
}
''', params=[dict(T='short', N=4), dict(T='uchar', N=6)], safe='uot', bugs=[('bug', dict(T='int'), 'o', '-5 2147483647', 't')])

t('overflow', 'decrement', 'Counting down below the smallest number.', '''
int main(void) {
  @CT x = $@T();
  int n = 0;
  while (n < 5 && @COND) {
    x--;
    n++;
  }
  ASSERT(n <= 5);
  return 0;
}
''', params=[dict(T='int', LO='(-2147483647 - 1)'), dict(T='longlong', LO='(-9223372036854775807LL - 1)')], base=dict(COND='x > @LO'), safe='uot', bugs=[('bug', dict(COND='x >= @LO'), 'o', lambda p: MIN[p['T']], 't')])

t('overflow', 'compound', 'Compound assignments.', '''
int main(void) {
  int x = $int(), y = $int();
  if (y == 0 || @OUT) return 0;
  x @OP= y;
  return x & 1;
}
''', params=[dict(OP='+', OUT='(y > 0 ? x > 2147483647 - y : x < -2147483647 - y)', BUG='x > 2000000000', W='-2147483648 -1'), dict(OP='-', OUT='x < 0 || y < 0', BUG='x < 0', W='5 -2147483648'), dict(OP='*', OUT='x > 1000 || x < -1000 || y > 1000000 || y < -1000000', BUG='x > 1000 || y > 1000000', W='-3 -2000000000')], safe='ot',
  bugs=[('bug', lambda p: dict(OUT=p['BUG']), 'o', lambda p: p['W'], 't')])

t('overflow', 'ternary_side', 'Only the branch that is taken is computed.', '''
int main(void) {
  int x = $int(), y;
  y = @COND ? x + 1 : x - 1;
  ASSERT(y != x);
  int z = x > 0 && x * 1LL * x < @LIM ? x * x : 0;
  ASSERT(z >= 0);
  return 0;
}
''', base=dict(COND='x < 0', LIM='2147483648LL'), safe='uot', bugs=[('bug', dict(COND='x > 0'), 'o', '-2147483648', 't'), ('square_bug', dict(LIM='2147483648LL * 2'), 'o', '50000', 't')])
