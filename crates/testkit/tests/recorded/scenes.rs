//! The conversations that are recorded.

use askbridge_scripted::model::{Script, all, ask, in_subagent, not, on_any_result, on_user, text, thinking, tool};
use serde_json::json;

use crate::person::Person;

pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) script: fn() -> Script,
    pub(crate) person: Person,
    /// Arguments beyond those that a host always passes.
    pub(crate) args: &'static [&'static str],
    /// Tools that always go to a person.
    pub(crate) always: &'static [&'static str],
    /// The process is ended with its question open, and the conversation continues in a second process.
    pub(crate) resumes: bool,
}

const PLAIN: Scene =
    Scene { name: "", script: question, person: Person::Agrees, args: &[], always: &[], resumes: false };

pub(crate) const SCENES: &[Scene] = &[
    Scene { name: "question_answered", ..PLAIN },
    Scene { name: "question_dismissed", person: Person::Refuses, ..PLAIN },
    Scene { name: "question_interrupted", person: Person::Interrupts, ..PLAIN },
    Scene { name: "question_parked", person: Person::Waits, resumes: true, ..PLAIN },
    Scene { name: "question_where_nothing_is_asked", args: &["--permission-mode=dontAsk"], ..PLAIN },
    Scene { name: "two_questions_at_once", script: two_questions, ..PLAIN },
    Scene { name: "command_allowed", script: command, ..PLAIN },
    Scene { name: "command_denied", script: command, person: Person::Refuses, ..PLAIN },
    Scene {
        name: "command_that_always_goes_to_a_person",
        script: command,
        person: Person::Refuses,
        args: &["--permission-mode=acceptEdits", "--allowedTools=Bash"],
        always: &["Bash"],
        ..PLAIN
    },
    Scene { name: "plan_sent_back", script: plan, person: Person::Refuses, args: &["--permission-mode=plan"], ..PLAIN },
    Scene {
        name: "subagent_asks",
        script: subagent,
        args: &["--allowedTools=Agent,mcp__askbridge__ask_user"],
        ..PLAIN
    },
    Scene { name: "thinks_and_talks", script: talk, ..PLAIN },
];

/// Where another release behaves differently: the release, the scene, and why that is fine.
pub(crate) const DIFFERENCES: &[(&str, &str, &str)] = &[(
    "2.1.197",
    "command_that_always_goes_to_a_person",
    "a hook cannot be relied on to make it ask, so the hook itself denies; the model reads the same words",
)];

fn question() -> Script {
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user(""), [ask("toolu_1", "Which?", ["A", "B"])])
}

fn two_questions() -> Script {
    let both = [ask("toolu_1", "Which?", ["A", "B"]), ask("toolu_2", "And where?", ["C", "D"])];
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user(""), both)
}

fn command() -> Script {
    let input = json!({"command": "touch made", "description": "Touch a file"});
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user(""), [tool("toolu_1", "Bash", input)])
}

fn plan() -> Script {
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user(""), [tool("toolu_1", "ExitPlanMode", json!({}))])
}

fn subagent() -> Script {
    let question = json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]});
    let task = json!({"description": "d", "prompt": "ask them", "subagent_type": "general-purpose", "run_in_background": false});
    Script::new()
        .turn(all([in_subagent(), on_any_result()]), [text("they chose")])
        .turn(in_subagent(), [tool("toolu_ask", "mcp__askbridge__ask_user", question)])
        .turn(on_any_result(), [text("done")])
        .turn(all([on_user("hi"), not(in_subagent())]), [tool("toolu_1", "Agent", task)])
        .turn(on_user(""), [text("ok")])
}

fn talk() -> Script {
    Script::new().turn(on_user(""), [thinking("Let me see."), text("Well, "), text("so be it.")])
}
