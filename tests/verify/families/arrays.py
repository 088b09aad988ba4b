# Array algorithms.
t('arrays', 'linear_search', 'Linear search gives the first place of a key, or -1.', '''
#define N @N
static int find(const @CT *a, int n, @CT key) {
  for (int i = @FROM; i < n; i++)
    if (a[i] == key) return i;
  return -1;
}
int main(void) {
  @CT a[N], key = $@T();
  for (int i = 0; i < N; i++) a[i] = $@T();
  int r = find(a, N@LESS, key);
  ASSERT(r >= -1 && r < N);
  if (r >= 0) ASSERT(a[r] == key);
  else ASSERT(a[0] != key && a[N - 1] != key);
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='uchar', N=4), dict(T='long', N=5)], base=dict(FROM='0', LESS=''), safe='uotm',
  bugs=[('first_bug', dict(FROM='1'), 'u', lambda p: '9 9', 'otm'), ('last_bug', dict(LESS=' - 1'), 'u', lambda p: '9' + ' 1' * (p['N'] - 1) + ' 9', 'otm')])

t('arrays', 'bubble_sort', 'Bubble sort of a small array.', '''
#define N @N
int main(void) {
  @CT a[N];
  for (int i = 0; i < N; i++) a[i] = $@T();
  for (int i = 0; i < @PASSES; i++)
    for (int j = 0; j < N - 1 - i; j++)
      if (a[j] > a[j + 1]) {
        @CT h = a[j];
        a[j] = a[j + 1];
        a[j + 1] = h;
      }
  for (int i = 0; i + 1 < N; i++)
    ASSERT(a[i] <= a[i + 1]);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='uchar', N=4)], base=dict(PASSES='N - 1'), safe='uotm',
  bugs=[('bug', dict(PASSES='N - 2'), 'u', lambda p: '4 3 2 1' if p['N'] == 4 else '3 2 1', 'otm')])

t('arrays', 'insertion_sort', 'Insertion sort of a small array.', '''
#define N @N
int main(void) {
  @CT a[N];
  for (int i = 0; i < N; i++) a[i] = $@T();
  for (int i = 1; i < N; i++) {
    @CT x = a[i];
    int j = i;
    while (j > @STOP && a[j - 1] > x) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = x;
  }
  for (int i = 1; i < N; i++) ASSERT(a[i - 1] <= a[i]);
  return 0;
}
''', params=[dict(T='short', N=4), dict(T='longlong', N=3)], base=dict(STOP='0'), safe='uotm',
  bugs=[('bug', dict(STOP='1'), 'u', '7 8 1 9', 'otm')])

t('arrays', 'selection_sort', 'Selection sort keeps the sum and sorts.', '''
#define N @N
int main(void) {
  @CT a[N];
  unsigned int before = 0, after = 0;
  for (int i = 0; i < N; i++) {
    a[i] = $@T();
    before += a[i];
  }
  for (int i = 0; i < N - 1; i++) {
    int m = i;
    for (int j = i + 1; j < N; j++)
      if (a[j] < a[@M]) m = j;
    @CT h = a[m];
    a[m] = a[i];
    @LAST
  }
  for (int i = 0; i < N; i++) after += a[i];
  ASSERT(before == after);
  for (int i = 0; i + 1 < N; i++) ASSERT(a[i] <= a[i + 1]);
  return 0;
}
''', params=[dict(T='uchar', N=4), dict(T='ushort', N=3)], base=dict(M='m', LAST='a[i] = h;'), safe='uotm',
  bugs=[('min_bug', dict(M='i'), 'u', lambda p: '9 1 5 6' if p['N'] == 4 else '9 1 5', 'otm'), ('lost_bug', dict(LAST='a[m] = h;'), 'u', '3 2 1 0', 'otm')])

t('arrays', 'reverse', 'Reversing an array in place.', '''
#define N @N
int main(void) {
  @CT a[N], old[N];
  for (int i = 0; i < N; i++) old[i] = a[i] = $@T();
  for (int i = 0; i < @HALF; i++) {
    @CT h = a[i];
    a[i] = a[N - 1 - i];
    a[N - 1 - i] = h;
  }
  for (int i = 0; i < N; i++) ASSERT(a[i] == old[N - 1 - i]);
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='char', N=7)], base=dict(HALF='N / 2'), safe='uotm',
  bugs=[('twice_bug', dict(HALF='N'), 'u', '1 2 3 4 5 6 7', 'otm'), ('short_bug', dict(HALF='(N - 1) / 2 - (N % 2)'), 'u', '1 2 3 4 5 6 7', 'otm')])

t('arrays', 'prefix_sums', 'Range sums from prefix sums.', '''
#define N @N
int main(void) {
  @CT a[N];
  unsigned int p[N + 1], direct = 0;
  unsigned int l = $uint(), r = $uint();
  ASSUME(l <= r && r <= N);
  p[0] = 0;
  for (int i = 0; i < N; i++) {
    a[i] = $@T();
    p[i + 1] = p[i] + a[i];
  }
  for (unsigned int i = l; i < r; i++) direct += a[i];
  ASSERT(direct == @RANGE);
  return 0;
}
''', params=[dict(T='uchar', N=5), dict(T='ushort', N=4)], base=dict(RANGE='p[r] - p[l]'), safe='uotm',
  bugs=[('bug', dict(RANGE='p[r] - p[l + (r > l)]'), 'u', '0 2 7 7 7 7 7', 'otm'), ('end_bug', dict(RANGE='p[r + 1] - p[l + 1]'), 'm:valid-deref', lambda p: f"{p['N']} {p['N']}", '')])

t('arrays', 'rotate_reverse', 'Rotating left by k with three reversals.', '''
#define N @N
static void flip(@CT *a, int from, int to) {
  while (from < to) {
    @CT h = a[from];
    a[from++] = a[to];
    a[to--] = h;
  }
}
int main(void) {
  @CT a[N], old[N];
  unsigned char k = $uchar();
  ASSUME(k < N);
  for (int i = 0; i < N; i++) old[i] = a[i] = $@T();
  flip(a, 0, @MID);
  flip(a, @NEXT, N - 1);
  flip(a, 0, N - 1);
  for (int i = 0; i < N; i++) ASSERT(a[i] == old[(i + k) % N]);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='ushort', N=6)], base=dict(MID='k - 1', NEXT='k'), safe='uotm',
  bugs=[('bug', dict(MID='k'), 'u', '2 1 2 3 4 5 6', 'otm')])

t('arrays', 'binary_search', 'Binary search in a fixed sorted table.', '''
static const @CT table[] = {@ROW};
#define N (int)(sizeof table / sizeof table[0])
int main(void) {
  @CT key = $@T();
  int lo = 0, hi = N - 1, at = -1, there = 0;
  while (lo @LE hi) {
    int mid = lo + (hi - lo) / 2;
    if (table[mid] == key) { at = mid; break; }
    if (table[mid] < key) lo = mid + 1;
    else hi = mid - 1;
  }
  for (int i = 0; i < N; i++) there |= table[i] == key;
  ASSERT(there == (at >= 0));
  return 0;
}
''', params=[dict(T='int', ROW='-7, -1, 0, 4, 9, 12, 30', W='-7'), dict(T='uint', ROW='2, 3, 5, 7, 11, 13, 17, 19', W='2'), dict(T='short', ROW='-300, -20, 0, 1, 500', W='-20')],
  base=dict(LE='<='), safe='uotm', bugs=[('bug', dict(LE='<'), 'u', lambda p: p['W'], 'otm')])

t('arrays', 'majority_vote', 'The candidate of the voting algorithm is the majority if there is one.', '''
#define N 5
int main(void) {
  @CT v[N], cand = 0;
  int count = 0, votes = 0;
  for (int i = 0; i < N; i++) {
    v[i] = $@T();
    ASSUME(v[i] < @K);
  }
  for (int i = 0; i < N; i++) {
    if (count == 0) { cand = v[i]; count = @ONE; }
    else if (v[i] == cand) count++;
    else count--;
  }
  for (int k = 0; k < @K; k++) {
    votes = 0;
    for (int i = 0; i < N; i++) votes += v[i] == k;
    if (votes > N / 2) ASSERT(cand == k);
  }
  return 0;
}
''', params=[dict(T='uchar', K=2), dict(T='uint', K=3)], base=dict(ONE='1'), safe='uotm',
  bugs=[('bug', dict(ONE='2'), 'u', '0 0 1 1 1', 'otm')])

t('arrays', 'vote_limit', 'Counts votes for three parties and looks for more than half.', '''
#define N @N
int main(void) {
  unsigned char votes[3] = {0, 0, 0}, ballot[N];
  int winner = -1;
  for (int i = 0; i < N; i++) {
    ballot[i] = $uchar();
    if (ballot[i] < 3) votes[ballot[i]]++;
  }
  for (int k = 0; k < 3; k++)
    if (votes[k] @GT N / 2) {
      ASSERT(winner == -1);
      winner = k;
    }
  return 0;
}
''', params=[dict(N=4), dict(N=6)], base=dict(GT='>'), safe='uotm',
  bugs=[('bug', dict(GT='>='), 'u', lambda p: '0 0 1 1' if p['N'] == 4 else '0 0 0 1 1 1', 'otm')])

t('arrays', 'merge', 'Merging two sorted arrays.', '''
int main(void) {
  @CT a[@N], b[@N], c[2 * @N];
  for (int i = 0; i < @N; i++) {
    a[i] = $@T();
    b[i] = $@T();
    if (i > 0) ASSUME(a[i - 1] <= a[i] && b[i - 1] <= b[i]);
  }
  int i = 0, j = 0;
  for (int k = 0; k < 2 * @N; k++) {
    if (j == @N || (i < @N && @PICK)) c[k] = a[i++];
    else c[k] = b[j++];
  }
  for (int k = 1; k < 2 * @N; k++) ASSERT(c[k - 1] <= c[k]);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='uchar', N=2)], base=dict(PICK='a[i] <= b[j]'), safe='uotm',
  bugs=[('bug', dict(PICK='a[i] <= b[0]'), 'u', lambda p: '1 2 3 5 3 5' if p['N'] == 3 else '1 0 3 5', 'otm')])

t('arrays', 'three_way_partition', 'Sorts zeros, ones and twos in one pass.', '''
#define N @N
static void swap(unsigned char *x, unsigned char *y) { unsigned char h = *x; *x = *y; *y = h; }
int main(void) {
  unsigned char a[N];
  int low = 0, mid = 0, high = N - 1;
  for (int i = 0; i < N; i++) {
    a[i] = $uchar();
    ASSUME(a[i] <= 2);
  }
  while (mid <= high) {
    if (a[mid] == 0) swap(&a[low++], &a[mid++]);
    else if (a[mid] == 1) mid++;
    else swap(&a[@MID], &a[high--]);
  }
  for (int i = 1; i < N; i++) ASSERT(a[i - 1] <= a[i]);
  return 0;
}
''', params=[dict(N=4), dict(N=5)], base=dict(MID='mid'), safe='uotm',
  bugs=[('bug', dict(MID='mid++'), 'u', lambda p: '1 2 1 0' if p['N'] == 4 else '1 2 1 1 0', 'otm')])

t('arrays', 'histogram', 'Counts values in buckets.', '''
#define BUCKETS @B
int main(void) {
  int bucket[BUCKETS] = {0}, total = 0;
  for (int i = 0; i < 4; i++) {
    @CT v = $@T();
    bucket[@INDEX]++;
  }
  for (int i = 0; i < BUCKETS; i++) total += bucket[i];
  ASSERT(total == 4);
  return 0;
}
''', params=[dict(T='uchar', B=8, INDEX='v >> 5', BUG='v >> 4'), dict(T='uint', B=5, INDEX='v % BUCKETS', BUG='v % (BUCKETS + 1)'), dict(T='int', B=4, INDEX='v & 3', BUG='v % BUCKETS')],
  safe='umo', bugs=[('bug', lambda p: dict(INDEX=p['BUG']), 'm:valid-deref', lambda p: {8: '255', 5: '5', 4: '-1'}[p['B']], 'o')])

t('arrays', 'ring_buffer', 'A ring buffer of bytes with put and get.', '''
#define SIZE @N
static unsigned char buf[SIZE];
static unsigned int head, count;
static int put(unsigned char b) {
  if (count == SIZE) return 0;
  buf[@PUT] = b;
  count++;
  return 1;
}
static int get(void) {
  if (count == 0) return -1;
  int b = buf[head];
  head = @NEXT;
  count--;
  return b;
}
int main(void) {
  unsigned char next_in = 0, next_out = 0;
  for (int i = 0; i < @EVENTS; i++) {
    if ($bool()) {
      if (put(next_in)) next_in++;
    } else {
      int b = get();
      if (b >= 0) ASSERT(b == next_out++);
    }
    ASSERT(count <= SIZE);
  }
  return 0;
}
''', params=[dict(N=3, EVENTS=8), dict(N=4, EVENTS=10)], base=dict(PUT='(head + count) % SIZE', NEXT='(head + 1) % SIZE'), safe='umot',
  bugs=[('put_bug', dict(PUT='count % SIZE'), 'u', '1 1 0 1 0 0', 'mot'), ('wrap_bug', dict(PUT='head + count'), 'm:valid-deref', lambda p: '1 0' + ' 1' * p['N'] + ' 1', 'ot')])

t('arrays', 'second_largest', 'The largest and the second largest element.', '''
#define N @N
int main(void) {
  @CT a[N];
  for (int i = 0; i < N; i++) a[i] = $@T();
  int first = 0, second = -1;
  for (int i = 1; i < N; i++) {
    if (a[i] > a[first]) {
      @KEEP
      first = i;
    } else if (second < 0 || a[i] > a[second]) {
      second = i;
    }
  }
  ASSERT(second >= 0 && second != first);
  for (int i = 0; i < N; i++)
    if (i != first) ASSERT(a[i] <= a[second]);
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='ulong', N=3)], base=dict(KEEP='second = first;'), safe='umot',
  bugs=[('bug', dict(KEEP='if (second < 0) second = first;'), 'u', lambda p: '1 2 3 0' if p['N'] == 4 else '1 2 3', 'mot')])

t('arrays', 'transpose', 'Transposing a small matrix in place.', '''
#define N @N
int main(void) {
  @CT m[N][N], old[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      old[i][j] = m[i][j] = $@T();
  for (int i = 0; i < N; i++)
    for (int j = @FROM; j < N; j++) {
      @CT h = m[i][j];
      m[i][j] = m[j][i];
      m[j][i] = h;
    }
  unsigned char r = $uchar(), c = $uchar();
  ASSUME(r < N && c < N);
  ASSERT(m[r][c] == old[c][r]);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=2)], base=dict(FROM='i'), safe='umot',
  bugs=[('bug', dict(FROM='0'), 'u', lambda p: '1 2 3 4 5 6 7 8 9 0 1' if p['N'] == 3 else '1 2 3 4 0 1', 'mot')])

t('arrays', 'unique', 'Removes repeats from a sorted array.', '''
#define N @N
int main(void) {
  @CT a[N];
  int n = 1;
  for (int i = 0; i < N; i++) {
    a[i] = $@T();
    if (i > 0) ASSUME(a[i - 1] <= a[i]);
  }
  for (int i = 1; i < N; i++)
    if (a[i] != a[@PREV]) a[n++] = a[i];
  for (int i = 1; i < n; i++) ASSERT(a[i - 1] < a[i]);
  ASSERT(n >= 1 && n <= N);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='uchar', N=4)], base=dict(PREV='n - 1'), safe='umot',
  bugs=[('bug', dict(PREV='0'), 'u', '1 2 2 2 2', 'mot')])

t('arrays', 'max_subarray', 'The largest sum of a non-empty run of elements.', '''
#define N @N
int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = $@T();
  int best = @INIT, here = 0;
  for (int i = 0; i < N; i++) {
    here = here > 0 ? here + a[i] : a[i];
    if (here > best) best = here;
  }
  unsigned int k = $uint();
  ASSUME(k < N - 1);
  ASSERT(best >= a[k] && best >= a[k] + a[k + 1]);
  int top = a[0];
  for (int i = 1; i < N; i++) if (a[i] > top) top = a[i];
  if (top < 0) ASSERT(best == top);
  return 0;
}
''', params=[dict(T='short', N=3), dict(T='char', N=4)], base=dict(INIT='a[0]'), safe='umot',
  bugs=[('bug', dict(INIT='0'), 'u', lambda p: '-1 ' * p['N'] + '0', 'mot')])

t('arrays', 'copy_window', 'Copies a window of an array.', '''
#define N @N
int main(void) {
  @CT src[N], dst[N];
  for (int i = 0; i < N; i++) {
    src[i] = $@T();
    dst[i] = 0;
  }
  @CTI from = $@TI(), len = $@TI();
  ASSUME(@PRE);
  for (@CTI i = 0; i < len; i++) dst[i] = src[from + i];
  if (len > 0) ASSERT(dst[0] == src[from]);
  return 0;
}
''', params=[dict(T='int', N=8, TI='uint', BUG='from < N && len <= N', W='0 0 0 0 0 0 0 0 1 8'), dict(T='uchar', N=6, TI='int', BUG='len >= 0 && len <= N && from < N && from <= N - len', W='0 0 0 0 0 0 -1 2')],
  base=dict(PRE='from >= 0 && len >= 0 && from < N && len <= N - from'), safe='umt',
  bugs=[('bug', lambda p: dict(PRE=p['BUG']), 'm:valid-deref', lambda p: p['W'], 't')])

t('arrays', 'window_index', 'An index into a window, checked before use.', '''
#define N @N
static int table[N];
int main(void) {
  @CT base = $@T(), off = $@T();
  for (int i = 0; i < N; i++) table[i] = i * i;
  if (@CHECK) return 0;
  int v = table[@IDX];
  ASSERT(v >= 0 && v <= (N - 1) * (N - 1));
  return 0;
}
''', params=[dict(T='uint', N=8, CHECK='base >= N || off >= N - base', IDX='base + off', BUG='base >= N || base + off > N', W='3 5'),
             dict(T='uchar', N=6, CHECK='base + off >= N', IDX='base + off', BUG='base >= N || off >= N', W='5 3'),
             dict(T='int', N=7, CHECK='base < 0 || base >= N || off < -base || off >= N - base', IDX='base + off', BUG='base < 0 || base >= N || off >= N - base', W='2 -3')],
  safe='umo', bugs=[('bug', lambda p: dict(CHECK=p['BUG']), 'm:valid-deref', lambda p: p['W'])])

t('arrays', 'matrix_row', 'A matrix kept in one row of memory.', '''
#define ROWS @R
#define COLS @C
static @CT cell[ROWS * COLS];
int main(void) {
  unsigned int r = $uint(), c = $uint();
  ASSUME(r < ROWS && c < COLS);
  cell[@AT] = 1;
  int ones = 0;
  for (int i = 0; i < ROWS * COLS; i++) ones += cell[i];
  ASSERT(ones == 1);
  ASSERT(cell[r * COLS + c] == 1);
  return 0;
}
''', params=[dict(T='int', R=3, C=4), dict(T='uchar', R=2, C=4)], base=dict(AT='r * COLS + c'), safe='umot',
  bugs=[('swap_bug', dict(AT='r * ROWS + c'), 'u', '1 0', 'ot'), ('col_bug', dict(AT='(c + 1) * ROWS + r'), 'm:valid-deref', lambda p: f"{p['R'] - 1} {p['C'] - 1}", 'ot')])
