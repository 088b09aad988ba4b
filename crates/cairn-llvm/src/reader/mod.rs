//! Safe, thin wrappers of LLVM's C interface: a module that owns everything, and copyable
//! references into it that cannot outlive it.
//!
//! LLVM does not say through its C interface whether a call fits the kind of a value. The
//! wrappers are private to this crate; a method that fits only some kinds of values says so, and
//! its callers have looked at the opcode or the kind before.

mod attributes;
mod change;
mod instructions;
mod linking;
mod metadata;
mod types;
mod values;

pub(crate) use attributes::{Attribute, AttributeAt};
pub(crate) use linking::Member;

use crate::error::LoadError;
use cairn_ir::PointerWidth;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Once;

/// What a module gets that does not say how its types lie in memory.
const X86_64_LAYOUT: &CStr =
    c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

static QUIET: Once = Once::new();

/// Keeps the reader from looking at debug information with a verifier of its own, which prints
/// what it finds and ends the process. [`Module::read`] runs the verifier itself.
fn keep_reader_quiet() {
    let arguments = [
        c"cairn".as_ptr(),
        c"-disable-auto-upgrade-debug-info".as_ptr(),
    ];
    // SAFETY: as many terminated texts as are said; LLVM copies what it keeps.
    unsafe {
        let count = arguments.len() as c_int;
        llvm_sys::support::LLVMParseCommandLineOptions(count, arguments.as_ptr(), ptr::null());
    }
}

/// A module with its context.
pub(crate) struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
}

/// Errors that LLVM reports while it reads.
struct Diagnostics(Vec<String>);

extern "C" fn collect_diagnostic(info: LLVMDiagnosticInfoRef, context: *mut c_void) {
    // SAFETY: LLVM calls this while reading, with the pointer given to it, which outlives that.
    unsafe {
        if let llvm_sys::LLVMDiagnosticSeverity::LLVMDSError = LLVMGetDiagInfoSeverity(info) {
            let text = take_message(LLVMGetDiagInfoDescription(info));
            (*context.cast::<Diagnostics>()).0.push(text);
        }
    }
}

/// Copies and frees a message of LLVM's.
///
/// # Safety
/// The message is null or was made by LLVM for the caller to free.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: as promised by the caller.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// Copies text that LLVM keeps.
///
/// # Safety
/// `start` is null or the start of `length` readable bytes.
unsafe fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: as promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The bytes begin like bitcode, plain or wrapped.
fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

/// Why bytes that are not bitcode cannot be assembly text either.
fn not_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.is_empty() {
        Some("the file is empty")
    } else if bytes.starts_with(b"\x7fELF") {
        Some("it is a machine-code file; compile the source with `clang -emit-llvm -c`")
    } else if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
        Some("it is neither LLVM bitcode nor LLVM assembly text")
    } else {
        None
    }
}

/// Reads bitcode or assembly text into a context, checks it with LLVM's verifier, and checks its
/// target.
fn parse(context: LLVMContextRef, name: &str, bytes: &[u8]) -> Result<LLVMModuleRef, LoadError> {
    let invalid = |message: String| LoadError::Invalid {
        file: name.to_string(),
        message,
    };
    let bitcode = is_bitcode(bytes);
    if !bitcode && let Some(reason) = not_text(bytes) {
        return Err(invalid(reason.to_string()));
    }
    QUIET.call_once(keep_reader_quiet);
    let c_name = CString::new(name.replace('\0', "?")).unwrap_or_default();
    let mut diagnostics = Box::new(Diagnostics(Vec::new()));
    // SAFETY: the buffer is a copy, and the reader takes it over; the diagnostics outlive the
    // reading, after which the handler is taken away again.
    let module = unsafe {
        LLVMContextSetDiagnosticHandler(
            context,
            Some(collect_diagnostic),
            ptr::from_mut(diagnostics.as_mut()).cast(),
        );
        LLVMContextSetDiscardValueNames(context, i32::from(bitcode));
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            c_name.as_ptr(),
        );
        let mut module = ptr::null_mut();
        let mut message = ptr::null_mut();
        let failed =
            llvm_sys::ir_reader::LLVMParseIRInContext(context, buffer, &mut module, &mut message);
        let message = take_message(message);
        LLVMContextSetDiagnosticHandler(context, None, ptr::null_mut());
        if failed != 0 {
            return Err(parse_error(name, &message));
        }
        if LLVMGetDataLayoutStr(module).read() == 0 {
            LLVMSetDataLayout(module, X86_64_LAYOUT.as_ptr());
        }
        module
    };
    let checked = match diagnostics.0.first() {
        Some(first) => Err(invalid(first.clone())),
        None => verify_or_strip(module)
            .map_err(invalid)
            .and_then(|()| check_target(module, name)),
    };
    match checked {
        Ok(()) => Ok(module),
        Err(error) => {
            // SAFETY: the module has no other owner.
            unsafe { LLVMDisposeModule(module) };
            Err(error)
        }
    }
}

fn verify_or_strip(module: LLVMModuleRef) -> Result<(), String> {
    if verify(module).is_ok() {
        return Ok(());
    }
    // Debug information alone is no reason to refuse a program.
    // SAFETY: the module is alive, and nothing refers into it yet.
    unsafe { LLVMStripModuleDebugInfo(module) };
    verify(module)
}

fn verify(module: LLVMModuleRef) -> Result<(), String> {
    let mut message = ptr::null_mut();
    // SAFETY: the module is alive, the message is freed by `take_message`.
    let (broken, message) = unsafe {
        let broken = llvm_sys::analysis::LLVMVerifyModule(
            module,
            llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction,
            &mut message,
        );
        (broken != 0, take_message(message))
    };
    if !broken {
        return Ok(());
    }
    let lines: Vec<&str> = message.lines().map(str::trim).take(2).collect();
    Err(lines.join(": "))
}

fn check_target(module: LLVMModuleRef, name: &str) -> Result<(), LoadError> {
    // SAFETY: the module is alive, and the layout is its own; LLVM returns a terminated string it
    // keeps.
    let (triple, order, pointer) = unsafe {
        let triple = CStr::from_ptr(LLVMGetTarget(module)).to_string_lossy();
        let layout = LLVMGetModuleDataLayout(module);
        let (order, pointer) = (LLVMByteOrder(layout), LLVMPointerSize(layout));
        (triple.into_owned(), order, pointer)
    };
    let architecture = triple.split('-').next().unwrap_or_default();
    let little = matches!(order, LLVMByteOrdering::LLVMLittleEndian);
    let x86_64 = ["", "x86_64", "x86_64h", "amd64"].contains(&architecture);
    let file = name.to_string();
    // The lowering takes the width from the module; libraries, and how arguments are passed, do not yet.
    if pointer != PointerWidth::Eight.bytes() {
        return Err(LoadError::PointerWidth {
            file,
            bytes: pointer,
        });
    }
    if !x86_64 || !little {
        let target = match triple.is_empty() {
            true => "a big-endian machine".to_string(),
            false => triple,
        };
        return Err(LoadError::Target { file, target });
    }
    Ok(())
}

impl Module {
    /// Reads bitcode or assembly text, checks it with LLVM's verifier, and checks its target.
    pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Module, LoadError> {
        // SAFETY: the context is used only here and by the module.
        unsafe {
            let context = LLVMContextCreate();
            match parse(context, name, bytes) {
                Ok(module) => Ok(Module {
                    context,
                    module,
                    layout: LLVMGetModuleDataLayout(module),
                }),
                Err(error) => {
                    LLVMContextDispose(context);
                    Err(error)
                }
            }
        }
    }

    /// The assembly text of the module.
    pub(crate) fn to_text(&self) -> String {
        // SAFETY: the module is alive, the message is freed by `take_message`.
        unsafe { take_message(LLVMPrintModuleToString(self.module)) }
    }

    /// The number LLVM gives an attribute.
    pub(crate) fn attribute_kind(&self, name: &str) -> u32 {
        // SAFETY: a plain lookup by name.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }

    /// Assembly at module level; it may define symbols.
    pub(crate) fn inline_assembly(&self) -> String {
        let mut length = 0;
        // SAFETY: the module is alive; the text is copied.
        unsafe { text(LLVMGetModuleInlineAsm(self.module, &mut length), length) }
    }

    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        linking::functions(self.module)
    }

    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        linking::globals(self.module)
    }

    pub(crate) fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        linking::aliases(self.module)
    }

    /// The type of integers of a width.
    pub(crate) fn int_type(&self, width: u32) -> Type<'_> {
        // SAFETY: the context is alive; widths come from existing types.
        Type::new(unsafe { LLVMIntTypeInContext(self.context, width) })
    }

    /// Bytes between elements of a sized type.
    pub(crate) fn alloc_size(&self, ty: Type<'_>) -> u64 {
        // SAFETY: callers ask for sized types only.
        unsafe { LLVMABISizeOfType(self.layout, ty.raw) }
    }

    /// How wide pointers are that are in no address space of their own.
    pub(crate) fn pointer_width(&self) -> PointerWidth {
        // SAFETY: the layout is the module's.
        let bytes = unsafe { LLVMPointerSize(self.layout) };
        PointerWidth::from_bytes(u64::from(bytes)).expect("checked when the module was read")
    }

    /// Bytes a store of a sized type writes.
    pub(crate) fn store_size(&self, ty: Type<'_>) -> u64 {
        // SAFETY: callers ask for sized types only.
        unsafe { LLVMStoreSizeOfType(self.layout, ty.raw) }
    }

    /// Natural alignment of a sized type.
    pub(crate) fn alignment(&self, ty: Type<'_>) -> u64 {
        // SAFETY: callers ask for sized types only.
        u64::from(unsafe { LLVMABIAlignmentOfType(self.layout, ty.raw) })
    }

    /// Where an element of a struct type lies.
    pub(crate) fn struct_offset(&self, ty: Type<'_>, index: u32) -> u64 {
        // SAFETY: callers ask for sized struct types and indices within them.
        unsafe { LLVMOffsetOfElement(self.layout, ty.raw, index) }
    }

    /// The nodes of a kind that a function or global has, each as its operands.
    pub(crate) fn metadata_of<'m>(
        &'m self,
        value: Value<'m>,
        kind: &str,
    ) -> Vec<Vec<Option<Value<'m>>>> {
        let mut count = 0;
        let mut nodes = Vec::new();
        // SAFETY: callers have a function or global of this module; the entries are freed after they
        // were looked at, the nodes belong to the context.
        unsafe {
            let length = kind.len() as c_uint;
            let kind = LLVMGetMDKindIDInContext(self.context, kind.as_ptr().cast(), length);
            let entries = LLVMGlobalCopyAllMetadata(value.raw, &mut count);
            for i in 0..count as c_uint {
                if LLVMValueMetadataEntriesGetKind(entries, i) == kind {
                    let node = LLVMValueMetadataEntriesGetMetadata(entries, i);
                    nodes.push(Metadata::new(node));
                }
            }
            LLVMDisposeValueMetadataEntries(entries);
        }
        nodes
            .into_iter()
            .map(|node| self.metadata_operands(node))
            .collect()
    }

    /// The operands of a metadata node, as values; missing ones are `None`.
    pub(crate) fn metadata_operands<'m>(&'m self, node: Metadata<'m>) -> Vec<Option<Value<'m>>> {
        // SAFETY: the node belongs to the context; LLVM fills as many operands as it counts.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, node.raw);
            let count = LLVMGetMDNodeNumOperands(value) as usize;
            let mut operands = vec![ptr::null_mut(); count];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands.into_iter().map(Value::optional).collect()
        }
    }
}

/// LLVM's message for text has the place first, the source line and a marker after.
fn parse_error(name: &str, message: &str) -> LoadError {
    let first = message.lines().next().unwrap_or_default();
    let rest = first.strip_prefix(name).unwrap_or(first);
    let (place, what) = match rest.split_once(" error: ") {
        Some((place, what)) => (place.trim_end_matches(':'), what),
        None => (
            "",
            rest.trim_start_matches(": ").trim_start_matches("error: "),
        ),
    };
    LoadError::Invalid {
        file: format!("{name}{place}"),
        message: what.to_string(),
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: nothing refers into the module any more, since references borrow it.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

macro_rules! reference {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) struct $name<'m> {
            raw: $raw,
            module: PhantomData<&'m Module>,
        }

        impl<'m> $name<'m> {
            fn new(raw: $raw) -> Self {
                $name { raw, module: PhantomData }
            }

            #[allow(dead_code, reason = "types are never missing")]
            fn optional(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then(|| Self::new(raw))
            }
        }
    };
}

reference!(
    /// A type.
    Type, LLVMTypeRef
);
reference!(
    /// A value: a constant, a global, a parameter, an instruction, a block.
    Value, LLVMValueRef
);
reference!(
    /// A basic block.
    BasicBlock, LLVMBasicBlockRef
);
reference!(
    /// A metadata node.
    Metadata, LLVMMetadataRef
);
