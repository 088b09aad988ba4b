//! Functions that programs use to talk to the engine.

mod frames;
pub(crate) mod klee;
mod memory;
mod verifier;

pub use verifier::REACHED;

use crate::gate::{OnReplay, Verdict};
use crate::path::cases::StepOutcome;
use crate::path::commit;
use crate::path::commit::LearnedBy;
use crate::path::state::State;
use crate::path::step_context::StepContext;
use crate::values::symbolic_domain::AccessError;
use crate::values::value::{Value, Wide};
use cairn_bv::BitVec;
use cairn_expr::Term;
use cairn_machine::{AnyValue, Extra, FrameArguments};
use cairn_memory::Word;

/// What an intrinsic does: it gives the call's results, or says how the path goes on.
pub(crate) type Intrinsic =
    fn(&mut StepContext<'_>, &mut State, &IntrinsicCall) -> Result<StepOutcome, AccessError>;

/// A list of intrinsics by name.
pub(crate) type IntrinsicFamily = &'static [(&'static str, Intrinsic)];

const FAMILIES: [IntrinsicFamily; 6] = [
    frames::FUNCTIONS,
    klee::FUNCTIONS,
    memory::FUNCTIONS,
    verifier::FUNCTIONS,
    crate::calls::fuzz_harness::FUNCTIONS,
    crate::calls::system::FUNCTIONS,
];

/// The intrinsic of a name.
pub(crate) fn intrinsic(name: &str) -> Option<Intrinsic> {
    let mut all = FAMILIES.iter().flat_map(|f| f.iter());
    let listed = all.find(|(n, _)| *n == name).map(|(_, f)| *f);
    listed.or_else(|| verifier::nondet(name))
}

/// The names of all intrinsics.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES
        .iter()
        .flat_map(|f| f.iter())
        .map(|(name, _)| *name)
}

/// A call of a function without a body.
pub(crate) struct IntrinsicCall {
    pub args: FrameArguments<Value, Wide>,
    pub extra: Vec<Extra<Value, Wide>>,
    pub results: Vec<u32>,
}

impl IntrinsicCall {
    /// An argument of at most 64 bits; zero if it is not there.
    pub fn value(&self, i: usize) -> Value {
        let named = self.args.get(i).map(|(value, _)| value);
        let any = named.or_else(|| {
            let extra = self.extra.get(i - self.args.len());
            extra.map(|e| &e.value)
        });
        match any {
            Some(AnyValue::Value(value)) => value.clone(),
            Some(AnyValue::Wide(_)) | None => Value::int(0),
        }
    }

    /// The width of an argument.
    pub fn width(&self, i: usize) -> u32 {
        let named = self.args.get(i).map(|(_, width)| *width);
        named.unwrap_or_else(|| self.extra.get(i - self.args.len()).map_or(64, |e| e.width))
    }

    /// All arguments.
    pub fn all(&self) -> impl Iterator<Item = &AnyValue<Value, Wide>> {
        let named = self.args.iter().map(|(value, _)| value);
        named.chain(self.extra.iter().map(|e| &e.value))
    }

    /// All arguments of at most 64 bits.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.all().filter_map(|any| match any {
            AnyValue::Value(value) => Some(value),
            AnyValue::Wide(_) => None,
        })
    }

    /// Whether an argument depends on inputs.
    pub fn is_symbolic(&self) -> bool {
        self.all().any(|any| match any {
            AnyValue::Value(value) => matches!(value, Value::Symbolic(_)),
            AnyValue::Wide(wide) => matches!(wide, Wide::Term(_)),
        })
    }

    /// The arguments as known ones.
    pub fn map(
        &self,
        value: impl Fn(&Value) -> Word,
        term: impl Fn(&Term) -> Option<BitVec>,
    ) -> (FrameArguments<Word, BitVec>, Vec<Extra<Word, BitVec>>) {
        let one = |any: &AnyValue<Value, Wide>| match any {
            AnyValue::Value(v) => AnyValue::Value(value(v)),
            AnyValue::Wide(Wide::Bits(bits)) => AnyValue::Wide(bits.clone()),
            AnyValue::Wide(Wide::Term(t)) => {
                AnyValue::Wide(term(t).unwrap_or_else(|| BitVec::zero(t.width())))
            }
        };
        let args = self.args.iter().map(|(any, width)| (one(any), *width));
        let extra = self.extra.iter().map(|e| Extra {
            value: one(&e.value),
            width: e.width,
            class: e.class,
        });
        (args.collect(), extra.collect())
    }
}

/// Gives a call's one result, if it wants one.
pub(crate) fn answer(
    step: &mut StepContext<'_>,
    state: &mut State,
    call: &IntrinsicCall,
    value: Value,
) -> Result<StepOutcome, AccessError> {
    let results = call.results.iter().map(|_| AnyValue::Value(value.clone()));
    state.thread.answer(&step.table, results.collect());
    Ok(StepOutcome::Go)
}

/// A string that must be known.
pub(crate) fn text(state: &mut State, at: &Value) -> Result<String, AccessError> {
    let at = state.domain.number(at)?;
    if at.bits == 0 {
        return Ok(String::new());
    }
    let length = state.domain.memory.find_byte(at, 0, 1 << 16)?;
    let mut bytes = vec![0; length.unwrap_or(1 << 16) as usize];
    state.domain.memory.load_bytes(at, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds a fact; whether the path can go on.
pub(crate) fn assume(step: &mut StepContext<'_>, state: &mut State, fact: &Term) -> Assumed {
    if fact.is_true() {
        return Assumed::Holds;
    }
    if step.cx.holds(&state.domain.model, fact) {
        commit::learn(step, state, fact.clone(), LearnedBy::Assumed);
        return Assumed::Holds;
    }
    let again = OnReplay::Possible;
    match step.gate.ask(&step.cx, state, fact, again) {
        Verdict::Possible(model) => {
            commit::learn(step, state, fact.clone(), LearnedBy::Assumed);
            state.domain.model = model;
            Assumed::Holds
        }
        Verdict::Impossible(_) => Assumed::Contradicts,
        Verdict::Undecided(reason) => Assumed::Unknown(reason.to_string()),
    }
}

/// What became of an assumption.
pub(crate) enum Assumed {
    Holds,
    Contradicts,
    Unknown(String),
}

#[cfg(test)]
mod tests {
    use cairn_machine::natives;

    /// What a path calls, the concrete machine must have too: it runs tests again.
    #[test]
    fn the_concrete_machine_has_every_intrinsic() {
        let declared: String = super::names()
            .map(|name| format!("extern func @{name}()\n"))
            .collect();
        let start = format!(
            "func @{}() {{\nentry:\n  return\n}}\n",
            cairn_machine::START
        );
        for text in [declared.clone(), declared + &start] {
            let program = cairn_ir::text::parse(&text).expect("it is a program");
            let natives = natives::of_program(&program, None);
            let missing: Vec<&str> = program
                .functions
                .iter()
                .zip(natives)
                .filter(|(f, native)| f.body.is_none() && native.is_none())
                .map(|(f, _)| f.name.as_str())
                .collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }
}
