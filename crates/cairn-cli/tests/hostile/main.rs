//! The command line under hostile conditions: full disks, closed pipes, inherited signals, files that
//! never end, absurd numbers, a binary that was moved.

mod command;
mod input;
mod limits;
mod output;
mod places;
mod replay;
