//! Choosing values along an order: one for each input, or a proof that there are none.
//!
//! # Problem
//! Where no box is left, a model is needed that respects the order between words.
//!
//! # Idea
//! Words that must be equal form a class. Each class gets, in a topological order of the edges, the value nearest
//! to its previous one, within its set and within the bounds that its predecessors and successors leave. A word that
//! operators with one operand make of an input (a truncation, a sum with a constant) has the image of the input's set; the
//! input gets a value that the operators make the chosen one of (`image.rs`).
//!
//! # Soundness
//! UNSAT: a path of edges is a strict cycle, or an input's smallest value, which follows from its set and its
//! predecessors, is not in its set; the facts of both are the core. SAT: the point is in all sets and respects all
//! edges between inputs and images of inputs, and every other fact that no set holds (the *loose* facts, and edges of
//! other terms) was evaluated. An input is chosen by one vertex alone; edges of others with the same input are evaluated.
//!
//! Without `≠`, loose facts and other terms, choosing fails only if there is no solution or an image is not exact, whatever
//! holes and steps the sets have, because least solutions exist: the pointwise minimum of two solutions is a solution.
//!
//! # Cost
//! The transitive closure uses one word of bits for each of at most [`VERTICES`] words.

use super::forward::width_of;
use super::image::InputImage;
use super::known::{LearnedBoxes, Reasons};
use super::order::{Edge, LOOSE, Link};
use cairn_bv::mask;
use cairn_domain::{Signedness, ValueSet};
use cairn_expr::{Evaluator, Model, Term};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::rc::Rc;

/// How many words the graph may have when values are chosen: the bits of a word.
const VERTICES: usize = 64;

/// The result of choosing values.
pub(super) enum Choice {
    /// A model of all facts.
    Model(Rc<Model>),
    /// Facts that cannot hold together.
    Contradiction(Reasons),
    /// Neither.
    Unknown,
}

/// Chooses values for all inputs of a list of facts, or finds that there are none.
pub(super) fn choose(learned: &LearnedBoxes, evaluator: &mut Evaluator) -> Choice {
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
    let tries: &[Preference] = if plain {
        &[Preference::Neighbour]
    } else {
        &[Preference::Neighbour, Preference::Low, Preference::High]
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
enum Preference {
    Neighbour,
    Low,
    High,
}

/// A word of the graph.
struct Vertex<'a> {
    term: &'a Term,
    /// The input that takes its value from it.
    input: Option<InputImage<'a>>,
    /// Words that it leads to, as bits.
    leads: u64,
    /// The first word that it must equal.
    class: usize,
}

/// A class of equal words.
#[derive(Clone)]
struct Range {
    set: ValueSet,
    low: u64,
    high: u64,
    /// The edge that the lower bound came by, if it was not the set.
    by: Option<usize>,
}

/// An edge as one of its classes sees it.
#[derive(Clone, Copy)]
struct Neighbour {
    other: usize,
    edge: usize,
    side: Side,
}

/// On which side the other class is.
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
    signedness: Option<Signedness>,
    vertices: SmallVec<[Vertex<'a>; 16]>,
    edges: SmallVec<[(usize, usize, &'a Edge); 32]>,
    /// Each edge between classes, seen from both, by class and then in their order.
    near: SmallVec<[Neighbour; 32]>,
    /// Where those of each class start in that list, and where those of the last end.
    starts: SmallVec<[u32; 16]>,
    /// Edges that values do not keep by themselves.
    unchecked: SmallVec<[&'a Edge; 4]>,
    /// Per vertex; only that of the first of a class is used.
    ranges: Vec<Range>,
    /// The first of each class, in order.
    sorted: SmallVec<[usize; 16]>,
    /// Whether some words must be equal.
    joined: bool,
    /// Whether some words are images of inputs, and no inputs themselves.
    has_images: bool,
}

/// The places of the bits of a word.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        place
    })
}

impl<'a> Graph<'a> {
    fn signedness(&self) -> Signedness {
        self.signedness.unwrap_or(Signedness::Unsigned)
    }

    fn vertex(&mut self, learned: &'a LearnedBoxes, term: &'a Term) -> usize {
        if let Some(at) = self.vertices.iter().position(|v| v.term == term) {
            return at;
        }
        let at = self.vertices.len();
        let input = InputImage::of(learned, term).filter(|image| !self.takes_from_other(image));
        self.vertices.push(Vertex {
            term,
            input,
            leads: 0,
            class: at,
        });
        at
    }

    /// Whether an input takes its value from another vertex already. Its own vertex is preferred.
    fn takes_from_other(&mut self, image: &InputImage<'_>) -> bool {
        if image.is_plain() && !self.has_images {
            return false;
        }
        self.has_images = true;
        let same = |v: &&mut Vertex<'_>| v.input.as_ref().is_some_and(|i| i.is_of_same(image));
        let Some(other) = self.vertices.iter_mut().find(same) else {
            return false;
        };
        if image.is_plain() {
            other.input = None;
        }
        !image.is_plain()
    }

    /// Takes the edges of a list. Whether there was room.
    fn fill(&mut self, learned: &'a LearnedBoxes) -> bool {
        self.signedness = learned.order.iter().find_map(|e| e.signedness);
        let signedness = self.signedness();
        for edge in learned.order.iter() {
            if !edge.is_in(signedness) {
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
            if edge.link != Link::Apart {
                self.vertices[from].leads |= 1 << to;
            }
            self.edges.push((from, to, edge));
        }
        for (from, to, edge) in &self.edges {
            if [from, to]
                .iter()
                .any(|v| self.vertices[**v].input.is_none())
            {
                self.unchecked.push(edge);
            }
        }
        true
    }

    /// Closes the graph and finds bounds; `Err` with a reason if there is no solution.
    fn solve(&mut self) -> Result<(), Option<Reasons>> {
        let n = self.vertices.len();
        for k in 0..n {
            let through = self.vertices[k].leads;
            if through == 0 {
                continue;
            }
            for v in &mut self.vertices {
                if v.leads >> k & 1 == 1 {
                    v.leads |= through;
                }
            }
        }
        for i in 0..n {
            let earlier = self.vertices[i].leads & ((1 << i) - 1);
            if let Some(first) = bits(earlier).find(|j| self.vertices[*j].leads >> i & 1 == 1) {
                self.vertices[i].class = first;
                self.joined = true;
            }
        }
        let class = |v: usize| self.vertices[v].class;
        for (from, to, edge) in &self.edges {
            if edge.link != Link::AtMost && class(*from) == class(*to) {
                let mut all = self.class_reasons(class(*from), false);
                all.push(Reasons::fact(&edge.fact));
                return Err(Some(Reasons::all(all)));
            }
        }
        self.index();
        self.bounds()
    }

    /// Lists the edges between classes by class.
    fn index(&mut self) {
        let between = || {
            let edges = self.edges.iter().enumerate();
            let ends = edges.map(|(edge, (from, to, of))| {
                let [a, b] = [*from, *to].map(|v| self.vertices[v].class);
                let (seen_from_a, seen_from_b) = match of.link {
                    Link::Apart => (Side::Apart, Side::Apart),
                    Link::AtMost | Link::Below => (Side::Behind, Side::Before),
                };
                let seen = |other, side| Neighbour { other, edge, side };
                [(a, seen(b, seen_from_a)), (b, seen(a, seen_from_b))]
            });
            ends.flatten().filter(|(class, near)| *class != near.other)
        };
        // Where the edges of each class start: after all of the classes before it.
        let mut starts: SmallVec<[u32; 16]> = SmallVec::from_elem(0, self.vertices.len() + 1);
        for (class, _) in between() {
            starts[class + 1] += 1;
        }
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let nothing = Neighbour {
            other: 0,
            edge: 0,
            side: Side::Apart,
        };
        let length = starts[starts.len() - 1] as usize;
        let mut near: SmallVec<[Neighbour; 32]> = SmallVec::from_elem(nothing, length);
        let mut free = starts.clone();
        for (class, seen) in between() {
            near[free[class] as usize] = seen;
            free[class] += 1;
        }
        (self.near, self.starts) = (near, starts);
    }

    /// The edges of a class to others.
    fn near(&self, class: usize) -> &[Neighbour] {
        let [start, end] = [class, class + 1].map(|c| self.starts[c] as usize);
        &self.near[start..end]
    }

    /// 1 if the words of an edge differ, else 0.
    fn step(&self, near: &Neighbour) -> u64 {
        u64::from(self.edges[near.edge].2.link == Link::Below)
    }

    fn members(&self, class: usize) -> impl Iterator<Item = &Vertex<'a>> {
        let all = match self.joined {
            true => &self.vertices[..],
            false => &self.vertices[class..=class],
        };
        all.iter().filter(move |v| v.class == class)
    }

    /// Reasons the words of a class are equal, and what is known about their sets.
    fn class_reasons(&self, class: usize, sets: bool) -> Vec<Reasons> {
        let mut all = Vec::new();
        if self.members(class).nth(1).is_some() {
            let inside = self.edges.iter().filter(|(from, to, _)| {
                self.vertices[*from].class == class && self.vertices[*to].class == class
            });
            all.extend(inside.map(|(_, _, e)| Reasons::fact(&e.fact)));
        }
        if sets {
            all.extend(
                self.members(class)
                    .filter_map(|v| Some(v.input.as_ref()?.input.why.clone())),
            );
        }
        all
    }

    fn bounds(&mut self) -> Result<(), Option<Reasons>> {
        let signedness = self.signedness();
        let n = self.vertices.len();
        for i in 0..n {
            let width = width_of(self.vertices[i].term).ok_or(None)?;
            let mut set = ValueSet::full(width);
            if self.vertices[i].class == i {
                for v in self.members(i) {
                    if let Some(image) = &v.input {
                        set = set.intersect(&image.values()).ok_or(None)?;
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
        // What is earlier leads to more words: to all that the next leads to, and to the next itself.
        let vertices = &self.vertices;
        let leads = |i: &usize| (vertices[*i].leads | 1 << i).count_ones();
        self.sorted.sort_by_key(|i| Reverse(leads(i)));
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
            match signedness
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
            range.high = signedness.at_most(&range.set, high).ok_or(None)?;
        }
        Ok(())
    }

    /// Reasons a class has its lower bound (and an edge from it, if one is given).
    fn chain(&self, class: usize, more: Option<usize>) -> Reasons {
        let mut all: Vec<Reasons> = more
            .map(|k| Reasons::fact(&self.edges[k].2.fact))
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
            all.push(Reasons::fact(&edge.fact));
            at = self.vertices[*from].class;
        }
        Reasons::all(all)
    }

    /// Values for all inputs. `None` if those that must differ leave none.
    fn assign(&self, learned: &LearnedBoxes, aim: Preference) -> Option<Model> {
        let signedness = self.signedness();
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
                Preference::Low => low,
                Preference::High => range.high,
                Preference::Neighbour => {
                    let input = self.members(*c).find_map(|v| v.input.as_ref());
                    let word = input.map_or(0, |i| i.word_of(i.input.value_in(&earlier)));
                    signedness.rank(width, word).clamp(low, range.high.max(low))
                }
            };
            let up = |from: u64| {
                let found = signedness.at_least(&range.set, from);
                found.filter(|p| *p <= range.high)
            };
            let down = |from: u64| {
                let found = signedness.at_most(&range.set, from);
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
            if let Some(image) = &v.input {
                let word = signedness.rank(width_of(v.term)?, places[v.class]?);
                let before = image.input.value_in(&earlier);
                let value = image.source(word, before)?;
                if value != before {
                    image.input.write(&mut model, value);
                }
            }
        }
        for input in learned.unsure_inputs() {
            let (set, word) = (input.known.set(), input.value_in(&earlier));
            let is_listed =
                |v: &Vertex<'_>| v.input.as_ref().is_some_and(|i| i.input.key == input.key);
            if !set.contains(word) && !self.vertices.iter().any(is_listed) {
                input.write(&mut model, set.nearest(word)?);
            }
        }
        Some(model)
    }

    /// Whether a model satisfies what values do not keep by themselves.
    fn holds(&self, learned: &LearnedBoxes, model: &Model, evaluator: &mut Evaluator) -> bool {
        evaluator.start();
        let facts = self
            .unchecked
            .iter()
            .all(|e| evaluator.eval_bool(&e.fact, model));
        let mut loose = learned.loose.iter();
        facts && loose.all(|l| evaluator.eval_bool(&l.term, model) == l.truth)
    }
}
