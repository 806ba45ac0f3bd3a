//! Checks running agents: whether the server knows each of them and its session.

use askbridge_bridge::hosts::{RunningAgent, running_agents};
use serde::Deserialize;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::{Client, Error};

#[derive(Deserialize)]
struct Session {
    process: String,
    title: Option<String>,
}

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let folder = patient.settings.host_options().folder;
    let agents = match running_agents(&folder) {
        Ok(agents) if agents.is_empty() => return vec![Finding::good("no agent runs")],
        Ok(agents) => agents,
        Err(error) => {
            let hint = format!("make it readable: `chmod 700 '{}'`", folder.display());
            return vec![Finding::bad(format!("could not look for agents that run: {error}"), hint)];
        }
    };
    if !patient.is_served() {
        return agents.iter().map(|agent| unowned(agent, "askbridge is not running")).collect();
    }
    let client = Client::local(&patient.settings);
    let mut findings = Vec::new();
    for agent in &agents {
        let session = client.get(&format!("/v1/sessions/{}", agent.session)).await;
        findings.push(match session.and_then(|reply| reply.json::<Session>()) {
            Ok(session) if session.process == "running" => {
                let title = session.title.map(|title| format!(", “{title}”")).unwrap_or_default();
                Finding::good(format!("process {} is the agent of {}{title}", agent.pid, agent.session))
            }
            Ok(_) => unowned(agent, "the server does not know that it runs"),
            Err(Error::Refused(_)) => unowned(agent, "the server does not know its session"),
            Err(error) => unowned(agent, &error.to_string()),
        });
    }
    findings
}

fn unowned(agent: &RunningAgent, why: &str) -> Finding {
    let RunningAgent { session, pid } = agent;
    Finding::warning(
        format!("process {pid}, the agent of {session}, runs without a server that looks after it: {why}"),
        format!("start `askbridge`, which takes it over; or end it with `kill {pid}`"),
    )
}
