//! Files of arguments (`@file`), as compilers read them.
//!
//! Words are divided by white space; quotes of both kinds keep it, and a backslash keeps the next
//! character. A file may name others. A word that names no readable file is an argument like any
//! other. Files that name each other in a cycle are followed to a fixed depth.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

const DEEPEST: u32 = 16;

/// An argument, and which of the arguments as given it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandArgument {
    /// The argument.
    pub text: OsString,
    /// The index of the argument that it is, or that names the file it is in.
    pub origin: usize,
}

/// The arguments with those in files in their place.
pub fn expand(arguments: &[OsString]) -> Vec<CommandArgument> {
    let mut words = Vec::new();
    for (origin, argument) in arguments.iter().enumerate() {
        expand_one(argument, origin, DEEPEST, &mut words);
    }
    words
}

/// Does the argument name a file of arguments?
fn file_of(argument: &OsStr) -> Option<&Path> {
    let name = argument.as_bytes().strip_prefix(b"@")?;
    let path = Path::new(OsStr::from_bytes(name));
    path.is_file().then_some(path)
}

fn expand_one(argument: &OsStr, origin: usize, depth: u32, words: &mut Vec<CommandArgument>) {
    let content = match file_of(argument) {
        Some(path) if depth > 0 => cairn_home::read_file(path).ok(),
        Some(_) | None => None,
    };
    let Some(content) = content else {
        let text = argument.to_os_string();
        words.push(CommandArgument { text, origin });
        return;
    };
    for word in split(&content) {
        expand_one(&word, origin, depth - 1, words);
    }
}

/// The words of a file.
fn split(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (None, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (Some(open), _) if byte == open => quote = None,
            (_, b'\\') => {
                word.get_or_insert_default().extend(bytes.next());
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_what_they_protect() {
        let words = split(b"-c  a\\ b.c\n'-DX=\"y z\"' -D\"P= q\" \"\" \\\"x\\\"\t-o x.o");
        let expected = [
            "-c",
            "a b.c",
            "-DX=\"y z\"",
            "-DP= q",
            "",
            "\"x\"",
            "-o",
            "x.o",
        ];
        assert_eq!(words, expected);
        assert_eq!(split(b" \n"), Vec::<OsString>::new());
        assert_eq!(split(b"a\\"), ["a"]);
    }
}
