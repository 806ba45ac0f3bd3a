//! Checks the nodes that share the journal: which are down, whose clock is off, whose index is behind.

use serde::Deserialize;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::Client;
use crate::output::{counted, visible};

#[derive(Debug, Deserialize)]
struct Cluster {
    holds_back: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    name: String,
    state: String,
    since: Option<String>,
    version: String,
    lag: u64,
    clock_ahead_ms: Option<i64>,
}

/// How far a clock may be off, in milliseconds, before the node leaves what is due to others.
const CLOCK_OFF_MS: i64 = 2_000;
/// How many entries an index may be behind for a moment.
const LAG_MAX: u64 = 1_000;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    if *patient.settings.top.journal == "sqlite" {
        // As most servers: there is nothing to check.
        return Vec::new();
    }
    let cluster = match Client::local(&patient.settings).get("/v1/cluster").await {
        Ok(reply) => reply.json::<Cluster>(),
        Err(error) => return vec![Finding::skipped(format!("the server does not say which nodes there are: {error}"))],
    };
    match cluster {
        Ok(cluster) => findings(&cluster),
        Err(error) => {
            vec![Finding::bad(format!("the server says something strange of the nodes: {error}"), "upgrade it")]
        }
    }
}

fn findings(cluster: &Cluster) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(why) = &cluster.holds_back {
        let what = format!("this node leaves deadlines and rings to the others: {why}");
        findings.push(Finding::bad(what, "see the log of the server, and `askbridge cluster status`"));
    }
    for node in &cluster.nodes {
        let name = visible(&node.name);
        if node.state != "up" {
            let since = node.since.as_deref().unwrap_or("some time");
            let hint = "start it again: its agents get their answers then. If it is gone for good, see `askbridge cluster --help`";
            findings.push(Finding::warning(format!("{name} has been down since {since}"), hint));
        }
        if let Some(ms) = node.clock_ahead_ms.filter(|ms| ms.abs() > CLOCK_OFF_MS) {
            let what = format!("the clock of {name} is off by {} s", ms / 1_000);
            findings.push(Finding::bad(what, "set the time there, as with `sudo timedatectl set-ntp true`"));
        }
        if node.lag > LAG_MAX {
            let what = format!("the index of {name} is {} entries behind", node.lag);
            findings
                .push(Finding::warning(what, "is its disk or its network slow? It serves again once it has caught up"));
        }
    }
    let versions: std::collections::BTreeSet<_> = cluster.nodes.iter().map(|node| &node.version).collect();
    if versions.len() > 1 {
        let versions = versions.into_iter().map(String::as_str).collect::<Vec<_>>().join(" and ");
        findings.push(Finding::warning(
            format!("the nodes run different releases: {}", visible(&versions)),
            "finish the upgrade, one node after the other",
        ));
    }
    if findings.is_empty() {
        let nodes = counted(cluster.nodes.len() as u64, "node is", "nodes are");
        findings.push(Finding::good(format!("{nodes} up, with the right time")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_node_is_said() {
        let cluster = r#"{"holds_back":"the clock of this machine is off","nodes":[
            {"name":"desk","state":"up","version":"1.0.0","lag":0,"clock_ahead_ms":-3500},
            {"name":"gpu-1","state":"down","since":"2026-01-01T00:00:00.000Z","version":"1.1.0","lag":5000}]}"#;
        let found = findings(&serde_json::from_str(cluster).unwrap());
        let said: Vec<_> = found.iter().map(|finding| format!("{finding:?}")).collect();
        for (finding, expected) in said.iter().zip([
            "this node leaves deadlines",
            "the clock of desk is off by -3 s",
            "gpu-1 has been down since 2026-01-01",
            "the index of gpu-1 is 5000 entries behind",
            "different releases: 1.0.0 and 1.1.0",
        ]) {
            assert!(finding.contains(expected), "{finding}");
        }
        let good =
            findings(&serde_json::from_str(r#"{"nodes":[{"name":"a","state":"up","version":"1","lag":0}]}"#).unwrap());
        assert_eq!(good.len(), 1);
    }
}
