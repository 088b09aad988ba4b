//! Simplifying the goal by the facts.
//!
//! # Problem
//! A program tests again what it tested before, or tests a value that the path has already fixed. The goal then
//! says nothing new, but by itself it looks like a question.
//!
//! # Idea
//! Facts are read as replacements: `t = constant` replaces the term `t`, `symbol = t` replaces the symbol if `t`
//! does not mention it, any other fact is replaced by `true`, and the operand of a negated fact by `false`. The
//! goal is rebuilt with them by the canonical constructors; a goal that becomes constant is decided here. KLEE
//! \[CadarDunbarEngler08\] replaces terms that the path condition equates with a constant.
//!
//! # What differs
//! Only the goal is rewritten. The facts are passed on as the same list, so an incremental core solver recognises its
//! work and unsat cores need no translation. A fact is rewritten by the older ones before it is read, so that
//! equalities chain and disjunctions shrink to their remaining cases.
//!
//! # Soundness
//! A replacement holds in every model of the facts that it was read from, so goal and rewritten goal agree in
//! every model of the facts. Each replacement keeps those facts, transitively ([`Justification`]); a core that
//! needs the rewritten goal is completed with the facts of the replacements used. If the goal becomes `false`,
//! those facts contradict it; if a fact does, those facts contradict each other. If the goal becomes `true`, the
//! facts alone are passed on, because a model is still needed. Rewriting ends: the right side of `symbol = t` is
//! in normal form by all older replacements when it is read, so it mentions no older replaced symbol, and
//! following replacements leads to ever newer ones; all other right sides are constants.
//!
//! # Cost
//! Per fact and prefix: the fact's nodes, and one insertion into a persistent map that is attached to the
//! prefix. Per goal: its nodes, except those rewritten before under the same facts. Terms of more than
//! [`LARGEST`] nodes are not rewritten.
//!
//! # Counters
//! `rewritten` goals, of those `decided_true` and `decided_false`; `contradictions` among facts; `replacements`
//! learned; `too_large` terms.

use super::memo::along;
use crate::{Answer, Facts, Layer, MemoKey, Query, Rest, UnsatCore};
use cairn_expr::{Op, PersistentMap, PostOrder, Sort, Support, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A term with more nodes than this is not rewritten.
const LARGEST: usize = 1 << 14;
/// More remembered results than this are dropped between two goals.
const LARGEST_MEMORY: usize = 1 << 16;

/// Why a replacement holds: a fact, and other justifications. They are shared, so they form a graph.
struct Justification {
    fact: Option<Term>,
    because: Vec<Rc<Justification>>,
}

impl Drop for Justification {
    /// Chains of equalities make chains of reasons: they are freed without recursion.
    fn drop(&mut self) {
        let mut work = std::mem::take(&mut self.because);
        while let Some(why) = work.pop() {
            if let Some(mut why) = Rc::into_inner(why) {
                work.append(&mut why.because);
            }
        }
    }
}

type JustifiedBy = Option<Rc<Justification>>;

fn both(a: &JustifiedBy, b: &JustifiedBy) -> JustifiedBy {
    match (a, b) {
        (None, other) | (other, None) => other.clone(),
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(Rc::clone(a)),
        (Some(a), Some(b)) => Some(Rc::new(Justification {
            fact: None,
            because: vec![Rc::clone(a), Rc::clone(b)],
        })),
    }
}

/// The facts of a justification, each once.
fn facts_behind(reason: &JustifiedBy) -> Vec<Term> {
    let mut seen: FxHashSet<*const Justification> = FxHashSet::default();
    let mut listed: FxHashSet<Term> = FxHashSet::default();
    let mut work: Vec<&Rc<Justification>> = reason.iter().collect();
    let mut facts = Vec::new();
    while let Some(why) = work.pop() {
        if !seen.insert(Rc::as_ptr(why)) {
            continue;
        }
        if let Some(fact) = &why.fact
            && listed.insert(fact.clone())
        {
            facts.push(fact.clone());
        }
        work.extend(&why.because);
    }
    facts
}

struct Replacement {
    /// Held so that its birth, the key, stays its own.
    from: Term,
    to: Term,
    why: JustifiedBy,
}

type Replacements = PersistentMap<Replacement>;

/// The replacements of a list of facts, attached to it.
#[derive(Default)]
struct PathReplacements {
    replacements: Replacements,
    /// Facts that cannot hold together.
    contradiction: JustifiedBy,
}

fn is_constant(term: &Term) -> bool {
    matches!(term.op(), Op::Bool(_) | Op::Const(_))
}

fn is_symbol(term: &Term) -> bool {
    matches!(term.op(), Op::Symbol(_))
}

fn mentions(term: &Term, symbol: &Term) -> bool {
    match &term.attributes().support {
        Support::Keys(keys) => keys.iter().any(|k| k.symbol == symbol.id()),
        Support::Many => PostOrder::new(term).any(|t| t == *symbol),
    }
}

/// Rewrites terms to their normal form under some replacements.
#[derive(Default)]
struct Rewriter {
    replacements: Replacements,
    done: FxHashMap<Term, (Term, JustifiedBy)>,
}

enum RewriteStep {
    Done(Term, JustifiedBy),
    Need(Term),
}

impl Rewriter {
    /// Works with these replacements from now on; what was done before counts only if they are
    /// the same ones.
    fn switch_to(&mut self, replacements: &Replacements) {
        if !self.replacements.same(replacements) || self.done.len() > LARGEST_MEMORY {
            self.replacements = replacements.clone();
            self.done.clear();
        }
    }

    /// The normal form and the reason why it is equal; `None` if the term is too large.
    fn rewrite(&mut self, store: &TermStore, root: &Term) -> Option<(Term, JustifiedBy)> {
        if self.replacements.is_empty() {
            return Some((root.clone(), None));
        }
        let mut stack = vec![root.clone()];
        let mut nodes = 0;
        while let Some(term) = stack.last() {
            if self.done.contains_key(term) {
                stack.pop();
                continue;
            }
            match self.step(store, term) {
                RewriteStep::Need(other) => stack.push(other),
                RewriteStep::Done(result, why) => {
                    nodes += 1;
                    if nodes > LARGEST {
                        return None;
                    }
                    if let Some(term) = stack.pop() {
                        self.done.insert(term, (result, why));
                    }
                }
            }
        }
        self.done.get(root).cloned()
    }

    fn replacement(&self, term: &Term) -> Option<&Replacement> {
        self.replacements
            .get(term.birth())
            .filter(|r| r.from == *term)
    }

    /// One term whose operands may or may not be done. The term itself is looked up before its
    /// operands are: a fact is known in the form in which it was learned.
    fn step(&self, store: &TermStore, term: &Term) -> RewriteStep {
        if let Some(r) = self.replacement(term) {
            if is_constant(&r.to) {
                return RewriteStep::Done(r.to.clone(), r.why.clone());
            }
            return match self.done.get(&r.to) {
                Some((to, why)) => RewriteStep::Done(to.clone(), both(&r.why, why)),
                None => RewriteStep::Need(r.to.clone()),
            };
        }
        let args = term.args();
        let mut operands: Vec<Term> = Vec::with_capacity(args.len());
        let mut reason: JustifiedBy = None;
        let mut changed = false;
        for (i, arg) in args.iter().enumerate() {
            let Some((operand, why)) = self.done.get(arg) else {
                return RewriteStep::Need(arg.clone());
            };
            // Where one operand decides, only its reason counts, and a branch that is not taken
            // is not looked at.
            match (term.op(), i, operand.as_bool()) {
                (Op::And, _, Some(false)) => {
                    return RewriteStep::Done(operand.clone(), why.clone());
                }
                (Op::Ite, 0, Some(condition)) => {
                    let taken = &args[if condition { 1 } else { 2 }];
                    return match self.done.get(taken) {
                        Some((t, w)) => RewriteStep::Done(t.clone(), both(why, w)),
                        None => RewriteStep::Need(taken.clone()),
                    };
                }
                _ => {}
            }
            changed |= operand != arg;
            reason = both(&reason, why);
            operands.push(operand.clone());
        }
        if !changed {
            return RewriteStep::Done(term.clone(), None);
        }
        let result = store.rebuild(term, &operands);
        match self.replacement(&result) {
            // The operands are in normal form, so what is found here is no symbol; and all other
            // replacements are by constants.
            Some(r) if is_constant(&r.to) => RewriteStep::Done(r.to.clone(), both(&reason, &r.why)),
            Some(_) | None => RewriteStep::Done(result, reason),
        }
    }
}

/// The layer; the module documentation describes it.
pub struct Simplify {
    key: MemoKey,
    empty: Rc<PathReplacements>,
    path: Rewriter,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    rewritten: u64,
    decided_true: u64,
    decided_false: u64,
    contradictions: u64,
    replacements: u64,
    too_large: u64,
}

impl Default for Simplify {
    fn default() -> Self {
        Simplify {
            key: MemoKey::fresh(),
            empty: Rc::default(),
            path: Rewriter::default(),
            counts: Counts::default(),
        }
    }
}

/// Learns facts of one list, oldest first.
struct Learner<'a> {
    store: &'a TermStore,
    rewriter: &'a mut Rewriter,
    counts: &'a mut Counts,
}

impl Learner<'_> {
    fn learn(&mut self, parent: &Rc<PathReplacements>, fact: &Term) -> Rc<PathReplacements> {
        if parent.contradiction.is_some() {
            return Rc::clone(parent);
        }
        let mut known = parent.replacements.clone();
        let itself = Some(Rc::new(Justification {
            fact: Some(fact.clone()),
            because: Vec::new(),
        }));
        // Conjuncts of the fact, each with what it took to come to it.
        let mut work: Vec<(Term, JustifiedBy)> = vec![(fact.clone(), itself)];
        while let Some((part, reason)) = work.pop() {
            if matches!(part.op(), Op::And) {
                work.extend(
                    part.args()
                        .iter()
                        .rev()
                        .map(|a| (a.clone(), reason.clone())),
                );
                continue;
            }
            self.rewriter.switch_to(&known);
            let Some((normal, why)) = self.rewriter.rewrite(self.store, &part) else {
                self.counts.too_large += 1;
                self.read(&mut known, &part, &reason, false);
                continue;
            };
            let whole = both(&reason, &why);
            match normal.as_bool() {
                Some(true) => continue,
                Some(false) => {
                    self.counts.contradictions += 1;
                    return Rc::new(PathReplacements {
                        replacements: known,
                        contradiction: whole,
                    });
                }
                None => {}
            }
            if normal != part {
                // A later goal may contain it as it stood.
                self.read(&mut known, &part, &reason, false);
            }
            if matches!(normal.op(), Op::And) {
                work.push((normal, whole));
            } else {
                self.read(&mut known, &normal, &whole, true);
            }
        }
        Rc::new(PathReplacements {
            replacements: known,
            contradiction: None,
        })
    }

    /// Reads a fact as a replacement; only a `normal` one may replace a symbol by a term.
    fn read(&mut self, known: &mut Replacements, fact: &Term, why: &JustifiedBy, normal: bool) {
        let store = self.store;
        let (atom, holds) = match fact.op() {
            Op::Not => (fact.arg(0), false),
            _ => (fact, true),
        };
        let (from, to) = match (atom.op(), atom.args()) {
            (Op::Eq, [a, b]) if holds && is_constant(b) => (a.clone(), b.clone()),
            // Of one bit, so the other value is meant.
            (Op::Eq, [a, b]) if b.as_const().is_some() && a.sort() == Sort::BitVec(1) => {
                (a.clone(), store.bv_not(b))
            }
            (Op::Eq, [a, b]) if normal && (holds || a.sort() == Sort::Bool) => {
                match oriented(a, b) {
                    Some((symbol, term)) if holds => (symbol.clone(), term.clone()),
                    Some((symbol, term)) => (symbol.clone(), store.not(term)),
                    None => (atom.clone(), store.bool(holds)),
                }
            }
            _ => (atom.clone(), store.bool(holds)),
        };
        if is_constant(&from) || known.get(from.birth()).is_some() {
            return;
        }
        self.counts.replacements += 1;
        let why = why.clone();
        known.insert(from.birth(), Replacement { from, to, why });
    }
}

/// The side of an equality that is a symbol which the other side does not mention. Of two symbols
/// the younger one is replaced.
fn oriented<'a>(a: &'a Term, b: &'a Term) -> Option<(&'a Term, &'a Term)> {
    let fits = |x: &Term, t: &Term| is_symbol(x) && !mentions(t, x);
    match (fits(a, b), fits(b, a)) {
        (true, true) if a.birth() < b.birth() => Some((b, a)),
        (true, _) => Some((a, b)),
        (false, true) => Some((b, a)),
        (false, false) => None,
    }
}

impl Simplify {
    fn learned(&mut self, store: &TermStore, facts: &Facts) -> Rc<PathReplacements> {
        let mut learner = Learner {
            store,
            rewriter: &mut self.path,
            counts: &mut self.counts,
        };
        along(facts, self.key, &self.empty, |parent, _, fact| {
            learner.learn(parent, fact)
        })
    }

    /// The goal in normal form under the facts.
    fn rewritten(
        &mut self,
        store: &TermStore,
        query: &Query,
        known: &PathReplacements,
    ) -> Option<(Term, JustifiedBy)> {
        self.path.switch_to(&known.replacements);
        self.path.rewrite(store, &query.goal)
    }
}

impl Layer for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn solve(&mut self, query: &Query, rest: &mut Rest<'_>) -> Answer {
        let known = self.learned(rest.store(), &query.facts);
        if known.contradiction.is_some() {
            return Answer::Unsat(UnsatCore {
                facts: facts_behind(&known.contradiction),
                goal: false,
            });
        }
        let Some((goal, why)) = self.rewritten(rest.store(), query, &known) else {
            self.counts.too_large += 1;
            return rest.solve(query);
        };
        if goal.is_false() {
            self.counts.decided_false += 1;
            return Answer::Unsat(UnsatCore {
                facts: facts_behind(&why),
                goal: true,
            });
        }
        if goal == query.goal {
            return rest.solve(query);
        }
        self.counts.rewritten += 1;
        self.counts.decided_true += u64::from(goal.is_true());
        match rest.solve(&query.with_goal(goal)) {
            Answer::Unsat(mut core) if core.goal => {
                let listed: FxHashSet<Term> = core.facts.iter().cloned().collect();
                let used = facts_behind(&why);
                core.facts
                    .extend(used.into_iter().filter(|f| !listed.contains(f)));
                Answer::Unsat(core)
            }
            answer @ (Answer::Sat(_) | Answer::Unsat(_) | Answer::Unknown(_)) => answer,
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.counts;
        vec![
            ("rewritten", c.rewritten),
            ("decided_true", c.decided_true),
            ("decided_false", c.decided_false),
            ("contradictions", c.contradictions),
            ("replacements", c.replacements),
            ("too_large", c.too_large),
        ]
    }
}
