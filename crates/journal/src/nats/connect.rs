//! Connects: checks the servers' version, and creates the streams and the bucket.

use std::time::Duration;

use async_nats::jetstream::{self, Context, context, kv, stream};

use super::error::Error;
use crate::fault::Fault;

/// The oldest server version in which exactly one of many racing guarded appends wins.
const OLDEST: (u64, u64) = (2, 12);
/// How long the server remembers message ids. Longer than an append is retried.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(30);
/// Timeout of one request.
pub(super) const REQUEST_MAX: Duration = Duration::from_secs(5);
/// How long to wait for servers that are just starting.
const SETUP_MAX: Duration = Duration::from_secs(30);
/// The description of our streams, before the journal's id.
const DESCRIPTION: &str = "askbridge journal ";

/// How to reach a journal.
#[derive(Debug, Clone)]
pub struct Options {
    /// Addresses, separated by commas.
    pub url: String,
    /// The first word of streams, subjects and bucket.
    pub name: String,
    /// How many streams sessions are spread over. Cannot be changed after the journal is created.
    pub streams: usize,
    /// How many servers keep a copy of each entry.
    pub replicas: usize,
    /// The id of the journal, if this creates one: a random number, so that cursors of another journal are recognised.
    pub identity: u64,
    /// A number that no other client has or had: it marks the items that this one puts on the shelf.
    pub client: u64,
}

impl Options {
    pub fn new(url: impl Into<String>, identity: u64, client: u64) -> Self {
        Self { url: url.into(), name: "ab".to_owned(), streams: 16, replicas: 3, identity, client }
    }
}

/// A connection to a journal.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: async_nats::Client,
    pub(super) context: Context,
    pub(super) streams: Vec<stream::Stream>,
    pub(super) bucket: kv::Store,
    pub(super) identity: u64,
}

pub(super) async fn connect(options: &Options) -> Result<Connection, Error> {
    let url = &options.url;
    let addresses: Vec<_> = url.split(',').map(str::trim).collect();
    let client = async_nats::ConnectOptions::new()
        .retry_on_initial_connect()
        .connection_timeout(REQUEST_MAX)
        .request_timeout(Some(REQUEST_MAX));
    let connected = tokio::time::timeout(SETUP_MAX, async {
        let client = client.connect(addresses).await?;
        client.flush().await.map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(client)
    });
    let unreachable = |source| Error::Connect { url: url.clone(), source };
    let client = match connected.await {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => return Err(unreachable(Fault::new(std::io::Error::other(error.to_string())))),
        Err(elapsed) => return Err(unreachable(Fault::new(elapsed))),
    };
    let version = client.server_info().version;
    if !is_new_enough(&version) {
        return Err(Error::TooOld { url: url.clone(), found: version });
    }
    let context = context::ContextBuilder::new().timeout(REQUEST_MAX).ack_timeout(REQUEST_MAX);
    let context = context.build(client.clone());
    let mut streams = Vec::with_capacity(options.streams);
    let mut identity = None;
    for number in 0..options.streams {
        let (stream, named) = make_stream(&context, options, number).await?;
        // The first stream's id counts: it was created first.
        identity.get_or_insert(named);
        streams.push(stream);
    }
    let bucket = make_bucket(&context, options).await?;
    Ok(Connection { client, context, streams, bucket, identity: identity.unwrap_or(options.identity) })
}

/// Repeats `attempt` while servers are still forming the cluster.
async fn patiently<T, E, F>(name: &str, options: &Options, mut attempt: impl FnMut() -> F) -> Result<T, Error>
where
    E: std::error::Error + Send + Sync + 'static,
    F: Future<Output = Result<T, E>>,
{
    let until = tokio::time::Instant::now() + SETUP_MAX;
    loop {
        match attempt().await {
            Ok(made) => return Ok(made),
            Err(error) if tokio::time::Instant::now() >= until => {
                let source = Fault::new(error);
                return Err(Error::Setup { name: name.to_owned(), replicas: options.replicas, source });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(250)).await,
        }
    }
}

async fn make_stream(context: &Context, options: &Options, number: usize) -> Result<(stream::Stream, u64), Error> {
    let name = format!("{}-{number}", options.name);
    let config = stream::Config {
        name: name.clone(),
        subjects: vec![format!("{}.{number}.>", options.name)],
        description: Some(format!("{DESCRIPTION}{:016x}", options.identity)),
        num_replicas: options.replicas,
        duplicate_window: DUPLICATE_WINDOW,
        storage: stream::StorageType::File,
        ..Default::default()
    };
    // The first node creates it; the others find it, with the first one's id.
    let stream = patiently(&name, options, || async {
        match context.get_stream(&name).await {
            Ok(stream) => Ok(stream),
            Err(_) => context.create_stream(&config).await,
        }
    });
    let stream = stream.await?;
    let description = stream.cached_info().config.description.as_deref().unwrap_or_default();
    let identity = description.strip_prefix(DESCRIPTION).and_then(|text| u64::from_str_radix(text, 16).ok());
    Ok((stream, identity.ok_or(Error::NotOurs { name })?))
}

async fn make_bucket(context: &Context, options: &Options) -> Result<kv::Store, Error> {
    let name = format!("{}-shelf", options.name);
    let config = || kv::Config {
        bucket: name.clone(),
        history: 1,
        num_replicas: options.replicas,
        storage: jetstream::stream::StorageType::File,
        ..Default::default()
    };
    let bucket = patiently(&name, options, || async {
        match context.get_key_value(&name).await {
            Ok(bucket) => Ok(bucket),
            Err(_) => context.create_key_value(config()).await,
        }
    });
    bucket.await
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
