//! The scripted model on a loopback port. One thread per request, so that a gate holds up only its own request.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{self, Request};
use super::reply::{Reply, text};
use super::request::{ModelRequest, ToolResult};
use super::script::Script;
use super::stream::{StreamStep, message, steps};

/// How long [`Model::until`] and [`Model::reached`] wait before they fail and say what they waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running model. It stops listening when it is dropped.
pub struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when anything in the state changes.
    changed: Condvar,
}

struct State {
    script: Script,
    heard: Vec<ModelRequest>,
    /// Requests that the script had no turn for, by their last text.
    unscripted: Vec<String>,
    /// Requested addresses that the API does not have.
    strays: Vec<String>,
    open: BTreeSet<String>,
    reached: BTreeSet<String>,
    stopped: bool,
}

impl Model {
    pub fn start(script: Script) -> Self {
        Self::start_at(script, 0).expect("loopback has a free port")
    }

    /// Starts on a given port.
    pub fn start_at(script: Script, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = State {
            script,
            heard: Vec::new(),
            unscripted: Vec::new(),
            strays: Vec::new(),
            open: BTreeSet::new(),
            reached: BTreeSet::new(),
            stopped: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if accepting.lock().stopped {
                    return;
                }
                let shared = Arc::clone(&accepting);
                // A client that hangs up in the middle of a response is normal.
                thread::spawn(move || drop(shared.serve(&stream)));
            }
        });
        Ok(Self { address, shared })
    }

    /// Returns the value for `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Continues with another script. The requests so far are kept.
    pub fn script(&self, script: Script) {
        self.shared.lock().script = script;
    }

    /// Returns all requests so far, including those without tools.
    pub fn heard(&self) -> Vec<ModelRequest> {
        self.shared.lock().heard.clone()
    }

    /// Returns the newest request of a conversation, that is, one with tools.
    pub fn last(&self) -> Option<ModelRequest> {
        self.shared.lock().heard.iter().rfind(|heard| !heard.tool_names().is_empty()).cloned()
    }

    /// Returns the newest result of this call that the model was sent.
    pub fn tool_result(&self, id: &str) -> Option<ToolResult> {
        self.shared.lock().heard.iter().rev().find_map(|heard| heard.tool_result(id))
    }

    /// Returns the tools that the model was last offered.
    pub fn tool_names(&self) -> Vec<String> {
        self.last().map(|heard| heard.tool_names().into_iter().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Returns the requests that the script had no turn for. A test that ends well has none.
    pub fn unscripted(&self) -> Vec<String> {
        self.shared.lock().unscripted.clone()
    }

    /// Returns the requested addresses that the API does not have.
    pub fn strays(&self) -> Vec<String> {
        self.shared.lock().strays.clone()
    }

    /// Opens a gate, for a stream that waits at it now or reaches it later.
    pub fn open(&self, gate: &str) {
        self.shared.lock().open.insert(gate.to_owned());
        self.shared.changed.notify_all();
    }

    /// Has a stream reached this gate?
    pub fn has_reached(&self, gate: &str) -> bool {
        self.shared.lock().reached.contains(gate)
    }

    /// Blocks until a stream has reached this gate.
    #[track_caller]
    pub fn reached(&self, gate: &str) {
        let reached = self.shared.wait(|state| state.reached.contains(gate));
        assert!(reached, "no stream came to the gate `{gate}`");
    }

    /// Blocks until the requests satisfy a condition, and returns them. In async tests, poll [`Model::heard`] instead.
    #[track_caller]
    pub fn until(&self, wished: impl Fn(&[ModelRequest]) -> bool) -> Vec<ModelRequest> {
        let fine = self.shared.wait(|state| wished(&state.heard));
        let heard = self.heard();
        assert!(fine, "the model has heard {} requests, but not what was waited for", heard.len());
        heard
    }

    /// Waits for requests beyond the first `known`, and returns them; none if nothing comes in time.
    pub fn news(&self, known: usize, patience: Duration) -> Vec<ModelRequest> {
        let waiting = |state: &mut State| state.heard.len() <= known;
        let state = self.shared.changed.wait_timeout_while(self.shared.lock(), patience, waiting);
        state.map(|(state, _)| state.heard.iter().skip(known).cloned().collect()).unwrap_or_default()
    }

    /// Blocks until the model has read the result of this call.
    #[track_caller]
    pub fn until_result(&self, id: &str) -> ToolResult {
        self.until(|heard| heard.iter().any(|heard| heard.tool_result(id).is_some()));
        self.tool_result(id).expect("it was heard just now")
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.changed.notify_all();
        // Wakes the listener, which then sees that it has to stop.
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn wait(&self, wished: impl Fn(&State) -> bool) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, |state| !wished(state));
        waited.is_ok_and(|(_, timeout)| !timeout.timed_out())
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        let Some(request) = http::read(stream)? else { return Ok(()) };
        self.answer(stream, &request)?;
        stream.shutdown(Shutdown::Write)
    }

    fn answer(&self, stream: &TcpStream, request: &Request) -> io::Result<()> {
        match (request.method.as_str(), request.path.as_str()) {
            ("HEAD" | "GET", "/") => http::whole(stream, 200, ""),
            ("POST", "/v1/messages/count_tokens") => {
                http::whole(stream, 200, &json!({"input_tokens": request.body.len() / 4}).to_string())
            }
            ("POST", "/v1/messages") => match serde_json::from_slice(&request.body) {
                Ok(body) => self.speak(stream, ModelRequest::new(body)),
                Err(_) => http::whole(stream, 400, &error("invalid_request_error", "the body is not JSON")),
            },
            (_, path) => {
                self.lock().strays.push(path.to_owned());
                http::whole(stream, 404, &error("not_found_error", "no model has this address"))
            }
        }
    }

    fn speak(&self, stream: &TcpStream, heard: ModelRequest) -> io::Result<()> {
        let (reply, number) = self.choose(&heard);
        let pieces = match reply {
            Reply::Message(pieces) => pieces,
            Reply::Error { status, kind, message } => return http::whole(stream, status, &error(&kind, &message)),
        };
        let model = heard.body["model"].as_str().unwrap_or("scripted");
        let steps = steps(&pieces, model, number);
        if heard.body["stream"] == true {
            http::head(stream, 200, "text/event-stream")?;
        }
        for step in steps {
            match step {
                StreamStep::Event(event) if heard.body["stream"] == true => send(stream, &event)?,
                StreamStep::Event(_) => {}
                StreamStep::Gate(gate) => self.pass(&gate)?,
                StreamStep::BrokenOff => return Ok(()),
            }
        }
        if heard.body["stream"] == true {
            return Ok(());
        }
        http::whole(stream, 200, &message(&pieces, model, number).to_string())
    }

    /// Records a request and chooses the reply.
    fn choose(&self, heard: &ModelRequest) -> (Reply, usize) {
        let mut state = self.lock();
        let reply = state.script.reply(heard);
        state.heard.push(heard.clone());
        let number = state.heard.len();
        let reply = reply.unwrap_or_else(|| {
            // A request without tools is the CLI's own: whether this model exists, what a good title is.
            if heard.tool_names().is_empty() {
                return [text("OK")].into();
            }
            let last = heard.new_texts().pop().unwrap_or_default();
            let message = format!("the script has no turn for {last:?} with results {:?}", heard.new_results());
            state.unscripted.push(message.clone());
            Reply::Error { status: 400, kind: "invalid_request_error".to_owned(), message }
        });
        drop(state);
        self.changed.notify_all();
        (reply, number)
    }

    /// Waits at a gate, until it opens or the model stops.
    fn pass(&self, gate: &str) -> io::Result<()> {
        let mut state = self.lock();
        state.reached.insert(gate.to_owned());
        self.changed.notify_all();
        while !state.open.contains(gate) && !state.stopped {
            state = self.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        if state.stopped { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

fn send(mut stream: &TcpStream, event: &Value) -> io::Result<()> {
    let name = event["type"].as_str().unwrap_or_default();
    stream.write_all(format!("event: {name}\ndata: {event}\n\n").as_bytes())
}

fn error(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
}
