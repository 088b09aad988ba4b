//! Random terms over a handful of small symbols.

use cairn_expr::{Sort, Term, TermStore};
use cairn_random::Random;

/// Makes terms over the symbols of a universe.
pub struct Maker<'a> {
    pub s: &'a TermStore,
    pub random: Random,
    pub scalars: Vec<Term>,
    pub arrays: Vec<Term>,
    pub bools: Vec<Term>,
}

impl<'a> Maker<'a> {
    pub fn new(s: &'a TermStore, symbols: &[Term], random: Random) -> Self {
        let with = |f: fn(Sort) -> bool| -> Vec<Term> {
            symbols.iter().filter(|t| f(t.sort())).cloned().collect()
        };
        Maker {
            s,
            random,
            scalars: with(|s| matches!(s, Sort::BitVec(_))),
            arrays: with(Sort::is_array),
            bools: with(|s| s == Sort::Bool),
        }
    }

    pub fn fitted(&mut self, t: &Term, w: u32) -> Term {
        let have = t.width();
        if have > w {
            let lo = self.random.below((have - w + 1) as usize) as u32;
            self.s.extract(t, lo + w - 1, lo)
        } else if have == w {
            t.clone()
        } else if self.random.one_in(2) {
            self.s.zero_extend(t, w - have)
        } else {
            self.s.sign_extend(t, w - have)
        }
    }

    pub fn bv(&mut self, w: u32, depth: u32) -> Term {
        let s = self.s;
        let leaf = depth == 0 || self.random.one_in(3);
        if leaf {
            let choice = self.random.below(6);
            if choice == 0 || self.scalars.is_empty() && self.arrays.is_empty() {
                return s.bv(w, self.random.next() & ((1 << w) - 1));
            }
            if self.scalars.is_empty() || choice == 1 && !self.arrays.is_empty() {
                let cell = self.cell(true);
                return self.fitted(&cell, w);
            }
            let symbol = self.random.pick(&self.scalars).clone();
            return self.fitted(&symbol, w);
        }
        let choice = self.random.below(14);
        if choice == 0 {
            let c = self.boolean(depth - 1);
            let (a, b) = (self.bv(w, depth - 1), self.bv(w, depth - 1));
            return s.ite(&c, &a, &b);
        }
        if choice <= 2 && !self.arrays.is_empty() {
            let cell = self.cell(false);
            return self.fitted(&cell, w);
        }
        let (a, b) = (self.bv(w, depth - 1), self.bv(w, depth - 1));
        match choice {
            3 => s.bv_and(&a, &b),
            4 => s.bv_or(&a, &b),
            5 => s.bv_xor(&a, &b),
            6 => s.bv_mul(&a, &b),
            7 => s.bv_urem(&a, &b),
            8 => s.bv_udiv(&a, &b),
            9 => s.bv_shl(&a, &b),
            10 => s.bv_not(&a),
            _ => s.bv_add(&a, &b),
        }
    }

    pub fn cell(&mut self, constant: bool) -> Term {
        let s = self.s;
        let array = self.random.pick(&self.arrays).clone();
        let Sort::Array { index, value } = array.sort() else {
            unreachable!()
        };
        let place = |me: &mut Self| {
            if constant || me.random.one_in(2) {
                s.bv(index, me.random.next() & ((1 << index) - 1))
            } else {
                me.bv(index, 1)
            }
        };
        let at = place(self);
        if constant || self.random.one_in(2) {
            return s.select(&array, &at);
        }
        let (other, v) = (place(self), self.bv(value, 1));
        s.select(&s.store(&array, &other, &v), &at)
    }

    pub fn boolean(&mut self, depth: u32) -> Term {
        let s = self.s;
        let choice = self.random.below(if depth == 0 { 4 } else { 10 });
        let w = match self.scalars.as_slice() {
            [] => 1,
            some => self.random.pick(some).width(),
        };
        match choice {
            0 if !self.bools.is_empty() => self.random.pick(&self.bools).clone(),
            0 | 1 => {
                let (a, b) = (self.bv(w, 0), self.bv(w, depth.min(1)));
                s.eq(&a, &b)
            }
            2 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, 0));
                s.bv_ult(&a, &b)
            }
            3 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, depth));
                s.eq(&a, &b)
            }
            4 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.and(&a, &b)
            }
            5 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.or(&a, &b)
            }
            6 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                s.eq(&a, &b)
            }
            7 => {
                let (a, b) = (self.bv(w, depth), self.bv(w, depth));
                s.bv_slt(&a, &b)
            }
            8 if !self.arrays.is_empty() && self.random.one_in(3) => {
                let a = self.random.pick(&self.arrays).clone();
                let b = self.random.pick(&self.arrays).clone();
                let Sort::Array { index, value } = a.sort() else {
                    unreachable!()
                };
                let (i, v) = (self.bv(index, 0), self.bv(value, 0));
                if a.sort() == b.sort() {
                    s.eq(&a, &s.store(&b, &i, &v))
                } else {
                    s.eq(&a, &s.const_array(index, &v))
                }
            }
            _ => {
                let a = self.boolean(depth - 1);
                s.not(&a)
            }
        }
    }
}

/// Sets of symbols of eight bits together.
pub fn symbols(s: &TermStore, which: usize) -> Vec<Term> {
    let bv = |name: &str, w: u32| s.symbol(name, Sort::BitVec(w));
    let boolean = |name: &str| s.symbol(name, Sort::Bool);
    let array = |name: &str, index: u32, value: u32| s.symbol(name, Sort::Array { index, value });
    match which % 6 {
        0 => vec![
            bv("x", 2),
            bv("y", 2),
            bv("z", 2),
            boolean("p"),
            boolean("q"),
        ],
        1 => vec![bv("x", 3), bv("y", 3), boolean("p"), boolean("q")],
        2 => vec![array("A", 1, 2), bv("x", 1), bv("y", 2), boolean("p")],
        3 => vec![array("A", 2, 1), bv("i", 2), bv("x", 1), boolean("p")],
        4 => {
            let mut all: Vec<Term> = (0..4).map(|i| bv(&format!("b{i}"), 1)).collect();
            all.extend((0..4).map(|i| boolean(&format!("p{i}"))));
            all
        }
        _ => vec![
            array("A", 1, 1),
            array("B", 1, 1),
            bv("x", 2),
            boolean("p"),
            boolean("q"),
        ],
    }
}
