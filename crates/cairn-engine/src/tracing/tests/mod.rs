//! Required cells of small programs, random ones, and what wrong ones look like.

mod fuzz;
mod outside;
mod small;

use super::cells::{ByteRun, RequiredCells};
use super::check::differs;
use super::stretch::{StretchStart, TracedCode, TracedStretch, required_cells};
use crate::config::Limits;
use crate::values::symbolic_domain::{SymbolicDomain, Unwritten};
use crate::values::value::Value;
use crate::values::worker_context::WorkerContext;
use cairn_expr::{Sort, Symbol};
use cairn_ir::Program;
use cairn_machine::{AnyValue, CodeTable, Process, Thread, ThreadCell};
use cairn_memory::{MemoryConfig, ObjectId, Word};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    static FORGETS_STORES: Cell<bool> = const { Cell::new(false) };
}

/// Whether stores leave no trace: what a test must see.
pub(super) fn forgets_stores() -> bool {
    FORGETS_STORES.get()
}

fn forgetting_stores<T>(work: impl FnOnce() -> T) -> T {
    FORGETS_STORES.set(true);
    let result = work();
    FORGETS_STORES.set(false);
    result
}

/// An argument of `main`.
#[derive(Clone, Copy)]
enum Arg {
    Number(u64),
    /// A symbol of this width.
    Symbol(u32),
    /// The address of a global, by its number.
    Global(usize),
}

/// A program at the beginning of `main`.
struct Setting {
    program: Arc<Program>,
    table: CodeTable<Value>,
    code: TracedCode,
    start: StretchStart,
    globals: Rc<[Word]>,
}

fn parsed(text: &str) -> Program {
    let program = cairn_ir::text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    cairn_ir::verify::verify(&program).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    program
}

const LIMIT: u64 = 100_000;

impl Setting {
    fn new(text: &str, args: &[Arg]) -> Self {
        Self::of(parsed(text), args)
    }

    fn of(program: Program, args: &[Arg]) -> Self {
        let program = Arc::new(program);
        let table = CodeTable::new(Arc::clone(&program)).telling_unwritten();
        let process = Process::new(&program, &MemoryConfig::default(), None);
        let process = process.expect("it is small");
        let (memory, globals): (_, Rc<[Word]>) = (process.memory, process.globals.into());
        let cx = Rc::new(WorkerContext::new(0, &Limits::default(), Arc::default()));
        let mut domain = SymbolicDomain::new(
            Rc::clone(&cx),
            memory,
            Rc::clone(&globals),
            Vec::new(),
            Unwritten::Anything,
        );
        let args = args.iter().enumerate().map(|(i, arg)| {
            AnyValue::Value(match *arg {
                Arg::Number(bits) => Value::int(bits),
                Arg::Global(number) => Value::Word(globals[number]),
                Arg::Symbol(width) => {
                    let name = Symbol::Named(format!("x{i}").into());
                    let term = cx.store.free(name, Sort::BitVec(width));
                    Value::from_term(term, ObjectId::NONE)
                }
            })
        });
        let args = args.collect();
        let main = program.find_function("main").expect("it has one");
        let mut thread = Thread::default();
        thread
            .start(&table, &mut domain, main, args)
            .expect("there is a stack");
        Setting {
            code: TracedCode::of(&table),
            program,
            table,
            start: StretchStart {
                thread,
                domain,
                library: process.library,
            },
            globals,
        }
    }

    fn traced(&self) -> TracedStretch {
        required_cells(&self.start, &self.table, &self.code, LIMIT).expect("it can be traced")
    }

    /// What is wrong with required cells, if anything is.
    fn wrong(&self, stretch: &TracedStretch, required: &RequiredCells) -> Option<String> {
        let (start, end) = (&self.start, &stretch.end);
        differs(start, &self.table, &self.code, required, end, LIMIT)
    }

    /// Cells in words, in order: registers, bytes, state that is one cell.
    fn words(&self, required: &RequiredCells) -> String {
        let mut words: Vec<String> = Vec::new();
        for cell in required.thread.keys() {
            words.push(match cell {
                ThreadCell::Register { frame: 0, register } => format!("r{register}"),
                other => format!("{other:?}"),
            });
        }
        for (object, runs) in &required.bytes {
            let number = self.globals.iter().position(|g| g.object.raw() == *object);
            let name = number.map_or("?", |n| self.program.globals[n].name.as_str());
            for ByteRun { range, .. } in runs {
                words.push(format!("{name}[{}..{}]", range.start, range.end));
            }
        }
        words.extend(required.coarse.iter().map(|c| format!("{c:?}")));
        words.join(" ")
    }

    /// Checks the required cells, in words and by trying them out.
    #[track_caller]
    fn expect(&self, expected: &str) -> TracedStretch {
        let stretch = self.traced();
        assert_eq!(self.words(&stretch.required), expected);
        assert_eq!(self.wrong(&stretch, &stretch.required), None);
        stretch
    }

    /// Checks that each place and run of bytes that is dropped is missed.
    #[track_caller]
    fn expect_all_missed(&self, stretch: &TracedStretch) {
        for cell in stretch.required.thread.keys() {
            let mut without = stretch.required.clone();
            without.thread.remove(cell);
            assert!(self.wrong(stretch, &without).is_some(), "{cell:?}");
        }
        for (object, runs) in &stretch.required.bytes {
            for (i, run) in runs.iter().enumerate() {
                let mut without = stretch.required.clone();
                without
                    .bytes
                    .get_mut(object)
                    .expect("it is there")
                    .remove(i);
                assert!(self.wrong(stretch, &without).is_some(), "{:?}", run.range);
            }
        }
    }
}
