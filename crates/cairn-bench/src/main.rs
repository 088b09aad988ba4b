//! `cargo run --release -p cairn-bench -- NAME`: runs a benchmark and prints its table.

mod arrays;
mod cache;
mod child;
mod clock;
mod concrete;
mod explore;
mod hard;
mod load;
mod programs;
mod recorded;
mod riscv;
mod segments;
mod sets;
mod stream_table;
mod streams;
mod suite;
mod terms;
mod threads;

const USAGE: &str = "usage: cairn-bench NAME [ARGUMENT]

  streams [QUERIES] [STREAM] [native]
                     queries per CPU second on streams shaped like symbolic execution:
                     native core, Z3 at its best setting, the whole chain (default 10000);
                     one stream if it is named, the native core alone if that is asked for
  recorded [FOLDER]  recorded queries of real programs, native core and chain against Z3
                     (default tests/queries)
  hard [LIST]        hard single queries, native core against Z3: a file of seeds, or a folder of
                     scripts such as `cairn run --write-hard-queries` writes, named PROGRAM-NUMBER
                     (default crates/cairn-oracle/data/hard.txt, then tests/hard-queries)
  threads            two workers against one, nine interleaved pairs
  terms              building, sweeping and moving terms
  concrete [FILE]    the concrete machine against native execution, -O0 and -O2
                     (default crates/cairn-bench/data/concrete.c)
  load [FILE]        a large program read, lowered and verified, -O0 and -O2
                     (default sqlite's amalgamation, which cargo fetches)
  explore [NAME]     whole explorations with and without tests: paths, time, memory
                     (all programs, or those whose names begin so; needs the binary cairn)
  scaling            paths per second with two workers against one, nine interleaved pairs
  forks              the cost of a fork with little memory, much memory, many objects
  programs [--time 60s] [--search LIST] [--replay N] [--again] [--results FOLDER] [NAME…]
                     real programs that scripts/programs.sh built: explored, then their tests
                     replayed natively (at most N each); by program or package; rows that are
                     known are kept, unless --again
  sets [--parti] [--time 60s] [--programs GLOB] [--settings LIST] [--instructions]
       [--results FOLDER] [--again]
                     value sets: the papers' tables with ours beside them (ASE'21's Table III on
                     tests/algo, or with --parti the figures of PARTI on tests/sets); --instructions
                     adds counts of instructions; runs that are known are kept, unless --again
  riscv [algorithms] [findings] [speed] [--time 60s] [--programs GLOB] [--results FOLDER] [--again]
                     RISC-V executables: the paths, findings and queries of tests/algo for rv64im and
                     rv64gc at -O0 and -O2 beside those through LLVM; the findings of tests/programs
                     linked with glibc beside those through LLVM; a concrete program beside the same
                     through LLVM; runs that are known are kept, unless --again
  segments [--time 20s] [--tables LIST] [--results FOLDER] [--again] [NAME…]
                     pointers that inputs choose: drivers of the shape of real programs' tables under every
                     policy of memory, and the tables of a thesis with ours beside them; runs that are known
                     are kept, unless --again
  cache [--time 10s] [--memory fork,segments] [--bases terms|values] [--results FOLDER] [--again] [NAME…]
                     what a cache up to the names of objects and inputs could save: classes of the queries that
                     reach the core solver, on drivers with tables and on programs that scripts/programs.sh
                     built; rows that are known are kept, unless --again
  arrays [--time 60s] [--programs GLOB] [--settings LIST] [--results FOLDER] [--again] [--queries]
                     arrays: ISSTA'21's tables with ours beside them, on scanners that flex makes of
                     tests/arrays and other programs with tables; arrays --help says more";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    match name.as_deref() {
        Some("programs") => return end(programs::run(arguments)),
        Some("sets") => return end(sets::run(arguments)),
        Some("riscv") => return end(riscv::run(arguments)),
        Some("segments") => return end(segments::run(arguments)),
        Some("cache") => return end(cache::run(arguments)),
        Some("--help" | "-h") => return println!("{USAGE}"),
        Some("arrays") => return end(arrays::run(arguments)),
        Some(_) | None => {}
    }
    let argument = arguments.next();
    let outcome = match name.as_deref() {
        Some("streams") => match argument.as_deref().unwrap_or("10000").parse() {
            Ok(queries) => {
                let stream = arguments.next();
                let alone = arguments.next().as_deref() == Some("native");
                stream_table::run(queries, stream.as_deref(), alone)
            }
            Err(_) => Err("the number of queries must be a number".to_string()),
        },
        Some("recorded") => recorded::run(argument.as_deref().unwrap_or("tests/queries")),
        Some("hard") => match argument.as_deref() {
            Some(list) => hard::run(list),
            None => hard::run("crates/cairn-oracle/data/hard.txt")
                .and_then(|()| hard::run("tests/hard-queries")),
        },
        Some("threads") => threads::run(),
        Some("terms") => terms::run(),
        Some("concrete") => concrete::run(
            argument
                .as_deref()
                .unwrap_or("crates/cairn-bench/data/concrete.c"),
        ),
        Some("load") => load::run(argument.as_deref()),
        Some("explore") => explore::run(argument.as_deref()),
        Some("scaling") => explore::scaling(),
        Some("forks") => explore::forks(),
        Some(_) | None => Err(USAGE.to_string()),
    };
    end(outcome);
}

fn end(outcome: Result<(), String>) {
    if let Err(message) = outcome {
        eprintln!("{message}");
        std::process::exit(64);
    }
}
