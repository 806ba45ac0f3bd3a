//! Makes a rule of one decision: it decides about this very call, or these very questions, the same way again, where
//! and as long as a person said.

use askbridge_core::ask::{Body, Question};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{AskFacts, AskRule, Call, RuleFile, RuleSet, Ruled, TermsOf, rule_ask};
use askbridge_core::terms::Wishes;
use sha2::{Digest, Sha256};

use crate::call::JsonCall;
use crate::exactly::digest_questions;
use crate::file::read;

/// Where a decision is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// In this session.
    Session(String),
    /// In this folder and below it.
    Folder(String),
    Everywhere,
}

/// What is decided again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RememberedChoice {
    /// The call is allowed.
    Allow,
    /// The call is denied in words.
    Deny,
    /// The options that are chosen, for each question.
    Answer(Vec<Vec<u16>>),
}

/// A rule that remembers a decision.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The same for the same ask, choice and reach, so that remembering it again replaces it.
    pub id: String,
    /// The rule as it stands in a rule file.
    pub toml: String,
    pub rule: AskRule,
}

/// Why a decision cannot be remembered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRemembered {
    #[error("only approvals of tool calls can be remembered, and this is none")]
    NoApproval,
    #[error("the input of this call cannot be read, so it could not be recognised again")]
    Unreadable,
    #[error("no rule can be bound to exactly this{0}")]
    NoRule(String),
}

/// What the agent reads of a denial that is remembered.
const DENIED: &str = "A person had this denied from now on. Go on without it.";

/// Makes the rule for an approval or for questions. `until` is how the moment is written in a rule file; `None`: for good.
pub fn remember(
    body: &Body,
    choice: &RememberedChoice,
    reach: &Reach,
    until: Option<&str>,
) -> Result<Remembered, NotRemembered> {
    let (kind, about, digest) = match (body, choice) {
        (Body::Approval(approval), RememberedChoice::Allow | RememberedChoice::Deny) => {
            let digest = JsonCall::from(approval).digest().ok_or(NotRemembered::Unreadable)?;
            ("approval", format!("tool = {}\n", quoted(&approval.tool)), digest)
        }
        (Body::Questions(questions), RememberedChoice::Answer(_)) => {
            ("questions", String::new(), digest_questions(questions))
        }
        _ => return Err(NotRemembered::NoApproval),
    };
    let does = match choice {
        RememberedChoice::Allow => "do = \"allow\"\n".to_owned(),
        RememberedChoice::Deny => format!("do = \"deny\"\nwords = {}\n", quoted(DENIED)),
        RememberedChoice::Answer(chosen) => format!("do = \"answer\"\nanswer = {}\n", answers(body, chosen)?),
    };
    let place = match reach {
        Reach::Session(session) => format!("session = {}\n", quoted(session)),
        Reach::Folder(folder) => format!("folder = {}\n", quoted(folder)),
        Reach::Everywhere => String::new(),
    };
    // An id made before other choices than to allow could be remembered stays what it was.
    let named = if *choice == RememberedChoice::Allow { String::new() } else { does.clone() };
    let id = hex(&Sha256::digest(format!("{digest}\n{named}{place}").as_bytes())[..8]);
    let until = until.map(|until| format!("until = {until}\n")).unwrap_or_default();
    let toml = format!(
        "[[rules]]\nname = \"remembered {id}\"\n{does}kind = \"{kind}\"\n{about}input_sha256 = \"{digest}\"\n{place}{until}"
    );
    let loaded = read("remembered.toml", &toml, None).map_err(|problems| {
        let why = problems.first().map(|problem| format!(": {}", problem.what)).unwrap_or_default();
        NotRemembered::NoRule(why)
    })?;
    let rule = loaded.rules.into_iter().next().ok_or_else(|| NotRemembered::NoRule(String::new()))?;
    if !decides(&rule, body, reach) {
        return Err(NotRemembered::NoRule(": it would not decide about it".to_owned()));
    }
    Ok(Remembered { id, toml, rule })
}

/// The answer as a rule file has it: by label, and by question where there are several.
fn answers(body: &Body, chosen: &[Vec<u16>]) -> Result<String, NotRemembered> {
    let none = || NotRemembered::NoRule(String::new());
    let Body::Questions(questions) = body else { return Err(NotRemembered::NoApproval) };
    let labels = |question: &Question, chosen: &[u16]| -> Option<String> {
        let label = |at: &u16| question.options.get(usize::from(*at)).map(|option| quoted(&option.label));
        let labels = chosen.iter().map(label).collect::<Option<Vec<_>>>().filter(|labels| !labels.is_empty())?;
        Some(format!("[{}]", labels.join(", ")))
    };
    if questions.len() != chosen.len() || questions.iter().any(|question| question.secret) {
        return Err(none());
    }
    let each = questions.iter().zip(chosen).map(|(question, chosen)| Some((&question.text, labels(question, chosen)?)));
    let each = each.collect::<Option<Vec<_>>>().ok_or_else(none)?;
    match each.as_slice() {
        [(_, answer)] => Ok(answer.clone()),
        several => {
            let each: Vec<_> = several.iter().map(|(text, answer)| format!("{} = {answer}", quoted(text))).collect();
            Ok(format!("{{ {} }}", each.join(", ")))
        }
    }
}

/// Does the rule decide about what it was made of? A tool's name or a folder may read like a pattern for others.
fn decides(rule: &AskRule, body: &Body, reach: &Reach) -> bool {
    let (session, folder) = match reach {
        Reach::Session(session) => (Some(session.as_str()), None),
        Reach::Folder(folder) => (None, Some(folder.as_str())),
        Reach::Everywhere => (None, None),
    };
    let call = match body {
        Body::Approval(approval) => Some(JsonCall::from(approval)),
        _ => None,
    };
    let none = Wishes::default();
    let facts = AskFacts {
        at: Timestamp(0),
        door: "",
        agent: "",
        session,
        title: None,
        folder,
        branch: None,
        body: Some(body),
        call: call.as_ref().map(|call| call as &dyn Call),
        digest_questions: Some(digest_questions),
        local: None,
        present: None,
        decided_before: 0,
        wishes: [&none; 4],
    };
    let set = RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules: vec![rule.clone()] }], Wishes::default());
    matches!(rule_ask(&set, &facts).ruled, Ruled::Says(_))
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            char if char.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(char))),
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
