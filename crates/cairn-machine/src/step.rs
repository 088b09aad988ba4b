//! The step function: the meaning of the program form, written once over a [`Domain`].
//!
//! [`run`] executes until something happens that is not the program's own business: a condition
//! whose value is not known, a function without a body, an error, the end. It then says what, with
//! the thread left in a state from which the one who decides can go on: after a branch by
//! [`Thread::go_to`], after a call of the environment by [`Thread::answer`].

use crate::code::{CallSite, Code, Home, Op};
use crate::table::CodeTable;
use crate::{Domain, slow};
use cairn_ir::{
    BinaryOp, Callee, CastOp, CheckKind, CompareOp, FloatFormat, FuncId, PlaceId, VarClass,
};

/// A value of any width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Any<V, W> {
    /// At most 64 bits.
    Value(V),
    /// More.
    Wide(W),
}

/// An argument beyond the named ones.
#[derive(Clone, Debug)]
pub struct Extra<V, W> {
    /// The value.
    pub value: Any<V, W>,
    /// Its width.
    pub width: u32,
    /// How it is passed.
    pub class: VarClass,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct Frame<V, W> {
    pub function: FuncId,
    /// The next operation.
    pub at: u32,
    pub registers: usize,
    pub wide: usize,
    /// The call site in the caller's code.
    pub site: u32,
    pub extra: Option<Box<[Extra<V, W>]>>,
}

/// A thread of a program: its calls and their values.
#[derive(Clone, Debug)]
pub struct Thread<V, W> {
    pub(crate) frames: Vec<Frame<V, W>>,
    pub(crate) registers: Vec<V>,
    pub(crate) wide: Vec<Option<W>>,
    /// Operations executed so far.
    pub executed: u64,
}

/// Why a run stopped.
#[derive(Debug)]
pub enum Stop<V, W, F> {
    /// The limit of operations was reached.
    Limit,
    /// The function that the thread started with returned.
    Returned(Vec<Any<V, W>>),
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
    CheckOpen {
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
    External {
        /// The function.
        function: FuncId,
        /// Named arguments with their widths.
        args: Vec<(Any<V, W>, u32)>,
        /// The others.
        extra: Vec<Extra<V, W>>,
        /// Widths of the results that are expected.
        results: Vec<u32>,
    },
    /// An indirect call of an address that is not known to be a function's.
    CallOpen {
        /// The address.
        address: V,
    },
    /// A request to the environment; the thread goes on after [`Thread::answer`].
    Env {
        /// Which service.
        request: V,
        /// Arguments.
        args: Vec<V>,
    },
    /// A call of a function with other arguments than it takes.
    WrongType {
        /// The function.
        function: FuncId,
    },
    /// Memory refused, or cannot decide.
    Fault(F),
    /// The end of a block that is never reached: a callee returned that should not.
    Dead,
}

/// What a run stopped with, for a domain.
pub type StopOf<D> = Stop<<D as Domain>::Value, <D as Domain>::Wide, <D as Domain>::Fault>;

/// Arguments of a call with their widths.
pub type Arguments<V, W> = Vec<(Any<V, W>, u32)>;

impl<V: Clone, W: Clone> Default for Thread<V, W> {
    fn default() -> Self {
        Thread {
            frames: Vec::new(),
            registers: Vec::new(),
            wide: Vec::new(),
            executed: 0,
        }
    }
}

impl<V: Clone, W: Clone> Thread<V, W> {
    /// Calls a function on an idle thread.
    pub fn start<D>(
        &mut self,
        table: &CodeTable<V>,
        domain: &mut D,
        function: FuncId,
        args: Vec<Any<V, W>>,
    ) -> Result<(), D::Fault>
    where
        D: Domain<Value = V, Wide = W>,
    {
        let code = table
            .code(domain, function)
            .expect("only functions with a body are started");
        domain.push_frame()?;
        self.enter(code, 0);
        let base = self.frames.last().expect("just entered");
        let (registers, wide) = (base.registers, base.wide);
        for (home, arg) in code.code.params.iter().zip(args) {
            match (home, arg) {
                (Home::Register(r), Any::Value(v)) => self.registers[registers + *r as usize] = v,
                (Home::Wide(w), Any::Wide(v)) => self.wide[wide + *w as usize] = Some(v),
                (Home::Register(_), Any::Wide(_)) | (Home::Wide(_), Any::Value(_)) => {
                    unreachable!("arguments fit their parameters")
                }
            }
        }
        Ok(())
    }

    /// Makes room for a call.
    fn enter(&mut self, code: &crate::table::Loaded<V>, site: u32) {
        let registers = self.registers.len();
        let wide = self.wide.len();
        self.registers.extend_from_slice(&code.template);
        if code.code.wide > 0 {
            self.wide.resize(wide + code.code.wide as usize, None);
        }
        self.frames.push(Frame {
            function: code.code.function,
            at: 0,
            registers,
            wide,
            site,
            extra: None,
        });
    }

    /// How many calls have not returned.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Goes on at a position of the present function.
    pub fn go_to(&mut self, position: u32) {
        self.frames.last_mut().expect("a running thread").at = position;
    }

    /// The functions that were called, newest first, each with the place it is at.
    pub fn trace(&self, table: &CodeTable<V>) -> Vec<(FuncId, PlaceId)> {
        let mut trace = Vec::with_capacity(self.frames.len());
        for frame in self.frames.iter().rev() {
            let place = table.loaded(frame.function).map_or(PlaceId::UNKNOWN, |c| {
                let at = (frame.at as usize).saturating_sub(1);
                c.code.places.get(at).copied().unwrap_or(PlaceId::UNKNOWN)
            });
            trace.push((frame.function, place));
        }
        trace
    }

    /// Gives the results of a call that the environment answered.
    pub fn answer(&mut self, table: &CodeTable<V>, results: Vec<Any<V, W>>) {
        let frame = self.frames.last().expect("a running thread");
        let code = table.loaded(frame.function).expect("it runs");
        let homes: &[Home] = match &code.code.ops[frame.at as usize - 1] {
            Op::Call(site) => &code.code.calls[*site as usize].results,
            Op::Slow(index) => match &code.code.slow[*index as usize] {
                cairn_ir::Inst::Env(env) => {
                    std::slice::from_ref(&code.code.homes[env.result.index()])
                }
                _ => unreachable!("the environment answers calls and requests"),
            },
            _ => unreachable!("the environment answers calls and requests"),
        };
        let (registers, wide) = (frame.registers, frame.wide);
        for (home, result) in homes.iter().zip(results) {
            match (home, result) {
                (Home::Register(r), Any::Value(v)) => self.registers[registers + *r as usize] = v,
                (Home::Wide(w), Any::Wide(v)) => self.wide[wide + *w as usize] = Some(v),
                (Home::Register(_), Any::Wide(_)) | (Home::Wide(_), Any::Value(_)) => {
                    unreachable!("results fit their places")
                }
            }
        }
    }

    fn gather(&self, code: &Code, site: &CallSite) -> (Arguments<V, W>, Vec<Extra<V, W>>) {
        let frame = self.frames.last().expect("a running thread");
        debug_assert_eq!(frame.function, code.function);
        let take = |home: &Home| match home {
            Home::Register(r) => Any::Value(self.registers[frame.registers + *r as usize].clone()),
            Home::Wide(w) => Any::Wide(
                self.wide[frame.wide + *w as usize]
                    .clone()
                    .expect("written before it is read"),
            ),
        };
        let args = site
            .args
            .iter()
            .map(take)
            .zip(site.arg_widths.iter().copied());
        let extra = site.variadic.iter().map(|(home, width, class)| Extra {
            value: take(home),
            width: *width,
            class: *class,
        });
        (args.collect(), extra.collect())
    }
}

/// What a call leads to.
enum Called {
    /// The callee's code runs now.
    Entered,
    /// The function has no body.
    Outside(FuncId),
    /// The callee takes other arguments.
    WrongType(FuncId),
    /// The address is not known to be a function's.
    Open,
}

/// Runs a thread until it stops, for at most about `limit` operations.
pub fn run<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    limit: u64,
) -> StopOf<D> {
    // Signed: a straight piece of code may overdraw it.
    let mut left = i64::try_from(limit).unwrap_or(i64::MAX);
    loop {
        let frame = thread.frames.last().expect("a running thread");
        let loaded = table.loaded(frame.function).expect("it was entered");
        let code = &loaded.code;
        let (registers, wide) = (frame.registers, frame.wide);
        let mut at = frame.at as usize;
        if left <= 0 {
            return Stop::Limit;
        }
        let before = left;
        let stop = straight(
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
                    Ok(Called::Entered) => {}
                    Ok(Called::Outside(function)) => {
                        let (args, extra) = thread.gather(code, site);
                        return Stop::External {
                            function,
                            args,
                            extra,
                            results: site.result_widths.clone(),
                        };
                    }
                    Ok(Called::WrongType(function)) => return Stop::WrongType { function },
                    Ok(Called::Open) => {
                        let address = thread.registers[registers + site.address as usize].clone();
                        return Stop::CallOpen { address };
                    }
                    Err(fault) => return Stop::Fault(fault),
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
                    return Stop::Fault(fault);
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

/// Runs operations of one frame until it calls, returns or stops.
#[inline(always)]
fn straight<D: Domain>(
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
                Err(fault) => pause!(Pause::Stop(Stop::Fault(fault))),
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
        ($condition:ident, $then:ident, $otherwise:ident) => {
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
            let Op::Branch {
                condition,
                then,
                otherwise,
            } = &ops[position]
            else {
                unreachable!("a comparison that branches is followed by its branch")
            };
            position += 1;
            budget = budget.wrapping_sub(1);
            branch!(condition, then, otherwise);
        }};
    }
    loop {
        let op = &ops[position];
        position += 1;
        budget = budget.wrapping_sub(1);
        match op {
            Op::Add(w, t) => binary!(BinaryOp::Add, w, t),
            Op::Sub(w, t) => binary!(BinaryOp::Sub, w, t),
            Op::Mul(w, t) => binary!(BinaryOp::Mul, w, t),
            Op::And(w, t) => binary!(BinaryOp::And, w, t),
            Op::Or(w, t) => binary!(BinaryOp::Or, w, t),
            Op::Xor(w, t) => binary!(BinaryOp::Xor, w, t),
            Op::Shl(w, t) => binary!(BinaryOp::Shl, w, t),
            Op::Lshr(w, t) => binary!(BinaryOp::Lshr, w, t),
            Op::Ashr(w, t) => binary!(BinaryOp::Ashr, w, t),
            Op::Divide(op, w, t) => binary!(*op, w, t),
            Op::Eq(w, t) => compare!(CompareOp::Eq, w, t),
            Op::Ne(w, t) => compare!(CompareOp::Ne, w, t),
            Op::Ult(w, t) => compare!(CompareOp::Ult, w, t),
            Op::Ule(w, t) => compare!(CompareOp::Ule, w, t),
            Op::Slt(w, t) => compare!(CompareOp::Slt, w, t),
            Op::Sle(w, t) => compare!(CompareOp::Sle, w, t),
            Op::EqBranch(w, t) => compare_branch!(CompareOp::Eq, w, t),
            Op::NeBranch(w, t) => compare_branch!(CompareOp::Ne, w, t),
            Op::UltBranch(w, t) => compare_branch!(CompareOp::Ult, w, t),
            Op::UleBranch(w, t) => compare_branch!(CompareOp::Ule, w, t),
            Op::SltBranch(w, t) => compare_branch!(CompareOp::Slt, w, t),
            Op::SleBranch(w, t) => compare_branch!(CompareOp::Sle, w, t),
            Op::Zext { dst, value } => {
                // The bits above a value's width are zero: only the name changes.
                reg!(dst) = domain.duplicate(&reg!(value));
            }
            Op::Sext {
                from,
                to,
                dst,
                value,
            } => {
                reg!(dst) =
                    domain.cast(CastOp::Sext, u32::from(*from), u32::from(*to), &reg!(value));
            }
            Op::Trunc {
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
            Op::Select {
                width,
                dst,
                condition,
                then,
            } => {
                let Op::Move {
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
            Op::Move { dst, value } => reg!(dst) = domain.duplicate(&reg!(value)),
            Op::FloatBinary {
                op,
                double,
                dst,
                a,
                b,
            } => {
                reg!(dst) = domain.float_binary(*op, format(*double), &reg!(a), &reg!(b));
            }
            Op::FloatCompare {
                op,
                double,
                dst,
                a,
                b,
            } => {
                let op = code.float_comparisons[*op as usize];
                reg!(dst) = domain.float_compare(op, format(*double), &reg!(a), &reg!(b));
            }
            Op::Arbitrary { width, dst } => reg!(dst) = domain.arbitrary(u32::from(*width)),
            Op::Load { bytes, dst, at } => {
                load!(&reg!(at), bytes, dst);
            }
            Op::LoadAt { bytes, dst, a, b } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, 64, &reg!(a), &reg!(b));
                load!(&at, bytes, dst);
            }
            Op::StoreAt { bytes, value, a, b } => {
                budget = budget.wrapping_sub(1);
                let at = domain.binary(BinaryOp::Add, 64, &reg!(a), &reg!(b));
                store!(&at, bytes, value);
            }
            Op::Store { bytes, value, at } => {
                store!(&reg!(at), bytes, value);
            }
            Op::Alloca {
                align_log2,
                dst,
                size,
            } => {
                reg!(dst) = check!(domain.alloca(&reg!(size), 1 << align_log2));
            }
            Op::Check { condition, check } => match domain.known(&reg!(condition)) {
                Some(1) => {}
                known => {
                    let (kind, message) = code.checks[*check as usize].clone();
                    let stop = match known {
                        Some(_) => Stop::CheckFailed { kind, message },
                        None => Stop::CheckOpen {
                            condition: reg!(condition).clone(),
                            kind,
                            message,
                        },
                    };
                    pause!(Pause::Stop(stop))
                }
            },
            Op::Call(index) => pause!(Pause::Call(*index)),
            Op::Slow(index) => {
                let inst = &code.slow[*index as usize];
                if let Err(pause) = slow::execute(domain, code, inst, registers, wide) {
                    pause!(pause)
                }
            }
            Op::MoveWide { dst, value } => wide[*dst as usize] = wide[*value as usize].clone(),
            Op::Jump { to } => {
                position = *to as usize;
                if budget <= 0 {
                    pause!(Pause::Stop(Stop::Limit))
                }
            }
            Op::Branch {
                condition,
                then,
                otherwise,
            } => {
                branch!(condition, then, otherwise);
            }
            Op::Switch { value, table } => {
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
            Op::Return(index) => pause!(Pause::Return(*index)),
            Op::Stop => pause!(Pause::Stop(Stop::Dead)),
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

fn call<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    code: &Code,
    site: &CallSite,
    index: u32,
) -> Result<Called, D::Fault> {
    let function = match site.callee {
        Callee::Direct(function) => function,
        Callee::Indirect(_) => {
            let frame = thread.frames.last().expect("a running thread");
            let address = &thread.registers[frame.registers + site.address as usize];
            let Some(function) = domain
                .known(address)
                .and_then(|bits| table.function_at(bits))
            else {
                return Ok(Called::Open);
            };
            if !table.accepts(function, site) {
                return Ok(Called::WrongType(function));
            }
            function
        }
    };
    let Some(callee) = table.code(domain, function) else {
        return Ok(Called::Outside(function));
    };
    domain.push_frame()?;
    let (caller_registers, caller_wide) = {
        let frame = thread.frames.last().expect("a running thread");
        (frame.registers, frame.wide)
    };
    let extra = if site.variadic.is_empty() {
        None
    } else {
        Some(thread.gather(code, site).1.into_boxed_slice())
    };
    thread.enter(callee, index);
    let frame = thread.frames.last_mut().expect("just entered");
    frame.extra = extra;
    // A call without a prototype may pass what the callee names among the others.
    let args = site.args.iter().chain(site.variadic.iter().map(|v| &v.0));
    for (arg, param) in args.zip(&callee.code.params) {
        match (arg, param) {
            (Home::Register(from), Home::Register(to)) => {
                thread.registers[frame.registers + *to as usize] =
                    thread.registers[caller_registers + *from as usize].clone();
            }
            (Home::Wide(from), Home::Wide(to)) => {
                thread.wide[frame.wide + *to as usize] =
                    thread.wide[caller_wide + *from as usize].clone();
            }
            (Home::Register(_), Home::Wide(_)) | (Home::Wide(_), Home::Register(_)) => {
                unreachable!("arguments fit their parameters")
            }
        }
    }
    Ok(Called::Entered)
}

/// Ends the newest call; its results, if it was the first.
fn leave<V: Clone, W: Clone>(
    table: &CodeTable<V>,
    thread: &mut Thread<V, W>,
    results: &[Home],
) -> Option<Vec<Any<V, W>>> {
    let frame = thread.frames.pop().expect("a running thread");
    let Some(caller) = thread.frames.last() else {
        let taken = results.iter().map(|home| match home {
            Home::Register(r) => {
                Any::Value(thread.registers[frame.registers + *r as usize].clone())
            }
            Home::Wide(w) => Any::Wide(
                thread.wide[frame.wide + *w as usize]
                    .clone()
                    .expect("written before it is read"),
            ),
        });
        let taken = taken.collect();
        thread.registers.truncate(frame.registers);
        thread.wide.truncate(frame.wide);
        return Some(taken);
    };
    let code = &table.loaded(caller.function).expect("it runs").code;
    let site = &code.calls[frame.site as usize];
    for (from, to) in results.iter().zip(&site.results) {
        match (from, to) {
            (Home::Register(from), Home::Register(to)) => {
                thread.registers[caller.registers + *to as usize] =
                    thread.registers[frame.registers + *from as usize].clone();
            }
            (Home::Wide(from), Home::Wide(to)) => {
                thread.wide[caller.wide + *to as usize] =
                    thread.wide[frame.wide + *from as usize].clone();
            }
            (Home::Register(_), Home::Wide(_)) | (Home::Wide(_), Home::Register(_)) => {
                unreachable!("results fit their places")
            }
        }
    }
    thread.registers.truncate(frame.registers);
    thread.wide.truncate(frame.wide);
    None
}
