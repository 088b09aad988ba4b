//! What a program asks of its surroundings, which a task does not describe.
//!
//! An exploration gives it one answer: standard input is empty, no variables are set, the program has its name as the only argument. Under
//! other answers it may do something else, so a property that holds with these is not decided. An answer is needed if the
//! program's own code, where a path came to it, or its variables mention a function that is not known to depend on its arguments and memory
//! only, or if its entry looks at what it is given.
//!
//! # Soundness
//!
//! Code that no path of a complete exploration entered is not entered under other answers either: the paths would have to differ before it,
//! and for that the program would have to ask somewhere else, where it was entered.

use cairn_engine::{Shared, was_entered};
use cairn_ir::{BlockId, Body, Callee, FuncId, Inst, Local, Operand, PlaceId, Program, Symbol};

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

/// Variables of the library that hold more than the program put there.
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

/// Where the C library's own code is.
const LIBRARY_FILES: &str = "musl/";

/// Something that a program asks of its surroundings.
struct SurroundingsUse {
    /// What it asks, in words.
    what: String,
    /// Where in the program's code; `None` if it counts wherever the program goes.
    at: Option<CodeBlock>,
}

/// A block of a function, and how many blocks that has.
#[derive(Clone, Copy)]
struct CodeBlock {
    function: FuncId,
    block: BlockId,
    blocks: usize,
}

/// All that a program asks of its surroundings, reached or not.
pub(super) struct SurroundingsUses(Vec<SurroundingsUse>);

impl SurroundingsUses {
    /// Those of a program with this entry.
    pub fn of(program: &Program, entry: &str) -> Self {
        let mut uses: Vec<SurroundingsUse> = mentioned(program)
            .into_iter()
            .filter_map(|(symbol, at)| {
                asks(program, symbol).map(|what| SurroundingsUse { what, at })
            })
            .collect();
        if looks_at_arguments(program, entry) {
            let what = format!(
                "{entry} looks at its arguments, of which only the name of the program is given"
            );
            uses.push(SurroundingsUse { what, at: None });
        }
        SurroundingsUses(uses)
    }

    /// What the program asked on the paths of a complete exploration, of which it is told whether control entered a block: code that no
    /// path entered asks nothing.
    pub fn asked(&self, shared: &Shared) -> Option<String> {
        let reached = |at: CodeBlock| was_entered(shared, at.function, at.block, at.blocks);
        let found = self.0.iter().find(|used| used.at.is_none_or(reached));
        found.map(|used| used.what.clone())
    }
}

/// What a program that mentions this symbol asks of its surroundings, in words.
fn asks(program: &Program, symbol: Symbol) -> Option<String> {
    match symbol {
        Symbol::Function(id) => {
            let name = &program.function(id).name;
            let begins = PLAIN_BEGINNINGS.iter().any(|begin| name.starts_with(begin));
            let is_plain = begins || PLAIN.split_whitespace().any(|plain| plain == name);
            (!is_plain && !is_own(program, id)).then(|| {
                format!(
                    "the program calls {name}, whose answer may depend on more than the program"
                )
            })
        }
        Symbol::Global(id) => {
            let name = program.globals[id.index()].name.as_str();
            VARIABLES
                .contains(&name)
                .then(|| format!("the program looks at {name}, which is not the program's alone"))
        }
    }
}

/// Whether the entry looks at what it is given.
fn looks_at_arguments(program: &Program, entry: &str) -> bool {
    let main = program.find_function(entry).map(|id| program.function(id));
    let Some(body) = main.and_then(|main| main.body.as_ref()) else {
        return false;
    };
    let params = body.blocks.first().map(|block| &block.params);
    params.is_some_and(|params| params.iter().any(|param| is_looked_at(body, *param)))
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

/// What the program's own code and variables mention, and in which block: addresses, and functions that are called. What variables hold may
/// be used anywhere.
fn mentioned(program: &Program) -> Vec<(Symbol, Option<CodeBlock>)> {
    let mut all = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        let id = FuncId::new(number);
        let Some(body) = function.body.as_ref().filter(|_| is_own(program, id)) else {
            continue;
        };
        for (number, block) in body.blocks.iter().enumerate() {
            let at = CodeBlock {
                function: id,
                block: BlockId::new(number),
                blocks: body.blocks.len(),
            };
            let mut mention = |operand: &Operand| {
                if let Operand::Address(symbol, _) = operand {
                    all.push((*symbol, Some(at)));
                }
            };
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
    let globals = program.globals.iter();
    let own = globals.filter(|global| is_own_place(program, global.place));
    for content in own.filter_map(|global| global.content.as_ref()) {
        let held = content.relocations.iter().map(|held| (held.symbol, None));
        all.extend(held);
    }
    all
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
