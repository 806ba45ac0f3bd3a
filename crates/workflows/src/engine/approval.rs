//! Approvals of the first generation: a step asks a person, who answers with a word.

use super::run::Run;
use crate::event::Hook;
use crate::file::Step;
use crate::state::PendingApproval;
use crate::value::Value;

const YES: &[&str] = &["yes", "approve", "approved", "proceed", "continue", "ok", "okay", "y"];
const NO: &[&str] = &["no", "reject", "rejected", "stop", "cancel", "abort", "n"];

/// What a message says about an approval.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Neither,
}

/// The whole message, or its first word, is one of the words.
fn answer(message: &str) -> Answer {
    let message = message.trim().to_lowercase();
    let first = message.split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches([',', '.', '!', '?', ':', ';']);
    let is = |words: &[&str]| words.contains(&message.as_str()) || words.contains(&first);
    if is(YES) {
        Answer::Yes
    } else if is(NO) {
        Answer::No
    } else {
        Answer::Neither
    }
}

impl<'a> Run<'a> {
    /// Takes an answer, or asks.
    pub(super) fn approval(&mut self, step: &'a Step) {
        let Hook::UserPromptSubmit { prompt } = &self.event.hook else { return };
        let rule = step.name.as_str();
        let Some(active) = &mut self.active else { return };
        if let Some(pending) = active.approval.take() {
            match answer(prompt) {
                Answer::Yes => {
                    self.set(rule, &granted(&pending.condition), Value::Bool(true));
                    self.outcome.context.push(format!("Approved: {}", pending.prompt));
                }
                Answer::No => {
                    self.set(rule, &rejected(&pending.condition), Value::Bool(true));
                    self.block(rule, "User rejected the approval request.".to_owned());
                }
                Answer::Neither => {
                    let text = format!(
                        "Waiting for approval: {}\n\nPlease respond with 'yes' or 'no' to continue.",
                        pending.prompt
                    );
                    active.approval = Some(pending);
                    self.outcome.context.push(text);
                }
            }
            return;
        }
        let is_open = |id: &str| !self.variable(&granted(id)).truth();
        let Some((id, prompt)) = step.approvals.iter().find(|(id, _)| is_open(id)) else { return };
        // A rejected one is not asked again.
        if self.variable(&rejected(id)).truth() {
            return;
        }
        let pending = PendingApproval { condition: id.clone(), prompt: prompt.clone() };
        self.outcome
            .context
            .push(format!("Approval required: {prompt}\n\nPlease respond with 'yes' to approve or 'no' to reject."));
        if let Some(active) = &mut self.active {
            active.approval = Some(pending);
        }
    }
}

fn granted(id: &str) -> String {
    format!("_approval_{id}_granted")
}

fn rejected(id: &str) -> String {
    format!("_approval_{id}_rejected")
}
