//! Renews the certificate before it expires, as long as the server runs. The new one is in force within a second
//! (`files.rs`), and no connection is dropped for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::acme::{Acme, AcmeError};
use super::authority::{Authority, AuthorityError};
use super::challenges::Challenges;
use super::files::{Tls, TlsFiles};
use super::keep::keep;
use crate::chance::Chance;
use crate::clock::Clock;
use crate::runtime::chain;

/// Where certificates come from.
#[derive(Debug, Clone)]
pub enum CertificateSource {
    Acme(Acme),
    /// An authority of our own.
    Authority(Authority),
    Tailscale(Tailscale),
}

/// Tailscale's program obtains the certificate of this machine in its tailnet.
#[derive(Debug, Clone)]
pub struct Tailscale {
    pub name: String,
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum RenewalError {
    #[error(transparent)]
    Acme(#[from] AcmeError),
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    #[error("`tailscale cert` could not be run")]
    NoTailscale(#[source] std::io::Error),
    #[error("`tailscale cert` failed: {0}")]
    Tailscale(String),
}

impl CertificateSource {
    /// The files that the server serves.
    pub fn files(&self) -> TlsFiles {
        match self {
            Self::Acme(acme) => TlsFiles { certificate: acme.certificate(), key: acme.certificate() },
            Self::Authority(authority) => {
                TlsFiles { certificate: authority.certificate(), key: authority.certificate() }
            }
            Self::Tailscale(Tailscale { certificate, key, .. }) => {
                TlsFiles { certificate: certificate.clone(), key: key.clone() }
            }
        }
    }

    /// What the certificate has to be for. Empty: nothing is known of it.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Acme(acme) => acme.names.clone(),
            Self::Authority(authority) => authority.names().unwrap_or_default(),
            Self::Tailscale(Tailscale { name, .. }) => vec![name.clone()],
        }
    }

    /// Obtains a certificate, now.
    pub async fn obtain(&self, challenges: &Challenges, clock: &Clock, chance: &Chance) -> Result<(), RenewalError> {
        match self {
            Self::Acme(acme) => Ok(acme.obtain(challenges).await?),
            Self::Authority(authority) => Ok(authority.renew(clock.now(), chance)?),
            Self::Tailscale(tailscale) => tailscale.obtain().await,
        }
    }
}

impl Tailscale {
    async fn obtain(&self) -> Result<(), RenewalError> {
        let mut command = Command::new("tailscale");
        command.arg("cert").arg("--min-validity").arg("720h");
        command.arg("--cert-file").arg(&self.certificate).arg("--key-file").arg(&self.key).arg(&self.name);
        command.stdin(std::process::Stdio::null()).kill_on_drop(true);
        let ran = timeout(limits::ACME_ORDER_MAX, command.output()).await;
        let ran = ran.map_err(|_| RenewalError::Tailscale("it did not end in time".to_owned()))?;
        let output = ran.map_err(RenewalError::NoTailscale)?;
        match output.status.success() {
            true => Ok(()),
            false => Err(RenewalError::Tailscale(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    }
}

/// What became of the last renewal, for the doctor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenewalState {
    /// When it was tried, in milliseconds since 1970.
    pub tried_at: i64,
    /// How often in a row it has failed since then. 0: it worked.
    pub failures: u32,
    /// Why it failed.
    pub why: Option<String>,
    /// When it is tried again.
    pub again_at: Option<i64>,
}

impl RenewalState {
    /// Beside the certificate.
    pub fn file(files: &TlsFiles) -> PathBuf {
        files.certificate.with_file_name("renewal.json")
    }

    /// Reads it. `None`: nothing was renewed yet.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// Renews what `source` provides whenever it is time, until `stop`.
pub(in crate::server) async fn renew(
    source: CertificateSource,
    tls: Arc<Tls>,
    (clock, chance): (Clock, Chance),
    stop: CancellationToken,
) {
    let state_file = RenewalState::file(&source.files());
    // A restart does not make us more eager than the server of the other side allows.
    let mut state = RenewalState::read(&state_file).unwrap_or_default();
    loop {
        let at = due(&source, &state);
        while clock.now() < at {
            tokio::select! {
                () = stop.cancelled() => return,
                () = clock.sleep_until(at) => {}
            }
        }
        let obtained = tokio::select! {
            () = stop.cancelled() => return,
            obtained = source.obtain(tls.challenges(), &clock, &chance) => obtained,
        };
        let now = clock.now();
        state = match obtained {
            Ok(()) => {
                info!("The certificate was renewed");
                RenewalState { tried_at: now.0, ..RenewalState::default() }
            }
            Err(error) => {
                let failures = state.failures.saturating_add(1);
                let (first, asked) = match &error {
                    RenewalError::Acme(error) if error.is_passing() => (limits::RENEWAL_WAIT_UNREACHED, None),
                    RenewalError::Acme(error) => (limits::RENEWAL_WAIT_FIRST, error.again_after()),
                    _ => (limits::RENEWAL_WAIT_FIRST, None),
                };
                let wait = wait(&source, first, failures, &chance).max(asked.unwrap_or_default());
                let why = chain(&error);
                warn!(error = why, failures, again_after_s = wait.as_secs(), "The certificate could not be renewed");
                RenewalState { tried_at: now.0, failures, why: Some(why), again_at: Some(now.plus(wait).0) }
            }
        };
        let written = serde_json::to_string_pretty(&state).expect("texts and numbers can be written");
        if let Err(error) = keep(&state_file, &written) {
            warn!(%error, "What became of the renewal could not be written down");
        }
    }
}

/// When to try next.
fn due(source: &CertificateSource, state: &RenewalState) -> Timestamp {
    let now_if_not_for = |names: &[String]| !Tls::covers(&source.files(), names).unwrap_or(false);
    let by_certificate = match Tls::validity(&source.files()) {
        // Other names were configured since.
        Ok(_) if now_if_not_for(&source.names()) => Timestamp(0),
        Ok(validity) => validity.renewed_at(),
        Err(_) => Timestamp(0),
    };
    match state.again_at {
        Some(again) => Timestamp(again.max(by_certificate.0)),
        None if by_certificate.0 > state.tried_at => by_certificate,
        // What was just obtained is due at once: the other side issues what is nearly over. It is not asked without end.
        None => Timestamp(state.tried_at).plus(limits::RENEWAL_WAIT_MIN),
    }
}

/// How long to wait after so many failures: twice as long each time, and never more than a thirtieth of the
/// certificate's time, so that several tries are left. A tenth of it is by chance.
fn wait(source: &CertificateSource, first: Duration, failures: u32, chance: &Chance) -> Duration {
    let doubled = first.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let lifetime = Tls::validity(&source.files()).map_or(i64::MAX, |validity| validity.lifetime_ms());
    let thirtieth = Duration::from_millis(u64::try_from(lifetime / 30).unwrap_or(u64::MAX));
    let wait = doubled.min(limits::RENEWAL_WAIT_MAX).min(thirtieth).max(limits::RENEWAL_WAIT_MIN);
    wait.mul_f64(0.9 + (chance.u64() % 1000) as f64 / 5000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(folder: &Path) -> CertificateSource {
        let authority = Authority { folder: folder.to_owned() };
        authority.make(&["desk.local".to_owned()], "desk", Timestamp(1_795_046_400_000), &Chance::System).unwrap();
        CertificateSource::Authority(authority)
    }

    #[test]
    fn a_certificate_is_renewed_when_a_third_of_its_time_is_left_or_at_once_if_it_cannot_be_served() {
        let folder = tempfile::tempdir().unwrap();
        let source = own(folder.path());
        let validity = Tls::validity(&source.files()).unwrap();
        assert_eq!(due(&source, &RenewalState::default()), validity.renewed_at());
        let failed = RenewalState { again_at: Some(validity.until.0), ..RenewalState::default() };
        assert_eq!(due(&source, &failed), validity.until, "a back-off outlives a restart");
        std::fs::write(source.files().certificate, "half a fi").unwrap();
        assert_eq!(due(&source, &RenewalState::default()), Timestamp(0).plus(limits::RENEWAL_WAIT_MIN));
    }

    #[test]
    fn the_wait_after_failures_doubles_and_leaves_time_for_more_tries() {
        let folder = tempfile::tempdir().unwrap();
        let source = own(folder.path());
        let (first, most) = (limits::RENEWAL_WAIT_FIRST, limits::RENEWAL_WAIT_MAX);
        let chance = Chance::seeded(1);
        for (failures, around) in [(1, first), (2, first * 2), (4, first * 8), (40, most)] {
            let wait = wait(&source, first, failures, &chance);
            assert!(wait >= around.mul_f64(0.9) && wait <= around.mul_f64(1.1), "{failures}: {wait:?}");
        }
    }

    #[tokio::test]
    async fn the_server_renews_its_own_authoritys_certificate_in_time_and_serves_it() {
        let folder = tempfile::tempdir().unwrap();
        let source = own(folder.path());
        let before = Tls::validity(&source.files()).unwrap();
        let tls = Arc::new(Tls::open(source.files()).unwrap());
        let manual = crate::clock::Manual::new(before.renewed_at());
        let stop = CancellationToken::new();
        let clock = Clock::Manual(manual);
        let renewing = tokio::spawn(renew(source.clone(), Arc::clone(&tls), (clock, Chance::System), stop.clone()));
        let renewed = async {
            while Tls::validity(&source.files()).unwrap() == before || !RenewalState::file(&source.files()).is_file() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), renewed).await.unwrap();
        assert!(Tls::validity(&source.files()).unwrap().until > before.until);
        assert_eq!(RenewalState::read(&RenewalState::file(&source.files())).unwrap().failures, 0);
        stop.cancel();
        renewing.await.unwrap();
    }
}
