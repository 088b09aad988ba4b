//! What options of an exploration choose among.

/// What a pointer reaches outside of its object.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Outside {
    /// An error
    Error,
    /// Another object
    Object,
}

/// What happens at an access by a pointer that may be to several objects.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// A path for each object
    Fork,
    /// One path for all
    Segments,
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
