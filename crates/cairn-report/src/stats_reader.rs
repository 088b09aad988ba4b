//! Reads `run.stats` of Cairn and of KLEE from 2.0 on, with any columns, during a run or after it.
//!
//! SQLite writes files beside a database with a write-ahead log even if it only reads it. So a file
//! without a log is opened as immutable, which leaves no trace and works in folders that cannot be
//! written; a file with a log (the run goes on, or was killed) is opened in the usual way. The figures are
//! computed by SQLite, so a long run needs no memory here.

use crate::ReportError;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A value in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum StatsCell {
    /// Not known.
    Missing,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Anything else, as text.
    Text(String),
}

impl StatsCell {
    /// The value as a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            StatsCell::Integer(value) => Some(*value as f64),
            StatsCell::Real(value) => Some(*value),
            StatsCell::Missing | StatsCell::Text(_) => None,
        }
    }
}

impl From<ValueRef<'_>> for StatsCell {
    fn from(value: ValueRef<'_>) -> StatsCell {
        match value {
            ValueRef::Null => StatsCell::Missing,
            ValueRef::Integer(value) => StatsCell::Integer(value),
            ValueRef::Real(value) => StatsCell::Real(value),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                StatsCell::Text(String::from_utf8_lossy(bytes).into_owned())
            }
        }
    }
}

/// An open file of statistics.
#[derive(Debug)]
pub struct StatsReader {
    path: PathBuf,
    connection: Connection,
    columns: Vec<String>,
}

impl StatsReader {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<StatsReader, ReportError> {
        // SQLite would wait for a pipe, and read a device as if it were a database.
        if path.exists() && !path.is_file() {
            return Err(ReportError::NotStats {
                path: path.to_path_buf(),
            });
        }
        let connection = connect(path).map_err(|e| explain(path, e))?;
        let columns = {
            let statement = connection
                .prepare("SELECT * FROM stats")
                .map_err(|e| explain(path, e))?;
            let names = statement.column_names();
            names.into_iter().map(str::to_string).collect()
        };
        Ok(StatsReader {
            path: path.to_path_buf(),
            connection,
            columns,
        })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The newest row, if there is one.
    pub fn last(&self) -> Result<Option<Vec<StatsCell>>, ReportError> {
        let mut last = None;
        self.visit("SELECT * FROM stats ORDER BY rowid DESC LIMIT 1", |row| {
            last = Some(row);
            true
        })?;
        Ok(last)
    }

    /// The largest value of a column over the run.
    pub fn maximum(&self, column: &str) -> Result<StatsCell, ReportError> {
        self.aggregate("max", column)
    }

    /// The average of a column over the rows of the run.
    pub fn average(&self, column: &str) -> Result<StatsCell, ReportError> {
        self.aggregate("avg", column)
    }

    /// Shows every row in order, as long as the visitor wants more.
    pub fn rows(&self, visitor: impl FnMut(Vec<StatsCell>) -> bool) -> Result<(), ReportError> {
        self.visit("SELECT * FROM stats ORDER BY rowid", visitor)
    }

    fn aggregate(&self, function: &str, column: &str) -> Result<StatsCell, ReportError> {
        let mut value = StatsCell::Missing;
        if self.columns.iter().any(|c| c == column) {
            let quoted = column.replace('"', "\"\"");
            self.visit(
                &format!("SELECT {function}(\"{quoted}\") FROM stats"),
                |row| {
                    value = row.into_iter().next().unwrap_or(StatsCell::Missing);
                    true
                },
            )?;
        }
        Ok(value)
    }

    fn visit(
        &self,
        sql: &str,
        mut visitor: impl FnMut(Vec<StatsCell>) -> bool,
    ) -> Result<(), ReportError> {
        let mut walk = || {
            let mut statement = self.connection.prepare(sql)?;
            let width = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if !visitor(cells(row, width)?) {
                    break;
                }
            }
            Ok(())
        };
        walk().map_err(|e| explain(&self.path, e))
    }
}

fn cells(row: &Row<'_>, width: usize) -> rusqlite::Result<Vec<StatsCell>> {
    (0..width)
        .map(|i| row.get_ref(i).map(StatsCell::from))
        .collect()
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut log = OsString::from(path);
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|m| m.len() > 0);
    let connection = if has_log {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?
    } else {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(as_uri(path), flags)?
    };
    // A run that ends at this moment holds its file for an instant.
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    Ok(connection)
}

/// The URI of the file, marked as immutable.
fn as_uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut uri = String::from("file:");
    for &byte in absolute.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Tells a file that is something else from one that cannot be read.
fn explain(path: &Path, error: rusqlite::Error) -> ReportError {
    let path = path.to_path_buf();
    let no_table = error.to_string().contains("no such table");
    if no_table || error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) {
        ReportError::NotStats { path }
    } else {
        ReportError::ReadStats {
            path,
            source: error,
        }
    }
}
