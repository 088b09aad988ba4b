//! Normal forms against renamings that are tried out, and terms that look at where objects are against layouts.

#[path = "../common/mod.rs"]
mod common;
mod layouts;

use cairn_expr::{
    Base, BaseKind, BitVec, ErasedHashes, Evaluator, Model, NormalForm, Sort, Substitution, Symbol,
    Term, TermStore, Value, instance_of,
};
use cairn_random::Random;
use common::{Generator, Values};
use std::collections::{BTreeMap, HashMap};

fn form(list: &[Term]) -> NormalForm {
    NormalForm::of(list).expect("it is small")
}

/// The births of some terms as a set.
fn set(list: &[Term]) -> Vec<u64> {
    let mut births: Vec<u64> = list.iter().map(Term::birth).collect();
    births.sort_unstable();
    births
}

/// A list with other leaves put in for its own.
fn renamed<'a>(
    store: &TermStore,
    list: &[Term],
    pairs: impl Iterator<Item = (&'a Term, &'a Term)>,
) -> Vec<Term> {
    let mut substitution = Substitution::new();
    for (from, to) in pairs {
        substitution.insert(from.clone(), to.clone());
    }
    list.iter().map(|t| substitution.apply(store, t)).collect()
}

/// Checks that lists with one normal form are one list under the bijection that it gives, and says whether they have.
fn alike(store: &TermStore, a: &[Term], b: &[Term]) -> bool {
    let (x, y) = (form(a), form(b));
    let Some(pairs) = x.renaming(&y) else {
        return false;
    };
    let pairs: Vec<(&Term, &Term)> = pairs.collect();
    assert!(pairs.iter().all(|(p, q)| p.sort() == q.sort()));
    let mut targets: Vec<u64> = pairs.iter().map(|(_, q)| q.birth()).collect();
    targets.sort_unstable();
    targets.dedup();
    assert_eq!(targets.len(), pairs.len(), "a bijection");
    let moved = renamed(store, a, pairs.into_iter());
    assert_eq!(set(&moved), set(b), "{a:?} renamed is {moved:?}, not {b:?}");
    for (m, n) in x.members().iter().zip(y.members()) {
        assert_eq!(moved[*m], b[*n], "members correspond");
    }
    let mut hashes = ErasedHashes::default();
    let mut sum = |list: &[Term]| {
        list.iter()
            .fold(0u64, |sum, t| sum.wrapping_add(hashes.of(t)))
    };
    assert_eq!(sum(a), sum(b), "the hash without names is the same");
    true
}

/// All Boolean terms of a small size over three words and a truth value.
fn pool(s: &TermStore, words: &[Term], truth: &Term) -> Vec<Term> {
    let mut numbers: Vec<Term> = words.to_vec();
    numbers.push(s.bv(2, 1));
    for (i, a) in words.iter().enumerate() {
        numbers.push(s.bv_mul(a, a));
        for b in &words[i..] {
            numbers.push(s.bv_add(a, b));
        }
        for b in words {
            numbers.push(s.bv_udiv(a, b));
        }
    }
    let mut all: Vec<Term> = vec![truth.clone(), s.not(truth)];
    for (i, a) in numbers.iter().enumerate() {
        for b in &numbers[..i] {
            all.push(s.eq(a, b));
            all.push(s.bv_ult(a, b));
            all.push(s.bv_ult(b, a));
        }
    }
    all.retain(|t| t.as_bool().is_none());
    all.sort_unstable_by_key(Term::birth);
    all.dedup();
    all
}

/// Every pair of small terms: normal forms are equal exactly if some permutation of the words makes them equal.
#[test]
fn small_lists_are_alike_exactly_if_a_permutation_of_leaves_makes_them_equal() {
    let s = TermStore::new();
    let words: Vec<Term> = ["a", "b", "c"]
        .map(|n| s.symbol(n, Sort::BitVec(2)))
        .to_vec();
    let truth = s.symbol("p", Sort::Bool);
    let pool = pool(&s, &words, &truth);
    let permutations = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    // Where each term goes under each permutation.
    let mut moved: Vec<HashMap<u64, u64>> = Vec::new();
    for order in permutations {
        let to = order.map(|i| &words[i]);
        let images = renamed(&s, &pool, words.iter().zip(to));
        let births = images.iter().map(Term::birth);
        moved.push(pool.iter().map(Term::birth).zip(births).collect());
    }
    let mut of_form: HashMap<Vec<u8>, (Vec<u64>, Vec<Term>)> = HashMap::new();
    let mut of_orbit: HashMap<Vec<u64>, Vec<u8>> = HashMap::new();
    let mut lists = 0;
    for (i, a) in pool.iter().enumerate() {
        for b in &pool[..=i] {
            let list = if a == b {
                vec![a.clone()]
            } else {
                vec![a.clone(), b.clone()]
            };
            let orbit = moved
                .iter()
                .map(|to| {
                    let mut births: Vec<u64> = list.iter().map(|t| to[&t.birth()]).collect();
                    births.sort_unstable();
                    births
                })
                .min()
                .expect("there are permutations");
            let found = form(&list);
            let bytes = found.structure().to_bytes();
            let (known, other) = of_form
                .entry(bytes.clone())
                .or_insert_with(|| (orbit.clone(), list.clone()));
            assert_eq!(*known, orbit, "{list:?} and {other:?} are taken for one");
            let known = of_orbit.entry(orbit).or_insert_with(|| bytes.clone());
            assert_eq!(*known, bytes, "{list:?} has two normal forms");
            lists += 1;
        }
    }
    assert!(lists > 10_000 && of_form.len() * 5 < lists, "{lists}");
    // Lists of one form have the bijection that it promises, too.
    for (_, list) in of_form.values().step_by(7) {
        let images = renamed(
            &s,
            list,
            words.iter().zip([&words[2], &words[0], &words[1]]),
        );
        assert!(alike(&s, list, &images));
    }
}

/// Random pairs of small terms and lists of them: an instance is found if a permutation of the words makes one, and only if some
/// map of words to words does.
#[test]
fn instances_are_found_exactly_where_leaves_can_be_put_in() {
    let s = TermStore::new();
    let words: Vec<Term> = ["a", "b", "c"]
        .map(|n| s.symbol(n, Sort::BitVec(2)))
        .to_vec();
    let truth = s.symbol("p", Sort::Bool);
    let pool = pool(&s, &words, &truth);
    // Where each term goes under each of the 27 maps; those of different words to different words are permutations.
    let mut maps: Vec<(bool, HashMap<u64, Term>)> = Vec::new();
    for code in 0..27 {
        let to = [code % 3, code / 3 % 3, code / 9].map(|i| &words[i]);
        let one_to_one = to[0] != to[1] && to[1] != to[2] && to[0] != to[2];
        let images = renamed(&s, &pool, words.iter().zip(to));
        let births = pool.iter().map(Term::birth);
        maps.push((one_to_one, births.zip(images).collect()));
    }
    let mut random = Random::new(77);
    let mut hashes = ErasedHashes::default();
    let (mut found, mut proper, mut merged) = (0, 0, 0);
    for round in 0..30_000 {
        let pattern = [random.pick(&pool).clone(), random.pick(&pool).clone()];
        let mut query: Vec<Term> = (0..3).map(|_| random.pick(&pool).clone()).collect();
        if round % 3 == 0 {
            // Mostly there is none otherwise.
            let (_, map) = random.pick(&maps);
            query.extend(pattern.iter().map(|t| map[&t.birth()].clone()));
        }
        let mut by_hash: HashMap<u64, Vec<Term>> = HashMap::new();
        for t in &query {
            by_hash.entry(hashes.of(t)).or_default().push(t.clone());
        }
        let by_hash = by_hash.into_iter().collect();
        let instance = instance_of(&pattern, &by_hash, &mut hashes);
        let is_there =
            |map: &HashMap<u64, Term>| pattern.iter().all(|t| query.contains(&map[&t.birth()]));
        let one_to_one = maps.iter().any(|(one, map)| *one && is_there(map));
        assert!(
            instance.is_some() || !one_to_one,
            "{pattern:?} in {query:?}"
        );
        if let Some(instance) = instance {
            found += 1;
            proper += u64::from(one_to_one);
            let is_it = |map: &HashMap<u64, Term>| {
                pattern
                    .iter()
                    .zip(&instance)
                    .all(|(p, t)| map[&p.birth()] == *t)
            };
            assert!(instance.iter().all(|t| query.contains(t)));
            assert!(
                maps.iter().any(|(_, map)| is_it(map)),
                "{pattern:?} {instance:?}"
            );
            merged += u64::from(!one_to_one);
        }
    }
    println!("{found} found, {proper} of permutations, {merged} of others");
    assert!(found > 5_000 && merged > 500, "{found} {merged}");
}

/// Operands that may be exchanged are tried in both orders, and what was tried in vain leaves no trace.
#[test]
fn instances_of_terms_with_many_orders_are_found_or_given_up() {
    let s = TermStore::new();
    let word = |n: String| s.symbol(&n, Sort::BitVec(8));
    let sum = |name: &str, order: [usize; 6]| {
        let w: Vec<Term> = (0..6).map(|i| word(format!("{name}{i}"))).collect();
        let pairs: Vec<Term> = (order.chunks(2))
            .map(|p| s.bv_mul(&w[p[0]], &w[p[1]]))
            .collect();
        let all = s.bv_xor(&s.bv_xor(&pairs[0], &pairs[1]), &pairs[2]);
        let last = s.bv_ult(&w[order[5]], &w[order[0]]);
        [
            s.eq(&all, &s.bv(8, 7)),
            last,
            s.bv_ult(&w[order[2]], &w[order[4]]),
        ]
    };
    let mut hashes = ErasedHashes::default();
    let pattern = sum("v", [0, 1, 2, 3, 4, 5]);
    let mut search = |query: &[Term]| {
        let mut by_hash: HashMap<u64, Vec<Term>> = HashMap::new();
        for t in query {
            by_hash.entry(hashes.of(t)).or_default().push(t.clone());
        }
        let by_hash = by_hash.into_iter().collect();
        instance_of(&pattern, &by_hash, &mut hashes)
    };
    for order in [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 4, 2], [2, 4, 0, 5, 3, 1]] {
        let query = sum("w", order);
        let found = search(&query).expect("it is one");
        assert_eq!(set(&found), set(&query));
    }
    let mut broken = sum("w", [0, 1, 2, 3, 4, 5]);
    broken[1] = s.bv_ult(&word("w1".into()), &word("w9".into()));
    assert!(search(&broken).is_none());
}

fn symbols(list: &[Term]) -> Vec<Term> {
    cairn_expr::symbols_of(list)
}

/// A random bijection from some symbols to others of their sorts, some of them the same ones.
fn bijection(s: &TermStore, random: &mut Random, from: &[Term], salt: u64) -> Vec<Term> {
    let mut by_sort: BTreeMap<Sort, Vec<Term>> = BTreeMap::new();
    for t in from {
        let fresh = s.symbol(&format!("fresh {salt} {}", t.birth()), t.sort());
        let list = by_sort.entry(t.sort()).or_default();
        list.push(if random.one_in(2) { t.clone() } else { fresh });
    }
    from.iter()
        .map(|t| {
            let list = by_sort.get_mut(&t.sort()).expect("its sort is there");
            list.swap_remove(random.below(list.len()))
        })
        .collect()
}

/// Random lists are alike to what they become under a bijection of their symbols, and a model of one is a model of the other.
#[test]
fn random_lists_are_alike_to_their_renamings() {
    let (mut same, mut mutants, mut by_chance) = (0, 0, 0);
    for seed in 0..150u64 {
        let store = TermStore::new();
        let widths: &[u32] = [&[2, 4, 8][..], &[8, 32, 64], &[3, 40, 70]][seed as usize % 3];
        let mut g = Generator::new(&store, 900 + seed, widths, 1);
        for _ in 0..200 {
            g.grow();
        }
        let mut random = Random::new(seed);
        let pool: Vec<Term> = g.pool.iter().map(|e| e.term.clone()).collect();
        let truths: Vec<Term> = (pool.iter())
            .filter(|t| t.sort() == Sort::Bool && t.as_bool().is_none())
            .cloned()
            .collect();
        for round in 0..8 {
            let mut list: Vec<Term> = (0..1 + random.below(6))
                .map(|_| random.pick(&truths).clone())
                .collect();
            list.sort_unstable_by_key(Term::birth);
            list.dedup();
            let from = symbols(&list);
            let to = bijection(&store, &mut random, &from, round);
            let images = renamed(&store, &list, from.iter().zip(&to));
            // Renaming may let rules apply in another order; what differs then is another question.
            let back = renamed(&store, &images, to.iter().zip(&from));
            if back != list {
                continue;
            }
            assert!(alike(&store, &list, &images), "{list:?} {images:?}");
            same += 1;
            let model = values(&mut random, &from);
            let (x, y) = (form(&list), form(&images));
            let other = y.model(&x.values(&model)).expect("the sorts are the same");
            let mut e = Evaluator::new();
            e.start();
            let before: Vec<bool> = list.iter().map(|t| e.eval_bool(t, &model)).collect();
            e.start();
            let after: Vec<bool> = images.iter().map(|t| e.eval_bool(t, &other)).collect();
            assert_eq!(before, after);
            // One thing is changed: it is another list, unless that is a renaming, which is checked.
            let mutant = mutated(&store, &mut random, &images, &pool);
            if set(&mutant) != set(&images) {
                mutants += 1;
                by_chance += u64::from(alike(&store, &list, &mutant));
            }
        }
    }
    println!("{same} renamed, {mutants} changed, {by_chance} of them alike by chance");
    assert!(same > 800 && mutants > 800 && by_chance * 4 < mutants);
}

/// Values for some symbols.
fn values(random: &mut Random, symbols: &[Term]) -> Model {
    let mut model = Model::new();
    for t in symbols {
        let value = random.value(t.sort());
        model.set(t.clone(), value);
    }
    model
}

/// A list with one leaf in place of another, a member negated, a member left out, or a constant in place of a leaf.
fn mutated(s: &TermStore, random: &mut Random, list: &[Term], pool: &[Term]) -> Vec<Term> {
    let mut list = list.to_vec();
    let at = random.below(list.len());
    match random.below(4) {
        0 => list[at] = s.not(&list[at]),
        1 if list.len() > 1 => {
            list.swap_remove(at);
        }
        choice => {
            let leaves = symbols(&list);
            let leaf = random.pick(&leaves).clone();
            let fitting: Vec<&Term> = (leaves.iter())
                .chain(pool)
                .filter(|t| t.sort() == leaf.sort() && **t != leaf)
                .collect();
            if fitting.is_empty() {
                return list;
            }
            let to = (*random.pick(&fitting)).clone();
            let mut substitution = Substitution::new();
            substitution.insert(leaf, to);
            if choice == 2 {
                // In one member only.
                list[at] = substitution.apply(s, &list[at]);
            } else {
                list = list.iter().map(|t| substitution.apply(s, t)).collect();
            }
        }
    }
    list.retain(|t| t.as_bool().is_none());
    list.sort_unstable_by_key(Term::birth);
    list.dedup();
    list
}

/// What a symbol is counts as a whole: other bytes of an input are another symbol, and sorts are kept.
#[test]
fn symbols_are_renamed_as_wholes_and_within_their_sorts() {
    let s = TermStore::new();
    let input = |place: u64, bytes: u32| {
        let symbol = Symbol::Input {
            input: "x".into(),
            place: Some(place),
        };
        s.free(symbol, Sort::BitVec(8 * bytes))
    };
    let is = |t: &Term, n: u64| s.eq(t, &s.bv(t.width(), n));
    let [a, b, wide, narrow] = [input(0, 1), input(1, 1), input(4, 4), input(4, 1)];
    assert!(alike(&s, &[is(&a, 97)], &[is(&b, 97)]));
    assert!(!alike(&s, &[is(&a, 97)], &[is(&b, 98)]));
    assert!(!alike(&s, &[is(&a, 97)], &[is(&wide, 97)]));
    // `x[4:8]` and `x[4:5]` are two symbols, as in any list of terms.
    let low = s.extract(&wide, 7, 0);
    assert!(!alike(
        &s,
        &[is(&low, 1), is(&narrow, 2)],
        &[is(&low, 1), is(&low, 2)]
    ));
    assert!(alike(
        &s,
        &[is(&low, 1), is(&narrow, 2)],
        &[is(&low, 1), is(&a, 2)]
    ));
    // One leaf is not two, and two are not one.
    let [p, q] = [s.bv_ult(&a, &b), s.bv_ult(&b, &a)];
    assert!(alike(
        &s,
        std::slice::from_ref(&p),
        std::slice::from_ref(&q)
    ));
    assert!(!alike(&s, &[is(&a, 1), is(&b, 2)], &[is(&a, 1), is(&a, 2)]));
    assert!(!alike(
        &s,
        &[p.clone(), q],
        &[p.clone(), s.bv_ult(&b, &wide_byte(&s, &wide))]
    ));
    // Arrays of one sort are alike, those of others are not; the index is part of the question.
    let array = |name: &str, index: u32, value: u32| s.symbol(name, Sort::Array { index, value });
    let cell = |a: &Term, i: u64| {
        let Sort::Array { index, .. } = a.sort() else {
            unreachable!()
        };
        is(&s.select(a, &s.bv(index, i)), 5)
    };
    let [m, n, o] = [array("m", 32, 8), array("n", 32, 8), array("o", 64, 8)];
    assert!(alike(&s, &[cell(&m, 3)], &[cell(&n, 3)]));
    assert!(!alike(&s, &[cell(&m, 3)], &[cell(&m, 4)]));
    assert!(!alike(&s, &[cell(&m, 3)], &[cell(&o, 3)]));
}

fn wide_byte(s: &TermStore, wide: &Term) -> Term {
    s.extract(wide, 15, 8)
}

/// Leaves that are alike in every place are told apart by choice, and any choice will do.
#[test]
fn symmetric_lists_are_alike_whatever_the_names() {
    let s = TermStore::new();
    for n in [2usize, 5, 12] {
        let names = |salt: &str| -> Vec<Term> {
            (0..n)
                .map(|i| s.symbol(&format!("{salt}{}", (i * 7 + 3) % 13), Sort::BitVec(8)))
                .collect()
        };
        let ring = |list: &[Term]| -> Vec<Term> {
            (0..n)
                .map(|i| s.not(&s.eq(&list[i], &list[(i + 1) % n])))
                .collect::<Vec<_>>()
        };
        let mut a = ring(&names("v"));
        let mut b = ring(&names("w"));
        a.sort_unstable_by_key(Term::birth);
        a.dedup();
        b.sort_unstable_by_key(|t| std::cmp::Reverse(t.birth()));
        b.dedup();
        assert!(alike(&s, &a, &b), "a ring of {n}");
        let all = |list: &[Term]| -> Vec<Term> {
            list.iter().map(|t| s.bv_ult(t, &s.bv(8, 9))).collect()
        };
        assert!(alike(&s, &all(&names("v")), &all(&names("w"))));
    }
}

/// Bases are renamed only if size, alignment and kind are the same.
#[test]
fn bases_keep_their_size_alignment_and_kind() {
    let s = TermStore::new();
    let base = |birth: u64, capacity: u64, alignment: u64, kind: BaseKind| {
        s.base(Base {
            birth,
            address: 0x1000 * (birth + 1),
            capacity,
            alignment,
            kind,
        })
    };
    let x = s.symbol("x", Sort::BitVec(64));
    let about = |b: &Term| [s.eq(&x, b)];
    let first = about(&base(1, 16, 8, BaseKind::Heap));
    assert!(alike(&s, &first, &about(&base(2, 16, 8, BaseKind::Heap))));
    assert!(!alike(&s, &first, &about(&base(3, 24, 8, BaseKind::Heap))));
    assert!(!alike(&s, &first, &about(&base(4, 16, 16, BaseKind::Heap))));
    assert!(!alike(&s, &first, &about(&base(5, 16, 8, BaseKind::Stack))));
    assert!(!alike(
        &s,
        &first,
        &[s.eq(&x, &s.symbol("y", Sort::BitVec(64)))]
    ));
    assert!(!alike(&s, &first, &[s.eq(&x, &s.bv(64, 0x2000))]));
}

/// A term of great depth has a normal form without a stack, and one of too many nodes has none.
#[test]
fn depth_needs_no_stack() {
    let s = TermStore::new();
    let deep = |name: &str, n: usize| {
        let x = s.symbol(name, Sort::BitVec(8));
        let mut t = x.clone();
        for _ in 0..n {
            t = s.bv_udiv(&s.bv(8, 7), &s.bv_xor(&t, &x));
        }
        s.eq(&t, &s.bv(8, 3))
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    std::thread::scope(|scope| {
        let run = || {
            let store = TermStore::new();
            let x = store.symbol("x", Sort::BitVec(8));
            let mut t = x.clone();
            for _ in 0..50_000 {
                t = store.bv_udiv(&store.bv(8, 7), &store.bv_xor(&t, &x));
            }
            let list = [store.eq(&t, &store.bv(8, 3))];
            let _ = ErasedHashes::default().of(&list[0]);
            assert!(NormalForm::of(&list).is_none());
        };
        let handle = thread.spawn_scoped(scope, run).expect("a thread");
        handle.join().expect("it needs no stack");
    });
    assert!(alike(&s, &[deep("x", 4000)], &[deep("y", 4000)]));
    assert!(!alike(&s, &[deep("x", 4000)], &[deep("y", 4001)]));
}

/// A model for a structure must have a value of the right sort for every symbol.
#[test]
fn values_that_do_not_fit_make_no_model() {
    let s = TermStore::new();
    let [x, y] = [8, 16].map(|w| s.symbol("x", Sort::BitVec(w)));
    let list = [s.eq(&x, &s.bv(8, 1)), s.eq(&y, &s.bv(16, 1))];
    let f = form(&list);
    let value = |w: u32| Some(Value::Bv(BitVec::one(w)));
    let right: Vec<Option<Value>> = f.leaves().iter().map(|l| value(l.width())).collect();
    assert!(f.model(&right).is_some());
    assert!(f.model(&right[1..]).is_none());
    assert!(f.model(&[value(8), value(8)]).is_none());
    assert!(f.model(&[right[0].clone(), None]).is_none());
    assert!(
        f.model(&[right[0].clone(), Some(Value::Bool(true))])
            .is_none()
    );
}
