//! Reading files that users name, whatever they turn out to be.
//!
//! A name may lead to a folder, to a device that never ends (`/dev/zero`), or to a sparse file of
//! terabytes. Nothing that is read as a whole is longer than a bound; folders, devices and sockets are
//! refused. Pipes are read as files are, so that `<(…)` of a shell works.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The most bytes of a file that is read as a whole, unless its reader knows better.
pub const MOST_BYTES: u64 = 1 << 30;

/// Reads a file as a whole, of at most [`MOST_BYTES`].
///
/// # Errors
/// What the system says; or that it is no file, or too long.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text as a whole, of at most [`MOST_BYTES`].
///
/// # Errors
/// As for [`read_file`], and if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_file(path)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "expected text in UTF-8"))
}

/// Whether a name leads to something that [`read_file`] would read.
///
/// # Errors
/// Why not, as [`read_file`] would say it.
pub fn check_file(path: &Path) -> io::Result<()> {
    // Opening a pipe would wait for its writer.
    check(&std::fs::metadata(path)?)
}

/// Opens a file that is to be read as a whole.
fn open_file(path: &Path) -> io::Result<impl Read> {
    check_file(path)?;
    let file = File::open(path)?;
    // It may have been replaced in between.
    check(&file.metadata()?)?;
    Ok(bounded(file))
}

/// The same source, which fails where it gets longer than [`MOST_BYTES`].
pub fn bounded(source: impl Read) -> impl Read {
    Bounded {
        source,
        left: MOST_BYTES,
    }
}

fn check(status: &std::fs::Metadata) -> io::Result<()> {
    let kind = status.file_type();
    let refuse = |kind, why| Err(io::Error::new(kind, why));
    if kind.is_dir() {
        return refuse(ErrorKind::IsADirectory, "it is a folder; expected a file");
    }
    if kind.is_char_device() || kind.is_block_device() {
        return refuse(ErrorKind::InvalidInput, "it is a device; expected a file");
    }
    if kind.is_socket() {
        return refuse(ErrorKind::InvalidInput, "it is a socket; expected a file");
    }
    if status.len() > MOST_BYTES {
        return Err(too_long());
    }
    Ok(())
}

fn too_long() -> io::Error {
    let most = MOST_BYTES >> 30;
    io::Error::new(
        ErrorKind::FileTooLarge,
        format!("it is longer than {most} GiB, which is the most that is read"),
    )
}

struct Bounded<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(too_long()),
        }
        Ok(read)
    }
}
