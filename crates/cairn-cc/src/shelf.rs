//! A permanent folder with the headers and the library that compiled programs need from Cairn.
//!
//! # Problem
//!
//! `#include <klee/klee.h>` must be found, and the functions of that header must be there when a program
//! is linked. Headers in a temporary folder would leave makefiles with dependencies on files that no
//! longer exist.
//!
//! # Idea
//!
//! A folder in the user's cache, named after the version and a hash of its content. The first command that
//! needs it makes it under another name and renames it in one step.
//!
//! # Soundness
//!
//! Its name changes with its content, so a file in it is never changed. If two commands make it at the
//! same time one wins, and both have made the same.
//!
//! # Cost
//!
//! A look at the folder for each command; the library is compiled once.

use crate::sysroot::Sysroot;
use cairn_home::{REPLAY_SOURCE, install_headers};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder.
pub struct SupportFolder(PathBuf);

impl SupportFolder {
    /// Opens it; makes it if it is not there.
    pub fn open() -> io::Result<SupportFolder> {
        let name = format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), content());
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let caches = [cache, home];
        let usual = caches.into_iter().flatten().filter(|p| p.is_absolute());
        for cache in usual {
            if let Ok(shelf) = Self::at(&cache.join("cairn").join(&name)) {
                return Ok(shelf);
            }
        }
        // Builders often have no home. Others may write to the folder for temporary files too, so only
        // a folder of our own is used.
        let own = std::fs::metadata("/proc/self")?.uid();
        let folder = std::env::temp_dir().join(format!("cairn-cache-{own}"));
        if let Err(e) = std::fs::DirBuilder::new().mode(0o700).create(&folder)
            && e.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(e);
        }
        let found = std::fs::symlink_metadata(&folder)?;
        if found.uid() != own || !found.is_dir() {
            let why = format!("{} belongs to another user", folder.display());
            return Err(io::Error::other(why));
        }
        Self::at(&folder.join(name))
    }

    fn at(folder: &Path) -> io::Result<SupportFolder> {
        if !folder.is_dir() {
            let part = folder.with_extension(format!("part-{}", std::process::id()));
            install_headers(&part.join("include"))?;
            put_in_place(&part, folder)?;
        }
        Ok(SupportFolder(folder.to_path_buf()))
    }

    /// The folder for `-idirafter`.
    pub fn headers(&self) -> PathBuf {
        self.0.join("include")
    }

    /// The archive with the functions of `klee.h` for native programs, built with a library's headers.
    /// The error says why there is none.
    pub fn native_library(&self, sysroot: Option<&Sysroot>) -> Result<PathBuf, String> {
        let name = match sysroot {
            None => "host".to_string(),
            Some(sysroot) => {
                let mut hasher = DefaultHasher::new();
                sysroot.folder().hash(&mut hasher);
                format!("musl-{:016x}", hasher.finish())
            }
        };
        let archive = self.0.join(format!("libcairn-{name}.a"));
        if archive.is_file() {
            return Ok(archive);
        }
        let part = self.0.join(format!("part-{}-{name}", std::process::id()));
        let built = self.build(&part, &archive, sysroot);
        let _ = std::fs::remove_dir_all(&part);
        built.map(|()| archive)
    }

    /// What compiled code calls without being told: GCC's library, or LLVM's, and the one that
    /// unwinds. The compiler is asked once.
    pub fn compiler_libraries(&self) -> Vec<PathBuf> {
        let memo = self.0.join("compiler-libraries");
        let known = std::fs::read_to_string(&memo).unwrap_or_default();
        let known: Vec<PathBuf> = known.lines().map(PathBuf::from).collect();
        if !known.is_empty() && known.iter().all(|path| path.is_file()) {
            return known;
        }
        let gcc = ask(&["-print-libgcc-file-name"]);
        let unwinder = gcc.as_ref().map(|gcc| gcc.with_file_name("libgcc_eh.a"));
        let first = gcc.or_else(|| ask(&["--rtlib=compiler-rt", "-print-libgcc-file-name"]));
        let found = first.into_iter().chain(unwinder);
        let found: Vec<PathBuf> = found.filter(|path| path.is_file()).collect();
        let lines: Vec<String> = found.iter().map(|p| p.display().to_string()).collect();
        let part = self
            .0
            .join(format!("part-{}-libraries", std::process::id()));
        // If it cannot be kept, the compiler is asked again.
        let _ = std::fs::write(&part, lines.join("\n")).and_then(|()| std::fs::rename(part, memo));
        found
    }

    fn build(&self, part: &Path, archive: &Path, sysroot: Option<&Sysroot>) -> Result<(), String> {
        let text = |e: io::Error| e.to_string();
        std::fs::create_dir_all(part).map_err(text)?;
        let (source, object) = (part.join("replay.c"), part.join("replay.o"));
        std::fs::write(&source, REPLAY_SOURCE).map_err(text)?;
        let mut compile = Command::new("clang-19");
        // Its main is for harnesses. Here a program without one is refused as usual.
        compile.args(["-c", "-g", "-O1", "-fPIC", "-Dmain=cairn_harness_main"]);
        compile.arg("-I").arg(self.headers());
        compile.args(sysroot.map(Sysroot::compile_flags).unwrap_or_default());
        compile.arg("-o").arg(&object).arg(&source);
        finish(&mut compile)?;
        let unfinished = part.join("library.a");
        let mut last = String::new();
        for tool in ["llvm-ar-19", "ar"] {
            let made = finish(Command::new(tool).arg("rcs").arg(&unfinished).arg(&object));
            match made {
                Ok(()) => return put_in_place(&unfinished, archive).map_err(text),
                Err(why) => last = why,
            }
        }
        Err(last)
    }
}

/// Gives a file or folder its name, unless another process was faster.
fn put_in_place(part: &Path, whole: &Path) -> io::Result<()> {
    let moved = std::fs::rename(part, whole);
    if whole.exists() {
        let _ = std::fs::remove_dir_all(part);
        return Ok(());
    }
    moved
}

/// Runs a tool; the error is what it said.
fn finish(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ran = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{name}: {e}"))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr).trim_end().to_string();
    Err(format!("{name} failed: {said}"))
}

/// A file that the compiler names.
fn ask(flags: &[&str]) -> Option<PathBuf> {
    let answer = Command::new("clang-19").args(flags).output().ok()?;
    let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim_end());
    path.is_file().then_some(path)
}

/// A number that changes with what is in the folder.
fn content() -> u64 {
    let mut hasher = DefaultHasher::new();
    cairn_home::HEADERS.hash(&mut hasher);
    REPLAY_SOURCE.hash(&mut hasher);
    hasher.finish()
}
