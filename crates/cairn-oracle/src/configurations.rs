//! The chains under test: selections of layers in every order, over our own core solver.

use cairn_solver::cores::native::NativeCore;
use cairn_solver::{Chain, ChainConfig, Layer, LayerList, LayerName};

/// What our own core solver may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// Everything.
    Native,
    /// Its search over gates and CaDiCaL.
    Gates,
    /// The same, with axioms for tables of every size.
    GatesAndAxioms,
    /// CaDiCaL alone.
    Cdcl,
    /// Everything, with arrays written down in another way: the name of the core solver.
    Arrays(&'static str),
}

/// A way to build a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The layers in order, as in `--layers`.
    pub layers: String,
    /// The core solver.
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
            Core::Cdcl => "cdcl",
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
            Core::Gates => NativeCore::default().gates_only(),
            Core::GatesAndAxioms => NativeCore::default().with_circuits_up_to(0).gates_only(),
            Core::Cdcl => NativeCore::default().cdcl_only(),
        };
        let layers: LayerList = self.layers.parse().expect("the layers exist");
        let layers = layers.as_slice().iter();
        let mut all: Vec<Box<dyn Layer>> = layers.map(|layer| layer.build()).collect();
        all.push(Box::new(core));
        Chain::new(all, ChainConfig::default())
    }
}

/// The chains that every session asks: the core solver alone, only its gates, with axioms for all tables, only CaDiCaL, with arrays
/// written down in other ways, each layer alone, each preset of value sets with and without slices, and the default.
pub fn always() -> Vec<Configuration> {
    let defaults = LayerList::default();
    let defaults = defaults.as_slice();
    let mut all = vec![Configuration::native("none")];
    let cores = [Core::Gates, Core::GatesAndAxioms, Core::Cdcl];
    all.extend(cores.map(|core| Configuration {
        layers: "none".to_string(),
        core,
    }));
    let encodings = ["native:eager", "native:axioms", "native:lazy"];
    all.extend(encodings.map(|core| Configuration {
        layers: "none".to_string(),
        core: Core::Arrays(core),
    }));
    for layer in LayerName::ALL {
        all.push(Configuration::native(layer.as_str()));
        if !defaults.contains(&layer) {
            all.push(Configuration::native(&format!("slice,{layer}")));
        }
    }
    all.push(Configuration::native("slice,value-sets"));
    all.push(Configuration::native(&LayerList::default().to_string()));
    all
}

/// The most layers of an order that is tried beside the default.
const LONGEST: usize = 4;

/// Other selections and orders of a few layers (of the default, and the cache on request), and the default over the core solver without its search.
pub fn others() -> Vec<Configuration> {
    let defaults = LayerList::default();
    let on_request = [LayerName::IsoCache];
    let names: Vec<&str> = defaults
        .as_slice()
        .iter()
        .chain(&on_request)
        .map(|l| l.as_str())
        .collect();
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
        layers: LayerList::default().to_string(),
        core: Core::Cdcl,
    }];
    all.extend(orders.iter().map(|o| Configuration::native(&o.join(","))));
    let listed = always();
    all.retain(|c| !c.layers.is_empty() && !listed.contains(c));
    all
}
