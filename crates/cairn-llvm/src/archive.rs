//! Archives as `ar` makes them: members by name, in order.
//!
//! A member has a header of 60 bytes and begins at an even place. Long names stand in a member of
//! their own (GNU) or before the content (BSD). Tables of symbols are left out: who links looks into
//! the members. Every length is checked, so any bytes give members or a reason.

/// What archives begin with.
const MAGIC: &[u8] = b"!<arch>\n";
/// What archives begin with whose members are files elsewhere.
const THIN: &[u8] = b"!<thin>\n";
/// Bytes of a member's header.
const HEADER: usize = 60;

/// Whether these bytes are an archive.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(THIN)
}

/// The members of an archive that hold something: names and contents.
///
/// # Errors
/// Why the bytes are no archive that can be read.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<(String, &[u8])>, &'static str> {
    if bytes.starts_with(THIN) {
        return Err("its members are files elsewhere; make it without `ar T`");
    }
    let mut rest = bytes.strip_prefix(MAGIC).ok_or("it is no archive")?;
    let mut long_names: &[u8] = &[];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (header, behind) = rest
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.ends_with(b"`\n"))
            .ok_or("a member's header is broken")?;
        let size = number(&header[48..58]).ok_or("a member's size is no number")?;
        let (content, next) = behind
            .split_at_checked(size)
            .ok_or("a member is longer than the archive")?;
        // A member of odd length is followed by a byte that fills up.
        rest = if size % 2 == 1 {
            next.get(1..).unwrap_or_default()
        } else {
            next
        };
        let name = header[..16].trim_ascii_end();
        match name {
            b"/" | b"/SYM64/" | b"__.SYMDEF" | b"__.SYMDEF SORTED" => {}
            b"//" => long_names = content,
            _ => {
                let (name, content) = named(name, content, long_names)?;
                if !name.starts_with("__.SYMDEF") {
                    found.push((name, content));
                }
            }
        }
    }
    Ok(found)
}

/// The whole name of a member, and what belongs to its content.
fn named<'a>(
    name: &[u8],
    content: &'a [u8],
    long_names: &[u8],
) -> Result<(String, &'a [u8]), &'static str> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if let Some(length) = name.strip_prefix(b"#1/") {
        let length = number(length).ok_or("the length of a name is no number")?;
        let split = content.split_at_checked(length);
        let (name, content) = split.ok_or("a name is longer than its member")?;
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        return Ok((text(&name[..end]), content));
    }
    if let Some(at) = name.strip_prefix(b"/") {
        let start = number(at).and_then(|at| long_names.get(at..));
        let start = start.ok_or("a long name is missing")?;
        let end = start.iter().position(|b| *b == b'\n');
        let name = &start[..end.unwrap_or(start.len())];
        return Ok((text(name.strip_suffix(b"/").unwrap_or(name)), content));
    }
    Ok((text(name.strip_suffix(b"/").unwrap_or(name)), content))
}

/// A decimal number, filled up with spaces.
fn number(field: &[u8]) -> Option<usize> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
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
