//! What the papers print: Table III of the paper on strided boxes (ASE'21), and the claims of the
//! figures of the paper on multi-intervals (PARTI, ASE'18).

/// Seconds and queries that reached the solver.
pub type Figure = (f64, u64);

/// A row of Table III.
pub struct Row {
    /// The program, as in `tests/algo`.
    pub name: &'static str,
    /// Paths.
    pub paths: u64,
    /// Strided boxes, observation 1.
    pub first: Figure,
    /// Strided boxes, observation 2.
    pub middle: Figure,
    /// Multi-intervals.
    pub intervals: Figure,
    /// The solver alone.
    pub baseline: Figure,
}

const fn row(
    name: &'static str,
    paths: u64,
    first: Figure,
    middle: Figure,
    intervals: Figure,
    baseline: Figure,
) -> Row {
    Row {
        name,
        paths,
        first,
        middle,
        intervals,
        baseline,
    }
}

/// Table III. Programs of the same name are ours, written from the descriptions: their paths need
/// not be the paper's.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row("bubble_sort_1", 300, (32.86, 0), (33.50, 0), (32.49, 0), (206.39, 67_350)),
    row("bubble_sort_3", 55_445, (670.84, 637_821), (588.35, 559_587), (779.11, 728_766), (1207.21, 1_135_634)),
    row("bubble_sort_all", 40_320, (244.69, 233_087), (65.14, 91_796), (255.90, 234_958), (249.14, 234_958)),
    row("heap_sort_1", 275, (3.22, 0), (3.20, 0), (3.11, 0), (7.11, 2_340)),
    row("heap_sort_3", 39_286, (93.41, 104_524), (95.68, 105_620), (140.81, 162_096), (437.36, 518_822)),
    row("heap_sort_all", 135_423, (1188.13, 960_034), (982.57, 830_632), (1202.91, 964_444), (1180.73, 964_444)),
    row("insertion_sort_1", 300, (26.23, 0), (26.32, 0), (25.53, 0), (204.87, 67_350)),
    row("insertion_sort_3", 55_445, (1391.06, 1_420_769), (1208.43, 1_249_913), (1575.29, 1_575_736), (2830.64, 2_860_000)),
    row("insertion_sort_all", 40_320, (73.21, 80_057), (5.22, 4_878), (75.33, 80_638), (74.35, 80_638)),
    row("merge_sort_1", 300, (0.91, 0), (0.91, 0), (0.88, 0), (1.93, 896)),
    row("merge_sort_3", 55_445, (40.14, 29_460), (23.73, 14_125), (45.12, 34_746), (149.79, 147_400)),
    row("merge_sort_all", 40_320, (71.36, 78_750), (58.94, 63_238), (77.01, 80_638), (76.84, 80_638)),
    row("quick_sort_1", 300, (19.73, 0), (19.94, 0), (19.84, 0), (18.55, 598)),
    row("quick_sort_3", 49_675, (274.33, 205_666), (212.65, 162_382), (304.82, 230_898), (558.60, 446_606)),
    row("quick_sort_all", 40_320, (109.53, 78_800), (15.36, 9_757), (111.27, 80_638), (109.93, 80_638)),
    row("selection_sort_1", 300, (16.60, 0), (16.49, 0), (16.10, 0), (2697.72, 1_192_300)),
    row("selection_sort_3", 60_535, (3288.82, 2_913_602), (2658.36, 2_480_695), (3411.95, 3_030_568), (4358.47, 3_828_538)),
    row("selection_sort_all", 101_773, (623.13, 521_344), (403.23, 351_101), (629.13, 526_350), (625.52, 526_350)),
    row("dijkstra", 11_632, (775.70, 88_726), (724.14, 83_034), (790.76, 89_990), (862.19, 99_564)),
    row("kruskal", 7_129, (746.51, 711_343), (678.89, 658_255), (794.07, 738_072), (830.87, 789_714)),
    row("bellman_ford", 326, (760.89, 91_752), (766.24, 91_752), (763.01, 91_752), (836.81, 102_876)),
    row("binary_search_all", 4_001, (0.12, 0), (0.11, 0), (904.50, 8_000), (905.90, 8_000)),
    row("linear_find_all", 1_001, (0.04, 0), (0.04, 0), (101.71, 2_000), (102.66, 2_000)),
    row("is_permutation", 96_499, (1483.62, 1_622_733), (532.04, 794_099), (1649.28, 1_716_634), (1620.05, 1_716_634)),
    row("gcd", 401, (272.69, 3_183), (269.13, 3_183), (266.32, 3_188), (279.13, 3_192)),
    row("loop_invgen", 4_098, (401.34, 22_859), (262.02, 17_369), (580.93, 29_846), (775.26, 34_440)),
    row("min_max_all", 19_683, (128.90, 72_067), (129.89, 74_362), (139.27, 77_706), (137.76, 77_706)),
    row("dirname", 65_535, (2.05, 0), (2.06, 0), (2.01, 0), (326.42, 815_764)),
    row("fibonacci", 21, (0.20, 0), (0.19, 0), (0.19, 0), (32.68, 206_554)),
    row("half", 1_002, (0.03, 0), (0.03, 0), (81.73, 8_006), (81.36, 8_010)),
    row("outer_product", 15_625, (0.36, 0), (0.36, 0), (189.72, 140_616), (186.51, 140_616)),
];
