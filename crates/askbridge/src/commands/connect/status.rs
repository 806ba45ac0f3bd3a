//! `askbridge connect --status`: where this machine asks, and whether that works.

use std::time::{Duration, SystemTime};

use askbridge_bridge::clock::Clock;
use askbridge_core::ids::Timestamp;
use serde::Deserialize;
use serde_json::json;

use crate::client::{Client, Connection, Error, Greeting};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

/// How far apart the clocks may be. Beyond: what cards say about time is wrong on one side.
pub(crate) const CLOCK_OFF_MAX: Duration = Duration::from_secs(60);

/// How a connection stands.
#[derive(Debug)]
pub(crate) enum Standing {
    /// It works.
    Good {
        version: String,
        /// How far this clock is off from that one. `None`: it does not say.
        clock_off: Option<Duration>,
    },
    /// It was revoked there.
    Revoked,
    Trouble(Error),
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

/// Asks the askbridge that this machine is connected to.
pub(crate) async fn stand(connection: &Connection) -> Result<Standing, Failure> {
    let client = Client::home(connection)?;
    let Greeting { version, date } = match client.greet().await {
        Ok(greeting) => greeting,
        Err(error) => return Ok(Standing::Trouble(error)),
    };
    match client.get("/v1/me").await.and_then(|reply| reply.json::<Me>()) {
        Ok(me) if me.role == "agent" => {
            let clock_off = date.map(|date| apart(Clock::System.now(), date));
            Ok(Standing::Good { version, clock_off })
        }
        Ok(me) => Ok(Standing::Trouble(Error::Strange(format!("the token of this machine is that of a {}", me.role)))),
        Err(Error::Disconnected { .. }) => Ok(Standing::Revoked),
        Err(error) => Ok(Standing::Trouble(error)),
    }
}

/// How far the clock here is off from the time there, which has whole seconds.
fn apart(here: Timestamp, there: SystemTime) -> Duration {
    let millis = there.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    Duration::from_millis(here.0.abs_diff(i64::try_from(millis).unwrap_or(i64::MAX)))
}

pub(super) async fn show(settings: &Settings, as_json: bool) -> Result<Exit, Failure> {
    let Some(connection) = Connection::read(settings)? else {
        let said = "not connected: this machine asks at its own askbridge";
        print(if as_json { r#"{"connected":false}"# } else { said })?;
        return Ok(Exit::Failed);
    };
    let Connection { url, name, .. } = &connection;
    let standing = stand(&connection).await?;
    let (works, what, exit) = match &standing {
        Standing::Good { version, .. } => (true, format!("it answers ({version}), and knows this machine"), Exit::Good),
        Standing::Revoked => {
            (false, format!("it was revoked there; type `askbridge connect {url}` to connect it again"), Exit::Failed)
        }
        Standing::Trouble(error) => {
            let exit = match error {
                Error::Unreachable { .. } | Error::Untrusted { .. } | Error::Lost { .. } => Exit::Unreachable,
                _ => Exit::Failed,
            };
            (false, format!("{error}; until it answers, terminals work as if askbridge was not installed"), exit)
        }
    };
    if as_json {
        let (version, clock_off) = match &standing {
            Standing::Good { version, clock_off } => (Some(version), clock_off.map(|off| off.as_millis() as u64)),
            Standing::Revoked | Standing::Trouble(_) => (None, None),
        };
        let revoked = matches!(standing, Standing::Revoked);
        let line = json!({"connected": true, "url": url, "name": name, "works": works, "revoked": revoked,
            "version": version, "clock_off_ms": clock_off, "why": (!works).then_some(what)});
        print(&line.to_string())?;
        return Ok(exit);
    }
    print(&format!("connected to {url} as {}", visible(name)))?;
    tell(&what);
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_as_far_apart_as_they_are_in_either_direction() {
        let there = httpdate::parse_http_date("Sun, 15 Nov 2026 08:30:00 GMT").unwrap();
        let here = |seconds: i64| Timestamp((1_794_731_400 + seconds) * 1000);
        assert_eq!(apart(here(0), there), Duration::ZERO);
        assert_eq!(apart(here(90), there), Duration::from_secs(90));
        assert_eq!(apart(here(-90), there), Duration::from_secs(90));
    }
}
