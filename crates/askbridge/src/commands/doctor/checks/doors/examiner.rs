//! The person's side of a test: finds it among the open asks, and answers it if this process may.

use std::future::Future;
use std::path::Path;
use std::pin::{Pin, pin};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::client::{Client, Connection, Shown};
use crate::commands::doctor::checks::asks;
use crate::commands::doctor::patient::Patient;
use crate::failure::Failure;
use crate::scratch::Scratch;

/// How long a door may take to ask, and to receive the answer. Beyond: it does not work.
const PATIENCE: Duration = Duration::from_secs(20);
const BREATH: Duration = Duration::from_millis(30);

/// What happened to a test.
#[derive(Debug)]
pub(super) enum Seen<T> {
    /// It was asked and answered; this is the door's output, if any.
    Answered(Option<T>),
    /// It was asked and withdrawn, because this process may not answer.
    Withdrawn(&'static str),
    /// The door printed this, and nothing was asked.
    NotAsked(T),
    /// Nothing happened at all.
    Silence,
}

/// Answers tests: on the running server with the rights of our caller, else on a temporary one.
pub(super) struct Examiner {
    client: Client,
    decider: Result<Client, &'static str>,
    scratch: Option<Scratch>,
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

impl Examiner {
    pub(super) async fn meet(patient: &Patient) -> Result<Self, Failure> {
        let is_named = patient.settings.top.url.is_some();
        if let Some(connection) = Connection::read(&patient.settings)?.filter(|_| !is_named) {
            let client = Client::home(&connection)?;
            client.get("/v1/me").await?;
            return Ok(Self { client, decider: Err("a connected machine asks and never decides"), scratch: None });
        }
        if patient.is_served() {
            let client = Client::local(&patient.settings);
            let me: Me = client.get("/v1/me").await?.json()?;
            let decider = match me.role.as_str() {
                "terminal" => Ok(client.clone()),
                "agent" => Err("a process below an agent may not decide"),
                "unproven" => Err("deciding from this terminal needs a tap on a paired device"),
                _ => Err("there is no terminal here"),
            };
            return Ok(Self { client, decider, scratch: None });
        }
        let scratch = Scratch::start(&patient.settings, "doctor").await?;
        let token = scratch.served.person("doctor").await?;
        let client = Client::local(&scratch.settings);
        Ok(Self { client, decider: Ok(Client::here(&scratch.settings, Some(token))), scratch: Some(scratch) })
    }

    /// The data folder of our temporary server, if there is one.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.scratch.as_ref().map(|scratch| scratch.settings.data.as_path())
    }

    pub(super) async fn leave(self) {
        if let Some(scratch) = self.scratch {
            scratch.stop().await;
        }
    }

    /// Waits for a test with this question and answers it, until the door is done.
    pub(super) async fn attend<T>(&self, question: &str, door: impl Future<Output = T>) -> Result<Seen<T>, Failure> {
        let mut door = pin!(door);
        let begun = Instant::now();
        let ask = loop {
            tokio::select! {
                biased;
                said = &mut door => return Ok(Seen::NotAsked(said)),
                () = sleep(BREATH) => {}
            }
            if let Some(ask) = self.find(question).await? {
                break ask;
            }
            if begun.elapsed() > PATIENCE {
                return Ok(Seen::Silence);
            }
        };
        let seen = self.answer(question, &ask, door).await;
        asks::close(&self.client, &ask).await;
        seen
    }

    async fn answer<T>(
        &self,
        question: &str,
        ask: &Shown,
        door: Pin<&mut impl Future<Output = T>>,
    ) -> Result<Seen<T>, Failure> {
        match &self.decider {
            Ok(decider) => {
                let answers = json!({"answers": {question: {"options": [0]}}});
                decider.post(&format!("/v1/asks/{}/answer", ask.id), &answers).await?;
                Ok(Seen::Answered(timeout(PATIENCE, door).await.ok()))
            }
            Err(why) => {
                let words = json!({"why": "it was a test by askbridge doctor"});
                self.client.post(&format!("/v1/asks/{}/withdraw", ask.id), &words).await?;
                Ok(Seen::Withdrawn(why))
            }
        }
    }

    async fn find(&self, question: &str) -> Result<Option<Shown>, Failure> {
        let open = self.client.asks("open").await?;
        Ok(open.into_iter().map(|ask| ask.shown).find(|ask| ask.headline() == question))
    }
}
