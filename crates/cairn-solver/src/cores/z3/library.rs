//! Z3's C library, loaded when it is first asked for.
//!
//! # Problem
//! Linking against Z3 would make every build of Cairn need it.
//!
//! # Idea
//! The functions are looked up by name in a library found at run time and kept in one
//! table. What the project's set-up installed is preferred to what the system has, since it is
//! newer; `CAIRN_Z3_LIBRARY` overrules both.
//!
//! # Soundness
//! The types in the table are those of `z3_api.h`, the same from 4.8 on; a library
//! that lacks one of the names is not used. Calls are `unsafe`; they are made in `handles.rs` and
//! `solver.rs`, which say why each is right.
//!
//! # Cost
//! Some milliseconds at the first use. The library stays loaded until the process ends.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) type Ctx = *mut c_void;
/// Any object of Z3: terms, sorts, solvers, models. Which one it is, the handle around it knows.
pub(super) type Obj = *mut c_void;

/// Declares the table of functions and the lookup of each by its name.
macro_rules! functions {
    ($($name:ident = $symbol:literal : fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// Z3's functions that this core solver calls.
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            /// Where it was found.
            origin: String,
            /// Keeps the code mapped; dropped never, since the table lives in a `static`.
            _library: Library,
        }

        impl Api {
            fn lookup(library: Library, origin: String) -> Result<Self, String> {
                $(
                    // SAFETY: the type is the one `z3_api.h` declares for this name.
                    let $name = unsafe {
                        *library
                            .get::<unsafe extern "C" fn($($arg),*) $(-> $ret)?>($symbol.as_bytes())
                            .map_err(|_| format!("{origin} has no function {}", $symbol))?
                    };
                )*
                Ok(Api { $($name,)* origin, _library: library })
            }
        }
    };
}

functions! {
    get_version = "Z3_get_version": fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);
    mk_config = "Z3_mk_config": fn() -> Obj;
    del_config = "Z3_del_config": fn(Obj);
    mk_context = "Z3_mk_context_rc": fn(Obj) -> Ctx;
    del_context = "Z3_del_context": fn(Ctx);
    set_error_handler = "Z3_set_error_handler": fn(Ctx, extern "C" fn(Ctx, c_uint));
    get_error_code = "Z3_get_error_code": fn(Ctx) -> c_uint;
    get_error_msg = "Z3_get_error_msg": fn(Ctx, c_uint) -> *const c_char;
    interrupt = "Z3_interrupt": fn(Ctx);
    inc_ref = "Z3_inc_ref": fn(Ctx, Obj);
    dec_ref = "Z3_dec_ref": fn(Ctx, Obj);
    int_symbol = "Z3_mk_int_symbol": fn(Ctx, c_int) -> Obj;
    string_symbol = "Z3_mk_string_symbol": fn(Ctx, *const c_char) -> Obj;
    bool_sort = "Z3_mk_bool_sort": fn(Ctx) -> Obj;
    bv_sort = "Z3_mk_bv_sort": fn(Ctx, c_uint) -> Obj;
    array_sort = "Z3_mk_array_sort": fn(Ctx, Obj, Obj) -> Obj;
    sort_to_ast = "Z3_sort_to_ast": fn(Ctx, Obj) -> Obj;
    mk_const = "Z3_mk_const": fn(Ctx, Obj, Obj) -> Obj;
    mk_u64 = "Z3_mk_unsigned_int64": fn(Ctx, u64, Obj) -> Obj;
    mk_bits = "Z3_mk_bv_numeral": fn(Ctx, c_uint, *const bool) -> Obj;
    mk_true = "Z3_mk_true": fn(Ctx) -> Obj;
    mk_false = "Z3_mk_false": fn(Ctx) -> Obj;
    mk_not = "Z3_mk_not": fn(Ctx, Obj) -> Obj;
    mk_and = "Z3_mk_and": fn(Ctx, c_uint, *const Obj) -> Obj;
    mk_implies = "Z3_mk_implies": fn(Ctx, Obj, Obj) -> Obj;
    mk_eq = "Z3_mk_eq": fn(Ctx, Obj, Obj) -> Obj;
    mk_ite = "Z3_mk_ite": fn(Ctx, Obj, Obj, Obj) -> Obj;
    mk_bvnot = "Z3_mk_bvnot": fn(Ctx, Obj) -> Obj;
    mk_bvneg = "Z3_mk_bvneg": fn(Ctx, Obj) -> Obj;
    mk_bvand = "Z3_mk_bvand": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvor = "Z3_mk_bvor": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvxor = "Z3_mk_bvxor": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvadd = "Z3_mk_bvadd": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvmul = "Z3_mk_bvmul": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvudiv = "Z3_mk_bvudiv": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvurem = "Z3_mk_bvurem": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvsdiv = "Z3_mk_bvsdiv": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvsrem = "Z3_mk_bvsrem": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvsmod = "Z3_mk_bvsmod": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvshl = "Z3_mk_bvshl": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvlshr = "Z3_mk_bvlshr": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvashr = "Z3_mk_bvashr": fn(Ctx, Obj, Obj) -> Obj;
    mk_concat = "Z3_mk_concat": fn(Ctx, Obj, Obj) -> Obj;
    mk_extract = "Z3_mk_extract": fn(Ctx, c_uint, c_uint, Obj) -> Obj;
    mk_zero_ext = "Z3_mk_zero_ext": fn(Ctx, c_uint, Obj) -> Obj;
    mk_sign_ext = "Z3_mk_sign_ext": fn(Ctx, c_uint, Obj) -> Obj;
    mk_bvult = "Z3_mk_bvult": fn(Ctx, Obj, Obj) -> Obj;
    mk_bvslt = "Z3_mk_bvslt": fn(Ctx, Obj, Obj) -> Obj;
    mk_const_array = "Z3_mk_const_array": fn(Ctx, Obj, Obj) -> Obj;
    mk_select = "Z3_mk_select": fn(Ctx, Obj, Obj) -> Obj;
    mk_store = "Z3_mk_store": fn(Ctx, Obj, Obj, Obj) -> Obj;
    mk_solver = "Z3_mk_solver": fn(Ctx) -> Obj;
    mk_simple_solver = "Z3_mk_simple_solver": fn(Ctx) -> Obj;
    mk_solver_for_logic = "Z3_mk_solver_for_logic": fn(Ctx, Obj) -> Obj;
    solver_inc_ref = "Z3_solver_inc_ref": fn(Ctx, Obj);
    solver_dec_ref = "Z3_solver_dec_ref": fn(Ctx, Obj);
    solver_set_params = "Z3_solver_set_params": fn(Ctx, Obj, Obj);
    mk_params = "Z3_mk_params": fn(Ctx) -> Obj;
    params_inc_ref = "Z3_params_inc_ref": fn(Ctx, Obj);
    params_dec_ref = "Z3_params_dec_ref": fn(Ctx, Obj);
    params_set_bool = "Z3_params_set_bool": fn(Ctx, Obj, Obj, bool);
    solver_push = "Z3_solver_push": fn(Ctx, Obj);
    solver_pop = "Z3_solver_pop": fn(Ctx, Obj, c_uint);
    solver_assert = "Z3_solver_assert": fn(Ctx, Obj, Obj);
    solver_check = "Z3_solver_check_assumptions": fn(Ctx, Obj, c_uint, *const Obj) -> c_int;
    solver_get_model = "Z3_solver_get_model": fn(Ctx, Obj) -> Obj;
    solver_get_core = "Z3_solver_get_unsat_core": fn(Ctx, Obj) -> Obj;
    solver_get_reason = "Z3_solver_get_reason_unknown": fn(Ctx, Obj) -> *const c_char;
    vector_inc_ref = "Z3_ast_vector_inc_ref": fn(Ctx, Obj);
    vector_dec_ref = "Z3_ast_vector_dec_ref": fn(Ctx, Obj);
    vector_size = "Z3_ast_vector_size": fn(Ctx, Obj) -> c_uint;
    vector_get = "Z3_ast_vector_get": fn(Ctx, Obj, c_uint) -> Obj;
    model_inc_ref = "Z3_model_inc_ref": fn(Ctx, Obj);
    model_dec_ref = "Z3_model_dec_ref": fn(Ctx, Obj);
    model_eval = "Z3_model_eval": fn(Ctx, Obj, Obj, bool, *mut Obj) -> bool;
    model_get_func_interp = "Z3_model_get_func_interp": fn(Ctx, Obj, Obj) -> Obj;
    func_inc_ref = "Z3_func_interp_inc_ref": fn(Ctx, Obj);
    func_dec_ref = "Z3_func_interp_dec_ref": fn(Ctx, Obj);
    func_num_entries = "Z3_func_interp_get_num_entries": fn(Ctx, Obj) -> c_uint;
    func_get_entry = "Z3_func_interp_get_entry": fn(Ctx, Obj, c_uint) -> Obj;
    func_get_else = "Z3_func_interp_get_else": fn(Ctx, Obj) -> Obj;
    entry_inc_ref = "Z3_func_entry_inc_ref": fn(Ctx, Obj);
    entry_dec_ref = "Z3_func_entry_dec_ref": fn(Ctx, Obj);
    entry_get_arg = "Z3_func_entry_get_arg": fn(Ctx, Obj, c_uint) -> Obj;
    entry_get_value = "Z3_func_entry_get_value": fn(Ctx, Obj) -> Obj;
    get_ast_kind = "Z3_get_ast_kind": fn(Ctx, Obj) -> c_uint;
    to_app = "Z3_to_app": fn(Ctx, Obj) -> Obj;
    get_app_decl = "Z3_get_app_decl": fn(Ctx, Obj) -> Obj;
    get_app_num_args = "Z3_get_app_num_args": fn(Ctx, Obj) -> c_uint;
    get_app_arg = "Z3_get_app_arg": fn(Ctx, Obj, c_uint) -> Obj;
    get_decl_kind = "Z3_get_decl_kind": fn(Ctx, Obj) -> c_uint;
    get_as_array_decl = "Z3_get_as_array_func_decl": fn(Ctx, Obj) -> Obj;
    get_bool_value = "Z3_get_bool_value": fn(Ctx, Obj) -> c_int;
    get_u64 = "Z3_get_numeral_uint64": fn(Ctx, Obj, *mut u64) -> bool;
    get_binary = "Z3_get_numeral_binary_string": fn(Ctx, Obj) -> *const c_char;
    parse_script = "Z3_parse_smtlib2_string": fn(
        Ctx, *const c_char, c_uint, *const Obj, *const Obj, c_uint, *const Obj, *const Obj
    ) -> Obj;
}

/// The place of the library in the wheel `z3-solver` installed with `pip install --target`.
const WHEEL: &str = ".deps/z3/z3/lib";
const FILE_NAMES: &[&str] = &["libz3.so", "libz3.dylib"];
const SYSTEM_NAMES: &[&str] = &["libz3.so", "libz3.so.4", "libz3.dylib"];

/// The library, loaded at the first call; why not, if it cannot be.
pub(super) fn api() -> Result<&'static Api, String> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    API.get_or_init(|| match std::env::var_os("CAIRN_Z3_LIBRARY") {
        Some(path) => open(Path::new(&path))
            .map_err(|why| format!("CAIRN_Z3_LIBRARY does not name a usable Z3 library: {why}")),
        None => open_first(&candidates()),
    })
    .as_ref()
    .map_err(Clone::clone)
}

/// Where to search, in order of preference: the library of the set-up is newer than the system's.
fn candidates() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = cairn_home::candidates(WHEEL)
        .iter()
        .flat_map(|folder| FILE_NAMES.iter().map(move |n| folder.join(n)))
        .filter(|file| file.is_file())
        .collect();
    found.extend(SYSTEM_NAMES.iter().map(PathBuf::from));
    found
}

fn open_first(candidates: &[PathBuf]) -> Result<Api, String> {
    let mut unusable = String::new();
    for path in candidates {
        match open(path) {
            Ok(api) => return Ok(api),
            // A name that the system's loader does not know is no news; a file that is there
            // and does not load is.
            Err(why) if path.is_file() => unusable = format!("; {why}"),
            Err(_) => {}
        }
    }
    Err(format!(
        "Z3's library was not found: looked for {WHEEL}/libz3.so {}, and for libz3.so and \
         libz3.so.4 in the system{unusable}; run `pip install -t .deps/z3 z3-solver`, or set \
         CAIRN_Z3_LIBRARY to its path",
        cairn_home::LOOKED_IN
    ))
}

/// Symbols are looked for in the library itself before the rest of the process. Debian's LLVM
/// brings an old Z3 of its own into the process; a library whose calls ended there would give
/// wrong answers.
const OWN_SYMBOLS_FIRST: std::ffi::c_int = 0x8;

fn open(path: &Path) -> Result<Api, String> {
    let flags = RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS_FIRST;
    // SAFETY: loading runs the library's initialisers; Z3's only set up its own tables. The
    // user, or the system's configuration, vouches for the file being Z3.
    let library = unsafe { Library::open(Some(path), flags) }
        .map_err(|e| format!("{} does not load ({e})", path.display()))?;
    Api::lookup(library, path.display().to_string())
}

impl Api {
    /// Version and place, for reports.
    pub(super) fn describe(&self) -> String {
        let (mut a, mut b, mut c, mut d) = (0, 0, 0, 0);
        // SAFETY: four places to write to, no context involved.
        unsafe { (self.get_version)(&raw mut a, &raw mut b, &raw mut c, &raw mut d) };
        format!("Z3 {a}.{b}.{c} ({})", self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_says_where_it_was_looked_for_and_what_to_do() {
        let Err(why) = open_first(&[PathBuf::from("libz3-that-is-not-there.so")]) else {
            panic!("nothing of that name");
        };
        for part in [WHEEL, "libz3.so.4", "pip install", "CAIRN_Z3_LIBRARY"] {
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn a_file_that_is_no_library_is_named() {
        let this = std::env::current_dir()
            .expect("a folder")
            .join("Cargo.toml");
        let Err(why) = open_first(std::slice::from_ref(&this)) else {
            panic!("a text file");
        };
        assert!(why.contains("Cargo.toml does not load"), "{why}");
    }
}
