//! Functions that are known by their symbol and run outside: what talks to Cairn, and the heap.
//!
//! A guest function of one of these names is not lowered. In its place stands a function that takes the
//! arguments from the registers of the calling convention, calls the function of that name that the
//! machine provides, and returns. So a heap object is an object of its own, and what is wrong with
//! an allocation or an access is found.

/// A function that is known by its name.
pub(crate) struct Recognised {
    /// The names of its symbol. The first is that of the provided function.
    pub names: &'static [&'static str],
    /// Widths of its integer arguments.
    pub params: &'static [u32],
    /// Its result, if it has one.
    pub result: Option<Returned>,
}

/// A result: how wide it is, and how the calling convention widens it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returned {
    /// Of this width, with the sign above.
    Signed(u32),
    /// Of this width, with zeros above.
    Unsigned(u32),
}

use Returned::{Signed, Unsigned};

const fn row(
    names: &'static [&'static str],
    params: &'static [u32],
    result: Option<Returned>,
) -> Recognised {
    Recognised {
        names,
        params,
        result,
    }
}

const WORD: Option<Returned> = Some(Signed(64));
const INT: Option<Returned> = Some(Signed(32));

/// The heap. All of them are taken or none: memory of one allocator must not be freed by another.
pub(crate) const HEAP: &[Recognised] = &[
    row(&["malloc", "__libc_malloc"], &[64], WORD),
    row(&["free", "cfree", "__libc_free"], &[64], None),
    row(&["calloc", "__libc_calloc"], &[64, 64], WORD),
    row(&["realloc", "__libc_realloc"], &[64, 64], WORD),
    row(
        &["reallocarray", "__libc_reallocarray"],
        &[64, 64, 64],
        WORD,
    ),
    row(
        &["aligned_alloc", "memalign", "__libc_memalign"],
        &[64, 64],
        WORD,
    ),
    row(&["posix_memalign", "__posix_memalign"], &[64, 64, 64], INT),
    row(&["malloc_usable_size"], &[64], WORD),
];

/// The function that makes a word an input between two numbers, so many steps above the first; programs of
/// the Selfie project call it `interval`. It is a function of the program, and only an empty one of that
/// name is taken for it: others have a meaning of their own.
pub(crate) const INTERVAL: &str = "riscv.interval";

/// What talks to Cairn.
pub(crate) const INTRINSICS: &[Recognised] = &[
    row(&["klee_make_symbolic"], &[64, 64, 64], None),
    row(&["klee_range"], &[32, 32, 64], INT),
    row(&["klee_int"], &[64], INT),
    row(&["klee_choose"], &[64], WORD),
    row(&["klee_assume"], &[64], None),
    row(&["klee_prefer_cex"], &[64, 64], None),
    row(&["klee_posix_prefer_cex"], &[64, 64], None),
    row(&["klee_silent_exit"], &[32], None),
    row(&["klee_abort"], &[], None),
    row(&["klee_report_error"], &[64, 32, 64, 64], None),
    row(&["klee_is_symbolic"], &[64], INT),
    row(&["klee_is_replay"], &[], INT),
    row(&["klee_get_obj_size"], &[64], WORD),
    row(&["klee_get_valuel"], &[64], WORD),
    row(&["klee_get_valuell"], &[64], WORD),
    row(&["klee_get_value_i32"], &[32], INT),
    row(&["klee_get_value_i64"], &[64], WORD),
    row(&["klee_check_memory_access"], &[64, 64], None),
    row(&["klee_define_fixed_object"], &[64, 64], None),
    row(&["klee_mark_global"], &[64], None),
    row(&["klee_set_forking"], &[32], None),
    row(&["klee_open_merge"], &[], None),
    row(&["klee_close_merge"], &[], None),
    row(&["klee_warning"], &[64], None),
    row(&["klee_warning_once"], &[64], None),
    row(&["klee_print_range"], &[64, 32], None),
    row(&["klee_stack_trace"], &[], None),
    row(&["__VERIFIER_nondet_bool"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_char"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_schar"], &[], Some(Signed(8))),
    row(&["__VERIFIER_nondet_uchar"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_short"], &[], Some(Signed(16))),
    row(&["__VERIFIER_nondet_ushort"], &[], Some(Unsigned(16))),
    row(&["__VERIFIER_nondet_int"], &[], INT),
    row(&["__VERIFIER_nondet_uint"], &[], INT),
    row(&["__VERIFIER_nondet_unsigned"], &[], INT),
    row(&["__VERIFIER_nondet_long"], &[], WORD),
    row(&["__VERIFIER_nondet_ulong"], &[], WORD),
    row(&["__VERIFIER_nondet_longlong"], &[], WORD),
    row(&["__VERIFIER_nondet_ulonglong"], &[], WORD),
    row(&["__VERIFIER_nondet_size_t"], &[], WORD),
    row(&["__VERIFIER_nondet_pointer"], &[], WORD),
    row(&["__VERIFIER_nondet_memory"], &[64, 64], None),
    row(&["__VERIFIER_assume"], &[32], None),
    row(&["__VERIFIER_error"], &[], None),
    row(&[INTERVAL, "interval"], &[64, 64, 64, 64], None),
    row(&["abort"], &[], None),
    row(&["__assert_fail"], &[64, 64, 32, 64], None),
];
