//! The figures of \[Trabish24, chapter 3\], on its programs and its machine: times are hours and minutes, `TO` is more than 24 hours, and
//! `OOM` in place of a time would be too little memory.

/// Table 3.2: the largest segment in bytes, by a static analysis and dynamic.
pub const LARGEST: [(&str, u64, u64); 4] = [
    ("m4", 2753, 1008),
    ("make", 7574, 1776),
    ("SQLite", 17604, 528),
    ("apr", 8316, 240),
];

/// Table 3.3: times under three searchers, each by forking, with static and with dynamic segments.
pub const TIMES: [(&str, [[&str; 3]; 3]); 4] = [
    (
        "m4",
        [
            ["21:03", "01:04", "00:26"],
            ["09:32", "01:04", "00:30"],
            ["09:41", "01:10", "00:35"],
        ],
    ),
    (
        "make",
        [
            ["06:35", "22:49", "03:35"],
            ["06:33", "23:03", "03:34"],
            ["07:27", "23:04", "03:38"],
        ],
    ),
    (
        "SQLite",
        [
            ["00:18", "TO", "01:36"],
            ["00:18", "TO", "01:34"],
            ["00:18", "TO", "01:36"],
        ],
    ),
    (
        "apr",
        [
            ["01:01", "00:07", "00:19"],
            ["00:59", "00:07", "00:19"],
            ["00:57", "00:07", "00:19"],
        ],
    ),
];

/// Table 3.4: queries by which objects are found: by default, and with contexts of 0 to 4 calls.
pub const RESOLUTIONS: [(&str, [u64; 6]); 4] = [
    ("m4", [12050, 11434, 6920, 6920, 6808, 6808]),
    ("make", [8104, 2632, 2365, 2365, 2365, 2365]),
    ("SQLite", [9134, 6816, 6816, 3320, 3320, 1668]),
    ("apr", [96, 94, 94, 94, 94, 94]),
];

/// Table 3.5: times with neither, with contexts, with reuse of segments, and with both.
pub const OPTIMISED: [(&str, [&str; 4]); 4] = [
    ("m4", ["03:34", "02:37", "00:33", "00:26"]),
    ("make", ["04:14", "03:42", "04:06", "03:35"]),
    ("SQLite", ["04:16", "01:37", "03:58", "01:36"]),
    ("apr", ["00:23", "00:23", "00:19", "00:19"]),
];

/// Table 3.6: time and paths with whole objects, and with parts of 512, 256, 128, 64 and 32 bytes; times with seconds.
pub const SPLIT: [(&str, [(&str, u64); 6]); 6] = [
    (
        "m4",
        [
            ("00:39:46", 82),
            ("00:06:40", 82),
            ("00:02:58", 101),
            ("00:03:16", 145),
            ("00:03:50", 257),
            ("00:05:08", 485),
        ],
    ),
    (
        "make",
        [
            ("09:04:13", 3386),
            ("01:13:50", 4488),
            ("00:30:26", 6088),
            ("00:39:47", 10136),
            ("01:53:15", 21304),
            ("07:44:19", 55928),
        ],
    ),
    (
        "SQLite",
        [
            ("00:18:38", 147),
            ("00:19:26", 147),
            ("00:15:21", 213),
            ("00:09:46", 259),
            ("00:07:26", 355),
            ("00:04:38", 465),
        ],
    ),
    (
        "apr",
        [
            ("01:01:38", 961),
            ("00:04:39", 1024),
            ("00:02:21", 1225),
            ("00:01:16", 1444),
            ("00:00:47", 1849),
            ("00:00:28", 2025),
        ],
    ),
    (
        "gas",
        [
            ("05:18:26", 5),
            ("00:07:16", 5),
            ("00:07:25", 5),
            ("00:07:43", 5),
            ("00:08:23", 5),
            ("00:09:29", 5),
        ],
    ),
    (
        "libxml2",
        [
            ("01:22:27", 4413),
            ("00:33:26", 5003),
            ("00:33:38", 5230),
            ("00:39:13", 5821),
            ("00:59:06", 6885),
            ("01:23:00", 8718),
        ],
    ),
];

/// Table 3.7: the largest object that is split, in bytes.
pub const LARGEST_SPLIT: [(&str, u64); 6] = [
    ("m4", 4072),
    ("make", 8192),
    ("SQLite", 328),
    ("apr", 8192),
    ("gas", 524_411),
    ("libxml2", 4096),
];

/// The row of a program.
pub fn row<'a, T>(table: &'a [(&str, T)], program: Option<&str>) -> Option<&'a T> {
    let found = table.iter().find(|(name, _)| Some(*name) == program);
    found.map(|(_, figures)| figures)
}
