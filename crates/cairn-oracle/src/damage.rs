//! Damaged modules: what `cairn run` makes of bitcode and assembly that are not what they should be.
//!
//! LLVM's reader is made for files that LLVM wrote. Here it gets files with flipped bits, lost and
//! doubled pieces, changed numbers. Each must be read or refused: exit code 0 or 65, soon, and
//! never a signal, a hang or a report of a bug in Cairn.

use crate::programs::scratch::Scratch;
use crate::random::Random;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a file may take. The machine may be busy; a hang takes for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a campaign saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Files that were read in spite of the damage.
    pub read: u64,
    /// Files that were refused with a message.
    pub refused: u64,
    /// Everything else.
    pub wrong: u64,
}

/// Sources to damage: small ones, so that a change hits something that matters.
const SOURCES: [(&str, &str); 3] = [
    (
        "list.c",
        "#include <stdio.h>\n#include <stdlib.h>\nstruct node { int value; struct node *next; };\n\
         static const char *names[] = {\"a\", \"b\", \"c\"};\n\
         int main(int argc, char **argv) { struct node *all = 0; for (int i = 0; i < 9 + argc; i++) \
         { struct node *n = malloc(sizeof *n); n->value = i * i; n->next = all; all = n; } \
         long sum = 0; while (all) { struct node *n = all; all = n->next; switch (n->value % 5) \
         { case 0: sum += 1; break; case 1: sum *= 3; break; case 4: sum ^= n->value; break; \
         default: sum--; } printf(\"%s %ld\\n\", names[n->value % 3], sum); free(n); } return 0; }\n",
    ),
    (
        "numbers.c",
        "#include <stdarg.h>\ntypedef int four __attribute__((vector_size(16)));\n\
         double mean(int n, ...) { va_list l; va_start(l, n); double s = 0; for (int i = 0; i < n; i++) \
         s += va_arg(l, double); va_end(l); return s / n; }\n\
         four twice(four x) { return x + x; }\n__int128 wide(__int128 a, long b) { return a * b / 7; }\n\
         long double far(float f) { return f * 3.0L; }\n_Thread_local int counter;\n\
         int main(void) { four v = {1, 2, 3, 4}; counter = twice(v)[2]; \
         return (int)(mean(3, 1.0, 2.0, 3.5) + (double)far(2.0f) + (int)wide(5, counter)); }\n",
    ),
    (
        "classes.cc",
        "struct A { virtual ~A() {} virtual int f(int x) { return x; } };\n\
         struct B { virtual int g() { return 2; } int b = 3; };\n\
         struct C : A, B { int f(int x) override { return x + b; } int g() override { return 4; } };\n\
         template <class T> T most(T a, T b) { return a < b ? b : a; }\nstatic C global;\n\
         int main() { A *a = &global; B *b = dynamic_cast<B *>(a); \
         return most(a->f(1), b ? b->g() : 0); }\n",
    ),
];

/// Compiles the sources to bitcode and assembly at two levels.
fn originals(scratch: &Scratch) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    let mut all = Vec::new();
    for (name, text) in SOURCES {
        let source = scratch.path().join(name);
        std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
        for level in ["-O0", "-O2"] {
            for (extension, flags) in [
                ("bc", &["-c"][..]),
                ("ll", &["-S", "-fno-discard-value-names"]),
            ] {
                let output = scratch.path().join(format!("{name}{level}.{extension}"));
                let mut all_flags = vec![level.to_string()];
                all_flags.extend(flags.iter().map(|f| (*f).to_string()));
                cairn_llvm::compile(&source, &all_flags, &output).map_err(|e| e.to_string())?;
                let bytes =
                    std::fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
                all.push((output, bytes));
            }
        }
    }
    Ok(all)
}

/// A damaged copy.
fn damaged(random: &mut Random, bytes: &[u8], text: bool) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for _ in 0..=random.below(4) {
        if copy.is_empty() {
            return copy;
        }
        let at = random.below(copy.len());
        let length = random.below((copy.len() - at).min(64)) + 1;
        match random.below(if text { 8 } else { 6 }) {
            0 => copy.truncate(at),
            1 => copy[at] ^= 1 << random.below(8),
            2 => copy[at] = random.next() as u8,
            3 => drop(copy.drain(at..at + length)),
            4 => {
                let piece = copy[at..at + length].to_vec();
                let to = random.below(copy.len() + 1);
                copy.splice(to..to, piece);
            }
            5 => {
                let other = random.below(copy.len() - length + 1);
                let piece = copy[at..at + length].to_vec();
                copy[other..other + length].copy_from_slice(&piece);
            }
            // Texts: another number, and a line in the wrong place.
            6 => {
                let digits = copy.iter().enumerate().skip(at);
                if let Some((i, _)) = digits.into_iter().find(|(_, b)| b.is_ascii_digit()) {
                    copy[i] = b'0' + random.below(10) as u8;
                }
            }
            _ => {
                let mut lines: Vec<&[u8]> = copy.split(|b| *b == b'\n').collect();
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
                copy = lines.join(&b'\n');
            }
        }
    }
    copy
}

/// Runs `cairn` on a file; what is wrong, if something is.
fn look(cairn: &Path, file: &Path) -> Result<Option<String>, String> {
    let mut child = Command::new(cairn)
        .args(["run", "--list-unsupported"])
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", cairn.display()))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Some("does not end".to_string()));
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let mut message = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut pipe, &mut bytes).map_err(|e| e.to_string())?;
        message = String::from_utf8_lossy(&bytes).into_owned();
    }
    Ok(match status.code() {
        Some(0) => None,
        Some(65) if message.starts_with("cairn: ") => Some(String::new()),
        _ => Some(format!("{status}: {message}")),
    })
}

/// Damages modules and looks at each; `wrong` is told of the file and what happened.
pub fn run(
    cairn: &Path,
    seed: u64,
    count: u64,
    wrong: &mut dyn FnMut(&[u8], &str, &str),
) -> Result<Tally, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    let originals = originals(&scratch)?;
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count {
        let (original, bytes) = random.pick(&originals);
        let text = original.extension().is_some_and(|e| e == "ll");
        let copy = damaged(&mut random, bytes, text);
        let file = scratch
            .path()
            .join(if text { "damaged.ll" } else { "damaged.bc" });
        std::fs::write(&file, &copy).map_err(|e| format!("{}: {e}", file.display()))?;
        match look(cairn, &file)? {
            None => tally.read += 1,
            Some(message) if message.is_empty() => tally.refused += 1,
            Some(message) => {
                tally.wrong += 1;
                wrong(&copy, if text { "ll" } else { "bc" }, &message);
            }
        }
    }
    Ok(tally)
}
