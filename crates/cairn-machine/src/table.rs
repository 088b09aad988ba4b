//! The functions of a program as they run, flattened when they are first called.

use crate::Domain;
use crate::code::{CallSite, Code, Constant, FlatOp};
use crate::cover::CoverMap;
use crate::flatten::flatten;
use crate::jump::{self, Jump};
use crate::stop_points::{Arrival, StopPoints};
use cairn_ir::{BlockId, FuncId, Function, PlaceId, Prefix, Program};
use cairn_memory::{ObjectId, PointerWidth, Word, code_region};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// Functions have addresses this many bytes apart, from the second such place of their region on. They
/// are not objects: no access to them succeeds, only to what the program has right before them.
const FUNCTION_SPACING: u64 = Prefix::MOST as u64;

/// The address of a function of a program with pointers of a width.
pub fn function_address(width: PointerWidth, function: FuncId) -> u64 {
    let place = u64::from(function.0) + 1;
    code_region(width).start + FUNCTION_SPACING * place
}

/// A pointer to a function, which is an address of no object.
pub fn function_pointer(width: PointerWidth, function: FuncId) -> Word {
    Word {
        bits: function_address(width, function),
        object: ObjectId::ADDRESS,
    }
}

/// A function's code and the content of a new frame's registers.
#[derive(Debug)]
pub(crate) struct LoadedCode<V> {
    pub code: Code,
    pub template: Vec<V>,
}

/// The code of a program.
#[derive(Debug)]
pub struct CodeTable<V> {
    program: Arc<Program>,
    functions: Vec<OnceCell<Box<LoadedCode<V>>>>,
    /// Functions without a body that jump between calls; hardly ever any.
    jumps: Vec<(FuncId, Jump)>,
    /// The points to cover, if that is wanted.
    cover: Option<Arc<CoverMap>>,
    /// Where threads stop, if that was requested.
    stops: Option<Arc<StopPoints>>,
    /// Whether stack objects that are certainly written before they are read are told apart.
    tell_unwritten: bool,
}

impl<V: Clone> CodeTable<V> {
    /// Nothing flattened yet. The program must have passed the verifier.
    pub fn new(program: Arc<Program>) -> Self {
        let bodiless = program.functions.iter().enumerate();
        // A bodiless function without parameters is none of C, but machine code that is not lowered yet.
        let takes_something = |f: &Function| !f.params.is_empty() || f.variadic;
        let bodiless = bodiless.filter(|(_, f)| f.body.is_none() && takes_something(f));
        CodeTable {
            jumps: bodiless
                .filter_map(|(i, f)| Some((FuncId::new(i), jump::jump(&f.name)?)))
                .collect(),
            functions: program.functions.iter().map(|_| OnceCell::new()).collect(),
            program,
            cover: None,
            stops: None,
            tell_unwritten: false,
        }
    }

    /// The same, with the program telling the domain which points it passes.
    #[must_use]
    pub fn covering(mut self, map: Arc<CoverMap>) -> Self {
        self.cover = Some(map);
        self
    }

    /// The points of a program that has grown, for functions that are not flattened yet.
    pub fn cover_more(&mut self, map: Arc<CoverMap>) {
        self.cover = Some(map);
    }

    /// The same, with threads stopping at these points.
    #[must_use]
    pub fn stopping_at(mut self, points: Arc<StopPoints>) -> Self {
        self.stops = (!points.is_empty()).then_some(points);
        self
    }

    /// The same code, nothing of it flattened yet, for values of another kind.
    #[must_use]
    pub fn for_other_values<W: Clone>(&self) -> CodeTable<W> {
        CodeTable {
            program: Arc::clone(&self.program),
            functions: self.functions.iter().map(|_| OnceCell::new()).collect(),
            jumps: self.jumps.clone(),
            cover: self.cover.clone(),
            stops: self.stops.clone(),
            tell_unwritten: self.tell_unwritten,
        }
    }

    /// What a block is to paths that arrive there, if threads stop at it.
    pub fn arrival(&self, function: FuncId, block: BlockId) -> Option<Arrival> {
        self.stops.as_ref()?.at(function, block)
    }

    /// The same table, but `alloca` tells the domain which objects may be read before they are written. Without this it
    /// says so of all objects.
    #[must_use]
    pub fn telling_unwritten(mut self) -> Self {
        self.tell_unwritten = true;
        self
    }

    /// Puts a program that has grown in place of the one it was; that one is given back. A function that
    /// had a body must have the same; those that had none may have one now, and there may be more.
    pub fn exchange(&mut self, program: Arc<Program>) -> Arc<Program> {
        let functions = self.functions.len().max(program.functions.len());
        self.functions.resize_with(functions, OnceCell::new);
        std::mem::replace(&mut self.program, program)
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Whether a function without a body jumps between calls, and how.
    #[inline]
    pub(crate) fn jump(&self, function: FuncId) -> Option<Jump> {
        let mut jumps = self.jumps.iter();
        jumps.find(|(f, _)| *f == function).map(|(_, jump)| *jump)
    }

    /// The code of a function that was called before.
    #[inline]
    pub(crate) fn loaded(&self, function: FuncId) -> Option<&LoadedCode<V>> {
        self.functions[function.index()].get().map(|b| &**b)
    }

    /// The place in the source of an operation of a function that was called before.
    pub fn place(&self, function: FuncId, at: u32) -> PlaceId {
        let loaded = self.loaded(function);
        let place = loaded.and_then(|c| c.code.places.get(at as usize).copied());
        place.unwrap_or(PlaceId::UNKNOWN)
    }

    /// The code of a function; `None` if it has no body.
    pub(crate) fn code<D>(&self, domain: &D, function: FuncId) -> Option<&LoadedCode<V>>
    where
        D: Domain<Value = V>,
    {
        let cell = &self.functions[function.index()];
        if let Some(loaded) = cell.get() {
            return Some(loaded);
        }
        let code = flatten(
            &self.program,
            function,
            self.cover.as_deref(),
            self.stops.as_deref(),
            self.tell_unwritten,
            domain.reaches_any(),
        )?;
        let mut template = vec![domain.int(0); code.locals as usize];
        template.extend(code.constants.iter().map(|c| match c {
            Constant::Int(bits) => domain.int(*bits),
            Constant::Address(symbol, offset) => domain.symbol(*symbol, *offset),
        }));
        Some(cell.get_or_init(|| Box::new(LoadedCode { code, template })))
    }

    /// The place of the operation before a position of a function that was called before.
    pub fn place_before(&self, function: FuncId, position: u32) -> PlaceId {
        let at = (position as usize).saturating_sub(1);
        let places = self.loaded(function).map(|l| &l.code.places);
        places
            .and_then(|places| places.get(at).copied())
            .unwrap_or(PlaceId::UNKNOWN)
    }

    /// The instructions of the program form that the operation at a position begins, of a function
    /// that was called before: their block and their numbers in it, the terminator after the
    /// others. An operation may stand for several instructions, and several for one; then the
    /// first of them begins it.
    pub fn instructions_at(&self, function: FuncId, position: u32) -> (BlockId, Range<usize>) {
        let Some(loaded) = self.loaded(function) else {
            return (BlockId::new(0), 0..0);
        };
        let (code, at) = (&loaded.code, position as usize);
        let Some(&(block, mut last)) = code.points.get(at) else {
            return (BlockId::new(0), 0..0);
        };
        let fused = matches!(
            code.ops[at],
            FlatOp::EqBranch(..)
                | FlatOp::NeBranch(..)
                | FlatOp::UltBranch(..)
                | FlatOp::UleBranch(..)
                | FlatOp::SltBranch(..)
                | FlatOp::SleBranch(..)
        );
        if fused {
            last = code.points[at + 1].1;
        }
        let first = match at.checked_sub(1).map(|before| code.points[before]) {
            Some((same, before)) if same == block => before as usize + 1,
            Some(_) | None => 0,
        };
        (BlockId::new(block as usize), first..last as usize + 1)
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        let first = function_address(self.program.pointer_width, FuncId::new(0));
        let offset = address.checked_sub(first)?;
        let index = usize::try_from(offset / FUNCTION_SPACING).ok()?;
        (offset.is_multiple_of(FUNCTION_SPACING) && index < self.functions.len())
            .then(|| FuncId::new(index))
    }

    /// Whether a call fits a function. As in compiled C, a result that the caller does not use is dropped;
    /// and a call without a prototype, whose arguments are all variadic, may call a function with named
    /// parameters.
    pub(crate) fn accepts(&self, function: FuncId, site: &CallSite) -> bool {
        let f = self.program.function(function);
        let named = if f.variadic {
            f.params == site.arg_widths
        } else {
            let extra = site.variadic.iter().map(|v| &v.1);
            f.params.iter().eq(site.arg_widths.iter().chain(extra))
        };
        named && (site.results.is_empty() || f.results == site.result_widths)
    }
}
