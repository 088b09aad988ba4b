//@ exit: 2
//@ incomplete: writev: an address is printed
//@ incomplete: sendmsg: an address is printed
//@ run: --sym-sockets 1 1
//@ why: a part of output that is one of two, and holds an address
#include <klee/klee.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

int x, y;

int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 2);
  int *t[2] = {&x, &y};
  struct iovec part = {&t[i], 8};
  if (writev(1, &part, 1) != 8)
    return 1;
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(7)};
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(peer, (struct sockaddr *)&there, sizeof there) < 0)
    return 2;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  return sendmsg(peer, &message, 0) != 8;
}
