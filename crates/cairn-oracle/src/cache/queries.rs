//! Queries that are renamings of each other, or nearly, asked of one chain.

use super::recipe::{LeafName, Recipe};
use crate::judge::{Reference, ask, is_limit, verdict, violated};
use crate::random::Random;
use cairn_expr::{Term, TermStore};
use cairn_solver::{Answer, Chain, Facts, LayerList, LayerName, Query, UnsatCore, Want};
use std::collections::HashSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The layer under test, if there is one of this name.
const CACHE: &str = "iso-cache";
/// What is tested where there is none.
const OTHER_CACHE: &str = "exact-cache";

/// Recipes that share a chain.
const RECIPES: usize = 3;
/// Queries of a chain.
const SESSION: usize = 48;

/// What to ask.
#[derive(Clone, Debug)]
pub struct QuerySettings {
    /// Number of queries.
    pub queries: u64,
    /// The first chain's seed; the others follow.
    pub seed: u64,
    /// Lists of layers, each asked in turn; if there are none, the usual ones around the cache.
    pub lists: Vec<String>,
    /// Of so many queries one goes to Z3, too; none if zero.
    pub sample: u64,
    /// Limit of one query.
    pub timeout: Duration,
}

impl Default for QuerySettings {
    fn default() -> Self {
        QuerySettings {
            queries: 20_000,
            seed: 0,
            lists: Vec::new(),
            sample: 200,
            timeout: Duration::from_secs(5),
        }
    }
}

/// What a list of layers did.
#[derive(Clone, Debug, Default)]
pub struct QueryRow {
    /// The list.
    pub layers: String,
    /// Queries asked.
    pub asked: u64,
    /// Answered SAT.
    pub sat: u64,
    /// Answered UNSAT.
    pub unsat: u64,
    /// Stopped by a limit.
    pub undecided: u64,
    /// Answered by the cache itself.
    pub hits: u64,
    /// Those of them that are UNSAT.
    pub unsat_hits: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct QueryReport {
    /// The layer under test.
    pub cache: &'static str,
    /// Rows by list.
    pub rows: Vec<QueryRow>,
    /// Different pairs of a recipe's first query and one that the cache answered UNSAT, with objects in it: each was
    /// decided by trying everything.
    pub pairs: u64,
    /// The same without objects.
    pub pairs_without_objects: u64,
    /// Queries that Z3 decided, too.
    pub sampled: u64,
    /// What is wrong.
    pub failures: Vec<String>,
}

impl QueryReport {
    /// The table for people.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<44} {:>9} {:>9} {:>9} {:>6} {:>9} {:>10}\n",
            "layers", "asked", "sat", "unsat", "limit", "hits", "unsat hits"
        );
        for r in &self.rows {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:<44} {:>9} {:>9} {:>9} {:>6} {:>9} {:>10}",
                r.layers, r.asked, r.sat, r.unsat, r.undecided, r.hits, r.unsat_hits
            );
        }
        let _ = writeln!(
            text,
            "every query decided by trying all values, {} also by Z3; {} different pairs that {} answered UNSAT with \
             objects, {} without; disagreements: {}",
            self.sampled,
            self.pairs,
            self.cache,
            self.pairs_without_objects,
            self.failures.len()
        );
        if self.cache != CACHE {
            let _ = writeln!(text, "there is no layer {CACHE}: other layers were asked");
        }
        text
    }
}

/// The layer under test.
fn cache() -> LayerName {
    let named = |name: &str| LayerName::ALL.into_iter().find(|l| l.as_str() == name);
    named(CACHE)
        .or_else(|| named(OTHER_CACHE))
        .unwrap_or(LayerName::ExactCache)
}

/// The default chain with the cache behind `exact-cache`, unless it has it.
pub(super) fn default_with(cache: &str) -> String {
    let list = LayerList::default().to_string();
    let mut names: Vec<&str> = list.split(',').collect();
    if !names.contains(&cache) {
        let behind = names.iter().position(|name| *name == OTHER_CACHE);
        names.insert(behind.map_or(names.len(), |at| at + 1), cache);
    }
    names.join(",")
}

/// The default chain without the cache.
pub(super) fn default_without(cache: &str) -> String {
    let list = LayerList::default().filtered(|layer| layer.as_str() != cache);
    list.to_string()
}

fn usual_lists(cache: &str) -> Vec<String> {
    let mut lists = vec![
        cache.to_string(),
        format!("slice,{cache}"),
        format!("simplify,slice,{cache}"),
        format!("{cache},model-cache"),
        default_with(cache),
    ];
    if cache != OTHER_CACHE {
        lists.push(format!("slice,{OTHER_CACHE},{cache},model-cache"));
    }
    lists
}

/// Asks. `tell` is called for each disagreement.
///
/// # Errors
/// If a list cannot be built.
pub fn queries(
    settings: &QuerySettings,
    tell: &mut dyn FnMut(&str),
) -> Result<QueryReport, String> {
    let cache = cache().as_str();
    let lists = match settings.lists.is_empty() {
        true => usual_lists(cache),
        false => settings.lists.clone(),
    };
    let make = |list: &str| Chain::from_names(list, "native").map_err(|e| e.to_string());
    ask_lists(settings, cache, &lists, &make, tell)
}

/// Asks chains that are made from lists; `cache` is the layer under test.
fn ask_lists(
    settings: &QuerySettings,
    cache: &'static str,
    lists: &[String],
    make: &dyn Fn(&str) -> Result<Chain, String>,
    tell: &mut dyn FnMut(&str),
) -> Result<QueryReport, String> {
    let row = |list: &String| QueryRow {
        layers: list.clone(),
        ..QueryRow::default()
    };
    let mut report = QueryReport {
        cache,
        rows: lists.iter().map(row).collect(),
        ..QueryReport::default()
    };
    let mut reference = Reference::best(settings.timeout);
    let mut pairs = [HashSet::new(), HashSet::new()];
    let mut left = settings.queries;
    let mut seed = settings.seed;
    while left > 0 {
        reference.restart();
        let at = (seed % lists.len() as u64) as usize;
        let chain = make(&lists[at])?;
        let mut session = Session {
            store: TermStore::new(),
            r: Random::new(seed ^ 0x1509_cac4_e000_0000),
            chain,
            settings,
            reference: &mut reference,
            row: &mut report.rows[at],
            pairs: &mut pairs,
            sampled: &mut report.sampled,
            failures: Vec::new(),
        };
        let most = SESSION.min(usize::try_from(left).unwrap_or(SESSION));
        session.run(cache, most);
        left -= most as u64;
        for failure in session.failures {
            let failure = format!("seed {seed}, {}: {failure}", lists[at]);
            tell(&failure);
            report.failures.push(failure);
        }
        seed += 1;
    }
    report.pairs = pairs[1].len() as u64;
    report.pairs_without_objects = pairs[0].len() as u64;
    Ok(report)
}

struct Session<'a> {
    store: TermStore,
    r: Random,
    chain: Chain,
    settings: &'a QuerySettings,
    reference: &'a mut Reference,
    row: &'a mut QueryRow,
    /// Without objects and with them.
    pairs: &'a mut [HashSet<u64>; 2],
    sampled: &'a mut u64,
    failures: Vec<String>,
}

/// A query with its terms and what is true of it.
struct MadeQuery {
    terms: Vec<Term>,
    /// For each assignment, which conditions hold.
    outcomes: Vec<u32>,
    has_objects: bool,
}

impl MadeQuery {
    /// Whether the conditions of a mask can hold together.
    fn is_possible(&self, mask: u32) -> bool {
        self.outcomes.iter().any(|bits| bits & mask == mask)
    }

    fn all(&self) -> u32 {
        (1 << self.terms.len()) - 1
    }

    /// What is wrong with an unsat core.
    fn wrong_core(&self, order: &[usize], core: &UnsatCore) -> Option<String> {
        let (goal, facts) = order.split_last()?;
        let mut mask = if core.goal { 1 << goal } else { 0 };
        for fact in &core.facts {
            let Some(at) = facts.iter().find(|at| self.terms[**at] == *fact) else {
                return Some(format!("the core lists {fact:?}, which is no fact"));
            };
            mask |= 1 << at;
        }
        let sat = self.is_possible(mask);
        sat.then(|| format!("the core of {} facts can hold", core.facts.len()))
    }

    fn hash(&self) -> u64 {
        let terms = self.terms.iter().map(|t| t.shape_hash());
        terms.fold(0, |sum: u64, hash| {
            sum.wrapping_add(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        })
    }
}

impl Session<'_> {
    fn run(&mut self, cache: &'static str, most: usize) {
        let recipes: Vec<Recipe> = (0..RECIPES).map(|_| Recipe::random(&mut self.r)).collect();
        let mut first = [None; RECIPES];
        for _ in 0..most {
            let which = self.r.below(RECIPES);
            let mut recipe = recipes[which].clone();
            if first[which].is_some() && self.r.chance(35) {
                recipe = recipe.nearly(&mut self.r);
            }
            let names = recipe.names(&mut self.r);
            let made = self.make(&recipe, &names);
            let hit = self.answer(&made, cache);
            let hash = made.hash();
            match first[which] {
                None => first[which] = Some(hash),
                Some(first) if hit => {
                    let pair = first ^ hash.rotate_left(1);
                    self.pairs[usize::from(made.has_objects)].insert(pair);
                }
                Some(_) => {}
            }
        }
    }

    fn make(&mut self, recipe: &Recipe, names: &[LeafName]) -> MadeQuery {
        MadeQuery {
            terms: recipe.terms(&self.store, names),
            outcomes: recipe.all_outcomes(names),
            has_objects: recipe.has_objects(),
        }
    }

    /// Asks and judges; whether the cache answered UNSAT.
    fn answer(&mut self, made: &MadeQuery, cache: &'static str) -> bool {
        // Any condition is the goal.
        let mut order: Vec<usize> = (0..made.terms.len()).collect();
        if self.r.chance(30) {
            let at = self.r.below(order.len());
            order.rotate_left(at);
        }
        let (goal, facts) = order.split_last().expect("a recipe has conditions");
        let facts: Facts = facts.iter().map(|at| made.terms[*at].clone()).collect();
        let want = match self.r.below(10) {
            0 | 1 => Want::Core,
            2..=4 => Want::Verdict,
            _ => Want::Model,
        };
        let mut query = Query::new(facts, made.terms[*goal].clone()).wanting(want);
        let others = made.all() & !(1 << goal);
        query.facts_sat = made.is_possible(others) && self.r.chance(60);
        query.budget.deadline = Some(Instant::now() + self.settings.timeout);
        // One that is not decided must not be remembered.
        if self.r.chance(4) {
            query.budget.work = Some(0);
        }
        let count = |chain: &Chain| {
            let all = chain.stats().into_iter();
            let stats = all.filter(|(name, _)| *name == cache);
            stats.fold((0, 0), |(sat, unsat), (_, s)| {
                (sat + s.sat, unsat + s.unsat)
            })
        };
        let before = count(&self.chain);
        let answer = ask(&mut self.chain, &self.store, &query);
        let after = count(&self.chain);
        let hits = (after.0 - before.0) + (after.1 - before.1);
        self.row.asked += 1;
        self.row.hits += u64::from(hits > 0);
        let expected = made.is_possible(made.all());
        let problem = match &answer {
            Answer::Sat(_) if !expected => Some("sat, expected unsat".to_string()),
            Answer::Sat(model) => violated(&query, model),
            Answer::Unsat(_) if expected => Some("unsat, expected sat".to_string()),
            Answer::Unsat(core) => made.wrong_core(&order, core),
            Answer::Unknown(reason) if is_limit(reason) => None,
            Answer::Unknown(reason) => Some(reason.to_string()),
        };
        match verdict(&answer) {
            Some(true) => self.row.sat += 1,
            Some(false) => self.row.unsat += 1,
            None => self.row.undecided += 1,
        }
        self.sample(&query, expected);
        if let Some(problem) = problem {
            self.fail(&problem, &query);
        }
        let is_hit = after.1 > before.1 && verdict(&answer) == Some(false);
        self.row.unsat_hits += u64::from(is_hit);
        is_hit
    }

    /// Z3 says what trying everything says.
    fn sample(&mut self, query: &Query, expected: bool) {
        let sample = self.settings.sample;
        if sample == 0 || self.r.below_u64(sample) > 0 {
            return;
        }
        *self.sampled += 1;
        match self.reference.decide(&self.store, query) {
            Ok(answer) if verdict(&answer).is_none_or(|sat| sat == expected) => {}
            Ok(_) => self.fail("trying everything contradicts the reference", query),
            Err(problem) => self.fail(&problem, query),
        }
    }

    fn fail(&mut self, problem: &str, query: &Query) {
        // Does it need what was asked before?
        let mut alone = Chain::from_names("none", "native").expect("the native core is there");
        let unlimited = Query::new(query.facts.clone(), query.goal.clone());
        let alone = alone.solve(&self.store, &unlimited).verdict();
        let mut text = format!("{problem}; the core solver alone says {alone}");
        for (at, conjunct) in query.conjuncts().iter().enumerate() {
            let _ = write!(text, "\n  {at}: {conjunct:?}");
        }
        self.failures.push(text);
    }
}

#[cfg(test)]
mod tests;
