//! The tree forgets exactly what is done, and walks at once where there is no choice.

use crate::engine::is_likely;
use cairn_engine::rng::Rng;
use cairn_engine::tree::{NodeId, SideTable, Tree};
use cairn_random::thread_time;
use std::time::Duration;

/// A tree that keeps everything and computes what it is asked.
#[derive(Default)]
struct PlainTree {
    ids: Vec<NodeId>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    ended: Vec<bool>,
}

impl PlainTree {
    fn add(&mut self, id: NodeId, parent: Option<usize>) -> usize {
        self.ids.push(id);
        self.parents.push(parent);
        self.children.push(Vec::new());
        self.ended.push(false);
        if let Some(parent) = parent {
            self.children[parent].push(self.ids.len() - 1);
        }
        self.ids.len() - 1
    }

    fn living_leaves(&self, node: usize) -> usize {
        if self.children[node].is_empty() {
            return usize::from(!self.ended[node]);
        }
        self.children[node]
            .iter()
            .map(|child| self.living_leaves(*child))
            .sum()
    }

    fn living_children(&self, node: usize) -> Vec<usize> {
        let children = self.children[node].iter().copied();
        children
            .filter(|child| self.living_leaves(*child) > 0)
            .collect()
    }
}

fn check_tree(tree: &Tree, plain: &PlainTree) {
    let mut living = 0;
    for (node, &id) in plain.ids.iter().enumerate() {
        let leaves = plain.living_leaves(node);
        assert_eq!(tree.live_leaves(id), leaves);
        assert_eq!(tree.is_live(id), leaves > 0);
        let children = plain.living_children(node);
        let ids: Vec<NodeId> = children.iter().map(|child| plain.ids[*child]).collect();
        assert_eq!(tree.children(id), ids);
        if leaves == 0 {
            assert_eq!(
                (tree.parent(id), tree.depth(id), tree.ordinal(id)),
                (None, None, None)
            );
            assert!(!tree.is_leaf(id));
            continue;
        }
        living += 1;
        assert_eq!(tree.is_leaf(id), plain.children[node].is_empty());
        let parent = plain.parents[node];
        assert_eq!(tree.parent(id), parent.map(|parent| plain.ids[parent]));
        let depth = std::iter::successors(parent, |above| plain.parents[*above]).count();
        assert_eq!(tree.depth(id), Some(depth as u32));
        let ordinal = parent.map_or(Some(0), |parent| {
            plain.children[parent].iter().position(|c| *c == node)
        });
        assert_eq!(tree.ordinal(id).map(|ordinal| ordinal as usize), ordinal);
    }
    assert_eq!(tree.node_count(), living);
    assert_eq!(tree.leaf_count(), plain.living_leaves(0));
    assert_eq!(tree.root(), (living > 0).then(|| plain.ids[0]));
}

#[test]
fn the_tree_is_what_a_plain_one_is() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (mut tree, root) = Tree::new();
        let mut plain = PlainTree::default();
        let mut leaves = vec![plain.add(root, None)];
        let mut table = SideTable::new();
        table.insert(root, 0usize);
        for _ in 0..70 {
            if leaves.is_empty() {
                break;
            }
            let leaf = leaves.swap_remove(rng.index(leaves.len()));
            if rng.index(5) < 2 {
                let mut done = Vec::new();
                let above = tree.end(plain.ids[leaf], &mut |node, _| done.push(node));
                plain.ended[leaf] = true;
                // Upwards from the leaf, as long as nothing is left.
                let upwards = std::iter::successors(Some(leaf), |node| plain.parents[*node]);
                let complete = upwards
                    .clone()
                    .take_while(|node| plain.living_leaves(*node) == 0);
                let expected: Vec<NodeId> = complete.map(|node| plain.ids[node]).collect();
                assert_eq!(done, expected);
                let survivor = upwards
                    .skip(expected.len())
                    .map(|node| plain.ids[node])
                    .next();
                assert_eq!(above, survivor);
                for node in done {
                    let number = table.remove(node).expect("every node has an entry");
                    assert_eq!(plain.ids[number], node);
                }
            } else {
                for child in tree.fork(plain.ids[leaf], 1 + rng.index(4)) {
                    let number = plain.add(child, Some(leaf));
                    assert_eq!(table.insert(child, number), None, "ids are not used twice");
                    leaves.push(number);
                }
            }
            check_tree(&tree, &plain);
            assert_eq!(table.len(), tree.node_count());
            match tree.random_leaf(&mut rng) {
                Some(leaf) => assert!(tree.is_leaf(leaf)),
                None => assert_eq!(tree.leaf_count(), 0),
            }
        }
    }
}

#[test]
#[should_panic(expected = "not a living leaf")]
fn a_leaf_ends_once() {
    let (mut tree, root) = Tree::new();
    tree.end(root, &mut |_, _| {});
    tree.end(root, &mut |_, _| {});
}

#[test]
fn a_deep_path_is_walked_at_once() {
    let (mut tree, mut leaf) = Tree::new();
    let mut rng = Rng::new(3);
    // A million forks whose other side ends at once, and a choice at the bottom.
    for _ in 0..1_000_000 {
        let children = tree.fork(leaf, 2);
        tree.end(children[1], &mut |_, _| {});
        leaf = children[0];
    }
    let pair = tree.fork(leaf, 2);
    let before = thread_time();
    let first = (0..10_000)
        .filter(|_| tree.random_leaf(&mut rng) == Some(pair[0]))
        .count();
    assert!(is_likely(first as u32, 10_000, 0.5));
    // Step by step this would be 10^10 nodes.
    assert!(thread_time() - before < Duration::from_secs(1));
    tree.end(pair[0], &mut |_, _| {});
    let mut done = 0;
    assert_eq!(tree.end(pair[1], &mut |_, _| done += 1), None);
    assert_eq!(done, 1_000_002);
}
