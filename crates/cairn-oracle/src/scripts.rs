//! Random SMT-LIB scripts as text.
//!
//! # Problem
//! Scripts printed from terms use a third of the language: canonical terms have lost the other
//! operators, and a printer uses the same few commands.
//!
//! # Idea
//! The text is made from expressions in SMT-LIB's vocabulary, by a writer that keeps track of the
//! declarations at each level and chooses among all ways to write an expression: names by `let`,
//! `define-fun`, `:named` and macros, three kinds of literals, quoted symbols, comments.
//!
//! # Soundness
//! Every script is valid SMT-LIB, except that a `get-` command may come after a check whose answer has
//! nothing to get; solvers answer that with an error and go on.

mod definitions;

use crate::operator::Operator;
use crate::pool::{Expression, Id, Literals, Pool, Style};
use crate::random::{Draw, Random};
use crate::terms::{Generator, Shape};
use cairn_expr::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// What can be seen at a level.
#[derive(Clone, Default)]
struct Scope {
    declared: BTreeSet<String>,
    defined: BTreeMap<Id, String>,
    macros: BTreeMap<String, String>,
    sorts: BTreeMap<Sort, String>,
}

/// The writer of one script.
pub(crate) struct Writer {
    pub(crate) generator: Generator,
    scope: Scope,
    outer: Vec<Scope>,
    /// Whether declarations outlive their level.
    global: bool,
    pub(crate) commands: Vec<String>,
    names: u32,
}

/// Writes an expression with names for some of its parts.
struct Names<'a> {
    random: &'a mut Random,
    pool: &'a Pool,
    root: Id,
    /// Texts of named expressions.
    named: BTreeMap<Id, String>,
    macros: &'a BTreeMap<String, String>,
}

/// How a macro is found: by its operator and the sorts of its operands.
fn macro_key(pool: &Pool, operator: Operator, args: &[Id]) -> String {
    let sorts: Vec<String> = args.iter().map(|a| pool.sort(*a).to_string()).collect();
    format!("{} {}", operator.head(), sorts.join(" "))
}

impl Style for Names<'_> {
    fn literals(&mut self) -> Literals {
        let all = [Literals::Binary, Literals::Hexadecimal, Literals::Decimal];
        *self.random.pick(&all)
    }

    fn finish(&mut self, id: Id, plain: String, operands: &[&str]) -> String {
        if id != self.root
            && let Some(name) = self.named.get(&id)
        {
            return name.clone();
        }
        match self.pool.node(id) {
            // A symbol may be quoted wherever it stands.
            Expression::Symbol(_) | Expression::Function(_) if self.random.chance(5) => {
                format!("|{plain}|")
            }
            Expression::Apply(operator, args) if !matches!(operator, Operator::Select) => {
                match self.macros.get(&macro_key(self.pool, *operator, args)) {
                    Some(name) if self.random.chance(60) => {
                        format!("({name} {})", operands.join(" "))
                    }
                    Some(_) | None => plain,
                }
            }
            Expression::Apply(..)
            | Expression::Bool(_)
            | Expression::Bits(_)
            | Expression::Symbol(_)
            | Expression::Function(_)
            | Expression::Table(..) => plain,
        }
    }
}

impl Writer {
    /// A writer for a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5C21_7000);
        let mut shape = Shape::random(&mut random);
        shape.functions = *random.pick(&[0, 8]);
        Writer {
            generator: Generator::with_shape(random, shape),
            scope: Scope::default(),
            outer: Vec::new(),
            global: false,
            commands: Vec::new(),
            names: 0,
        }
    }

    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.generator.random
    }

    pub(crate) fn command(&mut self, text: impl Into<String>) {
        let mut text = text.into();
        match self.random().below(40) {
            0 => text.push_str(" ; a comment (not a \"command\")"),
            1 => text = text.replacen(' ', "\n   ", 1),
            2 => text.insert_str(0, "\t "),
            _ => {}
        }
        self.commands.push(text);
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        let n = self.names;
        match self.random().below(5) {
            0 => format!("|{stem} {n}|"),
            1 => format!("{stem}!{n}"),
            2 => format!("~{stem}.{n}@"),
            _ => format!("{stem}_{n}"),
        }
    }

    /// A sort as text: its defined name, if it has one.
    fn sort_text(&mut self, sort: Sort) -> String {
        match self.scope.sorts.get(&sort).cloned() {
            Some(name) if self.random().chance(70) => name,
            Some(_) | None => sort.to_string(),
        }
    }

    /// The head of the script.
    pub(crate) fn head(&mut self, options: &[&str]) {
        self.scope = Scope::default();
        self.outer.clear();
        if self.random().chance(30) {
            self.command("(set-info :smt-lib-version 2.6)");
            self.command("(set-info :source |made by a generator: (nothing) \"to\" see|)");
        }
        if self.random().chance(30) {
            self.command("(set-option :print-success false)");
        }
        self.command("(set-option :produce-models true)");
        for option in options {
            self.command(format!("(set-option {option} true)"));
        }
        // Not every logic has the operators that SMT-LIB does not know.
        self.generator.shape.extensions = self.random().chance(60);
        let all = self.generator.shape.extensions;
        let logic = if all { "ALL" } else { "QF_AUFBV" };
        self.command(format!("(set-logic {logic})"));
        if self.random().chance(30) {
            self.define_sort();
        }
    }

    /// Declares the symbols of an expression that are not declared.
    pub(crate) fn declare(&mut self, id: Id) {
        for (name, sort) in self.generator.pool.symbols(&[id]) {
            if !self.scope.declared.insert(name.clone()) {
                continue;
            }
            if self.generator.pool.is_function(&name) {
                let Sort::Array { index, value } = sort else {
                    unreachable!("a function is an array");
                };
                let from = self.sort_text(Sort::BitVec(index));
                let to = self.sort_text(Sort::BitVec(value));
                self.command(format!("(declare-fun {name} ({from}) {to})"));
                continue;
            }
            let text = self.sort_text(sort);
            if self.random().chance(50) {
                self.command(format!("(declare-const {name} {text})"));
            } else {
                self.command(format!("(declare-fun {name} () {text})"));
            }
        }
    }

    /// The expressions that are worth a name: used more than once, or large.
    fn shared(&self, root: Id) -> Vec<Id> {
        let pool = &self.generator.pool;
        let mut uses: BTreeMap<Id, u32> = BTreeMap::new();
        let mut sizes: BTreeMap<Id, u32> = BTreeMap::new();
        let mut named = Vec::new();
        for id in pool.below(&[root]) {
            let Expression::Apply(_, args) = pool.node(id) else {
                continue;
            };
            let mut size = 1;
            for a in args {
                *uses.entry(*a).or_default() += 1;
                size += sizes.get(a).copied().unwrap_or(1);
            }
            // A large expression counts as one: it will have a name.
            if size > 12 && id != root {
                named.push(id);
                size = 1;
            }
            sizes.insert(id, size);
        }
        let often = |id: &Id| uses.get(id).is_some_and(|n| *n > 1) && sizes.contains_key(id);
        named.extend(uses.keys().filter(|id| often(id)));
        named.sort_unstable();
        named.dedup();
        named
    }

    fn written(&mut self, root: Id, named: &BTreeMap<Id, String>) -> String {
        let mut all = self.scope.defined.clone();
        all.extend(named.iter().map(|(id, n)| (*id, n.clone())));
        let Generator { random, pool, .. } = &mut self.generator;
        let mut style = Names {
            random,
            pool,
            root,
            named: all,
            macros: &self.scope.macros,
        };
        pool.text(root, &mut style)
    }

    /// The text of an expression; what it needs is declared and defined before.
    pub(crate) fn text(&mut self, root: Id) -> String {
        self.declare(root);
        if let Some(name) = self.scope.defined.get(&root).cloned() {
            return name;
        }
        if self.random().chance(15) {
            self.define_macro(root);
        }
        let mut bound: BTreeMap<Id, String> = BTreeMap::new();
        let mut groups: Vec<Vec<(Id, String)>> = Vec::new();
        let mut hidden = self.hideable(root);
        for id in self.shared(root) {
            if self.scope.defined.contains_key(&id) {
                continue;
            }
            // A definition stands outside, where no name of a `let` is known.
            let below = self.generator.pool.below(&[id]);
            let inside = below.iter().any(|b| bound.contains_key(b));
            if !inside && self.random().chance(40) {
                self.define(id);
                continue;
            }
            let name = match hidden.take() {
                Some(name) => name,
                None => self.fresh("l"),
            };
            let depends = groups
                .last()
                .is_none_or(|g| g.iter().any(|(b, _)| below.contains(b)));
            let text = self.written(id, &bound);
            bound.insert(id, name.clone());
            let binding = format!("({name} {text})");
            let nested = depends || self.random().chance(20);
            match groups.last_mut() {
                Some(group) if !nested => group.push((id, binding)),
                Some(_) | None => groups.push(vec![(id, binding)]),
            }
        }
        let mut text = self.written(root, &bound);
        for group in groups.iter().rev() {
            let bindings: Vec<&str> = group.iter().map(|(_, b)| b.as_str()).collect();
            text = format!("(let ({}) {text})", bindings.join(" "));
        }
        text
    }

    /// A declared symbol that an expression does not mention, for a `let` to hide.
    fn hideable(&mut self, root: Id) -> Option<String> {
        if !self.random().chance(30) {
            return None;
        }
        let used = self.generator.pool.symbols(&[root]);
        let free = |n: &&String| !used.iter().any(|(u, _)| u == *n) && !n.contains(' ');
        self.scope.declared.iter().find(free).cloned()
    }

    /// Asserts an expression; gives the name it was given.
    pub(crate) fn assert(&mut self, id: Id, named: bool) -> Option<String> {
        let text = self.text(id);
        if !named {
            self.command(format!("(assert {text})"));
            return None;
        }
        let name = self.fresh("n");
        self.command(format!("(assert (! {text} :named {name}))"));
        Some(name)
    }

    /// A function of several operands, some of them Boolean.
    pub(crate) fn many_operands(&mut self) {
        let name = "g_2";
        if self.scope.declared.insert(name.to_string()) {
            self.command(format!(
                "(declare-fun |{name}| (Bool (_ BitVec 2)) (_ BitVec 3))"
            ));
            self.command("(declare-fun h ((_ BitVec 3) Bool) Bool)");
        }
        let flag = self.generator.expression(Sort::Bool, 1);
        let at = self.generator.expression(Sort::BitVec(2), 2);
        let value = self.generator.expression(Sort::BitVec(3), 2);
        let (flag, at, value) = (self.text(flag), self.text(at), self.text(value));
        let inner = format!("(|{name}| {flag} {at})");
        let text = match self.random().below(3) {
            0 => format!("(= {inner} {value})"),
            1 => format!("(distinct {inner} (|{name}| (h {value} {flag}) {at}))"),
            _ => format!("(h (bvadd {value} {inner}) (h {value} true))"),
        };
        self.command(format!("(assert {text})"));
    }

    fn push(&mut self, levels: usize) {
        for _ in 0..levels {
            self.outer.push(self.scope.clone());
        }
        let text = if levels == 1 && self.random().chance(30) {
            "(push)".to_string()
        } else {
            format!("(push {levels})")
        };
        self.command(text);
    }

    fn pop(&mut self, levels: usize) {
        for _ in 0..levels {
            let outside = self.outer.pop().expect("no more than are open");
            if !self.global {
                self.scope = outside;
            }
        }
        self.command(format!("(pop {levels})"));
    }

    fn assumptions(&mut self) -> String {
        let mut all = Vec::new();
        for _ in 0..self.random().below(4) {
            let n = self.random().below(4);
            let id = self.generator.pool.symbol(&format!("p{n}"), Sort::Bool);
            let text = self.text(id);
            let negated = self.random().chance(50);
            all.push(if negated {
                format!("(not {text})")
            } else {
                text
            });
        }
        all.join(" ")
    }

    fn value_terms(&mut self) -> String {
        let mut all = Vec::new();
        for _ in 0..1 + self.random().below(3) {
            let sort = if self.random().chance(30) {
                Sort::Bool
            } else {
                Sort::BitVec(self.generator.width())
            };
            let id = self.generator.expression(sort, 1);
            all.push(self.text(id));
        }
        all.join(" ")
    }

    /// A symbol whose sort is another each time it is declared.
    fn scratch(&mut self) {
        if self.global {
            return;
        }
        self.push(1);
        let sort = match self.random().below(3) {
            0 => Sort::Bool,
            1 => Sort::BitVec(self.generator.width()),
            _ => Sort::Array { index: 2, value: 3 },
        };
        let value = self.generator.expression(sort, 2);
        let text = self.text(value);
        let sort = self.sort_text(sort);
        self.command(format!("(declare-const scratch {sort})"));
        self.command(format!("(assert (= scratch {text}))"));
        self.command("(check-sat)");
        self.pop(1);
    }

    fn step(&mut self) {
        let choice = self.random().below(40);
        match choice {
            0..=13 => {
                let id = self.generator.condition();
                let named = self.random().chance(25);
                self.assert(id, named);
            }
            14..=20 => self.command("(check-sat)"),
            21 | 22 => {
                let assumed = self.assumptions();
                self.command(format!("(check-sat-assuming ({assumed}))"));
                if self.random().chance(30) {
                    self.command("(get-unsat-assumptions)");
                }
            }
            23..=25 => {
                let levels = *self.random().pick(&[1, 1, 2, 0]);
                self.push(levels);
            }
            26..=28 if !self.outer.is_empty() => {
                let levels = self.generator.random.within(1, self.outer.len() as u32);
                self.pop(levels as usize);
            }
            29 => {
                let terms = self.value_terms();
                self.command("(check-sat)");
                self.command(format!("(get-value ({terms}))"));
            }
            30 => {
                self.command("(check-sat)");
                self.command("(get-model)");
            }
            31 => {
                self.command("(check-sat)");
                self.command("(get-unsat-core)");
            }
            32 => {
                let what = *self
                    .random()
                    .pick(&["(get-assertions)", "(get-assignment)"]);
                self.command(what);
            }
            33 => self.command("(echo \"a \"\"quoted\"\" word\")"),
            34 => {
                let info = *self
                    .random()
                    .pick(&[":name", ":version", ":reason-unknown"]);
                self.command(format!("(get-info {info})"));
                self.command("(get-option :produce-models)");
            }
            35 if self.random().chance(30) => {
                self.command("(reset-assertions)");
                self.outer.clear();
                if !self.global {
                    self.scope = Scope::default();
                }
            }
            36 if self.random().chance(20) => {
                self.command("(reset)");
                self.begin();
            }
            37 => self.scratch(),
            38 => self.many_operands(),
            _ => {
                let id = self.generator.condition();
                let text = self.text(id);
                let name = self.fresh("i");
                self.command(format!(
                    "(assert (or (! {text} :named {name}) (xor true true)))"
                ));
                self.command(format!("(assert (=> {name} (and {name} true)))"));
            }
        }
    }

    fn begin(&mut self) {
        self.global = self.random().chance(15);
        let mut options = vec![":produce-unsat-cores", ":produce-unsat-assumptions"];
        if self.random().chance(50) {
            options.extend([":produce-assignments", ":produce-assertions"]);
        }
        if self.global {
            options.push(":global-declarations");
        }
        self.head(&options);
    }
}

/// A script with one check, in parts.
#[derive(Clone, Debug)]
pub struct Sample {
    /// All commands, the check and what is asked after it included.
    pub commands: Vec<String>,
    /// The name of each command that asserts, if it has one; `None` for all other commands.
    pub names: Vec<Option<String>>,
}

/// The script of a seed with one check and all that can be asked after it.
pub fn sample(seed: u64) -> Sample {
    let mut writer = Writer::new(seed ^ 0x5A);
    writer.head(&[":produce-unsat-cores"]);
    let mut names = Vec::new();
    for _ in 0..writer.random().within(1, 6) {
        let id = writer.generator.condition();
        let named = writer.random().chance(60);
        let name = writer.assert(id, named);
        names.resize(writer.commands.len() - 1, None);
        names.push(name);
    }
    if writer.random().chance(30) {
        writer.many_operands();
    }
    let terms = writer.value_terms();
    writer.command("(check-sat)");
    writer.command("(get-model)");
    writer.command(format!("(get-value ({terms}))"));
    writer.command("(get-unsat-core)");
    names.resize(writer.commands.len(), None);
    Sample {
        commands: writer.commands,
        names,
    }
}

/// The script of a seed: some ten to sixty commands with several checks.
pub fn script(seed: u64) -> String {
    let mut writer = Writer::new(seed);
    writer.begin();
    for _ in 0..writer.random().within(8, 45) {
        writer.step();
    }
    writer.command("(check-sat)");
    if writer.random().chance(30) {
        writer.command("(exit)");
        // Nothing after the exit is read.
        writer.command("(assert false)");
        writer.command("(check-sat)");
    }
    let mut text = writer.commands.join("\n");
    text.push('\n');
    text
}
