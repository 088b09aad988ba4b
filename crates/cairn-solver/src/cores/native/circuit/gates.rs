//! Gates: a Boolean circuit with structural hashing.
//!
//! # Idea
//! An and-inverter graph with three more kinds of gates. Exclusive or, multiplexer and majority are what
//! adders, comparisons and selections consist of; as gates of their own they need one SAT variable where
//! and-gates would need three. Signs are moved out of `xor`, `mux` and `maj`, and the operands of symmetric
//! gates are ordered, so that the same function over the same inputs is mostly the same node.
//!
//! # Soundness
//! Each simplification is an identity of Boolean algebra. A test builds every gate over constant, equal,
//! complementary and different operands and compares truth tables.

use hashbrown::HashTable;

/// A node of the circuit with a sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant true.
    pub const TRUE: Lit = Lit(0);
    /// The constant false.
    pub const FALSE: Lit = Lit(1);

    fn positive(node: u32) -> Lit {
        Lit(node << 1)
    }

    /// The node.
    #[inline]
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether the sign is negative.
    #[inline]
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether this is true or false.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    fn flip_if(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }

    /// The constant literal of a Boolean.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Lit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}g{}",
            if self.negated() { "-" } else { "" },
            self.node()
        )
    }
}

/// The function of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GateFunction {
    /// The constant true; node 0 only.
    True,
    /// A free input.
    Input,
    /// Both.
    And(Lit, Lit),
    /// Exactly one.
    Xor(Lit, Lit),
    /// The second if the first, else the third.
    Mux(Lit, Lit, Lit),
    /// At least two.
    Maj(Lit, Lit, Lit),
}

/// The circuit.
pub struct Gates {
    nodes: Vec<GateFunction>,
    fanout: Vec<u32>,
    table: HashTable<u32>,
}

fn hash_gate(gate: &GateFunction) -> u64 {
    let (k, a, b, c) = match *gate {
        GateFunction::True => (0, 0, 0, 0),
        GateFunction::Input => (1, 0, 0, 0),
        GateFunction::And(a, b) => (2, a.0, b.0, 0),
        GateFunction::Xor(a, b) => (3, a.0, b.0, 0),
        GateFunction::Mux(a, b, c) => (4, a.0, b.0, c.0),
        GateFunction::Maj(a, b, c) => (5, a.0, b.0, c.0),
    };
    let x = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let y = (u64::from(c) << 8 | k).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (x.rotate_left(31) ^ y).wrapping_mul(0xA24B_AED4_963E_E407)
}

impl Gates {
    /// The circuit with only the constant.
    pub fn new() -> Self {
        Gates {
            nodes: vec![GateFunction::True],
            fanout: vec![0],
            table: HashTable::new(),
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many gates some literals depend on.
    pub fn count_below(&self, lits: impl Iterator<Item = Lit>) -> usize {
        let mut visited = vec![false; self.len()];
        let mut count = 0;
        let mut stack: Vec<u32> = lits.map(Lit::node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut visited[node as usize], true) {
                continue;
            }
            count += 1;
            match self.gate(node) {
                GateFunction::True | GateFunction::Input => {}
                GateFunction::And(a, b) | GateFunction::Xor(a, b) => {
                    stack.extend([a.node(), b.node()])
                }
                GateFunction::Mux(a, b, c) | GateFunction::Maj(a, b, c) => {
                    stack.extend([a.node(), b.node(), c.node()]);
                }
            }
        }
        count
    }

    /// The function of a node.
    #[inline]
    pub fn gate(&self, node: u32) -> GateFunction {
        self.nodes[node as usize]
    }

    /// How many gates use a node.
    #[inline]
    pub fn fanout(&self, node: u32) -> u32 {
        self.fanout[node as usize]
    }

    /// A new free input.
    pub fn input(&mut self) -> Lit {
        let node = self.push(GateFunction::Input);
        Lit::positive(node)
    }

    fn push(&mut self, gate: GateFunction) -> u32 {
        let node = u32::try_from(self.nodes.len()).expect("fewer than 2^31 gates");
        assert!(node < 1 << 31, "fewer than 2^31 gates");
        self.nodes.push(gate);
        self.fanout.push(0);
        node
    }

    fn intern(&mut self, gate: GateFunction) -> Lit {
        let hash = hash_gate(&gate);
        let nodes = &self.nodes;
        if let Some(&node) = self.table.find(hash, |&n| nodes[n as usize] == gate) {
            return Lit::positive(node);
        }
        let node = self.push(gate);
        let mut uses = |l: Lit| self.fanout[l.node() as usize] += 1;
        match gate {
            GateFunction::True | GateFunction::Input => {}
            GateFunction::And(a, b) | GateFunction::Xor(a, b) => {
                uses(a);
                uses(b);
            }
            GateFunction::Mux(a, b, c) | GateFunction::Maj(a, b, c) => {
                uses(a);
                uses(b);
                uses(c);
            }
        }
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash, node, |&n| hash_gate(&nodes[n as usize]));
        Lit::positive(node)
    }

    /// `a and b`.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == b {
            return a;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let GateFunction::And(p, q) = self.gate(y.node()) {
                let mentions = p == x || q == x;
                let contradicts = p == !x || q == !x;
                match (y.negated(), mentions, contradicts) {
                    (false, true, _) => return y,
                    (false, _, true) => return Lit::FALSE,
                    (true, _, true) => return x,
                    (true, true, _) => {
                        let other = if p == x { q } else { p };
                        return self.and(x, !other);
                    }
                    (_, false, false) => {}
                }
            }
        }
        self.intern(GateFunction::And(a, b))
    }

    /// `a or b`.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exactly one of `a`, `b`.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.negated() ^ b.negated();
        let (a, b) = (a.flip_if(a.negated()), b.flip_if(b.negated()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE {
            return b.flip_if(!flip);
        }
        if a == b {
            return Lit::constant(flip);
        }
        // x xor (x xor y) is y.
        for (x, y) in [(a, b), (b, a)] {
            if let GateFunction::Xor(p, q) = self.gate(y.node()) {
                if p == x {
                    return q.flip_if(flip);
                }
                if q == x {
                    return p.flip_if(flip);
                }
            }
        }
        self.intern(GateFunction::Xor(a, b)).flip_if(flip)
    }

    /// `a` if `c`, else `b`.
    pub fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == Lit::TRUE || a == b {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        let (c, a, b) = if c.negated() { (!c, b, a) } else { (c, a, b) };
        if a == Lit::TRUE || a == c {
            return self.or(c, b);
        }
        if a == Lit::FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == Lit::TRUE || b == !c {
            return self.or(!c, a);
        }
        if b == Lit::FALSE || b == c {
            return self.and(c, a);
        }
        if a == !b {
            return !self.xor(c, a);
        }
        let flip = a.negated();
        self.intern(GateFunction::Mux(c, a.flip_if(flip), b.flip_if(flip)))
            .flip_if(flip)
    }

    /// At least two of three.
    pub fn maj(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut x = [a, b, c];
        x.sort_unstable();
        let [a, b, c] = x;
        if a == Lit::TRUE {
            return self.or(b, c);
        }
        if a == Lit::FALSE {
            return self.and(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let negative = x.iter().filter(|l| l.negated()).count();
        let flip = negative >= 2;
        self.intern(GateFunction::Maj(
            a.flip_if(flip),
            b.flip_if(flip),
            c.flip_if(flip),
        ))
        .flip_if(flip)
    }

    /// Conjunction of many, balanced.
    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        match lits {
            [] => Lit::TRUE,
            [l] => *l,
            _ => {
                let (x, y) = lits.split_at(lits.len() / 2);
                let (x, y) = (self.and_all(x), self.and_all(y));
                self.and(x, y)
            }
        }
    }

    /// Disjunction of many.
    pub fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|l| !*l).collect();
        !self.and_all(&negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(g: &Gates, l: Lit, inputs: &[(Lit, bool)]) -> bool {
        if let Some((_, v)) = inputs.iter().find(|(i, _)| i.node() == l.node()) {
            return *v ^ l.negated();
        }
        let v = match g.gate(l.node()) {
            GateFunction::True => true,
            GateFunction::Input => unreachable!("listed"),
            GateFunction::And(a, b) => value(g, a, inputs) & value(g, b, inputs),
            GateFunction::Xor(a, b) => value(g, a, inputs) ^ value(g, b, inputs),
            GateFunction::Mux(c, a, b) => value(g, if value(g, c, inputs) { a } else { b }, inputs),
            GateFunction::Maj(a, b, c) => {
                let n = [a, b, c].iter().filter(|l| value(g, **l, inputs)).count();
                n >= 2
            }
        };
        v ^ l.negated()
    }

    /// Every gate over every triple of constants, inputs, their complements and gates of them.
    #[test]
    fn gates_compute_their_truth_tables() {
        let mut g = Gates::new();
        let (x, y, z) = (g.input(), g.input(), g.input());
        let mut pool = vec![Lit::TRUE, x, y, z];
        pool.push(g.and(x, y));
        pool.push(g.and(x, !z));
        pool.push(g.xor(x, y));
        pool.push(g.mux(x, y, z));
        pool.push(g.maj(x, y, z));
        let negated: Vec<Lit> = pool.iter().map(|l| !*l).collect();
        pool.extend(negated);
        for &a in &pool {
            for &b in &pool {
                for &c in &pool {
                    let (and, xor) = (g.and(a, b), g.xor(a, b));
                    let (mux, maj) = (g.mux(a, b, c), g.maj(a, b, c));
                    let or = g.or(a, b);
                    for bits in 0..8u32 {
                        let env = [(x, bits & 1 != 0), (y, bits & 2 != 0), (z, bits & 4 != 0)];
                        let v = |l| value(&g, l, &env);
                        assert_eq!(v(and), v(a) & v(b));
                        assert_eq!(v(or), v(a) | v(b));
                        assert_eq!(v(xor), v(a) ^ v(b));
                        assert_eq!(v(mux), if v(a) { v(b) } else { v(c) });
                        assert_eq!(
                            v(maj),
                            u8::from(v(a)) + u8::from(v(b)) + u8::from(v(c)) >= 2
                        );
                    }
                }
            }
        }
    }
}
