//! Cairn's terms as Z3's.
//!
//! # Problem
//! Terms are shared graphs, up to a million levels deep, and most of a query was in
//! the query before. Constant tables are the costly part: twenty ordered reads of a 256-byte
//! table take Z3 more than 20 s as a chain of stores.
//!
//! # Idea
//! One translation per distinct term, operands first, on an explicit stack, kept as
//! long as the context. A table becomes a fresh array constant and one assertion that lists its
//! cells (38 ms for the example); a caller that asserts a term also asserts the
//! [`Translated::tables`] that it needs.
//!
//! # Soundness
//! The listed cells say nothing about other indices. So a table that (nearly)
//! covers its index range has *all* its cells listed and the constant can stand anywhere; of
//! another one only reads use the constant, guarded by the number of cells, and where the array
//! itself is needed (stored to, compared, chosen) it is a chain of stores. Z3 (seen from 4.8 to
//! 5.4) says `sat` to some unsatisfiable equalities of arrays over constant arrays if an index
//! has fewer than 14 bits, such as, with `a` free, `(store a j j) = (const 0)` and `(store (store
//! a i i) 1 i) = (const 1)`. Equality over small index ranges is therefore written out as
//! equality of all elements, and over middle ones a model is evaluated before it counts. The
//! constants are fresh, so the assertions exclude no model of the query. The memo is keyed by the
//! terms themselves, which it keeps alive: no entry can be taken for another term's.
//!
//! # Cost
//! Linear in the number of new nodes. Terms deeper than [`MAX_DEPTH`] are refused: Z3
//! recurses in places, and it does not look at its clock while it takes in a term, which for deep
//! ones lasts from seconds (5.4) to minutes (4.x).

use super::handles::{Ast, Z3Context};
use crate::{Budget, UnknownReason};
use cairn_expr::{BitVec, Op, Sort, Table, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The deepest term that is given to Z3.
pub(super) const MAX_DEPTH: u32 = 20_000;

/// The largest index range that a table may be written out for.
const MAX_DENSE_BITS: u32 = 12;

/// The largest index range over which equality of arrays is written out.
const MAX_EQUAL_BITS: u32 = 8;

/// From this index width on, Z3's own equality of arrays is right.
const SAFE_EQUAL_BITS: u32 = 16;

/// A translated term.
#[derive(Clone)]
pub(super) struct Translated {
    /// The term of Z3's.
    pub(super) ast: Ast,
    /// The tables whose cells must be asserted wherever the term is, in ascending order.
    pub(super) tables: Option<Rc<[usize]>>,
    depth: u32,
}

struct TableConstant {
    array: Ast,
    cells: Ast,
}

/// The translation into one context.
pub(super) struct Translator {
    ctx: Z3Context,
    is_doubtful: bool,
    memo: FxHashMap<Term, Translated>,
    tables: Vec<TableConstant>,
    table_of: FxHashMap<Term, usize>,
}

fn failed(why: String) -> UnknownReason {
    UnknownReason::SolverFailed(format!("Z3: {why}"))
}

impl Translator {
    /// Nothing translated yet.
    pub(super) fn new(ctx: Z3Context) -> Self {
        Translator {
            is_doubtful: false,
            ctx,
            memo: FxHashMap::default(),
            tables: Vec::new(),
            table_of: FxHashMap::default(),
        }
    }

    /// The context it translates into.
    pub(super) fn context(&self) -> &Z3Context {
        &self.ctx
    }

    /// The assertion that lists a table's cells.
    pub(super) fn cells(&self, table: usize) -> &Ast {
        &self.tables[table].cells
    }

    /// The translation of a term that was translated before, or is below one that was.
    pub(super) fn known(&self, term: &Term) -> Option<&Ast> {
        self.memo.get(term).map(|t| &t.ast)
    }

    /// Whether a model of Z3 must be evaluated before it is accepted.
    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// Translates a term.
    pub(super) fn term(
        &mut self,
        root: &Term,
        budget: &Budget,
    ) -> Result<Translated, UnknownReason> {
        const POLL_EVERY: u32 = 4096;
        let mut stack: Vec<(Term, usize)> = vec![(root.clone(), 0)];
        let mut steps = 0;
        while let Some((term, next)) = stack.last_mut() {
            if *next == 0 && self.memo.contains_key(term) {
                stack.pop();
                continue;
            }
            if let Some(arg) = operands(term).get(*next) {
                *next += 1;
                if !self.memo.contains_key(arg) {
                    let arg = arg.clone();
                    stack.push((arg, 0));
                }
                continue;
            }
            let Some((term, _)) = stack.pop() else { break };
            let translated = self.node(&term)?;
            self.memo.insert(term, translated);
            steps += 1;
            if steps % POLL_EVERY == 0
                && let Some(reason) = budget.exhausted()
            {
                return Err(reason);
            }
        }
        Ok(self.memo[root].clone())
    }

    /// Translates a node whose operands are translated.
    fn node(&mut self, term: &Term) -> Result<Translated, UnknownReason> {
        let args: Vec<&Translated> = operands(term).iter().map(|a| &self.memo[a]).collect();
        let depth = 1 + args.iter().map(|a| a.depth).max().unwrap_or(0);
        let tables = union(&args);
        let asts: Vec<Ast> = args.iter().map(|a| a.ast.clone()).collect();
        let translated = match (term.op(), table_read(term)) {
            (_, Some(table)) => self.read(term.arg(0), &table, &asts[0], depth, tables)?,
            (Op::Table(table), None) => self.whole(term, table)?,
            (Op::Symbol(_), None) => leaf(self.ctx.fresh(term.sort()).map_err(failed)?),
            (Op::Const(value), None) => leaf(self.ctx.value(value).map_err(failed)?),
            (Op::Base(base), None) => {
                let value = BitVec::new(64, base.address);
                leaf(self.ctx.value(&value).map_err(failed)?)
            }
            (Op::Eq, None) if term.arg(0).sort().is_array() => Translated {
                ast: self.same_array(term, &asts)?,
                tables,
                depth: depth + 2,
            },
            (op, None) => Translated {
                ast: self.ctx.apply(op, &asts).map_err(failed)?,
                tables,
                depth,
            },
        };
        if translated.depth > MAX_DEPTH {
            return Err(UnknownReason::Unsupported(format!(
                "a term of more than {MAX_DEPTH} levels in Z3"
            )));
        }
        Ok(translated)
    }

    /// Equality of arrays; see the module's head on why not all of it is left to Z3.
    fn same_array(&mut self, term: &Term, args: &[Ast]) -> Result<Ast, UnknownReason> {
        let Sort::Array { index: width, .. } = term.arg(0).sort() else {
            return Err(failed("no array".to_string()));
        };
        if width > MAX_EQUAL_BITS {
            self.is_doubtful |= width < SAFE_EQUAL_BITS;
            return self.ctx.apply(&Op::Eq, args).map_err(failed);
        }
        let ctx = &self.ctx;
        let cell = |i: u64| -> Result<Ast, String> {
            let index = ctx.value(&BitVec::new(width, i))?;
            let a = ctx.apply(&Op::Select, &[args[0].clone(), index.clone()])?;
            let b = ctx.apply(&Op::Select, &[args[1].clone(), index])?;
            ctx.apply(&Op::Eq, &[a, b])
        };
        let cells: Result<Vec<Ast>, String> = (0..1 << width).map(cell).collect();
        cells.and_then(|cells| ctx.and(&cells)).map_err(failed)
    }

    /// A read of a table at a translated index.
    fn read(
        &mut self,
        term: &Term,
        table: &Table,
        index: &Ast,
        depth: u32,
        below: Option<Rc<[usize]>>,
    ) -> Result<Translated, UnknownReason> {
        let number = self.constant(term, table)?;
        let ctx = &self.ctx;
        let array = self.tables[number].array.clone();
        let cell = ctx
            .apply(&Op::Select, &[array, index.clone()])
            .map_err(failed)?;
        let ast = if is_dense(table) {
            cell
        } else {
            let count = BitVec::new(table.index_width(), table.values().len() as u64);
            let guard = [index.clone(), ctx.value(&count).map_err(failed)?];
            let inside = ctx.apply(&Op::BvUlt, &guard).map_err(failed)?;
            let default = ctx.value(table.default_value()).map_err(failed)?;
            ctx.apply(&Op::Ite, &[inside, cell, default])
                .map_err(failed)?
        };
        let mut needed: Vec<usize> = below.as_deref().unwrap_or_default().to_vec();
        if let Err(at) = needed.binary_search(&number) {
            needed.insert(at, number);
        }
        Ok(Translated {
            ast,
            tables: Some(needed.into()),
            depth: depth + 2,
        })
    }

    /// A table as an array.
    fn whole(&mut self, term: &Term, table: &Table) -> Result<Translated, UnknownReason> {
        if is_dense(table) {
            let number = self.constant(term, table)?;
            return Ok(Translated {
                ast: self.tables[number].array.clone(),
                tables: Some(Rc::new([number])),
                depth: 1,
            });
        }
        let depth = u32::try_from(table.values().len()).unwrap_or(u32::MAX);
        if depth > MAX_DEPTH {
            return Err(UnknownReason::Unsupported(
                "comparing or changing a table of so many cells in Z3".to_string(),
            ));
        }
        let ctx = &self.ctx;
        let everywhere = Op::ConstArray {
            index: table.index_width(),
        };
        let default = ctx.value(table.default_value()).map_err(failed)?;
        let mut ast = ctx.apply(&everywhere, &[default]).map_err(failed)?;
        for (i, value) in table.values().iter().enumerate() {
            let index = BitVec::new(table.index_width(), i as u64);
            let index = ctx.value(&index).map_err(failed)?;
            let value = ctx.value(value).map_err(failed)?;
            ast = ctx
                .apply(&Op::Store, &[ast, index, value])
                .map_err(failed)?;
        }
        Ok(Translated {
            ast,
            tables: None,
            depth: depth + 2,
        })
    }

    /// The constant that stands for a table, made at the first use.
    fn constant(&mut self, term: &Term, table: &Table) -> Result<usize, UnknownReason> {
        if let Some(number) = self.table_of.get(term) {
            return Ok(*number);
        }
        let ctx = &self.ctx;
        let width = table.index_width();
        let array = ctx
            .fresh(Sort::Array {
                index: width,
                value: table.default_value().width(),
            })
            .map_err(failed)?;
        let count = if is_dense(table) {
            1 << width
        } else {
            table.values().len() as u64
        };
        let cell = |i: u64| -> Result<Ast, String> {
            let index = BitVec::new(width, i);
            let value = ctx.value(table.get(&index))?;
            let read = ctx.apply(&Op::Select, &[array.clone(), ctx.value(&index)?])?;
            ctx.apply(&Op::Eq, &[read, value])
        };
        let cells: Vec<Ast> = (0..count)
            .map(cell)
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        let cells = ctx.and(&cells).map_err(failed)?;
        let number = self.tables.len();
        self.tables.push(TableConstant { array, cells });
        self.table_of.insert(term.clone(), number);
        Ok(number)
    }
}

fn leaf(ast: Ast) -> Translated {
    Translated {
        ast,
        tables: None,
        depth: 1,
    }
}

/// The table that a term reads.
fn table_read(term: &Term) -> Option<std::sync::Arc<Table>> {
    match (term.op(), term.args().first().map(Term::op)) {
        (Op::Select, Some(Op::Table(table))) => Some(table.clone()),
        _ => None,
    }
}

/// The operands to translate first: of a read of a table only the index, so that the table is not
/// written out as an array.
fn operands(term: &Term) -> &[Term] {
    match (term.op(), term.args()) {
        (Op::Select, [array, index]) if matches!(array.op(), Op::Table(_)) => {
            std::slice::from_ref(index)
        }
        (_, args) => args,
    }
}

/// Whether a table covers so much of its index range that all cells are listed.
fn is_dense(table: &Table) -> bool {
    let width = table.index_width();
    width <= MAX_DENSE_BITS && table.values().len() >= 1 << (width - 1)
}

/// The tables of all operands.
fn union(args: &[&Translated]) -> Option<Rc<[usize]>> {
    let mut sets = args.iter().filter_map(|a| a.tables.as_ref());
    let first = sets.next()?;
    let mut all = Rc::clone(first);
    for set in sets {
        if Rc::ptr_eq(set, &all) || set.iter().all(|t| all.binary_search(t).is_ok()) {
            continue;
        }
        let mut both: Vec<usize> = all.iter().chain(set.iter()).copied().collect();
        both.sort_unstable();
        both.dedup();
        all = both.into();
    }
    Some(all)
}
