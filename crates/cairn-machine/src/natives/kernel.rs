//! System calls of a program that has a C library of its own, and what else such a library asks of
//! the machine.
//!
//! The system is a small one: standard output and errors can be written, standard input is empty,
//! the one file is `/dev/null`, the clock stands still. Other calls fail as on a system that does
//! not have them.

use super::{Call, Ending, Family, Stream, int32, offset};
use cairn_memory::{Fault, Word};

pub(super) const FUNCTIONS: Family = &[
    ("__cairn_syscall", system_call),
    ("__cairn_has_argument", has_argument),
];

/// Errors, as the kernel numbers them.
const NO_ENTRY: i64 = 2;
const BAD_FILE: i64 = 9;
const NO_MEMORY: i64 = 12;
const INVALID: i64 = 22;
const NO_TERMINAL: i64 = 25;
const NO_SEEK: i64 = 29;
const NOT_THERE: i64 = 38;

/// The number of `/dev/null` once it is open; it may be opened any number of times.
const NULL_FILE: u64 = 3;

/// The one process.
const PROCESS: u64 = 1000;

fn failed(error: i64) -> Result<Word, Ending> {
    Ok(Word::int(error.wrapping_neg() as u64))
}

fn done(result: u64) -> Result<Word, Ending> {
    Ok(Word::int(result))
}

fn system_call(call: &mut Call<'_>) -> Result<Word, Ending> {
    let (first, second, third) = (call.bits(1), call.word(2), call.bits(3));
    let is_open = first <= NULL_FILE;
    match call.bits(0) {
        // read, pread64
        0 | 17 if first == 0 || first == NULL_FILE => done(0),
        // write
        1 if is_open => write(call, first, second, third),
        // writev
        20 if is_open => {
            let mut written = 0u64;
            for i in 0..third.min(1024) {
                let from = call.memory.load_word(offset(second, 16 * i), 8)?;
                let length = call.memory.load_word(offset(second, 16 * i + 8), 8)?.bits;
                write(call, first, from, length)?;
                written = written.saturating_add(length);
            }
            done(written)
        }
        // readv
        19 if is_open => done(0),
        // close, mprotect, munmap, rt_sigaction, rt_sigprocmask, madvise
        3 if is_open => done(0),
        10 | 11 | 13 | 14 | 28 => done(0),
        // fcntl
        72 if is_open => done(0),
        // open, openat
        2 => open(call, call.word(1)),
        257 => open(call, second),
        // fstat
        5 if is_open => {
            call.memory.fill(second, 0, 144)?;
            // A character device.
            let mode = Word::int(0o020_620);
            call.memory.store_word(offset(second, 24), 4, mode)?;
            done(0)
        }
        // lseek
        8 if is_open => failed(NO_SEEK),
        // mmap and brk: the heap is the machine's.
        9 | 12 => failed(NO_MEMORY),
        16 if is_open => failed(NO_TERMINAL),
        // getpid, gettid, set_tid_address
        39 | 186 | 218 => done(PROCESS),
        // getuid, getgid, geteuid, getegid, umask
        102 | 104 | 107 | 108 | 95 => done(0),
        // futex: nobody else is there to wait for.
        202 => done(0),
        // exit, exit_group
        60 | 231 => {
            call.library.left_at_once = true;
            Err(Ending::ExitNow(first as u32 as i32))
        }
        // clock_gettime
        228 => {
            call.memory
                .store_word(second, 8, Word::int(1_000_000_000))?;
            call.memory.store_word(offset(second, 8), 8, Word::int(0))?;
            done(0)
        }
        0 | 1 | 3 | 5 | 8 | 16 | 17 | 19 | 20 | 72 => failed(BAD_FILE),
        // kill, tkill: a signal that nobody handles ends the program.
        62 | 200 => Err(Ending::NotModelled(
            "a program that sends a signal".to_string(),
        )),
        // access, stat, lstat, readlink, unlink
        4 | 6 | 21 | 87 | 89 => failed(NO_ENTRY),
        _ => failed(NOT_THERE),
    }
}

fn open(call: &mut Call<'_>, path: Word) -> Result<Word, Ending> {
    match call.string(path)?.as_slice() {
        b"/dev/null" => done(NULL_FILE),
        _ => failed(NO_ENTRY),
    }
}

fn write(call: &mut Call<'_>, file: u64, from: Word, length: u64) -> Result<Word, Ending> {
    if length == 0 {
        return done(0);
    }
    if length > i64::MAX as u64 {
        return failed(INVALID);
    }
    // Look before a buffer is made: the length may be garbage.
    call.memory.load_word(from, 1)?;
    call.memory.load_word(offset(from, length - 1), 1)?;
    let mut bytes = vec![0; length as usize];
    call.memory.load_bytes(from, &mut bytes)?;
    match file {
        1 => call.output.write(Stream::Output, &bytes),
        2 => {
            call.output.flush();
            call.output.write(Stream::Errors, &bytes);
        }
        _ => {}
    }
    done(length)
}

/// Bytes of a `va_list`'s area for general registers.
const REGISTERS: u64 = 48;

/// Whether a list of arguments has another word. The machine makes the areas that such a list points
/// to just as large as the arguments are.
fn has_argument(call: &mut Call<'_>) -> Result<Word, Ending> {
    let list = call.word(0);
    let used = call.memory.load_word(list, 4)?.bits;
    let at = if used < REGISTERS {
        offset(call.memory.load_word(offset(list, 16), 8)?, used)
    } else {
        call.memory.load_word(offset(list, 8), 8)?
    };
    let fits = match call.memory.extent(at) {
        Ok(extent) => at.bits + 8 <= extent.base + extent.size,
        Err(Fault::OutOfBounds { .. }) => false,
        Err(fault) => return Err(fault.into()),
    };
    Ok(int32(i32::from(fits)))
}
