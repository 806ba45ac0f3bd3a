//! Law 8: no agent decides its own ask, and neither does anything that it starts.

use crate::bridge::TestBridge;
use crate::patience::until;
use crate::terminal::Terminal;

/// What an agent may try, once it may run commands. `script` gives a command a terminal of its own.
const TRICKS: &[&str] = &[
    "askbridge answer --option Yes",
    "bash -c 'bash -c \"askbridge answer --option Yes\"'",
    "script -qec 'askbridge answer --option Yes' /dev/null",
    "askbridge run -- askbridge answer --option Yes",
    "askbridge answer --dismiss",
    "ASKBRIDGE_TOKEN=$(cat $ASKBRIDGE_DATA/token) askbridge answer --option Yes",
    "askbridge pair --print-token --yes-i-am-a-person",
    "askbridge pair --yes-i-am-a-person",
    "script -qec 'askbridge pair --print-token' /dev/null",
];

#[test]
fn nothing_below_an_agent_decides_or_becomes_a_person() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--no-wait"]).good();
    for trick in TRICKS {
        let ran = bridge.run(&["run", "--", "bash", "-c", trick]);
        assert_eq!(ran.code, Some(1), "{trick}: {} {}", ran.stdout, ran.stderr);
        let told = ran.stdout + &ran.stderr;
        assert!(told.contains("may ask but never decide"), "{trick}: {told}");
        assert!(!told.contains("pair_") && !told.contains("ab_"), "{trick}: {told}");
    }
    assert_eq!(bridge.open().len(), 1);
}

#[test]
fn an_agent_in_a_persons_terminal_is_still_an_agent() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--no-wait"]).good();
    for trick in TRICKS {
        let agent = bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["run", "--", "bash", "-c", trick]);
        let mut terminal = Terminal::open(agent);
        terminal.shows("may ask but never decide");
        assert_eq!(terminal.ends(), 1, "{trick}");
    }
    assert_eq!(bridge.open().len(), 1);
}

#[test]
fn a_process_that_slipped_away_from_its_parents_is_still_below_the_agent() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    for (number, trick) in TRICKS.iter().enumerate() {
        // The agent waits for what it let loose, which tells its end through a pipe.
        let script =
            format!("mkfifo end{number}; setsid -f bash -c \"$TRICK\" >end{number} 2>&1 </dev/null & cat end{number}");
        let ran = bridge.bash(&format!("export TRICK={}; askbridge run -- bash -c '{script}'", quoted(trick)));
        assert!(ran.stdout.contains("may ask but never decide"), "{trick}: {ran:?}");
    }
    assert_eq!(bridge.open().len(), 1);
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[test]
fn an_agent_stays_an_agent_when_the_server_is_killed_and_comes_back() {
    let mut bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    let pair = "askbridge pair --print-token --yes-i-am-a-person";
    let agent =
        bridge.spawn(&["run", "--", "bash", "-c", &format!("echo up; until [ -e go ]; do sleep 0.05; done; {pair}")]);
    agent.prints("up");
    bridge.kill();
    bridge.start_again();
    std::fs::write(bridge.dir.path().join("go"), "").unwrap();
    let ran = agent.ended();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "up\n"));
    assert!(ran.stderr.contains("may ask but never decide"), "{}", ran.stderr);
}

#[test]
fn an_agent_may_ask_and_a_person_answers() {
    let bridge = TestBridge::start();
    let agent = bridge.spawn(&["run", "--", "bash", "-c", "askbridge ask 'Deploy now?' -o Yes -o No"]);
    let ask = bridge.the_open_ask();
    bridge.answer(&[&ask, "--option", "Yes"]).good();
    assert_eq!(agent.ended().good(), "Yes\n");
}

#[test]
fn an_agent_does_not_inherit_a_persons_token() {
    let bridge = TestBridge::start();
    let ran = bridge.bash_with_token("askbridge run -- bash -c 'echo \"<$ASKBRIDGE_TOKEN>\"'", &bridge.person());
    assert_eq!(ran.good(), "<>\n");
}

#[test]
fn an_agent_is_not_run_unannounced_unless_somebody_says_so() {
    let bridge = TestBridge::stopped();
    let ran = bridge.run(&["run", "--", "echo", "hello"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(13), ""));
    let ran = bridge.run(&["run", "--anyway", "--", "echo", "hello"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "hello\n"));
    assert!(ran.stderr.contains("is not known as an agent"), "{}", ran.stderr);
}

#[test]
fn a_program_keeps_its_arguments_and_its_exit_code() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["run", "--", "bash", "-c", "echo \"$0\" \"$1\"; exit 7", "--json", "a b"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(7), "--json a b\n"));
    assert_eq!(bridge.run(&["run", "--", "no-such-program"]).code, Some(127));
}

/// An agent that speaks another system's language on the local socket: makes a session of its own, and wants it to ask about
/// nothing any more. Prints what it was told, and the session as it is then.
const LOOSENS: &str = r#"
import base64, json, os, socket, struct
def dial():
    line = socket.socket(socket.AF_UNIX)
    line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
    return line
def call(method, path, body):
    line = dial()
    body = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    line.sendall(head.encode() + body)
    answer = b""
    while piece := line.recv(65536):
        answer += piece
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])
session = call("POST", "/v1/sessions", {})["id"]
line = dial()
line.sendall(b"GET /ws HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
stream = line.makefile("rb")
assert b" 101 " in stream.readline()
while stream.readline() != b"\r\n":
    pass
def hear():
    _, length = stream.read(2)
    length &= 127
    if length == 126:
        length, = struct.unpack(">H", stream.read(2))
    elif length == 127:
        length, = struct.unpack(">Q", stream.read(8))
    return stream.read(length).decode()
def say(frame):
    text = json.dumps(frame).encode()
    assert len(text) < 126
    line.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
say({"type": "set_mode", "mode": "bypass", "conversation_id": session})
while True:
    heard = hear()
    if "mode" in heard or "error" in heard:
        print("told", heard)
        break
print("mode", call("GET", f"/v1/sessions/{session}", None)["permission_mode"])
"#;

#[test]
fn an_agent_cannot_loosen_its_own_session_in_another_systems_language() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--dialect", "gobby", "--listen", "127.0.0.1:0"]);
    let ran = bridge.run(&["run", "--", "python3", "-c", LOOSENS]);
    assert!(ran.good().contains("mode None\n"), "{ran:?}");
    assert!(ran.stdout.contains("what an agent may do without asking"), "{ran:?}");
}

/// A service manager, as far as the system is concerned: leads a session without a terminal, and adopts what lost its parents.
/// Starts a process whose parent ends at once, which then names its parent as an agent; then asks who it is itself.
const MANAGES: &str = r#"
import ctypes, json, os, socket
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
def call(method, path, body):
    line = socket.socket(socket.AF_UNIX)
    line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
    line.sendall(f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())
    answer = b""
    while piece := line.recv(65536):
        answer += piece
    return answer.decode()
manager, (told, tells) = os.getpid(), os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        while os.getppid() != manager:
            pass
        os.write(tells, call("POST", "/v1/agents", '{"parent": true}')[:12].encode())
        os.write(tells, b" " + call("GET", "/v1/me", "").rsplit('"', 2)[1].encode() + b"\n")
    os._exit(0)
os.close(tells)
with os.fdopen(told) as orphan, open("managed", "w") as out:
    out.write(orphan.read() + call("GET", "/v1/me", "").rsplit('"', 2)[1] + "\n")
os.rename("managed", "done")
"#;

#[test]
fn an_orphan_that_names_its_parent_does_not_make_an_agent_of_the_service_manager() {
    let bridge = TestBridge::start();
    let script = bridge.dir.path().join("manager.py");
    std::fs::write(&script, MANAGES).unwrap();
    bridge.bash("setsid -f python3 manager.py >log 2>&1 </dev/null").good();
    let done = until("the manager is done", || std::fs::read_to_string(bridge.dir.path().join("done")).ok());
    assert_eq!(done, "HTTP/1.1 204 agent\nlocal\n");
}
