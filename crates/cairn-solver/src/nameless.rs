//! Answers without the names of inputs.

use cairn_expr::Value;

/// The answer of a query in terms of its normal form ([`cairn_expr::NormalForm`]).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Nameless {
    /// Values of the leaves, in their order; none of bases.
    Sat(Vec<Option<Value>>),
    /// An unsat core.
    Unsat {
        /// Its members, by their places in the normal form.
        members: Vec<u32>,
        /// Whether the core solver minimised it.
        minimised: bool,
    },
}
