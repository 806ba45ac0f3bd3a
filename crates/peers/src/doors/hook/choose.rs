//! Decides whether an event becomes an ask, and whether the agent waits for it.
//!
//! A person at the terminal always sees its dialog. A hook that runs before the dialog, and so hides it, holds the
//! agent only for a person who is away.

use std::time::Duration;

use super::hear::{Agent, HookEvent, HookEventKind, ToolCall};
use super::mouth::Mouth;
use super::version::Version;
use crate::tools::held::HELD_TOOLS;

/// In this mode no person is asked, so nothing comes after the first hook.
const MODE_WITHOUT_QUESTIONS: &str = "dontAsk";

/// What is known besides the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// The person is not at a terminal of this machine, or said so.
    pub away: bool,
    /// Who else the agent asks: a run by a script or a timer has no terminal.
    pub mouth: Mouth,
    /// The agent also asks us through a tool, and asks everything there.
    pub asks_by_tool: bool,
    /// How long such a run is kept before its question is parked. `None`: it is not parked.
    pub park: Option<Duration>,
    /// The agent's version, where it reports it.
    pub version: Option<Version>,
    /// A rule that looks at every call sends this one to a person.
    pub is_sent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAction {
    /// No opinion, and nothing to do.
    Pass,
    /// No opinion, but remember the call's id: the event that asks about it does not carry it.
    Note(ToolCall),
    /// Have the agent show its dialog, whatever its mode and rules would allow. The event that asks follows.
    Send(ToolCall),
    /// Ask, and hold the hook until there is an answer.
    Hold {
        call: ToolCall,
        /// When to stop waiting and park the question.
        park: Option<Duration>,
        /// Another hook follows, which can deny in our own words.
        follows: bool,
    },
}

/// Decides about a tool that is about to be called, or that a person is being asked about.
pub fn choose(heard: &HookEvent, facts: &Facts) -> HookAction {
    match &heard.what {
        HookEventKind::Calling(call) => {
            let hold = |park: Option<Duration>, follows: bool| HookAction::Hold { call: call.clone(), park, follows };
            let nobody_is_asked = heard.mode.as_deref() == Some(MODE_WITHOUT_QUESTIONS);
            let asks_beside = facts.version.is_none_or(Version::asks_beside_the_dialog) && !nobody_is_asked;
            if !HELD_TOOLS.contains(&call.tool.as_str()) {
                return match facts.is_sent {
                    false => HookAction::Pass,
                    // No dialog is shown, so no other event would ask, and what is not answered here would be denied.
                    true if facts.mouth == Mouth::Nobody || nobody_is_asked && facts.away => hold(None, false),
                    true => HookAction::Send(call.clone()),
                };
            }
            // Parked, a subagent's call would be lost, and its turn would end as if it had succeeded.
            match facts.park {
                Some(park) if facts.mouth != Mouth::Terminal && !heard.in_subagent => {
                    hold(Some(park), asks_beside && !facts.asks_by_tool)
                }
                _ if facts.away && !asks_beside => hold(None, false),
                _ => HookAction::Note(call.clone()),
            }
        }
        // Codex asks its hook first and shows nothing until the hook has answered.
        HookEventKind::Wanted { .. } if heard.agent == Agent::Codex && !facts.away => HookAction::Pass,
        // The same call reaches us both ways at the same moment. One call, one card.
        HookEventKind::Wanted { .. } if facts.asks_by_tool => HookAction::Pass,
        HookEventKind::Wanted { call, .. } => HookAction::Hold { call: call.clone(), park: None, follows: false },
        _ => HookAction::Pass,
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::Raw;

    use super::*;

    fn event(agent: Agent, mode: &str, what: HookEventKind) -> HookEvent {
        HookEvent {
            agent,
            conversation: "c".to_owned(),
            folder: None,
            record: None,
            mode: Some(mode.to_owned()),
            in_subagent: false,
            is_cut: false,
            what,
        }
    }

    fn call(tool: &str) -> ToolCall {
        ToolCall { id: Some("toolu_1".to_owned()), tool: tool.to_owned(), input: Raw::from("{}") }
    }

    fn wanted(tool: &str) -> HookEventKind {
        HookEventKind::Wanted { call: call(tool), suggestions: None }
    }

    const AWAY: Facts =
        Facts { away: true, mouth: Mouth::Terminal, asks_by_tool: false, park: None, version: None, is_sent: false };

    #[test]
    fn a_dialog_is_hidden_from_nobody_who_sits_there() {
        let here = Facts::default();
        let old = Facts { version: Version::read("2.0.1"), ..here };
        let question = event(Agent::Claude, "default", HookEventKind::Calling(call("AskUserQuestion")));
        assert_eq!(choose(&question, &here), HookAction::Note(call("AskUserQuestion")));
        assert_eq!(choose(&question, &old), HookAction::Note(call("AskUserQuestion")));
        assert_eq!(choose(&event(Agent::Codex, "default", wanted("Bash")), &here), HookAction::Pass);
    }

    #[test]
    fn where_only_the_first_hook_fires_it_holds_for_a_person_who_is_away() {
        let question = event(Agent::Claude, "default", HookEventKind::Calling(call("AskUserQuestion")));
        let old = Facts { version: Version::read("2.0.1"), ..AWAY };
        let held = HookAction::Hold { call: call("AskUserQuestion"), park: None, follows: false };
        assert_eq!(choose(&question, &old), held);
        assert_eq!(choose(&question, &AWAY), HookAction::Note(call("AskUserQuestion")), "another follows");
        let unasked = event(Agent::Claude, "dontAsk", HookEventKind::Calling(call("AskUserQuestion")));
        assert_eq!(choose(&unasked, &AWAY), held);
        assert_ne!(choose(&event(Agent::Codex, "default", wanted("Bash")), &AWAY), HookAction::Pass);
    }

    #[test]
    fn the_dialog_of_claude_code_stays_on_screen_so_everything_is_asked() {
        for tool in ["AskUserQuestion", "ExitPlanMode", "Bash", "mcp__x__y"] {
            let step = choose(&event(Agent::Claude, "default", wanted(tool)), &Facts::default());
            assert_eq!(step, HookAction::Hold { call: call(tool), park: None, follows: false });
        }
        let bash = event(Agent::Claude, "default", HookEventKind::Calling(call("Bash")));
        assert_eq!(choose(&bash, &AWAY), HookAction::Pass, "it may be allowed without anybody");
    }

    #[test]
    fn what_an_agent_asks_with_our_tool_its_hook_does_not_ask_again() {
        let park = Some(Duration::from_secs(60));
        let script = Facts { mouth: Mouth::PromptTool, asks_by_tool: true, park, ..Facts::default() };
        for tool in ["AskUserQuestion", "ExitPlanMode", "Bash"] {
            assert_eq!(choose(&event(Agent::Claude, "default", wanted(tool)), &script), HookAction::Pass);
        }
        // A question that may be parked is asked before the dialog, and then nowhere else.
        let question = event(Agent::Claude, "default", HookEventKind::Calling(call("AskUserQuestion")));
        let parked = HookAction::Hold { call: call("AskUserQuestion"), park, follows: false };
        assert_eq!(choose(&question, &script), parked);
    }

    #[test]
    fn only_a_run_without_a_terminal_is_parked_and_never_a_subagent() {
        let park = Some(Duration::from_secs(60));
        let question = event(Agent::Claude, "default", HookEventKind::Calling(call("AskUserQuestion")));
        let script = Facts { mouth: Mouth::PromptTool, park, ..Facts::default() };
        let parked = HookAction::Hold { call: call("AskUserQuestion"), park, follows: true };
        assert_eq!(choose(&question, &script), parked);
        let note = HookAction::Note(call("AskUserQuestion"));
        assert_eq!(choose(&question, &Facts { mouth: Mouth::Terminal, ..script }), note);
        assert_eq!(choose(&question, &Facts { park: None, ..script }), note);
        assert_eq!(choose(&HookEvent { in_subagent: true, ..question }, &script), note);
    }
}
