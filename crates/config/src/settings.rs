//! Every setting, with its type, its syntax and its default. The file, the environment, the flags, `askbridge config
//! show` and `docs/reference/config.md` are all derived from this structure.
//!
//! A new setting is a new line. Its name is the one in the file; the variable and the flag are derived from it, unless
//! the line names others. The sentence above it is shown to people.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use askbridge_core::limits;
use askbridge_core::rules::asks::Hours;
use askbridge_core::terms::{OnDismissal, OnExpiry, WhileOpen};
use askbridge_peers::doors::mcp::Patience;
use ipnet::IpNet;

use super::collector::{Collector, collector};
use super::kind::{
    AcmeChallenge, Kind, LogFormat, SpokenAt, address, address_or_none, amount, count, dialects, endpoint, file,
    folder, folders, hosts, hours, journal, level, one_of, origins, ranges, secret, server, span, span_or_zero,
    spans_of, text, tools, url, waits, word_or_none, yes_or_no,
};
use super::table::Default::{Computed, Nothing, Text};
use super::table::{Flag, Key, Machine, Names, Setting, USUAL, Whose, settings};

settings! {
    /// What stands in the file before its first section.
    top: Top {
        /// Address to serve on, and to reach with a token
        listen: SocketAddr = address(), Text("127.0.0.1:4760"), whose: Whose::Everyone;
        /// Folder of the journal, the token file and the local socket
        data: Option<PathBuf> = folder(),
            Computed("$XDG_DATA_HOME/askbridge, or ~/.local/share/askbridge", |machine| machine.data.as_ref()),
            whose: Whose::Everyone;
        /// Where asks and conversations are kept: sqlite, in the data folder of this machine; or the addresses of NATS
        /// servers, which every askbridge that names them shares
        journal: String = journal(), Text("sqlite");
        /// How long a conversation is kept after something last happened in it, like `90d`; then it is forgotten whole,
        /// unless something in it is unfinished; keep: for ever
        retention: Option<Duration> = span("keep", limits::RETENTION_MAX), Text("keep");
        /// How much the journal and its index may hold, like `2GB`; beyond it, the oldest conversations are forgotten
        /// whole, never one of the last day or with something unfinished; keep: as much as there is
        retention_size: Option<u64> = amount("keep"), Text("keep");
        /// Name that people see beside answers from a terminal of this machine
        user: String = text(), Computed("$USER, or me", |machine| machine.user.as_ref());
        /// A token to speak with, over TCP; several commands also take `--token`
        token: Option<String> = secret(), Nothing("none: commands use the local socket"),
            flag: Flag::Without, whose: Whose::Caller;
        /// Server that `ask`, `wait`, `inbox`, `answer`, `mcp` and `hook` speak to, with a token, instead of the one on
        /// this machine, or the one that this machine is connected to; here: the one on this machine, connected or not
        url: Option<String> = server(), Text(""), whose: Whose::Commands;
        /// A PEM file with certificate authorities that commands trust beside those of the machine, for a `url` with
        /// https
        authorities: Option<PathBuf> = file(), Text(""), whose: Whose::Commands;
        /// Where people reach the server from outside, for links; its name need not be in `allowed_hosts`. With it, no
        /// address counts as this machine
        public_url: Option<String> = url(), Text("");
        /// Does a proxy or a tunnel of this machine pass requests on to the server? Then no address counts as this
        /// machine, even where no name is configured; `askbridge expose` writes it
        behind_proxy: bool = yes_or_no(), Text("false");
        /// Names under which a proxy passes requests on to the server, like `ask.example.org`. With one, no address
        /// counts as this machine
        allowed_hosts: Vec<String> = hosts(), Text("");
        /// Other sites whose pages may talk to the server, like `https://desk.example.org`
        allowed_origins: Vec<String> = origins(), Text("");
        /// The Claude Code program; without it, `claude` on PATH
        claude: Option<PathBuf> = file(), Text("");
        /// File with rules about asks; without it, `rules.toml` beside the settings or in the data folder. Read again when
        /// it changes
        rules: Option<PathBuf> = file(), Text("");
        /// Folder with rule files of gobby's, of both generations, by which sessions are driven. Read again when something in it
        /// changes
        gobby_rules: Option<PathBuf> = folder(), Text("");
        /// Are gobby's rules of the project that an agent works in used, below its `.gobby`? They only tighten
        gobby_projects: bool = yes_or_no(), Text("true");
        /// Folders in which agents may work, with colons between; without it, the home folder and the one in which the
        /// server was started
        roots: Vec<PathBuf> = folders(), Text("");
    }

    /// This server among those that share a journal on NATS.
    node: Node {
        /// The name by which people know it; without it, the name of the machine
        name: Option<String> = word_or_none(), Text("");
        /// What it offers to agents, like `gpu`, so that a new session can ask for it
        labels: Vec<String> = hosts(), Text("");
        /// The address at which people and other nodes reach it, like `https://desk.example.org`
        address: Option<String> = url(), Text("");
    }

    /// The servers of a journal on NATS.
    nats: Nats {
        /// How many servers keep a copy of each entry: 3 of three or more; 1 risks what that server has. Counts when the
        /// journal is made
        replicas: u32 = count(5), Text("3");
        /// A file with a user's credentials, as `nsc` makes it (`.creds`)
        credentials: Option<PathBuf> = file(), Text("");
        /// A file with the seed of an nkey
        nkey: Option<PathBuf> = file(), Text("");
        /// The user, with `nats.password_file`
        user: Option<String> = word_or_none(), Text("");
        /// A file with the user's password; without a user, with a token
        password_file: Option<PathBuf> = file(), Text("");
        /// A PEM file with the authorities of the servers' certificates; with it, a connection is always encrypted
        authorities: Option<PathBuf> = file(), Text("");
        /// A PEM file with a certificate of our own, for servers that ask for one
        certificate: Option<PathBuf> = file(), Text("");
        /// A PEM file with the key of that certificate
        certificate_key: Option<PathBuf> = file(), Text("");
        /// Addresses of the servers' monitoring pages, like `a:8222`; only they say whether each entry is on disk before it
        /// is acknowledged
        monitors: Vec<String> = hosts(), Text("");
    }

    /// HTTPS without a proxy.
    tls: Tls {
        /// A PEM file with the server's certificate and those that lead to its authority; with it, `listen` speaks
        /// https, and the file is read again when it changes
        cert: Option<PathBuf> = file(), Text("");
        /// A PEM file with the private key of the certificate
        key: Option<PathBuf> = file(), Text("");
        /// A further address for other machines, like `0.0.0.0:443`, that speaks https and nothing else; `listen` stays
        /// as it is for this machine
        listen: Option<SocketAddr> = address_or_none(), Text("");
        /// An address on which plain http is redirected to https, and an ACME server finds its HTTP-01 proofs, like
        /// `0.0.0.0:80`
        redirect: Option<SocketAddr> = address_or_none(), Text("");
        /// Folder of an authority of our own, which `askbridge expose lan` makes; the certificate is renewed from it
        authority: Option<PathBuf> = folder(), Text("");
        /// Name of this machine in its tailnet, like `desk.tail1234.ts.net`; the certificate is renewed with `tailscale
        /// cert`
        tailscale: Option<String> = word_or_none(), Text("");
    }

    /// Certificates from an ACME server.
    acme: Acme {
        /// What the certificate is for: names, or addresses; with it, the server renews `tls.cert` itself
        names: Vec<String> = hosts(), Text("");
        /// The address of the ACME server
        directory: Option<String> = endpoint(), Text("https://acme-v02.api.letsencrypt.org/directory");
        /// A kind of certificate that the ACME server offers, like `shortlived`, which Let's Encrypt wants for addresses
        profile: Option<String> = word_or_none(), Text("");
        /// How the ACME server is shown that a name leads here: `tls-alpn-01` in a handshake on port 443, `http-01` over
        /// plain http on port 80 (`tls.redirect`)
        challenge: AcmeChallenge = one_of::<AcmeChallenge>(), Text("tls-alpn-01");
        /// A PEM file with the authority of the ACME server's own address, for servers in a private network
        authorities: Option<PathBuf> = file(), Text("");
    }

    /// How much one caller may do.
    limits: Limits {
        /// How many requests one token may make in a second; after a quiet time, twice as many at once
        requests: u32 = count(1_000_000), Text("10000");
        /// How many wrong tokens and pairing links one address may try in a minute; behind a proxy, all clients share
        /// one address
        failures: u32 = count(1_000_000), Text("20");
    }

    /// The agents that the server runs.
    agents: Agents {
        /// How long an agent's process is kept for an open question before it is parked; 0 parks at once, off never
        warm: Option<Duration> = span("off", limits::WAIT_MAX), Text("10m"), env: Some("ASKBRIDGE_WARM");
        /// How long an agent's process is kept for an open permission before that is denied with an explanation; off:
        /// without limit
        hold_max: Option<Duration> = span("off", limits::WAIT_MAX), Text("off"), env: Some("ASKBRIDGE_HOLD_MAX");
        /// How long an agent waits at a call that its own auto mode denied, for a person to overrule that; after that the
        /// denial stands, and the card can be answered late; 0: it does not wait
        denied_wait: Duration = span_or_zero(limits::WAIT_MAX), Text("1m");
        /// Tools that always go to a person, whatever an agent's mode allows, like `Bash` or `mcp__github__*`; sessions
        /// may name more
        always_ask: Vec<String> = tools(), Text(""), env: Some("ASKBRIDGE_ALWAYS_ASK");
        /// How much memory one agent may take, with everything it started; beyond it, it is stopped between turns, and
        /// at once if it takes twice as much
        memory: Option<u64> = amount("off"), Text("off");
        /// How long an agent with nothing to do is kept before its process sleeps
        idle: Duration = span_or_zero(limits::WAIT_MAX), Text("30m"), env: Some("ASKBRIDGE_IDLE");
        /// How many agents run at the same time; further ones wait until one ends
        max: u32 = count(255), Text("16");
        /// Variables that agents find in their environment beside the usual, with commas between
        env: String = text(), Text(""), env: Some("ASKBRIDGE_AGENT_ENV");
    }

    /// Agents in people's own terminals.
    hooks: Hooks {
        /// How long the hook of an agent in a terminal waits for the server to accept its request; after that it prints
        /// nothing and the terminal continues alone; 0: hooks are off
        accept: Duration = span_or_zero(limits::HOOK_ACCEPT_MAX), Text("300ms"),
            flag: Flag::Without, whose: Whose::Everyone;
        /// How long a run of your own without a terminal (`claude -p` with a prompt tool) is kept for an open question
        /// before it is parked, to be taken up with `askbridge resume`; off: never
        park: Option<Duration> = span("off", limits::WAIT_MAX), Text("off");
        /// How long a run of your own waits for a person that has neither a terminal nor a prompt tool (plain `claude
        /// -p`); after that, the call is denied with an explanation; never: as long as `terms.timeout` says
        headless: Option<Duration> = span("never", limits::WAIT_MAX), Text("1m");
        /// How long an agent waits at a call that its own auto mode denied, for a person to overrule that, if no person is at
        /// its terminal; after that the denial stands, and the card can be answered late; 0: it does not wait
        denied_wait: Duration = span_or_zero(limits::WAIT_MAX), Text("1m");
        /// How long all terminals of this machine have to be idle before you count as away, with `askbridge away auto`
        away_after: Duration = span_or_zero(limits::WAIT_MAX), Text("5m");
        /// How long the question of an agent on a connected machine stays as it is after its connection was lost; after
        /// that, the card says that the way back is gone
        back: Duration = span_or_zero(limits::WAIT_MAX), Text("2m");
    }

    /// Ringing people who are away.
    notify: Notify {
        /// How long an ask waits before it rings the channels of those who may decide it; 0: it rings at once
        grace: Duration = span_or_zero(limits::WAIT_MAX), Text("15s");
        /// How long after a ring the next ones follow while the ask is open, with commas between; empty: it rings once
        remind: Vec<Duration> = spans_of(limits::WAIT_MAX), Text("10m,1h");
        /// Times of day at which only urgent asks ring, like `22:00-07:00`; a channel may have its own
        quiet: Option<Hours> = hours(), Text("");
        /// When channels that tell the daily digest tell it; nothing: never
        digest: Option<Hours> = hours(), Text("18:00-19:00");
    }

    /// The languages of other systems.
    dialects: Dialects {
        /// Speak the language of another system, on its own addresses; with `=ADDRESS` on a port of its own, like
        /// `prime=127.0.0.1:8000`
        speak: Vec<SpokenAt> = dialects(), Text(""),
            env: Some("ASKBRIDGE_DIALECTS"), flag: Flag::Called("dialect");
        /// Where agents work that clients of other systems start, if those do not say it
        folder: Option<PathBuf> = folder(),
            Computed("the folder in which the server was started", |machine| machine.folder.as_ref());
        /// Let clients of other systems in without a token if they come from this machine; every program on it, agents
        /// too, may then decide as you
        insecure_loopback: bool = yes_or_no(), Text("false"), flag: Flag::Called("insecure-loopback");
        /// Answer whimmy's plugin with `{}` when a question was dismissed, as its guide suggests, instead of with words;
        /// its agents take that for an answer
        empty_dismissals: bool = yes_or_no(), Text("false");
        /// Tell whimmy's plugin that its agents ask a person before each use of a tool
        whimmy_approvals: bool = yes_or_no(), Text("false");
    }

    /// Calls that the server makes.
    outbound: Outbound {
        /// Private addresses that the server may call, for pushes to a relay of your own, like `10.0.0.7` or
        /// `10.0.0.0/8`; public addresses are called only with https, listed or not
        private: Vec<IpNet> = ranges(), Text("");
        /// A PEM file with certificate authorities that the server trusts beside those of the machine, when it calls
        /// other servers
        authorities: Option<PathBuf> = file(), Text("");
    }

    /// The MCP door.
    mcp: Mcp {
        /// How long a call of an MCP client is held before it gets a ticket; with a name for clients that are called so,
        /// like `codex=4m`. Without it, as long as each client is known to wait
        wait: Patience = waits(), Text("");
    }

    /// The log of the server.
    log: Log {
        /// How much the server logs, on stderr: error, warn, info, debug
        level: String = level(), Text("info"), env: Some("ASKBRIDGE_LOG");
        /// text: lines for people to read; json: one JSON object on each line, for programs
        format: LogFormat = one_of::<LogFormat>(), Text("text");
    }

    /// Traces.
    otel: Otel {
        /// OpenTelemetry collector that gets traces, as OTLP over plain http; none: nothing is traced
        endpoint: Option<Collector> = collector(),
            Computed("$OTEL_EXPORTER_OTLP_ENDPOINT where that speaks http, or none", |machine| machine.collector.as_ref());
    }

    /// Terms of asks, where neither the ask nor its session says otherwise.
    terms: Terms {
        /// How long an ask waits for a person
        timeout: Option<Duration> = span("never", limits::WAIT_MAX), Text("never");
        /// When nobody answered in time: tell the agent, or tell it and stop its turn
        on_expiry: OnExpiry = one_of::<OnExpiry>(), Text("tell");
        /// When a person closed the ask: tell the agent, or tell it and stop its turn
        on_dismissal: OnDismissal = one_of::<OnDismissal>(), Text("tell");
        /// How long an answer can be taken back before it counts
        undo: Option<Duration> = span("none", limits::UNDO_MAX), Text("none");
        /// How many people have to say the same
        quorum: u32 = count(limits::QUORUM_MAX as u32), Text("1");
        /// What a chat message does while an ask is open
        messages: WhileOpen = one_of::<WhileOpen>(), Text("hold");
        /// Whether a session may have several asks open at once
        parallel: bool = yes_or_no(), Text("true");
    }
}

pub(super) fn all_keys() -> Vec<Key> {
    keys()
}
