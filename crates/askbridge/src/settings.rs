//! Settings, read once from the environment.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

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
    /// Whether a terminal may show colour (<https://no-color.org>).
    pub(crate) colour: bool,
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

/// How logs are written. Read apart from the rest: logging starts before anything can go wrong.
pub(crate) fn log_format() -> Option<String> {
    text("ASKBRIDGE_LOG_FORMAT")
}

/// Where whoever started us wants to hear that we are ready: systemd sets it for `Type=notify`.
pub(crate) fn notify_socket() -> Option<PathBuf> {
    text("NOTIFY_SOCKET").map(PathBuf::from)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
