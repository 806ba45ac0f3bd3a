//! `askbridge pair`: pairs a person's device, or prints a person's token.

use std::io::{IsTerminal, stderr, stdout};

use fast_qr::QRBuilder;
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use crate::client::{Client, Error};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::reach::Reach;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge pair                          a link for your own phone or browser
  askbridge pair --name ada --role person
  ASKBRIDGE_TOKEN=$(askbridge pair --print-token) askbridge inbox
  askbridge pair --role bot --name nightly --print-token     a program that answers; the record says so

A person decides what is addressed to them; an operator may start agents as well.
A link works once, within ten minutes. Nothing that an agent started can make one. The first device is taken at its word;
a further one needs a tap on a device of that person, and this waits for it. Every device lost? In a terminal where you
signed in (over ssh, at the console) it goes on by itself after ten minutes, unless one of them denies it.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Who the device belongs to [default: you]
    #[arg(long)]
    name: Option<String>,
    /// What the device may do
    #[arg(long, value_enum, default_value = "operator")]
    role: Role,
    /// Print a token instead of a link
    #[arg(long)]
    print_token: bool,
    /// What to call the device that will hold the token
    #[arg(long, requires = "print_token")]
    device: Option<String>,
    /// Vouch that a person runs this, where there is no terminal
    #[arg(long)]
    yes_i_am_a_person: bool,
    /// Print JSON: {"link", "name"}, or {"token", "id", "name"}
    #[arg(long)]
    json: bool,
}

impl Args {
    /// A link for a device of the person at this machine.
    pub(crate) fn own_device(vouched: bool) -> Self {
        let (name, role, device) = (None, Role::Operator, None);
        Self { name, role, print_token: false, device, yes_i_am_a_person: vouched, json: false }
    }
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Role {
    Person,
    Operator,
    /// A program that answers under its own name; needs --name and --print-token
    Bot,
}

#[derive(Debug, Deserialize)]
struct PairingReply {
    secret: Option<String>,
    token: Option<String>,
    id: Option<String>,
    name: String,
    /// The URL at which people open the running server, if that is not its own address.
    public_url: Option<String>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    if matches!(args.role, Role::Bot) && (args.name.is_none() || !args.print_token) {
        let hint = "type `askbridge pair --role bot --name NAME --print-token`";
        return Err(Failure::usage("a bot has a name of its own and a token").hint(hint));
    }
    let body = json!({
        "name": args.name,
        "role": match args.role { Role::Person => "person", Role::Operator => "operator", Role::Bot => "bot" },
        "device": args.device,
        "i_am_a_person": args.yes_i_am_a_person,
        "token": args.print_token,
    });
    let made = Client::local(settings).with_tap(Method::POST, "/v1/pairings", &body).await;
    let made: PairingReply = made.map_err(refused)?.json()?;
    if let Some(token) = &made.token {
        let shown = json!({"token": token, "id": made.id, "name": made.name});
        print(&if args.json { shown.to_string() } else { token.clone() })?;
        let id = made.id.unwrap_or_default();
        if matches!(args.role, Role::Bot) {
            tell(&format!(
                "this token answers as the bot {}; take it back with `askbridge token revoke {id}`",
                visible(&made.name)
            ));
            return Ok(Exit::Good);
        }
        tell(&format!(
            "this token decides for {}; take it back with `askbridge token revoke {id}`",
            visible(&made.name)
        ));
        return Ok(Exit::Good);
    }
    let secret = made.secret.unwrap_or_default();
    // The running server may have other settings than this command sees, so its own take precedence.
    let public = made.public_url.as_deref().or(settings.top.public_url.as_deref());
    let reach = Reach::of(settings.served_address(), public);
    let link = format!("{}/#pair={secret}", reach.base);
    if args.json {
        print(&json!({"link": link, "name": made.name}).to_string())?;
        return Ok(Exit::Good);
    }
    tell(&format!("Open this on the device that {} will use. It works once, within ten minutes.", visible(&made.name)));
    print(&link)?;
    if stdout().is_terminal()
        && stderr().is_terminal()
        && let Ok(code) = QRBuilder::new(link).build()
    {
        tell(&code.to_str());
    }
    if let Some(hint) = reach.hint {
        tell(&format!("hint: {hint}"));
    }
    Ok(Exit::Good)
}

fn refused(error: Error) -> Failure {
    let hint = match &error {
        Error::Refused(problem) if problem.code == "agent_may_not_decide" => {
            "run `askbridge pair` in a terminal of your own"
        }
        Error::Refused(problem) if problem.code == "forbidden" => {
            "run `askbridge pair` in a terminal, or add `--yes-i-am-a-person`"
        }
        _ => return Failure::from(error),
    };
    Failure::from(error).hint(hint)
}
