//! Layers by name: the one page where the order of the chain is visible.

use crate::cores;
use crate::layers;
use crate::{Chain, ChainConfig, Layer};

/// The chain a new user gets, before the core.
pub const DEFAULT_LAYERS: &[&str] = &[
    "path-sets",
    "simplify",
    "slice",
    "value-sets",
    "exact-cache",
    "model-cache",
];

/// The chain for scripts, before the core. Nothing is known to be satisfiable there, so every slice
/// would have to be solved: one query becomes many, and on recorded queries that costs more than
/// it saves (`cairn-bench recorded`).
pub const SCRIPT_LAYERS: &[&str] = &["simplify", "exact-cache", "model-cache"];

/// A row of the table of layers.
#[derive(Clone, Copy)]
pub struct LayerEntry {
    /// The name in `--layers`.
    pub name: &'static str,
    /// One line for `--list-layers`.
    pub about: &'static str,
    make: fn() -> Box<dyn Layer>,
}

const LAYERS: &[LayerEntry] = &[
    LayerEntry {
        name: "path-sets",
        about: "value-sets of whole paths, for what needs neither simplifying nor slicing",
        make: || Box::new(layers::ValueSets::of_paths()),
    },
    LayerEntry {
        name: "simplify",
        about: "replaces symbols and subterms by what the facts say they equal",
        make: || Box::<layers::Simplify>::default(),
    },
    LayerEntry {
        name: "slice",
        about: "splits a query into parts that share no input",
        make: || Box::<layers::Slice>::default(),
    },
    LayerEntry {
        name: "value-sets",
        about: "keeps sets of values of the inputs, exact, or boxes within and around the solutions",
        make: || Box::new(layers::ValueSets::new(layers::Preset::ValueSets)),
    },
    LayerEntry {
        name: "exact-cache",
        about: "remembers the answers of queries asked before",
        make: || Box::<layers::ExactCache>::default(),
    },
    LayerEntry {
        name: "model-cache",
        about: "tries earlier models; reuses cores of subsets and models of supersets",
        make: || Box::<layers::ModelCache>::default(),
    },
];

/// Other presets of the layer `value-sets`: what was published, for comparison.
const VALUE_SET_PRESETS: &[LayerEntry] = &[
    LayerEntry {
        name: "intervals",
        about: "value-sets as multi-intervals: no steps, no boxes (PARTI, ASE'18)",
        make: || Box::new(layers::ValueSets::new(layers::Preset::Intervals)),
    },
    LayerEntry {
        name: "strided:first",
        about: "value-sets as strided boxes, two candidates (ASE'21, observation 1)",
        make: || Box::new(layers::ValueSets::new(layers::Preset::StridedFirst)),
    },
    LayerEntry {
        name: "strided:middle",
        about: "value-sets as strided boxes, cut in the middle (ASE'21, observation 2)",
        make: || Box::new(layers::ValueSets::new(layers::Preset::StridedMiddle)),
    },
];

/// A chain could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// No layer of that name.
    #[error("no layer is called \"{0}\"; the layers are: {1}")]
    UnknownLayer(String, String),
    /// No preset of that name.
    #[error("no preset of value sets is called \"{0}\"; the presets are: {1}")]
    UnknownPreset(String, String),
    /// A layer was named twice.
    #[error("layer \"{0}\" is listed twice; list each layer once")]
    Twice(String),
    /// No core of that name.
    #[error("no core is called \"{0}\"; use native, z3, or smtlib:COMMAND")]
    UnknownCore(String),
    /// The core is not there.
    #[error("{0}")]
    CoreUnavailable(String),
}

/// All layers, in the default order.
pub fn list_layers() -> &'static [LayerEntry] {
    LAYERS
}

/// The presets that can stand in the place of the layer `value-sets`.
pub fn list_value_set_presets() -> &'static [LayerEntry] {
    VALUE_SET_PRESETS
}

/// A list of layers with another preset in the place of `value-sets` and without `path-sets`, or
/// without both (`off`). In a list that has none, the preset comes before the caches.
pub fn with_value_sets(layers: &str, preset: &str) -> Result<String, ChainError> {
    let others = VALUE_SET_PRESETS.iter().map(|e| e.name);
    let names: Vec<&str> = std::iter::once("value-sets").chain(others).collect();
    if preset != "off" && !names.contains(&preset) {
        let known = format!("{}, off", names.join(", "));
        return Err(ChainError::UnknownPreset(preset.to_string(), known));
    }
    let listed = if layers == "none" { "" } else { layers };
    let listed = listed.split(',').map(str::trim).filter(|n| !n.is_empty());
    let mut chosen: Vec<&str> = listed.collect();
    if preset != "value-sets" {
        chosen.retain(|n| *n != "path-sets");
    }
    let first = |wanted: &[&str]| chosen.iter().position(|n| wanted.contains(n));
    let cache = first(&["exact-cache", "model-cache"]).unwrap_or(chosen.len());
    let place = first(&names).unwrap_or(cache);
    if preset != "off" {
        chosen.insert(place, preset);
        let mut at = 0;
        chosen.retain(|n| {
            at += 1;
            at == place + 1 || !names.contains(n)
        });
    } else {
        chosen.retain(|n| !names.contains(n));
    }
    Ok(if chosen.is_empty() {
        "none".to_string()
    } else {
        chosen.join(",")
    })
}

/// Makes a core: `native`, `z3`, or `smtlib:COMMAND`.
pub fn build_core(name: &str) -> Result<Box<dyn Layer>, ChainError> {
    if name == "native" {
        return Ok(Box::<cores::bitblast::BitblastCore>::default());
    }
    if name == "z3" {
        return cores::z3_core().map_err(ChainError::CoreUnavailable);
    }
    if let Some(command) = name.strip_prefix("smtlib:") {
        return cores::smtlib_core(command).map_err(ChainError::CoreUnavailable);
    }
    Err(ChainError::UnknownCore(name.to_string()))
}

impl Chain {
    /// Builds a chain from a comma-separated list of layers (empty or `none`: the core alone) and
    /// a core's name.
    pub fn from_names(layers: &str, core: &str) -> Result<Self, ChainError> {
        let mut list: Vec<Box<dyn Layer>> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let names = if layers == "none" { "" } else { layers };
        for name in names.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            if seen.contains(&name) {
                return Err(ChainError::Twice(name.to_string()));
            }
            seen.push(name);
            let mut entries = LAYERS.iter().chain(VALUE_SET_PRESETS);
            let entry = entries.find(|e| e.name == name).ok_or_else(|| {
                let all = LAYERS.iter().chain(VALUE_SET_PRESETS);
                let all: Vec<&str> = all.map(|e| e.name).collect();
                ChainError::UnknownLayer(name.to_string(), all.join(", "))
            })?;
            list.push((entry.make)());
        }
        list.push(build_core(core)?);
        Ok(Chain::new(list, ChainConfig::default()))
    }
}
