//! Entry points for fuzzing: any bytes, small limits, and what is read must survive writing.
//!
//! A fuzz target calls these with its input; the tests of this crate call them with random and
//! mutated texts. They panic only if the crate is wrong.

use crate::smtlib::{Command, Declaration, Responses, Script, write_model, write_term};
use crate::{TextLimits, kquery};
use cairn_expr::{Model, Sort, Term, TermStore};

/// Limits that keep every input cheap.
const LIMITS: TextLimits = TextLimits {
    width: 512,
    work: 1 << 16,
};

/// Longer terms are not written: writing is linear, but fuzzing wants many inputs.
const LONGEST_WRITTEN: u64 = 10_000;

/// Reads bytes as a script; errors are skipped as a solver's front end would.
pub fn smtlib_bytes(data: &[u8]) {
    let store = TermStore::new();
    let mut script = Script::with_limits(data, LIMITS);
    loop {
        match script.next_command(&store) {
            Ok(None) => break,
            Ok(Some(command)) => {
                for term in terms_of(&command) {
                    check_term(&store, &term);
                }
            }
            Err(error) => {
                assert!(error.line > 0 && error.column > 0 && !error.message.is_empty());
                if error.fatal {
                    break;
                }
            }
        }
    }
    let mut text = String::new();
    let written = write_model(&mut text, script.declarations(), &Model::new());
    assert!(written.is_ok());
    let mut responses = Responses::new(data);
    let _ = responses.answer();
    let _ = responses.values(&[Sort::Bool, Sort::BitVec(8)]);
}

/// Reads bytes as a KQuery file.
pub fn kquery_bytes(data: &[u8]) {
    let store = TermStore::new();
    let Ok(queries) = kquery::read_with_limits(data, &store, LIMITS) else {
        return;
    };
    for query in queries {
        let mut text = String::new();
        // Tables and reads of declared arrays are all that a file can ask for.
        let written = kquery::write(
            &mut text,
            &query.constraints,
            &query.goal,
            &query.values,
            &query.arrays,
        );
        if written.is_err() {
            continue;
        }
        let again = kquery::read(text.as_bytes(), &store)
            .unwrap_or_else(|e| panic!("what was written is not read: {e}\n{text}"));
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].constraints, query.constraints, "{text}");
        assert_eq!(again[0].goal, query.goal, "{text}");
        assert_eq!(again[0].values, query.values, "{text}");
        assert_eq!(again[0].arrays, query.arrays, "{text}");
    }
}

fn terms_of(command: &Command) -> Vec<Term> {
    match command {
        Command::Assert { term, .. } => vec![term.clone()],
        Command::Define {
            parameters, body, ..
        } if parameters.is_empty() => vec![body.clone()],
        Command::GetValue(terms) | Command::CheckSatAssuming(terms) => {
            terms.iter().map(|(_, t)| t.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes a term and reads it again under declarations of its symbols.
fn check_term(store: &TermStore, term: &Term) {
    if term.attributes().tree_size > LONGEST_WRITTEN {
        return;
    }
    let names = crate::smtlib::Names::of([term]);
    let own_names = names.iter().all(|(symbol, text)| {
        symbol
            .symbol_name()
            .is_some_and(|n| text.trim_matches('|') == n)
    });
    if !own_names {
        return;
    }
    let mut text = String::new();
    for (symbol, spelling) in names.iter() {
        text.push_str(&format!("(declare-fun {spelling} () {})", symbol.sort()));
    }
    text.push_str("(get-value (");
    let written = write_term(&mut text, term);
    assert!(written.is_ok());
    text.push_str("))");
    let mut script = Script::new(text.as_bytes());
    loop {
        match script.next_command(store) {
            Ok(Some(Command::GetValue(terms))) => {
                assert_eq!(terms[0].1, *term, "read back differently: {text}");
            }
            Ok(Some(Command::Declare(Declaration::Constant(_)))) => {}
            Ok(None) => return,
            Ok(other) => panic!("unexpected {other:?} in {text}"),
            Err(error) => panic!("what was written is not read: {error}\n{text}"),
        }
    }
}
