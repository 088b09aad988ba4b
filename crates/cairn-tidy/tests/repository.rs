//! Applies the rules of the house to the working tree.

use std::path::{Path, PathBuf};

use cairn_tidy::{Exceptions, Repository, crate_graph, problems, with_crate_graph};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const EXCEPTIONS: &str = "crates/cairn-tidy/exceptions.txt";

#[test]
fn the_house_is_tidy() {
    let mut repository = Repository::read(&root()).expect("the working tree is there");
    let list = repository
        .text(EXCEPTIONS)
        .expect("the list of exceptions is there");
    let mut exceptions = Exceptions::parse(list).unwrap_or_else(|error| panic!("{error}"));
    if std::env::var_os("BLESS").is_some() {
        let document = repository
            .text("ARCHITECTURE.md")
            .expect("the architecture is described");
        let document = with_crate_graph(document, &crate_graph(&repository))
            .expect("ARCHITECTURE.md marks its graph");
        std::fs::write(root().join("ARCHITECTURE.md"), &document)
            .expect("the document can be written");
        repository.insert("ARCHITECTURE.md", &document);
        exceptions = exceptions.lowered(&problems(&repository));
        std::fs::write(root().join(EXCEPTIONS), exceptions.print())
            .expect("the list can be written");
    }
    let said = exceptions.judge(&problems(&repository));
    assert!(
        said.is_empty(),
        "{} rules are broken:\n{}",
        said.len(),
        said.join("\n")
    );
}
