//! Policies, asks and doors as one table: what a rule decides reaches the agent through each door as the decision of
//! that rule, and what no rule decides goes to a person. Agents that we run are in the binary's tests
//! (`claude/rules.rs`).

use askbridge_core::rules::asks::RuleSet;
use askbridge_core::terms::Wishes;
use serde_json::{Value, json};

use crate::kit::{House, Socket};

/// What a rule does, and what becomes of an ask.
struct Row {
    /// Also the rule's name.
    name: &'static str,
    does: &'static str,
    becomes: Becomes,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Becomes {
    /// This option, or for an approval: it may run.
    Yes(&'static str),
    /// Denied, and the agent reads these words.
    No(&'static str),
    /// A person decides; so many have to agree.
    Open(u64),
}

const fn row(name: &'static str, does: &'static str, becomes: Becomes) -> Row {
    Row { name, does, becomes }
}

const FIRST: &str = "Postgres (Recommended)";
const SECOND: &str = "SQLite";

const QUESTIONS: [Row; 13] = [
    row("by label", "do = \"answer\"\nanswer = [\"SQLite\"]", Becomes::Yes(SECOND)),
    row("by place", "do = \"answer\"\nanswer = 2", Becomes::Yes(SECOND)),
    row("the recommended", "do = \"answer\"\nanswer = \"recommended\"", Becomes::Yes(FIRST)),
    row("the first", "do = \"answer\"\nanswer = \"first\"", Becomes::Yes(FIRST)),
    row(
        "each by itself",
        "do = \"answer\"\nanswer = { \"*deploy*\" = \"first\", \"*data*\" = 2 }",
        Becomes::Yes(SECOND),
    ),
    row("not on offer", "do = \"answer\"\nanswer = [\"Oracle\"]", Becomes::Open(1)),
    row("no such place", "do = \"answer\"\nanswer = 3", Becomes::Open(1)),
    row("another question", "do = \"answer\"\nanswer = \"first\"\nquestion = \"Which table?\"", Becomes::Open(1)),
    row("denied", "do = \"deny\"\nwords = \"Decide it yourself.\"", Becomes::No("Decide it yourself.")),
    row("to a person", "do = \"ask\"", Becomes::Open(1)),
    row("parked", "do = \"park\"", Becomes::Open(1)),
    row("two people", "do = \"answer\"\nanswer = \"first\"\nquorum = 2", Becomes::Open(2)),
    row("terms alone", "quorum = 2\ntimeout = \"1h\"", Becomes::Open(2)),
];

const APPROVALS: [Row; 6] = [
    row("allowed", "do = \"allow\"\ntool = \"Bash(make *)\"", Becomes::Yes("allow")),
    row("denied call", "do = \"deny\"\nwords = \"Not today.\"\ntool = \"Bash(make all)\"", Becomes::No("Not today.")),
    row("another call", "do = \"allow\"\ntool = \"Bash(make clean)\"", Becomes::Open(1)),
    row("call to a person", "do = \"ask\"\ntool = \"Bash\"", Becomes::Open(1)),
    row("parked call", "do = \"park\"\ntool = \"Bash\"", Becomes::Open(1)),
    row("two people for a call", "do = \"allow\"\ntool = \"Bash\"\nquorum = 2", Becomes::Open(2)),
];

impl Row {
    /// Another one for each row: over MCP the same question again gets the answer that it got before.
    fn question(&self) -> String {
        format!("Which database, {}?", self.name)
    }

    async fn is_in_force(&self, house: &House) {
        let text = format!("[[rules]]\nname = \"{}\"\n{}\n", self.name, self.does);
        let read = askbridge_policy::read("rules.toml", &text, None).unwrap_or_else(|why| panic!("{}: {text}", why[0]));
        house.handle.use_rules(RuleSet::new(vec![read.into_file()], Wishes::default()));
    }
}

/// A door, and how an agent asks through it. Each returns all that the agent is told, as text.
#[derive(Debug, Clone, Copy)]
enum Door {
    Http,
    Mcp,
    Hook,
    Whimmy,
}

/// The tokens of an agent, of the machine and of two people, and the house that they talk to.
struct Cast {
    house: House,
    agent: String,
    machine: String,
    people: [String; 2],
}

impl Cast {
    async fn gather() -> Self {
        let house = House::speaking("whimmy").await;
        let (agent, machine) = (house.agent("ci").await, house.local().await);
        let people = [house.person("ada").await, house.person("grace").await];
        Self { house, agent, machine, people }
    }

    async fn asks(&self, door: Door, row: &Row, plugin: &mut Socket) -> String {
        let name = row.name;
        let options = json!([{"label": FIRST, "description": "a"}, {"label": SECOND, "description": "b"}]);
        let questions = json!([{"question": row.question(), "header": "DB", "options": options, "multiSelect": false}]);
        match door {
            Door::Http => {
                let body = json!({"questions": questions});
                self.house.post("/v1/asks?wait=30", &self.agent, &body).await.1.to_string()
            }
            Door::Mcp => self.calls("ask_user_question", json!({"questions": questions})).await,
            Door::Hook => self.hook("PermissionRequest", "AskUserQuestion", json!({"questions": questions})).await,
            Door::Whimmy => {
                let asked = json!({"sessionKey": name, "agentId": "main", "questionId": name, "questions": questions});
                let event = json!({"event": "ask_user_question", "payload": asked});
                plugin.say(&json!({"type": "event", "payload": event}).to_string()).await;
                let is_mine = |frame: &Value| frame["payload"]["questionId"] == name;
                let answer =
                    plugin.hear("the answer", |frame| frame["type"] == "hook.ask_user_answer" && is_mine(frame));
                answer.await.to_string()
            }
        }
    }

    async fn calls(&self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        self.house.post("/mcp", &self.agent, &call).await.1.to_string()
    }

    async fn hook(&self, event: &str, tool: &str, input: Value) -> String {
        let body = json!({"hook_event_name": event, "session_id": "terminal", "cwd": "/work/shop", "tool_name": tool,
            "tool_input": input, "permission_mode": "default"});
        let (status, output) = self.house.post("/v1/hook", &self.machine, &body).await;
        assert_eq!(status, 200, "{output}");
        output.to_string()
    }

    /// Waits until one ask is open, and has people decide it.
    async fn decide(&self, quorum: u64, decision: &Value) -> Value {
        let mut phone = self.house.native(&self.people[0]).await;
        let open = self.house.get("/v1/asks", &self.people[0]).await.1["items"][0].clone();
        let ask = match open.is_object() {
            true => open,
            false => phone.hear("the ask", |frame| frame["event"]["type"] == "asked").await["event"]["ask"].clone(),
        };
        let path = format!("/v1/asks/{}", ask["id"].as_str().expect("it has an id"));
        let shown = self.house.get(&path, &self.people[0]).await.1;
        let path = format!("{path}/answer");
        for person in &self.people[..usize::try_from(quorum).expect("few people")] {
            let (status, said) = self.house.post(&path, person, decision).await;
            assert!(status < 300, "{said}");
        }
        shown
    }

    /// Runs an agent's call, and people who decide if they are to.
    async fn becomes(&self, row: &Row, door: &str, told: impl Future<Output = String>, decision: Value) {
        let name = row.name;
        match row.becomes {
            Becomes::Yes(said) => {
                let told = told.await;
                assert!(told.contains(said), "{door}, {name}: {told}");
                self.is_ruled(&told, row, door);
            }
            Becomes::No(words) => {
                let told = told.await;
                assert!(told.contains(words), "{door}, {name}: {told}");
                assert!(!told.contains("\"allow\""), "{door}, {name}: {told}");
                self.is_ruled(&told, row, door);
            }
            Becomes::Open(quorum) => {
                let (told, ask) = tokio::join!(told, self.decide(quorum, &decision));
                assert_eq!(ask["quorum"]["needed"].as_u64().unwrap_or(1), quorum, "{door}, {name}: {ask}");
                assert!(!told.contains("no person was asked"), "{door}, {name}: {told}");
            }
        }
        let open = self.house.get("/v1/asks", &self.people[0]).await.1;
        assert_eq!(open["items"], json!([]), "{door}, {name}");
    }

    fn is_ruled(&self, told: &str, row: &Row, door: &str) {
        let by = format!("“{}”", row.name);
        assert!(told.contains(&by) && told.contains("no person was asked"), "{door}, {}: {told}", row.name);
    }
}

#[tokio::test]
async fn what_a_rule_says_to_a_question_is_told_through_every_door_by_its_name() {
    let cast = Cast::gather().await;
    let mut plugin = cast.house.plugin(&cast.agent).await;
    for row in &QUESTIONS {
        row.is_in_force(&cast.house).await;
        for door in [Door::Http, Door::Mcp, Door::Hook, Door::Whimmy] {
            let told = cast.asks(door, row, &mut plugin);
            cast.becomes(row, &format!("{door:?}"), told, json!({"answers": {row.question(): SECOND}})).await;
        }
    }
    cast.house.close().await;
}

#[tokio::test]
async fn what_a_rule_says_to_a_call_is_told_through_every_door_that_has_calls() {
    let cast = Cast::gather().await;
    let input = json!({"command": "make all", "description": "d"});
    for row in &APPROVALS {
        row.is_in_force(&cast.house).await;
        let allow = json!({"decision": "allow"});
        let body = json!({"approval": {"tool": "Bash", "input": input}});
        let http = async { cast.house.post("/v1/asks?wait=30", &cast.agent, &body).await.1.to_string() };
        cast.becomes(row, "Http", http, allow.clone()).await;
        // Neither Claude Code's hook nor its permission tool takes words about a call that may run.
        let with_words = |told: String| match told.contains("allow") && matches!(row.becomes, Becomes::Yes(_)) {
            true => format!("{told} “{}”; no person was asked", row.name),
            false => told,
        };
        let arguments = json!({"tool_name": "Bash", "input": input, "tool_use_id": format!("toolu_{}", row.name)});
        let mcp = async { with_words(cast.calls("approve", arguments).await) };
        cast.becomes(row, "Mcp", mcp, allow.clone()).await;
        let hook = async { with_words(cast.hook("PermissionRequest", "Bash", input.clone()).await) };
        cast.becomes(row, "Hook", hook, allow).await;
    }
    cast.house.close().await;
}
