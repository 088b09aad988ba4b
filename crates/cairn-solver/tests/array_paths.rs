//! Random paths about arrays, every answer against all inputs.
//!
//! Objects are tables, written tables, and arrays of symbols. They are read and written by one, two and
//! four bytes at aligned and unaligned places, and what was written with one size is read with another:
//! a type says nothing about where an index can be, and a rule that believes so is caught here. Paths
//! fork like an engine's. Every way to solve arrays is asked, by itself and after all layers, and with
//! axioms for the smallest tables. `CAIRN_ARRAY_PATHS` is how many paths are tried.

use cairn_expr::{
    ArrayValue, BitVec, Evaluator, Model, Sort, Table, Term, TermStore, Value, low_zeros,
};
use cairn_random::Random;
use cairn_solver::cores::native::{ArrayEncoding, NativeCore};
use cairn_solver::layers::FewValues;
use cairn_solver::{
    Answer, Chain, ChainConfig, CoreName, Facts, Layer, LayerList, Query, list_array_settings,
    with_arrays,
};

/// An object of memory: an array of words of some bytes.
#[derive(Clone)]
struct Object {
    array: Term,
    /// Bytes of an element.
    element: u32,
    index_bits: u32,
}

/// What a path is about, and everything that its inputs can be.
struct World<'a> {
    store: &'a TermStore,
    /// Each input as a byte.
    bytes: Vec<Term>,
    objects: Vec<Object>,
    /// Facts that bound inputs and say what arrays of symbols hold: they begin every path.
    premises: Vec<Term>,
    /// Every assignment that satisfies the premises.
    models: Vec<Model>,
}

/// Elements of a table: anything, runs of equal ones, or runs that rise by a step.
fn elements(n: &mut Random, count: u64, width: u32) -> Vec<BitVec> {
    let mut list = Vec::new();
    let (mut value, mut step) = (n.below_u64(1 << 16), 0);
    for i in 0..count {
        if i == 0 || n.one_in(6) {
            value = n.below_u64(1 << 16) * 0x1_0001;
            step = *n.pick(&[0, 0, 1, 3, 255, 0x0101_0101]);
        }
        list.push(BitVec::new(width, value & (u64::MAX >> (64 - width))));
        value = value.wrapping_add(step) & 0xffff_ffff;
    }
    list
}

/// A word with zeros above, or its low part.
fn resized(s: &TermStore, term: &Term, width: u32) -> Term {
    match term.width() {
        w if w < width => s.zero_extend(term, width - w),
        w if w > width => s.extract(term, width - 1, 0),
        _ => term.clone(),
    }
}

impl<'a> World<'a> {
    fn new(store: &'a TermStore, n: &mut Random) -> Self {
        let mut world = World {
            store,
            bytes: Vec::new(),
            objects: Vec::new(),
            premises: Vec::new(),
            models: vec![Model::new()],
        };
        let count = 2 + n.below_u64(2);
        for i in 0..count {
            world.input(n, i, if count == 2 { 4 } else { 3 });
        }
        for i in 0..1 + n.below_u64(2) {
            let object = world.object(n, i);
            world.objects.push(object);
        }
        world
    }

    /// One more input: a byte that a fact bounds, or a word of as many bits.
    fn input(&mut self, n: &mut Random, number: u64, bits: u32) {
        let s = self.store;
        let name = format!("x{number}");
        let wide = n.one_in(2);
        let symbol = s.symbol(&name, Sort::BitVec(if wide { 8 } else { bits }));
        if wide {
            self.premises.push(s.bv_ult(&symbol, &s.bv(8, 1 << bits)));
        }
        self.bytes.push(resized(s, &symbol, 8));
        let width = symbol.width();
        self.models = (0..1u64 << bits)
            .flat_map(|value| {
                let word = Value::Bv(BitVec::new(width, value));
                let symbol = symbol.clone();
                self.models.iter().map(move |model| {
                    let mut model = model.clone();
                    model.set(symbol.clone(), word.clone());
                    model
                })
            })
            .collect();
    }

    fn object(&mut self, n: &mut Random, number: u64) -> Object {
        let s = self.store;
        let element = *n.pick(&[1, 1, 2, 4]);
        let width = 8 * element;
        if n.one_in(3) {
            return self.symbols(n, number, element);
        }
        let index_bits = *n.pick(&[3, 5, 6, 8]);
        let count = *n.pick(&[4, 7, 16, 32]);
        let list = elements(n, count, width);
        let default = *n.pick(&[0, 0, 200]);
        let table = Table::new(index_bits, list, BitVec::new(width, default));
        Object {
            array: s.table(table),
            element,
            index_bits,
        }
    }

    /// An array of symbols, each element of which is a function of the inputs by a premise.
    fn symbols(&mut self, n: &mut Random, number: u64, element: u32) -> Object {
        let s = self.store;
        let (index_bits, width) = (2 + n.below(2) as u32, 8 * element);
        let sort = Sort::Array {
            index: index_bits,
            value: width,
        };
        let array = s.symbol(&format!("a{number}"), sort);
        let held: Vec<Term> = (0..1u64 << index_bits)
            .map(|_| {
                let byte = n.pick(&self.bytes).clone();
                let byte = s.bv_mul(&byte, &s.bv(8, *n.pick(&[0, 1, 1, 5])));
                let word = s.bv_add(&byte, &s.bv(8, n.below_u64(256)));
                resized(s, &word, width)
            })
            .collect();
        for (i, word) in held.iter().enumerate() {
            let read = s.select(&array, &s.bv(index_bits, i as u64));
            self.premises.push(s.eq(&read, word));
        }
        let mut evaluator = Evaluator::new();
        for model in &mut self.models {
            evaluator.start();
            let mut content = ArrayValue::constant(index_bits, BitVec::zero(width));
            for (i, word) in held.iter().enumerate() {
                let at = BitVec::new(index_bits, i as u64);
                content.set(at, evaluator.eval_bv(word, model));
            }
            model.set(array.clone(), Value::Array(content));
        }
        Object {
            array,
            element,
            index_bits,
        }
    }

    /// A place in an object: scaled and moved, maybe around the end of the words.
    fn offset(&self, n: &mut Random, depth: u32) -> Term {
        let s = self.store;
        let width = *n.pick(&[6, 8, 16, 64]);
        let place = |n: &mut Random| {
            let byte = match depth {
                0 => n.pick(&self.bytes).clone(),
                _ => self.byte(n, depth - 1),
            };
            let byte = match n.below(3) {
                0 => s.bv_and(&byte, &s.bv(8, *n.pick(&[3, 7, 12]))),
                _ => byte,
            };
            let word = match width > 8 && n.one_in(4) {
                true => s.sign_extend(&byte, width - 8),
                false => resized(s, &byte, width),
            };
            s.bv_mul(&word, &s.bv(width, *n.pick(&[1, 1, 2, 3, 4, 4, 8])))
        };
        let mut at = place(n);
        if n.one_in(4) {
            at = s.bv_add(&at, &place(n));
        }
        s.bv_add(&at, &s.bv(width, *n.pick(&[0, 0, 1, 2, 3, 4, 8, 63])))
    }

    /// The element of an object that a byte is in.
    fn element(&self, object: &Object, at: &Term) -> Term {
        let s = self.store;
        let low = object.element.trailing_zeros();
        resized(s, &s.extract(at, at.width() - 1, low), object.index_bits)
    }

    /// By how many bits a byte is moved up in its element.
    fn moved(&self, object: &Object, at: &Term) -> Term {
        let s = self.store;
        let width = 8 * object.element;
        if object.element == 1 {
            return s.bv(width, 0);
        }
        let place = s.extract(at, object.element.trailing_zeros() - 1, 0);
        s.bv_mul(&resized(s, &place, width), &s.bv(width, 8))
    }

    /// Whether an access is one of whole elements, for every input.
    fn is_whole(object: &Object, offset: &Term, length: u32) -> bool {
        length.is_multiple_of(object.element)
            && low_zeros(offset) >= object.element.trailing_zeros()
    }

    fn read(&self, object: &Object, offset: &Term, length: u32) -> Term {
        let s = self.store;
        let step = match Self::is_whole(object, offset, length) {
            true => object.element,
            false => 1,
        };
        let parts = (0..length / step).map(|i| {
            let at = s.bv_add(offset, &s.bv(offset.width(), u64::from(i * step)));
            let word = s.select(&object.array, &self.element(object, &at));
            match step == object.element {
                true => word,
                false => s.extract(&s.bv_lshr(&word, &self.moved(object, &at)), 7, 0),
            }
        });
        parts
            .reduce(|below, above| s.concat(&above, &below))
            .expect("no read is empty")
    }

    fn write(&self, object: &Object, offset: &Term, value: &Term) -> Object {
        let s = self.store;
        let length = value.width() / 8;
        let whole = Self::is_whole(object, offset, length);
        let step = if whole { object.element } else { 1 };
        let width = 8 * object.element;
        let mut written = object.clone();
        for i in 0..length / step {
            let at = s.bv_add(offset, &s.bv(offset.width(), u64::from(i * step)));
            let part = s.extract(value, 8 * (i + 1) * step - 1, 8 * i * step);
            let index = self.element(object, &at);
            let word = if step == object.element {
                part
            } else {
                let by = self.moved(object, &at);
                let hole = s.bv_not(&s.bv_shl(&s.bv(width, 255), &by));
                let kept = s.bv_and(&s.select(&written.array, &index), &hole);
                s.bv_or(&kept, &s.bv_shl(&resized(s, &part, width), &by))
            };
            written.array = s.store(&written.array, &index, &word);
        }
        written
    }

    /// A read of some bytes at some place of some object.
    fn some_read(&self, n: &mut Random, depth: u32, length: u32) -> Term {
        let object = n.pick(&self.objects).clone();
        let offset = self.offset(n, depth);
        self.read(&object, &offset, length)
    }

    fn byte(&self, n: &mut Random, depth: u32) -> Term {
        let s = self.store;
        match n.below(6) {
            0 | 1 => n.pick(&self.bytes).clone(),
            2 => s.bv_add(n.pick(&self.bytes), &s.bv(8, n.below_u64(256))),
            3 => s.bv_add(n.pick(&self.bytes), n.pick(&self.bytes)),
            4 => s.extract(&self.some_read(n, depth, 2), 7, 0),
            _ => self.some_read(n, depth, 1),
        }
    }

    /// Writes to an object what is read of it from then on.
    fn some_write(&mut self, n: &mut Random) {
        let s = self.store;
        let at = n.below(self.objects.len());
        let length = *n.pick(&[1, 1, 2, 4]);
        let value = match n.below(3) {
            0 => self.some_read(n, 0, length),
            1 => s.bv(8 * length, n.below_u64(1 << 20)),
            _ => resized(s, &self.byte(n, 0), 8 * length),
        };
        let depth = n.below(2) as u32;
        let offset = self.offset(n, depth);
        self.objects[at] = self.write(&self.objects[at], &offset, &value);
    }

    fn condition(&self, n: &mut Random) -> Term {
        let s = self.store;
        let length = *n.pick(&[1, 1, 2, 4]);
        let depth = n.below(2) as u32;
        let left = self.some_read(n, depth, length);
        let left = match n.below(4) {
            0 => s.bv_add(&left, &self.some_read(n, 0, length)),
            _ => left,
        };
        let right = match n.below(4) {
            0 => self.some_read(n, 0, length),
            1 => resized(s, n.pick(&self.bytes), 8 * length),
            _ => {
                // What it is for some inputs: anything else it would hardly ever be.
                let model = n.pick(&self.models);
                s.constant(Evaluator::new().eval_bv(&left, model))
            }
        };
        match n.below(5) {
            0 | 1 => s.eq(&left, &right),
            2 => s.bv_slt(&left, &right),
            3 => s.bv_ule(&right, &left),
            _ => s.bv_ult(&left, &right),
        }
    }

    fn fact(&self, n: &mut Random) -> Term {
        let s = self.store;
        let one = self.condition(n);
        match n.below(8) {
            0 => s.or(&one, &self.condition(n)),
            1 => s.bv_ult(n.pick(&self.bytes), n.pick(&self.bytes)),
            2 => s.bv_ult(n.pick(&self.bytes), &s.bv(8, n.below_u64(16))),
            _ => one,
        }
    }
}

/// Every way to solve arrays: by itself, after all layers, and without words or circuits.
fn chains() -> Vec<(String, Chain)> {
    let mut all = Vec::new();
    for setting in list_array_settings() {
        for layers in [LayerList::none(), LayerList::default()] {
            let native = CoreName::default();
            let (layers, core) = with_arrays(&layers, &native, setting.name).expect("listed");
            let chain = Chain::build(&layers, &core).expect("listed");
            all.push((format!("{}: {layers}", setting.name), chain));
        }
    }
    let core = NativeCore::default();
    let every = FewValues::with_limits(8, 0);
    let layers: Vec<Box<dyn Layer>> = vec![Box::new(every), Box::new(core)];
    let chain = Chain::new(layers, ChainConfig::default());
    all.push(("few-values of all terms".to_string(), chain));
    for arrays in ArrayEncoding::ALL {
        let name = arrays.as_str();
        let core = || NativeCore::with_arrays(arrays).with_circuits_up_to(0);
        let alone = |core| Chain::new(vec![Box::new(core)], ChainConfig::default());
        all.push((format!("{name}, gates"), alone(core().gates_only())));
        all.push((format!("{name}, cdcl"), alone(core().cdcl_only())));
    }
    all
}

fn some_holds(models: &[Model], terms: &[Term]) -> bool {
    let mut evaluator = Evaluator::new();
    models.iter().any(|model| {
        evaluator.start();
        terms.iter().all(|t| evaluator.eval_bool(t, model))
    })
}

/// Whether some facts are impossible without the premises, which bound what has to be tried: asked of
/// a core solver that refines nothing.
fn is_refuted_elsewhere(store: &TermStore, facts: &[Term]) -> bool {
    let core = NativeCore::with_arrays(ArrayEncoding::Eager).cdcl_only();
    let mut chain = Chain::new(vec![Box::new(core)], ChainConfig::default());
    let facts: Facts = facts.iter().cloned().collect();
    chain
        .solve(store, &Query::new(facts, store.true_()))
        .is_unsat()
}

#[test]
fn random_paths_by_enumeration() {
    let paths: u64 =
        std::env::var("CAIRN_ARRAY_PATHS").map_or(40, |n| n.parse().expect("a number"));
    let first: u64 = std::env::var("CAIRN_ARRAY_FIRST").map_or(0, |n| n.parse().expect("a number"));
    let (mut count, mut split) = ([0u64; 2], 0);
    for path in first..first + paths {
        let mut n = Random::new(path);
        let store = TermStore::new();
        let mut world = World::new(&store, &mut n);
        let mut chains = chains();
        let mut facts: Facts = world.premises.iter().cloned().collect();
        let mut left: Vec<Model> = world.models.clone();
        for _ in 0..5 {
            if n.one_in(2) {
                world.some_write(&mut n);
            }
            let goal = world.fact(&mut n);
            let mut possible: Vec<Term> = Vec::new();
            for side in [goal.clone(), store.not(&goal)] {
                let sat = some_holds(&left, std::slice::from_ref(&side));
                count[usize::from(sat)] += 1;
                for (name, chain) in &mut chains {
                    let mut query = Query::new(facts.clone(), side.clone());
                    query.facts_sat = n.one_in(2);
                    match (chain.solve(&store, &query), sat) {
                        (Answer::Sat(model), true) => {
                            let mut evaluator = Evaluator::new();
                            evaluator.start();
                            let all = facts.iter().chain([&side]);
                            for term in all {
                                assert!(
                                    evaluator.eval_bool(term, &model),
                                    "{name} on path {path}: no model of {term:?}"
                                );
                            }
                        }
                        (Answer::Unsat(core), false) => {
                            let mut all: Vec<Term> = core.facts.clone();
                            all.extend(core.goal.then(|| side.clone()));
                            assert!(
                                !some_holds(&world.models, &all),
                                "{name} on path {path}: a core that is possible"
                            );
                            let complete = world.premises.iter().all(|p| all.contains(p));
                            assert!(
                                complete || is_refuted_elsewhere(&store, &all),
                                "{name} on path {path}: a core that lacks premises"
                            );
                        }
                        (answer, _) => panic!(
                            "{name} on path {path}: {answer:?}, facts {facts:?}, goal {side:?}"
                        ),
                    }
                }
                if sat {
                    possible.push(side);
                }
            }
            let fact = possible.swap_remove(n.below(possible.len()));
            let mut evaluator = Evaluator::new();
            left.retain(|model| {
                evaluator.start();
                evaluator.eval_bool(&fact, model)
            });
            facts = facts.with(fact);
        }
        let counters = chains.iter().flat_map(|(_, chain)| chain.counters());
        let mut layers = counters.filter(|(name, _)| *name == "few-values");
        split += layers.next_back().map_or(0, |(_, list)| list[0].1);
    }
    assert!(split > paths, "{split} queries taken apart say too little");
    assert!(
        count[0] * 10 > paths && count[1] * 10 > paths,
        "{count:?} say too little"
    );
}
