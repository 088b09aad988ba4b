//! The layers against a reference that knows every assignment.
//!
//! Streams of queries grow trees of facts over a handful of small symbols, as paths do. Every
//! query goes through several chains: ordered subsets of the four layers over a reference core
//! that enumerates. Verdicts, models and cores are checked against the enumeration, and so is
//! every claim a layer makes to the core behind it.

use cairn_expr::{ArrayValue, BitVec, Evaluator, Model, Sort, Term, TermStore, Value};
use cairn_solver::layers::{ExactCache, ModelCache, Simplify, Slice};
use cairn_solver::{
    AddressFact, Answer, Chain, ChainConfig, Facts, Layer, Query, Reason, Rest, UnsatCore, Want,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// A small generator with a fixed sequence.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// The assignments under which something holds, one bit each.
type Truth = Vec<u64>;

fn meet(a: &mut Truth, b: &Truth) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x &= y);
}

fn some_index(truth: &Truth, random: &mut Random) -> Option<usize> {
    let all: Vec<usize> = (0..truth.len() * 64)
        .filter(|i| truth[i / 64] >> (i % 64) & 1 == 1)
        .collect();
    (!all.is_empty()).then(|| *random.pick(&all))
}

fn is_empty(truth: &Truth) -> bool {
    truth.iter().all(|w| *w == 0)
}

/// All assignments of some symbols, each with an evaluator of its own.
struct Universe {
    models: Vec<Model>,
    evaluators: Vec<Evaluator>,
    truths: HashMap<Term, Truth>,
}

impl Universe {
    fn new(symbols: &[Term]) -> Self {
        let mut models = vec![Model::new()];
        for s in symbols {
            let values = values_of(s.sort());
            models = models
                .iter()
                .flat_map(|m| {
                    values.iter().map(|v| {
                        let mut m = m.clone();
                        m.set(s.clone(), v.clone());
                        m
                    })
                })
                .collect();
        }
        Universe {
            evaluators: models.iter().map(|_| Evaluator::new()).collect(),
            models,
            truths: HashMap::new(),
        }
    }

    fn everything(&self) -> Truth {
        let n = self.models.len();
        (0..n.div_ceil(64))
            .map(|i| u64::MAX >> (64 - (n - i * 64).min(64)))
            .collect()
    }

    fn truth(&mut self, term: &Term) -> Truth {
        if let Some(t) = self.truths.get(term) {
            return t.clone();
        }
        let mut truth = vec![0; self.models.len().div_ceil(64)];
        for (i, (m, e)) in self.models.iter().zip(&mut self.evaluators).enumerate() {
            truth[i / 64] |= u64::from(e.eval_bool(term, m)) << (i % 64);
        }
        self.truths.insert(term.clone(), truth.clone());
        truth
    }

    fn addresses(&self, addresses: &[AddressFact]) -> Truth {
        let mut truth = self.everything();
        for (i, m) in self.models.iter().enumerate() {
            let agrees = addresses
                .iter()
                .all(|a| m.get(&a.symbol) == Some(&Value::Bv(a.value.clone())));
            if !agrees {
                truth[i / 64] &= !(1 << (i % 64));
            }
        }
        truth
    }

    fn all<'a>(
        &mut self,
        terms: impl IntoIterator<Item = &'a Term>,
        addresses: &[AddressFact],
    ) -> Truth {
        let mut truth = self.addresses(addresses);
        for t in terms {
            meet(&mut truth, &self.truth(t));
        }
        truth
    }
}

fn values_of(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1u64 << w)
            .map(|v| Value::Bv(BitVec::new(w, v)))
            .collect(),
        Sort::Array { index, value } => {
            let cells = 1u32 << index;
            (0..1u64 << (cells * value))
                .map(|bits| match Value::zero(sort) {
                    Value::Array(mut a) => {
                        for i in 0..cells {
                            let v = bits >> (i * value) & ((1 << value) - 1);
                            a.set(BitVec::new(index, u64::from(i)), BitVec::new(value, v));
                        }
                        Value::Array(a)
                    }
                    Value::Bool(_) | Value::Bv(_) => unreachable!(),
                })
                .collect()
        }
    }
}

/// The core that enumerates. It varies what it is free to vary: which model, what the model
/// lists besides, how small the core is, and whether it answers at all.
struct Reference {
    universe: Rc<RefCell<Universe>>,
    random: Random,
    gives_up: bool,
}

impl Layer for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        let mut u = self.universe.borrow_mut();
        let facts = query.facts.to_vec();
        let alone = u.all(&facts, &query.addresses);
        assert!(
            !query.facts_sat || !is_empty(&alone),
            "a layer called unsatisfiable facts satisfiable"
        );
        if self.gives_up && self.random.one_in(6) {
            return Answer::Unknown(Reason::Conflicts);
        }
        let mut both = alone;
        meet(&mut both, &u.truth(&query.goal));
        if let Some(i) = some_index(&both, &mut self.random) {
            let mut model = u.models[i].clone();
            if self.random.one_in(2) {
                // Only what the query mentions, and zeros not listed.
                let conjuncts = query.conjuncts();
                let mentioned = cairn_expr::symbols_of(&conjuncts);
                let named: HashSet<Term> = query
                    .addresses
                    .iter()
                    .map(|a| a.symbol.clone())
                    .chain(mentioned)
                    .collect();
                let mut fewer = Model::new();
                for (s, v) in model.iter() {
                    if named.contains(s) && *v != Value::zero(s.sort()) {
                        fewer.set(s.clone(), v.clone());
                    }
                }
                model = fewer;
            }
            if self.random.one_in(2) {
                model = with_other_defaults(&model, &mut self.random);
            }
            return Answer::Sat(Rc::new(model));
        }
        let mut core: Vec<(Term, bool)> = facts.into_iter().map(|f| (f, false)).collect();
        core.push((query.goal.clone(), true));
        if query.want == Want::Core || self.random.one_in(2) {
            let mut i = 0;
            while i < core.len() {
                let without: Vec<Term> = core
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| *j != i)
                    .map(|(_, (t, _))| t.clone())
                    .collect();
                if is_empty(&u.all(&without, &query.addresses)) {
                    core.remove(i);
                } else {
                    i += 1;
                }
            }
        }
        Answer::Unsat(UnsatCore {
            goal: core.iter().any(|(_, goal)| *goal),
            facts: core
                .into_iter()
                .filter(|(_, goal)| !goal)
                .map(|(t, _)| t)
                .collect(),
        })
    }
}

/// The same model with its arrays written down differently.
fn with_other_defaults(model: &Model, random: &mut Random) -> Model {
    let mut other = Model::new();
    for (s, v) in model.iter() {
        let v = match v {
            Value::Array(a) => {
                let index = |i: u64| BitVec::new(a.index_width(), i);
                let size = 1u64 << a.index_width();
                let default = a.get(&index(random.next() % size)).clone();
                let mut same = ArrayValue::constant(a.index_width(), default);
                for i in (0..size).map(index) {
                    let element = a.get(&i).clone();
                    same.set(i, element);
                }
                Value::Array(same)
            }
            Value::Bool(_) | Value::Bv(_) => v.clone(),
        };
        other.set(s.clone(), v);
    }
    other
}

fn layer(name: &str) -> Box<dyn Layer> {
    match name {
        "simplify" => Box::<Simplify>::default(),
        "slice" => Box::<Slice>::default(),
        "exact-cache" => Box::<ExactCache>::default(),
        "model-cache" => Box::<ModelCache>::default(),
        other => panic!("no layer {other}"),
    }
}

/// Every subset of the layers in every order.
fn arrangements() -> Vec<Vec<&'static str>> {
    let names = ["simplify", "slice", "exact-cache", "model-cache"];
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    let mut from = 0;
    while from < all.len() {
        for name in names {
            if !all[from].contains(&name) {
                let mut longer = all[from].clone();
                longer.push(name);
                all.push(longer);
            }
        }
        from += 1;
    }
    assert_eq!(all.len(), 65);
    all
}

/// Makes terms over the symbols of a universe.
struct Maker<'a> {
    s: &'a TermStore,
    random: Random,
    scalars: Vec<Term>,
    arrays: Vec<Term>,
    bools: Vec<Term>,
}

impl<'a> Maker<'a> {
    fn new(s: &'a TermStore, symbols: &[Term], random: Random) -> Self {
        let with = |f: fn(Sort) -> bool| -> Vec<Term> {
            symbols.iter().filter(|t| f(t.sort())).cloned().collect()
        };
        Maker {
            s,
            random,
            scalars: with(|s| matches!(s, Sort::BitVec(_))),
            arrays: with(Sort::is_array),
            bools: with(|s| s == Sort::Bool),
        }
    }

    fn fitted(&mut self, t: &Term, w: u32) -> Term {
        let have = t.width();
        if have > w {
            let lo = self.random.below((have - w + 1) as usize) as u32;
            self.s.extract(t, lo + w - 1, lo)
        } else if have == w {
            t.clone()
        } else if self.random.one_in(2) {
            self.s.zero_extend(t, w - have)
        } else {
            self.s.sign_extend(t, w - have)
        }
    }

    fn bv(&mut self, w: u32, depth: u32) -> Term {
        let s = self.s;
        let leaf = depth == 0 || self.random.one_in(3);
        if leaf {
            let choice = self.random.below(6);
            if choice == 0 || self.scalars.is_empty() && self.arrays.is_empty() {
                return s.bv(w, self.random.next() & ((1 << w) - 1));
            }
            if self.scalars.is_empty() || choice == 1 && !self.arrays.is_empty() {
                let cell = self.cell(true);
                return self.fitted(&cell, w);
            }
            let symbol = self.random.pick(&self.scalars).clone();
            return self.fitted(&symbol, w);
        }
        let choice = self.random.below(14);
        if choice == 0 {
            let c = self.boolean(depth - 1);
            let (a, b) = (self.bv(w, depth - 1), self.bv(w, depth - 1));
            return s.ite(&c, &a, &b);
        }
        if choice <= 2 && !self.arrays.is_empty() {
            let cell = self.cell(false);
            return self.fitted(&cell, w);
        }
        let (a, b) = (self.bv(w, depth - 1), self.bv(w, depth - 1));
        match choice {
            3 => s.bv_and(&a, &b),
            4 => s.bv_or(&a, &b),
            5 => s.bv_xor(&a, &b),
            6 => s.bv_mul(&a, &b),
            7 => s.bv_urem(&a, &b),
            8 => s.bv_udiv(&a, &b),
            9 => s.bv_shl(&a, &b),
            10 => s.bv_not(&a),
            _ => s.bv_add(&a, &b),
        }
    }

    fn cell(&mut self, constant: bool) -> Term {
        let s = self.s;
        let array = self.random.pick(&self.arrays).clone();
        let Sort::Array { index, value } = array.sort() else {
            unreachable!()
        };
        let place = |me: &mut Self| {
            if constant || me.random.one_in(2) {
                s.bv(index, me.random.next() & ((1 << index) - 1))
            } else {
                me.bv(index, 1)
            }
        };
        let at = place(self);
        if constant || self.random.one_in(2) {
            return s.select(&array, &at);
        }
        let (other, v) = (place(self), self.bv(value, 1));
        s.select(&s.store(&array, &other, &v), &at)
    }

    fn boolean(&mut self, depth: u32) -> Term {
        let s = self.s;
        let choice = self.random.below(if depth == 0 { 4 } else { 10 });
        let w = match self.scalars.as_slice() {
            [] => 1,
            some => self.random.pick(some).width(),
        };
        match choice {
            0 if !self.bools.is_empty() => self.random.pick(&self.bools).clone(),
            0 | 1 => {
                let (a, b) = (self.bv(w, 0), self.bv(w, depth.min(1)));
                s.eq(&a, &b)
            }
            2 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, 0));
                s.bv_ult(&a, &b)
            }
            3 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, depth));
                s.eq(&a, &b)
            }
            4 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.and(&a, &b)
            }
            5 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.or(&a, &b)
            }
            6 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.eq(&a, &b)
            }
            7 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, depth));
                s.bv_slt(&a, &b)
            }
            8 if !self.arrays.is_empty() && self.random.one_in(3) => {
                let a = self.random.pick(&self.arrays).clone();
                let b = self.random.pick(&self.arrays).clone();
                let Sort::Array { index, value } = a.sort() else {
                    unreachable!()
                };
                let (i, v) = (self.bv(index, 0), self.bv(value, 0));
                if a.sort() == b.sort() {
                    s.eq(&a, &s.store(&b, &i, &v))
                } else {
                    s.eq(&a, &s.const_array(index, &v))
                }
            }
            _ => {
                let a = self.boolean(depth - 1);
                s.not(&a)
            }
        }
    }
}

/// Sets of symbols of eight bits together.
fn symbols(s: &TermStore, which: usize) -> Vec<Term> {
    let bv = |name: &str, w: u32| s.symbol(name, Sort::BitVec(w));
    let boolean = |name: &str| s.symbol(name, Sort::Bool);
    let array = |name: &str, index: u32, value: u32| s.symbol(name, Sort::Array { index, value });
    match which % 6 {
        0 => vec![
            bv("x", 2),
            bv("y", 2),
            bv("z", 2),
            boolean("p"),
            boolean("q"),
        ],
        1 => vec![bv("x", 3), bv("y", 3), boolean("p"), boolean("q")],
        2 => vec![array("A", 1, 2), bv("x", 1), bv("y", 2), boolean("p")],
        3 => vec![array("A", 2, 1), bv("i", 2), bv("x", 1), boolean("p")],
        4 => {
            let mut all: Vec<Term> = (0..4).map(|i| bv(&format!("b{i}"), 1)).collect();
            all.extend((0..4).map(|i| boolean(&format!("p{i}"))));
            all
        }
        _ => vec![
            array("A", 1, 1),
            array("B", 1, 1),
            bv("x", 2),
            boolean("p"),
            boolean("q"),
        ],
    }
}

/// A query as it was put, with what it should say.
struct Asked {
    query: Query,
    satisfiable: bool,
}

fn check(u: &mut Universe, asked: &Asked, answer: &Answer, may_give_up: bool, who: &str) {
    let query = &asked.query;
    match answer {
        Answer::Sat(model) => {
            assert!(asked.satisfiable, "{who} says sat: {query:?}");
            let mut e = Evaluator::new();
            for t in query.conjuncts() {
                assert!(e.eval_bool(&t, model), "{who}: the model violates {t:?}");
            }
            for a in query.addresses.iter() {
                assert_eq!(e.eval_bv(&a.symbol, model), a.value, "{who}");
            }
        }
        Answer::Unsat(core) => {
            assert!(!asked.satisfiable, "{who} says unsat: {query:?}");
            let facts: HashSet<Term> = query.facts.iter().cloned().collect();
            for f in &core.facts {
                assert!(facts.contains(f), "{who}: {f:?} is no fact of {query:?}");
            }
            let goal = core.goal.then_some(&query.goal);
            let left = u.all(core.facts.iter().chain(goal), &query.addresses);
            assert!(is_empty(&left), "{who}: {core:?} is no core of {query:?}");
        }
        Answer::Unknown(reason) => {
            let gave_up = may_give_up && *reason == Reason::Conflicts;
            assert!(gave_up, "{who} says {reason}: {query:?}");
        }
    }
}

/// Grows one tree of facts and asks along it. Returns the number of answers checked.
fn stream(seed: u64, totals: &mut BTreeMap<&'static str, [u64; 3]>) -> u64 {
    let s = TermStore::new();
    let mut random = Random(seed);
    let list = symbols(&s, seed as usize);
    let universe = Rc::new(RefCell::new(Universe::new(&list)));
    let mut maker = Maker::new(&s, &list, Random(seed ^ 0x5EED));
    let gives_up = seed % 7 == 3;
    let all = arrangements();
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for k in 0..6 {
        // The default order every time, the others in turn.
        let names = if k == 0 {
            vec!["simplify", "slice", "exact-cache", "model-cache"]
        } else {
            all[(seed as usize * 5 + k) % all.len()].clone()
        };
        let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
        layers.push(Box::new(Reference {
            universe: Rc::clone(&universe),
            random: Random(seed ^ k as u64),
            gives_up,
        }));
        let chain = Chain::new(layers, ChainConfig::default());
        chains.push((format!("seed {seed}: {}", names.join(",")), chain));
    }
    let address_lists = address_lists(&list, &mut random);
    let mut nodes: Vec<Facts> = vec![Facts::new()];
    let mut said: Vec<Term> = vec![s.true_()];
    let mut checked = 0;
    // Small goals leave many parts, large ones few.
    let depth = 1 + (seed / 6) as u32 % 3;
    for _ in 0..60 {
        let at = if random.one_in(4) {
            random.below(nodes.len())
        } else {
            nodes.len() - 1
        };
        let facts = nodes[at].clone();
        let goal = match random.below(5) {
            0 => random.pick(&said).clone(),
            1 => s.not(random.pick(&said)),
            2 => s.and(&random.pick(&said).clone(), &maker.boolean(depth - 1)),
            _ => maker.boolean(depth),
        };
        said.push(goal.clone());
        let addresses = Rc::clone(random.pick(&address_lists));
        let mut u = universe.borrow_mut();
        let alone = u.all(facts.iter(), &addresses);
        let mut both = alone.clone();
        meet(&mut both, &u.truth(&goal));
        drop(u);
        let asked = Asked {
            query: Query {
                facts_sat: !is_empty(&alone) && !random.one_in(3),
                want: random
                    .pick(&[Want::Verdict, Want::Model, Want::Core])
                    .clone(),
                addresses,
                ..Query::new(facts.clone(), goal.clone())
            },
            satisfiable: !is_empty(&both),
        };
        for (who, chain) in &mut chains {
            let answer = chain.solve(&s, &asked.query);
            check(&mut universe.borrow_mut(), &asked, &answer, gives_up, who);
            checked += 1;
        }
        // A path goes on with a side that can be taken; now and then with one that cannot.
        if random.one_in(3) {
            s.sweep();
        }
        if facts.len() < 12 && (asked.satisfiable || random.one_in(8)) {
            nodes.push(facts.with(goal));
        } else if facts.len() < 12 {
            nodes.push(facts.with(s.not(&goal)));
        }
    }
    for (_, chain) in &chains {
        for (name, stats) in chain.stats() {
            let total = totals.entry(name).or_default();
            total[0] += stats.asked;
            total[1] += stats.sat;
            total[2] += stats.unsat;
        }
    }
    checked
}

/// Mostly no address; else values for one or two bit-vector symbols, and another list too.
fn address_lists(symbols: &[Term], random: &mut Random) -> Vec<Rc<[AddressFact]>> {
    let scalars: Vec<Term> = symbols
        .iter()
        .filter(|t| matches!(t.sort(), Sort::BitVec(_)))
        .cloned()
        .collect();
    if !random.one_in(3) {
        return vec![Rc::new([])];
    }
    let mut list = |n: usize| -> Rc<[AddressFact]> {
        scalars
            .iter()
            .take(n)
            .map(|t| AddressFact {
                symbol: t.clone(),
                value: BitVec::new(t.width(), random.next() & ((1 << t.width()) - 1)),
            })
            .collect()
    };
    match list(1).len() {
        0 => vec![Rc::new([])],
        _ => vec![list(1), list(2), Rc::new([]), list(1)],
    }
}

#[test]
fn every_arrangement_answers_right() {
    let streams = if cfg!(debug_assertions) { 20 } else { 240 };
    let mut totals = BTreeMap::new();
    let checked: u64 = (0..streams).map(|seed| stream(seed, &mut totals)).sum();
    println!("{checked} answers checked; asked, sat, unsat by layer: {totals:?}");
    for name in ["simplify", "slice", "exact-cache", "model-cache"] {
        let [asked, sat, unsat] = totals[name];
        assert!(asked > 0, "{name} was not asked");
        assert!(sat + unsat > 0, "{name} decided nothing by itself");
    }
    // Simplify cannot find models; the caches must decide both ways.
    assert!(totals["simplify"][2] > 0);
    assert!(totals["exact-cache"][1] > 0 && totals["exact-cache"][2] > 0);
    assert!(totals["model-cache"][1] > 0 && totals["model-cache"][2] > 0);
}

/// The reference, telling what it was asked.
struct Probe {
    inner: Reference,
    seen: Rc<RefCell<Vec<Query>>>,
}

impl Layer for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        self.seen.borrow_mut().push(query.clone());
        self.inner.solve(query, rest)
    }
}

/// Some layers over a probe, and what reaches it.
fn probed(names: &[&str], symbols: &[Term]) -> (Chain, Rc<RefCell<Vec<Query>>>) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
    layers.push(Box::new(Probe {
        inner: Reference {
            universe: Rc::new(RefCell::new(Universe::new(symbols))),
            random: Random(1),
            gives_up: false,
        },
        seen: Rc::clone(&seen),
    }));
    (Chain::new(layers, ChainConfig::default()), seen)
}

fn core_of(answer: Answer) -> (HashSet<Term>, bool) {
    match answer {
        Answer::Unsat(core) => (core.facts.into_iter().collect(), core.goal),
        Answer::Sat(_) | Answer::Unknown(_) => panic!("expected unsat, got {answer:?}"),
    }
}

fn set(terms: &[&Term]) -> HashSet<Term> {
    terms.iter().map(|t| (*t).clone()).collect()
}

fn counter(chain: &Chain, layer: &str, name: &str) -> u64 {
    let all = chain.counters();
    let (_, list) = all.iter().find(|(l, _)| *l == layer).expect("the layer");
    list.iter()
        .find(|(n, _)| *n == name)
        .expect("the counter")
        .1
}

#[test]
fn simplify_follows_equalities_and_names_exactly_the_facts_it_used() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["simplify"], &[x.clone(), y.clone(), z.clone()]);
    let x_is = s.eq(&x, &s.bv_add(&y, &s.bv(2, 1)));
    let y_is = s.eq(&y, &s.bv(2, 2));
    let other = s.bv_ult(&z, &s.bv(2, 2));
    let facts = Facts::new()
        .with(x_is.clone())
        .with(other)
        .with(y_is.clone());
    let no = chain.solve(&s, &Query::new(facts.clone(), s.eq(&x, &s.bv(2, 0))));
    assert_eq!(core_of(no), (set(&[&x_is, &y_is]), true));
    assert!(seen.borrow().is_empty());
    assert!(
        chain
            .solve(&s, &Query::new(facts.clone(), s.eq(&x, &s.bv(2, 3))))
            .is_sat()
    );
    // What is handed on is the goal's rest under the very list of facts that came.
    let asked = seen.borrow();
    assert!(asked[0].goal.is_true() && asked[0].facts.same(&facts));
}

#[test]
fn simplify_knows_cells_bits_and_whole_facts() {
    let s = TermStore::new();
    let a = s.symbol("A", Sort::Array { index: 1, value: 2 });
    let b = s.symbol("b", Sort::BitVec(1));
    let [p, q] = ["p", "q"].map(|n| s.symbol(n, Sort::Bool));
    let all = [a.clone(), b.clone(), p.clone(), q.clone()];
    let (mut chain, seen) = probed(&["simplify"], &all);
    let cell = s.select(&a, &s.bv(1, 1));
    let cell_is = s.eq(&cell, &s.bv(2, 3));
    let bit_is = s.eq(&b, &s.bv(1, 0));
    let p_or_q = s.or(&p, &q);
    let not_p = s.not(&p);
    let facts: Facts = [&cell_is, &bit_is, &not_p, &p_or_q]
        .map(Term::clone)
        .into_iter()
        .collect();
    let mut refuse = |goal: Term, used: &[&Term]| {
        let answer = chain.solve(&s, &Query::new(facts.clone(), goal));
        assert_eq!(core_of(answer), (set(used), true));
    };
    refuse(s.bv_ult(&cell, &s.bv(2, 3)), &[&cell_is]);
    refuse(s.eq(&b, &s.bv(1, 1)), &[&bit_is]);
    // The disjunction shrank to q when it came, p being known to be false.
    refuse(s.not(&q), &[&p_or_q, &not_p]);
    refuse(s.and(&q, &p), &[&not_p]);
    assert!(seen.borrow().is_empty());
    let facts = facts.with(s.not(&q));
    let answer = chain.solve(&s, &Query::new(facts, s.true_()));
    assert_eq!(
        core_of(answer),
        (set(&[&p_or_q, &not_p, &s.not(&q)]), false)
    );
    assert!(seen.borrow().is_empty());
}

#[test]
fn simplify_puts_addresses_in_and_completes_cores_from_behind() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["simplify"], &[x.clone(), y.clone(), z.clone()]);
    let x_is = s.eq(&x, &y);
    let small = s.bv_ult(&x, &z);
    let facts = Facts::new().with(x_is.clone()).with(small.clone());
    let mut query = Query::new(facts, s.bv_ult(&z, &y)).wanting(Want::Core);
    // Behind, the equality is not needed any more; for the goal as it was put, it is.
    let answer = chain.solve(&s, &query);
    assert_eq!(core_of(answer), (set(&[&x_is, &small]), true));
    assert_eq!(seen.borrow()[0].goal, s.bv_ult(&z, &x));
    query.addresses = Rc::new([AddressFact {
        symbol: z.clone(),
        value: BitVec::new(2, 0),
    }]);
    query.goal = s.bv_ult(&s.bv_and(&z, &x), &z);
    let answer = chain.solve(&s, &query);
    assert_eq!(core_of(answer), (set(&[]), true));
    assert_eq!(seen.borrow().len(), 1);
}

#[test]
fn slice_asks_only_about_what_is_connected() {
    let s = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| s.symbol(n, Sort::BitVec(2)));
    let (mut chain, seen) = probed(&["slice"], &[x.clone(), y.clone(), z.clone()]);
    let above = |t: &Term, n: u64| s.bv_ult(&s.bv(2, n), t);
    let first = s.and(&above(&x, 0), &above(&y, 1));
    let facts = Facts::new().with(first.clone()).with(above(&z, 0));
    let query = Query::new(facts.clone(), s.eq(&x, &s.bv(2, 2))).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    {
        let asked = seen.borrow();
        assert_eq!(asked[0].facts.to_vec(), vec![above(&x, 0)]);
        assert!(asked[0].facts_sat);
        // The models of the other parts were missing: asked once.
        assert_eq!(asked.len(), 3);
    }
    assert!(chain.solve(&s, &query).is_sat());
    assert_eq!(seen.borrow().len(), 4);
    // A conjunct's core is its fact's; a fact more leaves the part's list as it was before it.
    let more = facts.with(s.bv_ult(&x, &s.bv(2, 3)));
    let answer = chain.solve(
        &s,
        &Query::new(more, s.eq(&x, &s.bv(2, 0))).wanting(Want::Core),
    );
    assert_eq!(core_of(answer), (set(&[&first]), true));
    let asked = seen.borrow();
    let (before, after) = (&asked[3].facts, &asked[4].facts);
    assert_eq!(after.len(), 2);
    assert!(after.parent().expect("two facts").same(before));
}

#[test]
fn slice_asks_the_same_merged_list_again_and_its_child_extends_it() {
    let s = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| s.symbol(n, Sort::BitVec(3)));
    let (mut chain, seen) = probed(&["slice"], &[x.clone(), y.clone()]);
    let facts = Facts::new()
        .with(s.bv_ult(&x, &s.bv(3, 6)))
        .with(s.bv_ult(&y, &s.bv(3, 5)));
    let goal = s.bv_ult(&x, &y);
    for g in [goal.clone(), s.not(&goal)] {
        let query = Query::new(facts.clone(), g).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
    }
    let query = Query::new(facts.with(goal.clone()), s.eq(&x, &s.bv(3, 2))).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    let asked = seen.borrow();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].facts.same(&asked[1].facts));
    assert!(
        asked[2]
            .facts
            .parent()
            .expect("facts")
            .same(&asked[0].facts)
    );
    assert_eq!(asked[2].facts.last(), Some(&goal));
}

#[test]
fn slice_keeps_cells_apart_until_the_whole_array_is_mentioned() {
    let s = TermStore::new();
    let a = s.symbol("A", Sort::Array { index: 2, value: 1 });
    let i = s.symbol("i", Sort::BitVec(2));
    let (mut chain, seen) = probed(&["slice"], &[a.clone(), i.clone()]);
    let cell = |n: u64| s.eq(&s.select(&a, &s.bv(2, n)), &s.bv(1, 1));
    let facts: Facts = (0..3).map(cell).collect();
    let query = Query::new(facts.clone(), s.not(&cell(3))).assuming_facts_sat();
    let Answer::Sat(model) = chain.solve(&s, &query) else {
        panic!("satisfiable")
    };
    let Some(Value::Array(value)) = model.get(&a) else {
        panic!("A is listed")
    };
    let cells: Vec<bool> = (0..4)
        .map(|n| value.get(&BitVec::new(2, n)).is_one())
        .collect();
    assert_eq!(cells, [true, true, true, false]);
    assert!(seen.borrow()[0].facts.is_empty());
    let somewhere = s.eq(&s.select(&a, &i), &s.bv(1, 0));
    let query = Query::new(facts, somewhere).assuming_facts_sat();
    assert!(chain.solve(&s, &query).is_sat());
    let asked = seen.borrow();
    assert_eq!(asked.last().expect("asked").facts.len(), 3);
}

/// Answers with zeros, and tells what it was asked.
struct Zeros(Rc<RefCell<Vec<Query>>>);

impl Layer for Zeros {
    fn name(&self) -> &'static str {
        "zeros"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        self.0.borrow_mut().push(query.clone());
        Answer::Sat(Rc::new(Model::new()))
    }
}

#[test]
fn slice_follows_facts_with_more_inputs_than_a_term_lists() {
    let s = TermStore::new();
    let a = s.symbol(
        "A",
        Sort::Array {
            index: 32,
            value: 8,
        },
    );
    let cell = |n: u64| s.select(&a, &s.bv(32, n));
    let any = (0..300).fold(s.bv(8, 0), |t, n| s.bv_or(&t, &cell(n)));
    let wide = s.bv_ult(&any, &s.bv(8, 5));
    assert!(matches!(
        wide.attributes().support,
        cairn_expr::Support::Many
    ));
    let facts = Facts::new().with(wide.clone());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let layers: Vec<Box<dyn Layer>> = vec![layer("slice"), Box::new(Zeros(Rc::clone(&seen)))];
    let mut chain = Chain::new(layers, ChainConfig::default());
    for (n, connected) in [(299, true), (300, false), (0, true)] {
        let goal = s.bv_ult(&cell(n), &s.bv(8, 3));
        let query = Query::new(facts.clone(), goal).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
        let expected = if connected {
            vec![wide.clone()]
        } else {
            vec![]
        };
        let last = seen.borrow().last().expect("asked").facts.to_vec();
        assert_eq!(last, expected);
    }
}

#[test]
fn exact_cache_knows_a_query_by_its_set_and_addresses() {
    let s = TermStore::new();
    let [p, q, r] = ["p", "q", "r"].map(|n| s.symbol(n, Sort::Bool));
    let b = s.symbol("b", Sort::BitVec(1));
    let all = [p.clone(), q.clone(), r.clone(), b.clone()];
    let (mut chain, seen) = probed(&["exact-cache"], &all);
    let either = s.or(&p, &q);
    let list = |terms: &[&Term]| -> Facts { terms.iter().map(|t| (*t).clone()).collect() };
    let (no_p, no_q) = (s.not(&p), s.not(&q));
    let first = Query::new(list(&[&either, &no_p, &r]), no_q.clone());
    assert!(chain.solve(&s, &first).is_unsat());
    // Another order, another goal, a fact twice.
    let again = Query::new(list(&[&r, &no_q, &no_p, &r]), either.clone());
    let (facts, _) = core_of(chain.solve(&s, &again));
    assert!(facts.is_subset(&set(&[&r, &no_q, &no_p])));
    // The goal among the facts.
    let inside = Query::new(list(&[&r, &no_q, &no_p, &either]), no_q.clone());
    let (_, goal) = core_of(chain.solve(&s, &inside));
    assert!(!goal);
    assert_eq!(seen.borrow().len(), 1);
    // A core that nobody made small does not answer who wants a small one.
    let small = first.clone().wanting(Want::Core);
    let answer = chain.solve(&s, &small);
    assert_eq!(core_of(answer), (set(&[&either, &no_p]), true));
    assert_eq!(seen.borrow().len(), 2);
    assert!(chain.solve(&s, &small).is_unsat());
    assert_eq!(seen.borrow().len(), 2);
    let bit = s.eq(&b, &s.bv(1, 1));
    for value in [1, 0, 1, 0] {
        let mut query = Query::new(list(&[&p]), bit.clone());
        query.addresses = Rc::new([AddressFact {
            symbol: b.clone(),
            value: BitVec::new(1, value),
        }]);
        assert_eq!(chain.solve(&s, &query).is_sat(), value == 1);
    }
    assert_eq!(seen.borrow().len(), 4);
    assert_eq!(counter(&chain, "exact-cache", "hits"), 5);
}

#[test]
fn model_cache_reuses_models_and_cores_of_other_queries() {
    let s = TermStore::new();
    let [x, y] = ["x", "y"].map(|n| s.symbol(n, Sort::BitVec(3)));
    let (mut chain, seen) = probed(&["model-cache"], &[x.clone(), y.clone()]);
    let is = |t: &Term, n: u64| s.eq(t, &s.bv(3, n));
    let facts = Facts::new().with(is(&x, 5));
    // Zeros do not satisfy this; the answer's model does the rest of the path.
    assert!(
        chain
            .solve(&s, &Query::new(facts.clone(), is(&y, 2)))
            .is_sat()
    );
    assert_eq!(seen.borrow().len(), 1);
    let mut path = facts.with(is(&y, 2));
    for n in 3..8 {
        let goal = s.not(&is(&y, n));
        let query = Query::new(path.clone(), goal.clone()).assuming_facts_sat();
        assert!(chain.solve(&s, &query).is_sat());
        path = path.with(goal);
    }
    assert_eq!(seen.borrow().len(), 1);
    // A core is found in another query that contains it, whichever member is the goal.
    let odd = s.eq(&s.extract(&x, 0, 0), &s.bv(1, 0));
    let query = Query::new(facts.clone(), odd.clone()).wanting(Want::Core);
    assert!(chain.solve(&s, &query).is_unsat());
    assert_eq!(seen.borrow().len(), 2);
    let elsewhere = Facts::new().with(is(&y, 1)).with(odd.clone());
    let query = Query::new(elsewhere, is(&x, 5)).assuming_facts_sat();
    assert_eq!(core_of(chain.solve(&s, &query)), (set(&[&odd]), true));
    // Not only with the goal, if the facts are not known to be satisfiable.
    let query = Query::new(facts.with(odd.clone()), is(&y, 7));
    assert_eq!(
        core_of(chain.solve(&s, &query)),
        (set(&[&odd, &is(&x, 5)]), false)
    );
    assert_eq!(seen.borrow().len(), 2);
    assert_eq!(counter(&chain, "model-cache", "cores"), 2);
}

/// Decides queries whose conjuncts are all `input = constant` or its negation. Quick on lists it
/// has seen the beginning of, and gives each new question another value where it can.
#[derive(Default)]
struct Disequalities {
    turn: u64,
    seen: Facts,
    excluded: HashMap<Term, HashSet<u64>>,
}

impl Disequalities {
    /// Brings `excluded` to the facts of a query.
    fn read(&mut self, facts: &Facts) {
        let shared = facts.prefixes().take(9).find(|f| f.same(&self.seen));
        if shared.is_none() {
            self.excluded.clear();
        }
        let kept = shared.map_or(0, Facts::len);
        for t in facts.iter().take(facts.len() - kept) {
            assert!(matches!(t.op(), cairn_expr::Op::Not));
            let (input, value) = Self::sides(t.arg(0));
            self.excluded.entry(input).or_default().insert(value);
        }
        self.seen = facts.clone();
    }

    fn sides(equality: &Term) -> (Term, u64) {
        let value = equality.arg(1).as_const().and_then(BitVec::to_u64);
        (equality.arg(0).clone(), value.expect("a constant"))
    }
}

impl Layer for Disequalities {
    fn name(&self) -> &'static str {
        "disequalities"
    }

    fn solve(&mut self, query: &Query, _rest: &mut Rest<'_>) -> Answer {
        self.turn += 1;
        self.read(&query.facts);
        let mut wanted: HashMap<Term, u64> = HashMap::new();
        let mut unwanted: HashMap<Term, u64> = HashMap::new();
        match query.goal.op() {
            cairn_expr::Op::Bool(true) => {}
            cairn_expr::Op::Not => unwanted.extend([Self::sides(query.goal.arg(0))]),
            _ => wanted.extend([Self::sides(&query.goal)]),
        }
        let none = HashSet::new();
        let mut model = Model::new();
        let inputs: HashSet<&Term> = self
            .excluded
            .keys()
            .chain(wanted.keys())
            .chain(unwanted.keys())
            .collect();
        for input in inputs {
            let excluded = self.excluded.get(input).unwrap_or(&none);
            let size = 1u64 << input.width();
            let free = |v: &u64| !excluded.contains(v) && unwanted.get(input) != Some(v);
            let found = match wanted.get(input) {
                Some(v) => Some(*v).filter(free),
                None => (0..size)
                    .map(|i| (size - 1 - i + self.turn * 7) % size)
                    .find(free),
            };
            let Some(v) = found else {
                return Answer::Unsat(UnsatCore {
                    facts: query.facts.to_vec(),
                    goal: true,
                });
            };
            let v = BitVec::new(input.width(), v);
            match input.args() {
                [] => model.set(input.clone(), Value::Bv(v)),
                [array, index] => {
                    let index = index.as_const().expect("a cell").clone();
                    model.array_mut(array).set(index, v);
                }
                _ => unreachable!(),
            }
        }
        Answer::Sat(Rc::new(model))
    }
}

/// Walks down one path of `n` facts, asking both sides of each branch; the time in the layers.
fn walk(names: &[&str], n: usize, inputs: usize, width: u32) -> (Duration, Vec<String>) {
    let s = TermStore::new();
    let array = s.symbol(
        "input",
        Sort::Array {
            index: 32,
            value: width,
        },
    );
    let mut layers: Vec<Box<dyn Layer>> = names.iter().map(|n| layer(n)).collect();
    layers.push(Box::<Disequalities>::default());
    // The chain's own check looks at the whole path for each new model. That is not what is
    // measured here, and it drives everything else out of the processor's caches.
    let config = ChainConfig {
        check_models: false,
    };
    let mut chain = Chain::new(layers, config);
    let mut path = Facts::new();
    for k in 0..n {
        // Each input meets new values all the time, so that every branch has two sides.
        let cell = s.select(&array, &s.bv(32, (k % inputs) as u64));
        let goal = s.eq(&cell, &s.bv(width, (k / inputs) as u64));
        for side in [goal.clone(), s.not(&goal)] {
            let query = Query::new(path.clone(), side).assuming_facts_sat();
            assert!(chain.solve(&s, &query).is_sat(), "{names:?} {k}");
        }
        path = path.with(s.not(&goal));
    }
    let stats = chain.stats();
    let time = stats[..names.len()].iter().map(|(_, s)| s.time).sum();
    let text = stats
        .iter()
        .map(|(name, s)| format!("{name} {} {}+{} {:?}", s.asked, s.sat, s.unsat, s.time));
    (time, text.collect())
}

#[test]
fn a_deep_path_costs_in_proportion_to_its_length() {
    let long = if cfg!(debug_assertions) { 1600 } else { 5000 };
    let all = ["simplify", "slice", "exact-cache", "model-cache"];
    let mut chains: Vec<Vec<&str>> = all.iter().map(|n| vec![*n]).collect();
    chains.push(all.to_vec());
    for names in &chains {
        // Many parts, and one part that is as long as the path.
        for (inputs, width) in [(64, 8), (1, 16)] {
            // Four times as long: four times the time, sixteen times if it were quadratic. Very
            // short times say nothing, and a busy machine only makes them longer: one good
            // measurement out of some is enough.
            let proportional = (0..5).any(|_| {
                let (short, _) = walk(names, long / 4, inputs, width);
                let (full, text) = walk(names, long, inputs, width);
                let text = text.join("; ");
                println!("{inputs} inputs: {short:?} then {full:?}: {text}");
                full < (short * 9).max(Duration::from_millis(60))
            });
            assert!(proportional, "{names:?} over {inputs} inputs");
        }
    }
}

#[test]
fn long_lists_and_chains_of_equalities_need_no_stack() {
    let s = TermStore::new();
    let n = 30_000;
    let symbol = |i: usize| s.symbol(&format!("v{i}"), Sort::BitVec(16));
    let mut facts = Facts::new().with(s.eq(&symbol(0), &s.bv(16, 1)));
    for i in 1..n {
        let next = s.bv_add(&symbol(i - 1), &s.bv(16, 1));
        facts = facts.with(s.eq(&symbol(i), &next));
    }
    let layers: Vec<Box<dyn Layer>> = vec![layer("simplify")];
    let mut chain = Chain::new(layers, ChainConfig::default());
    let goal = s.eq(&symbol(n - 1), &s.bv(16, 5));
    let (core, goal) = core_of(chain.solve(&s, &Query::new(facts.clone(), goal)));
    assert!(goal && core.len() == n);
    drop((chain, facts, core));
    // The partition of a long list, asked for at once.
    let facts: Facts = (0..n)
        .map(|i| s.not(&s.eq(&symbol(i), &s.bv(16, 7))))
        .collect();
    let layers: Vec<Box<dyn Layer>> = vec![
        layer("slice"),
        layer("exact-cache"),
        layer("model-cache"),
        Box::<Disequalities>::default(),
    ];
    let mut chain = Chain::new(layers, ChainConfig::default());
    let query = Query::new(facts, s.eq(&symbol(3), &s.bv(16, 9)));
    assert!(chain.solve(&s, &query).is_sat());
}
