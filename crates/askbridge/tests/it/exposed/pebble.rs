//! A real pebble: the ACME server that Let's Encrypt has for tests. It looks for proofs on ports of ours, and finds
//! every name on this machine by asking the DNS server that comes with it.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::https::certify_as;
use crate::nginx::free_port;
use crate::patience::until;

pub(crate) struct Pebble {
    child: Option<Child>,
    names: Child,
    /// The address of the DNS server.
    dns: String,
    dir: TempDir,
    port: u16,
    management: u16,
    /// Where it looks for proofs.
    pub(crate) tls: u16,
    pub(crate) http: u16,
}

/// `ASKBRIDGE_TEST_PEBBLE`, the system's own, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn program() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/pebble/usr/bin/pebble");
    let named = std::env::var_os("ASKBRIDGE_TEST_PEBBLE").map(PathBuf::from);
    let mut places = named.into_iter().chain([PathBuf::from("/usr/bin/pebble"), tools]);
    places.find(|path| path.is_file()).expect("there is no pebble; `cargo xtask install` fetches it")
}

impl Pebble {
    /// Starts one whose certificates are valid for this long.
    pub(crate) fn start(valid_s: u32) -> Self {
        let dir = tempfile::tempdir().expect("a folder can be made");
        certify_as(dir.path(), "localhost");
        let [port, management, tls, http] = [(); 4].map(|()| free_port());
        let file = |name: &str| dir.path().join(name);
        let config = json!({"pebble": {
            "listenAddress": format!("127.0.0.1:{port}"), "managementListenAddress": format!("127.0.0.1:{management}"),
            "certificate": file("fullchain.pem"), "privateKey": file("privkey.pem"), "httpPort": http, "tlsPort": tls,
            "ocspResponderURL": "", "externalAccountBindingRequired": false, "certificateValidityPeriod": valid_s,
        }});
        fs::write(file("pebble.json"), config.to_string()).expect("it can be written");
        let dns = format!("127.0.0.1:{}", free_port());
        let mut names = Command::new(program().with_file_name("pebble-challtestsrv"));
        names.args(["-dns01", &dns, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-http01", "", "-https01", ""]);
        names.args(["-tlsalpn01", "", "-management", &format!("127.0.0.1:{}", free_port())]);
        let names = names.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let names = names.expect("its DNS server starts");
        until("its DNS server answers", || TcpStream::connect(&dns).ok());
        let mut pebble = Self { child: None, names, dns, dir, port, management, tls, http };
        pebble.start_again();
        pebble
    }

    /// Starts it, with nothing of what it knew: its accounts are in memory, and its authority is another one.
    pub(crate) fn start_again(&mut self) {
        self.stop();
        let log = fs::File::create(self.dir.path().join("log")).expect("it can be written");
        let mut command = Command::new(program());
        command.args(["-strict", "-dnsserver", &self.dns, "-config"]).arg(self.dir.path().join("pebble.json"));
        command.env_clear();
        // It looks at every proof, and at once. It refuses one nonce in twenty, as it does by itself.
        command.env("PEBBLE_VA_NOSLEEP", "1").env("PEBBLE_AUTHZREUSE", "0");
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a second handle")).stderr(log);
        self.child = Some(command.spawn().expect("pebble starts"));
        until("pebble answers", || self.root());
        fs::write(self.roots(), self.root().expect("it answered before")).expect("it can be written");
    }

    pub(crate) fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// The flags with which `expose` uses it.
    pub(crate) fn flags(&self) -> String {
        let authority = self.dir.path().join("authority.pem");
        format!(
            "--directory https://localhost:{}/dir --directory-authority {} --accept-terms",
            self.port,
            authority.display()
        )
    }

    /// The file with the authority of the certificates that it issues.
    pub(crate) fn roots(&self) -> PathBuf {
        self.dir.path().join("roots.pem")
    }

    fn root(&self) -> Option<String> {
        let output = Command::new("curl")
            .args(["--silent", "--fail", "--max-time", "5", "--cacert"])
            .arg(self.dir.path().join("authority.pem"))
            .arg(format!("https://localhost:{}/roots/0", self.management))
            .output()
            .expect("curl runs");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.stop();
        let _ = self.names.kill();
        let _ = self.names.wait();
    }
}
