//! Task definitions: a program with the properties that are asked of it.

use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;
use yaml_rust2::{Yaml, YamlLoader};

/// How wide the types of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataModel {
    /// Pointers and `long` have 32 bits.
    Ilp32,
    /// They have 64.
    Lp64,
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        })
    }
}

/// The language of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskLanguage {
    /// C.
    C,
    /// Another, by its name.
    Other(String),
}

/// A property that is asked of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskProperty {
    /// The property file.
    pub file: PathBuf,
    /// What the answer is known to be, if it is.
    pub expected: Option<bool>,
    /// Which part of the property is violated, if that is known.
    pub subproperty: Option<String>,
}

/// A task definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationTask {
    /// The program.
    pub input_files: Vec<PathBuf>,
    /// What is asked.
    pub properties: Vec<TaskProperty>,
    /// Its language, if the definition names one.
    pub language: Option<TaskLanguage>,
    /// How wide its types are, if the definition says.
    pub data_model: Option<DataModel>,
}

/// What is wrong with a task definition.
#[derive(Debug, Error)]
pub enum TaskError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not YAML.
    #[error("{}:{line}: not YAML: {what}", path.display())]
    Yaml {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the reader of YAML says.
        what: String,
    },
    /// It is not a task definition.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was expected.
        what: String,
    },
}

impl VerificationTask {
    /// Reads a task definition of format 1.0 or 2.0. Files are named from its folder.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(path: &Path) -> Result<Self, TaskError> {
        let text = std::fs::read_to_string(path).map_err(|source| TaskError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Self::parse(path, &text)
    }

    /// Understands the text of a task definition, which messages call by this path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(path: &Path, text: &str) -> Result<Self, TaskError> {
        let documents = YamlLoader::load_from_str(text).map_err(|error| TaskError::Yaml {
            path: path.to_path_buf(),
            line: error.marker().line(),
            what: error.info().to_string(),
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let empty = Yaml::Null;
        let task = definition(documents.first().unwrap_or(&empty), folder);
        task.map_err(|what| TaskError::Content {
            path: path.to_path_buf(),
            what,
        })
    }
}

fn definition(yaml: &Yaml, folder: &Path) -> Result<VerificationTask, String> {
    let Yaml::Hash(_) = yaml else {
        return Err(
            "not a task definition: expected keys format_version, input_files and properties"
                .to_string(),
        );
    };
    match scalar(&yaml["format_version"]).as_deref() {
        Some("1.0" | "2.0" | "2.1" | "1" | "2") => {}
        Some(other) => {
            return Err(format!(
                "format_version {other} is not known: expected '1.0' or '2.0'"
            ));
        }
        None => return Err("format_version is missing: expected '1.0' or '2.0'".to_string()),
    }
    let input_files = match &yaml["input_files"] {
        Yaml::Array(files) => {
            let files = files
                .iter()
                .map(|file| file.as_str().map(|f| folder.join(f)));
            files.collect::<Option<Vec<_>>>()
        }
        Yaml::String(file) => Some(vec![folder.join(file)]),
        _ => None,
    };
    let input_files = input_files.filter(|files| !files.is_empty());
    let input_files =
        input_files.ok_or("input_files is missing: expected a file or a list of files")?;
    let properties = match &yaml["properties"] {
        Yaml::Array(all) => all
            .iter()
            .map(|p| property(p, folder))
            .collect::<Result<_, _>>()?,
        Yaml::BadValue | Yaml::Null => Vec::new(),
        _ => return Err("properties: expected a list".to_string()),
    };
    let options = &yaml["options"];
    Ok(VerificationTask {
        input_files,
        properties,
        language: match options["language"].as_str() {
            Some("C") => Some(TaskLanguage::C),
            Some(other) => Some(TaskLanguage::Other(other.to_string())),
            None => None,
        },
        data_model: match options["data_model"].as_str() {
            Some("ILP32") => Some(DataModel::Ilp32),
            Some("LP64") => Some(DataModel::Lp64),
            Some(other) => {
                return Err(format!(
                    "data_model {other} is not known: expected ILP32 or LP64"
                ));
            }
            None => None,
        },
    })
}

fn property(yaml: &Yaml, folder: &Path) -> Result<TaskProperty, String> {
    let file = yaml["property_file"].as_str();
    let file = file.ok_or("a property without property_file")?;
    let expected = match &yaml["expected_verdict"] {
        Yaml::Boolean(value) => Some(*value),
        Yaml::BadValue | Yaml::Null => None,
        _ => {
            return Err(format!(
                "expected_verdict of {file}: expected true or false"
            ));
        }
    };
    Ok(TaskProperty {
        file: folder.join(file),
        expected,
        subproperty: yaml["subproperty"].as_str().map(str::to_string),
    })
}

/// A string, or a number as it is written.
fn scalar(yaml: &Yaml) -> Option<String> {
    match yaml {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
