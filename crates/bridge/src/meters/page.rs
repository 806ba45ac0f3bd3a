//! Renders all metrics on one page. `docs/guides/operations.md` says what the numbers mean.

use std::sync::atomic::Ordering;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_journal::index::OpenAskCounts;
use askbridge_journal::sqlite::Space;
use askbridge_journal::{Contact, Meter};

use super::counts::{CLASSES, Meters};
use super::process;
use super::text::{Page, Unit};
use crate::cluster::NodeState;
use crate::runtime::{Handle, chain};

pub(crate) use super::text::CONTENT_TYPE;

/// Ages, in seconds, for the counts of asks that have been open for at least that long.
const AGES: [u64; 7] = [60, 600, 3_600, 4 * 3_600, 24 * 3_600, 7 * 24 * 3_600, 30 * 24 * 3_600];

/// Renders the page. Reads the index, so it waits for the disk; the hot path is not disturbed.
pub(crate) fn page(
    handle: &Handle,
    connections: usize,
    space: Option<Space>,
    certificate_until: Option<Timestamp>,
    version: &str,
) -> String {
    let mut page = Page::default();
    page.head("askbridge_build_info", "Which release this is.", "gauge");
    page.line("askbridge_build_info", &[("version", version)], 1);
    let (now, index) = (handle.now(), handle.store().index());
    // Before the index is read, since reading it makes this zero.
    page.gauge("askbridge_index_lag_entries", "Entries that the index has not taken in yet.", index.lag());
    match index.waiting(now, &AGES.map(Duration::from_secs)) {
        Ok(waiting) => open_asks(&mut page, &waiting, now),
        Err(error) => {
            tracing::warn!(error = chain(&error), "Could not count what is open; it is left out of the metrics")
        }
    }
    rounds(&mut page, &handle.meters);
    traffic(&mut page, &handle.meters, connections);
    if let Some(traces) = handle.traces() {
        let (sent, lost) = traces.counts();
        page.counter("askbridge_spans_sent_total", "Spans that the collector took.", sent);
        page.counter("askbridge_spans_lost_total", "Spans that no collector took.", lost);
    }
    journal(&mut page, handle.store().meter());
    if let Some(space) = space {
        room(&mut page, space);
    }
    if let Some(until) = certificate_until {
        let help = "Until when the certificate for https is valid, in seconds since 1970.";
        page.gauge("askbridge_certificate_expires_timestamp_seconds", help, until.0 / 1000);
    }
    if let Some(contact) = handle.store().contact() {
        servers(&mut page, handle, &contact);
    }
    forgotten(&mut page, &handle.meters);
    process::write(&mut page, handle.meters.started_at.0);
    page.done()
}

fn open_asks(page: &mut Page, waiting: &OpenAskCounts, now: Timestamp) {
    let name = "askbridge_open_asks";
    page.head(name, "Asks that a person can still decide, by state.", "gauge");
    let states = [
        ("open", waiting.open),
        ("proposed", waiting.proposed),
        ("parked", waiting.parked),
        ("stranded", waiting.stranded),
    ];
    states.iter().for_each(|(state, count)| page.line(name, &[("state", state)], count));
    let oldest = waiting.oldest.map_or(0, |oldest| now.since(oldest).as_secs());
    page.gauge("askbridge_oldest_open_ask_age_seconds", "How long the oldest open ask has waited.", oldest);
    let name = "askbridge_open_asks_waiting";
    page.head(name, "Open asks that have waited at least so many seconds.", "gauge");
    for (age, count) in AGES.iter().zip(&waiting.at_least) {
        page.line(name, &[("at_least", &age.to_string())], count);
    }
}

fn rounds(page: &mut Page, meters: &Meters) {
    let help = "Time from an ask until it is settled, however it is.";
    page.histogram("askbridge_ask_to_settled_seconds", help, &meters.settled.read(), Unit::Millis);
    let help = "Time from settling until the agent has shown that it heard.";
    page.histogram("askbridge_settled_to_delivered_seconds", help, &meters.delivered.read(), Unit::Millis);
}

fn traffic(page: &mut Page, meters: &Meters, connections: usize) {
    let (websockets, streams) = meters.present();
    let http = (connections as u64).saturating_sub(websockets + streams);
    let name = "askbridge_connections";
    page.head(name, "Open connections, by what they are used for.", "gauge");
    for (kind, count) in [("http", http), ("websocket", websockets), ("sse", streams)] {
        page.line(name, &[("kind", kind)], count);
    }
    let name = "askbridge_http_requests_total";
    page.head(name, "Requests that were answered, by address and class of status.", "counter");
    for (route, counts) in meters.requests.read() {
        for (class, count) in CLASSES.iter().zip(counts).filter(|(_, count)| *count > 0) {
            page.line(name, &[("route", route), ("status", class)], count);
        }
    }
    let name = "askbridge_refusals_total";
    page.head(name, "Wishes and requests that were refused, by code.", "counter");
    for (code, [count]) in meters.refusals.read() {
        if count > 0 {
            page.line(name, &[("code", code)], count);
        }
    }
    let name = "askbridge_rings_total";
    page.head(name, "Rings, by the kind of channel and what became of them.", "counter");
    for (kind, counts) in meters.rings.read() {
        for (outcome, count) in ["sent", "failed"].iter().zip(counts) {
            page.line(name, &[("channel", kind), ("outcome", outcome)], count);
        }
    }
    let lagged = meters.lagged.load(Ordering::Relaxed);
    page.counter(
        "askbridge_followers_lagged_total",
        "Listeners that fell behind and read on from the journal.",
        lagged,
    );
}

fn room(page: &mut Page, space: Space) {
    let name = "askbridge_store_bytes";
    page.head(name, "Bytes that the store takes on the disk, free ones included, by file.", "gauge");
    for (file, bytes) in [("journal", space.journal), ("index", space.index)] {
        page.line(name, &[("file", file)], bytes);
    }
    page.gauge("askbridge_store_free_bytes", "Bytes of those that hold nothing any more.", space.free);
}

/// The servers of a shared journal, and the other nodes.
fn servers(page: &mut Page, handle: &Handle, contact: &Contact) {
    let lag = handle.store().lag();
    page.gauge("askbridge_journal_behind_entries", "Entries that this node's index has not applied yet.", lag.entries);
    let help = "For how long the oldest of those has been known, in seconds.";
    page.gauge("askbridge_journal_behind_seconds", help, lag.time.as_secs_f64());
    let is_connected = u8::from(contact.is_connected);
    page.gauge("askbridge_nats_connected", "Whether a server of the journal is connected.", is_connected);
    let heard = contact.last_heard.map_or(-1.0, |heard| heard.as_secs_f64());
    page.gauge("askbridge_nats_last_heard_seconds", "How long ago a server said something.", heard);
    page.counter("askbridge_nats_reconnects_total", "Connections that were made again.", contact.reconnects);
    let help = "Leaders of streams that changed, as this node saw it.";
    page.counter("askbridge_nats_leader_changes_total", help, contact.leader_changes);
    page.gauge("askbridge_nats_leaderless_streams", "Streams without a leader.", contact.leaderless);
    page.gauge("askbridge_nats_copies_behind", "Copies of streams that are not up to date.", contact.copies_behind);
    let nodes = handle.nodes.all();
    let up = nodes.iter().filter(|node| node.state == NodeState::Up).count();
    let name = "askbridge_nodes";
    page.head(name, "Nodes that share the journal, as this one sees them.", "gauge");
    for (state, count) in [("up", up), ("down", nodes.len() - up)] {
        page.line(name, &[("state", state)], count);
    }
    page.gauge("askbridge_node_rank", "The place of this node among those that are up.", handle.nodes.rank());
    let holds_back = u8::from(!handle.nodes.may_act());
    page.gauge("askbridge_node_holds_back", "Whether this node leaves deadlines and rings to others.", holds_back);
}

fn forgotten(page: &mut Page, meters: &Meters) {
    let [sessions, entries, bytes] = meters.forgotten.each_ref().map(|count| count.load(Ordering::Relaxed));
    page.counter("askbridge_forgotten_sessions_total", "Sessions that were forgotten.", sessions);
    page.counter("askbridge_forgotten_entries_total", "Entries of the journal that went with them.", entries);
    page.counter("askbridge_forgotten_bytes_total", "Bytes of those entries, as they were written.", bytes);
}

fn journal(page: &mut Page, meter: &Meter) {
    let help = "Time that a transaction took until it was durable.";
    page.histogram("askbridge_journal_commit_seconds", help, &meter.commit.read(), Unit::Micros);
    let help = "Part of that in which the disk was waited for.";
    page.histogram("askbridge_journal_sync_seconds", help, &meter.sync.read(), Unit::Micros);
    let help = "Entries that shared a transaction.";
    page.histogram("askbridge_journal_commit_entries", help, &meter.entries.read(), Unit::Pieces);
    let failures = meter.failures.load(Ordering::Relaxed);
    page.counter("askbridge_journal_failures_total", "Transactions that failed; nothing of them was stored.", failures);
}
