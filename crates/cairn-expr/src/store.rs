//! Interning terms and freeing dead ones.
//!
//! # Problem
//! Workers must build terms without waiting for each other, and a run of hours must not keep every term it ever
//! built.
//!
//! # Idea
//! One store per worker, non-atomic reference counts. The table itself holds one reference to each node; a node whose
//! count is one is dead. When the table has doubled since the last sweep, dead nodes are removed, parents before
//! children, from a work list. So dropping a term is one decrement, and the cost of a sweep is paid by the insertions
//! that caused it. Terms are not `Send`; [`crate::Portable`] carries them to another worker.
//!
//! # What differs
//! Atomic counts in one shared table make two workers write the same cache lines whenever they use the same input
//! byte. Copyable ids with a marking collector need an enumeration of every holder of a term, and one forgotten holder
//! is a wrong answer. `cairn-bench terms` measures this design.
//!
//! # Soundness
//! A node is freed only when the table is its last holder, so no list of roots has to be complete.

use crate::attr::{Attributes, SupportKey};
use crate::build::KnownComparisons;
use crate::rules::RuleCounters;
use crate::term::{Args, TermNode};
use crate::{Op, Rule, Sort, Symbol, Term};
use hashbrown::HashTable;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sweeping starts when the table is at least this large.
const FIRST_SWEEP: usize = 1 << 16;

/// Numbers stores, so that what belongs to one can refuse another's terms.
static NEXT_STORE: AtomicU64 = AtomicU64::new(0);

/// Owns all terms of one worker; see the module's head for how.
pub struct TermStore {
    table: RefCell<HashTable<Term>>,
    free_ids: RefCell<Vec<u32>>,
    next_id: Cell<u32>,
    births: Cell<u64>,
    sweep_at: Cell<usize>,
    sweeps: Cell<u64>,
    fresh: Cell<u64>,
    serial: u64,
    /// How deep rules have called constructors for subterms; see `build/mod.rs`.
    pub(crate) nesting: Cell<u32>,
    rule_counters: RuleCounters,
    /// Comparisons of tables that were looked through.
    pub(crate) comparisons: KnownComparisons,
    empty_support: Rc<[SupportKey]>,
    constant_true: Term,
    constant_false: Term,
}

/// How full a store is.
#[derive(Clone, Copy, Debug)]
pub struct StoreStats {
    /// Terms in the table now (dead ones that were not swept yet included).
    pub terms: usize,
    /// Terms ever made.
    pub births: u64,
    /// Sweeps so far.
    pub sweeps: u64,
}

impl Default for TermStore {
    fn default() -> Self {
        Self::new()
    }
}

impl TermStore {
    /// An empty store.
    pub fn new() -> Self {
        let empty_support: Rc<[SupportKey]> = Rc::new([]);
        let boolean = |b: bool, id: u32| {
            let op = Op::Bool(b);
            let hash = shape_hash(&op, Sort::Bool, &[]);
            let attributes = Attributes::compute(&op, &[], id, Sort::Bool, &empty_support);
            Term(Rc::new(TermNode {
                op,
                args: Args::new(),
                sort: Sort::Bool,
                id,
                birth: u64::from(id),
                hash,
                attributes,
            }))
        };
        let constant_false = boolean(false, 0);
        let constant_true = boolean(true, 1);
        let mut table = HashTable::new();
        for t in [&constant_false, &constant_true] {
            table.insert_unique(t.0.hash, t.clone(), |t| t.0.hash);
        }
        TermStore {
            table: RefCell::new(table),
            free_ids: RefCell::new(Vec::new()),
            next_id: Cell::new(2),
            births: Cell::new(2),
            sweep_at: Cell::new(FIRST_SWEEP),
            sweeps: Cell::new(0),
            fresh: Cell::new(0),
            serial: NEXT_STORE.fetch_add(1, Ordering::Relaxed),
            nesting: Cell::new(0),
            rule_counters: RuleCounters::default(),
            comparisons: KnownComparisons::default(),
            empty_support,
            constant_true,
            constant_false,
        }
    }

    /// The constant `true`.
    #[inline]
    pub fn true_(&self) -> Term {
        self.constant_true.clone()
    }

    /// The constant `false`.
    #[inline]
    pub fn false_(&self) -> Term {
        self.constant_false.clone()
    }

    /// How full the store is.
    pub fn stats(&self) -> StoreStats {
        StoreStats {
            terms: self.table.borrow().len(),
            births: self.births.get(),
            sweeps: self.sweeps.get(),
        }
    }

    /// One more than the largest id in use: the size for a dense side table.
    pub fn id_bound(&self) -> usize {
        self.next_id.get() as usize
    }

    /// A number that no other store of the process has. Ids and births are a store's own: tables
    /// keyed by them must not be used with another store.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// A number that this store has not given before, for naming fresh symbols.
    pub fn fresh_number(&self) -> u64 {
        let n = self.fresh.get();
        self.fresh.set(n + 1);
        n
    }

    /// How often a rewrite rule was applied in this store.
    pub fn rule_count(&self, rule: Rule) -> u64 {
        self.rule_counters.get(rule)
    }

    #[inline]
    pub(crate) fn fired(&self, rule: Rule) {
        self.rule_counters.bump(rule);
    }

    /// Interns a node as it stands; the canonical constructors are the only callers that decide
    /// what stands.
    pub(crate) fn intern(&self, op: Op, args: Args, sort: Sort) -> Term {
        let hash = shape_hash(&op, sort, &args);
        let mut table = self.table.borrow_mut();
        if let Some(found) = table.find(hash, |t| {
            t.0.hash == hash && t.0.sort == sort && t.0.args == args && t.0.op == op
        }) {
            return found.clone();
        }
        if table.len() >= self.sweep_at.get() {
            drop(table);
            self.sweep();
            table = self.table.borrow_mut();
        }
        let id = self.free_ids.borrow_mut().pop().unwrap_or_else(|| {
            let id = self.next_id.get();
            self.next_id
                .set(id.checked_add(1).expect("more than 2^32 living terms"));
            id
        });
        let birth = self.births.get();
        self.births.set(birth + 1);
        let attributes = Attributes::compute(&op, &args, id, sort, &self.empty_support);
        let term = Term(Rc::new(TermNode {
            op,
            args,
            sort,
            id,
            birth,
            hash,
            attributes,
        }));
        table.insert_unique(hash, term.clone(), |t| t.0.hash);
        term
    }

    /// Removes every term that is not referenced. Runs by itself when the table has doubled; calling
    /// it at a quiet moment only moves the cost.
    pub fn sweep(&self) {
        let mut table = self.table.borrow_mut();
        let mut free = self.free_ids.borrow_mut();
        let mut work: Vec<Term> = table
            .iter()
            .filter(|t| Rc::strong_count(&t.0) == 1)
            .cloned()
            .collect();
        while let Some(term) = work.pop() {
            let entry = table.find_entry(term.0.hash, |t| *t == term);
            match entry {
                Ok(entry) => drop(entry.remove()),
                Err(_) => unreachable!("a living term is in its store's table"),
            }
            free.push(term.0.id);
            let mut node = Rc::into_inner(term.0).expect("dead terms have no other holder");
            for arg in node.args.drain(..) {
                // The table's reference and the one in hand: no parent and no holder is left.
                if Rc::strong_count(&arg.0) == 2 {
                    work.push(arg);
                }
            }
        }
        self.sweep_at.set((table.len() * 2).max(FIRST_SWEEP));
        table.shrink_to(self.sweep_at.get(), |t| t.0.hash);
        self.sweeps.set(self.sweeps.get() + 1);
    }
}

impl Drop for TermStore {
    /// Empties the table parents first, so that no long chain is freed from its bottom up.
    fn drop(&mut self) {
        self.sweep();
    }
}

/// Mixes two words; odd multipliers and a rotation, as multiplicative hashes do.
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
}

fn hash_bytes(mut h: u64, bytes: &[u8]) -> u64 {
    for chunk in bytes.chunks(8) {
        let mut word = [0u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = mix(h, u64::from_le_bytes(word));
    }
    mix(h, bytes.len() as u64)
}

/// The bytes of a text that is written piece by piece, hashed as [`hash_bytes`] hashes them.
struct TextHash {
    hash: u64,
    /// Bytes since the last whole word.
    word: [u8; 8],
    length: u64,
}

impl fmt::Write for TextHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.word[(self.length % 8) as usize] = byte;
            self.length += 1;
            if self.length.is_multiple_of(8) {
                self.hash = mix(self.hash, u64::from_le_bytes(self.word));
                self.word = [0; 8];
            }
        }
        Ok(())
    }
}

/// The hash of a symbol is that of its name: the order of operands, which is by hash, is then the
/// same for a term that was written and read again.
fn hash_name(h: u64, symbol: &Symbol, sort: Sort) -> u64 {
    if let Symbol::Named(name) = symbol {
        return hash_bytes(h, name.as_bytes());
    }
    let mut text = TextHash {
        hash: h,
        word: [0; 8],
        length: 0,
    };
    symbol
        .name(sort)
        .write(&mut text)
        .expect("hashing takes any text");
    if !text.length.is_multiple_of(8) {
        text.hash = mix(text.hash, u64::from_le_bytes(text.word));
    }
    mix(text.hash, text.length)
}

/// The structural hash. It must not depend on ids, addresses or the run: canonical operand order
/// and cross-worker keys are built on it.
fn shape_hash(op: &Op, sort: Sort, args: &[Term]) -> u64 {
    args.iter()
        .fold(operator_hash(op, sort), |h, a| mix(h, a.0.hash))
}

/// The hash of a node without its operands, with all that the operator carries.
#[inline]
pub(crate) fn operator_hash(op: &Op, sort: Sort) -> u64 {
    let mut h = sort_hash(sort);
    h = mix(h, op.info().code);
    match op {
        Op::Bool(b) => h = mix(h, u64::from(*b)),
        Op::Const(v) => {
            for limb in v.limbs() {
                h = mix(h, *limb);
            }
        }
        Op::Base(base) => h = mix(mix(h, base.address), base.birth),
        Op::Symbol(symbol) => h = hash_name(h, symbol, sort),
        Op::Table(table) => {
            for v in table.values().iter().chain([table.default_value()]) {
                for limb in v.limbs() {
                    h = mix(h, *limb);
                }
            }
        }
        Op::Extract { hi, lo } => h = mix(mix(h, u64::from(*hi)), u64::from(*lo)),
        Op::ZeroExtend(n) | Op::SignExtend(n) | Op::ConstArray { index: n } => {
            h = mix(h, u64::from(*n));
        }
        Op::Not
        | Op::And
        | Op::Eq
        | Op::Ite
        | Op::BvNot
        | Op::BvNeg
        | Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvSmod
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat
        | Op::BvUlt
        | Op::BvSlt
        | Op::Select
        | Op::Store => {}
    }
    h
}

/// The hash of a sort.
#[inline]
pub(crate) fn sort_hash(sort: Sort) -> u64 {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(w) => mix(2, u64::from(w)),
        Sort::Array { index, value } => mix(mix(3, u64::from(index)), u64::from(value)),
    }
}
