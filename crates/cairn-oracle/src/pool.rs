//! Expressions in SMT-LIB's vocabulary, with sharing: a list in which operands stand before users.
//!
//! From a pool's expression come a canonical term ([`Pool::term`]), a text ([`Pool::text`]) and a
//! value by an independent evaluation (`Pool::value`).

use crate::operator::{ArrayData, ConcreteValue, Operator, mask};
use cairn_expr::{ArrayValue, Base, BaseKind, BitVec, Model, Sort, Table, Term, TermStore, Value};
use std::collections::{BTreeMap, HashMap};

/// The place of an expression in its pool.
pub type Id = usize;

/// An expression over earlier ones.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant.
    Bits(u128),
    /// A free symbol.
    Symbol(String),
    /// A function of one operand: an array that is only read.
    Function(String),
    /// An array with given elements from index 0 on, and another element beyond.
    Table(Vec<u128>, u128),
    /// An operator over operands.
    Apply(Operator, Vec<Id>),
}

/// Expressions, each with its sort.
#[derive(Clone, Default)]
pub struct Pool {
    nodes: Vec<(Expression, Sort)>,
    by_sort: HashMap<Sort, Vec<Id>>,
    symbols: HashMap<(String, Sort), Id>,
    functions: HashMap<String, Id>,
}

/// The terms already made of a pool's expressions, for one store.
#[derive(Default)]
pub struct BuiltTerms(Vec<Option<Term>>);

/// How a text is written.
pub trait Style {
    /// How the next literal is written.
    fn literals(&mut self) -> Literals;

    /// The final text of an expression, given its plain text and its operands' final texts.
    fn finish(&mut self, id: Id, plain: String, operands: &[&str]) -> String;
}

/// How literals are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literals {
    /// `#b0101`.
    Binary,
    /// `#x5`, where the width allows.
    Hexadecimal,
    /// `(_ bv5 4)`.
    Decimal,
}

impl Pool {
    /// No expression.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The expression at a place.
    pub fn node(&self, id: Id) -> &Expression {
        &self.nodes[id].0
    }

    /// Its sort.
    pub fn sort(&self, id: Id) -> Sort {
        self.nodes[id].1
    }

    /// The places of all expressions of a sort.
    pub fn of_sort(&self, sort: Sort) -> &[Id] {
        self.by_sort.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// Adds an expression of a sort.
    pub fn push(&mut self, node: Expression, sort: Sort) -> Id {
        let id = self.nodes.len();
        self.nodes.push((node, sort));
        self.by_sort.entry(sort).or_default().push(id);
        id
    }

    /// Adds an application.
    pub fn apply(&mut self, operator: Operator, args: Vec<Id>, sort: Sort) -> Id {
        self.push(Expression::Apply(operator, args), sort)
    }

    /// The symbol of a name and sort.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> Id {
        if let Some(id) = self.symbols.get(&(name.to_string(), sort)) {
            return *id;
        }
        let id = self.push(Expression::Symbol(name.to_string()), sort);
        self.symbols.insert((name.to_string(), sort), id);
        id
    }

    /// A bit-vector constant.
    pub fn bits(&mut self, width: u32, value: u128) -> Id {
        self.push(Expression::Bits(value & mask(width)), Sort::BitVec(width))
    }

    /// The negation of a Boolean expression.
    pub fn not(&mut self, a: Id) -> Id {
        self.apply(Operator::Not, vec![a], Sort::Bool)
    }

    /// What some expressions are made of, themselves included, operands first.
    pub fn below(&self, roots: &[Id]) -> Vec<Id> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<Id> = roots.to_vec();
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            if let Expression::Apply(_, args) = self.node(id) {
                stack.extend(args);
            }
        }
        (0..self.nodes.len()).filter(|id| seen[*id]).collect()
    }

    /// The symbols in some expressions, with their sorts.
    pub fn symbols(&self, roots: &[Id]) -> Vec<(String, Sort)> {
        let names = self
            .below(roots)
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Expression::Symbol(name) | Expression::Function(name) => {
                    Some((name.clone(), self.sort(id)))
                }
                Expression::Bool(_)
                | Expression::Bits(_)
                | Expression::Table(..)
                | Expression::Apply(..) => None,
            });
        names.collect()
    }

    /// Whether a name is a function's.
    pub fn is_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// The function of a name, as an array. It is found by no [`Pool::of_sort`].
    pub fn function(&mut self, name: &str, sort: Sort) -> Id {
        if let Some(id) = self.functions.get(name) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes
            .push((Expression::Function(name.to_string()), sort));
        self.functions.insert(name.to_string(), id);
        id
    }

    /// The canonical term of an expression.
    pub fn term(&self, store: &TermStore, made: &mut BuiltTerms, root: Id) -> Term {
        made.0.resize(self.nodes.len(), None);
        if let Some(term) = &made.0[root] {
            return term.clone();
        }
        for id in self.below(&[root]) {
            if made.0[id].is_some() {
                continue;
            }
            let (node, sort) = &self.nodes[id];
            let term = match node {
                Expression::Bool(b) => store.bool(*b),
                // Some words stand for where an object begins: the same value, not computed with.
                Expression::Bits(v) if sort.width() == 64 && v % 4 == 0 => store.base(Base {
                    birth: *v as u64 % 3,
                    address: *v as u64,
                    capacity: 8,
                    alignment: 4,
                    kind: BaseKind::Heap,
                }),
                Expression::Bits(v) => store.constant(BitVec::from_u128(sort.width(), *v)),
                Expression::Symbol(name) | Expression::Function(name) => store.symbol(name, *sort),
                Expression::Table(values, default) => {
                    let (index, value) = array_widths(*sort);
                    let bv = |v: &u128| BitVec::from_u128(value, *v);
                    let values = values.iter().map(bv).collect();
                    store.table(Table::new(index, values, bv(default)))
                }
                Expression::Apply(operator, args) => {
                    let terms: Vec<Term> = args
                        .iter()
                        .map(|a| made.0[*a].clone().expect("operands stand before"))
                        .collect();
                    operator.build(store, &terms)
                }
            };
            assert_eq!(term.sort(), *sort, "{node:?} has another sort");
            made.0[id] = Some(term);
        }
        made.0[root].clone().expect("made above")
    }

    /// The values of some expressions, given the symbols'.
    pub fn values(
        &self,
        roots: &[Id],
        symbol: &dyn Fn(&str, Sort) -> ConcreteValue,
    ) -> Vec<ConcreteValue> {
        let mut values: HashMap<Id, ConcreteValue> = HashMap::new();
        for id in self.below(roots) {
            let (node, sort) = &self.nodes[id];
            let value = match node {
                Expression::Bool(b) => ConcreteValue::Bits(u128::from(*b)),
                Expression::Bits(v) => ConcreteValue::Bits(*v),
                Expression::Symbol(name) | Expression::Function(name) => symbol(name, *sort),
                Expression::Table(cells, default) => {
                    let (index, _) = array_widths(*sort);
                    let listed = cells.iter().enumerate().map(|(i, v)| (i as u128, *v));
                    ConcreteValue::Cells(ArrayData {
                        index,
                        default: *default,
                        cells: listed.filter(|(i, _)| *i <= mask(index)).collect(),
                    })
                }
                Expression::Apply(operator, args) => {
                    let sorts: Vec<Sort> = args.iter().map(|a| self.sort(*a)).collect();
                    let operands: Vec<&ConcreteValue> = args.iter().map(|a| &values[a]).collect();
                    operator.meaning(&sorts, &operands)
                }
            };
            values.insert(id, value);
        }
        roots.iter().map(|r| values[r].clone()).collect()
    }

    /// The text of an expression.
    pub fn text(&self, root: Id, style: &mut dyn Style) -> String {
        let mut texts: BTreeMap<Id, String> = BTreeMap::new();
        for id in self.below(&[root]) {
            let operands: Vec<&str> = match self.node(id) {
                Expression::Apply(_, args) => args.iter().map(|a| texts[a].as_str()).collect(),
                Expression::Bool(_)
                | Expression::Bits(_)
                | Expression::Symbol(_)
                | Expression::Function(_)
                | Expression::Table(..) => Vec::new(),
            };
            let plain = self.plain(id, &operands, style);
            let text = style.finish(id, plain, &operands);
            texts.insert(id, text);
        }
        texts.remove(&root).expect("written last")
    }

    fn plain(&self, id: Id, operands: &[&str], style: &mut dyn Style) -> String {
        let (node, sort) = &self.nodes[id];
        match node {
            Expression::Bool(b) => b.to_string(),
            Expression::Bits(v) => literal(sort.width(), *v, style.literals()),
            Expression::Symbol(name) | Expression::Function(name) => name.clone(),
            Expression::Table(cells, default) => {
                let (index, value) = array_widths(*sort);
                let fill = literal(value, *default, style.literals());
                let mut text = format!("((as const {sort}) {fill})");
                for (i, v) in (0u128..).zip(cells).take_while(|(i, _)| *i <= mask(index)) {
                    let at = literal(index, i, style.literals());
                    text = format!(
                        "(store {text} {at} {})",
                        literal(value, *v, style.literals())
                    );
                }
                text
            }
            Expression::Apply(Operator::Select, args)
                if matches!(self.node(args[0]), Expression::Function(_)) =>
            {
                format!("({})", operands.join(" "))
            }
            Expression::Apply(operator, _) => {
                format!("({} {})", operator.head(), operands.join(" "))
            }
        }
    }
}

/// A literal as text.
pub fn literal(width: u32, value: u128, style: Literals) -> String {
    match style {
        Literals::Hexadecimal if width.is_multiple_of(4) => {
            let digits = width as usize / 4;
            // Both cases are allowed.
            if value.is_multiple_of(3) {
                format!("#x{value:0digits$X}")
            } else {
                format!("#x{value:0digits$x}")
            }
        }
        Literals::Binary | Literals::Hexadecimal => format!("#b{value:0w$b}", w = width as usize),
        Literals::Decimal => format!("(_ bv{value} {width})"),
    }
}

fn array_widths(sort: Sort) -> (u32, u32) {
    match sort {
        Sort::Array { index, value } => (index, value),
        Sort::Bool | Sort::BitVec(_) => panic!("{sort} is no array"),
    }
}

/// A value of Cairn's as plain data.
pub fn data_of(value: &Value) -> ConcreteValue {
    let bits = |v: &BitVec| v.to_u128().expect("at most 128 bits");
    match value {
        Value::Bool(b) => ConcreteValue::Bits(u128::from(*b)),
        Value::Bv(v) => ConcreteValue::Bits(bits(v)),
        Value::Array(a) => ConcreteValue::Cells(ArrayData {
            index: a.index_width(),
            default: bits(a.default_value()),
            cells: a.cells().map(|(i, v)| (bits(i), bits(v))).collect(),
        }),
    }
}

/// Plain data as a value of Cairn's.
pub fn value_of(data: &ConcreteValue, sort: Sort) -> Value {
    match (data, sort) {
        (ConcreteValue::Bits(v), Sort::Bool) => Value::Bool(*v == 1),
        (ConcreteValue::Bits(v), Sort::BitVec(w)) => Value::Bv(BitVec::from_u128(w, *v)),
        (ConcreteValue::Cells(c), Sort::Array { index, value }) => {
            let mut array = ArrayValue::constant(index, BitVec::from_u128(value, c.default));
            for (i, v) in &c.cells {
                array.set(BitVec::from_u128(index, *i), BitVec::from_u128(value, *v));
            }
            Value::Array(array)
        }
        (ConcreteValue::Bits(_), Sort::Array { .. })
        | (ConcreteValue::Cells(_), Sort::Bool | Sort::BitVec(_)) => {
            panic!("{data:?} is not of sort {sort}")
        }
    }
}

/// The value a model gives a symbol, as plain data; zero if it lists none.
pub fn model_value(store: &TermStore, model: &Model, name: &str, sort: Sort) -> ConcreteValue {
    match model.get(&store.symbol(name, sort)) {
        Some(value) => data_of(value),
        None => data_of(&Value::zero(sort)),
    }
}
