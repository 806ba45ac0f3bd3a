//! What every check has access to.

use serde::Deserialize;

use crate::client::{Client, Error};
use crate::settings::Settings;

#[derive(Debug)]
pub(super) struct Patient {
    pub(super) settings: Settings,
    /// The server on the local socket.
    pub(super) server: Running,
    /// A test is sent over each channel of the person who runs this.
    pub(super) rings: bool,
}

#[derive(Debug)]
pub(super) enum Running {
    Yes {
        version: String,
    },
    No,
    /// A program responds, but not as askbridge does.
    Strange(String),
}

#[derive(Deserialize)]
struct Health {
    version: String,
}

impl Patient {
    pub(super) async fn meet(settings: Settings, rings: bool) -> Self {
        let health = Client::local(&settings).get("/healthz").await.and_then(|reply| reply.json::<Health>());
        let server = match health {
            Ok(health) => Running::Yes { version: health.version },
            Err(Error::Unreachable { .. }) => Running::No,
            Err(error) => Running::Strange(error.to_string()),
        };
        Self { settings, server, rings }
    }

    pub(super) fn is_served(&self) -> bool {
        matches!(self.server, Running::Yes { .. })
    }
}
