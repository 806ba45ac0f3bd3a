//! Every permission mode of Claude Code: a question reaches the phone in each, and the dialog is always shown.

use serde_json::json;

use super::workstation::{Setting, Workstation, question};
use crate::house::id;
use crate::http::call_local;

const SECOND: &str = r#""Which?"="Bbb""#;

fn answered_in(mode: &str) {
    let mut workstation = Workstation::sit(question(), &Setting { mode, ..Setting::default() });
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Which?");
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(SECOND), "{mode}: {result:?}");
    workstation.until_delivered(&asked);
}

#[test]
fn a_question_is_answered_while_edits_are_accepted() {
    answered_in("acceptEdits");
}

#[test]
fn a_question_is_answered_while_planning() {
    answered_in("plan");
}

#[test]
fn a_question_is_answered_in_auto_mode() {
    answered_in("auto");
}

#[test]
fn a_question_is_answered_where_permissions_are_bypassed() {
    answered_in("bypassPermissions");
}

#[test]
fn where_nobody_is_to_be_asked_only_a_person_who_is_away_is() {
    let setting = Setting { mode: "dontAsk", ..Setting::default() };
    let mut workstation = Workstation::sit(question(), &setting);
    workstation.prompt();
    let result = workstation.result();
    assert!(result.is_error && result.text.contains("don't ask mode"), "{result:?}");
    assert_eq!(workstation.house.get("/v1/asks?state=all")["items"], json!([]));
    drop(workstation);

    let mut workstation = Workstation::sit(question(), &setting);
    let socket = workstation.house.data().join("run/askbridge.sock");
    let (status, away) = call_local(&socket, "POST", "/v1/away", &json!({"mode": "on"})).unwrap();
    assert_eq!((status, &away["is_away"]), (200, &json!(true)), "{away}");
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(SECOND) && !result.is_error, "{result:?}");
}
