//! The witness and the test suite of an answer.

use super::VerifyOptions;
use super::question::TaskQuestion;
use super::search::{FoundViolation, PathInputs, TaskAnswer};
use super::verdict::TaskVerdict;
use crate::exit::Failure;
use crate::recorder::write_failures::write_whole;
use cairn_ir::{PlaceId, Program};
use cairn_verify::{
    ReturnedInput, SourceText, SuiteMetadata, TestSuite, WitnessContent, WitnessMetadata,
    WitnessPosition, sha256, type_of_input, witness,
};
use std::path::Path;
use std::time::SystemTime;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes what was asked for.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(
    options: &VerifyOptions,
    question: &TaskQuestion,
    answer: &TaskAnswer,
) -> Result<(), Failure> {
    if let Some(file) = &options.witness
        && let Some(text) = witness_text(question, answer)
    {
        write_whole(file, text.as_bytes()).map_err(|e| Failure::unwritable(file, &e))?;
    }
    if let Some(folder) = &options.test_suite {
        write_suite(folder, question, answer)?;
    }
    Ok(())
}

fn witness_text(question: &TaskQuestion, answer: &TaskAnswer) -> Option<String> {
    let content = match (&answer.verdict, &answer.violation, &answer.program) {
        (TaskVerdict::True, _, _) => WitnessContent::Correctness,
        (TaskVerdict::False(_), Some(found), Some(program)) => violation(question, found, program),
        (TaskVerdict::False(_) | TaskVerdict::Unknown(_) | TaskVerdict::Done, _, _) => return None,
    };
    let metadata = WitnessMetadata {
        version: VERSION,
        created: SystemTime::now(),
        file: &question.file_name(),
        source: &question.source,
        specification: &question.property.text,
        data_model: question.data_model,
    };
    Some(witness(&metadata, &content))
}

/// The inputs of a violation in the order of their calls, and its place.
fn violation(question: &TaskQuestion, found: &FoundViolation, program: &Program) -> WitnessContent {
    let text = SourceText::new(&String::from_utf8_lossy(&question.source));
    let places = SourcePlaces {
        question,
        program,
        text: &text,
    };
    let returned = values(&found.inputs).filter_map(|(at, value)| {
        let call = places.of(at)?;
        let end = text.end_of_call(call.line, call.column.unwrap_or(1), "__VERIFIER_nondet");
        let at = match end {
            Some((line, column)) => WitnessPosition {
                line,
                column: Some(column),
                ..call
            },
            None => WitnessPosition {
                column: None,
                ..call
            },
        };
        Some(ReturnedInput { at, value })
    });
    // Without a column: the first statement or expression of the line is meant.
    let target = places.of(found.at).map(|target| WitnessPosition {
        column: None,
        ..target
    });
    WitnessContent::Violation {
        returned: returned.collect(),
        target: target.unwrap_or(WitnessPosition {
            line: found.place.line.max(1),
            column: None,
            function: None,
        }),
    }
}

/// The inputs that are values of nondeterministic calls, in order: the call, and the value as a literal.
fn values(inputs: &PathInputs) -> impl Iterator<Item = (PlaceId, String)> {
    let objects = inputs.objects.iter();
    objects.filter_map(|(name, bytes, at)| Some((*at, type_of_input(name)?.literal(bytes))))
}

/// SourcePlaces of the program as places of the source that the task is about.
struct SourcePlaces<'a> {
    question: &'a TaskQuestion,
    program: &'a Program,
    text: &'a SourceText,
}

impl SourcePlaces<'_> {
    fn of(&self, at: PlaceId) -> Option<WitnessPosition> {
        if at == PlaceId::UNKNOWN {
            return None;
        }
        let place = self.program.place(at);
        let file = &self.program.files[place.file as usize];
        let own = Path::new(file).file_name() == self.question.program.file_name();
        let function = &self.program.names[place.function as usize];
        Some(WitnessPosition {
            line: self.text.line(file, place.line, own)?,
            column: (place.column != 0).then_some(place.column),
            function: (!function.is_empty()).then(|| function.clone()),
        })
    }
}

fn write_suite(folder: &Path, question: &TaskQuestion, answer: &TaskAnswer) -> Result<(), Failure> {
    let hash = sha256(&question.source);
    let metadata = SuiteMetadata {
        version: VERSION,
        created: SystemTime::now(),
        file: &question.file_name(),
        hash: &hash,
        specification: &question.property.text,
        entry: &question.property.entry,
        architecture: "64bit",
    };
    let unwritable = |e: cairn_verify::SuiteError| Failure::unwritable(&e.path, &e.source);
    let suite = TestSuite::create(folder, &metadata).map_err(unwritable)?;
    for (number, test) in (1..).zip(&answer.tests) {
        let literals: Vec<String> = values(&test.inputs).map(|(_, value)| value).collect();
        suite
            .add(number, &literals, test.covers_error)
            .map_err(unwritable)?;
    }
    Ok(())
}
