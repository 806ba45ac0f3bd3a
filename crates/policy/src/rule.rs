//! Reads one `[[rules]]` entry.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ask::Kind;
use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_core::rules::asks::{
    Action, AnswerBy, Answers, AskRule, Conditions, Hours, Risk, TextPattern, Weekday, WhenDown,
};
use askbridge_core::terms::{OnDismissal, OnExpiry, Wait, WhileOpen, Wishes};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::exactly;
use crate::keys::{ACTIONS, KEYS, TERMS};
use crate::nearest::nearest;
use crate::spans;
use crate::tools::{ToolSpecs, Yes};

/// The byte of a problem, what it is, and a hint.
pub(crate) type Complaint = (usize, String, Option<String>);

type Value<'a> = Spanned<DeValue<'a>>;

pub(crate) fn read(table: &DeTable<'_>, at: usize, home: Option<&str>) -> (AskRule, Vec<Complaint>) {
    let mut reading = Reading { table, at, problems: Vec::new() };
    let name = reading.text("name").unwrap_or_default();
    if name.is_empty() && !table.contains_key("name") {
        reading.complain(at, "the rule has no name", Some("add a line like name = \"tests run\""));
    }
    let action = reading.action();
    let may_say_yes = matches!(action, Action::Allow | Action::Answer(_));
    let when = reading.conditions(if may_say_yes { Yes::May } else { Yes::Never }, home);
    let wishes = reading.wishes();
    let (every_call, when_down) = reading.every_call(&action, &when);
    reading.unknown();
    if action == Action::Terms && wishes == Wishes::default() && reading.problems.is_empty() {
        let hint = "give it something to do, like do = \"ask\", or a term, like timeout = \"10m\"";
        reading.complain(at, &format!("the rule `{name}` changes nothing"), Some(hint));
    }
    (AskRule { name, place: None, when, action, wishes, every_call, when_down }, reading.problems)
}

struct Reading<'a, 't> {
    table: &'a DeTable<'t>,
    at: usize,
    problems: Vec<Complaint>,
}

impl<'a, 't> Reading<'a, 't> {
    fn complain(&mut self, at: usize, what: &str, hint: Option<&str>) {
        self.problems.push((at, what.to_owned(), hint.map(str::to_owned)));
    }

    fn get(&self, name: &str) -> Option<&'a Value<'t>> {
        self.table.get(name)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() && text.len() <= limits::RULE_TEXT_BYTES_MAX => {
                Some(text.trim().to_owned())
            }
            DeValue::String(text) if text.len() > limits::RULE_TEXT_BYTES_MAX => {
                self.complain(value.span().start, &too_long(name), None);
                None
            }
            _ => {
                self.complain(value.span().start, &format!("`{name}` has to be text, in quotes"), None);
                None
            }
        }
    }

    /// A text, or a list of texts, each with its place.
    fn texts(&mut self, name: &str, value: &Value<'_>) -> Vec<(String, usize)> {
        let alone = std::slice::from_ref(value);
        let list: &[Value<'_>] = match value.get_ref() {
            DeValue::Array(list) if !list.is_empty() => list,
            _ => alone,
        };
        if list.len() > limits::RULE_PATTERNS_MAX {
            let what = format!("`{name}` has {} items, and at most {} fit", list.len(), limits::RULE_PATTERNS_MAX);
            self.complain(value.span().start, &what, None);
        }
        let mut texts = Vec::new();
        for item in list {
            match item.get_ref() {
                DeValue::String(text) if text.len() > limits::RULE_TEXT_BYTES_MAX => {
                    self.complain(item.span().start, &too_long(name), None);
                }
                DeValue::String(text) if !text.trim().is_empty() => {
                    texts.push((text.trim().to_owned(), item.span().start));
                }
                _ => self.complain(
                    item.span().start,
                    &format!("`{name}` has to be text, in quotes, or a list of it"),
                    None,
                ),
            }
        }
        texts
    }

    fn list(&mut self, name: &str) -> Vec<(String, usize)> {
        self.get(name).map(|value| self.texts(name, value)).unwrap_or_default()
    }

    fn patterns(&mut self, name: &str) -> Vec<TextPattern> {
        self.list(name).into_iter().map(|(text, _)| TextPattern::new(text)).collect()
    }

    /// A list of which each item is parsed.
    fn parsed<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>, like: &str) -> Vec<T> {
        let mut parsed = Vec::new();
        for (text, at) in self.list(name) {
            match read(&text) {
                Some(value) => parsed.push(value),
                None => self.complain(at, &format!("`{name}`: `{text}` is not {like}"), None),
            }
        }
        parsed
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        let value = self.get(name)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                self.complain(value.span().start, &format!("`{name}` has to be true or false, without quotes"), None);
                None
            }
        }
    }

    fn number(&mut self, name: &str, max: u32) -> Option<u32> {
        let value = self.get(name)?;
        let number = whole(value.get_ref()).filter(|number| (1..=max).contains(number));
        if number.is_none() {
            self.complain(
                value.span().start,
                &format!("`{name}` has to be a number from 1 to {max}, without quotes"),
                None,
            );
        }
        number
    }

    fn action(&mut self) -> Action {
        let place = |value: Option<&Value<'_>>| value.map(|value| value.span().start);
        let (said, at) = (self.text("do"), place(self.get("do")).unwrap_or(self.at));
        let words = self.text("words");
        let answer = self.get("answer").and_then(|value| self.answers(value));
        let wants_words = said.as_deref() == Some("deny");
        if let (false, Some(at)) = (wants_words, place(self.get("words"))) {
            self.complain(at, "`words` are for rules that deny", Some("add do = \"deny\", or remove them"));
        }
        if let (true, Some(at)) = (said.as_deref() != Some("answer"), place(self.get("answer"))) {
            self.complain(at, "`answer` is for rules that answer", Some("add do = \"answer\", or remove it"));
        }
        match said.as_deref() {
            None => Action::Terms,
            Some("ask") => Action::Ask,
            Some("park") => Action::Park,
            Some("allow") => Action::Allow,
            Some("deny") => match words {
                Some(words) => Action::Deny { words },
                None => {
                    let hint = "the agent reads them: words = \"Not on a Friday. Go on without it.\"";
                    self.complain(at, "a rule that denies needs `words`", Some(hint));
                    Action::Deny { words: String::new() }
                }
            },
            Some("answer") => match answer {
                Some(answers) => Action::Answer(answers),
                None => {
                    if self.get("answer").is_none() {
                        let hint = "add answer = \"recommended\", or a label of an option";
                        self.complain(at, "a rule that answers needs an `answer`", Some(hint));
                    }
                    Action::Answer(Answers::Each(Vec::new()))
                }
            },
            Some(other) => {
                let hint = nearest(other, ACTIONS.iter().copied());
                let hint = hint
                    .map_or_else(|| format!("there are {}", ACTIONS.join(", ")), |it| format!("did you mean `{it}`?"));
                self.complain(at, &format!("a rule cannot `{other}`"), Some(&hint));
                Action::Ask
            }
        }
    }

    fn answers(&mut self, value: &Value<'_>) -> Option<Answers> {
        let DeValue::Table(table) = value.get_ref() else { return self.answer_by(value).map(Answers::All) };
        // The parser sorts by name; the order of the file is the one that its author sees.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(question, _)| question.span().start);
        let each = entries
            .into_iter()
            .map(|(question, value)| Some((TextPattern::new(question.get_ref().as_ref()), self.answer_by(value)?)));
        // One pattern with stars may match what another names: those without come first.
        let mut each = each.collect::<Option<Vec<_>>>()?;
        each.sort_by_key(|(pattern, _)| matches!(pattern, TextPattern::Stars(_)));
        Some(Answers::Each(each))
    }

    fn answer_by(&mut self, value: &Value<'_>) -> Option<AnswerBy> {
        match value.get_ref() {
            DeValue::Integer(_) => {
                let number = whole(value.get_ref()).filter(|at| (1..=limits::OPTIONS_MAX as u32).contains(at));
                if number.is_none() {
                    self.complain(value.span().start, "options are counted from 1", None);
                }
                number.and_then(|number| u16::try_from(number - 1).ok()).map(AnswerBy::Index)
            }
            DeValue::String(text) if text.trim() == "recommended" => Some(AnswerBy::Recommended),
            DeValue::String(text) if text.trim() == "first" => Some(AnswerBy::First),
            _ => {
                let labels: Vec<_> = self.texts("answer", value).into_iter().map(|(label, _)| label).collect();
                (!labels.is_empty()).then_some(AnswerBy::Labels(labels))
            }
        }
    }

    fn conditions(&mut self, yes: Yes, home: Option<&str>) -> Conditions {
        let kinds = [Kind::Questions, Kind::Approval, Kind::Plan, Kind::Form];
        let day = |text: &str| Weekday::ALL.into_iter().find(|day| day.name() == text.to_lowercase());
        let tools = self.list("tool");
        let tool = match ToolSpecs::read(tools.iter().map(|(text, _)| text.as_str()), yes, home) {
            Ok(specs) => (!tools.is_empty()).then(|| Arc::new(specs) as _),
            Err((which, why)) => {
                let at = tools.get(which).map_or(self.at, |(_, at)| *at);
                self.complain(at, &why, None);
                None
            }
        };
        let risk = self.risk(yes);
        Conditions {
            door: self.patterns("door"),
            agent: self.patterns("agent"),
            session: self.patterns("session"),
            folder: self.parsed(
                "folder",
                |text| absolute(text, home),
                "a folder from the root, like /srv/app or ~/work",
            ),
            branch: self.patterns("branch"),
            kind: self.parsed(
                "kind",
                |text| kinds.into_iter().find(|kind| kind.name() == text),
                "a kind; there are questions, approval, plan, form",
            ),
            tool,
            input: self.input(yes),
            input_sha256: self.word("input_sha256", "64 hexadecimal digits", |text| {
                let is_one = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                is_one.then(|| text.to_owned())
            }),
            risk,
            question: self.patterns("question"),
            header: self.patterns("header"),
            first_header: None,
            option: self.patterns("option"),
            asks_about: self.list("asks_about").into_iter().map(|(text, _)| text).collect(),
            hours: self.parsed("hours", Hours::read, "a time of day, like 22:00-07:00"),
            weekdays: self.parsed("days", day, "a day; there are mon, tue, wed, thu, fri, sat, sun"),
            present: self.flag("present"),
            decided_before: self.number("decided_before", 1000),
            until: self.moment("until"),
        }
    }

    fn risk(&mut self, yes: Yes) -> Vec<Risk> {
        let mut risks = Vec::new();
        for (text, at) in self.list("risk") {
            match Risk::ALL.into_iter().find(|risk| risk.name() == text) {
                Some(risk) => risks.push(risk),
                None => {
                    let names = Risk::ALL.map(Risk::name);
                    let hint = nearest(&text, names).map(|meant| format!("did you mean `{meant}`?"));
                    let hint = hint.unwrap_or_else(|| format!("there are {}", names.join(", ")));
                    self.complain(at, &format!("`risk`: `{text}` is no hint"), Some(&hint));
                }
            }
        }
        if let (Yes::May, Some(value)) = (yes, self.get("risk")) {
            let hint = "use it with do = \"deny\" or \"ask\", or with terms";
            let what = "a hint makes no call safe, and a missing one proves nothing, so a rule that says yes cannot have `risk`";
            self.complain(value.span().start, what, Some(hint));
        }
        risks
    }

    /// Whether it looks at every call, and what becomes of such a call while the server does not answer.
    fn every_call(&mut self, action: &Action, when: &Conditions) -> (bool, WhenDown) {
        let every_call = self.flag("every_call").unwrap_or_default();
        let when_down = self.word("when_down", "pass or deny", |text| match text {
            "pass" => Some(WhenDown::Pass),
            "deny" => Some(WhenDown::Deny),
            _ => None,
        });
        let when_down = when_down.unwrap_or_default();
        let at = |name: &str| self.get(name).map_or(self.at, |value| value.span().start);
        let (at_every_call, at_when_down) = (at("every_call"), at("when_down"));
        let about_asks = !when.question.is_empty() || !when.header.is_empty() || !when.option.is_empty();
        let is_call = when.kind.is_empty() || when.kind.contains(&Kind::Approval);
        match action {
            Action::Deny { .. } | Action::Ask | Action::Park | Action::Allow => {}
            Action::Terms | Action::Answer(_) if every_call => {
                let hint = "use it with do = \"deny\", \"ask\" or \"allow\"";
                self.complain(at_every_call, "a call is denied, asked about or allowed; nothing else", Some(hint));
            }
            Action::Terms | Action::Answer(_) => {}
        }
        if every_call && (about_asks || !is_call) {
            let what = "the rule looks at every call, and its conditions are about other asks, so it matches none";
            self.complain(at_every_call, what, Some("remove `every_call`, or the conditions"));
        }
        if !every_call && self.get("when_down").is_some() {
            self.complain(at_when_down, "`when_down` is for rules with every_call = true", Some("add that line"));
        }
        if when_down == WhenDown::Deny && *action == Action::Allow {
            let what = "a rule that allows cannot deny while askbridge does not answer";
            self.complain(at_when_down, what, Some("put `when_down` into a rule that denies or asks"));
        }
        (every_call, when_down)
    }

    fn input(&mut self, yes: Yes) -> Vec<(String, Vec<TextPattern>)> {
        let Some(value) = self.get("input") else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.complain(value.span().start, "`input` is for fields: input.branch = \"release/*\"", None);
            return Vec::new();
        };
        let mut fields = Vec::new();
        self.fields("", table, 0, &mut fields);
        if fields.is_empty() {
            self.complain(value.span().start, "`input` names no field", Some("remove it, or name one"));
        }
        let is_wide = |pattern: &TextPattern| matches!(pattern, TextPattern::Stars(_));
        let wide = fields.iter().any(|(path, patterns)| path == "command" && patterns.iter().any(is_wide));
        if yes == Yes::May && wide {
            // As a text, `make *` is `make x; curl … | sh` too.
            let hint = "write tool = \"Bash(make *)\", which looks at every part of a command";
            self.complain(value.span().start, "a `*` in `input.command` would allow any command behind it", Some(hint));
        }
        fields
    }

    fn fields(&mut self, above: &str, table: &DeTable<'_>, depth: usize, fields: &mut Vec<(String, Vec<TextPattern>)>) {
        for (name, value) in table {
            let path =
                if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
            match value.get_ref() {
                DeValue::Table(inner) if depth < limits::NESTED_JSON_MAX && !inner.is_empty() => {
                    self.fields(&path, inner, depth + 1, fields)
                }
                _ => {
                    let texts = self.texts(&format!("input.{path}"), value);
                    fields.push((path, texts.into_iter().map(|(text, _)| TextPattern::new(text)).collect()));
                }
            }
        }
    }

    fn wishes(&mut self) -> Wishes {
        let wait =
            self.word("timeout", "a span of time up to 366 days, like 30s, 10m or 2h; or never", |text| match text {
                "never" => Some(Wait::Forever),
                text => spans::parse(text).filter(|span| !span.is_zero() && *span <= limits::WAIT_MAX).map(Wait::For),
            });
        let undo = self.word("undo", "a span of time up to 60 seconds, like 30s; or none", |text| match text {
            "none" => Some(Duration::ZERO),
            text => spans::parse(text).filter(|span| *span <= limits::UNDO_MAX),
        });
        Wishes {
            wait,
            undo,
            on_expiry: self.word("on_expiry", "tell or stop", |text| match text {
                "tell" => Some(OnExpiry::Tell),
                "stop" => Some(OnExpiry::TellAndStop),
                _ => None,
            }),
            on_dismissal: self.word("on_dismissal", "tell or stop", |text| match text {
                "tell" => Some(OnDismissal::Tell),
                "stop" => Some(OnDismissal::TellAndStop),
                _ => None,
            }),
            messages: self.word("messages", "hold, cancel_turn, refuse or pass_on", |text| match text {
                "hold" => Some(WhileOpen::Hold),
                "cancel_turn" => Some(WhileOpen::CancelTurn),
                "refuse" => Some(WhileOpen::Refuse),
                "pass_on" => Some(WhileOpen::PassOn),
                _ => None,
            }),
            parallel: self.flag("parallel"),
            quorum: self.number("quorum", u32::from(limits::QUORUM_MAX)).and_then(|number| u8::try_from(number).ok()),
            ..Wishes::default()
        }
    }

    fn moment(&mut self, name: &str) -> Option<Timestamp> {
        let value = self.get(name)?;
        let moment = match value.get_ref() {
            DeValue::Datetime(time) => exactly::until(&time.to_string()),
            _ => None,
        };
        if moment.is_none() {
            let what = format!("`{name}` has to be a time with its zone, like 2026-12-31T18:00:00Z, without quotes");
            self.complain(value.span().start, &what, None);
        }
        moment
    }

    fn word<T>(&mut self, name: &str, like: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(name)?;
        let read = read(&text);
        if read.is_none() {
            let at = self.get(name).map_or(self.at, |value| value.span().start);
            self.complain(at, &format!("`{name}`: `{text}` is not {like}"), None);
        }
        read
    }

    fn unknown(&mut self) {
        let names = || KEYS.iter().map(|(name, _)| *name).chain(TERMS.iter().copied());
        let table = self.table;
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !names().any(|known| known == name) {
                let hint = match name {
                    "trusted" => Some("put it above the first [[rules]]".to_owned()),
                    name => nearest(name, names()).map(|meant| format!("did you mean `{meant}`?")),
                };
                self.complain(key.span().start, &format!("a rule has no `{name}`"), hint.as_deref());
            }
        }
    }
}

fn too_long(name: &str) -> String {
    format!("`{name}` is longer than {} bytes", limits::RULE_TEXT_BYTES_MAX)
}

pub(crate) fn whole(value: &DeValue<'_>) -> Option<u32> {
    match value {
        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}

/// A folder from the root; `~` is the home folder.
pub(crate) fn absolute(text: &str, home: Option<&str>) -> Option<String> {
    match text.strip_prefix('~') {
        Some(rest) if (rest.is_empty() || rest.starts_with('/')) && !rest.contains('*') => {
            Some(format!("{}{rest}", home?.trim_end_matches('/')))
        }
        // A star would be taken as it is, and match nothing.
        _ => (text.starts_with('/') && !text.contains('*')).then(|| text.to_owned()),
    }
}
