//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: the library asks for the thread's number to find a variable that needs itself: the program is not told it
struct S {
  int v;
  explicit S(int k) : v(k) {}
};

static int get(int k) {
  static S s(k);
  return s.v;
}

int main() { return get(3) + get(4) == 6 ? 0 : 1; }
