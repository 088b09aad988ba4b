//! Compiles C to static executables for RISC-V.

use cairn_home::install_headers;
use cairn_oracle::selfie::in_layout;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program is compiled for.
#[derive(Clone)]
pub struct Machine {
    /// The name in tables; files are named after it.
    pub name: &'static str,
    /// The instruction set and how it passes arguments.
    flags: [&'static str; 2],
    /// The optimisation level.
    pub level: &'static str,
    system: System,
}

/// What a program has beside its own code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum System {
    /// The header `cairn/riscv.h`.
    Header,
    /// glibc.
    Glibc,
    /// The system calls and the layout of the tool chain of \[AbyanehKirsch21\].
    SelfieAse,
}

const INTEGER: [&str; 2] = ["-march=rv64im", "-mabi=lp64"];
const GENERAL: [&str; 2] = ["-march=rv64gc", "-mabi=lp64d"];

const fn bare(name: &'static str, flags: [&'static str; 2], level: &'static str) -> Machine {
    Machine {
        name,
        flags,
        level,
        system: System::Header,
    }
}

/// The machines of programs without a library.
pub const BARE: [Machine; 4] = [
    bare("rv64im -O0", INTEGER, "-O0"),
    bare("rv64gc -O0", GENERAL, "-O0"),
    bare("rv64im -O2", INTEGER, "-O2"),
    bare("rv64gc -O2", GENERAL, "-O2"),
];

const fn linux(name: &'static str, level: &'static str) -> Machine {
    Machine {
        name,
        flags: GENERAL,
        level,
        system: System::Glibc,
    }
}

/// Linux with glibc, as Debian's cross compiler has it.
pub const LINUX: [Machine; 2] = [linux("glibc -O0", "-O0"), linux("glibc -O2", "-O2")];

/// The tool chain of \[AbyanehKirsch21\]: its layout and system calls, no symbols; the code is clang's.
pub const SELFIE_ASE: Machine = Machine {
    name: "selfie-ase -O0",
    flags: INTEGER,
    level: "-O0",
    system: System::SelfieAse,
};

/// Gives programs of tests/algo that tool chain's inputs, assertions and start.
const SELFIE_ASE_HEADER: &str = "tests/algo/selfie_ase.h";

/// One piece of memory, code first: all that is in a file of that tool chain.
const ONE_SEGMENT: &str = "SECTIONS { . = 0x10000; .all : { *(.start) *(.text .text.*) . = ALIGN(8); \
    *(.rodata .rodata.* .srodata .srodata.* .data .data.* .sdata .sdata.* .bss .bss.* .sbss .sbss.* COMMON) \
    . = ALIGN(8); } /DISCARD/ : { *(.eh_frame .comment .riscv.attributes) } }\n";

/// The folder of the cross compiler's library, headers included.
const SYSTEM: &str = "/usr/riscv64-linux-gnu";
/// The folders of versions of the cross compiler.
const COMPILERS: &str = "/usr/lib/gcc-cross/riscv64-linux-gnu";

/// Compiles for no system.
fn bare_target(compiler: &mut Command) -> &mut Command {
    compiler.args([
        "--target=riscv64-unknown-elf",
        "-nostdlib",
        "-ffreestanding",
    ])
}

/// Runs a tool for a source.
fn ended(tool: &mut Command, source: &Path) -> Result<(), String> {
    let done = tool.output();
    let done = done.map_err(|e| format!("{}: {e}", tool.get_program().display()))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{}: {}",
            source.display(),
            String::from_utf8_lossy(&done.stderr).trim()
        )),
    }
}

impl Machine {
    /// What tells it from others, for what is kept of its runs.
    pub fn text(&self) -> &str {
        self.name
    }

    /// Compiles and links a source.
    pub fn build(&self, source: &Path, flags: &[String], folder: &Path) -> Result<PathBuf, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        let (headers, output) = (folder.join("include"), folder.join("program.elf"));
        install_headers(&headers).map_err(failed)?;
        let mut compiler = Command::new("clang-19");
        compiler
            .args(["-static", "-fuse-ld=lld", "-g", "-w", self.level])
            .args(self.flags)
            .args(flags)
            .arg("-I")
            .arg(&headers);
        match self.system {
            System::Glibc => self.with_glibc(&mut compiler, folder)?,
            System::Header => {
                bare_target(&mut compiler).args(["-DCAIRN_START", "-include", "cairn/riscv.h"]);
            }
            System::SelfieAse => {
                let script = folder.join("one_segment.ld");
                std::fs::write(&script, ONE_SEGMENT).map_err(failed)?;
                bare_target(&mut compiler)
                    .args(["-mno-relax", "-include", SELFIE_ASE_HEADER])
                    .arg(format!("-Wl,-T,{}", script.display()));
            }
        }
        ended(compiler.arg(source).arg("-o").arg(&output), source)?;
        if self.system == System::SelfieAse {
            let image = folder.join("image");
            let mut copy = Command::new("llvm-objcopy-19");
            ended(copy.args(["-O", "binary"]).args([&output, &image]), source)?;
            let bytes = std::fs::read(&image).map_err(failed)?;
            // All of it may be code, as far as the header says.
            let file = in_layout(&bytes, bytes.len());
            std::fs::write(&output, file).map_err(failed)?;
        }
        Ok(output)
    }

    /// Flags that find the cross compiler's library, and a second source with the functions that are
    /// known by their symbols.
    fn with_glibc(&self, compiler: &mut Command, folder: &Path) -> Result<(), String> {
        let known = folder.join("known.c");
        std::fs::write(&known, "#include <cairn/riscv.h>\n").map_err(|e| e.to_string())?;
        let versions = std::fs::read_dir(COMPILERS).map_err(|e| {
            format!("{COMPILERS}: {e}; install gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross")
        })?;
        let version = versions.filter_map(Result::ok).map(|v| v.path()).max();
        let version = version.ok_or(format!("{COMPILERS}: no compiler"))?;
        compiler
            .arg("--target=riscv64-linux-gnu")
            .arg(format!("--sysroot={SYSTEM}"))
            .arg(format!("-I{SYSTEM}/include"));
        for path in [Path::new(SYSTEM).join("lib"), version] {
            compiler
                .arg(format!("-L{}", path.display()))
                .arg(format!("-B{}", path.display()));
        }
        compiler.arg(known);
        Ok(())
    }
}
