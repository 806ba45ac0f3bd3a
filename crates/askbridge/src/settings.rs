//! Settings, read once from the environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use askbridge_bridge::hosts::environment;
use askbridge_core::limits;
use askbridge_core::terms::Warm;

use crate::client::dialable;

/// Where we listen unless told otherwise.
const DEFAULT_LISTEN: &str = "127.0.0.1:4760";

/// Everything that the environment says.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    /// Whether somebody chose the address. If not, a running server knows better.
    listen_was_chosen: bool,
    /// Everything we write lives here.
    pub(crate) data: PathBuf,
    pub(crate) allowed_origins: Vec<String>,
    /// A person's or an agent's token; without one, commands speak over the local socket.
    pub(crate) token: Option<String>,
    pub(crate) user: String,
    pub(crate) agents: AgentSettings,
    /// Whether a terminal may show colour (<https://no-color.org>).
    pub(crate) colour: bool,
}

/// What is decided about the agents that we run.
#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    pub(crate) claude: Option<PathBuf>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) warm: Option<Warm>,
    pub(crate) hold_max: Option<Duration>,
    pub(crate) idle: Duration,
    pub(crate) processes_max: usize,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

impl AgentSettings {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    fn read() -> Result<Self> {
        let roots = match env::var_os("ASKBRIDGE_ROOTS").filter(|roots| !roots.is_empty()) {
            Some(roots) => env::split_paths(&roots).collect(),
            None => text("HOME").map(PathBuf::from).into_iter().chain(env::current_dir().ok()).collect(),
        };
        let warm = match text("ASKBRIDGE_WARM").as_deref() {
            None => None,
            Some("off") => Some(Warm::Hold),
            Some(span) => Some(Warm::For(self::span("ASKBRIDGE_WARM", span, "or off")?)),
        };
        let hold_max = text("ASKBRIDGE_HOLD_MAX").filter(|hold| hold != "off");
        let hold_max = hold_max.map(|hold| span("ASKBRIDGE_HOLD_MAX", &hold, "or off")).transpose()?;
        let idle = text("ASKBRIDGE_IDLE").map(|idle| span("ASKBRIDGE_IDLE", &idle, "")).transpose()?;
        let processes_max = match text("ASKBRIDGE_AGENTS_MAX") {
            None => limits::AGENTS_MAX,
            Some(number) => number.parse().ok().filter(|number| *number > 0).with_context(|| {
                format!("ASKBRIDGE_AGENTS_MAX is `{number}`, which is not a number of processes, like 16")
            })?,
        };
        let more = text("ASKBRIDGE_AGENT_ENV").unwrap_or_default();
        let more: Vec<_> = more.split(',').map(str::trim).map(str::to_owned).collect();
        Ok(Self {
            claude: text("ASKBRIDGE_CLAUDE").map(PathBuf::from),
            roots,
            warm,
            hold_max,
            idle: idle.unwrap_or(limits::AGENT_IDLE),
            processes_max,
            environment: environment(env::vars_os(), &more),
        })
    }
}

/// Reads `10m`, `90s`, `2h` or `0`.
fn span(name: &str, text: &str, or: &str) -> Result<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "" if number == "0" => Some(1),
        _ => None,
    };
    let span = seconds.zip(number.parse::<u64>().ok()).and_then(|(unit, number)| number.checked_mul(unit));
    let span = span.with_context(|| format!("{name} is `{text}`, which is not a span of time, like 10m {or}"))?;
    Ok(Duration::from_secs(span))
}

impl Settings {
    pub(crate) fn read() -> Result<Self> {
        let chosen = text("ASKBRIDGE_LISTEN");
        let listen_was_chosen = chosen.is_some();
        let listen = chosen.unwrap_or_else(|| DEFAULT_LISTEN.to_owned());
        let listen = listen.replace("localhost:", "127.0.0.1:");
        let listen = listen.parse().with_context(|| {
            format!("ASKBRIDGE_LISTEN is `{listen}`, which is not an address with a port, like {DEFAULT_LISTEN}")
        })?;
        let origins = text("ASKBRIDGE_ALLOWED_ORIGINS").unwrap_or_default();
        let origins = origins.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        Ok(Self {
            listen,
            listen_was_chosen,
            data: data()?,
            allowed_origins: origins.map(str::to_owned).collect(),
            token: text("ASKBRIDGE_TOKEN"),
            agents: AgentSettings::read()?,
            user: text("USER").or_else(|| text("LOGNAME")).unwrap_or_else(|| "me".to_owned()),
            colour: text("NO_COLOR").is_none() && text("TERM").is_none_or(|term| term != "dumb"),
        })
    }

    /// The local socket, in a folder that is ours alone.
    pub(crate) fn socket(&self) -> PathBuf {
        self.data.join("run").join("askbridge.sock")
    }

    /// Where a running server writes the address that it listens on.
    pub(crate) fn address_file(&self) -> PathBuf {
        self.data.join("run").join("address")
    }

    /// The address that a running server listens on: the chosen one, or what it wrote down. Port 0 is no choice.
    pub(crate) fn served_address(&self) -> SocketAddr {
        if self.listen_was_chosen && self.listen.port() != 0 {
            return self.listen;
        }
        let written = fs::read_to_string(self.address_file()).ok();
        written.and_then(|address| address.trim().parse().ok()).unwrap_or(self.listen)
    }

    /// The address to connect to.
    pub(crate) fn server_address(&self) -> SocketAddr {
        dialable(self.served_address())
    }

    /// The token that may ask and administer, never decide.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data.join("token")
    }
}

fn data() -> Result<PathBuf> {
    let path = if let Some(path) = text("ASKBRIDGE_DATA") {
        PathBuf::from(path)
    } else if let Some(path) = text("XDG_DATA_HOME") {
        PathBuf::from(path).join("askbridge")
    } else if let Some(home) = text("HOME") {
        PathBuf::from(home).join(".local/share/askbridge")
    } else {
        bail!("neither ASKBRIDGE_DATA nor HOME is set, so there is no place for the data");
    };
    std::path::absolute(&path).with_context(|| format!("could not make sense of the data folder `{}`", path.display()))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
