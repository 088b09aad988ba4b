//! The C library that programs are compiled and linked with.
//!
//! # Problem
//!
//! A program is explored down to the system calls only with a library that is there as
//! bitcode, and its headers are not those of the host. What runs natively should be the same program.
//!
//! # Idea
//!
//! If the library was set up (`.deps/musl` where `cairn_home` looks, or what `CAIRN_LIBC`
//! names), C sources see its headers and no others of the system, and C programs are linked statically
//! with it. C++ sees and gets libc++ besides (`libcxx` beside that folder); where that was not set up,
//! C++ is compiled and linked as the host does. `CAIRN_CC_LIBC=host` does that for all.
//!
//! # Soundness
//!
//! No folder of the host's libraries or headers is searched, so that a configure
//! script finds what will be there.

use crate::error::DriverError;
use crate::frame::LinkedLibrary;
use crate::words::for_linker;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the set-up puts it, below the project.
const PLACE: &str = ".deps/musl";

/// The message when a program is linked without the library.
pub const MISSING: &str = "musl was not found, so the program is linked with the host's C library, and \
                           its calls of it are not explored: run scripts/libc.sh, or set CAIRN_HOME or \
                           CAIRN_LIBC; CAIRN_CC_LIBC=host keeps the host's without this message";

/// Whether the user asked for the host's library.
pub fn host_is_wanted() -> bool {
    std::env::var_os("CAIRN_CC_LIBC").is_some_and(|wanted| wanted == "host")
}
/// Where the library of C++ is, beside it.
const CXX_PLACE: &str = "libcxx";

/// The library that was set up.
#[derive(Debug)]
pub struct Sysroot {
    folder: PathBuf,
    /// That of C++, if the command is about C++.
    cxx: Option<PathBuf>,
}

impl Sysroot {
    fn at(folder: PathBuf) -> Sysroot {
        Sysroot { folder, cxx: None }
    }

    /// With the library of C++; nothing if that was not set up.
    pub fn with_cxx(self) -> Option<Sysroot> {
        let folder = self.folder.parent()?.join(CXX_PLACE);
        let files = [
            "include/vector",
            "lib/libc++.a",
            "lib/tables_end.o",
            "libcxx.bca",
        ];
        let complete = files.iter().all(|file| folder.join(file).is_file());
        complete.then_some(Sysroot {
            cxx: Some(folder),
            ..self
        })
    }

    /// Finds it; nothing if it was not set up or is not wanted. The error says which variable is wrong.
    pub fn find() -> Result<Option<Sysroot>, DriverError> {
        let wrong = |variable, value: String, expected: &str| DriverError::Variable {
            variable,
            value,
            expected: expected.to_string(),
        };
        let wanted = std::env::var("CAIRN_CC_LIBC").unwrap_or_default();
        match wanted.as_str() {
            "" | "musl" => {}
            "host" => return Ok(None),
            _ => return Err(wrong("CAIRN_CC_LIBC", wanted, "expected musl or host")),
        }
        if let Some(folder) = std::env::var_os("CAIRN_LIBC") {
            let sysroot = Sysroot::at(PathBuf::from(folder));
            if sysroot.is_complete() {
                return Ok(Some(sysroot));
            }
            let expected = "expected a folder with include/stdio.h, lib/libc.a, lib/crt1.o, lib/crti.o \
                            and lib/crtn.o";
            let value = sysroot.folder.display().to_string();
            return Err(wrong("CAIRN_LIBC", value, expected));
        }
        let candidates = cairn_home::candidates(PLACE).into_iter();
        let found = candidates.map(Sysroot::at).find(Sysroot::is_complete);
        if found.is_none() && wanted == "musl" {
            let expected = format!(
                "musl was not found: looked for {PLACE} {}; run scripts/libc.sh, or set CAIRN_LIBC \
                 to its folder",
                cairn_home::LOOKED_IN
            );
            return Err(wrong("CAIRN_CC_LIBC", wanted, &expected));
        }
        Ok(found)
    }

    fn is_complete(&self) -> bool {
        let files = [
            "include/stdio.h",
            "lib/libc.a",
            "lib/crt1.o",
            "lib/crti.o",
            "lib/crtn.o",
        ];
        // One that is missing most likely means that all are; the first decides most cases.
        files.iter().all(|file| self.folder.join(file).is_file())
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the library of C++ is, if the command is about C++.
    pub fn cxx_folder(&self) -> Option<&Path> {
        self.cxx.as_deref()
    }

    /// Its headers, then the compiler's own, and no others of the system. Those of C++ come first:
    /// they stand before those of C, which they include, and change nothing for sources in C.
    pub fn compile_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = vec!["-nostdlibinc".into()];
        if let Some(cxx) = &self.cxx {
            flags.extend(["-nostdinc++".into(), "-isystem".into()]);
            flags.push(cxx.join("include").into());
        }
        flags.extend(["-isystem".into(), self.folder.join("include").into()]);
        flags
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join("lib").join(name)
    }

    /// What comes before the user's arguments when a program is linked.
    pub fn before(&self, link: &LinkKind) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["-nostdlib".into()];
        // The host's libraries are for another library of C. This folder has none where clang looks.
        let mut root = OsString::from("--sysroot=");
        root.push(&self.folder);
        words.push(root);
        if link.is_program {
            words.push("-static".into());
        }
        if link.wants_start {
            words.extend(
                ["crt1.o", "crti.o"]
                    .into_iter()
                    .flat_map(|f| for_linker(self.file(f))),
            );
        }
        words
    }

    /// What comes after them; compiled code calls the compiler's libraries without being told.
    pub fn behind(&self, link: &LinkKind, compiler_libraries: &[PathBuf]) -> Vec<OsString> {
        let folders = [Some(&self.folder), self.cxx.as_ref()];
        let search = |folder: &PathBuf| {
            let mut word = OsString::from("-L");
            word.push(folder.join("lib"));
            word
        };
        let mut words: Vec<OsString> = folders.into_iter().flatten().map(search).collect();
        if link.wants_libraries {
            words.push("-Wl,--start-group".into());
            let cxx = self.cxx.as_ref().map(|cxx| cxx.join("lib/libc++.a"));
            words.extend(cxx.into_iter().flat_map(for_linker));
            words.extend(for_linker(self.file("libc.a")));
            words.extend(compiler_libraries.iter().cloned().flat_map(for_linker));
            words.push("-Wl,--end-group".into());
        }
        if link.wants_start {
            let tables_end = self.cxx.as_ref().map(|cxx| cxx.join("lib/tables_end.o"));
            words.extend(tables_end.into_iter().flat_map(for_linker));
            words.extend(for_linker(self.file("crtn.o")));
        }
        words
    }
}

/// What is linked, and what of the library belongs to it.
#[derive(Debug)]
pub struct LinkKind {
    /// A program: no library to load, no object made of objects.
    pub is_program: bool,
    /// It begins where programs begin.
    pub wants_start: bool,
    /// It gets the library.
    pub wants_libraries: bool,
}

/// The library a command uses.
pub fn library(sysroot: Option<&Sysroot>) -> LinkedLibrary {
    match sysroot {
        Some(_) => LinkedLibrary::Musl,
        None => LinkedLibrary::Host,
    }
}
