//! `askbridge cluster forget`: declares a node gone that will not come back.

use std::io::{IsTerminal, stderr, stdin};

use serde::Deserialize;
use serde_json::json;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name or the id of the node, as in `askbridge cluster status`
    node: String,
    /// Do not ask whether that is meant
    #[arg(long)]
    yes: bool,
    /// Do it although the node is up: it ends its agents
    #[arg(long)]
    even_if_up: bool,
    /// Print JSON, as the server answers
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct Cluster {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    name: String,
    state: String,
}

pub(super) async fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    let cluster: Cluster = client.get("/v1/cluster").await?.json()?;
    let node = the_node(&cluster.nodes, &args.node)?;
    if node.state == "up" && !args.even_if_up {
        let why = format!("{} is up", visible(&node.name));
        return Err(Failure::new(why).hint("stop it first; or add `--even-if-up`, which ends its agents"));
    }
    if !args.yes && !confirmed(node)? {
        return Err(Failure::new("nothing was changed").hint("add `--yes` to do it without being asked"));
    }
    let body = json!({"even_if_up": args.even_if_up});
    let reply = client.decide(&format!("/v1/cluster/nodes/{}/forget", node.id), &body).await?;
    if args.json {
        print(reply.text.trim())?;
    } else {
        tell(&format!(
            "{} is gone for good. Answers to what its agents asked become messages; if it starts again, it does so as a new node",
            visible(&node.name)
        ));
    }
    Ok(Exit::Good)
}

/// Finds the one node that is meant.
fn the_node<'a>(nodes: &'a [Node], named: &str) -> Result<&'a Node, Failure> {
    let mut meant = nodes.iter().filter(|node| node.id == named || node.name == named);
    let all = "see `askbridge cluster status`";
    match (meant.next(), meant.next()) {
        (Some(node), None) => Ok(node),
        (None, _) => Err(Failure::new(format!("there is no node `{}`", visible(named))).hint(all)),
        (Some(_), Some(_)) => {
            let why = format!("several nodes are called `{}`; name one by its id", visible(named));
            Err(Failure::new(why).hint(all))
        }
    }
}

fn confirmed(node: &Node) -> Result<bool, Failure> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Ok(false);
    }
    let up = if node.state == "up" { " It is up: its agents are ended." } else { "" };
    eprint!("Declare {} ({}) gone for good?{up} [y/N] ", visible(&node.name), node.id);
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_named_by_its_id_or_by_a_name_that_only_it_has() {
        let node = |id: &str, name: &str| Node { id: id.to_owned(), name: name.to_owned(), state: "down".to_owned() };
        let nodes = [node("node_1", "desk"), node("node_2", "gpu"), node("node_3", "gpu")];
        assert_eq!(the_node(&nodes, "desk").unwrap().id, "node_1");
        assert_eq!(the_node(&nodes, "node_3").unwrap().id, "node_3");
        assert!(the_node(&nodes, "gpu").is_err() && the_node(&nodes, "other").is_err());
    }
}
