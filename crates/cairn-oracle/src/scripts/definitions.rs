//! Sorts, macros and definitions of a generated script.

use super::{Writer, macro_key};
use crate::pool::{Expression, Id};
use crate::random::Draw;
use cairn_expr::Sort;
use std::collections::BTreeMap;

impl Writer {
    pub(super) fn define_sort(&mut self) {
        let index = self.random().within(1, 8);
        let width = self.generator.width();
        for sort in [
            Sort::BitVec(width),
            Sort::Array {
                index,
                value: width,
            },
            Sort::Bool,
        ] {
            let name = self.fresh("Sort");
            let text = self.sort_text(sort);
            self.command(format!("(define-sort {name} () {text})"));
            self.scope.sorts.insert(sort, name);
        }
    }

    /// Defines a macro for an operator of the expression, whose parameters may hide symbols.
    pub(super) fn define_macro(&mut self, id: Id) {
        let below = self.generator.pool.below(&[id]);
        let at = *self.random().pick(&below);
        let pool = &self.generator.pool;
        let Expression::Apply(operator, args) = pool.node(at).clone() else {
            return;
        };
        let is_function = |a: &Id| matches!(pool.node(*a), Expression::Function(_));
        let key = macro_key(pool, operator, &args);
        if args.iter().any(is_function) || self.scope.macros.contains_key(&key) {
            return;
        }
        let sorts: Vec<Sort> = args.iter().map(|a| pool.sort(*a)).collect();
        let result = pool.sort(at);
        let name = self.fresh("m");
        let hidden = self.scope.declared.iter().next().cloned();
        let mut parameters = Vec::new();
        for (i, sort) in sorts.iter().enumerate() {
            let parameter = match &hidden {
                Some(symbol) if i == 0 && self.random().chance(30) => symbol.clone(),
                Some(_) | None => format!("a{i}"),
            };
            let sort = self.sort_text(*sort);
            parameters.push((parameter, sort));
        }
        let listed: Vec<String> = parameters
            .iter()
            .map(|(p, s)| format!("({p} {s})"))
            .collect();
        let used: Vec<&str> = parameters.iter().map(|(p, _)| p.as_str()).collect();
        let mut body = format!("({} {})", operator.head(), used.join(" "));
        if self.random().chance(30) {
            body = format!("(let ((z {body}) (y true)) (ite y z {}))", body);
        }
        let result = self.sort_text(result);
        self.command(format!(
            "(define-fun {name} ({}) {result} {body})",
            listed.join(" ")
        ));
        self.scope.macros.insert(key, name);
    }

    pub(super) fn define(&mut self, id: Id) {
        let text = self.written(id, &BTreeMap::new());
        let sort = self.generator.pool.sort(id);
        let sort = self.sort_text(sort);
        let name = self.fresh("d");
        if self.random().chance(20) {
            self.command(format!("(define-const {name} {sort} {text})"));
        } else {
            self.command(format!("(define-fun {name} () {sort} {text})"));
        }
        self.scope.defined.insert(id, name);
    }
}
