//! How the core writes arrays down: four ways, to be compared.
//!
//! All of them give the same answers; they differ in what is written before the first search and in
//! what is left to refinement (`arrays.rs`). Which tables are circuits is a number of its own, so that
//! tests by enumeration can have axioms about tables that are small enough to be enumerated.

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
    /// The same, with what is known of indices by their form (`sums.rs`): a read is compared only with
    /// writes that it can meet, and a circuit has the part of its table that can be reached. An axiom
    /// about a large table is about all indices around with equal or evenly rising elements, and
    /// where facts leave few indices all their axioms are there from the start.
    #[default]
    Typed,
}

impl Arrays {
    /// All of them, with the names they have behind `native:`.
    pub const ALL: [(&'static str, Arrays); 4] = [
        ("eager", Arrays::Eager),
        ("axioms", Arrays::Axioms),
        ("lazy", Arrays::Lazy),
        ("typed", Arrays::Typed),
    ];
}

/// A way with the size of tables that are circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// The way.
    pub arrays: Arrays,
    /// The most listed elements that a table has as a circuit, where some tables are and some are not.
    pub largest_circuit: usize,
}

impl From<Arrays> for Encoding {
    fn from(arrays: Arrays) -> Self {
        Encoding {
            arrays,
            largest_circuit: LARGEST_TABLE_CIRCUIT,
        }
    }
}

impl Encoding {
    /// Whether a read of a table is a circuit.
    pub fn is_circuit(self, table: &Table) -> bool {
        match self.arrays {
            Arrays::Eager => true,
            Arrays::Axioms => false,
            Arrays::Lazy | Arrays::Typed => table.values().len() <= self.largest_circuit,
        }
    }

    /// Whether the form of indices is looked at, and axioms about tables are about runs of elements.
    pub fn is_typed(self) -> bool {
        match self.arrays {
            Arrays::Typed => true,
            Arrays::Eager | Arrays::Axioms | Arrays::Lazy => false,
        }
    }

    /// Whether reads of written arrays are written out.
    pub fn expands(self) -> bool {
        match self.arrays {
            Arrays::Eager => true,
            Arrays::Axioms | Arrays::Lazy | Arrays::Typed => false,
        }
    }
}
