//! Models of Z3's as models of Cairn's.
//!
//! # Problem
//! An array's value comes back as a term: stores over a constant array, the graph of
//! a function, or something that no table of cells can say.
//!
//! # Idea
//! Take the known shapes apart; for any other ask for the elements at the indices that
//! the query mentions.
//!
//! # Soundness
//! A model is only a proposal: the chain evaluates it on the query. The second way
//! can lose what a query says about whole arrays; it cannot make a wrong answer.
//!
//! # Cost
//! One evaluation by Z3 per symbol, one step per listed cell.

use super::handles::{Assignment, Ast, Shape};
use super::translate::Translator;
use cairn_expr::{ArrayValue, BitVec, Model, Op, PostOrder, Sort, Term, Value};
use rustc_hash::FxHashSet;

/// Reads the values of all symbols below some terms.
pub(super) fn read_model(
    from: &Assignment,
    translator: &Translator,
    roots: &[Term],
) -> Result<Model, String> {
    let mut model = Model::new();
    for symbol in cairn_expr::symbols_of(roots) {
        // A symbol that was never translated is not needed: its value may be anything.
        let Some(ast) = translator.known(&symbol) else {
            continue;
        };
        let value = from.eval(ast)?;
        let value = match symbol.sort() {
            Sort::Bool => value.as_bool().map(Value::Bool),
            Sort::BitVec(width) => value.as_bits(width).map(Value::Bv),
            Sort::Array { index, value: v } => {
                Some(Value::Array(match shape(from, value, index, v)? {
                    Some(whole) => whole,
                    None => cells(from, translator, ast, roots, index, v)?,
                }))
            }
        };
        let value = value.ok_or_else(|| "a value of Z3's is no literal".to_string())?;
        model.set(symbol, value);
    }
    Ok(model)
}

/// An array's value if it has a known shape.
fn shape(
    from: &Assignment,
    value: Ast,
    index_width: u32,
    value_width: u32,
) -> Result<Option<ArrayValue>, String> {
    // Outermost store first; the outer one wins, so they are replayed from the back.
    let mut cells: Vec<(Ast, Ast)> = Vec::new();
    let mut at = value;
    let otherwise = loop {
        match at.shape() {
            Shape::Store(array, index, element) => {
                cells.push((index, element));
                at = array;
            }
            Shape::Everywhere(element) => break element,
            Shape::AsArray => {
                let (entries, otherwise) = from.graph(&at)?;
                cells.extend(entries);
                break otherwise;
            }
            Shape::Other => return Ok(None),
        }
    };
    let Some(otherwise) = otherwise.as_bits(value_width) else {
        return Ok(None);
    };
    let mut array = ArrayValue::constant(index_width, otherwise);
    for (index, element) in cells.into_iter().rev() {
        match (index.as_bits(index_width), element.as_bits(value_width)) {
            (Some(i), Some(e)) => array.set(i, e),
            _ => return Ok(None),
        }
    }
    Ok(Some(array))
}

/// Up to this index width an array of unknown shape is read at every index: equalities between
/// arrays look at all of them.
const WHOLE_RANGE: u32 = 8;

/// An array's elements at every index, or at every one that the query reads or writes.
fn cells(
    from: &Assignment,
    translator: &Translator,
    array: &Ast,
    roots: &[Term],
    index_width: u32,
    value_width: u32,
) -> Result<ArrayValue, String> {
    let mut found = ArrayValue::constant(index_width, BitVec::zero(value_width));
    let mut take = |number: BitVec, index: Ast| -> Result<(), String> {
        let read = translator
            .context()
            .apply(&Op::Select, &[array.clone(), index])?;
        let element = from.eval(&read)?.as_bits(value_width);
        found.set(
            number,
            element.ok_or_else(|| "an element of Z3's is no literal".to_string())?,
        );
        Ok(())
    };
    if index_width <= WHOLE_RANGE {
        for i in 0..1u64 << index_width {
            let number = BitVec::new(index_width, i);
            let index = translator.context().value(&number)?;
            take(number, index)?;
        }
        return Ok(found);
    }
    let mut seen: FxHashSet<BitVec> = FxHashSet::default();
    for term in PostOrder::of(roots) {
        if !matches!(term.op(), Op::Select | Op::Store) || term.arg(1).width() != index_width {
            continue;
        }
        let Some(index) = translator.known(term.arg(1)) else {
            continue;
        };
        let index = from.eval(index)?;
        let Some(number) = index.as_bits(index_width) else {
            return Err("an index of Z3's is no literal".to_string());
        };
        if seen.insert(number.clone()) {
            take(number, index)?;
        }
    }
    Ok(found)
}
