//! Random programs of the language.
//!
//! They end, use no memory but their own, and what they do does not depend on where that is. Wrong can go a
//! division, an assertion, and an input between two numbers of which the second is smaller. A statement has at most one call, so that
//! C and the language compute everything in one order.

use crate::random::Random;
use std::fmt::Write;

/// The text of a random program.
pub fn generate(seed: u64) -> String {
    let mut writer = Author {
        random: Random::new(seed ^ 0x5e1f_1e00),
        text: String::new(),
        indent: 0,
        words: Vec::new(),
        sources: Vec::new(),
        arrays: Vec::new(),
        procedures: Vec::new(),
        counters: 0,
        inputs: 0,
    };
    writer.program();
    writer.text
}

/// A procedure that can be called: its name, and whether its first argument is an array of [`SHARED`] words.
struct CallableProcedure {
    name: String,
    takes_array: bool,
    words: usize,
}

/// The fewest words of an array that a procedure may be given.
const SHARED: u64 = 3;

/// Inputs of a program.
const INPUTS: usize = 4;

struct Author {
    random: Random,
    text: String,
    indent: usize,
    /// Variables that hold numbers, and may be changed.
    words: Vec<String>,
    /// Variables that often depend on inputs, and are not written: arguments, inputs of `main`.
    sources: Vec<String>,
    /// Arrays with how many words they have.
    arrays: Vec<(String, u64)>,
    procedures: Vec<CallableProcedure>,
    /// Loops of the procedure that is written.
    counters: usize,
    inputs: usize,
}

impl Author {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.indent);
        writeln!(self.text, "{indent}{text}").expect("text grows");
    }

    fn program(&mut self) {
        let globals = self.random.below(3);
        for i in 0..globals {
            self.line(&format!("uint64_t g{i};"));
        }
        for i in 0..self.random.below(4) {
            self.words = (0..globals).map(|g| format!("g{g}")).collect();
            self.arrays.clear();
            self.sources.clear();
            match self.random.below(4) {
                0 => self.recursive(i),
                _ => self.procedure(i),
            }
        }
        self.words = (0..globals).map(|g| format!("g{g}")).collect();
        self.arrays.clear();
        self.sources.clear();
        self.main();
    }

    /// A procedure that calls itself as often as its first argument says.
    fn recursive(&mut self, index: usize) {
        let name = format!("r{index}");
        self.line(&format!("uint64_t {name}(uint64_t n, uint64_t x) {{"));
        self.indent += 1;
        self.line("if (n == 0) {");
        self.indent += 1;
        let ending = *self.random.pick(&["x", "x + 1", "x % 5"]);
        self.line(&format!("return {ending};"));
        self.indent -= 1;
        self.line("}");
        if self.random.chance(50) {
            let (limit, less) = (self.random.below(8), self.random.below(4));
            self.line(&format!("if (x > {limit}) {{"));
            self.line(&format!("  x = x - {less};"));
            self.line("}");
        }
        let (factor, more) = (1 + self.random.below(3), self.random.below(5));
        self.line(&format!("return {name}(n - 1, x * {factor} + {more});"));
        self.indent -= 1;
        self.line("}");
        self.procedures.push(CallableProcedure {
            name,
            takes_array: false,
            words: 2,
        });
    }

    fn procedure(&mut self, index: usize) {
        let takes_array = self.random.chance(50);
        let words = 1 + self.random.below(2);
        let name = format!("p{index}");
        let mut params = Vec::new();
        if takes_array {
            params.push("uint64_t* a".to_string());
            self.arrays.push(("a".to_string(), SHARED));
        }
        for i in 0..words {
            params.push(format!("uint64_t x{i}"));
            self.sources.push(format!("x{i}"));
        }
        let head = format!("uint64_t {name}({}) {{", params.join(", "));
        self.body(&head, 2, &[]);
        self.procedures.push(CallableProcedure {
            name,
            takes_array,
            words,
        });
    }

    /// A procedure of some statements; the text of its variables is known when they are written.
    fn body(&mut self, head: &str, statements: usize, first: &[String]) {
        let before = std::mem::take(&mut self.text);
        (self.counters, self.indent) = (0, 1);
        let locals = 1 + self.random.below(2);
        for i in 0..locals {
            let value = self.random.below(12);
            self.line(&format!("v{i} = {value};"));
            self.words.push(format!("v{i}"));
        }
        for line in first {
            self.line(line);
        }
        let count = statements + self.random.below(3);
        for _ in 0..count {
            self.statement(2);
        }
        let result = self.expression(2);
        self.line(&format!("return {result};"));
        self.indent = 0;
        let body = std::mem::replace(&mut self.text, before);
        self.line(head);
        self.indent = 1;
        for i in 0..locals {
            self.line(&format!("uint64_t v{i};"));
        }
        for i in 0..self.counters {
            self.line(&format!("uint64_t i{i};"));
        }
        let inputs = self.sources.iter().filter(|name| name.starts_with('s'));
        for name in inputs.cloned().collect::<Vec<_>>() {
            self.line(&format!("uint64_t {name};"));
        }
        let arrays: Vec<String> = self.arrays.iter().map(|(name, _)| name.clone()).collect();
        for name in arrays.iter().filter(|name| *name != "a") {
            self.line(&format!("uint64_t* {name};"));
        }
        self.indent = 0;
        self.text += &body;
        self.line("}");
    }

    fn main(&mut self) {
        let mut first = Vec::new();
        for i in 0..1 + self.random.below(2) {
            let size = SHARED + self.random.below_u64(4);
            // A number of bytes that is no multiple of eight is rounded up.
            let bytes = 8 * size - self.random.below_u64(8);
            self.arrays.push((format!("b{i}"), size));
            first.push(format!("b{i} = malloc({bytes});"));
            for at in 0..size {
                let value = self.random.below(9);
                first.push(format!("*(b{i} + {at}) = {value};"));
            }
        }
        for i in 0..1 + self.random.below(3) {
            let name = format!("s{i}");
            first.push(self.input_at(&format!("&{name}")));
            self.sources.push(name);
        }
        self.body("uint64_t main() {", 6, &first);
    }

    /// An input: a variable or a word of an array.
    fn input(&mut self) -> String {
        let at = match self.words.is_empty() || self.random.chance(40) {
            true if !self.arrays.is_empty() => {
                let (name, size) = self.random.pick(&self.arrays).clone();
                format!("{name} + {}", self.random.below_u64(size))
            }
            true | false => format!("&{}", self.variable()),
        };
        self.input_at(&at)
    }

    fn input_at(&mut self, at: &str) -> String {
        self.inputs += 1;
        let first = match self.random.below(8) {
            0 => 1u64 << 40,
            1 => u64::MAX - 20,
            _ => self.random.below_u64(10),
        };
        let step = 1 + self.random.below_u64(3);
        let last = first.saturating_add(self.random.below_u64(8 * step));
        format!("interval({at}, {first}, {last}, {step});")
    }

    fn statement(&mut self, depth: usize) {
        let kinds = if depth == 0 { 5 } else { 13 };
        match self.random.below(kinds) {
            0 | 1 => {
                let value = self.expression(2);
                let to = self.variable();
                self.line(&format!("{to} = {value};"));
            }
            2 => {
                let value = self.expression(2);
                let to = self.element();
                self.line(&format!("*({to}) = {value};"));
            }
            3 => self.call(),
            4 => self.special(),
            5..=9 => self.choice(depth),
            10 | 11 => self.repeated(depth),
            _ => {
                let condition = self.comparison();
                self.line(&format!("if ({condition}) {{"));
                let result = self.expression(1);
                let how = *self.random.pick(&["return", "return", "exit"]);
                match how {
                    "exit" => self.line(&format!("  exit({result});")),
                    _ => self.line(&format!("  return {result};")),
                }
                self.line("}");
            }
        }
    }

    /// Inputs that are made later, assertions, values that are shown.
    fn special(&mut self) {
        match self.random.below(8) {
            0 | 1 if self.inputs < INPUTS && !self.arrays.is_empty() => {
                let input = self.input();
                self.line(&input);
            }
            2 if self.inputs < INPUTS => {
                self.inputs += 1;
                // There may be no number between them.
                let (to, value) = (self.variable(), self.source());
                let first = self.random.below(4);
                self.line(&format!("interval(&{to}, {first}, {value} % 7, 1);"));
            }
            3 | 4 => {
                let zone = self.random.chance(50);
                if zone {
                    self.line("assert_begin();");
                }
                let condition = match self.random.chance(50) {
                    true => format!("{} != {}", self.source(), self.random.below(20)),
                    false => self.comparison(),
                };
                self.line(&format!("assert({condition});"));
                if zone {
                    self.line("assert_end();");
                }
            }
            _ => {
                let value = self.expression(1);
                self.line(&format!("printsv(1, {value});"));
            }
        }
    }

    fn choice(&mut self, depth: usize) {
        let condition = match self.random.chance(85) {
            true => self.comparison(),
            false => self.expression(1),
        };
        self.line(&format!("if ({condition}) {{"));
        self.block(depth);
        if self.random.chance(50) {
            self.line("} else {");
            self.block(depth);
        }
        self.line("}");
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth - 1);
        }
        self.indent -= 1;
    }

    /// A loop with a counter that is its own, up to a number that may depend on inputs.
    fn repeated(&mut self, depth: usize) {
        let counter = format!("i{}", self.counters);
        self.counters += 1;
        let limit = match self.random.chance(40) {
            true => format!("{} % 4", self.source()),
            false => format!("{}", 1 + self.random.below(3)),
        };
        self.line(&format!("{counter} = 0;"));
        self.line(&format!("while ({counter} < {limit}) {{"));
        self.block(depth);
        self.line(&format!("  {counter} = {counter} + 1;"));
        self.line("}");
    }

    fn call(&mut self) {
        let to = self.variable();
        if self.procedures.is_empty() {
            let value = self.expression(2);
            return self.line(&format!("{to} = {value};"));
        }
        let chosen = self.random.below(self.procedures.len());
        let (name, takes_array, words) = {
            let known = &self.procedures[chosen];
            (known.name.clone(), known.takes_array, known.words)
        };
        let mut args = Vec::new();
        if takes_array {
            if self.arrays.is_empty() {
                return self.line(&format!("{to} = {to} + 1;"));
            }
            let (array, size) = self.random.pick(&self.arrays).clone();
            match self.random.below_u64(size - SHARED + 1) {
                0 => args.push(array),
                from => args.push(format!("{array} + {from}")),
            }
        }
        for i in 0..words {
            match name.starts_with('r') && i == 0 {
                true => args.push(format!("{}", self.random.below(4))),
                false => args.push(self.expression(1)),
            }
        }
        self.line(&format!("{to} = {name}({});", args.join(", ")));
    }

    fn variable(&mut self) -> String {
        self.random.pick(&self.words).clone()
    }

    /// A variable that is read.
    fn source(&mut self) -> String {
        match self.sources.is_empty() || self.random.chance(40) {
            true => self.variable(),
            false => self.random.pick(&self.sources).clone(),
        }
    }

    /// A place in an array.
    fn element(&mut self) -> String {
        if self.arrays.is_empty() {
            return format!("&{}", self.variable());
        }
        let (name, size) = self.random.pick(&self.arrays).clone();
        match self.random.below(3) {
            0 => format!("{name} + {} % {size}", self.source()),
            _ => format!("{name} + {}", self.random.below_u64(size)),
        }
    }

    fn comparison(&mut self) -> String {
        let operator = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let left = match self.random.below(10) {
            0..=3 => self.source(),
            4 | 5 => {
                let divisor = 2 + self.random.below(4);
                let rest = self.random.below(divisor);
                return format!("{} % {divisor} {operator} {rest}", self.source());
            }
            6 => format!("*({})", self.element()),
            _ => self.expression(1),
        };
        let right = match self.random.chance(70) {
            true => self.random.below(16).to_string(),
            false => self.expression(1),
        };
        format!("{left} {operator} {right}")
    }

    /// An expression without calls.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(25) {
            return match self.random.below(6) {
                0 | 1 => self.random.below(20).to_string(),
                2 => match self.arrays.is_empty() {
                    true => self.variable(),
                    false => format!("*({})", self.element()),
                },
                3 if self.random.one_in(8) => "18446744073709551615".to_string(),
                _ => self.source(),
            };
        }
        let left = self.expression(depth - 1);
        match self.random.below(10) {
            0..=2 => format!("({left} + {})", self.expression(depth - 1)),
            3 | 4 => format!("({left} - {})", self.expression(depth - 1)),
            5 => format!("({left} * {})", self.random.below(6)),
            6 => format!("({left} / {})", 1 + self.random.below(7)),
            7 => format!("({left} % {})", 2 + self.random.below(6)),
            8 if self.random.chance(40) => {
                // May be a division by zero. C compilers take a number by itself for 1.
                let operator = *self.random.pick(&["/", "%"]);
                match self.source() {
                    same if same == left => left,
                    by => format!("({left} {operator} {by})"),
                }
            }
            _ => {
                let right = self.expression(depth - 1);
                let operator = *self.random.pick(&["<", "==", ">="]);
                format!("({left} {operator} {right})")
            }
        }
    }
}
