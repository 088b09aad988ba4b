//! How wide pointers are: said by the program, kept by its text, asked for by the verifier.

use cairn_ir::verify::{VerifierRule, verify};
use cairn_ir::{LinkError, PointerWidth, Program, text};

fn parsed(text: &str) -> Program {
    text::parse(text).expect("a program")
}

fn rules(text: &str) -> Vec<VerifierRule> {
    match verify(&parsed(text)) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.into_iter().map(|e| e.rule).collect(),
    }
}

const NARROW: &str = r#"pointer 4
global @two size 8 align 4 {
  at 0 address @two + 4
  at 4 address @main
}
func @main() -> i32 {
entry:
  %at: i32 = alloca 8 align 4
  store i32 @two + 4 to %at
  %back: i32 = load %at
  %mark: i32 = stack_save
  copy @two, %back, 4
  stack_restore %mark
  %minus: i32 = load -4
  return %back
}
"#;

#[test]
fn text_says_how_wide_pointers_are() {
    let program = parsed(NARROW);
    assert_eq!(program.pointer_width, PointerWidth::Four);
    verify(&program).expect("it makes sense");
    let printed = text::print(&program);
    assert!(printed.starts_with("pointer 4\n"), "{printed}");
    assert_eq!(parsed(&printed), program);
    // Without a word about it they have 8 bytes, and nothing is printed.
    let wide = parsed("global @g size 8\n");
    assert_eq!(wide.pointer_width, PointerWidth::Eight);
    assert!(!text::print(&wide).contains("pointer"));
    assert_eq!(parsed("pointer 8\nglobal @g size 8\n"), wide);
    for wrong in ["pointer 2\n", "pointer\n", "global @g size 8\npointer 4\n"] {
        assert!(text::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_verifier_asks_for_that_width() {
    let wide = NARROW.replacen("pointer 4\n", "", 1);
    let found = rules(&wide.replace("-4", "4"));
    assert!(found.contains(&VerifierRule::AddressWidth), "{found:?}");
    assert!(found.contains(&VerifierRule::ResultWidth), "{found:?}");
    // Two addresses of 8 bytes do not fit where two of 4 bytes do.
    assert!(found.contains(&VerifierRule::RelocationRange), "{found:?}");
    // A list of variadic arguments is x86-64's.
    let start = "func @f(%p: i32, ...) { b: va_start %p general 1 float 0 stop }";
    assert_eq!(
        rules(&format!("pointer 4\n{start}")),
        [VerifierRule::VaStart]
    );
}

#[test]
fn programs_of_different_widths_are_not_linked() {
    let mut program = parsed("global @g size 8\n");
    let error = program.link(parsed(NARROW), "lib.");
    let expected = LinkError::PointerWidth { ours: 8, theirs: 4 };
    assert_eq!(error, Err(expected));
}
