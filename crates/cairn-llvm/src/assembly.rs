//! Lines of a module's assembly text at which instructions stand.
//!
//! LLVM's C interface does not tell them, so they are found in the text: an instruction begins on a
//! line that is indented by two spaces; what goes on is indented further, but for the bracket that
//! ends a switch. A function whose text does not have as many such lines as it has instructions gets
//! none, so that a line is right or absent.

use crate::reader::{Module, Value};
use rustc_hash::FxHashMap;

/// The line of each instruction of a module, from 1, in its text.
pub(crate) fn lines<'m>(module: &'m Module, text: &str) -> FxHashMap<Value<'m>, u32> {
    let mut found = FxHashMap::default();
    let defined = module.functions().filter(|f| !f.is_declaration());
    for (function, lines) in defined.zip(bodies(text)) {
        let instructions: Vec<Value<'m>> =
            function.blocks().flat_map(|b| b.instructions()).collect();
        if instructions.len() == lines.len() {
            found.extend(instructions.into_iter().zip(lines));
        }
    }
    found
}

/// For each function with a body the lines at which something begins that looks like an instruction.
fn bodies(text: &str) -> Vec<Vec<u32>> {
    let mut bodies: Vec<Vec<u32>> = Vec::new();
    let mut inside = false;
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with("define ") {
            bodies.push(Vec::new());
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside
            && let Some(rest) = line.strip_prefix("  ")
            && !rest.starts_with([' ', ']'])
            && let Some(body) = bodies.last_mut()
        {
            body.push(number);
        }
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::bodies;

    #[test]
    fn what_goes_on_is_no_instruction() {
        let text = "define i32 @f(i32 %0) {\n  switch i32 %0, label %2 [\n    i32 1, label %3\n  ]\n\
                    \n2:\n    #dbg_value(i32 %0, !1, !2, !3)\n  ret i32 0\n\n3:\n  ret i32 1\n}\n\
                    declare void @g()\ndefine void @h() {\n  ret void\n}\n!0 = !{}\n";
        assert_eq!(bodies(text), [vec![2, 8, 11], vec![15]]);
    }
}
