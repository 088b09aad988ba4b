# Product lines: features chosen freely, some combinations forbidden.
t('productlines', 'mail', 'A mail client with optional encryption, signing and forwarding.', '''
static _Bool encrypt, sign, forward, keys;
static int sent_plain_secret;
static void deliver(int secret, int enc) { if (secret && !enc) sent_plain_secret++; }
static void send(int secret) {
  int enc = encrypt && keys;
  if (sign) secret = secret ? secret : 0;
  if (@HOLD) return;
  deliver(secret, enc);
  if (forward) deliver(secret, @FWD);
}
int main(void) {
  encrypt = $bool();
  sign = $bool();
  forward = $bool();
  keys = $bool();
  if (@MODEL) return 0;
  send($bool());
  if (encrypt) ASSERT(sent_plain_secret == 0);
  return 0;
}
''', base=dict(HOLD='secret && !enc && encrypt', FWD='enc', MODEL='sign && !keys'), safe='umot',
  bugs=[('forward_bug', dict(FWD='0'), 'u', '1 0 1 1 1', 'mot'), ('hold_bug', dict(HOLD='secret && !enc && encrypt && !sign', MODEL='sign && keys'), 'u', '1 1 0 0 1', 'mot')])

t('productlines', 'lift', 'A lift with optional weight limit, express mode and parking.', '''
static _Bool weight, express, parking;
static int floor_, load, door;
static void step(int call) {
  if (weight && load > 3) { door = 1; return; }
  if (call != floor_) { @SHUT floor_ = call; }
  else door = 1;
  if (express && call == 1) @SKIP
  if (parking && load == 0) floor_ = 0;
}
int main(void) {
  weight = $bool();
  express = $bool();
  parking = $bool();
  for (int i = 0; i < @N; i++) {
    int before = floor_;
    load = $uchar() % 5;
    int call = $uchar() % 3;
    step(call);
    if (weight && load > 3) ASSERT(floor_ == before && door);
    if (floor_ != before && !parking) ASSERT(!door);
  }
  return 0;
}
''', params=[dict(N=2), dict(N=3)], base=dict(SHUT='door = 0;', SKIP='load = load > 1 ? load : 1;'), safe='uot', bugs=[('bug', dict(SHUT='if (!express) door = 0;'), 'u', '0 1 0 1 0 1 1 1 1', 'ot')])

t('productlines', 'buffer_modes', 'A buffer with optional compression and padding.', '''
static _Bool pack, pad, check;
int main(void) {
  unsigned char out[@CAP];
  int n = 0, len = $uchar();
  pack = $bool();
  pad = $bool();
  check = $bool();
  ASSUME(len <= @LEN);
  @FORBID
  for (int i = 0; i < len; i++)
    if (!pack || i % 2 == 0) out[n++] = (unsigned char)i;
  if (pad) while (n % 4 != 0) out[n++] = 0;
  if (check) out[n++] = 0xff;
  ASSERT(n <= @CAP);
  return 0;
}
''', params=[dict(LEN=6, CAP=9), dict(LEN=8, CAP=9)], base=dict(FORBID='//-'), safe='umot', bugs=[('bug', lambda p: dict(CAP=8), 'm:valid-deref', lambda p: f"{p['LEN']} 0 1 1", '')])

t('productlines', 'features_many', 'Ten features that each add to a size; one needs another.', '''
int main(void) {
  unsigned int size = @START;
  _Bool f[10];
  for (int i = 0; i < 10; i++) f[i] = $bool();
  if (f[3] && !f[1]) return 0;
  if (@RULE) return 0;
  for (int i = 0; i < 10; i++)
    if (f[i]) size += i + 1;
  if (f[3]) ASSERT(size >= @START + 6);
  ASSERT(size <= @START + @MOST);
  return 0;
}
''', params=[dict(START=5), dict(START=100)], base=dict(RULE='f[9] && f[8]', MOST=46), safe='umot', bugs=[('bug', dict(RULE='f[9] && f[8] && f[7]'), 'u', '1 1 1 1 1 1 1 0 1 1', 'mot')], tags=['many paths'])

t('productlines', 'plugins', 'Optional plugins kept as function pointers.', '''
static int twice(int x) { return 2 * x; }
static int limit(int x) { return x > 100 ? 100 : x; }
static int floor0(int x) { return x < 0 ? 0 : x; }
int main(void) {
  int (*plugin[3])(int) = {0, 0, 0};
  _Bool a = $bool(), b = $bool(), c = $bool();
  if (a) plugin[0] = twice;
  if (b) plugin[1] = limit;
  if (c) plugin[2] = floor0;
  int x = $@T();
  for (int i = 0; i < 3; i++)
    if (@GUARD) x = plugin[i](x);
  if (b) ASSERT(x <= 100);
  if (c) ASSERT(x >= @ZERO);
  return 0;
}
''', params=[dict(T='short'), dict(T='char')], base=dict(GUARD='plugin[i]', ZERO=0), safe='umot', bugs=[('null_bug', dict(GUARD='plugin[i] || (x > 0 && i == 2)'), 'm:valid-deref', '0 0 0 5', ''), ('bug', dict(ZERO=1), 'u', '0 0 1 0', 'mot')])

t('productlines', 'mine_pump', 'A pump in a mine: it must not run when there is methane.', '''
static _Bool sensor, low_stop, command;
static int water = 2, methane, running;
static void control(int cmd) {
  if (command && cmd == 1) running = 1;
  if (water > 3) running = 1;
  if (low_stop && water == 0) running = 0;
  @ALARM
}
int main(void) {
  sensor = $bool();
  low_stop = $bool();
  command = $bool();
  for (int i = 0; i < @N; i++) {
    water += $bool();
    methane = $bool();
    control($bool());
    if (running && water > 0) water--;
    if (sensor) ASSERT(!(running && methane));
  }
  return 0;
}
''', params=[dict(N=2), dict(N=3)], base=dict(ALARM='if (sensor && methane) running = 0;'), safe='umot', bugs=[('bug', dict(ALARM='if (sensor && methane && !command) running = 0;'), 'u', '1 0 1 0 1 1', 'mot')])

t('productlines', 'config_size', 'Feature flags in one word; at most one transport.', '''
#define TCP 1u
#define UDP 2u
#define TLS 4u
#define LOG 8u
static int valid(unsigned int f) {
  if ((f & TCP) && (f & UDP)) return 0;
  if ((f & TLS) && !(f & @NEED)) return 0;
  return (f & (TCP | UDP)) != 0;
}
static int cost(unsigned int f) { return (f & TCP ? 20 : 8) + (f & TLS ? 5 : 0) + (f & LOG ? 2 : 0); }
int main(void) {
  unsigned int f = $@T();
  if (!valid(f)) return 0;
  int c = cost(f);
  ASSERT(c >= 8 && c <= 27);
  if (f & TLS) ASSERT(c >= 25);
  return 0;
}
''', params=[dict(T='uint'), dict(T='uchar')], base=dict(NEED='TCP'), safe='uot', bugs=[('bug', dict(NEED='(TCP | UDP)'), 'u', '6', 'ot')])
