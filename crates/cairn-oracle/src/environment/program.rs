//! Programs whose ends depend on what the kernel and the C library answer.

use super::Topic;
use super::questions::{PRELUDE, Question, questions};
use crate::random::Random;
use std::fmt::Write as _;

/// A program and what it asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What reports call it.
    pub name: String,
    /// Its text, in C.
    pub text: String,
    /// The titles of its questions.
    pub asks: Vec<String>,
    /// The topics of its questions, each once.
    pub topics: Vec<Topic>,
}

/// Outcomes are exit codes below this, so that none looks like a signal of a shell.
const OUTCOMES: u32 = 61;

/// Numbers that answers are compared with.
const NUMBERS: [i64; 16] = [
    0, 1, -1, 2, 3, 4, 5, 7, 10, 16, 100, 255, 1000, 1024, 4096, 65536,
];

impl Program {
    fn of(name: String, asked: &[(&Question, usize)], main: &str) -> Self {
        let mut text = PRELUDE.to_string();
        let mut topics: Vec<Topic> = asked.iter().map(|(q, _)| q.topic).collect();
        for (i, (question, variant)) in asked.iter().enumerate() {
            let body = question.text(*variant);
            let _ = write!(text, "\nstatic long ask{i}(void) {{\n{body}}}\n");
        }
        let _ = write!(text, "\nint main(void) {{\n{main}}}\n");
        topics.sort_unstable();
        topics.dedup();
        let asks = asked.iter().map(|(q, variant)| q.title(*variant));
        Program {
            name,
            text,
            asks: asks.collect(),
            topics,
        }
    }
}

/// One program for every variant of every question: its exit code is a digest of the answer.
pub fn singles() -> Vec<Program> {
    let each = |question: &'static Question| {
        (0..question.variants()).map(move |variant| {
            let main = format!(
                "  unsigned long answer = ask0();\n  int outcome = (answer ^ answer >> 23 ^ answer >> 41) % {OUTCOMES};\n  \
                 printf(\"%d\\n\", outcome);\n  return outcome;\n"
            );
            Program::of(question.title(variant), &[(question, variant)], &main)
        })
    };
    questions().iter().flat_map(each).collect()
}

/// A program that contains every variant of every question and asks none: if it compiles, all do.
pub fn everything() -> Program {
    let each = |q: &'static Question| (0..q.variants()).map(move |variant| (q, variant));
    let all: Vec<(&Question, usize)> = questions().iter().flat_map(each).collect();
    Program::of("all questions".to_string(), &all, "  return 0;\n")
}

/// The program of a seed: one to four questions, and an end that depends on a mix of the answers.
pub fn random(seed: u64) -> Program {
    let mut writer = Writer {
        random: Random::new(seed ^ 0x0E4B_1204),
        answers: 0,
    };
    let all = questions();
    let asked: Vec<(&Question, usize)> = (0..=writer.random.below(4))
        .map(|_| {
            let question = writer.random.pick(all);
            (question, writer.random.below(question.variants()))
        })
        .collect();
    let main = writer.main(asked.len());
    Program::of(format!("seed {seed}"), &asked, &main)
}

/// Writes `main`.
struct Writer {
    random: Random,
    /// How many answers there are so far: `answer0`, `answer1`, …
    answers: usize,
}

impl Writer {
    fn main(&mut self, asked: usize) -> String {
        let mut text = String::from("  int outcome = 0;\n");
        for i in 0..asked {
            // Some questions are asked only if an earlier answer says so.
            let ask = if i > 0 && self.random.chance(30) {
                format!("{} ? ask{i}() : {}", self.condition(), self.number())
            } else {
                format!("ask{i}()")
            };
            let _ = writeln!(text, "  long answer{i} = {ask};");
            self.answers += 1;
        }
        for _ in 0..=self.random.below(4) {
            text.push_str(&self.statement());
        }
        text.push_str("  printf(\"%d\\n\", outcome);\n");
        if self.random.chance(20) {
            let end = *self
                .random
                .pick(&["abort()", "raise(SIGTERM)", "_exit(60)"]);
            let _ = writeln!(
                text,
                "  fflush(stdout);\n  if ({})\n    {end};",
                self.condition()
            );
        }
        let _ = writeln!(text, "  return outcome % {OUTCOMES};");
        text
    }

    fn number(&mut self) -> i64 {
        *self.random.pick(&NUMBERS)
    }

    fn answer(&mut self) -> String {
        format!("answer{}", self.random.below(self.answers))
    }

    /// An expression of type `unsigned long`: arithmetic that wraps.
    fn value(&mut self) -> String {
        let (a, b) = (self.answer(), self.answer());
        match self.random.below(8) {
            0 => format!("((unsigned long){a} + {b})"),
            1 => format!("((unsigned long){a} - {b})"),
            2 => format!(
                "((unsigned long){a} ^ (unsigned long){b} >> {})",
                self.random.below(20)
            ),
            3 => format!("((unsigned long){a} * {})", 2 * self.random.below(50) + 1),
            4 => format!("((unsigned long){a} >> {})", self.random.below(24)),
            5 => format!(
                "((unsigned long){a} & {})",
                (1u64 << (1 + self.random.below(16))) - 1
            ),
            _ => format!("(unsigned long){a}"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.answer(), self.answer());
        match self.random.below(9) {
            0 => format!("({a} == {})", self.number()),
            1 => format!("({a} < {})", self.number()),
            2 => format!("({a} > {b})"),
            3 => format!("({a} == {b})"),
            4 => format!("(({a} >> {} & 1) != 0)", self.random.below(12)),
            5 => {
                let modulus = 2 + self.random.below(9);
                format!(
                    "({} % {modulus} == {})",
                    self.value(),
                    self.random.below(modulus)
                )
            }
            6 => format!("({} > {}u)", self.value(), self.number().unsigned_abs()),
            7 => format!("({a} < 0)"),
            _ => format!("({a} != 0)"),
        }
    }

    fn statement(&mut self) -> String {
        match self.random.below(5) {
            0 => format!(
                "  outcome += {} % {};\n",
                self.value(),
                2 + self.random.below(7)
            ),
            1 => format!(
                "  switch ({} % 4) {{\n  case 0: outcome += 1; break;\n  case 1: outcome += {}; break;\n  \
                 case 2: outcome ^= 5; break;\n  default: break;\n  }}\n",
                self.value(),
                self.random.below(9)
            ),
            2 => format!(
                "  for (unsigned long i = 0; i < {} % 5; i++)\n    outcome += {};\n",
                self.value(),
                self.condition()
            ),
            3 => format!(
                "  if ({})\n    outcome += {};\n  else if ({})\n    outcome += {};\n",
                self.condition(),
                1 + self.random.below(9),
                self.condition(),
                10 + self.random.below(9)
            ),
            _ => format!(
                "  if ({})\n    outcome += {};\n",
                self.condition(),
                1 + self.random.below(20)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_functions_of_their_seeds() {
        for seed in 0..300 {
            assert_eq!(random(seed), random(seed));
            assert_ne!(random(seed).text, random(seed + 1).text);
        }
    }

    #[test]
    fn there_is_a_program_for_every_variant() {
        let all = singles();
        let variants: usize = questions().iter().map(Question::variants).sum();
        assert_eq!(all.len(), variants);
        assert!(all.iter().all(|p| p.asks.len() == 1 && p.asks[0] == p.name));
    }
}
