//@ exit: 2
//@ paths: 1 completed, 0 errors, 0 stopped
//@ incomplete: identity.c:9:26: getpid: the numbers of processes are some of many
//@ incomplete: identity.c:9:37: gettid: the numbers of processes are some of many
//@ incomplete: identity.c:9:48: getuid: the user is one of many
//@ why: process numbers and users are those of one run; musl remembers the thread's number, and asks again here
#define _GNU_SOURCE
#include <unistd.h>
int main(void) { return (getpid() + gettid() + getuid()) & 1; }
