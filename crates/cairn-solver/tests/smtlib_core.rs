//! The SMT-LIB core: against programs that misbehave in every way, and against a real solver.
//!
//! The misbehaving programs are small shell scripts that the tests write. The real one is `z3` if
//! it can be started; else those tests say so and pass.
#![cfg(unix)]

use cairn_expr::{BitVec, Evaluator, Sort, Table, Term, TermStore};
use cairn_solver::cores::SmtlibCore;
use cairn_solver::{
    Answer, Budget, Cancel, Chain, ChainConfig, Facts, Query, UnknownReason, UnsatCore, Want,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A folder for a test's scripts, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("cairn-smtlib-{}-{test}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The command that runs a shell script. The folder's name has no blanks, the quotes are for
    /// temporary folders that have.
    fn script(&self, name: &str, body: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, body).expect("a script");
        format!("sh '{}'", path.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chain_of(command: &str) -> Chain {
    let core = SmtlibCore::start(command).expect("it starts");
    Chain::new(vec![Box::new(core)], ChainConfig::default())
}

/// `x < 5`.
fn small_query(s: &TermStore) -> Query {
    let x = s.symbol("x", Sort::BitVec(8));
    Query::new(Facts::new(), s.bv_ult(&x, &s.bv(8, 5)))
}

fn failure(answer: &Answer) -> &str {
    match answer {
        Answer::Unknown(UnknownReason::SolverFailed(why)) => why,
        other => panic!("expected a failure of the solver: {other:?}"),
    }
}

/// A script that misbehaves on its first run and answers properly from its second run on.
fn once(folder: &Folder, misbehave: &str) -> String {
    let mark = folder.path("ran");
    let body = format!(
        "if [ ! -e '{mark}' ]; then\n  : > '{mark}'\n  {misbehave}\nfi\n\
         while read -r line; do\n  case \"$line\" in\n    *check-sat*) echo sat;;\n    \
         *get-value*) echo '((x #x03))';;\n  esac\ndone\n",
        mark = mark.display()
    );
    folder.script("solver.sh", &body)
}

/// Runs a misbehaving program; returns what the first query failed with, after seeing that the
/// second one works.
fn misbehaving(test: &str, misbehave: &str) -> String {
    let folder = Folder::new(test);
    let mut chain = chain_of(&once(&folder, misbehave));
    let s = TermStore::new();
    let query = small_query(&s);
    let answer = chain.solve(&s, &query);
    let why = failure(&answer).to_string();
    let again = chain.solve(&s, &query);
    assert!(again.is_sat(), "after {why}: {again:?}");
    why
}

#[test]
fn a_missing_command_is_named_at_the_start() {
    let Err(why) = SmtlibCore::start("no-such-solver-anywhere --flag") else {
        panic!("it does not exist");
    };
    assert!(why.contains("no-such-solver-anywhere"), "{why}");
    assert!(!why.contains('\n'), "{why}");
    assert!(SmtlibCore::start("  ").is_err());
    assert!(SmtlibCore::start("z3 'unclosed").is_err());
}

#[test]
fn a_program_that_dies_before_it_answers() {
    let why = misbehaving("dies", "read -r line; exit 3");
    assert!(why.contains("it ended before it answered"), "{why}");
    assert!(why.contains('3'), "the exit status: {why}");
}

#[test]
fn a_program_that_dies_within_an_answer() {
    let body = "while read -r line; do case \"$line\" in *check-sat*) echo sat;; \
                *get-value*) printf '((x #x0'; exit 0;; esac; done";
    let why = misbehaving("half", body);
    assert!(why.contains("in the middle of an answer"), "{why}");
}

#[test]
fn a_program_that_prints_garbage() {
    // After it was asked: what says something before that is started anew.
    let why = misbehaving(
        "garbage",
        "read -r line; echo 'Segmentation fault (core dumped)'; cat > /dev/null",
    );
    assert!(why.contains("Segmentation"), "{why}");
    let why = misbehaving(
        "bytes",
        "read -r line; printf '\\377\\376\\000\\n'; cat > /dev/null",
    );
    assert!(why.contains("it says"), "{why}");
}

#[test]
fn a_program_whose_values_are_garbage() {
    for (test, value) in [
        ("sort", "((x #x003))"),
        ("count", "((x #x03) (y #x03))"),
        ("word", "3"),
        ("symbol", "((x y))"),
        ("wrong", "((x #x77))"),
    ] {
        let body = format!(
            "while read -r line; do case \"$line\" in *check-sat*) echo sat;; \
             *get-value*) echo '{value}';; esac; done"
        );
        misbehaving(&format!("value-{test}"), &body);
    }
}

#[test]
fn a_program_that_reports_an_error() {
    let body =
        "read -r line; echo '(error \"line 1: no (such) thing\")'; echo sat; cat > /dev/null";
    let why = misbehaving("error", body);
    assert!(why.contains("no (such) thing"), "{why}");
}

#[test]
fn a_program_that_says_unknown() {
    let why = misbehaving("unknown", "echo unknown; cat > /dev/null");
    assert!(why.contains("unknown"), "{why}");
}

#[test]
fn a_program_that_closes_its_input() {
    // More than a pipe holds, so that writing fails and not only reading.
    let folder = Folder::new("closes");
    let mut chain = chain_of(&once(&folder, "exec 0<&-; exec sleep 300"));
    let s = TermStore::new();
    let x = s.symbol("x", Sort::BitVec(8));
    let mut facts = Facts::new();
    for i in 0..3000 {
        let y = s.symbol(
            &format!("a-name-that-makes-the-script-long-{i}"),
            Sort::BitVec(8),
        );
        facts = facts.with(s.bv_ult(&x, &y));
    }
    let start = Instant::now();
    let answer = chain.solve(&s, &Query::new(facts, s.true_()));
    let why = failure(&answer).to_string();
    assert!(why.contains("closed its input"), "{why}");
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(chain.solve(&s, &small_query(&s)).is_sat());
}

/// What a busy machine may add to a time; programs that never answer take minutes.
const DELAY: Duration = Duration::from_secs(30);

/// Whether a process exists that is not a zombie.
fn is_alive(pid: &str) -> bool {
    let path = Path::new("/proc").join(pid).join("stat");
    std::fs::read_to_string(path).is_ok_and(|stat| !stat.contains(") Z"))
}

#[test]
fn a_program_that_never_answers_is_killed_at_the_deadline() {
    for (test, body) in [
        ("reads", "echo $$ > PID; while read -r line; do :; done"),
        ("deaf", "echo $$ > PID; exec sleep 300"),
    ] {
        let folder = Folder::new(&format!("never-{test}"));
        let pid_file = folder.path("pid");
        let body = body.replace("PID", &format!("'{}'", pid_file.display()));
        let mut chain = chain_of(&once(&folder, &body));
        // The script is longer than a pipe holds: writing must not outlast the deadline either.
        let s = TermStore::new();
        let mut facts = Facts::new();
        for i in 0..5000 {
            let y = s.symbol(&format!("another-long-name-{i}"), Sort::BitVec(8));
            facts = facts.with(s.bv_ult(&y, &s.bv(8, 7)));
        }
        while std::fs::read_to_string(&pid_file).map_or(true, |t| t.is_empty()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let pid = std::fs::read_to_string(&pid_file).expect("its number");
        let limit = Duration::from_millis(200);
        let start = Instant::now();
        let query = Query::new(facts, s.true_()).within(Budget::timeout(limit));
        let answer = chain.solve(&s, &query);
        let took = start.elapsed();
        assert!(
            matches!(answer, Answer::Unknown(UnknownReason::Timeout)),
            "{answer:?}"
        );
        assert!(took < limit + DELAY, "{took:?}");
        if Path::new("/proc/self/stat").exists() {
            assert!(!is_alive(pid.trim()), "{pid} is killed");
        }
        assert!(chain.solve(&s, &small_query(&s)).is_sat());
    }
}

#[test]
fn cancelling_stops_the_wait() {
    let folder = Folder::new("cancel");
    let mut chain = chain_of(&once(&folder, "exec sleep 300"));
    let s = TermStore::new();
    let query = small_query(&s);
    let flag = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        cancel: Some(Cancel::new(Arc::clone(&flag))),
        ..Budget::default()
    };
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        flag.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    let answer = chain.solve(&s, &query.clone().within(budget));
    assert!(
        matches!(answer, Answer::Unknown(UnknownReason::Cancelled)),
        "{answer:?}"
    );
    assert!(start.elapsed() < DELAY, "{:?}", start.elapsed());
    setter.join().expect("the other thread");
    assert!(chain.solve(&s, &query).is_sat());
}

#[test]
fn what_a_program_says_unasked_is_not_taken_for_the_next_answer() {
    let folder = Folder::new("unasked");
    // After its first model it prints an unasked `unsat`.
    let body = "while read -r line; do case \"$line\" in *check-sat*) echo sat;; \
                *get-value*) echo '((x #x03))'; echo unsat;; esac; done";
    let mut chain = chain_of(&folder.script("solver.sh", body));
    let s = TermStore::new();
    let query = small_query(&s);
    for _ in 0..3 {
        let answer = chain.solve(&s, &query);
        assert!(answer.is_sat(), "{answer:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn arrays_written_in_an_unknown_way_are_asked_for_by_element() {
    let folder = Folder::new("cells");
    // `a[i] = 9` and `a[a[i]] = 4` with i = 2.
    let body = "while read -r line; do case \"$line\" in *check-sat*) echo sat;; \
                *'(get-value (i))'*) echo '((i #x02))';; \
                *'(get-value (a))'*) echo '((a (_ as-array k!0)))';; \
                *'select a #x02'*) echo '(((select a #x02) #x09))';; \
                *'select a #x09'*) echo '(((select a #x09) #x04))';; esac; done";
    let mut chain = chain_of(&folder.script("solver.sh", body));
    let s = TermStore::new();
    let a = s.symbol("a", Sort::Array { index: 8, value: 8 });
    let i = s.symbol("i", Sort::BitVec(8));
    let once = s.select(&a, &i);
    let twice = s.select(&a, &once);
    let facts = Facts::new().with(s.eq(&once, &s.bv(8, 9)));
    let answer = chain.solve(&s, &Query::new(facts, s.eq(&twice, &s.bv(8, 4))));
    assert!(answer.is_sat(), "{answer:?}");
}

/// A chain of the real solver; `None` with a note if there is none.
fn real(s: &TermStore) -> Option<Chain> {
    let command = "z3 -in";
    let Ok(core) = SmtlibCore::start(command) else {
        eprintln!("skipped: no program \"{command}\"");
        return None;
    };
    let mut chain = Chain::new(vec![Box::new(core)], ChainConfig::default());
    let query = small_query(s);
    // A wrapper without a solver after it starts and ends at once.
    match chain.solve(s, &query.within(Budget::timeout(Duration::from_secs(10)))) {
        Answer::Unknown(UnknownReason::SolverFailed(why)) if why.contains("it ended") => {
            eprintln!("skipped: \"{command}\" does not run: {why}");
            None
        }
        answer => {
            assert!(answer.is_sat(), "{answer:?}");
            Some(chain)
        }
    }
}

#[test]
fn a_real_solver_decides_bit_vectors() {
    let s = TermStore::new();
    let Some(mut chain) = real(&s) else { return };
    let x = s.symbol("x", Sort::BitVec(8));
    let odd = s.symbol("an odd (name)", Sort::BitVec(8));
    let twin = s.symbol("x", Sort::BitVec(72));
    let c = s.symbol("c", Sort::Bool);
    let product = s.bv_mul(&x, &odd);
    let facts = Facts::new()
        .with(s.eq(&product, &s.bv(8, 15)))
        .with(s.bv_ult(&s.bv(8, 1), &x))
        .with(s.bv_ult(&x, &odd))
        .with(s.bv_ult(&odd, &s.bv(8, 16)))
        .with(s.eq(&twin, &s.concat(&s.bv(64, u64::MAX), &x)));
    // The chain evaluates the model.
    let answer = chain.solve(&s, &Query::new(facts.clone(), c.clone()));
    let Answer::Sat(model) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(Evaluator::new().eval_bv(&odd, &model), BitVec::new(8, 5));
    let wrong = s.eq(&x, &s.bv(8, 4));
    assert!(chain.solve(&s, &Query::new(facts, wrong)).is_unsat());
}

#[test]
fn a_real_solver_decides_arrays_and_tables() {
    let s = TermStore::new();
    let Some(mut chain) = real(&s) else { return };
    let sort = Sort::Array {
        index: 16,
        value: 8,
    };
    let a = s.symbol("a", sort);
    let b = s.symbol("b", sort);
    let i = s.symbol("i", Sort::BitVec(16));
    let j = s.symbol("j", Sort::BitVec(16));
    let values = (0..32u64).map(|v| BitVec::new(8, v * v)).collect();
    let table = s.table(Table::new(16, values, BitVec::new(8, 7)));
    let stored = s.store(&a, &i, &s.bv(8, 5));
    let facts = Facts::new()
        .with(s.eq(&b, &stored))
        .with(s.eq(&s.select(&table, &j), &s.bv(8, 81)))
        .with(s.eq(&s.select(&a, &j), &s.bv(8, 6)));
    let answer = chain.solve(&s, &Query::new(facts.clone(), s.true_()));
    assert!(answer.is_sat(), "{answer:?}");
    let same = s.eq(&s.select(&b, &j), &s.bv(8, 8));
    assert!(chain.solve(&s, &Query::new(facts.clone(), same)).is_unsat());
    let five = s.eq(&s.select(&b, &j), &s.bv(8, 5));
    let answer = chain.solve(&s, &Query::new(facts, five));
    assert!(answer.is_sat(), "{answer:?}");
}

#[test]
fn a_real_solver_gives_cores() {
    let s = TermStore::new();
    let Some(mut chain) = real(&s) else { return };
    let x = s.symbol("x", Sort::BitVec(8));
    let y = s.symbol("y", Sort::BitVec(8));
    let low: Term = s.bv_ult(&x, &s.bv(8, 10));
    let facts = Facts::new()
        .with(s.bv_ult(&y, &s.bv(8, 3)))
        .with(low.clone())
        .with(s.bv_ult(&s.bv(8, 1), &y));
    let above = |n| s.bv_ult(&s.bv(8, n), &x);
    let query = Query::new(facts, above(20)).wanting(Want::Core);
    let Answer::Unsat(UnsatCore { facts, goal }) = chain.solve(&s, &query) else {
        panic!("x < 10 and 20 < x");
    };
    assert_eq!((facts, goal), (vec![low], true));
    let Answer::Sat(model) = chain.solve(&s, &query.with_goal(above(8))) else {
        panic!("8 < x < 10");
    };
    assert_eq!(Evaluator::new().eval_bv(&x, &model), BitVec::new(8, 9));
}

#[test]
fn a_real_solver_is_stopped_at_the_deadline() {
    let s = TermStore::new();
    let Some(mut chain) = real(&s) else { return };
    let a = s.symbol("a", Sort::BitVec(64));
    let b = s.symbol("b", Sort::BitVec(64));
    let limit = s.bv(64, 1 << 32);
    let facts = Facts::new()
        .with(s.bv_ult(&a, &limit))
        .with(s.bv_ult(&b, &limit))
        .with(s.bv_ult(&a, &b));
    let n = s.bv(64, 2_860_486_313 * 3_267_000_013);
    let goal = s.eq(&s.bv_mul(&a, &b), &n);
    let start = Instant::now();
    let budget = Budget::timeout(Duration::from_millis(100));
    let answer = chain.solve(&s, &Query::new(facts, goal).within(budget));
    assert!(
        matches!(answer, Answer::Unknown(UnknownReason::Timeout)),
        "{answer:?}"
    );
    assert!(start.elapsed() < DELAY);
    assert!(chain.solve(&s, &small_query(&s)).is_sat());
}
