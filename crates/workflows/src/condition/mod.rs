//! Conditions: the part of Python that gobby's `when` understands, parsed when a file is read and evaluated within limits.

mod arithmetic;
mod eval;
mod methods;
mod parse;
mod tree;

pub(crate) use eval::{Evaluation, Functions, Scope};
pub(crate) use parse::ConditionError;

use tree::Expr;

use crate::value::{Value, ValueError};

/// A condition that was understood.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    tree: Expr,
}

impl Condition {
    /// White space is folded first, as gobby does: YAML leaves line breaks in folded texts.
    pub(crate) fn parse(text: &str) -> Result<Self, ConditionError> {
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        parse::parse(&folded).map(|tree| Self { tree })
    }

    pub(crate) fn value(&self, scope: &Scope<'_>, functions: &dyn Functions) -> Result<Value, ValueError> {
        Evaluation::new(scope, functions).value(&self.tree)
    }

    pub(crate) fn holds(&self, scope: &Scope<'_>, functions: &dyn Functions) -> Result<bool, ValueError> {
        self.value(scope, functions).map(|value| value.truth())
    }

    /// Visits the names of the functions that are called, and the other names that are read.
    pub(crate) fn names(&self, visit: &mut dyn FnMut(Name<'_>)) {
        self.tree.names(visit);
    }
}

/// A name in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'a> {
    Called(&'a str),
    Read(&'a str),
}
