//! Files that are whole at every moment: written under another name beside their place, then renamed.
//! A reader sees the old content or the new, a killed run leaves the old. It costs one rename.

use crate::ReportError;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Replaces a file by this content in one step.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    let written = fs::write(&beside, content).and_then(|()| fs::rename(&beside, path));
    written.map_err(|source| {
        // What is left of a failed attempt is of no use; that it may not be there is no news.
        let _ = fs::remove_file(&beside);
        ReportError::write(path, source)
    })
}
