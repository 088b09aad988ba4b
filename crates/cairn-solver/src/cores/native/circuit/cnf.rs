//! From gates to clauses, on demand.
//!
//! # Idea
//! A gate gets a variable and its defining clauses, in both directions \[Tseitin68\], when a query first
//! needs it; the SAT solver never sees what no query needs. Nested conjunctions whose inner gates have no
//! other use become one wide clause, without variables for the inner gates.
//!
//! # Soundness
//! Every definition is an equivalence and restricts no input, so definitions stay valid for all queries of
//! the circuit.

use super::gates::{GateFunction, Gates, Lit};
use crate::{Budget, UnknownReason};
use cairn_expr::BitVec;

/// A literal in DIMACS form: a variable or its negative, never zero.
pub type SatLit = i32;

/// Receives clauses: CaDiCaL, or the solver of the guided search.
pub trait ClauseSink {
    /// A new variable, as its positive literal.
    fn variable(&mut self) -> SatLit;
    /// Adds a clause.
    fn clause(&mut self, lits: &[SatLit]);
}

/// The variables of the gates that a SAT solver knows.
pub struct Cnf {
    /// Variable of each node; 0 if none yet.
    variable: Vec<SatLit>,
    stack: Vec<u32>,
    leaves: Vec<Lit>,
    clause: Vec<SatLit>,
}

/// A conjunction is flattened up to this many operands.
const WIDEST_AND: usize = 64;

impl Cnf {
    /// Nothing known, except that node 0 is true.
    pub fn new(sat: &mut impl ClauseSink) -> Self {
        let truth = sat.variable();
        sat.clause(&[truth]);
        Cnf {
            variable: vec![truth],
            stack: Vec::new(),
            leaves: Vec::new(),
            clause: Vec::new(),
        }
    }

    /// The SAT literal of a gate literal that is known already.
    #[inline]
    pub fn known(&self, lit: Lit) -> Option<SatLit> {
        let v = *self.variable.get(lit.node() as usize)?;
        (v != 0).then_some(if lit.negated() { -v } else { v })
    }

    /// The variable of a node, if it has one.
    #[inline]
    pub fn variable_of(&self, node: u32) -> Option<u32> {
        let v = *self.variable.get(node as usize)?;
        (v != 0).then_some(v.unsigned_abs())
    }

    /// The value of a word under an assignment. An input that no clause mentions is false.
    pub fn word_value(&self, bits: &[Lit], value: impl Fn(SatLit) -> bool) -> BitVec {
        let bit = |l: Lit| match self.known(l) {
            Some(lit) => value(lit),
            None => l.negated(),
        };
        let limb = |bits: &[Lit]| {
            bits.iter()
                .enumerate()
                .fold(0u64, |w, (i, &l)| w | u64::from(bit(l)) << i)
        };
        if bits.len() <= 64 {
            return BitVec::new(bits.len() as u32, limb(bits));
        }
        let limbs: Vec<u64> = bits.chunks(64).map(limb).collect();
        BitVec::from_limbs(bits.len() as u32, &limbs)
    }

    /// The SAT literal of a gate literal; defines what is not yet defined below it.
    pub fn literal(
        &mut self,
        gates: &Gates,
        sat: &mut impl ClauseSink,
        lit: Lit,
        budget: &Budget,
    ) -> Result<SatLit, UnknownReason> {
        if let Some(known) = self.known(lit) {
            return Ok(known);
        }
        if self.variable.len() < gates.len() {
            self.variable.resize(gates.len(), 0);
        }
        self.stack.clear();
        self.stack.push(lit.node());
        let mut steps = 0u32;
        let mut defined = 0;
        while let Some(&node) = self.stack.last() {
            steps += 1;
            if steps.is_multiple_of(4096)
                && let Some(reason) = budget.exhausted().or_else(|| budget.exhausted_memory())
            {
                return Err(reason);
            }
            if self.variable[node as usize] != 0 {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            self.operands(gates, node);
            for i in 0..self.leaves.len() {
                let n = self.leaves[i].node();
                if self.variable[n as usize] == 0 {
                    self.stack.push(n);
                }
            }
            if self.stack.len() == before {
                self.stack.pop();
                self.define(gates, sat, node);
                defined += 1;
                budget.check_gates(defined)?;
            }
        }
        Ok(self.known(lit).expect("just defined"))
    }

    /// Collects the operands of a node's definition into `leaves`.
    fn operands(&mut self, gates: &Gates, node: u32) {
        self.leaves.clear();
        match gates.gate(node) {
            GateFunction::True | GateFunction::Input => {}
            GateFunction::Xor(a, b) => self.leaves.extend([a, b]),
            GateFunction::Mux(a, b, c) | GateFunction::Maj(a, b, c) => {
                self.leaves.extend([a, b, c])
            }
            GateFunction::And(a, b) => {
                self.leaves.extend([a, b]);
                let mut i = 0;
                while i < self.leaves.len() && self.leaves.len() < WIDEST_AND {
                    let l = self.leaves[i];
                    let inner = l.node();
                    match gates.gate(inner) {
                        GateFunction::And(p, q)
                            if !l.negated()
                                && gates.fanout(inner) == 1
                                && self.variable[inner as usize] == 0 =>
                        {
                            self.leaves[i] = p;
                            self.leaves.push(q);
                        }
                        _ => i += 1,
                    }
                }
            }
        }
    }

    /// Gives a node a variable and its clauses; `leaves` are its operands, all known.
    fn define(&mut self, gates: &Gates, sat: &mut impl ClauseSink, node: u32) {
        let v = sat.variable();
        self.variable[node as usize] = v;
        let of = |l: Lit| {
            let x = self.variable[l.node() as usize];
            debug_assert!(x != 0);
            if l.negated() { -x } else { x }
        };
        match gates.gate(node) {
            GateFunction::True | GateFunction::Input => {}
            GateFunction::And(..) => {
                self.clause.clear();
                self.clause.push(v);
                for &l in &self.leaves {
                    let x = of(l);
                    sat.clause(&[-v, x]);
                    self.clause.push(-x);
                }
                sat.clause(&self.clause);
            }
            GateFunction::Xor(a, b) => {
                let (a, b) = (of(a), of(b));
                sat.clause(&[-v, a, b]);
                sat.clause(&[-v, -a, -b]);
                sat.clause(&[v, -a, b]);
                sat.clause(&[v, a, -b]);
            }
            GateFunction::Mux(c, a, b) => {
                let (c, a, b) = (of(c), of(a), of(b));
                sat.clause(&[-v, -c, a]);
                sat.clause(&[v, -c, -a]);
                sat.clause(&[-v, c, b]);
                sat.clause(&[v, c, -b]);
                // Implied, but they propagate when both branches agree.
                sat.clause(&[-v, a, b]);
                sat.clause(&[v, -a, -b]);
            }
            GateFunction::Maj(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sat.clause(&[v, -x, -y]);
                    sat.clause(&[-v, x, y]);
                }
            }
        }
    }
}
