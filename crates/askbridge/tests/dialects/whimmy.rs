//! whimmy: its plugin asks and we are its server, so this client in Node is an agent's, and people answer elsewhere.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::Script;
use serde_json::{Value, json};

use crate::house::House;
use crate::http::call_local;
use crate::node::play_with;
use crate::scripts::house;

struct Plugin {
    house: House,
    /// Two accounts of one plugin.
    accounts: [String; 2],
    code: String,
}

impl Plugin {
    fn new() -> Self {
        Self::of(house("whimmy", Subject::Fake))
    }

    fn of(house: House) -> Self {
        let socket = house.data().join("run/askbridge.sock");
        let made = |path: &str, name: &str, field: &str| {
            let (status, made) = call_local(&socket, "POST", path, &json!({"name": name})).unwrap();
            assert_eq!(status, 201, "{made}");
            made[field].as_str().unwrap().to_owned()
        };
        let accounts = ["one", "two"].map(|name| made("/v1/tokens", name, "token"));
        let code = made("/v1/codes", "typed", "code");
        Self { house, accounts, code }
    }

    #[track_caller]
    fn play(&self, scene: &str) {
        let [one, two] = &self.accounts;
        let env = [("ACCOUNT", one.as_str()), ("SECOND_ACCOUNT", two), ("CODE", &self.code)];
        play_with(&self.house, "whimmy", scene, &env);
    }

    fn open_asks(&self) -> Vec<Value> {
        self.house.get("/v1/asks?state=open")["items"].as_array().unwrap().clone()
    }
}

#[track_caller]
fn scene(name: &str) -> Plugin {
    let plugin = Plugin::new();
    plugin.play(name);
    plugin
}

#[test]
fn a_code_becomes_a_token_once_and_no_token_is_ever_logged() {
    let plugin = scene("pairing");
    let log = plugin.house.log();
    assert!(plugin.accounts.iter().all(|token| !log.contains(token)) && !log.contains(&plugin.code), "{log}");
}

#[test]
fn every_shape_of_question_is_answered_under_its_exact_text() {
    scene("questions");
}

#[test]
fn a_dismissal_is_words_under_every_question() {
    scene("dismissed");
}

#[test]
fn a_dismissal_is_nothing_where_the_operator_wants_it_so() {
    let settings = [("ASKBRIDGE_DIALECTS", "whimmy"), ("ASKBRIDGE_DIALECTS_EMPTY_DISMISSALS", "true")];
    Plugin::of(House::open_as(Subject::Fake, Script::new(), &settings)).play("dismissed_with_nothing");
}

#[test]
fn what_its_agents_remember_can_be_read() {
    scene("memory");
}

#[test]
fn an_emoji_is_a_reaction_and_is_read_before_it() {
    scene("reaction");
}

#[test]
fn nobody_answers_and_the_plugin_hears_it_before_it_gives_up_and_a_late_answer_is_a_message() {
    scene("nobody_answers");
}

#[test]
fn what_a_rule_decided_is_corrected_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.toml");
    let rule = "[[rules]]\nname = \"decide\"\ndo = \"deny\"\nwords = \"Decide yourself.\"\nquestion = \"Ruled?\"\n";
    std::fs::write(&file, rule).unwrap();
    let settings = [("ASKBRIDGE_DIALECTS", "whimmy"), ("ASKBRIDGE_RULES", file.to_str().unwrap())];
    Plugin::of(House::open_as(Subject::Fake, Script::new(), &settings)).play("ruled");
}

#[test]
fn approvals_are_granted_and_denied() {
    scene("approvals");
}

#[test]
fn a_plugin_that_comes_back_still_gets_its_answer() {
    scene("reconnect");
}

#[test]
fn an_answer_in_the_moment_of_coming_back_reaches_that_connection() {
    scene("answered_in_the_moment");
}

#[test]
fn the_same_question_on_the_sockets_of_two_accounts_is_one_ask() {
    scene("two_accounts");
}

#[test]
fn a_newer_connection_replaces_the_older_one() {
    scene("replaced");
}

#[test]
fn people_chat_with_its_agents_one_message_at_a_time() {
    scene("chat");
}

#[test]
fn a_message_that_may_have_arrived_is_sent_again_and_says_so_to_the_agent() {
    scene("sent_again");
}

#[test]
fn its_agents_ask_before_they_use_a_tool_where_the_operator_wants_it_so() {
    let settings = [("ASKBRIDGE_DIALECTS", "whimmy"), ("ASKBRIDGE_DIALECTS_WHIMMY_APPROVALS", "true")];
    Plugin::of(House::open_as(Subject::Fake, Script::new(), &settings)).play("approvals_on");
}

#[test]
fn openclaws_own_agent_is_left_alone_and_no_model_is_ever_undefined() {
    scene("own_agent");
}

#[test]
fn a_file_goes_up_and_comes_down_as_nothing_but_a_file() {
    scene("upload");
}

#[test]
fn what_cannot_be_shown_is_said_at_once() {
    scene("unshowable");
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}

#[test]
fn an_answer_survives_the_death_of_the_server_and_of_the_connection() {
    let house = House::open_as(Subject::Fake, Script::new(), &[("ASKBRIDGE_DIALECTS", "whimmy")]);
    let mut plugin = Plugin::of(house);
    plugin.play("ask_and_leave");
    plugin.house.kill();
    plugin.house.start();
    let asks = plugin.open_asks();
    assert_eq!(asks.len(), 1, "{asks:?}");
    plugin.house.answer(asks[0]["id"].as_str().unwrap(), json!({"answers": {"Which?": "B"}}));
    plugin.house.kill();
    plugin.house.start();
    plugin.play("come_back_for_the_answer");
    assert!(plugin.open_asks().is_empty());
}
