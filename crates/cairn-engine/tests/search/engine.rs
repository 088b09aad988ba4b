//! An engine without a program: it forks, runs and ends states as it is told, and knows by itself
//! what is alive.

use cairn_engine::search::{
    DEFAULT, SearchError, SearchSpec, Searcher, SearcherInfo, StateId, names,
};
use cairn_engine::tree::{NodeId, Tree};
use std::collections::{BTreeMap, HashMap};

/// The searcher of a list.
pub fn build(list: &str, seed: u64) -> Result<Box<dyn Searcher>, SearchError> {
    let spec: SearchSpec = list.parse()?;
    Ok(spec.build(seed))
}

/// How a fork is told to searchers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Protocol {
    /// The state goes on as the first child.
    Continue,
    /// The state goes on as the first child, and is told of after its siblings.
    ContinueLast,
    /// The state is removed and all children are new.
    Replace,
}

pub const PROTOCOLS: [Protocol; 3] = [
    Protocol::Continue,
    Protocol::ContinueLast,
    Protocol::Replace,
];

/// An engine without a program.
pub struct Engine {
    pub tree: Tree,
    pub searcher: Box<dyn Searcher>,
    protocol: Protocol,
    pub states: BTreeMap<StateId, SearcherInfo>,
    at: HashMap<NodeId, StateId>,
    /// When each state was added.
    age: HashMap<StateId, u64>,
    clock: u64,
    free: Vec<StateId>,
    next: u32,
}

pub fn info_at(node: NodeId, depth: u32) -> SearcherInfo {
    SearcherInfo {
        node,
        depth,
        instructions: 0,
        since_new: 0,
        covered_new: false,
        distance: None,
        query_seconds: 0.0,
        call_depth: 1,
        instruction_count: 1,
        call_path_count: 0,
    }
}

impl Engine {
    pub fn new(searcher: Box<dyn Searcher>, protocol: Protocol) -> (Engine, StateId) {
        let (tree, root) = Tree::new();
        let mut engine = Engine {
            tree,
            searcher,
            protocol,
            states: BTreeMap::new(),
            at: HashMap::new(),
            age: HashMap::new(),
            clock: 0,
            free: Vec::new(),
            next: 0,
        };
        let first = engine.add(info_at(root, 0));
        (engine, first)
    }

    pub fn of(list: &str, protocol: Protocol) -> (Engine, StateId) {
        Engine::new(build(list, 42).unwrap(), protocol)
    }

    /// Numbers of states that ended are used again.
    pub fn add(&mut self, info: SearcherInfo) -> StateId {
        let state = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            StateId(self.next - 1)
        });
        self.at.insert(info.node, state);
        self.searcher.add(state, &info);
        self.states.insert(state, info);
        self.clock += 1;
        self.age.insert(state, self.clock);
        state
    }

    pub fn update(&mut self, state: StateId, change: impl FnOnce(&mut SearcherInfo)) {
        let info = self.states.get_mut(&state).unwrap();
        change(info);
        self.searcher.update(state, info);
    }

    pub fn forget(&mut self, state: StateId) -> SearcherInfo {
        let info = self.states.remove(&state).unwrap();
        self.at.remove(&info.node);
        self.searcher.remove(state);
        self.free.push(state);
        info
    }

    /// Forks a state. Returns the states of its children in order.
    pub fn fork(&mut self, state: StateId, children: usize) -> Vec<StateId> {
        let node = self.states[&state].node;
        let nodes = self.tree.fork(node, children);
        let depth = self.states[&state].depth + 1;
        let child = |old: &SearcherInfo, node| SearcherInfo {
            node,
            depth,
            ..old.clone()
        };
        if self.protocol == Protocol::Replace {
            let old = self.forget(state);
            return nodes
                .into_iter()
                .map(|node| self.add(child(&old, node)))
                .collect();
        }
        let old = self.states[&state].clone();
        self.at.remove(&node);
        self.at.insert(nodes[0], state);
        let first = |engine: &mut Engine| {
            engine.update(state, |info| (info.node, info.depth) = (nodes[0], depth));
        };
        if self.protocol == Protocol::Continue {
            first(self);
        }
        let others = nodes[1..].iter().map(|node| self.add(child(&old, *node)));
        let mut states = vec![state];
        states.extend(others.collect::<Vec<_>>());
        if self.protocol == Protocol::ContinueLast {
            first(self);
        }
        states
    }

    pub fn end(&mut self, state: StateId) {
        let info = self.forget(state);
        self.tree.end(info.node, &mut |_, _| {});
    }

    pub fn pick(&mut self) -> Option<StateId> {
        let at = &self.at;
        self.searcher.pick(&self.tree, &|node| at[&node])
    }

    /// The state that should be given away.
    pub fn shallowest(&self) -> Option<StateId> {
        let key = |state: &StateId| (self.states[state].depth, self.age[state]);
        self.states.keys().copied().min_by_key(key)
    }
}

/// Lists that cover every searcher and the ways to combine them.
pub fn lists() -> Vec<String> {
    let plain = names()
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !WRAPPERS.contains(name));
    let mut lists: Vec<String> = plain.map(str::to_owned).collect();
    for list in [
        DEFAULT,
        "dfs,bfs",
        "dfs,random-path,qc",
        "batching=50,dfs",
        "subtree=40,random-path,covnew",
        "batching=1h,covnew",
    ] {
        lists.push(list.to_owned());
    }
    for list in [
        "deepening=1ms,random-path",
        "deepening,batching=3,batching=1ms,dfs,icnt",
    ] {
        lists.push(list.to_owned());
    }
    lists
}

pub const WRAPPERS: [&str; 3] = ["batching", "subtree", "deepening"];

/// Whether a count is within three standard deviations of its expectation.
pub fn is_likely(count: u32, draws: u32, chance: f64) -> bool {
    let expected = f64::from(draws) * chance;
    (f64::from(count) - expected).abs() <= 3.0 * (expected * (1.0 - chance)).sqrt()
}
