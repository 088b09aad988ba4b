//! Programs that look at where objects are, and ask the same of several objects and inputs.

use crate::random::Random;
use std::fmt::Write;

/// What a program is made of so far.
struct Draft {
    r: Random,
    /// Expressions of pointers.
    pointers: Vec<String>,
    globals: String,
    body: String,
}

/// The program of a seed, in C.
pub fn text_of(seed: u64) -> String {
    let mut draft = Draft {
        r: Random::new(seed ^ 0xcac4_e000),
        pointers: Vec::new(),
        globals: String::new(),
        body: String::new(),
    };
    let count = 3 + draft.r.below(3);
    // Mostly of one size.
    let size = *draft.r.pick(&[16, 16, 24, 32]);
    for i in 0..count {
        let size = if draft.r.chance(70) {
            size
        } else {
            8 + 8 * draft.r.below(4)
        };
        draft.object(i, size);
    }
    draft.line("for (int n = 0; n < 4; n++) t[n] = t[n + 4] = 0;");
    for i in 0..4 {
        let pointer = draft.pointer();
        draft.line(&format!("t[{i}] = {pointer};"));
    }
    // Each has a few outcomes for each of two calls, and all their combinations are paths.
    for _ in 0..1 + draft.r.below(3) {
        draft.round();
    }
    draft.text(seed)
}

impl Draft {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    fn object(&mut self, i: usize, size: usize) {
        let name = format!("o{i}");
        match self.r.below(6) {
            0 => {
                let alignment = *self.r.pick(&[16, 16, 32]);
                let _ = writeln!(
                    self.globals,
                    "static unsigned char {name}[{size}] __attribute__((aligned({alignment})));"
                );
            }
            1 => self.line(&format!("unsigned char {name}[{size}];")),
            // Another object had the place before.
            2 => self.line(&format!(
                "unsigned char *{name} = malloc({size}); free({name}); {name} = malloc({size});"
            )),
            3 => self.line(&format!(
                "unsigned char *{name} = malloc(8); {name} = realloc({name}, {size});"
            )),
            _ => self.line(&format!("unsigned char *{name} = malloc({size});")),
        }
        self.line(&format!("memset({name}, {}, {size});", i + 1));
        self.pointers.push(name);
    }

    fn pointer(&mut self) -> String {
        let name = self.r.pick(&self.pointers).clone();
        match self.r.below(8) {
            0 => "0".to_string(),
            1 => format!("{name} + 8"),
            _ => name,
        }
    }

    /// An index that an input chooses: the functions below are called with one after the other.
    fn input(&mut self) -> String {
        format!("in[{}]", self.r.below(4))
    }

    /// The same question about two inputs, or about two choices of objects.
    fn round(&mut self) {
        let (a, b) = (self.input(), self.input());
        let (first, second) = (self.r.below(2), self.r.below(2));
        let number = *self.r.pick(&[3, 7, 15, 16, 24, 31]);
        let call = *self.r.pick(&[
            "same", "same", "order", "apart", "masked", "behind", "aligned", "content", "content",
            "twice", "reused", "bounded", "bounded", "shifted",
        ]);
        self.line(&format!("h += {call}(t + {first}, {a}, {number});"));
        self.line(&format!("h = h * 3 + {call}(t + {second}, {b}, {number});"));
        match self.r.below(8) {
            0 => {
                let pointer = self.pointer();
                let entry = self.r.below(4);
                self.line(&format!("t[{entry}] = {pointer};"));
            }
            1 => {
                let pointer = self.pointer();
                let index = self.input();
                self.line(&format!("if ({index} < 4) t[{index}] = {pointer};"));
            }
            2 => self.line("{ unsigned char *x = malloc(16); x[0] = h; free(x); }"),
            _ => {}
        }
    }

    fn text(&self, seed: u64) -> String {
        format!(
            "// The program of seed {seed}.\n{FUNCTIONS}{}int main(void) {{\n  unsigned char in[4];\n  unsigned h = 0;\n  \
             klee_make_symbolic(in, sizeof in, \"in\");\n{}  switch (h & 3) {{\n  case 0: return 10;\n  case 1: return 11;\n  \
             case 2: return 12;\n  default: return 13;\n  }}\n}}\n",
            self.globals, self.body
        )
    }
}

/// Each asks one thing of two of the four pointers of a window of the table.
const FUNCTIONS: &str = "\
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static unsigned char *t[8];
static unsigned same(unsigned char **w, unsigned char i, unsigned n) {
  return w[i & 3] == w[(i >> 2 & 1) + 1] ? 1 : w[i & 1] ? 2 : 3;
}
static unsigned order(unsigned char **w, unsigned char i, unsigned n) {
  return w[i & 3] < w[i >> 2 & 3] ? 1 : 2;
}
static unsigned apart(unsigned char **w, unsigned char i, unsigned n) {
  return (uintptr_t)w[i & 3] - (uintptr_t)w[1] == 2 * n ? 1 : 0;
}
static unsigned masked(unsigned char **w, unsigned char i, unsigned n) {
  return ((uintptr_t)w[i & 3] & n) == 0 ? 1 : 2;
}
static unsigned behind(unsigned char **w, unsigned char i, unsigned n) {
  return w[i & 3] && w[i & 3] + n == w[2] ? 1 : 0;
}
static unsigned aligned(unsigned char **w, unsigned char i, unsigned n) {
  return (uintptr_t)w[i & 3] % 8 == 0 ? 1 : 2;
}
static unsigned content(unsigned char **w, unsigned char i, unsigned n) {
  unsigned char *p = w[i & 3];
  return p ? p[i >> 5] == (n & 3) + 1 ? 1 : 2 : 0;
}
static unsigned twice(unsigned char **w, unsigned char i, unsigned n) {
  unsigned char *p = w[i & 1], *q = w[i >> 1 & 1];
  if (!p || !q) return 0;
  p[0] = i;
  return q[0] == i ? 1 : 2;
}
static unsigned reused(unsigned char **w, unsigned char i, unsigned n) {
  unsigned char mine[16];
  unsigned char *s[2] = {mine, w[0]};
  memset(mine, n, sizeof mine);
  return s[i & 1] && s[i & 1][1] == n ? s[i & 1] == mine : 2;
}
static unsigned bounded(unsigned char **w, unsigned char i, unsigned n) {
  if (i > n) return 0;
  return i * 3 % 7 == 5 ? 1 : i + n > 200 ? 2 : 3;
}
static unsigned shifted(unsigned char **w, unsigned char i, unsigned n) {
  return ((uintptr_t)w[i & 3] >> 4 & 1) == (n & 1) ? 1 : 2;
}
";
