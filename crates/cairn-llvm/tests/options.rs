//! Checks on request.

mod support;

use cairn_ir::{CheckKind, Inst};
use cairn_llvm::{LowerOptions, Overshift};
use support::lower_with;

fn checks(text: &str, options: &LowerOptions) -> Vec<CheckKind> {
    let lowered = lower_with(text, options);
    let bodies = lowered
        .program
        .functions
        .iter()
        .filter_map(|f| f.body.as_ref());
    bodies
        .flat_map(|body| &body.blocks)
        .flat_map(|block| &block.insts)
        .filter_map(|(inst, _)| match inst {
            Inst::Check(check) => Some(check.kind),
            _ => None,
        })
        .collect()
}

const FLAGS: &str = "
declare void @llvm.assume(i1)
define i32 @f(i32 %a, i32 %b, ptr %p) {
  %1 = add nsw i32 %a, %b
  %2 = sub nuw i32 %1, %b
  %3 = mul nuw nsw i32 %2, %b
  %4 = shl nsw nuw i32 %3, 1
  %5 = udiv exact i32 %4, 2
  %6 = lshr exact i32 %5, 1
  %7 = getelementptr inbounds i32, ptr %p, i32 %6
  %8 = icmp ne ptr %7, null
  call void @llvm.assume(i1 %8)
  %9 = shl i32 %6, %b
  %10 = shl i32 %9, 31
  ret i32 %10
}";

#[test]
fn nothing_by_default() {
    assert_eq!(checks(FLAGS, &LowerOptions::default()), []);
}

#[test]
fn each_on_request() {
    let default = LowerOptions::default;
    let signed = LowerOptions {
        check_signed_overflow: true,
        ..default()
    };
    assert_eq!(checks(FLAGS, &signed), [CheckKind::SignedOverflow; 3]);
    let unsigned = LowerOptions {
        check_unsigned_overflow: true,
        ..default()
    };
    assert_eq!(checks(FLAGS, &unsigned), [CheckKind::UnsignedOverflow; 3]);
    let exact = LowerOptions {
        check_exact: true,
        ..default()
    };
    assert_eq!(checks(FLAGS, &exact), [CheckKind::Inexact; 2]);
    let inbounds = LowerOptions {
        check_inbounds: true,
        ..default()
    };
    assert_eq!(checks(FLAGS, &inbounds), [CheckKind::PointerOverflow]);
    let assumptions = LowerOptions {
        check_assumptions: true,
        ..default()
    };
    assert_eq!(checks(FLAGS, &assumptions), [CheckKind::Assumption]);
    let overshift = LowerOptions {
        check_overshift: Overshift::Always,
        ..default()
    };
    assert_eq!(checks(FLAGS, &overshift), [CheckKind::Overshift]);
}

#[test]
fn shifts_of_unoptimized_functions_are_checked() {
    let text = "
define i32 @f(i32 %a, i32 %b) noinline optnone {
  %1 = ashr i32 %a, %b
  %2 = shl i32 %1, 32
  ret i32 %2
}";
    let default = LowerOptions::default();
    assert_eq!(checks(text, &default), [CheckKind::Overshift; 2]);
    let never = LowerOptions {
        check_overshift: Overshift::Never,
        ..default
    };
    assert_eq!(checks(text, &never), []);
}

#[test]
fn shifts_of_functions_that_the_optimiser_has_not_seen_are_checked() {
    let text = "
define i32 @f(i32 %a, i32 %b) {
  %1 = alloca i32
  store i32 %a, ptr %1
  %2 = load i32, ptr %1
  %3 = shl i32 %2, %b
  ret i32 %3
}";
    let default = LowerOptions::default();
    assert_eq!(checks(text, &default), [CheckKind::Overshift]);
    assert_eq!(lower_with(text, &default).missing_checks, [""; 0]);
    // A volatile variable stays in memory, whatever the optimiser does.
    let seen = text
        .replace("store", "store volatile")
        .replace("load", "load volatile");
    assert_eq!(checks(&seen, &default), []);
    let missing = lower_with(&seen, &default).missing_checks;
    assert!(missing[0].contains("optimised functions"), "{missing:?}");
    let own = LowerOptions {
        check_overshift: Overshift::Own,
        ..default
    };
    assert_eq!(checks(&seen, &own), [CheckKind::Overshift]);
    assert_eq!(lower_with(&seen, &own).missing_checks, [""; 0]);
}

#[test]
fn the_least_number_has_no_absolute_value() {
    let text = |value: &str, undefined: &str| {
        format!(
            "declare i32 @llvm.abs.i32(i32, i1)
define i32 @f(i32 %a) {{
  %1 = call i32 @llvm.abs.i32(i32 {value}, i1 {undefined})
  ret i32 %1
}}"
        )
    };
    let signed = LowerOptions {
        check_signed_overflow: true,
        ..LowerOptions::default()
    };
    let overflow = [CheckKind::SignedOverflow];
    assert_eq!(checks(&text("%a", "true"), &signed), overflow);
    assert_eq!(checks(&text("-2147483648", "true"), &signed), overflow);
    assert_eq!(checks(&text("-2147483647", "true"), &signed), []);
    assert_eq!(checks(&text("%a", "false"), &signed), []);
    assert_eq!(checks(&text("%a", "true"), &LowerOptions::default()), []);
}

#[test]
fn what_the_compiler_has_folded_is_said() {
    let text = "define i32 @f() noinline optnone {
  ret i32 poison
}";
    let folded = LowerOptions {
        check_folded: true,
        ..LowerOptions::default()
    };
    assert_eq!(checks(text, &folded), [CheckKind::Undefined]);
    assert_eq!(checks(text, &LowerOptions::default()), []);
    // Optimised code may hand on what is not used.
    let optimized = text.replace("noinline optnone", "");
    assert_eq!(checks(&optimized, &folded), []);
    let asked_for = text.replace("ret i32 poison", "%1 = freeze i32 poison\n ret i32 %1");
    assert_eq!(checks(&asked_for, &folded), []);
}

#[test]
fn lanes_that_are_replaced_were_not_folded() {
    let text = |body: &str| format!("define i32 @f(i32 %x) noinline optnone {{\n{body}\n}}");
    let found = |body: &str| {
        let folded = LowerOptions {
            check_folded: true,
            ..LowerOptions::default()
        };
        checks(&text(body), &folded).contains(&CheckKind::Undefined)
    };
    let end = "%r = extractelement <4 x i32> %v, i32 0\n ret i32 %r";
    let insert = "%v = insertelement <4 x i32> <i32 1, i32 2, i32 poison, i32 3>, i32 %x, i32";
    assert!(!found(&format!("{insert} 2\n {end}")));
    assert!(found(&format!("{insert} 1\n {end}")));
    let twice = "%u = insertelement <4 x i32> <i32 1, i32 poison, i32 poison, i32 3>, i32 %x, i32 1
  %v = insertelement <4 x i32> %u, i32 %x, i32";
    assert!(!found(&format!("{twice} 2\n {end}")));
    assert!(found(&format!("{twice} 1\n {end}")));
    let start = "%u = insertelement <4 x i32> poison, i32 %x, i32 0
  %v = shufflevector <4 x i32> %u, <4 x i32> <i32 1, i32 poison, i32 2, i32 3>, <4 x i32> <i32 0, ";
    assert!(!found(&format!(
        "{start} i32 4, i32 poison, i32 7>\n {end}"
    )));
    assert!(found(&format!("{start} i32 5, i32 6, i32 7>\n {end}")));
}
