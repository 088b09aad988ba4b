use super::{QueryReport, QuerySettings, ask_lists};
use cairn_expr::{Base, Op, PostOrder, Sort, Term};
use cairn_solver::cores::native::NativeCore;
use cairn_solver::{Answer, Chain, ChainConfig, Layer, Query, Rest, UnsatCore};
use std::collections::HashMap;

/// What a cache takes for the same although it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// None: only queries without objects are taken for each other.
    Nothing,
    /// Queries that look at where objects are.
    Layout,
    /// Inputs of other widths.
    Sorts,
    /// Other numbers.
    Numbers,
    /// One leaf in several places and several leaves.
    Sharing,
    /// Remembers what was not decided as unsatisfiable.
    Undecided,
}

/// A cache of unsatisfiable queries by their text with numbers for names, which makes a mistake.
struct MistakenCache {
    mistake: Mistake,
    known: HashMap<String, ()>,
}

impl MistakenCache {
    fn key(&self, query: &Query) -> Option<String> {
        let conjuncts = query.conjuncts();
        let mut numbers: HashMap<Term, usize> = HashMap::new();
        let mut leaves = 0;
        let mut text = String::new();
        // Nodes that only left out names tell apart are one.
        let mut lines: HashMap<String, usize> = HashMap::new();
        for term in PostOrder::of(&conjuncts) {
            let name = match (self.mistake, term.op()) {
                (Mistake::Sharing, Op::Symbol(_)) => format!("x {}", term.sort()),
                (Mistake::Sorts, Op::Symbol(_)) if term.sort() != Sort::Bool => {
                    leaves += 1;
                    format!("x{leaves}")
                }
                (_, Op::Symbol(_)) => {
                    leaves += 1;
                    format!("x{leaves} {}", term.sort())
                }
                (Mistake::Numbers, Op::Const(_)) => "number".to_string(),
                (Mistake::Layout, Op::Base(base)) => {
                    let Base {
                        birth: _,
                        address: _,
                        capacity,
                        alignment,
                        kind,
                    } = &**base;
                    leaves += 1;
                    format!("object{leaves} {capacity} {alignment} {kind:?}")
                }
                (_, Op::Base(_)) => return None,
                (Mistake::Sorts, Op::Const(value)) => format!("{:?}", value.to_u64()),
                (Mistake::Sorts, op) => op.info().name.to_string(),
                (_, op) => format!("{op:?}"),
            };
            let operands = term.args().iter().map(|a| format!(" {}", numbers[a]));
            let line = format!("{name}{}\n", operands.collect::<String>());
            let next = lines.len();
            let place = *lines.entry(line.clone()).or_insert(next);
            if place == next {
                text += &line;
            }
            numbers.insert(term, place);
        }
        text += &format!(
            "{:?}",
            conjuncts.iter().map(|c| numbers[c]).collect::<Vec<_>>()
        );
        Some(text)
    }
}

impl Layer for MistakenCache {
    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let Some(key) = self.key(query) else {
            return rest.solve(query);
        };
        if self.known.contains_key(&key) {
            return Answer::Unsat(UnsatCore {
                facts: query.facts.to_vec(),
                goal: true,
            });
        }
        let answer = rest.solve(query);
        let keeps = match &answer {
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => self.mistake == Mistake::Undecided,
            Answer::Sat(_) => false,
        };
        if keeps {
            self.known.insert(key, ());
        }
        answer
    }
}

fn asked(mistake: Mistake, queries: u64, seed: u64) -> QueryReport {
    let settings = QuerySettings {
        queries,
        seed,
        sample: 0,
        ..QuerySettings::default()
    };
    let make = |_: &str| {
        let cache = MistakenCache {
            mistake,
            known: HashMap::new(),
        };
        let layers: Vec<Box<dyn Layer>> = vec![Box::new(cache), Box::<NativeCore>::default()];
        Ok(Chain::new(layers, ChainConfig::default()))
    };
    let lists = ["mistaken".to_string()];
    ask_lists(&settings, "mistaken", &lists, &make, &mut |_| {}).expect("the chain is there")
}

#[test]
fn a_cache_without_mistakes_has_hits_and_no_disagreement() {
    let report = asked(Mistake::Nothing, 10_000, 0);
    assert_eq!(report.failures, Vec::<String>::new());
    assert!(report.pairs_without_objects > 50, "{}", report.table());
}

#[test]
fn every_mistake_is_seen() {
    for mistake in [
        Mistake::Layout,
        Mistake::Sorts,
        Mistake::Numbers,
        Mistake::Sharing,
        Mistake::Undecided,
    ] {
        let mut seeds = (0..40).map(|part| 1000 * part);
        let is_seen = |seed: u64| !asked(mistake, 1_000, seed).failures.is_empty();
        assert!(seeds.any(is_seen), "{mistake:?}");
    }
}
