//! Random programs, each run with its variables in registers and with the same variables in memory, where
//! they are if something else is done with their addresses.

use cairn_machine::{End, Machine, MachineConfig};
use cairn_random::Random;
use std::fmt::Write as _;
use std::sync::Arc;

/// Programs that are tried.
const PROGRAMS: u64 = 3000;
/// How often each runs its body.
const ROUNDS: u32 = 5;
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// A program on its way.
struct Maker {
    random: Random,
    text: String,
    /// The width of each variable.
    variables: Vec<u32>,
    /// Values that can be read now, with their widths.
    values: Vec<(String, u32)>,
    made: usize,
}

impl Maker {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    /// A new value, which later instructions may read.
    fn define(&mut self, width: u32, what: &str) -> String {
        let name = format!("%t{}", self.made);
        self.made += 1;
        self.line(&format!("{name}: i{width} = {what}"));
        self.values.push((name.clone(), width));
        name
    }

    /// A new address, which is no value to compute with.
    fn address(&mut self, what: &str) -> String {
        let name = self.define(64, what);
        self.values.pop();
        name
    }

    /// A value that is made, stored, loaded and used at once: what is fused must stay stored.
    fn through_a_variable(&mut self, variable: usize) {
        let width = self.variables[variable];
        let store = |value: &str| format!("store i{width} {value} to %v{variable}");
        if width == 64 {
            let index = self.value(64);
            let offset = self.define(64, &format!("and {index}, 56"));
            let at = self.address(&format!("add @room, {offset}"));
            self.line(&store(&at));
            let at = self.address(&format!("load %v{variable}"));
            self.define(64, &format!("load {at}"));
            return;
        }
        if self.random.one_in(2) {
            let made = self.define(width, "load @room + 8");
            self.values.pop();
            self.line(&store(&made));
            let loaded = self.define(width, &format!("load %v{variable}"));
            self.values.pop();
            let op = ["zext", "sext"][self.random.below(2)];
            self.define(64, &format!("{op} i{width} {loaded}"));
        } else {
            let value = self.value(64);
            let made = self.define(width, &format!("trunc i64 {value}"));
            self.values.pop();
            self.line(&store(&made));
            let loaded = self.define(width, &format!("load %v{variable}"));
            self.values.pop();
            self.line(&format!("store i{width} {loaded} to @room + 16"));
        }
    }

    /// A value of a width: mostly one of the last ones.
    fn value(&mut self, width: u32) -> String {
        let fitting: Vec<&String> = self
            .values
            .iter()
            .filter(|v| v.1 == width)
            .map(|v| &v.0)
            .collect();
        let random = &mut self.random;
        if fitting.is_empty() || random.one_in(8) {
            return (random.next() % 100).to_string();
        }
        let near = if random.one_in(3) {
            fitting.len()
        } else {
            fitting.len().min(2)
        };
        fitting[fitting.len() - 1 - random.below(near)].clone()
    }

    fn inst(&mut self) {
        let width = WIDTHS[self.random.below(4)];
        let variable = self.random.below(self.variables.len());
        let its = self.variables[variable];
        match self.random.below(16) {
            0..=3 => drop(self.define(its, &format!("load %v{variable}"))),
            4..=6 => {
                let value = self.value(its);
                self.line(&format!("store i{its} {value} to %v{variable}"));
            }
            7 | 8 => {
                let op = ["add", "sub", "xor", "mul"][self.random.below(4)];
                let (a, b) = (self.value(its), self.value(its));
                self.define(its, &format!("{op} {a}, {b}"));
            }
            9 => {
                let from = WIDTHS[self.random.below(4)];
                let value = self.value(from);
                let op = match from.cmp(&width) {
                    std::cmp::Ordering::Less => ["zext", "sext"][self.random.below(2)],
                    std::cmp::Ordering::Equal => return,
                    std::cmp::Ordering::Greater => "trunc",
                };
                self.define(width, &format!("{op} i{from} {value}"));
            }
            10 => {
                let (a, b) = (self.value(width), self.value(width));
                let less = format!("%c{}", self.made);
                self.line(&format!("{less}: i1 = slt i{width} {a}, {b}"));
                let (a, b) = (self.value(its), self.value(its));
                self.define(its, &format!("select {less}, {a}, {b}"));
            }
            11 => {
                let index = self.value(64);
                let offset = self.define(64, &format!("and {index}, 56"));
                let at = self.address(&format!("add @room, {offset}"));
                self.define(width, &format!("load {at}"));
            }
            12 => {
                let (index, value) = (self.value(64), self.value(width));
                let offset = self.define(64, &format!("and {index}, 48"));
                let at = self.address(&format!("add @room, {offset}"));
                self.line(&format!("store i{width} {value} to {at}"));
            }
            13 => self.through_a_variable(variable),
            14 => {
                // Two halves of an object: no variable.
                let value = self.value(32);
                let half = 4 * self.random.below(2);
                let at = self.address(&format!("add %pair, {half}"));
                self.line(&format!("store i32 {value} to {at}"));
                self.define(64, "load %pair");
            }
            _ => {
                let value = self.value(32);
                self.define(32, &format!("call @step(i32 {value})"));
            }
        }
    }

    fn insts(&mut self, most: usize) {
        for _ in 0..self.random.below(most) {
            self.inst();
        }
    }

    /// A condition of this block.
    fn condition(&mut self) -> String {
        let (a, b) = (self.value(32), self.value(32));
        let name = format!("%c{}", self.made);
        self.made += 1;
        self.line(&format!("{name}: i1 = ult i32 {a}, {b}"));
        name
    }
}

/// A program; the addresses of its variables are compared with something if `escape`.
fn program(seed: u64, escape: bool) -> String {
    let mut random = Random::new(seed);
    let variables: Vec<u32> = (0..1 + random.below(5))
        .map(|_| WIDTHS[random.below(4)])
        .collect();
    let mut maker = Maker {
        random,
        text: String::new(),
        variables,
        values: Vec::new(),
        made: 0,
    };
    maker.text.push_str(
        "global @room align 8 size 64 { bytes \"stones on a hill\" }\n\
         func @step(%x: i32) -> i32 {\nentry:\n  %p: i64 = alloca 4 align 4\n  store i32 %x to %p\n  \
         %a: i32 = load %p\n  %b: i32 = mul %a, 7\n  store i32 %b to %p\n  %c: i32 = load %p\n  \
         %d: i32 = add %c, %a\n  return %d\n}\n\
         func @main() -> i32 {\nentry:\n  %round: i64 = alloca 4 align 4\n  store i32 0 to %round\n",
    );
    maker.line("%pair: i64 = alloca 8 align 8");
    maker.line("store i64 77 to %pair");
    for (i, width) in maker.variables.clone().into_iter().enumerate() {
        let bytes = width / 8;
        maker.line(&format!("%v{i}: i64 = alloca {bytes} align {bytes}"));
        maker.line(&format!("store i{width} {} to %v{i}", i + 1));
        let address = if escape {
            format!("%v{i}")
        } else {
            "1".to_string()
        };
        maker.line(&format!("%e{i}: i1 = eq i64 {address}, 0"));
    }
    maker.line("jump body0");
    let blocks = 1 + maker.random.below(4);
    for block in 0..blocks {
        let _ = writeln!(maker.text, "body{block}:");
        maker.insts(16);
        let condition = maker.condition();
        maker.line(&format!("branch {condition}, side{block}, join{block}"));
        let _ = writeln!(maker.text, "side{block}:");
        let known = maker.values.len();
        maker.insts(8);
        // What is made here is not known where both ways meet.
        maker.values.truncate(known);
        maker.line(&format!("jump join{block}"));
        let _ = writeln!(maker.text, "join{block}:");
        maker.insts(4);
        maker.line(&format!("jump body{}", block + 1));
    }
    let _ = writeln!(maker.text, "body{blocks}:");
    maker.line("%n: i32 = load %round");
    maker.line("%n1: i32 = add %n, 1");
    maker.line("store i32 %n1 to %round");
    maker.line(&format!("%again: i1 = ult i32 %n1, {ROUNDS}"));
    maker.line("branch %again, body0, end");
    maker.text.push_str("end:\n");
    maker.values.clear();
    let mut sum = "17".to_string();
    for (i, width) in maker.variables.clone().into_iter().enumerate() {
        let last = maker.define(width, &format!("load %v{i}"));
        let last = match width {
            32 => last,
            64 => maker.define(32, &format!("trunc i64 {last}")),
            _ => maker.define(32, &format!("zext i{width} {last}")),
        };
        let scaled = maker.define(32, &format!("mul {sum}, 31"));
        sum = maker.define(32, &format!("xor {scaled}, {last}"));
    }
    for word in 0..8 {
        let last = maker.define(32, &format!("load @room + {}", 8 * word));
        let scaled = maker.define(32, &format!("mul {sum}, 31"));
        sum = maker.define(32, &format!("xor {scaled}, {last}"));
    }
    maker.line(&format!("return {sum}"));
    maker.text.push_str("}\n");
    maker.text
}

/// The exit code of a program and how many instructions it took.
fn run(text: &str) -> (i32, u64) {
    let program = cairn_ir::text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    cairn_ir::verify::verify(&program).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let entry = program.find_function("main").expect("it has a main");
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let config = MachineConfig::default();
    let mut machine =
        Machine::new(Arc::new(program), config, &mut output, &mut errors).expect("room");
    match machine.run(entry, &[b"test".to_vec()]) {
        End::Exit(code) => (code, machine.executed()),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn variables_in_registers_are_as_they_are_in_memory() {
    let mut codes = std::collections::BTreeSet::new();
    for seed in 0..PROGRAMS {
        let text = program(seed, false);
        let (in_registers, in_memory) = (run(&text), run(&program(seed, true)));
        assert_eq!(in_registers, in_memory, "seed {seed}\n{text}");
        codes.insert(in_memory.0);
    }
    assert!(
        codes.len() as u64 > PROGRAMS / 2,
        "they differ: {}",
        codes.len()
    );
}

#[test]
fn variables_in_registers_take_their_bytes_of_the_stack() {
    // Calls until the stack is full; how many, counted in a global.
    let depth = |escape: bool| {
        let other = if escape { "%x" } else { "1" };
        let text = format!(
            "global @count align 4 size 4\n\
             func @down() {{\nentry:\n  %x: i64 = alloca 8 align 8\n  store i64 1 to %x\n  \
             %y: i64 = alloca 1 align 1\n  store i8 1 to %y\n  %e: i1 = eq i64 {other}, 0\n  \
             %n: i32 = load @count\n  %m: i32 = add %n, 1\n  store i32 %m to @count\n  \
             %enough: i1 = eq i32 %m, LIMIT\n  branch %enough, done, on\non:\n  call @down()\n  \
             jump done\ndone:\n  return\n}}\n\
             func @main() -> i32 {{\nentry:\n  call @down()\n  return 0\n}}\n"
        );
        let fits = |limit: u32| {
            let text = text.replace("LIMIT", &limit.to_string());
            let program = cairn_ir::text::parse(&text).expect("it parses");
            let entry = program.find_function("main").expect("it has a main");
            let (mut output, mut errors) = (Vec::new(), Vec::new());
            let config = MachineConfig::default();
            let mut machine =
                Machine::new(Arc::new(program), config, &mut output, &mut errors).expect("room");
            matches!(machine.run(entry, &[b"test".to_vec()]), End::Exit(0))
        };
        let (mut low, mut high) = (1, 1 << 22);
        assert!(fits(low) && !fits(high));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                low = middle
            } else {
                high = middle
            }
        }
        low
    };
    assert_eq!(depth(false), depth(true));
}

#[test]
fn what_was_loaded_before_setjmp_is_what_it_was() {
    // `x` is loaded, then `setjmp` returns twice, and `x` is changed in between.
    for callee in ["@setjmp", "%pointer"] {
        let text = format!(
            "global @buffer align 16 size 200\n\
             extern func @setjmp(i64) -> i32\n\
             extern func @longjmp(i64, i32)\n\
             func @main() -> i32 {{\nentry:\n  %pointer: i64 = add @setjmp, 0\n  \
             %x: i64 = alloca 4 align 4\n  store i32 1 to %x\n  %old: i32 = load %x\n  \
             %again: i32 = call {callee}(i64 @buffer)\n  %ten: i32 = mul %again, 10\n  \
             %sum: i32 = add %old, %ten\n  %first: i1 = eq i32 %again, 0\n  \
             branch %first, jump, done\njump:\n  store i32 100 to %x\n  \
             call @longjmp(i64 @buffer, i32 1)\n  stop\ndone:\n  %new: i32 = load %x\n  \
             %all: i32 = add %sum, %new\n  return %all\n}}\n"
        );
        assert_eq!(run(&text).0, 111, "{callee}");
    }
}

#[test]
fn variables_are_objects_where_pointers_reach_any() {
    // A store after one object hits the next.
    let text = "func @main() -> i32 {\nentry:\n  %x: i64 = alloca 4 align 4\n  store i32 1 to %x\n  \
                %near: i64 = alloca 16 align 16\n  %numb: i64 = sub %near, 0\n  %at: i64 = add %numb, STEP\n  \
                store i32 7 to %at\n  %r: i32 = load %x\n  return %r\n}\n";
    let ends: Vec<i32> = (0..16)
        .filter_map(|step: u64| {
            let text = text.replace("STEP", &(16 + 4 * step).to_string());
            let program = cairn_ir::text::parse(&text).expect("it parses");
            let entry = program.find_function("main").expect("it has a main");
            let (mut output, mut errors) = (Vec::new(), Vec::new());
            let mut config = MachineConfig::default();
            config.memory.reach = cairn_memory::Reach::AnyObject;
            let mut machine =
                Machine::new(Arc::new(program), config, &mut output, &mut errors).expect("room");
            match machine.run(entry, &[b"test".to_vec()]) {
                End::Exit(code) => Some(code),
                _ => None,
            }
        })
        .collect();
    assert!(ends.contains(&7), "{ends:?}");
}
