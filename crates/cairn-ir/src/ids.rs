//! Typed indices. They print as in the text form.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of a position.
            ///
            /// # Panics
            /// If there are more than 2^32 of them.
            #[inline]
            pub fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(
    /// A value of a function: a parameter, a block's parameter or an instruction's result.
    Local, "%"
);
id!(
    /// A block of a function; block 0 is the entry.
    BlockId, "b"
);
id!(
    /// A function of a program.
    FuncId, "f"
);
id!(
    /// A global object of a program.
    GlobalId, "g"
);
id!(
    /// A source place of a program; place 0 is "unknown".
    PlaceId, "p"
);
id!(
    /// A machine slot of a program: a register of a register machine.
    SlotId, "s"
);

impl PlaceId {
    /// The place of what has none.
    pub const UNKNOWN: PlaceId = PlaceId(0);
}
