//! Reading scripts: every command and operator, scopes, models and answers.

mod common;

use cairn_expr::{BitVec, Evaluator, Model, Op, Sort, Table, Term, TermStore, Value};
use cairn_text::smtlib::{
    self, Command, Declaration, Responses, Script, SolverResponse, read_answer, read_values,
};
use common::{assertions, commands, term};

#[test]
fn core_operators() {
    let s = TermStore::new();
    let symbol = |name| s.symbol(name, Sort::Bool);
    let (p, q, r) = (symbol("p"), symbol("q"), symbol("r"));
    let check = |text: &str, expected: Term| {
        assert_eq!(term(&s, text).unwrap(), expected, "{text}");
    };
    check("true", s.true_());
    check("false", s.false_());
    check("(not p)", s.not(&p));
    check("(and p q)", s.and(&p, &q));
    check("(and p q r)", s.and_all(&[p.clone(), q.clone(), r.clone()]));
    check("(or p q)", s.or(&p, &q));
    check("(xor p q)", s.xor(&p, &q));
    check("(xor p q r)", s.xor(&s.xor(&p, &q), &r));
    check("(=> p q)", s.implies(&p, &q));
    check("(=> p q r)", s.implies(&p, &s.implies(&q, &r)));
    check("(= p q)", s.eq(&p, &q));
    check("(= p q r)", s.and(&s.eq(&p, &q), &s.eq(&q, &r)));
    check("(distinct p q)", s.not(&s.eq(&p, &q)));
    check("(distinct p q r)", s.false_());
    check("(ite p q r)", s.ite(&p, &q, &r));
    check("(let ((p q) (q p)) (and p (not q)))", s.and(&q, &s.not(&p)));
    check("(! (and p q) :pattern (x) :weight 3 :flag)", s.and(&p, &q));
    check("(as p Bool)", p.clone());
    check("|p|", p);
}

#[test]
fn bit_vector_operators() {
    let s = TermStore::new();
    let v = |name| s.symbol(name, Sort::BitVec(8));
    let (x, y, z) = (v("x"), v("y"), v("z"));
    let check = |text: &str, expected: Term| {
        assert_eq!(term(&s, text).unwrap(), expected, "{text}");
    };
    check("#b101", s.bv(3, 5));
    check("#xaF", s.bv(8, 0xaf));
    check("(_ bv200 8)", s.bv(8, 200));
    check(
        "(_ bv340282366920938463463374607431768211455 128)",
        s.constant(BitVec::ones(128)),
    );
    check(
        &format!("#x{}", "f".repeat(33)),
        s.constant(BitVec::ones(132)),
    );
    check("(concat x y z)", s.concat(&x, &s.concat(&y, &z)));
    check("((_ extract 6 2) x)", s.extract(&x, 6, 2));
    check("((_ repeat 3) x)", s.repeat(&x, 3));
    check("((_ repeat 3) #b10)", s.bv(6, 0b101010));
    check("((_ zero_extend 4) x)", s.zero_extend(&x, 4));
    check("((_ sign_extend 0) x)", x.clone());
    check("((_ sign_extend 4) x)", s.sign_extend(&x, 4));
    check("((_ rotate_left 3) x)", s.rotate_left(&x, 3));
    check("((_ rotate_right 4000000003) x)", s.rotate_right(&x, 3));
    check("(bvnot x)", s.bv_not(&x));
    check("(bvneg x)", s.bv_neg(&x));
    check("(bvredor x)", s.bool_to_bit(&s.not(&s.eq(&x, &s.bv(8, 0)))));
    check("(bvredand x)", s.bv_comp(&x, &s.bv(8, 255)));
    check("(bvnego x)", s.bv_nego(&x));
    check("(bvadd x y z)", s.bv_add(&s.bv_add(&x, &y), &z));
    check("(= x y z)", s.and(&s.eq(&x, &y), &s.eq(&y, &z)));
    check(
        "(distinct x y z)",
        s.distinct(&[x.clone(), y.clone(), z.clone()]),
    );
    type Binary = fn(&TermStore, &Term, &Term) -> Term;
    let binary: [(&str, Binary); 36] = [
        ("bvand", TermStore::bv_and),
        ("bvor", TermStore::bv_or),
        ("bvxor", TermStore::bv_xor),
        ("bvnand", TermStore::bv_nand),
        ("bvnor", TermStore::bv_nor),
        ("bvxnor", TermStore::bv_xnor),
        ("bvadd", TermStore::bv_add),
        ("bvsub", TermStore::bv_sub),
        ("bvmul", TermStore::bv_mul),
        ("bvudiv", TermStore::bv_udiv),
        ("bvurem", TermStore::bv_urem),
        ("bvsdiv", TermStore::bv_sdiv),
        ("bvsrem", TermStore::bv_srem),
        ("bvsmod", TermStore::bv_smod),
        ("bvshl", TermStore::bv_shl),
        ("bvlshr", TermStore::bv_lshr),
        ("bvashr", TermStore::bv_ashr),
        ("bvult", TermStore::bv_ult),
        ("bvule", TermStore::bv_ule),
        ("bvugt", TermStore::bv_ugt),
        ("bvuge", TermStore::bv_uge),
        ("bvslt", TermStore::bv_slt),
        ("bvsle", TermStore::bv_sle),
        ("bvsgt", TermStore::bv_sgt),
        ("bvsge", TermStore::bv_sge),
        ("bvcomp", TermStore::bv_comp),
        ("bvuaddo", TermStore::bv_uaddo),
        ("bvsaddo", TermStore::bv_saddo),
        ("bvumulo", TermStore::bv_umulo),
        ("bvsmulo", TermStore::bv_smulo),
        ("bvusubo", TermStore::bv_usubo),
        ("bvssubo", TermStore::bv_ssubo),
        ("bvsdivo", TermStore::bv_sdivo),
        ("ext_rotate_left", TermStore::bv_rotate_left),
        ("ext_rotate_right", TermStore::bv_rotate_right),
        ("concat", TermStore::concat),
    ];
    for (name, build) in binary {
        check(&format!("({name} x y)"), build(&s, &x, &y));
    }
}

#[test]
fn arrays() {
    let s = TermStore::new();
    let sort = Sort::Array { index: 8, value: 8 };
    let (a, b) = (s.symbol("a", sort), s.symbol("b", sort));
    let (x, y, p) = (
        s.symbol("x", Sort::BitVec(8)),
        s.symbol("y", Sort::BitVec(8)),
        s.symbol("p", Sort::Bool),
    );
    let check = |text: &str, expected: Term| {
        assert_eq!(term(&s, text).unwrap(), expected, "{text}");
    };
    check("(select a x)", s.select(&a, &x));
    check("(store a x y)", s.store(&a, &x, &y));
    check("(= a b)", s.eq(&a, &b));
    check("(ite p a b)", s.ite(&p, &a, &b));
    let constant = "((as const (Array (_ BitVec 8) (_ BitVec 8)))";
    check(&format!("{constant} x)"), s.const_array(8, &x));
    let table = Table::new(8, vec![BitVec::new(8, 7)], BitVec::new(8, 9));
    check(
        &format!("(store {constant} #x09) #x00 #x07)"),
        s.table(table),
    );
}

#[test]
fn every_command() {
    let store = TermStore::new();
    let text = r#"
        (set-logic QF_AUFBV) ; a comment ) with a parenthesis
        (set-option :produce-models true)
        (set-info :source |two
words|)
        (set-info :status)
        (set-info :list (a "b""c" (d)))
        (get-info :name) (get-option :verbosity)
        (declare-fun p () Bool)
        (declare-const |a b| (_ BitVec 4))
        (define-sort Byte () (_ BitVec 8))
        (declare-fun f (Byte Bool) Byte)
        (define-fun one () Byte #x01)
        (define-const two Byte #x02)
        (define-fun inc ((x Byte) (p Byte)) Byte (bvadd x p))
        (assert (! (= (inc one two) #x03) :named sum))
        (assert (! (and (! p :named inner) (= |a b| #b0001)) :named outer))
        (assert (= (f one p) two))
        (check-sat) (check-sat-assuming (p (not p)))
        (get-model) (get-value ( p  (f  one  p) )) (get-unsat-core) (get-unsat-assumptions)
        (get-assertions) (get-assignment)
        (push 2) (pop 1) (pop) (push) (reset-assertions) (reset)
        (echo "say ""hi""") (exit)
    "#;
    let all = commands(&store, text).unwrap_or_else(|e| panic!("{e}"));
    let kinds: Vec<String> = all
        .iter()
        .map(|c| {
            let text = format!("{c:?}");
            let end = text.find([' ', '(']).unwrap_or(text.len());
            text[..end].to_string()
        })
        .collect();
    assert_eq!(
        kinds.join(" "),
        "SetLogic SetOption SetInfo SetInfo SetInfo GetInfo GetOption Declare Declare DefineSort \
         Declare Define Define Define Assert Assert Assert CheckSat CheckSatAssuming GetModel \
         GetValue GetUnsatCore GetUnsatAssumptions GetAssertions GetAssignment Push Pop Pop Push \
         ResetAssertions Reset Echo Exit"
    );
    let info = |name: &str, value: &str| Command::SetInfo {
        name: name.to_string(),
        value: value.to_string(),
    };
    assert_eq!(all[2], info("source", "|two\nwords|"));
    assert_eq!(all[3], info("status", ""));
    assert_eq!(all[4], info("list", "(a \"b\"\"c\" (d))"));
    let p = store.symbol("p", Sort::Bool);
    assert_eq!(all[7], Command::Declare(Declaration::Constant(p.clone())));
    let Command::Declare(Declaration::Function(f)) = &all[10] else {
        panic!("{:?}", all[10]);
    };
    assert_eq!(f.array.sort(), Sort::Array { index: 9, value: 8 });
    assert_eq!(
        all[14],
        Command::Assert {
            term: store.true_(),
            name: Some("sum".to_string()),
            named: Vec::new()
        }
    );
    let Command::Assert { name, named, .. } = &all[15] else {
        panic!();
    };
    assert_eq!(name.as_deref(), Some("outer"));
    assert_eq!(named, &[("inner".to_string(), p.clone())]);
    let index = store.concat(&store.bv(8, 1), &store.bool_to_bit(&p));
    let call = store.select(&f.array, &index);
    let Command::Assert { term, .. } = &all[16] else {
        panic!();
    };
    assert_eq!(*term, store.eq(&call, &store.bv(8, 2)));
    assert_eq!(
        all[20],
        Command::GetValue(vec![("p".to_string(), p), ("(f one p)".to_string(), call)])
    );
    assert_eq!(all[31], Command::Echo("say \"hi\"".to_string()));
}

#[test]
fn scopes_of_declarations() {
    let store = TermStore::new();
    let mut script = Script::new(
        "(declare-const x Bool)(push 1)(declare-const y Bool)(define-sort S () Bool)\
         (assert (! y :named n))(pop 1)\
         (declare-const y (_ BitVec 8))(define-sort S () (_ BitVec 2))(declare-const n S)\
         (push 1)(push 1)(declare-const w Bool)(pop 2)(assert w)(assert x)(pop 1)\
         (reset-assertions)(assert x)"
            .as_bytes(),
    );
    let mut errors = Vec::new();
    loop {
        match script.next_command(&store) {
            Ok(None) => break,
            Ok(Some(_)) => {}
            Err(e) => errors.push(e.message),
        }
    }
    assert_eq!(
        errors,
        [
            "`w` is not declared",
            "pop of 1 levels, but only 0 are open",
            "`x` is not declared"
        ]
    );
    assert!(script.declarations().is_empty());
}

#[test]
fn global_declarations_stay() {
    let store = TermStore::new();
    let text = "(set-option :global-declarations true)(push 1)(declare-const x Bool)\
                (define-fun f ((a Bool)) Bool (not a))(pop 1)(assert (f x))\
                (reset-assertions)(assert (f x))";
    assert_eq!(assertions(&store, text).len(), 2);
    let text = format!("{text}(reset)(assert x)");
    assert!(commands(&store, &text).is_err());
}

#[test]
fn definitions_with_parameters() {
    let s = TermStore::new();
    let text = "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))\
        (define-fun f ((x (_ BitVec 8)) (b Bool)) (_ BitVec 8) (ite b (bvadd x y) (bvneg x)))\
        (define-fun g ((y (_ BitVec 8))) (_ BitVec 8) (f (f y true) false))\
        (assert (= (f (bvmul x y) (bvult x y)) x))\
        (assert (= (g x) y))\
        (define-fun eq ((a (Array (_ BitVec 8) (_ BitVec 8))) (i (_ BitVec 8))) Bool \
          (= (select a i) i))\
        (declare-const m (Array (_ BitVec 8) (_ BitVec 8)))\
        (assert (eq m y))";
    let (x, y) = (
        s.symbol("x", Sort::BitVec(8)),
        s.symbol("y", Sort::BitVec(8)),
    );
    let product = s.bv_mul(&x, &y);
    let first = s.ite(
        &s.bv_ult(&x, &y),
        &s.bv_add(&product, &y),
        &s.bv_neg(&product),
    );
    let m = s.symbol("m", Sort::Array { index: 8, value: 8 });
    let expected = [
        s.eq(&first, &x),
        s.eq(&s.bv_neg(&s.bv_add(&x, &y)), &y),
        s.eq(&s.select(&m, &y), &y),
    ];
    assert_eq!(assertions(&s, text), expected);
}

#[test]
fn quoted_and_reserved_names() {
    let s = TermStore::new();
    let text = "(declare-const |let| Bool)(declare-const |a b;(| Bool)(declare-const || Bool)\
        (declare-const |ü| Bool)(declare-const |assert| Bool)(declare-const plain Bool)\
        (assert (and |let| |a b;(| || |ü| |assert| |plain|))";
    let expected = ["let", "a b;(", "", "ü", "assert", "plain"].map(|n| s.symbol(n, Sort::Bool));
    assert_eq!(assertions(&s, text), [s.and_all(&expected)]);
    assert!(commands(&s, "(assert let)").is_err());
    let mut text = b"(declare-const |\xff| Bool)".to_vec();
    let mut script = Script::new(&text[..]);
    let error = script.next_command(&s).unwrap_err();
    assert!(error.message.contains("UTF-8"));
    text.truncate(17);
    let mut script = Script::new(&text[..]);
    assert!(script.next_command(&s).unwrap_err().fatal);
}

#[test]
fn many_let_names_are_forgotten() {
    let store = TermStore::new();
    let mut text = String::from("(declare-const x Bool)");
    for i in 0..200_000 {
        text.push_str(&format!("(assert (let ((v{i} x)) v{i}))"));
    }
    assert_eq!(assertions(&store, &text).len(), 200_000);
}

#[test]
fn models() {
    let s = TermStore::new();
    let text = "(declare-const x (_ BitVec 8))(declare-const |p q| Bool)\
        (declare-const a (Array (_ BitVec 4) (_ BitVec 8)))\
        (declare-fun f ((_ BitVec 4) Bool) Bool)";
    let mut script = Script::new(text.as_bytes());
    while script.next_command(&s).unwrap().is_some() {}
    let mut model = Model::new();
    model.set(s.symbol("x", Sort::BitVec(8)), Value::Bv(BitVec::new(8, 3)));
    model.set(s.symbol("p q", Sort::Bool), Value::Bool(true));
    let a = s.symbol("a", Sort::Array { index: 4, value: 8 });
    model
        .array_mut(&a)
        .set(BitVec::new(4, 2), BitVec::new(8, 7));
    let f = s.symbol("f", Sort::Array { index: 5, value: 1 });
    model
        .array_mut(&f)
        .set(BitVec::new(5, 3), BitVec::new(1, 1));
    let mut out = String::new();
    smtlib::write_model(&mut out, script.declarations(), &model).unwrap();
    let expected = "(\n  (define-fun x () (_ BitVec 8) #x03)\n  (define-fun |p q| () Bool true)\n  \
        (define-fun a () (Array (_ BitVec 4) (_ BitVec 8)) \
        (store ((as const (Array (_ BitVec 4) (_ BitVec 8))) #x00) #x2 #x07))\n  \
        (define-fun f ((x!0 (_ BitVec 4)) (x!1 Bool)) Bool \
        (ite (and true (= x!0 #x1) (= x!1 true)) true false))\n)\n";
    assert_eq!(out, expected);
    // The definitions are definitions.
    let definitions = &out.trim()[1..out.trim().len() - 1];
    assert_eq!(commands(&TermStore::new(), definitions).unwrap().len(), 4);
}

#[test]
fn answers_of_solvers() {
    assert_eq!(
        read_answer(" ; hello\n sat\n").unwrap(),
        SolverResponse::Sat
    );
    assert_eq!(read_answer("unsat").unwrap(), SolverResponse::Unsat);
    assert_eq!(read_answer("unknown").unwrap(), SolverResponse::Unknown);
    let error = read_answer("(error \"line 1: \"\"x\"\"\")").unwrap();
    assert_eq!(error, SolverResponse::Error("line 1: \"x\"".to_string()));
    for wrong in ["", "(", "maybe", "(error)", ")", "(error \"x", "|sat|"] {
        assert!(read_answer(wrong).is_err(), "{wrong}");
    }
    let array = Sort::Array { index: 4, value: 8 };
    let sorts = [
        Sort::BitVec(8),
        Sort::BitVec(8),
        Sort::BitVec(3),
        Sort::Bool,
        array,
    ];
    let text = "((x #x0a)\n ((bvadd x |y )|) (_ bv11 8)) (z #b101)\n(p true) (a (store ((as const \
         (Array (_ BitVec 4) (_ BitVec 8))) #x01) #x2 #x03)))";
    let values = read_values(text, &sorts).unwrap();
    assert_eq!(values[0], Value::Bv(BitVec::new(8, 10)));
    assert_eq!(values[1], Value::Bv(BitVec::new(8, 11)));
    assert_eq!(values[2], Value::Bv(BitVec::new(3, 5)));
    assert_eq!(values[3], Value::Bool(true));
    let Value::Array(a) = &values[4] else {
        panic!();
    };
    assert_eq!(a.get(&BitVec::new(4, 2)), &BitVec::new(8, 3));
    assert_eq!(a.get(&BitVec::new(4, 5)), &BitVec::new(8, 1));
    for wrong in [
        "",
        "sat",
        "((x))",
        "((x #x1))",
        "((x #x01)",
        "((x y))",
        "()",
        "((x #x01) (y #x01))",
    ] {
        assert!(read_values(wrong, &sorts[..1]).is_err(), "{wrong}");
    }
    let error = read_values("(error \"no model\")", &sorts).unwrap_err();
    assert!(error.message.contains("no model"));
    let mut dialogue = Responses::new("sat ((x #x01)) (error \"e\") unsat".as_bytes());
    assert_eq!(dialogue.answer().unwrap(), SolverResponse::Sat);
    assert_eq!(dialogue.values(&[Sort::BitVec(8)]).unwrap().len(), 1);
    assert_eq!(
        dialogue.answer().unwrap(),
        SolverResponse::Error("e".to_string())
    );
    assert_eq!(dialogue.answer().unwrap(), SolverResponse::Unsat);
    assert!(dialogue.answer().unwrap_err().fatal);
}

#[test]
fn functions_are_functions() {
    let s = TermStore::new();
    let text = "(declare-fun f (Bool (_ BitVec 3)) Bool)(declare-const p Bool)\
        (assert (f p #b101))";
    let terms = assertions(&s, text);
    let array = s.symbol("f", Sort::Array { index: 4, value: 1 });
    let mut model = Model::new();
    model.set(s.symbol("p", Sort::Bool), Value::Bool(true));
    model
        .array_mut(&array)
        .set(BitVec::new(4, 0b1101), BitVec::new(1, 1));
    let mut evaluator = Evaluator::new();
    evaluator.start();
    assert!(evaluator.eval_bool(&terms[0], &model));
    model.set(s.symbol("p", Sort::Bool), Value::Bool(false));
    evaluator.start();
    assert!(!evaluator.eval_bool(&terms[0], &model));
    assert!(matches!(terms[0].op(), Op::Eq));
}
