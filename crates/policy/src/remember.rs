//! Makes a rule of one approval: it allows this very call again, where and as long as a person said.

use askbridge_core::ask::{Approval, Body};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{AskFacts, AskRule, Call, RuleFile, RuleSet, Ruled, TermsOf, rule_ask};
use askbridge_core::terms::Wishes;
use sha2::{Digest, Sha256};

use crate::call::JsonCall;
use crate::file::read;

/// Where an approval is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// In this session.
    Session(String),
    /// In this folder and below it.
    Folder(String),
    Everywhere,
}

/// A rule that remembers an approval.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// The same for the same call and reach, so that remembering it again replaces it.
    pub id: String,
    /// The rule as it stands in a rule file.
    pub toml: String,
    pub rule: AskRule,
}

/// Why an approval cannot be remembered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRemembered {
    #[error("only approvals of tool calls can be remembered, and this is none")]
    NoApproval,
    #[error("the input of this call cannot be read, so it could not be recognised again")]
    Unreadable,
    #[error("no rule can be bound to exactly this call{0}")]
    NoRule(String),
}

/// Makes the rule for an approval. `until` is how the moment is written in a rule file.
pub fn remember(body: &Body, reach: &Reach, until: &str) -> Result<Remembered, NotRemembered> {
    let Body::Approval(approval) = body else { return Err(NotRemembered::NoApproval) };
    let digest = JsonCall::from(approval).digest().ok_or(NotRemembered::Unreadable)?;
    let place = match reach {
        Reach::Session(session) => format!("session = {}\n", quoted(session)),
        Reach::Folder(folder) => format!("folder = {}\n", quoted(folder)),
        Reach::Everywhere => String::new(),
    };
    let id = hex(&Sha256::digest(format!("{digest}\n{place}").as_bytes())[..8]);
    let toml = format!(
        "[[rules]]\nname = \"remembered {id}\"\ndo = \"allow\"\nkind = \"approval\"\ntool = {}\ninput_sha256 = \"{digest}\"\n{place}until = {until}\n",
        quoted(&approval.tool)
    );
    let loaded = read("remembered.toml", &toml, None).map_err(|problems| {
        let why = problems.first().map(|problem| format!(": {}", problem.what)).unwrap_or_default();
        NotRemembered::NoRule(why)
    })?;
    let rule = loaded.rules.into_iter().next().ok_or_else(|| NotRemembered::NoRule(String::new()))?;
    if !allows(&rule, approval, body, reach) {
        return Err(NotRemembered::NoRule(": it would not allow the call".to_owned()));
    }
    Ok(Remembered { id, toml, rule })
}

/// Does the rule allow the call that it was made of? A tool's name or a folder may read like a pattern for others.
fn allows(rule: &AskRule, approval: &Approval, body: &Body, reach: &Reach) -> bool {
    let (session, folder) = match reach {
        Reach::Session(session) => (Some(session.as_str()), None),
        Reach::Folder(folder) => (None, Some(folder.as_str())),
        Reach::Everywhere => (None, None),
    };
    let (call, none) = (JsonCall::from(approval), Wishes::default());
    let facts = AskFacts {
        at: Timestamp(0),
        door: "",
        agent: "",
        session,
        title: None,
        folder,
        branch: None,
        body: Some(body),
        call: Some(&call),
        digest_questions: None,
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
