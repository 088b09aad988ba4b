//! `--debug-print-instructions`: every instruction before it runs, on standard error or in
//! `instructions.txt`.
//!
//! A line is laid out as KLEE does: the source place, the line of `assembly.ll`, the number of the
//! state; with `all` also the function and the instruction, in Cairn's program form.

use crate::say;
use cairn_engine::Upcoming;
use cairn_ir::text::print_instruction;
use cairn_llvm::Assembly;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much of an instruction is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The source place and the instruction.
    All,
    /// The source place.
    Source,
    /// Only the line of the assembly text.
    Compact,
}

/// What a user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printing {
    /// How much.
    pub detail: Detail,
    /// To the file, not to standard error.
    pub to_file: bool,
}

impl Printing {
    /// Reads KLEE's word, such as `all:stderr`.
    pub fn read(word: &str) -> Option<Printing> {
        let (detail, to) = word.split_once(':')?;
        Some(Printing {
            detail: match detail {
                "all" => Detail::All,
                "src" => Detail::Source,
                "compact" => Detail::Compact,
                _ => return None,
            },
            to_file: match to {
                "stderr" => false,
                "file" => true,
                _ => return None,
            },
        })
    }
}

/// Prints instructions. Workers share it.
pub struct InstructionLog {
    detail: Detail,
    file: Option<Mutex<BufWriter<File>>>,
}

impl InstructionLog {
    /// Prints as asked, into a folder if to a file.
    pub fn create(printing: Printing, folder: &Path) -> io::Result<Self> {
        let file = match printing.to_file {
            true => {
                let file = File::create(folder.join("instructions.txt"))?;
                Some(Mutex::new(BufWriter::new(file)))
            }
            false => None,
        };
        Ok(InstructionLog {
            detail: printing.detail,
            file,
        })
    }

    /// Writes what is still buffered.
    pub fn finish(&self) -> io::Result<()> {
        match &self.file {
            Some(file) => file.lock().unwrap_or_else(PoisonError::into_inner).flush(),
            None => Ok(()),
        }
    }

    /// Prints one.
    pub fn print(&self, instruction: &Upcoming<'_>, assembly: Option<&Assembly>) -> io::Result<()> {
        let line = text(self.detail, instruction, assembly);
        match &self.file {
            Some(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                writeln!(file, "{line}")
            }
            None => {
                say!("{line}");
                Ok(())
            }
        }
    }
}

fn text(detail: Detail, instruction: &Upcoming<'_>, assembly: Option<&Assembly>) -> String {
    let at = instruction.place();
    let in_text = assembly.and_then(|a| a.line(at)).unwrap_or(0);
    let short = format!("{in_text}:{}", instruction.state);
    if detail == Detail::Compact {
        return short;
    }
    let program = instruction.program;
    let place = program.place(at);
    let file = &program.files[place.file as usize];
    let source = format!("     {file}:{}:{short}", place.line);
    if detail == Detail::Source {
        return source;
    }
    let function = program.function(instruction.function);
    let inst = print_instruction(program, function, instruction.block, instruction.index);
    format!("{source}:{}: {inst}", function.name)
}
