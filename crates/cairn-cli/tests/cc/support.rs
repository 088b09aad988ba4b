//! A folder in which a test builds programs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder.
pub struct Place(PathBuf);

impl Place {
    /// Makes it new.
    pub fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder is writable");
        Place(folder)
    }

    /// Writes a file.
    pub fn file(&self, name: &str, content: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
        std::fs::write(path, content).expect("the folder is writable");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it was written")
    }

    /// Is the file there?
    pub fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Where it is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A command that runs in the folder, with the host's library of C unless a test says otherwise.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = match program {
            "cairn" => Command::new(env!("CARGO_BIN_EXE_cairn")),
            own if own.starts_with("./") => Command::new(self.0.join(own)),
            other => Command::new(other),
        };
        command.args(arguments).current_dir(&self.0);
        command.env("CAIRN_CC_LIBC", "host").stdin(Stdio::null());
        // Headers and libraries of ours are made anew for each test.
        command.env("XDG_CACHE_HOME", self.0.join("cache"));
        command
    }

    /// Runs a program.
    pub fn output(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program, arguments).output().expect(program)
    }

    /// Runs a tool that must succeed.
    #[track_caller]
    pub fn run(&self, program: &str, arguments: &[&str]) {
        let ran = self.output(program, arguments);
        assert!(
            ran.status.success(),
            "{program} {arguments:?}: {}",
            err(&ran)
        );
    }

    /// Runs `cairn`.
    pub fn cairn(&self, arguments: &[&str]) -> Output {
        self.output("cairn", arguments)
    }

    /// Runs `cairn` with variables.
    pub fn with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = self.command("cairn", arguments);
        command.envs(variables.iter().copied());
        command.output().expect("the binary was built")
    }

    /// Runs `cairn` with standard input.
    pub fn fed(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command("cairn", arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was built");
        let mut pipe = child.stdin.take().expect("it is piped");
        pipe.write_all(input.as_bytes()).expect("it is read");
        drop(pipe);
        child.wait_with_output().expect("it ends")
    }

    /// Compiles or links in silence.
    #[track_caller]
    pub fn cc(&self, arguments: &[&str]) {
        self.cc_with(&[], arguments);
    }

    /// The same with variables.
    #[track_caller]
    pub fn cc_with(&self, variables: &[(&str, &str)], arguments: &[&str]) {
        let ran = self.with(variables, &[&["cc"], arguments].concat());
        assert_eq!((code(&ran), err(&ran)), (0, String::new()), "{arguments:?}");
    }
}

/// Standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The exit code.
#[track_caller]
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}
