//! The operators of SMT-LIB's theories and how terms are built with them.
//!
//! One table row per operator: its name and its kind. The kind says which operands it takes, so
//! that sorts are checked in one place before a constructor, which would panic, is called.

use crate::limits::WorkAccount;
use cairn_bv::BitVec;
use cairn_expr::{Op, Sort, Term, TermStore};

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Operator {
    pub(crate) name: &'static str,
    pub(crate) kind: OperatorKind,
}

type Build1 = fn(&TermStore, &Term) -> Term;
type Build2 = fn(&TermStore, &Term, &Term) -> Term;
type BuildAll = fn(&TermStore, &[Term]) -> Term;

/// Which operands an operator takes.
#[derive(Debug)]
pub(crate) enum OperatorKind {
    /// A Boolean constant.
    Constant(bool),
    /// Exactly one Boolean.
    Not,
    /// One or more Booleans.
    Connective(BuildAll),
    /// Two or more of one sort, each equal to the next.
    Equal,
    /// Two or more of one sort, pairwise different.
    Distinct,
    /// A Boolean and two of one sort.
    Ite,
    /// One bit-vector.
    One(Build1),
    /// Two bit-vectors of one width.
    Two(Build2),
    /// The same, for an operator whose term has values of twice the width.
    TwoDoubled(Build2),
    /// Two or more bit-vectors of one width, from the left.
    Many(Build2),
    /// Two or more bit-vectors.
    Concat,
    /// An array and an index.
    Select,
    /// An array, an index and a value.
    Store,
    /// Only with numbers: `(_ name 1 2)`.
    Indexed(Indexed),
}

/// The operators with numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Indexed {
    Extract,
    Repeat,
    ZeroExtend,
    SignExtend,
    RotateLeft,
    RotateRight,
}

impl Indexed {
    /// How many numbers it has.
    pub(crate) fn numbers(self) -> usize {
        match self {
            Indexed::Extract => 2,
            Indexed::Repeat
            | Indexed::ZeroExtend
            | Indexed::SignExtend
            | Indexed::RotateLeft
            | Indexed::RotateRight => 1,
        }
    }
}

fn xor_all(store: &TermStore, args: &[Term]) -> Term {
    args[1..]
        .iter()
        .fold(args[0].clone(), |all, a| store.xor(&all, a))
}

/// `a => b => c` is `a => (b => c)`.
fn implies_all(store: &TermStore, args: &[Term]) -> Term {
    let last = args.len() - 1;
    args[..last]
        .iter()
        .rev()
        .fold(args[last].clone(), |all, a| store.implies(a, &all))
}

fn reduce_or(store: &TermStore, a: &Term) -> Term {
    let zero = store.constant(BitVec::zero(a.width()));
    store.bool_to_bit(&store.not(&store.eq(a, &zero)))
}

fn reduce_and(store: &TermStore, a: &Term) -> Term {
    store.bv_comp(a, &store.constant(BitVec::ones(a.width())))
}

const fn row(name: &'static str, kind: OperatorKind) -> Operator {
    Operator { name, kind }
}

/// All operators.
pub(crate) static OPERATORS: &[Operator] = &[
    row("true", OperatorKind::Constant(true)),
    row("false", OperatorKind::Constant(false)),
    row("not", OperatorKind::Not),
    row("and", OperatorKind::Connective(TermStore::and_all)),
    row("or", OperatorKind::Connective(TermStore::or_all)),
    row("xor", OperatorKind::Connective(xor_all)),
    row("=>", OperatorKind::Connective(implies_all)),
    row("=", OperatorKind::Equal),
    row("distinct", OperatorKind::Distinct),
    row("ite", OperatorKind::Ite),
    row("concat", OperatorKind::Concat),
    row("bvnot", OperatorKind::One(TermStore::bv_not)),
    row("bvneg", OperatorKind::One(TermStore::bv_neg)),
    row("bvredor", OperatorKind::One(reduce_or)),
    row("bvredand", OperatorKind::One(reduce_and)),
    row("bvnego", OperatorKind::One(TermStore::bv_nego)),
    row("bvand", OperatorKind::Many(TermStore::bv_and)),
    row("bvor", OperatorKind::Many(TermStore::bv_or)),
    row("bvxor", OperatorKind::Many(TermStore::bv_xor)),
    row("bvadd", OperatorKind::Many(TermStore::bv_add)),
    row("bvmul", OperatorKind::Many(TermStore::bv_mul)),
    row("bvnand", OperatorKind::Two(TermStore::bv_nand)),
    row("bvnor", OperatorKind::Two(TermStore::bv_nor)),
    row("bvxnor", OperatorKind::Two(TermStore::bv_xnor)),
    row("bvsub", OperatorKind::Two(TermStore::bv_sub)),
    row("bvudiv", OperatorKind::Two(TermStore::bv_udiv)),
    row("bvurem", OperatorKind::Two(TermStore::bv_urem)),
    row("bvsdiv", OperatorKind::Two(TermStore::bv_sdiv)),
    row("bvsrem", OperatorKind::Two(TermStore::bv_srem)),
    row("bvsmod", OperatorKind::Two(TermStore::bv_smod)),
    row("bvshl", OperatorKind::Two(TermStore::bv_shl)),
    row("bvlshr", OperatorKind::Two(TermStore::bv_lshr)),
    row("bvashr", OperatorKind::Two(TermStore::bv_ashr)),
    row("bvult", OperatorKind::Two(TermStore::bv_ult)),
    row("bvule", OperatorKind::Two(TermStore::bv_ule)),
    row("bvugt", OperatorKind::Two(TermStore::bv_ugt)),
    row("bvuge", OperatorKind::Two(TermStore::bv_uge)),
    row("bvslt", OperatorKind::Two(TermStore::bv_slt)),
    row("bvsle", OperatorKind::Two(TermStore::bv_sle)),
    row("bvsgt", OperatorKind::Two(TermStore::bv_sgt)),
    row("bvsge", OperatorKind::Two(TermStore::bv_sge)),
    row("bvcomp", OperatorKind::Two(TermStore::bv_comp)),
    row("bvuaddo", OperatorKind::Two(TermStore::bv_uaddo)),
    row("bvsaddo", OperatorKind::Two(TermStore::bv_saddo)),
    row("bvusubo", OperatorKind::Two(TermStore::bv_usubo)),
    row("bvssubo", OperatorKind::Two(TermStore::bv_ssubo)),
    row("bvsdivo", OperatorKind::Two(TermStore::bv_sdivo)),
    row("bvumulo", OperatorKind::TwoDoubled(TermStore::bv_umulo)),
    row("bvsmulo", OperatorKind::TwoDoubled(TermStore::bv_smulo)),
    row(
        "ext_rotate_left",
        OperatorKind::Two(TermStore::bv_rotate_left),
    ),
    row(
        "ext_rotate_right",
        OperatorKind::Two(TermStore::bv_rotate_right),
    ),
    row("select", OperatorKind::Select),
    row("store", OperatorKind::Store),
    row("extract", OperatorKind::Indexed(Indexed::Extract)),
    row("repeat", OperatorKind::Indexed(Indexed::Repeat)),
    row("zero_extend", OperatorKind::Indexed(Indexed::ZeroExtend)),
    row("sign_extend", OperatorKind::Indexed(Indexed::SignExtend)),
    row("rotate_left", OperatorKind::Indexed(Indexed::RotateLeft)),
    row("rotate_right", OperatorKind::Indexed(Indexed::RotateRight)),
];

/// Pairs of operands of one `distinct` beyond which it is refused.
const MOST_PAIRS: usize = 1 << 22;

/// The sorts of some operands for a message.
pub(crate) fn sorts_of(args: &[Term]) -> String {
    const SHOWN: usize = 4;
    if args.is_empty() {
        return "nothing".to_string();
    }
    let mut sorts: Vec<String> = args
        .iter()
        .take(SHOWN)
        .map(|a| a.sort().to_string())
        .collect();
    if args.len() > SHOWN {
        sorts.push(format!("... ({} operands)", args.len()));
    }
    sorts.join(" ")
}

fn wrong(name: &str, expected: &str, args: &[Term]) -> String {
    format!("{name} expects {expected}, found {}", sorts_of(args))
}

fn checked(op: &Op, name: &str, args: &[Term]) -> Result<(), String> {
    let mut sorts = [Sort::Bool; 3];
    let count = args.len().min(3);
    for (sort, a) in sorts.iter_mut().zip(args) {
        *sort = a.sort();
    }
    match op.result_sort(&sorts[..count]) {
        Ok(_) if args.len() <= 3 => Ok(()),
        Ok(_) => Err(wrong(name, "fewer operands", args)),
        Err(e) => Err(wrong(name, &e.expected, args)),
    }
}

/// The common width of bit-vectors, if there are as many as asked for.
fn common_width(name: &str, args: &[Term], exactly: Option<usize>) -> Result<u32, String> {
    let expected = match exactly {
        Some(1) => "one bit-vector",
        Some(_) => "two bit-vectors of the same width",
        None => "two or more bit-vectors of the same width",
    };
    let count_fits = match exactly {
        Some(n) => args.len() == n,
        None => args.len() >= 2,
    };
    if count_fits
        && let Sort::BitVec(w) = args[0].sort()
        && args[1..].iter().all(|a| a.sort() == Sort::BitVec(w))
    {
        return Ok(w);
    }
    Err(wrong(name, expected, args))
}

fn common_sort(name: &str, args: &[Term]) -> Result<(), String> {
    if args.len() >= 2 && args.iter().all(|a| a.sort() == args[0].sort()) {
        return Ok(());
    }
    Err(wrong(name, "two or more operands of the same sort", args))
}

fn bits(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(w) => w,
        Sort::Array { value, .. } => value,
    }
}

fn any_const(args: &[Term]) -> bool {
    args.iter().any(|a| a.as_const().is_some())
}

/// The term of an operator over operands.
pub(crate) fn apply(
    store: &TermStore,
    operator: &Operator,
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    let name = operator.name;
    match operator.kind {
        OperatorKind::Constant(_) => Err(format!("{name} takes no operands")),
        OperatorKind::Not => {
            checked(&Op::Not, name, args)?;
            Ok(store.not(&args[0]))
        }
        OperatorKind::Connective(build) => {
            if args.is_empty() || args.iter().any(|a| a.sort() != Sort::Bool) {
                return Err(wrong(name, "Booleans", args));
            }
            Ok(build(store, args))
        }
        OperatorKind::Equal => {
            common_sort(name, args)?;
            for _ in 1..args.len() {
                account.charge_operation(bits(args[0].sort()), any_const(args))?;
            }
            if let [a, b] = args {
                return Ok(store.eq(a, b));
            }
            let parts: Vec<Term> = args.windows(2).map(|w| store.eq(&w[0], &w[1])).collect();
            Ok(store.and_all(&parts))
        }
        OperatorKind::Distinct => distinct(store, name, args, account),
        OperatorKind::Ite => {
            checked(&Op::Ite, name, args)?;
            Ok(store.ite(&args[0], &args[1], &args[2]))
        }
        OperatorKind::One(build) => {
            let width = common_width(name, args, Some(1))?;
            account.charge_operation(width, any_const(args))?;
            Ok(build(store, &args[0]))
        }
        OperatorKind::Two(build) => {
            let width = common_width(name, args, Some(2))?;
            account.charge_operation(width, any_const(args))?;
            Ok(build(store, &args[0], &args[1]))
        }
        OperatorKind::TwoDoubled(build) => {
            let width = common_width(name, args, Some(2))?;
            let doubled = account.width(2 * u64::from(width))?;
            account.charge_operation(doubled, any_const(args))?;
            Ok(build(store, &args[0], &args[1]))
        }
        OperatorKind::Many(build) => {
            let width = common_width(name, args, None)?;
            let constant = any_const(args);
            let mut result = args[0].clone();
            for a in &args[1..] {
                account.charge_operation(width, constant)?;
                result = build(store, &result, a);
            }
            Ok(result)
        }
        OperatorKind::Concat => concat(store, name, args, account),
        OperatorKind::Select => {
            checked(&Op::Select, name, args)?;
            Ok(store.select(&args[0], &args[1]))
        }
        OperatorKind::Store => {
            checked(&Op::Store, name, args)?;
            // A store into a table copies the table.
            if let Op::Table(table) = args[0].op() {
                account.charge(table.values().len().min(1024) as u64 / 8)?;
            }
            Ok(store.store(&args[0], &args[1], &args[2]))
        }
        OperatorKind::Indexed(indexed) => Err(format!(
            "{name} needs {} number(s): (_ {name} ...)",
            indexed.numbers()
        )),
    }
}

fn distinct(
    store: &TermStore,
    name: &str,
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    common_sort(name, args)?;
    let values = match args[0].sort() {
        Sort::Bool => 2,
        Sort::BitVec(w) if w < 40 => 1u64 << w,
        Sort::BitVec(_) | Sort::Array { .. } => u64::MAX,
    };
    if args.len() as u64 > values {
        return Ok(store.false_());
    }
    let pairs = args.len().saturating_mul(args.len() - 1) / 2;
    if pairs > MOST_PAIRS {
        return Err(format!("{name} of {} operands is too large", args.len()));
    }
    for _ in 0..pairs {
        account.charge_operation(bits(args[0].sort()), any_const(args))?;
    }
    Ok(store.distinct(args))
}

/// The number of parts of a concatenation, which may stand below a zero extension.
pub(crate) fn parts_of(term: &Term) -> u64 {
    let mut rest = match term.op() {
        Op::ZeroExtend(_) => term.arg(0),
        _ => term,
    };
    let mut parts = 1;
    while matches!(rest.op(), Op::Concat) {
        parts += 1;
        rest = rest.arg(1);
    }
    parts
}

/// Concatenates from the right: the canonical form leans to the right, so this is linear.
fn concat(
    store: &TermStore,
    name: &str,
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    let wrong = || wrong(name, "two or more bit-vectors", args);
    if args.len() < 2 {
        return Err(wrong());
    }
    let mut total = 0u64;
    for a in args {
        let Sort::BitVec(w) = a.sort() else {
            return Err(wrong());
        };
        total += u64::from(w);
    }
    account.width(total)?;
    let last = args.len() - 1;
    let mut result = args[last].clone();
    for a in args[..last].iter().rev() {
        // A concatenation on the left is taken apart by the constructor.
        account.charge(2 * parts_of(a))?;
        if result.as_const().is_some() {
            account.charge_operation(result.width(), false)?;
        }
        result = store.concat(a, &result);
    }
    Ok(result)
}

/// The term of an operator with numbers.
pub(crate) fn apply_indexed(
    store: &TermStore,
    indexed: Indexed,
    numbers: [u32; 2],
    args: &[Term],
    account: &mut WorkAccount,
) -> Result<Term, String> {
    let name = match indexed {
        Indexed::Extract => "extract",
        Indexed::Repeat => "repeat",
        Indexed::ZeroExtend => "zero_extend",
        Indexed::SignExtend => "sign_extend",
        Indexed::RotateLeft => "rotate_left",
        Indexed::RotateRight => "rotate_right",
    };
    let width = common_width(name, args, Some(1))?;
    let a = &args[0];
    let n = numbers[0];
    match indexed {
        Indexed::Extract => {
            let (hi, lo) = (numbers[0], numbers[1]);
            if lo > hi || hi >= width {
                let expected = format!("a bit-vector with bits {hi} down to {lo}");
                return Err(wrong(name, &expected, args));
            }
            account.charge_operation(width, false)?;
            Ok(store.extract(a, hi, lo))
        }
        Indexed::ZeroExtend | Indexed::SignExtend => {
            let extended = account.width(u64::from(width) + u64::from(n))?;
            account.charge_operation(extended, false)?;
            Ok(if indexed == Indexed::ZeroExtend {
                store.zero_extend(a, n)
            } else {
                store.sign_extend(a, n)
            })
        }
        Indexed::Repeat => {
            if n == 0 {
                return Err("repeat expects a number of at least 1, found 0".to_string());
            }
            let total = account.width(u64::from(width) * u64::from(n))?;
            if let Some(value) = a.as_const() {
                account.charge_operation(total, false)?;
                return Ok(store.constant(value.repeat(n)));
            }
            // Every copy is at least one node of some twenty words, and every part of a
            // concatenation is put in place anew.
            account.charge(parts_of(a) * 24 * u64::from(n))?;
            Ok(store.repeat(a, n))
        }
        Indexed::RotateLeft | Indexed::RotateRight => {
            account.charge_operation(width, false)?;
            Ok(if indexed == Indexed::RotateLeft {
                store.rotate_left(a, n % width)
            } else {
                store.rotate_right(a, n % width)
            })
        }
    }
}
