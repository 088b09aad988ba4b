//! The layers before the core solver, one module per technique; `memo/` has what several of them keep along a path.

mod elements;
mod exact_cache;
mod few_values;
mod iso_cache;
mod linear;
pub(crate) mod memo;
mod model_cache;
mod simplify;
mod slice;
mod tables;
mod value_sets;

pub use exact_cache::ExactCache;
pub use few_values::FewValues;
pub use iso_cache::IsoCache;
pub use linear::Linear;
pub use model_cache::ModelCache;
pub use simplify::Simplify;
pub use slice::Slice;
pub use tables::Tables;
pub use value_sets::{Preset, ValueSets};
