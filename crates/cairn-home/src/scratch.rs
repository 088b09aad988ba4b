//! A folder for files that are needed for a while, such as what a compiler writes.
//!
//! It is made new, readable by its owner only, under a name that was not taken; it is removed with all it
//! holds when the value is dropped. A process that is killed leaves it behind.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// The folder.
#[derive(Debug)]
pub struct ScratchFolder(TempDir);

impl ScratchFolder {
    /// Makes one in the system's folder for temporary files.
    ///
    /// # Errors
    /// If no folder can be made there.
    pub fn new() -> io::Result<Self> {
        let made = tempfile::Builder::new().prefix("cairn-").tempdir();
        Ok(ScratchFolder(made.map_err(|e| {
            let folder = std::env::temp_dir();
            let message = format!("no folder can be made in {}: {e}", folder.display());
            io::Error::new(e.kind(), message)
        })?))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A program may have left folders that cannot be written, which [`TempDir`] leaves behind.
        let _ = remove_folder(self.0.path());
    }
}

/// Removes a folder with all it holds, even if a program took the right to write from folders in it.
///
/// # Errors
/// What the system says.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    if std::fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    let mut folders = vec![folder.to_path_buf()];
    while let Some(path) = folders.pop() {
        // What cannot be changed shows when it cannot be removed.
        let _ = std::fs::set_permissions(&path, Permissions::from_mode(0o700));
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    std::fs::remove_dir_all(folder)
}

/// Removes all that a folder holds.
///
/// # Errors
/// What the system says.
pub fn empty_folder(folder: &Path) -> io::Result<()> {
    std::fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_folder(&entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
