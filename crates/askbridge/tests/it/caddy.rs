//! A real Caddy in front of a server, configured as a guide says.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::bridge::TestBridge;
use crate::https::{Https, NAME};
use crate::nginx::free_port;
use crate::patience::until;

/// The part of the guide's configuration that depends on the machine, and is replaced here.
const UPSTREAM: &str = "127.0.0.1:4760";

pub(crate) struct Caddy {
    child: Child,
    #[expect(dead_code, reason = "goes with Caddy")]
    dir: TempDir,
    pub(crate) https: Https,
}

/// `ASKBRIDGE_TEST_CADDY`, the system's own, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn program() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/caddy/usr/bin/caddy");
    let named = std::env::var_os("ASKBRIDGE_TEST_CADDY").map(PathBuf::from);
    let mut places = named.into_iter().chain([PathBuf::from("/usr/bin/caddy"), tools]);
    places.find(|path| path.is_file()).expect("there is no Caddy; `cargo xtask install` fetches it")
}

impl Caddy {
    /// Starts Caddy in front of a server. The options above the guide's text only choose ports, folders and an authority
    /// of Caddy's own, because no public one certifies a name for a test.
    pub(crate) fn start(bridge: &TestBridge, port: u16, config: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let folder = dir.path().display();
        assert!(config.contains(UPSTREAM) && config.contains(NAME), "the guide no longer says so: {config}");
        let config = config.replace(UPSTREAM, &bridge.address());
        let whole = format!(
            "{{\n    admin off\n    http_port {}\n    https_port {port}\n    default_bind 127.0.0.1\n    local_certs\n    \
             skip_install_trust\n    storage file_system {folder}/storage\n}}\n{config}",
            free_port()
        );
        let path = dir.path().join("Caddyfile");
        fs::write(&path, whole).expect("it can be written");
        let log = fs::File::create(dir.path().join("log")).expect("it can be written");
        let mut command = Command::new(program());
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&path);
        command.env_clear().env("HOME", dir.path()).stdin(Stdio::null()).stderr(log);
        let mut child = command.spawn().expect("Caddy starts");
        let authority = dir.path().join("storage/pki/authorities/local/root.crt");
        let certificate = dir.path().join(format!("storage/certificates/local/{NAME}/{NAME}.crt"));
        until("Caddy listens, with a certificate", || {
            let ended = child.try_wait().expect("it is ours");
            let log = || fs::read_to_string(dir.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "{ended:?}: {}", log());
            TcpStream::connect(("127.0.0.1", port)).ok().filter(|_| authority.is_file() && certificate.is_file())
        });
        Self { child, dir, https: Https { name: NAME, port, authority } }
    }
}

impl Drop for Caddy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
