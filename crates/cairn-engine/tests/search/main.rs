//! What an engine relies on: the tree forgets exactly what is done, and searchers give living
//! states in the order, or with the chances, that they promise.

mod chances;
mod engine;
mod every;
mod names;
mod orders;
mod speed;
mod tree;
mod wrappers;
