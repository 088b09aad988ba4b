//! Words of one global that are read or written one after the other (`fuse.rs` finds them).
//!
//! A domain may do all of them at once, if none of them is unusual. Otherwise each is an
//! access of its own, in their order, so that an error of one is reported as that of a single access. A run that stopped
//! can begin again: reading twice and writing the same twice changes nothing.

use crate::Domain;
use crate::code::WordRun;
use cairn_ir::BinaryOp;

impl WordRun {
    /// Reads the words to registers.
    #[inline(always)]
    pub fn load<D: Domain>(
        &self,
        domain: &mut D,
        registers: &mut [D::Value],
    ) -> Result<(), D::AccessError> {
        let base = registers[self.base as usize].clone();
        if domain.load_words_quick(&base, self.length, &self.words, registers) {
            return Ok(());
        }
        self.load_each(domain, &base, registers)
    }

    #[inline(never)]
    fn load_each<D: Domain>(
        &self,
        domain: &mut D,
        base: &D::Value,
        registers: &mut [D::Value],
    ) -> Result<(), D::AccessError> {
        for &(register, word) in &self.words {
            let at = address(domain, base, word);
            registers[register as usize] = match domain.load_quick(&at, 8) {
                Some(value) => value,
                None => domain.load(&at, 8)?,
            };
        }
        Ok(())
    }

    /// Writes registers to the words.
    #[inline(always)]
    pub fn store<D: Domain>(
        &self,
        domain: &mut D,
        registers: &mut [D::Value],
    ) -> Result<(), D::AccessError> {
        let base = &registers[self.base as usize];
        if domain.store_words_quick(base, self.length, &self.words, registers) {
            return Ok(());
        }
        self.store_each(domain, registers)
    }

    #[inline(never)]
    fn store_each<D: Domain>(
        &self,
        domain: &mut D,
        registers: &[D::Value],
    ) -> Result<(), D::AccessError> {
        for &(register, word) in &self.words {
            let at = address(domain, &registers[self.base as usize], word);
            let value = &registers[register as usize];
            if !domain.store_quick(&at, 8, value) {
                domain.store(&at, 8, value)?;
            }
        }
        Ok(())
    }
}

/// The address of a word of a global.
fn address<D: Domain>(domain: &mut D, base: &D::Value, word: u32) -> D::Value {
    let offset = domain.int(8 * u64::from(word));
    let bits = domain.pointer_width().bits();
    domain.binary(BinaryOp::Add, bits, base, &offset)
}
