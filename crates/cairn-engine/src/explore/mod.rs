//! A run: workers and what they share, their limits, what they count, and checks of their results.

pub(crate) mod counters;
pub(crate) mod coverage;
pub(crate) mod cpu_time;
pub(crate) mod exploration;
pub(crate) mod moving;
pub(crate) mod place_costs;
pub(crate) mod postponed;
pub(crate) mod rejoin;
pub(crate) mod seeded;
pub(crate) mod shared;
pub(crate) mod solver_figures;
pub(crate) mod start;
pub(crate) mod test_rerun;
pub(crate) mod tracer;
pub(crate) mod trail;
pub(crate) mod visits;
pub(crate) mod worker;
