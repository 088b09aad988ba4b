//! What the compiler stores about the types of functions, and the checks that read it.
//!
//! - `-fsanitize=function` puts a mark and a hash of the type right before the first instruction
//!   (`!func_sanitize`); the check is plain code that loads them.
//! - `-fsanitize=kcfi` puts a hash there (`!kcfi_type`); a call says which one it wants, and the code
//!   generator makes the check.
//! - `-fsanitize=cfi` lists addresses by type (`!type`); `llvm.type.test` asks whether one is in a list.
//! - Any function may have prefix data of its own.
//!
//! A check that reads in front of a function that has none of this finds other code there and takes it
//! for a function that was compiled without the option. So if one function of a module has a prefix,
//! all have: zeros are no mark and no hash.

use crate::emit::{BodyBuilder, ValueWord, ValueWords};
use crate::lowering::{Lowering, Refusal, Unlowerable, number};
use crate::reader::Value;
use cairn_ir::{BinaryOp, CheckKind, CompareOp, Content, FuncId, Operand, Prefix, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes before functions that the compiler stored nothing about: as many as a check reads.
const NOTHING: [u8; 8] = [0; 8];

/// Addresses by the type that they are of.
pub(crate) type TypeMembers<'m> = FxHashMap<Value<'m>, Vec<(Symbol, i64)>>;

impl<'m> Lowering<'m> {
    /// Notes what stands before functions.
    pub(crate) fn fill_prefixes(&mut self) {
        for value in self.module.functions() {
            let Some(Symbol::Function(id)) = self.symbol(value) else {
                continue;
            };
            match self.prefix(value) {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => self.program.prefixes.push(Prefix {
                    function: id,
                    bytes,
                }),
                Err(refused) => {
                    let place = self.program.function(id).place;
                    self.report(refused.text(), &value.name(), place);
                }
            }
        }
    }

    /// Gives every function something before it if one has something.
    pub(crate) fn complete_prefixes(&mut self) {
        if self.program.prefixes.is_empty() {
            return;
        }
        let known: FxHashSet<FuncId> = self.program.prefixes.iter().map(|p| p.function).collect();
        let all = (0..self.program.functions.len()).map(FuncId::new);
        let others = all.filter(|id| !known.contains(id));
        let others = others.map(|function| Prefix {
            function,
            bytes: NOTHING.to_vec(),
        });
        self.program.prefixes.extend(others);
        self.program.prefixes.sort_by_key(|p| p.function.index());
    }

    /// The bytes before a function, in the order in which the code generator writes them.
    fn prefix(&mut self, function: Value<'m>) -> Refusal<Vec<u8>> {
        let mut content = Content::default();
        let mut length = 0;
        if let Some(data) = function.prefix_data() {
            let layout = self.layout(data);
            self.write(&mut content, 0, data, &layout)?;
            length = layout.size as usize;
        }
        if !content.relocations.is_empty() || !content.differences.is_empty() {
            return Err(Unlowerable::new("prefix data with addresses"));
        }
        let mut bytes = content.bytes;
        bytes.resize(length, 0);
        for name in ["kcfi_type", "func_sanitize"] {
            for node in self.module.metadata_of(function, name) {
                let numbers = node.into_iter().flatten();
                bytes.extend(numbers.flat_map(|n| (n.int_value() as u32).to_le_bytes()));
            }
        }
        if bytes.len() > Prefix::MOST {
            return Err(Unlowerable::new(format!(
                "prefix data of {} bytes",
                bytes.len()
            )));
        }
        if function.has_prologue_data() {
            return Err(Unlowerable::new("prologue data, which is code"));
        }
        Ok(bytes)
    }

    /// The addresses that are of a type.
    fn members_of(&mut self, id: Value<'m>) -> Vec<(Symbol, i64)> {
        if self.type_members.is_none() {
            let mut members = TypeMembers::default();
            let module = self.module;
            for value in module.functions().chain(module.globals()) {
                let Some(symbol) = self.symbol(value) else {
                    continue;
                };
                for node in module.metadata_of(value, "type") {
                    if let [Some(offset), Some(id)] = node[..] {
                        let list = members.entry(id).or_default();
                        list.push((symbol, offset.int_value() as i64));
                    }
                }
            }
            self.type_members = Some(members);
        }
        let members = self.type_members.as_ref();
        members
            .and_then(|m| m.get(&id))
            .cloned()
            .unwrap_or_default()
    }
}

impl<'m> BodyBuilder<'_, 'm> {
    /// Whether an address is one of those that are of a type.
    pub(crate) fn type_test(&mut self, address: Operand, id: Value<'m>) -> Operand {
        let mut found = Operand::Int(0);
        for (symbol, offset) in self.cx.members_of(id) {
            let member = Operand::Address(symbol, offset);
            let same = self.compare(CompareOp::Eq, self.pointer_bits(), address.clone(), member);
            found = self.binary(BinaryOp::Or, 1, found, same);
        }
        found
    }

    /// What stands at an offset from an address, and whether that address is of a type.
    pub(crate) fn type_checked_load(&mut self, inst: Value<'m>) -> Refusal<ValueWords> {
        let address = self.scalar(inst.operand(0))?;
        let offset = inst.operand(1);
        let width = self.cx.layout(offset).width;
        let offset = self.scalar(offset)?;
        let offset = self.resize_signed(width, self.pointer_bits(), offset);
        let fits = self.type_test(address.clone(), inst.operand(2));
        let at = self.binary(BinaryOp::Add, self.pointer_bits(), address, offset);
        let word = self.load_word(at, self.pointer_bits());
        Ok(ValueWords::from_iter([
            ValueWord::Known(word),
            ValueWord::Known(fits),
        ]))
    }

    /// The check of a call that says which hash its callee must have.
    pub(crate) fn check_kcfi(&mut self, inst: Value<'m>, target: &Operand) {
        let Some(wanted) = inst.bundle_operand("kcfi") else {
            return;
        };
        let wanted = number(32, wanted.int_value());
        let at = self.offset(target.clone(), (-4i64) as u64);
        let hash = self.load_word(at, 32);
        let same = self.compare(CompareOp::Eq, 32, hash, wanted);
        let message = "found by the sanitiser: function type mismatch";
        self.check(CheckKind::FunctionType, same, message);
    }
}
