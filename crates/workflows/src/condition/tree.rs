//! The tree of a condition: the kinds of nodes that gobby's evaluator accepts.

use super::Name;
use crate::value::Value;

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Constant(Value),
    Name(String),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    Binary(Box<Expr>, Operator, Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    IfElse {
        test: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    Attribute(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Call {
        function: String,
        args: Vec<Expr>,
        named: Vec<(String, Expr)>,
    },
    Method {
        object: Box<Expr>,
        name: String,
        args: Vec<Expr>,
    },
    ListOf(Box<Comprehension>),
    /// Lazy: `any` and `all` stop at the first element that decides.
    Generator(Box<Comprehension>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Is,
    IsNot,
    In,
    NotIn,
}

/// `element for target in source if tests`, with further `for`s inside.
#[derive(Clone, Debug)]
pub(crate) struct Comprehension {
    pub(crate) element: Expr,
    pub(crate) loops: Vec<Loop>,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) target: String,
    pub(crate) source: Expr,
    pub(crate) tests: Vec<Expr>,
}

impl Expr {
    pub(super) fn names(&self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Self::Constant(_) => {}
            Self::Name(name) => visit(Name::Read(name)),
            Self::And(all) | Self::Or(all) | Self::List(all) | Self::Tuple(all) => {
                all.iter().for_each(|it| it.names(visit));
            }
            Self::Not(it) | Self::Negative(it) | Self::Positive(it) | Self::Attribute(it, _) => it.names(visit),
            Self::Binary(left, _, right) | Self::Index(left, right) => {
                left.names(visit);
                right.names(visit);
            }
            Self::Compare(first, rest) => {
                first.names(visit);
                rest.iter().for_each(|(_, it)| it.names(visit));
            }
            Self::IfElse { test, then, otherwise } => [test, then, otherwise].iter().for_each(|it| it.names(visit)),
            Self::Dict(entries) => entries.iter().for_each(|(key, value)| {
                key.names(visit);
                value.names(visit);
            }),
            Self::Call { function, args, named } => {
                visit(Name::Called(function));
                args.iter().for_each(|it| it.names(visit));
                named.iter().for_each(|(_, it)| it.names(visit));
            }
            Self::Method { object, args, .. } => {
                object.names(visit);
                args.iter().for_each(|it| it.names(visit));
            }
            Self::ListOf(it) | Self::Generator(it) => {
                let targets: Vec<&str> = it.loops.iter().map(|each| each.target.as_str()).collect();
                let mut outside = |name: Name<'_>| match name {
                    Name::Read(name) if targets.contains(&name) => {}
                    other => visit(other),
                };
                it.element.names(&mut outside);
                for each in &it.loops {
                    each.source.names(&mut outside);
                    each.tests.iter().for_each(|test| test.names(&mut outside));
                }
            }
        }
    }
}
