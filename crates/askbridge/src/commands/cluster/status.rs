//! `askbridge cluster status`: shows the nodes.

use serde::Deserialize;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, visible};
use crate::settings::Settings;

#[derive(Debug, Deserialize)]
struct Cluster {
    here: String,
    alone: bool,
    holds_back: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    name: String,
    #[serde(default)]
    labels: Vec<String>,
    address: Option<String>,
    state: String,
    since: Option<String>,
    version: String,
    agents: u32,
    agents_max: u32,
    lag: u64,
    clock_ahead_ms: Option<i64>,
}

pub(super) async fn run(settings: &Settings, json: bool) -> Result<Exit, Failure> {
    let reply = Client::local(settings).get("/v1/cluster").await?;
    if json {
        print(reply.text.trim())?;
    } else {
        print(&in_words(&reply.json()?))?;
    }
    Ok(Exit::Good)
}

fn in_words(cluster: &Cluster) -> String {
    if cluster.alone {
        return "this server has its journal for itself; `askbridge cluster up` shows how several share one".to_owned();
    }
    let mut lines: Vec<String> = cluster.nodes.iter().map(|node| node.in_words(node.id == cluster.here)).collect();
    if let Some(why) = &cluster.holds_back {
        lines.push(format!("this node leaves deadlines and rings to the others: {why}"));
    }
    lines.join("\n")
}

impl Node {
    fn in_words(&self, is_here: bool) -> String {
        let state = match &self.since {
            Some(since) => format!("{} since {since}", self.state),
            None => self.state.clone(),
        };
        let mut facts = vec![state, format!("{} of {} agents", self.agents, self.agents_max)];
        facts.extend(self.address.as_ref().map(|address| visible(address).to_string()));
        facts.extend((!self.labels.is_empty()).then(|| visible(&self.labels.join(", ")).to_string()));
        facts.extend((self.lag > 0).then(|| format!("index {} entries behind", self.lag)));
        let off = self.clock_ahead_ms.filter(|ms| ms.abs() > 2_000);
        facts.extend(off.map(|ms| format!("clock off by {} s", ms / 1_000)));
        facts.push(visible(&self.version).to_string());
        let mark = if is_here { " (here)" } else { "" };
        format!("{}{mark}  {}  {}", visible(&self.name), self.id, facts.join(" · "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_who_is_down_since_when() {
        let cluster = r#"{"here":"node_0000000000000001","alone":false,"rank":0,"nodes":[
            {"id":"node_0000000000000001","name":"desk","address":"http://127.0.0.1:4760","state":"up","version":"0.1.0",
             "agents":1,"agents_max":16,"lag":0,"connections":2,"started_at":"2026-01-01T00:00:00.000Z"},
            {"id":"node_0000000000000002","name":"gpu-1","labels":["gpu"],"state":"down","since":"2026-01-01T00:00:00.000Z",
             "version":"0.1.0","agents":0,"agents_max":4,"lag":7,"clock_ahead_ms":-4000,"connections":0,
             "started_at":"2026-01-01T00:00:00.000Z"}]}"#;
        assert_eq!(
            in_words(&serde_json::from_str(cluster).unwrap()),
            "desk (here)  node_0000000000000001  up · 1 of 16 agents · http://127.0.0.1:4760 · 0.1.0\n\
             gpu-1  node_0000000000000002  down since 2026-01-01T00:00:00.000Z · 0 of 4 agents · gpu · \
             index 7 entries behind · clock off by -4 s · 0.1.0"
        );
    }
}
