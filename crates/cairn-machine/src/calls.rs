//! Calls and returns: frames come and go, arguments and results are copied between them.

use crate::Domain;
use crate::code::{CallSite, Code, LocalHome};
use crate::table::CodeTable;
use crate::thread::{AnyValue, Thread};
use cairn_ir::{Callee, FuncId};

/// What a call leads to.
pub(crate) enum CallTarget {
    /// The callee's code runs now.
    Entered,
    /// The function has no body.
    Bodiless(FuncId),
    /// The callee takes other arguments.
    WrongType(FuncId),
    /// The address is not known to be a function's.
    Undecided,
}

/// Calls a function, if it is known which and it has a body.
pub(crate) fn call<D: Domain>(
    table: &CodeTable<D::Value>,
    domain: &mut D,
    thread: &mut Thread<D::Value, D::Wide>,
    code: &Code,
    site: &CallSite,
    index: u32,
) -> Result<CallTarget, D::AccessError> {
    let function = match site.callee {
        Callee::Direct(function) => function,
        Callee::Indirect(_) => {
            let frame = thread.frames.last().expect("a running thread");
            let address = &thread.registers[frame.first_register + site.address as usize];
            let Some(function) = domain
                .known(address)
                .and_then(|bits| table.function_at(bits))
            else {
                return Ok(CallTarget::Undecided);
            };
            if !table.accepts(function, site) {
                return Ok(CallTarget::WrongType(function));
            }
            function
        }
    };
    let Some(callee) = table.code(domain, function) else {
        return Ok(CallTarget::Bodiless(function));
    };
    domain.push_frame(callee.code.stack_bytes)?;
    let (caller_registers, caller_wide) = {
        let frame = thread.frames.last().expect("a running thread");
        (frame.first_register, frame.first_wide)
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
            (LocalHome::Register(from), LocalHome::Register(to)) => {
                thread.registers[frame.first_register + *to as usize] =
                    thread.registers[caller_registers + *from as usize].clone();
            }
            (LocalHome::Wide(from), LocalHome::Wide(to)) => {
                thread.wide[frame.first_wide + *to as usize] =
                    thread.wide[caller_wide + *from as usize].clone();
            }
            (LocalHome::Register(_), LocalHome::Wide(_))
            | (LocalHome::Wide(_), LocalHome::Register(_)) => {
                unreachable!("arguments fit their parameters")
            }
        }
    }
    Ok(CallTarget::Entered)
}

/// Ends the newest call; its results, if it was the first.
pub(crate) fn leave<V: Clone, W: Clone>(
    table: &CodeTable<V>,
    thread: &mut Thread<V, W>,
    results: &[LocalHome],
) -> Option<Vec<AnyValue<V, W>>> {
    let frame = thread.frames.pop().expect("a running thread");
    let Some(caller) = thread.frames.last() else {
        let taken = results.iter().map(|home| match home {
            LocalHome::Register(r) => {
                AnyValue::Value(thread.registers[frame.first_register + *r as usize].clone())
            }
            LocalHome::Wide(w) => AnyValue::Wide(
                thread.wide[frame.first_wide + *w as usize]
                    .clone()
                    .expect("written before it is read"),
            ),
        });
        let taken = taken.collect();
        thread.registers.truncate(frame.first_register);
        thread.wide.truncate(frame.first_wide);
        return Some(taken);
    };
    let code = &table.loaded(caller.function).expect("it runs").code;
    let site = &code.calls[frame.site as usize];
    for (from, to) in results.iter().zip(&site.results) {
        match (from, to) {
            (LocalHome::Register(from), LocalHome::Register(to)) => {
                thread.registers[caller.first_register + *to as usize] =
                    thread.registers[frame.first_register + *from as usize].clone();
            }
            (LocalHome::Wide(from), LocalHome::Wide(to)) => {
                thread.wide[caller.first_wide + *to as usize] =
                    thread.wide[frame.first_wide + *from as usize].clone();
            }
            (LocalHome::Register(_), LocalHome::Wide(_))
            | (LocalHome::Wide(_), LocalHome::Register(_)) => {
                unreachable!("results fit their places")
            }
        }
    }
    thread.registers.truncate(frame.first_register);
    thread.wide.truncate(frame.first_wide);
    None
}
