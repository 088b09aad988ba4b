//! The circuit of a worker, and the roots that queries consist of.

use super::blast::Blaster;
use super::gates::Lit;
use crate::cores::native::DEAD_WEIGHT;
use crate::cores::native::arrays::ArrayOptions;
use crate::{Budget, UnknownReason};
use cairn_expr::{Op, PostOrder, Support, Term, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A fact or goal that was blasted.
pub struct Root {
    /// Its literal.
    pub lit: Lit,
    /// How many gates it added to those of earlier roots.
    weight: usize,
    /// Scalar symbols it depends on.
    pub symbols: Rc<[Term]>,
    /// Reads that must obey the array axioms when it is part of a query.
    pub reads: Rc<[Term]>,
    /// Equalities between arrays below it.
    pub equalities: Rc<[Term]>,
    /// Array symbols below it.
    pub arrays: Rc<[Term]>,
    /// Literals that a read can depend on: they need a value in every assignment.
    pub observed: Rc<[Lit]>,
}

/// The inputs below a term; the fields are those of [`Root`].
#[derive(Default)]
pub struct Collected {
    pub symbols: Vec<Term>,
    pub reads: Vec<Term>,
    pub equalities: Vec<Term>,
    pub arrays: Vec<Term>,
    pub observed: Vec<Lit>,
}

/// The circuit with its roots.
pub struct Circuit {
    /// The gates, and where each term is among them.
    pub blaster: Blaster,
    roots: FxHashMap<u64, Rc<Root>>,
    scalar_symbols: FxHashMap<u32, Term>,
}

impl Circuit {
    /// An empty circuit.
    pub fn new(arrays: ArrayOptions) -> Self {
        Circuit {
            blaster: Blaster::new(arrays),
            roots: FxHashMap::default(),
            scalar_symbols: FxHashMap::default(),
        }
    }

    /// Makes a Boolean term a root: blasts it and collects its inputs.
    pub fn root(
        &mut self,
        store: &TermStore,
        term: &Term,
        budget: &Budget,
    ) -> Result<Rc<Root>, UnknownReason> {
        if let Some(root) = self.roots.get(&term.birth()) {
            return Ok(Rc::clone(root));
        }
        let before = self.blaster.gates.len();
        self.blaster.blast(store, term, budget)?;
        let collected = if term.attributes().has_array {
            self.collect(term)
        } else {
            Collected {
                symbols: self.scalars(term),
                ..Collected::default()
            }
        };
        let root = Rc::new(Root {
            lit: self.blaster.lit(term),
            weight: self.blaster.gates.len() - before,
            symbols: collected.symbols.into(),
            reads: collected.reads.into(),
            equalities: collected.equalities.into(),
            arrays: collected.arrays.into(),
            observed: collected.observed.into(),
        });
        self.roots.insert(term.birth(), Rc::clone(&root));
        Ok(root)
    }

    /// The root of a term, if it is one.
    pub fn known_root(&self, term: &Term) -> Option<&Root> {
        self.roots.get(&term.birth()).map(Rc::as_ref)
    }

    /// Whether some roots are a small part of so many gates or variables.
    pub fn is_outweighed<'r>(
        &self,
        all: usize,
        roots: impl Iterator<Item = &'r Root> + Clone,
    ) -> bool {
        let added: usize = roots.clone().map(|root| root.weight).sum();
        if all <= DEAD_WEIGHT * added {
            return false;
        }
        // Most of what a root needs may have been added by earlier ones, which takes a walk to find out.
        let lits = roots.flat_map(|root| root.observed.iter().copied().chain([root.lit]));
        all > DEAD_WEIGHT * self.blaster.gates.count_below(lits)
    }

    /// The scalar symbols of a term without arrays, from its support if that lists them.
    fn scalars(&mut self, term: &Term) -> Vec<Term> {
        if let Support::Keys(keys) = &term.attributes().support
            && let Some(known) = keys
                .iter()
                .map(|k| self.scalar_symbols.get(&k.symbol).cloned())
                .collect::<Option<Vec<Term>>>()
        {
            return known;
        }
        let symbols: Vec<Term> = PostOrder::new(term)
            .filter(|t| matches!(t.op(), Op::Symbol(_)) && !t.sort().is_array())
            .collect();
        for s in &symbols {
            self.scalar_symbols.insert(s.id(), s.clone());
        }
        symbols
    }

    /// Symbols, reads and array equalities below a blasted term, and the literals that decide the way of
    /// its reads through stores and branches.
    pub fn collect(&self, term: &Term) -> Collected {
        let mut found = Collected::default();
        let mut roots = vec![term.clone()];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let blaster = &self.blaster;
        while let Some(root) = roots.pop() {
            for t in PostOrder::new(&root) {
                if !seen.insert(t.id()) || !blaster.contains(&t) {
                    continue;
                }
                let mut observe = |x: &Term| found.observed.extend_from_slice(blaster.bits(x));
                match t.op() {
                    Op::Symbol(_) if t.sort().is_array() => found.arrays.push(t),
                    Op::Symbol(_) => found.symbols.push(t),
                    Op::Select => {
                        if let Some(written) = blaster.expanded.get(&t.birth()) {
                            roots.push(written.clone());
                            continue;
                        }
                        let circuit = matches!(t.arg(0).op(), Op::Table(table)
                            if blaster.arrays.is_circuit(table));
                        if !circuit {
                            observe(&t);
                            observe(t.arg(1));
                            found.reads.push(t);
                        }
                    }
                    Op::Store => {
                        observe(t.arg(1));
                        observe(t.arg(2));
                    }
                    Op::ConstArray { .. } => observe(t.arg(0)),
                    Op::Ite if t.sort().is_array() => observe(t.arg(0)),
                    Op::Eq if t.arg(0).sort().is_array() => {
                        // A tabulated equality has no witnesses: it is its truth table.
                        if let Some(equality) = blaster.equalities.get(&t.id()) {
                            roots.extend(equality.witnesses.clone());
                            found.equalities.push(t);
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Terms in order of insertion, each once.
#[derive(Default)]
pub struct TermSet {
    terms: Vec<Term>,
    seen: FxHashSet<u32>,
}

impl TermSet {
    /// Adds a term; whether it is new.
    pub fn insert(&mut self, term: &Term) -> bool {
        let new = self.seen.insert(term.id());
        if new {
            self.terms.push(term.clone());
        }
        new
    }

    /// The terms.
    pub fn as_slice(&self) -> &[Term] {
        &self.terms
    }
}
