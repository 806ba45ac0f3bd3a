//! Rules that change under load, and SIGKILL at random moments. What a rule answers is one entry, so after each kill such
//! an ask is either absent or ruled; a broken file leaves the last good version in force; an open ask stays open.

use askbridge_bridge::clock::Clock;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askbridge_core::answer::{Answer, Outcome};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::ids::Timestamp;
use askbridge_journal::journal::{Followed, Journal};
use askbridge_journal::{Sqlite, sqlite};
use askbridge_scripted::storm;
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::server::Server;
use crate::wire::Http;

const AGENTS: usize = 24;
const PATIENCE: Duration = Duration::from_secs(30);
const LABELS: [&str; 3] = ["North", "East", "South"];
/// A rule of every version answers the first, and denies the second. Every third version answers the third.
const ANSWERED: &str = "Which way?";
const DENIED: &str = "May I stop?";
const SOMETIMES: &str = "Who knows?";

/// A version of the rule file. Its number is in the names of its rules.
fn version(number: usize) -> String {
    let label = LABELS[number % LABELS.len()];
    let mut text = format!(
        "[[rules]]\nname = \"answers-{number}\"\ndo = \"answer\"\nanswer = \"{label}\"\nquestion = \"{ANSWERED}\"\n\
         [[rules]]\nname = \"denies-{number}\"\ndo = \"deny\"\nwords = \"not in version {number}\"\nquestion = \"{DENIED}\"\n"
    );
    if answers_all(number) {
        text += &format!(
            "[[rules]]\nname = \"knows-{number}\"\ndo = \"answer\"\nanswer = \"first\"\nquestion = \"{SOMETIMES}\"\n"
        );
    }
    text
}

fn answers_all(version: usize) -> bool {
    version.is_multiple_of(3)
}

/// The rule file, and what was in force when.
struct RuleFile<'s> {
    server: &'s Path,
    number: usize,
    /// When each version was written.
    written: Vec<(usize, i64)>,
    /// From when on it is certain that no version before this one is in force.
    at_least: Vec<(i64, usize)>,
}

fn now() -> i64 {
    Clock::System.now().0
}

impl RuleFile<'_> {
    fn write(&self, text: &str) {
        let new = self.server.join("rules.new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, self.server.join("rules.toml")).unwrap();
    }

    fn next(&mut self) {
        self.number += 1;
        self.written.push((self.number, now()));
        self.write(&version(self.number));
    }

    fn is_in_force(&mut self) {
        self.at_least.push((now(), self.number));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ruled_ask_is_whole_or_absent_however_rules_change_and_the_server_is_killed() {
    let kills = storm::count("kills of the server, under rules that change", 16, 160);
    let mut server = Server::start().await;
    // The first person switches taps off: the rules say yes, and each version would need one.
    let ada = server.person("ada").await;
    let folder = server.folder.path().to_owned();
    let mut file = RuleFile { server: &folder, number: 0, written: Vec::new(), at_least: Vec::new() };
    file.next();
    server.kill();
    server.run().await;
    file.is_in_force();
    let stop = Arc::new(AtomicBool::new(false));
    let agents: Vec<_> = (0..AGENTS)
        .map(|place| tokio::spawn(ask(server.address.clone(), server.agent_token(), place, Arc::clone(&stop))))
        .collect();

    let mut open: BTreeSet<String> = BTreeSet::new();
    // Pseudo-random, and the same in every run, so that a failure can be repeated.
    let mut moment: u64 = 0x5eed;
    for round in 0..kills {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let within = Duration::from_millis(20 + (moment >> 33) % 180);
        if round % 8 == 7 {
            change_while_it_runs(&server, &ada, &mut file).await;
        } else {
            file.next();
        }
        tokio::time::sleep(within).await;
        server.kill();
        server.run().await;
        file.is_in_force();
        // What no rule answers waits for a person, and no later rule answers it.
        let id = sometimes(&server, round).await;
        if !answers_all(file.number) {
            open.insert(id);
        }
        assert_eq!(open_asks(&server, &ada).await, open, "open after kill {round}");
    }

    stop.store(true, Ordering::Relaxed);
    let mut told = Vec::new();
    for agent in agents {
        told.extend(agent.await.unwrap());
    }
    assert_eq!(open_asks(&server, &ada).await, open);
    server.stop();
    judge(&folder, &told, &open, &file).await;
}

/// A broken version, and then a good one, while agents ask: no ask waits, and the good one comes into force.
async fn change_while_it_runs(server: &Server, ada: &str, file: &mut RuleFile<'_>) {
    file.write("[[rules]]\nname = \"broken\ndo = \"allow\"\n");
    rules_show(server, ada, |rules| rules["problems"].as_array().is_some_and(|problems| !problems.is_empty())).await;
    file.next();
    rules_show(server, ada, |rules| rules["problems"].as_array().is_some_and(Vec::is_empty)).await;
    file.is_in_force();
}

async fn rules_show(server: &Server, token: &str, wanted: impl Fn(&Value) -> bool) {
    let looking = async {
        loop {
            let mut http = Http::connect(&server.address).await.unwrap();
            let (status, rules) = http.get("/v1/rules", token).await.unwrap();
            assert_eq!(status, 200, "{rules}");
            if wanted(&rules) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.expect("the rules do not change");
}

/// What an agent was told about one key.
struct Told {
    key: String,
    view: Value,
}

/// Asks one ruled question after the other until `stop`. No such ask ever waits for a person.
async fn ask(address: String, token: String, place: usize, stop: Arc<AtomicBool>) -> Vec<Told> {
    let mut told = Vec::new();
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let key = format!("agent{place}-round{round}");
        let question = if (place + round).is_multiple_of(4) { DENIED } else { ANSWERED };
        let mut views = Vec::new();
        // The second time, the ask is known: other rules do not change what was said.
        for _ in 0..2 {
            views.push(insist(&address, &token, &key, question).await);
        }
        told.extend(views.into_iter().map(|view| Told { key: key.clone(), view }));
    }
    told
}

/// Asks until the server answers.
async fn insist(address: &str, token: &str, key: &str, question: &str) -> Value {
    let headers = format!("authorization: Bearer {token}\r\nidempotency-key: {key}\r\n");
    let options: Vec<_> = LABELS.iter().map(|label| json!({"label": label})).collect();
    let body = json!({"questions": [{"question": question, "options": options}]});
    loop {
        if let Ok(mut http) = Http::connect(address).await {
            match http.post("/v1/asks", &headers, &body).await {
                Ok((200 | 201, view)) => return view,
                Ok((503, _)) | Err(_) => {}
                Ok((status, view)) => panic!("{status}: {view}"),
            }
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
}

async fn sometimes(server: &Server, round: usize) -> String {
    let view = insist(&server.address, &server.agent_token(), &format!("sometimes-{round}"), SOMETIMES).await;
    view["id"].as_str().unwrap().to_owned()
}

async fn open_asks(server: &Server, token: &str) -> BTreeSet<String> {
    let (mut ids, mut path) = (BTreeSet::new(), "/v1/asks?limit=100".to_owned());
    loop {
        let mut http = Http::connect(&server.address).await.unwrap();
        let (status, page) = http.get(&path, token).await.unwrap();
        assert_eq!(status, 200, "{page}");
        ids.extend(page["items"].as_array().unwrap().iter().map(|ask| ask["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/asks?limit=100&after={next}"),
            None => return ids,
        }
    }
}

/// The question that an ask of the agents asks.
fn question(ask: &Ask) -> Option<&str> {
    match &ask.body {
        Body::Questions(questions) => questions.first().map(|question| question.text.as_str()),
        _ => None,
    }
}

/// Compares what the agents were told with the journal, and the journal with the versions of the rules.
async fn judge(folder: &Path, told: &[Told], open: &BTreeSet<String>, file: &RuleFile<'_>) {
    let journal = Sqlite::open(&sqlite::Options::new(folder, 0)).unwrap();
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    let mut versions: BTreeSet<usize> = BTreeSet::new();
    let mut entries = Box::pin(journal.follow(journal.start()));
    while let Some(Ok(Followed::Entry(stored))) = entries.next().await {
        let events: Vec<&Event> = stored.entry.events.iter().map(|written| &*written.event).collect();
        let asked = events.iter().find_map(|event| match event {
            Event::Asked(ask) => Some(ask),
            _ => None,
        });
        let ending = events.iter().find_map(|event| match event {
            Event::Settled(settled) => Some(settled),
            _ => None,
        });
        let is_ruled = |outcome: &Outcome| matches!(outcome, Outcome::Ruled { .. } | Outcome::RuledOut { .. });
        let Some((ask, question)) = asked.and_then(|ask| Some((ask, question(ask)?))) else {
            assert!(!ending.is_some_and(|settled| is_ruled(&settled.outcome)), "a rule settled an ask that was open");
            continue;
        };
        if ![ANSWERED, DENIED, SOMETIMES].contains(&question) {
            continue;
        }
        let (id, key) = (ask.id.to_string(), ask.key.as_ref().unwrap().to_string());
        assert_eq!(ids.insert(key.clone(), id.clone()), None, "{key} was asked twice");
        let Some(settled) = ending else {
            assert!(question == SOMETIMES && open.contains(&id), "{key} was asked, and no rule answered it");
            continue;
        };
        let (rule, said) = match &settled.outcome {
            Outcome::Ruled { rule, answer: Answer::Questions(picks), .. } => (rule, Some(picks[0].chosen.clone())),
            Outcome::RuledOut { rule, words, .. } => {
                assert!(rule.ends_with(&words.replace("not in version ", "-")), "{rule} said {words}");
                (rule, None)
            }
            other => panic!("no person decided, and yet: {other:?}"),
        };
        let (name, number) = rule.rsplit_once('-').unwrap();
        let number: usize = number.parse().unwrap();
        let expected = match (question, name) {
            (ANSWERED, "answers") => Some(vec![u16::try_from(number % LABELS.len()).unwrap()]),
            (SOMETIMES, "knows") if answers_all(number) => Some(vec![0]),
            (DENIED, "denies") => None,
            _ => panic!("`{rule}` decided about “{question}”"),
        };
        assert_eq!(said, expected, "{rule}");
        in_force(file, number, ask.at);
        versions.insert(number);
        rules.insert(id, rule.clone());
    }
    // What an agent was told is in the journal, and stays.
    for Told { key, view } in told {
        let id = ids.get(key).unwrap_or_else(|| panic!("{key} was acknowledged, and is lost"));
        assert_eq!((view["id"].as_str(), view["state"].as_str()), (Some(id.as_str()), Some("ruled")), "{view}");
        assert_eq!(view["by"]["rule"].as_str(), rules.get(id).map(String::as_str), "{view}");
    }
    assert!(told.len() > 200, "only {} answers were heard", told.len());
    assert!(versions.len() > file.number / 2, "only {} of {} versions answered anything", versions.len(), file.number);
}

/// Was this version in force when the ask was made?
fn in_force(file: &RuleFile<'_>, number: usize, at: Timestamp) {
    let written = file.written.iter().find(|(version, _)| *version == number).map(|(_, at)| *at);
    assert!(written.is_some_and(|written| written <= at.0), "version {number} ruled at {at:?}, before it was written");
    let least = file.at_least.iter().rev().find(|(since, _)| *since <= at.0).map_or(0, |(_, version)| *version);
    assert!(number >= least, "version {number} ruled at {at:?}, when {least} was in force");
}
