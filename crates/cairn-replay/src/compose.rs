//! Makes the test of a whole program from concrete arguments, files and standard input.
//!
//! It is the inverse of [`crate::RecordedEnvironment`]: the words stand in the test's arguments and the
//! bytes in its objects, in the order in which exploring the program makes them. So the test is
//! replayed, and it can be a seed for exploring from this input on.

use crate::ktest::{KTest, KTestObject};
use crate::stat::regular_file;

/// What a program is to be given.
#[derive(Clone, Debug, Default)]
pub struct ConcreteInput {
    /// The program's name, then arguments that stay as they are.
    pub literal: Vec<Vec<u8>>,
    /// Arguments that become objects.
    pub arguments: Vec<Vec<u8>>,
    /// The files `A`, `B`, …: bytes and permissions. All have the length of the longest, because
    /// there is one word for all; shorter ones end in zeros.
    pub files: Vec<(Vec<u8>, u32)>,
    /// Standard input.
    pub input: Option<Vec<u8>>,
    /// The program's own objects.
    pub objects: Vec<KTestObject>,
}

impl ConcreteInput {
    /// The most files that there are names for.
    pub const MOST_FILES: usize = (b'~' - b'A') as usize + 1;

    /// The length that all files get.
    pub fn file_length(&self) -> usize {
        let lengths = self.files.iter().map(|(bytes, _)| bytes.len());
        lengths.max().unwrap_or(0)
    }

    /// The test.
    ///
    /// # Panics
    /// If there are more than [`ConcreteInput::MOST_FILES`] files.
    pub fn test(&self) -> KTest {
        assert!(self.files.len() <= Self::MOST_FILES, "files have names");
        let mut args = self.literal.clone();
        let mut objects = Vec::new();
        let mut put = |name: String, bytes: Vec<u8>| {
            let name = name.into_bytes();
            objects.push(KTestObject { name, bytes });
        };
        for (index, argument) in self.arguments.iter().enumerate() {
            args.push(b"--sym-arg".to_vec());
            args.push(argument.len().to_string().into_bytes());
            put(format!("arg{index:02}"), [argument, &[0][..]].concat());
        }
        let length = self.file_length();
        if !self.files.is_empty() {
            args.push(b"--sym-files".to_vec());
            args.push(self.files.len().to_string().into_bytes());
            args.push(length.to_string().into_bytes());
        }
        for ((bytes, permissions), letter) in self.files.iter().zip(b'A'..) {
            let name = format!("{}-data", char::from(letter));
            let mut bytes = bytes.clone();
            bytes.resize(length, 0);
            put(name.clone(), bytes);
            let number = u64::from(letter - b'A') + 1;
            let stat = regular_file(number, *permissions, length as u64);
            put(format!("{name}-stat"), stat);
        }
        if let Some(input) = &self.input {
            args.push(b"--sym-stdin".to_vec());
            args.push(input.len().to_string().into_bytes());
            put("stdin".to_string(), input.clone());
            let number = self.files.len() as u64 + 1;
            let stat = regular_file(number, 0o644, input.len() as u64);
            put("stdin-stat".to_string(), stat);
        }
        if args.len() > self.literal.len() {
            put("model_version".to_string(), vec![1, 0, 0, 0]);
        }
        objects.extend(self.objects.iter().cloned());
        KTest {
            args,
            objects,
            ..KTest::default()
        }
    }
}
