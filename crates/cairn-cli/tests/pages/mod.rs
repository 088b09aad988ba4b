//! Pages of the documentation as tests: what they say is done, what they show is what happens.

use std::path::Path;
use std::process::{Command, Stdio};

/// Follows a page of the documents in a folder; see [`follow_file`].
#[allow(dead_code, reason = "the test of the README has no page there")]
pub fn follow(page: &str, here: &Path) -> usize {
    follow_file(&format!("docs/{page}"), here, str::to_string)
}

/// Follows a file of the repository in a folder: blocks named by a file are written, in blocks of
/// commands each line with a dollar is run and the lines below it are what it prints, both in a form that
/// leaves out what differs from run to run. Gives the number of commands.
pub fn follow_file(page: &str, here: &Path, form: fn(&str) -> String) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join(page)).expect("there is the page");
    let binary = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().expect("a folder").display());
    let mut commands = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (head, body) = block.split_once('\n').expect("a block has a head");
        if let Some(name) = head.strip_prefix("c ") {
            std::fs::write(here.join(name), format!("{body}\n")).expect("writable");
        }
        if head != "console" {
            continue;
        }
        for step in format!("\n{body}").split("\n$ ").skip(1) {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            let output = Command::new("sh")
                .args(["-c", &format!("{{ {command}; }} 2>&1")])
                .current_dir(here)
                .env("PATH", &path)
                .env("CAIRN_HOME", &root)
                .stdin(Stdio::null())
                .output()
                .expect("there is a shell");
            let printed = String::from_utf8_lossy(&output.stdout);
            let (printed, shown) = (form(printed.trim_end()), form(shown.trim_end()));
            assert_eq!(printed, shown, "{command}");
            commands += 1;
        }
    }
    commands
}
