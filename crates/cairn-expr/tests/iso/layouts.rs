//! Terms about objects under two layouts of memory, evaluated.

use cairn_expr::{
    Base, BaseKind, BitVec, Evaluator, Model, NormalForm, Sort, Table, Term, TermStore, Value,
    is_layout_sensitive,
};
use cairn_random::Random;

const SIZES: [u64; 3] = [16, 8, 24];
const ALIGNMENTS: [u64; 3] = [16, 8, 8];

/// The bases of three objects whose addresses are given.
fn bases(s: &TermStore, addresses: [u64; 3]) -> Vec<Term> {
    (0..3)
        .map(|i| {
            s.base(Base {
                birth: i as u64,
                address: addresses[i],
                capacity: SIZES[i],
                alignment: ALIGNMENTS[i],
                kind: BaseKind::Heap,
            })
        })
        .collect()
}

/// Places objects next to each other in some order, now and then with a gap, low, high or in the middle.
fn layout(random: &mut Random) -> [u64; 3] {
    let mut order = vec![0, 1, 2];
    let mut at = *random.pick(&[16, 0x1000, 0x5555_0000, u64::MAX - 127]);
    let mut addresses = [0; 3];
    for _ in 0..3 {
        let i: usize = order.swap_remove(random.below(order.len()));
        if random.one_in(3) {
            at += 8;
        }
        at = at.next_multiple_of(ALIGNMENTS[i]);
        addresses[i] = at;
        at += SIZES[i];
    }
    addresses
}

/// Draws the same term for each list of bases, if the seed is the same.
struct Maker<'a> {
    s: &'a TermStore,
    random: Random,
    bases: Vec<Term>,
    x: Term,
    y: Term,
}

impl Maker<'_> {
    fn number(&mut self) -> Term {
        let s = self.s;
        let wide = |t: &Term| s.zero_extend(t, 62);
        let (x, y) = (wide(&self.x), wide(&self.y));
        match self.random.below(7) {
            0 => s.bv(64, self.random.below_u64(9)),
            1 => s.bv(64, 8 * self.random.below_u64(4)),
            2 => y,
            3 => s.bv_mul(&x, &s.bv(64, 8)),
            4 => s.bv_add(&x, &y),
            5 => s.bv(64, 0u64.wrapping_sub(self.random.below_u64(20))),
            _ => x,
        }
    }

    fn truth(&mut self) -> Term {
        let s = self.s;
        let n = s.bv(2, self.random.below_u64(3));
        match self.random.below(3) {
            0 => s.eq(&self.x, &n),
            1 => s.bv_ult(&self.y, &self.x),
            _ => s.eq(&self.y, &n),
        }
    }

    fn address(&mut self, depth: u32) -> Term {
        let s = self.s;
        let at = self.random.below(3);
        let base = self.bases[at].clone();
        match self.random.below(if depth == 0 { 3 } else { 7 }) {
            0 => base,
            1 => s.bv_add(&base, &self.number()),
            2 if self.random.one_in(4) => s.bv(64, 0),
            2 => s.bv_add(&base, &s.zero_extend(&self.x, 62)),
            3 | 4 => {
                let c = self.truth();
                let (p, q) = (self.address(depth - 1), self.address(depth - 1));
                s.ite(&c, &p, &q)
            }
            5 => {
                let array = self.elements(depth - 1);
                s.select(&array, &self.x)
            }
            _ => {
                let p = self.address(depth - 1);
                s.bv_add(&p, &self.number())
            }
        }
    }

    fn elements(&mut self, depth: u32) -> Term {
        let s = self.s;
        let mut array = match self.random.below(4) {
            0 => s.table(Table::new(
                2,
                vec![],
                BitVec::new(64, self.random.below_u64(2) * 0x1000),
            )),
            _ => s.const_array(2, &s.bv(64, 0)),
        };
        for _ in 0..1 + self.random.below(3) {
            let i = if self.random.one_in(2) {
                s.bv(2, self.random.below_u64(4))
            } else {
                self.y.clone()
            };
            let v = self.address(depth);
            array = s.store(&array, &i, &v);
        }
        array
    }

    fn condition(&mut self, depth: u32) -> Term {
        let s = self.s;
        let p = self.address(2);
        let at = self.random.below(3);
        let base = self.bases[at].clone();
        match self.random.below(if depth == 0 { 8 } else { 11 }) {
            0 => s.eq(&p, &self.address(2)),
            1 => s.eq(&p, &s.bv(64, 0)),
            2 => s.eq(&p, &self.number()),
            3 => {
                let limit = self.random.below_u64(SIZES[at] + 3);
                s.bv_ult(&s.bv_sub(&p, &base), &s.bv(64, limit))
            }
            4 => s.bv_ult(&self.number(), &s.bv_sub(&p, &base)),
            5 => s.bv_ult(&p, &self.address(1)),
            6 => s.eq(&s.bv_sub(&p, &base), &self.number()),
            7 => {
                let mask = s.bv(64, (1 << self.random.below(6)) - 1);
                let low = s.bv_and(&p, &mask);
                s.eq(&low, &self.number())
            }
            8 => {
                let bits = s.extract(&p, self.random.below(5) as u32, 0);
                s.eq(&bits, &s.bv(bits.width(), self.random.below_u64(8)))
            }
            9 => s.not(&self.condition(depth - 1)),
            _ => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                s.and(&a, &b)
            }
        }
    }
}

/// What does not look at the layout has the same value under each, for every assignment.
#[test]
fn insensitive_terms_have_the_same_values_under_every_layout() {
    let (mut free, mut sensitive, mut differ) = (0, 0, 0);
    let count = if cfg!(debug_assertions) {
        2_000
    } else {
        40_000
    };
    let mut store = TermStore::new();
    for seed in 0..count {
        if seed % 500 == 0 {
            store = TermStore::new();
        }
        let s = &store;
        let [x, y] = ["x", "y"].map(|n| s.symbol(n, Sort::BitVec(2)));
        let mut random = Random::new(seed ^ 0xAD0);
        let mut drawn = || {
            let mut maker = Maker {
                s,
                random: Random::new(seed),
                bases: bases(s, layout(&mut random)),
                x: x.clone(),
                y: y.clone(),
            };
            maker.condition(2)
        };
        let (a, b) = (drawn(), drawn());
        let has_base = a.attributes().has_base && b.attributes().has_base;
        let [f, g] = [&a, &b].map(|t| NormalForm::of(std::slice::from_ref(t)).expect("small"));
        let pairs = f.renaming(&g);
        // Where objects are may have simplified one of them.
        let Some(pairs) = pairs.filter(|_| has_base) else {
            continue;
        };
        let mut same = true;
        for value in 0..16 {
            let mut model = Model::new();
            model.set(x.clone(), Value::Bv(BitVec::new(2, value)));
            model.set(y.clone(), Value::Bv(BitVec::new(2, value >> 2)));
            let mut e = Evaluator::new();
            e.start();
            // The two symbols have one sort: the bijection may exchange them.
            let other = g.model(&f.values(&model)).expect("one structure");
            let first = e.eval_bool(&a, &model);
            e.start();
            same &= first == e.eval_bool(&b, &other);
        }
        drop(pairs);
        let looks = [&a, &b].map(|t| is_layout_sensitive(std::slice::from_ref(t)));
        differ += u64::from(!same);
        if looks.contains(&true) {
            sensitive += 1;
        } else {
            free += 1;
            assert!(same, "seed {seed}: {a:?} and {b:?} differ");
        }
    }
    println!("{free} insensitive, {sensitive} sensitive, {differ} differ");
    assert!(free > count / 20 && differ > count / 100, "{free} {differ}");
}

/// What is known to look at where objects are, and what is known not to.
#[test]
fn what_looks_at_the_layout_is_told() {
    let s = TermStore::new();
    let b = bases(&s, [0x1000, 0x1010, 0x1018]);
    let small = s.zero_extend(&s.symbol("x", Sort::BitVec(2)), 62);
    let large = s.symbol("n", Sort::BitVec(64));
    let c = s.symbol("c", Sort::Bool);
    let looks = |t: Term| {
        assert!(t.attributes().has_base, "{t:?} still has a base");
        is_layout_sensitive(&[t])
    };
    let chosen = s.ite(&c, &b[0], &s.bv_add(&b[1], &small));
    let end = s.bv_add(&b[0], &s.bv(64, SIZES[0]));
    let wild = s.bv_add(&b[0], &large);
    let less = |k: usize| s.bv_sub(&chosen, &b[k]);
    // Equality of what is inside, and bounds.
    assert!(!looks(s.eq(&chosen, &s.bv(64, 0))));
    assert!(!looks(s.eq(&chosen, &b[2])));
    assert!(!looks(s.bv_ult(&less(0), &s.bv(64, 16))));
    assert!(!looks(s.eq(&less(1), &s.bv(64, 3))));
    // One past the end may be the next object, and an unknown offset leads anywhere.
    assert!(looks(s.eq(&chosen, &end)));
    assert!(looks(s.eq(&chosen, &wild)));
    assert!(looks(s.eq(&wild, &s.bv(64, 0))));
    assert!(looks(s.bv_ult(&less(0), &s.bv(64, 17))));
    // Order, constants, distances, masks, shifts, products.
    assert!(looks(s.bv_ult(&chosen, &b[2])));
    assert!(looks(s.eq(&chosen, &s.bv(64, 0x1000))));
    assert!(looks(s.eq(&s.bv_sub(&b[0], &b[1]), &large)));
    assert!(looks(s.eq(&s.bv_and(&chosen, &large), &s.bv(64, 0))));
    assert!(looks(s.eq(&s.bv_lshr(&wild, &s.bv(64, 12)), &small)));
    assert!(looks(s.eq(&s.bv_mul(&chosen, &s.bv(64, 3)), &small)));
    assert!(looks(s.eq(&s.extract(&wild, 11, 4), &s.bv(8, 1))));
    assert!(looks(s.eq(
        &s.concat(&wild, &s.bv(1, 1)),
        &s.symbol("w", Sort::BitVec(65))
    )));
    // Objects that overlap are no layout: one was there before the other.
    let again = s.base(Base {
        birth: 9,
        address: 0x1008,
        capacity: 8,
        alignment: 8,
        kind: BaseKind::Heap,
    });
    assert!(looks(s.eq(&chosen, &again)));
}
