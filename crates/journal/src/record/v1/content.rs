//! Records of content: the events that are stored and announced, never folded.

use std::borrow::Cow;

use askbridge_core::answer::RulePlace;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, CallId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::{Level, ToolRuling};
use super::text::{Id, Inconsistent, Json};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Text<'a> {
    pub(super) block: u32,
    pub(super) text: Cow<'a, str>,
}

impl TryFrom<Text<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Text<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Text { block: of.block, text: of.text.into_owned() })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Thinking<'a> {
    pub(super) block: u32,
    pub(super) text: Cow<'a, str>,
}

impl TryFrom<Thinking<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Thinking<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Thinking { block: of.block, text: of.text.into_owned() })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCalled<'a> {
    pub(super) call: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) input: Json<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ask: Option<Id<AskId>>,
    /// The call in which a subagent made this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) within: Option<Cow<'a, str>>,
}

impl TryFrom<ToolCalled<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: ToolCalled<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::ToolCalled {
            call: CallId(of.call.into()),
            name: of.name.into_owned(),
            input: of.input.into(),
            ask: of.ask.map(|id| id.0),
            within: of.within.map(|call| CallId(call.into())),
        })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolReturned<'a> {
    pub(super) call: Cow<'a, str>,
    pub(super) ok: bool,
    pub(super) output: Cow<'a, str>,
}

impl TryFrom<ToolReturned<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: ToolReturned<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::ToolReturned { call: CallId(of.call.into()), ok: of.ok, output: of.output.into_owned() })
    }
}

/// A rule decided about a call without a person (`allow`, `deny`), or sent it to one (`ask`).
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolRuled<'a> {
    pub(super) call: Cow<'a, str>,
    pub(super) tool: Cow<'a, str>,
    /// The rule's name, or as the settings spell it: `other_tools = allow`.
    pub(super) rule: Cow<'a, str>,
    /// The file that the rule is in, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Cow<'a, str>>,
    /// The line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    pub(super) ruling: ToolRuling,
}

impl TryFrom<ToolRuled<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: ToolRuled<'_>) -> Result<Self, Inconsistent> {
        let place = match (of.file, of.line) {
            (None, None) => None,
            (Some(file), Some(line)) => Some(RulePlace { file: file.into_owned(), line }),
            _ => return Err(Inconsistent("place")),
        };
        Ok(Self::ToolRuled {
            call: CallId(of.call.into()),
            tool: of.tool.into_owned(),
            rule: of.rule.into_owned(),
            place,
            ruling: of.ruling.into(),
        })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnEnded<'a> {
    pub(super) reason: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Json<'a>>,
}

impl TryFrom<TurnEnded<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: TurnEnded<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::TurnEnded { reason: of.reason.into_owned(), usage: of.usage.map(Into::into) })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Notice<'a> {
    pub(super) level: Level,
    pub(super) text: Cow<'a, str>,
}

impl TryFrom<Notice<'_>> for Event {
    type Error = Inconsistent;

    fn try_from(of: Notice<'_>) -> Result<Self, Inconsistent> {
        Ok(Self::Notice { level: of.level.into(), text: of.text.into_owned() })
    }
}
