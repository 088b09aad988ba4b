//! How arrays are encoded: what is written out before the first search, and what is left to refinement.
//!
//! All encodings give the same answers. Which tables become circuits is a number of its own, so that tests
//! can enumerate axioms about small tables.

use cairn_expr::Table;

/// By default a table with at most this many listed elements becomes a circuit.
const LARGEST_TABLE_CIRCUIT: usize = 4096;

/// What is encoded before the first search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ArrayEncoding {
    /// Everything: tables of any size are circuits, and a read over stores is a choice between them.
    Eager,
    /// Nothing: every read is a free word, and an axiom is about one element, as in solvers for arrays
    /// of bytes \[ShuaiEtAl21, section 2.1\].
    Axioms,
    /// Tables of moderate size are circuits; an axiom about a larger one is about one element.
    Lazy,
    /// As `Lazy`, and the form of indices is used (`index_sum.rs`): a read is compared only with stores
    /// that it can reach, and a circuit has only the part of its table that can be reached. An axiom
    /// about a large table covers a run of elements, and where the facts leave few indices all their
    /// axioms are added before the first search.
    #[default]
    IndexForms,
}

impl ArrayEncoding {
    /// All encodings.
    pub const ALL: [ArrayEncoding; 4] = [
        ArrayEncoding::Eager,
        ArrayEncoding::Axioms,
        ArrayEncoding::Lazy,
        ArrayEncoding::IndexForms,
    ];

    /// The name after `native:`.
    pub fn as_str(self) -> &'static str {
        match self {
            ArrayEncoding::Eager => "eager",
            ArrayEncoding::Axioms => "axioms",
            ArrayEncoding::Lazy => "lazy",
            ArrayEncoding::IndexForms => "typed",
        }
    }
}

/// An encoding, and which tables become circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayOptions {
    /// The encoding.
    pub encoding: ArrayEncoding,
    /// The most listed elements of a table that becomes a circuit, where the encoding has both kinds.
    pub largest_circuit: usize,
}

impl From<ArrayEncoding> for ArrayOptions {
    fn from(encoding: ArrayEncoding) -> Self {
        ArrayOptions {
            encoding,
            largest_circuit: LARGEST_TABLE_CIRCUIT,
        }
    }
}

impl ArrayOptions {
    /// Whether a table becomes a circuit.
    pub fn is_circuit(self, table: &Table) -> bool {
        match self.encoding {
            ArrayEncoding::Eager => true,
            ArrayEncoding::Axioms => false,
            ArrayEncoding::Lazy | ArrayEncoding::IndexForms => {
                table.values().len() <= self.largest_circuit
            }
        }
    }

    /// Whether the form of indices is used, and axioms about tables cover runs of elements.
    pub fn is_typed(self) -> bool {
        match self.encoding {
            ArrayEncoding::IndexForms => true,
            ArrayEncoding::Eager | ArrayEncoding::Axioms | ArrayEncoding::Lazy => false,
        }
    }

    /// Whether reads over stores are written out as choices between the stores.
    pub fn expands(self) -> bool {
        match self.encoding {
            ArrayEncoding::Eager => true,
            ArrayEncoding::Axioms | ArrayEncoding::Lazy | ArrayEncoding::IndexForms => false,
        }
    }
}
