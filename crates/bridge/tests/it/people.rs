//! What people have besides asks: devices, snoozes, previews, and a conversation from its end.

use serde_json::{Value, json};

use crate::kit::House;

fn ids(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().expect("a page has items");
    items.iter().map(|item| item["id"].as_str().expect("an item has an id")).collect()
}

#[tokio::test]
async fn a_device_brings_in_another_of_the_same_person_and_sends_it_away() {
    let house = House::open().await;
    let (ada, bob, agent, local) =
        (house.person("ada").await, house.person("bob").await, house.agent("ci").await, house.local().await);
    let (status, link) = house.post("/v1/devices", &ada, &json!({})).await;
    assert_eq!(status, 201, "{link}");
    let (status, paired) = house.post("/v1/pair", "", &json!({"secret": link["secret"], "device": "telephone"})).await;
    assert_eq!((status, &paired["name"], &paired["device"]), (201, &json!("ada"), &json!("telephone")));
    let phone = paired["token"].as_str().unwrap();
    assert_eq!(house.get("/v1/me", phone).await.1["role"], house.get("/v1/me", &ada).await.1["role"]);

    let (_, devices) = house.get("/v1/devices", &ada).await;
    let seen: Vec<_> = devices["items"].as_array().unwrap().iter().map(|it| (&it["device"], &it["current"])).collect();
    assert_eq!(seen.len(), 2);
    assert!(seen.contains(&(&json!("telephone"), &json!(false))), "{devices}");
    let phones_id = devices["items"].as_array().unwrap().iter().find(|it| it["device"] == "telephone").unwrap()["id"]
        .as_str()
        .unwrap();
    let path = format!("/v1/devices/{phones_id}");
    assert_eq!(house.delete(&path, &bob).await.0, 404, "another's device is none of bob's business");
    let mut socket = house.native(phone).await;
    assert_eq!(house.delete(&path, &ada).await.0, 200);
    assert_eq!(house.get("/v1/me", phone).await.0, 401);
    assert_eq!(socket.hear_end().await, 4401);

    for token in [&agent, &local] {
        assert_eq!(house.post("/v1/devices", token, &json!({})).await.0, 403, "only who may decide lets others decide");
        assert_eq!(house.get("/v1/devices", token).await.0, 403);
    }
    house.close().await;
}

#[tokio::test]
async fn a_snooze_is_seen_on_the_persons_other_device_and_by_nobody_else() {
    let house = House::open().await;
    let (agent, phone, laptop, bob) =
        (house.agent("ci").await, house.person("ada").await, house.person("ada").await, house.person("bob").await);
    let (_, asked) = house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await;
    let path = format!("/v1/asks/{}/snooze", asked["id"].as_str().unwrap());
    let (status, snoozed) = house.post(&path, &phone, &json!({"seconds": 3600})).await;
    assert_eq!((status, &snoozed["ask"]), (200, &asked["id"]));
    assert_eq!(house.get("/v1/snoozes", &laptop).await.1["items"], json!([snoozed]));
    assert_eq!(house.get("/v1/snoozes", &bob).await.1["items"], json!([]));
    let (_, open) = house.get("/v1/asks", &laptop).await;
    assert_eq!(ids(&open), [asked["id"].as_str().unwrap()], "it is open all the same");
    assert_eq!(house.post(&path, &laptop, &json!({})).await.1["until"], Value::Null);
    assert_eq!(house.get("/v1/snoozes", &phone).await.1["items"], json!([]));
    assert_eq!(house.post(&path, &agent, &json!({"seconds": 5})).await.0, 403);
    assert_eq!(house.post(&path, &phone, &json!({"seconds": -5})).await.0, 422);
    house.close().await;
}

#[tokio::test]
async fn a_snooze_and_a_change_of_devices_reach_the_persons_other_devices_at_once() {
    let house = House::open().await;
    let (agent, phone, laptop, bob) =
        (house.agent("ci").await, house.person("ada").await, house.person("ada").await, house.person("bob").await);
    let (mut screen, mut others) = (house.native(&laptop).await, house.native(&bob).await);
    let mut stream = house.events(&laptop).await;
    stream.hear("snapshot").await;
    let (_, asked) = house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await;
    let path = format!("/v1/asks/{}/snooze", asked["id"].as_str().unwrap());
    let (_, snoozed) = house.post(&path, &phone, &json!({"seconds": 3600})).await;
    let told = screen.hear("the snooze", |frame| frame["type"] == "snooze").await;
    assert_eq!(told, json!({"type": "snooze", "ask": asked["id"], "until": snoozed["until"]}));
    assert_eq!(stream.hear("own").await, told);
    house.post(&path, &phone, &json!({})).await;
    let told = screen.hear("that it is shown again", |frame| frame["type"] == "snooze").await;
    assert_eq!(told["until"], Value::Null);

    let (_, link) = house.post("/v1/devices", &phone, &json!({})).await;
    house.post("/v1/pair", "", &json!({"secret": link["secret"], "device": "tablet"})).await;
    screen.hear("that a device came", |frame| frame["type"] == "devices").await;
    let (_, devices) = house.get("/v1/devices", &phone).await;
    let tablet = devices["items"].as_array().unwrap().iter().find(|it| it["device"] == "tablet").unwrap()["id"].clone();
    assert_eq!(house.delete(&format!("/v1/devices/{}", tablet.as_str().unwrap()), &phone).await.0, 200);
    screen.hear("that it went", |frame| frame["type"] == "devices").await;

    // Bob is told what concerns everyone, and none of this.
    house.post("/v1/asks", &agent, &json!({"question": "The last?"})).await;
    let heard =
        others.hear_all("the last", |frame| frame["event"]["ask"]["questions"][0]["question"] == "The last?").await;
    assert!(heard.iter().all(|frame| frame["type"] == "event"), "{heard:#?}");
    house.close().await;
}

#[tokio::test]
async fn a_device_is_renamed_by_its_person_and_answers_under_its_new_name_from_then_on() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.person("ada").await, house.person("bob").await);
    let mut socket = house.native(&ada).await;
    let (_, devices) = house.get("/v1/devices", &ada).await;
    let path = format!("/v1/devices/{}", devices["items"][0]["id"].as_str().unwrap());
    for bad in [json!({"device": "  "}), json!({"device": "x".repeat(65)})] {
        assert_eq!(house.post(&path, &ada, &bad).await.0, 422, "{bad}");
    }
    assert_eq!(house.post(&path, &bob, &json!({"device": "mine"})).await.0, 404, "it is none of bob's business");
    assert_eq!(house.post(&path, &agent, &json!({"device": "mine"})).await.0, 403);
    let (status, renamed) = house.post(&path, &ada, &json!({"device": " kitchen tablet "})).await;
    assert_eq!((status, &renamed["device"]), (200, &json!("kitchen tablet")), "{renamed}");
    socket.hear("that it has another name", |frame| frame["type"] == "devices").await;

    // The connection was open all the while.
    let (_, asked) = house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await;
    let answer = json!({"type": "answer", "tag": 1, "ask": asked["id"], "answers": {"Go on?": "yes"}});
    socket.say(&answer.to_string()).await;
    socket.hear("the ruling", |frame| frame["type"] == "reply" && frame["ok"] == true).await;
    let (_, shown) = house.get(&format!("/v1/asks/{}", asked["id"].as_str().unwrap()), &ada).await;
    assert_eq!(shown["by"], json!({"person": "ada", "device": "kitchen tablet", "via": "native"}));
    house.close().await;
}

#[tokio::test]
async fn whoever_looks_sees_how_many_of_those_who_have_to_agree_have_answered() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.person("ada").await, house.person("bob").await);
    let (_, asked) = house.post("/v1/asks", &agent, &json!({"question": "Ship it?", "quorum": 2})).await;
    assert_eq!(asked["quorum"], json!({"needed": 2, "answered": [], "agree": 0}));
    let path = format!("/v1/asks/{}", asked["id"].as_str().unwrap());
    let answer = async |token: &str, said: &str| {
        let (status, shown) =
            house.post(&format!("{path}/answer"), token, &json!({"answers": {"Ship it?": said}})).await;
        assert_eq!(status, 200, "{shown}");
        shown
    };
    let one = json!({"needed": 2, "answered": [{"person": "ada", "device": "test", "via": "http"}], "agree": 1});
    assert_eq!(answer(&ada, "yes").await["quorum"], one);
    // In every way in which an ask is shown.
    assert_eq!(house.get(&path, &bob).await.1["quorum"], one);
    assert_eq!(house.get("/v1/asks", &bob).await.1["items"][0]["quorum"], one);
    let mut socket = house.socket("/v1/ws", None).await.unwrap();
    socket.say(&json!({"type": "hello", "token": bob}).to_string()).await;
    let shot = socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
    assert_eq!(shot["asks"][0]["quorum"], one);

    let differing = answer(&bob, "no").await;
    assert_eq!((&differing["state"], &differing["quorum"]["agree"]), (&json!("open"), &json!(1)), "they differ");
    let agreed = answer(&bob, "yes").await;
    assert_eq!((&agreed["state"], &agreed["by"]["person"]), (&json!("answered"), &json!("bob")));
    house.close().await;
}

#[tokio::test]
async fn a_preview_is_a_document_that_can_do_nothing() {
    let house = House::open().await;
    let (agent, other, ada) = (house.agent("ci").await, house.agent("x").await, house.person("ada").await);
    let html = "<script>steal()</script><img src=https://evil.example/x><form action=https://evil.example><b>hi</b>";
    let drawn = json!({"questions": [{"question": "Q", "options": [{"label": "a", "preview": html}, "b"]}]});
    let (_, asked) = house.post("/v1/asks", &agent, &drawn).await;
    let path = format!("/v1/asks/{}/previews", asked["id"].as_str().unwrap());
    let (status, made) = house.post(&path, &ada, &json!({"question": 0, "option": 0})).await;
    assert_eq!(status, 201, "{made}");
    let headers = house.headers(made["address"].as_str().unwrap()).await;
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'; "), "{policy}");
    assert!(!policy.contains("allow-") && !policy.contains("script-src") && !policy.contains("http"), "{policy}");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");

    for wanted in
        [json!({"question": 0, "option": 1}), json!({"question": 0, "option": 9}), json!({"question": 9, "option": 0})]
    {
        assert_eq!(house.post(&path, &ada, &wanted).await.0, 404, "{wanted}");
    }
    assert_eq!(house.post(&path, &other, &json!({"question": 0, "option": 0})).await.0, 404);
    assert_eq!(house.get("/v1/previews/pre_0000", "").await.0, 404);
    house.close().await;
}

#[tokio::test]
async fn a_conversation_is_read_from_its_end() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({})).await;
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    for n in 0..7 {
        house.post(&format!("{path}/messages"), &ada, &json!({"text": n.to_string()})).await;
    }
    let all = house.get(&format!("{path}/events"), &ada).await.1["items"].as_array().unwrap().clone();
    let (mut read, mut before) = (Vec::new(), json!(9_007_199_254_740_991_u64));
    loop {
        let (status, page) = house.get(&format!("{path}/events?limit=3&before={before}"), &ada).await;
        assert_eq!(status, 200, "{page}");
        read.splice(0..0, page["items"].as_array().unwrap().clone());
        before = page["next"].clone();
        if before.is_null() {
            break;
        }
    }
    assert_eq!(read, all);
    assert_eq!(house.get(&format!("{path}/events?after=1&before=2"), &ada).await.0, 422);
    house.close().await;
}

#[tokio::test]
async fn addresses_of_the_app_get_its_page_and_nothing_else_does() {
    let house = House::open().await;
    let look = async |path: &str, accept: &str, known: &str| {
        let request = house.request("GET", path, "").header("accept", accept).header("if-none-match", known);
        let response = house.send(request.body(Default::default()).unwrap()).await;
        let header =
            |name: &str| response.headers().get(name).map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default();
        (response.status().as_u16(), header("content-type"), header("etag"))
    };
    let page = "text/html; charset=utf-8";
    for path in ["/", "/sessions/ses_1", "/history"] {
        let (status, kind, etag) = look(path, "text/html,*/*", "").await;
        assert_eq!((status, kind.as_str()), (200, page), "{path}");
        assert_eq!(look(path, "text/html", &etag).await.0, 304, "{path}");
    }
    for path in ["/v1/nothing", "/docs/nothing", "/assets/nothing.js", "/index.html.gz"] {
        let (status, kind, _) = look(path, "text/html", "").await;
        assert_eq!((status, kind.as_str()), (404, "application/problem+json"), "{path}");
    }
    assert_eq!(look("/sessions", "application/json", "").await.0, 404, "a program is told that there is nothing");
    house.close().await;
}
