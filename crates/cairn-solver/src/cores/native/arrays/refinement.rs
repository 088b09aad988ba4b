//! Arrays by counterexample-guided refinement: lemmas on demand.
//!
//! # Problem
//! Writing out what every read of an array may be is quadratic in the reads and linear in the stores, and
//! most of it never matters.
//!
//! # Idea
//! Lemmas on demand \[BrummayerBiere09\]. A read is a free word. When a SAT solver has an assignment, each
//! read of the query is followed through stores and branches under that assignment, down to an array
//! symbol, a constant array or a table. Where the read's word disagrees with what it reaches, the violated
//! axiom instance is added: "if the path was this one, the words are equal". There is one function per
//! axiom below.
//!
//! # What differs
//! A store that the index cannot reach by its form (`index_sum.rs`) is not part of the path. An instance
//! about a large table covers a run of elements (`table_axiom.rs`). A read that keeps disagreeing with
//! reads at constant indices gets all those instances at once ([`READS_PER_BATCH`]).
//!
//! # Soundness
//! Every lemma is an instance of read-over-write or of congruence, valid in all models, so it may stay in
//! the circuit and UNSAT holds for arrays. SAT is answered only when no read disagrees, and the model is
//! evaluated on terms.
//!
//! A lemma excludes the assignment that caused it, and there are finitely many pairs of reads and paths, so
//! refinement ends. Where an assignment gives an index a word that its form does not allow, because a read
//! below it is wrong, the lemma about that read excludes it.

use super::{Lemma, table_axiom};
use crate::cores::native::circuit::{Blaster, Lit};
use crate::{Budget, UnknownReason};
use cairn_expr::{BitVec, Op, Table, Term};
use rustc_hash::FxHashMap;

/// Each time a read has disagreed with this many single reads, it gets all lemmas against reads at
/// constant indices. Other tools write constant tables as asserted cells, which would otherwise cost a
/// round per element.
const READS_PER_BATCH: u32 = 4;

/// A step of a read past something that does not give its element. It becomes a literal only if a lemma
/// needs it: most assignments violate nothing, and a comparison of indices is many gates.
#[derive(Clone)]
enum PathStep {
    /// Past a store at another index.
    PastStore(Term),
    /// Into a branch, by this condition.
    Branch(Lit),
}

/// The literals of the steps of a read; a store that it never reaches needs none.
fn literals(blaster: &mut Blaster, read: &Term, steps: &[PathStep], budget: &Budget) -> Vec<Lit> {
    let literal = |step: &PathStep| match step {
        PathStep::PastStore(store) if blaster.never_equal(read.arg(1), store.arg(1)) => None,
        PathStep::PastStore(store) => {
            let at = blaster.bits(store.arg(1)).to_vec();
            let index = blaster.bits(read.arg(1)).to_vec();
            Some(!blaster.circuits(budget).eq(&index, &at))
        }
        PathStep::Branch(condition) => Some(*condition),
    };
    steps.iter().filter_map(literal).collect()
}

/// The element that a read found at an array symbol.
pub struct ReachedCell {
    /// The number of the read.
    read: usize,
    steps: Vec<PathStep>,
    /// The element.
    pub value: BitVec,
}

/// The cells that reads reached, by array symbol and concrete index.
pub type ReachedCells = FxHashMap<(Term, BitVec), ReachedCell>;

/// A read that is being followed, and what the assignment says about it.
struct ReadWalk<'a> {
    number: usize,
    read: &'a Term,
    word: Vec<Lit>,
    /// The value of `word`.
    found: BitVec,
    index_bits: Vec<Lit>,
    /// The value of `index_bits`.
    index: BitVec,
    steps: Vec<PathStep>,
}

impl ReadWalk<'_> {
    /// The axiom instance "if `path`, the read is `right`".
    fn lemma(&self, path: Vec<Lit>, right: Vec<Lit>) -> Lemma {
        Lemma {
            read: Some(self.read.clone()),
            other: None,
            path,
            left: self.word.clone(),
            right,
        }
    }
}

/// The check of one assignment.
struct ReadCheck<'a, V> {
    blaster: &'a mut Blaster,
    reads: &'a [Term],
    budget: &'a Budget,
    /// The value of a word.
    value: V,
    cells: ReachedCells,
    lemmas: Vec<Lemma>,
}

/// Follows every read of a query under an assignment. Returns the violated axiom instances, or the cells
/// of the array symbols if there is none.
pub fn check_reads(
    blaster: &mut Blaster,
    reads: &[Term],
    budget: &Budget,
    value: impl Fn(&[Lit]) -> BitVec,
) -> Result<Result<ReachedCells, Vec<Lemma>>, UnknownReason> {
    let mut check = ReadCheck {
        blaster,
        reads,
        budget,
        value,
        cells: FxHashMap::default(),
        lemmas: Vec::new(),
    };
    for (number, read) in reads.iter().enumerate() {
        if number % 256 == 255 {
            budget.check()?;
        }
        check.follow(number, read)?;
    }
    Ok(if check.lemmas.is_empty() {
        Ok(check.cells)
    } else {
        Err(check.lemmas)
    })
}

impl<V: Fn(&[Lit]) -> BitVec> ReadCheck<'_, V> {
    /// Follows one read to the term that gives its element, and checks the axiom about that term.
    fn follow(&mut self, number: usize, read: &Term) -> Result<(), UnknownReason> {
        let word = self.blaster.bits(read).to_vec();
        let index_bits = self.blaster.bits(read.arg(1)).to_vec();
        let mut following = ReadWalk {
            number,
            read,
            found: (self.value)(&word),
            word,
            index: (self.value)(&index_bits),
            index_bits,
            steps: Vec::new(),
        };
        let mut array = read.arg(0).clone();
        loop {
            let next = match array.op() {
                Op::Store => {
                    let at = self.blaster.bits(array.arg(1)).to_vec();
                    if (self.value)(&at) == following.index {
                        self.stored_element(&following, &at, array.arg(2));
                        return Ok(());
                    }
                    following.steps.push(PathStep::PastStore(array.clone()));
                    array.arg(0).clone()
                }
                Op::Ite => {
                    let condition = self.blaster.lit(array.arg(0));
                    if (self.value)(&[condition]).is_one() {
                        following.steps.push(PathStep::Branch(condition));
                        array.arg(1).clone()
                    } else {
                        following.steps.push(PathStep::Branch(!condition));
                        array.arg(2).clone()
                    }
                }
                Op::ConstArray { .. } => {
                    self.constant_element(&following, array.arg(0));
                    return Ok(());
                }
                Op::Table(table) => return self.table_element(&following, table),
                Op::Symbol(_) => {
                    self.congruence(following, &array);
                    return Ok(());
                }
                op => unreachable!("{op:?} does not make arrays"),
            };
            array = next;
        }
    }

    fn path(&mut self, following: &ReadWalk<'_>) -> Vec<Lit> {
        literals(self.blaster, following.read, &following.steps, self.budget)
    }

    /// Read-over-write: a read at the index of a store is the stored element.
    fn stored_element(&mut self, following: &ReadWalk<'_>, at: &[Lit], element: &Term) {
        let stored = self.blaster.bits(element).to_vec();
        if (self.value)(&stored) == following.found {
            return;
        }
        let mut path = self.path(following);
        path.push(
            self.blaster
                .circuits(self.budget)
                .eq(&following.index_bits, at),
        );
        self.lemmas.push(following.lemma(path, stored));
    }

    /// A read of a constant array is its element.
    fn constant_element(&mut self, following: &ReadWalk<'_>, element: &Term) {
        let everywhere = self.blaster.bits(element).to_vec();
        if (self.value)(&everywhere) == following.found {
            return;
        }
        let path = self.path(following);
        self.lemmas.push(following.lemma(path, everywhere));
    }

    /// A read of a constant table is the element at its index.
    fn table_element(
        &mut self,
        following: &ReadWalk<'_>,
        table: &Table,
    ) -> Result<(), UnknownReason> {
        if *table.get(&following.index) == following.found {
            return Ok(());
        }
        let path = self.path(following);
        let (read, budget) = (following.read, self.budget);
        let lemma = if self.blaster.arrays.is_circuit(table) {
            let right = self.blaster.table_circuit(table, read.arg(1), budget)?;
            following.lemma(path, right)
        } else {
            table_axiom(self.blaster, read, table, &following.index, path, budget)?.0
        };
        self.lemmas.push(lemma);
        Ok(())
    }

    /// Congruence: two reads of one array symbol at the same index are equal.
    fn congruence(&mut self, following: ReadWalk<'_>, symbol: &Term) {
        let key = (symbol.clone(), following.index.clone());
        let Some(other) = self.cells.get(&key) else {
            let cell = ReachedCell {
                read: following.number,
                steps: following.steps,
                value: following.found,
            };
            self.cells.insert(key, cell);
            return;
        };
        if other.value == following.found {
            return;
        }
        let (read, budget) = (following.read, self.budget);
        let earlier = &self.reads[other.read];
        let earlier_index = self.blaster.bits(earlier.arg(1)).to_vec();
        let mut path = literals(self.blaster, read, &following.steps, budget);
        let earlier_path = literals(self.blaster, earlier, &other.steps, budget);
        let (varying, varying_path) = if read.arg(1).as_const().is_none() {
            (read, &path)
        } else {
            (earlier, &earlier_path)
        };
        let conflicts = self.blaster.conflicts.entry(varying.birth()).or_insert(0);
        *conflicts += 1;
        if conflicts.is_multiple_of(READS_PER_BATCH) {
            self.congruence_with_constants(varying, varying_path, symbol);
        }
        let earlier_word = self.blaster.bits(earlier).to_vec();
        path.extend_from_slice(&earlier_path);
        let mut circuits = self.blaster.circuits(budget);
        path.push(circuits.eq(&following.index_bits, &earlier_index));
        self.lemmas.push(Lemma {
            other: Some(earlier.clone()),
            ..following.lemma(path, earlier_word)
        });
    }

    /// Congruence of one read with every read of the same symbol at a constant index.
    fn congruence_with_constants(&mut self, varying: &Term, path: &[Lit], symbol: &Term) {
        let index = self.blaster.bits(varying.arg(1)).to_vec();
        let word = self.blaster.bits(varying).to_vec();
        for other in self.reads {
            if other.arg(0) != symbol
                || other.arg(1).as_const().is_none()
                || self.blaster.never_equal(varying.arg(1), other.arg(1))
            {
                continue;
            }
            let at = self.blaster.bits(other.arg(1)).to_vec();
            let same = self.blaster.circuits(self.budget).eq(&index, &at);
            if same == Lit::FALSE {
                continue;
            }
            let mut path = path.to_vec();
            path.push(same);
            self.lemmas.push(Lemma {
                read: Some(varying.clone()),
                other: Some(other.clone()),
                path,
                left: word.clone(),
                right: self.blaster.bits(other).to_vec(),
            });
        }
    }
}
