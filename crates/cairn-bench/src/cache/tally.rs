//! What a journal says about caches: classes of equal queries, and the time that repetitions stand for.

use super::canonical::{Renaming, form, invariant};
use super::graph::{Graph, GraphBuilder, LeafClass};
use super::layout::{LayoutUse, share_addresses, uses};
use cairn_expr::{Base, Op};
use cairn_text::journal::{Journal, JournalQuery};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Up to what two queries are equal, in the order of the table.
pub const RENAMINGS: [Renaming; 5] = [
    Renaming::NONE,
    Renaming::BASES,
    Renaming::INPUTS,
    Renaming::BOTH,
    Renaming::ALL,
];

/// Queries and the time of the core solver that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    pub queries: u64,
    pub seconds: f64,
}

impl Amount {
    fn add(&mut self, time: Duration) {
        self.queries += 1;
        self.seconds += time.as_secs_f64();
    }
}

/// What a journal says.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// All queries.
    pub core: Amount,
    /// Those without a verdict.
    pub undecided: Amount,
    /// Those in which a base occurs.
    pub with_base: Amount,
    /// Those in which a number occurs that may be an address.
    pub with_number: Amount,
    /// Those that look at where objects are.
    pub sensitive: Amount,
    /// For each of [`RENAMINGS`]: queries of which an equal one was decided before. Bases of layout-sensitive queries are not renamed.
    pub repeated: [Amount; 5],
    /// Of the repetitions up to inputs and bases those that are unsatisfiable.
    pub repeated_unsat: u64,
    /// Unsatisfiable queries.
    pub unsat: Amount,
    /// Those of them whose unsat core is that of an earlier one up to inputs and bases: what a cache of cores could save that finds
    /// them within queries.
    pub repeated_core: Amount,
    /// Classes up to inputs and bases with two verdicts: none, or the judgement about layouts is wrong.
    pub contradictions: u64,
    /// The same if bases of layout-sensitive queries are renamed too: what would be answered wrongly.
    pub careless_contradictions: u64,
    /// Queries that have no canonical form, as there would be too many ways.
    pub without_form: u64,
    /// Queries that did not fit into the journal.
    pub left_out: Amount,
}

/// Queries that are equal in the cheap hash of a renaming.
type Bucket = Vec<usize>;

/// Sorts the queries of a journal.
pub fn tally(journal: &Journal) -> Tally {
    let mut tally = Tally {
        left_out: Amount {
            queries: journal.left_out,
            seconds: journal.left_out_time.as_secs_f64(),
        },
        ..Tally::default()
    };
    let layout = uses(journal);
    let mut builder = GraphBuilder::new(journal);
    let mut sensitive = Vec::with_capacity(journal.queries.len());
    let mut buckets: [HashMap<u64, Bucket>; 5] = Default::default();
    for (at, query) in journal.queries.iter().enumerate() {
        let graph = builder.graph(&query.conjuncts);
        let is_sensitive = classify(journal, query, &graph, &layout, &mut builder, &mut tally);
        sensitive.push(is_sensitive);
        for (renaming, buckets) in RENAMINGS.iter().zip(&mut buckets) {
            let renaming = allowed(*renaming, is_sensitive);
            let key = invariant(&graph, renaming);
            buckets.entry(key).or_default().push(at);
        }
    }
    for ((renaming, buckets), place) in RENAMINGS.iter().zip(buckets).zip(0..) {
        let is_main = *renaming == Renaming::BOTH;
        for bucket in buckets.into_values() {
            let classes = classes(journal, &bucket, &mut builder, &mut tally, |at| {
                allowed(*renaming, sensitive[at])
            });
            for class in classes {
                let contradicts = repetitions(journal, &class, &mut tally, place);
                tally.contradictions += u64::from(is_main && contradicts);
            }
        }
    }
    repeated_cores(journal, &layout, &mut builder, &mut tally);
    tally.careless_contradictions = careless(journal, &mut builder);
    tally
}

/// Bases of layout-sensitive queries stay what they are.
fn allowed(renaming: Renaming, sensitive: bool) -> Renaming {
    Renaming {
        bases: renaming.bases && !sensitive,
        ..renaming
    }
}

/// Counts a query in what does not depend on others; whether it is layout-sensitive.
fn classify(
    journal: &Journal,
    query: &JournalQuery,
    graph: &Graph,
    layout: &[LayoutUse],
    builder: &mut GraphBuilder<'_>,
    tally: &mut Tally,
) -> bool {
    tally.core.add(query.time);
    if query.verdict == "unknown" {
        tally.undecided.add(query.time);
    }
    if graph.has(LeafClass::Number) {
        tally.with_number.add(query.time);
    }
    if !graph.has(LeafClass::Base) {
        return false;
    }
    tally.with_base.add(query.time);
    let sensitive = is_sensitive(journal, &query.conjuncts, layout, builder);
    if sensitive {
        tally.sensitive.add(query.time);
    }
    sensitive
}

/// Whether some conjuncts look at where objects are.
fn is_sensitive(
    journal: &Journal,
    conjuncts: &[u32],
    layout: &[LayoutUse],
    builder: &mut GraphBuilder<'_>,
) -> bool {
    let below = builder.below(conjuncts);
    let bases: Vec<&Base> = below
        .iter()
        .filter_map(|node| match &journal.nodes[*node as usize].op {
            Op::Base(base) => Some(&**base),
            _ => None,
        })
        .collect();
    let looks = |node: &u32| layout[*node as usize] == LayoutUse::Sensitive;
    conjuncts.iter().any(looks) || share_addresses(&bases)
}

/// Counts unsatisfiable queries, and those whose core was met before.
fn repeated_cores(
    journal: &Journal,
    layout: &[LayoutUse],
    builder: &mut GraphBuilder<'_>,
    tally: &mut Tally,
) {
    let mut met: HashSet<u128> = HashSet::new();
    for query in journal.queries.iter().filter(|q| q.verdict == "unsat") {
        tally.unsat.add(query.time);
        let sensitive = is_sensitive(journal, &query.core, layout, builder);
        let renaming = allowed(Renaming::BOTH, sensitive);
        match form(&builder.graph(&query.core), renaming) {
            Some(form) if !met.insert(form) => tally.repeated_core.add(query.time),
            Some(_) | None => {}
        }
    }
}

/// The classes of equal queries in a bucket, each in the order of the journal.
fn classes(
    journal: &Journal,
    bucket: &[usize],
    builder: &mut GraphBuilder<'_>,
    tally: &mut Tally,
    renaming: impl Fn(usize) -> Renaming,
) -> Vec<Vec<usize>> {
    if let [_] = bucket {
        return Vec::new();
    }
    let mut classes: HashMap<u128, Vec<usize>> = HashMap::new();
    // Many are the same query again.
    let mut forms: HashMap<&[u32], Option<u128>> = HashMap::new();
    for at in bucket {
        let conjuncts = &journal.queries[*at].conjuncts;
        let form = forms
            .entry(conjuncts)
            .or_insert_with(|| form(&builder.graph(conjuncts), renaming(*at)));
        match form {
            Some(form) => classes.entry(*form).or_default().push(*at),
            None => tally.without_form += 1,
        }
    }
    classes.into_values().collect()
}

/// Counts those of a class that come after one with a verdict; whether its verdicts contradict each other.
fn repetitions(journal: &Journal, class: &[usize], tally: &mut Tally, place: usize) -> bool {
    let mut verdict: Option<&str> = None;
    let mut contradicts = false;
    for at in class {
        let query = &journal.queries[*at];
        let decided = query.verdict != "unknown";
        if let Some(known) = verdict {
            tally.repeated[place].add(query.time);
            contradicts |= decided && query.verdict != known;
            let is_main = RENAMINGS[place] == Renaming::BOTH;
            tally.repeated_unsat += u64::from(is_main && known == "unsat");
        } else if decided {
            verdict = Some(&query.verdict);
        }
    }
    contradicts
}

/// Classes with two verdicts if the bases of all queries are renamed.
fn careless(journal: &Journal, builder: &mut GraphBuilder<'_>) -> u64 {
    let mut buckets: HashMap<u64, Bucket> = HashMap::new();
    for (at, query) in journal.queries.iter().enumerate() {
        let graph = builder.graph(&query.conjuncts);
        if graph.has(LeafClass::Base) {
            let key = invariant(&graph, Renaming::BOTH);
            buckets.entry(key).or_default().push(at);
        }
    }
    let mut unused = Tally::default();
    let mut count = 0;
    for bucket in buckets.into_values() {
        for class in classes(journal, &bucket, builder, &mut unused, |_| Renaming::BOTH) {
            count += u64::from(repetitions(journal, &class, &mut unused, 3));
        }
    }
    count
}
