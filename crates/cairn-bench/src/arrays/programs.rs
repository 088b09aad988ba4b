//! The programs: scanners made by `flex`, programs with tables of their own, and real ones.

use crate::sets::runs::Program;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Grammars in `tests/arrays`.
const GRAMMARS: &[&str] = &[
    "c", "crate", "indent", "mail", "script", "sgml", "sql", "style",
];
/// Programs in `tests/arrays`.
const OWN: &[&str] = &["json", "yaml", "crc", "aes", "escape"];
/// Programs that `scripts/programs.sh` builds, with their flags.
const REAL: &[(&str, &str, &[&str])] = &[
    ("bc", ".deps/programs/bc/bc", &["--sym-stdin", "8"]),
    (
        "json-c",
        ".deps/programs/json-c/json",
        &["--sym-stdin", "8"],
    ),
    (
        "libyaml",
        ".deps/programs/libyaml/yaml",
        &["--sym-stdin", "8"],
    ),
];

/// Makes C of a grammar, in the folder of results.
fn scanner(grammar: &str, folder: &Path) -> Result<PathBuf, String> {
    let source = format!("tests/arrays/{grammar}.l");
    let folder = folder.join("scanners");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let output = folder.join(format!("{grammar}.c"));
    let missing = "flex: not there; install Debian's package flex";
    let made = Command::new("flex")
        .arg("-o")
        .arg(&output)
        .arg(&source)
        .output()
        .map_err(|e| format!("{missing} ({e})"))?;
    match made.status.success() {
        true => Ok(output),
        false => Err(format!(
            "{source}: {}",
            String::from_utf8_lossy(&made.stderr)
        )),
    }
}

/// All programs; real ones only if they were built.
pub fn all(folder: &Path) -> Result<Vec<Program>, String> {
    let program =
        |name: &str, source: PathBuf, defines: Vec<String>, flags: Vec<&'static str>| Program {
            name: name.to_string(),
            source,
            defines,
            flags: flags.into_iter().map(str::to_string).collect(),
            machine: None,
            expected: None,
        };
    let headers = || vec!["-I".to_string(), "tests/arrays".to_string()];
    let dfs = || vec!["--search", "dfs"];
    let mut programs = Vec::new();
    for grammar in GRAMMARS {
        programs.push(program(
            grammar,
            scanner(grammar, folder)?,
            headers(),
            dfs(),
        ));
    }
    for name in OWN {
        let source = Path::new("tests/arrays").join(format!("{name}.c"));
        programs.push(program(name, source, Vec::new(), dfs()));
    }
    for (name, path, flags) in REAL {
        let path = PathBuf::from(path);
        if path.exists() {
            let flags = flags.iter().copied().chain(dfs()).collect();
            programs.push(program(name, path, Vec::new(), flags));
        } else {
            eprintln!(
                "{}: left out; scripts/programs.sh builds it",
                path.display()
            );
        }
    }
    Ok(programs)
}
