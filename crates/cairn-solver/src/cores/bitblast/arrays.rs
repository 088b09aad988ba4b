//! Arrays by counter-example guided refinement.
//!
//! - **Problem.** Writing out what every read of an array may be is quadratic in reads and linear
//!   in stores, and most of it never matters.
//! - **Idea.** A read is a free word. When the SAT solver has a candidate, each read of the query
//!   is followed through stores and branches under the candidate's values, down to the
//!   array symbol. Where the read's word disagrees with what it meets (a stored value, a
//!   constant, or another read of the same symbol at the same index), the axiom
//!   instance that forbids it is added: "if the path was this one, the words are equal". Of a large
//!   constant table it is about all indices around at which the elements are equal or rise by the same
//!   step. A write that the index cannot meet by its form (`sums.rs`) is not part of the path.
//! - **Source.** Lemmas on demand for arrays, [BrummayerBiere09]; types and intervals of ISSTA'21, with
//!   proofs in the place of types.
//! - **Soundness.** Every lemma is an instance of read-over-write or of congruence, valid in all
//!   models: it may stay in the context for ever. UNSAT therefore holds for arrays.
//!   SAT is answered only when no read disagrees, and the model is evaluated on terms.
//! - **Progress.** A lemma excludes the candidate that caused it, and there are finitely many pairs
//!   of reads and paths. Where a candidate gives an index a word that its form does not allow, because a
//!   read below it is wrong, the lemma about that read does.
//! - **Equality.** Of arrays is a free literal with a witness index for "different" (`blast.rs`); for
//!   "equal", indices at which the candidate's arrays differ are added one by one.

use super::blast::{Blaster, constant};
use super::gates::Lit;
use super::ranges::mask;
use crate::{Budget, Reason};
use cairn_expr::{BitVec, Op, Table, Term};
use rustc_hash::FxHashMap;

/// An axiom instance: if all of `path`, then `left` equals `right`.
pub struct Lemma {
    /// The read that disagreed; `None` for an instance about an equality between arrays.
    pub read: Option<Term>,
    /// The other read of the same symbol, if that is what it disagreed with.
    pub other: Option<Term>,
    /// What was followed.
    pub path: Vec<Lit>,
    /// The read's word.
    pub left: Vec<Lit>,
    /// What it must be.
    pub right: Vec<Lit>,
}

/// A step of a read past what does not give its element. It becomes a literal only if a lemma is
/// made of it: most candidates violate nothing, and a comparison of indices is many gates.
#[derive(Clone)]
enum Step {
    /// Past a store at another index.
    Past(Term),
    /// Into a branch, by this condition.
    Branch(Lit),
}

/// The literals of the steps of a read; a write that it never meets needs none.
fn literals(blaster: &mut Blaster, read: &Term, steps: &[Step], budget: &Budget) -> Vec<Lit> {
    let literal = |step: &Step| match step {
        Step::Past(store) if blaster.are_apart(read.arg(1), store.arg(1)) => None,
        Step::Past(store) => {
            let at = blaster.bits(store.arg(1)).to_vec();
            let index = blaster.bits(read.arg(1)).to_vec();
            Some(!blaster.encoder(budget).eq(&index, &at))
        }
        Step::Branch(condition) => Some(*condition),
    };
    steps.iter().filter_map(literal).collect()
}

/// The value that a read found at an array symbol.
pub struct Cell {
    read: usize,
    steps: Vec<Step>,
    /// The element.
    pub value: BitVec,
}

/// Where reads ended: per array symbol, per concrete index.
pub type Cells = FxHashMap<(Term, BitVec), Cell>;

/// A read that was refuted this often against single reads gets all lemmas against reads at
/// constant indices at once: the constant tables that other tools write as asserted cells would
/// otherwise cost a round per element.
const PATIENCE: u32 = 4;

/// Congruence of one read with every read of the same symbol at a constant index.
fn fixed_reads(
    blaster: &mut Blaster,
    moving: &Term,
    path: &[Lit],
    symbol: &Term,
    reads: &[Term],
    lemmas: &mut Vec<Lemma>,
    budget: &Budget,
) {
    let index = blaster.bits(moving.arg(1)).to_vec();
    let word = blaster.bits(moving).to_vec();
    for other in reads {
        if other.arg(0) != symbol
            || other.arg(1).as_const().is_none()
            || blaster.are_apart(moving.arg(1), other.arg(1))
        {
            continue;
        }
        let at = blaster.bits(other.arg(1)).to_vec();
        let same = blaster.encoder(budget).eq(&index, &at);
        if same == Lit::FALSE {
            continue;
        }
        let mut path = path.to_vec();
        path.push(same);
        lemmas.push(Lemma {
            read: Some(moving.clone()),
            other: Some(other.clone()),
            path,
            left: word.clone(),
            right: blaster.bits(other).to_vec(),
        });
    }
}

/// A linear run of fewer elements is not worth an adder.
const SHORTEST_LINE: usize = 4;

/// Indices of a table from first to last at which the elements rise by a step, modulo 2^w: 0 where they
/// are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first index.
    pub first: BitVec,
    /// The last one.
    pub last: BitVec,
    step: u64,
}

impl Run {
    /// One index.
    fn point(index: &BitVec) -> Run {
        Run {
            first: index.clone(),
            last: index.clone(),
            step: 0,
        }
    }

    /// The longest run around an index: of equal elements, or of rising ones if that is longer. What is
    /// not listed has the default element and is one stretch up to the largest index.
    pub fn around(table: &Table, index: &BitVec) -> Run {
        let width = table.index_width();
        let values = table.values();
        let Some(at) = index.to_u64().filter(|i| *i < values.len() as u64) else {
            return Run {
                first: BitVec::new(width, values.len() as u64),
                last: BitVec::ones(width),
                step: 0,
            };
        };
        let at = at as usize;
        let run = |step: u64| {
            let rises = |i: usize| difference(&values[i], &values[i + 1]) == Some(step);
            let below = (0..at).rev().take_while(|i| rises(*i)).count();
            let above = (at..values.len() - 1).take_while(|i| rises(*i)).count();
            (at - below, at + above, step)
        };
        let length = |run: &(usize, usize, u64)| run.1 - run.0 + 1;
        let mut best = run(0);
        let next = values.get(at + 1).map(|next| (&values[at], next));
        let before = at.checked_sub(1).map(|b| (&values[b], &values[at]));
        for (one, other) in next.into_iter().chain(before) {
            let Some(step) = difference(one, other) else {
                continue;
            };
            let line = run(step);
            if length(&line) >= SHORTEST_LINE && length(&line) > length(&best) {
                best = line;
            }
        }
        Run {
            first: BitVec::new(width, best.0 as u64),
            last: BitVec::new(width, best.1 as u64),
            step: best.2,
        }
    }
}

/// From one element to the next, modulo 2^w; of wide ones it is known only if they are equal.
fn difference(one: &BitVec, next: &BitVec) -> Option<u64> {
    match one.width() {
        w @ 1..=64 => Some(next.low_u64().wrapping_sub(one.low_u64()) & mask(w)),
        _ => (one == next).then_some(0),
    }
}

/// The axiom about a read that met a table at an index, after a path; and the indices it is about.
pub fn table_axiom(
    blaster: &mut Blaster,
    read: &Term,
    table: &Table,
    index: &BitVec,
    mut path: Vec<Lit>,
    budget: &Budget,
) -> Result<(Lemma, Run), Reason> {
    let run = match blaster.arrays.is_typed() {
        true => Run::around(table, index),
        false => Run::point(index),
    };
    let word = blaster.bits(read).to_vec();
    let at = blaster.bits(read.arg(1)).to_vec();
    let mut e = blaster.encoder(budget);
    path.push(!e.ult(&at, &constant(&run.first)));
    path.push(!e.ult(&constant(&run.last), &at));
    let element = table.get(&run.first);
    let right = if run.step == 0 {
        constant(element)
    } else {
        // step * index + (element - step * first)
        let width = element.width();
        let mut place = at;
        place.resize(width as usize, Lit::FALSE);
        let step = BitVec::new(width, run.step);
        let risen = e.mul(&place, &constant(&step))?;
        let start = run.step.wrapping_mul(run.first.low_u64());
        let start = element.low_u64().wrapping_sub(start) & mask(width);
        e.add(&risen, &constant(&BitVec::new(width, start)))
    };
    let lemma = Lemma {
        read: Some(read.clone()),
        other: None,
        path,
        left: word,
        right,
    };
    Ok((lemma, run))
}

/// Follows every read of a query under a candidate. Returns the violated axiom instances, or the
/// cells of the array symbols if there is none.
pub fn check_reads(
    blaster: &mut Blaster,
    reads: &[Term],
    budget: &Budget,
    value: impl Fn(&[Lit]) -> BitVec,
) -> Result<Result<Cells, Vec<Lemma>>, Reason> {
    let mut cells: Cells = FxHashMap::default();
    let mut lemmas = Vec::new();
    for (number, read) in reads.iter().enumerate() {
        if number % 256 == 255
            && let Some(reason) = budget.exhausted()
        {
            return Err(reason);
        }
        let word = blaster.bits(read).to_vec();
        let found = value(&word);
        let index_bits = blaster.bits(read.arg(1)).to_vec();
        let index = value(&index_bits);
        let mut steps: Vec<Step> = Vec::new();
        let mut array = read.arg(0).clone();
        loop {
            let next = match array.op() {
                Op::Store => {
                    let at = blaster.bits(array.arg(1)).to_vec();
                    if value(&at) == index {
                        let stored = blaster.bits(array.arg(2)).to_vec();
                        if value(&stored) != found {
                            let mut path = literals(blaster, read, &steps, budget);
                            path.push(blaster.encoder(budget).eq(&index_bits, &at));
                            lemmas.push(Lemma {
                                read: Some(read.clone()),
                                other: None,
                                path,
                                left: word.clone(),
                                right: stored,
                            });
                        }
                        break;
                    }
                    steps.push(Step::Past(array.clone()));
                    array.arg(0).clone()
                }
                Op::Ite => {
                    let condition = blaster.lit(array.arg(0));
                    if value(&[condition]).is_one() {
                        steps.push(Step::Branch(condition));
                        array.arg(1).clone()
                    } else {
                        steps.push(Step::Branch(!condition));
                        array.arg(2).clone()
                    }
                }
                Op::ConstArray { .. } => {
                    let everywhere = blaster.bits(array.arg(0)).to_vec();
                    if value(&everywhere) != found {
                        lemmas.push(Lemma {
                            read: Some(read.clone()),
                            other: None,
                            path: literals(blaster, read, &steps, budget),
                            left: word.clone(),
                            right: everywhere,
                        });
                    }
                    break;
                }
                Op::Table(table) => {
                    if *table.get(&index) != found {
                        let path = literals(blaster, read, &steps, budget);
                        if blaster.arrays.is_circuit(table) {
                            let right = blaster.table_circuit(table, read.arg(1), budget)?;
                            lemmas.push(Lemma {
                                read: Some(read.clone()),
                                other: None,
                                path,
                                left: word.clone(),
                                right,
                            });
                        } else {
                            let axiom = table_axiom(blaster, read, table, &index, path, budget)?;
                            lemmas.push(axiom.0);
                        }
                    }
                    break;
                }
                Op::Symbol(_) => {
                    let key = (array.clone(), index.clone());
                    match cells.get(&key) {
                        None => {
                            cells.insert(
                                key,
                                Cell {
                                    read: number,
                                    steps: std::mem::take(&mut steps),
                                    value: found.clone(),
                                },
                            );
                        }
                        Some(other) if other.value != found => {
                            let earlier = &reads[other.read];
                            let their_index = blaster.bits(earlier.arg(1)).to_vec();
                            let mut path = literals(blaster, read, &steps, budget);
                            let their_path = literals(blaster, earlier, &other.steps, budget);
                            let (moving, moving_path) = if read.arg(1).as_const().is_none() {
                                (read, &path)
                            } else {
                                (earlier, &their_path)
                            };
                            let conflicts = blaster.conflicts.entry(moving.birth()).or_insert(0);
                            *conflicts += 1;
                            if conflicts.is_multiple_of(PATIENCE) {
                                let symbol = array.clone();
                                let path = moving_path.clone();
                                fixed_reads(
                                    blaster,
                                    moving,
                                    &path,
                                    &symbol,
                                    reads,
                                    &mut lemmas,
                                    budget,
                                );
                            }
                            let their_word = blaster.bits(earlier).to_vec();
                            path.extend_from_slice(&their_path);
                            path.push(blaster.encoder(budget).eq(&index_bits, &their_index));
                            lemmas.push(Lemma {
                                read: Some(read.clone()),
                                other: Some(earlier.clone()),
                                path,
                                left: word.clone(),
                                right: their_word,
                            });
                        }
                        Some(_) => {}
                    }
                    break;
                }
                op => unreachable!("{op:?} does not make arrays"),
            };
            array = next;
        }
    }
    Ok(if lemmas.is_empty() {
        Ok(cells)
    } else {
        Err(lemmas)
    })
}
