//! The file format of tests, `.ktest` version 3, as KLEE and its tools read and write it.
//!
//! # Problem
//!
//! A test is what a run leaves behind: arguments of the program and, for each object
//! that was symbolic, its name and bytes. Other tools read these files, so every byte has its place.
//!
//! - **Layout.** The magic `KTEST`, then numbers of 32 bits, most significant byte first: version,
//!   count of arguments, each as length and bytes; since version 2 two numbers about symbolic
//!   arguments; count of objects, each as length and bytes of its name, then of its content. Files
//!   of versions 1 and 2 and of the older magic `BOUT\n` are read too; version 3 is written.
//!
//! # Soundness
//!
//! Reading takes any bytes: a length is compared with what is left before
//! anything is allocated, so memory is bounded by the file, and an error names the offset and what
//! was expected there. What is written is read back as the same value (tests do both).
//!
//! # Cost
//!
//! Writing fills one buffer; a [`KTestWriter`] keeps it from test to test, and each test
//! is one open, one write and one rename.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The version that is written.
pub const VERSION: u32 = 3;

/// One test: what the program was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTest {
    /// The program's name, then its arguments.
    pub args: Vec<Vec<u8>>,
    /// How many arguments were symbolic (0 if it is not known).
    pub sym_argvs: u32,
    /// The length of symbolic arguments (0 if it is not known).
    pub sym_argv_len: u32,
    /// The objects that were symbolic, in the order in which the program made them.
    pub objects: Vec<KTestObject>,
}

/// An object that was symbolic and its content in this test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KTestObject {
    /// Its name.
    pub name: Vec<u8>,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Why bytes are not a test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KTestError {
    /// The file does not begin as a test does.
    #[error("not a test: expected the letters KTEST at the beginning")]
    Magic,
    /// A version that is not known.
    #[error("offset 5: expected version 1, 2 or 3, found {found}")]
    Version {
        /// What the file says.
        found: u32,
    },
    /// The file ends too early, or a length is wrong.
    #[error("offset {offset}: expected {expected}, but only {left} bytes are left")]
    Short {
        /// Where.
        offset: usize,
        /// What should be there.
        expected: String,
        /// How many bytes there are.
        left: usize,
    },
    /// Bytes after the last object.
    #[error("offset {offset}: expected the end of the file, but {left} bytes are left")]
    Trailing {
        /// Where.
        offset: usize,
        /// How many bytes there are.
        left: usize,
    },
}

impl KTest {
    /// Reads a test.
    ///
    /// # Errors
    /// If the bytes are not a test of version 1 to 3, with the place.
    pub fn read(bytes: &[u8]) -> Result<KTest, KTestError> {
        if !(bytes.starts_with(b"KTEST") || bytes.starts_with(b"BOUT\n")) {
            return Err(KTestError::Magic);
        }
        let mut reader = Reader { bytes, offset: 5 };
        let version = reader.number("the version")?;
        if !(1..=VERSION).contains(&version) {
            return Err(KTestError::Version { found: version });
        }
        // An argument takes at least its length, an object the lengths of its name and content.
        let count = reader.count("arguments", 4)?;
        let mut args = Vec::with_capacity(count);
        for index in 0..count {
            args.push(reader.block(|| format!("argument {index}"))?);
        }
        let (sym_argvs, sym_argv_len) = if version >= 2 {
            (
                reader.number("the number of symbolic arguments")?,
                reader.number("the length of symbolic arguments")?,
            )
        } else {
            (0, 0)
        };
        let count = reader.count("objects", 8)?;
        let mut objects = Vec::with_capacity(count);
        for index in 0..count {
            objects.push(KTestObject {
                name: reader.block(|| format!("the name of object {index}"))?,
                bytes: reader.block(|| format!("the content of object {index}"))?,
            });
        }
        match reader.left() {
            0 => Ok(KTest {
                args,
                sym_argvs,
                sym_argv_len,
                objects,
            }),
            left => Err(KTestError::Trailing {
                offset: reader.offset,
                left,
            }),
        }
    }

    /// The test as the bytes of a file of version 3.
    ///
    /// # Panics
    /// If a part has 2^32 bytes or more: the format cannot say that.
    pub fn write(&self) -> Vec<u8> {
        let mut buffer = Vec::new();
        self.write_into(&mut buffer);
        buffer
    }

    /// Like [`KTest::write`], after what the buffer holds already.
    ///
    /// # Panics
    /// If a part has 2^32 bytes or more.
    pub fn write_into(&self, buffer: &mut Vec<u8>) {
        let objects = self.objects.iter();
        let objects = objects.map(|o| (o.name.as_slice(), o.bytes.as_slice()));
        let symbolic = (self.sym_argvs, self.sym_argv_len);
        put_test(buffer, &self.args, symbolic, objects);
    }

    /// Writes the test to a file that is whole as soon as it has its name; see [`KTestWriter`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_atomically(&self, path: &Path) -> io::Result<()> {
        KTestWriter::default().write(self, path)
    }
}

/// Writes many tests, each so that a file with the final name is whole.
///
/// The bytes go to `.NAME.part` in the same folder, which is then renamed: a process that is killed
/// at any moment leaves whole tests and at most one file that no reader takes for one. Nothing is
/// forced to the disk: what a power cut leaves is up to the file system.
#[derive(Debug, Default)]
pub struct KTestWriter {
    buffer: Vec<u8>,
    part: PathBuf,
    part_name: std::ffi::OsString,
}

impl KTestWriter {
    /// Writes one test.
    ///
    /// # Errors
    /// If the file cannot be written; what was begun is removed again.
    pub fn write(&mut self, test: &KTest, path: &Path) -> io::Result<()> {
        self.buffer.clear();
        test.write_into(&mut self.buffer);
        self.put(path)
    }

    /// Writes one test from its parts, which need not be copied for it: arguments, and name and
    /// content of each object.
    ///
    /// # Errors
    /// As for [`KTestWriter::write`].
    pub fn write_parts<'a>(
        &mut self,
        args: &[Vec<u8>],
        objects: impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])>,
        path: &Path,
    ) -> io::Result<()> {
        self.buffer.clear();
        put_test(&mut self.buffer, args, (0, 0), objects);
        self.put(path)
    }

    /// Writes the buffer.
    fn put(&mut self, path: &Path) -> io::Result<()> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        self.part_name.clear();
        self.part_name.push(".");
        self.part_name.push(name);
        self.part_name.push(".part");
        self.part.clear();
        self.part.push(path);
        self.part.set_file_name(&self.part_name);
        let written = File::create(&self.part)
            .and_then(|mut file| file.write_all(&self.buffer))
            .and_then(|()| std::fs::rename(&self.part, path));
        if written.is_err() {
            // It may never have been made; the first error is the one to tell.
            let _ = std::fs::remove_file(&self.part);
        }
        written
    }
}

/// A test of version 3.
fn put_test<'a>(
    buffer: &mut Vec<u8>,
    args: &[Vec<u8>],
    (sym_argvs, sym_argv_len): (u32, u32),
    objects: impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])>,
) {
    buffer.extend_from_slice(b"KTEST");
    put_number(buffer, VERSION);
    put_length(buffer, args.len());
    for arg in args {
        put_block(buffer, arg);
    }
    put_number(buffer, sym_argvs);
    put_number(buffer, sym_argv_len);
    put_length(buffer, objects.len());
    for (name, bytes) in objects {
        put_block(buffer, name);
        put_block(buffer, bytes);
    }
}

fn put_number(buffer: &mut Vec<u8>, number: u32) {
    buffer.extend_from_slice(&number.to_be_bytes());
}

fn put_length(buffer: &mut Vec<u8>, length: usize) {
    put_number(
        buffer,
        u32::try_from(length).expect("lengths in a test have 32 bits"),
    );
}

fn put_block(buffer: &mut Vec<u8>, bytes: &[u8]) {
    put_length(buffer, bytes.len());
    buffer.extend_from_slice(bytes);
}

/// Bytes and how far they were read.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn short(&self, expected: String) -> KTestError {
        KTestError::Short {
            offset: self.offset,
            expected,
            left: self.left(),
        }
    }

    fn number(&mut self, what: &str) -> Result<u32, KTestError> {
        match self.bytes[self.offset..].first_chunk::<4>() {
            Some(bytes) => {
                self.offset += 4;
                Ok(u32::from_be_bytes(*bytes))
            }
            None => Err(self.short(format!("{what} (4 bytes)"))),
        }
    }

    /// The number of things that follow, each of at least so many bytes.
    fn count(&mut self, what: &str, at_least: usize) -> Result<usize, KTestError> {
        let count = self.number(&format!("the number of {what}"))? as usize;
        if count > self.left() / at_least {
            return Err(self.short(format!("{count} {what}")));
        }
        Ok(count)
    }

    /// A length and that many bytes.
    fn block(&mut self, what: impl Fn() -> String) -> Result<Vec<u8>, KTestError> {
        if self.left() < 4 {
            return Err(self.short(format!("the length of {} (4 bytes)", what())));
        }
        let length = self.number("a length")? as usize;
        if length > self.left() {
            return Err(self.short(format!("{} ({length} bytes)", what())));
        }
        let block = self.bytes[self.offset..self.offset + length].to_vec();
        self.offset += length;
        Ok(block)
    }
}
