//! Access for clients of other systems: off until enabled, and never without a token unless explicitly allowed.

use std::process::Command;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::house::House;
use crate::http::call;

const SESSIONS: &str = "/api/v1/claude-sessions";

fn house(settings: &[(&str, &str)]) -> House {
    House::open_as(Subject::Fake, Script::new(), settings)
}

#[test]
fn what_is_not_named_is_not_spoken() {
    let house = house(&[]);
    assert_eq!(call(&house.address, &house.ada, "GET", SESSIONS, &Value::Null).unwrap().0, 404);
}

#[test]
fn a_dialect_has_a_port_of_its_own_where_one_is_given() {
    let house = house(&[("ASKBRIDGE_DIALECTS", "prime=127.0.0.1:0")]);
    assert_eq!(call(&house.address, &house.ada, "GET", SESSIONS, &Value::Null).unwrap().0, 404);
    let written = std::fs::read_to_string(house.data().join("run/dialects")).unwrap();
    let own = written.trim().strip_prefix("prime ").unwrap();
    assert_eq!(call(own, &house.ada, "GET", SESSIONS, &Value::Null).unwrap().0, 200);
    assert_eq!(call(own, "", "GET", SESSIONS, &Value::Null).unwrap().0, 401);
    assert_eq!(call(own, &house.ada, "GET", "/v1/me", &Value::Null).unwrap().0, 404);
}

#[test]
fn without_a_token_nobody_comes_in_unless_the_operator_said_so_and_then_the_log_is_loud() {
    let closed = house(&[("ASKBRIDGE_DIALECTS", "prime")]);
    assert_eq!(call(&closed.address, "", "GET", SESSIONS, &Value::Null).unwrap().0, 401);
    assert!(!closed.log().contains("INSECURE"));
    let open = house(&[("ASKBRIDGE_DIALECTS", "prime"), ("ASKBRIDGE_DIALECTS_INSECURE_LOOPBACK", "true")]);
    assert_eq!(call(&open.address, "", "GET", SESSIONS, &Value::Null).unwrap().0, 200);
    // Our own addresses still need a token.
    assert_eq!(call(&open.address, "", "GET", "/v1/sessions", &Value::Null).unwrap().0, 401);
    assert!(open.log().contains("INSECURE"), "{}", open.log());
}

#[test]
fn tokens_in_addresses_are_never_logged() {
    let house = house(&[("ASKBRIDGE_DIALECTS", "prime")]);
    let token = house.ada.clone();
    for path in [format!("{SESSIONS}?token={token}"), format!("/t/{token}{SESSIONS}"), format!("/t/{token}/nowhere")] {
        call(&house.address, "", "GET", &path, &Value::Null).unwrap();
    }
    let bad = format!("{SESSIONS}?token=ab_wrong_but_secret");
    assert_eq!(call(&house.address, "", "GET", &bad, &Value::Null).unwrap().0, 401);
    assert!(!house.log().contains(&token) && !house.log().contains("ab_wrong"), "{}", house.log());
}

#[test]
fn two_dialects_that_want_the_same_address_are_not_spoken_on_one_port() {
    let folder = tempfile::tempdir().unwrap();
    let serve = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_askbridge"));
        command.arg("serve").args(args).env_clear().env("ASKBRIDGE_DATA", folder.path()).env("HOME", folder.path());
        let out = command.env("ASKBRIDGE_LISTEN", "127.0.0.1:0").output().unwrap();
        (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (served, said) = serve(&["--dialect", "ccc", "--dialect", "gobby"]);
    assert!(!served && said.contains("both want"), "{said}");
    assert!(said.contains("hint: give one of them a port of its own: `--dialect gobby=127.0.0.1:8000`"), "{said}");
    let (served, said) = serve(&["--dialect", "klingon"]);
    assert!(
        !served && said.contains("there is no dialect `klingon`; there are whimmy, prime, ccc, gobby, seline"),
        "{said}"
    );
}

#[test]
fn an_agent_that_we_run_does_not_come_in_without_a_token_either() {
    const CALL: &str = "toolu_1";
    let knock = format!("curl -s -o /dev/null -w %{{http_code}} http://$(cat ~/askbridge/run/address){SESSIONS}");
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("knock"), [tool(CALL, "Bash", json!({"command": knock, "description": "knocks"}))]);
    let settings = [("ASKBRIDGE_DIALECTS", "prime"), ("ASKBRIDGE_DIALECTS_INSECURE_LOOPBACK", "true")];
    let house = House::open_as(Subject::Real, script, &settings);
    let talk = house.session(json!({"other_tools": "allow"}));
    talk.say("knock");
    assert_eq!(house.model.until_result(CALL).text.trim(), "401");
}
