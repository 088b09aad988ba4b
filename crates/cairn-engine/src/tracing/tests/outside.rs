//! What calls of natives require.

use super::{Arg, Setting};
use crate::tracing::stretch::StopKind;
use cairn_machine::natives::Ending;

#[test]
fn a_native_requires_the_bytes_that_it_reads() {
    let text = r#"
global @g { bytes "12\00unread" }
extern func @atoi(i64) -> i32
func @main(%p: i64) -> i32 {
entry:
  %n: i32 = call @atoi(i64 %p)
  %few: i1 = ult i32 %n, 50
  branch %few, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Global(0)]);
    let stretch = setting.expect("r0 g[0..3] Outside");
    assert_eq!(stretch.end.stop, StopKind::Returned);
    setting.expect_all_missed(&stretch);
}

#[test]
fn what_a_native_writes_came_from_what_it_read() {
    let text = r#"
global @g { bytes "12x\00" }
global @end align 8 size 8
extern func @strtol(i64, i64, i32) -> i64
func @main(%p: i64) -> i32 {
entry:
  %n: i64 = call @strtol(i64 %p, i64 @end, i32 10)
  %e: i64 = load @end
  %c: i8 = load %e
  %is: i1 = eq i8 %c, 120
  branch %is, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Global(0)]);
    // It looks for the end of the text; what the pointer was before does not matter.
    let stretch = setting.expect("r0 g[0..4] Outside");
    setting.expect_all_missed(&stretch);
}

#[test]
fn objects_that_natives_make_and_end_are_no_cells() {
    let text = r#"
extern func @malloc(i64) -> i64
extern func @free(i64)
func @main(%n: i64, %x: i32) -> i32 {
entry:
  %p: i64 = call @malloc(i64 %n)
  store i32 %x to %p
  %y: i32 = load %p
  call @free(i64 %p)
  %few: i1 = ult i32 %y, 50
  branch %few, yes, no
yes:
  return 1
no:
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Number(8), Arg::Number(5)]);
    let stretch = setting.expect("r0 r1 Heap Outside");
    assert!(stretch.required.objects.is_empty());
}

#[test]
fn an_object_that_is_freed_is_required() {
    let text = r#"
global @p align 8 size 8
extern func @malloc(i64) -> i64
extern func @free(i64)
func @main(%q: i64) -> i32 {
entry:
  call @free(i64 %q)
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Global(0)]);
    let stretch = setting.expect("r0 Heap Outside");
    assert_eq!(stretch.required.objects.len(), 1);
    let StopKind::Ended(_, Ending::Fault(_)) = stretch.end.stop else {
        panic!("{:?}", stretch.end.stop);
    };
    setting.expect_all_missed(&stretch);
}

#[test]
fn the_end_of_the_program_is_part_of_a_stretch() {
    let text = r#"
extern func @exit(i32)
func @main(%n: i32, %m: i32) -> i32 {
entry:
  call @exit(i32 %n)
  return 0
}"#;
    let setting = Setting::new(text, &[Arg::Number(3), Arg::Number(4)]);
    let stretch = setting.expect("r0 Outside");
    let StopKind::Ended(_, Ending::Exit(3)) = stretch.end.stop else {
        panic!("{:?}", stretch.end.stop);
    };
    setting.expect_all_missed(&stretch);
}

#[test]
fn a_native_that_is_given_a_term_is_not_called() {
    let text = r#"
extern func @abs(i32) -> i32
func @main(%n: i32) -> i32 {
entry:
  %m: i32 = call @abs(i32 %n)
  return %m
}"#;
    let setting = Setting::new(text, &[Arg::Symbol(32)]);
    let stretch = setting.expect("r0");
    let StopKind::Bodiless(_) = stretch.end.stop else {
        panic!("{:?}", stretch.end.stop);
    };
}
