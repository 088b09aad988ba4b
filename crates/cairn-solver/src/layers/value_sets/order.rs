//! Order between words: what follows from `a < b` and `b < c`, and values that keep it.
//!
//! - **Problem.** Sets know no order between inputs. A program that sorts asks of every path
//!   whether `c < a` after `a < b` and `b < c`; no box can say no.
//! - **Idea.** Facts `a < b`, `a ≤ b`, `a = b`, `a ≠ b` between words of any kind are the edges of
//!   a graph. A question is impossible if the graph leads back, and holds anyway if it leads
//!   there. Where no box is left, values are chosen along the graph, each the one nearest to what
//!   it was before, within its set and within what those before and after it allow.
//! - **Soundness.** Impossible: the edges of the way are facts; their order is transitive. Or an
//!   input's smallest value, which follows from its set and those before it, is not in its set.
//!   Possible: the point is in all sets, keeps all edges between inputs, and every other fact that
//!   no set holds (the *loose* ones, and edges of terms) was evaluated.
//! - **Completeness.** Without `≠`, loose facts and terms: choosing fails only if there is no
//!   solution, whatever holes and steps the sets have, because least solutions exist: the least of
//!   two solutions at every input is one.
//! - **Cost.** The edges are a shared list of at most [`EDGES`]; a question walks it once for each
//!   vertex it reaches. Choosing closes the graph with one word of bits per vertex.

use super::forward::width_of;
use super::known::{Input, Key, Learned, Why};
use cairn_domain::{Relation, Sense, ValueSet, mask};
use cairn_expr::{Evaluator, Model, Term};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many edges are kept; facts beyond are loose.
const EDGES: usize = 192;
/// How many words the graph may have when values are chosen: the bits of a word.
const VERTICES: usize = 64;
/// How many loose facts are evaluated.
const LOOSE: usize = 48;

/// What an edge says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    AtMost,
    Below,
    Apart,
}

struct Edge {
    from: Term,
    to: Term,
    link: Link,
    /// `None`: in both orders.
    sense: Option<Sense>,
    fact: Term,
    before: Option<Rc<Edge>>,
}

impl Edge {
    fn is_in(&self, sense: Sense) -> bool {
        self.sense.is_none_or(|s| s == sense)
    }
}

/// The edges of a list of facts, shared with its prefixes.
#[derive(Clone, Default)]
pub(super) struct Order {
    last: Option<Rc<Edge>>,
    len: usize,
}

/// Facts that neither a set nor an edge holds, shared with the prefixes.
#[derive(Clone, Default)]
pub(super) struct Loose {
    last: Option<Rc<LooseFact>>,
    len: usize,
}

struct LooseFact {
    term: Term,
    truth: bool,
    fact: Term,
    before: Option<Rc<LooseFact>>,
}

impl Loose {
    /// With one more. More than can be evaluated are counted only.
    pub(super) fn push(&mut self, term: &Term, truth: bool, fact: &Term) {
        self.len += 1;
        if self.len <= LOOSE {
            self.last = Some(Rc::new(LooseFact {
                term: term.clone(),
                truth,
                fact: fact.clone(),
                before: self.last.take(),
            }));
        }
    }

    fn iter(&self) -> impl Iterator<Item = &LooseFact> {
        let mut at = self.last.as_deref();
        std::iter::from_fn(move || {
            let here = at?;
            at = here.before.as_deref();
            Some(here)
        })
    }
}

/// What a comparison is to the facts so far.
pub(super) enum Standing {
    /// It follows from them.
    Implied,
    /// It contradicts these of them.
    Impossible(Vec<Term>),
    /// Neither is seen.
    Open,
}

/// A word that was reached, whether by a strict way, the edge into it and the place it came from.
type Reached<'a> = (&'a Term, bool, Option<(&'a Edge, usize)>);

/// A search from one word along the edges of one order.
struct Ways<'a> {
    reached: SmallVec<[Reached<'a>; 16]>,
}

impl<'a> Ways<'a> {
    fn from(order: &'a Order, start: &'a Term, sense: Sense) -> Self {
        let mut reached = SmallVec::new();
        reached.push((start, false, None));
        let mut ways = Ways { reached };
        let mut at = 0;
        while at < ways.reached.len() {
            let (here, strict, _) = ways.reached[at];
            for edge in order.iter() {
                if edge.from == *here && edge.link != Link::Apart && edge.is_in(sense) {
                    let strict = strict || edge.link == Link::Below;
                    let known = |(t, s, _): &(&Term, bool, _)| **t == edge.to && (*s || !strict);
                    if !ways.reached.iter().any(known) {
                        ways.reached.push((&edge.to, strict, Some((edge, at))));
                    }
                }
            }
            at += 1;
        }
        ways
    }

    /// The facts of a way to a word.
    fn to(&self, end: &Term, strict: bool) -> Option<Vec<Term>> {
        let found =
            |(t, s, by): &(&Term, bool, Option<_>)| **t == *end && (*s || !strict) && by.is_some();
        let mut at = self.reached.iter().position(found)?;
        let mut facts = Vec::new();
        while let (_, _, Some((edge, before))) = &self.reached[at] {
            facts.push(edge.fact.clone());
            at = *before;
        }
        Some(facts)
    }
}

/// The order that a relation is about; `None` if it is about both.
fn sense_of(relation: Relation) -> Option<Sense> {
    match relation {
        Relation::Equal | Relation::Different => None,
        Relation::Below | Relation::AtMost => Some(Sense::Unsigned),
        Relation::SignedBelow | Relation::SignedAtMost => Some(Sense::Signed),
    }
}

impl Order {
    fn iter(&self) -> impl Iterator<Item = &Edge> {
        let mut at = self.last.as_deref();
        std::iter::from_fn(move || {
            let here = at?;
            at = here.before.as_deref();
            Some(here)
        })
    }

    fn mentions(&self, term: &Term) -> bool {
        self.iter().any(|e| e.from == *term || e.to == *term)
    }

    /// The fact that says that two words are different, if one does.
    fn apart(&self, a: &Term, b: &Term) -> Option<&Term> {
        let between = |e: &&Edge| {
            e.link == Link::Apart && (e.from == *a && e.to == *b || e.from == *b && e.to == *a)
        };
        self.iter().find(between).map(|e| &e.fact)
    }

    /// What a comparison of two words is to the edges.
    pub(super) fn standing(&self, relation: Relation, a: &Term, b: &Term) -> Standing {
        if self.last.is_none() || !self.mentions(a) || !self.mentions(b) {
            return Standing::Open;
        }
        let with = |mut facts: Vec<Term>, more: Option<Vec<Term>>| {
            facts.extend(more?);
            Some(facts)
        };
        let apart = || self.apart(a, b).map(|f| vec![f.clone()]);
        if let Some(sense) = sense_of(relation) {
            let strict = matches!(relation, Relation::Below | Relation::SignedBelow);
            let back = Ways::from(self, b, sense);
            // b ≤ a contradicts a < b, b < a contradicts a ≤ b.
            let against = back.to(a, !strict).or_else(|| {
                let weak = back.to(a, false)?;
                with(weak, apart())
            });
            if let Some(facts) = against {
                return Standing::Impossible(facts);
            }
            let there = Ways::from(self, a, sense);
            let implied = there.to(b, strict).is_some()
                || there.to(b, false).is_some() && self.apart(a, b).is_some();
            return if implied {
                Standing::Implied
            } else {
                Standing::Open
            };
        }
        let mut equal = None;
        let mut different = apart();
        for sense in [Sense::Unsigned, Sense::Signed] {
            let (there, back) = (Ways::from(self, a, sense), Ways::from(self, b, sense));
            different = different
                .or_else(|| there.to(b, true))
                .or_else(|| back.to(a, true));
            let both = || with(there.to(b, false)?, back.to(a, false));
            equal = equal.or_else(both);
        }
        let (holds, against) = match relation {
            Relation::Equal => (equal, different),
            Relation::Different
            | Relation::Below
            | Relation::AtMost
            | Relation::SignedBelow
            | Relation::SignedAtMost => (different, equal),
        };
        match (against, holds) {
            (Some(facts), _) => Standing::Impossible(facts),
            (None, Some(_)) => Standing::Implied,
            (None, None) => Standing::Open,
        }
    }

    /// With the edges of a comparison that a fact says. Whether there was room.
    pub(super) fn push(&mut self, relation: Relation, a: &Term, b: &Term, fact: &Term) -> bool {
        if self.len + 2 > EDGES {
            return false;
        }
        let sense = sense_of(relation);
        let mut add = |from: &Term, to: &Term, link: Link| {
            self.len += 1;
            self.last = Some(Rc::new(Edge {
                from: from.clone(),
                to: to.clone(),
                link,
                sense,
                fact: fact.clone(),
                before: self.last.take(),
            }));
        };
        match relation {
            Relation::Equal => {
                add(a, b, Link::AtMost);
                add(b, a, Link::AtMost);
            }
            Relation::Different => add(a, b, Link::Apart),
            Relation::Below | Relation::SignedBelow => add(a, b, Link::Below),
            Relation::AtMost | Relation::SignedAtMost => add(a, b, Link::AtMost),
        }
        true
    }
}

impl Learned {
    /// Facts that no set holds, newest first of each kind: the part, its truth value, the fact.
    /// `None` if they are too many to be listed.
    pub(super) fn unheld(&self) -> Option<impl Iterator<Item = (&Term, bool, &Term)>> {
        let loose = self.loose.iter().map(|l| (&l.term, l.truth, &l.fact));
        let edges = self.order.iter().map(|e| (&e.fact, true, &e.fact));
        (self.loose.len <= LOOSE).then(|| loose.chain(edges))
    }
}

/// What choosing values came to.
pub(super) enum Choice {
    /// A model of all facts.
    Model(Rc<Model>),
    /// Facts that cannot hold together.
    Contradiction(Why),
    /// Neither.
    Unknown,
}

/// Chooses values for all inputs of a list of facts, or finds that there are none.
pub(super) fn choose(learned: &Learned, evaluator: &mut Evaluator) -> Choice {
    let mut graph = Graph::default();
    if !graph.fill(learned) {
        return Choice::Unknown;
    }
    match graph.solve() {
        Ok(()) => {}
        Err(Some(why)) => return Choice::Contradiction(why),
        Err(None) => return Choice::Unknown,
    }
    if learned.opaque || learned.loose.len > LOOSE {
        return Choice::Unknown;
    }
    let plain = learned.loose.len == 0 && graph.unchecked.is_empty();
    let tries: &[Aim] = if plain {
        &[Aim::Near]
    } else {
        &[Aim::Near, Aim::Low, Aim::High]
    };
    for aim in tries {
        let Some(model) = graph.assign(learned, *aim) else {
            continue;
        };
        if plain || graph.holds(learned, &model, evaluator) {
            return Choice::Model(Rc::new(model));
        }
    }
    Choice::Unknown
}

/// Which values are tried first.
#[derive(Clone, Copy)]
enum Aim {
    Near,
    Low,
    High,
}

/// A word of the graph.
struct Vertex<'a> {
    term: &'a Term,
    input: Option<&'a Rc<Input>>,
    /// Words that it leads to, as bits.
    leads: u64,
    /// The first word that it must equal.
    class: usize,
}

/// What is known about words that are equal.
#[derive(Clone)]
struct Range {
    set: ValueSet,
    low: u64,
    high: u64,
    /// The edge that the lower bound came by, if it was not the set.
    by: Option<usize>,
}

/// An edge as one of its classes sees it.
struct Near {
    class: usize,
    other: usize,
    edge: usize,
    side: Side,
}

/// Where the other class is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// It is smaller, or may be equal.
    Before,
    /// It is larger, or may be equal.
    Behind,
    /// It is another word.
    Apart,
}

#[derive(Default)]
struct Graph<'a> {
    sense: Option<Sense>,
    vertices: SmallVec<[Vertex<'a>; 16]>,
    edges: SmallVec<[(usize, usize, &'a Edge); 32]>,
    /// Each edge between classes, seen from both, by class and then in their order.
    near: SmallVec<[Near; 32]>,
    /// Edges that values do not keep by themselves.
    unchecked: SmallVec<[&'a Edge; 4]>,
    /// Per vertex; only that of the first of a class is used.
    ranges: Vec<Range>,
    /// The first of each class, in order.
    sorted: SmallVec<[usize; 16]>,
}

impl<'a> Graph<'a> {
    fn sense(&self) -> Sense {
        self.sense.unwrap_or(Sense::Unsigned)
    }

    fn vertex(&mut self, learned: &'a Learned, term: &'a Term) -> usize {
        if let Some(at) = self.vertices.iter().position(|v| v.term == term) {
            return at;
        }
        let at = self.vertices.len();
        self.vertices.push(Vertex {
            term,
            input: Key::of_term(term).and_then(|k| learned.input(k)),
            leads: 0,
            class: at,
        });
        at
    }

    /// Takes the edges of a list. Whether there was room.
    fn fill(&mut self, learned: &'a Learned) -> bool {
        self.sense = learned.order.iter().find_map(|e| e.sense);
        let sense = self.sense();
        for edge in learned.order.iter() {
            if !edge.is_in(sense) {
                self.unchecked.push(edge);
                continue;
            }
            let (from, to) = (
                self.vertex(learned, &edge.from),
                self.vertex(learned, &edge.to),
            );
            if self.vertices.len() > VERTICES {
                return false;
            }
            if [from, to].iter().any(|v| self.vertices[*v].input.is_none()) {
                self.unchecked.push(edge);
            }
            if edge.link != Link::Apart {
                self.vertices[from].leads |= 1 << to;
            }
            self.edges.push((from, to, edge));
        }
        true
    }

    /// Closes the graph and finds bounds; `Err` with a reason if there is no solution.
    fn solve(&mut self) -> Result<(), Option<Why>> {
        let n = self.vertices.len();
        for k in 0..n {
            let through = self.vertices[k].leads;
            for v in &mut self.vertices {
                if v.leads >> k & 1 == 1 {
                    v.leads |= through;
                }
            }
        }
        for i in 0..n {
            let leads = self.vertices[i].leads;
            let first =
                (0..i).find(|j| leads >> j & 1 == 1 && self.vertices[*j].leads >> i & 1 == 1);
            self.vertices[i].class = first.unwrap_or(i);
        }
        let class = |v: usize| self.vertices[v].class;
        for (from, to, edge) in &self.edges {
            if edge.link != Link::AtMost && class(*from) == class(*to) {
                let mut all = self.class_reasons(class(*from), false);
                all.push(Why::fact(&edge.fact));
                return Err(Some(Why::all(all)));
            }
        }
        for (edge, (from, to, of)) in self.edges.iter().enumerate() {
            let (a, b) = (class(*from), class(*to));
            if a == b {
                continue;
            }
            let (seen_from_a, seen_from_b) = match of.link {
                Link::Apart => (Side::Apart, Side::Apart),
                Link::AtMost | Link::Below => (Side::Behind, Side::Before),
            };
            for (class, other, side) in [(a, b, seen_from_a), (b, a, seen_from_b)] {
                self.near.push(Near {
                    class,
                    other,
                    edge,
                    side,
                });
            }
        }
        self.near.sort_unstable_by_key(|n| (n.class, n.edge));
        self.bounds()
    }

    /// The edges of a class to others.
    fn near(&self, class: usize) -> &[Near] {
        let start = self.near.partition_point(|n| n.class < class);
        let more = self.near[start..].partition_point(|n| n.class == class);
        &self.near[start..start + more]
    }

    /// 1 if the words of an edge differ, else 0.
    fn step(&self, near: &Near) -> u64 {
        u64::from(self.edges[near.edge].2.link == Link::Below)
    }

    fn members(&self, class: usize) -> impl Iterator<Item = &Vertex<'a>> {
        self.vertices.iter().filter(move |v| v.class == class)
    }

    /// Why the words of a class are equal, and what is known about their sets.
    fn class_reasons(&self, class: usize, sets: bool) -> Vec<Why> {
        let mut all = Vec::new();
        if self.members(class).nth(1).is_some() {
            let inside = self.edges.iter().filter(|(from, to, _)| {
                self.vertices[*from].class == class && self.vertices[*to].class == class
            });
            all.extend(inside.map(|(_, _, e)| Why::fact(&e.fact)));
        }
        if sets {
            all.extend(
                self.members(class)
                    .filter_map(|v| Some(v.input?.why.clone())),
            );
        }
        all
    }

    fn bounds(&mut self) -> Result<(), Option<Why>> {
        let sense = self.sense();
        let n = self.vertices.len();
        for i in 0..n {
            let width = width_of(self.vertices[i].term).ok_or(None)?;
            let mut set = ValueSet::full(width);
            if self.vertices[i].class == i {
                for v in self.members(i) {
                    if let Some(input) = v.input {
                        set = set.intersect(input.known.set()).ok_or(None)?;
                    }
                }
                self.sorted.push(i);
            }
            self.ranges.push(Range {
                set,
                low: 0,
                high: mask(width),
                by: None,
            });
        }
        // Fewer words lead to what is earlier. Each leads to itself, or a word after a class of
        // equal ones would have as many as they have.
        let leads = |j: usize, i: usize| j == i || self.vertices[j].leads >> i & 1 == 1;
        let before: SmallVec<[usize; 16]> = (0..n)
            .map(|i| (0..n).filter(|j| leads(*j, i)).count())
            .collect();
        self.sorted.sort_by_key(|i| before[*i]);
        for at in 0..self.sorted.len() {
            let c = self.sorted[at];
            let mut low = 0;
            let mut by = None;
            for near in self.near(c).iter().filter(|n| n.side == Side::Before) {
                let least = self.ranges[near.other].low.checked_add(self.step(near));
                match least {
                    Some(least) if least > low => (low, by) = (least, Some(near.edge)),
                    Some(_) => {}
                    None => return Err(Some(self.chain(near.other, Some(near.edge)))),
                }
            }
            let range = &mut self.ranges[c];
            range.by = by;
            match sense
                .at_least(&range.set, low)
                .filter(|_| low <= range.high)
            {
                Some(found) => range.low = found,
                None => return Err(Some(self.chain(c, None))),
            }
        }
        for at in (0..self.sorted.len()).rev() {
            let c = self.sorted[at];
            let mut high = self.ranges[c].high;
            for near in self.near(c).iter().filter(|n| n.side == Side::Behind) {
                // The least solution exists, so this does not pass zero.
                high = high.min(self.ranges[near.other].high.saturating_sub(self.step(near)));
            }
            let range = &mut self.ranges[c];
            range.high = sense.at_most(&range.set, high).ok_or(None)?;
        }
        Ok(())
    }

    /// Why a class has its lower bound (and an edge from it, if one is given).
    fn chain(&self, class: usize, more: Option<usize>) -> Why {
        let mut all: Vec<Why> = more
            .map(|k| Why::fact(&self.edges[k].2.fact))
            .into_iter()
            .collect();
        if let Some(k) = more {
            all.extend(self.class_reasons(self.vertices[self.edges[k].1].class, true));
        }
        let mut at = class;
        loop {
            all.extend(self.class_reasons(at, true));
            let Some(k) = self.ranges[at].by else { break };
            let (from, _, edge) = &self.edges[k];
            all.push(Why::fact(&edge.fact));
            at = self.vertices[*from].class;
        }
        Why::all(all)
    }

    /// Values for all inputs. `None` if those that must differ leave none.
    fn assign(&self, learned: &Learned, aim: Aim) -> Option<Model> {
        let sense = self.sense();
        let earlier = learned.earlier_model();
        let mut places: SmallVec<[Option<u64>; 16]> = SmallVec::from_elem(None, self.ranges.len());
        for c in &self.sorted {
            let range = &self.ranges[*c];
            let width = range.set.width();
            let mut low = range.low;
            let mut taken: SmallVec<[u64; 8]> = SmallVec::new();
            for near in self.near(*c) {
                let Some(place) = places[near.other] else {
                    continue;
                };
                match near.side {
                    Side::Apart => taken.push(place),
                    Side::Before => low = low.max(place + self.step(near)),
                    Side::Behind => {}
                }
            }
            let wanted = match aim {
                Aim::Low => low,
                Aim::High => range.high,
                Aim::Near => {
                    let input = self.members(*c).find_map(|v| v.input);
                    let word = input.map_or(0, |i| i.value_in(&earlier));
                    sense.place(width, word).clamp(low, range.high.max(low))
                }
            };
            let up = |from: u64| {
                let found = sense.at_least(&range.set, from);
                found.filter(|p| *p <= range.high)
            };
            let down = |from: u64| {
                let found = sense.at_most(&range.set, from);
                found.filter(|p| *p >= low)
            };
            let mut place = up(wanted);
            while let Some(p) = place.filter(|p| taken.contains(p)) {
                place = p.checked_add(1).and_then(up);
            }
            if place.is_none() {
                place = down(wanted);
                while let Some(p) = place.filter(|p| taken.contains(p)) {
                    place = p.checked_sub(1).and_then(down);
                }
            }
            places[*c] = Some(place?);
        }
        let mut model = earlier.as_ref().clone();
        for v in &self.vertices {
            if let Some(input) = v.input {
                let word = sense.place(input.known.set().width(), places[v.class]?);
                if word != input.value_in(&earlier) {
                    input.write(&mut model, word);
                }
            }
        }
        for input in learned.inputs.values() {
            let (set, word) = (input.known.set(), input.value_in(&earlier));
            let is_listed = |v: &Vertex<'_>| v.input.is_some_and(|i| i.key == input.key);
            if !set.contains(word) && !self.vertices.iter().any(is_listed) {
                input.write(&mut model, set.nearest(word)?);
            }
        }
        Some(model)
    }

    /// Whether a model satisfies what values do not keep by themselves.
    fn holds(&self, learned: &Learned, model: &Model, evaluator: &mut Evaluator) -> bool {
        evaluator.start();
        let facts = self
            .unchecked
            .iter()
            .all(|e| evaluator.eval_bool(&e.fact, model));
        let mut loose = learned.loose.iter();
        facts && loose.all(|l| evaluator.eval_bool(&l.term, model) == l.truth)
    }
}
