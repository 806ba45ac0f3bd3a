//! Turns a condition into our tree. The only file that knows ruff's parser.

use std::fmt;

use ruff_python_ast as ast;
use ruff_python_ast::Expr as Python;

use super::tree::{Comparison, Comprehension, Expr, Loop, Operator};
use crate::limits::{CONDITION_BYTES_MAX, CONDITION_DEPTH_MAX, CONDITION_JOINTS_MAX};
use crate::value::Value;

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConditionError(pub(crate) String);

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn not_understood<T>(what: &str) -> Result<T, ConditionError> {
    Err(ConditionError(format!("{what} is not part of gobby's conditions")))
}

/// Parses a text whose white space is folded.
pub(super) fn parse(text: &str) -> Result<Expr, ConditionError> {
    if text.len() > CONDITION_BYTES_MAX {
        return Err(ConditionError(format!("it has {} bytes; at most {CONDITION_BYTES_MAX} are read", text.len())));
    }
    // The parser grows its stack as it needs; dropping its tree does not, so the tree must not become deep.
    let joints = text.chars().filter(|c| c.is_ascii_punctuation() && !matches!(c, '_' | '\'' | '"' | ',')).count();
    if joints > CONDITION_JOINTS_MAX {
        return Err(ConditionError(format!("it has more than {CONDITION_JOINTS_MAX} operators, dots and brackets")));
    }
    let parsed = ruff_python_parser::parse_expression(text)
        .map_err(|error| ConditionError(format!("it is not Python: {}", error.error)))?;
    convert(parsed.expr(), 0)
}

fn convert(expr: &Python, depth: usize) -> Result<Expr, ConditionError> {
    if depth > CONDITION_DEPTH_MAX {
        return Err(ConditionError(format!("it is nested more than {CONDITION_DEPTH_MAX} levels deep")));
    }
    let one = |expr: &Python| convert(expr, depth + 1).map(Box::new);
    let many = |all: &[Python]| all.iter().map(|expr| convert(expr, depth + 1)).collect::<Result<Vec<_>, _>>();
    Ok(match expr {
        Python::BoolOp(it) => match it.op {
            ast::BoolOp::And => Expr::And(many(&it.values)?),
            ast::BoolOp::Or => Expr::Or(many(&it.values)?),
        },
        Python::UnaryOp(it) => match it.op {
            ast::UnaryOp::Not => Expr::Not(one(&it.operand)?),
            ast::UnaryOp::USub => Expr::Negative(one(&it.operand)?),
            ast::UnaryOp::UAdd => Expr::Positive(one(&it.operand)?),
            ast::UnaryOp::Invert => return not_understood("`~`"),
        },
        Python::BinOp(it) => {
            let operator = match it.op {
                ast::Operator::Add => Operator::Add,
                ast::Operator::Sub => Operator::Subtract,
                ast::Operator::Mult => Operator::Multiply,
                ast::Operator::FloorDiv => Operator::FloorDivide,
                ast::Operator::Mod => Operator::Remainder,
                other => return not_understood(&format!("`{}`", other.as_str())),
            };
            Expr::Binary(one(&it.left)?, operator, one(&it.right)?)
        }
        Python::Compare(it) => {
            let rest = it.ops.iter().zip(&it.comparators);
            let rest = rest.map(|(op, right)| Ok((comparison(*op), convert(right, depth + 1)?)));
            Expr::Compare(one(&it.left)?, rest.collect::<Result<_, _>>()?)
        }
        Python::If(it) => Expr::IfElse { test: one(&it.test)?, then: one(&it.body)?, otherwise: one(&it.orelse)? },
        Python::List(it) => Expr::List(many(&it.elts)?),
        Python::Tuple(it) => Expr::Tuple(many(&it.elts)?),
        Python::Dict(it) => {
            let mut entries = Vec::new();
            for item in &it.items {
                // gobby leaves out what `**` would spread, too.
                let Some(key) = &item.key else { continue };
                entries.push((convert(key, depth + 1)?, convert(&item.value, depth + 1)?));
            }
            Expr::Dict(entries)
        }
        Python::Name(it) => match it.id.as_str() {
            "true" => Expr::Constant(Value::Bool(true)),
            "false" => Expr::Constant(Value::Bool(false)),
            "none" => Expr::Constant(Value::None),
            name => Expr::Name(name.to_owned()),
        },
        Python::Attribute(it) => Expr::Attribute(one(&it.value)?, it.attr.as_str().to_owned()),
        Python::Subscript(it) => match &*it.slice {
            Python::Slice(_) => return not_understood("a slice"),
            index => Expr::Index(one(&it.value)?, one(index)?),
        },
        Python::Call(it) => call(it, depth)?,
        Python::ListComp(it) => Expr::ListOf(Box::new(comprehension(&it.elt, &it.generators, depth)?)),
        Python::Generator(it) => Expr::Generator(Box::new(comprehension(&it.elt, &it.generators, depth)?)),
        Python::StringLiteral(it) => Expr::Constant(Value::text(it.value.to_str())),
        Python::NumberLiteral(it) => Expr::Constant(number(&it.value)?),
        Python::BooleanLiteral(it) => Expr::Constant(Value::Bool(it.value)),
        Python::NoneLiteral(_) => Expr::Constant(Value::None),
        Python::Lambda(_) => return not_understood("`lambda`"),
        Python::FString(_) | Python::TString(_) => return not_understood("an f-string"),
        Python::Named(_) => return not_understood("`:=`"),
        Python::Starred(_) => return not_understood("`*`"),
        Python::Set(_) | Python::SetComp(_) => return not_understood("a set"),
        Python::DictComp(_) => return not_understood("a dictionary comprehension"),
        Python::BytesLiteral(_) => return not_understood("a text of bytes"),
        _ => return not_understood("this"),
    })
}

fn call(call: &ast::ExprCall, depth: usize) -> Result<Expr, ConditionError> {
    let args = call.arguments.args.iter().map(|arg| convert(arg, depth + 1)).collect::<Result<Vec<_>, _>>()?;
    match &*call.func {
        Python::Name(function) => {
            let mut named = Vec::new();
            for keyword in &call.arguments.keywords {
                let Some(name) = &keyword.arg else { return not_understood("`**`") };
                named.push((name.as_str().to_owned(), convert(&keyword.value, depth + 1)?));
            }
            Ok(Expr::Call { function: function.id.as_str().to_owned(), args, named })
        }
        // gobby evaluates no named arguments of methods.
        Python::Attribute(_) if !call.arguments.keywords.is_empty() => not_understood("a named argument of a method"),
        Python::Attribute(it) => {
            let object = Box::new(convert(&it.value, depth + 1)?);
            Ok(Expr::Method { object, name: it.attr.as_str().to_owned(), args })
        }
        _ => not_understood("a call of something other than a name"),
    }
}

fn comprehension(
    element: &Python,
    loops: &[ast::Comprehension],
    depth: usize,
) -> Result<Comprehension, ConditionError> {
    let mut converted = Vec::new();
    for each in loops {
        let Python::Name(target) = &each.target else { return not_understood("a loop over several names") };
        if each.is_async {
            return not_understood("`async`");
        }
        let tests = each.ifs.iter().map(|test| convert(test, depth + 1)).collect::<Result<_, _>>()?;
        converted.push(Loop { target: target.id.as_str().to_owned(), source: convert(&each.iter, depth + 1)?, tests });
    }
    Ok(Comprehension { element: convert(element, depth + 1)?, loops: converted })
}

fn comparison(op: ast::CmpOp) -> Comparison {
    match op {
        ast::CmpOp::Eq => Comparison::Equal,
        ast::CmpOp::NotEq => Comparison::NotEqual,
        ast::CmpOp::Lt => Comparison::Less,
        ast::CmpOp::LtE => Comparison::LessOrEqual,
        ast::CmpOp::Gt => Comparison::Greater,
        ast::CmpOp::GtE => Comparison::GreaterOrEqual,
        ast::CmpOp::Is => Comparison::Is,
        ast::CmpOp::IsNot => Comparison::IsNot,
        ast::CmpOp::In => Comparison::In,
        ast::CmpOp::NotIn => Comparison::NotIn,
    }
}

fn number(number: &ast::Number) -> Result<Value, ConditionError> {
    match number {
        ast::Number::Int(it) => match it.as_i64() {
            Some(it) => Ok(Value::Int(it.into())),
            None => Err(ConditionError(format!("the number {it} is too large"))),
        },
        ast::Number::Float(it) => Ok(Value::Float(*it)),
        ast::Number::Complex { .. } => not_understood("a complex number"),
    }
}
