//! `askbridge wait`: waits for a question that was asked with `--no-wait`, or elsewhere.

use super::report::report;
use super::wait::until_settled;
use crate::client::{Client, Error};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  id=$(askbridge ask \"Deploy now?\" -o Yes -o No --no-wait)
  make                                          do something else meanwhile
  answer=$(askbridge wait \"$id\")

What is printed and the exit codes are those of `askbridge ask`. Ending this with Ctrl-C leaves the question open.
Of an approval or a plan the decision is printed; everything but `allow` and `approve` ends with 10.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The whole id of the ask, as `askbridge ask --no-wait` prints it
    ask: String,
    /// Print the whole ask as JSON
    #[arg(long)]
    json: bool,
    /// The token that the question was asked with, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token)?;
    let is_an_id = args
        .ask
        .strip_prefix("ask_")
        .is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
    if !is_an_id {
        let hint = "`askbridge ask --no-wait` prints it, and so does `askbridge inbox --json`";
        return Err(Failure::usage(format!("`{}` is not the whole id of an ask", args.ask)).hint(hint));
    }
    // A server that cannot be reached now may not exist: do not wait for ever at a mistyped URL.
    if !client.is_home()
        && let Err(error @ (Error::Unreachable { .. } | Error::Untrusted { .. })) = client.get("/healthz").await
    {
        return Err(error.into());
    }
    report(&until_settled(&client, &args.ask).await?, args.json)
}
