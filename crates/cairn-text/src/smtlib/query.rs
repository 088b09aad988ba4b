//! Writing whole queries, values and models.

use super::print::{Printer, write_stores};
use super::scope::{Declaration, DefinedFunction};
use super::spelling::{Names, spell_symbol};
use crate::sharing::Sharing;
use cairn_bv::BitVec;
use cairn_expr::{ArrayValue, Model, Sort, Term, Value};
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};

/// Writes a script that asks whether some assertions hold together: logic, declarations,
/// assertions, `(check-sat)`. Its symbols are spelled as [`Names::of`] the assertions says.
///
/// A node used by several assertions is written once, as a definition before the first of them;
/// a node shared within one assertion is a `let` in it.
pub fn write_query(out: &mut impl Write, logic: &str, assertions: &[Term]) -> fmt::Result {
    let names = Names::of(assertions);
    writeln!(out, "(set-logic {logic})")?;
    for (symbol, text) in names.iter() {
        writeln!(out, "(declare-fun {text} () {})", symbol.sort())?;
    }
    write_assertions(out, &names, assertions)?;
    out.write_str("(check-sat)\n")
}

fn write_assertions<W: Write>(out: &mut W, names: &Names, assertions: &[Term]) -> fmt::Result {
    let mut sharing = Sharing::default();
    // Where each assertion's own nodes end in the common order.
    let mut ends = Vec::with_capacity(assertions.len());
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut common: FxHashSet<u32> = FxHashSet::default();
    for assertion in assertions {
        Printer::<W>::walk(&mut sharing, assertion);
        let start = ends.last().copied().unwrap_or(0);
        ends.push(sharing.order().len());
        for term in &sharing.order()[start..] {
            // Operands that an earlier assertion wrote already are common to both.
            common.extend(
                Printer::<W>::operands(term)
                    .map(Term::id)
                    .filter(|id| seen.contains(id)),
            );
        }
        if seen.contains(&assertion.id()) {
            common.insert(assertion.id());
        }
        seen.extend(sharing.order()[start..].iter().map(Term::id));
    }
    // What a definition uses must be defined as well if anything else uses it.
    for term in sharing.order().iter().rev() {
        if common.contains(&term.id()) {
            common.extend(Printer::<W>::operands(term).map(Term::id));
        }
    }
    let mut printer = Printer::new(out, names);
    let mut start = 0;
    for (assertion, end) in assertions.iter().zip(ends) {
        for term in &sharing.order()[start..end] {
            if common.contains(&term.id()) && Printer::<W>::wants_name(&sharing, term) {
                printer.out().write_str("(define-fun ")?;
                printer.write_next_name()?;
                write!(printer.out(), " () {} ", term.sort())?;
                printer.write(term)?;
                printer.out().write_str(")\n")?;
                printer.bind(term);
            }
        }
        start = end;
        printer.out().write_str("(assert ")?;
        printer.write(assertion)?;
        printer.out().write_str(")\n")?;
    }
    Ok(())
}

/// Writes a value.
pub fn write_value(out: &mut impl Write, value: &Value) -> fmt::Result {
    match value {
        Value::Bool(b) => write!(out, "{b}"),
        Value::Bv(v) => write!(out, "{v}"),
        Value::Array(array) => write_array(out, array),
    }
}

fn write_array(out: &mut impl Write, array: &ArrayValue) -> fmt::Result {
    let sort = Sort::Array {
        index: array.index_width(),
        value: array.default_value().width(),
    };
    let cells: Vec<(BitVec, &BitVec)> = array.cells().map(|(i, v)| (i.clone(), v)).collect();
    write_stores(out, sort, array.default_value(), &cells)
}

/// The text of a value.
pub fn value_to_string(value: &Value) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_value(&mut text, value);
    text
}

/// Writes a model as solvers answer `(get-model)`: a definition for each declared symbol. What
/// the model does not list is zero.
pub fn write_model(
    out: &mut impl Write,
    declarations: &[Declaration],
    model: &Model,
) -> fmt::Result {
    out.write_str("(\n")?;
    for declaration in declarations {
        match declaration {
            Declaration::Constant(symbol) => {
                let name = spell_symbol(&declaration.name());
                write!(out, "  (define-fun {name} () {} ", symbol.sort())?;
                match model.get(symbol) {
                    Some(value) => write_value(out, value)?,
                    None => write_value(out, &Value::zero(symbol.sort()))?,
                }
                out.write_str(")\n")?;
            }
            Declaration::Function(function) => write_function(out, function, model)?,
        }
    }
    out.write_str(")\n")
}

/// A function is a chain of conditions over the cells of its array.
fn write_function(out: &mut impl Write, function: &DefinedFunction, model: &Model) -> fmt::Result {
    let value = match model.get(&function.array) {
        Some(value) => value.clone(),
        None => Value::zero(function.array.sort()),
    };
    let Value::Array(array) = value else {
        return Err(fmt::Error);
    };
    write!(out, "  (define-fun {} (", spell_symbol(&function.name))?;
    for (i, sort) in function.parameters.iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        write!(out, "{space}(x!{i} {sort})")?;
    }
    write!(out, ") {} ", function.result)?;
    let mut conditions = 0;
    for (index, value) in array.cells() {
        out.write_str("(ite (and true")?;
        let mut high = array.index_width();
        for (i, sort) in function.parameters.iter().enumerate() {
            let width = match sort {
                Sort::Bool => 1,
                Sort::BitVec(w) => *w,
                Sort::Array { .. } => return Err(fmt::Error),
            };
            write!(out, " (= x!{i} ")?;
            write_scalar(out, *sort, &index.extract(high - 1, high - width))?;
            out.write_char(')')?;
            high -= width;
        }
        out.write_str(") ")?;
        write_scalar(out, function.result, value)?;
        out.write_char(' ')?;
        conditions += 1;
    }
    write_scalar(out, function.result, array.default_value())?;
    for _ in 0..conditions {
        out.write_char(')')?;
    }
    out.write_str(")\n")
}

/// Bits as a value of a sort: a Boolean is one bit.
fn write_scalar(out: &mut impl Write, sort: Sort, bits: &BitVec) -> fmt::Result {
    match sort {
        Sort::Bool => write!(out, "{}", bits.is_one()),
        Sort::BitVec(_) | Sort::Array { .. } => write!(out, "{bits}"),
    }
}
