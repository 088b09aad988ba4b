//! What options of an exploration choose among.

/// What a pointer reaches outside of its object.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OutsideAccess {
    /// An error
    Error,
    /// Another object
    Object,
}

/// What stands for the beginning of an object in terms.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum BaseTerms {
    /// Addresses
    Values,
    /// Terms
    Terms,
}

/// What memory holds that was never written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Uninit {
    /// Anything
    Symbolic,
    /// Zeros
    Zero,
}
