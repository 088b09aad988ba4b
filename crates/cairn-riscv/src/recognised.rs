//! Functions that are known by their symbol and run outside: what talks to Cairn, and the heap.
//!
//! A guest function of one of these names is not lowered (some only if it is empty: see [`recognise`]). In its place stands a function that takes the
//! arguments from the registers of the calling convention, calls the function of that name that the
//! machine provides, and returns. So a heap object is an object of its own, and what is wrong with
//! an allocation or an access is found.

use crate::build::RegionBuilder;
use crate::elf::{Executable, SymbolKind};
use crate::guest::GuestOptions;
use crate::region;
use crate::registers::FLOATS;
use crate::table::Opcode;
use crate::values::address_of;
use cairn_ir::{BinaryOp, Body, Call, Callee, CastOp, FuncId, Inst, Operand, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// A function that is known by its name.
pub(crate) struct Recognised {
    /// The names of its symbol. The first is that of the native.
    pub names: &'static [&'static str],
    /// Widths of its integer arguments.
    pub params: &'static [u32],
    /// The width of its floating-point argument, if it has one; it comes last.
    pub float: Option<u32>,
    /// Its result, if it has one.
    pub result: Option<ReturnWidth>,
}

/// A result: how wide it is, and how the calling convention widens it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnWidth {
    /// Of this width, with the sign above.
    Signed(u32),
    /// Of this width, with zeros above.
    Unsigned(u32),
    /// A floating-point number of this width.
    Float(u32),
    /// Two words, the lower first.
    Pair,
}

impl ReturnWidth {
    /// Bits of the result.
    pub fn width(self) -> u32 {
        match self {
            Signed(width) | Unsigned(width) | Float(width) => width,
            Pair => 128,
        }
    }
}

use ReturnWidth::{Float, Pair, Signed, Unsigned};

const fn row(
    names: &'static [&'static str],
    params: &'static [u32],
    result: Option<ReturnWidth>,
) -> Recognised {
    Recognised {
        names,
        params,
        float: None,
        result,
    }
}

/// A function that gives back its floating-point argument.
const fn of_float(names: &'static [&'static str], width: u32) -> Recognised {
    Recognised {
        names,
        params: &[],
        float: Some(width),
        result: Some(Float(width)),
    }
}

const WORD: Option<ReturnWidth> = Some(Signed(64));
const INT: Option<ReturnWidth> = Some(Signed(32));

/// The heap. All of them are taken or none: memory of one allocator must not be freed by another.
pub(crate) const HEAP: &[Recognised] = &[
    row(&["malloc", "__libc_malloc"], &[64], WORD),
    row(&["free", "cfree", "__libc_free"], &[64], None),
    row(&["calloc", "__libc_calloc"], &[64, 64], WORD),
    row(&["realloc", "__libc_realloc"], &[64, 64], WORD),
    row(
        &["reallocarray", "__libc_reallocarray"],
        &[64, 64, 64],
        WORD,
    ),
    row(
        &["aligned_alloc", "memalign", "__libc_memalign"],
        &[64, 64],
        WORD,
    ),
    row(&["posix_memalign", "__posix_memalign"], &[64, 64, 64], INT),
    row(&["malloc_usable_size"], &[64], WORD),
];

/// The function that makes a word an input between two numbers, so many steps above the first; programs of
/// the Selfie project call it `interval`. It is a function of the program, and only an empty one of that
/// name is taken for it: others have a meaning of their own.
pub(crate) const INTERVAL: &str = "machine_code.interval";

/// The function that verifiers look for calls of. Programs mostly define it; only an empty one is taken.
const REACH_ERROR: &str = "reach_error";

/// What talks to Cairn.
pub(crate) const INTRINSICS: &[Recognised] = &[
    row(&["klee_make_symbolic"], &[64, 64, 64], None),
    row(&["klee_range"], &[32, 32, 64], INT),
    row(&["klee_int"], &[64], INT),
    row(&["klee_choose"], &[64], WORD),
    row(&["klee_assume"], &[64], None),
    row(&["klee_prefer_cex"], &[64, 64], None),
    row(&["klee_posix_prefer_cex"], &[64, 64], None),
    row(&["klee_silent_exit"], &[32], None),
    row(&["klee_abort"], &[], None),
    row(&["klee_report_error"], &[64, 32, 64, 64], None),
    row(&["klee_is_symbolic"], &[64], INT),
    row(&["klee_is_replay"], &[], INT),
    row(&["klee_get_obj_size"], &[64], WORD),
    of_float(&["klee_get_valuef", "klee_get_value_f"], 32),
    of_float(&["klee_get_valued", "klee_get_value_d"], 64),
    row(&["klee_get_valuel"], &[64], WORD),
    row(&["klee_get_valuell"], &[64], WORD),
    row(&["klee_get_value_i32"], &[32], INT),
    row(&["klee_get_value_i64"], &[64], WORD),
    row(&["klee_check_memory_access"], &[64, 64], None),
    row(&["klee_define_fixed_object"], &[64, 64], None),
    row(&["klee_mark_global"], &[64], None),
    row(&["klee_set_forking"], &[32], None),
    row(&["klee_open_merge"], &[], None),
    row(&["klee_close_merge"], &[], None),
    row(&["klee_warning"], &[64], None),
    row(&["klee_warning_once"], &[64], None),
    row(&["klee_print_expr"], &[64], None),
    row(&["klee_print_range"], &[64, 32], None),
    row(&["klee_stack_trace"], &[], None),
    row(&["__VERIFIER_nondet_bool"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_char"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_schar"], &[], Some(Signed(8))),
    row(&["__VERIFIER_nondet_uchar"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_short"], &[], Some(Signed(16))),
    row(&["__VERIFIER_nondet_ushort"], &[], Some(Unsigned(16))),
    row(&["__VERIFIER_nondet_int"], &[], INT),
    row(&["__VERIFIER_nondet_uint"], &[], INT),
    row(&["__VERIFIER_nondet_unsigned"], &[], INT),
    row(&["__VERIFIER_nondet_long"], &[], WORD),
    row(&["__VERIFIER_nondet_ulong"], &[], WORD),
    row(&["__VERIFIER_nondet_longlong"], &[], WORD),
    row(&["__VERIFIER_nondet_ulonglong"], &[], WORD),
    row(&["__VERIFIER_nondet_size_t"], &[], WORD),
    row(&["__VERIFIER_nondet_u8"], &[], Some(Unsigned(8))),
    row(&["__VERIFIER_nondet_u16"], &[], Some(Unsigned(16))),
    row(&["__VERIFIER_nondet_u32"], &[], INT),
    row(&["__VERIFIER_nondet_u64"], &[], WORD),
    row(&["__VERIFIER_nondet_sector_t"], &[], WORD),
    row(&["__VERIFIER_nondet_loff_t"], &[], WORD),
    row(&["__VERIFIER_nondet_pthread_t"], &[], WORD),
    row(&["__VERIFIER_nondet_float"], &[], Some(Float(32))),
    row(&["__VERIFIER_nondet_double"], &[], Some(Float(64))),
    row(&["__VERIFIER_nondet_int128"], &[], Some(Pair)),
    row(&["__VERIFIER_nondet_uint128"], &[], Some(Pair)),
    row(&["__VERIFIER_nondet_pchar"], &[], WORD),
    row(&["__VERIFIER_nondet_pointer"], &[], WORD),
    row(&["__VERIFIER_nondet_memory"], &[64, 64], None),
    row(&["__VERIFIER_assume"], &[32], None),
    row(&["__VERIFIER_error"], &[], None),
    row(&[REACH_ERROR], &[], None),
    row(&[INTERVAL, "interval"], &[64, 64, 64, 64], None),
    row(&["abort"], &[], None),
    row(&["__assert_fail"], &[64, 64, 32, 64], None),
];

impl Recognised {
    /// A function that calls the native. Floating-point numbers of at most `float_width` bits are in
    /// registers of their own.
    pub fn stand_in(&self, callee: FuncId, float_width: u32) -> Body {
        let float_register = |width: u32| match width <= float_width {
            true => FLOATS + FIRST,
            false => FIRST,
        };
        // It has no place: what is wrong with a call is wrong where the call is.
        let mut b = RegionBuilder::new(1);
        let mut args = Vec::new();
        let integers = (FIRST..).zip(self.params.iter().copied());
        let float = self.float.map(|width| (float_register(width), width));
        for (register, width) in integers.chain(float) {
            let word = b.load(64, address_of(register));
            args.push((b.cast(CastOp::Trunc, 64, width, word), width));
        }
        let result = self
            .result
            .map(|result| (result, b.body.local(result.width())));
        b.emit(Inst::Call(Box::new(Call {
            callee: Callee::Direct(callee),
            args,
            variadic: Vec::new(),
            results: result.iter().map(|(_, local)| *local).collect(),
        })));
        if let Some((result, local)) = result {
            let value = Operand::Local(local);
            match result {
                Signed(width) => {
                    let word = b.cast(CastOp::Sext, width, 64, value);
                    b.store(64, word, address_of(FIRST));
                }
                Unsigned(width) => {
                    let word = b.cast(CastOp::Zext, width, 64, value);
                    b.store(64, word, address_of(FIRST));
                }
                Float(width) => {
                    let word = b.cast(CastOp::Zext, width, 64, value);
                    let above = Operand::Int(u64::MAX.checked_shl(width).unwrap_or(0));
                    let word = b.binary(BinaryOp::Or, 64, word, above);
                    b.store(64, word, address_of(float_register(width)));
                }
                Pair => {
                    for (register, low) in [(FIRST, 0), (FIRST + 1, 64)] {
                        let dst = b.body.local(64);
                        b.emit(Inst::Extract {
                            dst,
                            from: 128,
                            value: value.clone(),
                            low,
                        });
                        b.store(64, Operand::Local(dst), address_of(register));
                    }
                }
            }
        }
        let back = b.load(64, address_of(1));
        let back = b.binary(BinaryOp::And, 64, back, Operand::Int(!1));
        b.end(Terminator::Return(vec![back, Operand::Int(0)]));
        b.body
    }
}

/// The register of the first argument and of the result.
const FIRST: usize = 10;

/// The functions that are known by their symbols.
pub(crate) fn recognise(
    executable: &Executable,
    options: &GuestOptions,
) -> BTreeMap<u64, &'static Recognised> {
    let mut found = BTreeMap::new();
    let has = |name: &str| executable.symbols.iter().any(|s| s.name == name);
    let heap = options.recognise_heap && has("malloc") && has("free");
    let known: BTreeMap<&str, &Recognised> = INTRINSICS
        .iter()
        .chain(heap.then_some(HEAP).into_iter().flatten())
        .flat_map(|r| r.names.iter().map(move |name| (*name, r)))
        .collect();
    for symbol in &executable.symbols {
        if symbol.kind != SymbolKind::Object
            && executable.code_at(symbol.address).is_some()
            && let Some(&row) = known.get(symbol.name.as_str())
            && (![INTERVAL, REACH_ERROR].contains(&row.names[0])
                || is_empty(executable, symbol.address))
        {
            found.entry(symbol.address).or_insert(row);
        }
    }
    found
}

/// Whether a function does nothing but keep its arguments in its frame.
fn is_empty(executable: &Executable, entry: u64) -> bool {
    let region = region::find(executable, entry, &BTreeSet::from([entry]));
    let insts = region.blocks.values().flat_map(|block| &block.insts);
    let mut insts = insts.map(|(_, inst)| inst);
    // The stack pointer, the frame pointer and the return address.
    let in_frame = |register: u8| register == 2 || register == 8;
    insts.all(|inst| match inst.op {
        Opcode::Addi => in_frame(inst.rd) && in_frame(inst.rs1),
        Opcode::Sd => in_frame(inst.rs1),
        Opcode::Ld => in_frame(inst.rs1) && (inst.rd == 1 || inst.rd == 8),
        Opcode::Jalr => inst.rd == 0 && inst.rs1 == 1,
        Opcode::Jal => inst.rd == 0,
        _ => false,
    })
}
