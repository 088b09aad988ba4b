//! CaDiCaL \[BiereEtAl20\] behind a small safe interface.
//!
//! The `cadical` crate builds and links the solver. Its wrapper makes a call with state checks for every
//! value and hides options, so this file calls the C interface itself. All foreign calls of the native core
//! are in this file.

use crate::cores::native::circuit::{ClauseSink, SatLit};
use crate::{Budget, UnknownReason};
use cadical as _; // Links the solver.
use std::ffi::{c_char, c_int, c_void};
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn ccadical_init() -> *mut c_void;
    fn ccadical_release(solver: *mut c_void);
    fn ccadical_add(solver: *mut c_void, lit: c_int);
    fn ccadical_assume(solver: *mut c_void, lit: c_int);
    fn ccadical_solve(solver: *mut c_void) -> c_int;
    fn ccadical_val(solver: *mut c_void, lit: c_int) -> c_int;
    fn ccadical_failed(solver: *mut c_void, lit: c_int) -> c_int;
    fn ccadical_set_option(solver: *mut c_void, name: *const c_char, value: c_int);
    fn ccadical_limit(solver: *mut c_void, name: *const c_char, value: c_int);
    fn ccadical_set_terminate(
        solver: *mut c_void,
        data: *mut c_void,
        terminate: Option<extern "C" fn(*mut c_void) -> c_int>,
    );
}

/// The result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// A satisfying assignment can be read.
    Sat,
    /// The failed assumptions can be read.
    Unsat,
}

/// An incremental SAT solver.
pub struct Cadical {
    solver: *mut c_void,
    variables: i32,
}

/// The limits that the solver's callback polls.
struct LimitWatch<'a> {
    budget: &'a Budget,
    next_memory_look: Instant,
    stopped: Option<UnknownReason>,
}

extern "C" fn poll(data: *mut c_void) -> c_int {
    // SAFETY: `data` is the `LimitWatch` that `Cadical::solve` keeps on its stack for the whole call.
    let watch = unsafe { &mut *data.cast::<LimitWatch<'_>>() };
    if watch.stopped.is_none() {
        watch.stopped = watch.budget.exhausted();
        if watch.stopped.is_none() && watch.budget.memory.is_some() {
            let now = Instant::now();
            if now >= watch.next_memory_look {
                watch.next_memory_look = now + Duration::from_millis(10);
                watch.stopped = watch.budget.exhausted_memory();
            }
        }
    }
    c_int::from(watch.stopped.is_some())
}

impl Cadical {
    /// A solver without clauses.
    pub fn new() -> Self {
        // SAFETY: creates an object that only this struct owns.
        let solver = unsafe { ccadical_init() };
        let sat = Cadical {
            solver,
            variables: 0,
        };
        // Fewer steps between two looks at the deadline.
        sat.option(c"terminateint", 0);
        sat
    }

    fn option(&self, name: &std::ffi::CStr, value: i32) {
        // SAFETY: a live solver, a C string; unknown names are ignored by the solver.
        unsafe { ccadical_set_option(self.solver, name.as_ptr(), value) };
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// Searches under assumptions. `Err` says why it was stopped.
    pub fn solve(
        &mut self,
        assumptions: impl IntoIterator<Item = SatLit>,
        budget: &Budget,
    ) -> Result<SatResult, UnknownReason> {
        for lit in assumptions {
            debug_assert!(lit != 0);
            // SAFETY: a live solver and a literal that is not zero.
            unsafe { ccadical_assume(self.solver, lit) };
        }
        if let Some(conflicts) = budget.conflicts_among(self.variables()) {
            let limit = i32::try_from(conflicts).unwrap_or(i32::MAX);
            // SAFETY: a live solver, a C string naming a limit it knows.
            unsafe { ccadical_limit(self.solver, c"conflicts".as_ptr(), limit) };
        }
        let mut watch = LimitWatch {
            budget,
            next_memory_look: Instant::now(),
            stopped: None,
        };
        let polled = !budget.is_unlimited();
        if polled {
            let data = std::ptr::from_mut(&mut watch).cast();
            // SAFETY: `watch` outlives the search; the callback is removed below.
            unsafe { ccadical_set_terminate(self.solver, data, Some(poll)) };
        }
        // SAFETY: a live solver.
        let result = unsafe { ccadical_solve(self.solver) };
        if polled {
            // SAFETY: removes the callback before `watch` dies.
            unsafe { ccadical_set_terminate(self.solver, std::ptr::null_mut(), None) };
        }
        match result {
            10 => Ok(SatResult::Sat),
            20 => Ok(SatResult::Unsat),
            _ => Err(watch.stopped.unwrap_or(budget.out_of_conflicts())),
        }
    }

    /// The value of a literal after SAT. The variable is asked for, not the literal: for a
    /// variable that no clause mentions the solver calls both signs false.
    #[inline]
    pub fn value(&self, lit: SatLit) -> bool {
        let variable = lit.abs();
        // SAFETY: a live solver; callers ask only after SAT.
        let positive = unsafe { ccadical_val(self.solver, variable) == variable };
        positive ^ (lit < 0)
    }

    /// Whether an assumption was needed for UNSAT.
    pub fn failed(&self, lit: SatLit) -> bool {
        // SAFETY: a live solver; callers ask only after UNSAT, for assumed literals.
        unsafe { ccadical_failed(self.solver, lit) == 1 }
    }
}

impl ClauseSink for Cadical {
    fn variable(&mut self) -> SatLit {
        self.variables = self
            .variables
            .checked_add(1)
            .expect("fewer than 2^31 variables");
        self.variables
    }

    #[inline]
    fn clause(&mut self, lits: &[SatLit]) {
        for &lit in lits {
            debug_assert!(lit != 0);
            // SAFETY: a live solver and a literal that is not zero.
            unsafe { ccadical_add(self.solver, lit) };
        }
        // SAFETY: zero ends the clause.
        unsafe { ccadical_add(self.solver, 0) };
    }
}

impl Drop for Cadical {
    fn drop(&mut self) {
        // SAFETY: the only owner gives the object back once.
        unsafe { ccadical_release(self.solver) };
    }
}
