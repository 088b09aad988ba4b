//! The words of the register file while they are locals.
//!
//! A word is known in one or more shapes: as a constant, as 64 bits, as the sign-extension of 32 bits
//! (what the `w` instructions make), as 32 bits with zeros above (what `lwu` reads), as one bit with
//! zeros above (what comparisons make), or as a single-precision number with ones above. A shape is made
//! from another on demand, so that a chain of 32-bit operations or a comparison and its
//! branch need no conversions between.

use crate::build::RegionBuilder;
use crate::elf::Executable;
use crate::registers::{COUNT, Set, members};
use cairn_ir::{BinaryOp, CastOp, FuncId, GlobalId, Inst, Operand, Symbol};

/// The register file: the first global of a lowered program.
pub(crate) const FILE: GlobalId = GlobalId(0);

/// The address of a word of the register file.
pub(crate) fn address_of(word: usize) -> Operand {
    Operand::Address(Symbol::Global(FILE), 8 * word as i64)
}

/// What is known of a word. At least one field is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordForms {
    pub constant: Option<u64>,
    /// All 64 bits.
    pub wide: Option<Operand>,
    /// 32 bits, of which the word is the sign-extension.
    pub narrow: Option<Operand>,
    /// The low 32 bits; what is above them is known from another shape only.
    pub low: Option<Operand>,
    /// 32 bits, above which are zeros.
    pub unsigned: Option<Operand>,
    /// One bit, above which are zeros.
    pub bit: Option<Operand>,
    /// 32 bits, above which are ones.
    pub single: Option<Operand>,
}

impl WordForms {
    pub fn constant(value: u64) -> Self {
        WordForms {
            constant: Some(value),
            ..WordForms::default()
        }
    }

    pub fn wide(value: Operand) -> Self {
        match value {
            Operand::Int(constant) => WordForms::constant(constant),
            other => WordForms {
                wide: Some(other),
                ..WordForms::default()
            },
        }
    }

    pub fn narrow(value: Operand) -> Self {
        match value {
            Operand::Int(constant) => WordForms::constant(constant as u32 as i32 as i64 as u64),
            other => WordForms {
                narrow: Some(other),
                ..WordForms::default()
            },
        }
    }

    pub fn unsigned(value: Operand) -> Self {
        WordForms {
            unsigned: Some(value),
            ..WordForms::default()
        }
    }

    pub fn bit(value: Operand) -> Self {
        WordForms {
            bit: Some(value),
            ..WordForms::default()
        }
    }

    pub fn single(value: Operand) -> Self {
        WordForms {
            single: Some(value),
            ..WordForms::default()
        }
    }
}

/// What an executable does with the state of floating-point instructions, and the functions that follow
/// it; see `float.rs`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floats {
    /// It has instructions that read flags.
    pub looks_at_flags: bool,
    /// It has instructions that change the rounding mode.
    pub rounding_changes: bool,
    /// The function that computes in any rounding mode.
    pub rounded: Option<FuncId>,
    /// The function that says what is raised.
    pub raised: Option<FuncId>,
}

/// The words of the register file at one point of a region.
pub(crate) struct RegisterForms<'e> {
    pub builder: RegionBuilder,
    executable: &'e Executable,
    /// Missing where it is not needed.
    pub now: Vec<Option<WordForms>>,
    /// How floating-point instructions are lowered.
    pub floats: Floats,
    /// Tells what a counter of the processor shows.
    pub counter: Option<FuncId>,
    /// Whether a division that C does not define is an error.
    pub checks_division: bool,
    /// The exception flags and whether some were raised, while a register keeps them.
    pub saved_flags: Option<(Option<WordForms>, Option<WordForms>)>,
    /// Pointers to the segments, loaded when the region is entered, where they are used.
    segments: Vec<Option<Operand>>,
}

impl<'e> RegisterForms<'e> {
    pub fn new(builder: RegionBuilder, executable: &'e Executable, floats: Floats) -> Self {
        RegisterForms {
            builder,
            floats,
            counter: None,
            checks_division: false,
            executable,
            now: vec![None; COUNT],
            saved_flags: None,
            segments: vec![None; executable.segments.len()],
        }
    }

    /// Changes a word; that of `x0` never does.
    pub fn set(&mut self, register: usize, value: WordForms) {
        if register != 0 {
            self.now[register] = Some(value);
        }
    }

    fn get(&self, register: usize) -> WordForms {
        if register == 0 {
            return WordForms::constant(0);
        }
        // The analysis says which words are needed; that one is missing cannot happen. A load is
        // right wherever the word is not changed.
        self.now[register].clone().unwrap_or_default()
    }

    /// The constant that a word is.
    pub fn constant(&self, register: usize) -> Option<u64> {
        self.get(register).constant
    }

    /// A word as 64 bits.
    pub fn wide(&mut self, register: usize) -> Operand {
        let mut value = self.get(register);
        let wide = if let Some(wide) = value.wide.clone() {
            return wide;
        } else if let Some(constant) = value.constant {
            self.pointer(constant)
        } else if let Some(narrow) = value.narrow.clone() {
            self.builder.cast(CastOp::Sext, 32, 64, narrow)
        } else if let Some(low) = value.unsigned.clone() {
            self.builder.cast(CastOp::Zext, 32, 64, low)
        } else if let Some(bit) = value.bit.clone() {
            self.builder.cast(CastOp::Zext, 1, 64, bit)
        } else if let Some(single) = value.single.clone() {
            let low = self.builder.cast(CastOp::Zext, 32, 64, single);
            let ones = Operand::Int(0xffff_ffff_0000_0000);
            self.builder.binary(BinaryOp::Or, 64, low, ones)
        } else {
            self.builder.load(64, address_of(register))
        };
        if !matches!(wide, Operand::Int(_)) {
            value.wide = Some(wide.clone());
            self.set(register, value);
        }
        wide
    }

    /// The low 32 bits of a word.
    pub fn low(&mut self, register: usize) -> Operand {
        let mut value = self.get(register);
        if let Some(constant) = value.constant {
            return Operand::Int(constant & 0xffff_ffff);
        }
        let shapes = [&value.narrow, &value.unsigned, &value.single, &value.low];
        if let Some(low) = shapes.into_iter().flatten().next() {
            return low.clone();
        }
        let low = if let Some(bit) = value.bit.clone() {
            self.builder.cast(CastOp::Zext, 1, 32, bit)
        } else {
            let wide = self.wide(register);
            value.wide = Some(wide.clone());
            self.builder.cast(CastOp::Trunc, 64, 32, wide)
        };
        value.low = Some(low.clone());
        self.set(register, value);
        low
    }

    /// A word as 32 bits of which it is the sign-extension, if that is known of it.
    pub fn narrow(&self, register: usize) -> Option<Operand> {
        let value = self.get(register);
        match value.constant {
            Some(c) => {
                let low = c as u32;
                (low as i32 as i64 as u64 == c).then_some(Operand::Int(low.into()))
            }
            None => value.narrow,
        }
    }

    /// A word as 32 bits with zeros above, if that is known of it.
    pub fn unsigned(&self, register: usize) -> Option<Operand> {
        self.get(register).unsigned
    }

    /// A word as one bit with zeros above, if that is known of it.
    pub fn bit(&self, register: usize) -> Option<Operand> {
        self.get(register).bit
    }

    /// A word as a single-precision number, if that is known of it.
    pub fn single(&self, register: usize) -> Option<Operand> {
        self.get(register).single
    }

    /// A constant. If it is an address in a segment, it is made from the pointer to that, so that
    /// accesses find the object at once.
    pub fn pointer(&mut self, constant: u64) -> Operand {
        let Some((index, segment)) = self.executable.segment_at(constant) else {
            return Operand::Int(constant);
        };
        if segment.execute && !segment.write {
            return Operand::Int(constant);
        }
        let offset = constant - segment.address;
        let base = match &self.segments[index] {
            Some(base) => base.clone(),
            None => {
                // In the entry, which dominates everything.
                let dst = self.builder.body.local(64);
                let address = address_of(COUNT + index);
                let load = Inst::Load { dst, address };
                let place = self.builder.place;
                self.builder.body.blocks[0].insts.push((load, place));
                self.segments[index] = Some(Operand::Local(dst));
                Operand::Local(dst)
            }
        };
        self.builder
            .binary(BinaryOp::Add, 64, base, Operand::Int(offset))
    }

    /// Writes words back to memory, one right after the other: machines do that as one operation.
    pub fn store_all(&mut self, registers: Set) {
        let registers = members(registers & !1);
        let words: Vec<(usize, Operand)> = registers.map(|r| (r, self.wide(r))).collect();
        for (register, word) in words {
            self.builder.store(64, word, address_of(register));
        }
    }

    /// Forgets everything and reads words from memory.
    pub fn load_all(&mut self, registers: Set) {
        self.now.fill(None);
        for register in members(registers & !1) {
            let value = self.builder.load(64, address_of(register));
            self.set(register, WordForms::wide(value));
        }
    }
}
