//! The types of settings, and how each is parsed: the same from a file, the environment and a flag.

use std::env::split_paths;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use askbridge_core::limits;
use askbridge_core::rules::asks::Hours;
use askbridge_core::terms::{OnDismissal, OnExpiry, WhileOpen};
use askbridge_core::verdict::spoken;
use askbridge_peers::doors::claude::AlwaysAsk;
use askbridge_peers::doors::mcp::Patience;
use askbridge_peers::listing::dialects as known;
use ipnet::IpNet;
use tracing_subscriber::EnvFilter;

use super::spans;

/// The word for the server on this machine, where a URL is expected.
pub const HERE: &str = "here";

/// How a value is written, and how it is parsed to type `T`.
pub(crate) struct Kind<T> {
    pub(crate) form: Form,
    /// Parses a text that [`Form::tidied`] accepted. An empty one means no value, if that is possible.
    pub(crate) read: fn(Form, &str) -> Result<T, String>,
}

/// How a value is written. Its descriptions are in `texts`.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    Address,
    Folder,
    Folders,
    File,
    Journal,
    Text,
    Secret,
    Url,
    Endpoint,
    Word,
    Collector,
    Hosts,
    Origins,
    Dialects,
    Tools,
    Ranges,
    Waits,
    Level,
    OneOf(fn() -> Vec<&'static str>),
    Span { or: &'static str, max: Duration },
    Spans { max: Duration },
    Hours,
    Count { max: u32 },
    Bytes { or: &'static str },
    YesNo,
}

pub(crate) const fn address() -> Kind<SocketAddr> {
    Kind { form: Form::Address, read: |form, text| text.parse().map_err(|_| form.wrong(text)) }
}

pub(crate) const fn address_or_none() -> Kind<Option<SocketAddr>> {
    Kind {
        form: Form::Address,
        read: |form, text| some(text).map(|text| text.parse().map_err(|_| form.wrong(text))).transpose(),
    }
}

pub(crate) const fn folder() -> Kind<Option<PathBuf>> {
    Kind { form: Form::Folder, read: |_, text| Ok(some(text).map(PathBuf::from)) }
}

pub(crate) const fn folders() -> Kind<Vec<PathBuf>> {
    Kind {
        form: Form::Folders,
        read: |_, text| Ok(some(text).map(|text| split_paths(text).collect()).unwrap_or_default()),
    }
}

pub(crate) const fn file() -> Kind<Option<PathBuf>> {
    Kind { form: Form::File, read: |_, text| Ok(some(text).map(PathBuf::from)) }
}

/// Where the journal is: a word, or the addresses of NATS servers.
pub(crate) const fn journal() -> Kind<String> {
    Kind {
        form: Form::Journal,
        read: |form, text| match is_journal(text) {
            true => Ok(text.to_owned()),
            false => Err(form.wrong(text)),
        },
    }
}

fn is_journal(text: &str) -> bool {
    let servers = text.strip_prefix("nats://").or_else(|| text.strip_prefix("tls://"));
    let is_server = |server: &str| is_host(server.trim().trim_start_matches("nats://").trim_start_matches("tls://"));
    text == "sqlite" || servers.is_some_and(|servers| servers.split(',').all(is_server))
}

pub(crate) const fn text() -> Kind<String> {
    Kind { form: Form::Text, read: |_, text| Ok(text.to_owned()) }
}

pub(crate) const fn secret() -> Kind<Option<String>> {
    Kind { form: Form::Secret, read: |_, text| Ok(some(text).map(str::to_owned)) }
}

pub(crate) const fn url() -> Kind<Option<String>> {
    Kind {
        form: Form::Url,
        read: |form, text| {
            let Some(url) = some(text) else { return Ok(None) };
            let is_web = url.starts_with("https://") || url.starts_with("http://");
            // A scheme and a host, like an origin, and nothing else.
            if is_web && !url.contains(['?', '#', '@']) && is_origin(url) {
                Ok(Some(url.to_owned()))
            } else {
                Err(form.wrong(text))
            }
        },
    }
}

/// The same, or this word.
pub(crate) const fn server() -> Kind<Option<String>> {
    Kind {
        form: Form::Url,
        read: |form, text| match text {
            HERE => Ok(Some(HERE.to_owned())),
            text => (url().read)(form, text),
        },
    }
}

/// An address with a path, over https.
pub(crate) const fn endpoint() -> Kind<Option<String>> {
    Kind {
        form: Form::Endpoint,
        read: |form, text| {
            let Some(url) = some(text) else { return Ok(None) };
            let rest = url.strip_prefix("https://").filter(|rest| !rest.contains(['?', '#', '@', ' ']));
            let host = rest.map(|rest| rest.split('/').next().unwrap_or_default());
            match host.is_some_and(is_host) {
                true => Ok(Some(url.to_owned())),
                false => Err(form.wrong(text)),
            }
        },
    }
}

/// One word, of letters, digits, dots, hyphens and underscores.
pub(crate) const fn word_or_none() -> Kind<Option<String>> {
    Kind {
        form: Form::Word,
        read: |form, text| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
            match some(text) {
                None => Ok(None),
                Some(word) if word.bytes().all(fits) => Ok(Some(word.to_owned())),
                Some(_) => Err(form.wrong(text)),
            }
        },
    }
}

/// Host names. An impossible one would never match, so it is refused.
pub(crate) const fn hosts() -> Kind<Vec<String>> {
    Kind { form: Form::Hosts, read: |_, text| items(text).into_iter().map(host).collect() }
}

fn host(host: String) -> Result<String, String> {
    match is_host(&host) {
        true => Ok(host),
        false => Err(format!("`{host}` is not a host name; write it like `ask.example.org`, without `https://`")),
    }
}

/// Origins, as browsers write them. An impossible one would never match, so it is refused.
pub(crate) const fn origins() -> Kind<Vec<String>> {
    Kind { form: Form::Origins, read: |_, text| items(text).into_iter().map(origin).collect() }
}

fn origin(origin: String) -> Result<String, String> {
    match is_origin(&origin) {
        true => Ok(origin),
        false => Err(format!("`{origin}` is not an origin; write it like `https://example.org`, without a path")),
    }
}

fn is_origin(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, host)| is_host(host))
}

/// Is this a host, perhaps with a port, as a browser would send it? Browsers send international names in ASCII.
fn is_host(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

/// A dialect of another system, and the address on which it is served if that is not our own.
pub(crate) type SpokenAt = (&'static str, Option<SocketAddr>);

pub(crate) const fn dialects() -> Kind<Vec<SpokenAt>> {
    Kind { form: Form::Dialects, read: |_, text| items(text).iter().map(|item| spoken_at(item)).collect() }
}

fn spoken_at(text: &str) -> Result<SpokenAt, String> {
    let (name, address) = text.split_once('=').map_or((text, None), |(name, address)| (name, Some(address)));
    let Some(name) = known().find(|known| *known == name.trim()) else {
        let known: Vec<_> = known().collect();
        return Err(format!("there is no dialect `{}`; there are {}", name.trim(), known.join(", ")));
    };
    let address = address.map(|address| {
        let address = address.trim();
        address.parse().map_err(|_| format!("`{address}` is not an address with a port, like 127.0.0.1:8000"))
    });
    Ok((name, address.transpose()?))
}

pub(crate) const fn tools() -> Kind<Vec<String>> {
    Kind {
        form: Form::Tools,
        read: |_, text| {
            let tools = items(text);
            AlwaysAsk::read(tools.iter().map(String::as_str))?;
            Ok(tools)
        },
    }
}

pub(crate) const fn ranges() -> Kind<Vec<IpNet>> {
    Kind { form: Form::Ranges, read: |_, text| items(text).iter().map(|item| range(item)).collect() }
}

fn range(item: &str) -> Result<IpNet, String> {
    let range = item.parse().or_else(|_| item.parse::<IpAddr>().map(IpNet::from));
    range.map_err(|_| format!("`{item}` is not an address or a range, like `10.0.0.7` or `10.0.0.0/8`"))
}

/// How long MCP clients are kept waiting: `30s` for all, `codex=4m` for one.
pub(crate) const fn waits() -> Kind<Patience> {
    Kind { form: Form::Waits, read: |_, text| patience(text) }
}

/// Longest time that a call may be held: a day, which is what the most patient client allows.
const HELD_MAX: Duration = Duration::from_secs(24 * 60 * 60);

fn patience(text: &str) -> Result<Patience, String> {
    let mut patience = Patience::default();
    for item in items(text) {
        let (name, span) =
            item.rsplit_once('=').map_or((None, item.as_str()), |(name, span)| (Some(name.trim()), span));
        let wait = spans::parse(span)?;
        if wait > HELD_MAX.min(limits::WAIT_MAX) {
            return Err(format!("`{span}` is too short or too long; a call is held for up to {}", spoken(HELD_MAX)));
        }
        match name {
            Some("") => return Err(format!("`{item}` names no program")),
            Some(name) => patience.named.push((name.to_lowercase(), wait)),
            None => patience.others = Some(wait),
        }
    }
    Ok(patience)
}

pub(crate) const fn level() -> Kind<String> {
    Kind {
        form: Form::Level,
        read: |form, text| match EnvFilter::builder().parse(text) {
            // A word that is not a level would be taken for the name of a module.
            Ok(_) if text.contains('=') || LEVELS.contains(&&*text.to_ascii_lowercase()) => Ok(text.to_owned()),
            _ => Err(form.wrong(text)),
        },
    }
}

const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// A duration, or the word for none.
pub(crate) const fn span(or: &'static str, max: Duration) -> Kind<Option<Duration>> {
    Kind {
        form: Form::Span { or, max },
        read: |form, text| match form {
            Form::Span { or, .. } if text == or => Ok(None),
            // If the limit can be switched off, it can also be zero.
            Form::Span { or: "off", .. } if text == "0" => Ok(Some(Duration::ZERO)),
            form => up_to(form, text).map(Some),
        },
    }
}

/// A duration, or 0.
pub(crate) const fn span_or_zero(max: Duration) -> Kind<Duration> {
    let form = Form::Span { or: "0", max };
    Kind { form, read: |form, text| if text == "0" { Ok(Duration::ZERO) } else { up_to(form, text) } }
}

/// Several durations.
pub(crate) const fn spans_of(max: Duration) -> Kind<Vec<Duration>> {
    Kind {
        form: Form::Spans { max },
        read: |form, text| {
            let read = |item: &String| match (spans::parse(item), form) {
                (Ok(span), Form::Spans { max }) if span <= max => Ok(span),
                _ => Err(form.wrong(item)),
            };
            items(text).iter().map(read).collect()
        },
    }
}

/// Times of day.
pub(crate) const fn hours() -> Kind<Option<Hours>> {
    Kind {
        form: Form::Hours,
        read: |form, text| match some(text) {
            None => Ok(None),
            Some(text) => Hours::read(text).map(Some).ok_or_else(|| form.wrong(text)),
        },
    }
}

fn up_to(form: Form, text: &str) -> Result<Duration, String> {
    match (spans::parse(text), form) {
        (Ok(span), Form::Span { max, .. }) if span <= max => Ok(span),
        _ => Err(form.wrong(text)),
    }
}

pub(crate) const fn count(max: u32) -> Kind<u32> {
    Kind {
        form: Form::Count { max },
        read: |form, text| match (text.parse(), form) {
            (Ok(count), Form::Count { max }) if (1..=max).contains(&count) => Ok(count),
            _ => Err(form.wrong(text)),
        },
    }
}

/// An amount of memory, or the word for none.
pub(crate) const fn amount(or: &'static str) -> Kind<Option<u64>> {
    Kind {
        form: Form::Bytes { or },
        read: |form, text| match form {
            Form::Bytes { or } if text == or => Ok(None),
            form => bytes(text).map(Some).ok_or_else(|| form.wrong(text)),
        },
    }
}

pub(crate) const fn yes_or_no() -> Kind<bool> {
    Kind { form: Form::YesNo, read: |form, text| text.parse().map_err(|_| form.wrong(text)) }
}

/// A type whose values are written as words.
pub(crate) trait Word: Sized + Clone + 'static {
    const WORDS: &'static [(&'static str, Self)];
}

pub(crate) const fn one_of<T: Word>() -> Kind<T> {
    Kind {
        form: Form::OneOf(|| T::WORDS.iter().map(|(word, _)| *word).collect()),
        read: |form, text| {
            let found = T::WORDS.iter().find(|(word, _)| *word == text);
            found.map(|(_, meant)| meant.clone()).ok_or_else(|| form.wrong(text))
        },
    }
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

impl Word for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

/// How an ACME server is shown that a name leads here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcmeChallenge {
    TlsAlpn01,
    Http01,
}

impl Word for AcmeChallenge {
    const WORDS: &'static [(&'static str, Self)] = &[("tls-alpn-01", Self::TlsAlpn01), ("http-01", Self::Http01)];
}

impl Word for OnExpiry {
    const WORDS: &'static [(&'static str, Self)] = &[("tell", Self::Tell), ("stop", Self::TellAndStop)];
}

impl Word for OnDismissal {
    const WORDS: &'static [(&'static str, Self)] = &[("tell", Self::Tell), ("stop", Self::TellAndStop)];
}

impl Word for WhileOpen {
    const WORDS: &'static [(&'static str, Self)] =
        &[("hold", Self::Hold), ("cancel_turn", Self::CancelTurn), ("refuse", Self::Refuse), ("pass_on", Self::PassOn)];
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The items of a list as the environment and flags write it.
pub fn items(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Reads an amount of memory: a number above 0 and `K`, `M` or `G`, each 1024 times the one before.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let power = match unit.trim_start().to_ascii_uppercase().trim_end_matches('B') {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << power).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_span_is_for_all_and_a_name_for_one() {
        let named = vec![("codex".to_owned(), Duration::from_secs(240))];
        let expected = Patience { named, others: Some(Duration::from_secs(30)) };
        assert_eq!(patience("Codex=4m, 30s"), Ok(expected));
        assert_eq!(patience(""), Ok(Patience::default()));
        for wrong in ["codex", "codex=", "=4m", "codex=2d", "0s"] {
            assert!(patience(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_would_never_match_is_refused() {
        let hosts = hosts();
        assert_eq!((hosts.read)(hosts.form, "ask.example, b.example:8443").unwrap(), ["ask.example", "b.example:8443"]);
        assert!((hosts.read)(hosts.form, "https://ask.example").is_err());
        let journal = journal();
        for right in ["sqlite", "nats://a:4222", "nats://10.0.0.1:4222,b", "tls://a,tls://b", "nats://[::1]:4222"] {
            assert_eq!((journal.read)(journal.form, right).as_deref(), Ok(right));
        }
        for wrong in ["", "memory", "nats://", "nats://a,", "nats://me:secret@a", "postgres://a", "/srv/asks"] {
            assert!((journal.read)(journal.form, wrong).is_err(), "{wrong}");
        }
        let endpoint = endpoint();
        assert!((endpoint.read)(endpoint.form, "https://localhost:14000/dir").is_ok());
        for wrong in ["http://acme.example/dir", "acme.example", "https://", "https:///dir", "https://me@acme.example/"]
        {
            assert!((endpoint.read)(endpoint.form, wrong).is_err(), "{wrong}");
        }
        let origins = origins();
        assert!((origins.read)(origins.form, "https://desk.example").is_ok());
        assert!((origins.read)(origins.form, "https://desk.example/page").is_err());
        let ranges = ranges();
        assert!((ranges.read)(ranges.form, "10.0.0.0/8, 127.0.0.1, fd00::/8").is_ok());
        for wrong in ["relay.example", "10.0.0.0/33", "::/129", "10.0.0.0/x", "10.0.0.0/"] {
            assert!((ranges.read)(ranges.form, wrong).is_err(), "{wrong}");
        }
    }
}
