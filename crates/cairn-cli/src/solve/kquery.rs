//! KQuery files: each query is VALID if the constraints imply the goal.

use super::{FileReport, SolverOptions, Unprinted};
use cairn_expr::TermStore;
use cairn_solver::{Answer, Facts, Query};
use std::io::Write;
use std::time::Instant;

/// Decides all queries of a file.
pub fn solve(
    store: &TermStore,
    text: &[u8],
    solver: &mut SolverOptions,
    out: &mut dyn Write,
    report: &mut FileReport,
) -> anyhow::Result<()> {
    for query in cairn_text::kquery::read(text, store)? {
        let facts: Facts = query.constraints.iter().cloned().collect();
        let negated = store.not(&query.goal);
        let start = Instant::now();
        let asked = Query::new(facts, negated).within(solver.budget());
        let answer = solver.chain.solve(store, &asked);
        report.solving += start.elapsed();
        report.answers.push(answer.verdict());
        let word = match answer {
            Answer::Sat(_) => "INVALID",
            Answer::Unsat(_) => "VALID",
            Answer::Unknown(reason) => {
                report.reasons.push(reason.to_string());
                "UNKNOWN"
            }
        };
        writeln!(out, "{word}").map_err(Unprinted)?;
    }
    Ok(())
}
