//! Minimal clients of other systems: each shows a question and answers it.
//!
//! They search frames for the few bytes they need instead of parsing them, so that they cost little.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::http::Connection;

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// The question of every round.
pub(crate) const QUESTION: &str = "Which database should the new service use?";
pub(crate) const ANSWER: &str = "SQLite";

/// The questions of an ask, in the shape that agents write.
pub(crate) fn questions() -> serde_json::Value {
    serde_json::json!([{
        "question": QUESTION,
        "header": "Database",
        "options": [
            {"label": "PostgreSQL", "description": "Relational, needs a server"},
            {"label": ANSWER, "description": "Embedded, one file"},
        ],
        "multiSelect": false,
    }])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    Native,
    Prime,
    Ccc,
    Gobby,
    Seline,
    Whimmy,
}

impl Tongue {
    pub(crate) const ALL: [Self; 6] = [Self::Native, Self::Prime, Self::Ccc, Self::Gobby, Self::Seline, Self::Whimmy];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Prime => "prime",
            Self::Ccc => "ccc",
            Self::Gobby => "gobby",
            Self::Seline => "seline",
            Self::Whimmy => "whimmy",
        }
    }
}

/// The address that a client connects to, and from which local address: one has some 28,000 ports to connect from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub(crate) to: SocketAddr,
    pub(crate) from: u8,
}

impl Route {
    pub(crate) async fn dial(self) -> Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1 + self.from], 0)))?;
        let stream = socket.connect(self.to).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    pub(crate) async fn socket(self, path: &str) -> Result<Socket> {
        Ok(client_async(format!("ws://{}{path}", self.to), self.dial().await?).await?.0)
    }
}

/// A person's screen with one session open.
pub(crate) enum Screen {
    Socket(Tongue, Socket),
    Stream(Box<Stream>),
}

/// A stream of chunks, and the connection for clicks, opened at the first one because the server closes an idle one.
pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
    route: Route,
    clicks: Option<Connection<TcpStream>>,
}

/// One session, as its clients name it.
#[derive(Debug, Clone)]
pub(crate) struct BenchSession {
    pub(crate) uuid: String,
    pub(crate) token: String,
}

impl Screen {
    /// Opens a session, and returns when it has caught up.
    pub(crate) async fn open(tongue: Tongue, route: Route, target: &BenchSession) -> Result<Self> {
        let BenchSession { uuid, token } = target;
        let mut socket = match tongue {
            Tongue::Seline => return Self::stream(route, target).await,
            Tongue::Prime => route.socket(&format!("/api/v1/chat/ws/{uuid}?token={token}")).await?,
            Tongue::Ccc => route.socket(&format!("/ws/chat/{uuid}?token={token}")).await?,
            Tongue::Gobby => route.socket(&format!("/ws?token={token}")).await?,
            Tongue::Native | Tongue::Whimmy => bail!("{} is not a screen of one session", tongue.name()),
        };
        if tongue == Tongue::Gobby {
            let beat = format!(r#"{{"type":"heartbeat","conversation_id":"{uuid}"}}"#);
            socket.send(Message::text(beat)).await?;
            // Frames are handled in order, so the pong means that the heartbeat was handled.
            socket.send(Message::text(r#"{"type":"ping"}"#)).await?;
        }
        let ready = match tongue {
            Tongue::Prime => r#""type":"session_status""#,
            Tongue::Ccc => r#""type":"connected""#,
            _ => r#""type":"pong""#,
        };
        while let Some(frame) = socket.next().await {
            if frame?.to_text()?.contains(ready) {
                return Ok(Self::Socket(tongue, socket));
            }
        }
        bail!("the server hung up on a screen of {}", tongue.name())
    }

    async fn stream(route: Route, BenchSession { uuid, token }: &BenchSession) -> Result<Self> {
        let mut stream = route.dial().await?;
        let body = r#"{"messages":[{"role":"user","parts":[{"type":"text","text":"Good morning"}]}]}"#;
        let head = format!(
            "POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: zlutty-session={token}\r\nx-session-id: {uuid}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        let mut reader = BufReader::with_capacity(1024, stream);
        let mut text = String::new();
        while !text.contains(r#"{"type":"start-step"}"#) {
            text.clear();
            if reader.read_line(&mut text).await? == 0 {
                bail!("the server hung up on a stream");
            }
        }
        Ok(Self::Stream(Box::new(Stream { reader, route, clicks: None })))
    }

    /// Returns the socket of a screen that is open, for a client that speaks more than questions and answers.
    pub(crate) fn into_socket(self) -> Result<Socket> {
        match self {
            Self::Socket(_, socket) => Ok(socket),
            Self::Stream(_) => bail!("a stream is no socket"),
        }
    }

    /// Waits for the next question.
    pub(crate) async fn asked(&mut self) -> Result<String> {
        match self {
            Self::Socket(tongue, socket) => {
                let (mark, name) = match tongue {
                    Tongue::Prime => (r#""type":"ask_user_question""#, r#""question_id":""#),
                    Tongue::Ccc => (r#""type":"user_question""#, r#""tool_use_id":""#),
                    _ => (r#""status":"calling""#, r#""tool_call_id":""#),
                };
                while let Some(frame) = socket.next().await {
                    let frame = frame?;
                    let text = frame.to_text()?;
                    if text.contains(mark) {
                        return after(text, name);
                    }
                }
            }
            Self::Stream(stream) => {
                let mut text = String::new();
                while stream.reader.read_line(&mut text).await? > 0 {
                    if text.contains(r#""type":"tool-input-available""#) {
                        return after(&text, r#""toolCallId":""#);
                    }
                    text.clear();
                }
            }
        }
        bail!("the server hung up before it asked")
    }

    pub(crate) async fn answer(&mut self, card: &str, target: &BenchSession) -> Result<()> {
        let BenchSession { uuid, token } = target;
        let answers = format!(r#"{{"{QUESTION}":"{ANSWER}"}}"#);
        match self {
            Self::Socket(tongue, socket) => {
                let frame = match tongue {
                    Tongue::Prime => format!(
                        r#"{{"type":"ask_user_response","data":{{"question_id":"{card}","answers":{answers}}}}}"#
                    ),
                    Tongue::Ccc => {
                        format!(r#"{{"type":"question_answer","tool_use_id":"{card}","answers":{{"0":"1"}}}}"#)
                    }
                    _ => format!(
                        r#"{{"type":"ask_user_response","conversation_id":"{uuid}","tool_call_id":"{card}","answers":{answers}}}"#
                    ),
                };
                socket.send(Message::text(frame)).await?;
            }
            Self::Stream(stream) => {
                let click = format!(r#"{{"sessionId":"{uuid}","toolUseId":"{card}","answers":{answers}}}"#);
                let clicks = match &mut stream.clicks {
                    Some(clicks) => clicks,
                    none => none.insert(Connection::new(stream.route.dial().await?)),
                };
                let said = clicks.post("/api/chat/tool-result", Some(token), &click).await?;
                anyhow::ensure!(said.contains("true"), "a click was refused: {said}");
            }
        }
        Ok(())
    }
}

/// The whimmy plugin, which asks.
pub(crate) struct Plugin(pub(crate) Socket);

impl Plugin {
    pub(crate) async fn connect(route: Route, token: &str) -> Result<Self> {
        let mut socket = route.socket(&format!("/api/v1/providers/ws?token={token}")).await?;
        socket.send(Message::text(r#"{"type":"health"}"#)).await?;
        Ok(Self(socket))
    }

    /// Asks in the conversation with this key. Returns when the answer has arrived.
    pub(crate) async fn ask(&mut self, key: &str, id: &str) -> Result<()> {
        let payload =
            serde_json::json!({"sessionKey": key, "agentId": "main", "questionId": id, "questions": questions()});
        let event = serde_json::json!({"type": "event", "payload": {"event": "ask_user_question", "payload": payload}});
        self.0.send(Message::text(event.to_string())).await?;
        while let Some(frame) = self.0.next().await {
            let frame = frame?;
            let text = frame.to_text()?;
            if text == r#"{"type":"ping"}"# {
                self.0.send(Message::text(r#"{"type":"pong"}"#)).await?;
            } else if text.contains("hook.ask_user_answer") && text.contains(id) {
                anyhow::ensure!(text.contains(ANSWER), "another answer: {text}");
                return Ok(());
            }
        }
        bail!("the server hung up on a plugin")
    }
}

/// Returns the text from after `name` to the next quote.
pub(crate) fn after(text: &str, name: &str) -> Result<String> {
    let at = text.find(name).with_context(|| format!("no {name} in {text}"))? + name.len();
    let end = text[at..].find('"').context("a text that ends")?;
    Ok(text[at..at + end].to_owned())
}

/// Writes a session's id as other systems do: `ses_…` is the same number in another alphabet.
pub(crate) fn uuid_of(session: &str) -> Result<String> {
    const ALPHABET: &str = "0123456789abcdefghjkmnpqrstvwxyz";
    let digits = session.strip_prefix("ses_").context("a session's id")?;
    let number = digits.chars().try_fold(0_u128, |number, c| Some(number << 5 | ALPHABET.find(c)? as u128));
    let hex = format!("{:032x}", number.context("a session's id in its alphabet")?);
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
