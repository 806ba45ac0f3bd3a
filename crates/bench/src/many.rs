//! A great many open asks: how long until the server is there again, how much memory, how fast the inbox.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::footprint::{ask, resident};
use crate::subject::{Kind, Subject};

pub(crate) struct Many {
    pub(crate) asks: usize,
    pub(crate) ready: Duration,
    pub(crate) resident: u64,
    /// The first page of the inbox: the first time, and the median of the following ones.
    pub(crate) first_page: Duration,
    pub(crate) later_pages: Duration,
    /// Checking and folding everything, and what there was to fold.
    pub(crate) verify: Duration,
    pub(crate) events: usize,
}

/// Fills a store with open asks and starts a server on it again.
pub(crate) async fn many(root: &Path, asks: usize) -> Result<Many> {
    let subject = Subject::start(Kind::Askbridge, root).await?;
    ask(&subject, asks).await?;
    let began = Instant::now();
    let subject = subject.again().await?;
    let ready = began.elapsed();
    let mut pages = Vec::new();
    let mut connection = subject.connect().await?;
    for _ in 0..51 {
        let began = Instant::now();
        connection.get("/v1/asks?state=open&limit=50", subject.person.as_deref()).await?;
        pages.push(began.elapsed());
    }
    let resident = resident(subject.pid)?;
    let first_page = pages.remove(0);
    pages.sort_unstable();
    let began = Instant::now();
    subject.verify().await?;
    let verify = began.elapsed();
    subject.stop().await?;
    // Each ask starts a session of its own.
    Ok(Many { asks, ready, resident, first_page, later_pages: pages[pages.len() / 2], verify, events: asks * 2 })
}
