//! Layers before the core, one file per technique.

mod exact_cache;
mod model_cache;
mod simplify;
mod slice;

pub use exact_cache::ExactCache;
pub use model_cache::ModelCache;
pub use simplify::Simplify;
pub use slice::Slice;
