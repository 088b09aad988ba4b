//! The cone solver against enumeration on thousands of random small problems: incremental, under
//! assumptions, and with cones that leave definitions out.

use super::{ConeSolver, SearchResult};
use crate::cores::native::circuit::{ClauseSink, SatLit};
use crate::{Budget, UnknownReason};
use cairn_random::Random;

fn some_lit(random: &mut Random, of: &[SatLit]) -> SatLit {
    let v = *random.pick(of);
    if random.one_in(2) { v } else { -v }
}

fn some_lits(random: &mut Random, of: &[SatLit], most: usize) -> Vec<SatLit> {
    let n = random.below(most + 1);
    (0..n).map(|_| some_lit(random, of)).collect()
}

const LARGE: u64 = 1 << 40;

/// Whether a literal holds under the assignment whose bit `v` is the variable `v`.
fn holds(lit: SatLit, assignment: u64) -> bool {
    (assignment >> lit.unsigned_abs() & 1 == 1) ^ (lit < 0)
}

fn satisfies(clauses: &[Vec<SatLit>], assignment: u64) -> bool {
    clauses
        .iter()
        .all(|c| c.iter().any(|l| holds(*l, assignment)))
}

/// All assignments of variables `1..=n` that satisfy the clauses.
fn solutions(n: usize, clauses: &[Vec<SatLit>]) -> Vec<u64> {
    (0..1u64 << n)
        .map(|a| a << 1)
        .filter(|a| satisfies(clauses, *a))
        .collect()
}

fn vars(lits: &[SatLit]) -> Vec<u32> {
    lits.iter().map(|l| l.unsigned_abs()).collect()
}

fn assignment_of(search: &ConeSolver, variables: &[SatLit]) -> u64 {
    variables
        .iter()
        .filter(|v| search.value(**v))
        .fold(0, |a, v| a | 1 << v.unsigned_abs())
}

/// Checks a conflict: a subset of the assumptions that no solution satisfies.
fn check_core(core: &[SatLit], assumptions: &[SatLit], solutions: &[u64]) {
    for l in core {
        assert!(assumptions.contains(l), "{l} is not in {assumptions:?}");
    }
    let model = solutions
        .iter()
        .find(|a| core.iter().all(|l| holds(*l, **a)));
    assert_eq!(model, None, "{core:?} is not contradictory");
}

struct Tally {
    sat: usize,
    unsat: usize,
}

/// One problem that grows: clauses are added between searches under different assumptions.
fn grow(random: &mut Random, tally: &mut Tally, densest: usize) {
    let n = 3 + random.below(6);
    let mut search = ConeSolver::new();
    let variables: Vec<SatLit> = (0..n).map(|_| search.variable()).collect();
    assert_eq!(search.variables(), n);
    let mut clauses: Vec<Vec<SatLit>> = Vec::new();
    for _ in 0..6 {
        search.start_cone();
        for _ in 0..random.below(densest * n + 1) {
            let length = match random.below(12) {
                0 => 1,
                1..4 => 2,
                4..8 => 3,
                8..10 => 4,
                _ => 5,
            };
            let clause: Vec<SatLit> = (0..length).map(|_| some_lit(random, &variables)).collect();
            search.clause(&clause);
            clauses.push(clause);
        }
        let solutions = solutions(n, &clauses);
        for _ in 0..4 {
            search.start_cone();
            search.extend_cone(&vars(&variables), &vars(&variables));
            for v in vars(&variables) {
                if random.one_in(2) {
                    search.set_phase(v, random.one_in(2));
                }
            }
            let assumptions = some_lits(random, &variables, 4);
            let expected = solutions
                .iter()
                .any(|a| assumptions.iter().all(|l| holds(*l, *a)));
            let found = search.solve(&assumptions, LARGE, &Budget::unlimited());
            match found.expect("no limit") {
                SearchResult::Assignment => {
                    assert!(expected, "{clauses:?} under {assumptions:?}");
                    let a = assignment_of(&search, &variables);
                    assert!(satisfies(&clauses, a), "{clauses:?} by {a:b}");
                    assert!(assumptions.iter().all(|l| holds(*l, a)));
                    tally.sat += 1;
                }
                SearchResult::Unsat(core) => {
                    assert!(!expected, "{clauses:?} under {assumptions:?}");
                    check_core(&core, &assumptions, &solutions);
                    tally.unsat += 1;
                }
                SearchResult::GaveUp => panic!("gave up on {clauses:?} under {assumptions:?}"),
            }
        }
    }
}

#[test]
fn random_problems_that_grow() {
    let mut random = Random::new(1);
    let mut tally = Tally { sat: 0, unsat: 0 };
    for i in 0..4_000 {
        grow(&mut random, &mut tally, 1 + i % 3);
    }
    assert!(tally.sat > 5_000, "only {} satisfiable", tally.sat);
    assert!(tally.unsat > 5_000, "only {} unsatisfiable", tally.unsat);
}

/// A circuit over inputs: per gate its literals and clauses, numbered on from the inputs.
struct Circuit {
    search: ConeSolver,
    inputs: Vec<SatLit>,
    /// Inputs, then gates.
    all: Vec<SatLit>,
    /// What is below each variable, itself included.
    below: Vec<Vec<SatLit>>,
    clauses: Vec<Vec<SatLit>>,
}

impl Circuit {
    fn random(random: &mut Random) -> Self {
        let mut search = ConeSolver::new();
        let inputs: Vec<SatLit> = (0..3 + random.below(4))
            .map(|_| search.variable())
            .collect();
        let mut c = Circuit {
            search,
            all: inputs.clone(),
            below: inputs.iter().map(|v| vec![*v]).collect(),
            inputs,
            clauses: Vec::new(),
        };
        for _ in 0..3 + random.below(6) {
            c.gate(random);
        }
        c
    }

    /// One more gate over what is there, with its definition as `cnf.rs` writes it.
    fn gate(&mut self, random: &mut Random) {
        let [x, y, z] = std::array::from_fn(|_| some_lit(random, &self.all));
        let v = self.search.variable();
        let (operands, definition) = match random.below(4) {
            0 => (vec![x, y], vec![vec![-v, x], vec![-v, y], vec![v, -x, -y]]),
            1 => {
                let four = [
                    vec![-v, x, y],
                    vec![-v, -x, -y],
                    vec![v, -x, y],
                    vec![v, x, -y],
                ];
                (vec![x, y], four.to_vec())
            }
            2 => {
                let mux = [
                    vec![-v, -x, y],
                    vec![v, -x, -y],
                    vec![-v, x, z],
                    vec![v, x, -z],
                ];
                (vec![x, y, z], mux.to_vec())
            }
            _ => {
                let and = [vec![-v, x], vec![-v, y], vec![-v, z], vec![v, -x, -y, -z]];
                (vec![x, y, z], and.to_vec())
            }
        };
        let mut below = vec![v];
        for l in operands {
            below.extend(&self.below[l.unsigned_abs() as usize - 1]);
        }
        below.sort_unstable();
        below.dedup();
        self.below.push(below);
        self.all.push(v);
        for clause in definition {
            self.search.clause(&clause);
            self.clauses.push(clause);
        }
    }
}

/// Only what is below the assumptions is in the cone. The verdict is that of the whole problem,
/// and the assignment of the cone can be extended to all of it.
#[test]
fn cones_that_leave_definitions_out() {
    let mut random = Random::new(2);
    let mut tally = Tally { sat: 0, unsat: 0 };
    let mut strict = 0;
    for _ in 0..800 {
        let mut c = Circuit::random(&mut random);
        for _ in 0..8 {
            c.search.start_cone();
            if random.one_in(3) && c.all.len() < 14 {
                c.gate(&mut random);
            }
            let solutions = solutions(c.all.len(), &c.clauses);
            let assumptions = some_lits(&mut random, &c.all, 5);
            let mut cone: Vec<SatLit> = Vec::new();
            for l in &assumptions {
                cone.extend(&c.below[l.unsigned_abs() as usize - 1]);
            }
            cone.sort_unstable();
            cone.dedup();
            strict += usize::from(cone.len() < c.all.len());
            let inputs: Vec<SatLit> = cone
                .iter()
                .copied()
                .filter(|v| c.inputs.contains(v))
                .collect();
            c.search.extend_cone(&vars(&cone), &vars(&inputs));
            let found = c.search.solve(&assumptions, LARGE, &Budget::unlimited());
            match found.expect("no limit") {
                SearchResult::Assignment => {
                    assert!(assumptions.iter().all(|l| c.search.value(*l)));
                    let a = assignment_of(&c.search, &cone);
                    let mask = cone.iter().fold(0, |m, v| m | 1 << v.unsigned_abs());
                    let extended = solutions.iter().any(|s: &u64| s & mask == a);
                    assert!(extended, "{:?} under {assumptions:?}: {a:b}", c.clauses);
                    tally.sat += 1;
                }
                SearchResult::Unsat(core) => {
                    check_core(&core, &assumptions, &solutions);
                    tally.unsat += 1;
                }
                SearchResult::GaveUp => panic!("gave up on {:?}", c.clauses),
            }
        }
    }
    assert!(strict > 1_000, "only {strict} cones leave something out");
    assert!(tally.sat > 1_000, "only {} satisfiable", tally.sat);
    assert!(tally.unsat > 1_000, "only {} unsatisfiable", tally.unsat);
}

/// `n + 1` pigeons and `n` holes: needs many conflicts.
fn pigeons(search: &mut ConeSolver, n: usize) -> Vec<SatLit> {
    let at: Vec<Vec<SatLit>> = (0..=n)
        .map(|_| (0..n).map(|_| search.variable()).collect())
        .collect();
    for pigeon in &at {
        search.clause(pigeon);
    }
    for hole in 0..n {
        for (i, a) in at.iter().enumerate() {
            for b in &at[i + 1..] {
                search.clause(&[-a[hole], -b[hole]]);
            }
        }
    }
    at.concat()
}

#[test]
fn effort_and_budget_end_a_search_and_it_can_go_on() {
    let mut search = ConeSolver::new();
    let variables = pigeons(&mut search, 6);
    let enter = |search: &mut ConeSolver| {
        search.start_cone();
        search.extend_cone(&vars(&variables), &vars(&variables));
    };
    enter(&mut search);
    let found = search.solve(&[], 10, &Budget::unlimited());
    assert_eq!(found, Ok(SearchResult::GaveUp));
    enter(&mut search);
    let late = Budget::timeout(std::time::Duration::ZERO);
    assert_eq!(search.solve(&[], LARGE, &late), Err(UnknownReason::Timeout));
    enter(&mut search);
    let found = search.solve(&[variables[0]], LARGE, &Budget::unlimited());
    let Ok(SearchResult::Unsat(core)) = found else {
        panic!("{found:?}")
    };
    assert!(core.is_empty() || core == [variables[0]]);
    enter(&mut search);
    let found = search.solve(&[], LARGE, &Budget::unlimited());
    assert_eq!(found, Ok(SearchResult::Unsat(Vec::new())));
    assert!(search.conflicts() > 10);
}

/// More learnt clauses than are kept: forgetting changes no verdict. Every problem is switched on
/// by a literal of its own, so that the search learns but is never contradictory by itself.
#[test]
fn forgetting_keeps_verdicts() {
    let mut search = ConeSolver::new();
    let mut random = Random::new(3);
    let variables: Vec<SatLit> = (0..120).map(|_| search.variable()).collect();
    let mut problems = Vec::new();
    for i in 0..60 {
        let on = search.variable();
        // About the density at which random problems are hardest; some are above it.
        let count = if i % 2 == 0 { 500 } else { 560 };
        let clauses: Vec<Vec<SatLit>> = (0..count)
            .map(|_| (0..3).map(|_| some_lit(&mut random, &variables)).collect())
            .collect();
        for clause in &clauses {
            let mut switched = clause.clone();
            switched.push(-on);
            search.clause(&switched);
        }
        problems.push((on, clauses));
    }
    let mut verdicts: Vec<bool> = Vec::new();
    for pass in 0..2 {
        for (i, (on, clauses)) in problems.iter().enumerate() {
            search.start_cone();
            search.extend_cone(&vars(&variables), &vars(&variables));
            let found = search.solve(&[*on], LARGE, &Budget::unlimited());
            let sat = match found.expect("no limit") {
                SearchResult::Assignment => {
                    let fine = clauses.iter().all(|c| c.iter().any(|l| search.value(*l)));
                    assert!(fine, "problem {i} in pass {pass}");
                    true
                }
                SearchResult::Unsat(core) => {
                    assert_eq!(core, [*on]);
                    false
                }
                SearchResult::GaveUp => panic!("gave up on problem {i}"),
            };
            if pass == 0 {
                verdicts.push(sat);
            } else {
                assert_eq!(verdicts[i], sat, "problem {i}");
            }
        }
    }
    assert!(search.conflicts() > 8_000, "{}", search.conflicts());
}
