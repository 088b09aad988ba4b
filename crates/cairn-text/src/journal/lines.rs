//! Nodes as lines: `n OPERATOR SORT PAYLOAD… OPERANDS…`, words separated by single spaces.

use super::JournalNode;
use cairn_bv::BitVec;
use cairn_expr::{Base, BaseKind, Op, Sort, Symbol, Table, Term};
use std::fmt::Write;
use std::sync::Arc;

/// Operators that carry nothing, by their names in SMT-LIB.
pub(super) const PLAIN: [Op; 24] = [
    Op::Not,
    Op::And,
    Op::Eq,
    Op::Ite,
    Op::BvNot,
    Op::BvNeg,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvAdd,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::Concat,
    Op::BvUlt,
    Op::BvSlt,
    Op::Select,
    Op::Store,
];

const KINDS: [(BaseKind, &str); 6] = [
    (BaseKind::Heap, "heap"),
    (BaseKind::Stack, "stack"),
    (BaseKind::Global, "global"),
    (BaseKind::Constant, "constant"),
    (BaseKind::Mapped, "mapped"),
    (BaseKind::Kernel, "kernel"),
];

/// Everything of a node's line but its operands. Writing to a string does not fail.
pub(super) fn write_node(line: &mut String, term: &Term) {
    let sort = match term.sort() {
        Sort::Bool => "b".to_string(),
        Sort::BitVec(width) => format!("v{width}"),
        Sort::Array { index, value } => format!("a{index}:{value}"),
    };
    let _ = match term.op() {
        Op::Bool(value) => write!(line, "n bool {sort} {}", u8::from(*value)),
        Op::Const(value) => {
            let _ = write!(line, "n number {sort} ");
            write_number(line, value);
            Ok(())
        }
        Op::Base(base) => {
            let kind = KINDS.iter().find(|(kind, _)| *kind == base.kind);
            let kind = kind.map_or("", |(_, name)| name);
            write!(
                line,
                "n base {sort} {} {} {} {} {kind}",
                base.birth, base.address, base.capacity, base.alignment
            )
        }
        Op::Symbol(_) => {
            let name = term.symbol_name().unwrap_or_default();
            let _ = write!(line, "n symbol {sort} ");
            // The first character keeps an empty name a word.
            line.push('=');
            for byte in name.bytes() {
                let _ = match byte {
                    b'%' | 0..=b' ' | 127.. => write!(line, "%{byte:02x}"),
                    _ => write!(line, "{}", char::from(byte)),
                };
            }
            Ok(())
        }
        Op::Table(table) => {
            let _ = write!(line, "n table {sort} {} ", table.values().len());
            write_number(line, table.default_value());
            for value in table.values() {
                line.push(' ');
                write_number(line, value);
            }
            Ok(())
        }
        Op::Extract { hi, lo } => write!(line, "n extract {sort} {hi} {lo}"),
        Op::ZeroExtend(extra) => write!(line, "n zero_extend {sort} {extra}"),
        Op::SignExtend(extra) => write!(line, "n sign_extend {sort} {extra}"),
        Op::ConstArray { index } => write!(line, "n everywhere {sort} {index}"),
        Op::Not
        | Op::And
        | Op::Eq
        | Op::Ite
        | Op::BvNot
        | Op::BvNeg
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat
        | Op::BvUlt
        | Op::BvSlt
        | Op::Select
        | Op::Store => write!(line, "n {} {sort}", term.op().info().name),
    };
}

/// The limbs in hexadecimal digits, the lowest first.
fn write_number(line: &mut String, value: &BitVec) {
    for (i, limb) in value.limbs().iter().enumerate() {
        let dot = if i == 0 { "" } else { "." };
        let _ = write!(line, "{dot}{limb:x}");
    }
}

fn read_number(word: &str, width: u32) -> Option<BitVec> {
    let limbs: Option<Vec<u64>> = word
        .split('.')
        .map(|limb| u64::from_str_radix(limb, 16).ok())
        .collect();
    let limbs = limbs?;
    (limbs.len() == width.div_ceil(64) as usize).then(|| BitVec::from_limbs(width, &limbs))
}

fn read_sort(word: &str) -> Option<Sort> {
    let width = |text: &str| -> Option<u32> {
        let width = text.parse().ok()?;
        (1..=BitVec::MAX_WIDTH).contains(&width).then_some(width)
    };
    match word.split_at_checked(1)? {
        ("b", "") => Some(Sort::Bool),
        ("v", rest) => Some(Sort::BitVec(width(rest)?)),
        ("a", rest) => {
            let (index, value) = rest.split_once(':')?;
            Some(Sort::Array {
                index: width(index)?,
                value: width(value)?,
            })
        }
        _ => None,
    }
}

/// A node from its line, if its operands are among the first `nodes`.
pub(super) fn read_node(line: &str, nodes: usize) -> Option<JournalNode> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let sort = read_sort(words.next()?)?;
    let op = match (name, sort) {
        ("bool", Sort::Bool) => Op::Bool(words.next()? == "1"),
        ("number", Sort::BitVec(width)) => Op::Const(read_number(words.next()?, width)?),
        ("base", Sort::BitVec(64)) => {
            let mut number = || words.next()?.parse().ok();
            let (birth, address, capacity, alignment) =
                (number()?, number()?, number()?, number()?);
            let kind = words.next()?;
            let (kind, _) = *KINDS.iter().find(|(_, name)| *name == kind)?;
            Op::Base(Arc::new(Base {
                birth,
                address,
                capacity,
                alignment,
                kind,
            }))
        }
        ("symbol", _) => {
            let name = read_name(words.next()?)?;
            Op::Symbol(Arc::new(Symbol::Named(name.into())))
        }
        ("table", Sort::Array { index, value }) => {
            let count: usize = words.next()?.parse().ok()?;
            let default = read_number(words.next()?, value)?;
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(read_number(words.next()?, value)?);
            }
            Op::Table(Arc::new(Table::new(index, values, default)))
        }
        ("extract", Sort::BitVec(_)) => {
            let (hi, lo) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Op::Extract { hi, lo }
        }
        ("zero_extend", _) => Op::ZeroExtend(words.next()?.parse().ok()?),
        ("sign_extend", _) => Op::SignExtend(words.next()?.parse().ok()?),
        ("everywhere", _) => Op::ConstArray {
            index: words.next()?.parse().ok()?,
        },
        (name, _) => PLAIN.iter().find(|op| op.info().name == name)?.clone(),
    };
    let args = numbers(words, nodes)?;
    (args.len() == op.info().arity).then_some(JournalNode { op, sort, args })
}

fn read_name(word: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = word.strip_prefix('=')?.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The numbers that are left, all of them of the first `nodes`.
pub(super) fn numbers<'a>(words: impl Iterator<Item = &'a str>, nodes: usize) -> Option<Vec<u32>> {
    let number = |word: &str| word.parse().ok().filter(|n: &u32| (*n as usize) < nodes);
    words.map(number).collect()
}
