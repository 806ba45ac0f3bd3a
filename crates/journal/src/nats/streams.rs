//! The streams and the bucket of a journal: creates them, or checks those that exist.

use std::fmt::Display;
use std::time::Duration;

use askbridge_core::limits;
use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, ErrorCode, kv};
use tokio::time::{Instant, sleep};

use super::connect::{SETUP_MAX, SETUP_PAUSE};
use super::error::{Difference, Error};
use super::options::Options;
use crate::fault::Fault;

/// How long the server remembers message ids. Longer than an append is retried.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(30);
/// The description of our streams, before the journal's id.
const DESCRIPTION: &str = "askbridge journal ";
/// Between the journal's id and the number of its streams. Journals made before this was written do not have it.
const OF: &str = " of ";
/// The largest message that has to be accepted: an entry or an item, with its headers and what is around its events.
pub(super) const MESSAGE_BYTES_MIN: usize = limits::ENTRY_BYTES_MAX + 8 * 1024;
const _: () = assert!(limits::SHELF_BYTES_MAX <= limits::ENTRY_BYTES_MAX);

/// What a journal consists of.
pub(super) struct Made {
    pub(super) streams: Vec<Stream>,
    pub(super) bucket: kv::Store,
    pub(super) identity: u64,
}

/// Finds the streams of a journal, or creates them.
pub(super) async fn make(context: &Context, options: &Options, url: &str, clustered: bool) -> Result<Made, Error> {
    let maker = Maker { context, options, url, clustered };
    // The first stream was created first: its description says which journal this is, and how many streams it has.
    let first = maker.stream(0, options.streams, options.identity).await?;
    let named = Named::of(&first)?;
    let streams = match named.streams {
        Some(streams) => streams,
        None => count(context, options).await?,
    };
    let mut all = vec![first];
    for number in 1..streams {
        let stream = maker.stream(number, streams, named.identity).await?;
        if Named::of(&stream)?.identity != named.identity {
            return Err(Error::NotOurs { name: maker.name(number) });
        }
        all.push(stream);
    }
    let bucket = maker.bucket().await?;
    Ok(Made { streams: all, bucket, identity: named.identity })
}

/// What a stream's description says.
struct Named {
    identity: u64,
    streams: Option<usize>,
}

impl Named {
    fn of(stream: &Stream) -> Result<Self, Error> {
        let config = &stream.cached_info().config;
        let description = config.description.as_deref().unwrap_or_default();
        Self::read(description).ok_or_else(|| Error::NotOurs { name: config.name.clone() })
    }

    fn read(description: &str) -> Option<Self> {
        let rest = description.strip_prefix(DESCRIPTION)?;
        let (identity, streams) = match rest.split_once(OF) {
            Some((identity, streams)) => (identity, Some(streams.parse().ok().filter(|streams| *streams > 0)?)),
            None => (rest, None),
        };
        Some(Self { identity: u64::from_str_radix(identity, 16).ok()?, streams })
    }

    fn write(identity: u64, streams: usize) -> String {
        format!("{DESCRIPTION}{identity:016x}{OF}{streams}")
    }
}

/// Counts the streams of a journal whose description does not say it.
async fn count(context: &Context, options: &Options) -> Result<usize, Error> {
    let mut streams = 1;
    loop {
        match context.get_stream(format!("{}-{streams}", options.name)).await {
            Ok(_) => streams += 1,
            Err(error) if is_missing(&error.kind()) => return Ok(streams),
            Err(error) => return Err(Error::Request { what: "count the streams", source: Fault::new(error) }),
        }
    }
}

fn is_missing(kind: &GetStreamErrorKind) -> bool {
    matches!(kind, GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

struct Maker<'a> {
    context: &'a Context,
    options: &'a Options,
    url: &'a str,
    clustered: bool,
}

impl Maker<'_> {
    fn name(&self, number: usize) -> String {
        format!("{}-{number}", self.options.name)
    }

    /// Finds or creates a stream, and checks it.
    async fn stream(&self, number: usize, streams: usize, identity: u64) -> Result<Stream, Error> {
        let name = self.name(number);
        let config = Config {
            name: name.clone(),
            subjects: vec![format!("{}.{number}.>", self.options.name)],
            description: Some(Named::write(identity, streams)),
            num_replicas: self.options.replicas,
            duplicate_window: DUPLICATE_WINDOW,
            storage: StorageType::File,
            // If a limit is set later, it must refuse what is new, not remove what is old.
            discard: DiscardPolicy::New,
            ..Default::default()
        };
        let attempt = || async {
            // Another node may create it at the same time: then it is found in the next attempt.
            match self.context.get_stream(&name).await {
                Ok(stream) => Ok(stream),
                Err(error) if is_missing(&error.kind()) => {
                    let made = self.context.create_stream(&config).await;
                    made.map_err(|error| (self.stands_alone(&error.kind()), Fault::new(error)))
                }
                Err(error) => Err((false, Fault::new(error))),
            }
        };
        let stream = self.patiently(&name, attempt).await?;
        // A stream that somebody else made need not be explained further.
        Named::of(&stream)?;
        check(&stream.cached_info().config, &config)?;
        Ok(stream)
    }

    async fn bucket(&self) -> Result<kv::Store, Error> {
        let name = format!("{}-shelf", self.options.name);
        let config = || kv::Config {
            bucket: name.clone(),
            history: 1,
            num_replicas: self.options.replicas,
            storage: StorageType::File,
            ..Default::default()
        };
        let attempt = || async {
            match self.context.get_key_value(&name).await {
                Ok(bucket) => Ok(bucket),
                Err(_) => self.context.create_key_value(config()).await.map_err(|error| (false, Fault::new(error))),
            }
        };
        let bucket = self.patiently(&name, attempt).await?;
        let found = &bucket.stream.cached_info().config;
        let wanted = Config {
            name: found.name.clone(),
            subjects: vec![format!("$KV.{name}.>")],
            num_replicas: self.options.replicas,
            storage: StorageType::File,
            max_messages_per_subject: 1,
            allow_rollup: true,
            ..Default::default()
        };
        check(found, &wanted)?;
        Ok(bucket)
    }

    fn stands_alone(&self, kind: &CreateStreamErrorKind) -> bool {
        let CreateStreamErrorKind::JetStream(error) = kind else { return false };
        error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED && !self.clustered
    }

    /// Repeats `attempt` while servers are still forming the cluster. An error says whether the server stands alone.
    async fn patiently<T, F>(&self, name: &str, mut attempt: impl FnMut() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, (bool, Fault)>>,
    {
        let (until, replicas) = (Instant::now() + SETUP_MAX, self.options.replicas);
        loop {
            match attempt().await {
                Ok(made) => return Ok(made),
                Err((true, _)) => return Err(Error::StandsAlone { url: self.url.to_owned(), replicas }),
                Err((_, source)) if Instant::now() >= until => {
                    return Err(Error::Setup { name: name.to_owned(), replicas, source });
                }
                Err(_) => sleep(SETUP_PAUSE).await,
            }
        }
    }
}

/// Compares a stream with what the journal needs. What only makes it better, such as more copies, is no difference.
fn check(found: &Config, wanted: &Config) -> Result<(), Error> {
    let mut differences = Vec::new();
    let mut differs = |what: String, flag: Option<String>| {
        let mend = flag.map(|flag| format!("nats stream edit {} {flag}", found.name));
        differences.push(Difference { what, mend });
    };
    let is = |what: &str, found: &dyn Display, wanted: &dyn Display| format!("{what} is {found}, not {wanted}");
    if found.subjects != wanted.subjects {
        let (has, needs) = (found.subjects.join(","), wanted.subjects.join(","));
        differs(is("its subject", &has, &needs), Some(format!("--subjects '{needs}'")));
    }
    if found.num_replicas < wanted.num_replicas {
        let needs = wanted.num_replicas;
        let what = is("the number of copies of each message", &found.num_replicas, &needs);
        differs(what, Some(format!("--replicas {needs}")));
    }
    if found.storage != StorageType::File {
        differs(is("its storage", &"memory", &"file"), None);
    }
    if found.retention != RetentionPolicy::Limits {
        differs(is("its retention", &format!("{:?}", found.retention).to_lowercase(), &"limits"), None);
    }
    if !found.max_age.is_zero() {
        let what = format!("it removes messages after {} s", found.max_age.as_secs());
        differs(what, Some("--max-age 0s".to_owned()));
    }
    // An operator may limit the size, as long as a full stream refuses what is new.
    let limited = found.max_bytes > 0 || found.max_messages > 0;
    if limited && found.discard != DiscardPolicy::New {
        differs("it removes the oldest messages when it is full".to_owned(), Some("--discard new".to_owned()));
    }
    let (one, per_subject) = (wanted.max_messages_per_subject.max(0), found.max_messages_per_subject.max(0));
    if per_subject != one {
        let needs = if one == 0 { -1 } else { one };
        let what = is("the number of messages under one subject", &found.max_messages_per_subject, &needs);
        differs(what, Some(format!("--max-msgs-per-subject={needs}")));
    }
    let largest = usize::try_from(found.max_message_size).unwrap_or(0);
    if largest > 0 && largest < MESSAGE_BYTES_MIN {
        let what = is("its largest message", &largest, &format!("{MESSAGE_BYTES_MIN} bytes or more"));
        differs(what, Some("--max-msg-size=-1".to_owned()));
    }
    // Zero means that the server chooses: two minutes.
    let shortest = wanted.duplicate_window;
    if found.duplicate_window < shortest && !found.duplicate_window.is_zero() {
        let (has, needs) = (found.duplicate_window.as_secs(), shortest.as_secs());
        let what = format!("it recognises a repeated message for {has} s, not for {needs} s");
        differs(what, Some(format!("--dupe-window {needs}s")));
    }
    if found.deny_purge {
        differs("nothing can be removed from it, so no session can be forgotten".to_owned(), None);
    }
    if wanted.allow_rollup && !found.allow_rollup {
        differs("it does not allow rollups".to_owned(), Some("--allow-rollup".to_owned()));
    }
    if found.sealed {
        differs("it is sealed".to_owned(), None);
    }
    if found.no_ack {
        differs("it does not acknowledge messages".to_owned(), Some("--ack".to_owned()));
    }
    if differences.is_empty() { Ok(()) } else { Err(Error::Different { name: found.name.clone(), differences }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_which_journal_it_is_and_how_many_streams_it_has() {
        let named = Named::read(&Named::write(0xfeed, 5)).unwrap();
        assert_eq!((named.identity, named.streams), (0xfeed, Some(5)));
        let old = Named::read("askbridge journal 000000000000feed").unwrap();
        assert_eq!((old.identity, old.streams), (0xfeed, None));
        let other = ["", "askbridge", "askbridge journal x", "askbridge journal 1 of 0", "askbridge journal 1 of x"];
        assert!(other.into_iter().all(|other| Named::read(other).is_none()));
    }

    #[test]
    fn a_stream_that_could_lose_something_is_refused_with_the_command_that_mends_it() {
        let wanted =
            Config { name: "ab-0".into(), subjects: vec!["ab.0.>".into()], num_replicas: 3, ..Config::default() };
        let wanted = Config { duplicate_window: DUPLICATE_WINDOW, ..wanted };
        assert!(check(&wanted, &wanted).is_ok());
        assert!(
            check(&Config { num_replicas: 5, max_bytes: 1, discard: DiscardPolicy::New, ..wanted.clone() }, &wanted)
                .is_ok()
        );
        let found = Config {
            subjects: vec!["ab.>".into()],
            num_replicas: 1,
            max_age: Duration::from_secs(60),
            max_bytes: 1000,
            max_message_size: 1000,
            ..wanted.clone()
        };
        let error = check(&found, &wanted).unwrap_err().to_string();
        for said in ["--subjects 'ab.0.>'", "--replicas 3", "--max-age 0s", "--discard new", "--max-msg-size=-1"] {
            assert!(error.contains(&format!("nats stream edit ab-0 {said}")), "{said}: {error}");
        }
        let error = check(&Config { storage: StorageType::Memory, ..wanted.clone() }, &wanted).unwrap_err().to_string();
        assert!(error.contains("its storage is memory, not file (this cannot be changed"), "{error}");
    }
}
