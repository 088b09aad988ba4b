//! The folder of a run. Without a wish of the user it is `cairn-out-N` beside the program, N the
//! smallest number that is free, and `cairn-last` leads to it.
//!
//! Runs may start at the same time in the same place. Creating a folder either succeeds or says that
//! it is there already, so each number goes to one run. The link is made under a name that contains
//! the number and renamed over the old one, so it leads to some newest run at every moment.

use crate::ReportError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Whose names are used for folders and in lines of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// `cairn run`.
    Cairn,
    /// `cairn klee`, where scripts expect KLEE's names.
    Klee,
}

impl Product {
    /// The first word of folders: `cairn-out-0`, `klee-last`.
    pub fn prefix(self) -> &'static str {
        match self {
            Product::Cairn => "cairn",
            Product::Klee => "klee",
        }
    }

    /// The first word of lines: `KLEE: done: …`.
    pub fn speaker(self) -> &'static str {
        match self {
            Product::Cairn => "cairn",
            Product::Klee => "KLEE",
        }
    }
}

/// A folder that was created for one run.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    link_failure: Option<ReportError>,
}

impl OutputFolder {
    /// Creates the next numbered folder beside a program, and the link to it.
    pub fn beside(program: &Path, product: Product) -> Result<OutputFolder, ReportError> {
        let here = program.parent().unwrap_or(Path::new(""));
        let here = if here.as_os_str().is_empty() {
            Path::new(".")
        } else {
            here
        };
        let failed = |source| ReportError::NoFolder {
            parent: here.to_path_buf(),
            source,
        };
        let parent = std::path::absolute(here).map_err(failed)?;
        let mut number = 0u64;
        let (name, path) = loop {
            let name = format!("{}-out-{number}", product.prefix());
            let path = parent.join(&name);
            match fs::create_dir(&path) {
                Ok(()) => break (name, path),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(failed(e)),
            }
        };
        let link_failure = link_newest(&parent, &name, product).err();
        Ok(OutputFolder { path, link_failure })
    }

    /// Takes the folder that the user named: it is created, or is there and empty. As in KLEE no link
    /// leads to it.
    pub fn at(path: &Path) -> Result<OutputFolder, ReportError> {
        let failed = |source| ReportError::NoNamedFolder {
            path: path.to_path_buf(),
            source,
        };
        let absolute = std::path::absolute(path).map_err(failed)?;
        match fs::create_dir(&absolute) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                if !absolute.is_dir() {
                    let path = path.to_path_buf();
                    return Err(ReportError::NotAFolder { path });
                }
                if fs::read_dir(&absolute).map_err(failed)?.next().is_some() {
                    let path = path.to_path_buf();
                    return Err(ReportError::NotEmpty { path });
                }
            }
            Err(e) => return Err(failed(e)),
        }
        Ok(OutputFolder {
            path: absolute,
            link_failure: None,
        })
    }

    /// The folder's absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Why the link to the newest run is missing: worth a warning, the run itself is not affected.
    pub fn link_failure(&self) -> Option<&ReportError> {
        self.link_failure.as_ref()
    }
}

/// Makes `cairn-last` lead to a folder beside it.
fn link_newest(parent: &Path, folder: &str, product: Product) -> Result<(), ReportError> {
    let link = parent.join(format!("{}-last", product.prefix()));
    let beside = parent.join(format!(".{folder}.link"));
    let replace = || {
        // Only a link may be replaced: anything else of that name is the user's.
        if fs::symlink_metadata(&link).is_ok_and(|m| !m.is_symlink()) {
            return Err(io::Error::other("something else has that name"));
        }
        match fs::remove_file(&beside) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            Ok(()) | Err(_) => {}
        }
        std::os::unix::fs::symlink(folder, &beside)?;
        fs::rename(&beside, &link).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    };
    replace().map_err(|source| ReportError::NoLink {
        link: link.clone(),
        target: PathBuf::from(folder),
        source,
    })
}
