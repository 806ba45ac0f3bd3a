//! Conversations as text files, one runner for every peer.
//!
//! A line that begins with `#` is a comment. The peer's inputs:
//!
//! ```text
//! knock /v1/ws?q=1 as ada          a new connection; `as` names the holder of the bearer token
//! < {"type":"ping"}                a text frame
//! header last-event-id c3          goes with the next request
//! <POST /path?query {"a":1}        a request: a connection of its own
//! <close 1006 it ended             the other side is gone
//! tell asked single                an event, by name, about an ask, by name (see `events` and `asks`)
//! tell asked_and_ruled single      the same ask, by an entry in which a rule settles it; `tell ruled single` follows
//! tell said "Good morning"         an event about a session
//! tell part single                 the first open asks, and more follow
//! tell snapshot single plan        open asks; `single+proposed` is an ask after an event
//! tell delta 1 0 "Hel"             block, offset, text; `tell delta elsewhere 1 0 "Hel"` in the other session
//! tell caught_up seen 3            everything so far was told; `seen`: how far the last connection came
//! tell displaced                   another connection took this one's place
//! tell looked elsewhere by 5       screen 5 of the same token looks at the other session; `away`: at none; without `by`: one of them
//! tell looked loaded to 12         one of its screens is sent the session's history up to the 12th `tell` line
//! tell whispered cancelled 3       another connection of the same dialect sent this
//! tell draft single {"text":"x"}   a draft; also `tell lagged`
//! tell snoozed single              the person hid an ask; also `tell shown_again single`, `tell devices`
//! tell gone                        the session was forgotten; `tell gone elsewhere`: the other one
//! reply 1 ok news view single      a receipt: news, late, ask NAME, view NAME, message N, caller NAME ROLE, token TEXT,
//!                                  terms SECONDS (that an ask would wait); or queued "…"
//!                                  of a session in which that waits (handed "…": and was handed over before); or session NAME… of one with these asks (`session
//!                                  allowing`: what other tools ask for is allowed; `at {…}`
//!                                  before either: what the door keeps with it, without spaces); or
//!                                  called STATUS BODY; or consulted {"deny": RULE, …}, what advisers say; or started; or finds sessions, finds folder PATH, finds kept NAME {…}, finds
//!                                  presence here (or left, never), finds counts 3 1, finds summaries 3/plan 0/default, finds
//!                                  nothing
//! reply 1 refused already_decided  a rejection by its code
//! choose empty_dismissals          what the operator decided, for the connections that follow
//! wake                             as when a socket opens
//! later 25s                        moves the clock, and wakes the peer if it is due
//! ```
//!
//! Its outputs are written below each of these: `> text`, `>200 type body`, `>chunk …` (`⏎` is a line's end), `? TAG
//! wish`, `query TAG …`, `watch …`, `whisper …`, `ends with …` (a session that is closed later), `+ "name" content` to
//! be stored, `~ BLOCK OFFSET text` that streams, `wake at +10s`, `hang up CODE reason`, `garbled CODE why`, `refuse
//! STATUS body`. Tags that count down from the highest are written `own0`, `own1`.
//!
//! A line may begin with the numbers of the sentences that it is based on: `§4 > text`, `§4,7 < text`. They are in
//! `facts.md` beside the transcripts. Where there is such a file, every frame has to cite one, and every sentence has
//! to be cited. `§0` marks our own choice, not a fact about the original; the page of the dialect says why.
//!
//! The runner keeps the inputs, writes the outputs anew, and compares the whole file. `BLESS=1` rewrites the file
//! instead; read the diff before you believe it.

mod cites;
mod diff;
mod run;
mod samples;
mod show;

use std::fs;
use std::path::{Path, PathBuf};

use askbridge_peers::listing::{Greeting, Hello};

pub use run::{Counted, run};
pub use samples::{rejection, told};

/// Opens a conversation: the `greet` of a listing.
pub type Greet = fn(&Hello<'_>) -> Greeting;

/// Checks every transcript in a folder.
pub fn check_folder(folder: impl AsRef<Path>, greet: Greet) {
    let folder = folder.as_ref();
    let mut files = list(folder);
    files.sort();
    assert!(!files.is_empty(), "there are no transcripts in {}", folder.display());
    let mut wrong: Vec<_> = files.iter().filter_map(|file| check_file(file, greet)).collect();
    wrong.extend(cites::check(folder, &files));
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites them)", wrong.join("\n"));
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("could not list {}: {error}", folder.display()));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "txt")).collect()
}

/// Returns the difference, if there is one.
fn check_file(file: &Path, greet: Greet) -> Option<String> {
    let name = file.display();
    let expected = fs::read_to_string(file).unwrap_or_else(|error| panic!("could not read {name}: {error}"));
    let actual = match run(&expected, greet) {
        Ok(actual) => actual,
        Err(why) => return Some(format!("{name}: {why}")),
    };
    if actual == expected {
        return None;
    }
    if blesses() {
        fs::write(file, actual).unwrap_or_else(|error| panic!("could not write {name}: {error}"));
        return None;
    }
    Some(format!("{name} no longer holds:\n{}", diff::diff(&expected, &actual)))
}

/// Should expectations be rewritten instead of compared?
#[expect(clippy::disallowed_methods, reason = "a switch for whoever runs the tests, read in this one place")]
pub fn blesses() -> bool {
    std::env::var("BLESS").is_ok_and(|value| value == "1")
}
