//! Inversion, domains, labelling and model repair against enumeration, on random conditions over a few
//! three-bit symbols, a Boolean, a table and an array.

use super::super::inverse::{VariableView, solutions};
use super::super::labelling::{Labelling, label};
use super::super::model_repair::{ModelView, Repair, Variable};
use super::DomainStore;
use cairn_expr::{BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value};
use cairn_random::Random;

const W: u32 = 3;

struct Conditions {
    store: TermStore,
    random: Random,
    words: Vec<Term>,
    flag: Term,
    table: Term,
    array: Option<Term>,
}

impl Conditions {
    fn new(seed: u64, with_array: bool) -> Self {
        let store = TermStore::new();
        let mut random = Random::new(seed);
        let values = (0..8)
            .map(|_| BitVec::new(W, random.below_u64(8)))
            .collect();
        let sort = Sort::Array { index: W, value: W };
        Conditions {
            words: ["a", "b", "c"]
                .iter()
                .map(|n| store.symbol(n, Sort::BitVec(W)))
                .collect(),
            flag: store.symbol("p", Sort::Bool),
            table: store.table(Table::new(W, values, BitVec::zero(W))),
            array: with_array.then(|| store.symbol("m", sort)),
            store,
            random,
        }
    }

    fn word(&mut self, depth: u64) -> Term {
        let kind = self.random.below(if depth == 0 { 3 } else { 16 });
        if kind < 2 {
            return self.words[self.random.below(3)].clone();
        }
        if kind == 2 {
            return self.store.bv(W, self.random.below_u64(8));
        }
        let a = self.word(depth - 1);
        let b = if self.random.one_in(2) {
            self.store.bv(W, self.random.below_u64(8))
        } else {
            self.word(depth - 1)
        };
        let cut = self.random.below(W as usize) as u32;
        let s = &self.store;
        match kind {
            3..=5 => s.bv_add(&a, &b),
            6 | 7 => s.bv_mul(&a, &b),
            8 => s.bv_neg(&a),
            9 => s.bv_not(&a),
            10 => s.bv_and(&a, &b),
            11 => s.zero_extend(&s.extract(&a, W - 1, cut), cut),
            12 => s.sign_extend(&s.extract(&a, W - 1 - cut, 0), cut),
            13 if cut > 0 => s.concat(&s.extract(&a, W - 1 - cut, 0), &s.extract(&b, cut - 1, 0)),
            13 | 14 => s.select(&self.table, &a),
            _ => match &self.array {
                Some(array) if cut == 0 => s.select(&s.store(array, &b, &a), &a),
                Some(array) => s.select(array, &a),
                None => {
                    let condition = s.bv_ult(&b, &a);
                    s.ite(&condition, &a, &b)
                }
            },
        }
    }

    fn condition(&mut self) -> Term {
        let (a, b) = (self.word(2), self.word(1));
        let (c, d) = (self.word(1), self.word(0));
        let kind = self.random.below(10);
        let s = &self.store;
        let term = match kind {
            0..=2 => s.eq(&a, &b),
            3 | 4 => s.bv_ult(&a, &b),
            5 | 6 => s.bv_slt(&a, &b),
            7 => s.and(&s.bv_ult(&a, &b), &s.bv_slt(&c, &d)),
            8 => s.eq(&self.flag, &s.bv_ult(&a, &d)),
            _ => s.and(&self.flag, &s.bv_ult(&c, &b)),
        };
        if self.random.one_in(2) {
            term
        } else {
            self.store.not(&term)
        }
    }

    /// A model from its number; array elements are drawn.
    fn model(&mut self, number: u64) -> Model {
        let mut model = Model::new();
        for (i, word) in self.words.iter().enumerate() {
            let value = number >> (3 * i) & 7;
            model.set(word.clone(), Value::Bv(BitVec::new(W, value)));
        }
        model.set(self.flag.clone(), Value::Bool(number >> 9 & 1 == 1));
        if let Some(array) = self.array.clone() {
            for i in 0..self.random.below_u64(9) {
                let value = BitVec::new(W, self.random.below_u64(8));
                model.array_mut(&array).set(BitVec::new(W, i), value);
            }
        }
        model
    }
}

fn all_hold<'a>(terms: impl IntoIterator<Item = &'a Term>, model: &Model) -> bool {
    let mut evaluator = Evaluator::new();
    terms.into_iter().all(|t| evaluator.eval_bool(t, model))
}

/// With everything else fixed, inversion is exact.
#[test]
fn inversion_from_a_model() {
    let mut inverted = 0;
    for seed in 0..400 {
        let mut conditions = Conditions::new(seed, true);
        for _ in 0..100 {
            let term = conditions.condition();
            let number = conditions.random.below_u64(1 << 10);
            let mut model = conditions.model(number);
            let array = conditions.array.clone().expect("made with one");
            let variables = [
                Variable::Symbol(conditions.words[0].clone()),
                Variable::Symbol(conditions.flag.clone()),
                Variable::Cell(array, conditions.random.below_u64(8)),
            ];
            for variable in variables {
                let mut evaluator = Evaluator::new();
                let mut view = ModelView {
                    variable: &variable,
                    model: &model,
                    evaluator: &mut evaluator,
                };
                if !view.mentions(&term) {
                    continue;
                }
                let Some(found) = solutions(&term, true, &mut view) else {
                    continue;
                };
                inverted += 1;
                let before = model.clone();
                for x in 0..1 << found.width() {
                    match &variable {
                        Variable::Cell(array, index) => model
                            .array_mut(array)
                            .set(BitVec::new(W, *index), BitVec::new(W, x)),
                        Variable::Symbol(s) if s.sort() == Sort::Bool => {
                            model.set(s.clone(), Value::Bool(x == 1));
                        }
                        Variable::Symbol(s) => {
                            model.set(s.clone(), Value::Bv(BitVec::new(W, x)));
                        }
                    }
                    let holds = all_hold([&term], &model);
                    assert_eq!(found.contains(x), holds, "{term:?} at {x}: {before:?}");
                }
                model = before;
            }
        }
    }
    assert!(
        inverted > 10_000,
        "only {inverted} conditions were inverted"
    );
}

/// Domains contain every model of the facts they came from; cores have none. Facts come and go.
#[test]
fn domains_of_paths() {
    let (mut refuted, mut labelled, mut repaired, mut open) = (0, 0, 0, 0);
    for seed in 0..400 {
        let mut conditions = Conditions::new(1000 + seed, false);
        let models: Vec<Model> = (0..1 << 10).map(|n| conditions.model(n)).collect();
        let mut domains = DomainStore::new();
        let mut path: Vec<Term> = Vec::new();
        for _ in 0..12 {
            let keep = conditions.random.below(path.len() + 3);
            path.truncate(keep);
            path.push(conditions.condition());
            let terms: Vec<&Term> = path.iter().collect();
            if let Some(core) = domains.enter(&terms) {
                refuted += 1;
                let core: Vec<&Term> = core.iter().map(|i| terms[*i]).collect();
                assert!(!models.iter().any(|m| all_hold(core.iter().copied(), m)));
                continue;
            }
            for domain in domains.domains.values() {
                let reasons: Vec<&Term> =
                    domain.reasons.iter().map(|r| terms[*r as usize]).collect();
                for m in models
                    .iter()
                    .filter(|m| all_hold(reasons.iter().copied(), m))
                {
                    let word = match m.get(&domain.symbol) {
                        Some(Value::Bool(b)) => u64::from(*b),
                        Some(Value::Bv(v)) => v.low_u64(),
                        _ => 0,
                    };
                    assert!(domain.set.contains(word), "{reasons:?}: {:?}", domain.set);
                }
            }
            let base = &models[conditions.random.below(1 << 10)];
            let wrong = (0..terms.len()).filter(|i| !all_hold([terms[*i]], base));
            let wrong: Vec<usize> = wrong.collect();
            let mut evaluator = Evaluator::new();
            match label(&mut domains, &terms, &wrong, base, &mut evaluator) {
                Labelling::Model(model, _) => {
                    labelled += 1;
                    assert!(all_hold(terms.iter().copied(), &model));
                }
                Labelling::Unsat(core) => {
                    let core: Vec<&Term> = core.iter().map(|i| terms[*i]).collect();
                    assert!(!models.iter().any(|m| all_hold(core.iter().copied(), m)));
                }
                Labelling::GaveUp => open += 1,
            }
            assert_eq!(domains.len(), terms.len());
            let repair = Repair::new(&terms, base, &mut evaluator, &domains);
            if let Some((model, _)) = repair.run(wrong) {
                repaired += 1;
                assert!(all_hold(terms.iter().copied(), &model));
            }
        }
    }
    let counts = (refuted, labelled, repaired, open);
    assert!(
        refuted > 200 && labelled > 1000 && repaired > 1000 && open > 100,
        "{counts:?}"
    );
}
