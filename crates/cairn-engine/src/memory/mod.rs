//! Memory whose addresses, sizes and contents may be terms.

pub(crate) mod access;
pub(crate) mod access_sizes;
pub(crate) mod addresses;
pub(crate) mod array_addresses;
pub(crate) mod arrays;
pub(crate) mod bases;
pub(crate) mod dangling;
pub(crate) mod few_offsets;
pub(crate) mod foreign;
pub(crate) mod leaks;
pub(crate) mod lengths;
pub(crate) mod member_cases;
pub(crate) mod member_copies;
pub(crate) mod members;
pub(crate) mod origins;
pub(crate) mod pointer_flow;
pub(crate) mod pointers;
pub(crate) mod policy;
pub(crate) mod positions;
pub(crate) mod resolve;
pub(crate) mod sizes;
pub(crate) mod uninit;
pub(crate) mod views;
pub(crate) mod windows;
