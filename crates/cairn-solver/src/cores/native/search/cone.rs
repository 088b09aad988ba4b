//! Cones: the variables below some gates.

use crate::cores::native::circuit::{Cnf, GateFunction, Gates, Lit};

/// The SAT variables of the gates below some literals.
pub struct Cone {
    /// All of them.
    pub variables: Vec<u32>,
    /// Those of circuit inputs.
    pub inputs: Vec<u32>,
}

/// Collects cones; keeps its marks from one walk to the next.
#[derive(Default)]
pub struct ConeWalk {
    visited: Vec<u32>,
    visit: u32,
}

impl ConeWalk {
    /// The cone of some literals.
    pub fn below(&mut self, gates: &Gates, cnf: &Cnf, lits: impl Iterator<Item = Lit>) -> Cone {
        self.visited.resize(gates.len(), 0);
        self.visit += 1;
        let mut cone = Cone {
            variables: Vec::new(),
            inputs: Vec::new(),
        };
        let mut stack: Vec<u32> = lits.map(Lit::node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut self.visited[node as usize], self.visit) == self.visit {
                continue;
            }
            let variable = cnf.variable_of(node);
            match gates.gate(node) {
                GateFunction::True => {}
                GateFunction::Input => cone.inputs.extend(variable),
                GateFunction::And(a, b) | GateFunction::Xor(a, b) => {
                    stack.extend([a.node(), b.node()])
                }
                GateFunction::Mux(a, b, c) | GateFunction::Maj(a, b, c) => {
                    stack.extend([a.node(), b.node(), c.node()]);
                }
            }
            cone.variables.extend(variable);
        }
        cone
    }
}
