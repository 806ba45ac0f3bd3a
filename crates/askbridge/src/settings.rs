//! Settings, read once: from flags, the environment and a file, in this order. The only module that reads the
//! environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use askbridge_bridge::cluster::NodeProfile;
use askbridge_bridge::hooks::HookOptions;
use askbridge_bridge::hosts::{HostOptions, LAUNCH_COMMAND, environment};
use askbridge_bridge::keeping::Retention;
use askbridge_bridge::outbound::{Authorities, OutboundOptions};
use askbridge_bridge::ringing::{RingOptions, RingingOptions};
use askbridge_bridge::rule_file::RuleSource;
use askbridge_bridge::runtime::{Location, NatsAccess};
use askbridge_bridge::traces::Collector;
use askbridge_bridge::when_down::WHEN_DOWN_FILE;
use askbridge_bridge::workflows::GobbySource;
use askbridge_config::{Config, Flags, Machine, SettingSources, items, misspelt};
use askbridge_core::rules::ToolPattern;
use askbridge_core::terms::{Rules, Warm};
use askbridge_journal::nats::{Auth, Secret, Tls};
use askbridge_platform::ourselves;

use crate::client::dialable;
use crate::failure::Failure;
use crate::reach::Reach;

/// The settings on the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandLine {
    /// The file that `--config` names.
    pub(crate) file: Option<PathBuf>,
    pub(crate) flags: Flags,
}

/// All settings, ready to use, and what is derived from them. The methods make the options of the bridge.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    set: askbridge_config::Settings,
    /// The data folder: everything we write is in it.
    pub(crate) data: PathBuf,
    pub(crate) rules: Rules,
    /// Does a rule file beside the settings count? Not for a temporary server.
    usual_rules: bool,
    /// Hosts that the server may call, and authorities that it trusts.
    pub(crate) calls: OutboundOptions,
    /// Whether a terminal may show colour (<https://no-color.org>).
    pub(crate) colour: bool,
    /// Flags with which another askbridge, started in another environment, finds the same server.
    pub(crate) way_back: Vec<String>,
}

impl Deref for Settings {
    type Target = askbridge_config::Settings;

    fn deref(&self) -> &Self::Target {
        &self.set
    }
}

/// Finds every setting and its source, valid or not.
pub(crate) fn look_up(line: &CommandLine) -> Config {
    let shown = |path: PathBuf| path.display().to_string();
    let machine = Machine {
        data: data_folder().map(shown),
        user: Some(text("USER").or_else(|| text("LOGNAME")).unwrap_or_else(|| "me".to_owned())),
        folder: env::current_dir().ok().map(shown),
        collector: Some(collector_of_others().unwrap_or_else(|| "none".to_owned())),
    };
    Config::resolve(&SettingSources { flags: &line.flags, env: &text, file: file(line), machine })
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

    /// Makes settings from a config without problems.
    pub(crate) fn of(config: &Config) -> Result<Self, Failure> {
        let set = config.settings.clone();
        let Some(data) = &*set.top.data else {
            return Err(Failure::new("neither ASKBRIDGE_DATA nor HOME is set, so there is no place for the data"));
        };
        let data = std::path::absolute(data)
            .with_context(|| format!("could not make sense of the data folder `{}`", data.display()))?;
        let calls = calls(&set)?;
        let (rules, colour, way_back) = (config.rules(), may_colour(), way_back(config, &data));
        Ok(Self { set, data, rules, usual_rules: true, calls, colour, way_back })
    }

    /// Returns the settings of a temporary server in `folder`, on any free port of this machine.
    pub(crate) fn scratch(&self, folder: &Path) -> Self {
        let mut scratch = Self { data: folder.to_owned(), rules: Rules::default(), usual_rules: false, ..self.clone() };
        let top = &mut scratch.set.top;
        *top.rules = None;
        (*top.gobby_rules, *top.gobby_projects) = (None, false);
        *top.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        (*top.url, *top.token, *top.public_url) = (None, None, None);
        (*top.retention, *top.retention_size) = (None, None);
        "sqlite".clone_into(&mut top.journal);
        let tls = &mut scratch.set.tls;
        (*tls.cert, *tls.key, *tls.listen, *tls.redirect) = (None, None, None, None);
        (*tls.authority, *tls.tailscale) = (None, None);
        scratch.set.acme.names.clear();
        *scratch.set.top.behind_proxy = false;
        *scratch.set.otel.endpoint = None;
        scratch.set.dialects.speak.clear();
        *scratch.set.dialects.insecure_loopback = false;
        scratch
    }

    /// The collector of traces, if one is configured.
    pub(crate) fn collector(&self) -> Option<Collector> {
        let askbridge_config::Collector { host, port, authority, base } = (*self.otel.endpoint).clone()?;
        Some(Collector { host, port, authority, base })
    }

    /// Where the journal is.
    pub(crate) fn location(&self) -> Result<Location, Failure> {
        self.with_access(Location::read(&self.top.journal, &self.data).map_err(anyhow::Error::from)?)
    }

    /// The same location, with what the settings say of how to be let in.
    pub(crate) fn with_access(&self, location: Location) -> Result<Location, Failure> {
        let Location::Nats { servers, streams, folder, .. } = location else { return Ok(location) };
        Ok(Location::Nats {
            servers,
            streams,
            replicas: *self.nats.replicas as usize,
            access: self.nats_access()?,
            folder,
        })
    }

    /// How to be let in by the servers of the journal.
    fn nats_access(&self) -> Result<NatsAccess, Failure> {
        let nats = &self.nats;
        let secret = |path: &PathBuf| {
            let text = fs::read_to_string(path);
            let text = text.with_context(|| format!("could not read `{}` (`nats.password_file`)", path.display()))?;
            Ok::<_, anyhow::Error>(Secret::new(text.trim()))
        };
        let auth = match (&*nats.credentials, &*nats.nkey, &*nats.password_file, &*nats.user) {
            (Some(file), ..) => Auth::CredentialsFile(file.clone()),
            (None, Some(file), ..) => Auth::NkeyFile(file.clone()),
            (None, None, Some(file), Some(user)) => Auth::Password { user: user.clone(), password: secret(file)? },
            (None, None, Some(file), None) => Auth::Token(secret(file)?),
            (None, None, None, Some(_)) => {
                return Err(Failure::new("`nats.user` has no password").hint("set `nats.password_file`"));
            }
            (None, None, None, None) => Auth::Address,
        };
        let certificate = match (&*nats.certificate, &*nats.certificate_key) {
            (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
            (None, None) => None,
            _ => return Err(Failure::new("of `nats.certificate` and `nats.certificate_key`, only one is set")),
        };
        let tls = Tls { authority: (*nats.authorities).clone(), certificate, required: false };
        let monitors = nats.monitors.iter().map(|host| format!("http://{host}")).collect();
        Ok(NatsAccess { auth, tls, monitors })
    }

    /// What this server says about itself to others that share its journal.
    pub(crate) fn node_profile(&self, address: SocketAddr, has_tls: bool, public: Option<&str>) -> NodeProfile {
        let scheme = if has_tls { "https" } else { "http" };
        let served = || format!("{scheme}://{}", dialable(address));
        let address = self.node.address.as_deref().or(public).map(str::to_owned).unwrap_or_else(served);
        let name = (*self.node.name).clone().or_else(ourselves::host_name).unwrap_or_else(|| "this machine".to_owned());
        NodeProfile {
            name,
            labels: (*self.node.labels).clone(),
            address: Some(address),
            roots: self.host_options().roots.iter().map(|root| root.display().to_string()).collect(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// How long conversations are kept.
    pub(crate) fn retention(&self) -> Retention {
        Retention { age: *self.top.retention, bytes: *self.top.retention_size }
    }

    pub(crate) fn hook_options(&self) -> HookOptions {
        let askbridge_config::Hooks { park, headless, denied_wait, away_after, back, .. } = &self.hooks;
        HookOptions {
            park: **park,
            headless: **headless,
            denied_wait: **denied_wait,
            away_after: **away_after,
            back: **back,
        }
    }

    /// The tools that always go to a person, in terminals too.
    pub(crate) fn always_ask_patterns(&self) -> Vec<ToolPattern> {
        // They were read as patterns before; see the kinds of settings.
        self.agents.always_ask.iter().filter_map(|text| ToolPattern::read(text).ok()).collect()
    }

    /// How people who are away are rung.
    pub(crate) fn ringing_options(&self, public_url: Option<String>) -> RingingOptions {
        let askbridge_config::Notify { grace, remind, quiet, digest } = &self.notify;
        let when = RingOptions { grace: **grace, remind: (**remind).clone() };
        RingingOptions { when, quiet: **quiet, public_url, user: self.top.user.to_string(), digest: **digest }
    }

    /// The options for hosted agents.
    pub(crate) fn host_options(&self) -> HostOptions {
        let agents = &self.agents;
        let roots = match self.top.roots.as_slice() {
            [] => text("HOME").map(PathBuf::from).into_iter().chain(env::current_dir().ok()).collect(),
            roots => roots.to_vec(),
        };
        HostOptions {
            folder: self.data.join("run").join("agents"),
            // The running program, even if its file has been replaced since.
            launcher: vec![ourselves::PROGRAM.into(), LAUNCH_COMMAND.into()],
            claude: (*self.top.claude).clone(),
            environment: self.agent_environment(),
            roots,
            idle: *agents.idle,
            warm: Some(agents.warm.map_or(Warm::Hold, Warm::For)),
            hold_max: *agents.hold_max,
            denied_wait: *agents.denied_wait,
            always_ask: (*agents.always_ask).clone(),
            memory_max: *agents.memory,
            processes_max: *agents.max as usize,
        }
    }

    /// Variables for the environment of agents.
    pub(crate) fn agent_environment(&self) -> Vec<(OsString, OsString)> {
        environment(env::vars_os(), &items(&self.agents.env))
    }

    /// Where rules are read from: the file that is set, or else `rules.toml` beside the settings or in the data folder.
    pub(crate) fn rule_source(&self) -> RuleSource {
        let usual = || {
            let beside = self.usual_rules.then(|| config_folder().map(|folder| folder.join("askbridge"))).flatten();
            beside.into_iter().chain([self.data.clone()]).map(|folder| folder.join("rules.toml")).collect()
        };
        let named = self.top.rules.as_ref().map(|file| vec![file.clone()]);
        RuleSource {
            settings: self.rules.clone(),
            is_named: named.is_some(),
            files: named.unwrap_or_else(usual),
            home: text("HOME"),
            remembered: Some(self.data.join("remembered.toml")),
            when_down: Some(self.data.join(WHEN_DOWN_FILE)),
            zone: text("TZ"),
        }
    }

    /// Where gobby's rules are read from.
    pub(crate) fn gobby_source(&self) -> GobbySource {
        let folder = self.top.gobby_rules.as_ref().map(|folder| std::path::absolute(folder).unwrap_or(folder.clone()));
        let scratch = Some(self.data.join("run").join("git"));
        GobbySource { folder, projects: *self.top.gobby_projects, home: text("HOME").map(PathBuf::from), scratch }
    }

    /// The local socket, in a private folder.
    pub(crate) fn socket(&self) -> PathBuf {
        self.data.join("run").join("askbridge.sock")
    }

    /// The file to which a running server writes the address that it listens on.
    pub(crate) fn address_file(&self) -> PathBuf {
        self.data.join("run").join("address")
    }

    /// The file to which a running server writes the ports of its dialects.
    pub(crate) fn dialects_file(&self) -> PathBuf {
        self.data.join("run").join("dialects")
    }

    /// The folder of our own certificates and keys.
    pub(crate) fn tls_folder(&self) -> PathBuf {
        self.data.join("tls")
    }

    /// The file with which `expose` finds out whether an address leads to this server.
    pub(crate) fn reach_file(&self) -> PathBuf {
        self.data.join("run").join("reach")
    }

    /// The address of the running server: the one set for this command, unless its port is 0, or the one in its file.
    pub(crate) fn served_address(&self) -> SocketAddr {
        let listen = *self.top.listen;
        if self.top.listen.is_for_this_command() && listen.port() != 0 {
            return listen;
        }
        let written = fs::read_to_string(self.address_file()).ok();
        written.and_then(|address| address.trim().parse().ok()).unwrap_or(listen)
    }

    /// The address to connect to.
    pub(crate) fn server_address(&self) -> SocketAddr {
        dialable(self.served_address())
    }

    /// The base of a link to a server on `address`.
    pub(crate) fn reach(&self, address: SocketAddr) -> Reach {
        Reach::of(address, self.top.public_url.as_deref())
    }

    /// The file with the token that may ask and administer, never decide.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data.join("token")
    }
}

/// Reads which hosts the server may call. A file that cannot be read should fail the start, not the first call.
fn calls(set: &askbridge_config::Settings) -> Result<OutboundOptions, Failure> {
    let authorities = match &*set.outbound.authorities {
        None => Authorities::default(),
        Some(path) => trusted(path, "outbound.authorities")?,
    };
    Ok(OutboundOptions { private: (*set.outbound.private).clone(), authorities, ..OutboundOptions::default() })
}

/// Reads the authorities that `setting` names.
pub(crate) fn trusted(path: &Path, setting: &str) -> Result<Authorities, Failure> {
    let shown = path.display();
    let pem = fs::read(path).with_context(|| format!("could not read `{shown}` (`{setting}`)"))?;
    Authorities::read(&pem)
        .map_err(|why| Failure::new(format!("could not make sense of `{shown}` (`{setting}`): {why}")))
}

/// Is there a program of this name on PATH?
pub(crate) fn has_program(name: &str) -> bool {
    find_program(name).is_some()
}

/// Returns the program of this name on PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    env::split_paths(&text("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Returns flags for what was set for this command alone, which another one would not know.
fn way_back(config: &Config, data: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    if config.settings.top.data.is_for_this_command() {
        flags.extend(["--data".to_owned(), data.display().to_string()]);
    }
    let chosen = config.file.as_ref().filter(|file| config.file_is_there && usual_file().as_ref() != Some(file));
    if let Some(file) = chosen.and_then(|file| std::path::absolute(file).ok()) {
        flags.extend(["--config".to_owned(), file.display().to_string()]);
    }
    flags
}

/// May a terminal be shown colour? Works before settings are read.
fn may_colour() -> bool {
    text("NO_COLOR").is_none() && text("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the file to read, and whether it was named explicitly.
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

/// Returns the token in another program's settings: literal, or as `$VARIABLE`. `None` if that is not set.
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
    /// `~/.config`, unless `XDG_CONFIG_HOME` names another.
    pub(crate) config: PathBuf,
    /// From `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `OPENCODE_CONFIG`.
    pub(crate) claude: Option<PathBuf>,
    pub(crate) codex: Option<PathBuf>,
    pub(crate) opencode: Option<PathBuf>,
    pub(crate) path: Vec<PathBuf>,
    /// The working folder.
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

/// Returns the collector that this environment names for every program, if we support its protocol.
fn collector_of_others() -> Option<String> {
    let speaks_http = text("OTEL_EXPORTER_OTLP_PROTOCOL").is_none_or(|protocol| protocol.starts_with("http/"));
    text("OTEL_EXPORTER_OTLP_ENDPOINT").filter(|url| speaks_http && askbridge_config::Collector::new(url).is_ok())
}

/// Returns variables that look like a misspelt setting, each with the likely one.
pub(crate) fn misspelt_variables() -> Vec<(String, String)> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let ours = names.filter(|name| name.starts_with("ASKBRIDGE_"));
    let mut slips: Vec<_> = ours.filter_map(|name| Some((misspelt(&name)?, name))).collect();
    slips.sort();
    slips.into_iter().map(|(meant, name)| (name, meant)).collect()
}

/// What a hook reads from the agent's environment.
pub(crate) struct HookSurroundings {
    /// Do we host this agent?
    pub(crate) hosted: bool,
    /// Is a person in front of the agent? `None` if it does not say.
    pub(crate) attended: Option<bool>,
}

pub(crate) fn hook_surroundings() -> HookSurroundings {
    // Claude Code says whether a person is in front of it and, older versions too, how it was started: `cli` in a
    // terminal, `sdk-…` by a program. An older one that was started from a conversation in a terminal inherits that
    // one's value.
    let attended = text("CLAUDE_CODE_SESSION_ATTENDED").map(|told| told != "0");
    let by_program = text("CLAUDE_CODE_ENTRYPOINT").filter(|entry| entry.starts_with("sdk")).map(|_| false);
    HookSurroundings { hosted: text("ASKBRIDGE_HOSTED").is_some(), attended: by_program.or(attended) }
}

/// Is a person in front of the Claude Code that started us? `None`: another program started us.
pub(crate) fn claude_is_attended() -> Option<bool> {
    text("CLAUDE_CODE_ENTRYPOINT").map(|entry| entry == "cli")
}

/// The socket for our state: systemd sets it for `Type=notify`.
pub(crate) fn notify_socket() -> Option<PathBuf> {
    text("NOTIFY_SOCKET").map(PathBuf::from)
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
