//! What the snippets have to contain: every instruction of LLVM with all its operators, and every
//! intrinsic that the lowering knows by name.

use std::collections::BTreeSet;

/// Sources of the lowering that match on names of intrinsics.
const SOURCES: [&str; 4] = [
    include_str!("../../../cairn-llvm/src/intrinsics.rs"),
    include_str!("../../../cairn-llvm/src/int_intrinsics.rs"),
    include_str!("../../../cairn-llvm/src/float_intrinsics.rs"),
    include_str!("../../../cairn-llvm/src/vector_intrinsics.rs"),
];

/// Mnemonics of all instructions.
const INSTRUCTIONS: &str = "\
    add addrspacecast alloca and ashr atomicrmw bitcast br call callbr catchpad catchret \
    catchswitch cleanuppad cleanupret cmpxchg extractelement extractvalue fadd fcmp fdiv fence \
    fmul fneg fpext fptosi fptoui fptrunc freeze frem fsub getelementptr icmp indirectbr \
    insertelement insertvalue inttoptr invoke landingpad load lshr mul or phi ptrtoint resume \
    ret sdiv select sext shl shufflevector sitofp srem store sub switch trunc udiv uitofp \
    unreachable urem va_arg xor zext";

/// What `atomicrmw` can do.
const ATOMIC_UPDATES: &str = "\
    xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin uinc_wrap udec_wrap";

/// Predicates of `icmp`.
const INT_PREDICATES: &str = "eq ne ugt uge ult ule sgt sge slt sle";

/// Predicates of `fcmp`.
const FLOAT_PREDICATES: &str = "false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true";

/// Operators that one word of the source stands for in two intrinsics.
const OVERFLOWING: &str = "sadd uadd ssub usub smul umul";
const SATURATING: &str = "sadd uadd ssub usub sshl ushl";

/// Operations with stated rounding and exceptions, in this version of LLVM.
const CONSTRAINED: &str = "\
    fadd fsub fmul fdiv frem fma fmuladd fptosi fptoui sitofp uitofp fptrunc fpext sqrt pow \
    powi sin cos tan exp exp2 log log10 log2 rint lrint llrint nearbyint maxnum minnum ceil \
    floor lround llround round roundeven trunc fcmp fcmps maximum minimum";

/// Names in patterns of the source: string literals before `|` or `=>`.
fn names(source: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut parts = source.split('"');
    parts.next();
    while let (Some(literal), Some(after)) = (parts.next(), parts.next()) {
        let after = after.trim_start();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
        if (after.starts_with("=>") || after.starts_with('|')) && literal.chars().all(is_name) {
            found.insert(literal);
        }
    }
    found
}

/// What does not occur in a text of snippets.
pub fn missing(text: &str) -> Vec<String> {
    let mut instructions = BTreeSet::new();
    let mut intrinsics = BTreeSet::new();
    for line in text.lines().filter(|l| l.starts_with("  ")) {
        let line = line.trim_start();
        let instruction = match line.split_once(" = ") {
            Some((result, rest)) if result.starts_with('%') => rest,
            _ => line,
        };
        let words: Vec<&str> = instruction.split_whitespace().take(2).collect();
        instructions.insert(words.first().copied().unwrap_or_default().to_string());
        instructions.insert(words.join(" "));
        let called = instruction.contains("call ") || instruction.contains("invoke ");
        let name = instruction.split_once("@llvm.").filter(|_| called);
        if let Some((name, _)) = name.and_then(|(_, rest)| rest.split_once('(')) {
            intrinsics.insert(format!("{name}."));
        }
    }
    let has_intrinsic = |name: &str| {
        let start = format!("{name}.");
        intrinsics.iter().any(|known| known.starts_with(&start))
    };
    let mut expected: Vec<String> = Vec::new();
    let mut expect = |prefix: &str, names: &str| {
        expected.extend(names.split(' ').map(|name| format!("{prefix}{name}")));
    };
    expect("", INSTRUCTIONS);
    expect("atomicrmw ", ATOMIC_UPDATES);
    expect("icmp ", INT_PREDICATES);
    expect("fcmp ", FLOAT_PREDICATES);
    expected.retain(|name| !instructions.contains(name));
    let mut missing = expected;
    let mut expected: Vec<String> = Vec::new();
    let mut expect = |prefix: &str, names: &str, suffix: &str| {
        expected.extend(
            names
                .split(' ')
                .map(|name| format!("{prefix}{name}{suffix}")),
        );
    };
    expect("", OVERFLOWING, ".with.overflow");
    expect("", SATURATING, ".sat");
    expect("experimental.constrained.", CONSTRAINED, "");
    missing.extend(expected.into_iter().filter(|name| !has_intrinsic(name)));
    let known: BTreeSet<&str> = SOURCES.iter().flat_map(|source| names(source)).collect();
    assert!(
        known.len() > 150,
        "few names were found in the source: {known:?}"
    );
    for name in known {
        let forms = ["", "vector.reduce.", "experimental.constrained."];
        // Predicates are arguments.
        let argument = format!("!\"{name}\"");
        if !text.contains(&argument) && !forms.iter().any(|f| has_intrinsic(&format!("{f}{name}")))
        {
            missing.push(format!("llvm.{name}"));
        }
    }
    missing
}
