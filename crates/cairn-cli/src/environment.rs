//! The environment of a program, as the command line describes it: KLEE's words for arguments, files and
//! streams that are inputs, and files of the host that the program may read.

use crate::exit::{self, Failure};
use crate::prepare::Purpose;
use cairn_engine::SystemSetup;
use cairn_linux::{Abi, HostContent, HostFile, RandomSource, StandardInput, StreamKind};
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Words that describe inputs: without their dashes, and how many numbers follow.
const WORDS: [(&str, usize); 13] = [
    ("sym-args", 3),
    ("sym-arg", 1),
    ("sym-stdin", 1),
    ("sym-files", 2),
    ("sym-stdout", 0),
    ("sym-sockets", 2),
    ("max-fail", 1),
    ("fd-fail", 0),
    ("short-reads", 0),
    ("save-all-writes", 0),
    ("efault", 0),
    ("sym-clock", 0),
    ("sym-random", 0),
];

/// The most files of unknown content, the most peers by sockets, and the most bytes of anything that is
/// an input.
const MOST_FILES: u64 = 26;
const MOST_SOCKETS: u64 = 1000;
const MOST_BYTES: u64 = 1 << 20;
/// The most arguments that are inputs, and the most bytes of all inputs together.
const MOST_ARGUMENTS: u64 = 1 << 10;
const MOST_TOGETHER: u64 = 1 << 26;
/// The most bytes of files of the host.
const MOST_HOST_BYTES: u64 = 1 << 30;

/// A word that describes an input, and how many numbers follow it.
fn described(word: &OsStr) -> Option<(&'static str, usize)> {
    let word = word.to_str()?;
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    WORDS.into_iter().find(|(known, _)| *known == name)
}

/// An argument of a program, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentSpec {
    /// This word.
    Known(OsString),
    /// As many as an input says, each of at most so many unknown bytes.
    Unknown {
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
        /// The most bytes of each.
        bytes: u64,
    },
}

/// The arguments that a program gets, of words for which [`Environment::of`] finds nothing wrong.
pub fn meant_arguments(words: &[OsString]) -> Vec<ArgumentSpec> {
    let mut meant = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some((name, count)) = described(word) else {
            meant.push(ArgumentSpec::Known(word.clone()));
            continue;
        };
        let numbers: Vec<u64> = words
            .by_ref()
            .take(count)
            .map_while(|word| word.to_str()?.parse().ok())
            .collect();
        match (name, &numbers[..]) {
            ("sym-args", &[least, most, bytes]) => meant.push(ArgumentSpec::Unknown {
                least: least as u32,
                most: most as u32,
                bytes,
            }),
            ("sym-arg", &[bytes]) => meant.push(ArgumentSpec::Unknown {
                least: 1,
                most: 1,
                bytes,
            }),
            (_, _) => {}
        }
    }
    meant
}

/// Puts words that describe inputs after the `--`, where a program's arguments are: they may stand
/// among our own options.
pub fn behind_dashes(words: Vec<OsString>) -> Vec<OsString> {
    let mut own = Vec::with_capacity(words.len() + 1);
    let mut moved = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        match described(&word) {
            Some((_, numbers)) => {
                moved.push(word);
                moved.extend(words.by_ref().take(numbers));
            }
            None => own.push(word),
        }
    }
    let rest: Vec<OsString> = words.collect();
    if !moved.is_empty() || !rest.is_empty() {
        own.push("--".into());
        own.extend(moved);
        own.extend(rest);
    }
    own
}

/// Inputs that are not arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    described: bool,
    input: Option<u64>,
    files: Option<(u32, u64)>,
    sockets: Option<(u32, u64)>,
    output: bool,
    /// The most calls that fail.
    failures: u32,
    short_reads: bool,
    /// Whether calls with a bad address fail.
    efault: bool,
    /// Whether the time is an input.
    clock: bool,
    /// Whether random bytes are inputs.
    random: bool,
}

impl Environment {
    /// What a program's arguments describe.
    ///
    /// # Errors
    /// A word without its numbers.
    pub fn of(arguments: &[OsString]) -> Result<Self, Failure> {
        let mut environment = Environment::default();
        let mut together = 0;
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Some((name, count)) = described(word) else {
                continue;
            };
            let numbers: Vec<u64> = words
                .by_ref()
                .take(count)
                .map_while(|word| word.to_str()?.parse().ok())
                .filter(|number| *number <= MOST_BYTES)
                .collect();
            let wrong = numbers.len() < count
                || (name == "sym-args" && (numbers[0] > numbers[1] || numbers[1] > MOST_ARGUMENTS))
                || (name == "sym-files" && numbers[0] > MOST_FILES)
                || (name == "sym-sockets" && numbers[0] > MOST_SOCKETS);
            if wrong {
                return Err(usage(format!("--{name} wants {}", wanted(name))));
            }
            environment.described = true;
            together += match (name, &numbers[..]) {
                ("sym-args", &[_, most, bytes]) => most * bytes,
                ("sym-files" | "sym-sockets", &[count, bytes]) => count * bytes,
                ("sym-arg" | "sym-stdin", &[bytes]) => bytes,
                (_, _) => 0,
            };
            if together > MOST_TOGETHER {
                let most = MOST_TOGETHER >> 20;
                return Err(usage(format!(
                    "--{name}: all inputs together have more than {most} MiB, which is the most"
                )));
            }
            match name {
                "sym-stdin" => environment.input = Some(numbers[0]),
                "sym-files" => environment.files = Some((numbers[0] as u32, numbers[1])),
                "sym-sockets" => environment.sockets = Some((numbers[0] as u32, numbers[1])),
                "sym-stdout" => environment.output = true,
                "max-fail" => environment.failures = numbers[0] as u32,
                "fd-fail" => environment.failures = 1,
                "short-reads" => environment.short_reads = true,
                "efault" => environment.efault = true,
                "sym-clock" => environment.clock = true,
                "sym-random" => environment.random = true,
                _ => {}
            }
        }
        Ok(environment)
    }

    /// Whether anything is described: then the program needs a C library.
    pub fn is_described(&self) -> bool {
        self.described
    }

    /// The system of a program.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn system(&self, host: &HostFiles, purpose: Purpose) -> Result<SystemSetup, Failure> {
        let setup = self.described_system(host)?;
        match purpose {
            Purpose::Explore | Purpose::RunOnTest => Ok(setup),
            Purpose::Run => with_our_input(setup),
        }
    }

    /// The system as it is described, with nothing on standard input otherwise.
    fn described_system(&self, host: &HostFiles) -> Result<SystemSetup, Failure> {
        let (symbolic_files, symbolic_size) = self.files.unwrap_or_default();
        Ok(SystemSetup {
            stdin: match self.input {
                Some(bytes) => StandardInput::Symbolic(bytes),
                None => StandardInput::Bytes(Arc::from([])),
            },
            stdin_kind: StreamKind::File,
            // As when tests are replayed.
            output_kind: StreamKind::Pipe,
            symbolic_files,
            symbolic_size,
            sockets: self.sockets,
            symbolic_stdout: self.output,
            max_fail: self.failures,
            short_reads: self.short_reads,
            efault: self.efault,
            symbolic_clock: self.clock,
            random: match self.random {
                true => RandomSource::Caller,
                false => RandomSource::Seed(1),
            },
            files: host.read()?,
            ..SystemSetup::new(Abi::X86_64)
        })
    }
}

/// The system of a program that is run: its input is ours.
fn with_our_input(setup: SystemSetup) -> Result<SystemSetup, Failure> {
    let mut stdin = std::io::stdin();
    let terminal = |is| match is {
        true => StreamKind::Terminal,
        false => StreamKind::Pipe,
    };
    let output_kind = terminal(std::io::stdout().is_terminal());
    // A file is read at once. From anything else, such as a terminal or a pipe, input is read only when
    // the program reads it.
    let is_file = std::fs::metadata("/dev/stdin").is_ok_and(|status| status.is_file());
    let (stdin, stdin_kind) = if is_file {
        let mut input = Vec::new();
        cairn_home::bounded(&mut stdin)
            .read_to_end(&mut input)
            .map_err(|e| {
                let message = anyhow::anyhow!("standard input cannot be read: {e}");
                Failure::new(exit::BAD_INPUT, message)
            })?;
        (StandardInput::Bytes(input.into()), StreamKind::File)
    } else {
        (StandardInput::Awaited, terminal(stdin.is_terminal()))
    };
    Ok(SystemSetup {
        stdin,
        stdin_kind,
        output_kind,
        ..setup
    })
}

fn wanted(word: &str) -> &'static str {
    match word {
        "sym-args" => {
            "three numbers: at least, at most (1024), bytes of each (1048576), for example 0 2 4"
        }
        "sym-files" => "two numbers: how many files (at most 26), bytes of each",
        "sym-sockets" => "two numbers: how many peers (at most 1000), bytes that each sends",
        "max-fail" => "a number of calls",
        _ => "a number of bytes, at most 1048576",
    }
}

fn usage(why: String) -> Failure {
    Failure::new(exit::USAGE, anyhow::anyhow!(why))
}

/// Variables of the program's environment.
#[derive(clap::Args, Default)]
pub struct ProgramVariables {
    /// A variable of the program's environment, which is empty otherwise; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<OsString>,
}

impl ProgramVariables {
    /// Whether there are any: then the program needs a C library.
    pub fn any(&self) -> bool {
        !self.variables.is_empty()
    }

    /// All of them, each `NAME=VALUE`.
    pub fn all(&self) -> Vec<Vec<u8>> {
        let variables = self.variables.iter();
        variables.map(|v| v.as_bytes().to_vec()).collect()
    }
}

/// Reads a variable of the environment.
fn variable(text: &str) -> Result<OsString, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.into()),
        Some(_) | None => Err(format!("\"{text}\" is no variable; write NAME=VALUE")),
    }
}

/// Files of the host that the program may read.
#[derive(clap::Args, Default)]
pub struct HostFiles {
    /// A file of the host that the program may read, under its name; repeatable
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<PathBuf>,

    /// A folder of the host that the program may read, with all that is in it; repeatable
    #[arg(long = "ro-dir", value_name = "PATH")]
    folders: Vec<PathBuf>,
}

impl HostFiles {
    /// Whether any are named: then the program needs a C library.
    pub fn any(&self) -> bool {
        !self.files.is_empty() || !self.folders.is_empty()
    }

    fn read(&self) -> Result<Vec<HostFile>, Failure> {
        let mut all = Vec::new();
        let mut room = MOST_HOST_BYTES;
        for path in self.files.iter().chain(&self.folders) {
            read(path, &mut all, &mut room).map_err(|(at, e)| {
                let message = anyhow::anyhow!("{} cannot be read: {e}", at.display());
                Failure::new(exit::BAD_INPUT, message)
            })?;
        }
        Ok(all)
    }
}

/// What could not be read, and why.
type Unreadable = (PathBuf, std::io::Error);

/// A file, or a folder with all that is in it, as far as there is room. Other things in a folder than
/// files, folders and links are left out; one that is named by the user is refused.
fn read(path: &Path, all: &mut Vec<HostFile>, room: &mut u64) -> Result<(), Unreadable> {
    let named = all.len();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let wrong = |e| (path.clone(), e);
        let status = std::fs::symlink_metadata(&path).map_err(wrong)?;
        let content = if status.is_dir() {
            HostContent::Directory
        } else if status.is_symlink() {
            let target = std::fs::read_link(&path).map_err(wrong)?;
            HostContent::Link(target.as_os_str().as_bytes().to_vec())
        } else if status.is_file() {
            let content = cairn_home::read_file(&path).map_err(wrong)?;
            let left = room.checked_sub(content.len() as u64);
            *room = left.ok_or_else(|| wrong(no_room()))?;
            HostContent::File(content.into())
        } else if all.len() == named {
            cairn_home::check_file(&path).map_err(wrong)?;
            return Err(wrong(std::io::Error::other(
                "it is a pipe; expected a file",
            )));
        } else {
            continue;
        };
        all.push(HostFile {
            path: path.as_os_str().as_bytes().to_vec(),
            content,
            mode: status.permissions().mode() & 0o777,
            read_only: true,
        });
        if status.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(wrong)?;
            let inside: Result<Vec<PathBuf>, _> = entries.map(|e| Ok(e?.path())).collect();
            let mut inside = inside.map_err(wrong)?;
            // The last comes first off the list.
            inside.sort_by(|a, b| b.cmp(a));
            open.extend(inside);
        }
    }
    Ok(())
}

fn no_room() -> std::io::Error {
    let most = MOST_HOST_BYTES >> 30;
    std::io::Error::other(format!("with it there are more than {most} GiB of files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn words_among_our_options_go_behind_the_dashes() {
        let given =
            words("cairn run p --sym-args 0 2 4 --max-time 5s -sym-stdin 8 -- a --sym-arg 3");
        let meant =
            words("cairn run p --max-time 5s -- --sym-args 0 2 4 -sym-stdin 8 a --sym-arg 3");
        assert_eq!(behind_dashes(given), meant);
        let plain = words("cairn run p --max-time 5s");
        assert_eq!(behind_dashes(plain.clone()), plain);
    }

    #[test]
    fn what_is_described_is_understood_or_refused() {
        let environment =
            Environment::of(&words("--sym-args 0 2 4 --sym-stdin 8 --sym-files 2 16"));
        let Ok(environment) = environment else {
            panic!("it is understood");
        };
        assert!(environment.is_described());
        assert_eq!(
            (environment.input, environment.files),
            (Some(8), Some((2, 16)))
        );
        for wrong in [
            "--sym-args 0 2",
            "--sym-args 3 2 1",
            "--sym-files 27 1",
            "--sym-stdin x",
        ] {
            assert!(Environment::of(&words(wrong)).is_err(), "{wrong}");
        }
        assert!(Environment::of(&words("a b")).is_ok_and(|e| !e.is_described()));
    }
}
