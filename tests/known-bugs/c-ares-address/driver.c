// Sets the order of addresses to a text of nine bytes in which all that is needed for addresses of
// IPv6 and prefixes may stand. The channel is not taken apart: that goes through 65536 lists.
#include <ares.h>
#include <klee/klee.h>

enum { LENGTH = 9 };

int main(void) {
  char list[LENGTH + 1];
  ares_channel channel;
  klee_make_symbolic(list, sizeof list, "list");
  for (int i = 0; i < LENGTH; i++)
    klee_assume((list[i] == '1') | (list[i] == ':') | (list[i] == '/'));
  klee_assume(list[LENGTH] == 0);
  if (ares_init(&channel) != ARES_SUCCESS)
    return 1;
  ares_set_sortlist(channel, list);
  return 0;
}
