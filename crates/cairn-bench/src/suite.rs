//! The programs of the suite: what `scripts/programs.sh` builds, and what of each is symbolic.

/// One program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// The package it is built from: its folder in `.deps/programs`.
    pub package: &'static str,
    /// The file in that folder.
    pub name: &'static str,
    /// The words after it that say what is symbolic.
    pub words: &'static str,
}

/// What is symbolic of the small programs of coreutils.
const SMALL: &str = "--sym-args 0 2 4 --sym-stdin 8";

/// Those of coreutils that end by themselves and do not start others.
const COREUTILS: &[&str] = &[
    "[",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "basenc",
    "cat",
    "chcon",
    "chgrp",
    "chmod",
    "chown",
    "cksum",
    "comm",
    "cp",
    "csplit",
    "cut",
    "date",
    "dd",
    "df",
    "dir",
    "dircolors",
    "dirname",
    "du",
    "echo",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fmt",
    "fold",
    "ginstall",
    "groups",
    "head",
    "hostid",
    "id",
    "join",
    "link",
    "ln",
    "logname",
    "ls",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mknod",
    "mktemp",
    "mv",
    "nice",
    "nl",
    "nohup",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pathchk",
    "pinky",
    "pr",
    "printenv",
    "printf",
    "ptx",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "runcon",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shred",
    "shuf",
    "sort",
    "split",
    "stat",
    "stty",
    "sum",
    "sync",
    "tac",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "true",
    "truncate",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unlink",
    "uptime",
    "users",
    "vdir",
    "wc",
    "who",
    "whoami",
];

/// The others.
const OTHERS: &[Program] = &[
    Program {
        package: "bc",
        name: "bc",
        words: "--sym-stdin 6",
    },
    Program {
        package: "bc",
        name: "dc",
        words: "--sym-stdin 6",
    },
    Program {
        package: "expat",
        name: "xml",
        words: "--sym-stdin 10",
    },
    Program {
        package: "json-c",
        name: "json",
        words: "--sym-stdin 8",
    },
    Program {
        package: "libyaml",
        name: "yaml",
        words: "--sym-stdin 8",
    },
    Program {
        package: "m4",
        name: "m4",
        words: "--sym-stdin 10",
    },
    Program {
        package: "make",
        name: "make",
        words: "-n -f A --sym-files 1 10",
    },
    Program {
        package: "sqlite3",
        name: "sql",
        words: "--sym-stdin 8",
    },
    Program {
        package: "busybox",
        name: "busybox",
        words: "--sym-args 1 3 5 --sym-stdin 8",
    },
];

/// All of them, coreutils first.
pub fn all() -> Vec<Program> {
    let small = COREUTILS.iter().map(|name| Program {
        package: "coreutils",
        name,
        words: SMALL,
    });
    small.chain(OTHERS.iter().copied()).collect()
}

/// Those that are meant: by their name or their package; all if none is given.
///
/// # Errors
/// If there is none of that name.
pub fn chosen(names: &[String]) -> Result<Vec<Program>, String> {
    for name in names {
        if !all().iter().any(|p| p.name == name || p.package == name) {
            return Err(format!(
                "there is no program or package {name} in the suite"
            ));
        }
    }
    let mut chosen = all();
    chosen.retain(|program| {
        let is_meant = |name: &String| program.name == name || program.package == name;
        names.is_empty() || names.iter().any(is_meant)
    });
    Ok(chosen)
}
