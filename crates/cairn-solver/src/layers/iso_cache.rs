//! Caching the answers of queries up to a renaming of inputs and objects.
//!
//! # Problem
//! A program does the same to the second byte of its input as to the first, and to the second object of a size as to the first:
//! the queries are one question with other names, and the exact cache takes each for a new one.
//!
//! # Idea
//! A query in normal form ([`NormalForm`]) has no names. Two queries with one normal form are the same question, and the answer
//! of one is that of the other once it is renamed: a model by symbols, a core by members. The thesis \[Trabish24\]
//! (chapter 4) does so for the bases of objects and for verdicts.
//!
//! # What differs
//! Inputs are renamed too, which is the common case: addresses are mostly plain numbers here. Models and unsat cores are
//! renamed with the verdict. Whether a query looks at where objects are is read off its terms
//! ([`is_layout_sensitive`]), not assumed of the program.
//!
//! A hash without names, kept along a path, says whether a query could have been met at all. Only if so are normal forms made,
//! of this query and of those it could be equal to.
//!
//! Whole queries of different paths are rarely equal, so unsat cores are kept as patterns, too: a query that contains an instance of one is
//! unsatisfiable ([`instance_of`]).
//!
//! With a file of answers ([`AnswerFile`]) it looks there for what it has not met, and adds what it learns.
//!
//! # Soundness
//! SAT: the renamed model is evaluated on every fact and the goal here; if one is false the query is handed on. UNSAT: the core was
//! checked to be a part of the query that it was found for, and its members' counterparts are a part of this query. They
//! are equal up to a renaming of symbols, so one is unsatisfiable if the other is; a query with bases takes part only if it holds
//! or fails whatever the layout. An instance of a core is unsatisfiable if the core is: what holds for all inputs holds for some
//! of them. Nothing of an answer depends on `facts_sat`: it is about the facts that are listed, with
//! the goal. UNKNOWN is never stored.
//!
//! # Cost
//! A query that could not have been met: one addition for each new fact of the path, and the hash of its new subterms. Memory is
//! bounded by weight in two generations, as in the exact cache.
//!
//! # Counters
//! `sat` and `unsat` answers; `cores` of which an instance answered, of those `tried`; `misses`; `compared` queries whose normal form was made; `rejected` models that do not fit;
//! `sensitive` queries; `entries` stored; `generations` dropped; answers `from_file`.

use super::memo::{FactSet, along};
use crate::answer_file::Proof;
use crate::nameless::Nameless;
use crate::{
    Answer, AnswerFile, Facts, Layer, MemoKey, Query, Rest, UnknownReason, UnsatCore, Want,
};
use cairn_expr::{
    ErasedHashes, Evaluator, Model, NormalForm, Structure, Term, instance_of, is_layout_sensitive,
    scramble,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// The weight of a generation; two of them are kept.
const GENERATION_WEIGHT: usize = 1 << 21;
/// The number of entries of a generation.
const GENERATION_ENTRIES: usize = 1 << 14;
/// Queries with more members are not looked up.
const MOST_MEMBERS: usize = 512;
/// How many queries with one hash are kept.
const MOST_ALIKE: usize = 8;
/// The work that proving an answer of the file again may take where that is only tried.
const PROOF_WORK: u64 = 1 << 18;
/// Larger unsat cores are no patterns.
const LARGEST_PATTERN: usize = 24;
/// The members of all patterns of a generation; two of them are kept.
const PATTERN_MEMBERS: usize = 1 << 15;

/// The sum of the hashes of a list's members without names.
struct ErasedSum {
    sum: u64,
    has_base: bool,
}

/// An answer as it was given.
enum NamedAnswer {
    Sat(Rc<Model>),
    Unsat { members: Vec<Term>, minimised: bool },
}

/// What is known of a query. Its normal form is made when it could be met again.
enum Entry {
    Met {
        facts: Rc<FactSet>,
        goal: Option<Term>,
        answer: NamedAnswer,
    },
    Known {
        structure: Structure,
        answer: Nameless,
    },
}

/// A query as a list of members, in the order of [`members_of`].
struct QueryMembers<'a> {
    query: &'a Query,
    list: Vec<Term>,
    form: NormalForm,
}

impl QueryMembers<'_> {
    fn of<'a>(query: &'a Query, facts: &FactSet, goal: Option<&Term>) -> Option<QueryMembers<'a>> {
        let list = members_of(facts, goal);
        let form = NormalForm::of(&list)?;
        Some(QueryMembers { query, list, form })
    }

    /// An answer with the names of this query; `None` if it does not fit.
    fn renamed(
        &self,
        answer: &Nameless,
        evaluator: &mut Evaluator,
        counts: &mut Counts,
    ) -> Option<Answer> {
        match answer {
            Nameless::Sat(values) => {
                let model = self.form.model(values)?;
                evaluator.start();
                if self.list.iter().all(|t| evaluator.eval_bool(t, &model)) {
                    counts.sat += 1;
                    return Some(Answer::Sat(Rc::new(model)));
                }
                counts.rejected += 1;
                None
            }
            Nameless::Unsat { members, minimised } => {
                if self.query.want == Want::Core && !minimised && members.len() > 1 {
                    return None;
                }
                let at = |place: &u32| self.form.members().get(*place as usize);
                let members: Option<Vec<&usize>> = members.iter().map(at).collect();
                let members = members?.into_iter().map(|m| &self.list[*m]);
                counts.unsat += 1;
                Some(Answer::Unsat(core_of(self.query, members)))
            }
        }
    }

    /// The entry of an answer in normal form.
    fn entry(&self, answer: &Nameless) -> Entry {
        Entry::Known {
            structure: self.form.structure().clone(),
            answer: answer.clone(),
        }
    }
}

/// The members of a query: its facts as a set, then the goal if it is none of them.
fn members_of(facts: &FactSet, goal: Option<&Term>) -> Vec<Term> {
    facts.members.values().chain(goal).cloned().collect()
}

impl Entry {
    fn weight(&self) -> usize {
        match self {
            Entry::Met { facts, answer, .. } => {
                let answer = match answer {
                    NamedAnswer::Sat(model) => model.len(),
                    NamedAnswer::Unsat { members, .. } => members.len(),
                };
                1 + facts.members.len() + answer
            }
            Entry::Known { structure, answer } => {
                let answer = match answer {
                    Nameless::Sat(values) => values.len(),
                    Nameless::Unsat { members, .. } => members.len(),
                };
                1 + structure.size() / 8 + answer
            }
        }
    }

    /// Brings it into normal form; `None` if it has none.
    fn known(self) -> Option<Entry> {
        let Entry::Met {
            facts,
            goal,
            answer,
        } = self
        else {
            return Some(self);
        };
        let list = members_of(&facts, goal.as_ref());
        let form = NormalForm::of(&list)?;
        Some(Entry::Known {
            answer: answer.nameless(&form, &list)?,
            structure: form.structure().clone(),
        })
    }
}

impl NamedAnswer {
    /// An answer that may be kept: nothing if it is unknown, or its core is no part of the query.
    fn of(query: &Query, facts: &FactSet, answer: &Answer) -> Option<NamedAnswer> {
        match answer {
            Answer::Sat(model) => Some(NamedAnswer::Sat(Rc::clone(model))),
            Answer::Unsat(core) => {
                if !core.facts.iter().all(|t| facts.contains(t)) {
                    return None;
                }
                let mut members = core.facts.clone();
                if core.goal && !query.goal.is_true() {
                    members.push(query.goal.clone());
                }
                members.sort_unstable_by_key(Term::birth);
                members.dedup();
                Some(NamedAnswer::Unsat {
                    members,
                    minimised: query.want == Want::Core,
                })
            }
            Answer::Unknown(_) => None,
        }
    }

    /// The answer without names; `None` if its core is not in the list.
    fn nameless(&self, form: &NormalForm, list: &[Term]) -> Option<Nameless> {
        Some(match self {
            NamedAnswer::Sat(model) => Nameless::Sat(form.values(model)),
            NamedAnswer::Unsat { members, minimised } => Nameless::Unsat {
                members: places(form, list, members)?,
                minimised: *minimised,
            },
        })
    }
}

/// Where some members of a list are in its normal form; `None` if one is no member.
fn places(form: &NormalForm, list: &[Term], some: &[Term]) -> Option<Vec<u32>> {
    let places: FxHashMap<&Term, u32> = (0u32..)
        .zip(form.members())
        .map(|(place, member)| (&list[*member], place))
        .collect();
    some.iter().map(|t| places.get(t).copied()).collect()
}

#[derive(Default)]
struct Generation {
    entries: FxHashMap<u64, Vec<Entry>>,
    count: usize,
    weight: usize,
}

/// An unsat core whose inputs may be any others.
struct CorePattern {
    /// The goal first.
    members: Vec<Term>,
    minimised: bool,
}

/// By the hash of the goal without names, newest last.
type Patterns = FxHashMap<u64, Vec<CorePattern>>;

#[derive(Default)]
struct Counts {
    cores: u64,
    tried: u64,
    sat: u64,
    unsat: u64,
    misses: u64,
    compared: u64,
    rejected: u64,
    sensitive: u64,
    stored: u64,
    generations: u64,
    from_file: u64,
}

/// The layer; the module documentation describes it.
pub struct IsoCache {
    key: MemoKey,
    none: Rc<ErasedSum>,
    hashes: ErasedHashes,
    evaluator: Evaluator,
    young: Generation,
    old: Generation,
    patterns: Patterns,
    old_patterns: Patterns,
    pattern_members: usize,
    counts: Counts,
    file: Option<Arc<AnswerFile>>,
}

impl Default for IsoCache {
    fn default() -> Self {
        IsoCache {
            key: MemoKey::fresh(),
            none: Rc::new(ErasedSum {
                sum: 0,
                has_base: false,
            }),
            hashes: ErasedHashes::default(),
            evaluator: Evaluator::new(),
            young: Generation::default(),
            old: Generation::default(),
            patterns: Patterns::default(),
            old_patterns: Patterns::default(),
            pattern_members: 0,
            counts: Counts::default(),
            file: None,
        }
    }
}

impl IsoCache {
    /// The sum over a list of facts, each counted once.
    fn sum_of(&mut self, facts: &Facts) -> Rc<ErasedSum> {
        let hashes = &mut self.hashes;
        along(facts, self.key, &self.none, |parent, here, fact| {
            let before = here.parent().map(FactSet::of);
            if before.is_some_and(|set| set.contains(fact)) {
                return Rc::clone(parent);
            }
            Rc::new(ErasedSum {
                sum: parent.sum.wrapping_add(scramble(hashes.of(fact))),
                has_base: parent.has_base || fact.attributes().has_base,
            })
        })
    }

    /// The answer of a query that is equal to this one up to a renaming.
    fn find(&mut self, hash: u64, asked: &QueryMembers<'_>) -> Option<Answer> {
        self.make_young(hash);
        let bucket = self.young.entries.get_mut(&hash)?;
        let all = std::mem::take(bucket);
        bucket.extend(all.into_iter().filter_map(Entry::known));
        let is_same = |entry: &Entry| match entry {
            Entry::Known { structure, .. } => structure == asked.form.structure(),
            Entry::Met { .. } => false,
        };
        let at = bucket.iter().position(is_same)?;
        let Entry::Known { answer, .. } = &bucket[at] else {
            return None;
        };
        let found = asked.renamed(answer, &mut self.evaluator, &mut self.counts);
        if found.is_none() {
            // What it is asked for it does not have; the next answer takes its place.
            bucket.swap_remove(at);
        }
        found
    }

    /// The answer that the file has. An unsat core is proved again if the file says so.
    fn answer_of_file(
        &mut self,
        hash: u64,
        asked: &QueryMembers<'_>,
        rest: &mut Rest<'_>,
    ) -> Option<Answer> {
        let file = Arc::clone(self.file.as_ref()?);
        let found = file.find(hash, asked.form.structure())?;
        if found.proof != Proof::None && matches!(found.answer, Nameless::Unsat { .. }) {
            let mut query = asked.query.clone();
            if found.proof == Proof::Tried {
                let most = query.budget.work.unwrap_or(u64::MAX);
                query.budget.work = Some(most.min(PROOF_WORK));
            }
            let answer = rest.solve(&query);
            match &answer {
                Answer::Unsat(_) => {
                    file.proved();
                    self.put(hash, asked.entry(found.answer));
                    return Some(answer);
                }
                Answer::Sat(_) => {
                    file.refuted();
                    let what = "an unsat core from the file of answers is satisfiable";
                    return Some(Answer::Unknown(UnknownReason::Internal(what.to_string())));
                }
                Answer::Unknown(UnknownReason::Work) if found.proof == Proof::Tried => {}
                Answer::Unknown(_) => return Some(answer),
            }
        }
        let answer = asked.renamed(found.answer, &mut self.evaluator, &mut self.counts)?;
        self.counts.from_file += 1;
        self.put(hash, asked.entry(found.answer));
        Some(answer)
    }

    /// An unsat core of another query of which an instance is contained in this one. Satisfiable facts have none, so only
    /// cores with the goal are tried.
    fn instance(&mut self, query: &Query, facts: &FactSet, goal: &Term) -> Option<UnsatCore> {
        let under = self.hashes.of(goal);
        let known = [&self.patterns, &self.old_patterns];
        let mut patterns = known
            .into_iter()
            .filter_map(|all| all.get(&under))
            .flat_map(|list| list.iter().rev())
            .filter(|p| query.want != Want::Core || p.minimised || p.members.len() == 1)
            .peekable();
        patterns.peek()?;
        let mut by_hash: FxHashMap<u64, Vec<Term>> = FxHashMap::default();
        by_hash.entry(under).or_default().push(goal.clone());
        for fact in facts.members.values() {
            let hash = self.hashes.of(fact);
            by_hash.entry(hash).or_default().push(fact.clone());
        }
        let hashes = &mut self.hashes;
        let mut found = patterns.find_map(|pattern| {
            let mut members = pattern.members.iter();
            if !members.all(|m| by_hash.contains_key(&hashes.of(m))) {
                return None;
            }
            self.counts.tried += 1;
            instance_of(&pattern.members, &by_hash, hashes)
        })?;
        self.counts.cores += 1;
        // Two members of the pattern may have one counterpart.
        found.sort_unstable_by_key(Term::birth);
        found.dedup();
        Some(core_of(query, found.iter()))
    }

    /// Keeps an unsat core as a pattern.
    fn keep_pattern(&mut self, query: &Query, core: &UnsatCore) {
        let large = core.facts.len() >= LARGEST_PATTERN;
        if !core.goal || query.goal.is_true() || large {
            return;
        }
        if self.pattern_members >= PATTERN_MEMBERS {
            self.old_patterns = std::mem::take(&mut self.patterns);
            self.pattern_members = 0;
        }
        let goal = std::iter::once(query.goal.clone());
        let members: Vec<Term> = goal.chain(core.facts.iter().cloned()).collect();
        self.pattern_members += members.len();
        let under = self.hashes.of(&query.goal);
        let list = self.patterns.entry(under).or_default();
        if list.len() == MOST_ALIKE {
            list.remove(0);
        }
        list.push(CorePattern {
            members,
            minimised: query.want == Want::Core,
        });
    }

    /// Moves what has a hash to the young generation.
    fn make_young(&mut self, hash: u64) {
        if let Some(entries) = self.old.entries.remove(&hash) {
            for entry in entries {
                self.put(hash, entry);
            }
        }
    }

    fn put(&mut self, hash: u64, entry: Entry) {
        if self.young.count >= GENERATION_ENTRIES || self.young.weight >= GENERATION_WEIGHT {
            self.old = std::mem::take(&mut self.young);
            self.counts.generations += 1;
        }
        self.young.count += 1;
        self.young.weight += entry.weight();
        let bucket = self.young.entries.entry(hash).or_default();
        if bucket.len() == MOST_ALIKE {
            bucket.remove(0);
        }
        bucket.push(entry);
    }
}

/// An unsat core of some members of a query.
fn core_of<'a>(query: &Query, members: impl Iterator<Item = &'a Term>) -> UnsatCore {
    let set = FactSet::of(&query.facts);
    let (facts, others): (Vec<Term>, Vec<Term>) = members.cloned().partition(|t| set.contains(t));
    UnsatCore {
        facts,
        goal: !others.is_empty(),
    }
}

impl Layer for IsoCache {
    fn name(&self) -> &'static str {
        "iso-cache"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let facts = FactSet::of(&query.facts);
        let goal = Some(&query.goal).filter(|g| !g.is_true() && !facts.contains(g));
        if facts.members.len() > MOST_MEMBERS {
            return rest.solve(query);
        }
        let sum = self.sum_of(&query.facts);
        let hash = goal.map_or(sum.sum, |g| {
            sum.sum.wrapping_add(scramble(self.hashes.of(g)))
        });
        if (sum.has_base || query.goal.attributes().has_base)
            && is_layout_sensitive(&members_of(&facts, goal))
        {
            self.counts.sensitive += 1;
            return rest.solve(query);
        }
        let met = |generation: &Generation| generation.entries.contains_key(&hash);
        let met = met(&self.young) || met(&self.old);
        let in_file = self.file.as_ref().is_some_and(|file| file.may_know(hash));
        let mut asked = None;
        if met || in_file {
            self.counts.compared += 1;
            asked = QueryMembers::of(query, &facts, goal);
        }
        if let Some(asked) = &asked {
            let found = met.then(|| self.find(hash, asked)).flatten();
            let found = found.or_else(|| self.answer_of_file(hash, asked, rest));
            if let Some(answer) = found {
                return answer;
            }
        }
        if let Some(core) = goal.and_then(|goal| self.instance(query, &facts, goal)) {
            return Answer::Unsat(core);
        }
        self.counts.misses += 1;
        let start = self.file.as_ref().map(|_| Instant::now());
        let answer = rest.solve(query);
        let Some(given) = NamedAnswer::of(query, &facts, &answer) else {
            return answer;
        };
        if let Answer::Unsat(core) = &answer {
            self.keep_pattern(query, core);
        }
        let entry = match (&self.file, start) {
            (Some(file), Some(start)) => {
                let cost = start.elapsed().as_micros();
                let asked = asked.or_else(|| QueryMembers::of(query, &facts, goal));
                let nameless = asked.and_then(|asked| {
                    let answer = given.nameless(&asked.form, &asked.list)?;
                    let cost = u64::try_from(cost).unwrap_or(u64::MAX);
                    file.add(hash, asked.form.structure(), &answer, cost);
                    Some(asked.entry(&answer))
                });
                let Some(entry) = nameless else { return answer };
                entry
            }
            _ => Entry::Met {
                goal: goal.cloned(),
                facts,
                answer: given,
            },
        };
        self.counts.stored += 1;
        self.put(hash, entry);
        answer
    }

    fn keep_answers_in(&mut self, file: &Arc<AnswerFile>) {
        self.file = Some(Arc::clone(file));
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counts;
        vec![
            ("sat", c.sat),
            ("unsat", c.unsat),
            ("cores", c.cores),
            ("tried", c.tried),
            ("misses", c.misses),
            ("compared", c.compared),
            ("rejected", c.rejected),
            ("sensitive", c.sensitive),
            ("entries", c.stored),
            ("generations", c.generations),
            ("from_file", c.from_file),
        ]
    }
}
