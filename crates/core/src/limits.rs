//! Every limit, in one place, each with what happens beyond it.

use std::time::Duration;

/// Questions in one ask. Beyond: the ask is refused.
pub const QUESTIONS_MAX: usize = 20;
/// Options of one question. Beyond: the ask is refused.
pub const OPTIONS_MAX: usize = 100;
/// Fields of one form. Beyond: the ask is refused.
pub const FIELDS_MAX: usize = 50;
/// Bytes of a question, a plan, a tool input or a preview, each. Beyond: the ask is refused.
pub const ASK_TEXT_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a header or a label. Beyond: the ask is refused.
pub const LABEL_BYTES_MAX: usize = 4 * 1024;
/// Bytes of text that a person writes into one answer, note or message. Beyond: the answer is refused.
pub const ANSWER_TEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of the id that a client gives to a message. Beyond: the id is dropped, and the message has only ours.
pub const CLIENT_ID_BYTES_MAX: usize = 64;

/// Problems that a refusal of an edited input lists. Beyond: the rest is left out, and found when these are fixed.
pub const EDIT_PROBLEMS_MAX: usize = 16;
/// Parts of one joined string of labels. Beyond: it is free text.
pub const JOINED_PARTS_MAX: usize = 1000;
/// How deep JSON may be wrapped in JSON strings. Beyond: it stays a string.
pub const NESTED_JSON_MAX: usize = 3;

/// Open asks in one session. Beyond: asking is refused until one is settled. Fewer than [`ENTRY_EVENTS_MAX`], because
/// the end of a turn or a session closes all of them in one entry, with up to two more events.
pub const OPEN_ASKS_MAX: usize = 60;
/// Bytes of the open asks of one token, give or take one ask, over all its sessions. Beyond: asking is refused with 429
/// until one is settled.
pub const OPEN_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Asks of one session that wait for a late answer or a correction. Beyond: the oldest is closed for good.
pub const LATE_ASKS_MAX: usize = 256;
/// How long a denied call may run after a person overruled the denial. Beyond: it is denied again, and a person is asked
/// again.
pub const OVERRULE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Messages that wait in one session. Beyond: saying more is refused.
pub const QUEUED_MESSAGES_MAX: usize = 256;
/// Decisions in one session. Beyond: it is continued in a new one as soon as nothing in it is unfinished.
pub const DECISIONS_MAX: u64 = 10_000;
/// Decisions in one session while something stays unfinished. Beyond: asking and saying are refused, settling is not.
/// Higher than [`DECISIONS_MAX`], because an agent may ask all night in one turn and should not be stopped for it.
pub const DECISIONS_HARD_MAX: u64 = 100_000;

/// Longest wait that an ask may state. Beyond: refused; omit the deadline to wait for ever.
pub const WAIT_MAX: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// Longest undo time. Beyond: refused.
pub const UNDO_MAX: Duration = Duration::from_secs(60);
/// People whose agreement an ask may need. Beyond: refused.
pub const QUORUM_MAX: u8 = 16;

/// Bytes of one piece of an agent's text, a tool's output or a tool's input. Beyond: text continues in the next piece;
/// output is cut and says so; input is left out and says so.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a call's input or result that is stored in the same entry as its ask or delivery. Beyond: it is stored in
/// an entry of its own.
pub const ALONG_BYTES_MAX: usize = 16 * 1024;

/// Bytes of an edited input that the model reads beside the call's result. Beyond: it is cut and says so.
pub const RAN_WORDS_BYTES_MAX: usize = 4 * 1024;

/// Events in one journal entry. Beyond: the append is refused as too large.
pub const ENTRY_EVENTS_MAX: usize = 64;
/// Bytes of one journal entry. Beyond: the append is refused as too large.
pub const ENTRY_BYTES_MAX: usize = 512 * 1024;
/// Bytes of one item on the shelf. Beyond: refused.
pub const SHELF_BYTES_MAX: usize = 512 * 1024;
/// Appends that are queued for the journal's writer. Beyond: callers wait.
pub const APPEND_QUEUE_MAX: usize = 4096;
/// Appends in one transaction. Beyond: the rest is in the next.
pub const APPEND_BATCH_MAX: usize = 1024;
/// Entries that the journal keeps in memory for its followers. Beyond: they are read from disk.
pub const RECENT_ENTRIES_MAX: usize = 256;
/// Bytes of those entries. Beyond: the oldest are dropped from memory.
pub const RECENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Sessions that are forgotten in one transaction. Beyond: the rest is in the next.
pub const FORGET_SESSIONS_MAX: usize = 256;
/// How long an undelivered verdict or message keeps a closed session from being forgotten. Beyond: it may be forgotten.
pub const UNHEARD_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long a session must have been inactive before it is forgotten because the journal is too large. Before: it
/// stays.
pub const QUIET_MIN: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest retention that can be set. Beyond: the setting is refused; `keep` is for ever.
pub const RETENTION_MAX: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
/// Interval of the search for sessions to forget, if a retention is set.
pub const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);
/// Pages of 4 KiB that are returned to the disk in one step. Beyond: the rest waits for the next step, so that appends
/// get in between.
pub const SHRINK_PAGES: u32 = 256;
/// Entries that are forgotten in one transaction, unless a single session has more. Beyond: the rest is in the next, so
/// that appends get in between.
pub const FORGET_ENTRIES_MAX: usize = 2000;
/// Entries that one read returns. Beyond: continue reading after the last.
pub const READ_BATCH_MAX: usize = 512;

/// Sessions whose state is cached in memory. Beyond: the least recently used is evicted, and folded again when needed.
pub const CACHED_SESSIONS_MAX: usize = 16_384;
/// Approximate bytes of those sessions. Beyond: the same; a session that is in use stays, however large it is.
pub const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Least time that an idle session stays cached; at most twice as long. Beyond: it is folded again when needed.
pub const IDLE_SESSION_MAX: Duration = Duration::from_secs(10 * 60);
/// How long `Handed` and `Delivered` may wait for a decision to ride with. Beyond: they are written in an entry of
/// their own.
pub const RIDE_ALONG_WAIT: Duration = Duration::from_millis(100);
/// Entries that are queued for one follower. Beyond: it reads from the journal, as fast as its client reads.
pub const FOLLOWER_QUEUE_MAX: usize = 4096;
/// Bytes that are queued for one follower. Beyond: it reads from the journal, as fast as its client reads.
pub const FOLLOWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Intents that one connection may have in flight. Beyond: the connection is not read until one returns.
pub const IN_FLIGHT_MAX: usize = 256;

/// Bytes of one WebSocket frame from a client. Beyond: the connection is closed with 1009.
pub const FRAME_BYTES_MAX: usize = 512 * 1024;
/// Bytes of one HTTP body. Beyond: 413.
pub const BODY_BYTES_MAX: usize = 512 * 1024;
/// Bytes of a request's head: its address and its headers. Beyond: 413, or, if the rest is not read, a bare 431 or 414
/// and the connection is closed.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Connections at the same time. Beyond: new ones are refused with 503 and Retry-After.
pub const CONNECTIONS_MAX: usize = 20_000;
/// How long a client may take to send a request's head. Beyond: the connection is closed.
pub const HEADER_READ_MAX: Duration = Duration::from_secs(10);
/// How long a client may take to send a request's body. Beyond: 408, and the connection is closed.
pub const BODY_READ_MAX: Duration = Duration::from_secs(20);
/// How long a WebSocket client may take to send its hello. Beyond: the socket is closed with 4401.
pub const HELLO_MAX: Duration = Duration::from_secs(10);
/// Interval of pings on a quiet WebSocket or event stream.
pub const HEARTBEAT: Duration = Duration::from_secs(25);
/// How long a WebSocket may stay silent although we ping it. Beyond: it is closed.
pub const SILENCE_MAX: Duration = Duration::from_secs(90);
/// Longest time that one request may wait for an answer. Beyond: the wait is cut to this, and the current state is
/// returned.
pub const WAIT_PER_REQUEST_MAX: Duration = Duration::from_secs(3600);
/// Sessions whose program on this machine is watched, so that they are closed when it exits. Beyond: such a session
/// stays open until a person closes it, or until the next call of its program finds room.
pub const WATCHED_PROGRAMS_MAX: usize = 10_000;
/// Interval of progress notifications to a program that waits in an MCP call.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(15);
/// How long after a delivery the same question from the same agent gets the same answer: the agent may not have
/// received it after all. Beyond: it is a new question.
pub const REPEAT_MAX: Duration = Duration::from_secs(60);
/// Rows in one page of a list. Beyond: a cursor leads to the next.
pub const PAGE_MAX: usize = 500;
/// Rows in one page if the caller states no number.
pub const PAGE_DEFAULT: usize = 100;
/// Open asks in a snapshot. Beyond: the snapshot says that there are more, and the inbox pages lead to them.
pub const SNAPSHOT_ASKS_MAX: usize = 500;
/// Bytes of one ask in a snapshot or a list. Beyond: its texts are shortened, `truncated` says so, and its own address
/// returns all of it.
pub const LISTED_ASK_BYTES_MAX: usize = 16 * 1024;
/// Bytes of the asks in a snapshot or in one page of a list, give or take one ask. Beyond: the snapshot says that there
/// are more, and a cursor leads to the next page.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of entries that one read of the journal returns, give or take one entry. Beyond: continue reading after the
/// last.
pub const READ_BYTES_MAX: usize = 1024 * 1024;

/// Requests that one token may make in a second, unless more or fewer are configured. Beyond: 429 with Retry-After.
pub const REQUESTS_PER_SECOND: u32 = 10_000;
/// Requests that one connected machine may make in a second. Beyond: 429 with Retry-After.
pub const MACHINE_REQUESTS_PER_SECOND: u32 = 100;
/// Questions and approvals that one connected machine may ask in a minute, its agents together. Beyond: 429 with
/// Retry-After; its terminals show their own dialogs.
pub const MACHINE_ASKS_PER_MINUTE: u32 = 120;
/// Machines that may be connected. Beyond: no further one is, until one is revoked.
pub const MACHINES_MAX: usize = 256;
/// Machines that may wait for the tap that connects them at the same time. Beyond: 429. They are counted apart from
/// other taps, so that strangers on the network cannot block those.
pub const OPEN_CONNECTS_MAX: usize = 2;
/// Machines that may ask to be connected in an hour; after a quiet time, as many in a row. Beyond: 429.
pub const CONNECTS_PER_HOUR: u32 = 6;
/// How long a machine that waits for its tap may be silent. Beyond: the request for the tap is withdrawn.
pub const CONNECT_SILENCE_MAX: Duration = Duration::from_secs(20);
/// How often it is stored when tokens were last used. What was not stored yet is lost by a kill.
pub const TOKEN_USES_EVERY: Duration = Duration::from_secs(60);
/// Failed logins that one address may make in a minute, unless configured otherwise. Beyond: 429 with Retry-After.
pub const FAILURES_PER_MINUTE: u32 = 20;
/// How long a pairing link works. Beyond: a new one is needed.
pub const PAIRING_LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// How long a login cookie of another system's page works. Beyond: the page asks to log in again.
pub const LOGIN_COOKIE_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Login cookies that stand for one token. Beyond: the oldest ones end.
pub const LOGIN_COOKIES_MAX: usize = 32;
/// How long a tap is waited for. Beyond: it counts as denied.
pub const TAP_WAIT: Duration = Duration::from_secs(10 * 60);
/// How long a terminal below a login waits for a tap before it may pair a device without one, because every device may
/// be lost. Until then any device may deny it.
pub const LOST_DEVICES_WAIT: Duration = Duration::from_secs(10 * 60);
/// How long a tap can be used after it was given. Beyond: a new one is needed.
pub const TAP_LIFE: Duration = Duration::from_secs(10 * 60);
/// Taps that may be pending at the same time. Beyond: 429, so that no program floods a person's phone.
pub const OPEN_TAPS_MAX: usize = 8;
/// Taps that may be requested in an hour, after an initial burst. Beyond: 429.
pub const TAPS_PER_HOUR: u32 = 20;
/// Characters of a command line that a tap shows. Beyond: it is cut.
pub const TAP_COMMAND_CHARS_MAX: usize = 300;
/// How long a draft is kept. Beyond: it is deleted.
pub const DRAFT_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long an ask can be snoozed. Beyond: it is cut.
pub const SNOOZE_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long the address of a preview works. Beyond: a new one is made.
pub const PREVIEW_LIFE: Duration = Duration::from_secs(60 * 60);
/// How long the position of another system's client in a session is kept. Beyond: it does not get what it missed.
pub const SEEN_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Longest delay before the position of another system's client is stored. If the process is killed within that: the
/// client gets what was sent since again.
pub const SEEN_WAIT: Duration = Duration::from_secs(1);
/// Interval for removing expired items from the shelf. Until then they are stored, but not found.
pub const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// Bytes of the settings file. Beyond: it is refused.
pub const CONFIG_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a rule file. Beyond: it is refused.
pub const RULES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Rules in one file. Beyond: the file is refused.
pub const RULES_MAX: usize = 20_000;
/// Patterns in one list of a rule. Beyond: the file is refused.
pub const RULE_PATTERNS_MAX: usize = 256;
/// Bytes of one pattern, label or text of a rule. Beyond: the file is refused.
pub const RULE_TEXT_BYTES_MAX: usize = 4 * 1024;
/// Bytes of a command that a rule can allow. Beyond: no rule with a pattern for commands allows it.
pub const RULED_COMMAND_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a call's input that advisers look at. Beyond: fields of more than [`RULED_FIELD_BYTES_MAX`] are left out.
/// Then no rule that looks at every call allows it, and no adviser changes it; a command that is left out counts as one
/// that a rule which denies or asks is about.
pub const RULED_INPUT_BYTES_MAX: usize = 256 * 1024;
/// Bytes of one field of such an input.
pub const RULED_FIELD_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a call's result that advisers look at. Beyond: it is left out.
pub const ADVISED_RESULT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of what an agent said last that advisers look at. Beyond: the rest is left out.
pub const LAST_WORDS_BYTES_MAX: usize = 32 * 1024;
/// How long one adviser may take. Beyond: it has no opinion.
pub const CONSULT_MAX: Duration = Duration::from_secs(5);
/// Interval at which a rule file is looked at, to find that it has changed.
pub const RULES_LOOK_EVERY: Duration = Duration::from_secs(1);
/// Different asks of which it is counted how often people decided them the same way. Beyond: the one that was decided
/// longest ago is forgotten.
pub const DECIDED_BEFORE_MAX: usize = 10_000;
/// How long that is kept after the last decision. Beyond: the count begins anew.
pub const DECIDED_BEFORE_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// After this many same decisions in a row, a person is offered a rule for them. Beyond: it stays offered.
pub const RULE_OFFERED_AFTER: u32 = 4;
/// Decisions that are remembered as rules. Beyond: no further one is.
pub const REMEMBERED_MAX: usize = 1000;
/// How long a rule holds that was made of a decision, if no time was said.
pub const REMEMBERED_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Bytes of the line that says in lists what such a rule is about. Beyond: cut.
pub const REMEMBERED_ABOUT_BYTES_MAX: usize = 200;
/// Bytes of a project's rule file. Beyond: it is refused.
pub const PROJECT_RULES_BYTES_MAX: usize = 128 * 1024;
/// Project files that are kept in memory, and folders for which it is known which file counts. Beyond: the one that was
/// used longest ago is read again when it is needed.
pub const PROJECT_FILES_MAX: usize = 64;
pub const PROJECT_FOLDERS_MAX: usize = 1024;
/// Folders that are looked into, from a session's own upwards, for a project file and the root of its repository.
pub const PROJECT_DEPTH_MAX: usize = 64;
/// How long an ask waits for its project file. Beyond: the last good version counts, or none.
pub const PROJECT_LOOK_MAX: Duration = Duration::from_secs(2);
/// Project files that are looked for at the same time. Beyond: an ask waits for its turn.
pub const PROJECT_LOOKS_MAX: usize = 8;
/// Bytes of all files of gobby's rules in the operator's folder. Beyond: the files after that are refused.
pub const GOBBY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of all files of gobby's rules in a project. Beyond: the files after that are refused.
pub const GOBBY_PROJECT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Projects whose gobby rules are kept in memory. Beyond: those used longest ago are read again when they are needed.
pub const GOBBY_PROJECTS_MAX: usize = 32;
/// Findings about gobby's rules that one response lists. Beyond: the rest is left out, and counted.
pub const GOBBY_FINDINGS_MAX: usize = 500;
/// Bytes of what gobby's rules remember of a session. Beyond: an event still counts, and what it would have changed is dropped.
pub const WORKFLOW_STATE_BYTES_MAX: usize = 256 * 1024;
/// Events of a session that are known again, when an agent is heard again after a restart. Beyond: the oldest would count twice.
pub const WORKFLOW_EVENTS_MAX: usize = 2048;
/// Events for which it is known what came of them. Beyond: of older ones, nothing comes when they are heard again.
pub const WORKFLOW_TOLD_MAX: usize = 16;
/// Bytes of what comes of one event, to be known again. Beyond: nothing comes of it when it is heard again.
pub const WORKFLOW_TOLD_BYTES_MAX: usize = 8 * 1024;
/// Sessions whose state is kept in memory. Beyond: those at rest are read again when they are needed.
pub const WORKFLOW_SESSIONS_MAX: usize = 1024;
/// Sessions that continue one another in which a state is looked for. Beyond: the rules begin anew.
pub const WORKFLOW_LINKS_MAX: usize = 100;
/// How long a state is kept of a session that does not exist: an agent in a terminal that has never asked. Beyond: dropped.
pub const WORKFLOW_STRAY_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long git may take to say which files are changed; less than [`CONSULT_MAX`]. Beyond: none count as changed.
pub const GIT_LOOK_MAX: Duration = Duration::from_secs(2);
/// Bytes of a repository's head. Beyond: nothing counts as changed.
pub const GIT_HEAD_BYTES_MAX: u64 = 4 * 1024;
/// Bytes of a setting of a repository. Beyond: it does not count.
pub const GIT_SETTING_BYTES_MAX: usize = 4 * 1024;
/// Files over which the indexes of a repository are spread. Beyond: nothing counts as changed if git needs the rest.
pub const GIT_SHARED_INDEXES_MAX: usize = 64;
/// How many repositories are looked at at once. Beyond: they wait, within that time.
pub const GIT_LOOKS_MAX: usize = 4;
/// Bytes that git may print about them. Beyond: none count as changed.
pub const GIT_OUTPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of a certificate with its chain, or of a key.
pub const CERTIFICATE_BYTES_MAX: u64 = 1024 * 1024;
/// How long one request to an ACME server may take. Beyond: the order failed, and is made again later.
pub const ACME_CALL_MAX: Duration = Duration::from_secs(30);
/// How long an ACME server may take to look at our proofs, and again to issue. Beyond: the order failed.
pub const ACME_ORDER_MAX: Duration = Duration::from_secs(120);
/// Names and addresses in one certificate, as many as Let's Encrypt allows. Beyond: refused.
pub const CERTIFICATE_NAMES_MAX: usize = 100;
/// Wait after the first failed renewal of a certificate. It doubles with each failure. Let's Encrypt allows five
/// failures an hour.
pub const RENEWAL_WAIT_FIRST: Duration = Duration::from_secs(10 * 60);
/// The same where the other server could not be reached, as when a machine has just started: that counts nowhere.
pub const RENEWAL_WAIT_UNREACHED: Duration = Duration::from_secs(30);
/// Longest wait between two tries to renew a certificate.
pub const RENEWAL_WAIT_MAX: Duration = Duration::from_secs(6 * 60 * 60);
/// Shortest wait between two tries to renew a certificate, however short its own time is.
pub const RENEWAL_WAIT_MIN: Duration = Duration::from_secs(2);
/// How long `expose` waits until its address answers with the new settings. Beyond: it says so, and ends.
pub const EXPOSE_WAIT_MAX: Duration = Duration::from_secs(15 * 60);
/// Spans that are queued for the collector. Beyond: they are dropped, and counted.
pub const SPANS_WAITING_MAX: usize = 4096;
/// Traced asks whose request is remembered. Beyond: an arbitrary one is dropped, and its span has no parent.
pub const TRACED_ASKS_MAX: usize = 16_384;
/// How long a shutdown waits for the collector to accept the last spans. Beyond: they are lost.
pub const SPANS_FLUSH_MAX: Duration = Duration::from_secs(2);
/// How long an outgoing call may take that names no time of its own, from the name lookup to the last byte. Beyond: it
/// failed.
pub const OUTBOUND_WAIT_MAX: Duration = Duration::from_secs(10);
/// Longest time that an outgoing call can name for itself, for a long poll. Beyond: it gets this much.
pub const OUTBOUND_PATIENCE_MAX: Duration = Duration::from_secs(120);
/// Longest silence that a stream or socket to another server can allow. Beyond: it allows this much.
pub const OUTBOUND_IDLE_MAX: Duration = Duration::from_secs(10 * 60);
/// Longest pause that another server can ask for between two calls (`Retry-After`). Beyond: it gets this much.
pub const OUTBOUND_RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Short outgoing calls to one host at the same time. Beyond: they wait, and calls to other hosts do not.
pub const OUTBOUND_AT_ONCE: usize = 8;
/// Short outgoing calls to all hosts at the same time. Beyond: they wait.
pub const OUTBOUND_TOTAL_AT_ONCE: usize = 64;
/// Rings whose outcome waits to be noted. Beyond: further ones wait; each channel has one message on its way.
pub const RING_REPORTS_MAX: usize = 64;
/// Cards that one page says it shows. Beyond: the others ring as if nobody looked at them.
pub const CARDS_SHOWN_MAX: usize = 64;
/// How long a server of ntfy keeps the message that askbridge is down. Beyond: it is delivered.
pub const ALARM_DELAY: Duration = Duration::from_secs(30 * 60);
/// How often that message is put off. ntfy.sh takes 250 messages a day from one address; this makes 144 of one channel.
pub const ALARM_EVERY: Duration = Duration::from_secs(10 * 60);
/// How often it is looked whether the daily digest is due.
pub const DIGEST_LOOK: Duration = Duration::from_secs(60);
/// Pages of 500 decisions that a digest counts. Beyond: it counts the newest.
pub const DIGEST_PAGES_MAX: usize = 20;
/// How long the test of a channel waits for a tap.
pub const CHANNEL_TEST_MAX: Duration = Duration::from_secs(120);
/// Long polls, streams and sockets to other servers at the same time. Beyond: the call fails at once.
pub const OUTBOUND_LONG_AT_ONCE: usize = 128;
/// Bytes of the status line and the headers of a response to an outgoing call. Beyond: it failed.
pub const OUTBOUND_HEAD_BYTES_MAX: usize = 64 * 1024;
/// Bytes of the response to an outgoing call. Beyond: it failed.
pub const OUTBOUND_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of one line of a streamed response, without its end. Beyond: the stream failed.
pub const OUTBOUND_LINE_BYTES_MAX: usize = 64 * 1024;
/// Bytes of one message on a socket to another server. Beyond: the socket failed.
pub const OUTBOUND_MESSAGE_BYTES_MAX: usize = 512 * 1024;
/// Bytes at the end of an agent's own transcript that are searched for its last text. Beyond: it is not found.
pub const HOOK_RECORD_BYTES_MAX: u64 = 256 * 1024;
/// How long the transcript and the git branch of an agent whose hook called are read. Beyond: its ask is made without
/// them.
pub const HOOK_LOOK_MAX: Duration = Duration::from_secs(3);
/// Threads that read those at the same time. Beyond: the next one waits, at most [`HOOK_LOOK_MAX`].
pub const HOOK_LOOKS_MAX: usize = 32;
/// Calls of agents in terminals whose ids are remembered until a permission request for them arrives. Beyond: the
/// oldest is forgotten, and its end is recognised by its tool and input.
pub const HOOK_NOTES_MAX: usize = 256;
/// Hooks on other machines that said why they ended, and whose asks were not told yet. Beyond: all are forgotten, and
/// their asks wait for a return that does not come.
pub const HOOK_FAREWELLS_MAX: usize = 1024;
/// Longest time that a hook can be configured to wait for the server to accept its event. Beyond: the setting is
/// refused.
pub const HOOK_ACCEPT_MAX: Duration = Duration::from_secs(60);
/// How many ancestors of a process are searched for an agent. Beyond: the caller is refused.
pub const ANCESTRY_MAX: usize = 128;
/// How long a shutdown waits for requests in flight. Beyond: connections are cut.
pub const SHUTDOWN_MAX: Duration = Duration::from_secs(10);
/// How long a starting server waits for one that is stopping. Beyond: it says that the store is in use. Longer than
/// [`SHUTDOWN_MAX`], because the write-ahead log is checkpointed after that.
pub const HANDOVER_MAX: Duration = Duration::from_secs(30);

/// Bytes of one line that an agent writes. Beyond: the line is skipped, and a notice says so.
pub const AGENT_LINE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Requested capacity of an agent's pipe. Beyond: a line is written in pieces, and a restart in between ends the agent.
pub const AGENT_PIPE_BYTES: usize = 1024 * 1024;
/// Bytes of an agent's output that the next server may have to read again although they are stored. Beyond: how far they
/// are stored is recorded at the end of the turn.
pub const SPOOL_AGAIN_BYTES: u64 = 128 * 1024;
/// Bytes of an agent's stored output that stay on disk while it is busy. Beyond: they are freed at the end of the turn.
pub const SPOOL_UNFREED_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes of what advisers tell the model beside one event. Beyond: it is cut. A hook's output has to hold the ruling too.
pub const ADVISED_CONTEXT_BYTES_MAX: usize = 64 * 1024;
/// Pieces of content that one burst of an agent's lines stores as one entry. Beyond: the next entry.
pub const BURST_PIECES_MAX: usize = 32;
/// Pieces of content that are queued to be stored for one agent. Beyond: its output is not read until one is stored.
pub const AGENT_RECORDS_MAX: usize = 256;
/// Agents' processes at the same time, unless configured otherwise. Beyond: a session waits for a free slot.
pub const AGENTS_MAX: usize = 16;
/// How long an idle process is kept, unless configured otherwise. Beyond: it is ended, and started again by the next
/// message.
pub const AGENT_IDLE: Duration = Duration::from_secs(30 * 60);
/// How often in a row an agent's process may end before it has received anything. Beyond: only the next message starts
/// it again.
pub const AGENT_STARTS_MAX: u32 = 3;

/// How often a node that shares its journal renews what it says about itself, and its leases.
pub const NODE_RENEWS_EVERY: Duration = Duration::from_secs(2);
/// How long a node may not renew. Beyond: the others take it for down, and it acts as if they did.
pub const NODE_LOST_AFTER: Duration = Duration::from_secs(10);
/// How long a lease is held after a renewal was begun. Beyond: its holder stops. Shorter than [`LEASE_LOST_AFTER`], so that
/// it stops before another begins.
pub const LEASE_HELD: Duration = Duration::from_secs(8);
/// How long another node's lease must not change. Beyond: it may be taken.
pub const LEASE_LOST_AFTER: Duration = Duration::from_secs(10);
/// How much later each further node settles what is due. The nodes before it have done so by then, if they live.
pub const RANK_DELAY: Duration = Duration::from_millis(500);
/// How many nodes settle what is due each at its own time. Beyond: the rest do so with the last of them.
pub const RANKS_MAX: u32 = 20;
/// How far a node's clock may be off. Beyond: it says so, and leaves it to other nodes to decide what is due.
pub const CLOCK_OFF_MAX: Duration = Duration::from_secs(2);
/// How many nodes may share a journal. Beyond: a further one does not start.
pub const NODES_MAX: usize = 256;
/// How long a request waits until this node's index shows what the client has already seen or written. Beyond: 503, and
/// the client tries again.
pub const INDEX_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long an index may lack an entry that is known to be stored. Beyond: the node is not ready.
pub const INDEX_BEHIND_AFTER: Duration = Duration::from_secs(5);
/// How long a part of the journal may be out of reach. Beyond: the node is not ready. Longer than most elections of a
/// leader, after which every node would otherwise call itself not ready.
pub const UNREACHABLE_AFTER: Duration = Duration::from_secs(12);
/// How often a node asks for the state of each stream of a shared journal.
pub const STREAM_LOOK: Duration = Duration::from_secs(5);
/// Bytes of a response of a NATS server's monitoring address. Beyond: the response is unusable.
pub const MONITOR_BYTES_MAX: usize = 1024 * 1024;
/// Changes of the shelf that are queued for one watcher on this machine. Beyond: it reads the shelf again.
pub const SHELF_CHANGES_MAX: usize = 1024;
/// Removals from the shelf that are remembered for watchers that begin in the past. Beyond: the oldest are forgotten.
pub const SHELF_REMOVALS_MAX: usize = 4096;
