//@ finding: abort 6 pure virtual
//@ exit: 1
//@ why: while the base is made, the function that the derived class defines is not there
struct Base {
  Base() { call(); }
  void call() { one(1); }
  virtual int one(int) = 0;
};
struct Derived : Base { int one(int x) override { return x; } };
int main() { Derived d; return 0; }
