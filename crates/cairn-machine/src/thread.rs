//! A thread of a program: calls that have not returned, and their values.

use crate::Domain;
use crate::code::{CallSite, Code, FlatOp, LocalHome, SwitchTable};
use crate::table::CodeTable;
use cairn_ir::analysis::distance::Point;
use cairn_ir::{BlockId, FuncId, PlaceId, VarClass};

/// A value of any width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyValue<V, W> {
    /// At most 64 bits.
    Value(V),
    /// More.
    Wide(W),
}

/// An argument beyond the named ones.
#[derive(Clone, Debug)]
pub struct Extra<V, W> {
    /// The value.
    pub value: AnyValue<V, W>,
    /// Its width.
    pub width: u32,
    /// How it is passed.
    pub class: VarClass,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct Frame<V, W> {
    pub function: FuncId,
    /// The next operation.
    pub at: u32,
    pub first_register: usize,
    pub first_wide: usize,
    /// Operations that the thread executed before: no two calls of a thread have the same number.
    pub entered: u64,
    /// The call site in the caller's code.
    pub site: u32,
    pub extra: Option<Box<[Extra<V, W>]>>,
}

/// A thread of a program: its calls and their values.
#[derive(Clone, Debug)]
pub struct Thread<V, W> {
    pub(crate) frames: Vec<Frame<V, W>>,
    pub(crate) registers: Vec<V>,
    pub(crate) wide: Vec<Option<W>>,
    /// Operations executed so far.
    pub executed: u64,
    /// How often an operation was run again.
    pub retried: u64,
    /// What variables in registers held of calls that were abandoned.
    pub(crate) left_behind: Vec<V>,
}

/// Arguments of a call with their widths.
pub type FrameArguments<V, W> = Vec<(AnyValue<V, W>, u32)>;

impl<V: Clone, W: Clone> Default for Thread<V, W> {
    fn default() -> Self {
        Thread {
            frames: Vec::new(),
            registers: Vec::new(),
            wide: Vec::new(),
            executed: 0,
            retried: 0,
            left_behind: Vec::new(),
        }
    }
}

impl<V: Clone, W: Clone> Thread<V, W> {
    /// Calls a function on an idle thread.
    pub fn start<D>(
        &mut self,
        table: &CodeTable<V>,
        domain: &mut D,
        function: FuncId,
        args: Vec<AnyValue<V, W>>,
    ) -> Result<(), D::AccessError>
    where
        D: Domain<Value = V, Wide = W>,
    {
        let code = table
            .code(domain, function)
            .expect("only functions with a body are started");
        domain.push_frame(code.code.stack_bytes)?;
        self.enter(code, 0);
        let base = self.frames.last().expect("just entered");
        let (registers, wide) = (base.first_register, base.first_wide);
        for (home, arg) in code.code.params.iter().zip(args) {
            match (home, arg) {
                (LocalHome::Register(r), AnyValue::Value(v)) => {
                    self.registers[registers + *r as usize] = v
                }
                (LocalHome::Wide(w), AnyValue::Wide(v)) => self.wide[wide + *w as usize] = Some(v),
                (LocalHome::Register(_), AnyValue::Wide(_))
                | (LocalHome::Wide(_), AnyValue::Value(_)) => {
                    unreachable!("arguments fit their parameters")
                }
            }
        }
        Ok(())
    }

    /// Makes room for a call.
    pub(crate) fn enter(&mut self, code: &crate::table::LoadedCode<V>, site: u32) {
        let registers = self.registers.len();
        let wide = self.wide.len();
        self.registers.extend_from_slice(&code.template);
        if code.code.wide > 0 {
            self.wide.resize(wide + code.code.wide as usize, None);
        }
        self.frames.push(Frame {
            function: code.code.function,
            at: 0,
            first_register: registers,
            first_wide: wide,
            entered: self.executed,
            site,
            extra: None,
        });
    }

    /// What the variables hold that are in registers, of all calls that have not returned.
    pub fn variables<'t>(&'t self, table: &'t CodeTable<V>) -> impl Iterator<Item = &'t V> {
        let running = self.frames.iter().flat_map(move |frame| {
            let code = &table.loaded(frame.function).expect("it runs").code;
            let registers = &self.registers[frame.first_register..];
            code.variables.iter().map(|r| &registers[*r as usize])
        });
        running.chain(&self.left_behind)
    }

    /// How many calls have not returned.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Goes on at a position of the present function.
    pub fn go_to(&mut self, position: u32) {
        self.frames.last_mut().expect("a running thread").at = position;
    }

    /// Runs a function in place of the call that stopped: its results are the call's.
    pub fn divert<D>(
        &mut self,
        table: &CodeTable<V>,
        domain: &mut D,
        function: FuncId,
        args: Vec<AnyValue<V, W>>,
    ) -> Result<(), D::AccessError>
    where
        D: Domain<Value = V, Wide = W>,
    {
        let site = self.call_site(table);
        self.start(table, domain, function, args)?;
        self.frames.last_mut().expect("just entered").site = site;
        Ok(())
    }

    /// Replaces the address of the indirect call that stopped.
    pub fn set_callee(&mut self, table: &CodeTable<V>, address: V) {
        let site = self.call_site(table) as usize;
        let frame = self.frames.last().expect("a running thread");
        let code = &table.loaded(frame.function).expect("it runs").code;
        let register = code.calls[site].address as usize;
        self.registers[frame.first_register + register] = address;
    }

    /// The call that stopped.
    fn call_site(&self, table: &CodeTable<V>) -> u32 {
        let frame = self.frames.last().expect("a running thread");
        let code = &table.loaded(frame.function).expect("it runs").code;
        match &code.ops[frame.at as usize - 1] {
            FlatOp::Call { index, .. } => *index,
            _ => unreachable!("the thread stopped at a call"),
        }
    }

    /// Forgets all calls: none of them returns. Their variables stay, as their objects do.
    pub fn abandon(&mut self, table: &CodeTable<V>) {
        self.left_behind = self.variables(table).cloned().collect();
        self.frames.clear();
        self.registers.clear();
        self.wide.clear();
    }

    /// Goes back to the operation that stopped, so that it runs again.
    pub fn retry(&mut self) {
        self.frames.last_mut().expect("a running thread").at -= 1;
        self.retried += 1;
    }

    /// Where the cases of a switch of the present function lead, and where other values do.
    pub fn switch(&self, table: &CodeTable<V>, index: u32) -> (Vec<(u64, u32)>, u32) {
        let frame = self.frames.last().expect("a running thread");
        let code = &table.loaded(frame.function).expect("it runs").code;
        match &code.switches[index as usize] {
            SwitchTable::Dense { first, to, default } => {
                let cases = to.iter().zip(*first..);
                let listed = cases.filter(|(position, _)| *position != default);
                let listed = listed.map(|(position, value)| (value, *position)).collect();
                (listed, *default)
            }
            SwitchTable::Sparse { cases, default } => (cases.clone(), *default),
        }
    }

    /// Where the calls that have not returned go on, newest first.
    pub fn points(&self, table: &CodeTable<V>) -> Vec<Point> {
        let points = self.frames.iter().rev().filter_map(|frame| {
            let code = &table.loaded(frame.function)?.code;
            let (block, inst) = *code.points.get(frame.at as usize)?;
            Some(Point {
                function: frame.function,
                block: BlockId::new(block as usize),
                inst,
            })
        });
        points.collect()
    }

    /// The calls that have not returned, oldest first: each function, and the call site it was called
    /// from.
    pub fn calls(&self) -> impl Iterator<Item = (FuncId, u32)> {
        self.frames.iter().map(|f| (f.function, f.site))
    }

    /// The present function and the operation that runs next.
    pub fn position(&self) -> Option<(FuncId, u32)> {
        self.frames.last().map(|f| (f.function, f.at))
    }

    /// Positions in the code of the functions that were called, newest first.
    pub fn positions(&self) -> Vec<u32> {
        self.frames.iter().rev().map(|f| f.at).collect()
    }

    /// The functions that were called, newest first, each with the place it is at.
    pub fn trace(&self, table: &CodeTable<V>) -> Vec<(FuncId, PlaceId)> {
        let mut trace = Vec::with_capacity(self.frames.len());
        for frame in self.frames.iter().rev() {
            trace.push((frame.function, place_of(frame, table)));
        }
        trace
    }

    /// The place that the newest call is at.
    pub fn place(&self, table: &CodeTable<V>) -> PlaceId {
        self.frames
            .last()
            .map_or(PlaceId::UNKNOWN, |frame| place_of(frame, table))
    }

    /// Gives the results of a call that the environment answered.
    pub fn answer(&mut self, table: &CodeTable<V>, results: Vec<AnyValue<V, W>>) {
        let frame = self.frames.last().expect("a running thread");
        let code = table.loaded(frame.function).expect("it runs");
        let homes: &[LocalHome] = match &code.code.ops[frame.at as usize - 1] {
            FlatOp::Call { index, .. } => &code.code.calls[*index as usize].results,
            _ => unreachable!("only calls are answered"),
        };
        let (registers, wide) = (frame.first_register, frame.first_wide);
        for (home, result) in homes.iter().zip(results) {
            match (home, result) {
                (LocalHome::Register(r), AnyValue::Value(v)) => {
                    self.registers[registers + *r as usize] = v
                }
                (LocalHome::Wide(w), AnyValue::Wide(v)) => self.wide[wide + *w as usize] = Some(v),
                (LocalHome::Register(_), AnyValue::Wide(_))
                | (LocalHome::Wide(_), AnyValue::Value(_)) => {
                    unreachable!("results fit their places")
                }
            }
        }
    }

    pub(crate) fn gather(
        &self,
        code: &Code,
        site: &CallSite,
    ) -> (FrameArguments<V, W>, Vec<Extra<V, W>>) {
        let frame = self.frames.last().expect("a running thread");
        debug_assert_eq!(frame.function, code.function);
        let take = |home: &LocalHome| match home {
            LocalHome::Register(r) => {
                AnyValue::Value(self.registers[frame.first_register + *r as usize].clone())
            }
            LocalHome::Wide(w) => AnyValue::Wide(
                self.wide[frame.first_wide + *w as usize]
                    .clone()
                    .expect("written before it is read"),
            ),
        };
        let args = site
            .args
            .iter()
            .map(take)
            .zip(site.arg_widths.iter().copied());
        let extra = site.variadic.iter().map(|(home, width, class)| Extra {
            value: take(home),
            width: *width,
            class: *class,
        });
        (args.collect(), extra.collect())
    }
}

/// The place that a call is at.
fn place_of<V: Clone, W>(frame: &Frame<V, W>, table: &CodeTable<V>) -> PlaceId {
    table
        .loaded(frame.function)
        .map_or(PlaceId::UNKNOWN, |loaded| {
            let at = (frame.at as usize).saturating_sub(1);
            let place = loaded.code.places.get(at).copied();
            place.unwrap_or(PlaceId::UNKNOWN)
        })
}
