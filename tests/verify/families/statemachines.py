# State machines.
t('statemachines', 'door', 'A door with a lock: never open and locked.', '''
enum { SHUT, OPEN, LOCKED };
int main(void) {
  int state = SHUT, bolt = 0;
  for (int i = 0; i < @N; i++) {
    @CT e = $@T();
    if (state == SHUT && e == 1) state = OPEN;
    else if (state == OPEN && e == 2) state = SHUT;
    else if (@LOCK && e == 3) { state = LOCKED; bolt = 1; }
    else if (state == LOCKED && e == 4) { state = SHUT; bolt = 0; }
    @EXTRA
    ASSERT(!(state == OPEN && bolt));
    ASSERT((state == LOCKED) == bolt);
  }
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=5)], base=dict(LOCK='state == SHUT', EXTRA='//-'), safe='uot',
  bugs=[('unlock_bug', dict(EXTRA='else if (e == 5) state = SHUT;'), 'u', '3 5 0 0 0', 'ot'), ('lock_bug', dict(LOCK='state != LOCKED', EXTRA='if (bolt && e == 3 && i > 0) state = OPEN;'), 'u', '1 3', 'ot')])

t('statemachines', 'matcher', 'A small automaton finds a pattern of bits.', '''
int main(void) {
  unsigned int history = 0;
  int state = 0, hits = 0, want = 0;
  for (int i = 0; i < @N; i++) {
    _Bool b = $bool();
    history = (history << 1) | b;
    switch (state) {
      case 0: state = b ? 1 : 0; break;
      case 1: state = b ? 1 : 2; break;
      default: state = b ? @HIT : 0; if (b) hits++; break;
    }
    if (i >= 2 && (history & 7) == 5) want++;
  }
  ASSERT(hits == want);
  return 0;
}
''', params=[dict(N=6), dict(N=8)], base=dict(HIT=1), safe='uot', bugs=[('bug', dict(HIT=0), 'u', '1 0 1 0 1 0 0 0', 'ot')])

t('statemachines', 'table_driven', 'A machine kept in a table of next states.', '''
static const @CT next[4][3] = {{1, 0, 3}, {1, 2, 0}, {@A, 2, 1}, {3, 0, @B}};
int main(void) {
  @CT s = 0;
  int sum = 0;
  for (int i = 0; i < @N; i++) {
    unsigned int e = $uint();
    if (e @LT 3) return 0;
    s = next[s][e];
    ASSERT(s < 4);
    sum += s;
  }
  ASSERT(sum <= 3 * @N);
  return 0;
}
''', params=[dict(T='uchar', N=4), dict(T='ushort', N=5)], base=dict(A=3, B=2, LT='>='), safe='umot', bugs=[('entry_bug', dict(B=4), 'u', '2 2', 'ot')])

t('statemachines', 'comment_scanner', 'Removes comments; what is kept and what is dropped add up.', '''
int main(void) {
  int state = 0, kept = 0, dropped = 0;
  for (int i = 0; i < @N; i++) {
    char c = $char();
    switch (state) {
      case 0: if (c == '/') state = 1; else kept++; break;
      case 1: if (c == '*') { state = 2; dropped += 2; } else if (c == '/') kept++; else { state = 0; @BOTH } break;
      case 2: dropped++; if (c == '*') state = 3; break;
      default: dropped++; if (c == '/') state = 0; else if (c != '*') state = 2; break;
    }
  }
  if (state == 1) kept++;
  ASSERT(kept + dropped == @N);
  return 0;
}
''', params=[dict(N=4), dict(N=5)], base=dict(BOTH='kept += 2;'), safe='uot', bugs=[('bug', dict(BOTH='kept++;'), 'u', '47 65', 'ot')])

t('statemachines', 'retry', 'A connection with a limited number of retries.', '''
enum state { IDLE, TRYING, UP, FAILED };
int main(void) {
  enum state s = IDLE;
  unsigned int tries = 0;
  for (int i = 0; i < @N; i++) {
    unsigned char e = $@T();
    switch (s) {
      case IDLE: if (e == 1) { s = TRYING; tries = 1; } break;
      case TRYING:
        if (e == 2) s = UP;
        else if (e == 3 && @AGAIN) s = FAILED;
        else if (e == 3) tries++;
        break;
      case UP: if (e == 4) { s = IDLE; @RESET } break;
      case FAILED: break;
    }
    ASSERT(tries <= @MAX);
    if (s == IDLE) ASSERT(tries == 0);
  }
  return 0;
}
''', params=[dict(T='uchar', N=4, MAX=2), dict(T='u8', N=5, MAX=3)], base=dict(AGAIN='tries == @MAX', RESET='tries = 0;'), safe='uot',
  bugs=[('limit_bug', dict(AGAIN='tries > @MAX'), 'u', '1 3 3 3', 'ot'), ('reset_bug', dict(RESET=''), 'u', '1 2 4', 'ot')])

t('statemachines', 'two_phase', 'Two participants and a coordinator agree.', '''
enum { WORKING, READY, COMMITTED, ABORTED };
int main(void) {
  int p[2] = {WORKING, WORKING}, all = 0;
  for (int i = 0; i < 2; i++) p[i] = $bool() ? READY : ABORTED;
  all = p[0] == READY @AND p[1] == READY;
  for (int k = 0; k < @N; k++) {
    int who = $bool();
    if (p[who] == READY) p[who] = all ? COMMITTED : ABORTED;
    ASSERT(!(p[0] == COMMITTED && p[1] == ABORTED));
    ASSERT(!(p[1] == COMMITTED && p[0] == ABORTED));
  }
  return 0;
}
''', params=[dict(N=2), dict(N=4)], base=dict(AND='&&'), safe='umot', bugs=[('bug', dict(AND='||'), 'u', '1 0 0 0', 'mot')])

t('statemachines', 'counter_mod', 'A ring of states goes round in both directions.', '''
#define N @N
int main(void) {
  @CT s = 0;
  int turns = 0;
  for (int i = 0; i < @STEPS; i++) {
    if ($bool()) { s = (s + 1) % N; turns++; }
    else { s = @BACK; turns--; }
    ASSERT(s < N);
  }
  ASSERT(((turns % N) + N) % N == s);
  return 0;
}
''', params=[dict(T='uint', N=3, STEPS=6), dict(T='uchar', N=5, STEPS=7)], base=dict(BACK='(s + N - 1) % N'), safe='uot', bugs=[('zero_bug', dict(BACK='s ? s - 1 : 0'), 'u', '0 1 1 1 1 1 0', 'ot')])
