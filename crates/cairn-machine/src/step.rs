//! The step function: the meaning of the program form, written once over a [`Domain`].
//!
//! [`run`] executes until something happens that is not the program's own business: a condition
//! whose value is not known, a function without a body, an error, the end. It then says what, with
//! the thread left in a state from which the one who decides can go on: after a branch by
//! [`Thread::go_to`], after a call of the environment by [`Thread::answer`].

use crate::calls::{CallTarget, call, leave};
use crate::code::{Code, FlatOp, SUM_BITS};
use crate::table::CodeTable;
use crate::thread::{AnyValue, Extra, Thread};
use crate::{Domain, jump, slow};
use cairn_ir::{BinaryOp, BlockId, CastOp, CheckKind, CompareOp, FloatFormat, FuncId};

/// Why a run stopped.
#[derive(Debug)]
pub enum Stop<V, W, E> {
    /// The limit of operations was reached.
    Limit,
    /// Control arrived at a stop point; the thread goes on with the block.
    Arrived(BlockId),
    /// The function that the thread started with returned.
    Returned(Vec<AnyValue<V, W>>),
    /// A branch on a value that is not known; the thread goes on after [`Thread::go_to`].
    Branch {
        /// One bit.
        condition: V,
        /// The position if it is 1.
        then: u32,
        /// The position if it is 0.
        otherwise: u32,
    },
    /// A switch on a value that is not known.
    Switch {
        /// The value.
        value: V,
        /// Index of the table in the function's code.
        table: u32,
    },
    /// A check whose condition is not known; going on means that it holds.
    CheckUndecided {
        /// One bit.
        condition: V,
        /// What it means if it does not hold.
        kind: CheckKind,
        /// More about it.
        message: Box<str>,
    },
    /// A check failed.
    CheckFailed {
        /// What it means.
        kind: CheckKind,
        /// More about it.
        message: Box<str>,
    },
    /// A call of a function without a body; the thread goes on after [`Thread::answer`].
    Bodiless {
        /// The function.
        function: FuncId,
        /// Named arguments with their widths.
        args: Vec<(AnyValue<V, W>, u32)>,
        /// The others.
        extra: Vec<Extra<V, W>>,
        /// Widths of the results that are expected.
        results: Vec<u32>,
    },
    /// An indirect call of an address that is not known to be a function's.
    CalleeUndecided {
        /// The address.
        address: V,
    },
    /// A call of a function with other arguments than it takes.
    WrongType {
        /// The function.
        function: FuncId,
    },
    /// An access to memory did not happen: memory refused, or something must be decided first.
    Access(E),
    /// The end of a block that is never reached: a callee returned that should not.
    Dead,
}

/// What a run stopped with, for a domain.
pub type StopOf<D> = Stop<<D as Domain>::Value, <D as Domain>::Wide, <D as Domain>::AccessError>;

/// Runs a thread until it stops, for at most about `limit` operations.
pub fn run<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    limit: u64,
) -> StopOf<D> {
    run_or_step::<D, false>(table, domain, thread, limit)
}

/// Runs one operation of a thread; [`Stop::Limit`] if the next one can follow.
pub fn step<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
) -> StopOf<D> {
    run_or_step::<D, true>(table, domain, thread, 1)
}

#[inline(always)]
fn run_or_step<D: Domain, const ONE: bool>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    limit: u64,
) -> StopOf<D> {
    let mut stepped = false;
    // Signed: a straight piece of code may overdraw it.
    let mut left = i64::try_from(limit).unwrap_or(i64::MAX);
    loop {
        let frame = thread.frames.last().expect("a running thread");
        let loaded = table.loaded(frame.function).expect("it was entered");
        let code = &loaded.code;
        let (registers, wide) = (frame.first_register, frame.first_wide);
        let mut at = frame.at as usize;
        if left <= 0 || (ONE && stepped) {
            return Stop::Limit;
        }
        stepped = true;
        let before = left;
        let stop = run_frame::<D, ONE>(
            domain,
            code,
            &mut at,
            &mut thread.registers[registers..],
            &mut thread.wide[wide..],
            &mut left,
        );
        thread.executed += (before - left) as u64;
        let frame = thread.frames.last_mut().expect("a running thread");
        frame.at = at as u32;
        match stop {
            Pause::Call(index) => {
                let site = &code.calls[index as usize];
                match call(table, domain, thread, code, site, index) {
                    Ok(CallTarget::Entered) => {}
                    Ok(CallTarget::Bodiless(function)) => {
                        if let Some(jump) = table.jump(function) {
                            match jump::perform(jump, table, domain, thread, site) {
                                None => continue,
                                Some(stop) => return stop,
                            }
                        }
                        let (args, extra) = thread.gather(code, site);
                        return Stop::Bodiless {
                            function,
                            args,
                            extra,
                            results: site.result_widths.clone(),
                        };
                    }
                    Ok(CallTarget::WrongType(function)) => return Stop::WrongType { function },
                    Ok(CallTarget::Undecided) => {
                        let address = thread.registers[registers + site.address as usize].clone();
                        return Stop::CalleeUndecided { address };
                    }
                    Err(fault) => return Stop::Access(fault),
                }
            }
            Pause::Return(index) => {
                domain.pop_frame();
                if let Some(results) = leave(table, thread, &code.returns[index as usize]) {
                    return Stop::Returned(results);
                }
            }
            Pause::VaStart {
                list,
                general,
                float,
            } => {
                let extra = frame.extra.as_deref().unwrap_or_default();
                if let Err(fault) = slow::va_start(domain, &list, general, float, extra) {
                    return Stop::Access(fault);
                }
            }
            Pause::Stop(stop) => return stop,
        }
    }
}

/// Why the operations of one frame pause.
pub(crate) enum Pause<D: Domain> {
    Call(u32),
    Return(u32),
    VaStart {
        list: D::Value,
        general: u32,
        float: u32,
    },
    Stop(StopOf<D>),
}

/// Runs operations of one frame until it calls, returns or stops, or only one.
#[inline(always)]
fn run_frame<D: Domain, const ONE: bool>(
    domain: &mut D,
    code: &Code,
    at: &mut usize,
    registers: &mut [D::Value],
    wide: &mut [Option<D::Wide>],
    left: &mut i64,
) -> Pause<D> {
    let ops = &code.ops[..];
    macro_rules! reg {
        ($r:expr) => {
            registers[*$r as usize]
        };
    }
    let mut position = *at;
    let mut budget = *left;
    macro_rules! pause {
        ($pause:expr) => {{
            *at = position;
            *left = budget;
            return $pause;
        }};
    }
    macro_rules! check {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(fault) => pause!(Pause::Stop(Stop::Access(fault))),
            }
        };
    }
    macro_rules! load {
        ($at:expr, $bytes:ident, $dst:ident) => {
            reg!($dst) = match domain.load_quick($at, u32::from(*$bytes)) {
                Some(value) => value,
                None => check!(domain.load($at, u32::from(*$bytes))),
            }
        };
    }
    macro_rules! store {
        ($at:expr, $bytes:ident, $value:ident) => {
            if !domain.store_quick($at, u32::from(*$bytes), &reg!($value)) {
                check!(domain.store($at, u32::from(*$bytes), &reg!($value)));
            }
        };
    }
    macro_rules! load_extended {
        ($op:expr, $at:expr, $bytes:ident, $to:ident, $dst:ident) => {{
            budget = budget.wrapping_sub(1);
            let bytes = u32::from(*$bytes);
            let read = match domain.load_quick($at, bytes) {
                Some(value) => value,
                None => check!(domain.load($at, bytes)),
            };
            reg!($dst) = domain.cast($op, 8 * bytes, u32::from(*$to), &read);
        }};
    }
    macro_rules! store_low {
        ($at:expr, $bytes:ident, $from:ident, $value:ident) => {{
            budget = budget.wrapping_sub(1);
            let bytes = u32::from(*$bytes);
            let low = domain.cast(CastOp::Trunc, u32::from(*$from), 8 * bytes, &reg!($value));
            if !domain.store_quick($at, bytes, &low) {
                check!(domain.store($at, bytes, &low));
            }
        }};
    }
    macro_rules! binary {
        ($op:expr, $w:ident, $t:ident) => {
            reg!(&$t.dst) = domain.binary($op, u32::from(*$w), &reg!(&$t.a), &reg!(&$t.b))
        };
    }
    macro_rules! compare {
        ($op:expr, $w:ident, $t:ident) => {
            reg!(&$t.dst) = domain.compare($op, u32::from(*$w), &reg!(&$t.a), &reg!(&$t.b))
        };
    }
    macro_rules! branch {
        ($free:ident, $condition:ident, $then:ident, $otherwise:ident) => {
            budget = budget.wrapping_sub(i64::from(*$free));
            position = match domain.known(&reg!($condition)) {
                Some(0) => *$otherwise as usize,
                Some(_) => *$then as usize,
                None => pause!(Pause::Stop(Stop::Branch {
                    condition: reg!($condition).clone(),
                    then: *$then,
                    otherwise: *$otherwise,
                })),
            };
            if budget <= 0 {
                pause!(Pause::Stop(Stop::Limit))
            }
        };
    }
    macro_rules! compare_branch {
        ($op:expr, $w:ident, $t:ident) => {{
            compare!($op, $w, $t);
            let FlatOp::Branch {
                free,
                condition,
                then,
                otherwise,
            } = &ops[position]
            else {
                unreachable!("a comparison that branches is followed by its branch")
            };
            position += 1;
            budget = budget.wrapping_sub(1);
            branch!(free, condition, then, otherwise);
        }};
    }
    let mut stepped = false;
    loop {
        if ONE && std::mem::replace(&mut stepped, true) {
            pause!(Pause::Stop(Stop::Limit))
        }
        let op = &ops[position];
        position += 1;
        budget = budget.wrapping_sub(1);
        match op {
            FlatOp::Add(w, t) => binary!(BinaryOp::Add, w, t),
            FlatOp::Sub(w, t) => binary!(BinaryOp::Sub, w, t),
            FlatOp::Mul(w, t) => binary!(BinaryOp::Mul, w, t),
            FlatOp::And(w, t) => binary!(BinaryOp::And, w, t),
            FlatOp::Or(w, t) => binary!(BinaryOp::Or, w, t),
            FlatOp::Xor(w, t) => binary!(BinaryOp::Xor, w, t),
            FlatOp::Shl(w, t) => binary!(BinaryOp::Shl, w, t),
            FlatOp::Lshr(w, t) => binary!(BinaryOp::Lshr, w, t),
            FlatOp::Ashr(w, t) => binary!(BinaryOp::Ashr, w, t),
            FlatOp::Divide(op, w, t) => binary!(*op, w, t),
            FlatOp::Eq(w, t) => compare!(CompareOp::Eq, w, t),
            FlatOp::Ne(w, t) => compare!(CompareOp::Ne, w, t),
            FlatOp::Ult(w, t) => compare!(CompareOp::Ult, w, t),
            FlatOp::Ule(w, t) => compare!(CompareOp::Ule, w, t),
            FlatOp::Slt(w, t) => compare!(CompareOp::Slt, w, t),
            FlatOp::Sle(w, t) => compare!(CompareOp::Sle, w, t),
            FlatOp::EqBranch(w, t) => compare_branch!(CompareOp::Eq, w, t),
            FlatOp::NeBranch(w, t) => compare_branch!(CompareOp::Ne, w, t),
            FlatOp::UltBranch(w, t) => compare_branch!(CompareOp::Ult, w, t),
            FlatOp::UleBranch(w, t) => compare_branch!(CompareOp::Ule, w, t),
            FlatOp::SltBranch(w, t) => compare_branch!(CompareOp::Slt, w, t),
            FlatOp::SleBranch(w, t) => compare_branch!(CompareOp::Sle, w, t),
            FlatOp::Zext {
                from,
                to,
                dst,
                value,
            } => {
                reg!(dst) =
                    domain.cast(CastOp::Zext, u32::from(*from), u32::from(*to), &reg!(value));
            }
            FlatOp::Sext {
                from,
                to,
                dst,
                value,
            } => {
                reg!(dst) =
                    domain.cast(CastOp::Sext, u32::from(*from), u32::from(*to), &reg!(value));
            }
            FlatOp::Trunc {
                from,
                to,
                dst,
                value,
            } => {
                reg!(dst) = domain.cast(
                    CastOp::Trunc,
                    u32::from(*from),
                    u32::from(*to),
                    &reg!(value),
                );
            }
            FlatOp::Select {
                width,
                dst,
                condition,
                then,
            } => {
                let FlatOp::Move {
                    value: otherwise, ..
                } = &ops[position]
                else {
                    unreachable!("a select is followed by its other value")
                };
                position += 1;
                reg!(dst) = domain.select(
                    u32::from(*width),
                    &reg!(condition),
                    &reg!(then),
                    &reg!(otherwise),
                );
            }
            FlatOp::Move { dst, value } => reg!(dst) = domain.duplicate(&reg!(value)),
            FlatOp::FloatBinary {
                op,
                double,
                dst,
                a,
                b,
            } => {
                reg!(dst) = domain.float_binary(*op, format(*double), &reg!(a), &reg!(b));
            }
            FlatOp::FloatCompare {
                op,
                double,
                dst,
                a,
                b,
            } => {
                let op = code.float_comparisons[*op as usize];
                reg!(dst) = domain.float_compare(op, format(*double), &reg!(a), &reg!(b));
            }
            FlatOp::Cover { point, is_back } => {
                budget = budget.wrapping_add(1);
                domain.cover(*point, *is_back);
            }
            FlatOp::Arrive(block) => {
                budget = budget.wrapping_add(1);
                pause!(Pause::Stop(Stop::Arrived(BlockId(*block))));
            }
            FlatOp::Arbitrary { width, dst } => reg!(dst) = domain.arbitrary(u32::from(*width)),
            FlatOp::Load { bytes, dst, at } => {
                load!(&reg!(at), bytes, dst);
            }
            FlatOp::LoadAt { bytes, dst, a, b } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, SUM_BITS.into(), &reg!(a), &reg!(b));
                load!(&at, bytes, dst);
            }
            FlatOp::StoreAt { bytes, value, a, b } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, SUM_BITS.into(), &reg!(a), &reg!(b));
                store!(&at, bytes, value);
            }
            FlatOp::Store { bytes, value, at } => {
                store!(&reg!(at), bytes, value);
            }
            FlatOp::LoadSext { bytes, to, dst, at } => {
                load_extended!(CastOp::Sext, &reg!(at), bytes, to, dst);
            }
            FlatOp::LoadSextAt {
                bytes,
                to,
                dst,
                a,
                b,
            } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, SUM_BITS.into(), &reg!(a), &reg!(b));
                load_extended!(CastOp::Sext, &at, bytes, to, dst);
            }
            FlatOp::LoadZext { bytes, to, dst, at } => {
                load_extended!(CastOp::Zext, &reg!(at), bytes, to, dst);
            }
            FlatOp::LoadZextAt {
                bytes,
                to,
                dst,
                a,
                b,
            } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, SUM_BITS.into(), &reg!(a), &reg!(b));
                load_extended!(CastOp::Zext, &at, bytes, to, dst);
            }
            FlatOp::StoreLow {
                bytes,
                from,
                value,
                at,
            } => {
                store_low!(&reg!(at), bytes, from, value);
            }
            FlatOp::StoreLowAt {
                bytes,
                from,
                value,
                a,
                b,
            } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, SUM_BITS.into(), &reg!(a), &reg!(b));
                store_low!(&at, bytes, from, value);
            }
            FlatOp::LoadRun(index) => {
                let run = &code.runs[*index as usize];
                budget = budget.wrapping_sub(run.words.len() as i64 - 1);
                check!(run.load(domain, registers));
            }
            FlatOp::StoreRun(index) => {
                let run = &code.runs[*index as usize];
                budget = budget.wrapping_sub(run.words.len() as i64 - 1);
                check!(run.store(domain, registers));
            }
            FlatOp::Alloca {
                align_log2,
                unwritten,
                dst,
                size,
            } => {
                reg!(dst) = check!(domain.alloca(&reg!(size), 1 << align_log2, *unwritten));
            }
            FlatOp::Check { condition, check } => match domain.known(&reg!(condition)) {
                Some(1) => {}
                known => {
                    let (kind, message) = code.checks[*check as usize].clone();
                    let stop = match known {
                        Some(_) => Stop::CheckFailed { kind, message },
                        None => Stop::CheckUndecided {
                            condition: reg!(condition).clone(),
                            kind,
                            message,
                        },
                    };
                    pause!(Pause::Stop(stop))
                }
            },
            FlatOp::Call { free, index } => {
                budget = budget.wrapping_sub(i64::from(*free));
                pause!(Pause::Call(*index))
            }
            FlatOp::Slow(index) => {
                let inst = &code.slow[*index as usize];
                if let Err(pause) = slow::execute(domain, code, inst, registers, wide) {
                    pause!(pause)
                }
            }
            FlatOp::MoveWide { dst, value } => wide[*dst as usize] = wide[*value as usize].clone(),
            FlatOp::Jump { free, to } => {
                budget = budget.wrapping_sub(i64::from(*free));
                position = *to as usize;
                if budget <= 0 {
                    pause!(Pause::Stop(Stop::Limit))
                }
            }
            FlatOp::Branch {
                free,
                condition,
                then,
                otherwise,
            } => {
                branch!(free, condition, then, otherwise);
            }
            FlatOp::Switch { free, value, table } => {
                budget = budget.wrapping_sub(i64::from(*free));
                domain.note_control(&reg!(value));
                position = match domain.known(&reg!(value)) {
                    Some(known) => code.switches[*table as usize].target(known) as usize,
                    None => pause!(Pause::Stop(Stop::Switch {
                        value: reg!(value).clone(),
                        table: *table,
                    })),
                };
                if budget <= 0 {
                    pause!(Pause::Stop(Stop::Limit))
                }
            }
            FlatOp::Return { free, index } => {
                budget = budget.wrapping_sub(i64::from(*free));
                pause!(Pause::Return(*index))
            }
            FlatOp::Stop => pause!(Pause::Stop(Stop::Dead)),
        }
    }
}

#[inline]
fn format(double: bool) -> FloatFormat {
    if double {
        FloatFormat::Double
    } else {
        FloatFormat::Single
    }
}
