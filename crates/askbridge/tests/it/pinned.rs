//! A connection on the local socket belongs to the process that opened it, not to another that gets its process id.

use crate::bridge::TestBridge;

/// Opens a connection, asks who it is, ends, and leaves the connection to a child that asks again.
const LEFT_TO_A_CHILD: &str = r#"
import os, socket, sys
REQUEST = b"GET /v1/me HTTP/1.1\r\nhost: localhost\r\n\r\n"
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
def ask():
    line.sendall(REQUEST)
    answer = line.recv(65536)
    return answer.split(b" ")[1].decode()
print(ask(), flush=True)
opener = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == opener:
    pass
print(ask(), flush=True)
"#;

/// In its own namespace: a process opens a connection, hands it over and ends; another at a terminal gets its pid.
const NUMBER_USED_AGAIN: &str = r#"
import os, pty, socket, subprocess, sys
server = subprocess.Popen(["askbridge", "serve"], stdout=subprocess.PIPE, env={**os.environ, "ASKBRIDGE_LISTEN": "127.0.0.1:0"})
server.stdout.readline()
REQUEST = b"GET /v1/me HTTP/1.1\r\nhost: localhost\r\n\r\n"
ours, theirs = socket.socketpair()
first = os.fork()
if first == 0:
    line = socket.socket(socket.AF_UNIX)
    line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
    line.sendall(REQUEST)
    line.recv(65536)
    socket.send_fds(theirs, [b"x"], [line.fileno()])
    os._exit(0)
_, fds, _, _ = socket.recv_fds(ours, 1, 1)
line = socket.socket(fileno=fds[0])
os.waitpid(first, 0)
second = 0
for _ in range(100):
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(first - 1))
    second, screen = pty.fork()
    if second == 0:
        print("sits at a terminal", flush=True)
        sys.stdin.read()
        os._exit(0)
    if second == first:
        break
os.read(screen, 1)
print("again" if second == first else "never", flush=True)
line.sendall(REQUEST)
print(line.recv(65536).decode(), flush=True)
server.kill()
"#;

#[test]
fn a_connection_ends_with_the_process_that_opened_it() {
    let bridge = TestBridge::start();
    let ran = bridge.python(LEFT_TO_A_CHILD);
    assert_eq!(ran.good(), "200\n401\n");
}

#[test]
fn a_number_that_is_used_again_does_not_make_a_terminal_of_a_kept_connection() {
    let bridge = TestBridge::stopped();
    let ran = bridge.bash(&format!(
        "unshare --pid --fork --mount-proc --kill-child true 2>/dev/null || {{ echo no namespace; exit; }}
         unshare --pid --fork --mount-proc --kill-child python3 -c '{NUMBER_USED_AGAIN}'"
    ));
    if ran.good() == "no namespace\n" {
        eprintln!("a number cannot be used again here on purpose: this system lets us make no namespace");
        return;
    }
    assert!(ran.stdout.starts_with("again\nHTTP/1.1 401 "), "{ran:?}");
    assert!(!ran.stdout.contains("terminal"), "{ran:?}");
}
