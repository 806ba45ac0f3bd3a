//! An ask in a snapshot or a list: whole if it is small, otherwise with shortened texts.

use std::borrow::Cow;

use askbridge_core::limits;
use askbridge_core::view::AskView;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::ask::{ApprovalJson, AskJson, BodyJson, FieldJson, FormJson, OptionJson, QuestionJson, TruncatedJson};

/// Bytes that one shortened text keeps.
const TEXT_BYTES: usize = 1024;
/// Bytes that all texts of a shortened body keep, and as many for what became of the ask. With escapes they take up to
/// six times as many; then less is kept.
const BUDGET_BYTES: usize = 6 * 1024;
/// Bytes that a list item takes besides its texts.
const ITEM_BYTES: usize = 48;

/// An ask as lists show it, already serialized.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct ListedAsk(Box<RawValue>);

impl ListedAsk {
    pub fn of(view: &AskView) -> Self {
        let mut ask = AskJson::of(view);
        let mut listed = written(&ask);
        let (whole, mut budget) = (listed.get().len(), BUDGET_BYTES);
        while listed.get().len() > limits::LISTED_ASK_BYTES_MAX && budget > 0 {
            ask.truncated = Some(TruncatedJson { bytes: whole });
            shorten(&mut ask, budget);
            listed = written(&ask);
            budget /= 4;
        }
        Self(listed)
    }

    /// Its size on the wire.
    pub fn bytes(&self) -> usize {
        self.0.get().len()
    }
}

fn written(ask: &AskJson) -> Box<RawValue> {
    to_raw_value(ask).expect("an ask has text keys")
}

impl JsonSchema for ListedAsk {
    fn inline_schema() -> bool {
        AskJson::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        AskJson::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        AskJson::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AskJson::json_schema(generator)
    }
}

/// Shortens what is asked, and what became of it, to `budget` bytes each.
fn shorten(ask: &mut AskJson, budget: usize) {
    let mut body = ByteBudget(budget);
    body.body(&mut ask.body);
    let mut rest = ByteBudget(budget);
    for text in [&mut ask.context.title, &mut ask.context.folder, &mut ask.context.branch, &mut ask.context.text] {
        rest.option(text);
    }
    rest.option(&mut ask.words);
    rest.json(&mut ask.answers);
    rest.map(&mut ask.notes);
    rest.list(&mut ask.skipped, |budget, text| budget.text(text));
    if let Some(verdict) = &mut ask.verdict {
        rest.text(&mut verdict.words);
        verdict.assume.iter_mut().for_each(|assumed| rest.json(assumed));
    }
    if let Some(late) = &mut ask.late {
        rest.json(&mut late.answers);
        rest.map(&mut late.notes);
    }
}

/// How many bytes of text are left. Items that come when there are none are left out.
struct ByteBudget(usize);

impl ByteBudget {
    fn take(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes);
    }

    fn text(&mut self, text: &mut String) {
        let max = TEXT_BYTES.min(self.0);
        if text.len() > max {
            text.truncate(text.floor_char_boundary(max));
            text.push('…');
            text.shrink_to_fit();
        }
        self.take(text.len());
    }

    fn option(&mut self, text: &mut Option<String>) {
        text.iter_mut().for_each(|text| self.text(text));
    }

    fn list<T>(&mut self, items: &mut Vec<T>, mut each: impl FnMut(&mut Self, &mut T)) {
        let mut kept = 0;
        for item in &mut *items {
            if self.0 == 0 {
                break;
            }
            self.take(ITEM_BYTES);
            each(self, item);
            kept += 1;
        }
        items.truncate(kept);
    }

    fn map(&mut self, map: &mut Map<String, Value>) {
        let mut kept = Map::new();
        for (key, mut value) in std::mem::take(map) {
            if key.len() < TEXT_BYTES.min(self.0) {
                self.take(key.len() + ITEM_BYTES);
                self.json(&mut value);
                kept.insert(key, value);
            }
        }
        *map = kept;
    }

    fn json(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => self.list(items, Self::json),
            Value::Object(map) => self.map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.take(ITEM_BYTES),
        }
    }

    fn raw(&mut self, raw: &mut Box<RawValue>) {
        let mut value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
        self.json(&mut value);
        *raw = to_raw_value(&value).expect("JSON has text keys");
    }

    fn body(&mut self, body: &mut BodyJson) {
        match body {
            BodyJson::Questions { questions } => self.list(questions, Self::question),
            BodyJson::Approval { approval: ApprovalJson { tool, input, summary, reason, rules, overrule: _ } } => {
                self.text(tool);
                self.option(summary);
                self.option(reason);
                self.raw(input);
                self.list(rules, |budget, rule| {
                    budget.text(&mut rule.label);
                    budget.raw(&mut rule.rule);
                });
            }
            BodyJson::Plan { plan } => self.text(plan),
            BodyJson::Form { form: FormJson { message, url, fields } } => {
                self.text(message);
                self.option(url);
                self.list(fields, Self::field);
            }
        }
    }

    fn question(&mut self, question: &mut QuestionJson) {
        self.text(&mut question.question);
        self.option(&mut question.header);
        self.list(&mut question.options, |budget, OptionJson { label, description, preview }| {
            budget.text(label);
            budget.option(description);
            budget.option(preview);
        });
    }

    fn field(&mut self, field: &mut FieldJson) {
        self.text(&mut field.name);
        self.option(&mut field.title);
        self.option(&mut field.description);
        self.list(&mut field.options, |budget, option| budget.text(option));
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::answer::{Answer, Decision, Scope};
    use askbridge_core::ask::{Approval, Ask, Body, Choice, Plan, Question};
    use askbridge_core::ids::Raw;
    use askbridge_testkit::asks;
    use serde_json::json;

    use super::*;

    fn view(body: Body) -> AskView {
        let ask = asks::ask(asks::NAMES[0]).unwrap();
        AskView::fresh(Ask { body, ..(*ask).clone() }.into())
    }

    fn approval(input: &Value) -> AskView {
        let input = Raw::from(input.to_string());
        let tool = "Write".to_owned();
        view(Body::Approval(Approval { tool, input, summary: None, reason: None, rules: Vec::new(), overrule: false }))
    }

    fn listed(view: &AskView) -> Value {
        let listed = ListedAsk::of(view);
        assert!(listed.bytes() <= limits::LISTED_ASK_BYTES_MAX, "{} bytes", listed.bytes());
        serde_json::to_value(&listed).unwrap()
    }

    #[test]
    fn what_is_small_is_listed_as_it_is() {
        let view = approval(&json!({"content": "x".repeat(limits::LISTED_ASK_BYTES_MAX / 2)}));
        assert_eq!(listed(&view), serde_json::to_value(AskJson::of(&view)).unwrap());
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_what_stands_beside_it_stays() {
        let view = approval(&json!({"content": "é".repeat(100_000), "file_path": "/srv/a.txt", "lines": [1, 2]}));
        let listed = listed(&view);
        let input = &listed["approval"]["input"];
        let content = input["content"].as_str().unwrap();
        assert!(content.starts_with("éé") && content.ends_with("é…"), "{content}");
        assert_eq!((&input["file_path"], &input["lines"]), (&json!("/srv/a.txt"), &json!([1, 2])));
        let whole = serde_json::to_string(&AskJson::of(&view)).unwrap().len();
        assert_eq!(listed["truncated"], json!({"bytes": whole}));
    }

    #[test]
    fn whatever_is_large_becomes_small() {
        let long = "\u{1}".repeat(50_000);
        let option =
            |_| Choice { label: "a".repeat(2_000), description: Some(long.clone()), preview: Some(long.clone()) };
        let question = Question {
            text: long.clone(),
            header: Some("h".repeat(4_000)),
            options: (0..2).map(option).collect(),
            multi: false,
            secret: false,
        };
        let many: Vec<_> = (0..30_000).collect();
        let keys: Map<String, Value> = (0..20_000).map(|number| (format!("key {number}"), json!({}))).collect();
        let mut edited = approval(&json!({"content": "short"}));
        let input = Raw::from(json!({ "content": long }).to_string());
        edited.answer = Some(Answer::Approval(Decision::Allow { scope: Scope::Once, edited: Some(input) }));
        for view in [
            view(Body::Questions(vec![question.clone(), question.clone(), question])),
            view(Body::Plan(Plan { text: long.clone() })),
            approval(&json!({ "many": many })),
            approval(&json!(keys)),
            approval(&json!({ "x".repeat(200_000): 1 })),
            edited,
        ] {
            assert!(listed(&view)["truncated"]["bytes"].as_u64().unwrap() > 100_000, "{:?}", view.ask.body.kind());
        }
    }
}
