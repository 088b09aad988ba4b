//! What the tests share: lowering text, and looking at what came out.
#![allow(dead_code, reason = "no test uses all of it")]

use cairn_llvm::{LowerOptions, Lowered, load_bytes};

/// Lowers assembly text and verifies the program.
pub fn lower_with(text: &str, options: &LowerOptions) -> Lowered {
    let lowered = match load_bytes("test.ll", text.as_bytes(), options) {
        Ok(lowered) => lowered,
        Err(error) => panic!("{error}\n{text}"),
    };
    verify(&lowered, text);
    lowered
}

/// The same with the default options.
pub fn lower(text: &str) -> Lowered {
    lower_with(text, &LowerOptions::default())
}

/// The same where everything must be supported.
pub fn lower_all(text: &str) -> Lowered {
    let lowered = lower(text);
    assert_eq!(lowered.unsupported, [], "{text}");
    lowered
}

pub fn verify(lowered: &Lowered, what: &str) {
    if let Err(errors) = cairn_ir::verify::verify(&lowered.program) {
        let text = cairn_ir::text::print(&lowered.program);
        panic!("{}\n{what}\n{text}", errors[0]);
    }
}

/// The lines of a function's text.
pub fn body(lowered: &Lowered, name: &str) -> Vec<String> {
    let text = cairn_ir::text::print(&lowered.program);
    let start = text
        .find(&format!("func @{name}("))
        .unwrap_or_else(|| panic!("no function {name} in\n{text}"));
    let end = text[start..]
        .find("\n}")
        .map_or(text.len(), |at| start + at);
    text[start..end]
        .lines()
        .skip(1)
        .map(|line| line.trim().to_string())
        .collect()
}

/// The lines between the first label and the end of a function whose text is one block.
#[track_caller]
pub fn expect(lowered: &Lowered, name: &str, lines: &[&str]) {
    let found = body(lowered, name);
    assert_eq!(found, lines, "function {name}");
}
