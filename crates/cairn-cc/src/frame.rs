//! How bitcode lies in a section of an object file.
//!
//! # Problem
//!
//! A linker puts the sections of one name one after the other, perhaps with padding
//! between them, and knows nothing of what is in them. The reader must find the parts again.
//!
//! # Idea
//!
//! Each part is a frame: a mark, what kind it is, the lengths, a name and a body. Frames may
//! stand one after the other with zeros between them.
//!
//! # Soundness
//!
//! The mark is not zero, so padding is never taken for a frame; lengths are checked
//! against what is there; anything else is damage and is reported.
//!
//! # Cost
//!
//! 24 bytes and the name for each part.

/// The name of the section.
pub const SECTION: &str = ".cairn_bc";

/// What each frame begins with; its last character is the version of the format.
const MARK: &[u8; 8] = b"CAIRNBC1";
/// The mark, the kind, the library, two bytes of zero, the length of the name, that of the body.
const HEAD: usize = 24;

/// The C library whose headers a source was compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedLibrary {
    /// The machine's own.
    Host,
    /// The one that Cairn brings along.
    Musl,
}

impl LinkedLibrary {
    /// Its name, as users know it.
    pub fn name(self) -> &'static str {
        match self {
            LinkedLibrary::Host => "host",
            LinkedLibrary::Musl => "musl",
        }
    }
}

/// What a frame holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameContent {
    /// The bitcode of a source.
    Bitcode(Vec<u8>),
    /// A source has none; this is why.
    Absent(String),
    /// An object that another compiler made was linked. If it is a member of an archive, these are the
    /// names that it defines: it may have been left out.
    Foreign(Vec<String>),
}

/// One part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcodeFrame {
    /// The source or the object, as it was named to the compiler.
    pub name: String,
    /// Whose headers it was compiled with.
    pub library: LinkedLibrary,
    /// What there is of it.
    pub content: FrameContent,
}

impl BitcodeFrame {
    /// Adds the frame after others.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (kind, body): (u8, &[u8]) = match &self.content {
            FrameContent::Bitcode(bytes) => (1, bytes),
            FrameContent::Absent(why) => (2, why.as_bytes()),
            FrameContent::Foreign(names) => (3, &names.join("\n").into_bytes()),
        };
        let library = match self.library {
            LinkedLibrary::Host => 0,
            LinkedLibrary::Musl => 1,
        };
        out.extend(MARK);
        out.extend([kind, library, 0, 0]);
        // A name of 4 GB cannot be given to a compiler.
        out.extend(u32::try_from(self.name.len()).unwrap_or(0).to_le_bytes());
        out.extend((body.len() as u64).to_le_bytes());
        out.extend(self.name.as_bytes());
        out.extend(body);
    }
}

/// The content of a section with these frames.
pub fn write_frames(frames: &[BitcodeFrame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for frame in frames {
        frame.write(&mut bytes);
    }
    bytes
}

/// Takes the content of a section apart. The error says what is wrong and where.
pub fn read_frames(bytes: &[u8]) -> Result<Vec<BitcodeFrame>, String> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == 0 {
            at += 1;
            continue;
        }
        let damaged = || format!("the section {SECTION} is damaged at byte {at}");
        let head = bytes.get(at..at + HEAD).ok_or_else(damaged)?;
        if &head[..8] != MARK {
            return Err(damaged());
        }
        let number = |from: usize, to: usize| {
            let little = head[from..to].iter().rev();
            little.fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte))
        };
        let name_end = (at + HEAD) as u64 + number(12, 16);
        let end = name_end.checked_add(number(16, 24)).ok_or_else(damaged)?;
        let range = |from: u64, to: u64| {
            let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
            bytes.get(from..to)
        };
        let name = range((at + HEAD) as u64, name_end).ok_or_else(damaged)?;
        let body = range(name_end, end).ok_or_else(damaged)?;
        let text = || String::from_utf8_lossy(body).into_owned();
        frames.push(BitcodeFrame {
            name: String::from_utf8_lossy(name).into_owned(),
            library: match head[9] {
                0 => LinkedLibrary::Host,
                1 => LinkedLibrary::Musl,
                _ => return Err(damaged()),
            },
            content: match head[8] {
                1 => FrameContent::Bitcode(body.to_vec()),
                2 => FrameContent::Absent(text()),
                3 => FrameContent::Foreign(text().lines().map(str::to_string).collect()),
                _ => return Err(damaged()),
            },
        });
        at = usize::try_from(end).map_err(|_| damaged())?;
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames() -> Vec<BitcodeFrame> {
        vec![
            BitcodeFrame {
                name: "a.c".to_string(),
                library: LinkedLibrary::Host,
                content: FrameContent::Bitcode(b"BC\xC0\xDE\0\0\0".to_vec()),
            },
            BitcodeFrame {
                name: String::new(),
                library: LinkedLibrary::Musl,
                content: FrameContent::Absent("an assembler source".to_string()),
            },
            BitcodeFrame {
                name: "lib.a(x.o)".to_string(),
                library: LinkedLibrary::Host,
                content: FrameContent::Foreign(vec!["f".to_string(), "g".to_string()]),
            },
        ]
    }

    #[test]
    fn what_is_written_is_read_whatever_the_padding() {
        for padding in [0, 1, 3, 16] {
            let mut bytes = vec![0; padding];
            for frame in frames() {
                frame.write(&mut bytes);
                bytes.resize(bytes.len() + padding, 0);
            }
            assert_eq!(read_frames(&bytes).as_deref(), Ok(&frames()[..]));
        }
        assert_eq!(read_frames(&[]), Ok(vec![]));
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let good = write_frames(&frames());
        for length in 1..good.len() {
            // Cut between frames it is a shorter list, elsewhere it is damaged.
            if let Ok(read) = read_frames(&good[..length]) {
                assert!(read.len() < 3, "{length}");
            }
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x55;
            let _ = read_frames(&bad);
            bad[at] = 0xff;
            let _ = read_frames(&bad);
        }
    }
}
