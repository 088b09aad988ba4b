//! Coverage in numbers, from the points that were passed.
//!
//! A block counts as covered when control entered it: if a path ends in its middle, its later
//! instructions count as covered too. Functions that Cairn brought along (`cairn.runtime.*`) are not
//! the program's and count nowhere.

use crate::costs::{CostTable, PlaceCosts};
use crate::report::Share;
use cairn_ir::{BlockId, FuncId, PlaceId, Program, Terminator};
use cairn_machine::{CoverMap, RUNTIME_PREFIX};
use rustc_hash::FxHashMap;

/// How much of a program was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageFigures {
    /// Instructions.
    pub instructions: Share,
    /// Directions of branches and switches.
    pub directions: Share,
    /// Source lines.
    pub lines: Share,
    /// Branches with two directions.
    pub branches: u64,
    /// Those of which both were taken.
    pub full_branches: u64,
    /// Those of which one was taken.
    pub partial_branches: u64,
}

/// What was covered of one line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCoverage {
    /// The function.
    pub function: FuncId,
    /// The file: a number in the program's list.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// Instructions that were covered, and all.
    pub instructions: Share,
    /// Instructions that were executed: those of a block whenever control entered it.
    pub executed: u64,
    /// Forks and queries there.
    pub costs: PlaceCosts,
}

/// Whether a function is the program's own.
pub(crate) fn own(program: &Program, function: FuncId) -> bool {
    let name = &program.function(function).name;
    !name.starts_with(RUNTIME_PREFIX)
}

/// Shows the blocks of a program's own functions: its point, and the place of each instruction.
fn each_block(
    program: &Program,
    map: &CoverMap,
    mut visit: impl FnMut(FuncId, u32, &mut dyn Iterator<Item = PlaceId>),
) {
    for f in (0..program.functions.len()).map(FuncId::new) {
        let Some(body) = &program.function(f).body else {
            continue;
        };
        if !own(program, f) {
            continue;
        }
        for (b, block) in body.blocks.iter().enumerate() {
            let point = map.block(f, BlockId::new(b));
            let places = block.insts.iter().map(|(_, place)| *place);
            visit(f, point, &mut places.chain([block.terminator.1]));
        }
    }
}

/// All figures of a program.
pub fn figures(program: &Program, map: &CoverMap, covered: &[bool]) -> CoverageFigures {
    let mut figures = CoverageFigures::default();
    let mut lines: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    each_block(program, map, |_, point, places| {
        let passed = covered[point as usize];
        for place in places {
            figures.instructions.total += 1;
            figures.instructions.covered += u64::from(passed);
            if place == PlaceId::UNKNOWN {
                continue;
            }
            let place = program.place(place);
            if place.line != 0 {
                *lines.entry((place.file, place.line)).or_default() |= passed;
            }
        }
    });
    for (function, block, points) in map.branches() {
        if !own(program, function) {
            continue;
        }
        let taken = points.iter().filter(|p| covered[**p as usize]).count();
        figures.directions.total += points.len() as u64;
        figures.directions.covered += taken as u64;
        let body = program.function(function).body.as_ref();
        let block = &body.expect("it has blocks").blocks[block.index()];
        let two = matches!(block.terminator.0, Terminator::Branch { .. }) && points.len() == 2;
        figures.branches += u64::from(two);
        figures.full_branches += u64::from(two && taken == 2);
        figures.partial_branches += u64::from(two && taken == 1);
    }
    figures.lines = Share {
        covered: lines.values().filter(|passed| **passed).count() as u64,
        total: lines.len() as u64,
    };
    figures
}

/// What was covered of each line and what it cost, by function, file and line.
///
/// `passes` is how often each point was passed; it is empty if nobody counted.
pub(crate) fn lines(
    program: &Program,
    map: &CoverMap,
    covered: &[bool],
    passes: &[u64],
    costs: &CostTable,
) -> Vec<LineCoverage> {
    let mut lines: FxHashMap<(usize, u32, u32), LineCoverage> = FxHashMap::default();
    let mut at = |function: FuncId, place: PlaceId, change: &mut dyn FnMut(&mut LineCoverage)| {
        let place = program.place(place);
        // An instruction without a known place may have one of its own that says nothing.
        if place.file == 0 && place.line == 0 {
            return;
        }
        let key = (function.index(), place.file, place.line);
        change(lines.entry(key).or_insert_with(|| LineCoverage {
            function,
            file: place.file,
            line: place.line,
            instructions: Share::default(),
            executed: 0,
            costs: PlaceCosts::default(),
        }));
    };
    each_block(program, map, |function, point, places| {
        let passed = covered[point as usize];
        let times = passes.get(point as usize).copied().unwrap_or(0);
        for place in places {
            at(function, place, &mut |line| {
                line.instructions.total += 1;
                line.instructions.covered += u64::from(passed);
                line.executed = line.executed.saturating_add(times);
            });
        }
    });
    for ((function, place), of_place) in costs {
        if own(program, *function) {
            at(*function, *place, &mut |line| line.costs.add(of_place));
        }
    }
    let mut lines: Vec<LineCoverage> = lines.into_values().collect();
    lines.sort_unstable_by_key(|l| (l.function.index(), l.file, l.line));
    lines
}
