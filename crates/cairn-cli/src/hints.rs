//! Which flag helps: added to the sentences of the libraries, which do not know the command line.

/// A part of a sentence, and what the user can do about it.
const HINTS: [(&str, &str); 9] = [
    (
        "of more bytes than may be symbolic",
        "--max-symbolic-size says how many may be",
    ),
    ("and no test was given", "--ktest FILE names one"),
    ("a run with fewer workers may start", "--jobs says how many"),
    (" to begin with", "--entry names another"),
    ("another place may do", "--output-dir names one"),
    (": the time is one of many", "--sym-clock makes it symbolic"),
    (
        "random bytes are some of many",
        "--sym-random makes them symbolic",
    ),
    (
        "a file of the host is not in the model",
        "--file and --ro-dir make files readable",
    ),
    (
        "no network but the peers that the user describes",
        "--sym-sockets describes them",
    ),
];

/// A sentence with its hint, if there is one that it does not give itself.
pub fn with_hint(text: &str) -> String {
    let hint = HINTS.iter().find(|(part, _)| text.contains(part));
    match hint {
        Some((_, hint)) if !text.contains(hint) => format!("{text}; {hint}"),
        Some(_) | None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{HINTS, with_hint};
    use std::path::Path;

    /// The text of all sources of the libraries.
    fn library_sources() -> String {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<_> = ["engine", "linux", "machine", "report"]
            .map(|name| crates.join(format!("cairn-{name}/src")))
            .into();
        let mut text = String::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    text += &std::fs::read_to_string(&path).expect("a source");
                }
            }
        }
        text
    }

    /// A sentence that is reworded in its library would silently lose its hint.
    #[test]
    fn each_hint_is_for_a_sentence_of_a_library() {
        let sources = library_sources();
        for (part, hint) in HINTS {
            let words = part.trim_start_matches(": ");
            assert!(
                sources.contains(words),
                "no library says {words:?} ({hint})"
            );
        }
    }

    #[test]
    fn sentences_of_the_libraries_get_their_flags() {
        let place = cairn_report::OutputFolder::beside(
            std::path::Path::new("/nowhere/at/all/p.c"),
            cairn_report::Product::Cairn,
        );
        let no_place = place.expect_err("there is no such folder").to_string();
        assert!(with_hint(&no_place).contains("--output-dir"), "{no_place}");
        let no_entry = cairn_engine::StartError::NoEntry("f".to_string()).to_string();
        assert!(with_hint(&no_entry).contains("--entry"), "{no_entry}");
        let no_worker = cairn_engine::StartError::Thread {
            number: 7,
            source: std::io::Error::other("none"),
        };
        let no_worker = no_worker.to_string();
        assert!(with_hint(&no_worker).contains("--jobs"), "{no_worker}");
        assert_eq!(with_hint("all is well"), "all is well");
    }
}
