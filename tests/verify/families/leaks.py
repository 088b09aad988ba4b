# Memory that is not given back: valid-memtrack and valid-memcleanup.
t('leaks', 'early_return', 'An error path returns early.', '''
static int work(int kind) {
  @CT *buf = malloc(@N * sizeof *buf);
  if (!buf) return -1;
  buf[0] = (@CT)kind;
  if (kind < 0) {
    @ERR
    return -1;
  }
  int r = buf[0] != 0;
  free(buf);
  return r;
}
int main(void) {
  int kind = $@TI();
  work(kind);
  return 0;
}
''', params=[dict(T='int', TI='int', N=4), dict(T='char', TI='short', N=10)], base=dict(ERR='free(buf);'), safe='mct', bugs=[('leak', dict(ERR='//-'), 'm:valid-memtrack', '-3', 't'), ('cleanup', dict(ERR='//-'), 'c', '-1', 't')])

t('leaks', 'overwritten', 'A pointer is overwritten before its block is freed.', '''
int main(void) {
  @CT *p = malloc(sizeof *p);
  *p = $@T();
  if (*p @CMP @K) {
    @FREE
    p = malloc(2 * sizeof *p);
    p[0] = p[1] = 0;
  }
  free(p);
  return 0;
}
''', params=[dict(T='int', CMP='>', K=10), dict(T='uchar', CMP='==', K=77)], base=dict(FREE='free(p);'), safe='mct', bugs=[('leak', dict(FREE='//-'), 'm:valid-memtrack', lambda p: '11' if p['K'] == 10 else '77', 't')])

t('leaks', 'global_kept', 'A block that a global still points to at the end is tracked but not cleaned up.', '''
static @CT *cache;
static @CT get(void) {
  if (!cache) {
    cache = malloc(sizeof *cache);
    *cache = $@T();
  }
  return *cache;
}
int main(void) {
  @CT v = 1;
  if ($bool()) v = get();
  if (v != 0 && cache) ASSERT(get() == v);
  @END
  return 0;
}
''', params=[dict(T='int'), dict(T='ulong')], base=dict(END='free(cache);'), safe='umct', bugs=[('kept', dict(END='//-'), 'c', '1 5', 'umt')])

t('leaks', 'one_branch', 'A block is freed on only one branch.', '''
int main(void) {
  @CT n = $@T();
  char *p = malloc(8), *q = 0;
  p[0] = p[7] = 'a';
  switch (n) {
    case 0: free(p); break;
    case 1: q = p; q[1] = 'b'; free(q); break;
    @CASE
    default: @DEFAULT break;
  }
  return 0;
}
''', params=[dict(T='int'), dict(T='uchar')], base=dict(CASE='case 2: case 3: free(p); break;', DEFAULT='free(p);'), safe='mct',
  bugs=[('leak', dict(CASE='case 2: free(p);  break;\n    case 3: break;'), 'm:valid-memtrack', '3', 't'), ('twice', dict(CASE='case 2: free(p); /* falls through */'), 'm:valid-free', '2', 't')])

t('leaks', 'abort_live', 'The program gives up with abort().', '''
@WHERE@CT *log_buffer;
static void fail(void) {
  @CLEAN
  abort();
}
int main(void) {
  @CT v = $@T();
  log_buffer = malloc(4 * sizeof *log_buffer);
  log_buffer[0] = v;
  if (v == @K) fail();
  free(log_buffer);
  return 0;
}
''', params=[dict(T='int', WHERE='static ', K=13), dict(T='ushort', WHERE='', K=500)], base=dict(CLEAN='free(log_buffer);\n  log_buffer = 0;'), safe='mct',
  bugs=[('kept', dict(CLEAN='log_buffer[1] = 1;'), 'c', lambda p: str(p['K']), 'mt'), ('lost', dict(CLEAN='log_buffer = 0;'), 'm:valid-memtrack', lambda p: str(p['K']), 't')])

t('leaks', 'exit_live', 'The program ends with exit().', '''
struct job { @CT id; struct job *next; };
static struct job *jobs;
static void quit(int code) {
  while (jobs) {
    struct job *j = jobs;
    jobs = j->next;
    free(j);
  }
  exit(code);
}
int main(void) {
  for (int i = 0; i < @N; i++) {
    struct job *j = malloc(sizeof *j);
    j->id = $@T();
    j->next = jobs;
    jobs = j;
    if (j->id == 0) @STOP;
  }
  quit(0);
}
''', params=[dict(T='int', N=3), dict(T='char', N=5)], base=dict(STOP='quit(1)'), safe='mct', bugs=[('kept', dict(STOP='exit(1)'), 'c', '4 0', 'mt'), ('lost', dict(STOP='{ jobs = j->next; j = 0; exit(1); }'), 'm:valid-memtrack', '4 0', 't')])

t('leaks', 'inner_block', 'A record owns a second block.', '''
struct rec { int n; @CT *data; };
static struct rec *make(int n) {
  struct rec *r = malloc(sizeof *r);
  r->n = n;
  r->data = n > 0 ? malloc(n * sizeof *r->data) : 0;
  for (int i = 0; i < n; i++) r->data[i] = $@T();
  return r;
}
static void destroy(struct rec *r) {
  @BODY
}
int main(void) {
  unsigned char n = $uchar();
  ASSUME(n <= @N);
  struct rec *r = make(n);
  destroy(r);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='ushort', N=4)], base=dict(BODY='free(r->data);\n  free(r);'), safe='mct',
  bugs=[('leak', dict(BODY='if (r->n > 1) free(r->data);\n  free(r);'), 'm:valid-memtrack', '1', 't'), ('order_bug', dict(BODY='free(r);\n  free(r->data);'), 'm:valid-deref', '1', 't')])

t('leaks', 'pointer_array', 'An array of blocks is freed one by one.', '''
#define N @N
int main(void) {
  @CT *row[N];
  int used = 0;
  for (int i = 0; i < N; i++) {
    row[i] = 0;
    if ($bool()) {
      row[i] = malloc(2 * sizeof *row[i]);
      row[i][0] = row[i][1] = i;
      used++;
    }
  }
  for (int i = @FROM; i < @TO; i++) free(row[i]);
  ASSERT(used <= N);
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='char', N=6)], base=dict(FROM='0', TO='N'), safe='umct', bugs=[('leak', dict(TO='used'), 'm:valid-memtrack', '0 1 0 0 0 0', 'u'), ('first_leak', dict(FROM='1'), 'm:valid-memtrack', '1 0 0 0 0 0', 'u')])

t('leaks', 'cleanup_chain', 'Three resources are released in reverse order when a step fails.', '''
static @CT *a, *b, *c;
static int setup(void) {
  a = malloc(sizeof *a);
  if ($bool()) goto fail_a;
  b = malloc(2 * sizeof *b);
  if ($bool()) goto fail_b;
  c = malloc(3 * sizeof *c);
  if ($bool()) goto @LABEL;
  return 0;
fail_c:
  free(c);
fail_b:
  free(b);
fail_a:
  free(a);
  a = b = c = 0;
  return -1;
}
int main(void) {
  if (setup() == 0) {
    c[2] = b[1] = *a = $@T();
    free(a);
    free(b);
    free(c);
  }
  return 0;
}
''', params=[dict(T='int'), dict(T='long')], base=dict(LABEL='fail_c'), safe='mct', bugs=[('leak', dict(LABEL='fail_b'), 'm:valid-memtrack', '0 0 1', 't')])

t('leaks', 'reference_count', 'A shared block is freed with its last reference.', '''
struct shared { int refs; @CT value; };
static struct shared *take(struct shared *s) {
  s->refs++;
  return s;
}
static void drop(struct shared *s) {
  if (@DEC == 0) free(s);
}
int main(void) {
  struct shared *s = malloc(sizeof *s), *t[@N];
  s->refs = 1;
  s->value = $@T();
  int n = 0;
  while (n < @N && $bool()) t[n++] = take(s);
  drop(s);
  for (int i = 0; i < n; i++) {
    ASSERT(t[i]->refs >= 1);
    drop(t[i]);
  }
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='uchar', N=5)], base=dict(DEC='--s->refs'), safe='umct', bugs=[('leak', dict(DEC='s->refs--'), 'm:valid-memtrack', '0 0', ''), ('use_after_free', dict(DEC='s->refs > 2 ? --s->refs : 0'), 'm:valid-deref', '0 1 0', '')])

t('leaks', 'grow', 'A growing array.', '''
int main(void) {
  size_t cap = 1, n = 0;
  @CT *a = malloc(cap * sizeof *a);
  while (n < @N && $bool()) {
    if (n == cap) {
      @GROW
    }
    a[n] = $@T();
    n++;
  }
  ASSERT(n <= cap);
  free(a);
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=6)], base=dict(GROW='cap *= 2;\n      a = realloc(a, cap * sizeof *a);'), safe='umct',
  safes=[('by_hand', dict(GROW='@CT *b = malloc(2 * cap * sizeof *b);\n      for (size_t i = 0; i < n; i++) b[i] = a[i];\n      free(a);\n      a = b;\n      cap *= 2;'))],
  bugs=[('leak', dict(GROW='@CT *b = malloc(2 * cap * sizeof *b);\n      for (size_t i = 0; i < n; i++) b[i] = a[i];\n      a = b;\n      cap *= 2;'), 'm:valid-memtrack', '1 0 1 0 0', 'u'),
        ('size_bug', dict(GROW='cap *= 2;\n      a = realloc(a, (cap - 1) * sizeof *a);'), 'm:valid-deref', '1 0 1 0 1 0 1', '')])

t('leaks', 'shift_pointer', 'Walking with the only pointer to a block.', '''
int main(void) {
  char *s = malloc(@N), *start = s;
  for (int i = 0; i < @N - 1; i++) s[i] = $char();
  s[@N - 1] = 0;
  while (*s == ' ') s++;
  ASSERT(s - start < @N);
  free(@WHAT);
  return 0;
}
''', params=[dict(N=3), dict(N=5)], base=dict(WHAT='start'), safe='umct', bugs=[('bug', dict(WHAT='s'), 'm:valid-free', '32 65', 'u')])

t('leaks', 'ownership', 'A function may take over a block.', '''
static @CT *slot;
static int offer(@CT *p) {
  if (slot) return 0;
  slot = p;
  return 1;
}
int main(void) {
  for (int i = 0; i < @N; i++) {
    @CT *p = malloc(sizeof *p);
    *p = $@T();
    @HAND
    if ($bool()) {
      free(slot);
      slot = 0;
    }
  }
  free(slot);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='bool', N=4)], base=dict(HAND='if (!offer(p)) free(p);'), safe='mct', bugs=[('leak', dict(HAND='offer(p);'), 'm:valid-memtrack', '1 0 1 0', 't'), ('twice', dict(HAND='if (!offer(p) || *p == 1) free(p);'), 'm:valid-free', '1 1', 't')])

t('leaks', 'main_local', 'The last pointer to a block is a local variable.', '''
struct pair { @CT a, b; };
static void fill(struct pair *p) { p->a = p->b = $@T(); }
int main(void) {
  struct pair local, *p = &local;
  _Bool heap = $bool();
  if (heap) p = malloc(sizeof *p);
  fill(p);
  ASSERT(p->a == p->b);
  if (@WHEN) free(p);
  return 0;
}
''', params=[dict(T='int'), dict(T='longlong')], base=dict(WHEN='heap'), safe='umct', bugs=[('leak', dict(WHEN='heap && p->a != 0'), 'm:valid-memtrack', '1 0', 'u'), ('stack_free', dict(WHEN='heap || p->a == 5'), 'm:valid-free', '0 5', 'u')])
