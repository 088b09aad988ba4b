//! What is asked: the program and the property, from the command line and the task definition.

use super::VerifyOptions;
use crate::exit::{self, Failure};
use cairn_verify::{DataModel, PropertyFile, TaskLanguage, TaskProperty, VerificationTask};
use std::path::{Path, PathBuf};

/// What is asked.
pub(super) struct TaskQuestion {
    /// The program.
    pub program: PathBuf,
    /// Its text, as witnesses are about it.
    pub source: Vec<u8>,
    /// The property.
    pub property: PropertyFile,
    /// How wide the types of the program are.
    pub data_model: DataModel,
    /// What cannot be decided, in one sentence.
    refused: Option<String>,
}

impl TaskQuestion {
    /// Why it is not tried to decide the task.
    pub fn refused(&self) -> Option<String> {
        self.refused.clone()
    }

    /// The name of the program's file.
    pub fn file_name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// The failure of what the user gave.
fn bad(error: impl Into<anyhow::Error>) -> Failure {
    Failure::new(exit::BAD_INPUT, error)
}

fn usage(what: String) -> Failure {
    Failure::new(exit::USAGE, anyhow::anyhow!(what))
}

/// Reads what is asked.
///
/// # Errors
/// What is wrong with the task, the property or the command line.
pub(super) fn read(options: &VerifyOptions) -> Result<TaskQuestion, Failure> {
    let extension = options.task.extension().and_then(|e| e.to_str());
    let (program, property, data_model, refused) = match extension {
        Some("yml" | "yaml") => {
            let task = VerificationTask::read(&options.task).map_err(bad)?;
            let property = property_of(options, &task)?;
            let refused = refused_task(&task);
            let mut files = task.input_files.into_iter();
            let program = files.next().expect("a task has a program");
            (program, property, task.data_model, refused)
        }
        _ => {
            let property = options.property.clone().ok_or_else(|| {
                let file = options.task.display();
                usage(format!(
                    "{file} needs --property FILE.prp, which says what is asked"
                ))
            })?;
            (options.task.clone(), property, None, None)
        }
    };
    let told = options.data_model.map(DataModel::from);
    if let (Some(told), Some(of_task)) = (told, data_model)
        && told != of_task
    {
        let file = options.task.display();
        return Err(usage(format!("--data-model {told}: {file} says {of_task}")));
    }
    let data_model = told.or(data_model).unwrap_or(DataModel::Lp64);
    let refused = refused.or_else(|| match data_model {
        DataModel::Ilp32 => {
            Some("data model ILP32: 32-bit programs are not supported yet".to_string())
        }
        DataModel::Lp64 => None,
    });
    let property = PropertyFile::read(&property).map_err(bad)?;
    cairn_home::check_file(&program).map_err(|e| bad(at(&program, e)))?;
    let source = std::fs::read(&program).map_err(|e| bad(at(&program, e)))?;
    Ok(TaskQuestion {
        program,
        source,
        property,
        data_model,
        refused,
    })
}

fn at(file: &Path, why: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("{}: {why}", file.display())
}

/// What of a task is not supported.
fn refused_task(task: &VerificationTask) -> Option<String> {
    if let Some(TaskLanguage::Other(language)) = &task.language {
        return Some(format!("language {language}: tasks in C are decided"));
    }
    let files = task.input_files.len();
    (files > 1).then(|| format!("{files} input files: tasks of one file are decided"))
}

/// The property file that is meant: the one on the command line, or the only one of the task.
fn property_of(options: &VerifyOptions, task: &VerificationTask) -> Result<PathBuf, Failure> {
    if let Some(file) = &options.property {
        return Ok(file.clone());
    }
    let file = options.task.display();
    match task.properties.as_slice() {
        [] => Err(usage(format!(
            "{file} names no property; --property FILE.prp says what is asked"
        ))),
        [TaskProperty { file, .. }] => Ok(file.clone()),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|p| p.file.display().to_string())
                .collect();
            Err(usage(format!(
                "{file} has {} properties; --property says which: {}",
                several.len(),
                names.join(", ")
            )))
        }
    }
}
