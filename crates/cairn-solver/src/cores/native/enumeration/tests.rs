//! Random conditions about bytes of two bits and one open input, against all assignments.

use super::program::ByteProgram;
use super::*;
use crate::cores::native::NativeCore;
use crate::{Answer, Chain, ChainConfig, Query};
use cairn_expr::{Evaluator, TermStore};

/// Numbers that repeat.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

struct World {
    store: TermStore,
    bytes: Vec<Term>,
    open: Term,
    array: Term,
}

impl World {
    fn new() -> Self {
        let store = TermStore::new();
        let byte = |i: u32| store.symbol(&format!("b{i}"), Sort::BitVec(2));
        let bytes = (0..3).map(byte).collect();
        // Too wide to be enumerated.
        let open = store.symbol("open", Sort::BitVec(9));
        let array = store.symbol("array", Sort::Array { index: 2, value: 2 });
        World {
            store,
            bytes,
            open,
            array,
        }
    }

    fn word(&self, dice: &mut Dice, depth: u32) -> Term {
        let s = &self.store;
        if depth == 0 {
            return match dice.roll(12) {
                0 => s.bv(2, dice.roll(4)),
                1 => s.extract(&self.open, 1, 0),
                i => self.bytes[i as usize % 3].clone(),
            };
        }
        let (a, b) = (self.word(dice, depth - 1), self.word(dice, depth - 1));
        match dice.roll(14) {
            0 => s.bv_add(&a, &b),
            1 => s.bv_mul(&a, &b),
            2 => s.bv_udiv(&a, &b),
            3 => s.bv_urem(&a, &b),
            4 => s.bv_sdiv(&a, &b),
            5 => s.ite(&s.bv_ult(&a, &b), &a, &self.word(dice, depth - 1)),
            6 => s.bv_shl(&a, &b),
            7 => s.select(&s.store(&self.array, &a, &b), &self.word(dice, depth - 1)),
            // Wider than a machine word.
            8 => {
                let wide = |t: &Term| s.zero_extend(t, 90);
                s.extract(&s.bv_mul(&wide(&a), &wide(&b)), 2, 1)
            }
            9 => s.bv_neg(&s.bv_or(&a, &b)),
            10 => s.bv_srem(&a, &b),
            _ => s.bv_xor(&a, &b),
        }
    }

    fn condition(&self, dice: &mut Dice) -> Term {
        let s = &self.store;
        let (a, b) = (self.word(dice, 2), self.word(dice, 2));
        let one = match dice.roll(3) {
            0 => s.eq(&a, &b),
            1 => s.bv_ult(&a, &b),
            _ => s.bv_slt(&a, &b),
        };
        match dice.roll(3) {
            0 => s.not(&one),
            1 => s.not(&s.and(&one, &s.eq(&self.word(dice, 1), &a))),
            _ => one,
        }
    }

    /// A model for each assignment of the bytes, of the open input's low bits, and of the array's elements.
    fn models(&self) -> Vec<Model> {
        let models = (0..1u64 << 16).filter(|n| n >> 8 & 0xff == 0 || n.is_multiple_of(7));
        let model = |n: u64| {
            let mut model = Model::new();
            for (i, byte) in self.bytes.iter().enumerate() {
                model.set(byte.clone(), Value::Bv(BitVec::new(2, n >> (2 * i) & 3)));
            }
            model.set(self.open.clone(), Value::Bv(BitVec::new(9, n >> 6 & 3)));
            for i in 0..4 {
                let element = BitVec::new(2, n >> (8 + 2 * i) & 3);
                model.array_mut(&self.array).set(BitVec::new(2, i), element);
            }
            model
        };
        models.map(model).collect()
    }
}

/// What is known of a term once bytes have values is its value under all models that agree with them.
#[test]
fn what_is_known_is_so_under_all_models() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut known = 0;
    let world = World::new();
    let models = world.models();
    let mut evaluator = Evaluator::new();
    for _ in 0..60 {
        let condition = world.condition(&mut dice);
        let mut program = ByteProgram::new(&world.bytes);
        let node = program.add(&condition);
        for number in 0..64u64 {
            let value = |at: usize| number >> (4 - 2 * at) & 3;
            // Only what changes is set anew, as the enumeration does it.
            let from = match number {
                0 => 0,
                n => (0..3)
                    .find(|at| n >> (4 - 2 * at) & 3 != (n - 1) >> (4 - 2 * at) & 3)
                    .expect("another number"),
            };
            for at in from..3 {
                program.set(at, &world.bytes[at], value(at));
                let Some(truth) = program.truth(node, at) else {
                    continue;
                };
                known += 1;
                for model in &models {
                    let agrees = |i: usize| {
                        model.get(&world.bytes[i]) == Some(&Value::Bv(BitVec::new(2, value(i))))
                    };
                    if (0..=at).all(agrees) {
                        evaluator.start();
                        assert_eq!(
                            evaluator.eval_bool(&condition, model),
                            truth,
                            "{condition:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(known > 2_000, "{known}");
}

/// Paths of facts, each condition asked with the enumeration in the place of gates: SAT is checked by the chain, UNSAT
/// against a core solver without this stage.
#[test]
fn answers_along_paths_agree_with_gates() {
    let mut dice = Dice(77);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..500 {
        let world = World::new();
        let mut core = NativeCore::default();
        let reference = NativeCore::default().cdcl_only();
        let mut reference = Chain::new(vec![Box::new(reference)], ChainConfig::default());
        let mut facts = Facts::new();
        let mut start = Rc::new(Model::new());
        for _ in 0..14 {
            let goal = world.condition(&mut dice);
            let query = Query::new(facts.clone(), goal.clone());
            let conjuncts = Conjuncts::new(&query, &world.store);
            let positions = (0..conjuncts.terms.len()).collect();
            let active = ActiveConjuncts {
                start_model: Rc::clone(&start),
                positions,
                all_at_next: false,
            };
            let mut enumeration = std::mem::replace(&mut core.enumeration, Enumeration::new());
            let found = match dice.roll(2) {
                0 => enumeration.decide_by_rows(&mut core.shared, &conjuncts, &active),
                _ => enumeration.decide(&mut core.shared, &conjuncts, &active),
            };
            core.enumeration = enumeration;
            let expected = reference.solve(&world.store, &query);
            match (found, &expected) {
                (Some(StageResult::Sat(model)), Answer::Sat(_)) => {
                    let mut evaluator = Evaluator::new();
                    assert!(
                        conjuncts
                            .terms
                            .iter()
                            .all(|t| evaluator.eval_bool(t, &model))
                    );
                    sat += 1;
                }
                (Some(StageResult::Unsat(core)), Answer::Unsat(_)) => {
                    // The core by itself is what contradicts.
                    let part: Facts = core.iter().map(|&i| conjuncts.terms[i].clone()).collect();
                    let again = Query::new(part, world.store.true_());
                    let verdict = reference.solve(&world.store, &again).verdict();
                    assert_eq!(verdict, "unsat");
                    unsat += 1;
                }
                (None, _) => {}
                (Some(_), _) => panic!("another answer than {expected:?}"),
            }
            if let Answer::Sat(model) = expected {
                start = model;
                facts = facts.with(goal);
            }
        }
    }
    assert!(sat > 1_000 && unsat > 80, "{sat} {unsat}");
}
