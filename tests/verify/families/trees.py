# Binary trees, kept on the heap or in arrays.
T3 = '''struct tree {
  @CT key;
  struct tree *left, *right;
};
'''
INS = '''static struct tree *insert(struct tree *x, @CT key) {
  if (!x) {
    x = malloc(sizeof *x);
    x->key = key;
    x->left = x->right = 0;
  } else if (key < x->key) x->left = insert(x->left, key);
  else if (key > x->key) x->right = insert(x->right, key);
  return x;
}
'''
FREE = '''static void destroy(struct tree *x) {
  if (!x) return;
  destroy(x->left);
  destroy(x->right);
  free(x);
}
'''
t('trees', 'insert_find', 'A search tree holds what was inserted.', T3 + INS + FREE + '''
static int find(const struct tree *x, @CT key) {
  while (x && x->key != key) x = key @LT x->key ? x->left : x->right;
  return x != 0;
}
int main(void) {
  struct tree *root = 0;
  @CT key[@N];
  for (int i = 0; i < @N; i++) {
    key[i] = $@T();
    root = insert(root, key[i]);
  }
  for (int i = 0; i < @N; i++) ASSERT(find(root, key[i]));
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='longlong', N=2)], base=dict(LT='<'), safe='umct',
  bugs=[('bug', dict(LT='>'), 'u', '5 6 7', '')])

t('trees', 'destroy', 'Frees a search tree.', T3 + INS + '''
static void destroy(struct tree *x) {
  @BODY
}
int main(void) {
  struct tree *root = 0;
  for (int i = 0; i < @N; i++) root = insert(root, $@T());
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=4)], base=dict(BODY='if (!x) return;\n  destroy(x->left);\n  destroy(x->right);\n  free(x);'), safe='mct',
  bugs=[('leak', dict(BODY='if (!x) return;\n  destroy(x->left);\n  free(x);'), 'm:valid-memtrack', '1 2', ''),
        ('use_after_free', dict(BODY='if (!x) return;\n  destroy(x->left);\n  free(x);\n  destroy(x->right);'), 'm:valid-deref', '1', '')])

t('trees', 'in_order', 'Walking a search tree in order gives sorted keys.', T3 + INS + FREE + '''
static @CT last;
static int seen;
static void walk(const struct tree *x) {
  if (!x) return;
  walk(x->@A);
  if (seen++) ASSERT(last < x->key);
  last = x->key;
  walk(x->@B);
}
int main(void) {
  struct tree *root = 0;
  for (int i = 0; i < @N; i++) root = insert(root, $@T());
  walk(root);
  ASSERT(seen >= 1 && seen <= @N);
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='ushort', N=4)], base=dict(A='left', B='right'), safe='umct',
  bugs=[('bug', dict(B='left', A='right'), 'u', '1 2', '')])

t('trees', 'smallest', 'Takes the smallest key out of a search tree.', T3 + INS + FREE + '''
int main(void) {
  struct tree *root = 0;
  for (int i = 0; i < @N; i++) root = insert(root, $@T());
  struct tree **link = &root;
  while (@DEEPER) link = &(*link)->left;
  struct tree *min = *link;
  *link = @REST;
  if (root) ASSERT(root->key >= min->key);
  free(min);
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='uchar', N=4)], base=dict(DEEPER='(*link)->left', REST='min->right'), safe='umct',
  bugs=[('leak', dict(REST='0'), 'm:valid-memtrack', '1 2 2 2', ''), ('null_bug', dict(DEEPER='(*link)->key > 0 && (*link)->key < 200'), 'm:valid-deref', '5 6 7 8', '')])

t('trees', 'mirror', 'Mirroring a full tree twice changes nothing.', T3 + FREE + '''
static struct tree *build(int depth) {
  if (depth == 0) return 0;
  struct tree *x = malloc(sizeof *x);
  x->key = $@T();
  x->left = build(depth - 1);
  x->right = build(depth - 1);
  return x;
}
static void mirror(struct tree *x) {
  if (!x) return;
  struct tree *h = x->left;
  x->left = x->right;
  x->right = h;
  mirror(x->left);
  mirror(x->@SECOND);
}
int main(void) {
  struct tree *root = build(@N), *p = root;
  @CT a = root->left->left->key, b = root->right->left->key;
  mirror(root);
  ASSERT(root->right->right->key == a);
  ASSERT(root->left->right->key == b);
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='bool', N=4)], base=dict(SECOND='right'), safe='umct', bugs=[('bug', dict(SECOND='left'), 'u', '0 0 1 0 0 0 0 0' , '')])

t('trees', 'height', 'Height and size of a tree grown by free choices.', T3 + FREE + '''
static struct tree *grow(int depth) {
  if (depth == 0 || !$bool()) return 0;
  struct tree *x = malloc(sizeof *x);
  x->key = $@T();
  x->left = grow(depth - 1);
  x->right = grow(depth - 1);
  return x;
}
static int size(const struct tree *x) { return x ? 1 + size(x->left) + size(x->right) : 0; }
static int height(const struct tree *x) {
  if (!x) return 0;
  int l = height(x->left), r = height(x->right);
  return 1 + (l > r ? l : @R);
}
int main(void) {
  struct tree *root = grow(@N);
  int h = height(root), n = size(root);
  ASSERT(h <= @N && n >= h && n < (1 << h));
  destroy(root);
  return 0;
}
''', params=[dict(T='int', N=2), dict(T='char', N=3)], base=dict(R='r'), safe='umct', bugs=[('bug', dict(R='l'), 'u', '1 0 0 1 0 0 0', '')])

t('trees', 'heap_push', 'A binary heap in an array.', '''
#define N @N
static @CT heap[N];
static int size;
static void push(@CT v) {
  int i = size++;
  heap[i] = v;
  while (i > 0 && heap[@UP] > heap[i]) {
    int up = @UP;
    @CT h = heap[up];
    heap[up] = heap[i];
    heap[i] = h;
    i = up;
  }
}
int main(void) {
  for (int i = 0; i < N; i++) {
    push($@T());
    for (int k = 1; k < size; k++) ASSERT(heap[(k - 1) / 2] <= heap[k]);
  }
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=5)], base=dict(UP='(i - 1) / 2'), safe='umot',
  bugs=[('index_bug', dict(UP='(i - 2) / 2'), 'u', '0 5 6 3 9', 'mot')])

t('trees', 'heap_pop', 'Taking the least element from a heap.', '''
#define N @N
static @CT a[N];
int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = $@T();
    if (i > 0) ASSUME(a[(i - 1) / 2] <= a[i]);
  }
  @CT least = a[0];
  int n = N - 1, i = 0;
  a[0] = a[n];
  for (;;) {
    int c = 2 * i + 1;
    if (c >= n) break;
    if (@SECOND) c++;
    if (a[i] <= a[c]) break;
    @CT h = a[i];
    a[i] = a[c];
    a[c] = h;
    i = c;
  }
  for (int k = 0; k < n; k++) ASSERT(least <= a[k]);
  for (int k = 1; k < n; k++) ASSERT(a[(k - 1) / 2] <= a[k]);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='short', N=6)], base=dict(SECOND='c + 1 < n && a[c + 1] < a[c]'), safe='umot',
  bugs=[('child_bug', dict(SECOND='c + 1 < n && a[c + 1] > a[c]'), 'u', '0 1 2 3 4 5', 'mot')])

t('trees', 'union_find', 'Disjoint sets with links to a root.', '''
#define N @N
static unsigned char up[N];
static int root(int x) {
  while (up[x] != x) x = up[x];
  return x;
}
int main(void) {
  for (int i = 0; i < N; i++) up[i] = i;
  unsigned int sets = N;
  for (int k = 0; k < @JOINS; k++) {
    @CT a = $@T(), b = $@T();
    ASSUME(a < N && b < N);
    int ra = root(a), rb = root(b);
    if (@TEST) {
      up[ra] = rb;
      sets--;
    }
    ASSERT(root(a) == root(b));
  }
  unsigned int roots = 0;
  for (int i = 0; i < N; i++) roots += up[i] == i;
  ASSERT(roots == sets);
  return 0;
}
''', params=[dict(T='uchar', N=4, JOINS=2), dict(T='uint', N=3, JOINS=3)], base=dict(TEST='ra != rb'), safe='umot',
  bugs=[('bug', dict(TEST='a != b'), 'u', '0 1 1 0 0 0', 'mot')])

t('trees', 'trie', 'Words of a two-letter alphabet in a tree of arrays.', '''
struct trie { struct trie *kid[2]; int end; };
static struct trie *fresh(void) {
  struct trie *x = malloc(sizeof *x);
  x->kid[0] = x->kid[1] = 0;
  x->end = 0;
  return x;
}
static void destroy(struct trie *x) {
  for (int i = 0; i < @KIDS; i++)
    if (x->kid[i]) destroy(x->kid[i]);
  free(x);
}
int main(void) {
  struct trie *root = fresh(), *x;
  for (int w = 0; w < 2; w++) {
    x = root;
    for (int i = 0; i < @LEN; i++) {
      int b = @LETTER;
      if (!x->kid[b]) x->kid[b] = fresh();
      x = x->kid[b];
    }
    x->end++;
  }
  ASSERT(x->end == 1 || x->end == 2);
  destroy(root);
  return 0;
}
''', params=[dict(LEN=3), dict(LEN=2)], base=dict(KIDS=2, LETTER='$bool()'), safe='umct',
  bugs=[('leak', dict(KIDS=1), 'm:valid-memtrack', '1 1 1 1 1 1', ''), ('index_bug', dict(LETTER='$uchar() % 4'), 'm:valid-deref', '3', '')])
