//! `askbridge disconnect`: this machine asks at its own askbridge again.

use std::time::Duration;

use hyper::Method;
use serde_json::Value;
use tokio::time::timeout;

use crate::client::{Client, Connection, Error, HomeDown, PendingConnection};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

/// How long the other side may take to forget this machine. Beyond: a person revokes it there.
const GOODBYE_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn off(settings: &Settings) -> Result<Exit, Failure> {
    PendingConnection::forget(settings);
    HomeDown::forget(settings);
    let connection = match Connection::read(settings) {
        Ok(Some(connection)) => connection,
        Ok(None) => {
            print("not connected: this machine asks at its own askbridge")?;
            return Ok(Exit::Good);
        }
        // What cannot be read is of no use, and is in the way.
        Err(_) => {
            Connection::remove(settings)?;
            print("disconnected: this machine asks at its own askbridge again")?;
            return Ok(Exit::Good);
        }
    };
    let client = Client::home(&connection)?;
    let told = timeout(GOODBYE_MAX, client.call(Method::DELETE, "/v1/connections", &Value::Null, None, Duration::ZERO));
    let told = told.await;
    Connection::remove(settings)?;
    print(&format!("disconnected from {}: this machine asks at its own askbridge again", connection.url))?;
    match told {
        Ok(Ok(_) | Err(Error::Disconnected { .. })) => {}
        _ => tell(&format!(
            "warning: it could not be told; remove `{}` there, under Devices or with `askbridge token revoke`",
            visible(&connection.name)
        )),
    }
    Ok(Exit::Good)
}
