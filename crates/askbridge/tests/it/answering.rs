//! `askbridge answer`: by flags, and step by step in a real terminal.

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::terminal::Terminal;

fn sit_down(bridge: &TestBridge, args: &[&str]) -> Terminal {
    let args: Vec<_> = ["answer"].iter().chain(args).copied().collect();
    Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &args))
}

/// Returns the only ask that there ever was.
fn the_ask(bridge: &TestBridge) -> Value {
    let all = bridge.run(&["inbox", "--all", "--json"]);
    let mut lines = all.good().lines();
    let ask = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(lines.next(), None);
    ask
}

#[test]
fn a_person_at_a_terminal_chooses_by_number() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--describe", "Yes=ship it"]);
    bridge.the_open_ask();
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("Deploy now?");
    terminal.shows("1. Yes — ship it");
    terminal.shows("2. No");
    terminal.shows("A number, or your own words (Enter skips):");
    terminal.types("3");
    terminal.shows("There is no option 3");
    terminal.types("2");
    terminal.shows("This will be sent:");
    terminal.shows("No");
    terminal.shows("Send it? [Y/n]");
    terminal.types("");
    terminal.shows("answered: No");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(script.ended().good(), "No\n");
    assert_eq!(the_ask(&bridge)["by"], json!({"person": "ada", "device": "terminal", "via": "http"}));
}

#[test]
fn several_options_are_typed_with_commas() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "Which?", "-o", "api", "-o", "web", "-o", "docs", "--multi"]);
    bridge.the_open_ask();
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("Numbers like 1,3");
    terminal.types("1,3");
    terminal.shows("api, docs");
    terminal.shows("Send it?");
    terminal.types("y");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(script.ended().good(), "api\ndocs\n");
}

#[test]
fn several_questions_come_one_after_the_other_and_may_be_skipped() {
    let bridge = TestBridge::start();
    let (yes, no) = (json!({"label": "Yes"}), json!({"label": "No"}));
    bridge.ask(
        "k",
        &json!({"questions": [
            {"question": "Deploy?", "options": [yes, no]},
            {"question": "Tell the team?", "options": [yes, no]},
            {"question": "What is it called?"},
        ]}),
    );
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("Question 1 of 3");
    terminal.shows("Enter skips");
    terminal.types("1");
    terminal.shows("Question 2 of 3");
    terminal.shows("Enter skips");
    terminal.types("");
    terminal.shows("Question 3 of 3");
    terminal.shows("Enter skips");
    terminal.types("Wanderer");
    terminal.shows("Tell the team?");
    terminal.shows("(skipped)");
    terminal.shows("Send it?");
    terminal.types("");
    assert_eq!(terminal.ends(), 0);
    let ask = the_ask(&bridge);
    assert_eq!(ask["answers"], json!({"Deploy?": "Yes", "What is it called?": "Wanderer"}));
    assert_eq!(ask["skipped"], json!(["Tell the team?"]));
}

#[test]
fn nothing_is_sent_before_the_person_says_so() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("Enter skips");
    terminal.types("1");
    terminal.shows("Send it?");
    terminal.types("n");
    terminal.shows("error: nothing was sent");
    assert_eq!(terminal.ends(), 1);
    assert_eq!(bridge.open().len(), 1);
}

#[test]
fn one_of_several_asks_is_chosen_from_a_list() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "First?", "-o", "Yes", "--no-wait"]).good();
    bridge.run(&["ask", "Second?", "-o", "Yes", "--no-wait"]).good();
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("1. ");
    terminal.shows("First?");
    terminal.shows("2. ");
    terminal.shows("Second?");
    terminal.shows("Which one?");
    terminal.types("2");
    terminal.shows("Second?");
    terminal.shows("Enter skips");
    terminal.types("1");
    terminal.shows("Send it?");
    terminal.types("");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(bridge.open()[0]["questions"][0]["question"], "First?");
}

#[test]
fn an_approval_shows_what_would_run_and_is_denied_with_words() {
    let bridge = TestBridge::start();
    let rule = json!({"label": "npm commands", "rule": "Bash(npm:*)"});
    let approval = json!({"tool": "Bash", "input": {"command": "npm publish\u{1b}[2K"}, "rules": [rule]});
    bridge.ask("k", &json!({"approval": approval}));
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("May Bash run?");
    terminal.shows("command: npm publish\\u{1b}[2K");
    terminal.shows("1. Allow once");
    terminal.shows("2. Always allow: npm commands");
    terminal.shows("3. Deny");
    terminal.shows("Enter decides nothing");
    terminal.types("3");
    terminal.shows("Why?");
    terminal.types("not on a Friday");
    terminal.shows("Stop the agent as well? [y/N]");
    terminal.types("");
    terminal.shows("Send it?");
    terminal.types("");
    assert_eq!(terminal.ends(), 0);
    let answers = json!({"decision": "deny", "words": "not on a Friday", "stop": false});
    assert_eq!(the_ask(&bridge)["answers"], answers);
}

#[test]
fn a_plan_is_sent_back() {
    let bridge = TestBridge::start();
    bridge.ask("k", &json!({"plan": "Rewrite it\nin one go"}));
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("in one go");
    terminal.shows("Enter decides nothing");
    terminal.types("2");
    terminal.shows("What should change?");
    terminal.types("smaller steps");
    terminal.shows("Send it?");
    terminal.types("");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(the_ask(&bridge)["answers"], json!({"decision": "send_back", "words": "smaller steps"}));
}

#[test]
fn a_form_is_filled_in_field_by_field() {
    let bridge = TestBridge::start();
    let properties = json!({
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "news": {"type": "boolean"},
        "plan": {"enum": ["free", "paid"]},
        "extras": {"type": "array", "items": {"enum": ["a", "b", "c"]}},
        "comment": {"type": "string"},
    });
    let schema = json!({"properties": properties, "required": ["name"]});
    bridge.ask("k", &json!({"form": {"message": "Sign up", "schema": schema}}));
    let mut terminal = sit_down(&bridge, &[]);
    terminal.shows("Fill it in?");
    terminal.types("");
    for (field, line) in [
        ("age (a whole number; Enter leaves it out):", "36"),
        ("comment (text; Enter leaves it out):", ""),
        ("extras (numbers like 1,3; Enter leaves it out):", "1,3"),
        ("name (text):", "ada"),
        ("news (y or n; Enter leaves it out):", "y"),
        ("plan (a number from the list; Enter leaves it out):", "2"),
    ] {
        terminal.shows(field);
        terminal.types(line);
    }
    terminal.shows("Send it?");
    terminal.types("");
    assert_eq!(terminal.ends(), 0);
    let content = json!({"name": "ada", "age": 36, "news": true, "plan": "paid", "extras": ["a", "c"]});
    assert_eq!(the_ask(&bridge)["answers"], json!({"decision": "accept", "content": content}));
}

#[test]
fn every_kind_is_answered_with_its_own_flags() {
    let bridge = TestBridge::start();
    let two =
        json!([{"question": "Deploy?", "options": ["Yes", "No"]}, {"question": "Tell?", "options": ["Yes", "No"]}]);
    let schema = json!({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    let rules = json!([{"label": "npm", "rule": "npm"}]);
    for (key, body, flags, answers) in [
        (
            "1",
            json!({"questions": two}),
            vec!["-o", "1:yes", "--text", "2:maybe", "--note", "2:hm"],
            json!({"Deploy?": "Yes", "Tell?": "maybe"}),
        ),
        ("2", json!({"approval": {"tool": "Bash"}}), vec!["--allow"], json!({"decision": "allow"})),
        (
            "3",
            json!({"approval": {"tool": "Bash", "rules": rules}}),
            vec!["--always", "1"],
            json!({"decision": "allow", "always": 0, "rule": "npm"}),
        ),
        (
            "4",
            json!({"approval": {"tool": "Bash"}}),
            vec!["--deny", "--words", "no", "--stop"],
            json!({"decision": "deny", "words": "no", "stop": true}),
        ),
        ("5", json!({"plan": "Do it"}), vec!["--approve"], json!({"decision": "approve"})),
        ("6", json!({"plan": "Do it"}), vec!["--send-back", "why?"], json!({"decision": "send_back", "words": "why?"})),
        (
            "7",
            json!({"form": {"message": "Who?", "schema": schema}}),
            vec!["--field", "name=ada", "--field", "age=36"],
            json!({"decision": "accept", "content": {"name": "ada", "age": 36}}),
        ),
        (
            "8",
            json!({"form": {"message": "Who?", "schema": schema}}),
            vec!["--decline"],
            json!({"decision": "decline"}),
        ),
    ] {
        let ask = bridge.ask(key, &body);
        let args: Vec<_> = [ask.as_str(), "--json"].into_iter().chain(flags).collect();
        let ran = bridge.answer(&args);
        let json: Value = serde_json::from_str(ran.good()).unwrap();
        assert_eq!(json["answers"], answers, "{body}");
    }
}

#[test]
fn asking_is_not_authorizing() {
    let bridge = TestBridge::start();
    let question = bridge.ask("1", &json!({"question": "Deploy?", "options": ["Yes"]}));
    let approval = bridge.ask("2", &json!({"approval": {"tool": "Bash"}}));
    let plan = bridge.ask("3", &json!({"plan": "Do it"}));
    for (ask, flag) in [
        (&question, vec!["--allow"]),
        (&question, vec!["--approve"]),
        (&approval, vec!["--option", "Yes"]),
        (&approval, vec!["--approve"]),
        (&plan, vec!["--allow"]),
        (&plan, vec!["--text", "fine"]),
        (&question, vec!["--option", "Maybe"]),
        (&approval, vec!["--always", "1"]),
    ] {
        let args: Vec<_> = [ask.as_str()].into_iter().chain(flag).collect();
        let ran = bridge.answer(&args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(bridge.open().len(), 3);
}

#[test]
fn a_late_answer_goes_to_the_agent_as_a_message() {
    let bridge = TestBridge::start();
    assert_eq!(bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--timeout", "50ms"]).code, Some(11));
    let late = bridge.run(&["inbox", "--late", "--json"]);
    let ask: Value = serde_json::from_str(late.good().trim()).unwrap();
    let ran = bridge.answer(&[ask["id"].as_str().unwrap(), "--option", "Yes"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "taken as a late answer; the agent gets it as a message\n"));
}

#[test]
fn whoever_is_second_learns_who_was_first() {
    let bridge = TestBridge::start();
    let id = bridge.run(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--no-wait"]);
    let id = id.good().trim();
    bridge.answer(&[id, "--option", "Yes"]).good();
    bridge.answer(&[id, "--option", "Yes"]).good();
    let mut terminal = sit_down(&bridge, &[id, "--option", "No"]);
    bridge.tap("--allow");
    terminal.shows("error: already decided by ada (phone), ");
    assert_eq!(terminal.ends(), 1);
}

#[test]
fn a_script_without_a_terminal_or_a_token_may_not_decide() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    let ran = bridge.run(&["answer", "--option", "Yes"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(bridge.open().len(), 1);
}

#[test]
fn an_agents_token_may_not_decide_its_own_ask() {
    let bridge = TestBridge::start();
    let token = bridge.run(&["token", "create", "ci"]).good().trim().to_owned();
    let id = bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait", "--token", &token]);
    let ran = bridge.run(&["answer", id.good().trim(), "--option", "Yes", "--token", &token]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("may ask but never decide"), "{}", ran.stderr);
    assert_eq!(bridge.open().len(), 1);
}

#[test]
fn what_a_list_has_shortened_is_fetched_whole_before_it_is_answered() {
    let bridge = TestBridge::start();
    // They differ only beyond the length at which a list cuts them.
    let label = |end: &str| format!("{} {end}", "x".repeat(3_000));
    let option = |end: &str| json!({"label": label(end), "preview": "y".repeat(10_000)});
    let question = json!({"question": "Which way?", "options": [option("north"), option("south")]});
    let id = bridge.ask("k", &json!({ "questions": [question] }));
    assert!(bridge.open()[0]["truncated"]["bytes"].as_u64().is_some_and(|bytes| bytes > 26_000));
    bridge.answer(&[&id, "--option", &label("south")]).good();
    assert_eq!(the_ask(&bridge)["state"], "answered");
}
