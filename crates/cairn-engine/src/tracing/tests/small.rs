//! Programs with the cells that they are known to require.

use super::{Arg, Setting, forgetting_stores, parsed};
use crate::tracing::stretch::StopKind;
use cairn_memory::Word;

#[test]
fn a_loop_requires_its_bound() {
    let text = r#"
func @main(%n: i32, %other: i32) -> i32 {
entry:
  jump head(0, 0)
head(%i: i32, %sum: i32):
  %more: i1 = ult i32 %i, %n
  branch %more, body, out
body:
  %s: i32 = add %sum, %other
  %j: i32 = add %i, 1
  jump head(%j, %s)
out:
  return %sum
}"#;
    let setting = Setting::new(text, &[Arg::Number(5), Arg::Number(7)]);
    let stretch = setting.expect("r0");
    assert_eq!(stretch.end.stop, StopKind::Returned);
    setting.expect_all_missed(&stretch);
}

#[test]
fn a_chain_of_pointers_is_required_and_its_last_bytes() {
    let text = r#"
global @b align 8 size 8
global @a align 8 size 16 { at 8 address @b }
global @other align 8 size 8
func @main(%p: i64) -> i32 {
entry:
  %next: i64 = add %p, 8
  %q: i64 = load %next
  %at: i64 = add %q, 4
  %x: i32 = load %at
  %zero: i1 = eq i32 %x, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Global(1)]);
    let stretch = setting.expect("r0 b[4..8] a[8..16]");
    assert_eq!(stretch.required.objects.len(), 2);
    setting.expect_all_missed(&stretch);
}

#[test]
fn what_is_overwritten_is_not_required() {
    let text = r#"
global @g align 8 size 8
func @main(%x: i32, %y: i32) -> i32 {
entry:
  store i32 %x to @g
  store i32 %y to @g + 4
  %z: i32 = load @g
  %zero: i1 = eq i32 %z, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Number(0), Arg::Number(3)]);
    let stretch = setting.expect("r0");
    setting.expect_all_missed(&stretch);
    let wrong = forgetting_stores(|| setting.traced());
    assert_eq!(setting.words(&wrong.required), "g[0..4]");
    assert!(setting.wrong(&wrong, &wrong.required).is_some());
}

#[test]
fn a_store_requires_where_it_goes() {
    let text = r#"
global @g align 8 size 8
global @h align 8 size 8
func @main(%p: i64, %x: i32) -> i32 {
entry:
  store i32 %x to %p
  %y: i32 = load @g
  %zero: i1 = eq i32 %y, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;
    Setting::new(text, &[Arg::Global(1), Arg::Number(3)]).expect("r0 g[0..4]");
}

#[test]
fn calls_require_what_the_callee_branches_on() {
    let text = r#"
func @callee(%a: i32, %b: i32) -> i32 {
entry:
  %few: i1 = ult i32 %b, 3
  branch %few, yes, no
yes:
  return %a
no:
  return 0
}
func @main(%x: i32, %y: i32, %z: i32) -> i32 {
entry:
  %w: i32 = add %y, %z
  %r: i32 = call @callee(i32 %x, i32 %w)
  return %r
}"#;
    let args = [Arg::Number(9), Arg::Number(1), Arg::Number(1)];
    let setting = Setting::new(text, &args);
    let stretch = setting.expect("r1 r2 Stack");
    setting.expect_all_missed(&stretch);
}

const COPIES: &str = r#"
global @from align 8 size 16
global @to align 8 size 16
extern func @memcpy(i64, i64, i64) -> i64
func @main(%n: i64) -> i32 {
entry:
  COPY
  %x: i32 = load @to + 4
  %zero: i1 = eq i32 %x, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;

#[test]
fn copied_bytes_come_from_their_source() {
    for copy in [
        "copy @to, @from, %n",
        "%r: i64 = call @memcpy(i64 @to, i64 @from, i64 %n)",
    ] {
        let text = COPIES.replace("COPY", copy);
        let setting = Setting::new(&text, &[Arg::Number(8)]);
        let stretch = setting.expect("r0 from[4..8]");
        assert_eq!(stretch.end.stop, StopKind::Returned);
        setting.expect_all_missed(&stretch);
    }
    let text = COPIES.replace("COPY", "fill @to, 0, %n");
    Setting::new(&text, &[Arg::Number(8)]).expect("r0");
    Setting::new(&text, &[Arg::Number(4)]).expect("r0 to[4..8]");
}

#[test]
fn a_string_function_requires_what_it_looks_at() {
    let text = r#"
global @s align 8 size 8 { bytes "ab\00d" }
extern func @strlen(i64) -> i64
func @main(%p: i64, %x: i64) -> i32 {
entry:
  %n: i64 = call @strlen(i64 %p)
  %two: i1 = eq i64 %n, 2
  branch %two, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let mut program = parsed(text);
    cairn_machine::link_runtime(&mut program).expect("it fits");
    let setting = Setting::of(program, &[Arg::Global(0), Arg::Number(0)]);
    let stretch = setting.expect("r0 s[0..3] Stack");
    assert_eq!(stretch.end.stop, StopKind::Returned);
    // Without its code it is a native.
    let setting = Setting::new(text, &[Arg::Global(0), Arg::Number(0)]);
    let stretch = setting.expect("r0 s[0..3] Outside");
    assert_eq!(stretch.end.stop, StopKind::Returned);
}

#[test]
fn a_copy_of_symbolic_length_stops_first() {
    let text = COPIES.replace("COPY", "copy @to, @from, %n");
    let setting = Setting::new(&text, &[Arg::Symbol(64)]);
    assert_eq!(setting.expect("r0").end.stop, StopKind::Undecided);
}

#[test]
fn a_pointer_that_is_copied_by_bytes_comes_from_all_of_them() {
    let text = r#"
global @q align 8 size 4
global @p align 8 size 8 { at 0 address @q }
global @copy align 8 size 8
func @main() -> i32 {
entry:
  jump head(0)
head(%i: i64):
  %more: i1 = ult i64 %i, 8
  branch %more, body, out
body:
  %from: i64 = add @p, %i
  %byte: i8 = load %from
  %to: i64 = add @copy, %i
  store i8 %byte to %to
  %j: i64 = add %i, 1
  jump head(%j)
out:
  %r: i64 = load @copy
  %x: i32 = load %r
  %zero: i1 = eq i32 %x, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[]);
    let stretch = setting.traced();
    let words = setting.words(&stretch.required);
    assert!(words.starts_with("q[0..4] p[0..8]"), "{words}");
    assert_eq!(setting.wrong(&stretch, &stretch.required), None);
}

#[test]
fn switches_selects_and_indirect_calls_require_their_operands() {
    let text = r#"
func @one() -> i32 {
entry:
  return 1
}
global @table align 8 size 16 { at 0 address @one at 8 address @one }
func @main(%x: i32, %c: i1, %a: i64, %b: i64) -> i32 {
entry:
  switch i32 %x [0: zero, 1: one] else more
zero:
  return 0
one:
  %o: i64 = select %c, %a, %b
  %at: i64 = add @table, %o
  %f: i64 = load %at
  %r: i32 = call %f()
  return %r
more:
  return 2
}"#;
    let args = [
        Arg::Number(1),
        Arg::Number(1),
        Arg::Number(8),
        Arg::Number(0),
    ];
    let setting = Setting::new(text, &args);
    setting.expect("r0 r1 r2 table[8..16] Stack");
}

#[test]
fn a_fork_requires_what_its_condition_is_made_of() {
    let text = r#"
func @main(%x: i32, %y: i32, %z: i32) -> i32 {
entry:
  %s: i32 = add %x, %y
  %t: i32 = add %s, %z
  %few: i1 = ult i32 %s, 3
  branch %few, yes, no
yes:
  return %t
no:
  return 0
}"#;
    let args = [Arg::Symbol(32), Arg::Number(1), Arg::Symbol(32)];
    let stretch = Setting::new(text, &args).expect("r0 r1");
    assert_eq!(stretch.end.stop, StopKind::Branch);
}

#[test]
fn an_error_requires_what_it_comes_from() {
    let text = r#"
global @g align 8 size 8
func @main(%i: i64, %x: i32) -> i32 {
entry:
  %at: i64 = add @g, %i
  store i32 %x to %at
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Number(6), Arg::Number(0)]);
    let stretch = setting.expect("r0");
    assert!(matches!(stretch.end.stop, StopKind::Fault(_)));
    setting.expect_all_missed(&stretch);
}

#[test]
fn an_address_that_is_used_as_a_number_requires_the_layout() {
    let text = r#"
global @g align 8 size 8
func @main(%p: i64) -> i32 {
entry:
  %low: i64 = urem %p, 3
  %zero: i1 = eq i64 %low, 0
  branch %zero, yes, no
yes:
  return 1
no:
  return 0
}"#;
    Setting::new(text, &[Arg::Global(0)]).expect("r0 Layout");
}

#[test]
fn floats_must_be_known_whatever_they_are() {
    let text = r#"
func @main(%x: i64, %n: i32) -> i32 {
entry:
  %y: i64 = fadd double %x, 0x3ff0000000000000
  %few: i1 = ult i32 %n, 3
  branch %few, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let args = [Arg::Number(0), Arg::Number(1)];
    let stretch = Setting::new(text, &args).expect("r1");
    assert_eq!(stretch.required.known.len(), 1);
    let args = [Arg::Symbol(64), Arg::Number(1)];
    Setting::new(text, &args).expect("r0 r1");
}

/// Where the address alone decides, what is read is in the object there, and which that is depends on the layout.
#[test]
fn pointers_that_reach_any_object_require_the_layout() {
    let text = r#"
global @a align 8 size 8
global @b align 8 size 8
func @main(%p: i64) -> i32 {
entry:
  %x: i32 = load %p
  %few: i1 = ult i32 %x, 50
  branch %few, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let mut setting = Setting::new(text, &[Arg::Global(0)]);
    setting.start.domain.reaches_any = true;
    let stretch = setting.expect("r0 a[0..4] Layout");
    setting.expect_all_missed(&stretch);
}

#[test]
fn an_access_without_provenance_requires_the_layout() {
    let text = r#"
global @g align 8 size 8
func @main(%p: i64) -> i32 {
entry:
  %x: i32 = load %p
  return %x
}"#;
    let mut setting = Setting::new(text, &[Arg::Number(0)]);
    let address = setting.globals[0].bits;
    setting = Setting::new(text, &[Arg::Number(address)]);
    assert_eq!(setting.globals[0].bits, address);
    setting.expect("r0 Layout");
    let at = Word::int(address);
    assert!(setting.start.domain.memory.load_word(at, 4).is_ok());
}
