//! Programs that are made up: loops with diamonds on one input, branches, loops, calls, switches, pointers, objects, checks, inputs read in several widths.

use cairn_random::Random;
use std::fmt::Write;

/// Variables of the function.
const VARIABLES: usize = 4;

struct Writer<'r> {
    random: &'r mut Random,
    body: String,
    /// Locals, labels and lines so far.
    locals: usize,
    labels: usize,
    lines: usize,
    /// Statements that may still be written.
    left: usize,
}

/// A program in the text form. It has at most so many statements.
pub fn program(random: &mut Random, statements: usize) -> String {
    let mut writer = Writer {
        random,
        body: String::new(),
        locals: 0,
        labels: 0,
        lines: 0,
        left: statements,
    };
    writer.function("main", "", true);
    writer.left = statements / 3;
    writer.function("helper", "%a: i32", false);
    let (lines, functions) = (writer.lines, writer.body);
    let mut text = String::from("file 1 \"a.c\"\nname 1 \"main\"\n");
    for line in 1..=lines {
        writeln!(text, "place p{line} = file 1 line {line} column 1 in 1").expect("a string");
    }
    text += "global @x { bytes \"x\\00\" }\nglobal @in { bytes \"in\\00\" }\n";
    text +=
        "global @g align 8 size 16\nglobal @table align 8 size 24\nglobal @bytes align 8 size 8\n";
    text += "extern func @klee_int(i64) -> i32\nextern func @malloc(i64) -> i64\n";
    text += "extern func @free(i64)\nextern func @klee_assume(i64)\n";
    text += "extern func @klee_make_symbolic(i64, i64, i64)\n";
    text += "extern func @klee_open_merge()\nextern func @klee_close_merge()\n";
    text + &functions
}

impl Writer<'_> {
    fn emit(&mut self, instruction: &str) {
        self.lines += 1;
        writeln!(self.body, "  {instruction} !p{}", self.lines).expect("a string");
    }

    /// An instruction with a result, whose name is given back.
    fn local(&mut self, width: u32, what: &str) -> String {
        self.locals += 1;
        let name = format!("%t{}", self.locals);
        self.emit(&format!("{name}: i{width} = {what}"));
        name
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn begin(&mut self, label: &str) {
        writeln!(self.body, "{label}:").expect("a string");
    }

    fn function(&mut self, name: &str, parameters: &str, is_main: bool) {
        writeln!(self.body, "func @{name}({parameters}) -> i32 {{\nentry:").expect("a string");
        for variable in 0..VARIABLES {
            self.emit(&format!("%v{variable}: i64 = alloca 4 align 4"));
        }
        self.emit("%p: i64 = alloca 8 align 8");
        self.emit("%s: i64 = alloca 12 align 4");
        self.emit("%heap: i64 = alloca 8 align 8");
        self.emit("fill %s, 0, 12");
        if is_main {
            self.emit("call @klee_make_symbolic(i64 @bytes, i64 8, i64 @in)");
            for variable in 0..VARIABLES {
                let value = match variable {
                    0 | 1 => self.local(32, "call @klee_int(i64 @x)"),
                    _ => format!("{}", self.random.below(5)),
                };
                self.emit(&format!("store i32 {value} to %v{variable}"));
            }
            let heap = self.local(64, "call @malloc(i64 16)");
            self.emit(&format!("fill {heap}, 1, 16"));
            self.emit(&format!("store i64 {heap} to %p"));
            let large = self.local(64, "call @malloc(i64 64)");
            self.emit(&format!("fill {large}, 0, 64"));
            self.emit(&format!("store i64 {large} to %heap"));
        } else {
            for variable in 0..VARIABLES {
                self.emit(&format!("store i32 %a to %v{variable}"));
            }
            self.emit("store i64 @g to %p");
        }
        // Where it stands all groups of a loop can nest in it.
        if is_main {
            self.diamonds(0, true);
        }
        self.block(3, is_main);
        if self.random.chance(if is_main { 70 } else { 30 }) {
            let depth = usize::from(self.random.chance(30));
            self.diamonds(depth, is_main);
        }
        let result = self.value();
        self.emit(&format!("return {result}"));
        self.body += "}\n";
    }

    /// A value of 32 bits.
    fn value(&mut self) -> String {
        let variable = self.random.below(VARIABLES);
        match self.random.below(8) {
            0 => format!("{}", self.random.below(9)),
            1 => {
                let bytes = self.random.below(2);
                let (width, at) =
                    [(8, self.random.below(8)), (32, 4 * self.random.below(2))][bytes];
                let value = self.local(width, &format!("load @bytes + {at}"));
                match width {
                    8 => self.local(32, &format!("zext i8 {value}")),
                    _ => value,
                }
            }
            2 => {
                let at = 4 * self.random.below(4);
                self.local(32, &format!("load @g + {at}"))
            }
            3 => {
                let index = self.index(3);
                let at = self.local(64, &format!("add %s, {index}"));
                self.local(32, &format!("load {at}"))
            }
            4 => {
                let pointer = self.local(64, "load %p");
                self.local(32, &format!("load {pointer}"))
            }
            _ => {
                let loaded = self.local(32, &format!("load %v{variable}"));
                if self.random.chance(60) {
                    return loaded;
                }
                let op = ["add", "xor", "and", "mul", "sub"][self.random.below(5)];
                let number = self.random.below(7);
                self.local(32, &format!("{op} {loaded}, {number}"))
            }
        }
    }

    /// An offset of one of a few words; rarely one too many.
    fn index(&mut self, words: u32) -> String {
        let variable = self.random.below(VARIABLES);
        let loaded = self.local(32, &format!("load %v{variable}"));
        let words = words + u32::from(self.random.one_in(5));
        let small = self.local(32, &format!("urem {loaded}, {words}"));
        let wide = self.local(64, &format!("zext i32 {small}"));
        self.local(64, &format!("mul {wide}, 4"))
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let op = ["ult", "eq", "slt", "ule", "ne"][self.random.below(5)];
        self.local(1, &format!("{op} i32 {a}, {b}"))
    }

    fn block(&mut self, depth: usize, is_main: bool) {
        for _ in 0..1 + self.random.below(4) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement(depth, is_main);
        }
    }

    fn statement(&mut self, depth: usize, is_main: bool) {
        let variable = self.random.below(VARIABLES);
        let kind = self.random.below(if depth == 0 { 8 } else { 14 });
        match kind {
            0 | 1 => {
                let value = self.value();
                self.emit(&format!("store i32 {value} to %v{variable}"));
            }
            2 => {
                let (value, at) = (self.value(), 4 * self.random.below(4));
                self.emit(&format!("store i32 {value} to @g + {at}"));
            }
            3 => {
                let (value, index) = (self.value(), self.index(3));
                let at = self.local(64, &format!("add %s, {index}"));
                self.emit(&format!("store i32 {value} to {at}"));
            }
            4 => {
                // Of a function that is called again the place is another object's then, which a term does not tell apart.
                let places = 3 + usize::from(is_main);
                let to = ["@g", "@g + 4", "@table", "%s"][self.random.below(places)];
                let to = self.local(64, &format!("add {}, 0", to));
                self.emit(&format!("store i64 {to} to %p"));
            }
            5 => {
                let condition = self.condition();
                let kind = ["division_by_zero", "overshift"][self.random.below(2)];
                self.emit(&format!("check {kind} {condition}"));
            }
            6 if is_main => {
                let argument = self.value();
                let result = self.local(32, &format!("call @helper(i32 {argument})"));
                self.emit(&format!("store i32 {result} to %v{variable}"));
            }
            6 | 7 => {
                let pointer = self.local(64, "load %p");
                let value = self.value();
                self.emit(&format!("store i32 {value} to {pointer}"));
            }
            8..=10 => self.branch(depth, is_main),
            11 => self.switch(depth, is_main),
            12 => self.repeat(depth, is_main, variable),
            _ => self.object(depth, is_main),
        }
    }

    fn branch(&mut self, depth: usize, is_main: bool) {
        let marked = self.random.chance(70);
        if marked {
            self.emit("call @klee_open_merge()");
        }
        let condition = self.condition();
        let (then, otherwise, end) = (self.label(), self.label(), self.label());
        self.emit(&format!("branch {condition}, {then}, {otherwise}"));
        self.begin(&then);
        self.block(depth - 1, is_main);
        if self.random.one_in(12) {
            let value = self.value();
            self.emit(&format!("return {value}"));
        } else {
            self.emit(&format!("jump {end}"));
        }
        self.begin(&otherwise);
        if self.random.chance(60) {
            self.block(depth - 1, is_main);
        }
        self.emit(&format!("jump {end}"));
        self.begin(&end);
        if marked {
            self.emit("call @klee_close_merge()");
        }
    }

    fn switch(&mut self, depth: usize, is_main: bool) {
        let value = self.value();
        let (zero, one, other, end) = (self.label(), self.label(), self.label(), self.label());
        self.emit(&format!(
            "switch i32 {value} [0: {zero}, 1: {one}] else {other}"
        ));
        for label in [zero, one, other] {
            self.begin(&label);
            self.block(depth - 1, is_main);
            self.emit(&format!("jump {end}"));
        }
        self.begin(&end);
    }

    /// A loop with at most three rounds, of a number that depends on a value.
    fn repeat(&mut self, depth: usize, is_main: bool, variable: usize) {
        let bound = self.local(32, &format!("load %v{variable}"));
        let bound = self.local(32, &format!("urem {bound}, 4"));
        self.locals += 1;
        let counter = format!("%t{}", self.locals);
        let (head, body, end) = (self.label(), self.label(), self.label());
        self.emit(&format!("jump {head}(0)"));
        writeln!(self.body, "{head}({counter}: i32):").expect("a string");
        let goes_on = self.local(1, &format!("ult i32 {counter}, {bound}"));
        self.emit(&format!("branch {goes_on}, {body}, {end}"));
        self.begin(&body);
        if depth > 1 && self.random.chance(70) {
            self.statement(depth - 2, is_main);
        }
        let next = self.local(32, &format!("add {counter}, 1"));
        if self.random.one_in(3) {
            let (leaves, again) = (self.condition(), self.label());
            self.emit(&format!("branch {leaves}, {end}, {again}"));
            self.begin(&again);
        }
        self.emit(&format!("jump {head}({next})"));
        self.begin(&end);
    }

    /// A loop with a branch on the same byte in each round: without merging a path for each limit that the byte is
    /// compared with, and with merging a merge for each.
    fn diamonds(&mut self, depth: usize, is_main: bool) {
        let (rounds, step) = (3 + self.random.below(7), 1 + self.random.below(6));
        let byte = self.random.below(8);
        let marked = self.random.chance(70);
        self.locals += 1;
        let counter = format!("%t{}", self.locals);
        let (head, body, end) = (self.label(), self.label(), self.label());
        let (then, otherwise, join) = (self.label(), self.label(), self.label());
        self.emit(&format!("jump {head}(1)"));
        writeln!(self.body, "{head}({counter}: i32):").expect("a string");
        let goes_on = self.local(1, &format!("ule i32 {counter}, {rounds}"));
        self.emit(&format!("branch {goes_on}, {body}, {end}"));
        self.begin(&body);
        if marked {
            self.emit("call @klee_open_merge()");
        }
        let value = self.local(8, &format!("load @bytes + {byte}"));
        let value = self.local(32, &format!("zext i8 {value}"));
        let limit = self.local(32, &format!("mul {counter}, {step}"));
        let below = self.local(1, &format!("ult i32 {value}, {limit}"));
        self.emit(&format!("branch {below}, {then}, {otherwise}"));
        self.begin(&then);
        self.arm(depth, is_main);
        self.emit(&format!("jump {join}"));
        self.begin(&otherwise);
        if self.random.chance(50) {
            self.arm(depth, is_main);
        }
        self.emit(&format!("jump {join}"));
        self.begin(&join);
        if marked {
            self.emit("call @klee_close_merge()");
        }
        let next = self.local(32, &format!("add {counter}, 1"));
        self.emit(&format!("jump {head}({next})"));
        self.begin(&end);
    }

    /// What happens on one side of a diamond.
    fn arm(&mut self, depth: usize, is_main: bool) {
        if is_main && self.random.chance(50) {
            let (value, at) = (self.value(), 4 * self.random.below(16));
            let heap = self.local(64, "load %heap");
            let at = self.local(64, &format!("add {heap}, {at}"));
            self.emit(&format!("store i32 {value} to {at}"));
        }
        if depth > 0 && self.random.chance(30) {
            self.branch(depth, is_main);
        } else {
            self.statement(0, is_main);
        }
    }

    /// An object that is made, and ends or stays.
    fn object(&mut self, depth: usize, is_main: bool) {
        let size = [4, 16][self.random.below(2)];
        let made = self.local(64, &format!("call @malloc(i64 {size})"));
        let value = self.value();
        self.emit(&format!("store i32 {value} to {made}"));
        if self.random.chance(50) {
            self.block(depth - 1, is_main);
        }
        if self.random.chance(50) {
            self.emit(&format!("call @free(i64 {made})"));
        }
        if self.random.one_in(4) {
            self.emit(&format!("store i64 {made} to %p"));
        }
    }
}
