//! Architectures: numbers of system calls and layouts of structures.

mod riscv64;
mod stat;
mod x86_64;

pub(crate) use stat::{DEVICE, Fields, STATX, Stat, blocks};

use crate::call_table::{self, CallSignature};
use crate::calls::{self, CallHandler};
use std::sync::OnceLock;

/// An architecture, as far as system calls depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Abi {
    /// x86-64.
    X86_64,
    /// RISC-V with 64 bits.
    Riscv64,
}

/// A system call of an architecture.
#[derive(Clone, Copy)]
pub(crate) struct CallNumbers {
    pub name: &'static str,
    pub handler: Option<CallHandler>,
    pub varies: Option<call_table::Varies>,
    pub signature: CallSignature,
}

/// The calls of an architecture by number.
fn table(rows: &[(u16, &'static str)]) -> Vec<Option<CallNumbers>> {
    let last = rows.iter().map(|row| row.0).max().unwrap_or(0);
    let mut table = vec![None; usize::from(last) + 1];
    for &(number, name) in rows {
        let mut modelled = calls::FAMILIES.iter().flat_map(|family| family.iter());
        let row = modelled.find(|row| row.0 == name).copied();
        table[usize::from(number)] = Some(CallNumbers {
            name,
            handler: row.map(|(.., handler)| handler),
            varies: row.map(|(_, _, varies, _)| varies),
            signature: row.map_or(CallSignature::NONE, CallSignature::new),
        });
    }
    table
}

impl Abi {
    fn rows(self) -> &'static [(u16, &'static str)] {
        match self {
            Abi::X86_64 => x86_64::CALLS,
            Abi::Riscv64 => riscv64::CALLS,
        }
    }

    /// The system call of a number.
    pub(crate) fn entry(self, number: u64) -> Option<&'static CallNumbers> {
        static TABLES: [OnceLock<Vec<Option<CallNumbers>>>; 2] = [OnceLock::new(), OnceLock::new()];
        let place = match self {
            Abi::X86_64 => &TABLES[0],
            Abi::Riscv64 => &TABLES[1],
        };
        let table = place.get_or_init(|| table(self.rows()));
        table.get(usize::try_from(number).ok()?)?.as_ref()
    }

    /// The name of the system call of a number.
    pub fn name(self, number: u64) -> Option<&'static str> {
        self.entry(number).map(|entry| entry.name)
    }

    /// What the system call of a number looks at of its arguments.
    pub fn signature(self, number: u64) -> &'static CallSignature {
        if crate::delivery::is_delivery_call(number) {
            return &CallSignature::TWO_WORDS;
        }
        let entry = self.entry(number);
        entry.map_or(&CallSignature::NONE, |entry| &entry.signature)
    }

    /// The number of the system call of a name.
    pub fn number(self, name: &str) -> Option<u64> {
        let row = self.rows().iter().find(|row| row.1 == name);
        row.map(|row| u64::from(row.0))
    }

    /// Whether the system call of a number ends the program with its first argument.
    pub fn ends_program(self, number: u64) -> bool {
        match self {
            Abi::X86_64 => matches!(number, 60 | 231),
            Abi::Riscv64 => matches!(number, 93 | 94),
        }
    }

    /// The names of the system calls that are modelled, in order of their numbers.
    pub fn modelled(self) -> impl Iterator<Item = &'static str> {
        let rows = self.rows().iter();
        rows.filter_map(move |row| {
            let entry = self.entry(u64::from(row.0))?;
            entry.handler.map(|_| entry.name)
        })
    }

    /// What `uname` says of the machine.
    pub(crate) fn machine(self) -> &'static str {
        match self {
            Abi::X86_64 => "x86_64",
            Abi::Riscv64 => "riscv64",
        }
    }
}
