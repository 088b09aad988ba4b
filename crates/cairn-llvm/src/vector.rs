//! Taking aggregates and vectors apart and putting them together. With constant places this is
//! bookkeeping only; a computed lane becomes a chain of selects.

use crate::emit::{Builder, Piece, Pieces, one};
use crate::lowering::{Refusal, Refused, number};
use crate::reader::Value;
use cairn_ir::{CheckKind, CompareOp, Operand};
use llvm_sys::LLVMOpcode::{self, *};

impl<'m> Builder<'_, 'm> {
    pub(crate) fn rearrange(&mut self, opcode: LLVMOpcode, value: Value<'m>) -> Refusal<Pieces> {
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
                let mut lanes = self.pieces(value.operand(0))?;
                lanes.extend(self.pieces(value.operand(1))?);
                let mask = value.shuffle_mask();
                Ok(mask
                    .into_iter()
                    .map(|at| match at {
                        Some(at) => lanes[at as usize].clone(),
                        None => Piece::Undefined,
                    })
                    .collect())
            }
            _ => Err(Refused::new("an unknown vector operation")),
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
    fn extract_lane(&mut self, value: Value<'m>) -> Refusal<Pieces> {
        let (vector, index) = (value.operand(0), value.operand(1));
        let lanes = self.pieces(vector)?;
        let width = self.cx.layout(value).width;
        let index_width = self.cx.layout(index).width;
        let index = self.scalar(index)?;
        if let Operand::Int(at) = index {
            let lane = lanes.get(at as usize).cloned();
            return Ok(Pieces::from_iter([lane.unwrap_or(Piece::Undefined)]));
        }
        self.check_lane(lanes.len(), index_width, &index);
        // The last lane needs no comparison: the index is one of them.
        let mut numbered = lanes.iter().enumerate();
        let last = numbered.next_back().map(|(_, lane)| lane.clone());
        let mut result = self.operand(&last.unwrap_or(Piece::Undefined), width);
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
    fn insert_lane(&mut self, value: Value<'m>) -> Refusal<Pieces> {
        let (vector, inserted, index) = (value.operand(0), value.operand(1), value.operand(2));
        let mut lanes = self.pieces(vector)?;
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
            *lane = Piece::Known(self.select(width, chosen, inserted.clone(), old));
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

/// A lane's number can be written in a width.
fn fits(lane: usize, width: u32) -> bool {
    width >= 64 || (lane as u64) < 1 << width
}
