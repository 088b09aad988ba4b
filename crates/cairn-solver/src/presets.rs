//! Presets: the default chain, and settings that replace parts of a chain.
//!
//! The order of the default chain is decided here. [`LayerName::ALL`] begins with the same order, so that `--list-layers` reads
//! like the chain.

use crate::cores::native::ArrayEncoding;
use crate::{CoreName, LayerList, LayerName};

/// The default chain, before the core solver.
const DEFAULT_LAYERS: [LayerName; 9] = [
    LayerName::Tables,
    LayerName::PathSets,
    LayerName::Simplify,
    LayerName::Slice,
    LayerName::ValueSets,
    LayerName::ExactCache,
    LayerName::ModelCache,
    LayerName::FewValues,
    LayerName::Linear,
];

/// The chain for scripts, before the core solver. Scripts do not tell that their facts are satisfiable, so every
/// slice would have to be solved: one query becomes many, and on recorded queries that costs more than it
/// saves (`cairn-bench recorded`).
const SCRIPT_LAYERS: [LayerName; 3] = [
    LayerName::Simplify,
    LayerName::ExactCache,
    LayerName::ModelCache,
];

/// Value sets under different presets. [`with_value_sets`] leaves one of them; a list that names its layers itself may have more.
const VALUE_SETS: [LayerName; 4] = [
    LayerName::ValueSets,
    LayerName::Intervals,
    LayerName::StridedFirst,
    LayerName::StridedMiddle,
];

impl Default for LayerList {
    /// The default chain.
    fn default() -> Self {
        LayerList::new(DEFAULT_LAYERS).expect("each is listed once")
    }
}

impl LayerList {
    /// The chain for scripts.
    pub fn for_scripts() -> Self {
        LayerList::new(SCRIPT_LAYERS).expect("each is listed once")
    }
}

/// A chain could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// No layer of that name.
    #[error("no layer is called \"{0}\"; the layers are: {1}")]
    UnknownLayer(String, String),
    /// No preset of that name.
    #[error("no preset of value sets is called \"{0}\"; the presets are: {1}")]
    UnknownPreset(String, String),
    /// No setting for arrays of that name.
    #[error("no setting for arrays is called \"{0}\"; the settings are: {1}")]
    UnknownArrays(String, String),
    /// A layer was named twice.
    #[error("layer \"{0}\" is listed twice; list each layer once")]
    Twice(LayerName),
    /// No core solver of that name.
    #[error(
        "no core solver is called \"{0}\"; use native, native:ENCODING (eager, axioms, lazy, typed), z3, z3:anew, or smtlib:COMMAND"
    )]
    UnknownCore(String),
    /// The core solver is not available.
    #[error("{0}")]
    CoreUnavailable(String),
}

/// A list of layers with another preset of value sets in place of `value-sets`, or none (`off`). With
/// another preset the list has no `path-sets`. In a list without value sets, the preset comes before the
/// caches.
///
/// # Errors
/// If no preset has that name.
pub fn with_value_sets(layers: &LayerList, preset: &str) -> Result<LayerList, ChainError> {
    let chosen = VALUE_SETS.into_iter().find(|l| l.as_str() == preset);
    if chosen.is_none() && preset != "off" {
        let known: Vec<&str> = VALUE_SETS.iter().map(|l| l.as_str()).collect();
        let known = format!("{}, off", known.join(", "));
        return Err(ChainError::UnknownPreset(preset.to_string(), known));
    }
    let with_paths = chosen == Some(LayerName::ValueSets);
    let layers = layers
        .clone()
        .filtered(|l| with_paths || l != LayerName::PathSets);
    let first = |wanted: &[LayerName]| layers.as_slice().iter().position(|l| wanted.contains(l));
    let caches = [LayerName::ExactCache, LayerName::ModelCache];
    let position = first(&VALUE_SETS).or_else(|| first(&caches));
    let position = position.unwrap_or(layers.as_slice().len());
    let mut layers = layers.filtered(|l| !VALUE_SETS.contains(&l));
    if let Some(chosen) = chosen {
        layers.insert(position, chosen);
    }
    Ok(layers)
}

/// The layers with `iso-cache` among them, which keeps answers in a file: behind the other caches, or before what comes
/// behind those in the default chain.
pub fn with_renaming(layers: &LayerList) -> LayerList {
    let mut layers = layers.clone();
    let all = layers.as_slice();
    let caches = [LayerName::ExactCache, LayerName::ModelCache];
    let behind = all
        .iter()
        .rposition(|l| caches.contains(l))
        .map(|at| at + 1);
    let later = [LayerName::FewValues, LayerName::Linear];
    let before = all.iter().position(|l| later.contains(l));
    let at = behind.or(before).unwrap_or(all.len());
    layers.insert(at, LayerName::IsoCache);
    layers
}

/// A setting of how arrays are solved: layers of their own before the core solver, and its encoding.
#[derive(Clone, Copy)]
pub struct ArraySetting {
    /// The name in `--arrays`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Whether the layer `tables` comes before all others.
    tables: bool,
    /// Whether the layer `linear` comes before the core solver.
    linear: bool,
    encoding: Option<ArrayEncoding>,
}

const ARRAY_SETTINGS: &[ArraySetting] = &[
    ArraySetting {
        name: "eager",
        about: "stores and tables are written out before the first search",
        tables: false,
        linear: false,
        encoding: Some(ArrayEncoding::Eager),
    },
    ArraySetting {
        name: "axioms",
        about: "every read is free; an axiom for each element that an assignment gets wrong",
        tables: false,
        linear: false,
        encoding: Some(ArrayEncoding::Axioms),
    },
    ArraySetting {
        name: "lazy",
        about: "tables are circuits, large ones by axioms for each element; stores by axioms",
        tables: false,
        linear: false,
        encoding: Some(ArrayEncoding::Lazy),
    },
    ArraySetting {
        name: "linear",
        about: "lazy, after the pre-check by linear arithmetic",
        tables: false,
        linear: true,
        encoding: Some(ArrayEncoding::Lazy),
    },
    ArraySetting {
        name: "typed",
        about: "linear, with axioms only where indices can be equal, about runs of elements",
        tables: false,
        linear: true,
        encoding: Some(ArrayEncoding::IndexForms),
    },
    ArraySetting {
        name: "default",
        about: "typed, and the layer `tables`",
        tables: true,
        linear: true,
        encoding: None,
    },
];

/// The settings of `--arrays`.
pub fn list_array_settings() -> &'static [ArraySetting] {
    ARRAY_SETTINGS
}

/// Layers and a core solver with another setting for arrays. A core solver other than `native` has its own theory of
/// arrays, so that only the layers change.
///
/// # Errors
/// If no setting has that name.
pub fn with_arrays(
    layers: &LayerList,
    core: &CoreName,
    setting: &str,
) -> Result<(LayerList, CoreName), ChainError> {
    let found = ARRAY_SETTINGS.iter().find(|s| s.name == setting);
    let found = found.ok_or_else(|| {
        let known: Vec<&str> = ARRAY_SETTINGS.iter().map(|s| s.name).collect();
        ChainError::UnknownArrays(setting.to_string(), known.join(", "))
    })?;
    let of_arrays = [LayerName::Linear, LayerName::Tables];
    let mut layers = layers.clone().filtered(|l| !of_arrays.contains(&l));
    if found.tables {
        layers.insert(0, LayerName::Tables);
    }
    if found.linear {
        layers.insert(layers.as_slice().len(), LayerName::Linear);
    }
    let core = match core {
        CoreName::Native(None) => CoreName::Native(found.encoding),
        CoreName::Native(Some(_)) | CoreName::Z3 | CoreName::Z3Anew | CoreName::Smtlib(_) => {
            core.clone()
        }
    };
    Ok((layers, core))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;

    /// The layers of a chain in the order in which queries reach them: statistics are kept by position.
    fn order(layers: &LayerList) -> Vec<&'static str> {
        let chain = Chain::build(layers, &CoreName::default()).expect("the native core");
        chain.stats().iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn queries_go_through_the_layers_as_the_picture_in_the_architecture_says() {
        let text = include_str!("../../../ARCHITECTURE.md");
        let drawn = text
            .lines()
            .find(|line| line.contains("core solver") && line.contains('→'));
        let drawn = drawn
            .expect("the picture has the chain")
            .trim_matches(|c| "│ ".contains(c));
        let mut drawn: Vec<&str> = drawn.split('→').map(str::trim).collect();
        assert_eq!(drawn.pop(), Some("core solver"));
        // The picture has one word for both caches.
        let caches = drawn.iter().position(|name| *name == "caches");
        let caches = caches.expect("the picture has the caches");
        drawn.splice(caches..=caches, ["exact-cache", "model-cache"]);
        let chain = order(&LayerList::default());
        assert_eq!(chain[..chain.len() - 1], drawn);
    }

    #[test]
    fn lists_of_all_layers_begin_with_the_default_chain() {
        let names: Vec<&str> = LayerName::ALL.iter().map(|l| l.as_str()).collect();
        let chain = order(&LayerList::default());
        assert_eq!(names[..chain.len() - 1], chain[..chain.len() - 1]);
    }
}
