use super::canonical::{Renaming, form, invariant};
use super::graph::{Graph, GraphBuilder};
use super::tally::tally;
use cairn_expr::{Base, BaseKind, Sort, Term, TermStore};
use cairn_random::Random;
use cairn_text::journal::{Journal, JournalWriter};
use std::time::Duration;

/// Queries as a journal would have them.
fn journal(queries: &[(Vec<Term>, &str)]) -> Journal {
    let mut text = Vec::new();
    let mut writer = JournalWriter::new(&mut text).expect("memory");
    for (conjuncts, verdict) in queries {
        // The first conjunct is the core where one is unsatisfiable.
        let core = match *verdict {
            "unsat" => &conjuncts[..1],
            _ => &[],
        };
        let written = writer.query(0, conjuncts, core, verdict, Duration::from_secs(1));
        written.expect("memory");
    }
    writer.end().expect("memory");
    Journal::read(text.as_slice()).expect("a journal")
}

fn graphs(queries: &[Vec<Term>]) -> Vec<Graph> {
    let queries: Vec<(Vec<Term>, &str)> = queries.iter().map(|q| (q.clone(), "sat")).collect();
    let journal = journal(&queries);
    let mut builder = GraphBuilder::new(&journal);
    let each = journal.queries.iter();
    each.map(|q| builder.graph(&q.conjuncts)).collect()
}

/// A query as numbers: operators between leaves, so that it can be made with other names.
struct Recipe {
    leaves: usize,
    steps: Vec<(usize, usize, usize)>,
    conjuncts: Vec<(usize, usize, usize)>,
}

impl Recipe {
    fn random(r: &mut Random) -> Recipe {
        let leaves = 2 + r.below_u64(3) as usize;
        let count = r.below_u64(4) as usize;
        let steps = (0..count).map(|i| {
            let mut operand = || r.below_u64((leaves + i) as u64) as usize;
            let (a, b) = (operand(), operand());
            (r.below_u64(4) as usize, a, b)
        });
        let steps: Vec<_> = steps.collect();
        let conjuncts = (0..1 + r.below_u64(3)).map(|_| {
            let mut operand = || r.below_u64((leaves + count) as u64) as usize;
            let (a, b) = (operand(), operand());
            (r.below_u64(3) as usize, a, b)
        });
        Recipe {
            leaves,
            conjuncts: conjuncts.collect(),
            steps,
        }
    }

    fn make(&self, s: &TermStore, names: &[usize]) -> Vec<Term> {
        let mut words: Vec<Term> = names
            .iter()
            .map(|n| s.symbol(&format!("x{n}"), Sort::BitVec(8)))
            .collect();
        for (operator, a, b) in &self.steps {
            let (a, b) = (words[*a].clone(), words[*b].clone());
            words.push(match operator {
                0 => s.bv_add(&a, &b),
                1 => s.bv_udiv(&a, &b),
                2 => s.bv_mul(&a, &s.bv(8, 5)),
                _ => s.bv_lshr(&b, &a),
            });
        }
        let conjuncts = self.conjuncts.iter().map(|(predicate, a, b)| {
            let (a, b) = (&words[*a], &words[*b]);
            match predicate {
                0 => s.eq(a, b),
                1 => s.bv_ult(a, b),
                _ => s.not(&s.eq(a, &s.bv(8, 7))),
            }
        });
        conjuncts.collect()
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for i in 0..n {
        let longer = all.iter().flat_map(|p: &Vec<usize>| {
            (0..=p.len()).map(move |at| {
                let mut q = p.clone();
                q.insert(at, i);
                q
            })
        });
        all = longer.collect();
    }
    all
}

/// Forms agree just where some permutation of the leaves makes one query the other; and always for a renaming.
#[test]
fn forms_are_those_of_trying_all_renamings() {
    let mut r = Random::new(7);
    let (mut equal, mut different) = (0, 0);
    for _ in 0..3000 {
        let s = TermStore::new();
        let one = Recipe::random(&mut r);
        // Every other query is nearly the first one.
        let mut other = match r.below_u64(2) {
            0 => Recipe::random(&mut r),
            _ => Recipe {
                leaves: one.leaves,
                steps: one.steps.clone(),
                conjuncts: one.conjuncts.clone(),
            },
        };
        if other.leaves != one.leaves {
            continue;
        }
        if let Some((_, a, _)) = other.conjuncts.last_mut() {
            *a = r.below_u64(one.leaves as u64) as usize;
        }
        let own: Vec<usize> = (0..one.leaves).collect();
        let mut queries = vec![one.make(&s, &own)];
        let all = permutations(one.leaves);
        queries.extend(all.iter().map(|names| other.make(&s, names)));
        let graphs = graphs(&queries);
        let forms: Vec<_> = graphs.iter().map(|g| form(g, Renaming::INPUTS)).collect();
        let plain: Vec<_> = graphs.iter().map(|g| form(g, Renaming::NONE)).collect();
        assert!(
            forms[1..].windows(2).all(|two| two[0] == two[1]),
            "a renaming"
        );
        let is_renaming = plain[1..].contains(&plain[0]);
        assert_eq!(forms[0] == forms[1], is_renaming, "{:?}", &queries[..2]);
        if is_renaming {
            let invariants = [0, 1].map(|i| invariant(&graphs[i], Renaming::INPUTS));
            assert_eq!(invariants[0], invariants[1]);
        }
        equal += u32::from(is_renaming);
        different += u32::from(!is_renaming);
    }
    assert!(equal > 300 && different > 300, "{equal} {different}");
}

/// Many alike inputs: the number of ways does not grow with the number of their orders.
#[test]
fn symmetric_queries_have_forms() {
    let s = TermStore::new();
    let query = |first: usize| -> Vec<Term> {
        let symbol = |i: usize| s.symbol(&format!("x{}", first + i), Sort::BitVec(8));
        let sum = (1..9)
            .map(symbol)
            .fold(symbol(0), |sum, x| s.bv_add(&sum, &x));
        let pairs = (0..4).map(|i| s.bv_ult(&symbol(2 * i), &symbol(2 * i + 1)));
        let mut all: Vec<Term> = pairs.collect();
        all.push(s.eq(&sum, &s.bv(8, 9)));
        all
    };
    let graphs = graphs(&[query(0), query(30), query(100)]);
    let forms: Vec<_> = graphs.iter().map(|g| form(g, Renaming::INPUTS)).collect();
    assert!(forms[0].is_some());
    assert!(forms.iter().all(|f| *f == forms[0]));
}

#[test]
fn repetitions_are_counted_by_what_is_renamed() {
    let s = TermStore::new();
    let symbol = |name: &str| s.symbol(name, Sort::BitVec(8));
    let object = |birth: u64, address: u64, capacity: u64| {
        s.base(Base {
            birth,
            address,
            capacity,
            alignment: 16,
            kind: BaseKind::Heap,
        })
    };
    let p = s.symbol("p", Sort::Bool);
    let less = |a: &str, b: &str| vec![s.bv_ult(&symbol(a), &symbol(b))];
    let chosen = |a: &Term, b: &Term| vec![s.eq(&s.ite(&p, a, b), &s.bv_add(a, &s.bv(64, 4)))];
    let (a, b) = (object(1, 1 << 42, 16), object(2, (1 << 42) + 64, 16));
    let (c, d) = (object(3, 1 << 43, 16), object(4, (1 << 43) + 64, 16));
    let large = object(5, 1 << 44, 32);
    let order = |a: &Term, b: &Term| vec![s.bv_ult(&s.ite(&p, a, b), b)];
    let journal = journal(&[
        (less("x", "y"), "unknown"),
        (less("x", "y"), "sat"),
        (less("x", "y"), "sat"),
        (less("y", "x"), "sat"),
        (less("u", "u2"), "sat"),
        (chosen(&a, &b), "unsat"),
        (chosen(&c, &d), "unsat"),
        (chosen(&large, &d), "unsat"),
        (order(&a, &b), "sat"),
        (order(&b, &a), "unsat"),
    ]);
    let tally = tally(&journal);
    let repeated = tally.repeated.map(|amount| amount.queries);
    assert_eq!(repeated, [1, 2, 3, 4, 4]);
    assert_eq!(tally.repeated_unsat, 1);
    assert_eq!((tally.core.queries, tally.undecided.queries), (10, 1));
    assert_eq!((tally.with_base.queries, tally.sensitive.queries), (5, 2));
    assert_eq!((tally.unsat.queries, tally.repeated_core.queries), (4, 1));
    assert_eq!(
        (tally.contradictions, tally.careless_contradictions),
        (0, 1)
    );
}
