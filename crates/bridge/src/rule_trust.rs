//! Rules that say yes are put in force once a person has agreed to them.
//!
//! An agent runs as the user whose file it is, so it could write a rule that allows what it wants. Therefore, once a
//! device is paired, a file with rules that allow, answer or set a quorum, or that trusts a folder, counts only after a tap on a
//! paired device agreed to this very text. Until then the rules before it stay in force; at a start, the other rules of the file. A
//! file without such rules needs no tap.

use std::collections::BTreeSet;

use askbridge_core::limits;
use askbridge_core::rules::asks::AskRule;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_policy::PROJECT_FILE;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::auth::{hash, hex};
use crate::rule_file::{RulesRead, put, put_without_yes};
use crate::runtime::{RulesState, chain};
use crate::server::{App, Purpose, TapRequest, tapped, withdraw_tap};

/// Where the digest of the text that was agreed to is stored.
const ACCEPTED: &str = "rules/accepted";
/// Bytes of rules that a tap shows. Beyond: it says how many more there are.
const SHOWN_BYTES_MAX: usize = 32 * 1024;

/// A version of the rules that waits for a tap. Dropped when a newer one comes.
#[derive(Debug)]
pub(crate) struct Pending(CancellationToken);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Puts rules in force, at once or after a tap. Returns what waits for the tap.
pub(crate) async fn take_over(app: &App, read: RulesRead, is_start: bool) -> Option<Pending> {
    let (yes, digest) = (yes(&read), digest(&read));
    if yes.is_empty() || !app.tokens.taps_are_needed() || is_accepted(app, &digest).await {
        if !yes.is_empty() {
            accept(app, &digest).await;
        }
        put(app, read);
        return None;
    }
    if is_start {
        put_without_yes(app, &read);
    }
    let state = app.handle.rules.state();
    app.handle.rules.set_state(RulesState { waits_for_tap: true, problems: Vec::new(), ..state });
    info!(rules = yes.len(), "The rules that allow or answer wait for a tap on a paired device");
    let superseded = CancellationToken::new();
    let (waiting, task_app) = (superseded.clone(), app.clone());
    app.tasks.spawn(async move { wait(&task_app, read, yes, digest, waiting).await });
    Some(Pending(superseded))
}

async fn wait(app: &App, read: RulesRead, yes: Vec<String>, digest: String, superseded: CancellationToken) {
    let file = read.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let request = TapRequest::by_a_file(Purpose::Rules { digest: digest.clone(), file, yes });
    let agreed = tokio::select! {
        biased;
        () = superseded.cancelled() => {
            withdraw_tap(app, &request, "the rules have changed again").await;
            return;
        }
        agreed = tapped(app, request.clone(), limits::TAP_WAIT) => agreed,
    };
    match agreed {
        Ok(()) => {
            accept(app, &digest).await;
            put(app, read);
        }
        Err(_) if app.stop.is_cancelled() => {}
        Err(why) => {
            warn!(why = why.0.detail, "The changed rules are not in force");
            let state = app.handle.rules.state();
            let problem = read.not_agreed(&why.0.detail);
            app.handle.rules.set_state(RulesState { waits_for_tap: false, problems: vec![problem], ..state });
        }
    }
}

/// The rules that say yes, as they stand in the file, up to the next rule: a name could say anything.
fn yes(read: &RulesRead) -> Vec<String> {
    let lines: Vec<_> = read.text.lines().collect();
    let begins = |rule: &AskRule| rule.place.as_ref().map_or(0, |place| (place.line as usize).saturating_sub(1));
    let begin: BTreeSet<_> = read.set.rules().filter(|rule| rule.place.is_some()).map(begins).collect();
    let yes: BTreeSet<_> = read.set.rules().filter(|rule| rule.needs_a_tap()).map(begins).collect();
    let (mut shown, mut bytes, mut left_out) = (trusted(read), 0, 0);
    for from in yes {
        let to = begin.range(from + 1..).next().copied().unwrap_or(lines.len());
        let text = lines.get(from..to).unwrap_or_default().join("\n").trim().to_owned();
        bytes += text.len();
        match bytes <= SHOWN_BYTES_MAX {
            true => shown.push(text),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        shown.push(format!("And {left_out} more, which do not fit here: read the file before you allow it."));
    }
    shown
}

/// The folders whose own rule files may say yes: in them, every program that can write the file decides.
fn trusted(read: &RulesRead) -> Vec<String> {
    if read.trusted.is_empty() {
        return Vec::new();
    }
    let folders: Vec<_> = read.trusted.iter().map(|folder| format!("{folder:?}")).collect();
    let line = format!("trusted = [{}]", folders.join(", "));
    vec![format!("{line}\n# {PROJECT_FILE} in these folders may allow and answer, also if an agent wrote it.")]
}

fn digest(read: &RulesRead) -> String {
    hex(&hash(&read.text))
}

async fn is_accepted(app: &App, digest: &str) -> bool {
    let kept = app.handle.store.own().get(ACCEPTED, app.handle.clock.now()).await;
    kept.is_ok_and(|kept| kept.is_some_and(|kept| *kept.value == *digest.as_bytes()))
}

async fn accept(app: &App, digest: &str) {
    let now = app.handle.clock.now();
    if let Err(error) = app.handle.store.own().put(ACCEPTED, digest.as_bytes(), Expect::Any, None, now).await {
        warn!(error = chain(&error), "Could not remember that these rules were agreed to; the next start asks again");
    }
}
