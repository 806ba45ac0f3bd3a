//! A real nginx in front of a server, configured as a guide says.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::bridge::TestBridge;
use crate::https::{Https, NAME, certify_as};
use crate::patience::until;

/// The parts of a guide's configuration that depend on the machine, and are replaced here. The rest is used as it is.
const LISTEN: &str = "listen 443 ssl;";
const PLAIN: &str = "listen 80;";
const UPSTREAM: &str = "http://127.0.0.1:4760";
const CERTIFICATES: &str = "/etc/letsencrypt/live/ask.example.org/";

pub(crate) struct Nginx {
    child: Child,
    dir: TempDir,
    pub(crate) https: Https,
}

/// Returns the first block of a guide in this language.
pub(crate) fn block(guide: &'static str, language: &str) -> &'static str {
    let mut blocks = guide.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.find(|(named, _)| *named == language).map(|(_, text)| text).expect("the guide has such a block")
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

/// `ASKBRIDGE_TEST_NGINX`, the system's own, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn program() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/nginx/usr/sbin/nginx");
    let named = std::env::var_os("ASKBRIDGE_TEST_NGINX").map(PathBuf::from);
    let mut places = named.into_iter().chain([PathBuf::from("/usr/sbin/nginx"), tools]);
    places.find(|path| path.is_file()).expect("there is no nginx; `cargo xtask install` fetches it")
}

impl Nginx {
    /// Starts nginx with `config` in front of a server, with a certificate from a test authority.
    pub(crate) fn start(bridge: &TestBridge, port: u16, config: &str) -> Self {
        Self::start_for(NAME, &bridge.address(), port, config)
    }

    /// The same for another name, in front of another address.
    pub(crate) fn start_for(name: &'static str, upstream: &str, port: u16, config: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let https = Https { name, port, authority: certify_as(dir.path(), name) };
        let mut config = config.to_owned();
        let folder = dir.path().display();
        for (there, here) in [
            (LISTEN, format!("listen 127.0.0.1:{port} ssl;")),
            (UPSTREAM, format!("http://{upstream}")),
            (CERTIFICATES, format!("{folder}/")),
        ] {
            assert!(config.contains(there), "the guide no longer says `{there}`");
            config = config.replace(there, &here);
        }
        // A port of its own for plain http, too.
        config = config.replace(PLAIN, &format!("listen 127.0.0.1:{};", free_port()));
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("    {kind}_temp_path {folder}/{kind};\n"))
            .concat();
        let whole = format!(
            "daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n\
             http {{\n    access_log {folder}/access.log;\n{temporary}{config}}}\n"
        );
        let path = dir.path().join("nginx.conf");
        fs::write(&path, whole).expect("it can be written");
        let mut command = Command::new(program());
        command.arg("-p").arg(dir.path()).arg("-c").arg(&path).stdin(Stdio::null()).stderr(Stdio::null());
        let mut nginx = Self { child: command.spawn().expect("nginx starts"), dir, https };
        until("nginx listens", || {
            let ended = nginx.child.try_wait().expect("it is ours");
            assert!(ended.is_none(), "{ended:?}: {}", nginx.log());
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        nginx
    }

    /// Returns its access log: one line for each request.
    pub(crate) fn answered(&self) -> String {
        fs::read_to_string(self.dir.path().join("access.log")).unwrap_or_default()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("error.log")).unwrap_or_default()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
