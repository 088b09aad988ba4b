// Sets the order of addresses to a text of at most twenty bytes in which all that is needed for
// addresses of IPv4 may stand. The channel is not taken apart: that goes through 65536 lists.
#include <ares.h>
#include <klee/klee.h>

enum { LENGTH = 20 };

int main(void) {
  char list[LENGTH + 1];
  ares_channel channel;
  klee_make_symbolic(list, sizeof list, "list");
  for (int i = 0; i < LENGTH; i++)
    klee_assume(((list[i] >= '.') & (list[i] <= '9')) | (list[i] == 0));
  klee_assume(list[LENGTH] == 0);
  if (ares_init(&channel) != ARES_SUCCESS)
    return 1;
  ares_set_sortlist(channel, list);
  return 0;
}
