//! Layers by name: the one page where the order of the chain is visible.

use crate::cores;
use crate::layers;
use crate::{Chain, ChainConfig, Layer};

/// The chain a new user gets, before the core.
pub const DEFAULT_LAYERS: &[&str] = &[
    "tables",
    "path-sets",
    "simplify",
    "slice",
    "value-sets",
    "exact-cache",
    "model-cache",
    "few-values",
    "linear",
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
        name: "tables",
        about: "keeps what reads of constant tables can be together, row by row",
        make: || Box::<layers::Tables>::default(),
    },
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
    LayerEntry {
        name: "few-values",
        about: "takes a large goal about a byte with a few values left apart into its values",
        make: || Box::<layers::FewValues>::default(),
    },
    LayerEntry {
        name: "linear",
        about: "refutes queries about arrays by linear arithmetic over integers",
        make: || Box::<layers::Linear>::default(),
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
    /// No way to solve arrays of that name.
    #[error("no way to solve arrays is called \"{0}\"; the ways are: {1}")]
    UnknownArrays(String, String),
    /// A layer was named twice.
    #[error("layer \"{0}\" is listed twice; list each layer once")]
    Twice(String),
    /// No core of that name.
    #[error(
        "no core is called \"{0}\"; use native, native:ENCODING (eager, axioms, lazy, typed), z3, z3:anew, or smtlib:COMMAND"
    )]
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

/// A setting of how arrays are solved: layers of their own before the core, and its encoding.
#[derive(Clone, Copy)]
pub struct ArraySetting {
    /// The name in `--arrays`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Whether the layer `tables` is there, before all others.
    tables: bool,
    /// Whether the layer `linear` is there, before the core.
    linear: bool,
    core: &'static str,
}

/// Layers that are there for arrays.
const ARRAY_LAYERS: &[&str] = &["linear", "tables"];

const ARRAY_SETTINGS: &[ArraySetting] = &[
    ArraySetting {
        name: "eager",
        about: "writes and tables are written out before the first search",
        tables: false,
        linear: false,
        core: "native:eager",
    },
    ArraySetting {
        name: "axioms",
        about: "every read is free; an axiom for each element that a candidate gets wrong",
        tables: false,
        linear: false,
        core: "native:axioms",
    },
    ArraySetting {
        name: "lazy",
        about: "tables are circuits, large ones by axioms for each element; writes by axioms",
        tables: false,
        linear: false,
        core: "native:lazy",
    },
    ArraySetting {
        name: "linear",
        about: "lazy, behind the pre-check by linear arithmetic",
        tables: false,
        linear: true,
        core: "native:lazy",
    },
    ArraySetting {
        name: "typed",
        about: "linear, with axioms only where indices can meet, about runs of elements",
        tables: false,
        linear: true,
        core: "native:typed",
    },
    ArraySetting {
        name: "default",
        about: "typed, and rows of what tables can give together",
        tables: true,
        linear: true,
        core: "native",
    },
];

/// The settings of `--arrays`.
pub fn list_array_settings() -> &'static [ArraySetting] {
    ARRAY_SETTINGS
}

/// A list of layers and a core with another way to solve arrays. Cores other than `native` solve
/// arrays in their own way, and only the layers change.
pub fn with_arrays(
    layers: &str,
    core: &str,
    setting: &str,
) -> Result<(String, String), ChainError> {
    let found = ARRAY_SETTINGS.iter().find(|s| s.name == setting);
    let found = found.ok_or_else(|| {
        let known: Vec<&str> = ARRAY_SETTINGS.iter().map(|s| s.name).collect();
        ChainError::UnknownArrays(setting.to_string(), known.join(", "))
    })?;
    let listed = if layers == "none" { "" } else { layers };
    let listed = listed.split(',').map(str::trim).filter(|n| !n.is_empty());
    let mut chosen: Vec<&str> = listed.filter(|n| !ARRAY_LAYERS.contains(n)).collect();
    if found.tables {
        chosen.insert(0, "tables");
    }
    if found.linear {
        chosen.push("linear");
    }
    let layers = match chosen.is_empty() {
        true => "none".to_string(),
        false => chosen.join(","),
    };
    let core = match core {
        "native" => found.core.to_string(),
        other => other.to_string(),
    };
    Ok((layers, core))
}

/// Makes a layer by its name in `--layers`.
pub fn build_layer(name: &str) -> Result<Box<dyn Layer>, ChainError> {
    let mut entries = LAYERS.iter().chain(VALUE_SET_PRESETS);
    let entry = entries.find(|e| e.name == name).ok_or_else(|| {
        let all = LAYERS.iter().chain(VALUE_SET_PRESETS);
        let all: Vec<&str> = all.map(|e| e.name).collect();
        ChainError::UnknownLayer(name.to_string(), all.join(", "))
    })?;
    Ok((entry.make)())
}

/// Makes a core: `native` (or `native:ENCODING`, see [`cores::bitblast::Arrays::ALL`]), `z3`,
/// `z3:anew` (a new solver for each query), or `smtlib:COMMAND`.
pub fn build_core(name: &str) -> Result<Box<dyn Layer>, ChainError> {
    use cores::bitblast::{Arrays, BitblastCore};
    if name == "native" {
        return Ok(Box::<BitblastCore>::default());
    }
    if let Some(encoding) = name.strip_prefix("native:") {
        let found = Arrays::ALL.iter().find(|(n, _)| *n == encoding);
        let (_, arrays) = found.ok_or_else(|| ChainError::UnknownCore(name.to_string()))?;
        return Ok(Box::new(BitblastCore::with_arrays(*arrays)));
    }
    if name == "z3" {
        return cores::z3_core().map_err(ChainError::CoreUnavailable);
    }
    if name == "z3:anew" {
        return cores::z3_anew_core().map_err(ChainError::CoreUnavailable);
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
            list.push(build_layer(name)?);
        }
        list.push(build_core(core)?);
        Ok(Chain::new(list, ChainConfig::default()))
    }
}
