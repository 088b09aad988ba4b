# Small control programs.
t('control', 'elevator', 'A lift between floors: the door is shut while it moves.', '''
int main(void) {
  int floor = 0, target = 0, open = 1, moving = 0;
  for (int i = 0; i < @N; i++) {
    if (!moving) {
      @CT call = $@T();
      if (call >= 0 && call @LE @TOP) target = call;
      open = @OPEN;
    }
    moving = target != floor;
    if (moving) {
      ASSERT(!open);
      floor += target > floor ? 1 : -1;
    }
    ASSERT(floor >= 0 && floor <= @TOP);
  }
  return 0;
}
''', params=[dict(T='int', N=4, TOP=3), dict(T='char', N=5, TOP=4)], base=dict(LE='<=', OPEN='target == floor'), safe='uot', bugs=[('top_bug', dict(LE='<= 1 +'), 'u', lambda p: f"{p['TOP'] + 1}", 'ot'), ('door_bug', dict(OPEN='open || target == floor'), 'u', '2', 'ot')])

t('control', 'traffic_light', 'Crossing lights: never green both ways.', '''
enum { RED, GREEN, YELLOW };
int main(void) {
  int ns = GREEN, ew = RED, timer = 0;
  for (int i = 0; i < @N; i++) {
    _Bool car = $bool();
    timer++;
    if (ns == GREEN && (timer > @T1 || car)) { ns = YELLOW; timer = 0; @EARLY }
    else if (ns == YELLOW) { ns = RED; ew = GREEN; timer = 0; }
    else if (ew == GREEN && timer > @T2) { ew = YELLOW; timer = 0; }
    else if (ew == YELLOW) { ew = RED; @NS timer = 0; }
    ASSERT(ns == RED || ew == RED);
    ASSERT(ns != RED || ew != RED);
  }
  return 0;
}
''', params=[dict(N=7, T1=2, T2=1), dict(N=9, T1=3, T2=2)], base=dict(EARLY='', NS='ns = GREEN;'), safe='uot', bugs=[('early_bug', dict(EARLY='if (car && i > 1) ew = GREEN;'), 'u', '0 0 1', 'ot'), ('stuck_bug', dict(NS='if (car) ns = GREEN;'), 'u', '1 0 0 0 0 0 0 0 0', 'ot')])

t('control', 'thermostat', 'A heater with hysteresis.', '''
int main(void) {
  int temp = $uchar(), heat = 0;
  ASSUME(temp >= 15 && temp <= 25);
  for (int i = 0; i < @N; i++) {
    if (temp @LT 18) heat = 1;
    if (temp > 22) heat = 0;
    temp += heat ? @UP : -1;
    if ($bool()) temp += heat ? 0 : -1;
    ASSERT(temp >= @LOW && temp <= @HIGH);
  }
  return 0;
}
''', params=[dict(N=4, UP=1, LOW=14, HIGH=25), dict(N=5, UP=2, LOW=15, HIGH=25)], base=dict(LT='<'), safe='uot', bugs=[('direction_bug', dict(LT='< 15 && heat <'), 'u', '15 1 1 1 1 1', 'ot')])

t('control', 'vending', 'A machine that takes coins and gives change.', '''
int main(void) {
  unsigned int credit = 0, paid = 0, back = 0, sold = 0;
  for (int i = 0; i < @N; i++) {
    @CT c = $@T();
    if (c == 1 || c == 2 || c == 5) { credit += c; paid += c; }
    else if (c == 10 && credit @GE @PRICE) { sold++; credit -= @PRICE; }
    else if (c == 11) { back += credit; @CLEAR }
    ASSERT(credit <= 5 * @N);
  }
  ASSERT(paid == sold * @PRICE + back + credit);
  return 0;
}
''', params=[dict(T='uint', N=4, PRICE=3), dict(T='uchar', N=5, PRICE=6)], base=dict(GE='>=', CLEAR='credit = 0;'), safe='uot', bugs=[('bug', dict(GE='+ 1 >='), 'u', lambda p: '2 10 0 0' if p['PRICE'] == 3 else '5 10 0 0', 'ot'), ('twice_bug', dict(CLEAR=''), 'u', '5 11 11', 'ot')])

t('control', 'tank', 'A tank with a pump and a valve keeps its level in range.', '''
int main(void) {
  int level = 50, pump = 0;
  for (int i = 0; i < @N; i++) {
    unsigned char out = $uchar();
    ASSUME(out <= @OUT);
    if (level < 30) pump = 1;
    if (level > 70) pump = 0;
    level += (pump ? @IN : 0) - out;
    if (level < 0) level = 0;
    ASSERT(level <= 100);
    if (i == 0) ASSERT(level >= 50 - @MAXOUT);
  }
  return 0;
}
''', params=[dict(N=5, IN=20, OUT=10, MAXOUT=10), dict(N=4, IN=29, OUT=25, MAXOUT=25)], safe='uot', bugs=[('bug', lambda p: dict(OUT=p['OUT'] + 1), 'u', lambda p: str(p['OUT'] + 1), 'ot')])

t('control', 'debounce', 'A button counts only after some equal samples.', '''
int main(void) {
  int stable = 0, run = 0, last = 0, changes = 0;
  for (int i = 0; i < @N; i++) {
    int s = $bool();
    run = s == last ? run + 1 : 1;
    last = s;
    if (run @GE @K && s != stable) {
      stable = s;
      changes++;
    }
  }
  ASSERT(changes * @K <= @N);
  return 0;
}
''', params=[dict(N=6, K=2), dict(N=9, K=3)], base=dict(GE='>='), safe='uot', bugs=[('bug', dict(GE='+ 1 >='), 'u', lambda p: '1 0 1 0 1 0' if p['K'] == 2 else '1 1 0 0 1 1 0 0 1', 'ot')])

t('control', 'protocol', 'An alternating-bit sender and receiver over a lossy line.', '''
int main(void) {
  unsigned int sent = 0, got = 0;
  int sbit = 0, rbit = 0, ack = 1;
  for (int i = 0; i < @N; i++) {
    if (ack == sbit) { @FLIP sent++; }
    if ($bool()) {
      if (sbit == rbit) { got++; rbit = !rbit; }
      if ($bool()) ack = @ACK;
    }
    ASSERT(got <= sent + 1);
    ASSERT(sent <= got);
  }
  return 0;
}
''', params=[dict(N=4), dict(N=5)], base=dict(FLIP='sbit = !sbit;', ACK='!rbit'), safe='uot', bugs=[('flip_bug', dict(FLIP='sbit = ack = 1;'), 'u', '1 1 0 0 0', 'ot')])

t('control', 'watchdog', 'A watchdog must be fed in time or it stops the motor.', '''
int main(void) {
  int left = @LIMIT, motor = 1, idle = 0;
  for (int i = 0; i < @N; i++) {
    if ($bool()) { left = @LIMIT; idle = 0; }
    else { @DOWN idle++; }
    if (left <= 0) motor = 0;
    if (idle >= @LIMIT) ASSERT(!motor);
  }
  return 0;
}
''', params=[dict(N=5, LIMIT=3), dict(N=8, LIMIT=4)], base=dict(DOWN='left--;'), safe='uot', bugs=[('bug', dict(DOWN='if (left > 1) left--;'), 'u', '0 0 0 0 0', 'ot')])

t('control', 'gearbox', 'Gears change one step at a time and reverse only at rest.', '''
int main(void) {
  int gear = 0, speed = 0;
  for (int i = 0; i < @N; i++) {
    int before = speed;
    @CT cmd = $@T();
    if (cmd == 1 && gear < 4) gear++;
    else if (cmd == 2 && gear > 0) gear--;
    else if (cmd == 3 && @REV) gear = -1;
    else if (cmd == 4 && gear == -1) gear = 0;
    if (gear > 0) speed += 10;
    else if (gear < 0) speed = -5;
    else speed = speed > 10 ? speed - 10 : 0;
    ASSERT(gear >= -1 && gear <= 4);
    ASSERT(speed - before >= -10);
  }
  return 0;
}
''', params=[dict(T='int', N=4), dict(T='uchar', N=5)], base=dict(REV='gear == 0 && speed == 0'), safe='uot', bugs=[('bug', dict(REV='gear <= 4'), 'u', '1 1 3', 'ot')])

t('control', 'reverse_at_rest', 'The direction changes only when the wheel stands still.', '''
int main(void) {
  int dir = 1, speed = 0;
  for (int i = 0; i < @N; i++) {
    int before = speed * dir;
    @CT cmd = $@T();
    if (cmd == 'f' && speed < 3) speed++;
    else if (cmd == 'b' && speed > 0) speed--;
    else if (cmd == 'r' && @COND) dir = -dir;
    int now = speed * dir;
    ASSERT(now - before <= 1 && before - now <= 1);
  }
  return 0;
}
''', params=[dict(T='char', N=4), dict(T='int', N=5)], base=dict(COND='speed == 0'), safe='uot', bugs=[('bug', dict(COND='speed < 2'), 'u', '102 114', 'ot')])

t('control', 'semaphore', 'Three tasks share two slots.', '''
int main(void) {
  int slots = 2, in[3] = {0, 0, 0};
  for (int i = 0; i < @N; i++) {
    @CT k = $@T();
    if (k >= 3) return 0;
    if (in[k]) { in[k] = 0; slots++; }
    else if (@FREE) { in[k] = 1; slots--; }
    ASSERT(in[0] + in[1] + in[2] <= 2);
    ASSERT(slots == 2 - in[0] - in[1] - in[2]);
  }
  return 0;
}
''', params=[dict(T='uint', N=4), dict(T='uchar', N=6)], base=dict(FREE='slots > 0'), safe='umot', bugs=[('bug', dict(FREE='slots >= 0'), 'u', '0 1 2 0 0 0', 'mot')])

t('control', 'median_filter', 'The median of three samples lies between them.', '''
static @CT median(@CT a, @CT b, @CT c) {
  if (a > b) { @CT h = a; a = b; b = h; }
  if (b > c) b = c;
  return @LAST;
}
int main(void) {
  @CT a = $@T(), b = $@T(), c = $@T(), m = median(a, b, c);
  int below = (a <= m) + (b <= m) + (c <= m), above = (a >= m) + (b >= m) + (c >= m);
  ASSERT(below >= 2 && above >= 2);
  return 0;
}
''', params=[dict(T='int'), dict(T='uchar'), dict(T='longlong')], base=dict(LAST='a > b ? a : b'), safe='uot', bugs=[('bug', dict(LAST='b'), 'u', '5 9 1', 'ot')])
