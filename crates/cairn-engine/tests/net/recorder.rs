//! A feature that writes down every moment that it sees, after all others.
//!
//! A moment is one line, what belongs to it stands indented below it. Nodes have the numbers of their first
//! appearance. A new moment needs an arm in [`Recorder::on`].

use super::words;
use cairn_engine::tree::NodeId;
use cairn_engine::{Context, Departure, Feature, Moment, State, Wants};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What was recorded.
#[derive(Default)]
pub struct Record {
    pub moments: Vec<String>,
    /// How paths ended, of all workers.
    pub ends: Vec<String>,
}

/// See the module's head.
pub struct Recorder {
    nodes: HashMap<NodeId, usize>,
    record: Arc<Mutex<Record>>,
}

impl Recorder {
    pub fn new(record: Arc<Mutex<Record>>) -> Self {
        Recorder {
            nodes: HashMap::new(),
            record,
        }
    }

    fn node(&mut self, node: NodeId) -> String {
        let next = self.nodes.len();
        format!("n{}", self.nodes.entry(node).or_insert(next))
    }

    /// Where a state is: its function.
    fn function(state: &State, context: &Context<'_>) -> String {
        let program = context.shared.program_now();
        let position = state.thread.position();
        position.map_or_else(String::new, |(function, _)| {
            format!(" in {}", program.function(function).name)
        })
    }
}

impl Feature for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: true,
            tree: true,
            reasons: true,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        let mut lines = Vec::new();
        let mut end = None;
        match moment {
            Moment::Pending { state, cases } => {
                let function = Self::function(state, context);
                lines.push(format!("pending {}{function}", self.node(state.node)));
                lines.extend(cases.iter().map(|c| format!("  {}", words::case(state, c))));
            }
            Moment::Infeasible { state, reason } => {
                let node = self.node(state.node);
                let claim = words::term(&reason.claim);
                let kind = reason.why.kind().name();
                lines.push(format!("infeasible {node}: {claim}, {kind}"));
                let core = context.gate.core_of(context.cx, reason);
                lines.extend(
                    core.iter()
                        .map(|fact| format!("  by {}", words::term(fact))),
                );
            }
            Moment::Assumed { state, fact } => {
                let node = self.node(state.node);
                lines.push(format!("assumed {node}: {}", words::term(fact)));
            }
            Moment::Chose { state, fact } => {
                let node = self.node(state.node);
                lines.push(format!("chose {node}: {}", words::term(fact)));
            }
            Moment::Cut { state, omission } => {
                let node = self.node(state.node);
                lines.push(format!("cut {node}: {}", words::cut(omission)));
            }
            Moment::Left { state, departure } => {
                let node = self.node(state.node);
                lines.push(match departure {
                    Departure::Moved => format!("left {node}: to another worker"),
                    Departure::SetAside => format!("left {node}: set aside"),
                    Departure::Lost => format!("left {node}: lost"),
                });
            }
            Moment::Forked { node, children } => {
                let node = self.node(*node);
                let children: Vec<String> = children.iter().map(|c| self.node(*c)).collect();
                lines.push(format!("forked {node} into {}", children.join(" ")));
            }
            Moment::Ended {
                node,
                state,
                outcome,
            } => {
                let node = self.node(*node);
                let way = words::decisions(&state.decisions.to_vec());
                lines.push(format!(
                    "ended {node}: {}, by {way}",
                    words::outcome(outcome)
                ));
                end = Some(words::outcome_kind(outcome));
            }
            Moment::SubtreeDone(node) => lines.push(format!("done {}", self.node(*node))),
            Moment::SubtreeGone(node) => lines.push(format!("gone {}", self.node(*node))),
        }
        let mut record = self.record.lock().expect("no worker panics");
        record.moments.extend(lines);
        record.ends.extend(end);
    }
}
