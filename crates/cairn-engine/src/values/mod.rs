//! Values that may be terms, and the operators on them.

pub(crate) mod address_notes;
pub(crate) mod address_places;
pub(crate) mod candidates;
pub(crate) mod choosing;
pub(crate) mod chosen_places;
mod equal_places;
pub(crate) mod layouts;
pub(crate) mod moving_addresses;
pub(crate) mod operators;
pub(crate) mod symbolic_domain;
pub(crate) mod terms;
pub(crate) mod value;
mod value_interface;
pub(crate) mod worker_context;
