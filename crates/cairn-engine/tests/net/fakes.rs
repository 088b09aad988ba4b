//! What stands outside of a program: a host with functions, and an executable.

use cairn_engine::{
    ExternalCall, ExternalPolicy, ExternalReply, Externals, MachineCode, PassedAs, Signature,
};
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_memory::{Memory, Word};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A host with functions: `host_twice` doubles a number, `host_set` writes 7 into the first byte of an
/// object, `host_next` says how often it was called, there too, and `host_crash` gives no answer.
#[derive(Debug)]
pub struct FakeHost {
    pub policy: ExternalPolicy,
    calls: AtomicU64,
}

impl FakeHost {
    pub fn new(policy: ExternalPolicy) -> Self {
        FakeHost {
            policy,
            calls: AtomicU64::new(0),
        }
    }
}

impl Externals for FakeHost {
    fn policy(&self) -> ExternalPolicy {
        self.policy
    }

    fn signature(&self, name: &str) -> Option<Signature> {
        let params = match name {
            "host_twice" | "host_crash" => vec![PassedAs::Integer],
            "host_set" | "host_next" => vec![PassedAs::Pointer],
            _ => return None,
        };
        let result = Some(PassedAs::Integer);
        Some(Signature { params, result })
    }

    fn call(
        &self,
        call: &ExternalCall,
        _give_up: &dyn Fn() -> bool,
    ) -> Result<ExternalReply, String> {
        let mut objects: Vec<Vec<u8>> = call.objects.iter().map(|(_, o)| o.clone()).collect();
        let result = match call.name.as_str() {
            "host_twice" => 2 * call.args[0].bits,
            "host_set" => {
                objects[0][0] = 7;
                0
            }
            "host_next" => {
                let calls = 1 + self.calls.fetch_add(1, Ordering::Relaxed);
                objects[0][0] = calls as u8;
                calls
            }
            _ => return Err("it crashed".to_string()),
        };
        Ok(ExternalReply { result, objects })
    }

    fn calling(&self, _name: &str, _args: &[u64], _place: &str) {}
}

/// An executable with code from 0x1000 to 0x2000, a segment of 64 KiB at 0x100000 and a stack of 4 KiB that
/// ends at 0x80000. Code that is found later is in the program already: the function at an address is
/// called `at.ADDRESS` (hexadecimal), the body of `NAME` is that of `body.NAME`.
#[derive(Debug)]
pub struct FakeCode {
    program: Arc<Program>,
}

const CODE: Range<u64> = 0x1000..0x2000;
const SEGMENT: Range<u64> = 0x10_0000..0x11_0000;
const STACK: Range<u64> = 0x7_f000..0x8_0000;

impl FakeCode {
    pub fn of(program: &Arc<Program>) -> Self {
        FakeCode {
            program: Arc::clone(program),
        }
    }
}

impl MachineCode for FakeCode {
    fn load(&self, memory: &mut Memory, _globals: &[Word]) -> Result<(), String> {
        for range in [SEGMENT, STACK] {
            let size = range.end - range.start;
            let at = memory.allocate_fixed(range.start, size);
            at.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn program(&self) -> Arc<Program> {
        Arc::clone(&self.program)
    }

    fn translate(&self, address: u64) -> Result<(FuncId, Arc<Program>), String> {
        let function = self.program.find_function(&format!("at.{address:x}"));
        let function = function.ok_or_else(|| format!("no function begins at {address:#x}"))?;
        Ok((function, Arc::clone(&self.program)))
    }

    fn has_code(&self, function: FuncId) -> bool {
        let name = &self.program.function(function).name;
        self.program
            .find_function(&format!("body.{name}"))
            .is_some()
    }

    fn lower(&self, function: FuncId) -> Option<Arc<Program>> {
        let name = &self.program.function(function).name;
        let body = self.program.find_function(&format!("body.{name}"))?;
        let mut program = (*self.program).clone();
        program.functions[function.index()].body = program.function(body).body.clone();
        Some(Arc::new(program))
    }

    fn whole(&self) -> Arc<Program> {
        let functions = (0..self.program.functions.len()).map(FuncId::new);
        let mut program = (*self.program).clone();
        for function in functions {
            let name = format!("body.{}", program.function(function).name);
            if let Some(body) = program.find_function(&name) {
                program.functions[function.index()].body = program.function(body).body.clone();
            }
        }
        Arc::new(program)
    }

    fn address_of(&self, place: PlaceId) -> u64 {
        CODE.start + 4 * place.index() as u64
    }

    fn stack(&self) -> Range<u64> {
        STACK
    }

    fn code(&self) -> Vec<Range<u64>> {
        vec![CODE]
    }

    fn left_behind(&self, _memory: &Memory, _globals: &[Word]) -> Vec<Range<u64>> {
        Vec::new()
    }
}
