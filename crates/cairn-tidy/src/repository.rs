//! The files that rules look at, as text in memory, so that tests can change them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The text files of a working tree, by their path from its root with `/` between parts.
#[derive(Clone, Debug, Default)]
pub struct Repository {
    files: BTreeMap<String, String>,
    /// Files that are there but are not text or are not looked into.
    others: Vec<String>,
}

/// Why a working tree could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// A folder could not be listed.
    #[error("cannot list {}: {source}", .path.display())]
    List {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What a file must end with for its text to be looked at.
const TEXT: [&str; 5] = [".rs", ".md", ".toml", ".sh", ".txt"];

/// Folders that are made by builds and runs.
fn is_made(name: &str) -> bool {
    name == "target"
        || (name.starts_with('.') && name != ".ci")
        || name.starts_with("cairn-out-")
        || name.starts_with("klee-out-")
}

impl Repository {
    /// Reads the working tree below `root`.
    ///
    /// # Errors
    /// If a folder cannot be listed. A file that cannot be read as text is kept by name only.
    pub fn read(root: &Path) -> Result<Repository, RepositoryError> {
        let mut repository = Repository::default();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let path = root.join(&folder);
            let list = |source| RepositoryError::List {
                path: path.clone(),
                source,
            };
            for entry in std::fs::read_dir(&path).map_err(list)? {
                let entry = entry.map_err(list)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let inside = folder.join(&name);
                if entry.file_type().map_err(list)?.is_dir() {
                    if !is_made(&name) {
                        folders.push(inside);
                    }
                    continue;
                }
                let inside = inside.to_string_lossy().into_owned();
                let text = TEXT.iter().any(|ending| inside.ends_with(ending));
                match text.then(|| std::fs::read_to_string(entry.path())) {
                    Some(Ok(text)) => repository.insert(&inside, &text),
                    Some(Err(_)) | None => repository.others.push(inside),
                }
            }
        }
        repository.others.sort();
        Ok(repository)
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// All text files in order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// All Rust files of the crates, with the name of their crate.
    pub fn rust_files(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.files().filter_map(|(path, text)| {
            let inside = path.strip_prefix("crates/")?;
            let (name, _) = inside.split_once('/')?;
            path.ends_with(".rs").then_some((name, path, text))
        })
    }

    /// Is there a file with this path, or a folder with files in it?
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let below = |file: &str| {
            file == path || (file.starts_with(path) && file[path.len()..].starts_with('/'))
        };
        self.files
            .range(path.to_owned()..)
            .take_while(|(file, _)| file.starts_with(path))
            .any(|(file, _)| below(file))
            || self.others.iter().any(|file| below(file))
    }

    /// Is there a file whose path ends with `/` and this?
    pub fn has_ending(&self, ending: &str) -> bool {
        let matches = |file: &str| {
            file.strip_suffix(ending)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.files.keys().any(|file| matches(file)) || self.others.iter().any(|file| matches(file))
    }
}
