//! `setjmp` and `longjmp`: leaving many calls at once.
//!
//! They are operations of the machine, because no function of the program can end the calls of
//! others. `setjmp` writes into its buffer which call it stands in, where, and how high the stack
//! is. `longjmp` ends the calls that were made since, with their objects, and goes on after that
//! `setjmp` with another result. The buffer is plain memory: it may be copied, and paths that fork
//! have their own.
//!
//! A call is known by its depth, its function and the number of operations that were executed
//! before it began, which no two calls of one thread share. So a jump to a call that has returned is
//! seen, even if another call stands in its place. What a variable without `volatile` holds after
//! the jump is what it held last; C promises nothing about it.
//!
//! The mask of signals is not a part of the buffer: `sigsetjmp` is `setjmp`.

use crate::Domain;
use crate::code::{CallSite, FlatOp, LocalHome};
use crate::step::{Stop, StopOf};
use crate::table::CodeTable;
use crate::thread::{AnyValue, Thread};
use cairn_ir::{BinaryOp, Callee, CheckKind, CompareOp, FuncId};

/// What a function without a body does with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jump {
    /// Remembers where it stands.
    Set,
    /// Goes back there.
    Go,
}

/// Names that `setjmp` and `longjmp` have in C libraries.
const NAMES: [(&str, Jump); 9] = [
    ("setjmp", Jump::Set),
    ("_setjmp", Jump::Set),
    ("__setjmp", Jump::Set),
    ("sigsetjmp", Jump::Set),
    ("__sigsetjmp", Jump::Set),
    ("longjmp", Jump::Go),
    ("_longjmp", Jump::Go),
    ("siglongjmp", Jump::Go),
    ("__longjmp_chk", Jump::Go),
];

/// The names of these functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// What the function of a name does with calls.
pub(crate) fn jump(name: &str) -> Option<Jump> {
    NAMES
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, jump)| *jump)
}

/// What a buffer begins with that was filled: a number that no program has by chance.
const FILLED: u64 = 0x6361_6972_6e6a_6d70;

/// Words in the buffer. Every library has as many at least, and writes addresses or what it makes of them, which
/// ours stand for.
const WORDS: usize = 8;

/// Bytes of each, whatever the width of pointers: one of them counts operations.
const WORD: u32 = 8;

/// Performs the jump that a call asks for. `Some` is why the thread stops instead.
pub(crate) fn perform<D: Domain>(
    jump: Jump,
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    site: &CallSite,
) -> Option<StopOf<D>> {
    let outcome = match jump {
        Jump::Set => set(table, domain, thread, site),
        Jump::Go => go(table, domain, thread, site),
    };
    match outcome {
        Ok(None) => None,
        Ok(Some(wrong)) => Some(Stop::CheckFailed {
            kind: CheckKind::Undefined,
            message: wrong.into(),
        }),
        Err(fault) => Some(Stop::Access(fault)),
    }
}

/// An argument of a call, named or not.
fn argument<D: Domain>(
    thread: &Thread<D::Value, D::Wide>,
    site: &CallSite,
    i: usize,
) -> Option<D::Value> {
    let home = site.args.iter().chain(site.variadic.iter().map(|v| &v.0));
    let frame = thread.frames.last().expect("a running thread");
    match home.into_iter().nth(i)? {
        LocalHome::Register(r) => {
            Some(thread.registers[frame.first_register + *r as usize].clone())
        }
        LocalHome::Wide(_) => None,
    }
}

fn word_at<D: Domain>(domain: &mut D, buffer: &D::Value, i: usize) -> D::Value {
    let offset = domain.int(u64::from(WORD) * i as u64);
    let bits = domain.pointer_width().bits();
    domain.binary(BinaryOp::Add, bits, buffer, &offset)
}

/// Whether a word compares so with a number.
fn holds<D: Domain>(
    domain: &mut D,
    op: CompareOp,
    word: &D::Value,
    number: u64,
) -> Result<bool, D::AccessError> {
    let number = domain.int(number);
    let condition = domain.compare(op, 8 * WORD, word, &number);
    Ok(domain.number_of(&condition)? != 0)
}

type JumpResult<D> = Result<Option<&'static str>, <D as Domain>::AccessError>;

fn set<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    site: &CallSite,
) -> JumpResult<D> {
    let Some(buffer) = argument::<D>(thread, site, 0) else {
        return Ok(Some("setjmp without a buffer"));
    };
    let frame = thread.frames.last().expect("a running thread");
    let mark = domain.stack_mark();
    let words: [D::Value; WORDS] = [
        mark,
        domain.stands_for_address(FILLED),
        domain.stands_for_address(thread.frames.len() as u64),
        domain.stands_for_address(frame.entered),
        domain.stands_for_address(u64::from(frame.function.0)),
        domain.stands_for_address(u64::from(frame.at)),
        domain.stands_for_address(0),
        domain.stands_for_address(0),
    ];
    for (i, word) in words.iter().enumerate() {
        let at = word_at(domain, &buffer, i);
        domain.store(&at, WORD, word)?;
    }
    give(table, thread, domain.int(0));
    Ok(None)
}

fn go<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    site: &CallSite,
) -> JumpResult<D> {
    let (Some(buffer), Some(value)) = (
        argument::<D>(thread, site, 0),
        argument::<D>(thread, site, 1),
    ) else {
        return Ok(Some("longjmp without a buffer and a value"));
    };
    let mut words = Vec::with_capacity(WORDS);
    for i in 0..WORDS {
        let at = word_at(domain, &buffer, i);
        let word = domain.load(&at, WORD)?;
        words.push(domain.plain(&word));
    }
    // What decides where the jump goes is decided before anything happens: a buffer that an unknown index
    // chooses is one of several.
    let [mark, filled, depth, entered, function, at, ..] = &words[..] else {
        unreachable!("a buffer has more words");
    };
    let unfilled = Ok(Some("longjmp with a buffer that setjmp did not fill"));
    let returned = Ok(Some("longjmp to a call that has returned"));
    if !holds(domain, CompareOp::Eq, filled, FILLED)? {
        return unfilled;
    }
    if !holds(domain, CompareOp::Ule, depth, thread.frames.len() as u64)? {
        return returned;
    }
    let depth = domain.number_of(depth)?;
    let Some(frame) = depth.checked_sub(1).map(|i| &thread.frames[i as usize]) else {
        return returned;
    };
    let called = u64::from(frame.function.0);
    if !holds(domain, CompareOp::Eq, entered, frame.entered)?
        || !holds(domain, CompareOp::Eq, function, called)?
    {
        return returned;
    }
    let at = domain.number_of(at)?;
    if !stands_behind_setjmp(table, frame.function, at) {
        return unfilled;
    }
    let mark = domain.number_of(mark)?;
    // The result is never 0.
    let width = site
        .arg_widths
        .iter()
        .chain(site.variadic.iter().map(|v| &v.1))
        .nth(1)
        .copied()
        .unwrap_or(32);
    let (zero, one) = (domain.int(0), domain.int(1));
    let is_zero = domain.compare(CompareOp::Eq, width, &value, &zero);
    let value = domain.select(width, &is_zero, &one, &value);
    while thread.frames.len() as u64 > depth {
        let frame = thread.frames.pop().expect("there are more");
        thread.registers.truncate(frame.first_register);
        thread.wide.truncate(frame.first_wide);
        domain.pop_frame();
    }
    let mark = domain.int(mark);
    domain.stack_restore(&mark)?;
    thread.go_to(at as u32);
    give(table, thread, value);
    Ok(None)
}

/// The result of the present call of `setjmp`, if the program uses it.
fn give<V: Clone, W: Clone>(table: &CodeTable<V>, thread: &mut Thread<V, W>, value: V) {
    thread.answer(table, vec![AnyValue::Value(value)]);
}

/// Whether a position of a function is that after a call of `setjmp`: the program may have changed
/// the buffer.
fn stands_behind_setjmp<V: Clone>(table: &CodeTable<V>, function: FuncId, at: u64) -> bool {
    let code = &table.loaded(function).expect("it was entered").code;
    let before = usize::try_from(at).ok().and_then(|at| at.checked_sub(1));
    let Some(FlatOp::Call { index, .. }) = before.and_then(|at| code.ops.get(at)) else {
        return false;
    };
    let site = &code.calls[*index as usize];
    match site.callee {
        Callee::Direct(callee) => table.jump(callee) == Some(Jump::Set),
        Callee::Indirect(_) => matches!(site.results[..], [] | [LocalHome::Register(_)]),
    }
}
