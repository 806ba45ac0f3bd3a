//! Evaluates a condition: Python's rules, and a count of steps.

use std::cmp::Ordering;

use super::arithmetic::binary;
use super::methods::method;
use super::tree::{Comparison, Comprehension, Expr};
use crate::limits::{SIZE_MAX, STEPS_MAX, VALUE_DEPTH_MAX};
use crate::value::{Dict, Value, ValueError, contains, equal, order, str};

/// The names that a condition can read.
pub(crate) struct Scope<'a> {
    names: Vec<(&'static str, Value)>,
    /// Variables that can be read by their bare name, unless a name above is the same.
    variables: Option<&'a Dict>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(names: Vec<(&'static str, Value)>, variables: Option<&'a Dict>) -> Self {
        Self { names, variables }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let own = self.names.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
        own.or_else(|| self.variables.and_then(|variables| variables.get(name)))
    }

    /// All names with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let own = self.names.iter().map(|(name, value)| (*name, value));
        let variables = self.variables.into_iter().flat_map(Dict::iter);
        let variables = variables.filter_map(|(name, value)| Some((name.as_str()?, value)));
        own.chain(variables.filter(|(name, _)| !self.names.iter().any(|(own, _)| own == name)))
    }
}

/// The functions that a condition can call, beyond Python's own few.
pub(crate) trait Functions {
    /// `None` if there is no such function.
    fn call(&self, name: &str, args: &[Value], named: &[(&str, Value)]) -> Option<Result<Value, ValueError>>;

    /// A name that is looked up only when it is read. `None` if there is no such name.
    fn name(&self, _name: &str) -> Option<Value> {
        None
    }
}

/// One evaluation, with the steps that it has left.
pub(crate) struct Evaluation<'a> {
    scope: &'a Scope<'a>,
    functions: &'a dyn Functions,
    /// The targets of the loops around, innermost last.
    locals: Vec<(String, Value)>,
    steps: u32,
}

fn wrong<T>(what: impl Into<String>) -> Result<T, ValueError> {
    Err(ValueError(what.into()))
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(scope: &'a Scope<'a>, functions: &'a dyn Functions) -> Self {
        Self { scope, functions, locals: Vec::new(), steps: 0 }
    }

    /// Counts the work that is about to be done.
    fn spend(&mut self, steps: usize) -> Result<(), ValueError> {
        self.steps = self.steps.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
        if self.steps > STEPS_MAX { wrong(format!("it takes more than {STEPS_MAX} steps")) } else { Ok(()) }
    }

    pub(crate) fn value(&mut self, expr: &Expr) -> Result<Value, ValueError> {
        self.spend(1)?;
        match expr {
            Expr::Constant(value) => Ok(value.clone()),
            Expr::Name(name) => self.name(name),
            Expr::And(all) => self.first_that(all, false),
            Expr::Or(all) => self.first_that(all, true),
            Expr::Not(it) => Ok(Value::Bool(!self.value(it)?.truth())),
            Expr::Negative(it) => match self.value(it)? {
                Value::Bool(it) => Ok(Value::Int(-i128::from(it))),
                Value::Int(it) => {
                    it.checked_neg().map(Value::Int).ok_or_else(|| ValueError("a number is too large".into()))
                }
                Value::Float(it) => Ok(Value::Float(-it)),
                other => wrong(format!("`-` of `{}`", other.kind())),
            },
            Expr::Positive(it) => match self.value(it)? {
                Value::Bool(it) => Ok(Value::Int(it.into())),
                it @ (Value::Int(_) | Value::Float(_)) => Ok(it),
                other => wrong(format!("`+` of `{}`", other.kind())),
            },
            Expr::Binary(left, operator, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let made = binary(*operator, &left, &right)?;
                self.spend(cost(&made))?;
                Ok(made)
            }
            Expr::Compare(first, rest) => self.compare(first, rest),
            Expr::IfElse { test, then, otherwise } => {
                if self.value(test)?.truth() {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            Expr::List(all) => Ok(Value::list(self.all(all)?)),
            Expr::Tuple(all) => Ok(Value::tuple(self.all(all)?)),
            Expr::Dict(entries) => {
                let mut dict = Dict::default();
                for (key, value) in entries {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    dict.insert(key, value)?;
                }
                Ok(Value::dict(dict))
            }
            Expr::Attribute(object, name) => {
                let object = self.value(object)?;
                self.attribute(&object, name)
            }
            Expr::Index(object, index) => {
                let (object, index) = (self.value(object)?, self.value(index)?);
                self.index(&object, &index)
            }
            Expr::Method { object, name, args } => {
                let object = self.value(object)?;
                let args = self.all(args)?;
                self.spend(cost(&object))?;
                method(&object, name, &args)
            }
            Expr::Call { function, args, named } => self.call(function, args, named),
            Expr::ListOf(it) => {
                let mut items = Vec::new();
                self.each(it, 0, &mut |item| {
                    items.push(item);
                    if items.len() > SIZE_MAX { wrong("a list is too long") } else { Ok(true) }
                })?;
                Ok(Value::list(items))
            }
            Expr::Generator(_) => wrong("a generator can only be given to `any`, `all` or `list`"),
        }
    }

    fn name(&self, name: &str) -> Result<Value, ValueError> {
        let local = self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, value)| value);
        let found = local.or_else(|| self.scope.get(name)).cloned();
        found.or_else(|| self.functions.name(name)).ok_or_else(|| ValueError(format!("there is no variable `{name}`")))
    }

    /// The first value whose truth is `wanted`, or the last one.
    fn first_that(&mut self, all: &[Expr], wanted: bool) -> Result<Value, ValueError> {
        let mut last = Value::Bool(!wanted);
        for expr in all {
            last = self.value(expr)?;
            if last.truth() == wanted {
                break;
            }
        }
        Ok(last)
    }

    fn all(&mut self, all: &[Expr]) -> Result<Vec<Value>, ValueError> {
        all.iter().map(|expr| self.value(expr)).collect()
    }

    fn compare(&mut self, first: &Expr, rest: &[(Comparison, Expr)]) -> Result<Value, ValueError> {
        let mut left = self.value(first)?;
        for (comparison, right) in rest {
            let right = self.value(right)?;
            self.spend(compared_cost(&left, &right))?;
            if !compared(&left, *comparison, &right)? {
                return Ok(Value::Bool(false));
            }
            left = right;
        }
        Ok(Value::Bool(true))
    }

    fn attribute(&mut self, object: &Value, name: &str) -> Result<Value, ValueError> {
        let found = match object {
            Value::Dict(dict) => {
                self.spend(dict.len() / 16)?;
                dict.get(name)
            }
            Value::Object(object) => object.get(name),
            _ => None,
        };
        found.cloned().ok_or_else(|| ValueError(format!("`{}` has no `{name}`", object.kind())))
    }

    fn index(&mut self, object: &Value, index: &Value) -> Result<Value, ValueError> {
        let missing = || ValueError(format!("`{}` has nothing at that index", object.kind()));
        let position = |len: usize| {
            let at = match index {
                Value::Int(it) => *it,
                Value::Bool(it) => i128::from(*it),
                _ => return None,
            };
            usize::try_from(if at < 0 { at + len as i128 } else { at }).ok().filter(|at| *at < len)
        };
        match object {
            Value::Dict(dict) => {
                self.spend(dict.len() / 16)?;
                dict.find(index)?.cloned().ok_or_else(missing)
            }
            Value::List(items) | Value::Tuple(items) => {
                position(items.len()).and_then(|at| items.get(at)).cloned().ok_or_else(missing)
            }
            Value::Str(text) => {
                self.spend(text.len() / 64)?;
                let at = position(text.chars().count()).ok_or_else(missing)?;
                text.chars().nth(at).map(|c| Value::text(c.to_string())).ok_or_else(missing)
            }
            _ => Err(missing()),
        }
    }

    fn call(&mut self, function: &str, args: &[Expr], named: &[(String, Expr)]) -> Result<Value, ValueError> {
        if let ([Expr::Generator(it)], []) = (args, named) {
            return self.over(function, it);
        }
        let args = self.all(args)?;
        let mut evaluated = Vec::new();
        for (name, expr) in named {
            evaluated.push((name.as_str(), self.value(expr)?));
        }
        self.spend(args.iter().map(cost).sum())?;
        if evaluated.is_empty()
            && let Some(result) = builtin(function, &args)
        {
            return result;
        }
        match self.functions.call(function, &args, &evaluated) {
            Some(result) => result,
            None => wrong(format!("there is no function `{function}`")),
        }
    }

    /// Calls a function with a generator for its argument.
    fn over(&mut self, function: &str, it: &Comprehension) -> Result<Value, ValueError> {
        match function {
            "any" | "all" => {
                let stops_at = function == "any";
                let mut found = false;
                self.each(it, 0, &mut |item| {
                    found = item.truth() == stops_at;
                    Ok(!found)
                })?;
                Ok(Value::Bool(found == stops_at))
            }
            "list" => {
                let mut items = Vec::new();
                self.each(it, 0, &mut |item| {
                    items.push(item);
                    if items.len() > SIZE_MAX { wrong("a list is too long") } else { Ok(true) }
                })?;
                Ok(Value::list(items))
            }
            "bool" => Ok(Value::Bool(true)),
            _ => wrong(format!("`{function}` takes no generator")),
        }
    }

    /// Gives each element to `take`, until that returns false. Returns whether all were taken.
    fn each(
        &mut self,
        it: &Comprehension,
        level: usize,
        take: &mut dyn FnMut(Value) -> Result<bool, ValueError>,
    ) -> Result<bool, ValueError> {
        let Some(each) = it.loops.get(level) else {
            let element = self.value(&it.element)?;
            return take(element);
        };
        let source = self.value(&each.source)?;
        for item in items_of(&source)? {
            self.spend(1)?;
            self.locals.push((each.target.clone(), item));
            let mut wanted = Ok(true);
            for test in &each.tests {
                wanted = self.value(test).map(|value| value.truth());
                if !matches!(wanted, Ok(true)) {
                    break;
                }
            }
            let goes_on = match wanted {
                Ok(true) => self.each(it, level + 1, take),
                Ok(false) => Ok(true),
                Err(error) => Err(error),
            };
            self.locals.pop();
            if !goes_on? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The steps that a look at a value takes, without what is inside of its elements.
fn cost(value: &Value) -> usize {
    match value {
        Value::Str(it) => it.len() / 64,
        Value::List(it) | Value::Tuple(it) | Value::View(_, it) => it.len() / 16,
        Value::Dict(it) => it.len() / 16,
        _ => 0,
    }
}

/// The steps that a comparison takes. Texts differ soon or are compared fast; a text is never equal to a list, so
/// only two values with elements are looked at to their depth.
fn compared_cost(left: &Value, right: &Value) -> usize {
    let has_elements =
        |value: &Value| matches!(value, Value::List(_) | Value::Tuple(_) | Value::View(..) | Value::Dict(_));
    match (left, right) {
        (Value::Str(a), Value::Str(b)) => a.len().max(b.len()) / 256,
        (a, b) if has_elements(a) && has_elements(b) => (whole_size(a, 0) + whole_size(b, 0)) / 16,
        (a, b) => cost(a) + cost(b),
    }
}

/// How much there is in a value, to its depth.
fn whole_size(value: &Value, depth: usize) -> usize {
    if depth > VALUE_DEPTH_MAX {
        return 0;
    }
    let inside = |value: &Value| 1 + whole_size(value, depth + 1);
    match value {
        Value::Str(it) => it.len() / 64,
        Value::List(it) | Value::Tuple(it) | Value::View(_, it) => it.iter().map(inside).sum(),
        Value::Dict(it) => it.iter().map(|(key, value)| inside(key) + inside(value)).sum(),
        _ => 0,
    }
}

fn compared(left: &Value, comparison: Comparison, right: &Value) -> Result<bool, ValueError> {
    let ordered = |wanted: &[Ordering]| Ok(order(left, right)?.is_some_and(|order| wanted.contains(&order)));
    match comparison {
        Comparison::Equal => equal(left, right),
        Comparison::NotEqual => equal(left, right).map(|same| !same),
        Comparison::Less => ordered(&[Ordering::Less]),
        Comparison::LessOrEqual => ordered(&[Ordering::Less, Ordering::Equal]),
        Comparison::Greater => ordered(&[Ordering::Greater]),
        Comparison::GreaterOrEqual => ordered(&[Ordering::Greater, Ordering::Equal]),
        Comparison::Is => Ok(same(left, right)),
        Comparison::IsNot => Ok(!same(left, right)),
        Comparison::In => contains(right, left),
        Comparison::NotIn => contains(right, left).map(|found| !found),
    }
}

/// Identity, as far as it is defined: of `None`, `True` and `False`. Two other values are the same only if they share memory.
fn same(left: &Value, right: &Value) -> bool {
    use std::sync::Arc;
    match (left, right) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        // CPython keeps one object for each small number.
        (Value::Int(a), Value::Int(b)) => a == b && (-5..=256).contains(a),
        (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
        (Value::Dict(a), Value::Dict(b)) => Arc::ptr_eq(a, b),
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Str(a), Value::Str(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

fn items_of(value: &Value) -> Result<Vec<Value>, ValueError> {
    match value {
        Value::List(it) | Value::Tuple(it) | Value::View(_, it) => Ok(it.to_vec()),
        Value::Dict(it) => Ok(it.keys().cloned().collect()),
        Value::Str(it) => Ok(it.chars().map(|c| Value::text(c.to_string())).collect()),
        other => wrong(format!("`{}` has no elements", other.kind())),
    }
}

/// Python's own functions that gobby allows; `None` for any other.
fn builtin(function: &str, args: &[Value]) -> Option<Result<Value, ValueError>> {
    Some(match (function, args) {
        ("len", [value]) => length(value),
        ("bool", []) => Ok(Value::Bool(false)),
        ("bool", [value]) => Ok(Value::Bool(value.truth())),
        ("str", []) => Ok(Value::text("")),
        ("str", [value]) => str(value).map(Value::text),
        ("int", []) => Ok(Value::Int(0)),
        ("int", [value]) => super::arithmetic::int(value),
        ("list", []) => Ok(Value::list(Vec::new())),
        ("list", [value]) => items_of(value).map(Value::list),
        ("dict", []) => Ok(Value::dict(Dict::default())),
        ("dict", [value @ Value::Dict(_)]) => Ok(value.clone()),
        ("any", [value]) => items_of(value).map(|items| Value::Bool(items.iter().any(Value::truth))),
        ("all", [value]) => items_of(value).map(|items| Value::Bool(items.iter().all(Value::truth))),
        ("len" | "bool" | "str" | "int" | "list" | "dict" | "any" | "all", _) => {
            wrong(format!("`{function}` does not take these arguments"))
        }
        _ => return None,
    })
}

fn length(value: &Value) -> Result<Value, ValueError> {
    let length = match value {
        Value::Str(it) => it.chars().count(),
        Value::List(it) | Value::Tuple(it) | Value::View(_, it) => it.len(),
        Value::Dict(it) => it.len(),
        other => return wrong(format!("`{}` has no length", other.kind())),
    };
    Ok(Value::Int(length as i128))
}
