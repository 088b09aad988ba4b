//! Programs whose answers are known to be wrong or missing, each with the reason.
//!
//! Both corpus tests check that a program listed here still deviates: a repaired one must be taken off
//! the list.

/// Name and reason.
pub const PROGRAMS: &[(&str, &str)] = &[];

/// Why this program is known to deviate.
pub fn reason(program: &str) -> Option<&'static str> {
    let mut all = PROGRAMS.iter();
    all.find(|(name, _)| *name == program).map(|(_, why)| *why)
}
