//! The figures of the paper on multi-intervals, with programs of ours (`tests/sets`).
//!
//! Figures are curves in print; beside ours stands what the paper says about them. The paper's engine gives
//! every query whole to a new solver of Z3's (`z3:anew`); ours opens and closes levels along a path (`z3`),
//! which is up to ten times as fast. Sorting is compared with both, and the figure's promise is about the first.
//! It takes so little time that the start of a process, most of it for LLVM's library, is a good part of it:
//! that is measured by itself, and a column has the ratio without it. The promise is about all of the time.

use super::runs::{Program, Run, settings};
use super::{SetBenchOptions, matches, promise};
use std::path::Path;

/// How often the start of a process is measured; the least counts.
const STARTS: u32 = 5;
/// Shorter times than this cannot be told from each other, in seconds.
const SHORTEST: f64 = 0.005;
/// How much more instructions than the core solver alone the worst case may take.
const WORST: f64 = 1.1;

fn program(file: &str, name: String, defines: &[String], flags: &[&'static str]) -> Program {
    let define = |d: &String| format!("-D{d}");
    Program {
        name,
        source: Path::new("tests/sets").join(format!("{file}.c")),
        defines: defines.iter().map(define).collect(),
        flags: flags.iter().map(|f| (*f).to_string()).collect(),
        expected: None,
        machine: None,
    }
}

/// Object resolution: every element type and some sizes.
fn objects() -> Vec<Program> {
    let mut all = Vec::new();
    for bits in [8, 16, 32, 64] {
        for size in [16, 256, 4096] {
            // So many other objects that the start of a process does not count.
            let others = "OTHERS=200".to_string();
            let defines = [format!("BITS={bits}"), format!("N={size}"), others];
            let name = format!("resolve {bits}-bit {size}");
            all.push(program("resolve", name, &defines, &["--outside", "object"]));
        }
    }
    all
}

fn worst(control: bool) -> Vec<Program> {
    let numbers = [2, 4, 8, 12, 16, 20, 24];
    let made = numbers.map(|n| {
        let mut defines = vec![format!("N={n}")];
        if control {
            defines.push("CONTROL".to_string());
        }
        let kind = if control { "control" } else { "worst" };
        program("worst", format!("{kind} {n}"), &defines, &[])
    });
    made.into()
}

/// Sizes with one symbolic element, and with two.
const ONE: &[u32] = &[100, 200];
const TWO: &[u32] = &[10, 20, 30];
const SORTS: [&str; 6] = ["bubble", "heap", "insertion", "merge", "quick", "selection"];

fn sorts(symbolic: u32, sizes: &[u32]) -> Vec<Program> {
    let mut all = Vec::new();
    for size in sizes {
        for sort in SORTS {
            let defines = [
                format!("SORT={sort}"),
                format!("N={size}"),
                format!("SYMBOLIC={symbolic}"),
            ];
            let name = format!("{sort} {symbolic} of {size}");
            all.push(program("sorts", name, &defines, &[]));
        }
    }
    all
}

fn lines() -> Vec<Program> {
    let mut all = Vec::new();
    for (length, lines) in [(4, 4), (4, 8), (8, 4), (8, 8), (16, 4)] {
        let defines = [format!("LINES={lines}"), format!("LENGTH={length}")];
        let name = format!("check {lines} lines of {length}");
        all.push(program("check_sorted", name, &defines, &[]));
    }
    let sort = Path::new(".deps/programs/coreutils/sort");
    if !sort.exists() {
        println!("\nsort -C is left out: scripts/programs.sh builds it");
        return all;
    }
    for length in ["9", "11"] {
        let flags = ["--search", "dfs", "--", "-C", "--sym-stdin", length];
        all.push(Program {
            name: format!("sort -C of {length} bytes"),
            source: sort.to_path_buf(),
            defines: Vec::new(),
            flags: flags.map(str::to_string).into(),
            expected: None,
            machine: None,
        });
    }
    all
}

/// Prints the figures.
pub fn run(options: &SetBenchOptions) -> Result<(), String> {
    println!(
        "PARTI, ASE'18; at most {} s for each run",
        options.runner.limit
    );
    let resolved = figure(
        options,
        "figure 3: object resolution (paper: over 200 times faster)",
        Baseline::Along,
        objects(),
        None,
    )?;
    let bad = |keep: &dyn Fn(&SolverTimes) -> bool| {
        let bad = resolved.iter().filter(|t| !keep(t));
        let names: Vec<&str> = bad.map(|t| t.name.as_str()).collect();
        names.join(", ")
    };
    if !resolved.is_empty() {
        promise("no query to the core solver", &bad(&|t| t.ours.core == 0));
        promise("over 200 times faster", &bad(&|t| t.faster() > 200.0));
        promise("under 0.1 s each", &bad(&|t| t.ours.seconds < 0.1));
        promise("the same paths", &bad(&SolverTimes::agree));
    }
    worst_case(options)?;
    let start = Start::measure(options)?;
    let one = figure(
        options,
        "figure 6: sorting, one symbolic element (paper: 10 to 50 times faster)",
        Baseline::Anew,
        sorts(1, ONE),
        start,
    )?;
    slower_than(&one, 10.0);
    let two = figure(
        options,
        "figure 7: sorting, two symbolic elements (paper: 1.5 to 10 times faster)",
        Baseline::Anew,
        sorts(2, TWO),
        start,
    )?;
    slower_than(&two, 1.5);
    let checked = figure(
        options,
        "figure 11: is a file of concrete and symbolic lines sorted, and sort -C (paper: faster with more and \
         longer lines, every query answered)",
        Baseline::Anew,
        lines(),
        None,
    )?;
    slower_than(&checked, 1.0);
    Ok(())
}

fn slower_than(all: &[SolverTimes], bar: f64) {
    if all.is_empty() {
        return;
    }
    // Where the engine asks nothing, all solvers are as fast.
    let asked = all.iter().filter(|t| t.ours.asked > 0);
    let slow = asked.filter(|t| t.faster() < bar);
    let names: Vec<&str> = slow.map(|t| t.name.as_str()).collect();
    let what = format!("at least {bar} times faster, where anything is asked");
    promise(&what, &names.join(", "));
    let other = all.iter().filter(|t| !t.agree());
    let names: Vec<&str> = other.map(|t| t.name.as_str()).collect();
    promise("the same paths", &names.join(", "));
}

/// Which Z3 a figure is about.
#[derive(Clone, Copy, PartialEq)]
enum Baseline {
    /// Levels along a path.
    Along,
    /// A new solver for each query.
    Anew,
}

/// CPU seconds that a process takes to start and to ask one question, under the settings that are compared.
#[derive(Clone, Copy)]
struct Start {
    anew: f64,
    ours: f64,
}

impl Start {
    /// The least of some runs of a sort of two elements.
    fn measure(options: &SetBenchOptions) -> Result<Option<Start>, String> {
        let (one, two) = (sorts(1, ONE), sorts(2, TWO));
        let is_wanted = |p: &Program| matches(&options.glob, &p.name);
        if !one.iter().chain(&two).any(is_wanted) {
            return Ok(None);
        }
        let mut least = [f64::MAX; 2];
        let chosen = settings("z3:anew,default")?;
        for time in 1..=STARTS {
            let defines = ["SORT=bubble", "N=2", "SYMBOLIC=1"].map(str::to_string);
            let program = program("sorts", format!("start {time}"), &defines, &[]);
            for (least, setting) in least.iter_mut().zip(&chosen) {
                *least = least.min(options.runner.run(&program, setting)?.seconds);
            }
        }
        let [anew, ours] = least;
        println!(
            "\nthe start of a process: {anew:.3} s with z3:anew, {ours:.3} s with the default"
        );
        Ok(Some(Start { anew, ours }))
    }
}

/// A program under Z3 alone, our core solver alone and the default without caches.
struct SolverTimes {
    name: String,
    start: Option<Start>,
    z3: Run,
    anew: Option<Run>,
    core: Run,
    ours: Run,
}

impl SolverTimes {
    /// Times faster than Z3 along a path.
    fn faster_than_along(&self) -> f64 {
        self.z3.seconds / self.ours.seconds.max(1e-3)
    }

    /// Times faster than the Z3 that the figure is about.
    fn faster(&self) -> f64 {
        let baseline = self.anew.as_ref().unwrap_or(&self.z3);
        baseline.seconds / self.ours.seconds.max(1e-3)
    }

    /// The same without the start of the processes, where that was measured.
    fn faster_after_start(&self) -> Option<f64> {
        let (anew, start) = (self.anew.as_ref()?, self.start?);
        let ours = (self.ours.seconds - start.ours).max(SHORTEST);
        Some((anew.seconds - start.anew) / ours)
    }

    /// Whether runs that ended found the same paths.
    fn agree(&self) -> bool {
        let ended = [
            Some(&self.z3),
            self.anew.as_ref(),
            Some(&self.core),
            Some(&self.ours),
        ];
        let mut ended = ended.iter().flatten().filter(|r| r.complete);
        let paths = |r: &Run| (r.completed, r.errors);
        match ended.next() {
            Some(first) => ended.all(|r| paths(r) == paths(first)),
            None => true,
        }
    }
}

fn figure(
    options: &SetBenchOptions,
    title: &str,
    baseline: Baseline,
    programs: Vec<Program>,
    start: Option<Start>,
) -> Result<Vec<SolverTimes>, String> {
    println!("\n{title}");
    println!(
        "{:<24} {:>8} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>11} {:>10} {:>12}",
        "program",
        "paths",
        "z3:anew s",
        "z3 s",
        "core s",
        "default s",
        "core queries",
        "over anew",
        "after start",
        "over z3",
        "in solvers"
    );
    let chosen = settings("z3,z3:anew,core,default")?;
    let mut all = Vec::new();
    for program in programs.iter().filter(|p| matches(&options.glob, &p.name)) {
        let run = |at: usize| options.runner.run(program, chosen[at]);
        let compared = SolverTimes {
            name: program.name.clone(),
            start,
            z3: run(0)?,
            anew: match baseline {
                Baseline::Along => None,
                Baseline::Anew => Some(run(1)?),
            },
            core: run(2)?,
            ours: run(3)?,
        };
        let cell = |r: &Run| {
            let more = if r.complete { "" } else { "+" };
            format!("{:.2}{more}", r.seconds)
        };
        println!(
            "{:<24} {:>8} {:>10} {:>10} {:>10} {:>10} {:>12} {:>10} {:>11} {:>10.1} {:>12.0}",
            compared.name,
            compared.ours.completed + compared.ours.errors,
            compared.anew.as_ref().map_or("-".to_string(), cell),
            cell(&compared.z3),
            cell(&compared.core),
            cell(&compared.ours),
            compared.ours.core,
            match baseline {
                Baseline::Along => "-".to_string(),
                Baseline::Anew => format!("{:.1}", compared.faster()),
            },
            compared
                .faster_after_start()
                .map_or("-".to_string(), |times| format!("{times:.1}")),
            compared.faster_than_along(),
            compared.z3.solving / compared.ours.solving.max(1e-6)
        );
        all.push(compared);
    }
    Ok(all)
}

/// Figures 4 and 5: sets that would grow without end.
fn worst_case(options: &SetBenchOptions) -> Result<(), String> {
    println!("\nfigure 4: the worst case (paper: blows up from 17 variables on)");
    println!(
        "{:<24} {:>10} {:>10} {:>12} {:>14} {:>14} {:>7}",
        "program", "core s", "default s", "core queries", "core M instr.", "default M", "ratio"
    );
    let chosen = settings("core,default")?;
    let mut slower = Vec::new();
    let all = worst(false).into_iter().chain(worst(true));
    for program in all.filter(|p| matches(&options.glob, &p.name)) {
        let core = options.runner.run(&program, chosen[0])?;
        let ours = options.runner.run(&program, chosen[1])?;
        let count = |at: usize| options.runner.instructions(&program, chosen[at]);
        let counted = match options.count {
            true => count(0)?.zip(count(1)?),
            false => None,
        };
        let (a, b, ratio) = match counted {
            Some((a, b)) => (format!("{a:.0}"), format!("{b:.0}"), b / a),
            None => ("-".to_string(), "-".to_string(), f64::NAN),
        };
        println!(
            "{:<24} {:>10.2} {:>10.2} {:>12} {a:>14} {b:>14} {ratio:>7.3}",
            program.name, core.seconds, ours.seconds, ours.core
        );
        if ratio > WORST {
            slower.push(format!("{} {ratio:.2}", program.name));
        }
    }
    if options.count {
        let what = format!("at most {WORST} of the instructions of the core solver alone");
        promise(&what, &slower.join(", "));
    }
    Ok(())
}
