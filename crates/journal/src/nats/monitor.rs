//! Asks the servers' monitoring addresses whether they sync each message to disk before they acknowledge it. A client
//! of NATS cannot see that setting (tried with 2.15.1: `jetstream.config.sync_always` of `/varz` is there only if it is
//! set).

use std::collections::BTreeSet;

use askbridge_core::limits;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connect::REQUEST_MAX;

/// Do the servers sync each message to disk before they acknowledge it (`sync_interval: always`)?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncAlways {
    /// Every server of the cluster says so.
    Verified,
    /// These servers do not: what was acknowledged in the last seconds or minutes can be lost when all servers lose power
    /// at once.
    NotSet { servers: Vec<String> },
    /// It could not be found out.
    Unknown { why: String },
}

#[derive(Debug, Deserialize)]
struct Varz {
    server_name: String,
    #[serde(default)]
    jetstream: JetStream,
}

#[derive(Debug, Default, Deserialize)]
struct JetStream {
    #[serde(default)]
    config: Option<Config>,
    #[serde(default)]
    meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
struct Config {
    #[serde(default)]
    sync_always: bool,
}

#[derive(Debug, Deserialize)]
struct Meta {
    #[serde(default)]
    cluster_size: usize,
}

/// Asks every address. A server that does not set it outweighs addresses that do not respond.
pub(super) async fn check_sync(addresses: &[String]) -> SyncAlways {
    let (mut asked, mut not_set, mut unknown) = (BTreeSet::new(), Vec::new(), None);
    let mut cluster = 1;
    for address in addresses {
        match look(address).await {
            Ok(varz) => {
                cluster = cluster.max(varz.jetstream.meta.map_or(1, |meta| meta.cluster_size));
                match varz.jetstream.config {
                    Some(config) if !config.sync_always => not_set.push(varz.server_name),
                    Some(_) => drop(asked.insert(varz.server_name)),
                    None => unknown = Some(format!("the server `{}` does not have JetStream", varz.server_name)),
                }
            }
            Err(why) => unknown = Some(why),
        }
    }
    if !not_set.is_empty() {
        return SyncAlways::NotSet { servers: not_set };
    }
    if let Some(why) = unknown {
        return SyncAlways::Unknown { why };
    }
    match asked.len() {
        0 => SyncAlways::Unknown { why: "no monitoring address was given".to_owned() },
        found if found < cluster => {
            SyncAlways::Unknown { why: format!("the cluster has {cluster} servers, {found} of them were asked") }
        }
        _ => SyncAlways::Verified,
    }
}

async fn look(address: &str) -> Result<Varz, String> {
    let host = address.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
    let Some(host) = host.filter(|host| host.contains(':') && !host.contains(['/', '@', '\r', '\n', ' '])) else {
        return Err("a monitoring address is written http://HOST:PORT".to_owned());
    };
    let failed = |why: &str| format!("http://{host} {why}");
    let response = timeout(REQUEST_MAX, get(host)).await;
    let response = response.map_err(|_| failed("did not respond in time"))?;
    let response = response.map_err(|error| failed(&format!("could not be asked: {error}")))?;
    let (head, body) = response.split_once("\r\n\r\n").ok_or_else(|| failed("did not respond in HTTP"))?;
    if head.split(' ').nth(1) != Some("200") {
        return Err(failed("is not the monitoring address of a NATS server"));
    }
    serde_json::from_str(body).map_err(|_| failed("is not the monitoring address of a NATS server"))
}

async fn get(host: &str) -> std::io::Result<String> {
    let mut socket = TcpStream::connect(host).await?;
    // HTTP 1.0: the body ends with the connection and is not chunked.
    let request = format!("GET /varz HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    socket.take(limits::MONITOR_BYTES_MAX as u64).read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}
