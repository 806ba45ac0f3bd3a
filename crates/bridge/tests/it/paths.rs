//! Paths that callers name: read for processes of this machine only, and never waited for.

use std::fs;
use std::path::Path;

use http_body_util::{BodyExt, Full};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::kit::{House, PATIENCE, Socket};

/// A folder with a repository on a branch, and a transcript in which an agent said something.
fn furnish(folder: &Path) {
    fs::create_dir(folder.join(".git")).expect("a folder can be made");
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/hidden-branch\n").expect("a file can be written");
    let said = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "hidden words"}]}});
    let named = json!({"type": "custom-title", "customTitle": "hidden title"});
    let calls =
        json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Bash"}]}});
    fs::write(folder.join("record.jsonl"), format!("{named}\n{said}\n{calls}\n")).expect("a file can be written");
}

fn event(conversation: &str, folder: &Path, record: &str) -> Value {
    json!({
        "hook_event_name": "PermissionRequest", "session_id": conversation, "cwd": folder,
        "transcript_path": folder.join(record), "tool_name": "Bash", "tool_input": {"command": "ls"},
    })
}

async fn asked(phone: &mut Socket) -> Value {
    let frame = phone.hear("an ask", |frame| frame["event"]["type"] == "asked").await;
    frame["event"]["ask"].clone()
}

#[tokio::test]
async fn a_hook_over_the_network_shows_no_file_of_this_machine() {
    let (house, folder) = (House::open().await, tempfile::tempdir().unwrap());
    furnish(folder.path());
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;

    let request = house.request("POST", "/v1/hook", &agent);
    let event_far = event("far", folder.path(), "record.jsonl").to_string();
    let far = house.send(request.body(Full::from(event_far)).unwrap()).await;
    let ask = asked(&mut phone).await;
    assert!(!ask.to_string().contains("hidden"), "{ask}");
    let (_, sessions) = house.get("/v1/sessions", &ada).await;
    assert!(!sessions.to_string().contains("hidden"), "{sessions}");
    drop(far);

    // A process of the same user can read these files anyway.
    let near = house.here_held("POST", "/v1/hook", &event("near", folder.path(), "record.jsonl")).await;
    let ask = asked(&mut phone).await;
    let context = &ask["context"];
    assert_eq!((&context["text"], &context["title"]), (&json!("hidden words"), &json!("hidden title")), "{ask}");
    assert_eq!(context["branch"], "hidden-branch");
    drop(near);
    house.close().await;
}

/// A FIFO has no end until a writer comes, and opening it waits for one. These are more than the runtime has blocking
/// threads, which used to stop everything that reads a file, and the shutdown with it.
#[tokio::test]
async fn a_pipe_where_a_record_should_be_holds_up_nobody() {
    const MANY: usize = 40;
    let (house, folder) = (House::open().await, tempfile::tempdir().unwrap());
    furnish(folder.path());
    fs::remove_file(folder.path().join(".git/HEAD")).unwrap();
    for name in ["pipe", ".git/HEAD"] {
        mknodat(CWD, folder.path().join(name), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    }
    let ada = house.person("ada").await;
    let mut phone = house.native(&ada).await;
    let mut held = Vec::new();
    for n in 0..MANY {
        held.push(house.here_held("POST", "/v1/hook", &event(&format!("c{n}"), folder.path(), "pipe")).await);
    }
    for _ in 0..MANY {
        let ask = asked(&mut phone).await;
        assert_eq!(ask["approval"]["summary"], "ls", "{ask}");
    }
    assert_eq!(house.get("/readyz", "").await.0, 200);
    // The terminals go on without us.
    timeout(PATIENCE, house.close()).await.expect("nothing holds up the shutdown");
    for held in held {
        let _ = timeout(PATIENCE, held.into_body().collect()).await.expect("every hook is let go");
    }
}
