//! Random bytes, random tokens and mutated texts: commands or clean errors, never a panic.

mod common;

use cairn_expr::TermStore;
use cairn_random::Random;
use cairn_text::fuzz::{kquery_bytes, smtlib_bytes};
use cairn_text::smtlib::write_query;
use common::Terms;

#[rustfmt::skip]
const SMTLIB_WORDS: &[&str] = &[
    "(", "(", "(", ")", ")", ")", ")", "(assert ", "(declare-const ", "(declare-fun ", "(define-fun ",
    "(define-sort ", "(get-value (", "(push 1)", "(pop 1)", "(reset)", "(reset-assertions)", "(check-sat)",
    "(check-sat-assuming (", "(set-option :global-declarations true)", "(set-info :x ", "(echo \"a\")",
    "Bool ", "(_ BitVec 8)", "(_ BitVec 1)", "(_ BitVec 600)", "(_ BitVec 99999999999999999999)",
    "(Array (_ BitVec 8) (_ BitVec 8))", "(Array (_ BitVec 4) (_ BitVec 1))", "x ", "y ", "z ", "p ", "q ", "a ",
    "f ", "|x| ", "|let| ", "let ", "((x ", "(let ((x ", "(let ((y #x01)) ", "! ", "(! ", ":named n ",
    ":table ", ":k ", "_ ", "as ", "const ", "true ", "false ", "(not ", "(and ", "(or ", "(xor ", "(=> ",
    "(= ", "(distinct ", "(ite ", "(concat ", "(bvadd ", "(bvmul ", "(bvudiv ", "(bvsmod ", "(bvshl ",
    "(bvult ", "(bvsle ", "(bvcomp ", "(bvsmulo ", "(bvnego ", "(bvredor ", "(ext_rotate_left ",
    "((_ extract 7 0) ", "((_ extract 3 3) ", "((_ repeat 3) ", "((_ zero_extend 8) ",
    "((_ sign_extend 4000000000) ", "((_ rotate_left 9) ", "(select ", "(store ",
    "((as const (Array (_ BitVec 8) (_ BitVec 8))) ", "#x0f ", "#b1 ", "#xff ", "(_ bv3 8) ", "(_ bv1 1) ",
    "12 ", "1.5 ", "\"s\"\"t\" ", "; comment\n", "\n",
];

#[rustfmt::skip]
const KQUERY_WORDS: &[&str] = &[
    "(", "(", ")", ")", ")", "[", "]", "@ ", "=", ",", ":", "->", "array a[4] : w32 -> w8 = symbolic\n",
    "array b[2] : w8 -> w1 = [1 0]\n", "array c[3] : w32 -> w8 = [1 2 3]\n", "(query [] ", "(query [",
    "] ", "(Eq ", "(Ne ", "(Ult ", "(Sle ", "(Add w8 ", "(Sub ", "(Mul w32 ", "(UDiv w8 ", "(SRem w8 ", "(And ",
    "(Or w1 ", "(Xor w8 ", "(Not ", "(Neg w8 ", "(Shl w8 ", "(AShr w8 ", "(Concat w16 ", "(Extract w8 0 ",
    "(Extract 3 ", "(ZExt w32 ", "(SExt w16 ", "(Select w8 ", "(Read w8 0 a) ", "(Read w8 ", "(ReadLSB w32 0 a) ",
    "(ReadMSB w16 ", "(Read w1 0 b) ", "a ", "b ", "c ", "N0:", "N0 ", "N1:", "N1 ", "U0:", "U0 ", "[0=1] @ ",
    "[(ReadLSB w32 0 a)=2, 1=3] @ ", "true ", "false ", "0 ", "1 ", "255 ", "0xff ", "-1 ", "(w8 7) ", "(w1 1) ",
    "w8 ", "w99999999999 ", "# comment\n", "\n",
];

const SMTLIB_SEED: &str = r#"
(set-logic QF_AUFBV)
(declare-fun p () Bool)(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))
(declare-fun f ((_ BitVec 8) Bool) (_ BitVec 8))
(define-fun g ((v (_ BitVec 8)) (w (_ BitVec 8))) (_ BitVec 8) (bvadd (bvmul v w) #x03))
(push 1)
(assert (! (let ((z (g x y)) (x (f x p))) (=> (bvult z x) (= (select (store a x z) y) #x0f))) :named n))
(assert (distinct (concat x y) (_ bv513 16) ((_ sign_extend 8) ((_ rotate_left 3) x))))
(assert (= a (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x01) #x02 #x03)))
(check-sat-assuming (p (not p)))
(get-value (x (f y true) n))
(pop 1)
(echo "a ""quoted"" word")
(exit)
"#;

const KQUERY_SEED: &str = "array a[8] : w32 -> w8 = symbolic\n\
array c[4] : w32 -> w8 = [1 2 3 0xff]\n\
(query [(Eq false (Eq 0 N0:(Read w8 3 a)))\n\
        (Ult N1:(ReadLSB w32 4 U0:[7=N0, (ReadLSB w32 0 c)=5] @ a) 65536)]\n\
       (Sle (Select w32 (Eq 61 N0) (ZExt w32 (Extract w8 8 N1)) 3)\n\
            (Concat w32 (Read w8 N1 U0) (SExt w24 (Read w8 (Add w32 1 N1) c))))\n\
       [N1 (Not w8 N0)] [a])\n";

/// Other numbers for longer runs: `CAIRN_FUZZ_SEED=5 cargo test --test fuzz`.
fn seed(base: u64) -> u64 {
    let chosen = std::env::var("CAIRN_FUZZ_SEED").ok();
    base + 1_000_000 * chosen.and_then(|s| s.parse().ok()).unwrap_or(0)
}

fn soup(random: &mut Random, words: &[&str]) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(60) {
        let word: &&str = random.pick(words);
        text.push_str(word);
    }
    text.into_bytes()
}

fn mutated(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut text = seed.to_vec();
    for _ in 0..=random.below(6) {
        if text.is_empty() {
            break;
        }
        let at = random.below(text.len());
        let end = (at + 1 + random.below(20)).min(text.len());
        match random.below(6) {
            0 => text[at] ^= 1 << random.below(8),
            1 => text[at] = *random.pick(b"()[]|\";:#0123 =_xp\xff"),
            2 => drop(text.drain(at..end)),
            3 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            4 if random.one_in(8) => text.truncate(at),
            _ => {
                // Exchanges a word for another one of the text.
                let other = random.below(text.len());
                let piece = text[other..(other + 8).min(text.len())].to_vec();
                text.splice(at..end, piece);
            }
        }
    }
    text
}

#[test]
fn random_bytes() {
    let mut random = Random::new(seed(1));
    for _ in 0..8000 {
        let length = random.below(200);
        let narrow = random.one_in(2);
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                let b = random.next() as u8;
                if narrow { b % 95 + 32 } else { b }
            })
            .collect();
        smtlib_bytes(&bytes);
        kquery_bytes(&bytes);
    }
}

#[test]
fn token_soups() {
    let mut random = Random::new(seed(2));
    let prelude = "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))\
        (declare-const p Bool)(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))(assert ";
    for _ in 0..15_000 {
        let mut text = soup(&mut random, SMTLIB_WORDS);
        if random.one_in(2) {
            text.splice(0..0, prelude.bytes());
        }
        smtlib_bytes(&text);
        let mut text = soup(&mut random, KQUERY_WORDS);
        if random.one_in(2) {
            let prelude = "array a[4] : w32 -> w8 = symbolic\n(query [] ";
            text.splice(0..0, prelude.bytes());
        }
        kquery_bytes(&text);
    }
}

#[test]
fn mutated_texts() {
    let mut random = Random::new(seed(3));
    smtlib_bytes(SMTLIB_SEED.as_bytes());
    kquery_bytes(KQUERY_SEED.as_bytes());
    for _ in 0..15_000 {
        smtlib_bytes(&mutated(&mut random, SMTLIB_SEED.as_bytes()));
        kquery_bytes(&mutated(&mut random, KQUERY_SEED.as_bytes()));
    }
}

#[test]
fn mutated_random_terms() {
    for seed in 0..300 {
        let store = TermStore::new();
        let mut random = Random::new(crate::seed(9000 + seed));
        let mut terms = Terms::new(&store, &mut random, false);
        for _ in 0..40 {
            terms.grow(&mut random);
        }
        let roots: Vec<_> = (0..4)
            .map(|_| terms.of_sort(&mut random, cairn_expr::Sort::Bool))
            .collect();
        let mut text = String::new();
        write_query(&mut text, "QF_ABV", &roots).unwrap();
        smtlib_bytes(text.as_bytes());
        for _ in 0..10 {
            smtlib_bytes(&mutated(&mut random, text.as_bytes()));
        }
    }
}
