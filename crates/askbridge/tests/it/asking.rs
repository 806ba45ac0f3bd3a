//! `askbridge ask`, from real shell scripts.

use serde_json::Value;

use crate::bridge::TestBridge;

/// Asks, and prints what a script gets.
const DEPLOY: &str = r#"answer=$(askbridge ask "Deploy now?" -o Yes -o No); echo "code $?, answer <$answer>""#;

#[test]
fn a_script_gets_the_label_that_was_chosen() {
    let bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "Yes", "--note", "go on"]).good();
    let ran = script.ended();
    assert_eq!(ran.stdout, "code 0, answer <Yes>\n");
    assert!(ran.stderr.ends_with("note: go on\n"), "{}", ran.stderr);
    assert!(bridge.open().is_empty());
}

#[test]
fn several_options_are_printed_one_on_each_line() {
    let bridge = TestBridge::start();
    let script = bridge.spawn_bash(r#"askbridge ask "Which?" -o api -o web -o docs --multi | tac"#);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "docs", "--option", "api"]).good();
    assert_eq!(script.ended().stdout, "docs\napi\n");
}

#[test]
fn free_text_comes_back_as_it_was_written() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "What is it called?"]);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--text", "Größe, \"quoted\" 1"]).good();
    assert_eq!(script.ended().good(), "Größe, \"quoted\" 1\n");
}

#[test]
fn json_is_the_whole_ask() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&[
        "ask",
        "Deploy now?",
        "-o",
        "Yes",
        "-o",
        "No",
        "--json",
        "--describe",
        "Yes=ship it",
        "--header",
        "Deploy",
        "--context",
        "v1.2",
        "--title",
        "Release",
        "--agent",
        "ci",
    ]);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "no"]).good();
    let ran = script.ended();
    let json: Value = serde_json::from_str(ran.good()).unwrap();
    assert_eq!(json["id"], ask);
    assert_eq!(json["answers"]["Deploy now?"], "No");
    assert_eq!(json["by"]["person"], "ada");
    assert_eq!(json["agent"], "ci");
    assert_eq!(json["questions"][0]["header"], "Deploy");
    assert_eq!(json["questions"][0]["options"][0]["description"], "ship it");
    assert_eq!(json["context"]["text"], "v1.2");
    assert_eq!(json["context"]["title"], "Release");
    assert_eq!(json["context"]["folder"], bridge.dir.path().to_str().unwrap());
}

#[test]
fn the_branch_is_told() {
    let bridge = TestBridge::start();
    std::fs::create_dir(bridge.dir.path().join(".git")).unwrap();
    std::fs::write(bridge.dir.path().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    bridge.run(&["ask", "Deploy now?", "--no-wait"]).good();
    assert_eq!(bridge.open()[0]["context"]["branch"], "topic");
}

#[test]
fn a_dismissed_question_ends_with_10_and_their_words() {
    let bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--dismiss", "--words", "ask me tomorrow"]).good();
    let ran = script.ended();
    assert_eq!(ran.stdout, "code 10, answer <>\n");
    assert!(ran.stderr.contains("ask me tomorrow"), "{}", ran.stderr);
}

#[test]
fn an_answer_that_skips_the_question_is_not_taken_for_one() {
    let bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--note", "no idea"]).good();
    let ran = script.ended();
    assert_eq!(ran.stdout, "code 10, answer <>\n");
    assert!(ran.stderr.ends_with("note: no idea\n"), "{}", ran.stderr);
}

#[test]
fn an_expired_question_ends_with_11() {
    let bridge = TestBridge::start();
    let ran = bridge.bash(r#"askbridge ask "Deploy now?" -o Yes -o No --timeout 100ms; echo "code $?""#);
    assert_eq!(ran.stdout, "code 11\n");
    assert!(ran.stderr.contains("This is a timeout, not a refusal"), "{}", ran.stderr);
}

#[test]
fn an_assumed_answer_is_printed_and_still_ends_with_11() {
    let bridge = TestBridge::start();
    let ask = r#"askbridge ask "Deploy now?" -o Yes -o No --timeout 100ms --on-expiry assume:No; echo "code $?""#;
    let ran = bridge.bash(ask);
    assert_eq!(ran.stdout, "No\ncode 11\n");
    assert!(ran.stderr.contains("no person chose it"), "{}", ran.stderr);
    let ask = r#"askbridge ask "Which?" -o a -o b -o c --multi --timeout 100ms --on-expiry assume:a,c; echo "code $?""#;
    assert_eq!(bridge.bash(ask).stdout, "a\nc\ncode 11\n");
    let ask = r#"askbridge ask "Name?" --timeout 100ms --on-expiry assume:Wanderer; echo "code $?""#;
    assert_eq!(bridge.bash(ask).stdout, "Wanderer\ncode 11\n");
}

#[test]
fn a_withdrawn_question_ends_with_12() {
    let bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    bridge.post(&format!("/v1/asks/{ask}/withdraw"), "", &serde_json::json!({"why": "plans changed"}));
    let ran = script.ended();
    assert_eq!(ran.stdout, "code 12, answer <>\n");
    assert!(ran.stderr.ends_with("the question was withdrawn: plans changed\n"), "{}", ran.stderr);
}

#[test]
fn without_a_server_it_ends_with_13_at_once() {
    let ran = TestBridge::stopped().bash(DEPLOY);
    assert_eq!(ran.stdout, "code 13, answer <>\n");
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    let bridge = TestBridge::stopped();
    for args in [
        "",
        "''",
        "'Deploy?' --multi",
        "'Deploy?' --timeout soon",
        "'Deploy?' --on-expiry tell",
        "'Deploy?' -o Yes --timeout 1m --on-expiry assume:No",
        "'Deploy?' -o Yes --describe No=never",
        "'Deploy?' --on-expiry allow --timeout 1m",
        "'Deploy?' --key 'a b'",
    ] {
        let ran = bridge.bash(&format!("askbridge ask {args}; echo $?"));
        assert_eq!(ran.stdout, "2\n", "{args}: {}", ran.stderr);
    }
}

#[test]
fn ctrl_c_takes_the_question_back() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "Deploy now?"]);
    bridge.the_open_ask();
    script.tells("waiting for an answer");
    script.interrupt();
    let ran = script.ended();
    assert_eq!(ran.code, Some(130));
    assert!(ran.stderr.ends_with("interrupted; the question was withdrawn\n"), "{}", ran.stderr);
    assert!(bridge.open().is_empty());
}

#[test]
fn a_question_outlives_the_server_that_took_it() {
    let mut bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    for _ in 0..2 {
        bridge.kill();
        script.tells("lost the connection to askbridge");
        bridge.start_again();
        assert_eq!(bridge.the_open_ask(), ask);
    }
    bridge.answer(&[&ask, "--option", "Yes"]).good();
    let ran = script.ended();
    assert_eq!(ran.stdout, "code 0, answer <Yes>\n");
    assert_eq!(ran.stderr.matches("lost the connection").count(), 1, "{}", ran.stderr);
}

#[test]
fn the_same_key_is_the_same_question() {
    let bridge = TestBridge::start();
    let ask = ["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--key", "deploy-42"];
    let (first, second) = (bridge.spawn(&ask), bridge.spawn(&ask));
    first.tells("waiting for an answer");
    second.tells("waiting for an answer");
    let id = bridge.the_open_ask();
    bridge.answer(&[&id, "--option", "Yes"]).good();
    assert_eq!(first.ended().good(), "Yes\n");
    assert_eq!(second.ended().good(), "Yes\n");
    // A script that is run again after a crash gets the same answer, without asking a person again.
    assert_eq!(bridge.run(&ask).good(), "Yes\n");
}

#[test]
fn an_old_answer_is_not_taken_for_a_new_question() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "--key", "k", "--no-wait"]).good();
    let ran = bridge.run(&["ask", "Delete everything?", "--key", "k", "--no-wait"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_script_can_ask_now_and_come_back_for_the_answer() {
    let bridge = TestBridge::start();
    let id = bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--key", "k", "--no-wait"]);
    let id = id.good().trim();
    bridge.answer(&[id, "--option", "Yes"]).good();
    assert_eq!(bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--key", "k"]).good(), "Yes\n");
}

#[test]
fn an_agents_token_asks_over_tcp() {
    let bridge = TestBridge::start();
    let token = bridge.run(&["token", "create", "ci"]).good().trim().to_owned();
    let script = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes", "--token", &token]);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "Yes"]).good();
    assert_eq!(script.ended().good(), "Yes\n");
}

#[test]
fn an_answer_that_can_be_taken_back_counts_when_its_time_is_over() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--undo", "30s"]);
    let ask = bridge.the_open_ask();
    let answered = bridge.answer(&[&ask, "--option", "Yes"]);
    assert!(answered.stderr.contains("it can be taken back"), "{}", answered.stderr);
    bridge.answer(&[&ask, "--undo"]).good();
    bridge.answer(&[&ask, "--dismiss"]).good();
    assert_eq!(script.ended().code, Some(10));
}

#[test]
fn an_answer_outlives_a_server_that_is_killed_within_its_undo_time() {
    let mut bridge = TestBridge::start();
    let script = bridge.spawn_bash(DEPLOY);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "Yes", "--undo-for", "5s"]).good();
    bridge.kill();
    bridge.start_again();
    assert_eq!(script.ended().stdout, "code 0, answer <Yes>\n");
}

#[test]
fn a_person_at_a_terminal_can_want_time_to_take_an_answer_back() {
    let bridge = TestBridge::start();
    let script = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No"]);
    let ask = bridge.the_open_ask();
    let answered = bridge.answer(&[&ask, "--option", "Yes", "--undo-for", "60s"]);
    assert!(answered.stderr.contains("it can be taken back"), "{}", answered.stderr);
    bridge.answer(&[&ask, "--undo"]).good();
    bridge.answer(&[&ask, "--option", "No", "--undo-for", "1s"]).good();
    assert_eq!(script.ended().good(), "No\n");
    for (wrong, why) in
        [("61s", "60 at most"), ("1500ms", "whole seconds"), ("1.5s", "span of time"), ("x", "--undo-for")]
    {
        let refused = bridge.answer(&[&ask, "--option", "Yes", "--undo-for", wrong]);
        assert_eq!(refused.code, Some(2), "{wrong}");
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    assert_eq!(bridge.answer(&[&ask, "--dismiss", "--undo-for", "5s"]).code, Some(2));
}
