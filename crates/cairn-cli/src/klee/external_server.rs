//! The process that calls functions of the host (see `external.rs`).
//!
//! - **How a call is made.** By the calling convention of C on x86-64, integers and pointers go into six
//!   general registers and doubles into eight others, each kind in its own order, and a
//!   function does not look at registers that it has no parameter in. So one call with all fourteen
//!   filled calls any function of at most six and eight parameters.
//! - **Pointers.** Objects are copied to memory of this process, aligned to 16 bytes, and an argument
//!   that points into one is moved along with it; so is a result.
//! - **Safety.** The functions are C and may do anything: that is why this is a process of its own.
//!   Standard input and output carry the protocol; a function that uses them is not in the table.

use super::external::{get, get_bytes, letter, put, put_bytes};
use cairn_engine::PassedAs;
use std::io::{self, Read, Write};

type ForInteger =
    extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64, f64, f64, f64, f64, f64, f64) -> u64;
type ForDouble =
    extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64, f64, f64, f64, f64, f64, f64) -> f64;

/// An object as this process has it.
struct Replica {
    /// Its first address in the program.
    base: u64,
    size: usize,
    /// Aligned words, more than enough for its bytes.
    words: Vec<u128>,
    /// Where they are; functions write there.
    here: u64,
}

impl Replica {
    fn new(base: u64, bytes: &[u8]) -> Self {
        let words = bytes.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_le_bytes(word)
        });
        let mut words: Vec<u128> = words.collect();
        words.push(0);
        let here = words.as_mut_ptr().expose_provenance() as u64;
        Replica {
            base,
            size: bytes.len(),
            words,
            here,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let all = self.words.iter().flat_map(|word| word.to_le_bytes());
        all.take(self.size).collect()
    }
}

/// Answers requests until there are no more.
pub fn serve() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    // A request that ends before it begins is the end.
    while let Ok(name) = get_bytes(&mut input) {
        let reply = answer(&name, &mut input)?;
        output.write_all(&reply)?;
        output.flush()?;
    }
    Ok(())
}

fn answer(name: &[u8], input: &mut impl Read) -> io::Result<Vec<u8>> {
    let result = get(input)?;
    let count = get(input)?;
    let mut args = Vec::new();
    for _ in 0..count {
        args.push((get(input)?, get(input)?));
    }
    let count = get(input)?;
    let mut objects = Vec::new();
    for _ in 0..count {
        let base = get(input)?;
        objects.push(Replica::new(base, &get_bytes(input)?));
    }
    let mut integers = [0u64; 6];
    let mut doubles = [0f64; 8];
    let (mut used, mut used_doubles) = (0, 0);
    let too_many = || io::Error::other("too many arguments");
    for (passed, bits) in args {
        if passed == letter(Some(PassedAs::Double)) {
            *doubles.get_mut(used_doubles).ok_or_else(too_many)? = f64::from_bits(bits);
            used_doubles += 1;
            continue;
        }
        let value = if passed == letter(Some(PassedAs::Pointer)) {
            moved(&objects, bits)
        } else {
            bits
        };
        *integers.get_mut(used).ok_or_else(too_many)? = value;
        used += 1;
    }
    let value = call(name, result, integers, doubles)?;
    let value = if result == letter(Some(PassedAs::Pointer)) {
        moved_back(&objects, value)
    } else {
        value
    };
    let mut reply = Vec::new();
    put(&mut reply, value);
    put(&mut reply, objects.len() as u64);
    for object in &objects {
        put_bytes(&mut reply, &object.bytes());
    }
    Ok(reply)
}

/// The address here of an address of the program. One past the end belongs to the object too.
fn moved(objects: &[Replica], address: u64) -> u64 {
    let within = |o: &&Replica| address >= o.base && address - o.base <= o.size as u64;
    let object = objects.iter().find(within);
    object.map_or(address, |o| o.here + (address - o.base))
}

fn moved_back(objects: &[Replica], address: u64) -> u64 {
    let within = |o: &&Replica| address >= o.here && address - o.here <= o.size as u64;
    let object = objects.iter().find(within);
    object.map_or(address, |o| o.base + (address - o.here))
}

fn call(name: &[u8], result: u64, i: [u64; 6], d: [f64; 8]) -> io::Result<u64> {
    let host = libloading::os::unix::Library::this();
    // SAFETY: the functions have C's calling convention and at most six integers and eight doubles;
    // the table in `external_table.rs` says how each gives its result. Whether a function is safe with its
    // arguments cannot be known; a crash ends this process alone.
    let value = unsafe {
        if result == letter(Some(PassedAs::Double)) {
            let function = host.get::<ForDouble>(name).map_err(io::Error::other)?;
            let value = function(
                i[0], i[1], i[2], i[3], i[4], i[5], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7],
            );
            value.to_bits()
        } else {
            let function = host.get::<ForInteger>(name).map_err(io::Error::other)?;
            function(
                i[0], i[1], i[2], i[3], i[4], i[5], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7],
            )
        }
    };
    Ok(value)
}
