//! A folder for files that are needed for a while, such as what a compiler writes.
//!
//! It is made new, readable by nobody else, under a name that nobody had; it is removed with all it
//! holds when the value is dropped. A process that is killed leaves it behind.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Debug)]
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// If no folder can be made there.
    pub fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let mut attempt = 0u32;
        loop {
            let path = parent.join(format!("cairn-{}-{attempt}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(ScratchFolder(path)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 10_000 => {
                    attempt += 1;
                }
                Err(e) => {
                    let message = format!("{} cannot be made: {e}", path.display());
                    return Err(io::Error::new(e.kind(), message));
                }
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // If it is gone already, nothing is to be done.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
