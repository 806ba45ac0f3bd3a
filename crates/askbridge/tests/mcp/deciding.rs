//! No agent decides its own ask.

use std::process::Command;

use serde_json::{Value, json};

use crate::agent::house;

/// Prints whom the server takes a process of this shell for.
const WHO: &str = r#"
import socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[1])
line.sendall(b"GET /v1/me HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
print(line.makefile("rb").read().split(b"\r\n\r\n")[1].decode())
"#;

/// An agent: a shell that starts our MCP server, calls a tool, and starts another process before and after.
const AGENT: &str = r#"
    python3 -c "$WHO" "$ASKBRIDGE_DATA/run/askbridge.sock"
    coproc MCP { exec "$ASKBRIDGE" mcp; }
    echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}' >&"${MCP[1]}"
    read -r _ <&"${MCP[0]}"
    echo "$CALL" >&"${MCP[1]}"
    read -r _ <&"${MCP[0]}"
    python3 -c "$WHO" "$ASKBRIDGE_DATA/run/askbridge.sock"
"#;

#[test]
fn whatever_starts_askbridge_mcp_is_an_agent_from_its_first_call_on() {
    let house = house(&[]);
    let params = json!({"name": "notify_user", "arguments": {"message": "hi"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut shell = Command::new("setsid");
    shell.args(["bash", "-c", AGENT]).env_clear().envs(house.scratch.env("http://127.0.0.1:9"));
    shell.env("ASKBRIDGE", env!("CARGO_BIN_EXE_askbridge")).env("ASKBRIDGE_DATA", house.data());
    let ran = shell.env("CALL", call.to_string()).env("WHO", WHO).current_dir(house.scratch.work()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let roles: Vec<_> = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["role"].clone()).collect();
    assert_eq!(roles, [json!("local"), json!("agent")], "{said}{}", String::from_utf8_lossy(&ran.stderr));
}
