//! Which flag helps, behind sentences of the libraries: these do not know the command line.

/// A part of a sentence, and what the user can do about it.
const HINTS: [(&str, &str); 5] = [
    (
        "of more bytes than may be symbolic",
        "--max-symbolic-size says how many may be",
    ),
    ("and no test was given", "--ktest FILE names one"),
    ("a run with fewer workers may start", "--jobs says how many"),
    (" to begin with", "--entry names another"),
    ("another place may do", "--output-dir names one"),
];

/// A sentence with its hint, if there is one that it does not give itself.
pub fn with_hint(text: &str) -> String {
    let hint = HINTS.iter().find(|(part, _)| text.contains(part));
    match hint {
        Some((_, hint)) if !text.contains(hint) => format!("{text}; {hint}"),
        Some(_) | None => text.to_string(),
    }
}
