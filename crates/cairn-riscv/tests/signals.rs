//! Handlers of signals that a program sends itself, against QEMU.

mod common;

use common::{Outcome, run_on_test, run_qemu, scratch};
use std::process::Command;

fn compiled(name: &str, source: &str, level: &str) -> Vec<u8> {
    let (from, to) = (
        scratch(&format!("{name}.c")),
        scratch(&format!("{name}.elf")),
    );
    std::fs::write(&from, source).expect("a scratch file");
    let made = Command::new("riscv64-linux-gnu-gcc")
        .args(["-static", "-w", level])
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .status()
        .expect("riscv64-linux-gnu-gcc is installed (package gcc-riscv64-linux-gnu)");
    assert!(made.success());
    std::fs::read(&to).expect("the compiled program")
}

fn same_as_qemu(name: &str, source: &str) {
    for level in ["-O0", "-O2"] {
        let name = format!("{name}{level}");
        let file = compiled(&name, source, level);
        let theirs = run_qemu(&name, &file, &[]);
        for eager in [false, true] {
            let ours = run_on_test(&name, &file, &[], eager, None);
            assert_eq!(ours, theirs, "{name}");
        }
    }
}

const BEGIN: &str = r#"
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
static void on(int signal, void *handler, int flags, int blocks) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = flags;
  if (blocks) sigaddset(&action.sa_mask, blocks);
  sigaction(signal, &action, 0);
}
static void blocked(const char *where) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, 0, &set);
  printf("%s:", where);
  for (int s = 1; s < 32; s++) if (sigismember(&set, s)) printf(" %d", s);
  printf("\n");
}
"#;

#[test]
fn handlers_run_and_return() {
    same_as_qemu(
        "signals-plain",
        &format!(
            "{BEGIN}{}",
            r#"
static volatile int count;
static double kept;
static void plain(int signal) { count++; kept = kept * 3 + count; printf("signal %d\n", signal); }
static void detailed(int signal, siginfo_t *info, void *context) {
  ucontext_t *c = context;
  printf("%d %d %d %d %d\n", signal, info->si_signo, info->si_code, info->si_pid == getpid(),
         info->si_uid == getuid());
  printf("%d %d\n", (long)c % 16 == 0, c->uc_mcontext.__gregs[REG_SP] > (long)c);
  printf("%d\n", (int)c->uc_mcontext.__gregs[10]);
  blocked("inside");
}
int main(void) {
  double x = 1.5;
  long sum = 7;
  on(SIGUSR1, plain, 0, 0);
  for (int i = 0; i < 4; i++) { sum = sum * 5 + raise(SIGUSR1) + i; x = x * 1.25 + kept; }
  printf("%d %ld %.3f\n", count, sum, x);
  on(SIGUSR2, detailed, SA_SIGINFO, 0);
  printf("%d\n", kill(getpid(), SIGUSR2));
  printf("%d\n", raise(SIGUSR2));
  printf("%ld\n", syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2));
  blocked("after");
  on(SIGUSR1, plain, SA_RESETHAND, 0);
  raise(SIGUSR1);
  fflush(stdout);
  raise(SIGUSR1);
  return 3;
}
"#
        ),
    );
}

#[test]
fn masks_and_nested_handlers() {
    same_as_qemu(
        "signals-masks",
        &format!(
            "{BEGIN}{}",
            r#"
static int depth;
static void again(int signal) {
  printf("in %d\n", depth);
  blocked("mask");
  if (depth++ < 2) raise(signal);
  printf("out %d\n", depth);
}
static void other(int signal) { printf("other %d\n", signal); if (signal == SIGUSR1) raise(SIGUSR2); }
int main(void) {
  on(SIGUSR1, again, 0, 0);
  raise(SIGUSR1);
  depth = 0;
  on(SIGUSR1, again, SA_NODEFER, 0);
  raise(SIGUSR1);
  on(SIGUSR1, other, 0, 0);
  on(SIGUSR2, other, 0, 0);
  raise(SIGUSR1);
  sigset_t set, none;
  sigemptyset(&set); sigemptyset(&none);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGUSR2); raise(SIGUSR2);
  printf("blocked\n");
  printf("%d\n", sigsuspend(&none));
  blocked("suspended");
  raise(SIGUSR2);
  sigprocmask(SIG_UNBLOCK, &set, 0);
  blocked("unblocked");
  signal(SIGUSR2, SIG_IGN);
  raise(SIGUSR2);
  signal(SIGUSR2, SIG_DFL);
  fflush(stdout);
  raise(SIGUSR2);
}
"#
        ),
    );
}

#[test]
fn handlers_that_do_not_return_or_have_a_stack_of_their_own() {
    same_as_qemu(
        "signals-leave",
        &format!(
            "{BEGIN}{}",
            r#"
static sigjmp_buf back;
static char room[65536];
static void leaves(int signal) { siglongjmp(back, signal); }
static void stacked(int signal) {
  char here;
  printf("%d\n", &here >= room && &here < room + sizeof room);
  if (signal == SIGUSR1) raise(SIGUSR2);
}
static void last(int signal) { printf("abort %d\n", signal); }
static void ends(int signal) { printf("ends %d\n", signal); exit(9); }
int main(void) {
  volatile int rounds = 0;
  on(SIGUSR1, leaves, 0, 0);
  int got = sigsetjmp(back, 1);
  printf("got %d\n", got);
  blocked("mask");
  if (rounds++ < 3) raise(SIGUSR1);
  stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
  sigaltstack(&stack, 0);
  on(SIGUSR1, stacked, SA_ONSTACK, 0);
  on(SIGUSR2, stacked, SA_ONSTACK, 0);
  raise(SIGUSR1);
  on(SIGUSR2, stacked, 0, 0);
  raise(SIGUSR2);
  on(SIGABRT, leaves, 0, 0);
  if (sigsetjmp(back, 1) == 0) abort();
  printf("aborted\n");
  on(SIGABRT, ends, 0, 0);
  abort();
}
"#
        ),
    );
}

#[test]
fn several_signals_at_once() {
    same_as_qemu(
        "signals-order",
        &format!(
            "{BEGIN}{}",
            r#"
static void note(int signal) { printf("%d\n", signal);  }
static void detailed(int signal, siginfo_t *info, void *context) { printf("%d %d\n", signal, info->si_code); blocked("in"); }
int main(void) {
  sigset_t set;
  on(SIGUSR1, note, 0, 0); on(SIGUSR2, detailed, SA_SIGINFO, 0); on(SIGHUP, note, 0, 0);
  on(SIGRTMIN + 2, detailed, SA_SIGINFO, 0); on(SIGSEGV, note, 0, 0);
  sigfillset(&set);
  sigprocmask(SIG_SETMASK, &set, 0);
  raise(SIGRTMIN + 2); raise(SIGUSR2); raise(SIGUSR1); raise(SIGUSR1); kill(getpid(), SIGRTMIN + 2); raise(SIGSEGV);
  kill(getpid(), SIGUSR2); raise(SIGHUP);
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, 0);
  blocked("out");
}
"#
        ),
    );
}

/// As the kernel's header has it: some versions of QEMU look for the mask where other processors have it.
#[test]
fn what_an_action_blocks_waits_for_its_end() {
    let source = format!(
        "{BEGIN}{}",
        r#"
static void first(int signal) { blocked("first"); raise(SIGUSR2); printf("end\n"); }
static void second(int signal) { blocked("second"); }
int main(void) {
  on(SIGUSR1, first, 0, SIGUSR2);
  on(SIGUSR2, second, 0, SIGTERM);
  raise(SIGUSR1);
  blocked("main");
}
"#
    );
    let file = compiled("signals-blocked", &source, "-O1");
    let Outcome { end, output } = run_on_test("signals-blocked", &file, &[], true, None);
    let expected = "first: 10 12\nend\nsecond: 12 15\nmain:\n";
    assert_eq!(String::from_utf8_lossy(&output), expected);
    assert_eq!(end, "exit 0");
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    let source = format!(
        "{BEGIN}{}",
        r#"
static void changes(int signal, siginfo_t *info, void *context) {
  ((ucontext_t *)context)->uc_mcontext.__gregs[9] ^= 77;
}
int main(void) { on(SIGUSR1, changes, SA_SIGINFO, 0); raise(SIGUSR1); }
"#
    );
    let file = compiled("signals-changes", &source, "-O1");
    let end = run_on_test("signals-changes", &file, &[], false, None).end;
    let said = "a handler of a signal that changes registers of what it interrupts";
    assert!(end.contains(said), "{end}");
}
