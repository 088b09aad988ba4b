//! Test suites in the exchange format 1.1: a folder with `metadata.xml` and a file for each test.

use chrono::{DateTime, SecondsFormat, Utc};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use thiserror::Error;

/// What a suite is about.
#[derive(Clone, Debug)]
pub struct SuiteMetadata<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// When it was made.
    pub created: SystemTime,
    /// The name of the program's file.
    pub file: &'a str,
    /// The SHA-256 of the file.
    pub hash: &'a str,
    /// The text of the property file.
    pub specification: &'a str,
    /// The function that the program starts with.
    pub entry: &'a str,
    /// 64 or 32 bits.
    pub architecture: &'a str,
}

/// A suite that cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct SuiteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A suite that is being written.
pub struct TestSuite {
    folder: PathBuf,
}

impl TestSuite {
    /// Makes the folder and writes what the suite is about.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(folder: &Path, metadata: &SuiteMetadata<'_>) -> Result<Self, SuiteError> {
        std::fs::create_dir_all(folder).map_err(|source| SuiteError {
            path: folder.to_path_buf(),
            source,
        })?;
        let created: DateTime<Utc> = metadata.created.into();
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
             <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
             \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n<test-metadata>\n",
        );
        let rows = [
            ("sourcecodelang", "C"),
            ("producer", &format!("Cairn {}", metadata.version)),
            ("specification", metadata.specification),
            ("programfile", metadata.file),
            ("programhash", metadata.hash),
            ("entryfunction", metadata.entry),
            ("architecture", metadata.architecture),
            (
                "creationtime",
                &created.to_rfc3339_opts(SecondsFormat::Secs, true),
            ),
        ];
        for (name, value) in rows {
            let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
        }
        text += "</test-metadata>\n";
        let suite = TestSuite {
            folder: folder.to_path_buf(),
        };
        suite.put("metadata.xml", &text)?;
        Ok(suite)
    }

    /// Writes a test: the literals of its inputs in the order of the calls, and whether it reaches the error that is looked for.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(
        &self,
        number: u64,
        inputs: &[String],
        covers_error: bool,
    ) -> Result<(), SuiteError> {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
             <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
             \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n",
        );
        text += match covers_error {
            true => "<testcase coversError=\"true\">\n",
            false => "<testcase>\n",
        };
        for input in inputs {
            let _ = writeln!(text, "  <input>{}</input>", escaped(input));
        }
        text += "</testcase>\n";
        self.put(&format!("testcase-{number}.xml"), &text)
    }

    fn put(&self, name: &str, text: &str) -> Result<(), SuiteError> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|source| SuiteError { path, source })
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
