//! Conventions of the API: statuses, pages, refusals.

use serde_json::{Value, json};

use crate::kit::House;

fn question(text: &str) -> Value {
    json!({"questions": [{"question": text, "options": [{"label": "Yes"}, {"label": "No"}]}]})
}

#[tokio::test]
async fn a_list_comes_in_pages_without_gap_or_repeat() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut made = Vec::new();
    for n in 0..7 {
        let (status, asked) = house.post("/v1/asks", &agent, &question(&format!("Number {n}?"))).await;
        assert_eq!(status, 201);
        made.push(asked["id"].clone());
    }
    let mut seen = Vec::new();
    let mut path = "/v1/asks?order=longest_waiting&limit=3".to_owned();
    loop {
        let (_, page) = house.get(&path, &ada).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|ask| ask["id"].clone()));
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/asks?order=longest_waiting&limit=3&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, made);
    let (_, found) = house.get("/v1/asks?q=number%204", &ada).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    house.close().await;
}

#[tokio::test]
async fn every_refusal_is_a_problem_with_a_code() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let nowhere = "ask_00000000000000000000000000_1";
    let cases = [
        (house.get("/v1/asks?limit=x", &ada).await, 422, "bad_request"),
        (house.get("/v1/asks?state=maybe", &ada).await, 422, "bad_request"),
        (house.get("/v1/asks/nonsense", &ada).await, 404, "unknown_ask"),
        (house.get(&format!("/v1/asks/{nowhere}"), &ada).await, 404, "unknown_ask"),
        (house.get("/v1/nothing", &ada).await, 404, "unknown_address"),
        (house.post("/v1/me", &ada, &json!({})).await, 405, "wrong_method"),
        (house.get("/v1/ws", &ada).await, 426, "not_a_websocket"),
        (house.post("/v1/asks", &agent, &json!({})).await, 422, "bad_request"),
        (house.post("/v1/asks", &agent, &json!({"questions": [], "plan": "x"})).await, 422, "bad_request"),
        (house.post("/v1/pair", "", &json!({"secret": "pair_used"})).await, 410, "pairing_used"),
    ];
    for ((status, problem), expected, code) in cases {
        assert_eq!((status, &problem["code"]), (expected, &json!(code)), "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_list_is_not_read_as_the_fields_of_an_answer() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, asked) =
        house.post("/v1/asks", &agent, &json!({"approval": {"tool": "Bash", "input": {"command": "ls"}}})).await;
    let path = format!("/v1/asks/{}/answer", asked["id"].as_str().unwrap());
    for body in [json!([null, null, "allow"]), json!([]), json!({"decision": "allow", "inputs": {"command": "rm"}})] {
        let (status, problem) = house.post(&path, &ada, &body).await;
        assert_eq!((status, &problem["code"]), (422, &json!("bad_request")), "{body}");
    }
    assert_eq!(house.post("/v1/pair", "", &json!(["pair_used", "phone"])).await.0, 422);
    assert_eq!(house.post(&path, &ada, &json!({"decision": "allow"})).await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn the_page_lets_in_nothing_but_its_own_files() {
    let house = House::open().await;
    for path in ["/", "/index.html", "/manifest.webmanifest", "/sw.js"] {
        let headers = house.headers(path).await;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
    house.close().await;
}

#[tokio::test]
async fn withdrawn_is_gone_and_a_draft_reaches_the_other_device() {
    let house = House::open().await;
    let (agent, phone, laptop) = (house.agent("ci").await, house.person("ada").await, house.person("ada").await);
    let (_, asked) = house.post("/v1/asks", &agent, &question("Go on?")).await;
    let id = asked["id"].as_str().unwrap();
    let mut native = house.native(&laptop).await;
    let (status, _) = house.post(&format!("/v1/asks/{id}/draft"), &phone, &json!({"text": "Ye"})).await;
    assert_eq!(status, 204);
    let draft = native.hear("the draft", |frame| frame["type"] == "draft").await;
    assert_eq!((&draft["ask"], &draft["draft"]), (&json!(id), &json!({"text": "Ye"})));
    let (status, withdrawn) =
        house.post(&format!("/v1/asks/{id}/withdraw"), &agent, &json!({"why": "found out"})).await;
    assert_eq!((status, &withdrawn["state"], &withdrawn["words"]), (200, &json!("withdrawn"), &json!("found out")));
    let (status, gone) =
        house.post(&format!("/v1/asks/{id}/answer"), &phone, &json!({"answers": {"Go on?": "Yes"}})).await;
    assert_eq!((status, &gone["code"]), (410, &json!("gone")));
    house.close().await;
}

#[tokio::test]
async fn an_answer_can_be_undone_until_it_counts() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut body = question("Go on?");
    body["undo_seconds"] = json!(30);
    let (_, asked) = house.post("/v1/asks", &agent, &body).await;
    let path = |verb: &str| format!("/v1/asks/{}/{verb}", asked["id"].as_str().unwrap());
    let (_, proposed) = house.post(&path("answer"), &ada, &json!({"answers": {"Go on?": "Yes"}})).await;
    assert_eq!((&proposed["state"], &proposed["verdict"]), (&json!("proposed"), &Value::Null));
    let (_, open) = house.post(&path("undo"), &ada, &json!({})).await;
    assert_eq!((&open["state"], &open["answers"]), (&json!("open"), &json!({})));
    let (status, _) = house.post(&path("undo"), &ada, &json!({})).await;
    assert_eq!(status, 409);
    house.close().await;
}

#[tokio::test]
async fn a_question_asked_again_after_it_expired_is_one_card() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"agent": "ci"})).await;
    let mut body = question("Go on?");
    body["session"] = session["id"].clone();
    body["timeout_seconds"] = json!(0);
    let (_, first) = house.post("/v1/asks?wait=5", &agent, &body).await;
    assert_eq!(first["state"], "expired", "{first}");
    body["timeout_seconds"] = json!(600);
    let (_, second) = house.post("/v1/asks", &agent, &body).await;
    let (_, late) = house.get("/v1/asks?state=late", &ada).await;
    assert_eq!(late["items"], json!([]), "the old card is folded into the new one");
    let old = format!("/v1/asks/{}/answer", first["id"].as_str().unwrap());
    assert_eq!(house.post(&old, &ada, &json!({"answers": {"Go on?": "Yes"}})).await.0, 200);
    let (_, second) = house.get(&format!("/v1/asks/{}", second["id"].as_str().unwrap()), &agent).await;
    assert_eq!((&second["state"], &second["answers"]), (&json!("answered"), &json!({"Go on?": "Yes"})));
    house.close().await;
}

#[tokio::test]
async fn the_same_key_is_the_same_ask_and_waits_for_the_same_answer() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (first, asked) = house.post_with_key("/v1/asks", &agent, "deploy-7", &question("Deploy?")).await;
    let (again, same) = house.post_with_key("/v1/asks", &agent, "deploy-7", &question("Deploy?")).await;
    assert_eq!((first, again, &asked["id"]), (201, 200, &same["id"]));
    let (status, refused) = house.post_with_key("/v1/asks", &agent, "deploy-7", &question("Destroy?")).await;
    assert_eq!(status, 422, "{refused}");
    let hurried = json!({"timeout_seconds": 60, "questions": question("Deploy?")["questions"]});
    let (status, refused) = house.post_with_key("/v1/asks", &agent, "deploy-7", &hurried).await;
    assert_eq!(status, 422, "the same question on other terms: {refused}");
    assert!(refused["detail"].as_str().unwrap().contains("other terms"), "{refused}");
    let path = format!("/v1/asks/{}/answer", asked["id"].as_str().unwrap());
    assert_eq!(house.post(&path, &ada, &json!({"answers": {"Deploy?": "No"}})).await.0, 200);
    assert_eq!(house.post_with_key("/v1/asks", &agent, "deploy-7", &hurried).await.0, 422, "also when it is over");
    let (_, settled) = house.post_with_key("/v1/asks?wait=5", &agent, "deploy-7", &question("Deploy?")).await;
    assert_eq!(settled["answers"], json!({"Deploy?": "No"}));
    house.close().await;
}

#[tokio::test]
async fn a_list_of_sessions_says_what_was_asked_last_and_whether_it_was_all() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"agent": "ci"})).await;
    let listed = async || {
        let (_, page) = house.get("/v1/sessions", &ada).await;
        let row = page["items"].as_array().expect("a page has items").iter().find(|row| row["id"] == session["id"]);
        row.map(|row| (row["headline"].clone(), row["single_ask"].clone())).expect("the session is listed")
    };
    assert_eq!(listed().await, (json!(null), json!(false)));
    for (question, single) in [("First?", true), ("Second?", false)] {
        let ask = json!({"question": question, "session": session["id"]});
        assert_eq!(house.post("/v1/asks", &agent, &ask).await.0, 201);
        assert_eq!(listed().await, (json!(question), json!(single)));
    }
}

#[tokio::test]
async fn a_change_of_a_setting_that_does_not_exist_is_refused_and_says_what_was_probably_meant() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"agent": "ci", "title": "Nightly"})).await;
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    for (field, says) in [
        ("mode", "unknown field `mode`; did you mean `permission_mode`?"),
        ("titel", "unknown field `titel`; did you mean `title`?"),
    ] {
        let (status, refused) =
            house.post(&format!("{path}/configure"), &agent, &json!({field: "x", "branch": "b"})).await;
        assert_eq!((status, &refused["code"], &refused["detail"]), (422, &json!("bad_request"), &json!(says)));
    }
    let (_, refused) = house.post(&format!("{path}/configure"), &agent, &json!({"colour_of_the_sky": "x"})).await;
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("`colour_of_the_sky`") && detail.contains("`permission_mode`"), "{detail}");
    let (_, shown) = house.get(&path, &agent).await;
    assert_eq!((&shown["title"], &shown["branch"]), (&json!("Nightly"), &Value::Null));
    house.close().await;
}
