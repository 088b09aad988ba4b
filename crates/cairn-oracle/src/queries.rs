//! Random sequences of queries: those of a symbolic executor, and others that it would never ask.
//!
//! - **Walk.** Facts grow along a path; at each step a condition and its negation are asked, a
//!   feasible side is followed and the other kept for later. In between come repetitions, subsets
//!   and the facts alone, which are what caches answer.
//! - **One-shot.** Unrelated lists of facts with a goal.
//!
//! Facts are marked as satisfiable only if that is known from the verdicts that [`Session::learn`] is
//! given.

use crate::pool::{BuiltTerms, Expression, Id, Pool};
use crate::random::{Draw, Random};
use crate::terms::{Generator, Shape};
use cairn_expr::{Sort, Term, TermStore};
use cairn_solver::{Facts, Query, Want};

/// A query and the expressions that it was made of.
#[derive(Clone)]
pub struct PooledQuery {
    /// The query.
    pub query: Query,
    /// All conjuncts as places in the session's pool.
    pub conjuncts: Vec<Id>,
}

/// A point on a path.
#[derive(Clone, Default)]
struct PathPoint {
    facts: Facts,
    ids: Vec<Id>,
    /// Whether the facts are known to be satisfiable.
    sat: bool,
}

impl PathPoint {
    fn root() -> Self {
        PathPoint {
            sat: true,
            ..Self::default()
        }
    }

    fn with(&self, term: Term, id: Id, sat: bool) -> Self {
        let mut ids = self.ids.clone();
        ids.push(id);
        PathPoint {
            facts: self.facts.with(term),
            ids,
            sat,
        }
    }
}

/// What the last query was, so that its verdict can be used.
enum LastQuery {
    Nothing,
    /// The condition was asked.
    Then(Id),
    /// Its negation was asked; the condition's verdict is known.
    Otherwise(Id, Option<bool>),
}

/// A sequence of queries over one store.
pub struct Session {
    generator: Generator,
    made: BuiltTerms,
    walk: bool,
    here: PathPoint,
    open: Vec<PathPoint>,
    past: Vec<PooledQuery>,
    pending: LastQuery,
    longest: usize,
}

impl Session {
    /// The session of a seed. All its queries are made in one store.
    pub fn new(seed: u64) -> Self {
        let mut r = Random::new(seed ^ 0x5EED_0F5E_5510_0000);
        let shape = Shape::random(&mut r);
        Self::with_shape(seed, shape)
    }

    /// The same with a given shape of expressions.
    pub fn with_shape(seed: u64, shape: Shape) -> Self {
        let mut random = Random::new(seed);
        let walk = random.chance(65);
        let longest = random.within(3, 14) as usize;
        Session {
            generator: Generator::with_shape(random, shape),
            made: BuiltTerms::default(),
            walk,
            here: PathPoint::root(),
            open: Vec::new(),
            past: Vec::new(),
            pending: LastQuery::Nothing,
            longest,
        }
    }

    /// The expressions made so far.
    pub fn pool(&self) -> &Pool {
        &self.generator.pool
    }

    fn random(&mut self) -> &mut Random {
        &mut self.generator.random
    }

    fn term(&mut self, store: &TermStore, id: Id) -> Term {
        self.generator.pool.term(store, &mut self.made, id)
    }

    fn asked(&mut self, store: &TermStore, place: &PathPoint, goal: Id) -> PooledQuery {
        let goal_term = self.term(store, goal);
        let r = self.random();
        let want = match r.below(10) {
            0..=3 => Want::Verdict,
            4..=7 => Want::Model,
            _ => Want::Core,
        };
        let tell = r.chance(80);
        let mut query = Query::new(place.facts.clone(), goal_term).wanting(want);
        query.facts_sat = place.sat && tell;
        let mut conjuncts = place.ids.clone();
        conjuncts.push(goal);
        PooledQuery { query, conjuncts }
    }

    /// The next query.
    pub fn next(&mut self, store: &TermStore) -> PooledQuery {
        let asked = if self.walk {
            self.next_of_walk(store)
        } else {
            self.one_shot(store)
        };
        if self.past.len() < 64 {
            self.past.push(asked.clone());
        } else {
            let at = self.random().below(64);
            self.past[at] = asked.clone();
        }
        asked
    }

    fn one_shot(&mut self, store: &TermStore) -> PooledQuery {
        if self.random().chance(10) && !self.past.is_empty() {
            return self.again();
        }
        let count = self.random().below(7);
        let mut place = PathPoint::default();
        for _ in 0..count {
            let id = self.generator.condition();
            let term = self.term(store, id);
            place = place.with(term, id, false);
        }
        let goal = self.generator.condition();
        self.asked(store, &place, goal)
    }

    /// A query asked before; what is wanted may be something else.
    fn again(&mut self) -> PooledQuery {
        let at = self.generator.random.below(self.past.len());
        let mut asked = self.past[at].clone();
        if self.random().chance(30) {
            asked.query.want = Want::Core;
        }
        asked
    }

    /// Some of the facts in another order: satisfiable if all of them are.
    fn subset(&mut self, store: &TermStore) -> PooledQuery {
        let mut place = PathPoint {
            sat: self.here.sat,
            ..PathPoint::default()
        };
        let mut ids = self.here.ids.clone();
        if self.random().chance(50) {
            ids.reverse();
        }
        for id in ids {
            if self.random().chance(60) {
                let term = self.term(store, id);
                place = place.with(term, id, place.sat);
            }
        }
        let goal = self.generator.condition();
        self.asked(store, &place, goal)
    }

    fn next_of_walk(&mut self, store: &TermStore) -> PooledQuery {
        if let LastQuery::Otherwise(condition, _) = self.pending {
            let goal = self.generator.pool.not(condition);
            let place = self.here.clone();
            return self.asked(store, &place, goal);
        }
        let choice = self.random().below(20);
        match choice {
            0 if !self.past.is_empty() => return self.again(),
            1 => return self.subset(store),
            2 => {
                let goal = self.generator.pool.push(Expression::Bool(true), Sort::Bool);
                let place = self.here.clone();
                return self.asked(store, &place, goal);
            }
            _ => {}
        }
        let condition = self.generator.condition();
        self.pending = LastQuery::Then(condition);
        let place = self.here.clone();
        self.asked(store, &place, condition)
    }

    /// Tells the verdict of the last query, if it was decided.
    pub fn learn(&mut self, store: &TermStore, sat: Option<bool>) {
        match std::mem::replace(&mut self.pending, LastQuery::Nothing) {
            LastQuery::Nothing => {}
            LastQuery::Then(condition) => self.pending = LastQuery::Otherwise(condition, sat),
            LastQuery::Otherwise(condition, then) => self.branch(store, condition, then, sat),
        }
    }

    fn branch(
        &mut self,
        store: &TermStore,
        condition: Id,
        then: Option<bool>,
        otherwise: Option<bool>,
    ) {
        let negation = self.generator.pool.not(condition);
        let mut sides = Vec::new();
        for (id, own, other) in [(condition, then, otherwise), (negation, otherwise, then)] {
            let infeasible = own == Some(false);
            // A path that cannot be taken is taken now and then.
            if infeasible && !self.random().chance(5) {
                continue;
            }
            let sat = own == Some(true) || (self.here.sat && other == Some(false));
            let term = self.term(store, id);
            sides.push(self.here.with(term, id, sat && !infeasible));
        }
        if self.random().chance(50) {
            sides.reverse();
        }
        self.open.extend(sides);
        if self.open.len() > 32 {
            let at = self.generator.random.below(self.open.len());
            self.open.swap_remove(at);
        }
        let next = match self.random().below(10) {
            0 if !self.open.is_empty() => {
                let at = self.generator.random.below(self.open.len());
                Some(self.open.swap_remove(at))
            }
            _ => self.open.pop(),
        };
        self.here = match next {
            Some(place) if place.ids.len() <= self.longest => place,
            Some(_) | None => PathPoint::root(),
        };
    }
}
