//! What unknown callers, other sites, wrong roles and hostile clients get: a refusal, with no effect on others.

use askbridge_bridge::server::openapi;
use askbridge_core::limits;
use hyper::Request;
use serde_json::{Value, json};

use crate::kit::{House, Raw};
use crate::rights::samples;

fn question() -> Value {
    json!({"questions": [{"question": "Which way?", "options": [{"label": "North"}, {"label": "South"}]}]})
}

async fn ask(house: &House, token: &str) -> String {
    let (status, asked) = house.post("/v1/asks", token, &question()).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().expect("an ask has an id").to_owned()
}

#[tokio::test]
async fn without_a_token_every_address_that_wants_one_refuses() {
    let house = House::open().await;
    let document = openapi();
    let mut tried = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if operation["security"] == json!([]) {
                continue;
            }
            let request = Request::builder().method(method.to_uppercase().as_str());
            let request = request.uri(path.replace("{id}", "x")).header("host", house.address().to_string());
            let (status, problem) = house.ask_for(request.body("{}".into()).unwrap()).await;
            assert_eq!((status, &problem["code"]), (401, &json!("unauthorized")), "{method} {path}");
            tried += 1;
        }
    }
    assert!(tried > 15, "{tried}");
    house.close().await;
}

#[tokio::test]
async fn a_role_can_do_its_own_things_and_no_others() {
    let house = House::open().await;
    let (agent, ada, local) = (house.agent("ci").await, house.person("ada").await, house.local().await);
    let id = ask(&house, &agent).await;
    for (caller, token) in [("agent", &agent), ("local", &local)] {
        for sample in samples().into_iter().filter(|sample| sample.is_refused(caller)) {
            let Some(verb) = sample.verb() else { continue };
            let (status, problem) = sample.send(&house, token, &sample.path.replace("{ask}", &id)).await;
            assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{verb}: asking is not deciding");
        }
    }
    for path in ["/v1/asks", "/v1/sessions"] {
        assert_eq!(house.post(path, &ada, &question()).await.0, 403, "{path}: deciding is not asking");
    }
    assert_eq!(house.post(&format!("/v1/asks/{id}/withdraw"), &ada, &json!({})).await.0, 403);
    for token in [&agent, &ada] {
        assert_eq!(house.get("/v1/tokens", token).await.0, 403);
        assert_eq!(house.post("/v1/tokens", token, &json!({"name": "x"})).await.0, 403);
        assert_eq!(house.delete("/v1/tokens/tok_x", token).await.0, 403);
    }
    for path in ["/v1/pairings", "/v1/agents"] {
        for token in [&agent, &ada, &local] {
            assert_eq!(house.post(path, token, &json!({"i_am_a_person": true})).await.0, 403, "{path} over the net");
        }
    }
    assert_eq!(house.get(&format!("/v1/asks/{id}"), &ada).await.1["state"], "open", "nothing of it did anything");
    house.close().await;
}

#[tokio::test]
async fn no_agent_says_what_an_agent_may_do_without_asking() {
    let house = House::open().await;
    let (agent, ada, local) = (house.agent("ci").await, house.person("ada").await, house.local().await);
    let (status, session) = house.post("/v1/sessions", &agent, &json!({})).await;
    assert_eq!(status, 201, "{session}");
    let path = format!("/v1/sessions/{}/configure", session["id"].as_str().unwrap());
    let loose = json!({"title": "harmless", "permission_mode": "acceptEdits"});
    for token in [&agent, &ada] {
        let (status, problem) = house.post(&path, token, &loose).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")));
    }
    let (_, shown) = house.post(&path, &agent, &json!({"title": "mine"})).await;
    assert_eq!(
        (&shown["title"], &shown["permission_mode"]),
        (&json!("mine"), &Value::Null),
        "its own, and nothing more"
    );
    assert_eq!(house.post(&path, &local, &loose).await.1["permission_mode"], "acceptEdits");
    for token in [&agent, &ada] {
        let run = json!({"agent": "claude", "cwd": "/"});
        assert_eq!(house.post("/v1/sessions", token, &run).await.0, 403, "nor does it run another");
    }
    house.close().await;
}

#[tokio::test]
async fn what_belongs_to_somebody_else_looks_like_what_does_not_exist() {
    let house = House::open().await;
    let (agent, other) = (house.agent("ci").await, house.agent("other").await);
    let id = ask(&house, &agent).await;
    let session = id.replace("ask_", "ses_").rsplit_once('_').unwrap().0.to_owned();
    let nowhere = "00000000000000000000000000";
    let (nothing, none) = (format!("ask_{nowhere}_1"), format!("ses_{nowhere}"));
    for sample in samples().iter().filter(|it| it.path.contains("{ask}") || it.path.contains("{session}")) {
        let told = async |ask: &str, session: &str| {
            let path = sample.path.replace("{ask}", ask).replace("{session}", session);
            let (status, problem) = sample.send(&house, &other, &path).await;
            (status, problem.to_string().replace(ask, "ID").replace(session, "ID"))
        };
        let (theirs, nobodys) = (told(&id, &session).await, told(&nothing, &none).await);
        assert_eq!((theirs.0, &theirs), (404, &nobodys), "{} {}", sample.method, sample.path);
    }
    let mut body = question();
    body["session"] = json!(session);
    assert_eq!(house.post("/v1/asks", &other, &body).await.0, 404, "nor may it ask there");
    for list in ["/v1/asks?state=all", "/v1/sessions"] {
        assert_eq!(house.get(list, &other).await.1["items"], json!([]));
    }
    house.close().await;
}

#[tokio::test]
async fn a_page_of_another_site_opens_no_socket_and_sends_no_request() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let own = format!("http://{}", house.address());
    let port = house.address().port();
    let neighbour = format!("http://127.0.0.1:{}", port ^ 1);
    for (origin, status) in
        [(own.as_str(), 101), ("http://evil.example", 403), ("null", 403), (&neighbour, 403), ("file://", 403)]
    {
        let upgrade = format!(
            "GET /v1/ws HTTP/1.1\r\nhost: {}\r\norigin: {origin}\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            house.address()
        );
        assert_eq!(Raw::open(&house).await.say(&upgrade).await.status().await, status, "{origin}");
        if status == 403 {
            let request = house.request("POST", "/v1/asks/x/answer", &ada).header("origin", origin);
            let (status, problem) = house.ask_for(request.body("{}".into()).unwrap()).await;
            assert_eq!((status, &problem["code"]), (403, &json!("origin_not_allowed")), "{origin}");
        }
    }
    house.close().await;
}

#[tokio::test]
async fn a_name_that_was_rebound_to_us_is_not_ours() {
    let house = House::open().await;
    let token = house.person("ada").await;
    let port = house.address().port();
    let strangers = [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.nip.example",
        "[::1].evil",
        "[::1",
        "",
    ];
    for host in strangers {
        for head in [
            "",
            "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
        ] {
            let path = if head.is_empty() { "/v1/me" } else { "/v1/ws" };
            let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{head}\r\n");
            assert_eq!(Raw::open(&house).await.say(&request).await.status().await, 403, "{host} {path}");
        }
    }
    for host in
        [format!("[::1]:{port}"), "[::1]".to_owned(), format!("[::ffff:127.0.0.1]:{port}"), "localhost".to_owned()]
    {
        let request = format!("GET /v1/me HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n");
        assert_eq!(Raw::open(&house).await.say(&request).await.status().await, 200, "{host}");
    }
    house.close().await;
}

#[tokio::test]
async fn what_a_proxy_of_this_machine_passes_on_shows_no_metrics_by_whichever_address_it_is_reached() {
    let house = House::open().await;
    let port = house.address().port();
    let status = async |head: String| {
        let request = format!("GET /metrics HTTP/1.1\r\n{head}\r\n\r\n");
        Raw::open(&house).await.say(&request).await.status().await
    };
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(status(format!("host: {host}:{port}")).await, 200, "{host}");
        for passed_on in ["via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] {
            assert_eq!(status(format!("host: {host}\r\n{passed_on}: x")).await, 401, "{host} {passed_on}");
        }
    }
    for host in ["192.168.1.5", "192.168.1.5:4760", "[2001:db8::1]", "0.0.0.0"] {
        assert_eq!(status(format!("host: {host}")).await, 401, "{host}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_pairing_link_makes_one_device_even_when_two_race() {
    let house = House::open().await;
    let (status, link) = house.here("POST", "/v1/pairings", &json!({"i_am_a_person": true, "name": "bob"})).await;
    assert_eq!(status, 201, "{link}");
    let body = json!({"secret": link["secret"]});
    let attempts = [(); 8].map(|()| house.post("/v1/pair", "", &body));
    let mut statuses: Vec<_> =
        futures_util::future::join_all(attempts).await.into_iter().map(|(status, _)| status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 410, 410, 410, 410, 410, 410, 410]);
    let (status, again) = house.post("/v1/pair", "", &body).await;
    assert_eq!((status, &again["code"]), (410, &json!("pairing_used")));
    house.close().await;
}

#[tokio::test]
async fn of_several_links_made_before_the_first_device_one_makes_it_and_the_others_nothing() {
    let house = House::open().await;
    let mut links = Vec::new();
    for name in ["ada", "bob", "eve"] {
        let (status, link) = house.here("POST", "/v1/pairings", &json!({"i_am_a_person": true, "name": name})).await;
        assert_eq!(status, 201, "{link}");
        links.push(json!({"secret": link["secret"]}));
    }
    let attempts = links.iter().map(|link| house.post("/v1/pair", "", link));
    let mut statuses: Vec<_> =
        futures_util::future::join_all(attempts).await.into_iter().map(|(status, _)| status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 410, 410]);
    let (status, needed) = house.here("POST", "/v1/pairings", &json!({"i_am_a_person": true})).await;
    assert_eq!((status, &needed["code"]), (403, &json!("tap_needed")));
    house.close().await;
}

#[tokio::test]
async fn a_token_of_two_people_at_once_makes_one_of_them_the_first() {
    let house = House::open().await;
    let wish = json!({"i_am_a_person": true, "token": true});
    let attempts = [(); 6].map(|()| house.here("POST", "/v1/pairings", &wish));
    let mut statuses: Vec<_> =
        futures_util::future::join_all(attempts).await.into_iter().map(|(status, _)| status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 403, 403, 403, 403, 403]);
    house.close().await;
}

#[tokio::test]
async fn a_device_that_is_revoked_does_not_come_back_by_renaming_itself() {
    let house = House::open().await;
    let phone = house.person("ada").await;
    for _ in 0..20 {
        let tablet = house.person("ada").await;
        let (_, devices) = house.get("/v1/devices", &tablet).await;
        let devices = devices["items"].as_array().unwrap();
        let id = devices.iter().find(|device| device["current"] == json!(true)).unwrap()["id"].as_str().unwrap();
        let path = format!("/v1/devices/{id}");
        let name = json!({"device": "mine"});
        let renaming = [(); 4].map(|()| house.post(&path, &tablet, &name));
        let (_, revoked) = tokio::join!(futures_util::future::join_all(renaming), house.delete(&path, &phone));
        assert_eq!(revoked.0, 200);
        assert_eq!(house.get("/v1/me", &tablet).await.0, 401);
    }
    house.close().await;
}

#[tokio::test]
async fn a_link_ends_with_the_device_that_made_it() {
    let house = House::open().await;
    let tablet = house.person("ada").await;
    let (_, link) = house.post("/v1/devices", &tablet, &json!({})).await;
    house.revoke("ada").await;
    let (status, refused) = house.post("/v1/pair", "", &json!({"secret": link["secret"]})).await;
    assert_eq!((status, &refused["code"]), (410, &json!("pairing_used")));
    house.close().await;
}

#[tokio::test]
async fn a_name_that_cannot_be_kept_is_refused_before_it_counts_as_the_first_device() {
    let house = House::open().await;
    for (name, token) in [("", true), ("   ", true), ("   ", false)] {
        let wish = json!({"i_am_a_person": true, "name": name, "token": token});
        assert_eq!(house.here("POST", "/v1/pairings", &wish).await.0, 422, "{name:?}");
    }
    let wish = json!({"i_am_a_person": true, "name": "ada", "token": true});
    assert_eq!(house.here("POST", "/v1/pairings", &wish).await.0, 201);
    house.close().await;
}

#[tokio::test]
async fn a_person_is_asked_about_their_own_device_however_their_name_is_spaced() {
    let house = House::open().await;
    let (ada, bob) = (house.operator("ada").await, house.operator("bob").await);
    let wish = json!({"i_am_a_person": true, "name": " ada ", "token": true});
    assert_eq!(house.here("POST", "/v1/pairings", &wish).await.1["code"], json!("tap_needed"));
    let taps = async |token: &str| house.get("/v1/asks", token).await.1["items"].as_array().unwrap().len();
    assert_eq!((taps(&ada).await, taps(&bob).await), (1, 0));
    house.close().await;
}

#[tokio::test]
async fn no_path_leads_out_of_the_house() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/docs/errors/../../../Cargo.toml",
        "/docs/errors/..%2f..%2fREADME",
        "/docs/errors/%2e%2e%2fdesign",
        "/docs/errors/already_decided%00.html",
        "/docs//errors",
        "/assets/../../Cargo.toml",
        "//etc/passwd",
        "/v1/asks/..%2f..%2ftokens",
        "/v1/sessions/..%2fevents",
        "/v1/asks/%ff",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {ada}\r\n\r\n");
        let status = Raw::open(&house).await.say(&request).await.status().await;
        assert!(matches!(status, 400 | 404 | 422), "{path}: {status}");
    }
    house.close().await;
}

#[tokio::test]
async fn whatever_is_too_large_is_refused_and_nobody_else_notices() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let long = "x".repeat(100_000);
    let many: String = (0..20_000).map(|_| "&limit=1").collect();
    let headers: String = (0..500).map(|n| format!("x-{n}: y\r\n")).collect();
    let head = format!("host: localhost\r\nauthorization: Bearer {agent}\r\n");
    for (what, request, expected) in [
        ("a header", format!("GET /v1/me HTTP/1.1\r\n{head}x-long: {long}\r\n\r\n"), 431),
        ("headers", format!("GET /v1/me HTTP/1.1\r\n{head}{headers}\r\n"), 431),
        ("a path", format!("GET /v1/asks/{long} HTTP/1.1\r\n{head}\r\n"), 414),
        ("a query", format!("GET /v1/asks?q={long} HTTP/1.1\r\n{head}\r\n"), 414),
        ("parameters", format!("GET /v1/asks?limit=1{many} HTTP/1.1\r\n{head}\r\n"), 414),
        ("a declared body", format!("POST /v1/asks HTTP/1.1\r\n{head}content-length: 99999999\r\n\r\n"), 413),
    ] {
        let status = Raw::open(&house).await.say(&request).await.status().await;
        // How much was read before the limit was reached depends on the network.
        assert!(status == expected || matches!(status, 413 | 431), "{what}: {status}");
    }
    let twice = house.get("/v1/asks?limit=1&limit=2", &ada).await;
    assert_eq!((twice.0, &twice.1["code"]), (422, &json!("bad_request")));
    let words = house.get(&format!("/v1/asks?q={}", "x".repeat(limits::LABEL_BYTES_MAX + 1)), &ada).await;
    assert_eq!(words.0, 422);
    let key = "k".repeat(limits::LABEL_BYTES_MAX + 1);
    assert_eq!(house.post_with_key("/v1/asks", &agent, &key, &question()).await.0, 422);

    // A body without a length that never ends.
    let mut endless = Raw::open(&house).await;
    endless.say(&format!("POST /v1/asks HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n")).await;
    let chunk = format!("10000\r\n{}\r\n", "y".repeat(0x10000));
    for _ in 0..=limits::BODY_BYTES_MAX / 0x10000 {
        endless.say(&chunk).await;
    }
    assert_eq!(endless.status().await, 413);

    // A body so deeply nested that parsing it could exhaust the stack.
    let deep = house.request("POST", "/v1/asks", &agent).body("[".repeat(200_000).into()).unwrap();
    assert_eq!(house.ask_for(deep).await.0, 400);
    let deep = format!(r#"{{"plan": "x", "context": {}{}}}"#, r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    let deep = house.request("POST", "/v1/asks", &agent).body(deep.into()).unwrap();
    assert_eq!(house.ask_for(deep).await.0, 400);

    let mut native = house.native(&ada).await;
    native.say(&format!(r#"{{"type":"ping","tag":{}}}"#, "[".repeat(1000))).await;
    assert_eq!(native.hear_end().await, 1007, "not a frame");
    let mut native = house.native(&ada).await;
    native.say(&"x".repeat(limits::FRAME_BYTES_MAX + 1)).await;
    assert_eq!(native.hear_end().await, 1009, "too large a frame");
    assert_eq!(house.get("/v1/me", &ada).await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn whoever_never_finishes_is_let_go_and_holds_up_nobody() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let mut head = Raw::open(&house).await;
    head.say("GET /v1/me HTTP/1.1\r\nhost: localhost\r\nx-slow: ").await;
    let mut body = Raw::open(&house).await;
    let begin = "POST /v1/pair HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5000\r\n\r\n{";
    body.say(begin).await;
    // A byte now and then keeps both of them active; neither lives longer for it.
    let longest = limits::HEADER_READ_MAX + limits::BODY_READ_MAX;
    let mut pace = tokio::time::interval(longest / 100);
    let (mut head_open, mut body_open) = (true, true);
    for _ in 0..200 {
        pace.tick().await;
        head_open = head_open && head.trickle().await;
        body_open = body_open && body.trickle().await;
        assert_eq!(house.get("/v1/me", &ada).await.0, 200, "everybody else is served");
        if !head_open && !body_open {
            break;
        }
    }
    assert_eq!((head_open, body_open), (false, false), "let go within {longest:?}, twice over");
    assert_eq!(body.status().await, 408);
    house.close().await;
}
