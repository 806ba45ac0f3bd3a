//! Runaway agents: they ask without end in sessions where nobody answers. The server must refuse the excess at once,
//! and other clients must hardly notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::measure::percentile;
use crate::subject::Subject;

/// Connections that ask as fast as they can.
const LOST: usize = 256;
/// Sessions that they ask in.
const SESSIONS: usize = 16;
/// How often another client checks that the server still responds.
const PULSE: Duration = Duration::from_millis(50);
/// Beyond: the server stalled.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the requests were answered.
#[derive(Default)]
struct Answers {
    taken: usize,
    refused: usize,
    waits: Vec<Duration>,
}

/// Overloads the server for a while and prints what it did. Fails if a request was not answered, or by anything but
/// 201, 429 and 503.
pub(crate) async fn run(subject: &Arc<Subject>, span: Duration) -> Result<()> {
    let mut connection = subject.connect().await?;
    let mut sessions = Vec::with_capacity(SESSIONS);
    for _ in 0..SESSIONS {
        sessions.push(subject.session(&mut connection).await?.context("a session was started")?);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let pulse = tokio::spawn(pulse(Arc::clone(subject), Arc::clone(&stop)));
    let mut lost = JoinSet::new();
    for place in 0..LOST {
        let (subject, session) = (Arc::clone(subject), sessions[place % SESSIONS].clone());
        lost.spawn(async move { ask_without_end(&subject, &session, Instant::now() + span).await });
    }
    let mut all = Answers::default();
    while let Some(answers) = lost.join_next().await {
        let answers = answers??;
        all.taken += answers.taken;
        all.refused += answers.refused;
        all.waits.extend(answers.waits);
    }
    stop.store(true, Ordering::Relaxed);
    let mut pulses = pulse.await??;
    ensure!(all.refused > 0, "nothing was too much");
    println!(
        "\n| asks beyond all measure | taken | refused (429, 503) | a second | p50 ms | p99 ms | slowest ms | others: p50 ms | slowest ms |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let ms = |span: Duration| span.as_secs_f64() * 1e3;
    println!(
        "| {} | {} | {} | {:.0} | {:.1} | {:.1} | {:.0} | {:.1} | {:.0} |",
        all.waits.len(),
        all.taken,
        all.refused,
        all.waits.len() as f64 / span.as_secs_f64(),
        ms(percentile(&mut all.waits, 0.5)),
        ms(percentile(&mut all.waits, 0.99)),
        ms(percentile(&mut all.waits, 1.0)),
        ms(percentile(&mut pulses, 0.5)),
        ms(percentile(&mut pulses, 1.0)),
    );
    Ok(())
}

async fn ask_without_end(subject: &Subject, session: &str, until: Instant) -> Result<Answers> {
    let mut connection = subject.connect().await?;
    let body = format!(r#"{{"session":"{session}","questions":[{{"question":"And now?","options":["Yes","No"]}}]}}"#);
    let mut answers = Answers::default();
    while Instant::now() < until {
        let began = Instant::now();
        let asked = timeout(PATIENCE, connection.ask("/v1/asks", subject.agent.as_deref(), &body)).await;
        let (status, said) = asked.context("a request was never answered: the server stalled")??;
        answers.waits.push(began.elapsed());
        match status {
            201 => answers.taken += 1,
            429 | 503 => answers.refused += 1,
            other => bail!("{other}: {said}"),
        }
    }
    Ok(answers)
}

/// Fetches the inbox again and again, as an unrelated client. Returns how long each request took.
async fn pulse(subject: Arc<Subject>, stop: Arc<AtomicBool>) -> Result<Vec<Duration>> {
    let mut connection = subject.connect().await?;
    let mut looks = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        let page = timeout(PATIENCE, connection.get("/v1/asks?limit=10", subject.person.as_deref())).await;
        page.context("the inbox was never shown: the server stalled")??;
        looks.push(began.elapsed());
        tokio::time::sleep(PULSE).await;
    }
    Ok(looks)
}
