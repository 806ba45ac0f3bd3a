//! Rounds through every dialect, beside the native one of the same run.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::load::{Pace, answer_everything, greet};
use crate::measure::{Figures, cpu_time, measure};
use crate::report::median;
use crate::subject::Subject;
use crate::tongues::{BenchSession, Plugin, Route, Screen, Tongue, questions, uuid_of};

/// The most CPU time per round that a dialect may take, relative to the native one.
const RATIO_MAX: f64 = 1.3;
const WARM: Duration = Duration::from_millis(300);

/// Measures serial rounds in one session, in every dialect in turn, so that a noisy machine disturbs them alike.
pub(crate) async fn run(repeats: usize, span: Duration) -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let mut page = String::new();
    write(&mut page, root, repeats, span).await?;
    println!("{page}");
    Ok(())
}

pub(crate) async fn write(page: &mut String, root: &Path, repeats: usize, span: Duration) -> Result<()> {
    let mut figures: Vec<Vec<Figures>> = vec![Vec::new(); Tongue::ALL.len()];
    for repeat in 1..=repeats {
        for (place, tongue) in Tongue::ALL.into_iter().enumerate() {
            eprintln!("rounds through {}, {repeat} of {repeats}", tongue.name());
            figures[place].push(one(root, tongue, span).await?);
        }
    }
    page.push_str(
        "\n| dialect | rounds/s | p50 ms | p99 ms | CPU µs/round | of native |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (tongue, own) in Tongue::ALL.into_iter().zip(&figures) {
        let of = |pick: fn(&Figures) -> f64| median(own.iter().map(pick).collect());
        // Each run is compared with the native one measured in the same turn.
        let ratios = own.iter().zip(&figures[0]).map(|(own, native)| own.cpu_us_per_round / native.cpu_us_per_round);
        let ratio = median(ratios.collect());
        let mark = if ratio > RATIO_MAX { " (too much)" } else { "" };
        writeln!(
            page,
            "| {} | {:.0} | {:.2} | {:.2} | {:.0} | **{ratio:.2}**{mark} |",
            tongue.name(),
            of(|f| f.rounds_per_s),
            of(|f| f.p50.as_secs_f64() * 1e3),
            of(|f| f.p99.as_secs_f64() * 1e3),
            of(|f| f.cpu_us_per_round),
        )?;
    }
    Ok(())
}

async fn one(root: &Path, tongue: Tongue, span: Duration) -> Result<Figures> {
    let subject = Subject::speaking(root, if tongue == Tongue::Native { "" } else { tongue.name() }).await?;
    let figures = match tongue {
        Tongue::Native => measure(&subject, 1, Pace::Saturated, span).await?,
        Tongue::Whimmy => asked_by_a_plugin(&subject, span).await?,
        tongue => answered_on_a_screen(&subject, tongue, span).await?,
    };
    subject.stop().await?;
    Ok(figures)
}

/// An agent asks as in the native rounds, and a person answers on another system's screen.
async fn answered_on_a_screen(subject: &Subject, tongue: Tongue, span: Duration) -> Result<Figures> {
    let route = Route { to: subject.address, from: 0 };
    let mut connection = subject.connect().await?;
    let session = subject.session(&mut connection).await?.context("a session was started")?;
    let token = subject.person.clone().context("a person was paired")?;
    let target = BenchSession { uuid: uuid_of(&session)?, token };
    let mut screen = Screen::open(tongue, route, &target).await?;
    let person = tokio::spawn(async move {
        loop {
            let card = screen.asked().await?;
            screen.answer(&card, &target).await?;
        }
        #[allow(unreachable_code, reason = "it goes on until it is stopped, or fails")]
        Ok::<(), anyhow::Error>(())
    });
    let body = json!({"session": session, "questions": questions()}).to_string();
    let mut rounds = async |span: Duration| {
        let (began, mut took) = (Instant::now(), Vec::new());
        while began.elapsed() < span {
            let asked = Instant::now();
            let answered = connection.post("/v1/asks?wait=30", subject.agent.as_deref(), &body).await?;
            if !answered.contains(r#""state":"answered""#) {
                let screen = if person.is_finished() { "gave up" } else { "still waits for a card" };
                bail!("the screen {screen}, and this was not answered: {answered}");
            }
            took.push(asked.elapsed());
        }
        Ok(took)
    };
    rounds(WARM).await?;
    let (cpu, began) = (cpu_time(subject.pid)?, Instant::now());
    let took = rounds(span).await?;
    let (cpu, span) = (cpu_time(subject.pid)? - cpu, began.elapsed());
    if person.is_finished() {
        person.await??;
    } else {
        person.abort();
    }
    Figures::of(took, cpu, span)
}

/// A plugin's agent asks in its chat, and a person answers natively.
async fn asked_by_a_plugin(subject: &Subject, span: Duration) -> Result<Figures> {
    let mut connection = subject.connect().await?;
    let made = connection.post("/v1/tokens", subject.agent.as_deref(), r#"{"name":"openclaw"}"#).await?;
    let token = serde_json::from_str::<Value>(&made)?["token"].as_str().context("a token was made")?.to_owned();
    let mut plugin = Plugin::connect(Route { to: subject.address, from: 0 }, &token).await?;
    // The plugin's own chat session appears only after its first frame; an ask before that would stay unanswered.
    let key = loop {
        let listed = connection.get("/v1/sessions", subject.person.as_deref()).await?;
        let listed: Value = serde_json::from_str(&listed)?;
        if let Some(session) = listed["items"].as_array().into_iter().flatten().find(|it| it["agent"] == "askbridge") {
            break uuid_of(session["id"].as_str().context("a session has an id")?)?.replace('-', "");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let mut socket = greet(subject).await?;
    let person = tokio::spawn(async move { answer_everything(&mut socket, |_| true).await });
    let mut number = 0_u64;
    let mut rounds = async |span: Duration| {
        let (began, mut took) = (Instant::now(), Vec::new());
        while began.elapsed() < span {
            number += 1;
            let asked = Instant::now();
            plugin.ask(&key, &format!("0b5f3a52-{number}")).await?;
            took.push(asked.elapsed());
        }
        Ok::<_, anyhow::Error>(took)
    };
    rounds(WARM).await?;
    let (cpu, began) = (cpu_time(subject.pid)?, Instant::now());
    let took = rounds(span).await?;
    let (cpu, span) = (cpu_time(subject.pid)? - cpu, began.elapsed());
    person.abort();
    Figures::of(took, cpu, span)
}
