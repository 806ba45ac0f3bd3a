//! Law 8: no agent decides its own ask, and neither does anything that it starts.

use crate::bridge::TestBridge;
use crate::patience::until;
use crate::terminal::Terminal;

/// What an agent may try, once it may run commands. `script` gives a command its own terminal.
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
        // The agent waits for the process that it detached, which signals its end through a pipe.
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

/// An agent that tries to switch off all prompts of its own session, over the local socket and in every named dialect.
/// Prints each response, and the session afterwards.
const LOOSENS: &str = r#"
import json, os, socket, struct, sys
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
class Socket:
    def __init__(self, path):
        self.line = dial()
        self.line.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
        self.stream = self.line.makefile("rb")
        assert b" 101 " in self.stream.readline()
        while self.stream.readline() != b"\r\n":
            pass
    def hear(self):
        _, length = self.stream.read(2)
        length &= 127
        if length == 126:
            length, = struct.unpack(">H", self.stream.read(2))
        elif length == 127:
            length, = struct.unpack(">Q", self.stream.read(8))
        return self.stream.read(length).decode()
    def say(self, frame):
        text = json.dumps(frame).encode()
        assert len(text) < 65536
        length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0xfe]) + struct.pack(">H", len(text))
        self.line.sendall(b"\x81" + length + bytes(4) + text)
    def until(self, *words):
        while True:
            heard = self.hear()
            if any(word in heard for word in words):
                return heard
session = call("POST", "/v1/sessions", {})["id"]
def tell(what, told):
    now = call("GET", f"/v1/sessions/{session}", None)
    print(what, "->", told, "| mode", now["permission_mode"])
def http():
    loosened = call("POST", f"/v1/sessions/{session}/configure", {"permission_mode": "bypassPermissions"})
    tell("http set", loosened["detail"])
    started = call("POST", "/v1/sessions", {"agent": "claude", "cwd": "/", "permission_mode": "bypassPermissions"})
    tell("http start", started["detail"])
    renamed = call("POST", f"/v1/sessions/{session}/configure", {"title": "Mine"})
    tell("http rename", renamed["title"])
def native():
    page = Socket("/v1/ws")
    page.say({"type": "hello"})
    page.say({"type": "configure", "tag": 7, "session": session, "permission_mode": "bypassPermissions"})
    tell("native set", page.until('"tag":7'))
    page.say({"type": "start", "tag": 8, "agent": "claude", "cwd": "/", "permission_mode": "bypassPermissions"})
    tell("native start", page.until('"tag":8'))
def gobby():
    page = Socket("/ws")
    page.say({"type": "set_mode", "mode": "bypass", "conversation_id": session})
    tell("gobby set", page.until("mode", "error"))
    tell("gobby rename", call("POST", f"/api/sessions/{session}/rename", {"title": "Also mine"})["title"])
def prime():
    page = Socket(f"/api/v1/chat/ws/{session}")
    page.say({"type": "set_mode", "data": {"mode": "bypass"}})
    page = Socket("/api/v1/chat/ws/new")
    page.say({"type": "user_message", "data": {"message": "Go"}})
    tell("prime start", page.until("error"))
def ccc():
    named = call("PUT", f"/api/sessions/{session}", {"name": "Still mine", "permission_mode": "bypassPermissions"})
    tell("ccc rename", named["name"])
for language in sys.argv[1:]:
    globals()[language]()
"#;

#[test]
fn an_agent_cannot_loosen_its_own_session_in_any_language() {
    // gobby takes all other addresses below `/api`, so it comes last; ccc needs some of them.
    let asked = |dialects: &[&str], languages: &[&str]| {
        let mut bridge = TestBridge::stopped();
        let named: Vec<_> = dialects.iter().flat_map(|dialect| ["--dialect", dialect]).collect();
        bridge.start_with(&[&named[..], &["--listen", "127.0.0.1:0"]].concat());
        let ran = bridge.run(&[&["run", "--", "python3", "-c", LOOSENS], languages].concat());
        ran.good().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut told = asked(&["prime", "gobby"], &["http", "native", "gobby", "prime"]);
    told.extend(asked(&["ccc"], &["ccc"]));
    let wanted = [
        ("http set ", "what an agent may do without asking"),
        ("http start ", "running an agent is running commands"),
        ("http rename ", "Mine"),
        ("native set ", "what an agent may do without asking"),
        ("native start ", "running an agent is running commands"),
        ("gobby set ", "what an agent may do without asking"),
        ("gobby rename ", "Also mine"),
        ("prime start ", "running an agent is running commands"),
        ("ccc rename ", "Still mine"),
    ];
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    for (line, (what, words)) in told.iter().zip(wanted) {
        assert!(line.starts_with(what) && line.contains(words) && line.ends_with("| mode None"), "{line}");
    }
}

/// Behaves like a service manager: leads a session without a terminal, and adopts orphans. Starts a process whose
/// parent ends at once, which then names its parent as an agent; then asks who it is itself.
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
