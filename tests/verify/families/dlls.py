# Doubly linked lists.
D = '''struct dll {
  @CT value;
  struct dll *prev, *next;
};
'''
t('dlls', 'insert_after', 'Inserts in the middle of a doubly linked list.', D + '''
static struct dll *node(@CT v) {
  struct dll *x = malloc(sizeof *x);
  x->value = v;
  x->prev = x->next = 0;
  return x;
}
static void insert_after(struct dll *at, struct dll *x) {
  x->prev = at;
  x->next = at->next;
  @BACK
  at->next = x;
}
int main(void) {
  struct dll *head = node(0), *p;
  for (int i = 1; i < @N; i++) {
    unsigned int steps = $uint();
    for (p = head; p->next && steps > 0; steps--) p = p->next;
    insert_after(p, node(i));
  }
  int n = 0;
  for (p = head; p; p = p->next, n++)
    if (p->next) ASSERT(p->next->prev == p);
  ASSERT(n == @N);
  while (head) {
    p = head;
    head = head->next;
    free(p);
  }
  return 0;
}
''', params=[dict(T='int', N=3), dict(T='char', N=4)], base=dict(BACK='if (at->next) at->next->prev = x;'), safe='umct',
  bugs=[('back_bug', dict(BACK='//-'), 'u', '0 0 0', ''), ('null_bug', dict(BACK='at->next->prev = x;'), 'm:valid-deref', '0', '')])

t('dlls', 'remove_middle', 'Removes one node of a doubly linked list.', D + '''
int main(void) {
  struct dll *first = 0, *last = 0, *p;
  for (int i = 0; i < @N; i++) {
    p = malloc(sizeof *p);
    p->value = i;
    p->prev = last;
    p->next = 0;
    if (last) last->next = p;
    else first = p;
    last = p;
  }
  @CT v = $@T();
  for (p = first; p && p->value != v; p = p->next) ;
  if (p) {
    if (p->prev) p->prev->next = p->next;
    else first = p->next;
    @NEXT
    free(p);
  }
  int n = 0;
  while (last) {
    p = last->prev;
    ASSERT(last->value != v);
    free(last);
    last = p;
    n++;
  }
  ASSERT(n == (v >= 0 && v < @N ? @N - 1 : @N));
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='short', N=6)], base=dict(NEXT='if (p->next) p->next->prev = p->prev;\n    else last = p->prev;'), safe='umct',
  bugs=[('dangling', dict(NEXT='if (p->next && p->prev) p->next->prev = p->prev;\n    if (!p->next) last = p->prev;'), 'm:valid-deref', '0', ''),
        ('last_bug', dict(NEXT='if (p->next) p->next->prev = p->prev;'), 'm:valid-deref', lambda p: str(p['N'] - 1), '')])

t('dlls', 'move_to_front', 'A cache list: the node used last moves to the front.', D + '''
static struct dll s, cell[@N];
static void unlink_node(struct dll *x) {
  x->prev->next = x->next;
  x->next->prev = x->prev;
}
static void to_front(struct dll *x) {
  @UNLINK
  x->next = s.next;
  x->prev = &s;
  s.next->prev = x;
  s.next = x;
}
int main(void) {
  s.prev = s.next = &s;
  for (int i = 0; i < @N; i++) {
    cell[i].value = i;
    cell[i].prev = cell[i].next = &cell[i];
    to_front(&cell[i]);
  }
  for (int k = 0; k < @USES; k++) {
    @CT i = $@T();
    if (i >= @N) return 0;
    to_front(&cell[i]);
    ASSERT(s.next->value == i);
  }
  int n = 0;
  for (struct dll *p = s.next; p != &s && n <= @N; p = p->next) n++;
  ASSERT(n == @N);
  return 0;
}
''', params=[dict(T='uint', N=4, USES=3), dict(T='uchar', N=3, USES=4)], base=dict(UNLINK='unlink_node(x);'), safe='umt',
  bugs=[('lost_bug', dict(UNLINK='if (x->next != &s) unlink_node(x);'), 'u', '0 1 2 0', 't')])

t('dlls', 'deque', 'A queue with two ends.', D + '''
static struct dll *front, *back;
static void push_front(@CT v) {
  struct dll *x = malloc(sizeof *x);
  x->value = v;
  x->prev = 0;
  x->next = front;
  if (front) front->prev = x;
  else back = x;
  front = x;
}
static @CT pop_back(void) {
  struct dll *x = back;
  @CT v = x->value;
  back = x->prev;
  if (back) back->next = 0;
  @EMPTY
  free(x);
  return v;
}
int main(void) {
  @CT in = 0, out = 0;
  for (int i = 0; i < @N; i++) {
    if ($bool()) push_front(in++);
    else if (@HAS) ASSERT(pop_back() == out++);
  }
  while (back) pop_back();
  return 0;
}
''', params=[dict(T='int', N=6), dict(T='uchar', N=8)], base=dict(EMPTY='else front = 0;', HAS='in > out'), safe='umct',
  bugs=[('dangling', dict(EMPTY='//-'), 'm:valid-deref', '1 0 1', ''), ('underflow', dict(HAS='in >= out'), 'm:valid-deref', '0', '')])

t('dlls', 'free_both_ways', 'A doubly linked list is freed from both ends.', D + '''
int main(void) {
  struct dll *l = 0, *r = 0;
  unsigned char n = $uchar();
  if (n == 0 || n > @N) return 0;
  for (int i = 0; i < n; i++) {
    struct dll *x = malloc(sizeof *x);
    x->value = i;
    x->prev = r;
    x->next = 0;
    if (r) r->next = x;
    else l = x;
    r = x;
  }
  while (l != r) {
    @CT left = $@T();
    struct dll *x;
    if (left) { x = l; l = l->next; }
    else { x = r; r = r->prev; }
    free(x);
  }
  @LAST
  return 0;
}
''', params=[dict(T='bool', N=4), dict(T='char', N=5)], base=dict(LAST='free(l);'), safe='mct',
  bugs=[('twice', dict(LAST='free(l);\n  if (n == 3) free(r);'), 'm:valid-free', '3 1 1', ''), ('leak', dict(LAST='if (n > 1) free(l);'), 'm:valid-memtrack', '1', '')])
