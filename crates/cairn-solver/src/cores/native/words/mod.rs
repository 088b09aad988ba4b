//! Reasoning about words: the stage before bit-blasting.
//!
//! Domain propagation refutes the query (`domains.rs`), or a few words of the start model are changed: one at a time
//! (`model_repair.rs`) or with propagation after every choice (`labelling.rs`). The first and the third invert conditions (`inverse.rs`), over sets of the
//! type [`cairn_domain::RangeSet`].

mod affine;
mod domains;
mod inverse;
mod labelling;
mod model_repair;

use super::active_conjuncts::ActiveConjuncts;
use super::candidate_model::CandidateModel;
use super::{Conjuncts, CoreState, StageResult};
use cairn_expr::{Evaluator, Term};
pub use domains::DomainStore;
use labelling::{Labelling, label};
use model_repair::Repair;
use std::rc::Rc;

/// Tries to answer without gates. After `None`, the evaluator holds no values.
pub fn decide(
    shared: &mut CoreState,
    conjuncts: &Conjuncts<'_>,
    active: &ActiveConjuncts,
) -> Option<StageResult> {
    let verdict = try_decide(shared, &conjuncts.terms, active);
    if verdict.is_none() {
        shared.evaluator.start();
    }
    verdict
}

fn try_decide(
    shared: &mut CoreState,
    terms: &[&Term],
    active: &ActiveConjuncts,
) -> Option<StageResult> {
    let CoreState {
        domains,
        evaluator,
        counts,
        ..
    } = shared;
    let (start_model, violated) = (&active.start_model, &active.positions);
    if let Some(core) = domains.enter(terms) {
        counts.refuted_by_words += 1;
        return Some(StageResult::Unsat(core));
    }
    let repair = Repair::new(terms, start_model, evaluator, domains);
    if let Some((model, variables)) = repair.run(violated.clone()) {
        let changed = variables.iter().map(|v| v.symbol().id()).collect();
        let candidate = CandidateModel { model, changed };
        if confirmed(&candidate, evaluator, terms, violated) {
            counts.repaired += 1;
            return Some(StageResult::Sat(Rc::new(candidate.model)));
        }
    }
    match label(domains, terms, violated, start_model, evaluator) {
        Labelling::Unsat(core) => {
            counts.refuted_by_words += 1;
            return Some(StageResult::Unsat(core));
        }
        Labelling::Model(model, symbols) => {
            let changed = symbols.iter().map(Term::id).collect();
            let candidate = CandidateModel { model, changed };
            if confirmed(&candidate, evaluator, terms, violated) {
                counts.labelled += 1;
                return Some(StageResult::Sat(Rc::new(candidate.model)));
            }
        }
        Labelling::GaveUp => {}
    }
    None
}

/// Whether a candidate satisfies the terms that the start model violates and those that its changes touch.
fn confirmed(
    candidate: &CandidateModel,
    evaluator: &mut Evaluator,
    terms: &[&Term],
    violated: &[usize],
) -> bool {
    candidate.violated(evaluator, terms, &[]).is_empty()
        && violated
            .iter()
            .all(|&i| evaluator.eval_bool(terms[i], &candidate.model))
}
