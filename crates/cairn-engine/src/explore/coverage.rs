//! Coverage in numbers, from the points that were passed.
//!
//! A block counts as covered when control entered it: if a path ends in its middle, its later
//! instructions count as covered too. Functions that Cairn brought along (`cairn.runtime.*`) are not
//! the program's and count nowhere. Those of the C library count if that is wanted
//! ([`Config::cover_libc`](crate::Config::cover_libc)); what they cost is counted always.

use crate::explore::place_costs::{CostTable, PlaceCosts};
use crate::explore::shared::Shared;
use crate::report::Share;
use cairn_ir::{BlockId, FuncId, PlaceId, Program, Terminator};
use cairn_machine::{CoverMap, RUNTIME_PREFIX};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How much of a program was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageFigures {
    /// Instructions.
    pub instructions: Share,
    /// Directions of branches and switches.
    pub directions: Share,
    /// Source lines.
    pub lines: Share,
    /// Functions.
    pub functions: Share,
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

/// Whether control entered a block of a function with so many blocks; also if the explored program has no such function.
pub fn was_entered(shared: &Shared, function: FuncId, block: BlockId, blocks: usize) -> bool {
    let cover = shared.cover_now();
    !cover.has(function, blocks) || shared.covered()[cover.block(function, block) as usize]
}

/// Whether a function is the program's own.
pub(crate) fn is_users_code(program: &Program, function: FuncId) -> bool {
    let name = &program.function(function).name;
    !name.starts_with(RUNTIME_PREFIX)
}

/// What the names of the C library's source files begin with.
const LIBC_FILES: &str = "musl/";

/// What the names of functions begin with that are made for a program: never in its source.
const MADE_PREFIXES: [&str; 3] = ["__cairn_", "cairn.", cairn_machine::CODE_PREFIX];

/// Whether a function is the C library's.
fn is_libc(program: &Program, function: FuncId) -> bool {
    let function = program.function(function);
    let file = &program.files[program.place(function.place).file as usize];
    file.starts_with(LIBC_FILES)
}

/// Whether a function was made for the program.
fn is_made(program: &Program, function: FuncId) -> bool {
    let name = &program.function(function).name;
    MADE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The functions whose coverage counts, by their numbers.
pub(crate) fn counted(program: &Program, cover_libc: bool) -> Vec<bool> {
    let functions = (0..program.functions.len()).map(FuncId::new);
    functions
        .map(|f| !is_made(program, f) && (cover_libc || !is_libc(program, f)))
        .collect()
}

/// A function whose coverage counts, as it was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// The function.
    pub function: FuncId,
    /// Whether control entered it.
    pub covered: bool,
    /// How often.
    pub entered: u64,
}

/// A branch or switch of a function whose coverage counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Where it stands.
    pub place: PlaceId,
    /// Whether control came there.
    pub covered: bool,
    /// Whether each direction was taken, and how often.
    pub directions: Vec<(bool, u64)>,
}

/// A source line of a function whose coverage counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCoverage {
    /// Whether control came there.
    pub covered: bool,
    /// How often: as often as to the piece of code of this line that was passed most.
    pub passed: u64,
}

/// What was covered of the source, each part in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// Functions.
    pub functions: Vec<FunctionCoverage>,
    /// Lines, by file (a number in the program's list) and line.
    pub lines: BTreeMap<(u32, u32), SourceCoverage>,
    /// Branches.
    pub branches: Vec<BranchCoverage>,
}

/// What was covered of the source. `passes` is how often each point was passed.
pub(crate) fn source(
    program: &Program,
    map: &CoverMap,
    counted: &[bool],
    covered: &[bool],
    passes: &[u64],
) -> SourceMap {
    let at = |point: u32| {
        let covered = covered[point as usize];
        let times = passes.get(point as usize).copied().unwrap_or(0);
        // Who has not ended has not said how often, but that it was passed is known.
        (covered, times.max(u64::from(covered)))
    };
    let mut source = SourceMap::default();
    each_block(program, map, counted, |function, point, places| {
        let (covered, passed) = at(point);
        if point == map.block(function, BlockId::new(0)) {
            source.functions.push(FunctionCoverage {
                function,
                covered,
                entered: passed,
            });
        }
        for place in places {
            let place = program.place(place);
            if place.line != 0 {
                let line = source.lines.entry((place.file, place.line)).or_default();
                line.covered |= covered;
                line.passed = line.passed.max(passed);
            }
        }
    });
    let is_own = own_branches(program);
    for (function, block, points) in map.branches() {
        if !counted[function.index()] || !is_own(function, block) {
            continue;
        }
        let body = program.function(function).body.as_ref();
        let place = body.expect("it has blocks").blocks[block.index()]
            .terminator
            .1;
        source.branches.push(BranchCoverage {
            place,
            covered: at(map.block(function, block)).0,
            directions: points.iter().map(|point| at(*point)).collect(),
        });
    }
    source
}

/// Whether a branch at the end of a block is the program's. Machine code asks after every call where it
/// came back to; those branches have no place.
fn own_branches(program: &Program) -> impl Fn(FuncId, BlockId) -> bool {
    let machine_code = program.find_function(cairn_machine::DISPATCH).is_some();
    move |function, block| {
        let body = program.function(function).body.as_ref();
        let block = body.and_then(|body| body.blocks.get(block.index()));
        !machine_code || block.is_some_and(|block| block.terminator.1 != PlaceId::UNKNOWN)
    }
}

/// Shows the blocks of some functions: its point, and the place of each instruction.
fn each_block(
    program: &Program,
    map: &CoverMap,
    shown: &[bool],
    mut visit: impl FnMut(FuncId, u32, &mut dyn Iterator<Item = PlaceId>),
) {
    for f in (0..program.functions.len()).map(FuncId::new) {
        let Some(body) = &program.function(f).body else {
            continue;
        };
        if !shown[f.index()] {
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
pub(crate) fn figures(
    program: &Program,
    map: &CoverMap,
    counted: &[bool],
    covered: &[bool],
) -> CoverageFigures {
    let mut figures = CoverageFigures::default();
    let mut lines: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    each_block(program, map, counted, |function, point, places| {
        let passed = covered[point as usize];
        if point == map.block(function, BlockId::new(0)) {
            figures.functions.total += 1;
            figures.functions.covered += u64::from(passed);
        }
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
    let is_own = own_branches(program);
    for (function, block, points) in map.branches() {
        if !counted[function.index()] || !is_own(function, block) {
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
/// `passes` is how often each point was passed; it is empty if passes were not counted.
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
    let functions = (0..program.functions.len()).map(FuncId::new);
    let shown: Vec<bool> = functions.map(|f| is_users_code(program, f)).collect();
    each_block(program, map, &shown, |function, point, places| {
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
        if is_users_code(program, *function) {
            at(*function, *place, &mut |line| line.costs.add(of_place));
        }
    }
    let mut lines: Vec<LineCoverage> = lines.into_values().collect();
    lines.sort_unstable_by_key(|l| (l.function.index(), l.file, l.line));
    lines
}
