# Hard for path enumeration: long chains of independent branches before an assertion.
def chain(name, doc, decl, branches, check, bugcheck=None, witness=None, holds='ot'):
    body = 'int main(void) {\n  ' + decl + '\n' + '\n'.join('  ' + b for b in branches) + '\n  ' + '@CHECK' + '\n  return 0;\n}\n'
    t('hard', name, doc, body, base=dict(CHECK=check), safe='u' + holds, tags=['hard'],
      bugs=[('bug', dict(CHECK=bugcheck), 'u', witness, holds)] if bugcheck else [])

chain('flags_dead', 'Thirty free choices that do not matter for the check.', 'int n = 7, dead = 0;', [f'if ($bool()) dead += {k % 3 + 1}; else dead -= {k % 2};' for k in range(30)], 'ASSERT(n == 7);')
chain('even_steps', 'Twenty-four steps of even size keep a number even.', 'int x = 100;', [f'if ($int() > {k}) x += {2 * (k % 4 + 1)};' for k in range(24)], 'ASSERT(x % 2 == 0 && x >= 100);', 'ASSERT(x < 220);', ' '.join(['100'] * 24))
chain('bounded_sum', 'Twenty-five choices add at most two each.', 'unsigned int sum = 0;', [f'if ($uchar() {"<" if k % 2 else ">="} {10 + k}) sum += {1 + k % 2};' for k in range(25)], 'ASSERT(sum <= 37);', 'ASSERT(sum <= 36);', ' '.join(['200' if k % 2 == 0 else '0' for k in range(25)]))
chain('flag_word', 'Each branch sets its own bit.', 'unsigned int w = 0, count = 0;', [f'if ($bool()) {{ w |= 1u << {k}; count++; }}' for k in range(22)], 'ASSERT(w < (1u << 22) && count <= 22);', 'ASSERT(count < 22);', ' '.join(['1'] * 22))
chain('balance', 'What one side gains the other side loses.', 'int left = 500, right = 500;', [f'if ($bool()) {{ left -= {k % 5 + 1}; right += {k % 5 + 1}; }}' for k in range(28)], 'ASSERT(left + right == 1000);')
chain('sanitized', 'Twenty inputs are limited one by one.', 'int t = 0, v;', [f'v = $int(); if (v < 0) v = 0; if (v > {k + 3}) v = {k + 3}; t += v;' for k in range(20)], 'ASSERT(t >= 0 && t <= 250);', 'ASSERT(t <= 249);', ' '.join(['99'] * 20))
t('hard', 'parity_loop', 'Thirty rounds of a loop with three ways each keep a number odd.', '''
int main(void) {
  int x = 1;
  for (int i = 0; i < 30; i++) {
    @CT c = $@T();
    if (c < 5) x += 2;
    else if (c < 50) x -= 4;
    else x += 6;
  }
  ASSERT(@CHECK);
  return 0;
}
''', params=[dict(T='uchar'), dict(T='uint')], base=dict(CHECK='x % 2 != 0'), safe='uot', tags=['hard'], bugs=[('bug', dict(CHECK='x < 181'), 'u', ' '.join(['60'] * 30), 'ot')])
t('hard', 'saturate_loop', 'Forty events on a counter with limits.', '''
int main(void) {
  int level = 0;
  for (int i = 0; i < 40; i++) {
    if ($bool()) { if (level < @TOP) level++; }
    else { if (level > 0) level--; }
  }
  ASSERT(level >= 0 && level <= @MAX);
  return 0;
}
''', params=[dict(TOP=10), dict(TOP=25)], base=dict(MAX='@TOP'), safe='uot', tags=['hard'], bugs=[('bug', dict(MAX='@TOP - 1'), 'u', ' '.join(['1'] * 40), 'ot')])
t('hard', 'sort_six', 'Sorting six free values.', '''
#define N 6
int main(void) {
  @CT a[N];
  for (int i = 0; i < N; i++) a[i] = $@T();
  for (int i = 0; i < N; i++)
    for (int j = 0; j + 1 < N - i; j++)
      if (a[j] > a[j + 1]) {
        @CT h = a[j];
        a[j] = a[j + 1];
        a[j + 1] = h;
      }
  for (int i = 0; i + 1 < N; i++) ASSERT(a[i] <= a[i + 1]);
  return 0;
}
''', params=[dict(T='int'), dict(T='uchar')], safe='umot', tags=['hard'], bugs=[])
