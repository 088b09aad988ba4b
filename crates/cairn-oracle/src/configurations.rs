//! The chains under test: selections of layers in every order, over our own core.

use cairn_solver::cores::bitblast::BitblastCore;
use cairn_solver::{
    Chain, ChainConfig, DEFAULT_LAYERS, Layer, build_layer, list_layers, list_value_set_presets,
};

/// What our own core may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// Everything.
    Native,
    /// Its search over gates and CaDiCaL.
    Gates,
    /// The same, with axioms for tables of every size.
    GatesAndAxioms,
    /// CaDiCaL alone.
    Thorough,
    /// Everything, with arrays written down in another way: the name of the core.
    Arrays(&'static str),
}

/// A way to build a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The layers in order, as in `--layers`.
    pub layers: String,
    /// The core.
    pub core: Core,
}

impl Configuration {
    /// Layers over the native core.
    pub fn native(layers: &str) -> Self {
        Configuration {
            layers: layers.to_string(),
            core: Core::Native,
        }
    }

    /// The name in tables.
    pub fn name(&self) -> String {
        let core = match self.core {
            Core::Native => "native",
            Core::Gates => "gates",
            Core::GatesAndAxioms => "gates and axioms",
            Core::Thorough => "thorough",
            Core::Arrays(name) => name,
        };
        format!("{}/{core}", self.layers)
    }

    /// A new chain.
    ///
    /// # Panics
    /// If a layer does not exist.
    pub fn chain(&self) -> Chain {
        let core = match self.core {
            Core::Native => {
                return Chain::from_names(&self.layers, "native").expect("the layers exist");
            }
            Core::Arrays(name) => {
                return Chain::from_names(&self.layers, name).expect("the core exists");
            }
            Core::Gates => BitblastCore::default().gates_only(),
            Core::GatesAndAxioms => BitblastCore::default().with_circuits_up_to(0).gates_only(),
            Core::Thorough => BitblastCore::default().thorough_only(),
        };
        let named = self
            .layers
            .split(',')
            .filter(|n| *n != "none" && !n.is_empty());
        let mut all: Vec<Box<dyn Layer>> = named
            .map(|n| build_layer(n).expect("the layers exist"))
            .collect();
        all.push(Box::new(core));
        Chain::new(all, ChainConfig::default())
    }
}

/// The chains that every session asks: the core alone, only its gates, with axioms for all tables, only CaDiCaL, with arrays
/// written down in other ways, each layer alone, each preset of value sets with and without slices, and the default.
pub fn always() -> Vec<Configuration> {
    let mut all = vec![Configuration::native("none")];
    let cores = [Core::Gates, Core::GatesAndAxioms, Core::Thorough];
    all.extend(cores.map(|core| Configuration {
        layers: "none".to_string(),
        core,
    }));
    let encodings = ["native:eager", "native:axioms", "native:lazy"];
    all.extend(encodings.map(|core| Configuration {
        layers: "none".to_string(),
        core: Core::Arrays(core),
    }));
    all.extend(list_layers().iter().map(|l| Configuration::native(l.name)));
    for preset in list_value_set_presets() {
        all.push(Configuration::native(preset.name));
        all.push(Configuration::native(&format!("slice,{}", preset.name)));
    }
    all.push(Configuration::native("slice,value-sets"));
    all.push(Configuration::native(&DEFAULT_LAYERS.join(",")));
    all
}

/// The most layers of an order that is tried beside the default.
const LONGEST: usize = 4;

/// Other selections and orders of a few layers, and the default over the core without its search.
pub fn others() -> Vec<Configuration> {
    let names: Vec<&str> = list_layers().iter().map(|l| l.name).collect();
    let mut orders: Vec<Vec<&str>> = vec![Vec::new()];
    let mut at = 0;
    while at < orders.len() {
        for name in &names {
            if orders[at].len() < LONGEST && !orders[at].contains(name) {
                let mut longer = orders[at].clone();
                longer.push(name);
                orders.push(longer);
            }
        }
        at += 1;
    }
    let mut all = vec![Configuration {
        layers: DEFAULT_LAYERS.join(","),
        core: Core::Thorough,
    }];
    all.extend(orders.iter().map(|o| Configuration::native(&o.join(","))));
    let listed = always();
    all.retain(|c| !c.layers.is_empty() && !listed.contains(c));
    all
}
