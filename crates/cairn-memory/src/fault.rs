//! What can be wrong with an access, an allocation or a release.

use crate::ObjectInfo;
use std::fmt;
use thiserror::Error;

/// Where an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// Until it is freed.
    Heap,
    /// Until its frame ends.
    Stack,
    /// For ever.
    Global,
    /// For ever, and may not be written.
    Constant,
    /// Until it is released: memory that the program asked the operating system for.
    Mapped,
    /// Until it is released: memory of the operating system, such as the content of a file. No
    /// address leads to it, only a pointer that was made from it, and the program is given none.
    Kernel,
}

/// The functions that made a heap object, and so those that may free it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AllocatorFamily {
    /// `malloc` and its like: `free`.
    #[default]
    Malloc,
    /// `operator new`: `operator delete`.
    New,
    /// `operator new[]`: `operator delete[]`.
    NewArray,
}

impl AllocatorFamily {
    /// What makes such objects.
    fn maker(self) -> &'static str {
        match self {
            AllocatorFamily::Malloc => "malloc",
            AllocatorFamily::New => "operator new",
            AllocatorFamily::NewArray => "operator new[]",
        }
    }

    /// What frees them.
    fn releaser(self) -> &'static str {
        match self {
            AllocatorFamily::Malloc => "free",
            AllocatorFamily::New => "operator delete",
            AllocatorFamily::NewArray => "operator delete[]",
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ObjectKind::Heap => "heap object",
            ObjectKind::Stack => "stack object",
            ObjectKind::Global => "global object",
            ObjectKind::Constant => "constant object",
            ObjectKind::Mapped => "mapped memory",
            ObjectKind::Kernel => "object of the operating system",
        })
    }
}

/// A number of bytes, in words.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 byte"),
            n => write!(f, "{n} bytes"),
        }
    }
}

/// Bytes that were asked for. A size that was computed as a negative number is printed as that number.
struct AskedBytes(Option<u64>);

impl fmt::Display for AskedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.map(u64::cast_signed) {
            None => f.write_str("more is asked for, by a size that depends on inputs"),
            Some(n) if n < 0 => write!(f, "a negative size ({n} bytes) is asked for"),
            Some(1) => f.write_str("1 byte is asked for"),
            Some(n) => write!(f, "{n} bytes are asked for"),
        }
    }
}

/// What an address missed, for the end of a sentence.
struct MissedObject<'a>(&'a Option<ObjectInfo>);

impl fmt::Display for MissedObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(object) => write!(f, "the {object}"),
            None => f.write_str("all objects"),
        }
    }
}

/// What an address hit that is no more, for the end of a sentence.
struct DeadObject<'a>(&'a Option<ObjectInfo>);

impl fmt::Display for DeadObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(object) => write!(f, "the {object}, which has ended"),
            None => f.write_str("an object that has ended"),
        }
    }
}

/// What a pointer that cannot be freed points to, for the end of a sentence.
struct Unfreeable<'a>(&'a Option<ObjectInfo>);

impl fmt::Display for Unfreeable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(object) if object.kind == ObjectKind::Heap => {
                write!(f, "not the first address of the {object}")
            }
            Some(object) => write!(f, "in the {object}"),
            None => f.write_str("not in a heap object"),
        }
    }
}

impl Fault {
    /// What is wrong with an access whose length depends on inputs: the same without a length, since the one
    /// that the fault has is only the first that is too large, which may not be possible. Nothing for faults
    /// that have none.
    pub fn with_symbolic_length(&self) -> Option<String> {
        let access = "access of a length that depends on inputs";
        Some(match self {
            Fault::Null { address, .. } => format!("{access} at the null pointer ({address:#x})"),
            Fault::OutOfBounds {
                address, object, ..
            } => format!(
                "{access} at {address:#x} that may be outside of {}",
                MissedObject(object)
            ),
            Fault::UseAfterFree { address, freed, .. } => {
                format!("{access} at {address:#x} in {}", DeadObject(freed))
            }
            Fault::UseAfterScope {
                address, object, ..
            } => format!("{access} at {address:#x} in the {object}, whose scope was left"),
            Fault::ReadOnly {
                address, object, ..
            } => {
                format!("write of a length that depends on inputs at {address:#x} to the {object}")
            }
            Fault::Symbolic { .. }
            | Fault::Overlap { .. }
            | Fault::InvalidFree { .. }
            | Fault::DoubleFree { .. }
            | Fault::MismatchedFree { .. }
            | Fault::StackOverflow { .. }
            | Fault::OutOfMemory { .. }
            | Fault::InvalidAlignment { .. } => return None,
        })
    }
}

/// Why an operation on memory is not possible. The memory is as before, except that an operation
/// on a range that ran [out of memory](Fault::OutOfMemory) may have done a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// An access by a null pointer, or near it.
    #[error("access of {} at the null pointer ({address:#x})", Bytes(*.length))]
    Null {
        /// The first address accessed.
        address: u64,
        /// How many bytes were accessed.
        length: u64,
    },
    /// An access that is not wholly inside of the object it is meant for.
    #[error("access of {} at {address:#x} outside of {}", Bytes(*.length), MissedObject(.object))]
    OutOfBounds {
        /// The first address accessed.
        address: u64,
        /// How many bytes were accessed.
        length: u64,
        /// The object that the pointer belongs to, or lies just past; `None` if there is none.
        object: Option<ObjectInfo>,
    },
    /// An access to an object that was freed or whose frame has ended.
    #[error("access of {} at {address:#x} in {}", Bytes(*.length), DeadObject(.freed))]
    UseAfterFree {
        /// The first address accessed.
        address: u64,
        /// How many bytes were accessed.
        length: u64,
        /// The object, as far as it is still known.
        freed: Option<ObjectInfo>,
    },
    /// An access to a variable whose scope was left.
    #[error("access of {} at {address:#x} in the {object}, whose scope was left", Bytes(*.length))]
    UseAfterScope {
        /// The first address accessed.
        address: u64,
        /// How many bytes were accessed.
        length: u64,
        /// The object.
        object: ObjectInfo,
    },
    /// A write to a constant.
    #[error("write of {} at {address:#x} to the {object}", Bytes(*.length))]
    ReadOnly {
        /// The first address written.
        address: u64,
        /// How many bytes were written.
        length: u64,
        /// The constant.
        object: ObjectInfo,
    },
    /// A read of bytes as if they were known, of which some are not.
    #[error("read of {} at {address:#x}, where not all is known", Bytes(*.length))]
    Symbolic {
        /// The first address read.
        address: u64,
        /// How many bytes were read.
        length: u64,
    },
    /// A copy between ranges that partly overlap, where they may not.
    #[error("copy of {} from {from:#x} to {to:#x}, which overlap", Bytes(*.length))]
    Overlap {
        /// The first address written.
        to: u64,
        /// The first address read.
        from: u64,
        /// How many bytes were copied.
        length: u64,
    },
    /// A release of something else than a heap object's first address.
    #[error("free of {address:#x}, which is {}", Unfreeable(.object))]
    InvalidFree {
        /// The address.
        address: u64,
        /// The object it belongs to, if any.
        object: Option<ObjectInfo>,
    },
    /// A release of a heap object that was released before.
    #[error("free of {address:#x}, which was freed before")]
    DoubleFree {
        /// The address.
        address: u64,
    },
    /// A release of a heap object by another function than goes with the one that made it.
    #[error("{} of {address:#x}, which {} made", .by.releaser(), .made.maker())]
    MismatchedFree {
        /// The address.
        address: u64,
        /// What made the object.
        made: AllocatorFamily,
        /// What was to free it.
        by: AllocatorFamily,
    },
    /// The stack has no room for an object or a frame.
    #[error("stack overflow: {}, and the stack has {}", AskedBytes(*.size), Bytes(*.limit))]
    StackOverflow {
        /// How many bytes were asked for; nothing if that depends on inputs.
        size: Option<u64>,
        /// How many bytes the stack may have.
        limit: u64,
    },
    /// The heap has no room.
    #[error("out of memory: {} with a limit of {}", AskedBytes(Some(*.size)), Bytes(*.limit))]
    OutOfMemory {
        /// How many bytes were asked for.
        size: u64,
        /// The limit that they exceed.
        limit: u64,
    },
    /// An alignment that is not a power of two, or too large.
    #[error("{align} is not an alignment that an object can have")]
    InvalidAlignment {
        /// The alignment.
        align: u64,
    },
}
