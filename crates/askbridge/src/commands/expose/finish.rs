//! The end of every way: the server starts with the new settings, the address is asked from outside, a phone is paired.

use std::fs;
use std::time::{Duration, SystemTime};

use askbridge_bridge::outbound::Authorities;
use askbridge_config::Config;
use askbridge_core::limits;
use fast_qr::QRBuilder;
use tokio::time::{Instant, sleep};

use super::check::{Reached, ask_from_outside};
use super::lan;
use super::plan::Plan;
use crate::commands::pair;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::{Settings, trusted};

/// How often the address is asked.
const ASK_EVERY: Duration = Duration::from_secs(1);

pub(super) struct Finish<'a> {
    /// Have the settings changed? Then the server that runs does not know them.
    pub(super) changed: bool,
    pub(super) wait: bool,
    pub(super) pair: bool,
    pub(super) vouched: bool,
    pub(super) config: &'a Config,
}

pub(super) async fn finish(settings: &Settings, plan: &Plan, finishing: Finish<'_>) -> Result<Exit, Failure> {
    if finishing.changed {
        tell(
            "next: start askbridge again, so that it reads its settings: Ctrl-C and `askbridge` where it runs, or \
             `systemctl --user restart askbridge`",
        );
    }
    if !finishing.wait {
        tell(&format!("then: `askbridge expose` asks {} from outside, and `askbridge pair` pairs a phone", plan.url));
        return Ok(Exit::Good);
    }
    until_reached(settings, plan, &finishing).await?;
    print(&format!("{} answers, and it is this askbridge", plan.url))?;
    if plan.way == lan::WAY {
        lan::offer(settings, plan)?;
    }
    if !finishing.pair {
        return Ok(Exit::Good);
    }
    pair::run(settings, pair::Args::own_device(finishing.vouched)).await
}

/// Asks until the address leads here, and says once why it does not yet.
async fn until_reached(settings: &Settings, plan: &Plan, finishing: &Finish<'_>) -> Result<(), Failure> {
    let began = Instant::now();
    let (mut seen, mut told) = (String::new(), String::new());
    loop {
        let is_new = !finishing.changed || has_started_since(settings, finishing.config);
        let reached = ask_from_outside(settings, &plan.url, authorities(settings)?).await?;
        let why = match reached {
            Reached::Us if is_new => return Ok(()),
            Reached::Us => "it answers with the settings from before; start askbridge again".to_owned(),
            Reached::Not(why) => why,
        };
        if began.elapsed() > limits::EXPOSE_WAIT_MAX {
            let minutes = limits::EXPOSE_WAIT_MAX.as_secs() / 60;
            let what = format!("{} did not lead here within {minutes} minutes: {why}", plan.url);
            return Err(Failure::new(what).hint(
                "some routers let no machine call its own public address: try it on your phone without Wi-Fi. \
                 `askbridge doctor` asks again",
            ));
        }
        // Said when it is seen twice: a server that is just starting is half there for a moment.
        if seen == why && told != why {
            tell(&format!("waiting for {}: {}", plan.url, visible(&why)));
            told.clone_from(&why);
        }
        seen = why;
        sleep(ASK_EVERY).await;
    }
}

/// The authorities that devices trust who open it: ours, if we are one, and those that the person names for commands.
pub(crate) fn authorities(settings: &Settings) -> Result<Authorities, Failure> {
    if let Some(path) = &*settings.top.authorities {
        return trusted(path, "authorities");
    }
    let root = settings.tls_folder().join("lan/root.pem");
    match root.is_file() {
        true => trusted(&root, "tls.authority"),
        false => Ok(Authorities::default()),
    }
}

/// A starting server writes its address after it has read the settings.
fn has_started_since(settings: &Settings, config: &Config) -> bool {
    let modified = |path: &std::path::Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    let changed = config.file.as_deref().and_then(modified);
    match (modified(&settings.address_file()), changed) {
        (Some(started), Some(changed)) => started >= changed,
        _ => false,
    }
}

/// Shows an address as a code for a camera, below it as text.
pub(super) fn show_code(url: &str) -> Result<(), Failure> {
    if let Ok(code) = QRBuilder::new(url).build() {
        tell(&code.to_str());
    }
    Ok(print(url)?)
}
