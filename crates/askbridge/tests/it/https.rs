//! An https address that a server is opened at, as a browser or curl on another machine uses it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// The name that the guides use.
pub(crate) const NAME: &str = "ask.example.org";

/// A name, on a port of this machine.
pub(crate) struct Https {
    pub(crate) name: &'static str,
    pub(crate) port: u16,
    /// The file of the authority that signed its certificate.
    pub(crate) authority: PathBuf,
}

impl Https {
    pub(crate) fn url(&self) -> String {
        format!("https://{}:{}", self.name, self.port)
    }

    /// Fetches a path as a browser on another machine would. Returns the status and the text.
    pub(crate) fn get(&self, path: &str, headers: &[&str]) -> (u16, String) {
        let mut command = self.curl(path);
        command.args(["--max-time", "20", "--write-out", "\n%{http_code}"]);
        for header in headers {
            command.args(["--header", header]);
        }
        let output = command.output().expect("curl runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (text, status) = text.rsplit_once('\n').unwrap_or_default();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (status.parse().expect("a status"), text.to_owned())
    }

    /// Returns a curl command for a path.
    pub(crate) fn curl(&self, path: &str) -> Command {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--no-buffer", "--cacert"]).arg(&self.authority);
        let Self { name, port, .. } = self;
        command.arg("--resolve").arg(format!("{name}:{port}:127.0.0.1")).arg(format!("{}{path}", self.url()));
        command
    }
}

/// Writes an authority and a certificate for [`NAME`], under the names of the guides. Returns the authority's file.
pub(crate) fn certify(folder: &Path) -> PathBuf {
    certify_as(folder, NAME)
}

/// The same for another name.
pub(crate) fn certify_as(folder: &Path, name: &str) -> PathBuf {
    let key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new([]).expect("no names");
    // Named differently from the certificate, which would otherwise count as self-signed.
    authority.distinguished_name.push(DnType::CommonName, "an authority of the tests");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let signed = authority.self_signed(&key).expect("signed");
    fs::write(folder.join("authority.pem"), signed.pem()).expect("it can be written");
    let issuer = Issuer::new(authority, key);
    let own = KeyPair::generate().expect("a key");
    let names = vec![name.to_owned(), "localhost".to_owned()];
    let certificate = CertificateParams::new(names).and_then(|params| params.signed_by(&own, &issuer)).expect("signed");
    fs::write(folder.join("fullchain.pem"), certificate.pem()).expect("it can be written");
    fs::write(folder.join("privkey.pem"), own.serialize_pem()).expect("it can be written");
    folder.join("authority.pem")
}
