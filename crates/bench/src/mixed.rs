//! Many clients of all dialects on one server, each with its own ask, which it sees, answers, and sees settled.
//!
//! A page of gobby is told of everything that its person may see, and a person sees every ask today, so there are few
//! of these; the others are told of their own session only.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::load::{answer_everything, greet};
use crate::subject::Subject;
use crate::tongues::{BenchSession, Plugin, Route, Screen, Tongue, questions, uuid_of};

/// How many of a hundred clients speak each dialect.
const SHARES: [(Tongue, usize); 5] =
    [(Tongue::Prime, 40), (Tongue::Ccc, 28), (Tongue::Seline, 20), (Tongue::Whimmy, 11), (Tongue::Gobby, 1)];
const PER_ADDRESS: usize = 8_000;
/// Clients that connect at the same moment; more would only queue in the kernel.
const AT_ONCE: usize = 64;
/// Beyond: a client did not get what it was promised.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) const FULL: usize = 10_000;
pub(crate) const QUICK: usize = 200;

pub(crate) async fn run(clients: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let dialects = "prime,whimmy,ccc=127.0.0.1:0,gobby=127.0.0.1:0,seline=127.0.0.1:0";
    let subject = Arc::new(Subject::speaking(root, dialects).await?);
    let ports = Ports::read(&subject)?;
    let before = memory_kb(subject.pid)?;

    // Plugins only ask; this person answers them.
    let mut answerer = greet(&subject).await?;
    let answering = tokio::spawn(async move { answer_everything_of_plugins(&mut answerer).await });
    let everybody = Arc::new(Barrier::new(clients + 1));
    let (dialling, began) = (Arc::new(Semaphore::new(AT_ONCE)), Instant::now());
    let mut people = JoinSet::new();
    for place in 0..clients {
        let tongue = tongue_of(place);
        let route = Route { to: ports.of(tongue, &subject), from: u8::try_from(place / PER_ADDRESS)? };
        let client = Client { subject: Arc::clone(&subject), tongue, route, place };
        people.spawn(client.run(Arc::clone(&dialling), Arc::clone(&everybody)));
    }
    let all = timeout(PATIENCE, async {
        // A client that fails to connect would keep the others waiting for ever.
        tokio::select! {
            _ = everybody.wait() => Ok(()),
            Some(ended) = people.join_next() => ended?.map(drop),
        }
    });
    all.await.context("not everybody could connect")??;
    let (connected, took) = (memory_kb(subject.pid)?, began.elapsed());
    eprintln!("{clients} connected after {:.1} s", took.as_secs_f64());

    let began = Instant::now();
    let mut counts = BTreeMap::<&str, usize>::new();
    let answered = timeout(PATIENCE, async {
        while let Some(ended) = people.join_next().await {
            *counts.entry(ended??.name()).or_default() += 1;
        }
        Ok::<_, anyhow::Error>(())
    });
    answered.await.context("not every ask was answered")??;
    let (after, answered_after) = (memory_kb(subject.pid)?, began.elapsed());
    answering.abort();
    verify(&subject, clients).await?;
    let each: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!(
        "| clients | of these | connected s | all asked and answered s | memory MB: empty, connected, after | lost |"
    );
    println!("|---:|---|---:|---:|---|---:|");
    println!(
        "| {clients} | {} | {:.1} | {:.1} | {}, {}, {} | 0 |",
        each.join(", "),
        took.as_secs_f64(),
        answered_after.as_secs_f64(),
        before / 1024,
        connected / 1024,
        after / 1024,
    );
    Arc::into_inner(subject).context("nobody else holds the server")?.stop().await
}

/// Spreads the dialects, so that each is used from the beginning.
fn tongue_of(place: usize) -> Tongue {
    // 37 and 100 have no divisor in common: every hundred holds each share once.
    let mut within = place * 37 % 100;
    for (tongue, share) in SHARES {
        match within.checked_sub(share) {
            None => return tongue,
            Some(rest) => within = rest,
        }
    }
    Tongue::Prime
}

struct Client {
    subject: Arc<Subject>,
    tongue: Tongue,
    route: Route,
    place: usize,
}

impl Client {
    /// Connects, waits until all clients have, asks, answers what it is shown, and checks that it counted.
    async fn run(self, dialling: Arc<Semaphore>, everybody: Arc<Barrier>) -> Result<Tongue> {
        let Self { subject, tongue, route, place } = self;
        let turn = dialling.acquire().await?;
        let mut connection = subject.connect().await?;
        if tongue == Tongue::Whimmy {
            let wish = json!({"name": format!("plugin{place}")}).to_string();
            let made = connection.post("/v1/tokens", subject.agent.as_deref(), &wish).await?;
            let token = serde_json::from_str::<Value>(&made)?["token"].as_str().context("a token")?.to_owned();
            let mut plugin = Plugin::connect(route, &token).await?;
            drop((turn, connection));
            everybody.wait().await;
            plugin.ask("mixed", &format!("mixed-{place}")).await?;
            return Ok(tongue);
        }
        let session = subject.session(&mut connection).await?.context("a session was started")?;
        let target = BenchSession { uuid: uuid_of(&session)?, token: subject.person.clone().context("a person")? };
        let mut screen = Screen::open(tongue, route, &target).await?;
        drop((turn, connection));
        everybody.wait().await;
        // Limits how many clients ask at the same moment.
        let turn = dialling.acquire().await?;
        let mut connection = subject.connect().await?;
        let body = json!({"session": session, "questions": questions()}).to_string();
        let asked = connection.post("/v1/asks", subject.agent.as_deref(), &body).await?;
        let id = serde_json::from_str::<Value>(&asked)?["id"].as_str().context("an ask has an id")?.to_owned();
        let card = screen.asked().await?;
        screen.answer(&card, &target).await?;
        let path = format!("/v1/asks/{id}?wait=60");
        let ended = connection.get(&path, subject.agent.as_deref()).await?;
        drop(turn);
        let ended: Value = serde_json::from_str(&ended)?;
        ensure!(ended["by"]["via"] == tongue.name(), "{} answered, and it counts as {ended}", tongue.name());
        Ok(tongue)
    }
}

/// Answers what plugins ask; other asks are answered on their own screens.
async fn answer_everything_of_plugins(socket: &mut crate::load::Socket) -> Result<()> {
    answer_everything(socket, |text| text.contains(r#""door":"whimmy""#)).await
}

/// Checks that nothing is open, and that as many asks are answered as there are clients.
async fn verify(subject: &Subject, clients: usize) -> Result<()> {
    let mut connection = subject.connect().await?;
    let person = subject.person.as_deref();
    let open: Value = serde_json::from_str(&connection.get("/v1/asks?state=open", person).await?)?;
    ensure!(open["items"].as_array().is_some_and(Vec::is_empty), "some asks are still open: {open}");
    let (mut answered, mut after) = (0, String::new());
    loop {
        let page = connection.get(&format!("/v1/asks?state=answered&limit=500{after}"), person).await?;
        let page: Value = serde_json::from_str(&page)?;
        answered += page["items"].as_array().map_or(0, Vec::len);
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    ensure!(answered == clients, "{answered} of {clients} asks are answered");
    Ok(())
}

/// The port of each dialect.
struct Ports(BTreeMap<String, SocketAddr>);

impl Ports {
    fn read(subject: &Subject) -> Result<Self> {
        let written = std::fs::read_to_string(subject.data.join("run/dialects"))?;
        let ports = written.lines().filter_map(|line| line.split_once(' '));
        let ports = ports.map(|(name, port)| Ok((name.to_owned(), port.parse()?)));
        Ok(Self(ports.collect::<Result<_>>()?))
    }

    fn of(&self, tongue: Tongue, subject: &Subject) -> SocketAddr {
        self.0.get(tongue.name()).copied().unwrap_or(subject.address)
    }
}

fn memory_kb(pid: u32) -> Result<u64> {
    Ok(crate::footprint::resident(pid)? / 1024)
}
