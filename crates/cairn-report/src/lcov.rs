//! `coverage.info`: what was covered of the source, as lcov's tracefiles say it, for `genhtml` and what
//! else draws coverage.
//!
//! One section for each source file: its functions (`FN`, `FNDA`), its branches (`BRDA`, a dash where
//! control never came), its lines (`DA`), and how many of each there are. Names with line breaks
//! would be read as something else, so breaks become spaces.

use crate::{ReportError, atomic};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFunction {
    /// Where it begins.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// How often it was entered.
    pub entered: u64,
}

/// A branch in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedBranch {
    /// Where it stands.
    pub line: u32,
    /// How often each direction was taken; nothing if control never came there.
    pub taken: Option<Vec<u64>>,
    /// How many directions it has.
    pub directions: usize,
}

/// What was covered of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedFile {
    /// Functions.
    pub functions: Vec<TracedFunction>,
    /// Branches, in order of their lines.
    pub branches: Vec<TracedBranch>,
    /// How often lines were passed.
    pub lines: BTreeMap<u32, u64>,
}

/// What was covered of a program: its files by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tracefile {
    /// The files.
    pub files: BTreeMap<String, TracedFile>,
}

impl Tracefile {
    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::from("TN:\n");
        for (name, file) in &self.files {
            put(&mut text, name, file).expect("writing to a string cannot fail");
        }
        text
    }

    /// Writes the file in one step.
    pub fn write_atomically(&self, path: &Path) -> Result<(), ReportError> {
        atomic::replace(path, self.to_text().as_bytes())
    }
}

fn put(text: &mut String, name: &str, file: &TracedFile) -> std::fmt::Result {
    let one_line = |name: &str| name.replace(['\n', '\r'], " ");
    writeln!(text, "SF:{}", one_line(name))?;
    for function in &file.functions {
        writeln!(text, "FN:{},{}", function.line, one_line(&function.name))?;
    }
    for function in &file.functions {
        writeln!(
            text,
            "FNDA:{},{}",
            function.entered,
            one_line(&function.name)
        )?;
    }
    let entered = file.functions.iter().filter(|f| f.entered > 0).count();
    writeln!(text, "FNF:{}\nFNH:{entered}", file.functions.len())?;
    let (mut found, mut hit) = (0, 0);
    for (number, branch) in file.branches.iter().enumerate() {
        for direction in 0..branch.directions {
            found += 1;
            write!(text, "BRDA:{},{number},{direction},", branch.line)?;
            match &branch.taken {
                Some(taken) => {
                    hit += usize::from(taken[direction] > 0);
                    writeln!(text, "{}", taken[direction])?;
                }
                None => writeln!(text, "-")?,
            }
        }
    }
    writeln!(text, "BRF:{found}\nBRH:{hit}")?;
    for (line, passed) in &file.lines {
        writeln!(text, "DA:{line},{passed}")?;
    }
    let passed = file.lines.values().filter(|passed| **passed > 0).count();
    writeln!(text, "LF:{}\nLH:{passed}\nend_of_record", file.lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_for_each_file() {
        let file = TracedFile {
            functions: vec![
                TracedFunction {
                    line: 1,
                    name: "f".to_string(),
                    entered: 2,
                },
                TracedFunction {
                    line: 9,
                    name: "g".to_string(),
                    entered: 0,
                },
            ],
            branches: vec![
                TracedBranch {
                    line: 2,
                    taken: Some(vec![2, 0]),
                    directions: 2,
                },
                TracedBranch {
                    line: 10,
                    taken: None,
                    directions: 2,
                },
            ],
            lines: BTreeMap::from([(2, 2), (10, 0)]),
        };
        let files = BTreeMap::from([("p.c".to_string(), file)]);
        let expected = "TN:\nSF:p.c\nFN:1,f\nFN:9,g\nFNDA:2,f\nFNDA:0,g\nFNF:2\nFNH:1\n\
                        BRDA:2,0,0,2\nBRDA:2,0,1,0\nBRDA:10,1,0,-\nBRDA:10,1,1,-\nBRF:4\nBRH:1\n\
                        DA:2,2\nDA:10,0\nLF:2\nLH:1\nend_of_record\n";
        assert_eq!(Tracefile { files }.to_text(), expected);
    }
}
