# Loops and recursions that end.
def term(name, doc, body, params=({},)):
    t('termination', name, doc, body, params=params, safe='t')
term('halving', 'Halving until zero.', '''
int main(void) {
  @CT n = $@T();
  while (n > 0) n /= 2;
  return 0;
}
''', [dict(T='int'), dict(T='ulong'), dict(T='uchar')])
term('up_and_down', 'A variable goes up to a limit and then down.', '''
int main(void) {
  @CT x = $@T();
  if (x < 0 || x > 5) return 0;
  int up = 1;
  while (x > 0 || up) {
    if (up && x < 8) x++;
    else { up = 0; x--; }
  }
  return 0;
}
''', [dict(T='int'), dict(T='char')])
term('two_variables', 'The pair of variables goes down lexicographically.', '''
int main(void) {
  int a = $uchar() % 4, b = $uchar() % 4;
  while (a > 0) {
    if (b > 0) b--;
    else {
      a--;
      b = $uchar() % 3;
    }
  }
  return 0;
}
''')
term('sleeping_steps', 'Each round either works or wakes up, but never sleeps twice.', '''
int main(void) {
  int work = @N, slept = 0;
  while (work > 0) {
    if (!slept && $bool()) slept = 1;
    else { work--; slept = 0; }
  }
  return 0;
}
''', [dict(N=4), dict(N=6)])
term('ackermann', 'A fast growing recursion with small arguments.', '''
static int a(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return a(m - 1, 1);
  return a(m - 1, a(m, n - 1));
}
int main(void) {
  int m = $@T(), n = $@T();
  if (m < 0 || m > 2 || n < 0 || n > 2) return 0;
  return a(m, n) == 7;
}
''', [dict(T='int'), dict(T='short')])
term('clear_bits', 'Clears one bit after the other.', '''
int main(void) {
  @CT x = $@T();
  int rounds = 0;
  while (x) {
    x &= x - 1;
    rounds++;
  }
  return rounds > @W;
}
''', [dict(T='uchar', W=8), dict(T='ushort', W=16)])
term('linked_chain', 'Follows indexes that only go up.', '''
int main(void) {
  unsigned char next[6];
  for (int i = 0; i < 6; i++) {
    next[i] = $uchar();
    if (next[i] <= i) next[i] = i + 1;
  }
  unsigned int at = 0, hops = 0;
  while (at < 6) {
    at = next[at];
    hops++;
  }
  return hops > 6;
}
''')
term('nested_shrink', 'The inner limit is the outer variable.', '''
int main(void) {
  @CT n = $@T();
  unsigned int rounds = 0;
  if (n > 5) n = 5;
  while (n > 0) {
    for (@CT i = 0; i < n; i++) rounds++;
    n--;
  }
  return rounds == 15;
}
''', [dict(T='uchar'), dict(T='uint')])
term('wrap_around', 'An unsigned counter wraps around to zero and stops.', '''
int main(void) {
  @CT c = $@T();
  if (c < @FROM) return 0;
  while (c != 0) c++;
  return 0;
}
''', [dict(T='uchar', FROM=245), dict(T='uint', FROM='4294967290u'), dict(T='ushort', FROM=65528)])
term('euclid', 'The greatest common divisor of small numbers.', '''
int main(void) {
  @CT a = $@T(), b = $@T();
  if (a > 12 || b > 12) return 0;
  while (b != 0) {
    @CT r = a % b;
    a = b;
    b = r;
  }
  return a == 1;
}
''', [dict(T='uint'), dict(T='uchar')])
term('list_walk', 'A list without a cycle ends.', '''
struct node { struct node *next; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < @N && $bool(); i++) {
    struct node *x = malloc(sizeof *x);
    x->next = head;
    head = x;
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return 0;
}
''', [dict(N=5), dict(N=9)])
term('state_progress', 'A machine whose states only go forward or give up.', '''
int main(void) {
  int state = 0, errors = 0;
  while (state != 4) {
    @CT in = $@T();
    if (in == state + 1) state++;
    else if (++errors > 2) state = 4;
  }
  return errors;
}
''', [dict(T='int'), dict(T='uchar')])
