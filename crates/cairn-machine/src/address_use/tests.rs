use super::*;
use cairn_memory::{Memory, MemoryConfig, ObjectKind};

fn uses(memory: &Memory, op: BinaryOp, a: Word, b: Word) -> bool {
    let (left, right) = (operand(memory, a), operand(memory, b));
    uses_address(op, a, b) && result_depends_on_layout(PointerWidth::Eight, op, &left, &right)
}

fn compares(memory: &Memory, op: CompareOp, a: Word, b: Word) -> bool {
    let (left, right) = (operand(memory, a), operand(memory, b));
    compares_addresses(op, a, b)
        && comparison_depends_on_layout(PointerWidth::Eight, op, &left, &right)
}

fn operand(memory: &Memory, word: Word) -> Operand {
    if word.object.is_number() {
        Operand::Number(Some(word.bits))
    } else if word.object.is_part() {
        Operand::Part(word.object.low_alignment())
    } else if word.object.is_taken() {
        Operand::Taken(memory.info(word).expect("live"), Some(word.bits))
    } else if is_code(PointerWidth::Eight, word.bits) {
        Operand::Code(word.bits)
    } else {
        Operand::Object(memory.info(word).expect("live"), At::Known(word.bits))
    }
}

/// Numbers, pointers and what was computed from them.
struct Samples {
    memory: Memory,
    p: Word,
    q: Word,
    aligned: Word,
    beyond: Word,
    address: Word,
    part: Word,
    low: Word,
    subtracted: Word,
    function: Word,
    moved: Word,
    tagged: Word,
    text: Word,
    negated: Word,
    /// So large a number less an address that it is the address again.
    twice: Word,
}

fn samples() -> Samples {
    let mut memory = Memory::new(MemoryConfig::default());
    let mut make = |align| memory.allocate(ObjectKind::Heap, 64, align).expect("room");
    let (p, q, aligned) = (make(16), make(16), make(64));
    let beyond = Word {
        bits: p.bits + 8,
        ..p
    };
    let address = Word {
        object: ObjectId::ADDRESS,
        ..p
    };
    let part = Word {
        bits: 7,
        object: ObjectId::PART,
    };
    let low = Word {
        bits: 7,
        object: ObjectId::low_part(16),
    };
    let subtracted = Word {
        bits: 1000u64.wrapping_sub(p.bits),
        object: p.object.taken(),
    };
    let function = Word {
        bits: code_region(PointerWidth::Eight).start + 32,
        object: ObjectId::ADDRESS,
    };
    let moved = Word {
        bits: p.bits - (1 << 40),
        ..p
    };
    let tagged = Word {
        bits: p.bits | 0xabc << 48,
        ..p
    };
    let text = Word {
        bits: 7,
        object: ObjectId::low_part(1),
    };
    let negated = Word {
        bits: p.bits.wrapping_neg(),
        object: p.object.taken(),
    };
    let twice = Word {
        object: p.object.taken(),
        ..p
    };
    Samples {
        twice,
        memory,
        p,
        q,
        aligned,
        beyond,
        address,
        part,
        low,
        subtracted,
        function,
        moved,
        tagged,
        text,
        negated,
    }
}

#[test]
fn alignment_and_offsets_are_in_every_layout_and_other_numbers_are_not() {
    let Samples {
        memory,
        p,
        q,
        aligned,
        beyond,
        address,
        part,
        low,
        subtracted,
        function,
        moved,
        tagged,
        text,
        twice,
        ..
    } = samples();
    let n = Word::int;
    let uses = |op, a, b| uses(&memory, op, a, b);
    for (op, a, b) in [
        (BinaryOp::Add, p, n(8)),
        (BinaryOp::Sub, p, n(8)),
        (BinaryOp::Sub, beyond, p),
        (BinaryOp::Sub, beyond, address),
        (BinaryOp::And, p, n(15)),
        (BinaryOp::And, p, n(!15)),
        (BinaryOp::And, p, n(0xffff << 48)),
        (BinaryOp::And, aligned, n(63)),
        (BinaryOp::And, low, n(15)),
        (BinaryOp::Or, p, n(1)),
        (BinaryOp::Or, p, n(1 << 63)),
        (BinaryOp::Urem, p, n(16)),
        (BinaryOp::Lshr, p, n(47)),
        (BinaryOp::Lshr, tagged, n(48)),
        (BinaryOp::And, moved, n(7)),
        (BinaryOp::Mul, p, n(1)),
        (BinaryOp::Mul, n(1 << 40), n(3)),
        (BinaryOp::Add, part, n(1)),
        (BinaryOp::Add, subtracted, beyond),
        (BinaryOp::Sub, low, low),
        (BinaryOp::Add, low, low),
        (BinaryOp::Xor, p, n(2)),
        (BinaryOp::Xor, low, n(8)),
        (BinaryOp::Sub, n(1 << 40), p),
        (BinaryOp::Add, subtracted, n(1 << 40)),
        (BinaryOp::Sub, n(1000), subtracted),
        (BinaryOp::Add, p, n(5 << 48)),
        (BinaryOp::Add, n(FARTHEST - 1), p),
        (BinaryOp::Sub, p, n(FARTHEST - 1)),
        (BinaryOp::Add, moved, n(1 << 40)),
        (BinaryOp::Sub, moved, p),
    ] {
        assert!(!uses(op, a, b), "{op:?} {a:?} {b:?}");
    }
    for (op, a, b) in [
        (BinaryOp::Sub, p, q),
        (BinaryOp::Sub, q, address),
        (BinaryOp::And, p, n(0xff0)),
        (BinaryOp::And, p, n(32)),
        (BinaryOp::And, address, n(0xff0)),
        (BinaryOp::And, part, n(15)),
        (BinaryOp::And, low, n(0xff)),
        (BinaryOp::Urem, p, n(61)),
        (BinaryOp::Urem, n(61), p),
        (BinaryOp::Xor, p, n(0x5555)),
        (BinaryOp::Lshr, p, n(4)),
        (BinaryOp::Mul, p, n(31)),
        (BinaryOp::Mul, address, n(31)),
        (BinaryOp::Urem, function, n(61)),
        (BinaryOp::Add, p, part),
        (BinaryOp::Add, p, beyond),
        (BinaryOp::Add, subtracted, q),
        (BinaryOp::Add, subtracted, subtracted),
        (BinaryOp::Lshr, moved, n(63)),
        (BinaryOp::And, moved, n(1 << 63)),
        (BinaryOp::And, text, n(1)),
        (BinaryOp::Sub, part, part),
        (BinaryOp::Sub, low, part),
        (BinaryOp::Xor, aligned, n(32)),
        (BinaryOp::Xor, part, n(1)),
        (BinaryOp::Xor, text, n(1)),
        (BinaryOp::Shl, part, n(8)),
        (BinaryOp::Add, p, n(FARTHEST)),
        (BinaryOp::Sub, p, n(FARTHEST)),
        (BinaryOp::Sub, p, n(0x5555_5555_92a0)),
        (BinaryOp::Add, n(1 << 40), address),
        (BinaryOp::Add, function, n(1 << 40)),
        (BinaryOp::Sub, n(1 << 40), subtracted),
        (BinaryOp::Sub, twice, p),
    ] {
        assert!(uses(op, a, b), "{op:?} {a:?} {b:?}");
    }
}

#[test]
fn order_in_one_object_and_equality_of_beginnings_are_in_every_layout() {
    let Samples {
        memory,
        p,
        q,
        beyond,
        address,
        part,
        subtracted,
        function,
        moved,
        tagged,
        negated,
        twice,
        ..
    } = samples();
    let n = Word::int;
    let compares = |op, a, b| compares(&memory, op, a, b);
    for (op, a, b) in [
        (CompareOp::Eq, n(0), p),
        (CompareOp::Eq, n(0), tagged),
        (CompareOp::Ult, tagged, n(1 << 40)),
        (CompareOp::Ult, p, beyond),
        (CompareOp::Ult, address, beyond),
        (CompareOp::Ult, p, n(-4095i64 as u64)),
        (CompareOp::Slt, p, n(0)),
        (CompareOp::Eq, p, n(0)),
        (CompareOp::Eq, p, n(u64::MAX)),
        (CompareOp::Eq, p, n(0xdead_beef_dead_beef)),
        (CompareOp::Eq, p, q),
        (CompareOp::Eq, p, beyond),
        (CompareOp::Eq, beyond, q),
        (CompareOp::Eq, tagged, q),
        (CompareOp::Eq, address, q),
        (CompareOp::Eq, address, n(0)),
        (CompareOp::Eq, function, n(0)),
        (CompareOp::Eq, n(1 << 40), n(1 << 41)),
        (CompareOp::Eq, negated, n(12)),
        (CompareOp::Ne, negated, n(0)),
    ] {
        assert!(!compares(op, a, b), "{op:?} {a:?} {b:?}");
    }
    let end = Word {
        bits: q.bits + 64,
        ..q
    };
    let past = Word {
        bits: p.bits + 72,
        ..p
    };
    let before = Word {
        bits: q.bits - 1,
        ..q
    };
    for (op, a, b) in [
        (CompareOp::Eq, past, q),
        (CompareOp::Ne, q, past),
        (CompareOp::Eq, p, before),
        (CompareOp::Eq, subtracted, q),
        (CompareOp::Ult, p, q),
        (CompareOp::Ult, p, n(1 << 33)),
        (CompareOp::Ult, moved, p),
        (CompareOp::Ne, n(0), moved),
        (CompareOp::Ult, moved, n(64)),
        (CompareOp::Eq, moved, n(64)),
        (CompareOp::Slt, negated, n(12)),
        (CompareOp::Eq, negated, n(-(1i64 << 40) as u64)),
        (CompareOp::Eq, subtracted, n(-4000i64 as u64)),
        (CompareOp::Eq, p, n(0x0123_4560)),
        (CompareOp::Eq, twice, n(0)),
        (CompareOp::Eq, twice, p),
        (CompareOp::Ult, twice, negated),
        (CompareOp::Eq, p, end),
        (CompareOp::Eq, part, n(0)),
        (CompareOp::Eq, part, part),
        (CompareOp::Ult, function, address),
    ] {
        assert!(compares(op, a, b), "{op:?} {a:?} {b:?}");
    }
    assert!(converts_address(CastOp::Trunc, p) && converts_address(CastOp::Trunc, part));
    assert!(!converts_address(CastOp::Zext, p));
    assert!(!converts_address(CastOp::Trunc, n(1 << 40)));
}

#[test]
fn what_is_far_from_its_object_has_a_tag_or_a_sign_depends_on_the_layout() {
    let mut memory = Memory::new(MemoryConfig::default());
    let p = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
    let info = memory.info(p).expect("live");
    let subtracted = Word {
        bits: 1000u64.wrapping_sub(p.bits),
        object: p.object.taken(),
    };
    let of = |word: Word| match word.object.is_taken() {
        true => Operand::Taken(info, Some(word.bits)),
        false => Operand::Object(info, At::Known(word.bits)),
    };
    let width = PointerWidth::Eight;
    let uses = |op, a: &Operand, b: &Operand| result_depends_on_layout(width, op, a, b);
    assert!(uses_address(BinaryOp::Sub, subtracted, p));
    assert!(uses(
        BinaryOp::Sub,
        &Operand::Number(Some(1 << 40)),
        &of(subtracted)
    ));
    let somewhere = Operand::Object(info, At::Anywhere(0));
    for (by, depends) in [(FARTHEST, false), (1 << 40, true), (1 << 48, false)] {
        let number = Operand::Number(Some(by));
        assert_eq!(uses(BinaryOp::Add, &somewhere, &number), depends);
        assert_eq!(uses(BinaryOp::Sub, &somewhere, &number), depends);
    }
    assert!(uses(BinaryOp::Sub, &of(subtracted), &of(p)));
    assert!(!uses(BinaryOp::Sub, &of(p), &of(p)));
    let number = |bits| Operand::Number(Some(bits));
    let is_below = |w, op, of: &Operand, n| comparison_depends_on_layout(w, op, of, &number(n));
    let limit = 1 << 48 | 0x7ff0_0000_0000;
    for (tag, depends) in [(0, false), (2, true)] {
        let tagged = Operand::Object(info, At::Anywhere(tag));
        assert_eq!(is_below(width, CompareOp::Ult, &tagged, limit), depends);
        let chosen = Operand::Chosen(16, Some(tag));
        assert_eq!(is_below(width, CompareOp::Ult, &chosen, limit), depends);
    }
    let unknown = Operand::Chosen(16, None);
    assert!(is_below(width, CompareOp::Ult, &unknown, limit));
    let beyond = Operand::Object(info, At::Beyond);
    assert!(is_below(width, CompareOp::Eq, &beyond, 0));
    let q = memory.allocate(ObjectKind::Heap, 64, 16).expect("room");
    let other = Operand::Object(memory.info(q).expect("live"), At::Known(q.bits));
    assert!(comparison_depends_on_layout(
        width,
        CompareOp::Eq,
        &beyond,
        &other
    ));
    assert!(uses(BinaryOp::Lshr, &beyond, &number(50)));
    assert!(!uses(BinaryOp::And, &beyond, &number(15)));
    let narrow = Operand::Object(info, At::Anywhere(0));
    assert!(is_below(PointerWidth::Four, CompareOp::Slt, &narrow, 5));
    assert!(!is_below(PointerWidth::Four, CompareOp::Ult, &narrow, 5));
}
