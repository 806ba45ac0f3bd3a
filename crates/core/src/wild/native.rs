//! Reads approvals and plans as the HTTP door accepts them.

use crate::ask::{Approval, OfferedRule, Plan};
use crate::ids::Raw;
use crate::limits;

use super::blank::seen;
use super::{Wild, WildError};

/// Reads `{tool, input?, summary?, reason?, rules?}`. `render` writes a value as JSON.
pub fn approval(value: &Wild, render: &dyn Fn(&Wild) -> Raw) -> Result<Approval, WildError> {
    let label = |names: &[&str], what: &str| {
        let text = value.text_field(names).map(|(_, text)| seen(text));
        text.map(|text| bounded(text, limits::LABEL_BYTES_MAX, || what.to_owned())).transpose()
    };
    let tool = label(&["tool", "tool_name"], "the tool's name")?.ok_or(WildError::NoTool)?;
    let nothing = Wild::Map(Vec::new());
    let input = render(value.field(&["input", "tool_input"]).unwrap_or(&nothing));
    bounded(input.as_str(), limits::ASK_TEXT_BYTES_MAX, || "the tool's input".to_owned())?;
    let reason = value.text_field(&["reason"]).map(|(_, text)| seen(text));
    Ok(Approval {
        tool,
        input,
        summary: label(&["summary", "description"], "the summary")?,
        reason: reason.map(|text| bounded(text, limits::ASK_TEXT_BYTES_MAX, || "the reason".to_owned())).transpose()?,
        rules: rules(value, render)?,
        overrule: false,
    })
}

fn rules(value: &Wild, render: &dyn Fn(&Wild) -> Raw) -> Result<Vec<OfferedRule>, WildError> {
    let rules = match value.field(&["rules"]) {
        None => return Ok(Vec::new()),
        Some(Wild::List(rules)) => rules,
        Some(_) => return Err(WildError::NotRules),
    };
    if rules.len() > limits::OPTIONS_MAX {
        return Err(WildError::TooManyRules { found: rules.len(), limit: limits::OPTIONS_MAX });
    }
    let read = |(i, offered): (usize, &Wild)| {
        let bad = || WildError::BadRule { rule: i + 1 };
        let (_, label) = offered.text_field(&["label"]).ok_or_else(bad)?;
        let rule = render(offered.field(&["rule"]).ok_or_else(bad)?);
        let what = || format!("rule {}", i + 1);
        bounded(rule.as_str(), limits::ASK_TEXT_BYTES_MAX, what)?;
        Ok(OfferedRule { label: bounded(seen(label), limits::LABEL_BYTES_MAX, what)?, rule })
    };
    rules.iter().enumerate().map(read).collect()
}

/// Reads a plan: its text, or `{plan}`.
pub fn plan(value: &Wild) -> Result<Plan, WildError> {
    let text = match value {
        Wild::Text(text) if !super::is_blank(text) => text,
        _ => value.text_field(&["plan", "text"]).ok_or(WildError::NoPlan)?.1,
    };
    Ok(Plan { text: bounded(text, limits::ASK_TEXT_BYTES_MAX, || "the plan".to_owned())? })
}

/// Returns the text, unless it is too long.
pub(super) fn bounded(text: &str, limit: usize, what: impl FnOnce() -> String) -> Result<String, WildError> {
    if text.len() > limit {
        return Err(WildError::TooLong { what: what(), limit });
    }
    Ok(text.to_owned())
}
