//! What reasons cost: explores a program in the text form, without reasons or with the core of every one.
//!
//! `cargo run --release -p cairn-engine --example reasons -- none|all INSTRUCTIONS PROGRAM.cir`, under a tool that counts
//! instructions. `cairn run --emit-cir PROGRAM.cir PROGRAM.c` makes the text form.

use cairn_engine::{
    Config, Context, Explorer, Feature, Finding, Limits, Moment, Observer, Outcome, TestCase, Wants,
};
use cairn_ir::Program;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static REASONS: AtomicU64 = AtomicU64::new(0);
static FACTS: AtomicU64 = AtomicU64::new(0);

/// Asks for the core of every reason.
struct Cores;

impl Feature for Cores {
    fn name(&self) -> &'static str {
        "cores"
    }

    fn wants(&self) -> Wants {
        Wants {
            pending: false,
            tree: false,
            reasons: true,
        }
    }

    fn on(&mut self, moment: &mut Moment<'_>, context: &mut Context<'_>) {
        if let Moment::Infeasible { reason, .. } = moment {
            let core = context.gate.core_of(context.tools, reason);
            REASONS.fetch_add(1, Ordering::Relaxed);
            FACTS.fetch_add(core.len() as u64, Ordering::Relaxed);
        }
    }
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
        eprintln!("reasons none|all INSTRUCTIONS PROGRAM.cir");
        std::process::exit(64);
    };
    let text = std::fs::read_to_string(file).expect("a file that can be read");
    let program = cairn_ir::text::parse(&text).expect("a program in the text form");
    let config = Config {
        search: "dfs".to_string(),
        limits: Limits {
            instructions: instructions.parse().ok(),
            ..Limits::default()
        },
        ..Config::default()
    };
    let mut explorer = Explorer::new(Arc::new(program), config, Box::new(Silent));
    if wanted == "all" {
        explorer = explorer.with_feature(Box::new(|| Box::new(Cores)));
    }
    let result = explorer.run().expect("the program starts");
    let (reasons, facts) = (
        REASONS.load(Ordering::Relaxed),
        FACTS.load(Ordering::Relaxed),
    );
    println!(
        "{} paths, {reasons} reasons, {facts} facts in their cores",
        result.completed
    );
}
