//! What the host answered on a path: a path that is run again is told the same.
//!
//! The time, a number of a generator and the like are others when the host is asked again, and a function may
//! have an effect outside of the program that must not happen twice. So each call is kept with its answer, and a path that
//! goes to another worker, or is set aside, takes the list along. A copy of a list shares what was answered before.

use cairn_memory::Word;
use std::rc::Rc;
use std::sync::Arc;

/// A call of the host and its answer.
#[derive(Debug, Default)]
pub(crate) struct HostAnswer {
    /// The arguments.
    pub args: Vec<Word>,
    /// Whether symbolic arguments were given one of their values for it.
    pub chose: bool,
    pub result: u64,
    /// The bytes of the objects that arguments point into, in their order, if the call changed them.
    pub objects: Vec<Option<Vec<u8>>>,
    /// What a test holds of it: a name and the bytes.
    pub told: Option<(&'static str, Vec<u8>)>,
}

struct AnswerNode {
    answer: Arc<HostAnswer>,
    before: Option<Rc<AnswerNode>>,
}

/// The answers of a path.
#[derive(Clone, Default)]
pub(crate) struct HostAnswers {
    last: Option<Rc<AnswerNode>>,
}

impl HostAnswers {
    pub fn push(&mut self, answer: Arc<HostAnswer>) {
        let before = self.last.take();
        self.last = Some(Rc::new(AnswerNode { answer, before }));
    }

    /// Whether both are one list.
    pub fn are_same(&self, other: &HostAnswers) -> bool {
        match (&self.last, &other.last) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// All of them, oldest first.
    pub fn to_vec(&self) -> Vec<Arc<HostAnswer>> {
        let nodes = std::iter::successors(self.last.as_deref(), |node| node.before.as_deref());
        let mut all: Vec<Arc<HostAnswer>> = nodes.map(|node| Arc::clone(&node.answer)).collect();
        all.reverse();
        all
    }
}

impl Drop for AnswerNode {
    /// Frees a long list without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(node) = next {
            next = Rc::into_inner(node).and_then(|mut node| node.before.take());
        }
    }
}
