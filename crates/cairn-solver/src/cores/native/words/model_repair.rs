//! Model repair: a few words of a model are changed so that it satisfies a violated condition.
//!
//! # Problem
//! A model of the path violates a new condition. Mostly one variable need only move to where all conditions
//! about it hold; a search over gates assigns hundreds of bits to find that out.
//!
//! # Idea
//! For each variable of a violated condition, invert every condition that mentions it with all other
//! variables fixed (`inverse.rs`), and intersect the solutions. If a value is left, the variable moves
//! there. Otherwise it moves to where most conditions hold, and certainly those that no other variable can
//! satisfy any more; it then stays, and the conditions that it violates are repaired in turn. A variable is
//! a symbol, or the element of an array that is read under the present model. This is propagation-based
//! local search \[NiemetzPreinerBiere17\].
//!
//! # What differs
//! Moves go to a value of the intersection of solution sets rather than to one inverse value, no variable
//! moves twice, and there is no random choice.
//!
//! # Soundness
//! The caller evaluates the result.
//!
//! # Cost
//! About half a microsecond for each condition that mentions a variable tried; at most [`MOST_INVERSIONS`]
//! inversions and [`MOST_STEPS`] moves.
//!
//! # Counters
//! `repaired`.

use super::domains::DomainStore;
use super::inverse::{VariableView, solutions};
use cairn_domain::RangeSet;
use cairn_expr::{BitVec, Evaluator, Model, Op, Sort, Support, Term, Value};

/// Moves after which the repair gives up.
const MOST_STEPS: usize = 16;
/// Inversions after which the repair gives up.
const MOST_INVERSIONS: usize = 1000;
/// Larger conditions are not inverted.
const LARGEST: u64 = 200;

/// A variable of the repair.
#[derive(Clone, PartialEq, Eq)]
pub enum Variable {
    /// A scalar symbol.
    Symbol(Term),
    /// An element of an array symbol.
    Cell(Term, u64),
}

impl Variable {
    /// The symbol.
    pub fn symbol(&self) -> &Term {
        match self {
            Variable::Symbol(symbol) | Variable::Cell(symbol, _) => symbol,
        }
    }

    fn width(&self) -> u32 {
        match self.symbol().sort() {
            Sort::Bool => 1,
            Sort::BitVec(w) => w,
            Sort::Array { value, .. } => value,
        }
    }
}

/// A model under repair.
pub struct Repair<'a> {
    terms: &'a [&'a Term],
    model: Model,
    evaluator: &'a mut Evaluator,
    domains: &'a DomainStore,
    /// Variables that were moved; they stay where they are.
    moved: Vec<Variable>,
    inversions: usize,
}

/// A variable, with the present model for all other terms.
pub struct ModelView<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// The model.
    pub model: &'a Model,
    /// Values of terms under the model.
    pub evaluator: &'a mut Evaluator,
}

impl VariableView for ModelView<'_> {
    fn width(&self) -> u32 {
        self.variable.width()
    }

    fn is_variable(&mut self, term: &Term) -> bool {
        matches!(self.variable, Variable::Symbol(symbol) if symbol == term)
    }

    fn is_cell(&mut self, array: &Term, index: u64) -> bool {
        matches!(self.variable, Variable::Cell(a, i) if a == array && *i == index)
    }

    fn mentions(&mut self, term: &Term) -> bool {
        let Support::Keys(keys) = &term.attributes().support else {
            return true;
        };
        match self.variable {
            Variable::Symbol(symbol) => keys.iter().any(|k| k.symbol == symbol.id()),
            Variable::Cell(array, index) => {
                let listed = keys
                    .iter()
                    .any(|k| k.symbol == array.id() && k.cell.is_none_or(|c| c == *index));
                if !listed {
                    return false;
                }
                if term.attributes().tree_size > LARGEST {
                    return true;
                }
                match term.op() {
                    Op::Symbol(_) => true,
                    Op::Select if term.arg(0) == array => {
                        let at = self.evaluator.eval_bv(term.arg(1), self.model);
                        at.to_u64() == Some(*index) || self.mentions(term.arg(1))
                    }
                    _ => term.args().iter().any(|t| self.mentions(t)),
                }
            }
        }
    }

    fn values(&mut self, term: &Term) -> Option<RangeSet> {
        Some(match self.evaluator.eval(term, self.model) {
            Value::Bool(b) => RangeSet::point(1, u64::from(b)),
            Value::Bv(v) if v.width() <= 64 => RangeSet::point(v.width(), v.low_u64()),
            Value::Bv(_) | Value::Array(_) => return None,
        })
    }

    fn indices(&mut self, array: &Term, elements: &RangeSet) -> Option<RangeSet> {
        let Sort::Array { index, .. } = array.sort() else {
            return None;
        };
        if matches!(self.variable, Variable::Cell(a, _) if a == array) {
            return None;
        }
        match self.model.get(array) {
            Some(Value::Array(value)) => {
                let listed = value.cells().map(|(i, v)| Some((i.to_u64()?, v.to_u64()?)));
                let default = value.default_value().to_u64()?;
                RangeSet::indices_holding(index, elements, listed, default)
            }
            _ => RangeSet::indices_holding(index, elements, std::iter::empty(), 0),
        }
    }
}

/// A move of a variable.
struct Move {
    value: u64,
    /// How many conditions it violates.
    lost: usize,
}

impl<'a> Repair<'a> {
    /// A repair of a model that satisfies most terms.
    pub fn new(
        terms: &'a [&'a Term],
        base: &Model,
        evaluator: &'a mut Evaluator,
        domains: &'a DomainStore,
    ) -> Self {
        Repair {
            terms,
            model: base.clone(),
            evaluator,
            domains,
            moved: Vec::new(),
            inversions: 0,
        }
    }

    /// The moved model and the variables that were moved, if all terms seem to hold now.
    pub fn run(mut self, mut violated: Vec<usize>) -> Option<(Model, Vec<Variable>)> {
        self.evaluator.start();
        for _ in 0..MOST_STEPS {
            let Some(position) = violated.pop() else {
                return Some((self.model, self.moved));
            };
            if self.evaluator.eval_bool(self.terms[position], &self.model) {
                continue;
            }
            let mut best: Option<(Variable, Move)> = None;
            for variable in self.variables(self.terms[position])? {
                if self.moved.contains(&variable) {
                    continue;
                }
                if let Some(choice) = self.choose(&variable, position)
                    && best.as_ref().is_none_or(|(_, b)| choice.lost < b.lost)
                {
                    let perfect = choice.lost == 0;
                    best = Some((variable, choice));
                    if perfect {
                        break;
                    }
                }
            }
            let (variable, choice) = best?;
            self.set(&variable, choice.value);
            for (i, term) in self.terms.iter().enumerate() {
                if self.view(&variable).mentions(term)
                    && !violated.contains(&i)
                    && !self.evaluator.eval_bool(term, &self.model)
                {
                    violated.push(i);
                }
            }
            self.moved.push(variable);
        }
        None
    }

    fn view<'b>(&'b mut self, variable: &'b Variable) -> ModelView<'b> {
        ModelView {
            variable,
            model: &self.model,
            evaluator: self.evaluator,
        }
    }

    fn value(&self, variable: &Variable) -> u64 {
        let value = match (variable, self.model.get(variable.symbol())) {
            (Variable::Symbol(_), Some(Value::Bool(b))) => return u64::from(*b),
            (Variable::Symbol(_), Some(Value::Bv(v))) => v.to_u64(),
            (Variable::Cell(_, i), Some(Value::Array(cells))) => {
                let at = BitVec::new(cells.index_width(), *i);
                cells.get(&at).to_u64()
            }
            _ => None,
        };
        value.unwrap_or(0)
    }

    fn set(&mut self, variable: &Variable, value: u64) {
        match variable {
            Variable::Symbol(symbol) => {
                let value = match symbol.sort() {
                    Sort::Bool => Value::Bool(value == 1),
                    _ => Value::Bv(BitVec::new(symbol.width(), value)),
                };
                self.model.set(symbol.clone(), value);
            }
            Variable::Cell(array, index) => {
                let value = BitVec::new(variable.width(), value);
                let cells = self.model.array_mut(array);
                cells.set(BitVec::new(cells.index_width(), *index), value);
            }
        }
        self.evaluator.start();
    }

    /// The variables of a term; `None` if it is too large.
    fn variables(&mut self, term: &Term) -> Option<Vec<Variable>> {
        if term.attributes().tree_size > LARGEST {
            return None;
        }
        let mut found: Vec<Variable> = Vec::new();
        let mut stack = vec![term.clone()];
        while let Some(t) = stack.pop() {
            let variable = match (t.op(), t.sort()) {
                (Op::Symbol(_), Sort::Bool) => Some(Variable::Symbol(t)),
                (Op::Symbol(_), Sort::BitVec(w)) if w <= 64 => Some(Variable::Symbol(t)),
                (Op::Select, Sort::BitVec(w)) if w <= 64 => {
                    stack.push(t.arg(1).clone());
                    if matches!(t.arg(0).op(), Op::Symbol(_)) {
                        let at = self.evaluator.eval_bv(t.arg(1), &self.model);
                        at.to_u64().map(|at| Variable::Cell(t.arg(0).clone(), at))
                    } else {
                        stack.push(t.arg(0).clone());
                        None
                    }
                }
                _ => {
                    stack.extend(t.args().iter().cloned());
                    None
                }
            };
            if let Some(variable) = variable
                && !found.contains(&variable)
            {
                found.push(variable);
            }
        }
        Some(found)
    }

    /// The best move of a variable after which the term at a position holds.
    fn choose(&mut self, variable: &Variable, position: usize) -> Option<Move> {
        let terms = self.terms;
        let mut set = solutions(terms[position], true, &mut self.view(variable))?;
        if let Variable::Symbol(symbol) = variable
            && let Some(bound) = self.domains.of(symbol)
        {
            set = set.intersect(bound)?;
        }
        let mut optional: Vec<RangeSet> = Vec::new();
        let mut lost = 0;
        for (i, term) in terms.iter().enumerate() {
            if set.is_empty() {
                return None;
            }
            if i == position || !self.view(variable).mentions(term) {
                continue;
            }
            self.inversions += 1;
            if self.inversions > MOST_INVERSIONS {
                return None;
            }
            let inverted = if term.attributes().tree_size > LARGEST {
                None
            } else {
                solutions(term, true, &mut self.view(variable))
            };
            match inverted {
                // Evaluated when the variable has moved.
                None => {}
                Some(s) if s.is_full() => {}
                Some(s) if self.is_last_of(term, variable) => set = set.intersect(&s)?,
                Some(s) => optional.push(s),
            }
        }
        for s in optional {
            match set.intersect(&s) {
                Some(both) if !both.is_empty() => set = both,
                _ => lost += 1,
            }
        }
        let value = set.nearest(self.value(variable))?;
        Some(Move { value, lost })
    }

    /// Whether this variable is the only one of a term that was not moved yet.
    fn is_last_of(&self, term: &Term, variable: &Variable) -> bool {
        let Support::Keys(keys) = &term.attributes().support else {
            return false;
        };
        keys.iter().all(|k| {
            let is = |v: &Variable| matches!(v, Variable::Symbol(s) if s.id() == k.symbol);
            is(variable) || self.moved.iter().any(is)
        })
    }
}
