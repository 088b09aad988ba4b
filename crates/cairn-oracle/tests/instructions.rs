//! Every LLVM instruction and intrinsic that is lowered, run and compared with native execution.
//!
//! The files in `instructions/` hold small functions, the snippets, grouped by subject. For each
//! file a driver is generated that calls every snippet on tables of interesting inputs and prints
//! the results. Clang makes a native program of the text; the same text is lowered and run on the
//! concrete machine, with the promises of the compiler checked and unchecked. All three must print
//! the same. Snippets keep away from what LLVM leaves undefined.
//!
//! Broken promises are found if asked for, and only then (`promises.ll`).
//!
//! What has no native counterpart to compare with says in a comment what to expect (`alone.ll`),
//! and so does what is refused (`refused.ll`): it ends a run that reaches it with an error that
//! names it, and does not disturb one that does not.

#[path = "instructions/coverage.rs"]
mod coverage;
#[path = "instructions/driver.rs"]
mod driver;

use cairn_ir::Program;
use cairn_llvm::{LowerOptions, Overshift};
use cairn_machine::{End, Machine, MachineConfig};
use driver::Snippet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Files whose snippets are compared with native execution.
const COMPARED: [&str; 13] = [
    "atomics",
    "calls",
    "constants",
    "constrained",
    "control",
    "floats",
    "float_intrinsics",
    "hints",
    "integers",
    "integer_intrinsics",
    "memory",
    "random_floats",
    "vectors",
];

/// All options that check a promise.
fn strict() -> LowerOptions {
    LowerOptions {
        check_signed_overflow: true,
        check_unsigned_overflow: true,
        check_overshift: Overshift::Always,
        check_exact: true,
        check_inbounds: true,
        check_assumptions: true,
        ..LowerOptions::default()
    }
}

fn data(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions");
    let path = folder.join(file).with_extension("ll");
    let text = std::fs::read_to_string(&path);
    driver::expand(&text.unwrap_or_else(|why| panic!("{}: {why}", path.display())))
}

/// Lowers and verifies a text; nothing in it may be refused unless that is asked for.
fn lower(file: &str, text: &str, options: &LowerOptions, refusals: bool) -> Arc<Program> {
    let lowered = cairn_llvm::load_bytes(file, text.as_bytes(), options)
        .unwrap_or_else(|why| panic!("{file} cannot be loaded: {why}"));
    assert!(
        refusals || lowered.unsupported.is_empty(),
        "{file} has what is refused: {:#?}",
        lowered.unsupported
    );
    if let Err(why) = cairn_ir::verify::verify(&lowered.program) {
        panic!("{file} is lowered wrongly: {why:?}");
    }
    Arc::new(lowered.program)
}

/// Runs a function as the entry, and hands it so many arguments.
fn run(program: &Arc<Program>, entry: &str, arguments: usize) -> (String, End) {
    let entry = program
        .find_function(entry)
        .unwrap_or_else(|| panic!("there is no function {entry}"));
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let config = MachineConfig {
        limit: Some(100_000_000),
        ..MachineConfig::default()
    };
    let end = Machine::new(Arc::clone(program), config, &mut output, &mut errors)
        .expect("small programs fit into memory")
        .run(entry, &vec![b"program".to_vec(); arguments]);
    (String::from_utf8_lossy(&output).into_owned(), end)
}

/// A place for what clang reads and writes.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions");
    std::fs::create_dir_all(&folder).expect("a folder for scratch files");
    folder.join(name)
}

/// Conversions to bfloat that the compiler calls and that older runtime libraries do not have. The
/// result is in the low half of a float, which is where a bfloat would be.
const BFLOAT_RUNTIME: &str = "
define weak float @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %half = add i32 %odd, 32767
  %rounded = add i32 %bits, %half
  %kept = lshr i32 %rounded, 16
  %nan = fcmp uno float %x, %x
  %result = select i1 %nan, i32 32704, i32 %kept
  %float = bitcast i32 %result to float
  ret float %float
}
define weak float @__truncdfbf2(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %near to i32
  %backbits = bitcast double %back to i64
  %xbits = bitcast double %x to i64
  %away = icmp ugt i64 %backbits, %xbits
  %step = zext i1 %away to i32
  %towards = sub i32 %bits, %step
  %odd = or i32 %towards, 1
  %chosen = select i1 %exact, i32 %bits, i32 %odd
  %float = bitcast i32 %chosen to float
  %result = call float @__truncsfbf2(float %float)
  ret float %result
}
";

/// What the native program prints.
fn run_natively(file: &str, text: &str) -> String {
    let source = scratch(&format!("{file}.ll"));
    let program = scratch(file);
    std::fs::write(&source, [text, BFLOAT_RUNTIME].concat()).expect("scratch files can be written");
    let compiled = Command::new("clang-19")
        .args(["-O0", "-w", "-x", "ir"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .stdin(Stdio::null())
        .output()
        .expect("clang-19 can be run");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(
        compiled.status.success(),
        "{file} cannot be compiled:\n{said}"
    );
    let ran = Command::new(&program)
        .stdin(Stdio::null())
        .output()
        .expect("the native program can be run");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        ran.status.success(),
        "{file} ends natively with {} after: {}",
        ran.status,
        printed.lines().last().unwrap_or_default()
    );
    printed
}

/// The first difference between what a snippet printed natively and on the machine.
fn difference(snippet: &Snippet, native: &[&str], printed: &str, end: &End) -> Option<String> {
    let ours: Vec<&str> = printed.lines().collect();
    let at = (0..native.len().max(ours.len())).find(|&at| native.get(at) != ours.get(at));
    match (at, end) {
        (None, End::Exit(_)) => None,
        (None, end) => Some(format!("{}: {end:?}", snippet.name)),
        (Some(at), end) => Some(format!(
            "{}: natively {:?}, here {:?} ({end:?})",
            snippet.call_text(at),
            native.get(at).unwrap_or(&"nothing"),
            ours.get(at).unwrap_or(&"nothing"),
        )),
    }
}

/// Compares all snippets of a file.
fn compare(file: &str) {
    let assembly = data(file);
    let snippets = driver::snippets(&assembly);
    assert!(!snippets.is_empty(), "{file} has no snippets");
    let text = driver::complete(&assembly, &snippets);
    let printed = run_natively(file, &text);
    let mut native: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in printed.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        native.entry(name).or_default().push(line);
    }
    let mut wrong = Vec::new();
    for options in [LowerOptions::default(), strict()] {
        let program = lower(file, &text, &options, false);
        for snippet in &snippets {
            let lines = native.get(snippet.name.as_str());
            let lines = lines.unwrap_or_else(|| panic!("{} printed nothing", snippet.name));
            let (ours, end) = run(&program, &snippet.driver(), 0);
            wrong.extend(difference(snippet, lines, &ours, &end));
        }
    }
    assert!(wrong.is_empty(), "{file}.ll:\n{}", wrong.join("\n"));
}

/// Functions of a file with what the comment line before each says after a keyword.
fn announced<'t>(text: &'t str, keyword: &str) -> Vec<(&'t str, &'t str)> {
    let mut found = Vec::new();
    let mut told = None;
    for line in text.lines() {
        if let Some(rest) = line
            .strip_prefix("; ")
            .and_then(|l| l.strip_prefix(keyword))
        {
            told = Some(rest.trim());
        }
        if let Some(expected) = told
            && line.starts_with("define ")
        {
            let (_, rest) = line.split_once('@').expect("a name");
            let (name, _) = rest.split_once('(').expect("parameters");
            found.push((name, expected));
            told = None;
        }
    }
    found
}

#[test]
fn atomics() {
    compare("atomics");
}

#[test]
fn calls() {
    compare("calls");
}

#[test]
fn constants() {
    compare("constants");
}

#[test]
fn constrained_floats() {
    compare("constrained");
}

#[test]
fn control_flow() {
    compare("control");
}

#[test]
fn floats() {
    compare("floats");
}

#[test]
fn float_intrinsics() {
    compare("float_intrinsics");
}

#[test]
fn hints() {
    compare("hints");
}

#[test]
fn integers() {
    compare("integers");
}

#[test]
fn integer_intrinsics() {
    compare("integer_intrinsics");
}

#[test]
fn memory() {
    compare("memory");
}

#[test]
fn random_floats() {
    compare("random_floats");
}

#[test]
fn vectors() {
    compare("vectors");
}

/// What clang cannot make a native program of, or what differs from run to run.
#[test]
fn without_native_counterpart() {
    let text = data("alone");
    let program = lower("alone", &text, &LowerOptions::default(), false);
    let functions = announced(&text, "returns:");
    assert!(!functions.is_empty());
    for (function, expected) in functions {
        let (_, end) = run(&program, function, 1);
        let expected = expected.parse().expect("a number");
        assert_eq!(end, End::Exit(expected), "{function}");
    }
}

/// Runs a function with two arguments, which must end with an error.
fn expect_error(program: &Arc<Program>, function: &str, expected: &str) {
    match run(program, function, 2).1 {
        End::Error(report) => assert!(
            report.message.contains(expected),
            "{function}: {:?} does not name {expected:?}",
            report.message
        ),
        end @ (End::Exit(_)
        | End::Signal(..)
        | End::Abort(_)
        | End::Assumption(_)
        | End::Silent
        | End::Limit) => {
            panic!("{function} ends with {end:?} in spite of {expected}")
        }
    }
}

/// What is refused ends a run that gets there (called with two arguments) and no other.
#[test]
fn refusals() {
    let text = data("refused");
    let program = lower("refused", &text, &LowerOptions::default(), true);
    let functions = announced(&text, "refused:");
    assert!(!functions.is_empty());
    for (function, expected) in functions {
        let (_, end) = run(&program, function, 1);
        assert_eq!(end, End::Exit(0), "{function} should not get to {expected}");
        expect_error(&program, function, expected);
    }
}

#[test]
fn broken_promises() {
    let text = data("promises");
    let trusting = lower("promises", &text, &LowerOptions::default(), false);
    let checking = lower("promises", &text, &strict(), false);
    let functions = announced(&text, "broken:");
    assert!(!functions.is_empty());
    for (function, expected) in functions {
        let (_, end) = run(&trusting, function, 2);
        assert_eq!(end, End::Exit(0), "{function}, unchecked");
        let (_, end) = run(&checking, function, 1);
        assert_eq!(end, End::Exit(0), "{function} keeps its promise");
        expect_error(&checking, function, expected);
    }
}

/// Nothing that is lowered is without a snippet.
#[test]
fn everything_is_covered() {
    let files = COMPARED.iter().chain(&["alone", "refused"]);
    let text: String = files.map(|file| data(file)).collect();
    let missing = coverage::missing(&text);
    assert!(missing.is_empty(), "no snippet has {}", missing.join(", "));
}
