//! The connection of this machine to an askbridge elsewhere: where it is, and the token that this machine asks with. One
//! file in the data folder, for its user alone.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use askbridge_bridge::auth::MachineToken;
use askbridge_bridge::chance::Chance;
use serde::{Deserialize, Serialize};

use super::home_down::HomeDown;
use super::remote::Trust;
use crate::failure::Failure;
use crate::settings::Settings;

/// Where this machine asks. `Debug` does not show the token.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Connection {
    pub(crate) url: String,
    /// What people there call this machine.
    pub(crate) name: String,
    token: String,
    /// The certificate of the one authority that is trusted for it, in PEM. `None`: those of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authority: Option<String>,
}

/// A connection that waits for its tap. It is stored first, so that a command that is killed, or loses the response,
/// goes on with the same token the next time.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PendingConnection {
    pub(crate) connection: Connection,
    pub(crate) digest: String,
}

impl Connection {
    fn file(settings: &Settings) -> PathBuf {
        settings.data.join("connection")
    }

    /// Reads it. `None`: this machine is not connected.
    pub(crate) fn read(settings: &Settings) -> Result<Option<Self>, Failure> {
        let path = Self::file(settings);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| unreadable(&path, &error))
    }

    /// Stores it, and forgets what was pending.
    pub(crate) fn write(&self, settings: &Settings) -> Result<(), Failure> {
        write(&Self::file(settings), self)?;
        PendingConnection::forget(settings);
        HomeDown::forget(settings);
        Ok(())
    }

    pub(crate) fn remove(settings: &Settings) -> Result<(), Failure> {
        let path = Self::file(settings);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::from(error).hint(format!("remove it: `rm '{}'`", path.display())))
            }
            _ => Ok(()),
        }
    }

    /// The same under the name that the other side has for this machine.
    pub(crate) fn called(self, name: String) -> Self {
        Self { name, ..self }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn trust(&self) -> Trust {
        match &self.authority {
            Some(pem) => Trust::These(pem.clone()),
            None => Trust::Machine(None),
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("url", &self.url).field("name", &self.name).finish_non_exhaustive()
    }
}

impl PendingConnection {
    fn file(settings: &Settings) -> PathBuf {
        settings.data.join("connection-pending")
    }

    /// Takes up the one that was begun to this address under this name, or begins one.
    pub(crate) fn begin(
        settings: &Settings,
        url: &str,
        name: &str,
        authority: Option<String>,
    ) -> Result<Self, Failure> {
        let begun = fs::read(Self::file(settings)).ok().and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        if let Some(begun) = begun
            && (&*begun.connection.url, &*begun.connection.name) == (url, name)
            && begun.connection.authority == authority
        {
            return Ok(begun);
        }
        let MachineToken { token, digest } = MachineToken::fresh(&Chance::System);
        let token = token.reveal().to_owned();
        let connection = Connection { url: url.to_owned(), name: name.to_owned(), token, authority };
        let pending = Self { connection, digest };
        write(&Self::file(settings), &pending)?;
        Ok(pending)
    }

    /// Forgets the one that was begun, if any: it was denied, or came true.
    pub(crate) fn forget(settings: &Settings) {
        // What is left over is only a token that counts nowhere.
        let _ = fs::remove_file(Self::file(settings));
    }
}

/// Writes a new file that only this user can read, and renames it, so that no reader sees a part of it.
fn write(path: &Path, what: &impl Serialize) -> Result<(), Failure> {
    let beside = path.with_extension("new");
    let text = serde_json::to_vec(what).expect("a connection has text keys");
    let written = || {
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let _ = fs::remove_file(&beside);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    let written = written().with_context(|| format!("could not write `{}`", path.display()));
    Ok(written?)
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    let what = format!("the connection of this machine cannot be read from `{}`: {why}", path.display());
    Failure::new(what).hint("type `askbridge disconnect`, and connect it again")
}
