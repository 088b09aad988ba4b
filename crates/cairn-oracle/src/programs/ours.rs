//! Bitcode run on the concrete machine, in this process.

use super::native::{Behaviour, NativeEnd};
use cairn_llvm::LowerOptions;
use cairn_machine::{Machine, MachineConfig};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Runs bitcode; `None` if it takes more operations than the limit.
pub(super) fn run(bitcode: &Path, limit: u64) -> Option<Behaviour> {
    // A panic of ours is a finding like any other, and the campaign goes on.
    let ran = catch_unwind(AssertUnwindSafe(|| lower_and_run(bitcode, limit)));
    ran.unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Some(nothing(format!("panic: {}", said.unwrap_or("no message"))))
    })
}

/// No output, and an end that is wrong.
fn nothing(why: String) -> Behaviour {
    Behaviour {
        output: Vec::new(),
        end: NativeEnd::Wrong(why),
    }
}

fn lower_and_run(bitcode: &Path, limit: u64) -> Option<Behaviour> {
    let lowered = match cairn_llvm::load(bitcode, &LowerOptions::default()) {
        Ok(lowered) => lowered,
        Err(why) => return Some(nothing(format!("cannot be lowered: {why}"))),
    };
    if let Err(why) = cairn_ir::verify::verify(&lowered.program) {
        return Some(nothing(format!("the lowered program is refused: {why:?}")));
    }
    let program = Arc::new(lowered.program);
    let Some(entry) = program.find_function("main") else {
        return Some(nothing("no function main".to_string()));
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let config = MachineConfig {
        limit: Some(limit),
        ..MachineConfig::default()
    };
    let end = match Machine::new(Arc::clone(&program), config, &mut output, &mut errors) {
        Ok(mut machine) => machine.run(entry, &[b"program".to_vec()]),
        Err(fault) => return Some(nothing(format!("cannot be laid out: {fault}"))),
    };
    let end = match end {
        cairn_machine::End::Exit(code) => NativeEnd::Exit(code & 0xFF),
        cairn_machine::End::Abort(_) => NativeEnd::Abort,
        cairn_machine::End::Limit => return None,
        cairn_machine::End::Signal(signal, _) => {
            NativeEnd::Wrong(format!("ended by signal {signal}"))
        }
        cairn_machine::End::Silent => NativeEnd::Wrong("ended without a word".to_string()),
        cairn_machine::End::Error(report) | cairn_machine::End::Assumption(report) => {
            let place = report.trace.first().map(|(function, place)| {
                let name = &program.function(*function).name;
                format!(" in {name} at {}", program.place_text(*place))
            });
            NativeEnd::Wrong(format!("{}{}", report.message, place.unwrap_or_default()))
        }
    };
    Some(Behaviour { output, end })
}
