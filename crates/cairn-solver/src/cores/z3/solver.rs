//! Z3's solver.
//!
//! # Problem
//! Assertions in levels, checks with limits, models and unsat cores, through Z3's C
//! interface.
//!
//! # Idea
//! A handle like those of `handles.rs`; limits are the watchdog's.
//!
//! # Soundness
//! The invariants I1 to I3 of `handles.rs`. What a check found while it was being
//! interrupted is not used, and the context is marked: Z3 keeps a late interruption for the next
//! call.
//!
//! # Cost
//! Z3's own. It does not look for interruptions everywhere: while it takes in a very
//! deep or very large term it can outlast a deadline.

use super::Z3Setting;
use super::handles::{Assignment, Ast, Z3Context, text};
use super::library::{Api, Ctx, Obj};
use super::watchdog::Interrupt;
use crate::{Budget, UnknownReason};
use std::ffi::{CString, c_uint};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CheckResult {
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

/// A solver of Z3's with a stack of assertions.
pub(super) struct Solver {
    ctx: Z3Context,
    raw: Obj,
}

impl Drop for Solver {
    fn drop(&mut self) {
        // SAFETY: I1, I2.
        unsafe { (self.ctx.0.api.solver_dec_ref)(self.ctx.0.raw, self.raw) };
    }
}

impl Solver {
    /// A solver without assertions.
    pub(super) fn new(ctx: &Z3Context, setting: &Z3Setting) -> Result<Self, String> {
        let (api, raw_ctx) = (ctx.0.api, ctx.0.raw);
        let logic = match setting {
            Z3Setting::Default | Z3Setting::Simple | Z3Setting::Anew => CString::default(),
            Z3Setting::ForLogic(name) => CString::new(name.as_str())
                .map_err(|_| "the name of a logic has a NUL byte".to_string())?,
        };
        // SAFETY: I1, I2.
        let raw = unsafe {
            let raw = match setting {
                Z3Setting::Default => (api.mk_solver)(raw_ctx),
                Z3Setting::Simple | Z3Setting::Anew => (api.mk_simple_solver)(raw_ctx),
                Z3Setting::ForLogic(_) => {
                    let symbol = (api.string_symbol)(raw_ctx, logic.as_ptr());
                    (api.mk_solver_for_logic)(raw_ctx, symbol)
                }
            };
            if raw.is_null() {
                return Err(ctx
                    .error()
                    .unwrap_or_else(|| "Z3 makes no solver".to_string()));
            }
            (api.solver_inc_ref)(raw_ctx, raw);
            // By itself Z3 takes the handler of Ctrl-C during a check, so that an interrupt would end
            // one query and not the run.
            let params = (api.mk_params)(raw_ctx);
            (api.params_inc_ref)(raw_ctx, params);
            let name = (api.string_symbol)(raw_ctx, c"ctrl_c".as_ptr());
            (api.params_set_bool)(raw_ctx, params, name, false);
            (api.solver_set_params)(raw_ctx, raw, params);
            (api.params_dec_ref)(raw_ctx, params);
            raw
        };
        Ok(Solver {
            ctx: ctx.clone(),
            raw,
        })
    }

    /// Opens a level of assertions.
    pub(super) fn push(&self) -> Result<(), String> {
        // SAFETY: I1.
        unsafe { (self.ctx.0.api.solver_push)(self.ctx.0.raw, self.raw) };
        self.ctx.error().map_or(Ok(()), Err)
    }

    /// Closes levels; more than are open is an error.
    pub(super) fn pop(&self, levels: usize) -> Result<(), String> {
        let levels = c_uint::try_from(levels).map_err(|e| e.to_string())?;
        // SAFETY: I1.
        unsafe { (self.ctx.0.api.solver_pop)(self.ctx.0.raw, self.raw, levels) };
        self.ctx.error().map_or(Ok(()), Err)
    }

    /// Asserts a term on the current level.
    pub(super) fn assert(&self, term: &Ast) -> Result<(), String> {
        let term = self.ctx.raw_of(term);
        // SAFETY: I1; the solver counts the term itself.
        unsafe { (self.ctx.0.api.solver_assert)(self.ctx.0.raw, self.raw, term) };
        self.ctx.error().map_or(Ok(()), Err)
    }

    /// Checks the assertions together with some assumptions (constants or their negations).
    pub(super) fn check(&self, assumptions: &[Ast], budget: &Budget) -> CheckResult {
        let raws: Vec<Obj> = assumptions.iter().map(|a| self.ctx.raw_of(a)).collect();
        let Ok(count) = c_uint::try_from(raws.len()) else {
            return CheckResult::Unknown(UnknownReason::Unsupported(
                "too many assumptions".to_string(),
            ));
        };
        let (api, ctx) = (self.ctx.0.api, self.ctx.0.raw);
        // SAFETY: I1; the pointer is to `count` terms.
        let run = || unsafe { (api.solver_check)(ctx, self.raw, count, raws.as_ptr()) };
        let (result, stopped) = if budget.is_unlimited() {
            (run(), None)
        } else {
            let target = Box::new(Interrupter(api, ctx));
            self.ctx.watchdog().guard(budget, target, run)
        };
        if let Some(reason) = stopped {
            self.ctx.0.interrupted.set(true);
            return CheckResult::Unknown(reason);
        }
        match result {
            1 => CheckResult::Sat,
            -1 => CheckResult::Unsat,
            _ => {
                // SAFETY: I1; the text is copied before the next call.
                let why = unsafe { text((api.solver_get_reason)(ctx, self.raw)) };
                CheckResult::Unknown(UnknownReason::SolverFailed(format!(
                    "Z3 says unknown: {why}"
                )))
            }
        }
    }

    /// The model after a satisfiable check.
    pub(super) fn model(&self) -> Result<Assignment, String> {
        let (api, ctx) = (self.ctx.0.api, self.ctx.0.raw);
        // SAFETY: I1, I2.
        let raw = unsafe { (api.solver_get_model)(ctx, self.raw) };
        if raw.is_null() {
            return Err(self
                .ctx
                .error()
                .unwrap_or_else(|| "Z3 gives no model".to_string()));
        }
        // SAFETY: I2.
        unsafe { (api.model_inc_ref)(ctx, raw) };
        Ok(Assignment {
            ctx: self.ctx.clone(),
            raw,
        })
    }

    /// The assumptions that an unsatisfiable check used.
    pub(super) fn core(&self) -> Result<Vec<Ast>, String> {
        // SAFETY: I1; `terms` counts the list before the next call (I2).
        let raw = unsafe { (self.ctx.0.api.solver_get_core)(self.ctx.0.raw, self.raw) };
        self.ctx.terms(raw)
    }
}

/// A context that another thread may interrupt.
struct Interrupter(&'static Api, Ctx);

// SAFETY: I3; it offers nothing but `Z3_interrupt`.
unsafe impl Send for Interrupter {}

impl Interrupt for Interrupter {
    fn interrupt(&self) {
        // SAFETY: the watchdog calls this during a check only, so the context lives; I3.
        unsafe { (self.0.interrupt)(self.1) };
    }
}
