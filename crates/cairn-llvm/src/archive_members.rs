//! The members of archives of bitcode, by name and in order.
//!
//! The crate `object` reads the format. Tables of symbols are left out: what links looks into the members.

use object::archive::{MAGIC, THIN_MAGIC};
use object::read::archive::ArchiveFile;

/// Whether these bytes are an archive.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&THIN_MAGIC)
}

/// The members of an archive: names and contents.
///
/// # Errors
/// Why the bytes are no archive that can be read.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, String> {
    let archive = ArchiveFile::parse(bytes).map_err(|e| e.to_string())?;
    if archive.is_thin() {
        return Err("its members are files elsewhere; make it without `ar T`".to_string());
    }
    let members = archive.members().map(|member| {
        let member = member?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        Ok((name, member.data(bytes)?))
    });
    members
        .collect::<Result<_, object::Error>>()
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = format!("{name:<16}{:<32}{:<10}`\n", "0", content.len()).into_bytes();
        bytes.extend_from_slice(content);
        if content.len() % 2 == 1 {
            bytes.push(b'\n');
        }
        bytes
    }

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (name, content) in members {
            bytes.extend(member(name, content));
        }
        bytes
    }

    #[test]
    fn names_of_all_kinds_are_read() {
        let bytes = archive(&[
            ("/", b"symbols"),
            ("//", b"a-very-long-member-name.bc/\n"),
            ("short.bc/", b"one"),
            ("/0", b"two!"),
            ("#1/8", b"bsd.bc\0\0three"),
        ]);
        let expected: [(String, &[u8]); 3] = [
            ("short.bc".to_string(), b"one"),
            ("a-very-long-member-name.bc".to_string(), b"two!"),
            ("bsd.bc".to_string(), b"three"),
        ];
        assert_eq!(members(&bytes), Ok(expected.to_vec()));
    }

    #[test]
    fn any_cut_is_an_error_or_fewer_members() {
        let whole = archive(&[("a/", b"first"), ("b/", b"second")]);
        for length in MAGIC.len()..whole.len() {
            if let Ok(found) = members(&whole[..length]) {
                assert!(found.len() < 2, "{length}");
            }
        }
        assert!(members(b"!<thin>\n").is_err());
    }
}
