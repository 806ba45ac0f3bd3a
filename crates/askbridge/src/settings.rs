//! Settings, read once: from flags, the environment and a file, in this order. The only room that looks at the
//! environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use askbridge_bridge::hooks::HookOptions;
use askbridge_bridge::hosts::environment;
use askbridge_bridge::keeping::Retention;
use askbridge_bridge::outbound::{Authorities, OutboundOptions};
use askbridge_bridge::server::mcp::Patience;
use askbridge_bridge::traces::Collector;
use askbridge_config::{Config, Flags, Given, Source, bytes, dialect_at, items, misspelt, patience, spans};
use askbridge_core::terms::{Rules, Warm};

use crate::client::dialable;
use crate::failure::Failure;
use crate::reach::Reach;

/// What a command line says about settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandLine {
    /// The file that `--config` names.
    pub(crate) file: Option<PathBuf>,
    pub(crate) flags: Flags,
}

/// Everything that was set, ready to use.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    /// Whether somebody chose the address for this very command. If not, a running server knows better.
    listen_was_chosen: bool,
    /// Everything we write lives here.
    pub(crate) data: PathBuf,
    /// Where people reach the server from outside, if that is not its own address.
    pub(crate) public_url: Option<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) allowed_hosts: Vec<String>,
    /// Requests that one token may make in a second.
    pub(crate) requests_per_second: u32,
    /// Wrong tokens and links that one address may try in a minute.
    pub(crate) failures_per_minute: u32,
    pub(crate) log_level: String,
    pub(crate) log_is_json: bool,
    /// Who hears what happens, if anybody does.
    pub(crate) collector: Option<Collector>,
    pub(crate) rules: Rules,
    /// The server that commands speak to instead of the one on this machine.
    pub(crate) url: Option<String>,
    /// A PEM file with authorities that commands believe as well.
    pub(crate) authorities: Option<PathBuf>,
    /// A person's or an agent's token; without one, commands speak over the local socket.
    pub(crate) token: Option<String>,
    pub(crate) user: String,
    /// How long conversations are kept.
    pub(crate) retention: Retention,
    pub(crate) agents: AgentSettings,
    pub(crate) dialects: DialectSettings,
    /// Whom the server may call, and whom it believes.
    pub(crate) outbound: OutboundOptions,
    /// How long programs are kept waiting through the MCP door.
    pub(crate) patience: Patience,
    pub(crate) hooks: HookOptions,
    /// How long a hook waits for the server to take what it brings.
    pub(crate) hook_accept: Duration,
    /// Whether a terminal may show colour (<https://no-color.org>).
    pub(crate) colour: bool,
    /// Flags with which another askbridge, started with an environment of its own, finds the same server.
    pub(crate) way_back: Vec<String>,
}

/// What is decided about the agents that we run.
#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    pub(crate) claude: Option<PathBuf>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) warm: Option<Warm>,
    pub(crate) hold_max: Option<Duration>,
    pub(crate) always_ask: Vec<String>,
    pub(crate) memory_max: Option<u64>,
    pub(crate) idle: Duration,
    pub(crate) processes_max: usize,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// What is decided about the languages of other systems.
#[derive(Debug, Clone, Default)]
pub(crate) struct DialectSettings {
    /// Each with an address of its own, if it has one.
    pub(crate) speak: Vec<(&'static str, Option<SocketAddr>)>,
    pub(crate) folder: Option<String>,
    pub(crate) insecure_loopback: bool,
    pub(crate) empty_dismissals: bool,
    pub(crate) whimmy_approvals: bool,
}

impl DialectSettings {
    fn of(config: &Config) -> Result<Self> {
        let speak = items(config.text("dialects.speak")).iter().map(|item| dialect_at(item)).collect::<Result<_, _>>();
        Ok(Self {
            speak: speak.map_err(anyhow::Error::msg)?,
            folder: Some(config.text("dialects.folder").to_owned()).filter(|folder| folder.starts_with('/')),
            insecure_loopback: config.text("dialects.insecure_loopback") == "true",
            empty_dismissals: config.text("dialects.empty_dismissals") == "true",
            whimmy_approvals: config.text("dialects.whimmy_approvals") == "true",
        })
    }
}

impl AgentSettings {
    fn of(config: &Config) -> Result<Self> {
        let roots = match config.text("roots") {
            "" => text("HOME").map(PathBuf::from).into_iter().chain(env::current_dir().ok()).collect(),
            roots => env::split_paths(roots).collect(),
        };
        let warm = match config.text("agents.warm") {
            "off" => Warm::Hold,
            span => Warm::For(kept(span)?),
        };
        let hold_max = match config.text("agents.hold_max") {
            "off" => None,
            span => Some(kept(span)?),
        };
        Ok(Self {
            claude: Some(config.text("claude")).filter(|path| !path.is_empty()).map(PathBuf::from),
            roots,
            warm: Some(warm),
            hold_max,
            always_ask: items(config.text("agents.always_ask")),
            memory_max: bytes(config.text("agents.memory")),
            idle: kept(config.text("agents.idle"))?,
            processes_max: config.text("agents.max").parse().context("could not make sense of `agents.max`")?,
            environment: environment(env::vars_os(), &items(config.text("agents.env"))),
        })
    }
}

fn retention(config: &Config) -> Result<Retention> {
    let age = match config.text("retention") {
        "keep" => None,
        span => Some(kept(span)?),
    };
    Ok(Retention { age, bytes: bytes(config.text("retention_size")) })
}

fn hooks(config: &Config) -> Result<HookOptions> {
    let park = match config.text("hooks.park") {
        "off" => None,
        span => Some(kept(span)?),
    };
    let headless = match config.text("hooks.headless") {
        "never" => None,
        span => Some(kept(span)?),
    };
    Ok(HookOptions { park, headless, away_after: kept(config.text("hooks.away_after"))? })
}

fn kept(span: &str) -> Result<Duration> {
    match span {
        "0" => Ok(Duration::ZERO),
        span => spans::parse(span).map_err(anyhow::Error::msg),
    }
}

/// Finds every setting and where it came from, right or wrong.
pub(crate) fn look_up(line: &CommandLine) -> Config {
    let computed = |name: &str| match name {
        "data" => Some(data_folder()?.display().to_string()),
        "dialects.folder" => Some(env::current_dir().ok()?.display().to_string()),
        "user" => Some(text("USER").or_else(|| text("LOGNAME")).unwrap_or_else(|| "me".to_owned())),
        "otel.endpoint" => Some(collector_of_others().unwrap_or_else(|| "none".to_owned())),
        _ => None,
    };
    Config::resolve(&Given { flags: &line.flags, env: &text, file: file(line), computed: &computed })
}

impl Settings {
    pub(crate) fn read(line: &CommandLine) -> Result<Self, Failure> {
        let config = look_up(line);
        if let Some(problem) = config.problems.first() {
            let more = config.problems.len() - 1;
            let failure = Failure::new(problem);
            return Err(match (&problem.hint, more) {
                (Some(hint), _) => failure.hint(hint),
                (None, 0) => failure,
                (None, _) => failure.hint(format!("and {more} more; see `askbridge config check`")),
            });
        }
        Self::of(&config)
    }

    /// Makes settings of a config without problems.
    pub(crate) fn of(config: &Config) -> Result<Self, Failure> {
        if config.found("data").source == Source::Default && data_folder().is_none() {
            return Err(Failure::new("neither ASKBRIDGE_DATA nor HOME is set, so there is no place for the data"));
        }
        let data = config.text("data");
        let data =
            std::path::absolute(data).with_context(|| format!("could not make sense of the data folder `{data}`"))?;
        let listen = config.found("listen");
        Ok(Self {
            listen: config.text("listen").parse().context("could not make sense of the address to listen on")?,
            listen_was_chosen: matches!(listen.source, Source::Flag(_) | Source::Env(_)),
            data,
            allowed_hosts: items(config.text("allowed_hosts")),
            public_url: Some(config.text("public_url").to_owned()).filter(|url| !url.is_empty()),
            allowed_origins: items(config.text("allowed_origins")),
            requests_per_second: count(config, "limits.requests")?,
            failures_per_minute: count(config, "limits.failures")?,
            log_level: config.text("log.level").to_owned(),
            log_is_json: config.text("log.format") == "json",
            collector: match config.text("otel.endpoint") {
                "none" => None,
                url => Some(Collector::new(url).map_err(Failure::new)?),
            },
            rules: config.rules(),
            url: Some(config.text("url").to_owned()).filter(|url| !url.is_empty()),
            authorities: Some(config.text("authorities")).filter(|path| !path.is_empty()).map(PathBuf::from),
            token: config.found("token").text.clone(),
            agents: AgentSettings::of(config)?,
            dialects: DialectSettings::of(config)?,
            outbound: outbound(config)?,
            patience: patience(config.text("mcp.wait")).map_err(Failure::new)?,
            hooks: hooks(config)?,
            hook_accept: kept(config.text("hooks.accept"))?,
            user: config.text("user").to_owned(),
            retention: retention(config)?,
            colour: may_colour(),
            way_back: way_back(config),
        })
    }

    /// The same, for a server of its own in a folder of its own, on any free port of this machine.
    pub(crate) fn scratch(&self, folder: &Path) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            listen_was_chosen: false,
            data: folder.to_owned(),
            url: None,
            token: None,
            public_url: None,
            collector: None,
            retention: Retention::default(),
            rules: Rules::default(),
            dialects: DialectSettings::default(),
            ..self.clone()
        }
    }

    /// The local socket, in a folder that is ours alone.
    pub(crate) fn socket(&self) -> PathBuf {
        self.data.join("run").join("askbridge.sock")
    }

    /// Where a running server writes the address that it listens on.
    pub(crate) fn address_file(&self) -> PathBuf {
        self.data.join("run").join("address")
    }

    /// Where a running server writes which languages it speaks on ports of their own.
    pub(crate) fn dialects_file(&self) -> PathBuf {
        self.data.join("run").join("dialects")
    }

    /// The address that a running server listens on: the chosen one, or what it wrote down. Port 0 is no choice.
    pub(crate) fn served_address(&self) -> SocketAddr {
        if self.listen_was_chosen && self.listen.port() != 0 {
            return self.listen;
        }
        let written = fs::read_to_string(self.address_file()).ok();
        written.and_then(|address| address.trim().parse().ok()).unwrap_or(self.listen)
    }

    /// The address to connect to.
    pub(crate) fn server_address(&self) -> SocketAddr {
        dialable(self.served_address())
    }

    /// What a link to a server on `address` begins with.
    pub(crate) fn reach(&self, address: SocketAddr) -> Reach {
        Reach::of(address, self.public_url.as_deref())
    }

    /// The token that may ask and administer, never decide.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data.join("token")
    }
}

/// Reads whom the server may call. A file that cannot be read is better known at the start than when somebody is called.
fn outbound(config: &Config) -> Result<OutboundOptions, Failure> {
    let private = items(config.text("outbound.private")).iter().map(|item| item.parse()).collect::<Result<_, _>>();
    let private = private.map_err(|why: String| Failure::new(why))?;
    let authorities = match config.text("outbound.authorities") {
        "" => Authorities::default(),
        path => {
            let pem = fs::read(path).with_context(|| format!("could not read `{path}` (`outbound.authorities`)"))?;
            let read = Authorities::read(&pem);
            read.map_err(|why| {
                Failure::new(format!("could not make sense of `{path}` (`outbound.authorities`): {why}"))
            })?
        }
    };
    Ok(OutboundOptions { private, authorities, ..OutboundOptions::default() })
}

/// What was chosen for this very command would be forgotten by the next one.
fn way_back(config: &Config) -> Vec<String> {
    let mut flags = Vec::new();
    if let (Source::Flag(_) | Source::Env(_), Ok(data)) =
        (&config.found("data").source, std::path::absolute(config.text("data")))
    {
        flags.extend(["--data".to_owned(), data.display().to_string()]);
    }
    let chosen = config.file.as_ref().filter(|file| config.file_is_there && usual_file().as_ref() != Some(file));
    if let Some(file) = chosen.and_then(|file| std::path::absolute(file).ok()) {
        flags.extend(["--config".to_owned(), file.display().to_string()]);
    }
    flags
}

fn count(config: &Config, name: &str) -> Result<u32, Failure> {
    Ok(config.text(name).parse().with_context(|| format!("could not make sense of `{name}`"))?)
}

/// May a terminal be shown colour? Also before there are settings.
fn may_colour() -> bool {
    text("NO_COLOR").is_none() && text("TERM").is_none_or(|term| term != "dumb")
}

/// The file to read, and whether somebody named it.
fn file(line: &CommandLine) -> Option<(PathBuf, bool)> {
    if let Some(path) = &line.file {
        return Some((path.clone(), true));
    }
    if let Some(path) = text("ASKBRIDGE_CONFIG") {
        return Some((PathBuf::from(path), true));
    }
    Some((usual_file()?, false))
}

fn usual_file() -> Option<PathBuf> {
    Some(config_folder()?.join("askbridge/config.toml"))
}

fn config_folder() -> Option<PathBuf> {
    text("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(PathBuf::from(text("HOME")?).join(".config")))
}

/// The token that other programs' settings name: as it is, or as `$VARIABLE`. `None` if that is not set.
pub(crate) fn named_token(bearer: &str) -> Option<String> {
    match bearer.strip_prefix('$') {
        Some(name) => text(name.trim_start_matches('{').trim_end_matches('}')),
        None => Some(bearer.to_owned()),
    }
}

/// Where other programs keep their settings, and where programs are found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    pub(crate) home: PathBuf,
    /// `~/.config`, unless somebody moved it.
    pub(crate) config: PathBuf,
    /// What `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `OPENCODE_CONFIG` name.
    pub(crate) claude: Option<PathBuf>,
    pub(crate) codex: Option<PathBuf>,
    pub(crate) opencode: Option<PathBuf>,
    pub(crate) path: Vec<PathBuf>,
    /// The folder that we were started in.
    pub(crate) folder: PathBuf,
}

impl Surroundings {
    pub(crate) fn look() -> Result<Self, Failure> {
        let home = text("HOME").ok_or_else(|| {
            Failure::new("HOME is not set, so there is no telling where programs keep their settings")
        })?;
        Ok(Self {
            home: PathBuf::from(home),
            config: config_folder().unwrap_or_default(),
            claude: text("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            codex: text("CODEX_HOME").map(PathBuf::from),
            opencode: text("OPENCODE_CONFIG").map(PathBuf::from),
            path: text("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default(),
            folder: env::current_dir()?,
        })
    }
}

fn data_folder() -> Option<PathBuf> {
    let folder = text("XDG_DATA_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(PathBuf::from(text("HOME")?).join(".local/share")))?;
    Some(folder.join("askbridge"))
}

/// The collector that is named to every program of this environment. One that we cannot speak to was not meant for us.
fn collector_of_others() -> Option<String> {
    let speaks_http = text("OTEL_EXPORTER_OTLP_PROTOCOL").is_none_or(|protocol| protocol.starts_with("http/"));
    text("OTEL_EXPORTER_OTLP_ENDPOINT").filter(|url| speaks_http && Collector::new(url).is_ok())
}

/// Variables that look like a setting misspelt, each with the one that was probably meant.
pub(crate) fn misspelt_variables() -> Vec<(String, String)> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let ours = names.filter(|name| name.starts_with("ASKBRIDGE_"));
    let mut slips: Vec<_> = ours.filter_map(|name| Some((misspelt(&name)?, name))).collect();
    slips.sort();
    slips.into_iter().map(|(meant, name)| (name, meant)).collect()
}

/// What an agent's hook finds in its environment.
pub(crate) struct HookSurroundings {
    /// We run this agent ourselves.
    pub(crate) hosted: bool,
    /// Does somebody sit in front of the agent? As it says itself, where it does.
    pub(crate) attended: Option<bool>,
}

pub(crate) fn hook_surroundings() -> HookSurroundings {
    // Claude Code says whether somebody sits in front of it, and, older ones as well, how it was started: `cli` in a terminal,
    // `sdk-…` by a program. An older one that a conversation in a terminal has started repeats what that said.
    let attended = text("CLAUDE_CODE_SESSION_ATTENDED").map(|told| told != "0");
    let by_program = text("CLAUDE_CODE_ENTRYPOINT").filter(|entry| entry.starts_with("sdk")).map(|_| false);
    HookSurroundings { hosted: text("ASKBRIDGE_HOSTED").is_some(), attended: by_program.or(attended) }
}

/// Does a person sit in front of the Claude Code that started us? `None`: another program did.
pub(crate) fn claude_is_attended() -> Option<bool> {
    text("CLAUDE_CODE_ENTRYPOINT").map(|entry| entry == "cli")
}

/// Where whoever started us wants to hear that we are ready: systemd sets it for `Type=notify`.
pub(crate) fn notify_socket() -> Option<PathBuf> {
    text("NOTIFY_SOCKET").map(PathBuf::from)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
