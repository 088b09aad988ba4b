# Programs whose verdict depends on the width of long.
t('ilp32', 'long_product', 'A product in long overflows if long has 32 bits.', '''
int main(void) {
  long a = $int(), b = $int();
  ASSUME(a >= 0 && a <= @N && b >= 0 && b <= @N);
  long p = a * b;
  return p == 6;
}
''', base=dict(N=46340), safe='ot', bugs=[('bug', dict(N=100000), 'o', '100000 100000', 't')], model='ILP32')
t('ilp32', 'long_mask', 'A mask of 32 bits keeps every value of a 32-bit unsigned long.', '''
int main(void) {
  unsigned long x = $ulong();
  ASSERT((x & 0xffffffffUL) == x);
  ASSERT(sizeof(x) == 4);
  return 0;
}
''', safe='uot', model='ILP32')
t('ilp32', 'long_mask64', 'The same mask loses bits if unsigned long has 64 bits.', '''
int main(void) {
  unsigned long x = $ulong();
  ASSERT((x & 0xffffffffUL) == x);
  return 0;
}
''', safe='', bugs=[('bug', {}, 'u', '4294967296', 'ot')])
t('ilp32', 'long_product64', 'The product of two int values fits in a long of 64 bits.', '''
int main(void) {
  long a = $int(), b = $int();
  long p = a * b;
  return p == 6;
}
''', safe='ot')
