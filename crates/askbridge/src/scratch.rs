//! A temporary server in a temporary folder, for the demo and the doctor.

use tempfile::TempDir;

use crate::failure::Failure;
use askbridge_bridge::server::Handed;

use crate::served::Served;
use crate::settings::Settings;

/// The folder is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) settings: Settings,
    pub(crate) served: Served,
    folder: TempDir,
}

impl Scratch {
    pub(crate) async fn start(settings: &Settings, what: &str) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix(&format!("askbridge-{what}-")).tempdir()?;
        let settings = settings.scratch(&folder.path().join("data"));
        let served = Served::start(&settings, Handed::default(), false).await?;
        Ok(Self { settings, served, folder })
    }

    pub(crate) async fn stop(self) {
        self.served.stop(true).await;
        drop(self.folder);
    }
}
