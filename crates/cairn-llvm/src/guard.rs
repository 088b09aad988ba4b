//! A guard against crashes of LLVM on malformed input.
//!
//! LLVM's readers take their input to come from a compiler. On other input they may call abort,
//! follow a wild pointer, overflow the stack or never end. None of that can be undone inside the
//! process, but it can be said: while the guard is up, such an end of the process is one sentence
//! on standard error and an exit code that stands for bad input.

use libc::{c_char, c_int, c_void, siginfo_t};
use llvm_sys::error_handling::{LLVMInstallFatalErrorHandler, LLVMResetFatalErrorHandler};
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

// LLVM's handler for lack of memory has no C interface. Without one it prints and aborts.
unsafe extern "C" {
    /// `void llvm::install_bad_alloc_error_handler(fatal_error_handler_t handler, void *user_data)`
    #[link_name = "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_"]
    fn install_bad_alloc_error_handler(
        handler: extern "C" fn(*mut c_void, *const c_char, bool),
        user_data: *mut c_void,
    );
    /// `void llvm::remove_bad_alloc_error_handler()`
    #[link_name = "_ZN4llvm30remove_bad_alloc_error_handlerEv"]
    fn remove_bad_alloc_error_handler();
}

/// The exit code for input that LLVM's reader does not survive.
pub const EXIT_BAD_INPUT: i32 = 65;

/// Processor seconds that reading may take: some, and more for larger files. A module of 10 MB
/// takes about one and a half.
fn cpu_seconds(file: &Path) -> libc::time_t {
    let bytes = std::fs::metadata(file).map_or(0, |m| m.len());
    10 + libc::time_t::try_from(bytes / 100_000).unwrap_or(libc::time_t::MAX - 10)
}

/// Bytes of the stack that the handlers run on: the usual one may be full.
const HANDLER_STACK: usize = 64 * 1024;

const CRASHES: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGABRT,
    libc::SIGILL,
    libc::SIGFPE,
];

// Handlers may only look at plain memory, so what they say is made beforehand. One guard is up at
// a time.
static GUARD: Mutex<()> = Mutex::new(());
static NAME: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static NAME_LENGTH: AtomicUsize = AtomicUsize::new(0);
static GUARDED_THREAD: AtomicI32 = AtomicI32::new(0);

/// Runs `f` so that a crash of LLVM in it ends the process with a message about `file` and the
/// exit code [`EXIT_BAD_INPUT`], and so that it may not run for ever.
pub fn guarded<T>(file: &Path, f: impl FnOnce() -> T) -> T {
    // A panic in another guarded closure left nothing behind: its guard was taken down.
    let lock = GUARD
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let up = InstalledHandlers::new(file);
    let result = f();
    drop(up);
    drop(lock);
    result
}

/// The handlers as they were before.
struct InstalledHandlers {
    _name: Box<[u8]>,
    _stack: Box<[u8]>,
    old_stack: libc::stack_t,
    old_actions: Vec<(c_int, libc::sigaction)>,
    old_timer: libc::itimerval,
}

impl InstalledHandlers {
    fn new(file: &Path) -> Self {
        let mut name: Box<[u8]> = file.to_string_lossy().as_bytes().into();
        let mut stack = vec![0u8; HANDLER_STACK].into_boxed_slice();
        NAME.store(name.as_mut_ptr(), Ordering::SeqCst);
        NAME_LENGTH.store(name.len(), Ordering::SeqCst);
        // SAFETY: plain system calls on memory that lives as long as the guard; the handlers only
        // write messages and end the process. The lock keeps others from doing the same at once.
        unsafe {
            GUARDED_THREAD.store(libc::gettid(), Ordering::SeqCst);
            let new_stack = libc::stack_t {
                ss_sp: stack.as_mut_ptr().cast(),
                ss_flags: 0,
                ss_size: stack.len(),
            };
            let mut old_stack = MaybeUninit::<libc::stack_t>::zeroed().assume_init();
            libc::sigaltstack(&new_stack, &mut old_stack);
            let mut old_actions = Vec::new();
            for signal in CRASHES.into_iter().chain([libc::SIGPROF]) {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                let mut old = action;
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    if signal == libc::SIGPROF {
                        out_of_time
                    } else {
                        crashed
                    };
                action.sa_sigaction = handler as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &action, &mut old);
                old_actions.push((signal, old));
            }
            let timer = libc::itimerval {
                it_interval: libc::timeval {
                    tv_sec: 0,
                    tv_usec: 0,
                },
                it_value: libc::timeval {
                    tv_sec: cpu_seconds(file),
                    tv_usec: 0,
                },
            };
            let mut old_timer = MaybeUninit::<libc::itimerval>::zeroed().assume_init();
            libc::setitimer(libc::ITIMER_PROF, &timer, &mut old_timer);
            LLVMInstallFatalErrorHandler(Some(gave_up));
            install_bad_alloc_error_handler(out_of_memory, ptr::null_mut());
            InstalledHandlers {
                _name: name,
                _stack: stack,
                old_stack,
                old_actions,
                old_timer,
            }
        }
    }
}

impl Drop for InstalledHandlers {
    fn drop(&mut self) {
        // SAFETY: puts back what was there, before the memory of the guard goes away.
        unsafe {
            remove_bad_alloc_error_handler();
            LLVMResetFatalErrorHandler();
            libc::setitimer(libc::ITIMER_PROF, &self.old_timer, ptr::null_mut());
            for (signal, old) in &self.old_actions {
                libc::sigaction(*signal, old, ptr::null_mut());
            }
            libc::sigaltstack(&self.old_stack, ptr::null_mut());
        }
        GUARDED_THREAD.store(0, Ordering::SeqCst);
        NAME_LENGTH.store(0, Ordering::SeqCst);
        NAME.store(ptr::null_mut(), Ordering::SeqCst);
    }
}

/// Writes the parts and a line end, then ends the process. Uses only what a signal handler may.
fn leave(parts: &[&[u8]]) -> ! {
    // SAFETY: the name is set before the handlers are installed and lives until they are gone;
    // `write` and `_exit` may be called in signal handlers.
    unsafe {
        let name = NAME.load(Ordering::SeqCst);
        let length = NAME_LENGTH.load(Ordering::SeqCst);
        libc::write(2, b"cairn: ".as_ptr().cast(), 7);
        if !name.is_null() {
            libc::write(2, name.cast(), length);
        }
        for part in parts {
            libc::write(2, part.as_ptr().cast(), part.len());
        }
        libc::write(2, b"\n".as_ptr().cast(), 1);
        libc::_exit(EXIT_BAD_INPUT)
    }
}

extern "C" fn crashed(signal: c_int, _: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: plain system calls that a signal handler may use.
    unsafe {
        if libc::gettid() != GUARDED_THREAD.load(Ordering::SeqCst) {
            // Another thread's crash is not the reader's: let it have its usual effect.
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
    }
    leave(&[b": not a valid LLVM module: LLVM's reader crashed on it"]);
}

extern "C" fn out_of_time(_: c_int, _: *mut siginfo_t, _: *mut c_void) {
    leave(&[b": not a valid LLVM module: LLVM's reader did not come to an end with it"]);
}

extern "C" fn out_of_memory(_: *mut c_void, _: *const c_char, _: bool) {
    leave(&[b": not a valid LLVM module: LLVM's reader runs out of memory on it"]);
}

extern "C" fn gave_up(reason: *const c_char) {
    // SAFETY: LLVM gives a terminated text, or none.
    let reason: &[u8] = unsafe {
        match reason.is_null() {
            true => b"no reason given",
            false => std::slice::from_raw_parts(reason.cast(), libc::strlen(reason)),
        }
    };
    leave(&[
        b": not a valid LLVM module: LLVM's reader gave up: ",
        reason,
    ]);
}
