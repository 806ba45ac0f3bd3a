//! One session with the screen of its person, who gives one answer per round.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::script::{label, message};
use super::speech::{Name, Seen, Speech};
use crate::tongues::{Socket, after};

/// Beyond: a round is stuck.
const PATIENCE: Duration = Duration::from_secs(60);
/// Frames of one session that its seat has not read. Beyond: the shared socket is not read either.
const UNREAD: usize = 256;

pub(super) struct Seat {
    speech: Speech,
    name: Name,
    /// The answer that the agent repeated in this round.
    chosen: Option<String>,
    line: Line,
}

/// The way to the server: a socket of its own, or a share of one that carries many sessions.
enum Line {
    Own(Box<Socket>),
    Shared { writer: Arc<Mutex<SplitSink<Socket, Message>>>, frames: mpsc::Receiver<Utf8Bytes> },
}

impl Seat {
    /// A session with a socket of its own.
    pub(super) fn on(speech: Speech, id: String, socket: Socket) -> Self {
        Self { speech, name: Name { id, said: 0 }, chosen: None, line: Line::Own(Box::new(socket)) }
    }

    /// Sessions that one screen shows together.
    pub(super) fn all_on(speech: Speech, ids: Vec<String>, socket: Socket) -> Vec<Self> {
        let (writer, mut reader) = socket.split();
        let writer = Arc::new(Mutex::new(writer));
        let mut routes = HashMap::new();
        let seat = |id: String| {
            let (sender, frames) = mpsc::channel(UNREAD);
            routes.insert(id.clone(), sender);
            Self {
                speech,
                name: Name { id, said: 0 },
                chosen: None,
                line: Line::Shared { writer: Arc::clone(&writer), frames },
            }
        };
        let seats = ids.into_iter().map(seat).collect();
        tokio::spawn(async move {
            while let Some(Ok(frame)) = reader.next().await {
                let Message::Text(text) = frame else { continue };
                // A refusal names no session, and every seat may be the one that it is about.
                if text.contains(r#""ok":false"#) || text.contains(r#"{"type":"error""#) {
                    for seat in routes.values() {
                        let _ = seat.send(text.clone()).await;
                    }
                } else if let Ok(id) = after(&text, speech.session_field())
                    && let Some(seat) = routes.get(&id)
                {
                    // A seat that has left needs no frames.
                    let _ = seat.send(text).await;
                }
            }
        });
        seats
    }

    /// Plays one round. Returns how long it took, from the message to the end of the turn on the screen. Fails if the agent
    /// got another answer than the one given.
    pub(super) async fn round(&mut self) -> Result<Duration> {
        let label = label(self.name.said + 1);
        let began = Instant::now();
        let card = self.say().await?;
        self.send(self.speech.answer(&self.name, &card, label)).await?;
        match self.until().await? {
            Seen::Ended => {}
            other => bail!("{other:?} instead of the end of the turn"),
        }
        let took = began.elapsed();
        let chosen = self.chosen.take();
        ensure!(chosen.as_deref() == Some(label), "`{label}` was given, and the agent got {chosen:?}");
        Ok(took)
    }

    /// Sends the next message. Returns the card that the agent's question becomes.
    pub(super) async fn say(&mut self) -> Result<String> {
        self.name.said += 1;
        let text = message(self.name.said);
        self.send(self.speech.say(&self.name, &text)).await?;
        match self.until().await? {
            Seen::Card(card) => Ok(card),
            other => bail!("{other:?} instead of a question"),
        }
    }

    async fn send(&mut self, frame: String) -> Result<()> {
        let frame = Message::text(frame);
        match &mut self.line {
            Line::Own(socket) => socket.send(frame).await?,
            Line::Shared { writer, .. } => writer.lock().await.send(frame).await?,
        }
        Ok(())
    }

    /// Waits for the next frame that means something.
    async fn until(&mut self) -> Result<Seen> {
        let Self { speech, name, chosen, line } = self;
        let waiting = async {
            loop {
                let frame = match line {
                    Line::Own(socket) => match socket.next().await.context("the server hung up")?? {
                        Message::Text(text) => text,
                        Message::Close(why) => bail!("the server hung up: {why:?}"),
                        _ => continue,
                    },
                    Line::Shared { frames, .. } => frames.recv().await.context("the server hung up")?,
                };
                match speech.see(name, &frame)? {
                    Seen::Other => {}
                    Seen::Chosen(label) => *chosen = Some(label),
                    Seen::Refused(why) => bail!("refused: {why}"),
                    seen => return Ok(seen),
                }
            }
        };
        let seen = timeout(PATIENCE, waiting).await.map_err(|_| anyhow::anyhow!("nothing more came"));
        seen.and_then(|seen| seen).with_context(|| format!("round {} of session `{}` ({speech:?})", name.said, name.id))
    }
}
