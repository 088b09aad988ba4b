//! Writing terms.
//!
//! # Problem
//! Terms are graphs; written as trees they can be exponentially long, and they can be
//! a million levels deep.
//!
//! # Idea
//! Each node used more than once is bound by a `let` of its own, operands before users,
//! all around the whole term. Text length is then linear in the graph. Writing is a loop over an
//! explicit stack.
//!
//! # Soundness
//! What is written reads back as the same term of the same store. Negated conjunctions
//! and orders are written as `or`, `=>`, `bvule`, ... whose constructors give exactly that
//! negation.

use super::spelling::Names;
use crate::sharing::Sharing;
use cairn_bv::BitVec;
use cairn_expr::{Op, Sort, Table, Term};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// Constants above this width are bound like shared nodes.
const WIDE_CONSTANT: u32 = 128;
/// Constructors fold stores into tables below this index.
const LARGEST_FOLDED_TABLE: usize = 1024;

/// A node as it is written: its head and operands.
struct PrintedNode<'a> {
    /// The head's name if it differs from the operator's.
    name: Option<&'static str>,
    args: [Option<&'a Term>; 3],
}

impl<'a> PrintedNode<'a> {
    fn of(term: &'a Term) -> Self {
        if matches!(term.op(), Op::Not)
            && let Some(view) = Self::of_negation(term.arg(0))
        {
            return view;
        }
        let args = term.args();
        PrintedNode {
            name: None,
            args: [args.first(), args.get(1), args.get(2)],
        }
    }

    fn of_negation(inner: &'a Term) -> Option<Self> {
        let pair = |name, a, b| {
            Some(PrintedNode {
                name: Some(name),
                args: [Some(a), Some(b), None],
            })
        };
        match inner.op() {
            Op::And => {
                let (a, b) = (inner.arg(0), inner.arg(1));
                match (a.op(), b.op()) {
                    (Op::Not, Op::Not) => pair("or", a.arg(0), b.arg(0)),
                    (Op::Not, _) => pair("=>", b, a.arg(0)),
                    (_, Op::Not) => pair("=>", a, b.arg(0)),
                    _ => None,
                }
            }
            Op::BvUlt => pair("bvule", inner.arg(1), inner.arg(0)),
            Op::BvSlt => pair("bvsle", inner.arg(1), inner.arg(0)),
            _ => None,
        }
    }

    fn args(self) -> impl DoubleEndedIterator<Item = &'a Term> {
        self.args.into_iter().flatten()
    }
}

/// Whether a node without operands is long enough to be written only once.
fn is_long_leaf(term: &Term) -> bool {
    match term.op() {
        Op::Const(v) => v.width() > WIDE_CONSTANT,
        Op::Table(table) => {
            !table.values().is_empty() || table.default_value().width() > WIDE_CONSTANT
        }
        _ => false,
    }
}

/// Writes terms over one set of spellings.
pub(super) struct Printer<'a, W> {
    out: &'a mut W,
    names: &'a Names,
    prefix: String,
    /// The numbers of nodes that have been given a name.
    bound: FxHashMap<u32, u32>,
    next_name: u32,
}

impl<'a, W: Write> Printer<'a, W> {
    pub(super) fn new(out: &'a mut W, names: &'a Names) -> Self {
        Printer {
            out,
            prefix: names.unused_prefix(),
            names,
            bound: FxHashMap::default(),
            next_name: 0,
        }
    }

    /// The graph that a term is written as.
    pub(super) fn walk(sharing: &mut Sharing, root: &Term) {
        sharing.add(root, |t, below| {
            below.extend(PrintedNode::of(t).args().cloned())
        });
    }

    /// The operands a node is written with.
    pub(super) fn operands(term: &Term) -> impl Iterator<Item = &Term> {
        PrintedNode::of(term).args()
    }

    /// Whether a node is to be named, given how often it is written.
    pub(super) fn wants_name(sharing: &Sharing, term: &Term) -> bool {
        sharing.uses(term) > 1 && (!term.args().is_empty() || is_long_leaf(term))
    }

    pub(super) fn out(&mut self) -> &mut W {
        self.out
    }

    /// Gives a node a name from now on; returns its number.
    pub(super) fn bind(&mut self, term: &Term) {
        self.bound.insert(term.id(), self.next_name);
        self.next_name += 1;
    }

    pub(super) fn is_bound(&self, term: &Term) -> bool {
        self.bound.contains_key(&term.id())
    }

    /// The name that the next [`Printer::bind`] gives.
    pub(super) fn write_next_name(&mut self) -> fmt::Result {
        write!(self.out, "{}{}", self.prefix, self.next_name)
    }

    /// Writes a term with `let`s for its shared nodes that have no name yet.
    pub(super) fn write(&mut self, root: &Term) -> fmt::Result {
        let mut sharing = Sharing::default();
        let bound = &self.bound;
        sharing.add(root, |t, below| {
            if !bound.contains_key(&t.id()) {
                below.extend(PrintedNode::of(t).args().cloned());
            }
        });
        let mut lets = Vec::new();
        for term in sharing.order() {
            if Self::wants_name(&sharing, term) && !self.is_bound(term) {
                self.out.write_str("(let ((")?;
                self.write_next_name()?;
                self.out.write_char(' ')?;
                self.write_inline(term)?;
                self.out.write_str(")) ")?;
                self.bind(term);
                lets.push(term.id());
            }
        }
        self.write_inline(root)?;
        for id in lets {
            self.out.write_char(')')?;
            self.bound.remove(&id);
        }
        Ok(())
    }

    /// Writes a term in which every named node is a name.
    pub(super) fn write_inline(&mut self, root: &Term) -> fmt::Result {
        enum PrintTask<'t> {
            Term(&'t Term),
            Close,
        }
        let mut stack = vec![PrintTask::Term(root)];
        let mut first = true;
        while let Some(item) = stack.pop() {
            let term = match item {
                PrintTask::Close => {
                    self.out.write_char(')')?;
                    continue;
                }
                PrintTask::Term(term) => term,
            };
            if !first {
                self.out.write_char(' ')?;
            }
            first = false;
            if let Some(n) = self.bound.get(&term.id()) {
                write!(self.out, "{}{n}", self.prefix)?;
                continue;
            }
            if self.write_leaf(term)? {
                continue;
            }
            let view = PrintedNode::of(term);
            self.out.write_char('(')?;
            match view.name {
                Some(name) => self.out.write_str(name)?,
                None => write_head(self.out, term)?,
            }
            stack.push(PrintTask::Close);
            stack.extend(view.args().rev().map(PrintTask::Term));
        }
        Ok(())
    }

    /// Writes a node without operands; false if it has some.
    fn write_leaf(&mut self, term: &Term) -> Result<bool, fmt::Error> {
        match term.op() {
            Op::Bool(b) => write!(self.out, "{b}")?,
            Op::Const(v) => write!(self.out, "{v}")?,
            Op::Base(base) => write!(self.out, "{}", BitVec::new(64, base.address))?,
            Op::Symbol(symbol) => match self.names.get(term) {
                Some(text) => self.out.write_str(text)?,
                None => {
                    let name = symbol.name(term.sort()).to_string();
                    self.out.write_str(&super::spell_symbol(&name))?;
                }
            },
            Op::Table(table) => write_table(self.out, table)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn write_head(out: &mut impl Write, term: &Term) -> fmt::Result {
    match term.op() {
        Op::Extract { hi, lo } => write!(out, "(_ extract {hi} {lo})"),
        Op::ZeroExtend(n) => write!(out, "(_ zero_extend {n})"),
        Op::SignExtend(n) => write!(out, "(_ sign_extend {n})"),
        Op::ConstArray { .. } => write!(out, "(as const {})", term.sort()),
        op => out.write_str(op.info().name),
    }
}

/// Writes stores of constants over a constant array.
pub(super) fn write_stores(
    out: &mut impl Write,
    sort: Sort,
    default: &BitVec,
    cells: &[(BitVec, &BitVec)],
) -> fmt::Result {
    for _ in cells {
        out.write_str("(store ")?;
    }
    write!(out, "((as const {sort}) {default})")?;
    for (index, value) in cells {
        write!(out, " {index} {value})")?;
    }
    Ok(())
}

/// A table is a chain of stores. The constructors keep long chains as stores, so that one which
/// is to be a table again is marked; other readers ignore the mark.
fn write_table(out: &mut impl Write, table: &Table) -> fmt::Result {
    let sort = Sort::Array {
        index: table.index_width(),
        value: table.default_value().width(),
    };
    let cells: Vec<(BitVec, &BitVec)> = table
        .values()
        .iter()
        .enumerate()
        .filter(|(_, v)| *v != table.default_value())
        .map(|(i, v)| (BitVec::new(table.index_width(), i as u64), v))
        .collect();
    let marked = table.values().len() > LARGEST_FOLDED_TABLE;
    if marked {
        out.write_str("(! ")?;
    }
    write_stores(out, sort, table.default_value(), &cells)?;
    if marked {
        out.write_str(" :table)")?;
    }
    Ok(())
}

/// Writes a term in SMT-LIB; shared parts are written once.
///
/// Symbols that cannot be written by their own name get another one, see [`Names`].
pub fn write_term(out: &mut impl Write, term: &Term) -> fmt::Result {
    let names = Names::of([term]);
    Printer::new(out, &names).write(term)
}

/// The text of a term; see [`write_term`].
pub fn term_to_string(term: &Term) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_term(&mut text, term);
    text
}
