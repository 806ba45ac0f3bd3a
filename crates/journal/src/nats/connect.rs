//! Connects to the servers, and checks what they are.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{Context, context, kv, stream};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use tokio::time::{Instant, sleep};

use super::error::Error;
use super::link::Link;
use super::options::{Addresses, Auth, Options, addresses, without_secrets};
use super::streams::{self, MESSAGE_BYTES_MIN};
use crate::fault::Fault;

/// The oldest server version in which exactly one of many racing guarded appends wins.
const OLDEST: (u64, u64) = (2, 12);
/// Timeout of one request.
pub(super) const REQUEST_MAX: Duration = Duration::from_secs(5);
/// How often a quiet server is asked whether it is there. After three pings without a reply the client connects to
/// another one: a server that hangs does not close its connections.
const PING_EVERY: Duration = Duration::from_secs(2);
/// How long to wait for servers that are just starting.
pub(super) const SETUP_MAX: Duration = Duration::from_secs(30);
/// The pause between two attempts.
pub(super) const SETUP_PAUSE: Duration = Duration::from_millis(250);

/// A connection to a journal.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) streams: Vec<stream::Stream>,
    pub(super) bucket: kv::Store,
    pub(super) identity: u64,
    pub(super) link: Arc<Link>,
}

pub(super) async fn connect(options: &Options) -> Result<Connection, Error> {
    let url = without_secrets(&options.url);
    let link = Arc::new(Link::default());
    let client = reach(options, &url, &link).await?;
    let info = client.server_info();
    if !is_new_enough(&info.version) {
        return Err(Error::TooOld { url, found: info.version });
    }
    if info.max_payload < MESSAGE_BYTES_MIN {
        return Err(Error::SmallMessages { url, found: info.max_payload, needed: MESSAGE_BYTES_MIN });
    }
    if !info.jetstream {
        return Err(Error::NoJetStream { url });
    }
    let context = context::ContextBuilder::new().timeout(REQUEST_MAX).ack_timeout(REQUEST_MAX);
    let context = context.build(client.clone());
    let made = streams::make(&context, options, &url, info.cluster.is_some()).await?;
    let streams::Made { streams, bucket, identity } = made;
    Ok(Connection { client, context, streams, bucket, identity, link })
}

/// Connects to one of the servers. Waits for servers that are just starting, but not after one has refused us.
async fn reach(options: &Options, url: &str, link: &Arc<Link>) -> Result<Client, Error> {
    let Addresses { servers, auth } = addresses(&options.url)?;
    let auth = if matches!(options.auth, Auth::Address) { &auth } else { &options.auth };
    let until = Instant::now() + SETUP_MAX;
    loop {
        let connect = prepare(options, auth, link).await?;
        let error = match connect.connect(servers.as_slice()).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        let url = url.to_owned();
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                return Err(Error::Refused { url });
            }
            ConnectErrorKind::Tls => return Err(Error::Tls { url, source: Fault::new(error) }),
            // The client library reports a failed handshake as a failure of the connection.
            ConnectErrorKind::Io if is_tls(&error) => return Err(Error::Tls { url, source: Fault::new(error) }),
            _ if Instant::now() >= until => return Err(Error::Connect { url, source: Fault::new(error) }),
            _ => sleep(SETUP_PAUSE).await,
        }
    }
}

fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let within = error.downcast_ref::<std::io::Error>();
        if within.is_some_and(|error| error.kind() == std::io::ErrorKind::InvalidData) {
            return true;
        }
        cause = error.source();
    }
    false
}

async fn prepare(options: &Options, auth: &Auth, link: &Arc<Link>) -> Result<ConnectOptions, Error> {
    let mut connect = ConnectOptions::new()
        .connection_timeout(REQUEST_MAX)
        .request_timeout(Some(REQUEST_MAX))
        .ping_interval(PING_EVERY);
    connect = match auth {
        Auth::Address => connect,
        Auth::Password { user, password } => connect.user_and_password(user.clone(), password.text().to_owned()),
        Auth::Token(token) => connect.token(token.text().to_owned()),
        Auth::Nkey(seed) => connect.nkey(seed.text().to_owned()),
        Auth::NkeyFile(path) => {
            let text = tokio::fs::read_to_string(path).await.map_err(|error| unreadable(path, error))?;
            // The file may have comments around the seed, as `nk -gen` and `nsc` write them.
            let seed = text.split_whitespace().find(|word| word.starts_with("SU"));
            let none = || unreadable(path, std::io::Error::other("there is no seed of a user's nkey in it"));
            connect.nkey(seed.ok_or_else(none)?.to_owned())
        }
        Auth::CredentialsFile(path) => connect.credentials_file(path).await.map_err(|error| unreadable(path, error))?,
    };
    let tls = &options.tls;
    if let Some(authority) = &tls.authority {
        readable(authority).await?;
        connect = connect.add_root_certificates(authority.clone());
    }
    if let Some((certificate, key)) = &tls.certificate {
        readable(certificate).await?;
        readable(key).await?;
        connect = connect.add_client_certificate(certificate.clone(), key.clone());
    }
    let link = Arc::clone(link);
    Ok(connect.require_tls(tls.is_required()).name("askbridge").event_callback(move |event| {
        link.hear(&event);
        std::future::ready(())
    }))
}

fn unreadable(path: &std::path::Path, error: std::io::Error) -> Error {
    Error::File { path: path.to_owned(), source: Fault::new(error) }
}

async fn readable(path: &std::path::Path) -> Result<(), Error> {
    tokio::fs::File::open(path).await.map(drop).map_err(|error| unreadable(path, error))
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u64>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_in_which_two_can_win_are_refused() {
        assert!(["2.12.0", "2.15.1", "3.0.0-beta"].into_iter().all(is_new_enough));
        assert!(!["2.9.10", "2.11.9", "1.99.0", ""].into_iter().any(is_new_enough));
    }
}
