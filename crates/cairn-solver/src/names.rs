//! The names of layers and core solvers: an enumeration inside, words only at the edge.

use crate::cores::native::{ArrayEncoding, NativeCore};
use crate::layers::{self, Preset};
use crate::{Chain, ChainConfig, ChainError, Layer, cores};
use std::fmt;
use std::str::FromStr;

/// A layer that a chain can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LayerName {
    /// `tables`
    Tables,
    /// `path-sets`
    PathSets,
    /// `simplify`
    Simplify,
    /// `slice`
    Slice,
    /// `value-sets`
    ValueSets,
    /// `exact-cache`
    ExactCache,
    /// `model-cache`
    ModelCache,
    /// `few-values`
    FewValues,
    /// `linear`
    Linear,
    /// `iso-cache`
    IsoCache,
    /// `intervals`
    Intervals,
    /// `strided:first`
    StridedFirst,
    /// `strided:middle`
    StridedMiddle,
}

impl LayerName {
    /// All layers: first those of the default chain in its order, then `iso-cache` and the other presets of value sets.
    pub const ALL: [LayerName; 13] = [
        LayerName::Tables,
        LayerName::PathSets,
        LayerName::Simplify,
        LayerName::Slice,
        LayerName::ValueSets,
        LayerName::ExactCache,
        LayerName::ModelCache,
        LayerName::FewValues,
        LayerName::Linear,
        LayerName::IsoCache,
        LayerName::Intervals,
        LayerName::StridedFirst,
        LayerName::StridedMiddle,
    ];

    /// The name in `--layers` and in statistics.
    pub fn as_str(self) -> &'static str {
        match self {
            LayerName::Tables => "tables",
            LayerName::PathSets => "path-sets",
            LayerName::Simplify => "simplify",
            LayerName::Slice => "slice",
            LayerName::ValueSets => "value-sets",
            LayerName::ExactCache => "exact-cache",
            LayerName::ModelCache => "model-cache",
            LayerName::IsoCache => "iso-cache",
            LayerName::FewValues => "few-values",
            LayerName::Linear => "linear",
            LayerName::Intervals => "intervals",
            LayerName::StridedFirst => "strided:first",
            LayerName::StridedMiddle => "strided:middle",
        }
    }

    /// One line for `--list-layers`.
    pub fn about(self) -> &'static str {
        match self {
            LayerName::Tables => {
                "keeps the combinations of values that reads of constant tables can have"
            }
            LayerName::PathSets => "value-sets of whole paths, before simplifying and slicing",
            LayerName::Simplify => "replaces symbols and subterms by what the facts say they equal",
            LayerName::Slice => "splits a query into parts that share no input",
            LayerName::ValueSets => {
                "keeps sets of values of the inputs, exact, or boxes within and around the solutions"
            }
            LayerName::ExactCache => "remembers the answers of queries asked before",
            LayerName::ModelCache => {
                "tries earlier models; reuses cores of subsets and models of supersets"
            }
            LayerName::IsoCache => {
                "remembers the answers of queries that are the same but for the names of inputs"
            }
            LayerName::FewValues => {
                "splits a large goal about a byte with few values into its cases"
            }
            LayerName::Linear => "refutes queries about arrays by linear arithmetic over integers",
            LayerName::Intervals => {
                "value-sets as multi-intervals: no steps, no boxes (PARTI, ASE'18)"
            }
            LayerName::StridedFirst => {
                "value-sets as strided boxes, two candidates (ASE'21, observation 1)"
            }
            LayerName::StridedMiddle => {
                "value-sets as strided boxes, cut in the middle (ASE'21, observation 2)"
            }
        }
    }

    /// Makes the layer.
    pub fn build(self) -> Box<dyn Layer> {
        match self {
            LayerName::Tables => Box::<layers::Tables>::default(),
            LayerName::PathSets => Box::new(layers::ValueSets::of_paths()),
            LayerName::Simplify => Box::<layers::Simplify>::default(),
            LayerName::Slice => Box::<layers::Slice>::default(),
            LayerName::ValueSets => Box::new(layers::ValueSets::new(Preset::ValueSets)),
            LayerName::ExactCache => Box::<layers::ExactCache>::default(),
            LayerName::ModelCache => Box::<layers::ModelCache>::default(),
            LayerName::IsoCache => Box::<layers::IsoCache>::default(),
            LayerName::FewValues => Box::<layers::FewValues>::default(),
            LayerName::Linear => Box::<layers::Linear>::default(),
            LayerName::Intervals => Box::new(layers::ValueSets::new(Preset::Intervals)),
            LayerName::StridedFirst => Box::new(layers::ValueSets::new(Preset::StridedFirst)),
            LayerName::StridedMiddle => Box::new(layers::ValueSets::new(Preset::StridedMiddle)),
        }
    }
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for LayerName {
    type Err = ChainError;

    fn from_str(name: &str) -> Result<Self, ChainError> {
        let found = LayerName::ALL.into_iter().find(|l| l.as_str() == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = LayerName::ALL.iter().map(|l| l.as_str()).collect();
            ChainError::UnknownLayer(name.to_string(), all.join(", "))
        })
    }
}

/// The layers of a chain before its core solver, in order, each once. The text form separates them by commas;
/// `none` is the empty list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerList(Vec<LayerName>);

impl LayerList {
    /// No layers: the core solver alone.
    pub fn none() -> Self {
        LayerList(Vec::new())
    }

    /// A list of layers.
    ///
    /// # Errors
    /// If a layer is listed twice.
    pub fn new(layers: impl IntoIterator<Item = LayerName>) -> Result<Self, ChainError> {
        let mut list = LayerList::none();
        for layer in layers {
            if list.0.contains(&layer) {
                return Err(ChainError::Twice(layer));
            }
            list.0.push(layer);
        }
        Ok(list)
    }

    /// The layers in order.
    pub fn as_slice(&self) -> &[LayerName] {
        &self.0
    }

    /// The list without some layers.
    #[must_use]
    pub fn filtered(mut self, keep: impl Fn(LayerName) -> bool) -> Self {
        self.0.retain(|layer| keep(*layer));
        self
    }

    /// Puts a layer at a position, if the list does not have it.
    pub(crate) fn insert(&mut self, at: usize, layer: LayerName) {
        if !self.0.contains(&layer) {
            self.0.insert(at, layer);
        }
    }
}

impl fmt::Display for LayerList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, layer) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{layer}")?;
        }
        Ok(())
    }
}

impl FromStr for LayerList {
    type Err = ChainError;

    fn from_str(text: &str) -> Result<Self, ChainError> {
        let names = if text == "none" { "" } else { text };
        let names = names.split(',').map(str::trim).filter(|n| !n.is_empty());
        let layers = names
            .map(str::parse)
            .collect::<Result<Vec<LayerName>, _>>()?;
        LayerList::new(layers)
    }
}

/// A core solver: the complete solver at the end of a chain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CoreName {
    /// `native` or `native:ENCODING`: the bit-blasting core, perhaps with a given encoding of arrays.
    Native(Option<ArrayEncoding>),
    /// `z3`
    Z3,
    /// `z3:anew`: Z3 with a new solver for each query.
    Z3Anew,
    /// `smtlib:COMMAND`: an SMT-LIB program.
    Smtlib(String),
}

impl CoreName {
    /// Makes the core solver.
    ///
    /// # Errors
    /// If the core solver is not available.
    pub fn build(&self) -> Result<Box<dyn Layer>, ChainError> {
        match self {
            CoreName::Native(encoding) => Ok(Box::new(NativeCore::with_arrays(
                encoding.unwrap_or_default(),
            ))),
            CoreName::Z3 => cores::z3_core().map_err(ChainError::CoreUnavailable),
            CoreName::Z3Anew => cores::z3_anew_core().map_err(ChainError::CoreUnavailable),
            CoreName::Smtlib(command) => {
                cores::smtlib_core(command).map_err(ChainError::CoreUnavailable)
            }
        }
    }
}

impl Default for CoreName {
    fn default() -> Self {
        CoreName::Native(None)
    }
}

impl fmt::Display for CoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoreName::Native(None) => f.write_str("native"),
            CoreName::Native(Some(encoding)) => write!(f, "native:{}", encoding.as_str()),
            CoreName::Z3 => f.write_str("z3"),
            CoreName::Z3Anew => f.write_str("z3:anew"),
            CoreName::Smtlib(command) => write!(f, "smtlib:{command}"),
        }
    }
}

impl FromStr for CoreName {
    type Err = ChainError;

    fn from_str(name: &str) -> Result<Self, ChainError> {
        if let Some(command) = name.strip_prefix("smtlib:") {
            return Ok(CoreName::Smtlib(command.to_string()));
        }
        let unknown = || ChainError::UnknownCore(name.to_string());
        match name.strip_prefix("native:") {
            Some(encoding) => {
                let mut all = ArrayEncoding::ALL.into_iter();
                let found = all.find(|e| e.as_str() == encoding);
                Ok(CoreName::Native(Some(found.ok_or_else(unknown)?)))
            }
            None => match name {
                "native" => Ok(CoreName::Native(None)),
                "z3" => Ok(CoreName::Z3),
                "z3:anew" => Ok(CoreName::Z3Anew),
                _ => Err(unknown()),
            },
        }
    }
}

impl Chain {
    /// Builds a chain of layers and a core solver.
    ///
    /// # Errors
    /// If the core solver is not available.
    pub fn build(layers: &LayerList, core: &CoreName) -> Result<Self, ChainError> {
        let mut all: Vec<Box<dyn Layer>> = layers.0.iter().map(|l| l.build()).collect();
        all.push(core.build()?);
        Ok(Chain::new(all, ChainConfig::default()))
    }

    /// Builds a chain from the text forms of [`LayerList`] and [`CoreName`].
    ///
    /// # Errors
    /// If a name is unknown, a layer is listed twice, or the core solver is not available.
    pub fn from_names(layers: &str, core: &str) -> Result<Self, ChainError> {
        Chain::build(&layers.parse()?, &core.parse()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_they_are_written() {
        for layer in LayerName::ALL {
            assert_eq!(layer.to_string().parse(), Ok(layer));
        }
        let list: LayerList = "slice, value-sets".parse().expect("known");
        assert_eq!(list.to_string(), "slice,value-sets");
        assert_eq!("none".parse(), Ok(LayerList::none()));
        assert_eq!(LayerList::none().to_string(), "none");
        let twice = "slice,slice".parse::<LayerList>();
        assert_eq!(twice, Err(ChainError::Twice(LayerName::Slice)));
        assert!("octagons".parse::<LayerList>().is_err());
        for core in [
            "native",
            "native:eager",
            "native:typed",
            "z3",
            "z3:anew",
            "smtlib:cvc5 -q",
        ] {
            let read = core.parse::<CoreName>().expect(core);
            assert_eq!(read.to_string(), core);
        }
        assert!("native:octagons".parse::<CoreName>().is_err());
        assert!("yices".parse::<CoreName>().is_err());
    }
}
