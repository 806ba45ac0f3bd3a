//! One caller of each kind, made as the server makes them.

use std::iter::successors;
use std::sync::Arc;

use askbridge_core::ids::PartyId;

use super::house::ADA;
use crate::auth::{Caller, Pinned, Role, Secret, TokenInfo, TokenRole};
use crate::chance::Chance;
use crate::server::App;
use crate::server::identify::{LocalPeer, local_caller};

/// Callers, each with the name of its column.
pub(super) struct Callers(pub(super) Vec<(&'static str, Caller)>);

impl Callers {
    pub(super) async fn of(app: &App) -> Self {
        let mut callers = Vec::new();
        for role in successors(Some(Role::Agent), |role| after(*role)) {
            callers.push((role.name(), with_role(app, role).await));
        }
        callers.push(("below", below(app)));
        callers.push(("loopback", Caller::without_token(ADA)));
        callers.push(("itself", Caller::ourselves()));
        Self(callers)
    }
}

/// The next role: names each one once.
fn after(role: Role) -> Option<Role> {
    match role {
        Role::Agent => Some(Role::Person),
        Role::Person => Some(Role::Operator),
        Role::Operator => Some(Role::Bot),
        Role::Bot => Some(Role::Local),
        Role::Local => Some(Role::Terminal),
        Role::Terminal => Some(Role::Unproven),
        Role::Unproven => None,
    }
}

async fn with_role(app: &App, role: Role) -> Caller {
    match role {
        Role::Agent => with_token(app, "ci", TokenRole::Agent).await,
        Role::Person => with_token(app, ADA, TokenRole::Person).await,
        Role::Operator => with_token(app, ADA, TokenRole::Operator).await,
        Role::Bot => with_token(app, "nightly", TokenRole::Bot).await,
        Role::Local => token_file(app).await,
        // Whether this process has a terminal, and of which kind, depends on how the test is run.
        Role::Terminal | Role::Unproven => Caller { role, device: "terminal".into(), ..below(app) },
    }
}

async fn with_token(app: &App, name: &str, role: TokenRole) -> Caller {
    let (secret, _) = app.tokens.make(name, "test", role, app.handle.now()).await.unwrap();
    app.tokens.caller(secret.reveal()).unwrap()
}

async fn token_file(app: &App) -> Caller {
    let (secret, now) = (Secret::fresh("ab", &Chance::seeded(1)), app.handle.now());
    let id = Caller::THIS_MACHINE.trim_start_matches("tok_").to_owned();
    let info = TokenInfo {
        id,
        name: ADA.into(),
        device: "file".into(),
        role: TokenRole::Local,
        made_at: now.0,
        connected_by: None,
    };
    app.tokens.keep(&secret, info, now).await.unwrap();
    let caller = app.tokens.caller(secret.reveal()).unwrap();
    assert_eq!(caller.party, PartyId::from(Caller::THIS_MACHINE));
    caller
}

/// This process, known as an agent, as a caller on the local socket.
fn below(app: &App) -> Caller {
    let pid = std::process::id();
    app.agents.announce(pid).unwrap();
    let peer = LocalPeer::new(Pinned::hold(pid).unwrap(), Arc::from(ADA));
    let caller = local_caller(app, &peer).unwrap();
    assert_eq!(caller.role, Role::Agent);
    caller
}
