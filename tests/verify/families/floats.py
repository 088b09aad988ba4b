# Floating point; a few tasks.
t('floats', 'clamp', 'Clamping to a range, also for values that are not numbers.', '''
int main(void) {
  @CT x = $@T();
  @CT y = x;
  if (!(y >= @ZERO)) y = @ZERO;
  if (@TOP) y = @ONE;
  ASSERT(y >= @ZERO && y <= @ONE);
  return 0;
}
''', params=[dict(T='float', ZERO='0.0f', ONE='1.0f', W='1073741824'), dict(T='double', ZERO='0.0', ONE='1.0', W='4611686018427387904')], base=dict(TOP='y > @ONE'), safe='uot', bugs=[('bug', dict(TOP='y > 2 * @ONE'), 'u', lambda p: p['W'], 'ot')])

t('floats', 'not_a_number', 'Comparisons with a value that is not a number are false.', '''
int main(void) {
  @CT x = $@T();
  int less = x < 0, more = x > 0, same = x == 0;
  ASSERT(less + more + same @REL);
  return 0;
}
''', params=[dict(T='float', W='2143289344'), dict(T='double', W='9221120237041090560')], base=dict(REL='<= 1'), safe='uot', bugs=[('bug', dict(REL='== 1'), 'u', lambda p: p['W'], 'ot')])

t('floats', 'int_to_float', 'Small whole numbers survive the conversion to floating point.', '''
int main(void) {
  @CT n = $@T();
  @GUARD
  @F f = (@F)n;
  ASSERT((@CT)f == n);
  return 0;
}
''', params=[dict(T='short', F='float', GUARD='//-', BT='int'), dict(T='int', F='double', GUARD='//-', BT='longlong')], safe='uot',
  bugs=[('bug', lambda p: dict(T=p['BT'], GUARD={'int': 'if (n < 0 || n > 20000000) return 0;', 'longlong': 'if (n < 0 || n > 10000000000000000) return 0;'}[p['BT']]), 'u', lambda p: {'int': '16777217', 'longlong': '9007199254740993'}[p['BT']], 'ot')])

t('floats', 'average', 'The mean of small numbers lies between them.', '''
int main(void) {
  int a = $@T(), b = $@T();
  float m = @MEAN;
  if (a <= b) ASSERT(a <= m && m <= b);
  return 0;
}
''', params=[dict(T='uchar'), dict(T='char')], base=dict(MEAN='(a + b) / 2.0f'), safe='uot', bugs=[('bug', dict(MEAN='a / 2 + b / 2'), 'u', '1 1', 'ot')])

t('floats', 'sum_steps', 'Steps of a quarter are exact, steps of a tenth are not.', '''
int main(void) {
  unsigned char n = $uchar();
  ASSUME(n <= 10);
  double x = 0;
  for (int i = 0; i < n; i++) x += @STEP;
  ASSERT(x == n * @STEP);
  return 0;
}
''', base=dict(STEP='0.25'), safe='uot', bugs=[('bug', dict(STEP='0.1'), 'u', '10', 'ot')])
