//! One life of the bridge: the real runtime and the real server, on in-memory pipes instead of sockets.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use askbridge_bridge::auth::Tokens;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::{Bridge, Decide, Options, Store};
use askbridge_bridge::server::{App, AppOptions, Origins, dialect, foreign_router, router, serve_one};
use askbridge_core::ids::StableNodeId;
use askbridge_core::limits;
use askbridge_core::rules::asks::RuleSet;
use askbridge_core::terms::Rules;
use axum::Router;
use tokio::io::DuplexStream;

use crate::phone;
use crate::world::World;

/// The nodes of one life.
pub(crate) struct House(Vec<Node>);

struct Node {
    bridge: Bridge,
    app: App,
    router: Arc<Router>,
    tongues: Tongues,
}

/// What clients connect to: the servers of all nodes.
#[derive(Clone)]
pub(crate) struct Doors(Arc<Vec<(App, Arc<Router>, Tongues)>>);

/// Routers of the dialects and doors of other systems, by name; a real server gives each its own port.
type Tongues = Arc<Vec<(&'static str, Arc<Router>)>>;

/// Other systems that the simulation speaks for.
const FOREIGN: [&str; 5] = ["prime", "ccc", "gobby", "seline", "whimmy"];

impl House {
    pub(crate) async fn open(world: &Arc<World>, life: u64, nodes: usize, decide: Decide) -> Self {
        let deaf = world.deaf;
        let mut house = Vec::new();
        for node in 0..nodes as u64 {
            let chance = Chance::seeded(world.seed ^ (life << 32) ^ (node << 56) ^ 0x6e6f_6465);
            let store = Store::from(world.memory.clone());
            let clock = Clock::Manual(world.log.clock.clone());
            let options = Options {
                store: store.clone(),
                stable_node: StableNodeId(7),
                clock,
                chance: chance.clone(),
                rules: Rules::default(),
            };
            let bridge = Bridge::start_with(options, decide).await;
            let tokens = Tokens::load(store, chance, bridge.handle.now()).await.expect("memory can be read");
            let handle = bridge.handle.clone();
            let app = App::new(AppOptions {
                handle,
                tokens,
                origins: Origins::default(),
                requests_per_second: limits::REQUESTS_PER_SECOND,
                failures_per_minute: limits::FAILURES_PER_MINUTE,
                version: "simulated",
            });
            // One of the nodes rings: they share a journal, and each would ring for itself.
            if node == 0 && world.phone.is_some() {
                phone::ring_phone(world, &app).await;
            }
            let router = Arc::new(router(app.clone()));
            let spoken = |name: &'static str| {
                let listing = match deaf {
                    Some(deaf) if deaf.name == name => deaf,
                    _ => dialect(name).expect("every language that is named here is listed"),
                };
                (name, Arc::new(foreign_router(app.clone(), vec![listing])))
            };
            let tongues = Arc::new(FOREIGN.into_iter().map(spoken).collect());
            house.push(Node { bridge, app, router, tongues });
        }
        Self(house)
    }

    pub(crate) fn doors(&self) -> Doors {
        let door = |node: &Node| (node.app.clone(), Arc::clone(&node.router), Arc::clone(&node.tongues));
        Doors(Arc::new(self.0.iter().map(door).collect()))
    }

    /// Stops in order, as a server does when told to: work in progress is finished.
    pub(crate) async fn close(self) {
        for node in &self.0 {
            node.app.stop.cancel();
            node.app.tasks.close();
        }
        for node in self.0 {
            let _ = tokio::time::timeout(askbridge_core::limits::SHUTDOWN_MAX, node.app.tasks.wait()).await;
            node.bridge.stop().await;
        }
    }
}

impl Doors {
    /// Revokes a token at every node.
    pub(crate) async fn revoke(&self, token: &str) {
        for (app, ..) in self.0.iter() {
            app.tokens.revoke(token).await.expect("memory can be written, and the token was made");
        }
    }

    /// Puts rules in force at every node.
    pub(crate) fn use_rules(&self, rules: &RuleSet) {
        self.0.iter().for_each(|(app, ..)| app.handle.use_rules(rules.clone()));
    }

    /// Opens a connection to one of the nodes. `room` is how many bytes fit into the pipe.
    pub(crate) fn connect(&self, which: usize, room: usize) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(room);
        let (app, router, _) = &self.0[which % self.0.len()];
        serve_one(app, router, theirs, IpAddr::V4(Ipv4Addr::LOCALHOST));
        ours
    }

    /// Opens a connection to one of the nodes for the dialect or door of another system.
    pub(crate) fn connect_to(&self, language: &str, which: usize, room: usize) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(room);
        let (app, _, tongues) = &self.0[which % self.0.len()];
        let spoken = tongues.iter().find(|(name, _)| *name == language);
        let (_, router) = spoken.expect("the simulation speaks what its people speak");
        serve_one(app, router, theirs, IpAddr::V4(Ipv4Addr::LOCALHOST));
        ours
    }
}
