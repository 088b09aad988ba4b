//! Writing KQuery.
//!
//! Nodes used more than once are labelled where they stand first, as KLEE does. Not every term
//! can be written: KQuery has no arrays but declared ones and updates of them, and no Boolean
//! symbols. A bit-vector symbol is written as an array of its bytes, lowest first. A symbol whose
//! name cannot stand in KQuery, or is taken by another one, gets a similar name.

use super::lexer::is_name;
use crate::sharing::Sharing;
use cairn_expr::{Op, Sort, Table, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Write};

/// Why a query could not be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// A part that KQuery has no form for.
    #[error("KQuery cannot express {0}")]
    Inexpressible(String),
    /// The output failed.
    #[error("the output cannot be written")]
    Output,
}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> Self {
        WriteError::Output
    }
}

fn inexpressible<T>(what: impl Into<String>) -> Result<T, WriteError> {
    Err(WriteError::Inexpressible(what.into()))
}

/// Tables that are not zero beyond their values are listed in full up to this index width.
const WIDEST_FULL_TABLE: u32 = 16;

/// How a node that is no leaf is written.
struct PrintedNode<'a> {
    name: &'static str,
    /// The width after the name; comparisons have none.
    width: Option<u32>,
    args: [Option<&'a Term>; 2],
    third: Option<&'a Term>,
}

fn width_of(term: &Term) -> u32 {
    match term.sort() {
        Sort::Bool => 1,
        Sort::BitVec(w) => w,
        Sort::Array { value, .. } => value,
    }
}

impl<'a> PrintedNode<'a> {
    /// The view of an operator over values; `None` for leaves, reads and arrays.
    fn of(term: &'a Term) -> Option<Self> {
        let arg = |i: usize| term.args().get(i);
        let pair = |name, width, a, b| {
            Some(PrintedNode {
                name,
                width,
                args: [a, b],
                third: None,
            })
        };
        let own = |name| pair(name, Some(width_of(term)), arg(0), arg(1));
        let compare = |name| pair(name, None, arg(0), arg(1));
        match term.op() {
            Op::Not => {
                let inner = term.arg(0);
                let reversed = |name| pair(name, None, inner.args().get(1), inner.args().first());
                match inner.op() {
                    Op::BvUlt => reversed("Ule"),
                    Op::BvSlt => reversed("Sle"),
                    Op::And if inner.args().iter().all(|a| matches!(a.op(), Op::Not)) => {
                        let below = |i: usize| inner.arg(i).args().first();
                        pair("Or", Some(1), below(0), below(1))
                    }
                    _ => pair("Eq false", None, Some(inner), None),
                }
            }
            Op::And | Op::BvAnd => own("And"),
            Op::Eq => compare("Eq"),
            Op::Ite => Some(PrintedNode {
                name: "Select",
                width: Some(width_of(term)),
                args: [arg(0), arg(1)],
                third: arg(2),
            }),
            Op::BvNot => own("Not"),
            // 0 - a is how KLEE writes -a.
            Op::BvNeg => own("Sub"),
            Op::BvOr => own("Or"),
            Op::BvXor => own("Xor"),
            Op::BvAdd => own("Add"),
            Op::BvMul => own("Mul"),
            Op::BvUdiv => own("UDiv"),
            Op::BvUrem => own("URem"),
            Op::BvSdiv => own("SDiv"),
            Op::BvSrem => own("SRem"),
            Op::BvShl => own("Shl"),
            Op::BvLshr => own("LShr"),
            Op::BvAshr => own("AShr"),
            Op::Concat => own("Concat"),
            Op::Extract { .. } => own("Extract"),
            Op::ZeroExtend(_) => own("ZExt"),
            Op::SignExtend(_) => own("SExt"),
            Op::BvUlt => compare("Ult"),
            Op::BvSlt => compare("Slt"),
            Op::Bool(_)
            | Op::Const(_)
            | Op::Base(_)
            | Op::Symbol(_)
            | Op::Table(_)
            | Op::BvSmod
            | Op::ConstArray { .. }
            | Op::Select
            | Op::Store => None,
        }
    }

    fn args(self) -> impl DoubleEndedIterator<Item = &'a Term> {
        self.args.into_iter().chain([self.third]).flatten()
    }
}

fn operands(term: &Term, below: &mut Vec<Term>) {
    match PrintedNode::of(term) {
        Some(view) => below.extend(view.args().cloned()),
        None => below.extend(term.args().iter().cloned()),
    }
}

/// Writes one query with the declarations it needs: do the constraints imply the goal?
pub fn write(
    out: &mut impl Write,
    constraints: &[Term],
    goal: &Term,
    values: &[Term],
    arrays: &[Term],
) -> Result<(), WriteError> {
    write_query(out, constraints, Some(goal), values, arrays)
}

/// Writes the query whether constraints exclude each other: its goal is `false`, so it is invalid if
/// they can hold together.
pub fn write_satisfiability(out: &mut impl Write, constraints: &[Term]) -> Result<(), WriteError> {
    write_query(out, constraints, None, &[], &[])
}

/// Writes a query; no goal is one that never holds.
fn write_query(
    out: &mut impl Write,
    constraints: &[Term],
    goal: Option<&Term>,
    values: &[Term],
    arrays: &[Term],
) -> Result<(), WriteError> {
    let mut sharing = Sharing::default();
    for term in constraints.iter().chain(goal) {
        if term.sort() != Sort::Bool {
            return inexpressible("a constraint or goal that is not Boolean");
        }
    }
    for term in constraints.iter().chain(goal).chain(values) {
        if term.sort().is_array() {
            return inexpressible("an array as a value");
        }
        sharing.add(term, operands);
    }
    for term in arrays {
        if !matches!(term.op(), Op::Symbol(_) | Op::Table(_)) {
            return inexpressible("an updated array in the list of arrays");
        }
        sharing.add(term, operands);
    }
    let names = declare(out, &sharing)?;
    let mut printer = Printer {
        out,
        prefix_n: names.unused_prefix('N'),
        prefix_u: names.unused_prefix('U'),
        names,
        sharing,
        labels: FxHashMap::default(),
    };
    printer.query(constraints, goal, values, arrays)
}

/// The names of arrays, tables and scalar symbols.
#[derive(Default)]
struct Names {
    of: FxHashMap<u32, String>,
    taken: FxHashSet<String>,
}

impl Names {
    /// A unique name that can be written: the symbol's own if possible.
    fn spell(&mut self, name: &str) -> String {
        let mut spelled = name.to_string();
        if !is_name(&spelled) {
            let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
            spelled = name
                .chars()
                .map(|c| if keep(c) { c } else { '_' })
                .collect();
            if !is_name(&spelled) {
                spelled.insert(0, '_');
            }
        }
        let mut number = 0;
        let mut unique = spelled.clone();
        while !self.taken.insert(unique.clone()) {
            number += 1;
            unique = format!("{spelled}.{number}");
        }
        unique
    }

    fn unused_prefix(&self, letter: char) -> String {
        let mut prefix = letter.to_string();
        while self.taken.iter().any(|name| {
            name.strip_prefix(&prefix)
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        }) {
            prefix.push('_');
        }
        prefix
    }
}

/// Checks that all nodes can be written, and writes the declarations.
fn declare(out: &mut impl Write, sharing: &Sharing) -> Result<Names, WriteError> {
    let mut names = Names::default();
    let mut sizes: FxHashMap<u32, u64> = FxHashMap::default();
    // The symbol or table below the updates of each updated array.
    let mut roots: FxHashMap<u32, u32> = FxHashMap::default();
    for term in sharing.order() {
        match term.op() {
            Op::Symbol(symbol) => {
                let name = symbol.name(term.sort()).to_string();
                match term.sort() {
                    Sort::Array { .. } => {}
                    Sort::BitVec(w) if w.is_multiple_of(8) => {}
                    sort @ (Sort::Bool | Sort::BitVec(_)) => {
                        return inexpressible(format!("the symbol `{name}` of sort {sort}"));
                    }
                }
                let spelled = names.spell(&name);
                names.of.insert(term.id(), spelled);
            }
            Op::ConstArray { .. } => return inexpressible("a constant array of a symbolic value"),
            Op::BvSmod => return inexpressible("the operator bvsmod"),
            Op::Ite | Op::Eq if term.arg(1).sort().is_array() => {
                return inexpressible("a choice between arrays or an equality of arrays");
            }
            Op::Select | Op::Store => {
                let below = term.arg(0).id();
                let root = roots.get(&below).copied().unwrap_or(below);
                if matches!(term.op(), Op::Store) {
                    roots.insert(term.id(), root);
                }
                let last = term.arg(1).as_const().and_then(|i| i.to_u64());
                let size = sizes.entry(root).or_insert(1);
                *size = (*size).max(last.unwrap_or(0).saturating_add(1));
            }
            _ => {}
        }
    }
    let mut tables = 0;
    for term in sharing.order() {
        match (term.op(), term.sort()) {
            (Op::Symbol(_), Sort::Array { index, value }) => {
                let name = &names.of[&term.id()];
                let size = sizes.get(&term.id()).copied().unwrap_or(1);
                writeln!(
                    out,
                    "array {name}[{size}] : w{index} -> w{value} = symbolic"
                )?;
            }
            (Op::Symbol(_), Sort::BitVec(w)) => {
                let name = &names.of[&term.id()];
                writeln!(out, "array {name}[{}] : w32 -> w8 = symbolic", w / 8)?;
            }
            (Op::Table(table), _) => {
                let mut name = format!("const_arr{tables}");
                while names.taken.contains(&name) {
                    tables += 1;
                    name = format!("const_arr{tables}");
                }
                tables += 1;
                write_table(out, &name, table)?;
                names.taken.insert(name.clone());
                names.of.insert(term.id(), name);
            }
            _ => {}
        }
    }
    Ok(names)
}

fn write_table(out: &mut impl Write, name: &str, table: &Table) -> Result<(), WriteError> {
    let default = table.default_value();
    let mut count = table.values().len().max(1);
    if !default.is_zero() {
        if table.index_width() > WIDEST_FULL_TABLE {
            return inexpressible("a constant array that is not zero beyond its values");
        }
        count = 1 << table.index_width();
    }
    let (index, value) = (table.index_width(), default.width());
    write!(out, "array {name}[{count}] : w{index} -> w{value} = [")?;
    for i in 0..count {
        let space = if i == 0 { "" } else { " " };
        let element = table.values().get(i).unwrap_or(default);
        write!(out, "{space}{}", element.to_dec_string())?;
    }
    out.write_str("]\n")?;
    Ok(())
}

struct Printer<'o, W> {
    out: &'o mut W,
    names: Names,
    sharing: Sharing,
    labels: FxHashMap<u32, String>,
    prefix_n: String,
    prefix_u: String,
}

/// Work that is left to write.
enum PrintTask<'t> {
    Text(&'static str),
    /// An expression; whether a number may stand without its width.
    Value(&'t Term, bool),
    Version(&'t Term),
}

impl<W: Write> Printer<'_, W> {
    fn query(
        &mut self,
        constraints: &[Term],
        goal: Option<&Term>,
        values: &[Term],
        arrays: &[Term],
    ) -> Result<(), WriteError> {
        self.out.write_str("(query [")?;
        self.list(constraints)?;
        self.out.write_str("]\n       ")?;
        match goal {
            Some(goal) => self.value(goal)?,
            None => self.out.write_str("false")?,
        }
        if !values.is_empty() || !arrays.is_empty() {
            self.out.write_str("\n       [")?;
            self.list(values)?;
            self.out.write_str("]")?;
        }
        if !arrays.is_empty() {
            self.out.write_str("\n       [")?;
            for (i, array) in arrays.iter().enumerate() {
                let space = if i == 0 { "" } else { " " };
                let name = self.names.of.get(&array.id());
                write!(self.out, "{space}{}", name.map_or("", String::as_str))?;
            }
            self.out.write_str("]")?;
        }
        self.out.write_str(")\n")?;
        Ok(())
    }

    fn list(&mut self, terms: &[Term]) -> Result<(), WriteError> {
        for (i, term) in terms.iter().enumerate() {
            if i > 0 {
                self.out.write_str("\n        ")?;
            }
            self.value(term)?;
        }
        Ok(())
    }

    fn value(&mut self, root: &Term) -> Result<(), WriteError> {
        let mut stack = vec![PrintTask::Value(root, false)];
        while let Some(item) = stack.pop() {
            match item {
                PrintTask::Text(text) => self.out.write_str(text)?,
                PrintTask::Value(term, untyped) => self.step(term, untyped, &mut stack)?,
                PrintTask::Version(array) => self.version(array, &mut stack)?,
            }
        }
        Ok(())
    }

    /// Writes a label's name if the node has one, or gives it one. True if it had one.
    fn label(&mut self, term: &Term, version: bool) -> Result<bool, WriteError> {
        if let Some(label) = self.labels.get(&term.id()) {
            self.out.write_str(label)?;
            return Ok(true);
        }
        if self.sharing.uses(term) > 1 {
            let prefix = if version {
                &self.prefix_u
            } else {
                &self.prefix_n
            };
            let label = format!("{prefix}{}", self.labels.len());
            write!(self.out, "{label}:")?;
            self.labels.insert(term.id(), label);
        }
        Ok(false)
    }

    fn step<'t>(
        &mut self,
        term: &'t Term,
        untyped: bool,
        stack: &mut Vec<PrintTask<'t>>,
    ) -> Result<(), WriteError> {
        match term.op() {
            Op::Bool(b) => return Ok(write!(self.out, "{b}")?),
            Op::Const(v) => {
                // A number of one bit without width could be taken for a Boolean.
                let digits = v.to_dec_string();
                if untyped && v.width() > 1 {
                    self.out.write_str(&digits)?;
                } else {
                    write!(self.out, "(w{} {digits})", v.width())?;
                }
                return Ok(());
            }
            Op::Base(base) if untyped => return Ok(write!(self.out, "{}", base.address)?),
            Op::Base(base) => return Ok(write!(self.out, "(w64 {})", base.address)?),
            _ => {}
        }
        if self.label(term, false)? {
            return Ok(());
        }
        let Some(view) = PrintedNode::of(term) else {
            return self.read(term, stack);
        };
        write!(self.out, "({}", view.name)?;
        if let Some(width) = view.width {
            write!(self.out, " w{width}")?;
        }
        match term.op() {
            Op::Extract { lo, .. } => write!(self.out, " {lo}")?,
            Op::BvNeg => self.out.write_str(" 0")?,
            _ => {}
        }
        let [first, second] = view.args;
        // A number takes its width from the operator or from the other operand.
        let free = match term.op() {
            Op::Concat | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_) => false,
            _ => {
                view.width.is_some()
                    || view
                        .args
                        .into_iter()
                        .flatten()
                        .any(|a| a.as_const().is_none())
            }
        };
        stack.push(PrintTask::Text(")"));
        for arg in [first, second, view.third].into_iter().flatten().rev() {
            stack.push(PrintTask::Value(arg, free));
            stack.push(PrintTask::Text(" "));
        }
        Ok(())
    }

    /// Writes a read or a scalar symbol.
    fn read<'t>(
        &mut self,
        term: &'t Term,
        stack: &mut Vec<PrintTask<'t>>,
    ) -> Result<(), WriteError> {
        match term.op() {
            Op::Symbol(_) => {
                let name = &self.names.of[&term.id()];
                write!(self.out, "(ReadLSB w{} 0 {name})", width_of(term))?;
                Ok(())
            }
            Op::Select => {
                write!(self.out, "(Read w{} ", width_of(term))?;
                stack.push(PrintTask::Text(")"));
                stack.push(PrintTask::Version(term.arg(0)));
                stack.push(PrintTask::Text(" "));
                stack.push(PrintTask::Value(term.arg(1), true));
                Ok(())
            }
            op => inexpressible(format!("the operator {}", op.info().name)),
        }
    }

    /// Writes an array: its name, or updates of one, the newest first.
    fn version<'t>(
        &mut self,
        array: &'t Term,
        stack: &mut Vec<PrintTask<'t>>,
    ) -> Result<(), WriteError> {
        if let Some(name) = self.names.of.get(&array.id()) {
            self.out.write_str(name)?;
            return Ok(());
        }
        if self.label(array, true)? {
            return Ok(());
        }
        let mut items = vec![PrintTask::Text("[")];
        let mut rest = array;
        loop {
            if !matches!(rest.op(), Op::Store) {
                break;
            }
            if rest != array {
                if self.sharing.uses(rest) > 1 {
                    break;
                }
                items.push(PrintTask::Text(", "));
            }
            items.push(PrintTask::Value(rest.arg(1), true));
            items.push(PrintTask::Text("="));
            items.push(PrintTask::Value(rest.arg(2), true));
            rest = rest.arg(0);
        }
        items.push(PrintTask::Text("] @ "));
        items.push(PrintTask::Version(rest));
        stack.extend(items.into_iter().rev());
        Ok(())
    }
}
