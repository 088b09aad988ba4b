//@ exit: 0
//@ run: --efault --sym-sockets 2 4
//@ paths: 4 completed, 0 errors, 0 stopped
//@ why: an address in a message is null or one where nothing is, not a path for each value
#include <klee/klee.h>
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

int main(void) {
  uint64_t address;
  klee_make_symbolic(&address, sizeof address, "address");
  klee_assume(address < 4096 | address > 1ul << 63);
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in to = {AF_INET, 80};
  struct iovec part = {"x", 1};
  struct msghdr message = {&to, sizeof to, &part, 1};
  if (klee_range(0, 2, "which"))
    message.msg_name = (void *)address;
  else
    message.msg_iov = (void *)address;
  klee_assert(sendmsg(s, &message, 0) == -1);
  return 0;
}
