//! The texts of a tap: what is wanted, and which process wants it.

use std::path::Path;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_core::visible::spell_out;
use askbridge_peers::json::Rfc3339;
use serde_json::{Value, json};

use super::request::{Purpose, TapRequest};
use crate::auth::{Ancestry, Origin, TokenRole, command_line, look_up};

/// Prefixes of our secrets: a command line may hold one, and a tap is stored.
const SECRETS: [&str; 2] = ["ab_", "pair_"];

/// The texts of one tap.
pub(super) struct Words {
    /// One line: what is wanted.
    pub(super) title: String,
    /// Why a person is asked, and what follows from it.
    pub(super) reason: String,
    pub(super) input: Value,
}

/// `code`: what a machine shows that wants to be connected.
pub(super) fn words(request: &TapRequest, goes_on_at: Option<Timestamp>, code: Option<&str>) -> Words {
    let (title, holds) = match &request.purpose {
        Purpose::Decide { name } => (
            format!("Decide as {} from a terminal of this machine", plain(name)),
            "If you allow it, everything that is typed into this shell may answer and approve as you until the shell ends.",
        ),
        Purpose::Pair { name, role: TokenRole::Operator } => (
            format!("Pair a device of {}, which may also start agents", plain(name)),
            "If you allow it, the holder of the new link or token may answer and approve as this person, and start agents.",
        ),
        Purpose::Pair { name, role: TokenRole::Bot } => (
            format!("Let a program answer by itself, as the bot {}", plain(name)),
            "If you allow it, that program may answer and approve what agents ask, without you. Each of its answers says so.",
        ),
        Purpose::Pair { name, .. } => (
            format!("Pair a device of {}", plain(name)),
            "If you allow it, the holder of the new link or token may answer and approve as this person.",
        ),
        Purpose::Revoke { name, device, .. } => (
            format!("Revoke the token of {} ({})", plain(name), plain(device)),
            "If you allow it, that device is a stranger from then on.",
        ),
        Purpose::Channel { person, kind, to } => (
            format!("Let {} be reached over {} ({})", plain(person), plain(kind), plain(to)),
            "If you allow it, questions are sent there, and what is tapped there may count as this person's decision.",
        ),
        Purpose::RemoveChannel { person, kind, to } => (
            format!("Stop reaching {} over {} ({})", plain(person), plain(kind), plain(to)),
            "If you allow it, nothing rings there any longer.",
        ),
        Purpose::Rules { .. } => (
            "Put changed rules in force".to_owned(),
            "If you allow it, these rules allow or answer what agents ask, without you. Each of their answers says so.",
        ),
        Purpose::Connect { machine, .. } => (
            format!("Let the machine {} ask here", plain(machine)),
            "If you allow it, agents and scripts of that machine may ask you, and read what you answer them; they never decide.",
        ),
        Purpose::SwitchOff => (
            "Switch taps off".to_owned(),
            "If you allow it, programs on this machine may pair devices and decide without asking you here.",
        ),
    };
    let mut reason = match &request.purpose {
        Purpose::Rules { .. } => {
            format!("The rule file has changed. {holds} If you did not change it yourself, deny it.")
        }
        Purpose::Connect { .. } => format!(
            "A machine on the network wants this; nothing vouches for its name. {holds} Allow it only if you have just typed \
             `askbridge connect` there, and it shows the code {}.",
            code.unwrap_or_default()
        ),
        _ => format!("A program on this machine wants this. {holds} If you did not start it yourself, deny it."),
    };
    if let Some(at) = goes_on_at {
        reason.push_str(&format!(
            " It comes from a terminal below a login, and goes on by itself at {}, unless you deny it: for the case \
             that every device is lost.",
            Rfc3339(at)
        ));
    }
    let mut input = json!({"wants": title});
    match (&request.origin, &request.purpose) {
        (_, Purpose::Rules { file, yes, .. }) => {
            input["file"] = json!(plain(file));
            input["rules"] = json!(spell_out(&yes.join("\n\n"), &['\n', '\t']));
        }
        (_, Purpose::Connect { machine, .. }) => {
            input["machine"] = json!(plain(machine));
            input["code"] = json!(code);
            input["from"] = json!(request.from.map(|from| match from.to_canonical().is_loopback() {
                true => format!("{from}: this machine, or a proxy or tunnel that ends here"),
                false => from.to_string(),
            }));
        }
        (Some(origin), _) => describe(origin, &mut input),
        (None, _) => input["from"] = json!("a program with the token file, over the network of this machine"),
    }
    if let Some(at) = goes_on_at {
        input["goes_on_without_you_at"] = json!(Rfc3339(at).to_string());
    }
    Words { title, reason, input }
}

/// Says which process it is, below which, and at which terminal.
fn describe(origin: &Origin, input: &mut Value) {
    let Some(process) = origin.line.first() else { return };
    input["program"] = json!(command(process.pid));
    input["process"] = json!(process.pid);
    let below: Vec<_> = origin.line.iter().skip(1).map(|parent| name(parent.pid)).collect();
    input["below"] = json!(below.join(" < "));
    let terminal = look_up(process.pid).and_then(|kin| kin.terminal_name());
    input["terminal"] = json!(terminal.unwrap_or_else(|| "none".to_owned()));
    if let Some(shell) = origin.shell {
        input["shell"] = json!(format!("{} ({})", name(shell.pid), shell.pid));
    }
    let seen = match origin.ancestry {
        Ancestry::LoginTerminal => "below a login",
        _ => "not below a login that could be followed",
    };
    input["began"] = json!(seen);
}

/// The command line of a process, shortened, with no invisible characters.
fn command(pid: u32) -> String {
    let words = command_line(pid);
    let words = words.iter().map(|word| match SECRETS.iter().any(|secret| word.contains(secret)) {
        true => "…".to_owned(),
        false => plain(word),
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(limits::TAP_COMMAND_CHARS_MAX).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}

fn name(pid: u32) -> String {
    let line = command_line(pid);
    let name = line.first().and_then(|first| Path::new(first.split(' ').next()?).file_name()?.to_str());
    name.map_or_else(|| pid.to_string(), plain)
}

/// Escapes characters that a screen would not show, or would show as something else.
fn plain(text: &str) -> String {
    spell_out(text, &[])
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_command_line_is_cut_and_keeps_no_secret() {
        let long = "x".repeat(limits::TAP_COMMAND_CHARS_MAX * 2);
        let mut command = Command::new("sh");
        // It prints that it has started, and runs until its input ends.
        command
            .args(["-c", "echo; read x", "sh", "--token=ab_123", &long])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let shown = super::command(child.id());
        assert!(shown.starts_with("sh -c echo; read x sh … xxx") && shown.ends_with("x…"), "{shown}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
