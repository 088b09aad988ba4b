//! Where uses of addresses (`address_notes.rs`) are listed: at the block of the program that had them, unless every layout
//! gives the same there.

use crate::calls::machine_code;
use crate::gate::{OnReplay, Verdict};
use crate::omission::Omission;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::address_notes::{self, Use};
use crate::values::moving_addresses;
use crate::values::moving_addresses::is_same_in_all;
use cairn_ir::{
    BinaryOp, Block, BlockId, CompareOp, FuncId, Inst, Local, Operand, PlaceId, Program,
};

/// Files of the C++ library whose comparisons of addresses only ask whether one is in a range.
const RANGE_TESTS: [&str; 2] = ["/is_pointer_in_range.h:", "/fallback_malloc.cpp:"];

/// The file of the C++ library that such tests are inlined into; its own comparisons are of lengths.
const AROUND_RANGE_TESTS: &str = "/string:";

/// How many calls deep inlined code is looked at.
const DEEPEST_INLINED: usize = 64;

/// Functions that lay out what a program finds at its start.
const STARTS: [&str; 6] = [
    "__cairn_start",
    "__cairn_arguments",
    "static_init_tls",
    "__copy_tls",
    "__init_libc",
    "__init_ssp",
];

/// Lists the uses of addresses since this was last done, but for those that need a decision which is not made now.
#[inline]
pub(crate) fn note_new_uses(step: &mut StepContext<'_>, state: &mut State) {
    if !state.domain.addresses_used.is_empty() {
        settle_uses(step, state);
        state.one_of_many.set(true);
        note_addresses(step, state);
    }
}

/// Decides about addresses that were used as numbers if something holds.
#[cold]
pub(crate) fn settle_uses(step: &mut StepContext<'_>, state: &mut State) {
    let mut settled = Vec::new();
    for (point, what) in std::mem::take(&mut state.domain.addresses_used) {
        let what = match what {
            Use::NumberIf(claim) => {
                // A path that is run again said so before.
                match step.gate.ask(&step.cx, state, &claim, OnReplay::Impossible) {
                    Verdict::Impossible(_) => continue,
                    Verdict::Possible(_) | Verdict::Undecided(_) => Use::Number,
                }
            }
            what @ (Use::Number | Use::Comparison(_) | Use::Followed(_)) => what,
        };
        if !settled.contains(&(point, what.clone())) {
            settled.push((point, what));
        }
    }
    state.domain.addresses_used = settled;
}

/// Addresses were used as numbers, in output or in conditions: another layout has others.
#[cold]
pub(crate) fn note_addresses(step: &StepContext<'_>, state: &mut State) {
    let cover = step.shared.cover_now();
    let program = step.shared.program_now();
    for (point, what) in std::mem::take(&mut state.domain.addresses_used) {
        if matches!(what, Use::NumberIf(_)) {
            state.domain.addresses_used.push((point, what));
            continue;
        }
        let block = cover.block_of(point);
        let starts = |function: FuncId| STARTS.contains(&program.function(function).name.as_str());
        let is_followed = matches!(what, Use::Followed(_));
        if !is_followed && block.is_some_and(|(function, _)| starts(function)) {
            continue;
        }
        if let (Use::Comparison(op), Some(at)) = (&what, block)
            && is_range_test(step, &program, at, *op)
        {
            continue;
        }
        let same = |function: FuncId| is_same_in_all(&program.function(function).name);
        let in_code =
            moving_addresses::is_machine_code(&state.domain) && matches!(what, Use::Comparison(_));
        if in_code && block.is_some_and(|(function, _)| same(function)) {
            continue;
        }
        let place = block.and_then(|(function, block)| {
            let body = program.function(function).body.as_ref()?;
            let block = body.block(block);
            let mut places = block.insts.iter().map(|(_, place)| *place);
            let known = places.find(|place| *place != PlaceId::UNKNOWN);
            Some(machine_code::place_text(
                step,
                known.unwrap_or(block.terminator.1),
            ))
        });
        let omission = match what {
            Use::Number | Use::NumberIf(_) | Use::Comparison(_) => Omission::AddressUsed(place),
            Use::Followed(why) => address_notes::followed(place, why),
        };
        state.leave_out(step.shared, omission);
    }
}

/// Whether a block asks whether a pointer is in a range, as code of the library does (whichever way objects of
/// different places are ordered, it is not), and has no comparison of the kind that is the program's own: which
/// of them was the one is not known. One whose place the optimiser lost is the program's, unless it is half of the test.
fn is_range_test(
    step: &StepContext<'_>,
    program: &Program,
    (function, block): (FuncId, BlockId),
    op: CompareOp,
) -> bool {
    let Some(body) = program.function(function).body.as_ref() else {
        return false;
    };
    let is_alike = |inst: &Inst| matches!(inst, Inst::Compare { op: of, .. } if *of == op);
    // Also what is inlined into the test: it calls a function that compares.
    let tests = |place: PlaceId| {
        let outer = |place: &PlaceId| program.place(*place).inlined_at;
        let mut chain = std::iter::successors(Some(place), outer).take(DEEPEST_INLINED);
        chain.any(|place| {
            let text = machine_code::place_text(step, place);
            RANGE_TESTS.iter().any(|file| text.contains(file))
        })
    };
    let block = body.block(block);
    let is_other = |(inst, place): &(Inst, PlaceId)| {
        let around = || machine_code::place_text(step, *place).contains(AROUND_RANGE_TESTS);
        match *place == PlaceId::UNKNOWN {
            true => !is_half_of_range(block, inst, tests),
            false => !tests(*place) && !around(),
        }
    };
    let places = block.insts.iter().map(|(_, place)| *place);
    let mut places = places.chain([block.terminator.1]);
    let mut alike = block.insts.iter().filter(|(inst, _)| is_alike(inst));
    places.any(tests) && !alike.any(is_other)
}

/// Whether a comparison is one half of a range test whose other half has a place in the library: both are joined by
/// `and` or `or`, and the same value is on the left of one and on the right of the other.
fn is_half_of_range(block: &Block, half: &Inst, tests: impl Fn(PlaceId) -> bool) -> bool {
    let Inst::Compare {
        dst, left, right, ..
    } = half
    else {
        return false;
    };
    let is_joined = |other: &Local| {
        block.insts.iter().any(|(inst, _)| match inst {
            Inst::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                left,
                right,
                ..
            } => [(left, right), (right, left)]
                .iter()
                .any(|(a, b)| **a == Operand::Local(*dst) && **b == Operand::Local(*other)),
            _ => false,
        })
    };
    block.insts.iter().any(|(inst, place)| match inst {
        Inst::Compare {
            dst: other,
            left: first,
            right: second,
            ..
        } => (first == right || second == left) && tests(*place) && is_joined(other),
        _ => false,
    })
}
