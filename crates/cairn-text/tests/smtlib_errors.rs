//! What is wrong with a script, where, and how reading goes on.

mod common;

use cairn_expr::TermStore;
use cairn_text::smtlib::Script;
use cairn_text::{TextError, TextLimits};
use common::{commands, term};

fn error(text: &str) -> TextError {
    let store = TermStore::new();
    match term(&store, text) {
        Ok(t) => panic!("{text} is read as {t:?}"),
        Err(e) => e,
    }
}

#[test]
fn errors_say_what_and_where() {
    let place = |text: &str| {
        let e = error(text);
        let column = e.column as i64 - "(get-value (".len() as i64;
        (e.line, column, e.message)
    };
    let cases = [
        (
            "(bvadd x p)",
            1,
            "bvadd expects two or more bit-vectors of the same width, found (_ BitVec 8) Bool",
        ),
        ("(not x)", 1, "not expects Booleans, found (_ BitVec 8)"),
        ("(not p q)", 1, "not expects Booleans, found Bool Bool"),
        (
            "(and p (bvult x #b1))",
            8,
            "bvult expects two bit-vectors of the same width, found (_ BitVec 8) (_ BitVec 1)",
        ),
        (
            "(ite p x q)",
            1,
            "ite expects a Boolean and two operands of the same sort, found Bool (_ BitVec 8) Bool",
        ),
        (
            "((_ extract 8 0) x)",
            1,
            "extract expects a bit-vector with bits 8 down to 0, found (_ BitVec 8)",
        ),
        (
            "((_ extract 0 1) x)",
            1,
            "extract expects a bit-vector with bits 0 down to 1, found (_ BitVec 8)",
        ),
        (
            "(select a p)",
            1,
            "select expects an array and an index of its index width, found (Array (_ BitVec 8) (_ BitVec 8)) Bool",
        ),
        ("unknown", 1, "`unknown` is not declared"),
        ("(unknown x)", 2, "`unknown` is not declared"),
        ("(x p)", 2, "`x` takes no operands"),
        ("bvadd", 1, "`bvadd` needs operands"),
        ("(_ bv256 8)", 1, "the constant does not fit in 8 bits"),
        ("(_ bv1 0)", 1, "a bit-vector has at least one bit"),
        (
            "(_ bv1 99999999999)",
            1,
            "a width of 99999999999 bits is above the limit of 1048576",
        ),
        (
            "((_ repeat 1000000) x)",
            1,
            "a width of 8000000 bits is above the limit of 1048576",
        ),
        (
            "((_ repeat 0) x)",
            1,
            "repeat expects a number of at least 1, found 0",
        ),
        (
            "((_ zero_extend 1048576) x)",
            1,
            "a width of 1048584 bits is above the limit of 1048576",
        ),
        (
            "((_ zero_extend 99999999999) x)",
            17,
            "the number 99999999999 is too large",
        ),
        (
            "(extract x)",
            1,
            "extract needs 2 number(s): (_ extract ...)",
        ),
        ("(let ((v x) (v y)) v)", 18, "a let binds one name twice"),
        ("(let () x)", 7, "a let without bindings"),
        (
            "(forall ((v Bool)) v)",
            2,
            "`forall` is not supported in terms",
        ),
        ("()", 2, "expected an operator, found `)`"),
        ("12", 1, "expected a term, found `12`"),
        (
            "(as x Bool)",
            1,
            "the symbol has sort (_ BitVec 8), not Bool",
        ),
        ("(and)", 1, "and expects Booleans, found nothing"),
        ("{", 1, "unexpected character `{`"),
        ("#q1", 1, "`#q1` is neither a `#x` nor a `#b` literal"),
        ("#xg", 1, "`#xg` is not a literal"),
        ("1x", 1, "`1x` is not a number"),
    ];
    for (text, column, message) in cases {
        assert_eq!(place(text), (2, column, message.to_string()), "{text}");
    }
}

#[test]
fn unsupported_things_are_named() {
    let store = TermStore::new();
    let message = |text: &str| commands(&store, text).unwrap_err().message;
    for (text, part) in [
        ("(declare-const x Int)", "sort Int"),
        ("(declare-const x (Seq Int))", "sort (Seq ...)"),
        (
            "(declare-const x (_ FloatingPoint 8 24))",
            "(_ FloatingPoint ...)",
        ),
        (
            "(declare-const x (Array (_ BitVec 8) Bool))",
            "an array over Bool",
        ),
        (
            "(declare-const x (Array (Array A B) C))",
            "an array over (Array ...)",
        ),
        ("(declare-sort S 0)", "declare-sort"),
        ("(define-fun-rec f () Bool true)", "recursive"),
        (
            "(declare-fun f ((Array (_ BitVec 8) (_ BitVec 8))) Bool)",
            "a function over",
        ),
        ("(declare-fun f ((_ BitVec 4097)) Bool)", "4097 bits"),
        ("(define-sort S (X) X)", "parameters"),
        ("(frobnicate)", "unknown command `frobnicate`"),
        (
            "(declare-const bvadd Bool)",
            "`bvadd` already has a meaning",
        ),
        ("(declare-const let Bool)", "`let` already has a meaning"),
        (
            "(assert (! true :named true))",
            "`true` already has a meaning",
        ),
        (
            "(define-fun f ((x Bool)) Bool (! x :named n))",
            "cannot be named",
        ),
        (
            "(define-fun f () Bool #b1)",
            "sort Bool, found one of sort (_ BitVec 1)",
        ),
        ("(push 99999999)", "assertion levels"),
        ("(assert true true)", "the end of the command"),
        ("assert", "the start of a command"),
    ] {
        let found = message(text);
        assert!(found.contains(part), "{text}: {found}");
    }
}

#[test]
fn errors_do_not_stop_a_script() {
    let store = TermStore::new();
    let text = "(declare-const x Bool)\n(assert (! (and (! x :named n) y) :named m))\n\
                (assert (let ((x #b1) (z ((_ extract 9 9) x))) x))\n) (echo \"a)b\"\n\
                (assert x)(declare-const n Bool)(assert |x|)(assert (and x";
    let mut script = Script::new(text.as_bytes());
    let mut good = 0;
    let mut errors = Vec::new();
    loop {
        match script.next_command(&store) {
            Ok(None) => break,
            Ok(Some(_)) => good += 1,
            Err(e) => {
                errors.push((e.line, e.column, e.fatal));
                if e.fatal {
                    break;
                }
                if errors.len() % 2 == 0 {
                    // Fails only if the text ends before; the next call says so again.
                    let _ = script.skip_command();
                }
            }
        }
    }
    // The echo has no end: it swallows what follows up to the end of the text.
    assert_eq!(
        errors,
        [
            (2, 32, false),
            (3, 26, false),
            (4, 1, false),
            (5, 1, false),
            (4, 3, true)
        ]
    );
    assert_eq!(good, 1);
}

#[test]
fn multiplying_texts_are_refused() {
    let store = TermStore::new();
    let mut text = String::from(
        "(define-fun f0 ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) (bvmul (bvnot x) y))",
    );
    for i in 1..60 {
        text.push_str(&format!(
            "(define-fun f{i} ((x (_ BitVec 32)) (y (_ BitVec 32))) (_ BitVec 32) \
             (f{0} (f{0} x y) (bvnot y)))",
            i - 1
        ));
    }
    let error = commands(&store, &text).unwrap_err();
    assert!(error.message.contains("multiply"), "{error}");
    // Each level of the let would be a constant of 128 KiB.
    let mut text = String::from("(assert (let ((x (_ bv3 1048576))) ");
    for _ in 0..100_000 {
        text.push_str("(let ((x (bvadd x x))) ");
    }
    let error = commands(&store, &text).unwrap_err();
    assert!(error.message.contains("multiply"), "{error}");
    let mut script = Script::with_limits(
        "(declare-const x (_ BitVec 65))".as_bytes(),
        TextLimits {
            width: 64,
            ..TextLimits::default()
        },
    );
    assert!(script.next_command(&store).is_err());
}

#[test]
fn empty_and_odd_texts() {
    let store = TermStore::new();
    for text in ["", " \n\t", "; only a comment", ";\n;"] {
        assert!(commands(&store, text).unwrap().is_empty());
    }
    for text in [
        "(",
        ")",
        "(assert",
        "\"",
        "|",
        ":",
        "#",
        "(set-info :x \"",
        "(push x)",
        "()",
    ] {
        assert!(commands(&store, text).is_err(), "{text}");
    }
}
