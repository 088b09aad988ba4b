//! Generators and oracles for testing Cairn: random queries and scripts, and who to compare with.
//!
//! | Task | Where |
//! |---|---|
//! | random expressions in SMT-LIB's vocabulary | [`terms`], [`pool`], [`operator`] |
//! | random sequences of queries | [`queries`] |
//! | all chains against Z3 | [`differential`], [`judge`], [`shrink`], the command `cairn-fuzz` |
//! | value sets, each answer proved | [`sets`], `cairn-fuzz sets` |
//! | trying everything | [`brute`] |
//! | random SMT-LIB scripts, and running them | [`scripts`], [`compare`], `cairn-fuzz scripts` |
//! | C and C++ programs, natively and on the machine | [`programs`], `cairn-fuzz programs` |
//! | bitcode and assembly with errors in them | [`damage`], `cairn-fuzz modules` |
//! | programs that depend on answers of the kernel | [`environment`], `cairn-fuzz environment` |
//! | programs in C*, executables in the layout of the fork of Selfie | [`selfie`], `cairn-fuzz selfie` |
//! | programs with pointers that inputs choose, a path for each object and one for all | [`pointers`], `cairn-fuzz pointers` |
//! | renamed and nearly renamed queries, and programs that look at addresses, with a cache and without | [`cache`], `cairn-fuzz cache` |
//! | hard queries and their selection | [`hard`], [`select`], `data/hard.txt` |
//!
//! Everything is a function of its seed. This crate is for tests and measurements only.
#![forbid(unsafe_code)]

pub mod brute;
pub mod cache;
pub mod compare;
pub mod configurations;
pub mod damage;
pub mod differential;
pub mod environment;
pub mod hard;
pub mod judge;
pub mod operator;
pub mod pointers;
pub mod pool;
pub mod programs;
pub mod queries;
pub mod random;
pub mod scripts;
pub mod select;
pub mod selfie;
pub mod sets;
pub mod shrink;
pub mod terms;
pub mod z3;
