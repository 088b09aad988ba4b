//! A guest that several machines run at once.
//!
//! They all see one program, which grows when one of them comes to code that was not seen before. A
//! machine goes on with the program that it has until it gets there itself; functions keep their
//! numbers, so that what one machine says another understands.

use crate::arguments::GuestArguments;
use crate::elf::Executable;
use crate::guest::Guest;
use crate::load::{GuestImage, STACK_BYTES, STACK_END};
use crate::registers::FLOATS;
use cairn_ir::{FuncId, PlaceId, Program};
use cairn_machine::{MachineCode, no_code_text};
use cairn_memory::{Memory, Word};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module's head.
pub struct SharedGuest {
    guest: Mutex<Guest>,
    executable: Arc<Executable>,
    image: GuestImage,
}

impl SharedGuest {
    /// A guest that is started with arguments.
    pub fn new(guest: Guest, arguments: GuestArguments) -> Self {
        SharedGuest {
            image: guest.image(arguments),
            executable: Arc::clone(guest.executable()),
            guest: Mutex::new(guest),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Guest> {
        // A guest only grows, one whole function at a time.
        self.guest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for SharedGuest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedGuest").finish_non_exhaustive()
    }
}

impl MachineCode for SharedGuest {
    fn load(&self, memory: &mut Memory, globals: &[Word]) -> Result<(), String> {
        self.image.put(memory, globals).map_err(|e| e.to_string())
    }

    fn program(&self) -> Arc<Program> {
        Arc::clone(self.lock().program())
    }

    fn translate(&self, address: u64) -> Result<(FuncId, Arc<Program>), String> {
        let segment = self.executable.segment_at(address);
        let nothing = || no_code_text(address);
        match segment {
            None => return Err(nothing()),
            // It may have been changed since.
            Some((_, segment)) if segment.write && segment.execute => {
                return Err(format!(
                    "control comes to {address:#x}, in memory that can be written; code that a \
                     program makes or changes is not supported"
                ));
            }
            Some(_) => {}
        }
        let mut guest = self.lock();
        let function = guest.extend(address).ok_or_else(nothing)?;
        Ok((function, Arc::clone(guest.program())))
    }

    fn has_code(&self, function: FuncId) -> bool {
        self.lock().entry_of(function).is_some()
    }

    fn lower(&self, function: FuncId) -> Option<Arc<Program>> {
        let mut guest = self.lock();
        let segment = guest.entry_of(function);
        let segment = segment.and_then(|entry| self.executable.segment_at(entry));
        if segment.is_some_and(|(_, segment)| segment.write) {
            return None;
        }
        guest.lower(function).then(|| Arc::clone(guest.program()))
    }

    fn whole(&self) -> Arc<Program> {
        self.lock().whole()
    }

    fn address_of(&self, place: PlaceId) -> u64 {
        self.lock().address_of(place)
    }

    fn stack(&self) -> Range<u64> {
        STACK_END - STACK_BYTES..STACK_END
    }

    fn code(&self) -> Vec<Range<u64>> {
        let segments = self.executable.segments.iter();
        let code = segments.filter(|segment| segment.execute);
        code.map(|s| s.address..s.address + s.bytes.len() as u64)
            .collect()
    }

    fn left_behind(&self, memory: &Memory, globals: &[Word]) -> Vec<Range<u64>> {
        let Some(file) = globals.first() else {
            return Vec::new();
        };
        let word = |register: u64| file.bits + 8 * register;
        // From t0 to t2, from a0 to a7, from t3 on, and after those the floating-point registers.
        let mut all = vec![
            word(5)..word(8),
            word(10)..word(18),
            word(28)..word(FLOATS as u64),
        ];
        let pointer = Word {
            bits: word(2),
            ..*file
        };
        let stack = self.stack();
        if let Ok(pointer) = memory.load_word(pointer, 8)
            && stack.contains(&pointer.bits)
        {
            all.push(stack.start..pointer.bits);
        }
        all.sort_unstable_by_key(|range| range.start);
        all
    }
}
