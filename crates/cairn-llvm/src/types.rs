//! How types lie in memory and into which words their values are taken apart.
//!
//! A value of a scalar type is one word. A struct, array or vector value is the list of the words
//! of its scalar leaves, in order. LLVM is asked once for each type.

use crate::lowering::{Refusal, Unlowerable};
use crate::reader::{Module, Type};
use cairn_bv::BitVec;
use cairn_ir::FloatFormat;
use llvm_sys::LLVMTypeKind::*;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// Values of more words than this are refused: such code is not what compilers emit.
const MOST_LEAVES: u64 = 1 << 16;

/// Wider integers are refused, so that words of twice the width can be computed with.
const WIDEST_INT: u32 = BitVec::MAX_WIDTH / 2;

/// Address spaces that mean "relative to a segment register" on this machine.
const SEGMENTS: std::ops::RangeInclusive<u32> = 256..=258;

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeShape {
    Void,
    Int,
    Pointer,
    Float(FloatFormat),
    Struct,
    Array,
    Vector,
    /// A type that has no words here; its text.
    Exotic(Rc<str>),
}

/// What is known of a type.
pub(crate) struct TypeLayout<'m> {
    pub(crate) ty: Type<'m>,
    pub(crate) shape: TypeShape,
    /// Bits of a scalar; 0 for others.
    pub(crate) width: u32,
    /// Elements of a struct, or the one element type of an array or vector.
    pub(crate) elements: Vec<Rc<TypeLayout<'m>>>,
    /// Where the elements of a struct lie.
    pub(crate) offsets: Vec<u64>,
    /// Elements of an array or vector.
    pub(crate) count: u64,
    /// Bytes that a store writes.
    pub(crate) store_size: u64,
    /// Bytes from one element of an array to the next.
    pub(crate) size: u64,
    /// Natural alignment.
    pub(crate) align: u64,
    leaves: OnceCell<Result<Rc<[u32]>, Unlowerable>>,
}

impl<'m> TypeLayout<'m> {
    /// Widths of the words of a value.
    pub(crate) fn leaves(&self) -> Refusal<Rc<[u32]>> {
        self.leaves
            .get_or_init(|| {
                let mut widths = Vec::new();
                self.collect_leaves(&mut widths)?;
                Ok(widths.into())
            })
            .clone()
    }

    fn collect_leaves(&self, widths: &mut Vec<u32>) -> Refusal<()> {
        let too_many = || Unlowerable::new(format!("a value of type {}", self.ty.to_text()));
        match &self.shape {
            TypeShape::Void => {}
            TypeShape::Int | TypeShape::Pointer | TypeShape::Float(_) => widths.push(self.width),
            TypeShape::Struct => {
                for element in &self.elements {
                    widths.extend_from_slice(&element.leaves()?);
                }
            }
            TypeShape::Array | TypeShape::Vector => {
                let each = self.elements[0].leaves()?;
                if (each.len() as u64).saturating_mul(self.count) > MOST_LEAVES {
                    return Err(too_many());
                }
                if !each.is_empty() {
                    for _ in 0..self.count {
                        widths.extend_from_slice(&each);
                    }
                }
            }
            TypeShape::Exotic(text) => {
                return Err(Unlowerable::new(format!("a value of type {text}")));
            }
        }
        if widths.len() as u64 > MOST_LEAVES {
            return Err(too_many());
        }
        Ok(())
    }

    /// The element at an index of a struct, array or vector.
    pub(crate) fn element(&self, index: u64) -> &Rc<TypeLayout<'m>> {
        match self.shape {
            TypeShape::Struct => &self.elements[index as usize],
            _ => &self.elements[0],
        }
    }

    /// Where the words of the element at an index begin.
    pub(crate) fn leaf_start(&self, index: u64) -> Refusal<usize> {
        match self.shape {
            TypeShape::Struct => {
                let mut start = 0;
                for element in &self.elements[..index as usize] {
                    start += element.leaves()?.len();
                }
                Ok(start)
            }
            _ => Ok(self.elements[0].leaves()?.len() * index as usize),
        }
    }

    /// The type of one lane, which is the type itself unless it is a vector.
    pub(crate) fn lane(&self) -> &TypeLayout<'m> {
        match self.shape {
            TypeShape::Vector => &self.elements[0],
            _ => self,
        }
    }

    /// How many lanes there are.
    pub(crate) fn lanes(&self) -> usize {
        match self.shape {
            TypeShape::Vector => self.count as usize,
            _ => 1,
        }
    }

    /// The format of a floating-point scalar or of each lane of a vector.
    pub(crate) fn format(&self) -> Refusal<FloatFormat> {
        match self.lane().shape {
            TypeShape::Float(format) => Ok(format),
            _ => Err(Unlowerable::new(format!(
                "floating-point arithmetic on {}",
                self.ty.to_text()
            ))),
        }
    }
}

/// The layouts asked for so far.
pub(crate) struct Types<'m> {
    module: &'m Module,
    known: FxHashMap<Type<'m>, Rc<TypeLayout<'m>>>,
}

impl<'m> Types<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        Types {
            module,
            known: FxHashMap::default(),
        }
    }

    pub(crate) fn layout(&mut self, ty: Type<'m>) -> Rc<TypeLayout<'m>> {
        if let Some(layout) = self.known.get(&ty) {
            return layout.clone();
        }
        let layout = Rc::new(self.make(ty));
        self.known.insert(ty, layout.clone());
        layout
    }

    fn make(&mut self, ty: Type<'m>) -> TypeLayout<'m> {
        let (mut elements, mut offsets, mut count) = (Vec::new(), Vec::new(), 0);
        let exotic = || TypeShape::Exotic(ty.to_text().into());
        let (shape, width) = match ty.kind() {
            LLVMVoidTypeKind => (TypeShape::Void, 0),
            LLVMIntegerTypeKind if ty.int_width() <= WIDEST_INT => (TypeShape::Int, ty.int_width()),
            LLVMPointerTypeKind
                if self.module.store_size(ty) == u64::from(self.module.pointer_width().bytes())
                    && !SEGMENTS.contains(&ty.address_space()) =>
            {
                (TypeShape::Pointer, self.module.pointer_width().bits())
            }
            LLVMHalfTypeKind => float(FloatFormat::Half),
            LLVMBFloatTypeKind => float(FloatFormat::Bfloat),
            LLVMFloatTypeKind => float(FloatFormat::Single),
            LLVMDoubleTypeKind => float(FloatFormat::Double),
            LLVMX86_FP80TypeKind => float(FloatFormat::X87),
            LLVMFP128TypeKind => float(FloatFormat::Quad),
            LLVMStructTypeKind if ty.is_sized() => {
                let types = ty.struct_elements();
                offsets = (0..types.len())
                    .map(|i| self.module.struct_offset(ty, i as u32))
                    .collect();
                elements = types.into_iter().map(|t| self.layout(t)).collect();
                (TypeShape::Struct, 0)
            }
            LLVMArrayTypeKind if ty.is_sized() => {
                count = ty.array_length();
                elements = vec![self.layout(ty.element())];
                (TypeShape::Array, 0)
            }
            LLVMVectorTypeKind => {
                count = u64::from(ty.vector_length());
                let lane = self.layout(ty.element());
                let bits = u64::from(lane.width) * count;
                elements = vec![lane];
                match bits <= u64::from(BitVec::MAX_WIDTH) {
                    true => (TypeShape::Vector, 0),
                    false => (exotic(), 0),
                }
            }
            LLVMIntegerTypeKind
            | LLVMPointerTypeKind
            | LLVMStructTypeKind
            | LLVMArrayTypeKind
            | LLVMPPC_FP128TypeKind
            | LLVMLabelTypeKind
            | LLVMFunctionTypeKind
            | LLVMMetadataTypeKind
            | LLVMX86_MMXTypeKind
            | LLVMTokenTypeKind
            | LLVMScalableVectorTypeKind
            | LLVMX86_AMXTypeKind
            | LLVMTargetExtTypeKind => (exotic(), 0),
        };
        let measured = ty.is_sized() && !matches!(shape, TypeShape::Exotic(_));
        let (store_size, size, align) = if measured {
            let module = self.module;
            (
                module.store_size(ty),
                module.alloc_size(ty),
                module.alignment(ty),
            )
        } else {
            (0, 0, 1)
        };
        TypeLayout {
            ty,
            shape,
            width,
            elements,
            offsets,
            count,
            store_size,
            size,
            align,
            leaves: OnceCell::new(),
        }
    }
}

fn float(format: FloatFormat) -> (TypeShape, u32) {
    (TypeShape::Float(format), format.width())
}
