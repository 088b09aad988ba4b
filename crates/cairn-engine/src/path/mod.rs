//! One path: its state, how a step becomes cases, forks, and ends.

pub(crate) mod cases;
pub(crate) mod commit;
pub(crate) mod decided;
pub(crate) mod decisions;
pub(crate) mod path_end;
pub(crate) mod progress;
pub(crate) mod state;
pub(crate) mod step_context;
pub(crate) mod transition;
pub mod tree;
