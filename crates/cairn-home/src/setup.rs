//! Where Cairn finds what its set-up made (`.deps`: musl, Z3), wherever the binary is and from
//! whichever folder it was started.
//!
//! - **Order.** If `CAIRN_HOME` is set, only the folder that it names. Otherwise those above the binary (a
//!   link is followed to where it leads); the source tree that it was built from, for a binary that was
//!   copied elsewhere; last those above the current folder, because anybody may have made them.
//! - *Invariant:* this is the only place that knows the order.

use std::path::{Path, PathBuf};

/// The variable that names the folder to look in.
pub const VARIABLE: &str = "CAIRN_HOME";

/// Where is looked, for messages.
pub const LOOKED_IN: &str = "in CAIRN_HOME if that is set, otherwise above the binary, where it was built, and above the \
     current folder";

/// The tree that this was built from.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// All folders in which something of the set-up may be, the most wanted first, each with `place` appended
/// it.
pub fn candidates(place: &str) -> Vec<PathBuf> {
    let home = std::env::var_os(VARIABLE).filter(|home| !home.is_empty());
    let binary = std::env::current_exe().ok();
    let here = std::env::current_dir().ok();
    all(
        home.as_ref().map(Path::new),
        binary.as_deref(),
        here.as_deref(),
    )
    .map(|folder| folder.join(place))
    .collect()
}

fn all<'a>(
    home: Option<&'a Path>,
    binary: Option<&'a Path>,
    here: Option<&'a Path>,
) -> impl Iterator<Item = &'a Path> {
    let above = |path: Option<&'a Path>| path.into_iter().flat_map(Path::ancestors);
    let anywhere = above(binary)
        .chain([Path::new(BUILT_FROM)])
        .chain(above(here));
    let anywhere = anywhere.filter(move |_| home.is_none());
    home.into_iter().chain(anywhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_decides_and_the_current_folder_comes_last() {
        let (binary, here) = (Path::new("/opt/bin/cairn"), Path::new("/work"));
        let named = all(Some(Path::new("/home")), Some(binary), Some(here));
        assert_eq!(named.collect::<Vec<_>>(), [Path::new("/home")]);
        let found = all(None, Some(binary), Some(here));
        let expected = [
            "/opt/bin/cairn",
            "/opt/bin",
            "/opt",
            "/",
            BUILT_FROM,
            "/work",
            "/",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected.map(Path::new));
    }
}
