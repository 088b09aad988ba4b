//! What reasons and stop points cost: explores a program in the text form under a tool that counts instructions.
//!
//! `cargo run --release -p cairn-engine --example reasons -- WHAT INSTRUCTIONS PROGRAM.cir`, where WHAT is
//!
//! - `none`: neither reasons nor stop points,
//! - `all`: the core of every reason (`cairn run --every-reason` does that for a program of `cairn cc`),
//! - `stops=FUNCTION`: stop points at all joins and loops of one function, at which states go on,
//! - `tree`: the nodes of the execution tree are kept.
//!
//! `cairn run --emit-cir PROGRAM.cir PROGRAM.c` makes the text form.

use cairn_engine::search::{Plain, SearchSpec};
use cairn_engine::{
    Arrival, Config, Context, Explorer, Feature, Finding, Limits, Moment, Observer, Outcome,
    TestCase, Wants,
};
use cairn_ir::{FuncId, Program};
use std::sync::Arc;

/// Has stop points in a function.
struct Stops(String);

impl Feature for Stops {
    fn name(&self) -> &'static str {
        "stops"
    }

    fn wants(&self) -> Wants {
        Wants::default()
    }

    fn stops(&self, program: &Program, function: FuncId) -> Arrival {
        match program.function(function).name == self.0 {
            true => Arrival {
                block: false,
                join: true,
                loop_head: true,
                loop_exit: true,
            },
            false => Arrival::NOWHERE,
        }
    }

    fn on(&mut self, _moment: &mut Moment<'_>, _context: &mut Context<'_>) {}
}

struct Silent;

impl Observer for Silent {
    fn wants_test(&self, _outcome: &Outcome) -> bool {
        false
    }
    fn found(&self, _finding: &Finding, _test: Option<u64>, _program: &Program) {}
    fn test(&self, _number: u64, _test: &TestCase, _outcome: &Outcome, _program: &Program) {}
    fn message(&self, _text: &str) {}
    fn warning(&self, _text: &str) {}
    fn warning_once(&self, _text: &str) {}
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, wanted, instructions, file] = &arguments[..] else {
        eprintln!("reasons none|all|stops=FUNCTION|tree INSTRUCTIONS PROGRAM.cir");
        std::process::exit(64);
    };
    let text = std::fs::read_to_string(file).expect("a file that can be read");
    let program = cairn_ir::text::parse(&text).expect("a program in the text form");
    let config = Config {
        search: SearchSpec::of(Plain::Dfs),
        core_of_every_reason: wanted == "all",
        keep_tree: (wanted == "tree").then_some(1 << 20),
        limits: Limits {
            instructions: instructions.parse().ok(),
            ..Limits::default()
        },
        ..Config::default()
    };
    let mut explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    if let Some(function) = wanted.strip_prefix("stops=") {
        let function = function.to_string();
        explorer = explorer.with_feature(Box::new(move || Box::new(Stops(function.clone()))));
    }
    let result = explorer.run().expect("the program starts");
    let nodes = result.tree.map_or(0, |tree| tree.nodes.len());
    println!("{} paths, {nodes} nodes kept", result.completed);
}
