//! Calls that have no code in the program: intrinsics, library functions, system calls, functions of the host.

pub(crate) mod address_sinks;
pub(crate) mod allocators;
pub(crate) mod arguments;
pub(crate) mod assumptions;
pub(crate) mod clocks;
pub(crate) mod descriptors;
pub(crate) mod dispatch;
pub(crate) mod externals;
pub(crate) mod formats;
pub(crate) mod fuzz_harness;
pub(crate) mod host_answers;
pub(crate) mod intrinsics;
pub(crate) mod machine_code;
pub(crate) mod new_objects;
pub(crate) mod system;
