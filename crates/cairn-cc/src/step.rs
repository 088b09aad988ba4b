//! The second compilation of a source: to bitcode, for exploring.
//!
//! # Problem
//!
//! Exploring wants the program as it was written: every source line, no vectors, no checks
//! of other tools in it. The native object is not like that.
//!
//! # Idea
//!
//! clang compiles the source again with the flags that change its meaning and without those
//! that are about messages, optimising, watching and linking (`flags.rs`), at `-O0 -g` or at the level
//! that `CAIRN_CC_OPT` says. Instructions that only some processors have are left out; a source that
//! does not compile without them is compiled with them. The bitcode comes through a pipe.
//!
//! # Soundness
//!
//! If a source cannot be compiled so, the native result stands, and the part says
//! why it has no bitcode.
//!
//! # Cost
//!
//! One more run of clang for each source, at the same time as the native one if the command
//! does not link.

use crate::flags;
use crate::frame::{BitcodeFrame, FrameContent, LinkedLibrary};
use crate::native::{compiler_name, feed};
use crate::words::{CommandLine, SourceFile, SourceLanguage};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// How bitcode is made, the same for all sources of a command.
pub struct BitcodeStep<'a> {
    /// The command.
    pub line: &'a CommandLine,
    /// Is it the compiler of C++?
    pub for_cxx: bool,
    /// Flags for headers.
    pub headers: &'a [OsString],
    /// Whose headers they are.
    pub library: LinkedLibrary,
    /// What comes from standard input.
    pub input: Option<&'a [u8]>,
    /// The level of optimisation.
    pub level: &'a str,
}

impl BitcodeStep<'_> {
    /// The frame of a source.
    pub fn frame(&self, source: &SourceFile) -> BitcodeFrame {
        let content = match source.language {
            SourceLanguage::Assembler => FrameContent::Absent("an assembler source".to_string()),
            SourceLanguage::C
            | SourceLanguage::Cxx
            | SourceLanguage::Header
            | SourceLanguage::Foreign => {
                let plain = self.compile(source, &flags::is_instruction_set);
                // What needs the instructions gets them.
                let made = plain.or_else(|why| {
                    let changed = self.line.has_flag(flags::is_instruction_set);
                    if changed {
                        self.compile(source, &|_| false)
                    } else {
                        Err(why)
                    }
                });
                made.map_or_else(FrameContent::Absent, FrameContent::Bitcode)
            }
        };
        BitcodeFrame {
            name: source.file.to_string_lossy().into_owned(),
            library: self.library,
            content,
        }
    }

    fn compile(
        &self,
        source: &SourceFile,
        leave_out: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<u8>, String> {
        let mut command = Command::new(compiler_name(self.for_cxx));
        command.args(self.line.compile_flags(leave_out));
        command.args(self.headers);
        if self.level == "0" {
            // As without optimising, but with the bodies of inline functions: where the native
            // code has them inlined, nothing else brings them in.
            command.args(["-O1", "-Xclang", "-disable-llvm-passes"]);
            // A source may see whether it is optimised and then call other functions; of those
            // that the native code does not call, nothing brings in the definitions.
            if !self.line.is_optimised() {
                command.arg("-U__OPTIMIZE__");
            }
        } else {
            command.arg(format!("-O{}", self.level));
        }
        // What the native compiler let pass under its own flags about warnings is no error here:
        // clang counts some of them as errors unless told otherwise.
        command.args(["-g", "-w", "-Wno-everything", "-Qunused-arguments"]);
        command.arg("-U_FORTIFY_SOURCE");
        command.args([
            "-fno-stack-protector",
            "-fno-vectorize",
            "-fno-slp-vectorize",
        ]);
        if let Some(language) = &source.stated {
            command.arg("-x").arg(language);
        }
        command.args(["-emit-llvm", "-c", "-o", "-", "--"]);
        command.arg(&source.file);
        let input = self.input.filter(|_| source.file == Path::new("-"));
        command.stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = command
            .spawn()
            .and_then(|mut child| {
                feed(&mut child, input);
                child.wait_with_output()
            })
            .map_err(|e| format!("{}: {e}", compiler_name(self.for_cxx)))?;
        if ran.status.success() && ran.stdout.starts_with(b"BC") {
            return Ok(ran.stdout);
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        let error = said.lines().find(|line| line.contains("error"));
        Err(error
            .unwrap_or("it was not compiled to bitcode")
            .to_string())
    }
}
