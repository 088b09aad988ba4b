//! What findings and left-out paths say holds: no number that is not possible, no place that is empty.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The messages of the findings and the list of what was not explored.
#[track_caller]
fn explore(name: &str, body: &str) -> (Vec<String>, Vec<String>) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("words-{name}.c"));
    let head =
        "#include <alloca.h>\n#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n";
    std::fs::write(&file, format!("{head}{body}")).expect("the folder is writable");
    let results = folder.join(format!("words-{name}-results"));
    let _ = std::fs::remove_dir_all(&results);
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["run", "--json", "--self-check", "--output-dir"])
        .arg(&results)
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("the binary was built");
    assert_ne!(output.status.code(), Some(70), "{output:?}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a summary");
    let texts = |list: &serde_json::Value, key: Option<&str>| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        let text = |v: &serde_json::Value| key.map_or(v, |k| &v[k]).as_str().map(str::to_string);
        list.filter_map(text).collect()
    };
    (
        texts(&summary["findings"], Some("message")),
        texts(&summary["incomplete"], None),
    )
}

#[test]
fn a_negative_size_on_the_stack_is_said_as_it_is() {
    let (found, _) = explore(
        "negative",
        "int main(int argc, char **argv) {\n  volatile char *p = alloca(-(long)argc);\n  return p[0];\n}\n",
    );
    let expected =
        "stack overflow: a negative size (-1 bytes) is asked for, and the stack has 8388608 bytes";
    assert_eq!(found, [expected]);
}

#[test]
fn a_size_that_depends_on_inputs_has_no_number() {
    let (found, left_out) = explore(
        "sized",
        "int main(void) {\n  int n;\n  klee_make_symbolic(&n, sizeof n, \"n\");\n  \
         if (n == 0) return 0;\n  char v[n];\n  v[0] = 1;\n  return v[0] - 1;\n}\n",
    );
    let expected = "stack overflow: more is asked for, by a size that depends on inputs, and the stack \
                    has 8388608 bytes";
    assert_eq!(found, [expected]);
    // The path with a large size ends before anything else stops it; the place is that of the object.
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    assert!(left_out[0].contains("words-sized.c:9:"), "{left_out:?}");
    assert!(!left_out[0].contains("between"), "{left_out:?}");
}

#[test]
fn a_length_that_depends_on_inputs_has_no_number() {
    // Nine bytes, which is one more than there are, is no length that can happen.
    let (found, _) = explore(
        "length",
        "int main(void) {\n  char a[8], b[64];\n  unsigned long n;\n  memset(b, 1, sizeof b);\n  \
         klee_make_symbolic(&n, sizeof n, \"n\");\n  klee_assume((n & 3) == 0);\n  \
         memcpy(a, b, n);\n  return 0;\n}\n",
    );
    assert_eq!(found.len(), 1);
    let start = "access of a length that depends on inputs at 0x";
    assert!(found[0].starts_with(start), "{found:?}");
    assert!(
        found[0].contains("that may be outside of the stack object of 8 bytes"),
        "{found:?}"
    );
}

#[test]
fn one_byte_is_one_byte() {
    let (found, _) = explore(
        "one",
        "int main(void) {\n  char a[8];\n  unsigned n;\n  klee_make_symbolic(&n, sizeof n, \"n\");\n  \
         a[n] = 1;\n  return 0;\n}\n",
    );
    assert_eq!(found.len(), 1);
    let start = "access of 1 byte that may be outside of the stack object of 8 bytes";
    assert!(found[0].starts_with(start), "{found:?}");
}

#[test]
fn a_narrowed_operation_is_placed_where_the_program_computes() {
    let (_, left_out) = explore(
        "float",
        "int main(void) {\n  double d;\n  int i;\n  klee_make_symbolic(&d, sizeof d, \"d\");\n  \
         klee_make_symbolic(&i, sizeof i, \"i\");\n  d = d + 1.5;\n  int k = i;\n  \
         if (k == 7)\n    return 1;\n  return 0;\n}\n",
    );
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    // The addition is in line 10, the branch in line 12.
    let words = "words-float.c:10:9: floating-point arithmetic on symbolic values";
    assert!(left_out[0].contains(words), "{left_out:?}");
    assert!(!left_out[0].contains("between"), "{left_out:?}");
}
