//! Core solvers: the layers that decide everything they support. One of them is the last of a chain.

pub mod native;
mod smtlib;
#[cfg(feature = "z3")]
pub mod z3;

use crate::Layer;

pub use smtlib::SmtlibCore;

/// The Z3 core, or why it is not there.
#[cfg(feature = "z3")]
pub fn z3_core() -> Result<Box<dyn Layer>, String> {
    Ok(Box::new(z3::Z3Core::load()?))
}

/// The Z3 core that forgets everything after each query, or why it is not there.
#[cfg(feature = "z3")]
pub fn z3_anew_core() -> Result<Box<dyn Layer>, String> {
    Ok(Box::new(z3::Z3Core::load_with(z3::Z3Setting::Anew)?))
}

/// The Z3 core, or why it is not there.
#[cfg(not(feature = "z3"))]
pub fn z3_core() -> Result<Box<dyn Layer>, String> {
    Err("this build has no Z3 core; build with the feature \"z3\"".to_string())
}

/// The Z3 core that forgets everything after each query, or why it is not there.
#[cfg(not(feature = "z3"))]
pub fn z3_anew_core() -> Result<Box<dyn Layer>, String> {
    z3_core()
}

/// An SMT-LIB program over a pipe, or why it is not there.
pub fn smtlib_core(command: &str) -> Result<Box<dyn Layer>, String> {
    Ok(Box::new(SmtlibCore::start(command)?))
}
