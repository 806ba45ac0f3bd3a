//! The first adviser: the rules of the operator and the project that look at every call.
//!
//! The engine and the facts are those of asks (`runtime/wishes.rs`), and each call is ruled by one version of the rules.

use std::sync::Arc;

use askbridge_core::ask::{Approval, Body};
use askbridge_core::event::ToolRuling;
use askbridge_core::rules::asks::{AskFacts, Call, ProjectRules, RuleSet, rule_every_call};
use askbridge_core::rules::{CallFacts, CallRules, Moment, rule_call};
use askbridge_core::terms::Wishes;
use askbridge_peers::consult::{Advice, Consultation, Consulted, Occurrence};
use askbridge_peers::doors::hook;
use askbridge_peers::tools::ToolCall;
use askbridge_policy::JsonCall;

use crate::runtime::{Handle, ProjectFile, ProjectLook};

/// Does a rule of the operator, or of the project that this folder belongs to, look at every call?
pub(super) async fn look_at_calls(handle: &Handle, folder: Option<&str>) -> bool {
    let rules = handle.rules.now();
    rules.looks_at_every_call()
        || project(handle, folder).await.is_some_and(|project| project.rules(&rules).set().looks_at_every_call())
}

/// What the rules say about a call that is about to run. They look at nothing else.
pub(super) async fn advise(handle: &Handle, about: &Consultation) -> Consulted {
    let Occurrence::Calling(call) = &about.what else { return Consulted::default() };
    let project = project(handle, about.folder.as_deref().filter(|_| about.is_here)).await;
    let rules = handle.rules.now();
    let project = project.as_ref().map(|project| project.rules(&rules));
    let ruled = ruled(handle, &rules, project, about, call);
    // A tool that asks a person anyway has nothing to be asked about before.
    let ruled = ruled.filter(|advice| advice.ruling == ToolRuling::Deny || !call.asks_a_person());
    Consulted { ruling: ruled.or_else(|| always_ask(handle, about, call)), ..Consulted::default() }
}

fn ruled(
    handle: &Handle,
    rules: &RuleSet,
    project: Option<&ProjectRules>,
    about: &Consultation,
    call: &ToolCall,
) -> Option<Advice> {
    let looks = |set: &RuleSet| set.looks_at_every_call();
    if !looks(rules) && !project.is_some_and(|project| looks(project.set())) {
        return None;
    }
    let now = handle.clock.now();
    let session = about.session.to_string();
    let (tool, input) = (call.tool.clone(), call.input.clone());
    let body =
        Body::Approval(Approval { tool, input, summary: None, reason: None, rules: Vec::new(), overrule: false });
    let json = JsonCall::new(&call.tool, call.input.as_str());
    let none = Wishes::default();
    let facts = AskFacts {
        at: now,
        door: about.door,
        agent: about.agent.as_deref().unwrap_or_default(),
        session: Some(&session),
        title: about.title.as_deref(),
        folder: about.folder.as_deref(),
        branch: about.branch.as_deref(),
        body: Some(&body),
        call: Some(&json as &dyn Call),
        digest_questions: None,
        local: handle.rules.local(rules, project.map(ProjectRules::set), now),
        present: handle.rules.present(),
        decided_before: 0,
        wishes: [&none; 4],
    };
    let ruled = rule_every_call(rules, project, &facts)?;
    // What was left out of the input may be what matters.
    if about.is_cut && ruled.ruling == ToolRuling::Allow {
        return None;
    }
    let (rule, place, words) = (ruled.rule.name.clone(), ruled.rule.place.clone(), ruled.words.to_owned());
    Some(Advice { rule, place, ruling: ruled.ruling, words })
}

/// The operator's tools that always go to a person, for agents in terminals. Those that we run ask by themselves.
fn always_ask(handle: &Handle, about: &Consultation, call: &ToolCall) -> Option<Advice> {
    if about.door != hook::NAME || call.asks_a_person() {
        return None;
    }
    let patterns = handle.rules.always_ask();
    let rules = CallRules { always_ask: &patterns, other_tools: None };
    let facts = CallFacts { tool: &call.tool, texts: &|| call.texts(), moment: Moment::BeforeTheCall };
    let ruled = rule_call(rules, facts)?;
    Some(Advice { rule: ruled.rule, place: None, ruling: ruled.ruling, words: String::new() })
}

/// The project's file that counts in a folder.
async fn project(handle: &Handle, folder: Option<&str>) -> Option<Arc<ProjectFile>> {
    let mut look = ProjectLook::NotYet;
    loop {
        let now = handle.clock.now();
        match handle.rules.projects.after(&mut look, folder, now) {
            Some(found) => return found,
            None => handle.rules.projects.look(&mut look, now).await,
        }
    }
}
