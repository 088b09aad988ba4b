//! Each rule of the verifier, broken alone.

mod common;

use cairn_bv::BitVec;
use cairn_ir::text::parse;
use cairn_ir::verify::{VerifierRule, verify};
use cairn_ir::*;

/// Checks that a text verifies before a change and breaks one rule, and no other, after it.
fn breaks_after(rule: VerifierRule, text: &str, change: impl FnOnce(&mut Program)) {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    change(&mut program);
    expect(rule, &program, text);
}

/// Checks that a text breaks one rule, and no other.
fn breaks(rule: VerifierRule, text: &str) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    expect(rule, &program, text);
}

fn expect(rule: VerifierRule, program: &Program, text: &str) {
    let errors = verify(program).expect_err(text);
    let only = errors.iter().all(|error| error.rule == rule);
    assert!(only, "expected {rule:?}: {errors:#?}\n{text}");
    assert!(!errors[0].to_string().is_empty());
}

/// A program around instructions: a variadic function of several widths of locals.
fn code(insts: &str) -> String {
    format!(
        "slot s0 \"x\" i32
         extern func @two(i8, i16) -> (i32, i64)
         extern func @any(i8, ...)
         func @f(%a: i1, %b: i8, %c: i32, %p: i64, %w: i128, ...) -> i32 {{
         entry:
         {insts}
         }}"
    )
}

fn inst(rule: VerifierRule, inst: &str) {
    breaks(rule, &code(&format!("{inst}\nreturn 0")));
}

fn body(program: &mut Program) -> &mut Body {
    let mut bodies = program.functions.iter_mut().filter_map(|f| f.body.as_mut());
    bodies.next().expect("a body")
}

#[test]
fn rule_01_first_entries() {
    let rule = VerifierRule::FirstEntries;
    breaks_after(rule, "", |p| p.files[0].push('x'));
    breaks_after(rule, "", |p| p.names[0].push('x'));
    breaks_after(rule, "", |p| p.places[0].line = 1);
    expect(rule, &Program::default(), "without first entries");
}

#[test]
fn rule_02_place_entry() {
    breaks(
        VerifierRule::PlaceEntry,
        "place p1 = file 1 line 1 column 1 in 0",
    );
    breaks(
        VerifierRule::PlaceEntry,
        "place p1 = file 0 line 1 column 1 in 1",
    );
}

#[test]
fn rule_03_place_chain() {
    let place =
        |n: u32, at: u32| format!("place p{n} = file 0 line 1 column 1 in 0 inlined at p{at}\n");
    breaks(VerifierRule::PlaceChain, &place(1, 2));
    breaks(VerifierRule::PlaceChain, &place(1, 1));
    breaks(
        VerifierRule::PlaceChain,
        &(place(1, 2) + &place(2, 3) + &place(3, 2)),
    );
    let fine = parse(&(place(1, 2) + &place(2, 3) + &place(3, 0))).unwrap();
    assert!(verify(&fine).is_ok());
}

#[test]
fn rule_04_place_range() {
    breaks(VerifierRule::PlaceRange, "global @x size 1 !p1");
    breaks(VerifierRule::PlaceRange, "extern func @x() !p1");
    breaks(VerifierRule::PlaceRange, "func @x() { b: return !p1 }");
    breaks(
        VerifierRule::PlaceRange,
        "func @x() { b: check null 1 !p1 return }",
    );
}

#[test]
fn rule_05_unique_name() {
    let text = "global @x global @y func @z() { b: return } extern func @u()";
    breaks_after(VerifierRule::UniqueName, text, |p| {
        p.globals[1].name = "x".into()
    });
    breaks_after(VerifierRule::UniqueName, text, |p| {
        p.functions[0].name = "x".into()
    });
    breaks_after(VerifierRule::UniqueName, text, |p| {
        p.functions[0].name = "u".into()
    });
}

#[test]
fn rule_06_start_function() {
    let text = "extern func @x(i8)";
    breaks(
        VerifierRule::StartFunction,
        &format!("{text} constructor @x"),
    );
    breaks(
        VerifierRule::StartFunction,
        &format!("{text} destructor @x"),
    );
}

#[test]
fn rule_07_width() {
    let rule = VerifierRule::Width;
    for width in [0, BitVec::MAX_WIDTH + 1] {
        breaks_after(rule, "slot s0 \"x\" i1", |p| p.slots[0].width = width);
        breaks_after(rule, "extern func @x(i1)", |p| {
            p.functions[0].params[0] = width
        });
        breaks_after(rule, "extern func @x() -> i1", |p| {
            p.functions[0].results[0] = width
        });
        let text = "func @x() { b: %a: i9 = arbitrary return }";
        breaks_after(rule, text, |p| body(p).widths[0] = width);
        let texts = [
            "%r: i1 = eq i8 1, 1",
            "%r: i16 = zext i8 1",
            "%r: i1 = extract i8 1 from 0",
            "%r: i16 = concat 1, i8 1",
            "%r: i64 = from_signed i8 1 to double",
            "%r: i8 = to_signed double 1 to i8",
            "store i8 1 to %p",
            "call %p(i8 1)",
            "call %p(... i8 1 general)",
        ];
        for text in texts {
            breaks_after(
                rule,
                &code(&format!("{text}\nreturn 0")),
                |p| match &mut body(p).blocks[0].insts[0].0 {
                    Inst::Compare { width: w, .. }
                    | Inst::Cast { from: w, .. }
                    | Inst::Extract { from: w, .. }
                    | Inst::Concat { low_width: w, .. }
                    | Inst::Store { width: w, .. } => *w = width,
                    Inst::FloatConvert { op, .. } => match op {
                        FloatConvertOp::FromInt { from: w, .. }
                        | FloatConvertOp::ToInt { to: w, .. } => *w = width,
                        FloatConvertOp::Format { .. } => unreachable!(),
                    },
                    Inst::Call(call) if call.variadic.is_empty() => call.args[0].1 = width,
                    Inst::Call(call) => call.variadic[0].width = width,
                    other => unreachable!("{other:?}"),
                },
            );
        }
        breaks_after(rule, &code("switch i8 1 [] else b b: stop"), |p| {
            if let Terminator::Switch(switch) = &mut body(p).blocks[0].terminator.0 {
                switch.width = width;
            }
        });
    }
}

#[test]
fn rule_08_symbol_range() {
    let rule = VerifierRule::SymbolRange;
    let text = "global @x { at 0 address @x bytes \"12345678\" } func @f() { b: return }";
    breaks_after(rule, text, |p| p.constructors.push(FuncId(1)));
    breaks_after(rule, text, |p| p.destructors.push(FuncId(1)));
    breaks_after(rule, text, |p| {
        let content = p.globals[0].content.as_mut().unwrap();
        content.relocations[0].symbol = Symbol::Global(GlobalId(1));
    });
    let text = "global @x size 8 { at 0 difference 8 @x - @x }";
    breaks_after(rule, text, |p| {
        let content = p.globals[0].content.as_mut().unwrap();
        content.differences[0].base = Symbol::Function(FuncId(0));
    });
    inst(rule, "write s1 5");
    inst(rule, "%r: i32 = read s1");
    breaks_after(rule, &code("stack_restore @f return 0"), |p| {
        let mark = Operand::Address(Symbol::Function(FuncId(3)), 0);
        body(p).blocks[0].insts[0].0 = Inst::StackRestore { mark };
    });
    breaks_after(rule, &code("call @any(i8 1) return 0"), |p| {
        if let Inst::Call(call) = &mut body(p).blocks[0].insts[0].0 {
            call.callee = Callee::Direct(FuncId(3));
        }
    });
}

#[test]
fn rule_09_align() {
    breaks(VerifierRule::Align, "global @x align 3 size 1");
    breaks(VerifierRule::Align, "extern global @x align 0 size 1");
    inst(VerifierRule::Align, "%r: i64 = alloca 8 align 0");
    inst(VerifierRule::Align, "%r: i64 = alloca 8 align 12");
    inst(VerifierRule::Align, "call @any(i8 1 ... i64 1 memory 3)");
    inst(
        VerifierRule::Align,
        "call @any(i8 1 ... i64 1 bytes 3 align 0)",
    );
}

#[test]
fn rule_10_content_size() {
    breaks(
        VerifierRule::ContentSize,
        "global @x size 2 { bytes \"abc\" }",
    );
}

#[test]
fn rule_11_relocation_range() {
    let rule = VerifierRule::RelocationRange;
    breaks(rule, "global @x size 8 { at 1 address @x }");
    breaks(
        rule,
        "global @x size 8 { at 18446744073709551615 address @x }",
    );
    breaks(rule, "global @x size 8 { at 5 difference 4 @x - @x }");
    breaks(rule, "global @x size 20 { at 0 difference 9 @x - @x }");
    breaks(rule, "global @x size 20 { at 0 difference 0 @x - @x }");
}

#[test]
fn rule_12_relocation_overlap() {
    let rule = VerifierRule::RelocationOverlap;
    breaks(
        rule,
        "global @x size 16 { at 7 address @x at 0 address @x }",
    );
    breaks(
        rule,
        "global @x size 16 { at 0 address @x at 4 difference 4 @x - @x }",
    );
}

#[test]
fn rule_13_no_blocks() {
    breaks(VerifierRule::NoBlocks, "func @f() { }");
}

#[test]
fn rule_14_entry_params() {
    let rule = VerifierRule::EntryParams;
    let text = "func @f(%a: i8) { b: return }";
    breaks_after(rule, text, |p| p.functions[0].params[0] = 9);
    breaks_after(rule, text, |p| p.functions[0].params.push(8));
    breaks_after(rule, text, |p| p.functions[0].params.clear());
}

#[test]
fn rule_15_entry_target() {
    breaks(VerifierRule::EntryTarget, "func @f() { b: jump b }");
    breaks(VerifierRule::EntryTarget, "func @f() { b: stop c: jump b }");
}

#[test]
fn rule_16_block_range() {
    let text = "func @f() { b: jump c c: stop }";
    breaks_after(VerifierRule::BlockRange, text, |p| {
        if let Terminator::Jump(target) = &mut body(p).blocks[0].terminator.0 {
            target.block = BlockId(2);
        }
    });
}

#[test]
fn rule_17_local_range() {
    let rule = VerifierRule::LocalRange;
    breaks_after(rule, &code("stack_restore %p return 0"), |p| {
        let mark = Operand::Local(Local(99));
        body(p).blocks[0].insts[0].0 = Inst::StackRestore { mark };
    });
    breaks_after(rule, &code("stop"), |p| {
        let arbitrary = Inst::Arbitrary { dst: Local(99) };
        body(p).blocks[0].insts.push((arbitrary, PlaceId::UNKNOWN));
    });
    breaks_after(rule, &code("call %p() return 0"), |p| {
        if let Inst::Call(call) = &mut body(p).blocks[0].insts[0].0 {
            call.callee = Callee::Indirect(Local(99));
        }
    });
}

#[test]
fn rule_18_defined_once() {
    let rule = VerifierRule::DefinedOnce;
    let text = "func @f() { b: %0: i8 = arbitrary stop }";
    breaks_after(rule, text, |p| {
        let twice = body(p).blocks[0].insts[0].clone();
        body(p).blocks[0].insts.push(twice);
    });
    breaks_after(rule, text, |p| body(p).blocks[0].insts.clear());
    breaks_after(rule, "func @f() { b: jump c(1) c(%x: i8): stop }", |p| {
        let arbitrary = Inst::Arbitrary { dst: Local(0) };
        body(p).blocks[1].insts.push((arbitrary, PlaceId::UNKNOWN));
    });
}

#[test]
fn rule_19_dominance() {
    let rule = VerifierRule::Dominance;
    inst(rule, "%r: i8 = add %r, 1");
    inst(rule, "%r: i8 = add %s, 1 %s: i8 = arbitrary");
    // Defined on one of two ways.
    breaks(
        rule,
        &code("branch %a, b, c b: %r: i32 = arbitrary jump c c: return %r"),
    );
    // A parameter of a block that does not dominate.
    breaks(
        rule,
        &code("branch %a, b(1), c b(%r: i32): jump c c: return %r"),
    );
    // The argument of a jump is read before the parameter is defined.
    breaks(rule, &code("jump b(%r) b(%r: i32): return %r"));
    breaks(
        rule,
        &code("jump b b: %s: i1 = eq i32 %r, 1 %r: i32 = arbitrary branch %s, b, c c: stop"),
    );
    breaks(
        rule,
        &code("branch %a, b, c b: %r: i64 = arbitrary jump c c: call %r() stop"),
    );
    // Code that is not reached is exempt, and values from there are never there.
    let fine = parse(&code("stop b: return %r c: %r: i32 = arbitrary stop")).unwrap();
    assert!(verify(&fine).is_ok());
    breaks(rule, &code("return %r c: %r: i32 = arbitrary stop"));
    let fine = "jump l(1) l(%i: i32): %n: i32 = add %i, 1 branch %a, l(%n), m m: return %n";
    assert!(verify(&parse(&code(fine)).unwrap()).is_ok());
}

#[test]
fn rule_20_operand_width() {
    let rule = VerifierRule::OperandWidth;
    let insts = [
        "%r: i32 = add %c, %b",
        "%r: i32 = popcount %b",
        "%r: i1 = eq i8 %b, %c",
        "%r: i16 = zext i8 %a",
        "%r: i1 = extract i8 %c from 0",
        "%r: i40 = concat %b, i32 %b",
        "%r: i40 = concat %c, i32 %c",
        "%r: i8 = select %b, %b, %b",
        "%r: i8 = select %a, %b, %c",
        "%r: i32 = fadd single %c, %p",
        "%r: i32 = fsqrt single %p",
        "%r: i32 = fma single %c, %c, %p",
        "%r: i1 = fcmp olt double %p, %c",
        "%r: i64 = fconvert single %p to double",
        "%r: i64 = from_signed i8 %c to double",
        "%r: i8 = to_signed double %c to i8",
        "%r: i8 = load %c",
        "store i8 %c to %p",
        "store i8 %b to %b",
        "%r: i64 = alloca %c align 1",
        "stack_restore %c",
        "copy %c, %p, %p",
        "copy %p, %c, %p",
        "move %p, %p, %c",
        "fill %c, %b, %p",
        "fill %p, %c, %p",
        "fill %p, %b, %c",
        "call @any(i8 %c)",
        "call @any(i8 %b ... i32 %b general)",
        "call %c(i8 %b)",
        "va_start %c general 0 float 0",
        "check null %b",
        "write s0 %p",
    ];
    for text in insts {
        inst(rule, text);
    }
    breaks(rule, &code("branch %b, x, x x: stop"));
    breaks(rule, &code("switch i8 %c [] else x x: stop"));
    breaks(rule, &code("return %b"));
    breaks(rule, &code("jump x(%b) x(%y: i16): stop"));
}

#[test]
fn rule_21_int_constant() {
    for (width, value) in [(8, 256), (1, 2), (63, 1 << 63), (65, 0)] {
        let text = code(&format!("%r: i{width} = bit_reverse 0\nreturn 0"));
        breaks_after(VerifierRule::IntConstant, &text, |p| {
            if let Inst::Unary { value: operand, .. } = &mut body(p).blocks[0].insts[0].0 {
                *operand = Operand::Int(value);
            }
        });
    }
}

#[test]
fn rule_22_wide_constant() {
    for (width, own) in [(8, 8), (128, 129), (64, 64)] {
        let text = code(&format!("%r: i{width} = bit_reverse 0\nreturn 0"));
        breaks_after(VerifierRule::WideConstant, &text, |p| {
            if let Inst::Unary { value, .. } = &mut body(p).blocks[0].insts[0].0 {
                *value = Operand::Wide(Box::new(BitVec::zero(own)));
            }
        });
    }
}

#[test]
fn rule_23_address_width() {
    inst(VerifierRule::AddressWidth, "%r: i32 = add @f, 1");
    inst(VerifierRule::AddressWidth, "%r: i128 = add @f + 8, 1");
}

#[test]
fn rule_24_result_width() {
    let insts = [
        "%r: i8 = eq i8 %b, 1",
        "%r: i32 = fadd double 1, 1",
        "%r: i32 = fsqrt double 1",
        "%r: i32 = fma double 1, 1, 1",
        "%r: i8 = fcmp olt double 1, 1",
        "%r: i64 = fconvert double 1 to single",
        "%r: i64 = from_signed i8 1 to single",
        "%r: i64 = to_signed single 1 to i8",
        "%r: i32 = alloca 1 align 1",
        "%r: i32 = stack_save",
        "%r: i64 = read s0",
    ];
    for text in insts {
        inst(VerifierRule::ResultWidth, text);
    }
}

#[test]
fn rule_25_cast_widths() {
    inst(VerifierRule::CastWidths, "%r: i8 = zext i8 %b");
    inst(VerifierRule::CastWidths, "%r: i8 = sext i32 %c");
    inst(VerifierRule::CastWidths, "%r: i8 = trunc i8 %b");
    inst(VerifierRule::CastWidths, "%r: i16 = trunc i8 %b");
}

#[test]
fn rule_26_extract_range() {
    inst(
        VerifierRule::ExtractRange,
        "%r: i8 = extract i32 %c from 25",
    );
    inst(
        VerifierRule::ExtractRange,
        "%r: i33 = extract i32 %c from 0",
    );
    inst(
        VerifierRule::ExtractRange,
        "%r: i8 = extract i32 %c from 4294967295",
    );
}

#[test]
fn rule_27_concat_widths() {
    inst(VerifierRule::ConcatWidths, "%r: i32 = concat %a, i32 %c");
    inst(VerifierRule::ConcatWidths, "%r: i16 = concat %a, i32 %c");
}

#[test]
fn rule_28_whole_bytes() {
    inst(VerifierRule::WholeBytes, "%r: i1 = load %p");
    inst(VerifierRule::WholeBytes, "store i1 %a to %p");
    inst(VerifierRule::WholeBytes, "%r: i12 = byte_swap 1");
}

#[test]
fn rule_29_call_args() {
    let rule = VerifierRule::CallArgs;
    inst(rule, "%r: i32, %s: i64 = call @two(i8 1)");
    inst(rule, "%r: i32, %s: i64 = call @two(i8 1, i16 1, i16 1)");
    inst(rule, "%r: i32, %s: i64 = call @two(i16 1, i16 1)");
    inst(rule, "call @any(... i8 1 general)");
}

#[test]
fn rule_30_call_results() {
    let rule = VerifierRule::CallResults;
    inst(rule, "%r: i32 = call @two(i8 1, i16 1)");
    inst(rule, "%r: i64, %s: i32 = call @two(i8 1, i16 1)");
    inst(rule, "%r: i8 = call @any(i8 1)");
}

#[test]
fn rule_31_call_variadic() {
    let rule = VerifierRule::CallVariadic;
    inst(
        rule,
        "%r: i32, %s: i64 = call @two(i8 1, i16 1 ... i8 1 general)",
    );
    inst(rule, "call @any(i8 1 ... i32 1 bytes 8 align 8)");
}

#[test]
fn rule_32_va_start() {
    let rule = VerifierRule::VaStart;
    breaks(
        rule,
        "func @f(%p: i64) { b: va_start %p general 1 float 0 stop }",
    );
    inst(rule, "va_start %p general 7 float 0");
    inst(rule, "va_start %p general 0 float 9");
}

#[test]
fn rule_33_switch_width() {
    let rule = VerifierRule::SwitchWidth;
    breaks(rule, &code("switch i128 %w [] else x x: stop"));
    breaks_after(rule, &code("switch i8 %b [0: x] else x x: stop"), |p| {
        if let Terminator::Switch(switch) = &mut body(p).blocks[0].terminator.0 {
            switch.cases[0].0 = 256;
        }
    });
}

#[test]
fn rule_34_switch_cases() {
    breaks(
        VerifierRule::SwitchCases,
        &code("switch i8 %b [255: x, 0: x, -1: x] else x x: stop"),
    );
}

#[test]
fn rule_35_target_args() {
    breaks(VerifierRule::TargetArgs, &code("jump x x(%y: i8): stop"));
    breaks(
        VerifierRule::TargetArgs,
        &code("jump x(1, 2) x(%y: i8): stop"),
    );
    breaks(
        VerifierRule::TargetArgs,
        &code("branch %a, x(1), x x: stop"),
    );
    breaks(
        VerifierRule::TargetArgs,
        &code("switch i8 %b [0: x(1)] else x x: stop"),
    );
}

#[test]
fn rule_37_prefix() {
    let text = "extern func @f()";
    breaks(VerifierRule::Prefix, &format!("{text} prefix @f \"\""));
    breaks(
        VerifierRule::Prefix,
        &format!("{text} prefix @f \"12345678123456781\""),
    );
    breaks(
        VerifierRule::Prefix,
        &format!("{text} prefix @f \"1\" prefix @f \"1\""),
    );
    breaks_after(
        VerifierRule::SymbolRange,
        &format!("{text} prefix @f \"1\""),
        |p| p.prefixes[0].function = FuncId(1),
    );
}

#[test]
fn rule_36_return_count() {
    breaks(VerifierRule::ReturnCount, &code("return"));
    breaks(VerifierRule::ReturnCount, &code("return 1, 2"));
}
