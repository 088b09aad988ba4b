//! `--cache FILE`: answers of the solver that runs share. docs/cache.md is its page.

use crate::exit::{self, Failure};
use crate::run::limits;
use cairn_solver::{AnswerFile, LayerList, with_renaming};
use std::path::PathBuf;
use std::sync::Arc;

/// The options of a file of answers.
#[derive(clap::Args)]
pub struct CacheOptions {
    /// Takes answers of the solver from this file, and adds those that it finds; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,

    /// The largest size of the file of --cache; of a larger one the most useful answers are kept
    #[arg(long, value_name = "SIZE", value_parser = limits::bytes, default_value = "256M")]
    cache_size: u64,
}

impl CacheOptions {
    /// The layers that use the file.
    pub fn layers(&self, layers: LayerList) -> LayerList {
        match &self.cache {
            Some(_) => with_renaming(&layers),
            None => layers,
        }
    }

    /// Opens the file, and says what is wrong with its content.
    ///
    /// # Errors
    /// If it can be neither read nor written.
    pub fn open(
        &self,
        self_check: bool,
        say: impl Fn(&str),
    ) -> Result<Option<Arc<AnswerFile>>, Failure> {
        let Some(path) = &self.cache else {
            return Ok(None);
        };
        let file = AnswerFile::open(path, self.cache_size)
            .map_err(|e| Failure::new(exit::UNWRITABLE, e))?;
        for remark in file.remarks() {
            say(&format!("cairn: {remark}."));
        }
        if self_check {
            file.prove_all();
        }
        Ok(Some(Arc::new(file)))
    }

    /// Ends the use of the file: says what could not be written, and on request what it was good for.
    pub fn finish(&self, file: Option<&Arc<AnswerFile>>, talks: bool, say: impl Fn(&str)) {
        let (Some(path), Some(file)) = (&self.cache, file) else {
            return;
        };
        let path = path.display();
        if let Some(failure) = file.finish() {
            say(&format!(
                "cairn: {path}: answers could not be added: {failure}."
            ));
        }
        if talks {
            let c = file.counts();
            say(&format!(
                "cairn: {path}: {} answers read, {} used, {} of them proved again, {} added.",
                c.read, c.used, c.proved, c.added
            ));
        }
    }
}
