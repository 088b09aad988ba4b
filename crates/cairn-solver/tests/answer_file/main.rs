//! Files of answers: what a run leaves to the next, and what may happen to a file in between.

use cairn_expr::{Evaluator, Sort, Term, TermStore};
use cairn_random::Random;
use cairn_solver::cores::native::NativeCore;
use cairn_solver::layers::IsoCache;
use cairn_solver::{
    Answer, AnswerFile, Chain, ChainConfig, Facts, FileCounts, Layer, Query, Rest, UnknownReason,
    UnsatCore, answer_file,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More than any file here has.
const LARGE: u64 = 1 << 20;

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("answer-file");
    std::fs::create_dir_all(&folder).expect("it can be made");
    let path = folder.join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Whether a number is a product of two numbers from 2 to 255: a question of its own for each number.
fn question(s: &TermStore, names: [&str; 2], n: u64) -> Query {
    let [a, b] = names.map(|n| s.symbol(n, Sort::BitVec(8)));
    let wide = |t: &Term| s.zero_extend(t, 8);
    let facts: Facts = [&a, &b]
        .map(|t| s.bv_ult(&s.bv(8, 1), t))
        .into_iter()
        .collect();
    let product = s.bv_mul(&wide(&a), &wide(&b));
    Query::new(facts, s.eq(&product, &s.bv(16, n)))
}

fn is_product(n: u64) -> bool {
    (2..256).any(|a| n.is_multiple_of(a) && (2..256).contains(&(n / a)))
}

fn chain(file: &Arc<AnswerFile>, core: Box<dyn Layer>) -> Chain {
    let layers: Vec<Box<dyn Layer>> = vec![Box::<IsoCache>::default(), core];
    let mut chain = Chain::new(layers, ChainConfig::default());
    chain.keep_answers_in(file);
    chain
}

/// Asks about some numbers with a file, as a run does; every answer is checked.
fn run_with(file: AnswerFile, numbers: &[u64], names: [&str; 2]) -> FileCounts {
    let file = Arc::new(file);
    let mut chain = chain(&file, Box::new(NativeCore::default()));
    let s = TermStore::new();
    for n in numbers {
        let query = question(&s, names, *n);
        match chain.solve(&s, &query) {
            Answer::Sat(model) => {
                assert!(is_product(*n), "{n}");
                let mut e = Evaluator::new();
                e.start();
                assert!(query.conjuncts().iter().all(|t| e.eval_bool(t, &model)));
            }
            Answer::Unsat(_) => assert!(!is_product(*n), "{n}"),
            Answer::Unknown(reason) => panic!("{n}: {reason}"),
        }
    }
    assert_eq!(file.finish(), None);
    file.counts()
}

fn opened(path: &Path) -> AnswerFile {
    AnswerFile::open(path, LARGE).expect("it can be opened")
}

fn run(path: &Path, numbers: &[u64]) -> FileCounts {
    run_with(opened(path), numbers, ["a", "b"])
}

const NUMBERS: [u64; 6] = [221, 251, 1009, 4087, 4093, 36863];

#[test]
fn a_run_takes_the_answers_of_the_one_before() {
    let path = scratch("twice");
    let first = run(&path, &NUMBERS);
    assert_eq!((first.read, first.used, first.added), (0, 0, 6));
    // The names of inputs do not matter.
    let second = run_with(opened(&path), &NUMBERS, ["of another program", "x"]);
    assert_eq!((second.read, second.used, second.added), (6, 6, 0));
    let more = [NUMBERS.as_slice(), &[899]].concat();
    let third = run(&path, &more);
    assert_eq!((third.read, third.used, third.added), (6, 6, 1));
    // Every unsat core is proved again where that is wanted.
    let file = opened(&path);
    file.prove_all();
    let checked = run_with(file, &more, ["a", "b"]);
    let unsat = more.iter().filter(|n| !is_product(**n)).count() as u64;
    assert!(unsat > 2);
    assert_eq!((checked.used, checked.proved), (7, unsat));
}

#[test]
fn a_file_cut_at_any_length_gives_right_answers_and_heals() {
    let whole = scratch("whole");
    run(&whole, &NUMBERS);
    run(&whole, &NUMBERS);
    let bytes = std::fs::read(&whole).expect("it is there");
    let path = scratch("cut");
    let mut healed = 0;
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).expect("it can be written");
        let file = opened(&path);
        assert!(file.remarks().len() <= 1, "{:?}", file.remarks());
        let is_ours = length == 0 || length >= 8;
        assert!(is_ours || file.remarks().len() == 1, "length {length}");
        // Asking takes longer than opening.
        if length % 7 == 0 || length < 40 {
            run_with(file, &NUMBERS, ["a", "b"]);
        } else {
            drop(file);
        }
        if is_ours {
            let again = opened(&path);
            assert!(again.remarks().is_empty(), "length {length}");
            healed += 1;
        } else {
            let now = std::fs::read(&path).expect("it is there");
            assert_eq!(now, &bytes[..length], "it is not ours to change");
        }
    }
    assert!(healed > 500, "{healed}");
}

#[test]
fn a_file_with_any_byte_changed_gives_right_answers() {
    let whole = scratch("sound");
    run(&whole, &NUMBERS[..3]);
    let bytes = std::fs::read(&whole).expect("it is there");
    let path = scratch("changed");
    let mut random = Random::new(5);
    let mut damaged = 0;
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1 << random.below(8);
        std::fs::write(&path, &other).expect("it can be written");
        let file = opened(&path);
        damaged += usize::from(file.remarks().len() == 1);
        let counts = run_with(file, &NUMBERS[..3], ["a", "b"]);
        assert!(counts.read < 3, "byte {at} is checked");
    }
    assert_eq!(damaged, bytes.len());
    // Records that are repeated, exchanged or cut out are still what they are.
    let body = &bytes[28..];
    for _ in 0..40 {
        let (from, to) = (random.below(body.len()), random.below(body.len()));
        let other = [&bytes[..28], &body[from.min(to)..], body, &body[..from]].concat();
        std::fs::write(&path, &other).expect("it can be written");
        let counts = run(&path, &NUMBERS[..3]);
        assert_eq!(counts.read, 3);
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let path = scratch("foreign");
    let mut random = Random::new(3);
    for content in [
        b"a letter to a friend\n".to_vec(),
        (0..4000).map(|_| random.next() as u8).collect(),
        vec![0; 64],
        b"cairn".to_vec(),
    ] {
        std::fs::write(&path, &content).expect("it can be written");
        let file = opened(&path);
        assert_eq!(file.remarks().len(), 1);
        let counts = run_with(file, &NUMBERS, ["a", "b"]);
        assert_eq!((counts.read, counts.added), (0, 0));
        assert_eq!(std::fs::read(&path).expect("it is there"), content);
    }
    let folder = std::env::temp_dir();
    assert!(AnswerFile::open(&folder, LARGE).is_err());
    assert!(AnswerFile::open(&path.join("below"), LARGE).is_err());
}

#[test]
fn another_version_starts_anew_and_believes_nothing() {
    let path = scratch("version");
    let other = answer_file::VERSION ^ 1;
    let as_other = |path: &Path| AnswerFile::open_as(path, LARGE, other).expect("it opens");
    run_with(as_other(&path), &NUMBERS, ["a", "b"]);
    // While the other version uses it, we do not, and change nothing.
    let before = std::fs::read(&path).expect("it is there");
    let used = as_other(&path);
    let ours = opened(&path);
    assert_eq!(ours.remarks().len(), 1);
    let counts = run_with(ours, &NUMBERS, ["a", "b"]);
    assert_eq!((counts.read, counts.added), (0, 0));
    assert_eq!(std::fs::read(&path).expect("it is there"), before);
    drop(used);
    let ours = opened(&path);
    assert_eq!(ours.remarks().len(), 1, "{:?}", ours.remarks());
    let counts = run_with(ours, &NUMBERS, ["a", "b"]);
    assert_eq!((counts.read, counts.added), (0, 6));
    assert_eq!(run(&path, &NUMBERS).used, 6);
    // Records of the other version in our file are none.
    let ours = std::fs::read(&path).expect("it is there");
    let mixed = [&ours[..28], &before[28..]].concat();
    std::fs::write(&path, &mixed).expect("it can be written");
    assert_eq!(run(&path, &NUMBERS).read, 0);
}

#[test]
fn runs_at_once_lose_nothing_of_each_other() {
    let path = scratch("at-once");
    let numbers: Vec<u64> = (0..240).map(|i| 30_000 + i).collect();
    std::thread::scope(|scope| {
        for part in numbers.chunks(60) {
            let path = path.clone();
            scope.spawn(move || run(&path, part));
        }
    });
    let file = opened(&path);
    assert!(file.remarks().is_empty(), "{:?}", file.remarks());
    let counts = run_with(file, &numbers, ["a", "b"]);
    assert_eq!((counts.read, counts.used, counts.added), (240, 240, 0));
}

#[test]
fn a_full_file_keeps_what_was_used() {
    let path = scratch("bounded");
    let limit = 6000;
    let bounded = || AnswerFile::open(&path, limit).expect("it opens");
    let size = || std::fs::metadata(&path).expect("it is there").len();
    let useful = [221, 251];
    run_with(bounded(), &useful, ["a", "b"]);
    for round in 0..6 {
        let numbers: Vec<u64> = (0..30).map(|i| 20_000 + 100 * round + i).collect();
        run_with(
            bounded(),
            &[&useful, numbers.as_slice()].concat(),
            ["a", "b"],
        );
        assert!(size() <= limit, "{}", size());
    }
    // As another run would find it that allows less.
    let small = || AnswerFile::open(&path, 2000).expect("it opens");
    let counts = run_with(small(), &useful, ["a", "b"]);
    assert_eq!((counts.used, counts.added), (2, 0));
    assert!(size() <= 2000 && counts.read < 20);
}

/// Refutes everything.
struct Liar;

impl Layer for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn solve(&mut self, query: &Query, _: &mut Rest<'_>) -> Answer {
        Answer::Unsat(UnsatCore {
            facts: query.facts.to_vec(),
            goal: true,
        })
    }
}

#[test]
fn a_wrong_core_is_an_internal_error_and_ends_the_use_of_the_file() {
    let path = scratch("liar");
    let s = TermStore::new();
    let file = Arc::new(opened(&path));
    let mut lying = chain(&file, Box::new(Liar));
    for n in [221, 4087, 899] {
        assert!(lying.solve(&s, &question(&s, ["a", "b"], n)).is_unsat());
    }
    drop((lying, file));
    for proves_all in [false, true] {
        let file = Arc::new(opened(&path));
        assert_eq!(file.counts().read, 3);
        if proves_all {
            file.prove_all();
        }
        let mut honest = chain(&file, Box::new(NativeCore::default()));
        // The first answer is in the sample.
        match honest.solve(&s, &question(&s, ["a", "b"], 221)) {
            Answer::Unknown(UnknownReason::Internal(_)) => {}
            other => panic!("{other:?}"),
        }
        for n in [4087, 899] {
            assert!(honest.solve(&s, &question(&s, ["a", "b"], n)).is_sat());
        }
        assert_eq!(file.counts().added, 0);
    }
}
