//! Trying halves of lists, where relations go round in a circle.
//!
//! - **Problem.** A scanner that looked at a byte, found no longer word and looks at it again for the
//!   next word has two relations about one byte. Each word of each list has rows in every relation, and
//!   still no row agrees with all others.
//! - **Idea.** A variable that several relations have is taken with one half of its words, and what
//!   cannot be is taken away; then with the other. Where both contradict the facts, the facts are
//!   contradictory. Where every shared variable has one word, all relations agree.
//! - **Source.** Maintaining arc consistency (Sabin and Freuder, 1994) with conflict-directed
//!   backjumping (Prosser, 1993). Reasons are sets of facts here anyway; an assumption is one more
//!   number in them, and a contradiction without it ends the other half too.
//! - **Soundness.** A variable has one of its words if the facts in its reason hold; what refutes one
//!   half and what refutes the other, each without the assumption, together with that reason refute
//!   both. A net that was found is only a proposal, which is evaluated.
//! - **Cost.** Rows, up to a limit that is given.

use super::net::{Net, Why, union};
use cairn_expr::Term;
use rustc_hash::FxHashSet;

/// Numbers from here on are assumptions, no positions of facts.
const ASSUMPTION: u32 = 1 << 31;

/// Assumptions that hold at the same time.
const DEEPEST: u32 = 1_000;

/// What a search found.
pub(super) enum Found {
    /// Every variable of several relations has one word.
    Net(Box<Net>),
    /// These facts contradict each other.
    Refuted(Why),
    /// Too much work.
    Nothing,
}

/// Looks for words that all relations agree with, with at most so much work.
pub(super) fn search(net: &Net, limit: u64, work: &mut u64) -> Found {
    let mut seen = FxHashSet::default();
    let mut shared = Vec::new();
    for relation in (0..net.count).filter_map(|n| net.relations.get(u64::from(n))) {
        for column in &relation.columns {
            let variable = net.variables.get(column.birth());
            let several = variable.is_some_and(|v| v.relations.len() > 1);
            if several && seen.insert(column.birth()) {
                shared.push(column.clone());
            }
        }
    }
    let mut search = Search {
        shared,
        end: work.saturating_add(limit),
        work,
    };
    search.node(net, 0)
}

struct Search<'a> {
    shared: Vec<Term>,
    end: u64,
    work: &'a mut u64,
}

impl Search<'_> {
    /// The shared variable with the fewest words for the relations that have it.
    fn next(&self, net: &Net) -> Option<Term> {
        let open = self.shared.iter().filter_map(|term| {
            let variable = net.variables.get(term.birth())?;
            let words = variable.values.len();
            (words > 1).then(|| (words * 64 / variable.relations.len(), term))
        });
        let (_, term) = open.min_by_key(|(weight, term)| (*weight, term.birth()))?;
        Some(term.clone())
    }

    fn node(&mut self, net: &Net, depth: u32) -> Found {
        let Some(term) = self.next(net) else {
            return Found::Net(Box::new(net.clone()));
        };
        let variable = net.variables.get(term.birth()).expect("it is open");
        let assumption = ASSUMPTION + depth;
        let mut refuted: Why = std::rc::Rc::clone(&variable.why);
        let (low, high) = variable.values.split_at(variable.values.len() / 2);
        for half in [low, high] {
            *self.work += self.shared.len() as u64;
            if *self.work > self.end || depth > DEEPEST {
                return Found::Nothing;
            }
            let mut next = net.clone();
            next.narrow(&term, half.to_vec(), Why::from([assumption]), self.work);
            let found = match next.refuted.take() {
                Some(why) => Found::Refuted(why),
                None => self.node(&next, depth + 1),
            };
            match found {
                Found::Net(_) | Found::Nothing => return found,
                Found::Refuted(why) => {
                    if why.last() != Some(&assumption) {
                        return Found::Refuted(why);
                    }
                    refuted = union(&refuted, &Why::from(&why[..why.len() - 1]));
                }
            }
        }
        Found::Refuted(refuted)
    }
}
