//! Compiles C to static executables for RISC-V.

use cairn_home::install_headers;
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
    /// Whether it is linked with glibc, or with nothing but the header `cairn/riscv.h`.
    libc: bool,
}

const INTEGER: [&str; 2] = ["-march=rv64im", "-mabi=lp64"];
const GENERAL: [&str; 2] = ["-march=rv64gc", "-mabi=lp64d"];

const fn bare(name: &'static str, flags: [&'static str; 2], level: &'static str) -> Machine {
    Machine {
        name,
        flags,
        level,
        libc: false,
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
        libc: true,
    }
}

/// Linux with glibc, as Debian's cross compiler has it.
pub const LINUX: [Machine; 2] = [linux("glibc -O0", "-O0"), linux("glibc -O2", "-O2")];

/// The folder of the cross compiler's library, headers included.
const SYSTEM: &str = "/usr/riscv64-linux-gnu";
/// The folders of versions of the cross compiler.
const COMPILERS: &str = "/usr/lib/gcc-cross/riscv64-linux-gnu";

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
        if self.libc {
            self.with_glibc(&mut compiler, folder)?;
        } else {
            compiler
                .args(["--target=riscv64-unknown-elf", "-nostdlib"])
                .args(["-ffreestanding", "-DCAIRN_START"])
                .args(["-include", "cairn/riscv.h"]);
        }
        let done = compiler.arg(source).arg("-o").arg(&output).output();
        let done = done.map_err(|e| format!("clang-19: {e}"))?;
        match done.status.success() {
            true => Ok(output),
            false => Err(format!(
                "{}: {}",
                source.display(),
                String::from_utf8_lossy(&done.stderr).trim()
            )),
        }
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
