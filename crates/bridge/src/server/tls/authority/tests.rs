//! What OpenSSL and rustls think of the authority.

use std::process::Command;

use super::*;
use crate::server::tls::certificate::Certificate;
use crate::server::tls::{TlsFiles, Validity};

const NOW: Timestamp = Timestamp(1_795_046_400_000);

struct Made {
    folder: tempfile::TempDir,
    authority: Authority,
}

fn made(names: &[&str]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority { folder: folder.path().join("tls/lan") };
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    authority.make(&names, "desk", NOW, &Chance::System).unwrap();
    Made { folder, authority }
}

impl Made {
    fn openssl(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("openssl").args(arguments).current_dir(&self.authority.folder).output();
        let output = output.expect("openssl runs");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.success(), said)
    }

    /// Verifies a certificate of this authority as a server's, at the time at which it was made.
    fn verify(&self, file: &str, more: &[&str]) -> (bool, String) {
        let at = (NOW.0 / 1000).to_string();
        let common = ["verify", "-x509_strict", "-purpose", "sslserver", "-attime", &at, "-CAfile", "root.pem"];
        let chain = ["-untrusted", "intermediate.pem"];
        self.openssl(&[&common[..], &chain, more, &[file]].concat())
    }

    /// Signs a certificate for another name with the intermediate's key, as a thief would.
    fn stolen(&self, name: &str) {
        let kept = Kept { names: vec![name.to_owned()], ..self.authority.kept().unwrap() };
        let key = KeyPair::from_pem(&read(&self.authority.folder.join("intermediate-key.pem")).unwrap()).unwrap();
        let issuer = Issuer::new(intermediate(&self.authority.kept().unwrap()), key);
        let own = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(kept.names).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let params = with_dates(params, NOW, Duration::days(DAYS), &Chance::System);
        let certificate = params.signed_by(&own, &issuer).unwrap();
        fs::write(self.authority.folder.join("stolen.pem"), certificate.pem()).unwrap();
    }
}

#[test]
fn openssl_verifies_the_certificate_for_our_names_and_finds_it_valid_for_no_other() {
    let made = made(&["desk.local", "192.168.1.5", "fd00::5"]);
    for ours in [["-verify_hostname", "desk.local"], ["-verify_ip", "192.168.1.5"], ["-verify_ip", "fd00::5"]] {
        let (is_good, said) = made.verify("certificate.pem", &ours);
        assert!(is_good, "{ours:?}: {said}");
    }
    let (is_good, said) = made.verify("certificate.pem", &["-verify_hostname", "other.local"]);
    assert!(!is_good && said.contains("hostname mismatch"), "{said}");
    let (_, text) = made.openssl(&["x509", "-in", "root.pem", "-noout", "-text"]);
    for line in ["Name Constraints: critical", "DNS:desk.local", "IP:192.168.1.5/255.255.255.255", "CA:TRUE, pathlen:1"]
    {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn a_name_outside_the_constraints_fails_even_if_the_key_that_we_keep_signs_it() {
    let all = ["desk.local", "192.168.1.5", "fd00::5"];
    for (names, ours, others) in [
        (&all[..], "sub.desk.local", &["bank.example", "local", "192.168.1.6", "fd00::6"][..]),
        (&all[..1], "desk.local", &["bank.example", "192.168.1.5", "fd00::5"]),
        (&all[1..2], "192.168.1.5", &["bank.example", "desk.local", "192.168.1.6", "fd00::5"]),
    ] {
        let made = made(names);
        made.stolen(ours);
        let (is_good, said) = made.verify("stolen.pem", &[]);
        assert!(is_good, "{names:?} {ours}: {said}");
        for other in others {
            made.stolen(other);
            let (is_good, said) = made.verify("stolen.pem", &[]);
            let is_constrained =
                said.contains("permitted subtree violation") || said.contains("excluded subtree violation");
            assert!(!is_good && is_constrained, "{names:?} {other}: {said}");
        }
    }
}

#[test]
fn the_key_of_the_root_is_nowhere_and_the_others_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let made = made(&["desk.local"]);
    let (_, root) = made.openssl(&["x509", "-in", "root.pem", "-noout", "-pubkey"]);
    for entry in fs::read_dir(&made.authority.folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
        if !fs::read_to_string(&path).unwrap().contains("PRIVATE KEY") {
            continue;
        }
        let (is_key, public) = made.openssl(&["pkey", "-in", path.to_str().unwrap(), "-pubout"]);
        assert!(is_key && public.contains("PUBLIC KEY") && public != root, "{path:?}");
    }
    drop(made.folder);
}

#[test]
fn a_renewed_certificate_is_under_the_same_root_and_valid_for_397_days() {
    let made = made(&["desk.local"]);
    let before = fs::read_to_string(made.authority.certificate()).unwrap();
    let root = fs::read_to_string(made.authority.root()).unwrap();
    let later = NOW.plus(std::time::Duration::from_secs(300 * 24 * 60 * 60));
    made.authority.renew(later, &Chance::System).unwrap();
    assert_ne!(fs::read_to_string(made.authority.certificate()).unwrap(), before);
    assert_eq!(fs::read_to_string(made.authority.root()).unwrap(), root);
    let (is_good, said) = {
        let at = (later.0 / 1000).to_string();
        made.openssl(&[
            "verify",
            "-attime",
            &at,
            "-CAfile",
            "root.pem",
            "-untrusted",
            "intermediate.pem",
            "-verify_hostname",
            "desk.local",
            "certificate.pem",
        ])
    };
    assert!(is_good, "{said}");
    let files = TlsFiles { certificate: made.authority.certificate(), key: made.authority.certificate() };
    let read = Certificate::read(&files).unwrap();
    assert!(read.is_for("desk.local") && !read.is_for("other.local"));
    let Validity { from, until } = read.validity;
    assert_eq!(until.since(from), std::time::Duration::from_secs(397 * 24 * 60 * 60));
    let (_, said) = made.openssl(&["x509", "-in", "certificate.pem", "-noout", "-checkend", "0"]);
    assert!(said.contains("Certificate will not expire"), "{said}");
}
