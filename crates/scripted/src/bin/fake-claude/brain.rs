//! Where the double gets its replies: a script in this process, or the scripted model behind its API.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::SyncSender;

use askbridge_scripted::model::stream::{StreamStep, steps};
use askbridge_scripted::model::{ModelRequest, Reply, Script};
use serde_json::{Value, json};

use crate::Input;

pub(crate) enum Brain {
    Script(Box<Script>),
    /// Host and port.
    Api(String),
    Nobody,
}

/// What the model sends.
pub(crate) enum Event {
    /// An event of the stream.
    Said(Value),
    /// An error of the API: its status and its text.
    Failed(u16, String),
}

impl Brain {
    /// Asks the model. A script answers at once, with all events; an API later, as inputs marked `asked`.
    pub(crate) fn ask(&mut self, body: Value, spoken: usize, asked: usize, inputs: &SyncSender<Input>) -> Vec<Event> {
        match self {
            Self::Script(script) => think(script, ModelRequest::after(spoken, body), asked),
            Self::Api(address) => {
                let (address, inputs) = (address.clone(), inputs.clone());
                std::thread::spawn(move || {
                    let tell = |event| inputs.send(Input::Model { asked, event });
                    let told = |event| tell(event).map_err(|_| io::ErrorKind::BrokenPipe.into());
                    if let Err(error) = call(&address, &body, told) {
                        drop(tell(Event::Failed(0, error.to_string())));
                    }
                });
                Vec::new()
            }
            Self::Nobody => vec![Event::Failed(0, "nobody thinks here".to_owned())],
        }
    }
}

fn think(script: &mut Script, heard: ModelRequest, number: usize) -> Vec<Event> {
    match script.reply(&heard) {
        Some(Reply::Message(pieces)) => {
            let model = heard.body["model"].as_str().unwrap_or_default();
            let event = |step| match step {
                StreamStep::Event(event) => Event::Said(event),
                StreamStep::Gate(_) => Event::Failed(400, "a script without a server has no gates".to_owned()),
                StreamStep::BrokenOff => Event::Failed(0, "broken off".to_owned()),
            };
            steps(&pieces, model, number).into_iter().map(event).collect()
        }
        Some(Reply::Error { status, message, .. }) => vec![Event::Failed(status, message)],
        None => vec![Event::Failed(400, "the script has no turn for this".to_owned())],
    }
}

fn call(address: &str, body: &Value, mut tell: impl FnMut(Event) -> io::Result<()>) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    let body = body.to_string();
    let head =
        format!("POST /v1/messages?beta=true HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status: u16 = line.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    while line.trim_end() != "" {
        line.clear();
        reader.read_line(&mut line)?;
    }
    if status != 200 {
        let mut text = String::new();
        reader.read_to_string(&mut text)?;
        let error: Value = serde_json::from_str(&text).unwrap_or_else(|_| json!({}));
        return tell(Event::Failed(status, error["error"]["message"].as_str().unwrap_or(&text).to_owned()));
    }
    for line in reader.lines() {
        if let Some(data) = line?.strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).map_err(io::Error::other)?;
            let last = event["type"] == "message_stop";
            tell(Event::Said(event))?;
            if last {
                return Ok(());
            }
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
