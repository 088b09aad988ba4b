//! A term compiled to a short list of steps over the columns of a row.
//!
//! A relation has thousands of rows, and a fact is evaluated in each: walking the term and making bit-vectors for
//! every row would cost more than the gates that are saved. So the operators between a fact and the columns are
//! flattened once into steps on machine words.
//!
//! Only words of at most 64 bits, reads of constant tables, and operators with a plain meaning on machine words
//! are compiled; everything else gives `None`, and the caller leaves the fact out.

use cairn_bv::mask;
use cairn_expr::{Op, Sort, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A term with more operators above its columns is not flattened.
const LONGEST: usize = 160;

/// Where an operand is: a column of the row, or the result of a step.
#[derive(Clone, Copy)]
enum Operand {
    Column(u32),
    Step(u32),
}

struct CompiledStep {
    term: Term,
    args: SmallVec<[Operand; 3]>,
}

/// A flattened term.
pub(super) struct TableProgram {
    steps: Vec<CompiledStep>,
    result: Operand,
}

/// The width of a scalar; 1 for a Boolean.
pub(super) fn width_of(term: &Term) -> Option<u32> {
    match term.sort() {
        Sort::Bool => Some(1),
        Sort::BitVec(w) if w <= 64 => Some(w),
        Sort::BitVec(_) | Sort::Array { .. } => None,
    }
}

fn signed(word: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((word << unused) as i64) >> unused
}

/// Whether steps of this kind are known; reads of constant tables are.
fn is_plain(term: &Term) -> bool {
    match term.op() {
        Op::Bool(_)
        | Op::Const(_)
        | Op::Base(_)
        | Op::Not
        | Op::And
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
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::BvUlt
        | Op::BvSlt
        | Op::Concat
        | Op::Extract { .. }
        | Op::ZeroExtend(_)
        | Op::SignExtend(_) => true,
        Op::Eq => !term.arg(0).sort().is_array(),
        Op::Select => matches!(term.arg(0).op(), Op::Table(_)),
        Op::Symbol(_)
        | Op::Table(_)
        | Op::ConstArray { .. }
        | Op::Store
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod => false,
    }
}

/// The operands of a step: of a read, the index alone.
pub(super) fn operands(term: &Term) -> &[Term] {
    match term.op() {
        Op::Select => &term.args()[1..],
        _ => term.args(),
    }
}

impl TableProgram {
    /// Flattens a term over columns; `None` if it mentions something else or is too large.
    pub(super) fn new(term: &Term, columns: &[Term]) -> Option<TableProgram> {
        let mut places: FxHashMap<u32, Operand> = FxHashMap::default();
        for (i, column) in columns.iter().enumerate() {
            places.insert(column.id(), Operand::Column(i as u32));
        }
        let mut steps: Vec<CompiledStep> = Vec::new();
        let mut stack: Vec<&Term> = vec![term];
        while let Some(&t) = stack.last() {
            if places.contains_key(&t.id()) {
                stack.pop();
                continue;
            }
            width_of(t)?;
            if !is_plain(t) || steps.len() + stack.len() > 2 * LONGEST {
                return None;
            }
            let missing = operands(t).iter().filter(|a| !places.contains_key(&a.id()));
            let before = stack.len();
            stack.extend(missing);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let args = operands(t).iter().map(|a| places[&a.id()]).collect();
            places.insert(t.id(), Operand::Step(steps.len() as u32));
            steps.push(CompiledStep {
                term: t.clone(),
                args,
            });
            if steps.len() > LONGEST {
                return None;
            }
        }
        Some(TableProgram {
            steps,
            result: places[&term.id()],
        })
    }

    /// The term's value in a row. `results` is working space.
    pub(super) fn run(&self, row: &[u64], results: &mut Vec<u64>) -> u64 {
        results.clear();
        for step in &self.steps {
            let word = |i: usize| match step.args[i] {
                Operand::Column(c) => row[c as usize],
                Operand::Step(s) => results[s as usize],
            };
            let value = apply(&step.term, word);
            results.push(value);
        }
        match self.result {
            Operand::Column(c) => row[c as usize],
            Operand::Step(s) => results[s as usize],
        }
    }
}

/// One operator on words that have no bits beyond their widths; the result has none either.
fn apply(term: &Term, word: impl Fn(usize) -> u64) -> u64 {
    let width = width_of(term).expect("flattened terms are scalars");
    let arg_width = |i: usize| width_of(term.arg(i)).expect("operands are scalars");
    let all = mask(width);
    match term.op() {
        Op::Bool(b) => u64::from(*b),
        Op::Const(v) => v.low_u64(),
        Op::Base(base) => base.address,
        Op::Select => {
            let Op::Table(table) = term.arg(0).op() else {
                unreachable!("only tables are read")
            };
            let listed = usize::try_from(word(0)).ok();
            let listed = listed.and_then(|i| table.values().get(i));
            listed.unwrap_or(table.default_value()).low_u64()
        }
        Op::Not => word(0) ^ 1,
        Op::And => word(0) & word(1),
        Op::Ite => {
            if word(0) == 1 {
                word(1)
            } else {
                word(2)
            }
        }
        Op::Eq => u64::from(word(0) == word(1)),
        Op::BvNot => !word(0) & all,
        Op::BvNeg => word(0).wrapping_neg() & all,
        Op::BvAnd => word(0) & word(1),
        Op::BvOr => word(0) | word(1),
        Op::BvXor => word(0) ^ word(1),
        Op::BvAdd => word(0).wrapping_add(word(1)) & all,
        Op::BvMul => word(0).wrapping_mul(word(1)) & all,
        Op::BvUdiv => word(0).checked_div(word(1)).unwrap_or(all),
        Op::BvUrem => word(0).checked_rem(word(1)).unwrap_or(word(0)),
        Op::BvShl if word(1) >= u64::from(width) => 0,
        Op::BvShl => word(0) << word(1) & all,
        Op::BvLshr if word(1) >= u64::from(width) => 0,
        Op::BvLshr => word(0) >> word(1),
        Op::BvAshr => {
            let by = word(1).min(u64::from(width) - 1);
            (signed(word(0), width) >> by) as u64 & all
        }
        Op::BvUlt => u64::from(word(0) < word(1)),
        Op::BvSlt => {
            let w = arg_width(0);
            u64::from(signed(word(0), w) < signed(word(1), w))
        }
        Op::Concat => word(0) << arg_width(1) | word(1),
        Op::Extract { lo, .. } => word(0) >> lo & all,
        Op::ZeroExtend(_) => word(0),
        Op::SignExtend(_) => signed(word(0), arg_width(0)) as u64 & all,
        Op::Symbol(_)
        | Op::Table(_)
        | Op::ConstArray { .. }
        | Op::Store
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod => unreachable!("not flattened"),
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
