//! What a program asks of its surroundings, which a task does not describe.
//!
//! An exploration gives it one answer: standard input is empty, no variables are set, the program has its name as the only argument. Under
//! other answers it may do something else, so a property that holds with these is not decided. An answer is needed if the
//! program's own code or variables mention a function that is not known to depend on its arguments and memory only, or if its entry looks at
//! what it is given.

use cairn_ir::{Body, Callee, FuncId, Inst, Local, Operand, PlaceId, Program, Symbol};

/// Functions of the library that depend on nothing but their arguments and the program's memory, or only print.
const PLAIN: &str = "malloc calloc realloc reallocarray free cfree aligned_alloc posix_memalign memalign \
    memcpy memmove mempcpy memset memcmp bcmp bcopy bzero memchr memrchr memccpy memmem \
    strlen strnlen strcpy stpcpy strncpy stpncpy strcat strncat strlcpy strlcat strcmp strncmp strchr strchrnul strrchr strstr \
    strspn strcspn strpbrk strtok strtok_r strsep strdup strndup strcasecmp strncasecmp strcoll \
    atoi atol atoll strtol strtoul strtoll strtoull strtoimax strtoumax abs labs llabs div ldiv lldiv qsort bsearch \
    isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit isascii toascii toupper tolower \
    __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location \
    printf fprintf vprintf vfprintf puts putchar putc fputs fputc fwrite fflush sprintf snprintf vsprintf vsnprintf \
    exit _exit _Exit abort atexit __assert_fail __assert setjmp _setjmp __sigsetjmp sigsetjmp longjmp siglongjmp \
    fabs fabsf fabsl sqrt sqrtf floor floorf ceil ceilf trunc truncf round roundf rint rintf nearbyint nearbyintf lround llround \
    lrint fmin fminf fmax fmaxf fdim fmod fmodf remainder copysign copysignf modf modff frexp ldexp scalbn \
    sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow cbrt hypot \
    __fpclassify __fpclassifyf __fpclassifyl __isnan __isnanf __isnanl __isinf __isinff __isinfl __finite __finitef \
    __signbit __signbitf __signbitl isnan isinf \
    reach_error ffs ffsl ffsll htons htonl ntohs ntohl";

/// Functions that talk to Cairn, of the compiler, and of Cairn's own.
const PLAIN_BEGINNINGS: [&str; 5] = ["__VERIFIER_", "klee_", "cairn.", "__cairn_", "llvm."];

/// Where the C library's own code is.
const LIBRARY_FILES: &str = "musl/";

/// What the program asks of its surroundings, in words.
pub(super) fn use_of_surroundings(program: &Program, entry: &str) -> Option<String> {
    let called = called_functions(program);
    let is_plain = |name: &str| {
        let begins = PLAIN_BEGINNINGS.iter().any(|begin| name.starts_with(begin));
        begins || PLAIN.split_whitespace().any(|plain| plain == name)
    };
    let names = called.iter().map(|id| program.function(*id).name.as_str());
    if let Some(name) = names.into_iter().find(|name| !is_plain(name)) {
        return Some(format!(
            "the program calls {name}, whose answer may depend on more than the program"
        ));
    }
    if let Some(name) = variable_of_surroundings(program) {
        return Some(format!(
            "the program looks at {name}, which is not the program's alone"
        ));
    }
    let main = program.function(program.find_function(entry)?);
    let body = main.body.as_ref()?;
    let looks = body
        .blocks
        .first()?
        .params
        .iter()
        .any(|param| is_looked_at(body, *param));
    looks.then(|| {
        format!("{entry} looks at its arguments, of which only the name of the program is given")
    })
}

/// Whether something stands in the program's own source, and not in the library's.
fn is_own_place(program: &Program, place: PlaceId) -> bool {
    let file = &program.files[program.place(place).file as usize];
    !file.starts_with(LIBRARY_FILES)
}

/// Whether a function is the program's own: it has code, which is not the library's.
fn is_own(program: &Program, id: FuncId) -> bool {
    let function = program.function(id);
    let is_library = function.name.starts_with("cairn.") || !is_own_place(program, function.place);
    function.body.is_some() && !is_library
}

/// What the program's own code and variables mention: addresses, and functions that are called.
fn mentioned(program: &Program) -> Vec<Symbol> {
    let mut all = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        let own = function.body.as_ref();
        let Some(body) = own.filter(|_| is_own(program, FuncId::new(number))) else {
            continue;
        };
        let mut mention = |operand: &Operand| {
            if let Operand::Address(symbol, _) = operand {
                all.push(*symbol);
            }
        };
        for block in &body.blocks {
            for (inst, _) in &block.insts {
                inst.for_each_operand(&mut mention);
                if let Inst::Call(call) = inst
                    && let Callee::Direct(id) = call.callee
                {
                    mention(&Operand::Address(Symbol::Function(id), 0));
                }
            }
            block.terminator.0.for_each_operand(&mut mention);
        }
    }
    let own = program
        .globals
        .iter()
        .filter(|global| is_own_place(program, global.place));
    for content in own.filter_map(|global| global.content.as_ref()) {
        all.extend(
            content
                .relocations
                .iter()
                .map(|relocation| relocation.symbol),
        );
    }
    all
}

/// The functions of others that the program's own code or variables mention.
fn called_functions(program: &Program) -> Vec<FuncId> {
    let symbols = mentioned(program).into_iter();
    let mut called: Vec<FuncId> = symbols
        .filter_map(|symbol| match symbol {
            Symbol::Function(id) => Some(id),
            Symbol::Global(_) => None,
        })
        .collect();
    called.retain(|id| !is_own(program, *id));
    called.sort_unstable();
    called.dedup();
    called
}

/// A variable of the library that the program's own code mentions and that holds more than the program put there.
fn variable_of_surroundings(program: &Program) -> Option<&'static str> {
    const VARIABLES: [&str; 9] = [
        "environ",
        "__environ",
        "_environ",
        "timezone",
        "daylight",
        "tzname",
        "optarg",
        "program_invocation_name",
        "stdin",
    ];
    let mentioned = mentioned(program);
    VARIABLES.into_iter().find(|name| {
        mentioned.iter().any(|symbol| match symbol {
            Symbol::Global(id) => program.globals[id.index()].name == *name,
            Symbol::Function(_) => false,
        })
    })
}

/// Whether the value of a parameter is used for more than storing it into a variable that nothing reads.
fn is_looked_at(body: &Body, param: Local) -> bool {
    let mut homes = Vec::new();
    let used = |local: Local, homes: &mut Vec<Local>| {
        let mut used = false;
        for block in &body.blocks {
            for (inst, _) in &block.insts {
                match inst {
                    Inst::Store {
                        value: Operand::Local(value),
                        address: Operand::Local(at),
                        ..
                    } if *value == local && is_variable(body, *at) => homes.push(*at),
                    Inst::Store {
                        value,
                        address: Operand::Local(at),
                        ..
                    } if *at == local && value.local() != Some(local) => {}
                    Inst::Scope { .. } => {}
                    other => other.for_each_use(|read| used |= read == local),
                }
            }
            let (terminator, _) = &block.terminator;
            terminator.for_each_operand(|operand| used |= operand.local() == Some(local));
        }
        used
    };
    if used(param, &mut homes) {
        return true;
    }
    let mut others = Vec::new();
    homes.iter().any(|home| used(*home, &mut others)) || !others.is_empty()
}

/// Whether a local is the address of a variable of the function.
fn is_variable(body: &Body, local: Local) -> bool {
    let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|(inst, _)| matches!(inst, Inst::Alloca { dst, .. } if *dst == local))
}
