//! Programs built with the native musl, and run under many conditions.

use super::ProgramEnd;
use crate::programs::scratch::Scratch;
use crate::random::Random;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The C library that the native programs are linked with: the same musl as that of `cairn run`.
#[derive(Clone, Debug)]
pub struct Library(PathBuf);

impl Library {
    /// Looks for it where `cairn run` does.
    ///
    /// # Errors
    /// If it is not set up.
    pub fn find(cairn: &Path) -> Result<Self, String> {
        let named = std::env::var_os("CAIRN_LIBC").map(PathBuf::from);
        let starts = [fs::canonicalize(cairn).ok(), std::env::current_dir().ok()];
        let above = starts.iter().flatten().flat_map(|p| p.ancestors());
        let mut folders = named.into_iter().chain(above.map(|f| f.join(".deps/musl")));
        folders
            .find(|folder| folder.join("lib/libc.a").is_file())
            .map(Library)
            .ok_or_else(|| "musl is not set up: run scripts/libc.sh".to_string())
    }

    /// Builds a program.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn build(&self, source: &Path, program: &Path) -> Result<(), String> {
        let lib = self.0.join("lib");
        let built = Command::new("clang-19")
            .args(["-O0", "-w", "-nostdlibinc", "-isystem"])
            .arg(self.0.join("include"))
            .args(["-static", "-nostdlib"])
            .args([lib.join("crt1.o"), lib.join("crti.o")])
            .arg(source)
            .args([lib.join("libc.a"), lib.join("crtn.o")])
            .arg("-o")
            .arg(program)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("clang-19 cannot be run: {e}"))?;
        if built.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&built.stderr).into_owned())
    }
}

/// How far conditions of native runs are from what the model of Linux promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// As the model is: user 1000, an empty environment, a new folder, an empty file as input, pipes as
    /// outputs.
    Alike,
    /// As users run programs: any user, variables, folder, input.
    Usual,
    /// Small limits, closed and full descriptors, ignored signals.
    Harsh,
}

impl Tier {
    /// All tiers.
    pub const ALL: [Tier; 3] = [Tier::Alike, Tier::Usual, Tier::Harsh];

    /// The tier of a name.
    pub fn of_name(name: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Alike => "alike",
            Tier::Usual => "usual",
            Tier::Harsh => "harsh",
        }
    }
}

/// What standard input is.
#[derive(Clone, Copy, Debug)]
enum InputStream {
    EmptyFile,
    File,
    Null,
    Pipe,
}

/// What standard output and standard error are.
#[derive(Clone, Copy, Debug)]
enum OutputStreams {
    Pipe,
    File,
    Null,
}

/// What a native run is given.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub tier: Tier,
    /// The user, where this process may choose.
    user: Option<u32>,
    variables: Vec<(&'static str, &'static str)>,
    /// The name of the folder that it runs in.
    folder: &'static str,
    input: InputStream,
    output: OutputStreams,
    /// What a shell does before it becomes the program.
    before: Vec<&'static str>,
    pause: Duration,
}

const VARIABLES: [(&str, &str); 7] = [
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/root"),
    ("LANG", "C.UTF-8"),
    ("TZ", "Asia/Tokyo"),
    ("USER", "someone"),
    ("TERM", "xterm"),
    ("CAIRN_X", "1"),
];
const USUAL: [&str; 5] = [
    "umask 077",
    "umask 0",
    "ulimit -s 1024",
    "ulimit -s unlimited",
    "trap '' PIPE",
];
const HARSH: [&str; 8] = [
    "ulimit -v 100000",
    "ulimit -n 3",
    "ulimit -s 256",
    "exec <&-",
    "exec >&-",
    "exec >/dev/full",
    "trap '' CHLD USR1 ALRM",
    "ulimit -u 1",
];

impl Conditions {
    /// The conditions of a run: some of each tier by turns.
    pub fn draw(random: &mut Random, tier: Tier) -> Self {
        let mut conditions = Conditions {
            tier,
            user: Some(1000),
            variables: Vec::new(),
            folder: "user",
            input: InputStream::EmptyFile,
            output: OutputStreams::Pipe,
            before: vec!["umask 022"],
            pause: Duration::from_micros(random.below_u64(3000)),
        };
        if tier == Tier::Alike {
            return conditions;
        }
        conditions.user = *random.pick(&[None, Some(1000), Some(65534), Some(33)]);
        let inputs = [
            InputStream::EmptyFile,
            InputStream::File,
            InputStream::Null,
            InputStream::Pipe,
        ];
        conditions.input = *random.pick(&inputs);
        conditions.output = *random.pick(&[
            OutputStreams::Pipe,
            OutputStreams::File,
            OutputStreams::Null,
        ]);
        conditions.folder = *random.pick(&["user", "a", "a folder with a long name", "0"]);
        let variables = VARIABLES.into_iter().filter(|_| random.chance(50));
        conditions.variables = variables.collect();
        if random.chance(60) {
            conditions.before.push(*random.pick(&USUAL));
        }
        if tier == Tier::Harsh {
            conditions.before.push(*random.pick(&HARSH));
        }
        conditions
    }

    /// The conditions as text, so that a run can be repeated.
    pub fn text(&self) -> String {
        let variables: Vec<String> = self
            .variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let user = self.user.map_or("own".to_string(), |u| u.to_string());
        format!(
            "{}: user {user}, input {:?}, output {:?}, folder \"{}\", variables [{}], after \"{}\"",
            self.tier.name(),
            self.input,
            self.output,
            self.folder,
            variables.join(" "),
            self.before.join("; ")
        )
    }

    /// Runs a program; `None` if it does not end in time.
    pub fn run(&self, program: &Path, scratch: &Scratch) -> io::Result<Option<ProgramEnd>> {
        std::thread::sleep(self.pause);
        let folder = scratch.file(self.folder);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder)?;
        // Shells set this variable whether it was there or not.
        let script = format!("{}\nunset PWD\nexec \"$0\"", self.before.join("\n"));
        // A shell cannot take back that a signal is ignored, as those of a job in the background are.
        let mut command = Command::new("env");
        command
            .args(["--default-signal", "/bin/sh", "-c", &script])
            .arg(program)
            .current_dir(&folder)
            .env_clear()
            .envs(self.variables.iter().copied())
            .process_group(0);
        if let (Some(user), true) = (self.user, is_superuser()) {
            chown(&folder, Some(user), Some(user))?;
            command.uid(user).gid(user);
        }
        command.stdin(self.open_input(scratch)?);
        // What a program prints is far less than a pipe holds.
        command.stdout(self.open_output(scratch, "output")?);
        command.stderr(self.open_output(scratch, "errors")?);
        let mut child = command.spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that does not read its input may be gone already.
            let _ = pipe.write_all(b"some input\n");
        }
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                let code = status.code().map(ProgramEnd::Exit);
                return Ok(code.or(status.signal().map(ProgramEnd::Signal)));
            }
            if start.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    fn open_output(&self, scratch: &Scratch, name: &str) -> io::Result<Stdio> {
        Ok(match self.output {
            OutputStreams::Pipe => Stdio::piped(),
            OutputStreams::File => Stdio::from(File::create(scratch.file(name))?),
            OutputStreams::Null => Stdio::null(),
        })
    }

    fn open_input(&self, scratch: &Scratch) -> io::Result<Stdio> {
        let file = scratch.file("input");
        Ok(match self.input {
            InputStream::Null => Stdio::null(),
            InputStream::Pipe => Stdio::piped(),
            InputStream::EmptyFile | InputStream::File => {
                let bytes: &[u8] = match self.input {
                    InputStream::File => b"line\n",
                    InputStream::EmptyFile | InputStream::Null | InputStream::Pipe => b"",
                };
                fs::write(&file, bytes)?;
                if let (Some(user), true) = (self.user, is_superuser()) {
                    chown(&file, Some(user), Some(user))?;
                }
                Stdio::from(File::open(&file)?)
            }
        })
    }
}

/// How long a native run may take. The machine may be busy: a run that takes longer is left out.
const PATIENCE: Duration = Duration::from_secs(20);

/// May this process choose the users of others?
fn is_superuser() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}
