//! Fuzzing harnesses: programs without a `main` that are called with bytes.
//!
//! The bytes are the test's object `data`; an object `size`, if there is one, says how many of them
//! are given. They are in a heap object of just this size, so that every access beyond them is seen.

use crate::layout::program_arguments;
use crate::machine::{End, Machine, failed_outside};
use crate::natives::Inputs;
use crate::thread::AnyValue;
use cairn_ir::FuncId;
use cairn_memory::{Fault, ObjectKind, Word};

/// The function that a harness consists of.
pub const HARNESS: &str = "LLVMFuzzerTestOneInput";

/// The function that is called before it, if there is one.
pub const HARNESS_PREPARATION: &str = "LLVMFuzzerInitialize";

impl Machine<'_> {
    /// Runs constructors, the harness on the test's bytes, and what follows it.
    pub fn run_harness(&mut self, harness: FuncId, args: &[Vec<u8>]) -> End {
        let (bytes, preparation) = match self.prepare(args) {
            Ok(prepared) => prepared,
            Err(end) => return end,
        };
        let initialise = self.program().find_function(HARNESS_PREPARATION);
        self.run_stages(|machine| {
            if let Some(initialise) = initialise {
                let wanted = machine.program().function(initialise).params.len();
                let args = preparation.into_iter().take(wanted).map(AnyValue::Value);
                machine.call(initialise, args.collect())?;
            }
            machine.call(harness, bytes.into_iter().map(AnyValue::Value).collect())?;
            // The harness's result is for the fuzzer only.
            match machine.memory().free(bytes[0]) {
                Ok(()) => Ok(0),
                Err(fault) => Err(failed_outside("the harness's bytes", fault)),
            }
        })
    }

    /// What the harness is given, and what its preparation is: pointers to `argc` and `argv`.
    fn prepare(&mut self, args: &[Vec<u8>]) -> Result<([Word; 2], [Word; 2]), End> {
        let data = self.inputs().and_then(|i| i.take_any("data"));
        let mut data = data.unwrap_or_default();
        let size = self.inputs().and_then(|i| i.take_any("size"));
        if let Some(size) = size {
            let mut bytes = [0; 8];
            let length = size.len().min(8);
            bytes[..length].copy_from_slice(&size[..length]);
            let size = usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX);
            data.truncate(size);
        }
        let memory = self.memory();
        let mut place = || -> Result<([Word; 2], [Word; 2]), Fault> {
            let bytes = memory.allocate(ObjectKind::Heap, data.len() as u64, 16)?;
            memory.store_bytes(bytes, &data)?;
            let [count, vector, _] = program_arguments(memory, args, &[])?;
            let count_at = memory.allocate(ObjectKind::Global, 4, 4)?;
            memory.store_word(count_at, 4, count)?;
            let pointer = u64::from(memory.pointer_width().bytes());
            let vector_at = memory.allocate(ObjectKind::Global, pointer, pointer)?;
            memory.store_pointer(vector_at, vector)?;
            let size = Word::int(data.len() as u64);
            Ok(([bytes, size], [count_at, vector_at]))
        };
        place().map_err(|fault| failed_outside("the input of the harness", fault))
    }

    fn inputs(&mut self) -> Option<&mut Inputs> {
        self.library_mut().inputs_mut()
    }
}
