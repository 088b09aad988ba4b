//! What the generators make: everything there is, well sorted, and the same for the same seed.

use cairn_expr::{Evaluator, Model, PostOrder, Sort, Term, TermStore};
use cairn_oracle::operator::{ArrayData, BINARY, ConcreteValue, NARY, PREDICATES, mask};
use cairn_oracle::pool::{BuiltTerms, Expression, data_of, value_of};
use cairn_oracle::queries::Session;
use cairn_oracle::random::{Draw, Random};
use cairn_oracle::terms::Generator;
use cairn_oracle::{hard, select};
use std::collections::{BTreeMap, BTreeSet};

/// Every node kind of canonical terms.
const KINDS: &[&str] = &[
    "bool",
    "const",
    "symbol",
    "table",
    "not",
    "and",
    "=",
    "ite",
    "bvnot",
    "bvneg",
    "bvand",
    "bvor",
    "bvxor",
    "bvadd",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "concat",
    "extract",
    "zero_extend",
    "sign_extend",
    "bvult",
    "bvslt",
    "select",
    "store",
];

/// The operators of SMT-LIB besides those in the generator's own tables.
const OTHERS: &[&str] = &[
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "bvnot",
    "bvneg",
    "bvredor",
    "bvredand",
    "bvnego",
    "bvcomp",
    "concat",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "rotate_left",
    "rotate_right",
    "select",
    "store",
    "const",
];

#[test]
fn every_operator_comes_and_every_term_is_well_sorted() {
    let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut operators: BTreeSet<&'static str> = BTreeSet::new();
    let mut const_arrays = 0;
    for seed in 0..400 {
        let store = TermStore::new();
        let mut generator = Generator::new(seed);
        let roots: Vec<usize> = (0..20).map(|_| generator.condition()).collect();
        let mut made = BuiltTerms::default();
        let terms: Vec<Term> = roots
            .iter()
            .map(|id| generator.pool.term(&store, &mut made, *id))
            .collect();
        for term in PostOrder::of(&terms) {
            let sorts: Vec<Sort> = term.args().iter().map(Term::sort).collect();
            if !sorts.is_empty() {
                assert_eq!(term.op().result_sort(&sorts), Ok(term.sort()), "{term:?}");
            }
            *kinds.entry(term.op().info().name).or_default() += 1;
            const_arrays += u64::from(term.sort().is_array() && term.op().info().name == "const");
        }
        for id in generator.pool.below(&roots) {
            if let Expression::Apply(operator, _) = generator.pool.node(id) {
                operators.insert(operator.base_name());
            }
        }
    }
    for kind in KINDS {
        assert!(kinds.contains_key(kind), "no {kind} among {kinds:?}");
    }
    assert!(const_arrays > 0);
    let tables = [BINARY, NARY, PREDICATES].concat();
    for name in tables
        .iter()
        .map(|o| o.base_name())
        .chain(OTHERS.iter().copied())
    {
        assert!(operators.contains(name), "no {name} among {operators:?}");
    }
}

fn random_value(sort: Sort, r: &mut Random) -> ConcreteValue {
    match sort {
        Sort::Bool => ConcreteValue::Bits(u128::from(r.chance(50))),
        Sort::BitVec(w) => ConcreteValue::Bits(r.wide() & mask(w)),
        Sort::Array { index, value } => ConcreteValue::Cells(ArrayData {
            index,
            default: r.wide() & mask(value),
            cells: (0..8u128.min(1 << index))
                .map(|i| (i, r.wide() & mask(value)))
                .collect(),
        }),
    }
}

/// The canonical constructors and the evaluator, against machine arithmetic.
#[test]
fn terms_mean_what_their_expressions_mean() {
    for seed in 0..300 {
        let store = TermStore::new();
        let mut generator = Generator::new(seed ^ 0x77);
        let roots: Vec<usize> = (0..12).map(|_| generator.condition()).collect();
        let pool = &generator.pool;
        let mut made = BuiltTerms::default();
        let mut r = Random::new(seed);
        for _ in 0..4 {
            let values: BTreeMap<(String, Sort), ConcreteValue> = pool
                .symbols(&roots)
                .into_iter()
                .map(|(name, sort)| ((name, sort), random_value(sort, &mut r)))
                .collect();
            let mut model = Model::new();
            for ((name, sort), data) in &values {
                model.set(store.symbol(name, *sort), value_of(data, *sort));
            }
            let plain = pool.values(&roots, &|name, sort| {
                values[&(name.to_string(), sort)].clone()
            });
            let mut evaluator = Evaluator::new();
            for (root, expected) in roots.iter().zip(plain) {
                let term = pool.term(&store, &mut made, *root);
                let found = data_of(&evaluator.eval(&term, &model));
                assert_eq!(found, expected, "seed {seed}: {term:?} under {model:?}");
            }
        }
    }
}

fn session_shapes(seed: u64) -> Vec<u64> {
    let store = TermStore::new();
    let mut session = Session::new(seed);
    let mut shapes = Vec::new();
    for i in 0..40 {
        let asked = session.next(&store);
        let all = asked.query.conjuncts();
        shapes.extend(all.iter().map(Term::shape_hash));
        session.learn(&store, Some(i % 3 != 0));
    }
    shapes
}

#[test]
fn the_same_seed_gives_the_same_queries() {
    for seed in 0..30 {
        assert_eq!(session_shapes(seed), session_shapes(seed));
    }
    assert_ne!(session_shapes(1), session_shapes(2));
}

#[test]
fn hard_queries_are_determined_by_their_seed() {
    let mut families = BTreeSet::new();
    for seed in 0..150 {
        let text = select::script(seed);
        assert_eq!(text, select::script(seed));
        let store = TermStore::new();
        let query = hard::query(&store, seed);
        assert_eq!(query.sort(), Sort::Bool);
        families.insert(format!("{:?}", hard::family(seed)));
    }
    assert_eq!(families.len(), hard::FAMILIES.len());
}

#[test]
fn the_selection_can_be_read_and_keeps_its_rule() {
    let kept = select::read(include_str!("../data/hard.txt"));
    let rule = select::Rule::default();
    assert!(kept.len() <= rule.count);
    assert!(kept.windows(2).all(|w| w[0].seed < w[1].seed));
    for one in &kept {
        assert_eq!(one.family, format!("{:?}", hard::family(one.seed)));
        assert!(one.seconds >= rule.least.as_secs_f64());
        let same = kept.iter().filter(|k| k.verdict == one.verdict).count();
        assert!(same <= rule.of_each);
    }
}
