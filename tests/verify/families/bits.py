# Bit-precise arithmetic.
t('bits', 'popcount', 'Two ways to count the bits that are set.', '''
int main(void) {
  @CT x = $@T(), y = x;
  int slow = 0, fast = 0;
  for (int i = 0; i < @W; i++) slow += (x >> i) & 1;
  while (y) {
    y &= y - 1;
    fast++;
  }
  ASSERT(slow == fast);
  return 0;
}
''', params=[dict(T='uchar', W=8), dict(T='u16', W=16)], safe='uot', bugs=[('bug', lambda p: dict(W=p['W'] - 1), 'u', lambda p: str(1 << (p['W'] - 1)), 'ot')])

t('bits', 'popcount_parallel', 'Counting bits in parallel agrees with a loop.', '''
int main(void) {
  @CT x = $@T();
  @CT v = x - ((x >> 1) & @M1);
  v = (v & @M2) + ((v >> 2) & @M2);
  v = (v + (v >> 4)) & @M4;
  @FOLD
  unsigned int n = 0;
  for (int i = 0; i < @W; i++) n += (x >> i) & 1u;
  ASSERT(v == n);
  return 0;
}
''', params=[dict(T='uchar', W=8, M1='0x55', M2='0x33', M4='0x0f', FOLD='//-'),
             dict(T='uint', W=32, M1='0x55555555u', M2='0x33333333u', M4='0x0f0f0f0fu', FOLD='v = (v * 0x01010101u) >> 24;')],
  safe='uo', bugs=[('bug', lambda p: dict(M2='0x37') if p['W'] == 8 else dict(M2='0x33333313u'), 'u', lambda p: '4' if p['W'] == 8 else '255', 'o')])

t('bits', 'swap_elements', 'Swapping two array elements with exclusive or.', '''
int main(void) {
  @CT a[4];
  unsigned int i = $uint(), j = $uint();
  for (int k = 0; k < 4; k++) a[k] = $@T();
  ASSUME(i < 4 && j < 4);
  @CT x = a[i], y = a[j];
  @GUARD
  a[i] ^= a[j];
  a[j] ^= a[i];
  a[i] ^= a[j];
  ASSERT(a[i] == y && a[j] == x);
  return 0;
}
''', params=[dict(T='uint'), dict(T='short')], base=dict(GUARD='if (i == j) return 0;'), safe='umo',
  bugs=[('bug', dict(GUARD='//-'), 'u', '1 1 0 7 0 0', 'mo')])

t('bits', 'average', 'The rounded-down average of two unsigned numbers without overflow.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  @CT avg = @AVG;
  ASSERT(avg == (@BIG)(((@BIG)a + b) / 2));
  return 0;
}
''', params=[dict(T='uint', BIG='unsigned long long'), dict(T='uchar', BIG='unsigned int'), dict(T='ushort', BIG='unsigned int')], base=dict(AVG='(a & b) + ((a ^ b) >> 1)'), safe='uo',
  bugs=[('odd_bug', dict(AVG='(a >> 1) + (b >> 1)'), 'u', '1 3', 'o'), ('or_bug', dict(AVG='(a | b) - ((a ^ b) >> 1)'), 'u', '0 1', 'o')])

t('bits', 'power_of_two', 'The test for a power of two.', '''
static int is_power(@CT x) { return @TEST; }
int main(void) {
  @CT x = $@T();
  int n = 0;
  for (int i = 0; i < @W; i++)
    if (x == (@CT)((@CT)1 << i)) n = 1;
  ASSERT(is_power(x) == n);
  return 0;
}
''', params=[dict(T='uint', W=32), dict(T='ulong', W=64), dict(T='uchar', W=8)], base=dict(TEST='x != 0 && (x & (x - 1)) == 0'), safe='uo',
  bugs=[('bug', dict(TEST='(x & (x - 1)) == 0'), 'u', '0', 'o')])

t('bits', 'rotate', 'Rotating left and then right.', '''
static @CT rol(@CT x, unsigned int k) { k &= @MASK; return (x << k) | (x >> ((@W - k) & @MASK)); }
static @CT ror(@CT x, unsigned int k) { k &= @MASK; return (x >> k) | (x << (@BACK)); }
int main(void) {
  @CT x = $@T();
  unsigned int k = $uchar();
  ASSERT(ror(rol(x, k), k) == x);
  return 0;
}
''', params=[dict(T='uint', W=32, MASK=31), dict(T='ulonglong', W=64, MASK=63)], base=dict(BACK='(@W - k) & @MASK'), safe='uo',
  bugs=[('bug', dict(BACK='(@MASK - k) & @MASK'), 'u', '1 1', 'o')])

t('bits', 'byte_swap', 'Reversing the bytes of a word.', '''
static @CT bswap(@CT x) { return @SWAP; }
int main(void) {
  @CT x = $@T();
  ASSERT(bswap(bswap(x)) == x);
  ASSERT((bswap(x) & 0xff) == (@CT)(x >> @TOP));
  return 0;
}
''', params=[dict(T='uint', TOP=24, SWAP='(x << 24) | ((x & 0xff00) << 8) | ((x >> 8) & @K) | (x >> 24)', K='0xff00', B='0xf000'),
             dict(T='ushort', TOP=8, SWAP='(x << 8) | ((x >> 8) & @K)', K='0xff', B='0x7f')],
  safe='uo', bugs=[('bug', lambda p: dict(K=p['B']), 'u', lambda p: '983040' if p['TOP'] == 24 else '32768', 'o')])

t('bits', 'sign', 'The sign of a number without branches.', '''
int main(void) {
  @CT x = $@T();
  int s = @SIGN;
  if (x > 0) ASSERT(s == 1);
  else if (x < 0) ASSERT(s == -1);
  else ASSERT(s == 0);
  return 0;
}
''', params=[dict(T='int', BUG='(int)((x >> 31) | 1)', W='0'), dict(T='longlong', BUG='(x > 0) - ((int)x < 0)', W='4294967295'), dict(T='short', BUG='(x > 0) | -(x < 0 && x > -32768)', W='-32768')],
  base=dict(SIGN='(x > 0) - (x < 0)'), safe='uo', bugs=[('bug', lambda p: dict(SIGN=p['BUG']), 'u', lambda p: p['W'], 'o')])

t('bits', 'align_up', 'Rounding up to a multiple of a power of two.', '''
#define ALIGN @A
int main(void) {
  @CT x = $@T();
  ASSUME(x <= @MAX);
  @CT up = (x + @ADD) & ~(@CT)(ALIGN - 1);
  ASSERT(up >= x);
  ASSERT(up % ALIGN == 0);
  ASSERT(up - x < ALIGN);
  return 0;
}
''', params=[dict(T='uint', A=16, MAX='4294967280u', OVER='4294967295u'), dict(T='size_t', A=4096, MAX='1000000000000', OVER='')], base=dict(ADD='(ALIGN - 1)'), safe='uo',
  bugs=[('plus_bug', dict(ADD='ALIGN'), 'u', '0', 'o'), ('wrap_bug', lambda p: dict(MAX='(@CT)-1'), 'u', '-1', 'o')])

t('bits', 'parity', 'Parity by folding.', '''
int main(void) {
  @CT x = $@T(), y = x;
  unsigned int odd = 0;
  @FOLD
  for (int i = 0; i < @W; i++) odd ^= (unsigned int)(x >> i) & 1u;
  ASSERT((y & 1u) == odd);
  return 0;
}
''', params=[dict(T='uchar', W=8, FOLD='y ^= y >> 4; @MID y ^= y >> 1;'), dict(T='uint', W=32, FOLD='y ^= y >> 16; y ^= y >> 8; y ^= y >> 4; @MID y ^= y >> 1;')],
  base=dict(MID='y ^= y >> 2;'), safe='uo', bugs=[('bug', dict(MID='y ^= y >> 3;'), 'u', '4', 'o')])

t('bits', 'gray_code', 'Gray code and back; neighbours differ in one bit.', '''
int main(void) {
  @CT x = $@T();
  @CT g = x ^ (x >> 1), h = (@CT)(x + 1) ^ ((@CT)(x + 1) >> 1);
  @CT b = g;
  for (int s = 1; s < @W; s *= 2) b ^= b >> s;
  ASSERT(b == x);
  @CT d = g ^ h;
  ASSERT(d != 0 && (d & (d - 1)) == 0);
  return 0;
}
''', params=[dict(T='uchar', W='8'), dict(T='ushort', W='16'), dict(T='uint', W='32')], safe='uo',
  bugs=[('bug', lambda p: dict(W=str(int(p['W']) // 2)), 'u', lambda p: str(1 << (int(p['W']) - 1)), 'o')])

t('bits', 'pack_colour', 'Packing a colour into 16 bits and back.', '''
int main(void) {
  unsigned int r = $@T(), g = $@T(), b = $@T();
  ASSUME(r < 32 && g < 64 && b < 32);
  unsigned short p = (unsigned short)((r << 11) | (g << 5) | b);
  ASSERT(((p >> 11) & 31) == r);
  ASSERT(((p >> 5) & @G) == g);
  ASSERT((p & 31) == b);
  return 0;
}
''', params=[dict(T='uchar'), dict(T='unsigned_int')], base=dict(G=63), safe='uo', bugs=[('bug', dict(G=31), 'u', '0 32 0', 'o')])

t('bits', 'min_max_branchless', 'Minimum and maximum without branches.', '''
int main(void) {
  @CT x = $@T(), y = $@T();
  @CT mask = @MASK;
  @CT min = y ^ ((x ^ y) & mask), max = x ^ ((x ^ y) & mask);
  ASSERT(min <= max);
  ASSERT((min == x && max == y) || (min == y && max == x));
  return 0;
}
''', params=[dict(T='int', MASK='-(x < y)', BUG='-(x < y && y > 0)', W='-5 -3'), dict(T='uint', MASK='-(unsigned int)(x < y)', BUG='(unsigned int)((int)(x - y) >> 31)', W='0 3000000000')],
  safe='uo', bugs=[('bug', lambda p: dict(MASK=p['BUG']), 'u', lambda p: p['W'], 'o')])

t('bits', 'lowest_bit', 'Isolating the lowest bit that is set.', '''
int main(void) {
  @CT x = $@T();
  ASSUME(x != 0);
  @CT low = x & @NEG;
  ASSERT(low != 0 && (low & (low - 1)) == 0);
  ASSERT((x & (low - 1)) == 0);
  return 0;
}
''', params=[dict(T='uint'), dict(T='ulong')], base=dict(NEG='(~x + 1)'), safe='uo', bugs=[('bug', dict(NEG='(~x + 2)'), 'u', '1', 'o')])

t('bits', 'log2', 'The position of the highest bit by halving.', '''
int main(void) {
  @CT x = $@T(), y = x;
  ASSUME(x > 0);
  unsigned int n = 0;
  for (unsigned int s = @HALF; s > 0; s /= 2)
    if (y >> s) { n += s; y >>= s; }
  ASSERT((x >> n) == 1);
  return 0;
}
''', params=[dict(T='uint', HALF=16), dict(T='ushort', HALF=8), dict(T='uchar', HALF=4)], safe='uo',
  bugs=[('bug', lambda p: dict(HALF=p['HALF'] // 2), 'u', lambda p: str(1 << (2 * p['HALF'] - 1)), 'o')])

t('bits', 'hamming74', 'A code of seven bits that repairs one wrong bit.', '''
static unsigned int bit(unsigned int x, int i) { return (x >> i) & 1u; }
static unsigned int encode(unsigned int d) {
  unsigned int p0 = bit(d, 0) ^ bit(d, 1) ^ bit(d, 3), p1 = bit(d, 0) ^ bit(d, 2) ^ bit(d, 3);
  unsigned int p2 = bit(d, 1) ^ bit(d, 2) ^ bit(d, 3);
  return p0 | p1 << 1 | bit(d, 0) << 2 | p2 << 3 | bit(d, 1) << 4 | bit(d, 2) << 5 | bit(d, 3) << 6;
}
static unsigned int decode(unsigned int c) {
  unsigned int s0 = bit(c, 0) ^ bit(c, 2) ^ bit(c, 4) ^ bit(c, 6), s1 = bit(c, 1) ^ bit(c, 2) ^ bit(c, 5) ^ bit(c, 6);
  unsigned int s2 = bit(c, 3) ^ bit(c, 4) ^ bit(c, 5) ^ bit(c, @S2);
  unsigned int s = s0 | s1 << 1 | s2 << 2;
  if (s) c ^= 1u << (s - 1);
  return bit(c, 2) | bit(c, 4) << 1 | bit(c, 5) << 2 | bit(c, 6) << 3;
}
int main(void) {
  unsigned char d = $uchar(), e = $uchar();
  ASSUME(d < 16 && e < @E);
  unsigned int sent = encode(d), got = sent ^ @FLIP;
  ASSERT(decode(got) == d);
  return 0;
}
''', base=dict(S2=6, E=8, FLIP='(e < 7 ? 1u << e : 0u)'), safe='uo',
  bugs=[('syndrome_bug', dict(S2=2), 'u', '15 6', 'o'), ('two_bug', dict(FLIP='(e < 7 ? 3u << e : 0u)'), 'u', '1 0', 'o')])

t('bits', 'sign_extend', 'Extending the sign of a short field.', '''
int main(void) {
  unsigned int raw = $uint();
  ASSUME(raw < (1u << @W));
  int v = @EXT;
  ASSERT(v >= -(1 << (@W - 1)) && v < (1 << (@W - 1)));
  ASSERT(((unsigned int)v & ((1u << @W) - 1)) == raw);
  return 0;
}
''', params=[dict(W=12), dict(W=5)], base=dict(EXT='(int)(raw ^ (1u << (@W - 1))) - (1 << (@W - 1))'), safe='uo',
  bugs=[('bug', dict(EXT='(int)(raw ^ (1u << (@W - 2))) - (1 << (@W - 2))'), 'u', lambda p: str((1 << p['W']) - 1 - (1 << (p['W'] - 2))), 'o')])

t('bits', 'mixed_compare', 'Comparing a signed with an unsigned number.', '''
int main(void) {
  int limit = $int();
  unsigned int len = $uint();
  ASSUME(len <= 100);
  int fits = @TEST;
  if (limit < 0) ASSERT(!fits);
  if (fits) ASSERT((long long)len <= limit);
  return 0;
}
''', base=dict(TEST='limit >= 0 && len <= (unsigned int)limit'), safe='uo', bugs=[('bug', dict(TEST='len <= limit'), 'u', '-1 5', 'o')])

t('bits', 'truncate_size', 'A size must survive the narrower type it is kept in.', '''
int main(void) {
  @CT size = $@T();
  @GUARD
  @NARROW kept = (@NARROW)size;
  ASSERT(kept == size);
  return 0;
}
''', params=[dict(T='ulong', NARROW='unsigned int', GUARD='if (size > 0xffffffffUL) return 0;', W='4294967296'),
             dict(T='uint', NARROW='unsigned short', GUARD='if (size >= 65536) return 0;', W='65536'),
             dict(T='int', NARROW='signed char', GUARD='if (size < -128 || size > 127) return 0;', W='128')],
  safe='uo', bugs=[('bug', lambda p: dict(GUARD={'ulong': 'if (size == 0) return 0;', 'uint': 'if (size > 65536) return 0;', 'int': 'if (size < -128 || size > 128) return 0;'}[p['T']]), 'u', lambda p: p['W'], 'o')])

t('bits', 'checksum', 'A nibble checksum notices every single wrong nibble.', '''
int main(void) {
  unsigned char n[4], sum = 0, again = 0;
  for (int i = 0; i < 4; i++) {
    n[i] = $@T() & 15;
    sum = (sum + n[i]) & @MASK;
  }
  unsigned char at = $uchar(), wrong = $uchar() & 15;
  ASSUME(at < 4 && n[at] != wrong);
  n[at] = wrong;
  for (int i = 0; i < 4; i++) again = (again + n[i]) & @MASK;
  ASSERT(again != sum);
  return 0;
}
''', params=[dict(T='uchar'), dict(T='u32')], base=dict(MASK=15), safe='umo', bugs=[('bug', dict(MASK=7), 'u', '0 0 0 0 0 8', 'mo')])

t('bits', 'crc_linear', 'A cyclic code is linear: crc(a ^ b) is crc(a) ^ crc(b).', '''
static unsigned char crc(unsigned char x, unsigned char start) {
  unsigned char c = x ^ start;
  for (int i = 0; i < 8; i++) c = (unsigned char)(c & 0x80 ? (c << 1) ^ 0x07 : c << 1);
  return c;
}
int main(void) {
  unsigned char a = $uchar(), b = $uchar();
  ASSUME(a < @N && b < @N);
  ASSERT((crc(a, @S) ^ crc(b, @S)) == crc(a ^ b, @S));
  return 0;
}
''', params=[dict(N=4), dict(N=8)], base=dict(S=0), safe='uo', bugs=[('start_bug', dict(S='0xff'), 'u', '1 2', 'o')])

t('bits', 'bcd', 'Packed decimal: two digits in a byte.', '''
static unsigned char to_bcd(unsigned char v) { return (unsigned char)((v / 10) << 4 | v % 10); }
static unsigned char from_bcd(unsigned char b) { return (unsigned char)((b >> 4) * @TEN + (b & 15)); }
int main(void) {
  unsigned char v = $@T();
  ASSUME(v < @MAX);
  ASSERT(from_bcd(to_bcd(v)) == v);
  ASSERT((to_bcd(v) & 15) < 10);
  return 0;
}
''', params=[dict(T='u8')], base=dict(TEN=10, MAX=100), safe='uo',
  bugs=[('radix_bug', dict(TEN=16), 'u', '10', 'o'), ('range_bug', dict(MAX='200'), 'u', '160', 'o')])
