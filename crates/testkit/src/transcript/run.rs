//! Plays the inputs of a transcript to a peer, and writes the transcript anew.

use std::collections::VecDeque;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_peers::doors::mcp::Patience;
use askbridge_peers::listing::{Choices, Greeting, Hello, Sees};
use askbridge_peers::peer::{Cx, Frame, Garbled, Ids, Outbox, Peer, Req, Tag};

use super::Greet;
use super::cites::cited;
use super::samples::{OwnedTold, receipt, rejection, told};
use super::show;
use crate::asks::{NOW, OTHER_SESSION, SESSION};

/// Ids from a counter, so that every run makes the same.
#[derive(Debug, Default)]
pub struct Counted(u128);

impl Ids for Counted {
    fn fresh(&mut self) -> u128 {
        self.0 += 1;
        self.0
    }
}

/// The caller of requests, unless a `knock` names another: requests always bring a token.
const ASKER: &str = "ada";

struct Runner {
    greet: Greet,
    peer: Option<Box<dyn Peer>>,
    out: Outbox,
    ids: Counted,
    now: Timestamp,
    wake_at: Option<Timestamp>,
    headers: Vec<(String, String)>,
    /// Things told so far; they number the cursors `c1`, `c2`.
    told: usize,
    /// The citations of the outputs that the file has for the current input, in order.
    cites: VecDeque<Option<String>>,
    choices: Choices,
    written: String,
}

/// Runs a transcript and returns it with the current outputs. An error names the line that cannot be understood.
pub fn run(script: &str, greet: Greet) -> Result<String, String> {
    let mut runner = Runner {
        greet,
        peer: None,
        out: Outbox::default(),
        ids: Counted::default(),
        now: NOW,
        wake_at: None,
        headers: Vec::new(),
        told: 0,
        cites: VecDeque::new(),
        choices: Choices::default(),
        written: String::new(),
    };
    let mut lines = script.lines().enumerate().peekable();
    while let Some((number, whole)) = lines.next() {
        let (_, line) = cited(whole);
        // Outputs before the first input: no input caused them.
        if is_output(line) {
            continue;
        }
        runner.written.push_str(whole);
        runner.written.push('\n');
        // The new outputs inherit the citations of the old ones.
        while let Some((_, output)) = lines.next_if(|(_, next)| is_output(cited(next).1)) {
            runner.cites.push_back(cited(output).0.map(str::to_owned));
        }
        if !line.is_empty() && !line.starts_with('#') {
            runner.input(line).map_err(|why| format!("line {}: {why}", number + 1))?;
        }
        runner.cites.clear();
    }
    Ok(runner.written)
}

fn is_output(line: &str) -> bool {
    const OUTPUTS: [&str; 12] =
        [">", "? ", "+ ", "~ ", "query ", "watch ", "whisper ", "ends ", "wake at ", "hang up ", "garbled ", "refuse "];
    OUTPUTS.iter().any(|output| line.starts_with(output))
}

impl Runner {
    fn input(&mut self, line: &str) -> Result<(), String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "knock" => {
                let (address, name) =
                    rest.split_once(" as ").map_or((rest, None), |(address, name)| (address, Some(name)));
                self.knock(address, name);
            }
            "<" => self.hear(Frame::Text(rest.into()))?,
            "<close" => {
                let (code, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                let code = code.parse().map_err(|_| format!("`{code}` is not a close code"))?;
                self.hear(Frame::Close(code, reason.into()))?;
            }
            "header" => {
                let (name, value) = rest.split_once(' ').ok_or("a header has a name and a value")?;
                self.headers.push((name.to_owned(), value.to_owned()));
            }
            "tell" => {
                self.told += 1;
                let told: OwnedTold = told(rest, self.told)?;
                self.with_peer(|peer, cx| peer.tell(&told.borrow(), cx));
            }
            "reply" => self.reply(rest)?,
            "choose" => match rest {
                "empty_dismissals" => self.choices.empty_dismissals = true,
                "whimmy_approvals" => self.choices.whimmy_approvals = true,
                other => return Err(format!("there is no choice `{other}`")),
            },
            "wake" if rest.is_empty() => self.wake(),
            "later" => {
                self.now = self.now.plus(span(rest).ok_or_else(|| format!("`{rest}` is not a span of time"))?);
                if self.wake_at.is_some_and(|at| at <= self.now) {
                    self.wake();
                }
            }
            _ => match verb.strip_prefix('<') {
                Some(method @ ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")) => self.request(method, rest)?,
                _ => return Err(format!("`{verb}` is neither an input nor an output")),
            },
        }
        Ok(())
    }

    fn knock(&mut self, address: &str, caller: Option<&str>) {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        self.wake_at = None;
        let sees = Sees(&|session| session == SESSION || session == OTHER_SESSION);
        match (self.greet)(&Hello { path, query, caller, sees, choices: self.choices, patience: &Patience::default() })
        {
            Greeting::Open(peer) => self.peer = Some(peer),
            Greeting::Refuse(status, body) => {
                self.peer = None;
                self.line(&format!("refuse {status} {body}"));
            }
        }
    }

    fn request(&mut self, method: &str, rest: &str) -> Result<(), String> {
        let (address, body) = rest.split_once(' ').unwrap_or((rest, ""));
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        self.knock(address, Some(ASKER));
        let headers = std::mem::take(&mut self.headers);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.hear(Frame::Request(Req { method, path, query, headers: &headers, body: body.as_bytes() }))
    }

    fn hear(&mut self, frame: Frame<'_>) -> Result<(), String> {
        let heard = self.with_peer(|peer, cx| peer.hear(frame, cx));
        if let Err(Garbled { code, why }) = heard {
            self.line(&format!("garbled {code} {why}"));
        }
        Ok(())
    }

    fn reply(&mut self, rest: &str) -> Result<(), String> {
        let (tag, ruling) = rest.split_once(' ').ok_or("a reply has a tag and a ruling")?;
        let tag = read_tag(tag).ok_or_else(|| format!("`{tag}` is not a tag"))?;
        let ruling = match ruling.split_once(' ').unwrap_or((ruling, "")) {
            ("ok", words) => Ok(receipt(words)?),
            ("refused", code) => Err(rejection(code).ok_or_else(|| format!("there is no sample of `{code}`"))?),
            (other, _) => return Err(format!("a ruling is ok or refused, not `{other}`")),
        };
        self.with_peer(|peer, cx| peer.reply(tag, ruling, cx));
        Ok(())
    }

    fn wake(&mut self) {
        self.wake_at = None;
        if let Some(at) = self.with_peer(|peer, cx| peer.wake(cx)) {
            self.sleep_until(at);
        }
    }

    fn sleep_until(&mut self, at: Timestamp) {
        self.wake_at = Some(at);
        let seconds = at.since(self.now).as_secs_f64();
        self.line(&format!("wake at +{seconds}s"));
    }

    fn with_peer<T>(&mut self, act: impl FnOnce(&mut dyn Peer, &mut Cx<'_>) -> T) -> T {
        if self.peer.is_none() {
            self.knock("", None);
        }
        let peer = self.peer.as_mut().expect("whoever was refused says nothing more");
        let mut cx = Cx { now: self.now, ids: &mut self.ids, out: &mut self.out };
        let result = act(&mut **peer, &mut cx);
        let out = std::mem::take(&mut self.out);
        for line in show::outbox(&out) {
            self.line(&line);
        }
        if let Some(at) = out.wake_at {
            self.sleep_until(at);
        }
        if let Some((code, reason)) = &out.hang_up {
            self.line(&format!("hang up {code} {reason}"));
        }
        result
    }

    fn line(&mut self, line: &str) {
        if let Some(Some(cite)) = self.cites.pop_front() {
            self.written.push_str(&cite);
            self.written.push(' ');
        }
        self.written.push_str(&line.replace('\n', "⏎"));
        self.written.push('\n');
    }
}

fn read_tag(text: &str) -> Option<Tag> {
    match text.strip_prefix("own") {
        Some(below) => Some(Tag(u64::MAX - below.parse::<u64>().ok()?)),
        None => text.parse().ok().map(Tag),
    }
}

fn span(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number * 60)),
        _ => None,
    }
}
