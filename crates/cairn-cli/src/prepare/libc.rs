//! The C library that programs can be linked with: musl, which `scripts/libc.sh` sets up.

use anyhow::Context;
use cairn_llvm::IndexedArchive;
use std::path::PathBuf;

/// Which C library a program is linked with, if the user says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LibcChoice {
    /// musl, as bitcode
    Musl,
    /// None: functions that Cairn provides
    None,
}

/// Where it is set up.
const FOLDER: &str = ".deps/musl";

/// The bitcode in it.
const BITCODE: &str = "libc.bca";

/// Where the C++ library is, beside it, and its bitcode, which has musl in it.
const CXX_FOLDER: &str = "libcxx";
const CXX_BITCODE: &str = "libcxx.bca";

/// A library that was set up.
pub struct Libc {
    folder: PathBuf,
}

impl Libc {
    /// Looks for it: in the folder that `CAIRN_LIBC` names, or else in `.deps/musl` where
    /// [`cairn_home`] looks.
    ///
    /// # Errors
    /// If it is not there.
    pub fn find() -> anyhow::Result<Self> {
        if let Some(folder) = std::env::var_os("CAIRN_LIBC") {
            let folder = PathBuf::from(folder);
            anyhow::ensure!(
                folder.join(BITCODE).is_file(),
                "CAIRN_LIBC names {}, where there is no {BITCODE}",
                folder.display()
            );
            return Ok(Libc { folder });
        }
        let mut folders = cairn_home::candidates(FOLDER).into_iter();
        let folder = folders.find(|folder| folder.join(BITCODE).is_file());
        folder.map(|folder| Libc { folder }).with_context(|| {
            format!(
                "musl was not found: looked for {FOLDER}/{BITCODE} {}; ./setup makes it (or \
                 scripts/libc.sh alone); set CAIRN_LIBC to its folder, or use --libc none",
                cairn_home::LOOKED_IN
            )
        })
    }

    /// The folder of its headers.
    fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// What the compiler is told to use its headers: not the system's; the compiler's own come last.
    pub fn compiler_flags(&self) -> [String; 3] {
        [
            "-nostdlibinc".to_string(),
            "-isystem".to_string(),
            self.include().display().to_string(),
        ]
    }

    /// The folder of the C++ library that goes with it, if that was set up.
    pub fn cxx(&self) -> Option<PathBuf> {
        let folder = self.folder.parent()?.join(CXX_FOLDER);
        folder.join(CXX_BITCODE).is_file().then_some(folder)
    }

    /// What the compiler of C++ is told besides, so that it finds that library's headers.
    ///
    /// # Errors
    /// If there is no such library.
    pub fn cxx_compiler_flags(&self) -> anyhow::Result<[String; 4]> {
        let folder = self.cxx().context(
            "C++ with musl needs libc++, which is not set up: ./setup makes it (or \
             scripts/libcxx.sh alone); or use --libc none",
        )?;
        Ok([
            "-nostdinc++".to_string(),
            "-isystem".to_string(),
            folder.join("include").display().to_string(),
            // Headers that programs include without a word about it.
            "-D_GNU_SOURCE".to_string(),
        ])
    }

    /// Its bitcode, for a program in C, or with that of the C++ library.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(&self, only_c: bool) -> anyhow::Result<IndexedArchive> {
        let cxx = self.cxx().filter(|_| !only_c);
        let file = match cxx {
            Some(folder) => folder.join(CXX_BITCODE),
            None => self.folder.join(BITCODE),
        };
        Ok(IndexedArchive::open(&file)?)
    }
}
