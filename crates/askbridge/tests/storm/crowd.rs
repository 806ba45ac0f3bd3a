//! Agents that ask and people who answer, through restarts and kills of the server. Each keeps a ledger.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::agents::QuestionRecord;
use crate::people::Seen;
use crate::server::Server;
use crate::{agents, people};

pub(crate) struct Crowd {
    asking: Vec<JoinHandle<Vec<QuestionRecord>>>,
    watching: Vec<JoinHandle<Seen>>,
    agents_stop: Arc<AtomicBool>,
    people_stop: Arc<AtomicBool>,
}

impl Crowd {
    /// Starts one person for each label, who always chooses it, and this many agents.
    pub(crate) async fn gather(server: &Server, labels: &[&'static str], agents: usize) -> Self {
        let (agents_stop, people_stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let ready = Arc::new(Semaphore::new(0));
        let mut watching = Vec::new();
        for label in labels {
            let token = server.person(label).await;
            let (address, ready, stop) = (server.address.clone(), Arc::clone(&ready), Arc::clone(&people_stop));
            watching.push(tokio::spawn(people::answer(address, token, label, ready, stop)));
        }
        // They connect before the first question, so they have to be told of everything.
        drop(ready.acquire_many(labels.len() as u32).await.unwrap());
        let token = server.agent_token();
        let asking = (0..agents).map(|place| {
            let (address, token, stop) = (server.address.clone(), token.clone(), Arc::clone(&agents_stop));
            tokio::spawn(agents::ask(address, token, place, stop))
        });
        Self { asking: asking.collect(), watching, agents_stop, people_stop }
    }

    /// Lets the agents finish their rounds, and returns what they asked.
    pub(crate) async fn stop_asking(&mut self) -> Vec<QuestionRecord> {
        self.agents_stop.store(true, Ordering::Relaxed);
        let mut asked = Vec::new();
        for agent in std::mem::take(&mut self.asking) {
            asked.extend(agent.await.unwrap());
        }
        asked
    }

    /// Sends the people home, and returns what they saw.
    pub(crate) async fn leave(self) -> Vec<Seen> {
        self.people_stop.store(true, Ordering::Relaxed);
        let mut seen = Vec::new();
        for person in self.watching {
            seen.push(person.await.unwrap());
        }
        seen
    }
}
