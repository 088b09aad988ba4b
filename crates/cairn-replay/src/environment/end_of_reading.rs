//! The end of reading: what is left of a test when its words were read.

use super::{
    EnvironmentError, InputFile, Reading, RecordedEnvironment, file_name, is_stat_of, note_kind,
};
use crate::ktest::KTest;

impl Reading<'_, '_> {
    /// Takes what does not depend on the order of the words.
    pub(super) fn finish(mut self, test: &KTest) -> Result<RecordedEnvironment, EnvironmentError> {
        let mut notes = Vec::new();
        let files = self.files(&mut notes)?;
        let input = self.input(&mut notes)?;
        self.failures()?;
        if self
            .objects
            .find(|name| is_stat_of(name, b"stdout"))
            .is_some()
        {
            self.objects.take(|name| name == b"stdout");
            self.objects.take_stat(b"stdout");
        }
        self.objects.take(|name| name == b"model_version");
        let rest = KTest {
            args: test.args.clone(),
            objects: self.objects.left(),
            ..KTest::default()
        };
        Ok(RecordedEnvironment {
            arguments: self.arguments,
            input,
            rest,
            notes,
            peers: self.peers,
            files,
        })
    }

    pub(super) fn files(
        &mut self,
        notes: &mut Vec<String>,
    ) -> Result<Vec<InputFile>, EnvironmentError> {
        let mut files = Vec::new();
        // The names that a byte can have; a test that asks for more has an object missing.
        for (index, letter) in (b'A'..=b'~').enumerate() {
            let wanted = index < self.file_count;
            let is_it = |name: &[u8]| file_name(name) == Some(char::from(letter));
            let Some(found) = self.objects.find(is_it) else {
                if wanted {
                    return Err(self.missing_file(letter));
                }
                continue;
            };
            let object = &self.objects.all[found];
            let with_stat = self.objects.find(|name| is_stat_of(name, &object.name));
            if !wanted && with_stat.is_none() {
                // It is the program's own.
                continue;
            }
            self.objects.taken[found] = true;
            let stat = self.objects.take_stat(&object.name);
            let name = char::from(letter).to_string();
            note_kind(&name, stat, notes);
            files.push(InputFile {
                name,
                bytes: object.bytes.clone(),
                stat,
            });
        }
        if self.file_count > usize::from(b'~' - b'A') + 1 {
            return Err(self.missing_file(b'~'));
        }
        Ok(files)
    }

    pub(super) fn missing_file(&self, letter: u8) -> EnvironmentError {
        EnvironmentError::Missing {
            object: format!("{}-data", char::from(letter)),
            word: self.files_word.clone(),
        }
    }

    pub(super) fn input(
        &mut self,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<u8>>, EnvironmentError> {
        let Some(found) = self.objects.find(|name| name == b"stdin") else {
            return match self.input_word.take() {
                Some(word) => Err(EnvironmentError::Missing {
                    object: "stdin".to_string(),
                    word,
                }),
                None => Ok(None),
            };
        };
        let has_stat = self.objects.find(|name| is_stat_of(name, b"stdin"));
        if self.input_word.is_none() && has_stat.is_none() {
            return Ok(None);
        }
        self.objects.taken[found] = true;
        let stat = self.objects.take_stat(b"stdin");
        note_kind("standard input", stat, notes);
        Ok(Some(self.objects.all[found].bytes.clone()))
    }

    /// System calls that may fail or do less: only tests in which none does are replayed.
    pub(super) fn failures(&mut self) -> Result<(), EnvironmentError> {
        if let Some(word) = self.short_reads_word.take() {
            let object = self.objects.take(|name| name == b"short_reads");
            if object.is_none_or(|object| object.bytes.contains(&1)) {
                return Err(EnvironmentError::Failures { word });
            }
        }
        let Some(word) = self.failures_word.take() else {
            return Ok(());
        };
        for call in ["read", "write", "close", "ftruncate", "getcwd"] {
            let wanted = format!("{call}_fail");
            let object = self.objects.take(|name| name == wanted.as_bytes());
            if object.is_none_or(|object| object.bytes.iter().any(|b| *b != 0)) {
                return Err(EnvironmentError::Failures { word });
            }
        }
        Ok(())
    }
}
