//! Owning handles around Z3's objects.
//!
//! # Problem
//! Z3's C interface leaves counting references, looking for errors and pairing
//! objects with their context to the caller; one slip is a crash.
//!
//! # Idea
//! Handles ([`Z3Context`], [`Ast`], [`Assignment`], and the solver of `solver.rs`) that
//! count by construction and return errors as values. The rest of this core solver is safe code.
//!
//! # Soundness
//! Every call rests on three invariants:
//! - **I1** A handle holds its context, so no object outlives its context, and every method
//!   asserts that the terms it is given are of its context.
//! - **I2** An object is counted right after the call that returned it and before the next call
//!   (until then Z3 keeps the last result alive), and released once, on drop.
//! - **I3** Handles hold an `Rc`, so they stay on one thread. The one exception is
//!   `Z3_interrupt`, which Z3 allows from any thread.
//!
//! # Cost
//! Two counters per term handle.

use super::library::{Api, Ctx, Obj};
use super::watchdog::Watchdog;
use cairn_expr::{BitVec, Op, Sort};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::ptr::{null, null_mut};
use std::rc::Rc;

/// Does nothing: errors are asked for after the call. Without a handler Z3 may end the process.
extern "C" fn ignore_error(_context: Ctx, _code: c_uint) {}

pub(super) struct ContextInner {
    pub(super) api: &'static Api,
    pub(super) raw: Ctx,
    sorts: RefCell<FxHashMap<Sort, Obj>>,
    next_symbol: Cell<c_int>,
    pub(super) interrupted: Cell<bool>,
    watchdog: OnceCell<Watchdog>,
}

impl Drop for ContextInner {
    fn drop(&mut self) {
        for sort in self.sorts.get_mut().values() {
            // SAFETY: counted when it was put into the map (I2).
            unsafe { (self.api.dec_ref)(self.raw, *sort) };
        }
        // SAFETY: the last holder is gone, so no handle is left (I1).
        unsafe { (self.api.del_context)(self.raw) };
    }
}

/// A context of Z3: the owner of terms, on one thread.
#[derive(Clone)]
pub(super) struct Z3Context(pub(super) Rc<ContextInner>);

/// A counted term of Z3.
pub(super) struct Ast {
    ctx: Z3Context,
    raw: Obj,
}

impl Clone for Ast {
    fn clone(&self) -> Self {
        self.ctx.counted(self.raw)
    }
}

impl Drop for Ast {
    fn drop(&mut self) {
        // SAFETY: I1, I2.
        unsafe { (self.ctx.0.api.dec_ref)(self.ctx.0.raw, self.raw) };
    }
}

impl PartialEq for Ast {
    /// Z3 shares equal terms of a context, so identity is equality.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Z3Context {
    /// A fresh context.
    pub(super) fn new(api: &'static Api) -> Result<Self, String> {
        // SAFETY: the configuration lives for the call and is deleted once. The handler is a
        // plain function, so it outlives the context.
        let raw = unsafe {
            let config = (api.mk_config)();
            let raw = (api.mk_context)(config);
            (api.del_config)(config);
            if !raw.is_null() {
                (api.set_error_handler)(raw, ignore_error);
            }
            raw
        };
        if raw.is_null() {
            return Err("Z3 makes no context".to_string());
        }
        Ok(Z3Context(Rc::new(ContextInner {
            api,
            raw,
            sorts: RefCell::default(),
            next_symbol: Cell::new(0),
            interrupted: Cell::new(false),
            watchdog: OnceCell::new(),
        })))
    }

    /// Who looks at the limits of its checks.
    pub(super) fn watchdog(&self) -> &Watchdog {
        self.0.watchdog.get_or_init(Watchdog::new)
    }

    /// Whether it was interrupted. An interruption may outlast the check it was meant for,
    /// so such a context should not be used further.
    pub(super) fn was_interrupted(&self) -> bool {
        self.0.interrupted.get()
    }

    /// Counts a term that is known to be alive.
    fn counted(&self, raw: Obj) -> Ast {
        // SAFETY: I2.
        unsafe { (self.0.api.inc_ref)(self.0.raw, raw) };
        Ast {
            ctx: self.clone(),
            raw,
        }
    }

    /// Counts the term that a call returned, or says what went wrong.
    fn counted_result(&self, raw: Obj) -> Result<Ast, String> {
        if raw.is_null() {
            return Err(self
                .error()
                .unwrap_or_else(|| "Z3 made no term".to_string()));
        }
        Ok(self.counted(raw))
    }

    /// The error of the last call.
    pub(super) fn error(&self) -> Option<String> {
        // SAFETY: I1; the text is Z3's and is copied before the next call.
        unsafe {
            match (self.0.api.get_error_code)(self.0.raw) {
                0 => None,
                code => Some(text((self.0.api.get_error_msg)(self.0.raw, code))),
            }
        }
    }

    pub(super) fn raw_of(&self, ast: &Ast) -> Obj {
        assert!(Rc::ptr_eq(&self.0, &ast.ctx.0), "terms of one Z3 context");
        ast.raw
    }

    fn sort(&self, sort: Sort) -> Obj {
        if let Some(raw) = self.0.sorts.borrow().get(&sort) {
            return *raw;
        }
        let (api, ctx) = (self.0.api, self.0.raw);
        let parts = match sort {
            Sort::Bool | Sort::BitVec(_) => None,
            Sort::Array { index, value } => Some((
                self.sort(Sort::BitVec(index)),
                self.sort(Sort::BitVec(value)),
            )),
        };
        // SAFETY: I1, I2; widths are at least 1, which is all that Z3 asks of them.
        let raw = unsafe {
            let raw = match (sort, parts) {
                (Sort::BitVec(w), _) => (api.bv_sort)(ctx, w),
                (Sort::Array { .. }, Some((i, v))) => (api.array_sort)(ctx, i, v),
                (Sort::Bool | Sort::Array { .. }, _) => (api.bool_sort)(ctx),
            };
            (api.inc_ref)(ctx, (api.sort_to_ast)(ctx, raw));
            raw
        };
        self.0.sorts.borrow_mut().insert(sort, raw);
        raw
    }

    /// A constant that no other term of the context is. Numbers name it, so that no name of the
    /// program's can clash or need quoting.
    pub(super) fn fresh(&self, sort: Sort) -> Result<Ast, String> {
        let number = self.0.next_symbol.get();
        self.0.next_symbol.set(number + 1);
        let sort = self.sort(sort);
        // SAFETY: I1, I2; symbols are not counted.
        self.counted_result(unsafe {
            let symbol = (self.0.api.int_symbol)(self.0.raw, number);
            (self.0.api.mk_const)(self.0.raw, symbol, sort)
        })
    }

    /// A bit-vector constant.
    pub(super) fn value(&self, value: &BitVec) -> Result<Ast, String> {
        let (api, ctx) = (self.0.api, self.0.raw);
        if let (Some(v), true) = (value.to_u64(), value.width() <= 64) {
            let sort = self.sort(Sort::BitVec(value.width()));
            // SAFETY: I1, I2.
            return self.counted_result(unsafe { (api.mk_u64)(ctx, v, sort) });
        }
        let bits: Vec<bool> = (0..value.width()).map(|i| value.bit(i)).collect();
        // SAFETY: I1, I2; Z3 reads as many bits as it is told there are.
        self.counted_result(unsafe { (api.mk_bits)(ctx, value.width(), bits.as_ptr()) })
    }

    /// The conjunction of any number of terms.
    pub(super) fn and(&self, terms: &[Ast]) -> Result<Ast, String> {
        let raws: Vec<Obj> = terms.iter().map(|t| self.raw_of(t)).collect();
        let count = c_uint::try_from(raws.len()).map_err(|e| e.to_string())?;
        // SAFETY: I1, I2; the pointer is to `count` terms.
        self.counted_result(unsafe { (self.0.api.mk_and)(self.0.raw, count, raws.as_ptr()) })
    }

    /// The implication.
    pub(super) fn implies(&self, a: &Ast, b: &Ast) -> Result<Ast, String> {
        // SAFETY: I1, I2.
        self.counted_result(unsafe {
            (self.0.api.mk_implies)(self.0.raw, self.raw_of(a), self.raw_of(b))
        })
    }

    /// An operator on operands; constants, symbols and tables are the translation's.
    pub(super) fn apply(&self, op: &Op, args: &[Ast]) -> Result<Ast, String> {
        assert_eq!(args.len(), op.info().arity, "operands of {op:?}");
        let (f, c) = (self.0.api, self.0.raw);
        let a = |i: usize| self.raw_of(&args[i]);
        let domain = match op {
            Op::ConstArray { index } => self.sort(Sort::BitVec(*index)),
            _ => null_mut(),
        };
        // SAFETY: I1, I2; the number of operands was looked at above. Operands of wrong sorts
        // are an error that Z3 reports.
        let raw = unsafe {
            match op {
                Op::Bool(true) => (f.mk_true)(c),
                Op::Bool(false) => (f.mk_false)(c),
                Op::Const(_) | Op::Base(_) | Op::Symbol(_) | Op::Table(_) => {
                    return Err(format!("{op:?} is not applied to operands"));
                }
                Op::Not => (f.mk_not)(c, a(0)),
                Op::And => (f.mk_and)(c, 2, [a(0), a(1)].as_ptr()),
                Op::Eq => (f.mk_eq)(c, a(0), a(1)),
                Op::Ite => (f.mk_ite)(c, a(0), a(1), a(2)),
                Op::BvNot => (f.mk_bvnot)(c, a(0)),
                Op::BvNeg => (f.mk_bvneg)(c, a(0)),
                Op::BvAnd => (f.mk_bvand)(c, a(0), a(1)),
                Op::BvOr => (f.mk_bvor)(c, a(0), a(1)),
                Op::BvXor => (f.mk_bvxor)(c, a(0), a(1)),
                Op::BvAdd => (f.mk_bvadd)(c, a(0), a(1)),
                Op::BvMul => (f.mk_bvmul)(c, a(0), a(1)),
                Op::BvUdiv => (f.mk_bvudiv)(c, a(0), a(1)),
                Op::BvUrem => (f.mk_bvurem)(c, a(0), a(1)),
                Op::BvSdiv => (f.mk_bvsdiv)(c, a(0), a(1)),
                Op::BvSrem => (f.mk_bvsrem)(c, a(0), a(1)),
                Op::BvSmod => (f.mk_bvsmod)(c, a(0), a(1)),
                Op::BvShl => (f.mk_bvshl)(c, a(0), a(1)),
                Op::BvLshr => (f.mk_bvlshr)(c, a(0), a(1)),
                Op::BvAshr => (f.mk_bvashr)(c, a(0), a(1)),
                Op::Concat => (f.mk_concat)(c, a(0), a(1)),
                Op::Extract { hi, lo } => (f.mk_extract)(c, *hi, *lo, a(0)),
                Op::ZeroExtend(n) => (f.mk_zero_ext)(c, *n, a(0)),
                Op::SignExtend(n) => (f.mk_sign_ext)(c, *n, a(0)),
                Op::BvUlt => (f.mk_bvult)(c, a(0), a(1)),
                Op::BvSlt => (f.mk_bvslt)(c, a(0), a(1)),
                Op::ConstArray { .. } => (f.mk_const_array)(c, domain, a(0)),
                Op::Select => (f.mk_select)(c, a(0), a(1)),
                Op::Store => (f.mk_store)(c, a(0), a(1), a(2)),
            }
        };
        self.counted_result(raw)
    }

    /// The assertions of an SMT-LIB script.
    pub(super) fn parse(&self, script: &str) -> Result<Vec<Ast>, String> {
        let script = CString::new(script).map_err(|_| "the script has a NUL byte".to_string())?;
        // SAFETY: I1; no names are given besides the script, so the tables may be null.
        let raw = unsafe {
            (self.0.api.parse_script)(
                self.0.raw,
                script.as_ptr(),
                0,
                null(),
                null(),
                0,
                null(),
                null(),
            )
        };
        self.terms(raw)
    }

    /// The terms of a vector that a call returned.
    pub(super) fn terms(&self, vector: Obj) -> Result<Vec<Ast>, String> {
        if let Some(e) = self.error() {
            return Err(e);
        }
        if vector.is_null() {
            return Err("Z3 made no list".to_string());
        }
        let (api, ctx) = (self.0.api, self.0.raw);
        // SAFETY: I1, I2: the vector is counted while it is read, its terms live as long.
        unsafe {
            (api.vector_inc_ref)(ctx, vector);
            let size = (api.vector_size)(ctx, vector);
            let terms = (0..size)
                .map(|i| self.counted((api.vector_get)(ctx, vector, i)))
                .collect();
            (api.vector_dec_ref)(ctx, vector);
            Ok(terms)
        }
    }
}

/// The text at a pointer of Z3's; empty for none.
///
/// # Safety
/// `raw` is null or a C string that lives during the call.
pub(super) unsafe fn text(raw: *const c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(raw) }
        .to_string_lossy()
        .into_owned()
}

/// The shape of an array's value in a model.
pub(super) enum Shape {
    /// An array, an index and the element there.
    Store(Ast, Ast, Ast),
    /// The same element everywhere.
    Everywhere(Ast),
    /// The graph of a function that the model lists.
    AsArray,
    /// Anything else.
    Other,
}

const KIND_APP: c_uint = 1;
const OP_STORE: c_uint = 0x300;
const OP_CONST_ARRAY: c_uint = 0x302;
const OP_AS_ARRAY: c_uint = 0x30a;

impl Ast {
    /// The value of a Boolean literal.
    pub(super) fn as_bool(&self) -> Option<bool> {
        // SAFETY: I1.
        match unsafe { (self.ctx.0.api.get_bool_value)(self.ctx.0.raw, self.raw) } {
            1 => Some(true),
            -1 => Some(false),
            _ => None,
        }
    }

    /// The value of a bit-vector literal of that width.
    pub(super) fn as_bits(&self, width: u32) -> Option<BitVec> {
        let (api, ctx) = (self.ctx.0.api, self.ctx.0.raw);
        let mut word = 0;
        // SAFETY: I1; Z3 writes one word. A term that is no number is an error, not a crash.
        if unsafe { (api.get_u64)(ctx, self.raw, &raw mut word) } {
            return Some(BitVec::new(width, word));
        }
        // SAFETY: I1; the text is copied before the next call.
        let digits = unsafe { text((api.get_binary)(ctx, self.raw)) };
        let missing = (width as usize).checked_sub(digits.len())?;
        BitVec::parse_bin(&format!("{}{digits}", "0".repeat(missing)))
    }

    /// The form of an array's value.
    pub(super) fn shape(&self) -> Shape {
        let (api, ctx) = (self.ctx.0.api, self.ctx.0.raw);
        // SAFETY: I1; only applications are taken apart, at operands that they have. Operands
        // live as long as the application does.
        unsafe {
            if (api.get_ast_kind)(ctx, self.raw) != KIND_APP {
                return Shape::Other;
            }
            let app = (api.to_app)(ctx, self.raw);
            let kind = (api.get_decl_kind)(ctx, (api.get_app_decl)(ctx, app));
            let count = (api.get_app_num_args)(ctx, app);
            let arg = |i| self.ctx.counted((api.get_app_arg)(ctx, app, i));
            match (kind, count) {
                (OP_STORE, 3) => Shape::Store(arg(0), arg(1), arg(2)),
                (OP_CONST_ARRAY, 1) => Shape::Everywhere(arg(0)),
                (OP_AS_ARRAY, 0) => Shape::AsArray,
                _ => Shape::Other,
            }
        }
    }
}

/// A model of Z3's.
pub(super) struct Assignment {
    pub(super) ctx: Z3Context,
    pub(super) raw: Obj,
}

impl Drop for Assignment {
    fn drop(&mut self) {
        // SAFETY: I1, I2.
        unsafe { (self.ctx.0.api.model_dec_ref)(self.ctx.0.raw, self.raw) };
    }
}

impl Assignment {
    /// The value of a term; what the model leaves open is chosen.
    pub(super) fn eval(&self, term: &Ast) -> Result<Ast, String> {
        let mut out = null_mut();
        let term = self.ctx.raw_of(term);
        // SAFETY: I1, I2; Z3 writes one term.
        let done = unsafe {
            (self.ctx.0.api.model_eval)(self.ctx.0.raw, self.raw, term, true, &raw mut out)
        };
        self.ctx.counted_result(if done { out } else { null_mut() })
    }

    /// The entries of the function of an array value, and its value elsewhere.
    pub(super) fn graph(&self, array: &Ast) -> Result<(Vec<(Ast, Ast)>, Ast), String> {
        let array = self.ctx.raw_of(array);
        let (api, ctx) = (self.ctx.0.api, self.ctx.0.raw);
        // SAFETY: I1, I2: the function and each entry are counted while they are read. A value
        // that is no graph makes Z3 return null, which is looked for.
        unsafe {
            let decl = (api.get_as_array_decl)(ctx, array);
            if decl.is_null() {
                return Err("Z3 names no function for an array".to_string());
            }
            let func = (api.model_get_func_interp)(ctx, self.raw, decl);
            if func.is_null() {
                return Err("Z3's model lacks the function of an array".to_string());
            }
            (api.func_inc_ref)(ctx, func);
            let mut entries = Vec::new();
            for i in 0..(api.func_num_entries)(ctx, func) {
                let entry = (api.func_get_entry)(ctx, func, i);
                (api.entry_inc_ref)(ctx, entry);
                let index = self.ctx.counted((api.entry_get_arg)(ctx, entry, 0));
                let value = self.ctx.counted((api.entry_get_value)(ctx, entry));
                (api.entry_dec_ref)(ctx, entry);
                entries.push((index, value));
            }
            let otherwise = self.ctx.counted_result((api.func_get_else)(ctx, func));
            (api.func_dec_ref)(ctx, func);
            Ok((entries, otherwise?))
        }
    }
}
