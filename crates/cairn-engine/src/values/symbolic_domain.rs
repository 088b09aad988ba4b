//! The values and memory of one state: the value interface on words, pointers and terms.
//!
//! The step function is the concrete machine's (`cairn-machine`); this is what its operators do
//! when values may be terms. An operator on two words is the concrete one. Where a term stands in
//! for something that must be known (an address, a length), the operation says so and is run again
//! once the engine has decided: see [`Undecided`].
//!
//! Floating-point operators have no terms yet: a symbolic operand is given the value it has under
//! the state's model, which becomes a fact of the path and a line in the summary.

use crate::calls::descriptors::Role;
use crate::memory::access_sizes::AccessSizes;
use crate::memory::addresses::AddressPurpose;
use crate::memory::bases::{Bases, without_inputs};
use crate::memory::dangling::StackPointers;
use crate::memory::origins::Origins;
use crate::memory::pointers::Pointers;
use crate::memory::policy::{MemoryPolicy, Rents};
use crate::memory::positions::InsideOffsets;
use crate::memory::segments::Segments;
use crate::memory::sizes::{SizeRequest, Sizes};
use crate::omission::StopCause;
use crate::path::decided::DecidedAnswer;
use crate::values::address_notes::Use;
use crate::values::layouts::GuestLayout;
use crate::values::value::{Symbolic, Value, Wide};
use crate::values::worker_context::WorkerContext;
use cairn_bv::BitVec;
use cairn_expr::{Model, Sort, Term};
use cairn_linux::Classes;
use cairn_memory::{Cell, Fault, Memory, ObjectId, ObjectInfo, Word};
use std::collections::VecDeque;
use std::rc::Rc;

/// What an operation must know and does not.
#[derive(Clone, Debug)]
pub enum Undecided {
    /// Which object an access is to, and that it is inside of it.
    Access {
        /// The address.
        address: Rc<Symbolic>,
        /// Bytes.
        length: u64,
        /// It writes.
        write: bool,
    },
    /// Which objects an access is to by a pointer whose object is not known; they are one segment.
    Segment {
        /// The address.
        address: Rc<Symbolic>,
        /// Bytes.
        length: u64,
        /// It writes.
        write: bool,
    },
    /// That an access by a pointer that chooses between objects is inside of the chosen one.
    Choice {
        /// The address.
        address: Rc<Symbolic>,
        /// Bytes.
        length: u64,
        /// It writes.
        write: bool,
    },
    /// That a number is not more than a limit.
    AtMost {
        /// The term.
        term: Term,
        /// The limit.
        limit: u64,
        /// When it is: objects of symbolic size may have room for less.
        within: Term,
        /// What is wrong if it is more.
        fault: Fault,
    },
    /// That the bytes of a copy do not overlap, which they must not.
    Apart {
        /// When they do not.
        apart: Term,
        /// What is wrong if they do, under the path's model or not.
        fault: Fault,
    },
    /// A number.
    Number {
        /// The term.
        term: Term,
    },
    /// What an address is that must be known as a whole.
    Address {
        /// The address.
        address: Rc<Symbolic>,
        /// What for.
        purpose: AddressPurpose,
    },
    /// What a descriptor is.
    Descriptor {
        /// Its 32 bits.
        term: Term,
        /// What it is for.
        role: Role,
    },
    /// In which class of values a number is, of those that the system answers alike.
    Class {
        /// The number.
        term: Term,
        /// The classes.
        classes: Box<Classes>,
    },
    /// Whether a buffer that is in an object has room there for all of its bytes.
    Room {
        /// Where it begins.
        address: Rc<Symbolic>,
        /// Its bytes.
        length: u64,
        /// The object.
        info: ObjectInfo,
    },
    /// How many bytes are asked for.
    Size(SizeRequest),
    /// How much of a word exists that is read at a known address in an object of symbolic size; what is
    /// wrong if nothing does.
    Word(Fault),
}

/// Why an operation on memory did not happen.
#[derive(Clone, Debug)]
pub enum AccessError {
    /// It is an error.
    Fault(Fault),
    /// Something must be decided first; then the operation is run again.
    Undecided(Undecided),
    /// This limit was reached in the middle of a long operation.
    Interrupted(StopCause),
}

impl From<Fault> for AccessError {
    fn from(fault: Fault) -> Self {
        AccessError::Fault(fault)
    }
}

/// What memory holds that the program has not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Anything: bytes that are inputs.
    Anything,
    /// Zeros.
    Zero,
    /// This byte everywhere; values that the program leaves undefined are zero.
    Filled(u8),
}

/// See the module's head.
#[derive(Clone)]
pub struct SymbolicDomain {
    pub(crate) cx: Rc<WorkerContext>,
    /// The memory.
    pub memory: Memory,
    /// Whether a pointer reaches whatever object is at its address.
    pub(crate) reaches_any: bool,
    /// What an access by a pointer is that may be to several objects.
    pub(crate) policy: MemoryPolicy,
    /// Objects that are accessed as one, and how they are found.
    pub(crate) segments: Segments,
    /// How often the path accessed all objects of a pointer.
    pub(crate) rents: Rents,
    /// What stands for the beginning of an object in terms.
    pub(crate) bases: Bases,
    /// Where unknown bytes come from.
    pub origins: Origins,
    /// A model of the path's facts.
    pub model: Rc<Model>,
    pub(super) globals: Rc<[Word]>,
    pub(super) slots: Rc<[Wide]>,
    pub(crate) unwritten: Unwritten,
    pub(crate) decided: Vec<DecidedAnswer>,
    /// Addresses whose value is known.
    pub(crate) pointers: Pointers,
    /// Offsets of accesses that are inside of their objects.
    pub(crate) inside_offsets: InsideOffsets,
    /// Objects on the stack that terms may point into.
    pub(crate) stack_pointers: StackPointers,
    /// Objects whose size is a term.
    pub(crate) sizes: Sizes,
    /// With which sizes objects are written at unknown offsets.
    pub(crate) access_sizes: AccessSizes,
    /// Facts that operations chose, under which the model holds; the engine takes them.
    pub(crate) chosen_facts: Vec<Term>,
    /// All values that operations chose, for when the path is run again.
    pub(crate) chosen_values: Vec<BitVec>,
    /// Values that they must choose while it is.
    pub(crate) values_to_choose: Rc<VecDeque<BitVec>>,
    /// What was narrowed by choosing, in words, and the last point that was passed before.
    pub(crate) narrowed: Vec<(u32, &'static str)>,
    /// Whether the state passed a point for the first time.
    pub covered_new: bool,
    /// The last point that was passed: where the path is, to a block.
    pub(crate) last_point: u32,
    /// Points where an address was used as a number: those of the path that were not reported yet.
    pub(crate) addresses_used: Vec<(u32, Use)>,
    /// Whether such uses are looked for.
    pub(crate) tracks_addresses: bool,
    /// Where things are that machine code has, if it is explored.
    pub(crate) layout: Option<Rc<GuestLayout>>,
    /// Bytes that decisions made known in memory: an operation that is run again finds them.
    pub(crate) known_count: u64,
}

impl SymbolicDomain {
    /// The values and memory of a program whose globals are laid out.
    pub fn new(
        cx: Rc<WorkerContext>,
        memory: Memory,
        globals: Rc<[Word]>,
        slots: Vec<Wide>,
        unwritten: Unwritten,
    ) -> Self {
        SymbolicDomain {
            cx,
            memory,
            origins: Origins::default(),
            model: Rc::default(),
            globals,
            slots: slots.into(),
            unwritten,
            decided: Vec::new(),
            pointers: Pointers::default(),
            inside_offsets: InsideOffsets::default(),
            stack_pointers: StackPointers::default(),
            reaches_any: false,
            policy: MemoryPolicy::default(),
            segments: Segments::default(),
            rents: Rents::default(),
            bases: Bases::default(),
            sizes: Sizes::default(),
            access_sizes: AccessSizes::default(),
            chosen_facts: Vec::new(),
            chosen_values: Vec::new(),
            values_to_choose: Rc::default(),
            narrowed: Vec::new(),
            known_count: 0,
            last_point: 0,
            addresses_used: Vec::new(),
            tracks_addresses: false,
            layout: None,
            covered_new: false,
        }
    }

    /// Whether two states have the same content of slots.
    pub(crate) fn has_same_slots(&self, other: &SymbolicDomain) -> bool {
        Rc::ptr_eq(&self.slots, &other.slots)
    }

    /// Writes bytes that the path's facts leave one value in place of their terms.
    pub(crate) fn make_known(&mut self, at: Word, bytes: &[u8]) -> Result<(), Fault> {
        self.known_count += bytes.len() as u64;
        self.memory.initialise(at, bytes)
    }

    /// The same for a word, which may be a pointer.
    pub(crate) fn make_known_word(
        &mut self,
        at: Word,
        bytes: u32,
        word: Word,
    ) -> Result<(), Fault> {
        self.known_count += u64::from(bytes);
        self.memory.initialise_word(at, bytes, word)
    }

    /// A Boolean term as a value of one bit.
    pub(crate) fn truth(&self, condition: &Term) -> Value {
        let known = condition.as_bool();
        match known.or_else(|| without_inputs(condition).map(|bit| !bit.is_zero())) {
            Some(known) => Value::int(u64::from(known)),
            None => Value::Symbolic(Rc::new(Symbolic {
                term: condition.clone(),
                object: ObjectId::NONE,
            })),
        }
    }

    /// That a value of one bit is one.
    pub fn condition(&self, value: &Value) -> Term {
        let store = &self.cx.store;
        match value {
            Value::Word(word) => store.bool(word.bits != 0),
            Value::Symbolic(symbolic) => match symbolic.term.sort() {
                Sort::Bool => symbolic.term.clone(),
                Sort::BitVec(_) | Sort::Array { .. } => store.eq(&symbolic.term, &store.bv(1, 1)),
            },
        }
    }

    /// A symbol that no other part of the path knows.
    pub(super) fn undefined(&mut self, width: u32) -> Term {
        let number = self.origins.fresh_number();
        let symbol = cairn_expr::Symbol::Undefined {
            number,
            other: false,
        };
        let symbol = self.cx.store.free(symbol, Sort::BitVec(width));
        self.origins.hide(&symbol);
        symbol
    }

    /// Leaves the bytes of a new object to what the program has not written.
    pub(crate) fn leave_unwritten(&mut self, at: Word, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        match self.unwritten {
            Unwritten::Anything => {
                let origin = self.origins.unwritten();
                let cell = Cell::Origin { origin, offset: 0 };
                self.memory.store_cell(at, size, cell)
            }
            Unwritten::Zero => Ok(()),
            Unwritten::Filled(byte) => self.memory.fill_uninitialised(at, byte, size),
        }
    }
}
