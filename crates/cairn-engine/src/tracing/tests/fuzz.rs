//! Random programs: required cells are tried out, and wrong ones are seen.

use super::{Arg, Setting, forgetting_stores};
use crate::rng::Rng;
use crate::tracing::check::drop_one;
use cairn_memory::Word;
use std::fmt::Write;

/// Blocks of `main` but the first and the last.
const BLOCKS: usize = 8;
const ARGS: usize = 10;

/// Writes a random program: straight pieces of code, branches forward, loops of a few rounds, loads, stores and
/// copies at known and computed places.
struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
    next: usize,
    /// Values of 64 bits that can be used here.
    values: Vec<String>,
}

impl Writer<'_> {
    fn value(&mut self) -> String {
        match self.rng.below(8) {
            0 => self.rng.below(4).to_string(),
            1 => self.rng.next_u64().to_string(),
            // Mostly what was made last, so that chains get long.
            2..6 => self.values[self.values.len() - 1].clone(),
            _ => self.values[self.rng.index(self.values.len())].clone(),
        }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "  {line}").expect("strings take all");
    }

    fn define(&mut self, what: std::fmt::Arguments<'_>) {
        let name = self.name();
        self.line(format_args!("{name}: i64 = {what}"));
        self.values.push(name);
    }

    /// An address of 8 bytes in one of the globals of 32 bytes.
    fn place(&mut self) -> String {
        let global = ["@g", "@h"][self.rng.index(2)];
        if self.rng.below(3) > 0 {
            let offset = match self.rng.below(4) {
                0 => self.rng.below(25),
                _ => 8 * self.rng.below(4),
            };
            return format!("{global} + {offset}");
        }
        let (index, at) = (self.name(), self.name());
        let value = self.value();
        self.line(format_args!("{index}: i64 = and {value}, 24"));
        self.line(format_args!("{at}: i64 = add {global}, {index}"));
        at
    }

    fn instruction(&mut self) {
        match self.rng.below(10) {
            0..4 => {
                let op = ["add", "sub", "mul", "and", "or", "xor"][self.rng.index(6)];
                let (a, b) = (self.value(), self.value());
                self.define(format_args!("{op} {a}, {b}"));
            }
            4..6 => {
                let at = self.place();
                self.define(format_args!("load {at}"));
            }
            6..8 => {
                let (value, at) = (self.value(), self.place());
                self.line(format_args!("store i64 {value} to {at}"));
            }
            8 => {
                let (to, from) = (self.place(), self.place());
                let length = self.rng.below(9);
                self.line(format_args!("move {to}, {from}, {length}"));
            }
            _ => {
                let condition = self.condition();
                let (a, b) = (self.value(), self.value());
                self.define(format_args!("select {condition}, {a}, {b}"));
            }
        }
    }

    fn condition(&mut self) -> String {
        let op = ["eq", "ne", "ult", "slt"][self.rng.index(4)];
        let (mut a, mut b) = (self.value(), self.value());
        if self.rng.below(4) > 0 {
            // One that changes if its operand does, more often than not.
            let low = self.name();
            self.line(format_args!("{low}: i64 = and {a}, 3"));
            (a, b) = (low, self.rng.below(4).to_string());
        }
        let name = self.name();
        self.line(format_args!("{name}: i1 = {op} i64 {a}, {b}"));
        name
    }

    /// A block that is run a few times, and goes on to the next one.
    fn looped(&mut self, number: usize) {
        let outer = self.values.clone();
        self.line(format_args!("jump loop{number}(0)"));
        writeln!(self.text, "loop{number}(%i{number}: i64):").expect("strings take all");
        self.values.push(format!("%i{number}"));
        for _ in 0..3 {
            self.instruction();
        }
        let bound = self.name();
        let value = self.value();
        self.line(format_args!("{bound}: i64 = and {value}, 3"));
        let (next, more) = (self.name(), self.name());
        self.line(format_args!("{next}: i64 = add %i{number}, 1"));
        self.line(format_args!("{more}: i1 = ult i64 {next}, {bound}"));
        let behind = format!("behind{number}");
        self.line(format_args!("branch {more}, again{number}, {behind}"));
        writeln!(
            self.text,
            "again{number}:\n  jump loop{number}({next})\n{behind}:"
        )
        .expect("strings take all");
        self.values = outer;
    }
}

fn program(rng: &mut Rng) -> String {
    let args: Vec<String> = (0..ARGS).map(|i| format!("%a{i}")).collect();
    let params: Vec<String> = args.iter().map(|a| format!("{a}: i64")).collect();
    let mut w = Writer {
        rng,
        text: String::new(),
        next: 0,
        values: args,
    };
    w.text = format!(
        "global @g align 8 size 32\nglobal @h align 8 size 32\nfunc @main({}) -> i64 {{\nentry:\n",
        params.join(", ")
    );
    for _ in 0..4 {
        w.instruction();
    }
    let outer = w.values.clone();
    for block in 0..BLOCKS {
        w.values.clone_from(&outer);
        if block > 0 {
            writeln!(w.text, "b{block}:").expect("strings take all");
        }
        for _ in 0..w.rng.below(4) {
            w.instruction();
        }
        if w.rng.below(4) == 0 {
            w.looped(block);
        }
        let condition = w.condition();
        let way = |w: &mut Writer<'_>| block + 1 + w.rng.index((BLOCKS - block).min(3));
        let (a, b) = (way(&mut w), way(&mut w));
        w.line(format_args!("branch {condition}, b{a}, b{b}"));
    }
    writeln!(w.text, "b{BLOCKS}:\n  return 0\n}}").expect("strings take all");
    w.text
}

/// A random program on random content.
fn setting(seed: u64) -> (Setting, String) {
    let mut rng = Rng::new(seed);
    let text = program(&mut rng);
    let args: Vec<Arg> = (0..ARGS)
        .map(|_| match rng.below(8) {
            0 if rng.below(4) == 0 => Arg::Symbol(64),
            0..4 => Arg::Number(rng.below(4)),
            _ => Arg::Number(rng.next_u64()),
        })
        .collect();
    let mut setting = Setting::new(&text, &args);
    for global in setting.globals.iter() {
        for offset in (0..32).step_by(8) {
            let at = Word {
                bits: global.bits + offset,
                ..*global
            };
            let word = Word::int(match rng.below(2) {
                0 => rng.below(4),
                _ => rng.next_u64(),
            });
            let memory = &mut setting.start.domain.memory;
            memory.store_word(at, 8, word).expect("it is inside");
        }
    }
    (setting, text)
}

const PROGRAMS: u64 = 1_500;

#[test]
fn random_programs_do_not_depend_on_other_cells() {
    let (mut cells, mut missed) = (0, 0);
    for seed in 0..PROGRAMS {
        let (setting, text) = setting(seed);
        let stretch = setting.traced();
        cells += stretch.required.count();
        let wrong = setting.wrong(&stretch, &stretch.required);
        assert_eq!(wrong, None, "seed {seed}: {text}");
        let mut fewer = stretch.required.clone();
        drop_one(&mut fewer, &mut Rng::new(seed));
        missed += u64::from(setting.wrong(&stretch, &fewer).is_some());
    }
    assert!(cells > 2 * PROGRAMS as usize, "{cells} cells");
    assert!(missed > PROGRAMS / 4, "{missed} of {PROGRAMS} seen");
}

#[test]
fn stores_that_leave_no_trace_are_seen() {
    let seen = (0..PROGRAMS).filter(|seed| {
        let (setting, _) = setting(*seed);
        forgetting_stores(|| {
            let stretch = setting.traced();
            setting.wrong(&stretch, &stretch.required).is_some()
        })
    });
    let seen = seen.count();
    assert!(seen > 10, "{seen} seen");
}
