//! Global objects: their bytes, the addresses in them, and the lists of functions to run before
//! and after the program.

use crate::lowering::{GlobalMeaning, Lowering, Refusal, Unlowerable};
use crate::reader::Value;
use crate::types::{TypeLayout, TypeShape};
use cairn_bv::BitVec;
use cairn_ir::{
    Block, Body, Call, Callee, Content, FuncId, Function, Global, GlobalId, Inst, Operand, PlaceId,
    ProgramDifference, Relocation, Symbol, Terminator,
};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::*;

/// Bytes up to the last one of a global that is not zero: more are refused.
const LARGEST_CONTENT: u64 = 1 << 32;

/// A scalar constant of an initialiser.
enum Scalar {
    Bits(BitVec),
    Address(Symbol, i64),
    Difference(Symbol, Symbol, i64),
    Undefined,
}

impl<'m> Lowering<'m> {
    /// Numbers the globals, without their content.
    pub(crate) fn declare_globals(&mut self) {
        for global in self.module.globals() {
            if let LLVMAppendingLinkage = global.linkage() {
                continue;
            }
            if let LLVMExternalWeakLinkage = global.linkage() {
                self.meanings.insert(global, GlobalMeaning::Null);
                continue;
            }
            let layout = self.types.layout(global.value_type());
            let id = GlobalId::new(self.program.globals.len());
            self.meanings.insert(global, GlobalMeaning::Global(id));
            let name = self.unique_name(global);
            let place = self.places.of_global(&mut self.program, global);
            self.program.globals.push(Global {
                name,
                size: layout.size,
                align: match global.alignment() {
                    0 => layout.align,
                    stated => stated,
                },
                constant: global.is_constant_global(),
                thread_local: global.is_thread_local(),
                place,
                content: None,
            });
        }
    }

    /// Fills the globals and the lists of constructors and destructors.
    pub(crate) fn fill_globals(&mut self) {
        for global in self.module.globals() {
            let Some(initializer) = global.initializer() else {
                // Of the sanitiser's library: what it has checked before, nothing at first.
                if let Some(Symbol::Global(id)) = self.symbol(global)
                    && global.name() == "__ubsan_vptr_type_cache"
                {
                    self.program.globals[id.index()].content = Some(Content::default());
                }
                continue;
            };
            match self.symbol(global) {
                Some(Symbol::Global(id)) => {
                    let mut content = Content::default();
                    let layout = self.layout(initializer);
                    if let Err(refused) = self.write(&mut content, 0, initializer, &layout) {
                        let name = global.name();
                        let what = format!("in a first content: {}", refused.text());
                        let place = self.program.global(id).place;
                        self.report(&what, &name, place);
                        // As if it were defined elsewhere: who reads it is told so.
                        continue;
                    }
                    let used = content.bytes.iter().rposition(|&byte| byte != 0);
                    content.bytes.truncate(used.map_or(0, |last| last + 1));
                    self.program.globals[id.index()].content = Some(content);
                }
                _ => match global.name().as_str() {
                    "llvm.global_ctors" => {
                        self.program.constructors = self.ordered_functions(initializer);
                    }
                    "llvm.global_dtors" => {
                        self.program.destructors = self.ordered_functions(initializer);
                        self.program.destructors.reverse();
                    }
                    _ => {}
                },
            }
        }
    }

    /// The functions of a list of priorities and functions, lowest priority first.
    fn ordered_functions(&mut self, list: Value<'m>) -> Vec<FuncId> {
        let mut found: Vec<(u64, FuncId)> = Vec::new();
        let mut index = 0;
        while let Some(entry) = list.element(index) {
            index += 1;
            let (Some(priority), Some(function)) = (entry.element(0), entry.element(1)) else {
                continue;
            };
            match self.fold(function) {
                Ok(Scalar::Address(Symbol::Function(id), 0))
                    if self.program.function(id).params.is_empty() =>
                {
                    found.push((priority.int_value(), id));
                }
                Ok(Scalar::Bits(_) | Scalar::Undefined) => {}
                Ok(Scalar::Address(..) | Scalar::Difference(..)) | Err(_) => {
                    let what = "a constructor or destructor that is no function without parameters";
                    self.report(what, &function.name(), PlaceId::UNKNOWN);
                    found.push((priority.int_value(), self.refused_constructor(index)));
                }
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// A function without a body in place of one that cannot be called: calling it is reported.
    fn refused_constructor(&mut self, number: u32) -> FuncId {
        self.program.functions.push(Function {
            name: format!("constructor or destructor {number}"),
            params: Vec::new(),
            results: Vec::new(),
            variadic: false,
            place: PlaceId::UNKNOWN,
            body: None,
        });
        FuncId::new(self.program.functions.len() - 1)
    }

    /// Makes the names of functions' aliases callable. References to an alias are resolved to its
    /// function; the new functions are for lookups by name.
    pub(crate) fn forward_aliases(&mut self) {
        for alias in self.module.aliases() {
            let Ok(Scalar::Address(Symbol::Function(target), 0)) = self.fold(alias) else {
                continue;
            };
            let name = self.unique_name(alias);
            let original = self.program.function(target);
            if original.variadic {
                continue;
            }
            let (params, results) = (original.params.clone(), original.results.clone());
            let mut body = Body::default();
            let parameters: Vec<_> = params.iter().map(|&width| body.local(width)).collect();
            let received: Vec<_> = results.iter().map(|&width| body.local(width)).collect();
            let call = Call {
                callee: Callee::Direct(target),
                args: parameters
                    .iter()
                    .zip(&params)
                    .map(|(&local, &width)| (Operand::Local(local), width))
                    .collect(),
                variadic: Vec::new(),
                results: received.clone(),
            };
            let place = original.place;
            body.blocks.push(Block {
                params: parameters,
                insts: vec![(Inst::Call(Box::new(call)), place)],
                terminator: (
                    Terminator::Return(received.into_iter().map(Operand::Local).collect()),
                    place,
                ),
            });
            self.program.functions.push(Function {
                name,
                params,
                results,
                variadic: false,
                place,
                body: Some(body),
            });
        }
    }

    pub(crate) fn write(
        &mut self,
        content: &mut Content,
        offset: u64,
        value: Value<'m>,
        layout: &TypeLayout<'m>,
    ) -> Refusal<()> {
        if value.is_null() {
            return Ok(());
        }
        match value.kind() {
            LLVMUndefValueValueKind | LLVMPoisonValueKind => return Ok(()),
            _ => {}
        }
        match &layout.shape {
            TypeShape::Void => Ok(()),
            TypeShape::Int | TypeShape::Pointer | TypeShape::Float(_) => {
                let scalar = self.fold(value)?;
                self.write_scalar(content, offset, scalar, layout)
            }
            TypeShape::Struct => {
                for (at, element) in layout.elements.iter().enumerate() {
                    if let Some(value) = value.element(at as u32) {
                        let at = offset.wrapping_add(layout.offsets[at]);
                        self.write(content, at, value, element)?;
                    }
                }
                Ok(())
            }
            TypeShape::Array => {
                if let Some(bytes) = value.byte_string() {
                    return put(content, offset, bytes);
                }
                let element = &layout.elements[0];
                let mut at = 0;
                while let Some(value) = value.element(at) {
                    let by = u64::from(at).wrapping_mul(element.size);
                    self.write(content, offset.wrapping_add(by), value, element)?;
                    at += 1;
                }
                Ok(())
            }
            TypeShape::Vector => self.write_vector(content, offset, value, layout),
            TypeShape::Exotic(text) => Err(Unlowerable::new(format!("a value of type {text}"))),
        }
    }

    /// Lanes are packed without gaps, down to single bits.
    fn write_vector(
        &mut self,
        content: &mut Content,
        offset: u64,
        value: Value<'m>,
        layout: &TypeLayout<'m>,
    ) -> Refusal<()> {
        let lane = &layout.elements[0];
        if lane.width.is_multiple_of(8) {
            let stride = u64::from(lane.width / 8);
            for at in 0..layout.count {
                if let Some(value) = value.element(at as u32) {
                    self.write(content, offset.wrapping_add(at * stride), value, lane)?;
                }
            }
            return Ok(());
        }
        let mut bits: Option<BitVec> = None;
        for at in 0..layout.count {
            let lane_bits = match value.element(at as u32).map(|v| self.fold(v)) {
                Some(Ok(Scalar::Bits(bits))) => bits,
                Some(Ok(Scalar::Undefined)) => BitVec::zero(lane.width),
                _ => return Err(Unlowerable::new("a vector of parts of addresses")),
            };
            bits = Some(match bits {
                None => lane_bits,
                Some(low) => lane_bits.concat(&low),
            });
        }
        if let Some(bits) = bits {
            put(content, offset, &to_bytes(&bits, layout.store_size))?;
        }
        Ok(())
    }

    fn write_scalar(
        &mut self,
        content: &mut Content,
        offset: u64,
        scalar: Scalar,
        layout: &TypeLayout<'m>,
    ) -> Refusal<()> {
        match scalar {
            Scalar::Undefined => {}
            Scalar::Bits(bits) => put(content, offset, &to_bytes(&bits, layout.store_size))?,
            Scalar::Address(symbol, addend) if layout.width == self.pointer_bits() => {
                content.relocations.push(Relocation {
                    offset,
                    symbol,
                    addend,
                });
            }
            Scalar::Address(..) => return Err(Unlowerable::new("a part of an address")),
            Scalar::Difference(symbol, base, addend) => {
                let bytes = u8::try_from(layout.store_size)
                    .ok()
                    .filter(|&bytes| bytes <= 8 && u32::from(bytes) * 8 == layout.width)
                    .ok_or_else(|| Unlowerable::new("a wide difference of addresses"))?;
                content.differences.push(ProgramDifference {
                    offset,
                    bytes,
                    symbol,
                    base,
                    addend,
                });
            }
        }
        Ok(())
    }

    /// Bits of an address.
    fn pointer_bits(&self) -> u32 {
        self.program.pointer_width.bits()
    }

    /// A scalar constant before the program runs.
    fn fold(&mut self, value: Value<'m>) -> Refusal<Scalar> {
        let width = self.layout(value).width;
        let refused = || Unlowerable::new(value.to_text());
        if width == 0 {
            return Err(refused());
        }
        match value.kind() {
            LLVMConstantIntValueKind => Ok(Scalar::Bits(self.int_constant(value, width))),
            LLVMConstantFPValueKind => Ok(Scalar::Bits(self.float_constant(value, width))),
            LLVMConstantPointerNullValueKind => Ok(Scalar::Bits(BitVec::zero(width))),
            LLVMUndefValueValueKind | LLVMPoisonValueKind => Ok(Scalar::Undefined),
            LLVMFunctionValueKind | LLVMGlobalVariableValueKind => {
                match (self.meanings.get(&value), self.symbol(value)) {
                    (Some(GlobalMeaning::Null), _) => Ok(Scalar::Bits(BitVec::zero(width))),
                    (_, Some(symbol)) => Ok(Scalar::Address(symbol, 0)),
                    (_, None) => Err(refused()),
                }
            }
            LLVMGlobalAliasValueKind => self.fold(value.aliasee()),
            LLVMBlockAddressValueKind => {
                let number = self.block_number(value.block_address());
                Ok(Scalar::Bits(BitVec::new(width, number)))
            }
            LLVMConstantExprValueKind => self.fold_expression(value, width),
            LLVMInstructionValueKind => self.fold(value.operand(0)),
            _ => Err(refused()),
        }
    }

    fn fold_expression(&mut self, value: Value<'m>, width: u32) -> Refusal<Scalar> {
        let refused = || Unlowerable::new(value.to_text());
        let opcode = value.constant_opcode();
        if let LLVMGetElementPtr = opcode {
            return self.fold_address(value);
        }
        let first = self.fold(value.operand(0))?;
        let from = self.layout(value.operand(0)).width;
        match opcode {
            LLVMPtrToInt | LLVMIntToPtr | LLVMTrunc | LLVMBitCast | LLVMAddrSpaceCast => {
                match first {
                    Scalar::Bits(bits) if width < from => {
                        Ok(Scalar::Bits(bits.extract(width - 1, 0)))
                    }
                    Scalar::Bits(bits) => Ok(Scalar::Bits(bits.zext(width - from))),
                    Scalar::Address(..) if width != from => Err(refused()),
                    Scalar::Difference(..) if width > from => Err(refused()),
                    kept => Ok(kept),
                }
            }
            LLVMAdd | LLVMSub | LLVMMul | LLVMXor => {
                let second = self.fold(value.operand(1))?;
                let number = |bits: &BitVec| {
                    let wide = if width < 64 {
                        bits.sext(64 - width)
                    } else {
                        bits.clone()
                    };
                    wide.low_u64() as i64
                };
                Ok(match (opcode, first, second) {
                    (LLVMAdd, Scalar::Bits(a), Scalar::Bits(b)) => Scalar::Bits(a.add(&b)),
                    (LLVMSub, Scalar::Bits(a), Scalar::Bits(b)) => Scalar::Bits(a.sub(&b)),
                    (LLVMMul, Scalar::Bits(a), Scalar::Bits(b)) => Scalar::Bits(a.mul(&b)),
                    (LLVMXor, Scalar::Bits(a), Scalar::Bits(b)) => Scalar::Bits(a.xor(&b)),
                    (LLVMAdd, Scalar::Address(symbol, at), Scalar::Bits(by))
                    | (LLVMAdd, Scalar::Bits(by), Scalar::Address(symbol, at))
                        if width == self.pointer_bits() =>
                    {
                        Scalar::Address(symbol, at.wrapping_add(number(&by)))
                    }
                    (LLVMSub, Scalar::Address(symbol, at), Scalar::Bits(by))
                        if width == self.pointer_bits() =>
                    {
                        Scalar::Address(symbol, at.wrapping_sub(number(&by)))
                    }
                    (LLVMSub, Scalar::Address(symbol, at), Scalar::Address(base, from)) => {
                        Scalar::Difference(symbol, base, at.wrapping_sub(from))
                    }
                    (LLVMAdd, Scalar::Difference(symbol, base, at), Scalar::Bits(by))
                    | (LLVMAdd, Scalar::Bits(by), Scalar::Difference(symbol, base, at)) => {
                        Scalar::Difference(symbol, base, at.wrapping_add(number(&by)))
                    }
                    (LLVMSub, Scalar::Difference(symbol, base, at), Scalar::Bits(by)) => {
                        Scalar::Difference(symbol, base, at.wrapping_sub(number(&by)))
                    }
                    _ => return Err(refused()),
                })
            }
            _ => Err(refused()),
        }
    }

    fn fold_address(&mut self, value: Value<'m>) -> Refusal<Scalar> {
        let refused = || Unlowerable::new(value.to_text());
        let base = self.fold(value.operand(0))?;
        let mut stepped = self.types.layout(value.stepped_type());
        let mut offset = 0i64;
        for at in 1..value.operand_count() {
            let operand = value.operand(at);
            let width = self.layout(operand).width;
            let Scalar::Bits(index) = self.fold(operand)? else {
                return Err(refused());
            };
            let index = match width {
                0..=63 => index.sext(64 - width).low_u64() as i64,
                _ => index.low_u64() as i64,
            };
            if at == 1 {
                offset = offset.wrapping_add(index.wrapping_mul(stepped.size as i64));
                continue;
            }
            let next = stepped.element(index as u64).clone();
            let by = match stepped.shape {
                TypeShape::Struct => stepped.offsets[index as usize] as i64,
                _ => index.wrapping_mul(next.size as i64),
            };
            offset = offset.wrapping_add(by);
            stepped = next;
        }
        match base {
            Scalar::Address(symbol, at) => Ok(Scalar::Address(symbol, at.wrapping_add(offset))),
            Scalar::Bits(bits) => {
                let offset = BitVec::from_i64(bits.width(), offset);
                Ok(Scalar::Bits(bits.add(&offset)))
            }
            Scalar::Undefined => Ok(Scalar::Undefined),
            Scalar::Difference(..) => Err(refused()),
        }
    }
}

/// Little-endian bytes of a word, with zeros up to a length.
fn to_bytes(bits: &BitVec, length: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = bits.limbs().iter().flat_map(|l| l.to_le_bytes()).collect();
    bytes.resize(length as usize, 0);
    bytes
}

fn put(content: &mut Content, offset: u64, bytes: &[u8]) -> Refusal<()> {
    let end = offset.saturating_add(bytes.len() as u64);
    if end > LARGEST_CONTENT {
        return Err(Unlowerable::new("more bytes than fit into memory"));
    }
    let end = end as usize;
    if content.bytes.len() < end {
        content.bytes.resize(end, 0);
    }
    content.bytes[offset as usize..end].copy_from_slice(bytes);
    Ok(())
}
