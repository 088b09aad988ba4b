//! The constraint network: variables with domains, and relations with rows.
//!
//! A *variable* is an input of at most a byte, or a read of a constant table; its domain lists all its values. A
//! *relation* lists all rows of values that some variables can have together: the variables it was made over, and
//! columns that are computed from those. A fact is evaluated in every row of one relation, and rows in which it
//! is false are removed. A value that disappears from a column is removed from every other relation with that
//! column.
//!
//! # Soundness
//! Every solution of the facts has its values in the domain of each variable and its row in each relation: rows
//! are made of all values of their variables, a computed column is the term's value in that row, and a row is
//! removed only if a fact is false in it or one of its values is in no solution. So an empty relation contradicts
//! the facts that removed its rows, which each list names.
//!
//! # Cost
//! A fact costs the rows of its relation, at most [`MOST_ROWS`]. Unchanged relations are shared with the shorter
//! list of facts.

use super::program::{TableProgram, operands, width_of};
use cairn_expr::{Op, PersistentMap, Support, Term};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::rc::Rc;

/// A relation of more rows is not made.
const MOST_ROWS: usize = 16_384;
/// More columns are not added to a relation.
const MOST_COLUMNS: usize = 10;
/// Most cuts of a term that are considered.
const MOST_CUTS: usize = 80;
/// The widest input that is a variable.
const WIDEST: u32 = 8;
/// Variables that rows are made over.
const MOST_VARIABLES: usize = 3;
/// How far down variables are made for one fact.
const DEEPEST: u32 = 24;
/// The size of a list that is not known, for choosing between cuts.
const GUESS: usize = 1_000;

/// Positions of facts, in order.
pub(super) type ReasonSet = Rc<[u32]>;

/// A variable with its domain.
#[derive(Clone)]
pub(super) struct TableVariable {
    pub(super) term: Term,
    /// In order, each once.
    pub(super) values: Rc<[u64]>,
    pub(super) why: ReasonSet,
    pub(super) relations: SmallVec<[u32; 4]>,
}

/// A relation: the rows of values that several variables can have together.
#[derive(Clone)]
pub(super) struct TableRelation {
    pub(super) columns: SmallVec<[Term; 4]>,
    /// Row after row.
    pub(super) rows: Rc<[u64]>,
    why: ReasonSet,
}

/// Everything known about a list of facts.
#[derive(Clone, Default)]
pub(super) struct Net {
    pub(super) variables: PersistentMap<Rc<TableVariable>>,
    pub(super) relations: PersistentMap<Rc<TableRelation>>,
    /// How many relations there are; their numbers are below it.
    pub(super) count: u32,
    /// Variables in the order of coming.
    pub(super) inputs: Rc<Vec<Term>>,
    /// Facts that contradict each other.
    pub(super) refuted: Option<ReasonSet>,
    /// How many facts were learned.
    pub(super) length: u32,
}

pub(super) fn union(a: &ReasonSet, b: &ReasonSet) -> ReasonSet {
    if Rc::ptr_eq(a, b) || b.is_empty() {
        return Rc::clone(a);
    }
    if a.is_empty() {
        return Rc::clone(b);
    }
    let mut all: Vec<u32> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    if all.len() == a.len() {
        return Rc::clone(a);
    }
    all.into()
}

/// An input small enough to list its words: a symbol, or an element of an array symbol at a known
/// place.
pub(super) fn is_input(term: &Term) -> bool {
    let small = width_of(term).is_some_and(|w| w <= WIDEST);
    small
        && match term.op() {
            Op::Symbol(_) => true,
            Op::Select => {
                matches!(term.arg(0).op(), Op::Symbol(_))
                    && term.arg(1).as_const().is_some_and(|c| c.to_u64().is_some())
            }
            _ => false,
        }
}

fn is_table_read(term: &Term) -> bool {
    matches!(term.op(), Op::Select)
        && matches!(term.arg(0).op(), Op::Table(_))
        && width_of(term).is_some()
}

/// Whether a term depends on one input only, and that is small.
fn of_one_input(term: &Term) -> bool {
    matches!(&term.attributes().support, Support::Keys(keys) if keys.len() == 1)
        && term.attributes().tree_size < 64
}

type Cut = SmallVec<[Term; 4]>;

impl Net {
    fn variable(&self, term: &Term) -> Option<&Rc<TableVariable>> {
        self.variables.get(term.birth())
    }

    fn relation(&self, number: u32) -> &Rc<TableRelation> {
        self.relations.get(u64::from(number)).expect("it was made")
    }

    /// These facts and one more. `work` is counted up by what it costs.
    pub(super) fn with(&self, fact: &Term, work: &mut u64) -> Net {
        let mut next = self.clone();
        next.length += 1;
        if next.refuted.is_some() {
            return next;
        }
        let mut conjuncts: SmallVec<[&Term; 4]> = SmallVec::new();
        conjuncts.push(fact);
        while let Some(term) = conjuncts.pop() {
            if matches!(term.op(), Op::And) && conjuncts.len() < 64 {
                conjuncts.extend(term.args());
                continue;
            }
            // A condition that does not apply here is left out, which only allows more.
            let _ = next.learn(term, work);
            if next.refuted.is_some() {
                break;
            }
        }
        next
    }

    /// Learns one condition; `None` if it says nothing here.
    fn learn(&mut self, term: &Term, work: &mut u64) -> Option<()> {
        let position: ReasonSet = Rc::new([self.length]);
        let cut = self.cut(term, DEEPEST, work)?;
        if let [only] = &cut[..] {
            let program = TableProgram::new(term, &cut)?;
            let variable = Rc::clone(self.variable(only)?);
            let mut space = Vec::new();
            *work += variable.values.len() as u64;
            let holds = |v: &&u64| program.run(&[**v], &mut space) == 1;
            let values: Vec<u64> = variable.values.iter().filter(holds).copied().collect();
            if values.len() < variable.values.len() {
                let why = union(&variable.why, &position);
                self.narrow(only, values, why, work);
            }
            return Some(());
        }
        let number = self.over(&cut, work)?;
        let relation = Rc::clone(self.relation(number));
        let program = TableProgram::new(term, &relation.columns)?;
        let mut space = Vec::new();
        *work += 2 * relation.rows.len() as u64;
        let width = relation.columns.len();
        let mut rows = Vec::new();
        for row in relation.rows.chunks(width) {
            if program.run(row, &mut space) == 1 {
                rows.extend_from_slice(row);
            }
        }
        if rows.len() < relation.rows.len() {
            let why = union(&relation.why, &position);
            self.replace_rows(number, rows, why, work);
        }
        Some(())
    }

    /// Terms below a term from which it can be computed, all of them variables: as few as can be,
    /// with as few rows.
    fn cut(&mut self, term: &Term, depth: u32, work: &mut u64) -> Option<Cut> {
        let mut frontier: Cut = Cut::new();
        let add = |frontier: &mut Cut, t: &Term| {
            let constant = matches!(t.op(), Op::Const(_) | Op::Bool(_));
            if !constant && !frontier.contains(t) {
                frontier.push(t.clone());
            }
        };
        operands(term).iter().for_each(|t| add(&mut frontier, t));
        // The best of variables, and the best with reads that are none yet.
        let mut known: Option<(usize, usize, Cut)> = None;
        let mut wanted: Option<(usize, usize, Cut)> = None;
        for _ in 0..MOST_CUTS {
            if frontier.is_empty() || frontier.len() > 2 * MOST_VARIABLES {
                break;
            }
            // A term that is neither an input nor a read only joins them: it is taken apart first.
            let joins = |t: &Term| !is_input(t) && !is_table_read(t);
            let all_read = !frontier.iter().any(joins);
            if all_read && frontier.len() <= MOST_VARIABLES {
                let mut rows = 1usize;
                let mut all_known = true;
                for t in &frontier {
                    let size = self.size_of(t, work);
                    all_known &= size.is_some();
                    rows = rows.saturating_mul(size.unwrap_or(GUESS));
                }
                let best = if all_known { &mut known } else { &mut wanted };
                let count = frontier.len();
                if best.as_ref().is_none_or(|b| (count, rows) <= (b.0, b.1)) {
                    *best = Some((count, rows, frontier.clone()));
                }
            }
            // The youngest term that can be taken apart: what it is made of is older.
            let parts = (0..frontier.len()).filter(|&i| match all_read {
                true => !is_input(&frontier[i]),
                false => joins(&frontier[i]),
            });
            let Some(at) = parts.max_by_key(|&i| frontier[i].birth()) else {
                break;
            };
            let youngest = frontier.swap_remove(at);
            let plain = match youngest.op() {
                Op::Select => is_table_read(&youngest),
                Op::Symbol(_) => false,
                _ => width_of(&youngest).is_some(),
            };
            if !plain {
                break;
            }
            operands(&youngest)
                .iter()
                .for_each(|t| add(&mut frontier, t));
        }
        let fits = |found: &(usize, usize, Cut)| found.0 <= 2 && found.1 <= MOST_ROWS;
        if let Some(found) = &known
            && fits(found)
        {
            return known.map(|k| k.2);
        }
        if let (Some((count, _, cut)), Some(below)) = (wanted, depth.checked_sub(1))
            && count <= 2
            && known.as_ref().is_none_or(|k| k.0 >= count)
            && cut.iter().all(|t| self.ensure(t, below, work).is_some())
        {
            return Some(cut);
        }
        let (_, rows, cut) = known?;
        (rows <= MOST_ROWS).then_some(cut)
    }

    /// How many words a term has, if it is a variable or easily made one.
    fn size_of(&mut self, term: &Term, work: &mut u64) -> Option<usize> {
        if let Some(variable) = self.variable(term) {
            return Some(variable.values.len());
        }
        let easy = is_input(term) || is_table_read(term) && of_one_input(term);
        if !easy {
            return None;
        }
        self.ensure(term, 2, work)
    }

    /// Makes a term a variable; gives how many words it has.
    fn ensure(&mut self, term: &Term, depth: u32, work: &mut u64) -> Option<usize> {
        if let Some(variable) = self.variable(term) {
            return Some(variable.values.len());
        }
        let width = width_of(term)?;
        if is_input(term) {
            let values: Vec<u64> = (0..1u64 << width).collect();
            let count = values.len();
            Rc::make_mut(&mut self.inputs).push(term.clone());
            self.put_variable(TableVariable {
                term: term.clone(),
                values: values.into(),
                why: Rc::new([]),
                relations: SmallVec::new(),
            });
            return Some(count);
        }
        let cut = self.cut(term, depth, work)?;
        let number = self.over(&cut, work)?;
        let relation = Rc::clone(self.relation(number));
        if relation.columns.len() == MOST_COLUMNS {
            return None;
        }
        let program = TableProgram::new(term, &relation.columns)?;
        let columns = relation.columns.len();
        let mut rows = Vec::with_capacity(relation.rows.len() / columns * (columns + 1));
        let mut values = Vec::with_capacity(relation.rows.len() / columns);
        let mut space = Vec::new();
        for row in relation.rows.chunks(columns) {
            let value = program.run(row, &mut space);
            rows.extend_from_slice(row);
            rows.push(value);
            values.push(value);
        }
        *work += 2 * relation.rows.len() as u64;
        values.sort_unstable();
        values.dedup();
        let count = values.len();
        let why = Rc::clone(&relation.why);
        let mut wider = TableRelation::clone(&relation);
        wider.columns.push(term.clone());
        wider.rows = rows.into();
        self.relations.insert(u64::from(number), Rc::new(wider));
        let mut relations = SmallVec::new();
        relations.push(number);
        self.put_variable(TableVariable {
            term: term.clone(),
            values: values.into(),
            why,
            relations,
        });
        Some(count)
    }

    fn put_variable(&mut self, variable: TableVariable) {
        self.variables
            .insert(variable.term.birth(), Rc::new(variable));
    }

    /// A relation that has these variables, made if there is none.
    fn over(&mut self, cut: &Cut, work: &mut u64) -> Option<u32> {
        let first = Rc::clone(self.variable(&cut[0])?);
        let has_all = |number: &&u32| {
            let columns = &self.relation(**number).columns;
            cut.iter().all(|t| columns.contains(t))
        };
        let smallest = first.relations.iter().filter(has_all);
        let smallest = smallest.min_by_key(|n| self.relation(**n).rows.len());
        if let Some(number) = smallest {
            return Some(*number);
        }
        let variables: SmallVec<[Rc<TableVariable>; 4]> = cut
            .iter()
            .map(|t| self.variable(t).cloned())
            .collect::<Option<_>>()?;
        let count = variables
            .iter()
            .try_fold(1usize, |n, v| n.checked_mul(v.values.len()));
        let count = count.filter(|n| *n <= MOST_ROWS)?;
        let mut rows = Vec::with_capacity(count * cut.len());
        let mut at: SmallVec<[usize; 4]> = SmallVec::from_elem(0, cut.len());
        for _ in 0..count {
            rows.extend(at.iter().zip(&variables).map(|(i, v)| v.values[*i]));
            for (i, variable) in at.iter_mut().zip(&variables) {
                *i += 1;
                if *i < variable.values.len() {
                    break;
                }
                *i = 0;
            }
        }
        *work += rows.len() as u64;
        let why = variables
            .iter()
            .fold(ReasonSet::from([]), |w, v| union(&w, &v.why));
        let number = self.count;
        self.count += 1;
        let relation = TableRelation {
            columns: cut.clone(),
            rows: rows.into(),
            why,
        };
        self.relations.insert(u64::from(number), Rc::new(relation));
        for variable in &variables {
            let mut variable = TableVariable::clone(variable);
            variable.relations.push(number);
            self.put_variable(variable);
        }
        Some(number)
    }

    /// A variable has fewer words, for these facts: every relation that has it loses rows.
    pub(super) fn narrow(&mut self, term: &Term, values: Vec<u64>, why: ReasonSet, work: &mut u64) {
        let mut waiting: VecDeque<(Term, Vec<u64>, ReasonSet)> = VecDeque::new();
        waiting.push_back((term.clone(), values, why));
        self.propagate(waiting, work);
    }

    /// A relation has fewer rows, for these facts: its columns may have fewer words.
    fn replace_rows(&mut self, number: u32, rows: Vec<u64>, why: ReasonSet, work: &mut u64) {
        let mut waiting = VecDeque::new();
        self.set_rows(number, rows, why, &mut waiting, work);
        self.propagate(waiting, work);
    }

    /// Puts rows in place, and lists the columns that lost words.
    fn set_rows(
        &mut self,
        number: u32,
        rows: Vec<u64>,
        why: ReasonSet,
        waiting: &mut VecDeque<(Term, Vec<u64>, ReasonSet)>,
        work: &mut u64,
    ) {
        if rows.is_empty() {
            self.refuted = Some(why);
            return;
        }
        let old = Rc::clone(self.relation(number));
        let width = old.columns.len();
        *work += 2 * rows.len() as u64;
        for (i, column) in old.columns.iter().enumerate() {
            let mut values: Vec<u64> = rows.iter().skip(i).step_by(width).copied().collect();
            values.sort_unstable();
            values.dedup();
            let variable = self.variable(column).expect("a column is a variable");
            if values.len() < variable.values.len() {
                waiting.push_back((column.clone(), values, Rc::clone(&why)));
            }
        }
        let relation = TableRelation {
            columns: old.columns.clone(),
            rows: rows.into(),
            why,
        };
        self.relations.insert(u64::from(number), Rc::new(relation));
    }

    /// Takes from variables and relations what cannot be, until nothing is left to take.
    fn propagate(&mut self, mut waiting: VecDeque<(Term, Vec<u64>, ReasonSet)>, work: &mut u64) {
        while let Some((term, values, why)) = waiting.pop_front() {
            let old = Rc::clone(self.variable(&term).expect("only variables wait"));
            // Others may have taken something since.
            let left: Vec<u64> = values
                .iter()
                .filter(|v| old.values.binary_search(v).is_ok())
                .copied()
                .collect();
            if left.len() == old.values.len() {
                continue;
            }
            let why = match left.len() == values.len() {
                // The words are those of the reasons given: no more are needed.
                true => why,
                false => union(&old.why, &why),
            };
            if left.is_empty() {
                self.refuted = Some(why);
                return;
            }
            let mut variable = TableVariable::clone(&old);
            variable.values = left.into();
            variable.why = Rc::clone(&why);
            let values = Rc::clone(&variable.values);
            let relations = variable.relations.clone();
            self.put_variable(variable);
            for number in relations {
                let relation = Rc::clone(self.relation(number));
                let width = relation.columns.len();
                let at = relation.columns.iter().position(|c| *c == term);
                let at = at.expect("a relation of the variable has it");
                *work += relation.rows.len() as u64;
                let mut rows = Vec::new();
                for row in relation.rows.chunks(width) {
                    if values.binary_search(&row[at]).is_ok() {
                        rows.extend_from_slice(row);
                    }
                }
                if rows.len() < relation.rows.len() {
                    let why = union(&relation.why, &why);
                    self.set_rows(number, rows, why, &mut waiting, work);
                    if self.refuted.is_some() {
                        return;
                    }
                }
            }
        }
    }
}
