//! Placeholder until the oracle's list of hard queries exists.

/// Runs the comparison.
pub fn run(_file: &str) -> Result<(), String> {
    Err("not yet".to_string())
}
