//! Colours of leaves that do not depend on their names, as fine as refinement makes them.

use super::graph::TermGraph;
use crate::scramble;
use crate::store::mix;

/// The most visits of nodes for one list.
const MOST_VISITS: usize = 1 << 18;
/// The most refinements.
const MOST_ROUNDS: usize = 64;

/// Mixed into the colour of a leaf that was chosen among those of its colour.
const CHOSEN: u64 = 0x5EED;
/// Mixed into what a member of the list is told.
const MEMBER: u64 = 0x600D;

/// The colours of all nodes; that of a node follows from those of its leaves.
pub(super) struct Colours {
    pub of: Vec<u64>,
    /// What the users of each node say of it.
    told: Vec<u64>,
}

impl Colours {
    /// Colours by which leaves that stand in different places differ; leaves that are alike in all of them differ by
    /// choice.
    pub fn refined(graph: &TermGraph) -> Colours {
        let mut colours = Colours {
            of: graph.nodes.iter().map(|n| n.own).collect(),
            told: vec![0; graph.nodes.len()],
        };
        let wanted = graph.leaves.len();
        let mut distinct = colours.distinct(graph);
        let mut rounds = 0;
        while distinct < wanted {
            rounds += 1;
            if rounds > MOST_ROUNDS || rounds * graph.nodes.len() > MOST_VISITS {
                break;
            }
            colours.up(graph);
            colours.down(graph);
            for &leaf in &graph.leaves {
                let leaf = leaf as usize;
                colours.of[leaf] = mix(colours.of[leaf], colours.told[leaf]);
            }
            let now = colours.distinct(graph);
            if now == distinct {
                colours.choose(graph);
                distinct = colours.distinct(graph);
            } else {
                distinct = now;
            }
        }
        colours.up(graph);
        colours
    }

    /// How many colours leaves have.
    fn distinct(&self, graph: &TermGraph) -> usize {
        let mut all: Vec<u64> = graph.leaves.iter().map(|l| self.of[*l as usize]).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    /// Gives nodes the colours that follow from their operands'.
    fn up(&mut self, graph: &TermGraph) {
        for (i, node) in graph.nodes.iter().enumerate() {
            self.of[i] = match *graph.args(i) {
                [] => continue,
                [a, b] if node.commutative => {
                    let (a, b) = (self.of[a as usize], self.of[b as usize]);
                    mix(mix(node.own, a.min(b)), a.max(b))
                }
                ref args => args
                    .iter()
                    .fold(node.own, |h, a| mix(h, self.of[*a as usize])),
            };
        }
    }

    /// Tells each node where it stands. Sums, so that the order of users does not matter.
    fn down(&mut self, graph: &TermGraph) {
        self.told.fill(0);
        for &root in &graph.roots {
            let root = root as usize;
            let told = scramble(mix(MEMBER, self.of[root]));
            self.told[root] = self.told[root].wrapping_add(told);
        }
        for (i, node) in graph.nodes.iter().enumerate().rev() {
            let args = graph.args(i);
            if args.is_empty() {
                continue;
            }
            let here = mix(scramble(self.told[i]), self.of[i]);
            for (place, &arg) in args.iter().enumerate() {
                let place = if node.commutative { 0 } else { place as u64 };
                let told = scramble(mix(here, place));
                let arg = arg as usize;
                self.told[arg] = self.told[arg].wrapping_add(told);
            }
        }
    }

    /// Gives one leaf of several that are alike a colour of its own. Which class it is from does not depend on names.
    fn choose(&mut self, graph: &TermGraph) {
        let mut all: Vec<(u64, u32)> = graph
            .leaves
            .iter()
            .map(|l| (self.of[*l as usize], *l))
            .collect();
        all.sort_unstable();
        let alike = all.windows(2).find(|pair| pair[0].0 == pair[1].0);
        if let Some(pair) = alike {
            let leaf = pair[0].1 as usize;
            self.of[leaf] = mix(self.of[leaf], CHOSEN);
        }
    }
}
