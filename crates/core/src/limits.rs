//! Every limit of the house, in one place, each with what happens beyond it.

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
/// Bytes of what a person writes into one answer, note or message. Beyond: the answer is refused.
pub const ANSWER_TEXT_BYTES_MAX: usize = 64 * 1024;

/// Problems that a refusal of a changed input lists. Beyond: the rest is not told; they are found when these are mended.
pub const EDIT_PROBLEMS_MAX: usize = 16;
/// Parts of one joined string of labels. Beyond: it is free text.
pub const JOINED_PARTS_MAX: usize = 1000;
/// How deep JSON may be wrapped in JSON strings. Beyond: it stays a string.
pub const NESTED_JSON_MAX: usize = 3;

/// Open asks in one session. Beyond: asking is refused until one is settled. Fewer than [`ENTRY_EVENTS_MAX`], because
/// whatever ends a turn or a session closes all of them in one entry, with up to two events of its own.
pub const OPEN_ASKS_MAX: usize = 60;
/// Bytes of the open asks of one token, give or take one ask, over all its sessions. Beyond: asking is refused with 429 until
/// one is settled.
pub const OPEN_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Asks of one session that wait for a late answer or a correction. Beyond: the oldest is closed for good.
pub const LATE_ASKS_MAX: usize = 256;
/// Messages that wait in one session. Beyond: saying more is refused.
pub const QUEUED_MESSAGES_MAX: usize = 256;
/// Decisions in one session. Beyond: it is continued in a new one as soon as nothing in it is unfinished.
pub const DECISIONS_MAX: u64 = 10_000;
/// Decisions in one session while something stays unfinished. Beyond: asking and saying are refused, settling is not. An agent may
/// ask all night in one turn, and is not to be stopped for it.
pub const DECISIONS_HARD_MAX: u64 = 100_000;

/// Longest wait that an ask may name. Beyond: refused; leave the deadline out to wait for ever.
pub const WAIT_MAX: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// Longest undo time. Beyond: refused.
pub const UNDO_MAX: Duration = Duration::from_secs(60);
/// People whose agreement an ask may need. Beyond: refused.
pub const QUORUM_MAX: u8 = 16;

/// Bytes of one piece of what an agent says, is told by a tool, or gives to one. Beyond: text goes on in the next piece;
/// the output of a tool is cut and says so; its input is left out and says so.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a call's input or result that is stored together with the ask or the delivery it belongs to. Beyond: it is stored
/// on its own.
pub const ALONG_BYTES_MAX: usize = 16 * 1024;

/// Bytes of what a call ran with that the model reads beside its result, where a person changed it. Beyond: it is cut and says so.
pub const RAN_WORDS_BYTES_MAX: usize = 4 * 1024;

/// Events in one journal entry. Beyond: the append is refused as too large.
pub const ENTRY_EVENTS_MAX: usize = 64;
/// Bytes of one journal entry. Beyond: the append is refused as too large.
pub const ENTRY_BYTES_MAX: usize = 512 * 1024;
/// Bytes of one thing on the shelf. Beyond: refused.
pub const SHELF_BYTES_MAX: usize = 512 * 1024;
/// Appends that wait for the journal's writer. Beyond: callers wait their turn.
pub const APPEND_QUEUE_MAX: usize = 4096;
/// Appends in one transaction. Beyond: the rest goes into the next.
pub const APPEND_BATCH_MAX: usize = 1024;
/// Entries that the journal keeps in memory for its followers. Beyond: they are read from disk.
pub const RECENT_ENTRIES_MAX: usize = 256;
/// Bytes of those entries. Beyond: the oldest leave memory.
pub const RECENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Sessions that are forgotten in one transaction. Beyond: the rest goes into the next.
pub const FORGET_SESSIONS_MAX: usize = 256;
/// How long a verdict or a message that was not heard keeps a closed session from being forgotten. Beyond: it may go.
pub const UNHEARD_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long a session has to have been quiet before it goes because the journal is too large. Before: it stays.
pub const QUIET_MIN: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest retention that can be set. Beyond: the setting is refused; `keep` is for ever.
pub const RETENTION_MAX: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
/// How often is looked for sessions that may go, if there is a retention.
pub const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);
/// Pages of 4 KiB that are given back to the disk in one step. Beyond: the rest waits for the next, and appends in between do
/// not wait.
pub const SHRINK_PAGES: u32 = 256;
/// Entries of those sessions, unless a single one has more. Beyond: the rest goes into the next transaction, and appends in
/// between do not wait.
pub const FORGET_ENTRIES_MAX: usize = 2000;
/// Entries that one read returns. Beyond: read on from the last.
pub const READ_BATCH_MAX: usize = 512;

/// Sessions whose state is kept in memory. Beyond: the least recently used is folded anew when needed.
pub const CACHED_SESSIONS_MAX: usize = 16_384;
/// Bytes that those sessions take, about. Beyond: the same; one that is in use stays, however large it is.
pub const CACHED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long an idle session stays in memory, at least; at most twice as long. Beyond: it is folded anew when needed.
pub const IDLE_SESSION_MAX: Duration = Duration::from_secs(10 * 60);
/// How long `Handed` and `Delivered` may wait for a decision to ride along with. Beyond: they are written on their own.
pub const RIDE_ALONG_WAIT: Duration = Duration::from_millis(100);
/// Entries that wait for one follower. Beyond: it reads on from the journal, as fast as its client takes it.
pub const FOLLOWER_QUEUE_MAX: usize = 4096;
/// Bytes that wait for one follower. Beyond: it reads on from the journal, as fast as its client takes it.
pub const FOLLOWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Intents that one connection may have in flight. Beyond: the connection is not read until one returns.
pub const IN_FLIGHT_MAX: usize = 256;

/// Bytes of one WebSocket frame from a client. Beyond: the connection is closed with 1009.
pub const FRAME_BYTES_MAX: usize = 512 * 1024;
/// Bytes of one HTTP body. Beyond: 413.
pub const BODY_BYTES_MAX: usize = 512 * 1024;
/// Bytes of a request's head: its address and its headers. Beyond: 413, or, where the rest is not even read, a bare 431 or
/// 414 and the connection is closed.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Connections at the same time. Beyond: new ones are refused with 503 and Retry-After.
pub const CONNECTIONS_MAX: usize = 20_000;
/// How long a request's head may take. Beyond: the connection is closed.
pub const HEADER_READ_MAX: Duration = Duration::from_secs(10);
/// How long a request's body may take. Beyond: 408, and the connection is closed.
pub const BODY_READ_MAX: Duration = Duration::from_secs(20);
/// How long a WebSocket may take to say hello. Beyond: it is closed with 4401.
pub const HELLO_MAX: Duration = Duration::from_secs(10);
/// How often a quiet WebSocket or event stream hears from us.
pub const HEARTBEAT: Duration = Duration::from_secs(25);
/// How long a WebSocket may stay silent although we ping it. Beyond: it is closed.
pub const SILENCE_MAX: Duration = Duration::from_secs(90);
/// Longest that one request may wait for an answer. Beyond: the wait is cut to this and the state as it is comes back.
pub const WAIT_PER_REQUEST_MAX: Duration = Duration::from_secs(3600);
/// Sessions whose program on this machine is watched, so that they end with it. Beyond: such a session stays open until a
/// person closes it, or until the next call of its program finds room.
pub const WATCHED_PROGRAMS_MAX: usize = 10_000;
/// How often a program that waits through an MCP call hears that we are still there.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(15);
/// How long after an agent heard an answer the same question from it gets the same answer: it may not have heard after
/// all. Beyond: it is a new question.
pub const REPEAT_MAX: Duration = Duration::from_secs(60);
/// Rows in one page of a list. Beyond: a cursor leads to the next.
pub const PAGE_MAX: usize = 500;
/// Rows in one page when the caller names no number.
pub const PAGE_DEFAULT: usize = 100;
/// Open asks in a snapshot. Beyond: the snapshot says that there are more, and the inbox pages lead to them.
pub const SNAPSHOT_ASKS_MAX: usize = 500;
/// Bytes of one ask in a snapshot or a list. Beyond: its texts are shortened, `truncated` says so, and it is whole at its own
/// address.
pub const LISTED_ASK_BYTES_MAX: usize = 16 * 1024;
/// Bytes of the asks in a snapshot or in one page of a list, give or take one ask. Beyond: the snapshot says that there are
/// more, and a cursor leads from page to page.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of entries that one read of the journal returns, give or take one entry. Beyond: read on from the last.
pub const READ_BYTES_MAX: usize = 1024 * 1024;

/// Requests that one token may make in a second, unless more or fewer are configured. Beyond: 429 with Retry-After.
pub const REQUESTS_PER_SECOND: u32 = 10_000;
/// Failed logins that one address may make in a minute, unless more or fewer are configured. Beyond: 429 with Retry-After.
pub const FAILURES_PER_MINUTE: u32 = 20;
/// How long a pairing link works. Beyond: it has to be made again.
pub const PAIRING_LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// How long a login cookie of another system's page works. Beyond: the page asks to log in again.
pub const LOGIN_COOKIE_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Login cookies that stand for one token. Beyond: the oldest ones end.
pub const LOGIN_COOKIES_MAX: usize = 32;
/// How long a tap is waited for. Beyond: it is denied.
pub const TAP_WAIT: Duration = Duration::from_secs(10 * 60);
/// How long a terminal below a login waits for a tap before it may pair a device without one, because every device may be
/// lost. Meanwhile any device may deny it.
pub const LOST_DEVICES_WAIT: Duration = Duration::from_secs(10 * 60);
/// How long a tap that was given can be used for what it was given for. Beyond: it has to be given again.
pub const TAP_LIFE: Duration = Duration::from_secs(10 * 60);
/// Taps that are waited for at once. Beyond: 429, so that no program floods a person's phone.
pub const OPEN_TAPS_MAX: usize = 8;
/// Taps that may be asked for in an hour, after a first few at once. Beyond: 429.
pub const TAPS_PER_HOUR: u32 = 20;
/// Characters of a command line that a tap shows. Beyond: it is cut.
pub const TAP_COMMAND_CHARS_MAX: usize = 300;
/// How long a draft is kept. Beyond: it is gone.
pub const DRAFT_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long an ask can be snoozed. Beyond: it is cut.
pub const SNOOZE_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long the address of a preview works. Beyond: another is made.
pub const PREVIEW_LIFE: Duration = Duration::from_secs(60 * 60);
/// How long it is remembered how far a client of another system has come in a session. Beyond: it sees nothing of what
/// it missed.
pub const SEEN_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How long it may take until it is kept how far a client of another system has come. A kill within that: it sees again
/// what was told since.
pub const SEEN_WAIT: Duration = Duration::from_secs(1);
/// How often what has expired is removed from the shelf. Until then it is there, and not found.
pub const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// Bytes of the file with the settings. Beyond: it is refused.
pub const CONFIG_BYTES_MAX: usize = 1024 * 1024;
/// Spans that wait for the collector. Beyond: they are lost, and counted.
pub const SPANS_WAITING_MAX: usize = 4096;
/// Asks of which is remembered which request made them, while they are traced. Beyond: one of them is forgotten, and its
/// span stands alone.
pub const TRACED_ASKS_MAX: usize = 16_384;
/// How long a shutdown waits for the collector to take the last spans. Beyond: they are lost.
pub const SPANS_FLUSH_MAX: Duration = Duration::from_secs(2);
/// How long a call to somebody outside may take, from looking up the name to the last byte. Beyond: it failed.
pub const OUTBOUND_WAIT_MAX: Duration = Duration::from_secs(10);
/// Calls to somebody outside at the same time. Beyond: they wait their turn.
pub const OUTBOUND_AT_ONCE: usize = 8;
/// Bytes of what somebody outside says to a call. Beyond: it failed.
pub const OUTBOUND_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Bytes at the end of an agent's own record that are looked at for what it said last. Beyond: that is not found.
pub const HOOK_RECORD_BYTES_MAX: u64 = 256 * 1024;
/// How long is looked for what lies around an agent whose hook called: its record, its branch. Beyond: its ask goes without.
pub const HOOK_LOOK_MAX: Duration = Duration::from_secs(3);
/// Threads that read what lies around agents, all at once. Beyond: the next one waits, as long as it may look.
pub const HOOK_LOOKS_MAX: usize = 32;
/// Calls of agents in terminals of which is remembered what they are called, until somebody is asked about them. Beyond:
/// the oldest is forgotten, and its end is recognised by what it did.
pub const HOOK_NOTES_MAX: usize = 256;
/// Longest that a hook may be told to wait for the server to take what it brings. Beyond: the setting is refused.
pub const HOOK_ACCEPT_MAX: Duration = Duration::from_secs(60);
/// How far up the tree of processes we look for an agent. Beyond: the caller is refused.
pub const ANCESTRY_MAX: usize = 128;
/// How long a shutdown waits for what is in hand. Beyond: connections are cut.
pub const SHUTDOWN_MAX: Duration = Duration::from_secs(10);
/// How long a starting server waits for one that is stopping. Beyond: it says that the store is in use. Longer than
/// [`SHUTDOWN_MAX`], because the log is folded into the journal after that.
pub const HANDOVER_MAX: Duration = Duration::from_secs(30);

/// Bytes of one line that an agent writes. Beyond: the line is passed over, and a notice says so.
pub const AGENT_LINE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes that we ask an agent's pipe to hold. Beyond: a line goes in pieces, and a restart in between ends the agent.
pub const AGENT_PIPE_BYTES: usize = 1024 * 1024;
/// Pieces of content that wait to be stored for one agent. Beyond: it is not heard until one is.
pub const AGENT_RECORDS_MAX: usize = 256;
/// Agents' processes at the same time, unless configured otherwise. Beyond: a session waits for a free place.
pub const AGENTS_MAX: usize = 16;
/// How long a process that has nothing to do is kept, unless configured otherwise. Beyond: it is let go, and started again
/// by the next message.
pub const AGENT_IDLE: Duration = Duration::from_secs(30 * 60);
/// How often in a row an agent's process may end before it has heard anything. Beyond: it is started again by the next
/// message only.
pub const AGENT_STARTS_MAX: u32 = 3;
