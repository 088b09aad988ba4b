# Singly linked lists.
NODE = '''struct node {
  @CT value;
  struct node *next;
};
'''
t('lists', 'push_sum_free', 'Builds a list, sums it and frees it.', NODE + '''
int main(void) {
  struct node *head = 0;
  unsigned int want = 0, sum = 0;
  for (int i = 0; i < @N; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = $@T();
    x->next = head;
    head = x;
    want += x->value;
  }
  for (struct node *p = head; p; p = p->next) sum += p->value;
  ASSERT(sum == want);
  while (@COND) {
    @FREE
  }
  @END
  return 0;
}
''', params=[dict(T='uchar', N=4), dict(T='ushort', N=6)],
  base=dict(COND='head', FREE='struct node *next = head->next;\n    free(head);\n    head = next;', END='//-'), safe='umct',
  bugs=[('use_after_free', dict(FREE='free(head);\n    head = head->next;'), 'm:valid-deref', '1 2 3'),
        ('leak', dict(COND='head && head->next', END='head = 0;'), 'm:valid-memtrack', '1 2 3', ''),
        ('twice', dict(FREE='struct node *next = head->next;\n    free(head);\n    head = next;', END='if (want == 7) { struct node *x = malloc(sizeof *x); free(x); free(x); }'), 'm:valid-free', '7', '')])

t('lists', 'remove_value', 'Removes all nodes with a value.', NODE + '''
static struct node *head;
static void add(@CT v) {
  struct node *x = malloc(sizeof *x);
  x->value = v;
  x->next = head;
  head = x;
}
static void drop(@CT v) {
  struct node **link = &head;
  while (*link) {
    struct node *x = *link;
    if (x->value == v) {
      @UNLINK
      @FREE
    } else {
      link = &x->next;
    }
  }
}
int main(void) {
  for (int i = 0; i < @N; i++) add($@T());
  @CT v = $@T();
  drop(v);
  for (struct node *p = head; p; p = p->next) ASSERT(p->value != v);
  while (head) {
    struct node *x = head;
    head = x->next;
    free(x);
  }
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=4)], base=dict(UNLINK='*link = x->next;', FREE='free(x);'), safe='umct',
  bugs=[('leak', dict(FREE='//-'), 'm:valid-memtrack', '0 0 0 0 0', 'u'), ('order_bug', dict(UNLINK='free(x);', FREE='*link = x->next;'), 'm:valid-deref', '0 0 0 0 0', ''),
        ('one_bug', dict(FREE='free(x);\n      link = *link ? &(*link)->next : link;'), 'u', '5 5 5 5 5', '')])

t('lists', 'reverse', 'Reverses a list.', NODE + '''
int main(void) {
  struct node *head = 0, *done = 0;
  for (int i = 0; i < @N; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = i;
    x->next = head;
    head = x;
    if (i > 1 && $bool()) break;
  }
  int first = head->value;
  while (head@MORE) {
    struct node *next = head->next;
    head->next = done;
    done = head;
    head = @NEXT;
  }
  int expect = 0;
  while (done) {
    struct node *x = done;
    ASSERT(x->value == expect++);
    done = x->next;
    free(x);
  }
  ASSERT(expect == first + 1);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='long', N=7)], base=dict(MORE='', NEXT='next'), safe='umct',
  bugs=[('bug', dict(MORE='->next'), 'u', '0 1', ''), ('crash', dict(MORE='->next', NEXT='next->next ? next : 0'), 'm:valid-deref', '0', '')])

t('lists', 'reverse_loses', 'Reversing without keeping the rest loses it.', NODE + '''
int main(void) {
  struct node *head = 0, *done = 0;
  unsigned char n = $@T();
  if (n > @N) return 0;
  for (int i = 0; i < n; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = i;
    x->next = head;
    head = x;
  }
  while (head) {
    @STEP
  }
  while (done) {
    struct node *x = done->next;
    free(done);
    done = x;
  }
  return 0;
}
''', params=[dict(T='uchar', N=4)], base=dict(STEP='struct node *rest = head->next;\n    head->next = done;\n    done = head;\n    head = rest;'), safe='mct',
  bugs=[('leak', dict(STEP='struct node *rest = head->next;\n    head->next = 0;\n    done = head;\n    head = rest;'), 'm:valid-memtrack', '2', 't')])

t('lists', 'queue', 'A queue with a tail pointer.', NODE + '''
static struct node *head, *tail;
static void enqueue(@CT v) {
  struct node *x = malloc(sizeof *x);
  x->value = v;
  x->next = 0;
  if (@HAS) tail->next = x;
  else head = x;
  tail = x;
}
static int dequeue(@CT *v) {
  struct node *x = head;
  if (!x) return 0;
  *v = x->value;
  head = x->next;
  @RESET
  free(x);
  return 1;
}
int main(void) {
  @CT in = 0, out = 0, got;
  for (int i = 0; i < @N; i++) {
    if ($bool()) enqueue(in++);
    else if (dequeue(&got)) ASSERT(got == out++);
  }
  while (dequeue(&got)) ASSERT(got == out++);
  ASSERT(in == out);
  return 0;
}
''', params=[dict(T='int', N=5), dict(T='uchar', N=7)], base=dict(HAS='tail', RESET='if (!head) tail = 0;'), safe='umct',
  bugs=[('dangling_tail', dict(RESET='//-'), 'm:valid-deref', '1 0 1', ''), ('null_tail', dict(HAS='head || !tail'), 'm:valid-deref', '1', '')])

t('lists', 'sorted_insert', 'Inserts into a sorted list.', NODE + '''
static struct node *insert(struct node *list, @CT v) {
  struct node *x = malloc(sizeof *x), *p = list;
  x->value = v;
  if (!list || v <= list->value) {
    x->next = list;
    return x;
  }
  while (@COND) p = p->next;
  x->next = p->next;
  @LINK
  return list;
}
int main(void) {
  struct node *list = 0;
  int n = 0;
  for (int i = 0; i < @N; i++) list = insert(list, $@T());
  while (list) {
    struct node *next = list->next;
    if (next) ASSERT(list->value <= next->value);
    free(list);
    list = next;
    n++;
  }
  ASSERT(n == @N);
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='uchar', N=4)], base=dict(COND='p->next && p->next->value < v', LINK='p->next = x;'), safe='umct',
  bugs=[('order_bug', dict(COND='p->next && p->value < v'), 'u', '1 9 5 5', ''), ('null_bug', dict(COND='p->next->value < v'), 'm:valid-deref', '1 2', ''),
        ('drop_bug', dict(LINK='if (p->next || v < 100) p->next = x;'), 'u', '1 101 100 0', 't')])

t('lists', 'stack', 'A stack of nodes; popping an empty stack is refused.', NODE + '''
static struct node *top;
static int depth;
static void push(@CT v) {
  struct node *x = malloc(sizeof *x);
  x->value = v;
  x->next = top;
  top = x;
  depth++;
}
static @CT pop(void) {
  struct node *x = top;
  @CT v = x->value;
  top = x->next;
  depth--;
  free(x);
  return v;
}
int main(void) {
  for (int i = 0; i < @N; i++) {
    if ($bool()) push(i);
    else if (@NONEMPTY) ASSERT(pop() < i);
  }
  while (top) pop();
  ASSERT(depth == 0);
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='short', N=8)], base=dict(NONEMPTY='depth > 0'), safe='umct',
  bugs=[('bug', dict(NONEMPTY='depth >= 0'), 'm:valid-deref', '0', '')])

t('lists', 'append', 'Appends at the end of a list.', NODE + '''
static struct node *append(struct node *list, @CT v) {
  struct node *x = malloc(sizeof *x);
  x->value = v;
  x->next = 0;
  @EMPTY
  struct node *p = list;
  while (p->next) p = p->next;
  p->next = x;
  return list;
}
int main(void) {
  struct node *list = 0;
  unsigned int n = $uint(), k = 0;
  ASSUME(n <= @N);
  for (unsigned int i = 0; i < n; i++) list = append(list, i);
  while (list) {
    struct node *x = list;
    ASSERT(x->value == k++);
    list = x->next;
    free(x);
  }
  ASSERT(k == n);
  return 0;
}
''', params=[dict(T='uint', N=5), dict(T='uchar', N=3)], base=dict(EMPTY='if (!list) return x;'), safe='umct',
  bugs=[('null_bug', dict(EMPTY='//-'), 'm:valid-deref', '1', ''), ('drop_bug', dict(EMPTY='if (!list || !list->next) return x;'), 'u', '2', 't')])

t('lists', 'merge', 'Merges two sorted lists.', NODE + '''
static struct node *cons(@CT v, struct node *next) {
  struct node *x = malloc(sizeof *x);
  x->value = v;
  x->next = next;
  return x;
}
int main(void) {
  @CT a = $@T(), b = $@T(), c = $@T(), d = $@T();
  ASSUME(a <= b && c <= d);
  struct node *x = cons(a, cons(b, 0)), *y = cons(c, cons(d, 0)), *all = 0, **end = &all;
  while (x && y) {
    struct node **from = x->value <= y->value ? &x : &y;
    *end = *from;
    end = &(*from)->next;
    *from = (*from)->next;
  }
  @REST
  int n = 0;
  for (struct node *p = all; p; p = p->next) n++;
  ASSERT(n == 4);
  while (all) {
    struct node *next = all->next;
    if (next) ASSERT(all->value <= next->value);
    free(all);
    all = next;
  }
  return 0;
}
''', params=[dict(T='int'), dict(T='longlong')], base=dict(REST='*end = x ? x : y;'), safe='umct',
  bugs=[('bug', dict(REST='*end = y;'), 'u', '1 5 2 3', 't')])

t('lists', 'circular', 'A ring of nodes is walked once and freed.', NODE + '''
int main(void) {
  unsigned char n = $uchar();
  ASSUME(n >= 1 && n <= @N);
  struct node *first = malloc(sizeof *first), *last = first;
  first->value = 0;
  for (int i = 1; i < n; i++) {
    struct node *x = malloc(sizeof *x);
    x->value = i;
    last->next = x;
    last = x;
  }
  @CLOSE
  int seen = 1;
  struct node *p = first->next;
  while (p != first) {
    struct node *next = p->next;
    ASSERT(p->value == seen);
    seen++;
    free(p);
    p = next;
  }
  ASSERT(seen == n);
  @LAST
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=6)], base=dict(CLOSE='last->next = first;', LAST='free(first);'), safe='umct',
  bugs=[('twice', dict(LAST='free(first);\n  if (n > 2) free(p);'), 'm:valid-free', '3', ''), ('leak', dict(LAST='if (n != 1) free(first);'), 'm:valid-memtrack', '1', 'u'),
        ('open', dict(CLOSE='last->next = n == 2 ? 0 : first;'), 'm:valid-deref', '2', '')])

t('lists', 'cycle_check', 'Two pointers of different speed notice a cycle.', NODE + '''
int main(void) {
  struct node cell[@N];
  unsigned int back = $uint();
  for (int i = 0; i < @N; i++) {
    cell[i].value = i;
    cell[i].next = i + 1 < @N ? &cell[i + 1] : 0;
  }
  if (back < @N) cell[@N - 1].next = &cell[back];
  struct node *slow = cell, *fast = cell;
  int cycle = 0;
  while (@COND) {
    slow = slow->next;
    fast = fast->next->next;
    if (slow == fast) { cycle = 1; break; }
  }
  ASSERT(cycle == (back < @N));
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=5)], base=dict(COND='fast && fast->next'), safe='umt',
  bugs=[('bug', dict(COND='fast && fast->next && fast->next->value + 1 < @N'), 'u', lambda p: str(p['N'] - 1), 't')])

t('lists', 'length_and_last', 'The length and the last node of a list of bounded length.', NODE + '''
static int length(const struct node *p) {
  int n = 0;
  for (; p; p = p->next) n++;
  return n;
}
int main(void) {
  struct node *list = malloc(sizeof *list), *end = list;
  list->value = 0;
  list->next = 0;
  for (int i = 1; i < @N && $bool(); i++) {
    end->next = @NEW;
    end = end->next;
    end->value = i;
    end->next = 0;
  }
  ASSERT(end->value + 1 == length(list));
  while (list) {
    end = list->next;
    free(list);
    list = end;
  }
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='ushort', N=9)], base=dict(NEW='malloc(sizeof *list)'), safe='umct',
  bugs=[('size_bug', dict(NEW='malloc(sizeof list)'), 'm:valid-deref', '1 0', '')])
