//! One program that calls functions of the C library, each as a native and as code.
//!
//! Arguments come in as the program's own: each is an object of [`ROOM`] bytes and a zero. The
//! program prints what the call gave, `errno`, and what the objects hold afterwards.

use cairn_ir::{Program, text, verify};
use cairn_machine::{Machine, MachineConfig, RUNTIME_PREFIX, link_runtime};
use std::fmt::Write as _;
use std::sync::Arc;

/// Bytes of each argument's object, its end not counted.
pub const ROOM: usize = 512;

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The address of these bytes, followed by zeros.
    Bytes(Vec<u8>),
    /// A number, or a character.
    Number(u64),
    /// No address.
    Null,
}

/// What a function gives.
#[derive(Clone, Copy)]
pub enum Outcome {
    /// 32 bits.
    Int,
    /// 64 bits.
    Word,
    /// The address of a string.
    Text,
}

/// How a call ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// With a code and an output.
    Exit(i32, Vec<u8>),
    /// With an error.
    Error(String),
}

/// The program.
pub struct Driver(Arc<Program>);

/// A function with the kinds of its arguments.
type Row<'a> = (&'a str, &'a str, Outcome);

impl Driver {
    /// Functions that are both natives and code, and functions that are code only.
    pub fn new(both: &[Row<'_>], code_only: &[Row<'_>]) -> Self {
        let mut program = Program::new();
        link_runtime(&mut program).expect("nothing is in the way");
        let mut all = text::print(&program);
        all.push_str(HELPERS);
        for (name, kinds, outcome) in both {
            let params: Vec<&str> = kinds.bytes().map(|k| width(name, k)).collect();
            let result = match outcome {
                Outcome::Int => "i32",
                Outcome::Word | Outcome::Text => "i64",
            };
            let _ = writeln!(
                all,
                "extern func @{name}({}) -> {result}",
                params.join(", ")
            );
            all.push_str(&entry("native.", "", (name, kinds, *outcome)));
        }
        for (name, kinds, outcome) in both.iter().chain(code_only) {
            all.push_str(&entry("code.", RUNTIME_PREFIX, (name, kinds, *outcome)));
        }
        let program = text::parse(&all).unwrap_or_else(|e| panic!("{e}"));
        verify::verify(&program).unwrap_or_else(|e| panic!("{}", e[0]));
        Driver(Arc::new(program))
    }

    /// Calls an entry.
    pub fn call(&self, entry: &str, arguments: &[Argument]) -> End {
        self.call_within(entry, arguments, None)
    }

    /// Calls an entry; no object that the program makes may have more bytes than the limit.
    pub fn call_within(&self, entry: &str, arguments: &[Argument], limit: Option<u64>) -> End {
        let entry = self.0.find_function(entry).expect("there is an entry");
        let mut objects = vec![b"driver".to_vec()];
        for argument in arguments {
            let mut bytes = match argument {
                Argument::Bytes(bytes) => [&1u64.to_le_bytes(), &bytes[..]].concat(),
                Argument::Number(n) => n.to_le_bytes().to_vec(),
                Argument::Null => vec![0; 8],
            };
            bytes.resize(8 + ROOM, 0);
            objects.push(bytes);
        }
        let mut config = MachineConfig::default();
        if let Some(limit) = limit {
            config.memory.object_bytes = limit;
        }
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let mut machine = Machine::new(Arc::clone(&self.0), config, &mut output, &mut errors)
            .expect("it fits into memory");
        let end = machine.run(entry, &objects);
        drop(machine);
        match end {
            cairn_machine::End::Exit(code) => End::Exit(code, output),
            cairn_machine::End::Error(report) => End::Error(report.message),
            other => panic!("the driver ended with {other:?}"),
        }
    }

    /// What a function that is code only gives, as a number.
    pub fn int(&self, name: &str, arguments: &[Argument]) -> i32 {
        self.result(name, arguments) as u32 as i32
    }

    /// What a function that is code only gives, as an offset into its first argument.
    pub fn offset(&self, name: &str, arguments: &[Argument]) -> Option<u64> {
        match self.result(name, arguments) {
            NULL => None,
            offset => Some(offset),
        }
    }

    fn result(&self, name: &str, arguments: &[Argument]) -> u64 {
        match self.call(&format!("code.{name}"), arguments) {
            End::Exit(0, output) => u64::from_le_bytes(output[..8].try_into().expect("8 bytes")),
            end => panic!("{name} of {arguments:?} ended with {end:?}"),
        }
    }
}

/// What is printed for a null pointer.
const NULL: u64 = u64::MAX;

fn width(name: &str, kind: u8) -> &'static str {
    match kind {
        b's' => "i64",
        b'c' => "i32",
        b'z' => "i64",
        other => panic!("{name}: no kind {other}"),
    }
}

/// The text of a function that calls one function.
fn entry(prefix: &str, callee: &str, (name, kinds, outcome): Row<'_>) -> String {
    let mut text = format!("func @{prefix}{name}(%argc: i32, %argv: i64) -> i32 {{\nentry:\n");
    let mut passed = Vec::new();
    for (i, kind) in kinds.bytes().enumerate() {
        let slot = 8 * (i + 1);
        let _ = writeln!(text, "  %slot{i}: i64 = add %argv, {slot}");
        let _ = writeln!(text, "  %at{i}: i64 = load %slot{i}");
        let width = width(name, kind);
        let _ = match kind {
            b's' => writeln!(text, "  %arg{i}: i64 = call @content(i64 %at{i})"),
            _ => writeln!(text, "  %arg{i}: {width} = load %at{i}"),
        };
        passed.push(format!("{width} %arg{i}"));
    }
    let result = match outcome {
        Outcome::Int => "i32",
        Outcome::Word | Outcome::Text => "i64",
    };
    let passed = passed.join(", ");
    let _ = writeln!(text, "  %r: {result} = call @{callee}{name}({passed})");
    let first = if kinds.starts_with('s') { "%arg0" } else { "0" };
    let _ = match outcome {
        Outcome::Int => writeln!(text, "  %x: i64 = zext i32 %r\n  call @print(i64 %x)"),
        Outcome::Word => writeln!(
            text,
            "  %x: i64 = call @relative(i64 %r, i64 {first})\n  call @print(i64 %x)"
        ),
        Outcome::Text => writeln!(text, "  %x: i32 = call @puts(i64 %r)"),
    };
    for i in 0..kinds.len() {
        let _ = writeln!(text, "  call @dump(i64 %at{i})");
    }
    text.push_str("  call @print_errno()\n  return 0\n}\n");
    text
}

/// `content` is null if the first eight bytes of an object are zero; otherwise what is after them.
/// `relative` gives the distance of two addresses if the first is not null.
const HELPERS: &str = r"
extern global @stdout align 8 size 8
global @cell align 8 size 8
global @rest align 8 size 8
extern func @fwrite(i64, i64, i64, i64) -> i64
extern func @puts(i64) -> i32
func @content(%at: i64) -> i64 {
entry:
  %flag: i64 = load %at
  %null: i1 = eq i64 %flag, 0
  %inside: i64 = add %at, 8
  %r: i64 = select %null, 0, %inside
  return %r
}
func @relative(%at: i64, %base: i64) -> i64 {
entry:
  %null: i1 = eq i64 %at, 0
  %distance: i64 = sub %at, %base
  %r: i64 = select %null, -1, %distance
  return %r
}
func @write(%at: i64, %size: i64) {
entry:
  %to: i64 = load @stdout
  %n: i64 = call @fwrite(i64 %at, i64 1, i64 %size, i64 %to)
  return
}
func @print(%value: i64) {
entry:
  store i64 %value to @cell
  call @write(i64 @cell, i64 8)
  return
}
func @dump(%at: i64) {
entry:
  call @write(i64 %at, i64 520)
  return
}
func @print_errno() {
entry:
  %at: i64 = call @__errno_location()
  call @write(i64 %at, i64 4)
  return
}
func @tokens.strtok(%argc: i32, %argv: i64) -> i32 {
entry:
  %slot0: i64 = add %argv, 8
  %at0: i64 = load %slot0
  %text: i64 = add %at0, 8
  %slot1: i64 = add %argv, 16
  %at1: i64 = load %slot1
  %set: i64 = add %at1, 8
  jump next(%text)
next(%from: i64):
  %token: i64 = call @cairn.runtime.strtok(i64 %from, i64 %set)
  %none: i1 = eq i64 %token, 0
  branch %none, done, say
say:
  %x: i32 = call @puts(i64 %token)
  jump next(0)
done:
  return 0
}
func @tokens.strtok_r(%argc: i32, %argv: i64) -> i32 {
entry:
  %slot0: i64 = add %argv, 8
  %at0: i64 = load %slot0
  %text: i64 = add %at0, 8
  %slot1: i64 = add %argv, 16
  %at1: i64 = load %slot1
  %set: i64 = add %at1, 8
  jump next(%text)
next(%from: i64):
  %token: i64 = call @cairn.runtime.strtok_r(i64 %from, i64 %set, i64 @rest)
  %none: i1 = eq i64 %token, 0
  branch %none, done, say
say:
  %x: i32 = call @puts(i64 %token)
  jump next(0)
done:
  return 0
}
func @by_key(%a: i64, %b: i64) -> i32 {
entry:
  %x: i32 = load %a
  %y: i32 = load %b
  %less: i1 = slt i32 %x, %y
  %more: i1 = slt i32 %y, %x
  %positive: i32 = zext i1 %more
  %r: i32 = select %less, -1, %positive
  return %r
}
func @sort(%argc: i32, %argv: i64) -> i32 {
entry:
  %slot0: i64 = add %argv, 8
  %at0: i64 = load %slot0
  %array: i64 = add %at0, 8
  %slot1: i64 = add %argv, 16
  %at1: i64 = load %slot1
  %count: i64 = load %at1
  %slot2: i64 = add %argv, 24
  %at2: i64 = load %slot2
  %key: i64 = add %at2, 8
  call @cairn.runtime.qsort(i64 %array, i64 %count, i64 16, i64 @by_key)
  %size: i64 = mul %count, 16
  call @write(i64 %array, i64 %size)
  %found: i64 = call @cairn.runtime.bsearch(i64 %key, i64 %array, i64 %count, i64 16, i64 @by_key)
  %x: i64 = call @relative(i64 %found, i64 %array)
  call @print(i64 %x)
  return 0
}
";
