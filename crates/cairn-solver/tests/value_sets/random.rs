//! Random paths against brute force.

use super::chain;
use cairn_expr::{Evaluator, Model, Sort, Term, TermStore, Value};
use cairn_random::Random;
use cairn_solver::{Answer, Chain, Facts, Query};

const WIDTH: u32 = 4;

struct Shapes<'a> {
    store: &'a TermStore,
    inputs: Vec<Term>,
    bits: Vec<Term>,
}

impl Shapes<'_> {
    fn constant(&self, n: &mut Random) -> Term {
        self.store.bv(WIDTH, n.below_u64(1 << WIDTH))
    }

    fn word(&self, n: &mut Random, depth: u32) -> Term {
        let s = self.store;
        if depth == 0 || n.one_in(5) {
            return n.pick(&self.inputs).clone();
        }
        let a = self.word(n, depth - 1);
        let b = if !n.one_in(3) {
            self.constant(n)
        } else {
            self.word(n, depth - 1)
        };
        match n.below(18) {
            0 | 1 => s.bv_add(&a, &b),
            2 => s.bv_sub(&b, &a),
            3 => s.bv_mul(&a, &b),
            4 => s.bv_udiv(&a, &b),
            5 => s.bv_urem(&a, &b),
            6 => s.bv_sdiv(&a, &b),
            7 => s.bv_srem(&a, &b),
            8 => s.bv_and(&a, &b),
            9 => s.bv_or(&a, &b),
            10 => s.bv_xor(&a, &b),
            11 => s.bv_shl(&a, &b),
            12 => s.bv_lshr(&a, &b),
            13 => s.bv_ashr(&a, &b),
            14 => s.bv_not(&a),
            15 => s.extract(&s.zero_extend(&s.bv_mul(&a, &b), 2), WIDTH, 1),
            16 => s.extract(&s.concat(&a, &b), WIDTH + 1, 2),
            _ => s.ite(&self.comparison(n, depth - 1), &a, &b),
        }
    }

    fn comparison(&self, n: &mut Random, depth: u32) -> Term {
        let s = self.store;
        let a = self.word(n, depth);
        let b = if !n.one_in(4) {
            self.constant(n)
        } else {
            self.word(n, depth)
        };
        let (a, b) = if n.one_in(4) { (b, a) } else { (a, b) };
        match n.below(8) {
            0 => s.eq(&a, &b),
            1 => s.bv_slt(&a, &b),
            2 => s.bv_sle(&a, &b),
            3 => s.bv_ult(&s.zero_extend(&a, 2), &s.bv(WIDTH + 2, n.below_u64(40))),
            4 => s.bv_slt(&s.sign_extend(&a, 2), &s.bv(WIDTH + 2, n.below_u64(64))),
            5 => s.bv_ule(&a, &b),
            _ => s.bv_ult(&a, &b),
        }
    }

    fn fact(&self, n: &mut Random) -> Term {
        let s = self.store;
        let depth = n.below(3) as u32;
        let one = self.comparison(n, depth);
        let one = match n.below(12) {
            0 => s.or(&one, &self.comparison(n, depth)),
            1 => s.and(&one, &self.comparison(n, depth)),
            2 => s.or(&one, n.pick(&self.bits)),
            3 => n.pick(&self.bits).clone(),
            _ => one,
        };
        if n.one_in(2) { s.not(&one) } else { one }
    }

    /// Which assignments satisfy a term, as bits.
    fn table(&self, term: &Term) -> Vec<bool> {
        let mut evaluator = Evaluator::new();
        let words = 1usize << (WIDTH as usize * self.inputs.len() + self.bits.len());
        (0..words)
            .map(|assignment| {
                let mut model = Model::new();
                let mut rest = assignment as u64;
                for input in &self.inputs {
                    let word = cairn_expr::BitVec::new(WIDTH, rest & ((1 << WIDTH) - 1));
                    model.set(input.clone(), Value::Bv(word));
                    rest >>= WIDTH;
                }
                for bit in &self.bits {
                    model.set(bit.clone(), Value::Bool(rest & 1 == 1));
                    rest >>= 1;
                }
                evaluator.start();
                evaluator.eval_bool(term, &model)
            })
            .collect()
    }
}

/// Paths that fork like an engine's, all chains, every answer and every core checked by brute
/// force; models are checked by the chain itself.
#[test]
fn random_paths_by_brute_force() {
    let paths: u64 =
        std::env::var("CAIRN_VALUE_SET_PATHS").map_or(150, |n| n.parse().expect("a number"));
    let lists = [
        "intervals",
        "slice,intervals",
        "strided:first",
        "slice,strided:first",
        "strided:middle",
        "slice,strided:middle",
        "value-sets",
        "slice,value-sets",
        "path-sets",
        "path-sets,simplify,slice,value-sets,exact-cache,model-cache",
    ];
    for path in 0..paths {
        let mut n = Random::new(path);
        let store = TermStore::new();
        let inputs = (0..2)
            .map(|i| store.symbol(&format!("x{i}"), Sort::BitVec(WIDTH)))
            .collect();
        let bits = vec![store.symbol("p", Sort::Bool)];
        let shapes = Shapes {
            store: &store,
            inputs,
            bits,
        };
        let mut chains: Vec<(&str, Chain)> = lists.iter().map(|l| (*l, chain(l))).collect();
        let mut facts = Facts::new();
        let mut solutions = shapes.table(&store.true_());
        for _ in 0..8 {
            let goal = shapes.fact(&mut n);
            let sides = [goal.clone(), store.not(&goal)];
            let mut possible: Vec<(Term, Vec<bool>)> = Vec::new();
            for side in sides {
                let table = shapes.table(&side);
                let left: Vec<bool> = solutions
                    .iter()
                    .zip(&table)
                    .map(|(a, b)| *a && *b)
                    .collect();
                let sat = left.contains(&true);
                for (name, chain) in &mut chains {
                    let mut query = Query::new(facts.clone(), side.clone());
                    query.facts_sat = n.one_in(2);
                    match (chain.solve(&store, &query), sat) {
                        (Answer::Sat(_), true) => {}
                        (Answer::Unsat(core), false) => {
                            let members = core.facts.iter().chain(core.goal.then_some(&side));
                            let all = store.and_all(&members.cloned().collect::<Vec<_>>());
                            assert!(
                                !shapes.table(&all).contains(&true),
                                "{name} on path {path}: unsat core"
                            );
                        }
                        (answer, _) => panic!(
                            "{name} on path {path}: {answer:?}, facts {facts:?}, goal {side:?}"
                        ),
                    }
                }
                if sat {
                    possible.push((side, left));
                }
            }
            let (fact, left) = possible.swap_remove(n.below(possible.len()));
            facts = facts.with(fact);
            solutions = left;
        }
    }
}
