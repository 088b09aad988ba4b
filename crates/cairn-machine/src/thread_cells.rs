//! The places of a thread that hold values: named, and carried over to values of another kind.
//!
//! A thread that is traced runs on values that know where they came from. It is made from one that runs
//! on plain values, place by place. Constants of a function are registers too, but no places: they are
//! part of the program.

use crate::Domain;
use crate::code::LocalHome;
use crate::table::CodeTable;
use crate::thread::{AnyValue, Extra, Frame, Thread};
use cairn_ir::FuncId;

/// A place of a thread that holds a value. Calls are numbered from the oldest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ThreadCell {
    /// A register of a call: a local of at most 64 bits, or a variable.
    Register {
        /// The call.
        frame: u32,
        /// The register.
        register: u32,
    },
    /// A local of more than 64 bits.
    Wide {
        /// The call.
        frame: u32,
        /// Its number among the call's wide locals.
        number: u32,
    },
    /// An argument beyond the named ones.
    Argument {
        /// The call.
        frame: u32,
        /// Its number among those.
        number: u32,
    },
    /// What a variable held of a call that was abandoned.
    LeftBehind {
        /// Its number.
        number: u32,
    },
}

/// How values of one kind become values of another.
pub trait Carry<V, W> {
    /// The other value of at most 64 bits.
    type Value: Clone;
    /// The other value of any width.
    type Wide: Clone;
    /// Carries over what a place holds; a constant is at no place.
    fn value(&mut self, at: Option<ThreadCell>, value: &V) -> Self::Value;
    /// The same for a value of any width.
    fn wide(&mut self, at: ThreadCell, value: &W) -> Self::Wide;
}

impl<V: Clone, W: Clone> Thread<V, W> {
    /// The same thread on other values. `other` has the code of `table`
    /// ([`CodeTable::for_other_values`]).
    pub fn carried<C, D>(
        &self,
        table: &CodeTable<V>,
        other: &CodeTable<C::Value>,
        domain: &D,
        carry: &mut C,
    ) -> Thread<C::Value, C::Wide>
    where
        C: Carry<V, W>,
        D: Domain<Value = C::Value>,
    {
        let mut thread = Thread {
            executed: self.executed,
            retried: self.retried,
            ..Thread::default()
        };
        for (number, frame) in self.frames.iter().enumerate() {
            let next = self.frames.get(number + 1);
            let locals = locals(table, frame.function);
            // A frame's code must be there before the frame runs.
            let _ = other.code(domain, frame.function);
            let number = number as u32;
            let end = next.map_or(self.registers.len(), |f| f.first_register);
            let registers = self.registers[frame.first_register..end].iter().enumerate();
            thread.registers.extend(registers.map(|(register, value)| {
                let register = register as u32;
                let cell = ThreadCell::Register {
                    frame: number,
                    register,
                };
                carry.value((register < locals).then_some(cell), value)
            }));
            let end = next.map_or(self.wide.len(), |f| f.first_wide);
            let wide = self.wide[frame.first_wide..end].iter().enumerate();
            thread.wide.extend(wide.map(|(index, value)| {
                let cell = ThreadCell::Wide {
                    frame: number,
                    number: index as u32,
                };
                value.as_ref().map(|value| carry.wide(cell, value))
            }));
            let extra = frame.extra.as_deref().map(|extra| {
                let extra = extra.iter().enumerate();
                let extra = extra.map(|(index, e)| {
                    let cell = ThreadCell::Argument {
                        frame: number,
                        number: index as u32,
                    };
                    Extra {
                        value: match &e.value {
                            AnyValue::Value(value) => {
                                AnyValue::Value(carry.value(Some(cell), value))
                            }
                            AnyValue::Wide(value) => AnyValue::Wide(carry.wide(cell, value)),
                        },
                        width: e.width,
                        class: e.class,
                    }
                });
                extra.collect()
            });
            thread.frames.push(Frame {
                function: frame.function,
                at: frame.at,
                first_register: frame.first_register,
                first_wide: frame.first_wide,
                entered: frame.entered,
                site: frame.site,
                extra,
            });
        }
        let left = self.left_behind.iter().enumerate();
        thread.left_behind = left
            .map(|(number, value)| {
                let number = number as u32;
                carry.value(Some(ThreadCell::LeftBehind { number }), value)
            })
            .collect();
        thread
    }

    /// The width of what a register of a call holds, if it is a local's and only its own.
    pub fn register_width(&self, table: &CodeTable<V>, frame: u32, register: u32) -> Option<u32> {
        let function = self.frames.get(frame as usize)?.function;
        let code = &table.loaded(function)?.code;
        if code.variables.contains(&register) {
            return None;
        }
        let homes = code.homes.iter().zip(&code.widths);
        let mut own = homes.filter(|(home, _)| **home == LocalHome::Register(register));
        let (_, width) = own.next()?;
        own.next().is_none().then_some(*width)
    }
}

/// Registers of a function that are no constants.
fn locals<V: Clone>(table: &CodeTable<V>, function: FuncId) -> u32 {
    table.loaded(function).map_or(0, |l| l.code.locals)
}
