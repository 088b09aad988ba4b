//! A directory for files that go away with their owner.

use cairn_home::ScratchFolder;
use std::path::{Path, PathBuf};

/// A directory of its own below the system's temporary one.
pub(crate) struct Scratch(ScratchFolder);

impl Scratch {
    /// A new one.
    pub fn new() -> std::io::Result<Self> {
        Ok(Scratch(ScratchFolder::new()?))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A file in it.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }
}
