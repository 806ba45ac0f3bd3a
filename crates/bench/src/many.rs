//! Very many open asks: the time of a restart, memory, and the time of an inbox page.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::net::TcpStream;

use crate::footprint::{ask, resident};
use crate::http::Connection;
use crate::subject::{Kind, Subject};

pub(crate) struct Many {
    pub(crate) asks: usize,
    pub(crate) ready: Spread,
    pub(crate) resident: u64,
    /// The first page of the inbox after each start, and the later ones.
    pub(crate) first_page: Spread,
    pub(crate) later_pages: Spread,
    /// The time of `journal verify`, and the number of events that it folded.
    pub(crate) verify: Duration,
    pub(crate) events: usize,
}

/// How often the server is killed and restarted. Only the first page after a start counts as `first_page`.
pub(crate) const STARTS: usize = 7;

/// The median of several tries, and the slowest.
pub(crate) struct Spread {
    pub(crate) median: Duration,
    pub(crate) slowest: Duration,
}

impl Spread {
    fn of(mut tries: Vec<Duration>) -> Self {
        tries.sort_unstable();
        Self { median: tries[tries.len() / 2], slowest: tries[tries.len() - 1] }
    }
}

/// Fills a store with open asks and restarts a server on it several times.
pub(crate) async fn many(root: &Path, asks: usize) -> Result<Many> {
    let mut subject = Subject::measured(Kind::Askbridge, root).await?;
    ask(&subject, asks).await?;
    let (mut ready, mut first_page, mut later_pages, mut most) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..STARTS {
        let began = Instant::now();
        subject = subject.again().await?;
        ready.push(began.elapsed());
        let mut connection = subject.connect().await?;
        first_page.push(page(&subject, &mut connection).await?);
        for _ in 0..20 {
            later_pages.push(page(&subject, &mut connection).await?);
        }
        most = most.max(resident(subject.pid)?);
    }
    let began = Instant::now();
    subject.verify().await?;
    let verify = began.elapsed();
    subject.stop().await?;
    // Each ask starts a session of its own.
    let (ready, first_page, later_pages) = (Spread::of(ready), Spread::of(first_page), Spread::of(later_pages));
    Ok(Many { asks, ready, resident: most, first_page, later_pages, verify, events: asks * 2 })
}

/// Fetches the inbox. Returns how long that took.
async fn page(subject: &Subject, connection: &mut Connection<TcpStream>) -> Result<Duration> {
    let began = Instant::now();
    connection.get("/v1/asks?state=open&limit=50", subject.person.as_deref()).await?;
    Ok(began.elapsed())
}
