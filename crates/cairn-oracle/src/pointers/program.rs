//! The programs.

use crate::random::Random;
use std::fmt::Write;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its seed.
    pub seed: u64,
    /// C.
    pub text: String,
}

/// Where an object is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectPlace {
    Global,
    Constant,
    Heap,
    Stack,
}

struct Object {
    name: String,
    place: ObjectPlace,
    size: usize,
}

/// What a program is made of so far.
struct Draft {
    random: Random,
    objects: Vec<Object>,
    /// Entries of the table of pointers.
    entries: usize,
    /// Whether an input says how large the first object is, if it is on the heap.
    is_open: bool,
    body: String,
}

/// The program of a seed.
pub fn random(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x7061_7468);
    let count = 2 + random.below(4);
    let mut draft = Draft {
        entries: 2 + random.below(4),
        is_open: random.below(12) == 0,
        random,
        objects: Vec::new(),
        body: String::new(),
    };
    for i in 0..count {
        draft.object(i);
    }
    let steps = 10 + draft.random.below(14);
    draft.fill_table();
    for _ in 0..steps {
        draft.step();
    }
    let text = draft.text(seed);
    Program { seed, text }
}

impl Draft {
    fn object(&mut self, i: usize) {
        let place = *self.random.pick(&[
            ObjectPlace::Global,
            ObjectPlace::Heap,
            ObjectPlace::Heap,
            ObjectPlace::Stack,
            ObjectPlace::Stack,
            ObjectPlace::Constant,
        ]);
        self.objects.push(Object {
            name: format!("o{i}"),
            place,
            size: 16 + self.random.below(4) * 4,
        });
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// An expression of a pointer whose object is known.
    fn known_pointer(&mut self) -> String {
        match self.random.below(32) {
            0 => "0".to_string(),
            1 => "gone".to_string(),
            2 => "left()".to_string(),
            3..8 => {
                let at = self.random.below(5);
                let name = self.any_object();
                format!("{name} + {at}")
            }
            _ => self.any_object(),
        }
    }

    fn any_object(&mut self) -> String {
        let i = self.random.below(self.objects.len());
        let object = &self.objects[i];
        match object.place {
            ObjectPlace::Constant => format!("(unsigned char *){}", object.name),
            ObjectPlace::Global | ObjectPlace::Heap | ObjectPlace::Stack => object.name.clone(),
        }
    }

    fn fill_table(&mut self) {
        for i in 0..self.entries {
            let pointer = self.known_pointer();
            self.line(&format!("t[{i}] = {pointer};"));
        }
        let entries = self.entries;
        self.line(&format!("for (int n = {entries}; n < 8; n++) t[n] = t[0];"));
        let (a, b) = (self.random.below(2), self.random.below(2));
        self.line("struct item *last = malloc(sizeof *last), *first = malloc(sizeof *first);");
        self.line(&format!(
            "last->key = {a}; last->next = 0; last->data = t[{b}];"
        ));
        self.line(&format!(
            "first->key = 3; first->next = last; first->data = t[{a}];"
        ));
        self.line("heads[0] = first; heads[1] = last; heads[2] = first;");
    }

    fn index(&mut self) -> String {
        let n = self.entries;
        match self.random.below(8) {
            0..3 => "i".to_string(),
            3 | 4 => "j".to_string(),
            5 => format!("(i + j) % {n}"),
            6 => "(i * 3 + 1) & 3".to_string(),
            _ => self.random.below(n).to_string(),
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(4) {
            0 => "x".to_string(),
            1 => "h".to_string(),
            _ => (self.random.below(200) + 1).to_string(),
        }
    }

    /// A type of an access and an offset at which it mostly is inside.
    fn access(&mut self) -> (&'static str, usize) {
        let (name, size) = *self.random.pick(&[
            ("uint8_t", 1),
            ("uint8_t", 1),
            ("uint16_t", 2),
            ("uint32_t", 4),
            ("uint64_t", 8),
        ]);
        let object = self.random.below(self.objects.len());
        let room = self.objects[object].size;
        let offset = match self.random.below(60) {
            // By one byte outside.
            0 => room + 1 - size,
            // Into another object.
            1 => 16 * (1 + self.random.below(8)),
            // Anywhere.
            2 | 3 => self.random.below(room),
            _ => self.random.below(5),
        };
        (name, offset)
    }

    fn step(&mut self) {
        let (kind, offset) = self.access();
        let (to, from) = (self.index(), self.index());
        let value = self.value();
        if self.random.below(4) == 0 {
            let text = self.wider_step(&to, &from, offset, &value);
            return self.line(&text);
        }
        let text = match self.random.below(22) {
            0..3 => format!("h += *({kind} *)(t[{from}] + {offset});"),
            3..6 => format!("*({kind} *)(t[{to}] + {offset}) = {value};"),
            6 => format!("t[{to}] = t[{from}];"),
            7 => {
                let pointer = self.known_pointer();
                format!("t[{to}] = {pointer};")
            }
            8 => format!("memcpy(&q, &t[{from}], sizeof q); h += q[{offset}];"),
            9 => format!("q = (unsigned char *)(uintptr_t)t[{from}]; q[{offset}] = {value};"),
            10 => format!("h += t[{from}][x & 3];"),
            11 => format!("t[{to}][x & 1] = {value};"),
            12 => format!("h += inner({from}, {offset}, {value});"),
            13 => format!("h += heads[{from} % 3]->key; h += heads[{to} % 3]->data[{offset}];"),
            14 => format!("heads[{to} % 3]->key = {value}; h += first->key * 3 + last->key;"),
            15 => self.end_or_grow(),
            16 => format!(
                "*(unsigned char **)(t[{to}]) = t[{from}]; h += **(unsigned char **)(t[{from}]);"
            ),
            17 => format!("if (t[{from}] == t[{to}]) h += 5;"),
            // At an unknown place of a large object.
            18 => format!("h += *({kind} *)(large + (x & 15) + {offset});"),
            19 => format!("*({kind} *)(large + 290 + (x & 15)) = {value}; h += large[300];"),
            _ => {
                let name = self.any_object();
                format!("h += ({name})[{}];", offset.min(7))
            }
        };
        self.line(&text);
    }

    /// A step with more than a word, or with a function of the library or the program that a pointer leads to.
    fn wider_step(&mut self, to: &str, from: &str, offset: usize, value: &str) -> String {
        let near = offset.min(6);
        let bytes = *self.random.pick(&[1, 3, 4, 8, 9, 12, 16]);
        match self.random.below(28) {
            0..3 => format!("memcpy(t[{to}], t[{from}] + {near}, {bytes});"),
            3 => format!("memmove(t[{to}] + {near}, t[{from}], {bytes});"),
            4 | 5 => format!("memset(t[{to}] + {near}, {value}, {bytes});"),
            6 => format!("memcpy(own, t[{from}], {bytes}); h += own[{near}];"),
            7 => format!("memcpy(t[{to}], own, {bytes});"),
            8 | 9 => format!("*(struct wide *)(t[{to}] + {near}) = *(struct wide *)t[{from}];"),
            10 => format!(
                "h += (unsigned)(((struct whole *)(t[{from}]))->all >> {});",
                8 * near
            ),
            11 => format!("((struct whole *)(t[{to}]))->all = (unsigned __int128)h << 60;"),
            // A pointer that leaves its object and comes back.
            12 | 13 => format!(
                "t[{to}] = t[{from}] + {}; h += *(t[{to}] - {});",
                16 * near,
                16 * near
            ),
            14 => format!("h += heads[{from} % 3]->next ? heads[{from} % 3]->next->key : 2;"),
            15 => format!("one = *heads[{from} % 3]; h += one.key; h += one.data[{near}];"),
            16 => format!("one.key = {value}; *heads[{to} % 3] = one; h += last->key;"),
            17 | 18 => format!("h += calls[{from} & 3](h);"),
            19 => format!(
                "h += strlen(texts[{from} & 3]) + (strcmp(texts[{to} & 3], texts[{from} & 3]) == 0);"
            ),
            20 => format!("h += memcmp(t[{to}], t[{from}], 4) != 0;"),
            21 => format!("t[{to}] = realloc(t[{to}], 24);"),
            22 => format!("free(t[{to}]);"),
            // A number that is not known is added before the pointer is written, or leads to a neighbour.
            23 => format!("t[{to}] = t[{from}] + (x & 3);"),
            24 => format!("t[{to}] = t[{from}] + 16 * (x & 7); h += *(t[{to}] - 16 * (x & 7));"),
            25 => format!("heads[{to} % 3]->data = t[{from}] + (x & 1);"),
            26 => format!("h += t[{from}][(x & 1) * {}];", 16 * near),
            _ => format!(
                "calls[{to} & 3] = h & 1 ? triple : add_{};",
                self.random.below(2)
            ),
        }
    }

    /// A heap object is freed or made another size.
    fn end_or_grow(&mut self) -> String {
        let heap: Vec<&Object> = self
            .objects
            .iter()
            .filter(|o| o.place == ObjectPlace::Heap)
            .collect();
        let Some(object) = heap.first() else {
            return "h += 1;".to_string();
        };
        let name = object.name.clone();
        match self.random.below(3) {
            0 => format!("free({name}); {name} = 0;"),
            1 => format!("{name} = realloc({name}, 48);"),
            _ => format!("{name} = realloc({name}, 8);"),
        }
    }

    fn text(&self, seed: u64) -> String {
        let n = self.entries;
        let mut text = format!(
            "// The program of seed {seed}.\n\
             #include <klee/klee.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\
             struct item {{ unsigned key; struct item *next; unsigned char *data; }};\n\
             struct __attribute__((packed)) wide {{ unsigned char bytes[11]; }};\n\
             struct __attribute__((packed)) whole {{ unsigned __int128 all; }};\n\
             static unsigned char large[320];\nstatic unsigned char *t[8];\nstatic struct item *heads[3], one;\nstatic unsigned char own[16];\n\
             static const char *const texts[4] = {{\"\", \"ab\", \"abc\", \"ab\"}};\n\
             static unsigned add_0(unsigned n) {{ return n + 7; }}\nstatic unsigned add_1(unsigned n) {{ return n + 2; }}\n\
             static unsigned triple(unsigned n) {{ return n * 3; }}\n\
             static unsigned (*calls[4])(unsigned) = {{add_0, triple, add_1, add_0}};\n"
        );
        let (mut locals, mut start) = (String::new(), String::new());
        for (i, object) in self.objects.iter().enumerate() {
            let Object { name, place, size } = object;
            let fill = format!("  for (int n = 0; n < {size}; n++) {name}[n] = n * 5 + {i};\n");
            let _ = match place {
                ObjectPlace::Global => writeln!(text, "static unsigned char {name}[{size}];"),
                ObjectPlace::Constant => {
                    let bytes: Vec<String> = (0..*size).map(|b| (b * 3).to_string()).collect();
                    let bytes = bytes.join(", ");
                    writeln!(
                        text,
                        "static const unsigned char {name}[{size}] = {{{bytes}}};"
                    )
                }
                ObjectPlace::Heap if self.is_open && i == 0 => writeln!(
                    locals,
                    "  unsigned char *{name} = malloc(klee_range({size}, {size} + 3, \"s\"));"
                ),
                ObjectPlace::Heap => writeln!(locals, "  unsigned char *{name} = malloc({size});"),
                ObjectPlace::Stack => writeln!(locals, "  unsigned char {name}[{size}];"),
            };
            if *place != ObjectPlace::Constant {
                start.push_str(&fill);
            }
        }
        text.push_str(
            "static unsigned char *left(void) {\n  unsigned char mine[16];\n  \
             memset(mine, 9, sizeof mine);\n  unsigned char *volatile p = mine;\n  return p;\n}\n\
             static unsigned inner(unsigned n, int at, unsigned value) {\n  unsigned char mine[16];\n  \
             memset(mine, 4, sizeof mine);\n  unsigned char *volatile p = mine;\n  \
             p[1] = value;\n  return t[n][at] + p[1];\n}\n",
        );
        text.push_str("int main(void) {\n");
        let _ = writeln!(
            text,
            "  unsigned i = klee_range(0, {n}, \"i\"), j = klee_range(0, {n}, \"j\"), h = 0;\n  \
             unsigned char x, *q = 0;\n  klee_make_symbolic(&x, sizeof x, \"x\");\n  \
             unsigned char *gone = malloc(16);\n  free(gone);\n  (void)q;\n  one.data = own;"
        );
        text.push_str(&locals);
        text.push_str(&start);
        text.push_str(&self.body);
        text.push_str(
            "  switch (h & 3) {\n  case 0: return 10;\n  case 1: return 11;\n  case 2: return 12;\n  \
             default: return 13;\n  }\n}\n",
        );
        text
    }
}
