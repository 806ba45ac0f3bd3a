//! askbridge as a service: the guide's commands with stand-ins, the units that they install checked by `systemd-analyze`,
//! and run as those units say.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::bridge::TestBridge;
use crate::patience::until;
use crate::terminal::Terminal;

use super::page::block_with;
use super::reader::{Reader, repository};

const OPERATIONS: &str = include_str!("../../../../../docs/guides/operations.md");
const UPGRADE: &str = include_str!("../../../../../docs/guides/upgrade.md");
/// The default port, which the test does not use.
const LISTENS: &str = "127.0.0.1:4760";

/// A unit file.
struct Unit {
    text: String,
    /// The folder in the place of `/`; for a unit of a user only of the home folder.
    root: PathBuf,
    home: PathBuf,
}

impl Unit {
    fn read(path: &Path, root: &Path, home: &Path) -> Self {
        Self { text: fs::read_to_string(path).unwrap(), root: root.to_owned(), home: home.to_owned() }
    }

    fn all(&self, key: &str) -> Vec<&str> {
        self.text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
    }

    fn one(&self, key: &str) -> &str {
        let found = self.all(key);
        let [only] = found[..] else { panic!("the unit has one {key}, and not {found:?}") };
        only
    }

    /// A path in the unit, where it is in this test.
    fn here(&self, path: &str) -> String {
        match path.strip_prefix("%h") {
            Some(rest) => format!("{}{rest}", self.home.display()),
            None => path
                .replace("/usr/local/", &format!("{}/usr/local/", self.root.display()))
                .replace("/var/lib/", &format!("{}/var/lib/", self.root.display())),
        }
    }
}

/// What systemd does with the two units.
struct Manager {
    service: Unit,
    tcp: TcpListener,
    local: UnixListener,
    local_path: PathBuf,
    notified: UnixDatagram,
    serving: Option<Child>,
}

impl Manager {
    /// Opens the sockets.
    fn start(units: &Path, root: &Path, home: &Path) -> Self {
        let socket = Unit::read(&units.join("askbridge.socket"), root, home);
        let service = Unit::read(&units.join("askbridge.service"), root, home);
        assert_eq!(service.one("Requires"), "askbridge.socket");
        let listens = socket.all("ListenStream");
        let [LISTENS, local] = listens[..] else { panic!("{listens:?}") };
        let local_path = PathBuf::from(socket.here(local));
        fs::create_dir_all(local_path.parent().unwrap()).unwrap();
        let notified = UnixDatagram::bind(root.join("notify")).unwrap();
        notified.set_nonblocking(true).unwrap();
        let (tcp, local) = (TcpListener::bind("127.0.0.1:0").unwrap(), UnixListener::bind(&local_path).unwrap());
        let mut manager = Self { service, tcp, local, local_path, notified, serving: None };
        manager.serve();
        manager
    }

    /// Starts the service with its environment, and waits until it says that it is ready.
    fn serve(&mut self) {
        let Unit { root, home, .. } = &self.service;
        assert_eq!(self.service.one("Type"), "notify");
        let umask = self.service.one("UMask");
        // The shell puts the sockets on the descriptors that the protocol wants, and execs the command.
        let script = format!(
            "umask {umask}; exec 3<&0 4<&1 </dev/null >{0}/out 2>>{0}/log; LISTEN_FDS=2 LISTEN_PID=$$ exec {1}",
            root.display(),
            self.service.here(self.service.one("ExecStart"))
        );
        let mut command = Command::new("bash");
        let (tcp, local): (OwnedFd, OwnedFd) =
            (self.tcp.try_clone().unwrap().into(), self.local.try_clone().unwrap().into());
        command.args(["-c", &script]).env_clear().current_dir("/").stdin(Stdio::from(tcp)).stdout(Stdio::from(local));
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home).env("USER", "askbridge");
        command.env("NOTIFY_SOCKET", root.join("notify"));
        for variable in self.service.all("Environment") {
            let (name, value) = variable.split_once('=').unwrap();
            command.env(name, self.service.here(value));
        }
        let mut serving = command.spawn().unwrap();
        until("the service is ready", || {
            assert_eq!(serving.try_wait().unwrap(), None, "{}", self.log());
            let mut said = [0; 64];
            self.notified.recv(&mut said).ok().filter(|length| said[..*length] == *b"READY=1")
        });
        self.serving = Some(serving);
    }

    /// Stops the service; the sockets stay open.
    fn stop(&mut self) {
        let mut serving = self.serving.take().unwrap();
        assert_eq!(self.service.one("KillMode"), "process");
        assert!(Command::new("kill").arg(serving.id().to_string()).status().unwrap().success());
        let ended = until("the service stops", || serving.try_wait().unwrap());
        assert!(ended.success(), "{ended}: {}", self.log());
    }

    fn log(&self) -> String {
        fs::read_to_string(self.service.root.join("log")).unwrap_or_default()
    }

    /// Sends a request that is answered when a service is there.
    fn knock(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.tcp.local_addr().unwrap()).unwrap();
        stream.write_all(HEALTH).unwrap();
        stream
    }

    fn is_served(&self) {
        answered(self.knock());
        let mut local = UnixStream::connect(&self.local_path).unwrap();
        local.write_all(HEALTH).unwrap();
        answered(local);
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        if let Some(mut serving) = self.serving.take() {
            let _ = serving.kill();
            let _ = serving.wait();
        }
    }
}

const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

#[track_caller]
fn answered(mut stream: impl Read) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(r#""status":"ok""#), "{answer}");
}

/// A machine on which the guide's commands change nothing but its own folder.
fn machine() -> (Reader, PathBuf) {
    let reader = Reader::at(TestBridge::stopped());
    // The service has a data folder of its own.
    fs::remove_file(reader.home().join(".local/share/askbridge")).unwrap();
    let root = reader.home().join("root");
    for folder in ["usr/local/bin", "etc/systemd/system", "usr/lib/systemd/system", "run"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    symlink(repository().join("packaging"), reader.home().join("packaging")).unwrap();
    let binary = env!("CARGO_BIN_EXE_askbridge");
    reader.stand_in(
        "cargo",
        &format!(
            "case \"$*\" in\n'install --path crates/askbridge') install -D {binary} \"$HOME/.cargo/bin/askbridge\";;\n\
             'xtask dist') install -D {binary} target/published/askbridge;;\n*) exit 2;;\nesac"
        ),
    );
    // Where something is started, the test does that meanwhile.
    reader.stand_in(
        "systemctl",
        "case \"$*\" in *daemon-reload) exit;; esac; until [ -e \"$HOME/started\" ]; do sleep 0.05; done",
    );
    reader.stand_in("useradd", "");
    reader.stand_in("sudo", "[ \"$1 $2\" = '-u askbridge' ] && shift 2 && exec env \"$@\"");
    (reader, root)
}

/// The guide's commands, with this root in the place of `/`.
fn rooted(script: &str, root: &Path) -> String {
    let mut script = script.to_owned();
    for folder in ["/usr/local/bin/", "/etc/systemd/system/", "=/var/lib/askbridge"] {
        let (begin, folder) = if folder.starts_with('=') { folder.split_at(1) } else { ("", folder) };
        script = script.replace(&format!("{begin}{folder}"), &format!("{begin}{}{folder}", root.display()));
    }
    script
}

/// Asserts that systemd finds nothing to say about both units.
fn verify(command: &mut Command) {
    let verified = command.args(["askbridge.service", "askbridge.socket"]).output().expect("systemd-analyze runs");
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && said.is_empty(), "{said}");
}

#[test]
fn a_service_of_ones_own_is_installed_by_the_guides_commands_and_serves_as_its_units_say() {
    let (reader, root) = machine();
    let block = block_with(OPERATIONS, "systemctl --user enable");
    let typing = reader.begins(&block.text);
    let started = "systemctl --user enable --now askbridge.socket askbridge.service\n";
    until("the service is to be started", || reader.typed().contains(started).then_some(()));
    let units = reader.home().join(".config/systemd/user");
    let mut check = Command::new("systemd-analyze");
    check.args(["verify", "--user"]).env_clear().env("PATH", "/usr/bin:/bin");
    verify(check.env("HOME", reader.home()).env("XDG_RUNTIME_DIR", root.join("run")));
    let mut manager = Manager::start(&units, &root, reader.home());
    File::create(reader.home().join("started")).unwrap();
    typing.ended().good();
    manager.is_served();
    manager.stop();
    let waiting = manager.knock();
    manager.serve();
    answered(waiting);
}

#[test]
fn a_service_for_others_is_installed_and_upgraded_by_the_guides_commands_and_no_client_finds_it_closed() {
    let (reader, root) = machine();
    let block = block_with(OPERATIONS, "useradd --system");
    let script = Reader::with_stand_ins(&rooted(&block.text, &root));
    let mut typing = Terminal::open(reader.bridge.at_a_terminal("bash", &["-c", &script]));
    let started = "systemctl enable --now askbridge.socket askbridge.service\n";
    until("the service is to be started", || reader.typed().contains(started).then_some(()));
    // systemd's own targets, which the units name.
    for folder in ["/usr/lib/systemd/system", "/lib/systemd/system"].map(Path::new) {
        for target in fs::read_dir(folder).into_iter().flatten().flatten() {
            let there = root.join("usr/lib/systemd/system").join(target.file_name());
            if target.path().extension().is_some_and(|end| end == "target" || end == "slice") && !there.exists() {
                fs::copy(target.path(), there).unwrap();
            }
        }
    }
    verify(Command::new("systemd-analyze").arg("verify").arg(format!("--root={}", root.display())));
    let units = root.join("etc/systemd/system");
    let service = Unit::read(&units.join("askbridge.service"), &root, &root);
    for key in ["User", "Group", "StateDirectory"] {
        assert_eq!(service.one(key), "askbridge", "the user that the guide adds, and its home");
    }
    assert!(
        reader.typed().contains("useradd --system --home-dir /var/lib/askbridge --shell /usr/sbin/nologin askbridge\n")
    );
    let mut manager = Manager::start(&units, &root, &root);
    File::create(reader.home().join("started")).unwrap();
    typing.shows("http://127.0.0.1:");
    typing.shows("/#pair=pair_");
    manager.is_served();

    fs::remove_file(reader.home().join("started")).unwrap();
    let upgrade = block_with(UPGRADE, "systemctl restart");
    let upgrading = reader.begins(&rooted(&upgrade.text, &root));
    until("the service is to be restarted", || {
        reader.typed().contains("systemctl restart askbridge.service\n").then_some(())
    });
    manager.stop();
    let waiting = manager.knock();
    manager.serve();
    File::create(reader.home().join("started")).unwrap();
    answered(waiting);
    upgrading.ended().good();
}
