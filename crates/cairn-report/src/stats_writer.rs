//! `run.stats`, written: an SQLite database with the table `stats` of KLEE 3.x, one row at the start,
//! one per interval, one at the end.
//!
//! Every row is a transaction of its own that is handed to the operating system and not waited for
//! (`synchronous = OFF`), in a write-ahead log: a run that is killed keeps all rows it added, and
//! others can read meanwhile. Only a crash of the machine may lose rows. At the end the log is folded
//! into the file, which then is one file that can be read from a folder without write permission.
//! A row costs some tens of microseconds.

use crate::stats_row::{COLUMNS, StoredColumn};
use crate::{ReportError, StatsRow};
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::path::{Path, PathBuf};

/// The file of a run that goes on.
#[derive(Debug)]
pub struct StatsWriter {
    path: PathBuf,
    connection: Connection,
    insert: String,
}

impl StatsWriter {
    /// Creates the file; there must be none.
    pub fn create(path: &Path) -> Result<StatsWriter, ReportError> {
        // SQLite would open a file that is there, so the file is claimed first.
        std::fs::File::create_new(path).map_err(|e| ReportError::write(path, e))?;
        let open = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.pragma_update(None, "synchronous", "OFF")?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            let list = |show: &dyn Fn(&StoredColumn) -> String| {
                COLUMNS.iter().map(show).collect::<Vec<_>>().join(",")
            };
            let declared = list(&|c| format!("{} {}", c.name, c.declared));
            connection.execute(&format!("CREATE TABLE stats ({declared})"), [])?;
            let (names, places) = (list(&|c| c.name.to_string()), list(&|_| "?".to_string()));
            let insert = format!("INSERT OR FAIL INTO stats ({names}) VALUES ({places})");
            Ok((connection, insert))
        };
        let (connection, insert) = open().map_err(|source| ReportError::WriteStats {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(StatsWriter {
            path: path.to_path_buf(),
            connection,
            insert,
        })
    }

    /// Adds a row.
    pub fn add(&mut self, row: &StatsRow) -> Result<(), ReportError> {
        let added = self
            .connection
            .execute(&self.insert, params_from_iter(row.values()));
        added.map(|_| ()).map_err(|e| self.failed(e))
    }

    /// Closes the file. A reader that has it open at this moment leaves the log beside it, which is
    /// as good.
    pub fn finish(self) -> Result<(), ReportError> {
        let folded = self
            .connection
            .pragma_update(None, "journal_mode", "DELETE");
        match folded {
            Err(e) if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {}
            other => other.map_err(|e| self.failed(e))?,
        }
        let path = self.path;
        self.connection
            .close()
            .map_err(|(_, source)| ReportError::WriteStats { path, source })
    }

    fn failed(&self, source: rusqlite::Error) -> ReportError {
        ReportError::WriteStats {
            path: self.path.clone(),
            source,
        }
    }
}
