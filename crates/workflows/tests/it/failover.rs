//! A client that reports no start of a session.

use askbridge_workflows::{Hook, StartSource};
use serde_json::json;

use crate::support::Session;
use crate::tools::{FIRST, SECOND};

const POLICY: &str = "## Pre-Existing Error/Warning/Failure Policy";

fn times(texts: &[String]) -> usize {
    texts.iter().filter(|text| text.contains(POLICY)).count()
}

#[test]
fn the_first_message_initializes_a_session_without_a_start_and_the_second_does_not() {
    for source in ["claude_sdk", "claude_sdk_web_chat"] {
        let mut session = Session::of_gobby(FIRST, source);
        assert_eq!(times(&session.says("Hello").context), 1, "{source}");
        for name in ["session_initialized", "_session_initialized"] {
            assert_eq!(session.variable(name), json!(true), "{source}: {name}");
        }
        assert_eq!(session.variable("plan_mode"), json!(false));
        assert_eq!(session.variable("max_stop_attempts"), json!(3));
        assert_eq!(times(&session.says("Go on").context), 0, "{source}");
    }
}

#[test]
fn after_a_start_the_first_message_initializes_nothing() {
    for source in ["claude", "claude_sdk_web_chat"] {
        let mut session = Session::of_gobby(FIRST, source);
        assert_eq!(times(&session.start(StartSource::Startup).context), usize::from(source != "claude_sdk"));
        assert_eq!(times(&session.says("Hello").context), 0, "{source}");
    }
}

#[test]
fn neither_a_resume_nor_a_compaction_brings_the_failover_back() {
    let mut session = Session::of_gobby(FIRST, "claude_sdk_web_chat");
    session.says("Hello");
    session.on(Hook::PreCompact { trigger: "auto".to_owned() });
    assert_eq!(times(&session.says("Go on").context), 0, "after a compaction");
    let mut resumed = Session::of_gobby(FIRST, "claude_sdk_web_chat");
    resumed.state = session.state.clone();
    assert_eq!(times(&resumed.says("Are you there?").context), 0, "after a resume from stored state");
    let mut reported = Session::of_gobby(FIRST, "claude_sdk_web_chat");
    reported.start(StartSource::Resume);
    assert_eq!(times(&reported.says("Hello").context), 0, "after a resume that was reported");
}

#[test]
fn a_guard_by_the_name_in_the_design_works_as_well() {
    let file = "
name: own
triggers:
  on_before_agent:
    - action: inject_context
      when: \"not variables.get('session_initialized')\"
      template: Welcome.
";
    let mut session = Session::with(&[("own.yaml", file)], "claude_sdk");
    assert_eq!(session.says("Hello").context, ["Welcome."]);
    assert_eq!(session.says("Hello again").context, [""; 0]);
    let mut started = Session::with(&[("own.yaml", file)], "claude");
    started.start(StartSource::Startup);
    assert_eq!(started.says("Hello").context, [""; 0]);
}

#[test]
fn a_workflow_without_a_guard_gets_its_start_at_the_first_message() {
    let file = "
name: own
triggers:
  on_session_start:
    - action: set_variable
      name: greeted_as
      value: 1
      when: \"event.data.get('source') == 'startup'\"
";
    let mut session = Session::with(&[("own.yaml", file)], "claude_sdk");
    session.says("Hello");
    assert_eq!(session.variable("greeted_as"), json!(1));
}

#[test]
fn rules_of_the_second_generation_get_their_start_once() {
    let mut session = Session::of_gobby(SECOND, "claude_sdk_web_chat");
    session.says("Hello");
    assert_eq!(session.variable("mode_level"), json!(2));
    assert_eq!(session.variable("is_subagent"), json!(false));
    let rule = "
rules:
  greet:
    event: session_start
    enabled: true
    effects: [{type: inject_context, template: 'Start {{ event.data.source }}.'}]
";
    let mut own = Session::of_rule(rule);
    assert_eq!(own.says("Hello").context, ["Start startup."]);
    assert_eq!(own.says("Go on").context, [""; 0]);
}
