//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ replay: all
//@ why: arguments that mean nothing are refused as the kernel refuses them, whatever the C library makes of them
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char pages[8192] __attribute__((aligned(4096)));
static int word[2];

static int refused(long result) {
  return result == -1 ? errno : 0;
}

int main(void) {
  long page = (long)pages;
  assert(refused(syscall(SYS_mprotect, page + 1, 4096L, PROT_READ)) == EINVAL);
  assert(refused(syscall(SYS_mprotect, page, 4096L, 77)) == EINVAL);
  assert(refused(syscall(SYS_mprotect, page, 0L, 77)) == 0);
  assert(refused(syscall(SYS_madvise, page, 4096L, 77)) == EINVAL);
  assert(refused(syscall(SYS_madvise, page, 4096L, MADV_REMOVE)) == EINVAL);
  assert(refused(syscall(SYS_madvise, page + 1, 4096L, MADV_NORMAL)) == EINVAL);
  assert(refused(syscall(SYS_madvise, page, 4096L, MADV_RANDOM)) == 0);
  assert(refused(syscall(SYS_msync, page, 4096L, MS_SYNC | MS_ASYNC)) == EINVAL);
  assert(refused(syscall(SYS_msync, page, 4096L, 77)) == EINVAL);
  assert(refused(syscall(SYS_msync, page, 4096L, MS_SYNC)) == 0);
  assert(refused(syscall(SYS_futex, (char *)word + 1, FUTEX_WAKE, 1, 0L, 0L, 0)) == EINVAL);
  assert(refused(syscall(SYS_futex, word, FUTEX_WAKE_BITSET, 1, 0L, 0L, 0)) == EINVAL);
  assert(refused(syscall(SYS_futex, word, FUTEX_WAIT_BITSET, 0, 0L, 0L, 0)) == EINVAL);
  assert(refused(syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, 0L, 0L, 0)) == ENOSYS);
  assert(refused(syscall(SYS_futex, word, FUTEX_WAKE, 1, 0L, 0L, 0)) == 0);
  assert(refused(waitpid(-1, 0, 0x7770)) == EINVAL);
  assert(refused(waitpid(-1, 0, WNOHANG)) == ECHILD);
  siginfo_t info;
  assert(refused(waitid(P_ALL, 0, &info, 0)) == EINVAL);
  assert(refused(waitid(77, 0, &info, WEXITED)) == EINVAL);
  assert(refused(waitid(P_PID, 0, &info, WEXITED)) == EINVAL);
  assert(refused(waitid(P_ALL, 0, &info, WEXITED)) == ECHILD);
  stack_t stack = {.ss_sp = pages, .ss_size = 8192}, before;
  assert(refused(sigaltstack(&stack, 0)) == 0);
  stack.ss_flags = SS_DISABLE;
  assert(refused(sigaltstack(&stack, &before)) == 0 && before.ss_flags == 0 && before.ss_size == 8192);
  assert(refused(sigaltstack(0, &before)) == 0 && before.ss_flags == SS_DISABLE && before.ss_size == 0);
  return 0;
}
