//! Models repaired word by word.
//!
//! - **Problem.** A model of the path violates a new condition. Mostly one variable need only be
//!   moved to where all conditions about it hold; a search over gates assigns hundreds
//!   of bits to find that out.
//! - **Idea.** For each variable of the violated condition, the values it may have with all others
//!   fixed are computed by inversion (`inverse.rs`) of every condition that mentions it, and
//!   intersected. If one is left, the variable is moved there. Otherwise it is moved to where
//!   most hold and those that no other variable can mend do; the variable then rests, and
//!   what is violated now is repaired in turn. A variable is a symbol, or the
//!   element of an array that is read under the present model.
//! - **Soundness.** Nothing is believed: the caller evaluates the result.
//! - **Cost.** Half a microsecond for each condition that mentions a variable tried, at most
//!   [`MOST_INVERSIONS`] and [`MOST_STEPS`] moves.

use super::bounds::Bounds;
use super::inverse::{View, solutions};
use super::ranges::Ranges;
use cairn_expr::{BitVec, Evaluator, Model, Op, Sort, Support, Term, Value};

/// Moves after which the repair is given up.
const MOST_STEPS: usize = 16;
/// Inversions after which it is too.
const MOST_INVERSIONS: usize = 1000;
/// Larger conditions are not inverted.
const LARGEST: u64 = 200;

/// What can be moved.
#[derive(Clone, PartialEq, Eq)]
pub enum Variable {
    /// A scalar symbol.
    Symbol(Term),
    /// An element of an array symbol.
    Cell(Term, u64),
}

impl Variable {
    /// Its symbol.
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
    bounds: &'a Bounds,
    /// Moved already.
    resting: Vec<Variable>,
    inversions: usize,
}

/// A variable seen from the present model.
pub struct Moving<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// The model.
    pub model: &'a Model,
    /// Values of terms under the model.
    pub evaluator: &'a mut Evaluator,
}

impl View for Moving<'_> {
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

    fn values(&mut self, term: &Term) -> Option<Ranges> {
        Some(match self.evaluator.eval(term, self.model) {
            Value::Bool(b) => Ranges::point(1, u64::from(b)),
            Value::Bv(v) if v.width() <= 64 => Ranges::point(v.width(), v.low_u64()),
            Value::Bv(_) | Value::Array(_) => return None,
        })
    }

    fn indices(&mut self, array: &Term, elements: &Ranges) -> Option<Ranges> {
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
                Ranges::places(index, elements, listed, default)
            }
            _ => Ranges::places(index, elements, std::iter::empty(), 0),
        }
    }
}

/// Where a variable may go.
struct Choice {
    value: u64,
    /// Conditions that will not hold.
    lost: usize,
}

impl<'a> Repair<'a> {
    /// A repair of a model of most terms.
    pub fn new(
        terms: &'a [&'a Term],
        base: &Model,
        evaluator: &'a mut Evaluator,
        bounds: &'a Bounds,
    ) -> Self {
        Repair {
            terms,
            model: base.clone(),
            evaluator,
            bounds,
            resting: Vec::new(),
            inversions: 0,
        }
    }

    /// The moved model and the variables that were moved, if all terms seem to hold now.
    pub fn run(mut self, mut violated: Vec<usize>) -> Option<(Model, Vec<Variable>)> {
        self.evaluator.start();
        for _ in 0..MOST_STEPS {
            let Some(position) = violated.pop() else {
                return Some((self.model, self.resting));
            };
            if self.evaluator.eval_bool(self.terms[position], &self.model) {
                continue;
            }
            let mut best: Option<(Variable, Choice)> = None;
            for variable in self.variables(self.terms[position])? {
                if self.resting.contains(&variable) {
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
            self.resting.push(variable);
        }
        None
    }

    fn view<'b>(&'b mut self, variable: &'b Variable) -> Moving<'b> {
        Moving {
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

    /// The variables of a term, or `None` if it is too large to look at.
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

    /// Where a variable can go so that the term at a position holds.
    fn choose(&mut self, variable: &Variable, position: usize) -> Option<Choice> {
        let terms = self.terms;
        let mut set = solutions(terms[position], true, &mut self.view(variable))?;
        if let Variable::Symbol(symbol) = variable
            && let Some(bound) = self.bounds.of(symbol)
        {
            set = set.intersect(bound)?;
        }
        let mut soft: Vec<Ranges> = Vec::new();
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
                // Looked at when the variable has moved.
                None => {}
                Some(s) if s.is_full() => {}
                Some(s) if self.settled(term, variable) => set = set.intersect(&s)?,
                Some(s) => soft.push(s),
            }
        }
        for s in soft {
            match set.intersect(&s) {
                Some(both) if !both.is_empty() => set = both,
                _ => lost += 1,
            }
        }
        let value = set.nearest(self.value(variable))?;
        Some(Choice { value, lost })
    }

    /// Whether only this variable can still mend a term.
    fn settled(&self, term: &Term, variable: &Variable) -> bool {
        let Support::Keys(keys) = &term.attributes().support else {
            return false;
        };
        keys.iter().all(|k| {
            let is = |v: &Variable| matches!(v, Variable::Symbol(s) if s.id() == k.symbol);
            is(variable) || self.resting.iter().any(is)
        })
    }
}
