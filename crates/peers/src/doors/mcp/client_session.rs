//! Finds the session that a request belongs to, and what people are shown about it.
//!
//! A client that never asks leaves nothing behind: what its handshake said is part of the session's name, which it
//! sends along from then on. So a restart loses nothing, and people see no empty sessions.

use askbridge_core::event::Settings;
use askbridge_core::ids::SessionId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::NAME;
use crate::rest;
use crate::uuid;
use crate::wish::Wish;

/// Bytes of each name that a client gives itself. Beyond: it is cut.
const NAME_BYTES_MAX: usize = 200;

/// The program at the other end, as it calls itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(rename = "t", default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(rename = "v", default, skip_serializing_if = "String::is_empty")]
    version: String,
    /// It can show forms to the person in front of it.
    #[serde(rename = "e", default, skip_serializing_if = "std::ops::Not::not")]
    elicits: bool,
}

impl Client {
    /// Reads what `initialize` says.
    pub(super) fn greeted(params: &Value) -> Self {
        let elicitation = &params["capabilities"]["elicitation"];
        // An empty object means forms.
        let elicits = elicitation.as_object().is_some_and(|kinds| kinds.is_empty() || kinds.contains_key("form"));
        Self { elicits, ..Self::read(&params["clientInfo"]) }
    }

    /// Reads `clientInfo`.
    pub(super) fn read(info: &Value) -> Self {
        let text = |name: &str| cut(info[name].as_str().unwrap_or_default().trim()).to_owned();
        Self { name: text("name"), title: text("title"), version: text("version"), elicits: false }
    }

    /// Claude Code may ask us for permissions, with a tool that is of no use to other clients.
    pub(super) fn is_claude_code(&self) -> bool {
        self.name.to_lowercase().starts_with("claude-code")
    }

    /// Claude Code moves a task to the background and tells its model that the answer is not the user's word (2.1.325).
    pub(super) fn takes_tasks(&self) -> bool {
        !self.is_claude_code()
    }

    fn shown(&self) -> &str {
        [self.title.as_str(), self.name.as_str()].into_iter().find(|name| !name.is_empty()).unwrap_or("an MCP client")
    }
}

/// Where the client works, as `askbridge mcp` sees it or as the client was configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Whereabouts {
    pub(super) folder: Option<String>,
    pub(super) branch: Option<String>,
    /// Separates sessions that would otherwise be the same.
    session: Option<String>,
    /// It uses stdio, where there are no headers.
    pub(super) is_stdio: bool,
    /// Whether a person is in front of it. `None`: unknown.
    pub(super) is_attended: Option<bool>,
}

impl Whereabouts {
    /// Reads the header, which is form-encoded: `folder=%2Fsrv%2Fapp&branch=main`.
    pub(super) fn read(header: Option<&str>) -> Self {
        let value = |name: &str| header.and_then(|header| rest::value(header, name)).filter(|text| !text.is_empty());
        Self {
            folder: value("folder"),
            branch: value("branch"),
            session: value("session"),
            is_stdio: value("transport").as_deref() == Some("stdio"),
            is_attended: value("attended").map(|said| said == "yes"),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct ClientSession {
    pub(super) session: SessionId,
    pub(super) client: Client,
    pub(super) whereabouts: Whereabouts,
}

impl ClientSession {
    /// A session for a client that has just introduced itself.
    pub(super) fn fresh(bits: u128, client: Client, whereabouts: Whereabouts) -> Self {
        Self { session: uuid::fresh_session(bits), client, whereabouts }
    }

    /// The session that a request names. `None`: no such name was ever given out.
    pub(super) fn named(id: &str, whereabouts: Whereabouts) -> Option<Self> {
        let (session, client) = id.split_once('.')?;
        let client = URL_SAFE_NO_PAD.decode(client).ok()?;
        Some(Self { session: session.parse().ok()?, client: serde_json::from_slice(&client).ok()?, whereabouts })
    }

    /// The session of a client that names none: the same for the same client, caller and folder.
    pub(super) fn of(caller: &str, client: Client, whereabouts: Whereabouts) -> Self {
        let parts = [Some(caller), Some(&client.name), whereabouts.folder.as_deref(), whereabouts.session.as_deref()];
        let text = parts.map(|part| format!("{:?}", part.unwrap_or_default())).join(" ");
        Self { session: uuid::session_of_text(&format!("mcp {text}")), client, whereabouts }
    }

    /// The name of the session, to be sent along with every request.
    pub(super) fn name(&self) -> String {
        let client = serde_json::to_vec(&self.client).expect("names have text keys");
        format!("{}.{}", self.session, URL_SAFE_NO_PAD.encode(client))
    }

    /// Whether the client has a window for a question that also waits on the phone.
    pub(super) fn shows_dialogs(&self) -> bool {
        self.client.is_claude_code() && self.client.elicits && self.whereabouts.is_attended != Some(false)
    }

    /// Moves to the next session, because this one was closed or is not ours.
    pub(super) fn move_on(&mut self) {
        self.session = SessionId(self.session.0.wrapping_add(1));
    }

    pub(super) fn start(&self) -> Wish {
        let Whereabouts { folder, branch, .. } = &self.whereabouts;
        let agent = self.client.shown().to_owned();
        let last = folder.as_deref().and_then(|folder| folder.trim_end_matches('/').rsplit('/').next());
        let title =
            last.filter(|last| !last.is_empty()).map_or_else(|| agent.clone(), |last| format!("{agent} in {last}"));
        let settings =
            Settings { title: Some(title), folder: folder.clone(), branch: branch.clone(), ..Settings::default() };
        Wish::Start {
            session: Some(self.session),
            door: NAME,
            agent: Some(agent),
            settings: Box::new(settings),
            host: None,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(NAME_BYTES_MAX)]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_name_of_a_session_says_who_it_was_given_to() {
        let client = Client::read(&json!({"name": "codex-mcp-client", "title": "Codex ü", "version": "0.166"}));
        let client_session = ClientSession::fresh(7, client.clone(), Whereabouts::default());
        let name = client_session.name();
        assert!(name.bytes().all(|byte| byte.is_ascii_graphic()), "{name}");
        let again = ClientSession::named(&name, Whereabouts::default()).unwrap();
        assert_eq!((again.session, again.client), (client_session.session, client));
        for other in ["", "x", "ses_x.e30", "ses_00000000000000000000000007", "ses_00000000000000000000000007.!"] {
            assert!(ClientSession::named(other, Whereabouts::default()).is_none(), "{other}");
        }
    }

    #[test]
    fn a_client_without_a_session_finds_the_same_one_again() {
        let client_session = |caller: &str, header: &str| {
            ClientSession::of(caller, Client::default(), Whereabouts::read(Some(header))).session
        };
        assert_eq!(client_session("ci", "folder=%2Fa"), client_session("ci", "folder=%2Fa"));
        let others = [
            client_session("ci", "folder=%2Fb"),
            client_session("di", "folder=%2Fa"),
            client_session("ci", "folder=%2Fa&session=2"),
        ];
        assert!(others.iter().all(|other| *other != client_session("ci", "folder=%2Fa")));
    }
}
