# Strings and buffers of characters.
t('strings', 'length', 'The length of a string in a buffer.', '''
#define N @N
int main(void) {
  char s[N];
  for (int i = 0; i < N@ALL; i++) s[i] = $@T();
  @TERM
  int n = 0;
  while (s[n] != 0) n++;
  ASSERT(n < N);
  return 0;
}
''', params=[dict(T='char', N=6), dict(T='uchar', N=9)], base=dict(ALL=' - 1', TERM='s[N - 1] = 0;'), safe='um',
  bugs=[('bug', dict(ALL='', TERM='//-'), 'm:valid-deref', '1 1 1 1 1 1 1 1 1', ''), ('place_bug', dict(TERM='s[N] = 0;', ALL=''), 'm:valid-deref', '0', '')])

t('strings', 'copy_bounded', 'Copies a string into a small buffer.', '''
#define N @N
int main(void) {
  char from[@SRC], to[N];
  for (int i = 0; i < @SRC - 1; i++) from[i] = $char();
  from[@SRC - 1] = 0;
  int i;
  for (i = 0; @COND && from[i]; i++) to[i] = from[i];
  to[i] = 0;
  for (int k = 0; k < i; k++) ASSERT(to[k] == from[k] && to[k] != 0);
  return 0;
}
''', params=[dict(N=4, SRC=6), dict(N=5, SRC=8)], base=dict(COND='i < N - 1'), safe='um',
  bugs=[('bug', dict(COND='i < N'), 'm:valid-deref', '65 65 65 65 65 65 65 65', '')])

t('strings', 'palindrome', 'A string made of a half and its mirror image reads the same from both ends.', '''
#define HALF @H
int main(void) {
  char s[2 * HALF + 1];
  for (int i = 0; i < HALF; i++) {
    s[i] = $@T();
    s[@MIRROR] = s[i];
  }
  s[2 * HALF] = 0;
  for (int l = 0, r = 2 * HALF - 1; l < r; l++, r--) ASSERT(s[l] == s[r]);
  return 0;
}
''', params=[dict(T='char', H=3), dict(T='uchar', H=4)], base=dict(MIRROR='2 * HALF - 1 - i'), safe='umo',
  bugs=[('bug', dict(MIRROR='HALF + i'), 'u', '1 2 3 4', 'mo'), ('end_bug', dict(MIRROR='2 * HALF + (i == 0) - i'), 'm:valid-deref', '1', 'o')])

t('strings', 'parse_number', 'Reads a small decimal number.', '''
int main(void) {
  char s[@N + 1];
  @INT value = 0;
  int i;
  for (i = 0; i < @N; i++) {
    s[i] = $char();
    ASSUME(s[i] >= '0' && s[i] <= @TOP);
  }
  s[@N] = 0;
  for (i = 0; s[i] >= '0' && s[i] <= '9' + @MORE; i++) value = value * 10 + (s[i] - '0');
  ASSERT(i == @N);
  ASSERT(value >= 0 && value < @LIMIT);
  return 0;
}
''', params=[dict(N=3, LIMIT=1000, INT='int'), dict(N=2, LIMIT=100, INT='long')], base=dict(TOP="'9'", MORE=0), safe='umot',
  bugs=[('colon_bug', dict(TOP="':'", MORE=1), 'u', '58 57 57', 'mot'), ('stop_bug', dict(TOP="':'"), 'u', '57 58 49', 'mot')])

t('strings', 'count_words', 'Counts the words of a short text.', '''
#define N @N
int main(void) {
  char s[N + 1];
  int words = 0, starts = 0, inside = 0;
  for (int i = 0; i < N; i++) s[i] = $bool() ? 'a' : ' ';
  s[N] = 0;
  for (int i = 0; s[i]; i++) {
    if (s[i] == ' ') inside = 0;
    else if (!inside) {
      @SET
      words++;
    }
  }
  for (int i = 0; i < N; i++) starts += s[i] == 'a' && (i == 0 || s[i - 1] == ' ');
  ASSERT(words == starts);
  return 0;
}
''', params=[dict(N=5), dict(N=8)], base=dict(SET='inside = 1;'), safe='umot',
  bugs=[('bug', dict(SET='inside = i > 0;'), 'u', '1 1 1 1 1 1 1 1', 'mot')])

t('strings', 'concat', 'Joins two strings in new memory.', '''
static char *join(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  char *r = malloc(@SIZE);
  if (!r) return 0;
  memcpy(r, a, n);
  memcpy(r + n, b, m + 1);
  return r;
}
int main(void) {
  char a[@N], b[@N];
  for (int i = 0; i < @N - 1; i++) {
    a[i] = $char();
    b[i] = $char();
  }
  a[@N - 1] = b[@N - 1] = 0;
  char *r = join(a, b);
  if (r) {
    ASSERT(strlen(r) == strlen(a) + strlen(b));
    @FREE
  }
  return 0;
}
''', params=[dict(N=3), dict(N=4)], base=dict(SIZE='n + m + 1', FREE='free(r);'), safe='umc',
  bugs=[('size_bug', dict(SIZE='n + m'), 'm:valid-deref', '65 66 67 68', ''), ('leak', dict(FREE='//-'), 'm:valid-memtrack', '65', 'u')])

t('strings', 'upper_case', 'No small letter is left after conversion.', '''
#define N @N
int main(void) {
  char s[N + 1];
  for (int i = 0; i < N; i++) s[i] = $@T();
  s[N] = 0;
  for (int i = 0; s[i]; i++)
    if (s[i] >= 'a' && s[i] @LE 'z') s[i] = (char)(s[i] - 'a' + 'A');
  for (int i = 0; s[i]; i++) ASSERT(s[i] < 'a' || s[i] > 'z');
  return 0;
}
''', params=[dict(T='char', N=3), dict(T='uchar', N=4)], base=dict(LE='<='), safe='umot', bugs=[('bug', dict(LE='<'), 'u', '122', 'mot')])

t('strings', 'compare', 'Comparing strings is antisymmetric.', '''
static int compare(const char *a, const char *b) {
  while (*a && *a == *b) { a++; b++; }
  return @RESULT;
}
int main(void) {
  char a[@N], b[@N];
  for (int i = 0; i < @N - 1; i++) {
    a[i] = $char();
    b[i] = $char();
  }
  a[@N - 1] = b[@N - 1] = 0;
  int x = compare(a, b), y = compare(b, a);
  ASSERT((x < 0) == (y > 0));
  ASSERT((x == 0) == (y == 0));
  return 0;
}
''', params=[dict(N=3), dict(N=4)], base=dict(RESULT='(unsigned char)*a - (unsigned char)*b'), safe='umo',
  bugs=[('bug', dict(RESULT='(signed char)(*a - *b)'), 'u', '-128 0 0', 'mo')])

t('strings', 'trim', 'Removes the blanks at the end.', '''
#define N @N
int main(void) {
  char s[N + 1];
  int n = 0;
  while (n < N && $bool()) s[n++] = $bool() ? 'x' : ' ';
  s[n] = 0;
  while (@COND) n--;
  s[n] = 0;
  ASSERT(n == 0 || s[n - 1] == 'x');
  return 0;
}
''', params=[dict(N=4), dict(N=5)], base=dict(COND="n > 0 && s[n - 1] == ' '"), safe='umot',
  bugs=[('bug', dict(COND="s[n - 1] == ' ' || n > N"), 'm:valid-deref', '0', 't')])

t('strings', 'hex_digit', 'Hexadecimal digits to numbers and back.', '''
static int value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= @F) return c - 'a' + 10;
  return -1;
}
static char digit(int v) { return (char)(v < @TEN ? '0' + v : 'a' + v - 10); }
int main(void) {
  char c = $char();
  int v = value(c);
  if (v >= 0) {
    ASSERT(v < 16);
    ASSERT(digit(v) == c);
  }
  return 0;
}
''', base=dict(F="'f'", TEN='10'), safe='uo', bugs=[('letter_bug', dict(F="'g'"), 'u', '103', 'o'), ('ten_bug', dict(TEN='11'), 'u', '97', 'o')])

t('strings', 'run_lengths', 'Run-length coding keeps the number of characters.', '''
#define N @N
int main(void) {
  unsigned char s[N], out[@OUT];
  int n = 0, total = 0;
  for (int i = 0; i < N; i++) s[i] = $bool();
  for (int i = 0; i < N; ) {
    int k = i + 1;
    while (@MORE) k++;
    out[n++] = (unsigned char)(k - i);
    out[n++] = s[i];
    i = k;
  }
  for (int i = 0; i < n; i += 2) total += out[i];
  ASSERT(total == N);
  return 0;
}
''', params=[dict(N=4), dict(N=6)], base=dict(OUT='2 * N', MORE='k < N && s[k] == s[i]'), safe='umot',
  bugs=[('size_bug', dict(OUT='N + 1'), 'm:valid-deref', '0 1 0 1 0 1', ''), ('end_bug', dict(MORE='s[k] == s[i]'), 'm:valid-deref', '0 0 0 0 0 0', '')])

t('strings', 'replace_char', 'Replaces a letter by two letters in a new buffer.', '''
int main(void) {
  char s[@N + 1];
  size_t n = 0, extra = 0;
  while (n < @N && $bool()) s[n++] = $bool() ? '&' : 'b';
  s[n] = 0;
  for (size_t i = 0; i < n; i++) if (s[i] == '&') extra++;
  char *r = malloc(n + @EXTRA + 1);
  size_t k = 0;
  for (size_t i = 0; i < n; i++) {
    r[k++] = s[i];
    if (s[i] == '&') r[k++] = ';';
  }
  r[k] = 0;
  ASSERT(k == n + extra);
  free(r);
  return 0;
}
''', params=[dict(N=3), dict(N=5)], base=dict(EXTRA='extra'), safe='umct',
  bugs=[('bug', dict(EXTRA='(extra > 1 ? extra - 1 : extra)'), 'm:valid-deref', '1 1 1 1 0', '')])
