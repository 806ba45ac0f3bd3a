//! A certificate for an address. pebble has no profiles, and Let's Encrypt issues for addresses only with one, so the
//! ACME server is scripted here, from RFC 8555, RFC 8738 and the draft on profiles.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::home::Home;
use crate::https::{Https, certify_as};
use crate::nginx::free_port;
use crate::patience::until;

struct Scripted {
    child: Child,
    dir: TempDir,
    port: u16,
}

impl Scripted {
    /// Starts one that looks for proofs on this port.
    fn start(looks_at: u16, profiles: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        certify_as(dir.path(), "localhost");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/exposed/acme_server.py");
        let port = free_port();
        let mut command = Command::new("python3");
        command.arg(script).args([port.to_string(), looks_at.to_string(), profiles.to_owned()]);
        let log = std::fs::File::create(dir.path().join("log")).unwrap();
        command.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().unwrap();
        until("it listens", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        Self { child, dir, port }
    }

    fn flags(&self) -> String {
        let authority = self.dir.path().join("authority.pem");
        format!(
            "--directory https://localhost:{}/directory --directory-authority {} --accept-terms",
            self.port,
            authority.display()
        )
    }

    fn issuer(&self) -> PathBuf {
        self.dir.path().join("issuer.pem")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("log")).unwrap()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_address_gets_a_short_lived_certificate_with_a_proof_in_the_handshake() {
    let mut home = Home::start();
    let port = free_port();
    let acme = Scripted::start(port, "classic,shortlived");
    home.write_settings(&format!("authorities = \"{}\"\n", acme.issuer().display()));
    let flags = acme.flags();
    let http = free_port();
    let line = format!("acme --address 127.0.0.1 {flags} --https 127.0.0.1:{port} --http 127.0.0.1:{http} --no-pair");
    let ran = home.expose(&line);
    assert!(ran.stdout.contains(&format!("https://127.0.0.1:{port} answers")), "{}", ran.stdout);
    assert!(home.settings().contains("names = [\"127.0.0.1\"]\n"), "{}", home.settings());
    assert!(home.settings().contains("profile = \"shortlived\"\n"), "{}", home.settings());
    // It says what it saw: a name of the reverse lookup, the protocol, and the right digest.
    let log = acme.log();
    assert!(log.contains("proved 127.0.0.1 as 1.0.0.127.in-addr.arpa for profile shortlived"), "{log}");
    let https = Https { name: "127.0.0.1", port, authority: acme.issuer() };
    assert_eq!(https.get("/healthz", &[]).0, 200);
}

#[test]
fn a_server_without_that_profile_is_refused_with_those_that_it_has() {
    let home = Home::start();
    let port = free_port();
    let acme = Scripted::start(port, "classic");
    let line =
        format!("acme --address 127.0.0.1 {} --https 127.0.0.1:{port} --http 127.0.0.1:{}", acme.flags(), free_port());
    let ran = home.run(&format!("expose {line}"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("has no profile `shortlived`; it has classic"), "{}", ran.stderr);
    assert_eq!(home.settings(), "");
}
