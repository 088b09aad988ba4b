//! Taking aggregates and vectors apart and putting them together. With constant places this is
//! bookkeeping only; a computed lane becomes a chain of selects.

use crate::emit::{BodyBuilder, ValueWord, ValueWords, one};
use crate::lowering::{Refusal, Unlowerable, number};
use crate::reader::Value;
use cairn_ir::{CheckKind, CompareOp, Operand};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMValueKind;

impl<'m> BodyBuilder<'_, 'm> {
    pub(crate) fn rearrange(
        &mut self,
        opcode: LLVMOpcode,
        value: Value<'m>,
    ) -> Refusal<ValueWords> {
        match opcode {
            LLVMExtractValue => {
                let aggregate = value.operand(0);
                let (start, length) = self.leaf_range(aggregate, &value.indices())?;
                let pieces = self.pieces(aggregate)?;
                Ok(pieces[start..start + length].into())
            }
            LLVMInsertValue => {
                let (aggregate, inserted) = (value.operand(0), value.operand(1));
                let (start, length) = self.leaf_range(aggregate, &value.indices())?;
                let mut pieces = self.pieces(aggregate)?;
                let inserted = self.pieces(inserted)?;
                pieces[start..start + length].clone_from_slice(&inserted);
                Ok(pieces)
            }
            LLVMExtractElement => self.extract_lane(value),
            LLVMInsertElement => self.insert_lane(value),
            LLVMShuffleVector => {
                let mask = value.shuffle_mask();
                let (left, right) = (value.operand(0), value.operand(1));
                let mut lanes = self.rearranged_lanes(left)?;
                let mut poison = poison_lanes(left, lanes.len());
                lanes.extend(self.rearranged_lanes(right)?);
                poison.extend(poison_lanes(right, lanes.len() - poison.len()));
                if mask.iter().flatten().any(|&at| poison[at as usize]) {
                    self.folded_operation();
                }
                Ok(mask
                    .into_iter()
                    .map(|at| match at {
                        Some(at) => lanes[at as usize].clone(),
                        None => ValueWord::Undefined,
                    })
                    .collect())
            }
            _ => Err(Unlowerable::new("an unknown vector operation")),
        }
    }

    /// Where the words of a member lie among those of an aggregate.
    fn leaf_range(&mut self, aggregate: Value<'m>, path: &[u32]) -> Refusal<(usize, usize)> {
        let mut layout = self.cx.layout(aggregate);
        let mut start = 0;
        for &index in path {
            start += layout.leaf_start(u64::from(index))?;
            layout = layout.element(u64::from(index)).clone();
        }
        Ok((start, layout.leaves()?.len()))
    }

    /// A lane outside the vector is any value if its number is in the program, and an error if it is
    /// computed.
    fn extract_lane(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let (vector, index) = (value.operand(0), value.operand(1));
        let lanes = self.pieces(vector)?;
        let width = self.cx.layout(value).width;
        let index_width = self.cx.layout(index).width;
        let index = self.scalar(index)?;
        if let Operand::Int(at) = index {
            let lane = lanes.get(at as usize).cloned();
            return Ok(ValueWords::from_iter(
                [lane.unwrap_or(ValueWord::Undefined)],
            ));
        }
        self.check_lane(lanes.len(), index_width, &index);
        // The last lane needs no comparison: the index is one of them.
        let mut numbered = lanes.iter().enumerate();
        let last = numbered.next_back().map(|(_, lane)| lane.clone());
        let mut result = self.operand(&last.unwrap_or(ValueWord::Undefined), width);
        for (at, lane) in numbered {
            if !fits(at, index_width) {
                break;
            }
            let here = number(index_width, at as u64);
            let chosen = self.compare(CompareOp::Eq, index_width, index.clone(), here);
            let lane = self.operand(lane, width);
            result = self.select(width, chosen, lane, result);
        }
        Ok(one(result))
    }

    /// With a lane outside the vector, of the values that LLVM allows the old ones are taken if its
    /// number is in the program; it is an error if it is computed.
    fn insert_lane(&mut self, value: Value<'m>) -> Refusal<ValueWords> {
        let (vector, inserted, index) = (value.operand(0), value.operand(1), value.operand(2));
        let mut lanes = self.rearranged_lanes(vector)?;
        if is_finished(value) && inserts_leave_poison(value, lanes.len()) {
            self.folded_operation();
        }
        let inserted = self.pieces(inserted)?[0].clone();
        let index_width = self.cx.layout(index).width;
        let width = self.cx.layout(value).lane().width;
        let index = self.scalar(index)?;
        if let Operand::Int(at) = index {
            if let Some(lane) = lanes.get_mut(at as usize) {
                *lane = inserted;
            }
            return Ok(lanes);
        }
        self.check_lane(lanes.len(), index_width, &index);
        let inserted = self.operand(&inserted, width);
        for (at, lane) in lanes.iter_mut().enumerate() {
            if !fits(at, index_width) {
                break;
            }
            let here = number(index_width, at as u64);
            let chosen = self.compare(CompareOp::Eq, index_width, index.clone(), here);
            let old = self.operand(lane, width);
            *lane = ValueWord::Known(self.select(width, chosen, inserted.clone(), old));
        }
        Ok(lanes)
    }

    /// The lanes of a vector that is only rearranged. The compiler's front end makes a vector that is
    /// partly constant from `<i32 1, i32 poison>`: a lane without a value is there to be replaced, and it
    /// is for the caller to see whether it is.
    fn rearranged_lanes(&mut self, vector: Value<'m>) -> Refusal<ValueWords> {
        if !matches!(vector.kind(), LLVMValueKind::LLVMConstantVectorValueKind) {
            return self.pieces(vector);
        }
        self.cx.layout(vector).leaves()?;
        let mut lanes = ValueWords::new();
        let mut index = 0;
        while let Some(lane) = vector.element(index) {
            match lane.is_poison() {
                true => lanes.push(ValueWord::Undefined),
                false => lanes.extend(self.pieces(lane)?),
            }
            index += 1;
        }
        Ok(lanes)
    }

    /// Checks that a computed index is that of a lane.
    fn check_lane(&mut self, lanes: usize, width: u32, index: &Operand) {
        // An index too narrow to be outside needs no check.
        if fits(lanes, width) {
            let end = number(width, lanes as u64);
            let inside = self.compare(CompareOp::Ult, width, index.clone(), end);
            let message = format!("a vector of {lanes} elements has none of this number");
            self.check(CheckKind::VectorIndex, inside, &message);
        }
    }
}

/// Which lanes of a vector are `poison` beside others that are not: a vector without any value is only
/// where vectors begin.
fn poison_lanes(vector: Value<'_>, lanes: usize) -> Vec<bool> {
    let written = matches!(vector.kind(), LLVMValueKind::LLVMConstantVectorValueKind);
    let is_poison = |at: usize| vector.element(at as u32).is_some_and(Value::is_poison);
    (0..lanes).map(|at| written && is_poison(at)).collect()
}

/// Whether a vector with an inserted lane is used otherwise than for inserting or choosing lanes. A shuffle
/// may choose only those that have a value.
fn is_finished(inserted: Value<'_>) -> bool {
    inserted.users().any(|user| {
        let opcode = user.is_instruction().then(|| user.opcode());
        match opcode {
            Some(LLVMInsertElement) => user.operand(0) != inserted,
            Some(LLVMShuffleVector) => false,
            Some(_) | None => true,
        }
    })
}

/// Whether lanes of a constant are still `poison` after all insertions up to this one.
fn inserts_leave_poison(last: Value<'_>, lanes: usize) -> bool {
    let mut replaced = vec![false; lanes];
    let mut vector = last;
    while vector.is_instruction() && matches!(vector.opcode(), LLVMInsertElement) {
        let at = vector.operand(2).constant_int();
        if let Some(lane) = at.and_then(|at| replaced.get_mut(at as usize)) {
            *lane = true;
        }
        vector = vector.operand(0);
    }
    let poison = poison_lanes(vector, lanes);
    poison
        .iter()
        .zip(&replaced)
        .any(|(&poison, &replaced)| poison && !replaced)
}

/// A lane's number can be written in a width.
fn fits(lane: usize, width: u32) -> bool {
    width >= 64 || (lane as u64) < 1 << width
}
