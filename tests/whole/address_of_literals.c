//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: an address is used as a number
//@ why: a linker lets a string end in another one, or does not
int main(void) {
  const char *volatile longer = "xabc", *volatile shorter = "abc";
  return longer + 1 == shorter;
}
