//! The drivers: programs of our own of the shape of those that others measured, and of other tables.

use super::super::sets::runs::Program;
use std::path::{Path, PathBuf};

/// A driver with the sizes that it is run with.
pub struct Driver {
    /// Its source.
    pub file: &'static str,
    /// Macros.
    pub defines: &'static [&'static str],
    /// The program of the thesis that it stands for.
    pub stands_for: Option<&'static str>,
    /// Paths where each object is one, and where all are one, if they are known.
    pub paths: [Option<u64>; 2],
}

/// Tables of pointers: what is compared is a path for each object and one for all.
pub const TABLES: &[Driver] = &[
    Driver {
        file: "tests/segments/m4.c",
        defines: &["WORDS=4", "NAMES=104"],
        stands_for: Some("m4"),
        // Each letter of each word; whether each word's number is odd or even.
        paths: [Some(26 * 26 * 26 * 26), Some(16)],
    },
    Driver {
        file: "tests/segments/make.c",
        defines: &["WORDS=4", "SLOTS=256", "NAMES=120"],
        stands_for: Some("make"),
        paths: [Some(26 * 26 * 26 * 26), Some(1)],
    },
    Driver {
        file: "tests/segments/sqlite.c",
        defines: &["NEW=3"],
        stands_for: Some("SQLite"),
        paths: [Some(26 * 26 * 26), Some(1517)],
    },
    Driver {
        file: "tests/segments/apr.c",
        defines: &["KEYS=60", "BUCKETS=64", "LOOKUPS=3"],
        stands_for: Some("apr"),
        paths: [None, Some(1331)],
    },
    Driver {
        file: "tests/segments/m4words.c",
        defines: &["TEMPLATE=1"],
        stands_for: None,
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/m4words.c",
        defines: &["TEMPLATE=2", "BUCKETS=509"],
        stands_for: None,
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/m4words.c",
        defines: &["TEMPLATE=3"],
        stands_for: None,
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/json.c",
        defines: &["PAIRS=6"],
        stands_for: None,
        paths: [Some(30_240), Some(1728)],
    },
    Driver {
        file: "tests/segments/xmldict.c",
        defines: &["NEW=3"],
        stands_for: None,
        paths: [Some(2787), Some(27)],
    },
    Driver {
        file: "tests/speed/hashtab.c",
        defines: &["NB=3000", "KEYS=10"],
        stands_for: None,
        paths: [Some(33_000), Some(11)],
    },
    Driver {
        file: "tests/segments/texts.c",
        defines: &["LENGTH=4000"],
        stands_for: None,
        paths: [Some(26), Some(26)],
    },
    Driver {
        file: "tests/segments/empty.c",
        defines: &[],
        stands_for: None,
        paths: [Some(1), Some(1)],
    },
];

/// Large objects that are accessed at unknown offsets: what is compared is the whole object and parts of it.
pub const LARGE: &[Driver] = &[
    Driver {
        file: "tests/segments/m4.c",
        defines: &["WORDS=2", "NAMES=78", "BUCKETS=509"],
        stands_for: Some("m4"),
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/make.c",
        defines: &["WORDS=2", "SLOTS=1024", "NAMES=120"],
        stands_for: Some("make"),
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/sqlite.c",
        defines: &["NEW=2", "BUCKETS=21"],
        stands_for: Some("SQLite"),
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/aprpool.c",
        defines: &[],
        stands_for: Some("apr"),
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/gas.c",
        defines: &[],
        stands_for: Some("gas"),
        paths: [None, None],
    },
    Driver {
        file: "tests/segments/xmldict.c",
        defines: &["NEW=2"],
        stands_for: Some("libxml2"),
        paths: [None, None],
    },
];

impl Driver {
    /// The name in tables.
    pub fn name(&self) -> String {
        let stem = Path::new(self.file).file_stem().unwrap_or_default();
        let name = format!("{} {}", stem.to_string_lossy(), self.defines.join(" "));
        name.trim_end().to_string()
    }

    /// What is run.
    pub fn program(&self) -> Program {
        Program {
            name: self.name(),
            source: PathBuf::from(self.file),
            defines: self.defines.iter().map(|d| format!("-D{d}")).collect(),
            flags: Vec::new(),
            expected: None,
            machine: None,
        }
    }
}
