//! An agent's process as an endpoint of the driver: frames go into its pipe, what it says is stored once and in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::event::{Event, Lane, Level};
use askbridge_core::ids::{Epoch, SessionId};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_peers::consult::{Consultation, Consulted};
use askbridge_peers::peer::{BlockKind, Frame, Record, Streamed, Tag};
use askbridge_peers::told::Happened;
use askbridge_peers::wish::{Query, Receipt, Rejection, Watch, Wish};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use tracing::warn;

use super::content::{Gathered, Order, Returning, StoredPieces};
use super::pipe::Pipe;
use super::pool::HostPool;
use super::spool::Spool;
use crate::auth::{Caller, ProcessId};
use crate::consult::consult;
use crate::driver::{self, Endpoint, Lost, Replies, Watched};
use crate::runtime::{Entrance, Gate, Handle, HubMessage};

/// The process, without what starts or ends it.
pub(super) struct AgentProcess {
    pub(super) pool: Arc<HostPool>,
    pub(super) session: SessionId,
    /// The door that its wishes come in by.
    pub(super) door: &'static str,
    /// The code that ends the conversation while its session goes on.
    pub(super) parked: u16,
    /// The agent itself: its wishes are granted in its own name.
    pub(super) caller: Caller,
    pub(super) process: ProcessId,
    pub(super) epoch: Epoch,
    pub(super) spool: Spool,
    pub(super) pipe: Pipe,
    pub(super) records: FuturesOrdered<BoxFuture<'static, ()>>,
    pub(super) returning: Returning,
    pub(super) gathered: Gathered,
    /// Streaming text that was read and not announced yet.
    pub(super) streaming: Option<Streamed>,
    pub(super) order: Order,
    /// What an earlier askbridge, or an earlier process, stored together with other things. Empty once all of that was
    /// read again.
    pub(super) known: StoredPieces,
    /// Has the agent shown that it received something?
    pub(super) has_progressed: bool,
    /// The session was claimed again: this process is to end, and what it says no longer counts.
    pub(super) displaced: Arc<AtomicBool>,
}

impl Endpoint for AgentProcess {
    const ORDER: driver::Order = driver::Order::ReplyBeforeLaterNews;

    fn handle(&self) -> &Handle {
        &self.pool.handle
    }

    fn wish(&mut self, tag: Tag, wish: Wish, replies: &mut Replies) {
        self.has_progressed |= matches!(wish, Wish::Deliver { .. } | Wish::Return { .. } | Wish::Strand { .. });
        let (handle, entrance) = (self.pool.handle.clone(), Entrance::of_host(self.door, self.session, self.epoch));
        match &wish {
            Wish::Hand { .. } | Wish::Deliver { .. } => {}
            Wish::Return { ask, .. } => {
                // What was read before the result comes before it.
                if self.gathered.len() > 0 {
                    self.end_burst();
                }
                self.returning.add(*ask);
            }
            _ => {
                let caller = self.caller.clone();
                let displaced = Arc::clone(&self.displaced);
                let granted = async move {
                    let reply = Gate::for_a_host(&handle).grant(&caller, entrance, wish).await;
                    if matches!(reply, Err(Rejection::Refused(Refusal::StaleEpoch))) {
                        displaced.store(true, Ordering::Relaxed);
                    }
                    (tag, reply)
                };
                replies.wait_for(self.take_along().with(granted));
                return;
            }
        }
        // The agent ignores a second copy, so the machine need not wait until the handover is written.
        replies.know(tag, Gate::for_a_host(&handle).note(&self.caller, entrance, wish));
    }

    fn query(&mut self, tag: Tag, query: Query, replies: &mut Replies) {
        let handle = self.pool.handle.clone();
        let caller = self.caller.clone();
        replies.wait_for(async move {
            let receipt = match query {
                Query::Consult(mut about) => {
                    about.agent.get_or_insert_with(|| caller.name.to_string());
                    let consulted = consult_for_a_host(&handle, *about).await;
                    consulted.map(|said| Receipt { consulted: Some(Box::new(said)), ..Receipt::default() })
                }
                Query::Ask(ask) => handle.shown_ask(&caller, ask).await,
                Query::Session(session) => handle.shown_session(&caller, session).await,
                // Queries that only clients make.
                _ => Err(Rejection::Unauthorized),
            };
            (tag, receipt)
        });
    }

    /// A host follows its session from beginning to end, so the machine's watches change nothing.
    fn watch(&mut self, _: Watch) -> Watched {
        Watched::Nothing
    }

    fn record(&mut self, record: Record, place: usize) {
        self.announce();
        self.store(record, place);
    }

    /// Text that was read together is announced together.
    fn stream(&mut self, streamed: Streamed) {
        // A question that is still being written is not content yet.
        if streamed.kind != BlockKind::Asking {
            self.store_what_returned();
        }
        match &mut self.streaming {
            Some(before) if before.is_followed_by(&streamed) && before.text.len() < limits::CONTENT_BYTES_MAX => {
                before.text.push_str(&streamed.text);
            }
            _ => {
                self.announce();
                self.streaming = Some(streamed);
            }
        }
    }

    fn write(&mut self, frames: &mut Vec<Frame<'static>>) {
        for frame in frames.drain(..) {
            if let Frame::Text(line) = frame {
                self.pipe.push(&line);
            }
        }
    }

    async fn stored(&mut self) {
        if self.records.next().await.is_none() {
            std::future::pending().await
        }
    }

    fn is_storing(&self) -> bool {
        !self.records.is_empty()
    }

    fn hears(&self, news: &HubMessage) -> bool {
        matches!(news, HubMessage::Entry(_))
    }

    /// An agent is not told what it said and did itself.
    fn tells(&mut self, happened: &Happened) -> bool {
        if matches!(&*happened.event, Event::Hosted { epoch, .. } if *epoch > self.epoch) {
            self.displaced.store(true, Ordering::Relaxed);
        }
        let is_a_decision = happened.event.lane() == Lane::Decisions;
        if is_a_decision {
            self.returning.hear(&happened.event);
        }
        is_a_decision
    }

    /// A host cannot lag behind a single session. If it fails, the machine is rebuilt from the journal.
    fn lose_track(&mut self, _: Lost) -> (u16, String) {
        warn!(session.id = %self.session, "Lost track of a session; its agent is resumed");
        (self.parked, "lost track of the session".to_owned())
    }
}

/// Asks the advisers. A machine that has just taken over a process does not know its session yet.
async fn consult_for_a_host(handle: &Handle, mut about: Consultation) -> Result<Consulted, Rejection> {
    if about.folder.is_none() {
        let settings = handle.look(about.session, |state| Arc::clone(&state.session.settings)).await?;
        about.folder.clone_from(&settings.folder);
        about.title.clone_from(&settings.title);
        about.branch.clone_from(&settings.branch);
    }
    consult(handle, &about).await
}

impl AgentProcess {
    pub(super) fn is_displaced(&self) -> bool {
        self.displaced.load(Ordering::Relaxed)
    }

    /// Announces the text that was read.
    pub(super) fn announce(&mut self) {
        if let Some(streamed) = self.streaming.take() {
            self.pool.handle.stream(streamed);
        }
    }

    pub(super) fn notice(&mut self, level: Level, text: &str) {
        let event = Event::Notice { level, text: text.to_owned() };
        // The text is part of the name, since two notices may be made at the same offset.
        let (session, name) = (self.session, format!("notice/{}/{}/{text}", self.epoch.0, self.spool.offset()));
        self.store(Record { session, name, event }, 0);
    }
}
