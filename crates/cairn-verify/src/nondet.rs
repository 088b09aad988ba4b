//! The functions by which a program gets its inputs (`__VERIFIER_nondet_int`), and their values as literals of C.

/// What a value of an input means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NondetType {
    /// 0 or 1.
    Bool,
    /// An integer with a sign, of so many bits.
    Signed(u32),
    /// An integer without, of so many bits.
    Unsigned(u32),
    /// A floating-point number of so many bits.
    Float(u32),
}

/// Names of types after `nondet_`, as programs spell them.
const TYPES: [(&str, NondetType); 33] = [
    ("bool", NondetType::Bool),
    ("_Bool", NondetType::Bool),
    ("char", NondetType::Signed(8)),
    ("schar", NondetType::Signed(8)),
    ("S8", NondetType::Signed(8)),
    ("uchar", NondetType::Unsigned(8)),
    ("unsigned_char", NondetType::Unsigned(8)),
    ("u8", NondetType::Unsigned(8)),
    ("short", NondetType::Signed(16)),
    ("ushort", NondetType::Unsigned(16)),
    ("unsigned_short", NondetType::Unsigned(16)),
    ("u16", NondetType::Unsigned(16)),
    ("int", NondetType::Signed(32)),
    ("uint", NondetType::Unsigned(32)),
    ("unsigned", NondetType::Unsigned(32)),
    ("unsigned_int", NondetType::Unsigned(32)),
    ("u32", NondetType::Unsigned(32)),
    ("float", NondetType::Float(32)),
    ("sector_t", NondetType::Unsigned(64)),
    ("long", NondetType::Signed(64)),
    ("ulong", NondetType::Unsigned(64)),
    ("unsigned_long", NondetType::Unsigned(64)),
    ("longlong", NondetType::Signed(64)),
    ("ulonglong", NondetType::Unsigned(64)),
    ("u64", NondetType::Unsigned(64)),
    ("size_t", NondetType::Unsigned(64)),
    ("loff_t", NondetType::Signed(64)),
    ("pointer", NondetType::Unsigned(64)),
    ("pchar", NondetType::Unsigned(64)),
    ("double", NondetType::Float(64)),
    ("pthread_t", NondetType::Unsigned(64)),
    ("int128", NondetType::Signed(128)),
    ("uint128", NondetType::Unsigned(128)),
];

/// The type of an input by its name: `nondet_int`, or `nondet_int_2` if there are several. `None` if it was not made by
/// such a function.
pub fn type_of_input(name: &str) -> Option<NondetType> {
    let name = name.strip_prefix("nondet_")?;
    let of = |wanted: &str| {
        TYPES
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, t)| *t)
    };
    of(name).or_else(|| {
        let (name, number) = name.rsplit_once('_')?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| of(name)).flatten()
    })
}

impl NondetType {
    /// A value, given as its bytes in little-endian order, as a literal of C.
    pub fn literal(self, bytes: &[u8]) -> String {
        let mut all = [0; 16];
        let length = bytes.len().min(16);
        all[..length].copy_from_slice(&bytes[..length]);
        let word = u128::from_le_bytes(all);
        let low = |bits: u32| word & (u128::MAX >> (128 - bits));
        match self {
            NondetType::Bool => u8::from(low(8) != 0).to_string(),
            NondetType::Unsigned(bits) => low(bits).to_string(),
            NondetType::Signed(bits) => {
                let shift = 128 - bits;
                (((word << shift) as i128) >> shift).to_string()
            }
            NondetType::Float(32) => float_literal(f64::from(f32::from_bits(low(32) as u32)), "f"),
            NondetType::Float(_) => float_literal(f64::from_bits(low(64) as u64), ""),
        }
    }
}

/// A floating-point number as an expression of C that has exactly its value.
fn float_literal(value: f64, suffix: &str) -> String {
    if value.is_nan() {
        return "(0.0/0.0)".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "(1.0/0.0)"
        } else {
            "(-1.0/0.0)"
        }
        .to_string();
    }
    // The shortest digits that give the same number again.
    format!("{value:?}{suffix}")
}
