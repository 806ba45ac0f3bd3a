//! Records of asks, with their four bodies.

use std::borrow::Cow;

use askbridge_core::ask as core;
use askbridge_core::ids::{AskId, CallId, Key, PartyId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::terms::Terms;
use super::text::{Id, Inconsistent, Json, is_false, lent, owned, words};

words!(Kind = core::Kind, { Questions Approval Plan Form });
words!(Reach = core::Reach, { Resumable Pull Held });

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Ask<'a> {
    id: Id<AskId>,
    at: i64,
    kind: Kind,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<Question<'a>>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    approval: Option<Approval<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    plan: Option<Plan<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    form: Option<Form<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Terms::are_plain")]
    terms: Terms<'a>,
    reach: Reach,
    door: Cow<'a, str>,
    agent: Cow<'a, str>,
    party: Cow<'a, str>,
    /// The name of the machine that it came from, if that is not the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Context::is_empty")]
    context: Context<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    /// A digest of the terms that the request stated, beside a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stated: Option<u32>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    original: Option<Json<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instead_of: Option<Id<AskId>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
    question: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    header: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    options: Vec<Choice<'a>>,
    #[serde(default)]
    multi_select: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    secret: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Choice<'a> {
    label: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preview: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Approval<'a> {
    tool: Cow<'a, str>,
    #[serde(borrow)]
    input: Json<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<OfferedRule<'a>>,
    /// The agent denied the call by itself already; an allow overrules that, once.
    #[serde(default, skip_serializing_if = "is_false")]
    overrule: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OfferedRule<'a> {
    label: Cow<'a, str>,
    #[serde(borrow)]
    rule: Json<'a>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Plan<'a> {
    text: Cow<'a, str>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Form<'a> {
    message: Cow<'a, str>,
    #[serde(borrow, default)]
    fields: Vec<Field<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    schema: Option<Json<'a>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Field<'a> {
    name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<Cow<'a, str>>,
    kind: FieldKind,
    /// Of the kinds `one_of` and `many_of`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<Cow<'a, [String]>>,
    #[serde(default, skip_serializing_if = "is_false")]
    required: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FieldKind {
    Text,
    Number,
    Integer,
    Flag,
    OneOf,
    ManyOf,
}

#[derive(Serialize, Deserialize, JsonSchema, Default)]
struct Context<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    more: Option<Json<'a>>,
}

impl<'a> From<&'a core::Ask> for Ask<'a> {
    fn from(ask: &'a core::Ask) -> Self {
        let mut record = Self {
            id: Id(ask.id),
            at: ask.at.0,
            kind: ask.body.kind().into(),
            questions: None,
            approval: None,
            plan: None,
            form: None,
            terms: (&ask.terms).into(),
            reach: ask.reach.into(),
            door: (&ask.asker.door).into(),
            agent: (&ask.asker.agent).into(),
            party: ask.asker.party.as_str().into(),
            machine: ask.asker.machine.as_ref().map(Into::into),
            call: ask.call.as_ref().map(|call| call.as_str().into()),
            context: (&ask.context).into(),
            key: ask.key.as_ref().map(|key| key.as_str().into()),
            stated: ask.stated,
            original: ask.original.as_ref().map(Into::into),
            instead_of: ask.instead_of.map(Id),
        };
        match &ask.body {
            core::Body::Questions(questions) => {
                record.questions = Some(questions.iter().map(Into::into).collect());
            }
            core::Body::Approval(approval) => record.approval = Some(approval.into()),
            core::Body::Plan(plan) => record.plan = Some(Plan { text: (&plan.text).into() }),
            core::Body::Form(form) => record.form = Some(form.into()),
        }
        record
    }
}

impl TryFrom<Ask<'_>> for core::Ask {
    type Error = Inconsistent;

    fn try_from(ask: Ask<'_>) -> Result<Self, Inconsistent> {
        let body = match ask.kind {
            Kind::Questions => {
                let questions = ask.questions.ok_or(Inconsistent("questions"))?;
                core::Body::Questions(questions.into_iter().map(Into::into).collect())
            }
            Kind::Approval => core::Body::Approval(ask.approval.ok_or(Inconsistent("approval"))?.into()),
            Kind::Plan => {
                let text = ask.plan.ok_or(Inconsistent("plan"))?.text.into_owned();
                core::Body::Plan(core::Plan { text })
            }
            Kind::Form => core::Body::Form(ask.form.ok_or(Inconsistent("form"))?.try_into()?),
        };
        Ok(Self {
            id: ask.id.0,
            at: Timestamp(ask.at),
            body,
            terms: ask.terms.into(),
            reach: ask.reach.into(),
            asker: core::Asker {
                door: ask.door.into_owned(),
                agent: ask.agent.into_owned(),
                party: PartyId(ask.party.into()),
                machine: ask.machine.map(Cow::into_owned),
            },
            call: ask.call.map(|call| CallId(call.into())),
            context: ask.context.into(),
            key: ask.key.map(|key| Key(key.into())),
            stated: ask.stated,
            original: ask.original.map(Into::into),
            instead_of: ask.instead_of.map(|id| id.0),
        })
    }
}

impl<'a> From<&'a core::Question> for Question<'a> {
    fn from(of: &'a core::Question) -> Self {
        let choice = |choice: &'a core::Choice| Choice {
            label: (&choice.label).into(),
            description: lent(&choice.description),
            preview: lent(&choice.preview),
        };
        Self {
            question: (&of.text).into(),
            header: lent(&of.header),
            options: of.options.iter().map(choice).collect(),
            multi_select: of.multi,
            secret: of.secret,
        }
    }
}

impl From<Question<'_>> for core::Question {
    fn from(of: Question<'_>) -> Self {
        let choice = |choice: Choice<'_>| core::Choice {
            label: choice.label.into_owned(),
            description: owned(choice.description),
            preview: owned(choice.preview),
        };
        Self {
            text: of.question.into_owned(),
            header: owned(of.header),
            options: of.options.into_iter().map(choice).collect(),
            multi: of.multi_select,
            secret: of.secret,
        }
    }
}

impl<'a> From<&'a core::Approval> for Approval<'a> {
    fn from(of: &'a core::Approval) -> Self {
        let rule = |rule: &'a core::OfferedRule| OfferedRule { label: (&rule.label).into(), rule: (&rule.rule).into() };
        Self {
            tool: (&of.tool).into(),
            input: (&of.input).into(),
            summary: lent(&of.summary),
            reason: lent(&of.reason),
            rules: of.rules.iter().map(rule).collect(),
            overrule: of.overrule,
        }
    }
}

impl From<Approval<'_>> for core::Approval {
    fn from(of: Approval<'_>) -> Self {
        let rule = |rule: OfferedRule<'_>| core::OfferedRule { label: rule.label.into_owned(), rule: rule.rule.into() };
        Self {
            tool: of.tool.into_owned(),
            input: of.input.into(),
            summary: owned(of.summary),
            reason: owned(of.reason),
            rules: of.rules.into_iter().map(rule).collect(),
            overrule: of.overrule,
        }
    }
}

impl<'a> From<&'a core::Form> for Form<'a> {
    fn from(of: &'a core::Form) -> Self {
        Self {
            message: (&of.message).into(),
            fields: of.fields.iter().map(Into::into).collect(),
            url: lent(&of.url),
            schema: of.schema.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<Form<'_>> for core::Form {
    type Error = Inconsistent;

    fn try_from(of: Form<'_>) -> Result<Self, Inconsistent> {
        Ok(Self {
            message: of.message.into_owned(),
            fields: of.fields.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            url: owned(of.url),
            schema: of.schema.map(Into::into),
        })
    }
}

impl<'a> From<&'a core::Field> for Field<'a> {
    fn from(of: &'a core::Field) -> Self {
        let (kind, options) = match &of.kind {
            core::FieldKind::Text => (FieldKind::Text, None),
            core::FieldKind::Number => (FieldKind::Number, None),
            core::FieldKind::Integer => (FieldKind::Integer, None),
            core::FieldKind::Flag => (FieldKind::Flag, None),
            core::FieldKind::OneOf(options) => (FieldKind::OneOf, Some(Cow::Borrowed(&options[..]))),
            core::FieldKind::ManyOf(options) => (FieldKind::ManyOf, Some(Cow::Borrowed(&options[..]))),
        };
        Self {
            name: (&of.name).into(),
            title: lent(&of.title),
            description: lent(&of.description),
            kind,
            options,
            required: of.required,
        }
    }
}

impl TryFrom<Field<'_>> for core::Field {
    type Error = Inconsistent;

    fn try_from(of: Field<'_>) -> Result<Self, Inconsistent> {
        let options = of.options.map(Cow::into_owned).ok_or(Inconsistent("options"));
        Ok(Self {
            name: of.name.into_owned(),
            title: owned(of.title),
            description: owned(of.description),
            kind: match of.kind {
                FieldKind::Text => core::FieldKind::Text,
                FieldKind::Number => core::FieldKind::Number,
                FieldKind::Integer => core::FieldKind::Integer,
                FieldKind::Flag => core::FieldKind::Flag,
                FieldKind::OneOf => core::FieldKind::OneOf(options?),
                FieldKind::ManyOf => core::FieldKind::ManyOf(options?),
            },
            required: of.required,
        })
    }
}

impl Context<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, Self { text: None, title: None, folder: None, branch: None, more: None })
    }
}

impl<'a> From<&'a core::Context> for Context<'a> {
    fn from(of: &'a core::Context) -> Self {
        Self {
            text: lent(&of.text),
            title: lent(&of.title),
            folder: lent(&of.folder),
            branch: lent(&of.branch),
            more: of.more.as_ref().map(Into::into),
        }
    }
}

impl From<Context<'_>> for core::Context {
    fn from(of: Context<'_>) -> Self {
        Self {
            text: owned(of.text),
            title: owned(of.title),
            folder: owned(of.folder),
            branch: owned(of.branch),
            more: of.more.map(Into::into),
        }
    }
}
