//! Easy queries from the last model: facts are looked at only when they would be violated.
//!
//! - **Problem.** A query on a path is the path's facts, which the last model satisfies, and one
//!   new condition. Giving all facts to a solver costs the whole path for every branch.
//! - **Idea.** Start from a model of the path. If it satisfies the goal, done. Otherwise try words
//!   (`bounds.rs`, `moves.rs`, `dive.rs`). Otherwise search an assignment of the goal alone,
//!   near the model; evaluate the facts that share a changed input; those that are violated join
//!   the search; repeat. The facts are refined like axioms: on demand, and all at once when the
//!   search meets conflicts, which are mostly the facts it was not told.
//! - **Soundness.** UNSAT: some facts and the goal contradict each other, so all of them do; they
//!   are the core. SAT: every fact was evaluated to true under the answer, or was true under the
//!   model it came from and shares no changed input with the answer.
//! - **Cost.** Linear in the path only by a look at each fact's support; search and evaluation
//!   are proportional to what changes. Gives up (the complete solver takes over) after a number of
//!   conflicts, rounds, or for cones that are too large.
//! - **Counters.** warm_hits, bounded, moved, dived, searches, given_up.

use super::arrays::{Lemma, check_reads};
use super::bounds::Bounds;
use super::candidate::Candidate;
use super::candidates;
use super::cnf::{ClauseSink, Cnf};
use super::context::{Context, Root};
use super::dive::{Dived, dive};
use super::gates::{Gate, Lit};
use super::moves::Repair;
use super::sat::SatLit;
use super::search::{Found, Search};
use super::thorough::{Decision, Thorough};
use super::{Counts, poll, word_value};
use crate::{Facts, MemoKey, Query, Reason};
use cairn_expr::{Evaluator, Model, Sort, Support, Term, TermStore, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Conflicts times variables after which the complete solver takes over: about a tenth of a
/// second of search, however large the cone is.
const EFFORT: u64 = 8_000_000;
/// Fewest and most conflicts that follow from it.
const CONFLICTS: std::ops::RangeInclusive<u64> = 100..=4_000;
/// Rounds of adding facts or lemmas after which the complete solver takes over.
const MOST_ROUNDS: usize = 40;
/// Rounds of the complete solver after which it is given all facts.
const FEW_HARD_ROUNDS: usize = 1;
/// Conflicts after which our own search is given all facts.
const FEW_CONFLICTS: u64 = 2;
/// A search over more variables is not small.
const LARGEST_CONE: usize = 60_000;
/// Models remembered per prefix: both outcomes of the last branch, and one more.
const MODELS_KEPT: usize = 3;

/// Prefixes looked at for a model to start from.
const LONGEST_LOOK: usize = 64;

/// The variables below a root.
struct Cone {
    variables: Vec<u32>,
    inputs: Vec<u32>,
}

/// The cone of a lemma about one read, and the id of the other read if it is about two.
type LemmaCone = (Option<u32>, Rc<Cone>);

/// Models that satisfy a prefix of facts; hung on the prefix.
struct WarmModels(Vec<Rc<Model>>);

/// Where a search starts.
enum Start {
    /// From a model of the facts.
    Satisfied(Rc<Model>),
    /// From a model of most of them.
    Near(Rc<Model>),
    /// From any model.
    Cold(Rc<Model>),
}

/// What the guided search ended with.
pub enum Outcome {
    /// A model of all facts and the goal.
    Sat(Rc<Model>),
    /// Positions in the list of terms that contradict each other.
    Unsat(Vec<usize>),
}

/// What one round of the small search ended with.
enum Round {
    /// An assignment of the active terms.
    Candidate(Candidate),
    /// Positions of terms that contradict each other.
    Unsat(Vec<usize>),
    /// Array axioms were added: search again.
    Lemmas,
    /// Not easy.
    GaveUp,
}

/// The guided search of a context.
pub struct Guided {
    search: Search,
    cnf: Cnf,
    cones: FxHashMap<u64, Rc<Cone>>,
    /// Lemmas of a read, by its birth; a lemma about two reads counts when both are asked about.
    lemmas: FxHashMap<u64, Vec<LemmaCone>>,
    /// Axioms that were made before a candidate asked for them: births of reads, and places.
    made: FxHashSet<(u64, u64)>,
    evaluator: Evaluator,
    bounds: Bounds,
    use_words: bool,
    memo: MemoKey,
    rootless: Option<Rc<WarmModels>>,
    last: Rc<Model>,
    conflicts_before: u64,
    visited: Vec<u32>,
    visit: u32,
}

impl Guided {
    /// Nothing known.
    pub fn new() -> Self {
        let mut search = Search::new();
        let cnf = Cnf::new(&mut search);
        Guided {
            search,
            cnf,
            cones: FxHashMap::default(),
            lemmas: FxHashMap::default(),
            made: FxHashSet::default(),
            evaluator: Evaluator::new(),
            bounds: Bounds::new(),
            use_words: true,
            memo: MemoKey::fresh(),
            rootless: None,
            last: Rc::new(Model::new()),
            conflicts_before: 0,
            visited: Vec::new(),
            visit: 0,
        }
    }

    /// Nothing known, and gates for everything.
    pub fn without_words() -> Self {
        Guided {
            use_words: false,
            ..Self::new()
        }
    }

    fn models(&self, facts: &Facts) -> Option<Rc<WarmModels>> {
        if facts.is_empty() {
            return self.rootless.clone();
        }
        facts.memo::<WarmModels>(self.memo)
    }

    /// Remembers that a model satisfies these facts.
    pub fn remember(&mut self, facts: &Facts, model: &Rc<Model>) {
        self.last = Rc::clone(model);
        let mut list = vec![Rc::clone(model)];
        if let Some(old) = self.models(facts) {
            let others = old.0.iter().filter(|m| !Rc::ptr_eq(m, model));
            list.extend(others.take(MODELS_KEPT - 1).cloned());
        }
        let list = Rc::new(WarmModels(list));
        if facts.is_empty() {
            self.rootless = Some(list);
        } else {
            facts.set_memo(self.memo, list);
        }
    }

    /// A model to start from: one that is hung on the nearest prefix and satisfies what came
    /// since, if possible the goal too; else the last model found.
    fn warm(&mut self, facts: &Facts, goal: &Term) -> Start {
        let mut since: Vec<&Term> = Vec::new();
        for prefix in facts.prefixes().take(LONGEST_LOOK) {
            let Some(models) = self.models(prefix) else {
                since.extend(prefix.last());
                continue;
            };
            let mut first: Option<Rc<Model>> = None;
            for model in &models.0 {
                self.evaluator.start();
                if since.iter().all(|t| self.evaluator.eval_bool(t, model)) {
                    if self.evaluator.eval_bool(goal, model) {
                        first = Some(Rc::clone(model));
                        break;
                    }
                    first.get_or_insert_with(|| Rc::clone(model));
                }
            }
            let Some(model) = first else {
                return Start::Near(Rc::clone(&models.0[0]));
            };
            if !since.is_empty() {
                self.remember(facts, &model);
            }
            return Start::Satisfied(model);
        }
        if facts.is_empty() {
            return Start::Satisfied(Rc::clone(&self.last));
        }
        Start::Cold(Rc::clone(&self.last))
    }

    /// Forgets the circuit's variables, but neither models nor bounds.
    pub fn restart(&mut self) {
        let old = std::mem::replace(self, Guided::new());
        self.memo = old.memo;
        self.rootless = old.rootless;
        self.last = old.last;
        self.bounds = old.bounds;
        self.use_words = old.use_words;
        self.conflicts_before = old.conflicts_before + old.search.conflicts();
    }

    /// Decides a query. `terms` are its conjuncts, the goal last; the facts stand before it.
    pub fn decide(
        &mut self,
        cx: &mut Context,
        thorough: &mut Thorough,
        store: &TermStore,
        query: &Query,
        terms: &[&Term],
        counts: &mut Counts,
    ) -> Result<Outcome, Reason> {
        let start = self.warm(&query.facts, &query.goal);
        let goal = terms.len() - 1;
        // The facts that the first round looks at. From nowhere all are: what a model that has
        // nothing to do with them happens to satisfy says nothing.
        let candidates = match &start {
            Start::Satisfied(_) => query.facts.len()..goal,
            Start::Near(_) | Start::Cold(_) => 0..goal,
        };
        let cold = matches!(start, Start::Cold(_));
        let (Start::Satisfied(base) | Start::Near(base) | Start::Cold(base)) = start;
        self.evaluator.start();
        let violated: Vec<usize> = candidates
            .clone()
            .filter(|&i| !self.evaluator.eval_bool(terms[i], &base))
            .collect();
        let mut active = if cold && !violated.is_empty() {
            candidates.collect()
        } else {
            violated
        };
        if active.is_empty() && self.evaluator.eval_bool(terms[goal], &base) {
            counts.warm_hits += 1;
            return Ok(Outcome::Sat(base));
        }
        active.push(goal);
        if self.use_words {
            if let Some(outcome) = self.by_words(&base, terms, &active, counts) {
                return Ok(outcome);
            }
            // Values of the base model are wanted again.
            self.evaluator.start();
        }
        let mut easy = true;
        let mut rounds = 0;
        let mut hard_rounds = 0;
        let conflicts_before = self.conflicts();
        loop {
            let mut roots: Vec<Rc<Root>> = Vec::with_capacity(active.len());
            for &i in &active {
                roots.push(cx.root(store, terms[i], &query.budget)?);
                // Small roots are blasted between two looks at the clock; many are not small.
                poll(&query.budget)?;
            }
            if easy && rounds >= MOST_ROUNDS {
                // Lemma after lemma: facts that were left out may be what bounds them.
                easy = false;
                activate_all(&mut active, terms.len());
                continue;
            }
            easy &= roots.iter().all(|r| r.equalities.is_empty());
            rounds += 1;
            if rounds == 1 && roots.iter().any(|r| !r.reads.is_empty()) {
                let made = &mut self.made;
                let few =
                    candidates::few(cx, &mut self.bounds, &roots, terms, made, query, counts)?;
                for axiom in few {
                    self.add_lemma(cx, &axiom, query)?;
                }
            }
            let candidate = if easy {
                match self.search(cx, &roots, &active, terms, &base, query, counts)? {
                    Round::Candidate(candidate) => candidate,
                    Round::Unsat(core) => return Ok(Outcome::Unsat(core)),
                    Round::Lemmas => continue,
                    Round::GaveUp => {
                        counts.given_up += 1;
                        easy = false;
                        continue;
                    }
                }
            } else {
                thorough.shed_weight(&roots, counts);
                match thorough.decide(cx, store, &roots, &query.budget, counts)? {
                    Decision::Unsat(core) => {
                        let core = core.into_iter().map(|k| active[k]).collect();
                        return Ok(Outcome::Unsat(core));
                    }
                    Decision::Sat(found) => Candidate::merged(&base, &found, &roots),
                }
            };
            let violated = self.violated(&candidate, terms, &active);
            if violated.is_empty() {
                return Ok(Outcome::Sat(Rc::new(candidate.model)));
            }
            if !easy {
                hard_rounds += 1;
            }
            let conflicts = self.conflicts() - conflicts_before;
            if hard_rounds > FEW_HARD_ROUNDS || conflicts > FEW_CONFLICTS {
                // Each further search costs more than the facts it is spared: the complete solver
                // always, and ours when it learns from conflicts what a fact would have told.
                activate_all(&mut active, terms.len());
            } else {
                active.extend(violated);
            }
        }
    }

    /// Tries to answer without gates: by bounds, by a repair of the base, by a dive. `wrong` are
    /// the positions of terms that the base violates.
    fn by_words(
        &mut self,
        base: &Model,
        terms: &[&Term],
        wrong: &[usize],
        counts: &mut Counts,
    ) -> Option<Outcome> {
        if let Some(core) = self.bounds.enter(terms) {
            counts.bounded += 1;
            return Some(Outcome::Unsat(core));
        }
        let repair = Repair::new(terms, base, &mut self.evaluator, &self.bounds);
        if let Some((model, variables)) = repair.run(wrong.to_vec()) {
            let changed = variables.iter().map(|v| v.symbol().id()).collect();
            let candidate = Candidate { model, changed };
            if self.confirmed(&candidate, terms, wrong) {
                counts.moved += 1;
                return Some(Outcome::Sat(Rc::new(candidate.model)));
            }
        }
        match dive(&mut self.bounds, terms, wrong, base, &mut self.evaluator) {
            Dived::Unsat(core) => {
                counts.bounded += 1;
                Some(Outcome::Unsat(core))
            }
            Dived::Model(model, symbols) => {
                let changed = symbols.iter().map(Term::id).collect();
                let candidate = Candidate { model, changed };
                self.confirmed(&candidate, terms, wrong).then(|| {
                    counts.dived += 1;
                    Outcome::Sat(Rc::new(candidate.model))
                })
            }
            Dived::Nothing => None,
        }
    }

    /// Whether a candidate satisfies what the base violated and what it touched.
    fn confirmed(&mut self, candidate: &Candidate, terms: &[&Term], wrong: &[usize]) -> bool {
        self.violated(candidate, terms, &[]).is_empty()
            && wrong
                .iter()
                .all(|&i| self.evaluator.eval_bool(terms[i], &candidate.model))
    }

    /// One round of the small search over the active roots.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one query, all borrowed"
    )]
    fn search(
        &mut self,
        cx: &mut Context,
        roots: &[Rc<Root>],
        active: &[usize],
        terms: &[&Term],
        base: &Model,
        query: &Query,
        counts: &mut Counts,
    ) -> Result<Round, Reason> {
        counts.searches += 1;
        let (assumptions, size) = self.enter(cx, roots, active, terms, base, query)?;
        if size > LARGEST_CONE {
            return Ok(Round::GaveUp);
        }
        let distinct = self.search.cone_size() as u64;
        let effort = (EFFORT / (distinct + 1)).clamp(*CONFLICTS.start(), *CONFLICTS.end());
        let effort = effort.min(query.budget.conflicts.unwrap_or(effort));
        match self.search.solve(&assumptions, effort, &query.budget)? {
            Found::GaveUp => return Ok(Round::GaveUp),
            Found::Conflict(core) => {
                let core: FxHashSet<SatLit> = core.into_iter().collect();
                let mut listed: FxHashSet<SatLit> = FxHashSet::default();
                let positions: Vec<usize> = (0..active.len())
                    .filter(|&k| core.contains(&assumptions[k]) && listed.insert(assumptions[k]))
                    .map(|k| active[k])
                    .collect();
                if positions.is_empty() {
                    // Definitions and lemmas never contradict each other by themselves.
                    return Err(Reason::Internal(
                        "the search refutes the empty query".to_string(),
                    ));
                }
                return Ok(Round::Unsat(positions));
            }
            Found::Assignment => {}
        }
        match self.candidate(cx, roots, base, query)? {
            Ok(candidate) => Ok(Round::Candidate(candidate)),
            Err(lemmas) => {
                counts.lemmas += lemmas.len() as u64;
                for lemma in lemmas {
                    self.add_lemma(cx, &lemma, query)?;
                }
                Ok(Round::Lemmas)
            }
        }
    }

    /// Makes the roots' cone the search's, with phases from the model; returns the assumptions
    /// and the sum of the roots' cones' sizes.
    fn enter(
        &mut self,
        cx: &mut Context,
        roots: &[Rc<Root>],
        active: &[usize],
        terms: &[&Term],
        base: &Model,
        query: &Query,
    ) -> Result<(Vec<SatLit>, usize), Reason> {
        self.search.start_cone();
        let mut assumptions = Vec::with_capacity(roots.len());
        let mut size = 0;
        let mut reads: FxHashSet<u32> = FxHashSet::default();
        for (root, &i) in roots.iter().zip(active) {
            let lit = self.define(cx, root.lit, query)?;
            poll(&query.budget)?;
            assumptions.push(lit);
            let key = terms[i].birth();
            if !self.cones.contains_key(&key) {
                for &l in root.observed.iter() {
                    self.define(cx, l, query)?;
                }
                let lits = root.observed.iter().copied().chain([root.lit]);
                let cone = Rc::new(self.cone(cx, lits));
                self.cones.insert(key, cone);
            }
            let cone = &self.cones[&key];
            size += cone.variables.len();
            self.search.extend_cone(&cone.variables, &cone.inputs);
            reads.extend(root.reads.iter().map(Term::id));
            for t in root.symbols.iter().chain(root.reads.iter()) {
                let word = match self.evaluator.eval(t, base) {
                    Value::Bool(b) => vec![u64::from(b)],
                    Value::Bv(v) => v.limbs().to_vec(),
                    Value::Array(_) => unreachable!("scalars and reads have no array sort"),
                };
                for (i, l) in cx.blaster.bits(t).iter().enumerate() {
                    if let Some(v) = self.cnf.variable_of(l.node()) {
                        let bit = word[i / 64] >> (i % 64) & 1 == 1;
                        self.search.set_phase(v, bit ^ l.negated());
                    }
                }
            }
        }
        for root in roots {
            for read in root.reads.iter() {
                for (other, cone) in self.lemmas.get(&read.birth()).into_iter().flatten() {
                    if other.is_none_or(|o| reads.contains(&o)) {
                        size += cone.variables.len();
                        self.search.extend_cone(&cone.variables, &cone.inputs);
                    }
                }
            }
        }
        Ok((assumptions, size))
    }

    fn define(&mut self, cx: &Context, lit: Lit, query: &Query) -> Result<SatLit, Reason> {
        self.cnf
            .literal(&cx.blaster.gates, &mut self.search, lit, &query.budget)
    }

    /// The variables of the gates below some literals.
    fn cone(&mut self, cx: &Context, lits: impl Iterator<Item = Lit>) -> Cone {
        let gates = &cx.blaster.gates;
        self.visited.resize(gates.len(), 0);
        self.visit += 1;
        let mut cone = Cone {
            variables: Vec::new(),
            inputs: Vec::new(),
        };
        let mut stack: Vec<u32> = lits.map(Lit::node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut self.visited[node as usize], self.visit) == self.visit {
                continue;
            }
            let variable = self.cnf.variable_of(node);
            match gates.gate(node) {
                Gate::True => {}
                Gate::Input => cone.inputs.extend(variable),
                Gate::And(a, b) | Gate::Xor(a, b) => stack.extend([a.node(), b.node()]),
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => {
                    stack.extend([a.node(), b.node(), c.node()]);
                }
            }
            cone.variables.extend(variable);
        }
        cone
    }

    fn add_lemma(&mut self, cx: &mut Context, lemma: &Lemma, query: &Query) -> Result<(), Reason> {
        self.search.start_cone();
        let path = cx.blaster.gates.and_all(&lemma.path);
        let path_lit = self.define(cx, path, query)?;
        for (&x, &y) in lemma.left.iter().zip(&lemma.right) {
            let x = self.define(cx, x, query)?;
            let y = self.define(cx, y, query)?;
            self.search.clause(&[-path_lit, -x, y]);
            self.search.clause(&[-path_lit, x, -y]);
        }
        if let Some(read) = &lemma.read {
            let lits = lemma.left.iter().chain(&lemma.right).copied();
            let cone = Rc::new(self.cone(cx, lits.chain([path])));
            let other = lemma.other.as_ref().map(Term::id);
            self.lemmas
                .entry(read.birth())
                .or_default()
                .push((other, cone));
        }
        Ok(())
    }

    /// The model of an assignment, or the array axioms it violates.
    fn candidate(
        &mut self,
        cx: &mut Context,
        roots: &[Rc<Root>],
        base: &Model,
        query: &Query,
    ) -> Result<Result<Candidate, Vec<Lemma>>, Reason> {
        let mut candidate = Candidate {
            model: base.clone(),
            changed: FxHashSet::default(),
        };
        let mut reads: Vec<Term> = Vec::new();
        let mut listed: FxHashSet<u32> = FxHashSet::default();
        let (cnf, search) = (&self.cnf, &self.search);
        let value = |bits: &[Lit]| word_value(cnf, bits, |l| search.value(l));
        for root in roots {
            for symbol in root.symbols.iter() {
                if !listed.insert(symbol.id()) {
                    continue;
                }
                let bits = value(cx.blaster.bits(symbol));
                let new = match symbol.sort() {
                    Sort::Bool => Value::Bool(bits.is_one()),
                    Sort::BitVec(_) => Value::Bv(bits),
                    Sort::Array { .. } => unreachable!("scalars only"),
                };
                candidate.set(symbol, new);
            }
            for read in root.reads.iter() {
                if listed.insert(read.id()) {
                    reads.push(read.clone());
                }
            }
        }
        if !reads.is_empty() {
            match check_reads(&mut cx.blaster, &reads, &query.budget, value)? {
                Ok(cells) => {
                    for ((array, index), cell) in &cells {
                        candidate.set_cell(array, index, &cell.value);
                    }
                }
                Err(lemmas) => return Ok(Err(lemmas)),
            }
        }
        Ok(Ok(candidate))
    }

    /// Facts outside the search that the candidate's changes made false.
    fn violated(&mut self, candidate: &Candidate, terms: &[&Term], active: &[usize]) -> Vec<usize> {
        self.evaluator.start();
        let mut violated = Vec::new();
        for (i, term) in terms.iter().enumerate() {
            let touched = match &term.attributes().support {
                Support::Keys(keys) => keys.iter().any(|k| candidate.changed.contains(&k.symbol)),
                Support::Many => true,
            };
            if touched && !active.contains(&i) && !self.evaluator.eval_bool(term, &candidate.model)
            {
                violated.push(i);
            }
        }
        // Values of the base model are wanted again if the search goes on.
        self.evaluator.start();
        violated
    }

    /// Variables of the search, for statistics.
    pub fn variables(&self) -> usize {
        self.search.variables()
    }

    /// Conflicts of the search, for statistics.
    pub fn conflicts(&self) -> u64 {
        self.conflicts_before + self.search.conflicts()
    }
}

/// Adds all positions that are not listed yet.
fn activate_all(active: &mut Vec<usize>, count: usize) {
    let listed: FxHashSet<usize> = active.iter().copied().collect();
    active.extend((0..count).filter(|i| !listed.contains(i)));
}
