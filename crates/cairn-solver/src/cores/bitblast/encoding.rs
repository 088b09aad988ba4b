//! How the core writes arrays down: four ways, to be compared.
//!
//! All of them give the same answers; they differ in what is written before the first search and in
//! what is left to refinement (`arrays.rs`).

use cairn_expr::Table;

/// A table with at most this many listed elements is written out as a circuit, unless nothing is.
const LARGEST_TABLE_CIRCUIT: usize = 4096;

/// How arrays are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrays {
    /// Everything before the first search: tables of any size are circuits, and a read of a
    /// written array chooses between all writes.
    Eager,
    /// Nothing: every read is a free word, and an axiom is about one element. What solvers for arrays
    /// of bytes do (ISSTA'21, §2.1).
    Axioms,
    /// Tables of moderate size are circuits; of larger ones an axiom is about one element.
    Lazy,
    /// The same, and an axiom about a large table is about all indices around that have the same
    /// element.
    #[default]
    Runs,
}

impl Arrays {
    /// All of them, with the names they have behind `native:`.
    pub const ALL: [(&'static str, Arrays); 4] = [
        ("eager", Arrays::Eager),
        ("axioms", Arrays::Axioms),
        ("lazy", Arrays::Lazy),
        ("runs", Arrays::Runs),
    ];

    /// Whether a read of a table is a circuit.
    pub(super) fn is_circuit(self, table: &Table) -> bool {
        match self {
            Arrays::Eager => true,
            Arrays::Axioms => false,
            Arrays::Lazy | Arrays::Runs => table.values().len() <= LARGEST_TABLE_CIRCUIT,
        }
    }

    /// Whether an axiom about a table is about more than one index.
    pub(super) fn has_runs(self) -> bool {
        match self {
            Arrays::Runs => true,
            Arrays::Eager | Arrays::Axioms | Arrays::Lazy => false,
        }
    }

    /// Whether reads of written arrays are written out.
    pub(super) fn expands(self) -> bool {
        match self {
            Arrays::Eager => true,
            Arrays::Axioms | Arrays::Lazy | Arrays::Runs => false,
        }
    }
}
