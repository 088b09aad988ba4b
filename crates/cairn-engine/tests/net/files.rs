//! Files of the net: program, settings, expected block.

use super::report::Seen;
use super::setting::{Setting, Show};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the expected block begins with.
const EXPECTED: &str = "; expected:";

/// How often a run with several workers is repeated until a path moves.
const MOST_REPETITIONS: u32 = 100;

/// A file of the net.
pub struct NetFile {
    pub name: String,
    path: PathBuf,
    /// All before the expected block.
    source: String,
    expected: Vec<String>,
}

/// All files, in order of their names.
pub fn all_files() -> Vec<NetFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/net");
    let entries = std::fs::read_dir(&folder).expect("the folder of the net");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cir"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "the net is empty");
    paths.into_iter().map(NetFile::read).collect()
}

impl NetFile {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("a file of the net");
        let (source, expected) = match text.find(EXPECTED) {
            Some(at) => text.split_at(at),
            None => (text.as_str(), ""),
        };
        let lines = expected.lines().skip(1);
        let expected = lines.map(|line| line.strip_prefix("; ").unwrap_or(line).to_string());
        NetFile {
            name: path.file_stem().expect("a name").display().to_string(),
            source: source.to_string(),
            expected: expected.collect(),
            path,
        }
    }

    /// The settings after a word at the file's head.
    fn settings<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.source.lines();
        lines.filter_map(move |line| {
            line.strip_prefix("; ")?
                .strip_prefix(word)?
                .strip_prefix(':')
        })
    }

    /// What the first run is told.
    fn setting(&self) -> Result<Setting, String> {
        let mut setting = Setting::default();
        self.settings("run")
            .try_for_each(|line| setting.read(line))?;
        Ok(setting)
    }

    /// Whether other runs in the process would disturb it.
    pub fn runs_alone(&self) -> bool {
        let mut all = self.settings("run").chain(self.settings("same"));
        all.any(|line| line.contains("memory="))
    }

    /// Whether a run hands a path to another worker, which runs it again from the start. One worker may be
    /// done before the system starts the other, so the run is repeated until one does; each repetition
    /// must have the same paths.
    fn moves_a_path(
        &self,
        program: &cairn_ir::Program,
        line: &str,
        alone: &Seen,
        first: &Seen,
    ) -> Result<bool, String> {
        if first.instructions() > alone.instructions() {
            return Ok(true);
        }
        for _ in 0..MOST_REPETITIONS {
            let mut setting = self.setting()?;
            setting.read(line)?;
            let other = Seen::of(program, &setting)?;
            if alone.paths() != other.paths() {
                let difference = difference(&alone.paths(), &other.paths());
                return Err(format!("with{line} there are other paths\n{difference}"));
            }
            if other.instructions() > alone.instructions() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs the program and compares; with `bless` the block is written anew.
    pub fn check(&self, bless: bool) -> Result<(), String> {
        let program = cairn_ir::text::parse(&self.source).map_err(|e| e.to_string())?;
        let setting = self.setting()?;
        // Before the first: what that leaves behind in the process would be taken for free memory.
        let others: Result<Vec<_>, String> = self
            .settings("same")
            .map(|line| {
                let mut other = self.setting()?;
                other.read(line)?;
                Ok((line, other.again, Seen::of(&program, &other)?))
            })
            .collect();
        let seen = Seen::of(&program, &setting)?;
        if setting.is_alone() {
            seen.tree_agrees(setting.lists_less())?;
        }
        for (line, again, other) in others? {
            if seen.paths() != other.paths() {
                let difference = difference(&seen.paths(), &other.paths());
                return Err(format!("with{line} there are other paths\n{difference}"));
            }
            if again && !self.moves_a_path(&program, line, &seen, &other)? {
                return Err(format!("with{line} no path was run again"));
            }
            if again && other.bounds() != seen.bounds() {
                return Err(format!(
                    "with{line} bounds were asked for {} times, not {}: a path that is run again asks nothing",
                    other.bounds(),
                    seen.bounds()
                ));
            }
        }
        let lines = match setting.show() {
            Show::All => seen.all(),
            Show::Paths => seen.paths(),
            Show::Ends => seen.summary(),
        };
        if lines == self.expected {
            return Ok(());
        }
        if !bless {
            return Err(format!(
                "the run differs from the file\n{}",
                difference(&self.expected, &lines)
            ));
        }
        let mut text = format!("{}\n\n{EXPECTED}\n", self.source.trim_end());
        for line in &lines {
            let _ = writeln!(text, "; {line}");
        }
        std::fs::write(&self.path, text).map_err(|e| e.to_string())
    }
}

/// Lines that were expected (`-`) and are there (`+`), with what is common around them.
fn difference(expected: &[String], seen: &[String]) -> String {
    // Lengths of the longest common parts from here on.
    let (n, m) = (expected.len(), seen.len());
    let mut common = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            common[i][j] = if expected[i] == seen[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines: Vec<(char, &str)> = Vec::new();
    while i < n || j < m {
        if i < n && j < m && expected[i] == seen[j] {
            lines.push((' ', &expected[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < n && (j == m || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', &expected[i]));
            i += 1;
        } else {
            lines.push(('+', &seen[j]));
            j += 1;
        }
    }
    let changed = |at: usize| lines.get(at).is_some_and(|(sign, _)| *sign != ' ');
    let near = |at: usize| (at.saturating_sub(2)..=at + 2).any(changed);
    let mut text = String::new();
    for (at, (sign, line)) in lines.iter().enumerate() {
        if near(at) {
            let _ = writeln!(text, "  {sign} {line}");
        }
    }
    text
}
