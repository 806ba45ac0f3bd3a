//! Process trees of real systems, as tables.

use super::*;

const ME: u32 = 1000;

/// One row: number, parent, session, terminal, user.
type Row = (u32, u32, u32, u32, u32);

struct Table(Vec<Row>);

impl Processes for Table {
    fn kin(&self, pid: u32) -> Option<Kin> {
        let (pid, parent, session, terminal, _) = *self.0.iter().find(|row| row.0 == pid)?;
        Some(Kin { id: id(pid), parent, session, terminal, is_dead: false })
    }

    fn users(&self, pid: u32) -> Option<[u32; 3]> {
        let user = self.0.iter().find(|row| row.0 == pid)?.4;
        Some([user; 3])
    }
}

fn id(pid: u32) -> ProcessId {
    ProcessId { pid, started: u64::from(pid) * 10 }
}

fn traced(rows: &[Row], known: &KnownProcesses, own: u32) -> Origin {
    let caller = rows.last().expect("the caller is the last row").0;
    trace(&Table(rows.to_vec()), known, own, caller)
}

fn found(rows: &[Row]) -> Ancestry {
    traced(rows, &KnownProcesses::default(), ME).ancestry
}

const INIT: Row = (1, 0, 1, 0, ROOT);
const TTY: u32 = 34816;

#[test]
fn a_terminal_below_a_login_proves_itself() {
    let sshd = [
        INIT,
        (20, 1, 20, 0, 0),
        (21, 20, 21, 0, 0),
        (22, 21, 21, 0, ME),
        (23, 22, 23, TTY, ME),
        (24, 23, 23, TTY, ME),
    ];
    let login = [INIT, (30, 1, 30, 1025, 0), (31, 30, 31, 1025, ME), (32, 31, 31, 1025, ME)];
    let display =
        [INIT, (40, 1, 40, 0, 0), (41, 40, 40, 0, 0), (42, 41, 42, 0, ME), (43, 42, 42, 0, ME), (44, 43, 44, TTY, ME)];
    let docker_exec = [INIT, (50, 0, 50, TTY, ME), (51, 50, 50, TTY, ME)];
    // Another user switches to the one that the server runs as.
    let sudo = [INIT, (60, 1, 60, 0, 0), (61, 60, 61, TTY, 1001), (62, 61, 61, TTY, 0), (63, 62, 61, TTY, ME)];
    for rows in [&sshd[..], &login, &display, &docker_exec, &sudo] {
        assert_eq!(found(rows), Ancestry::LoginTerminal, "{rows:?}");
    }
    assert_eq!(traced(&sshd, &KnownProcesses::default(), ME).shell, Some(id(23)));
}

#[test]
fn a_terminal_that_anything_could_have_opened_proves_nothing() {
    // tmux: its server detached itself from its parents.
    let tmux = [INIT, (20, 1, 20, 0, ME), (21, 20, 21, TTY, ME), (22, 21, 21, TTY, ME)];
    // gnome-terminal-server, below `systemd --user`.
    let graphical = [INIT, (30, 1, 30, 0, ME), (31, 30, 31, 0, ME), (32, 31, 32, TTY, ME), (33, 32, 32, TTY, ME)];
    // `setsid -f script -c …`, after the agent above it has exited.
    let orphan = [INIT, (40, 1, 40, 0, ME), (41, 40, 41, TTY, ME)];
    // `( askbridge answer ) &` in a shell that has exited: still at its terminal.
    let left_behind = [INIT, (50, 1, 45, TTY, ME)];
    // A container whose first process is the shell.
    let container = [(1, 0, 1, TTY, ME), (60, 1, 1, TTY, ME)];
    // A user namespace gives an agent other user ids, never root outside of it.
    let mapped = [INIT, (70, 1, 70, 0, 100_000), (71, 70, 71, TTY, ME)];
    // `setsid -f script -c 'sudo -A true'`: sudo runs the user's own SUDO_ASKPASS.
    let askpass = [INIT, (80, 1, 80, 0, ME), (81, 80, 81, TTY, 0), (82, 81, 81, TTY, ME)];
    for rows in [&tmux[..], &graphical, &orphan, &left_behind, &container, &mapped, &askpass] {
        assert_eq!(found(rows), Ancestry::UnprovenTerminal, "{rows:?}");
    }
    assert_eq!(traced(&tmux, &KnownProcesses::default(), ME).shell, Some(id(21)), "its pane, not the server");
    assert_eq!(traced(&left_behind, &KnownProcesses::default(), ME).shell, Some(id(50)), "itself alone");
}

#[test]
fn a_server_that_runs_as_root_tells_no_login_from_others() {
    let sshd = [INIT, (20, 1, 20, 0, 0), (21, 20, 21, 0, 0), (23, 21, 23, TTY, 0), (24, 23, 23, TTY, 0)];
    assert_eq!(traced(&sshd, &KnownProcesses::default(), ROOT).ancestry, Ancestry::UnprovenTerminal);
    let docker_exec = [INIT, (50, 0, 50, TTY, 0), (51, 50, 50, TTY, 0)];
    assert_eq!(traced(&docker_exec, &KnownProcesses::default(), ROOT).ancestry, Ancestry::LoginTerminal);
}

#[test]
fn a_program_that_runs_with_roots_rights_for_this_user_is_no_login() {
    struct Setuid;
    impl Processes for Setuid {
        fn kin(&self, pid: u32) -> Option<Kin> {
            Table(vec![INIT, (20, 1, 20, 0, 0), (21, 20, 21, TTY, ME)]).kin(pid)
        }
        fn users(&self, pid: u32) -> Option<[u32; 3]> {
            Some(if pid == 20 { [ME, ROOT, ROOT] } else { [ME; 3] })
        }
    }
    assert_eq!(trace(&Setuid, &KnownProcesses::default(), ME, 21).ancestry, Ancestry::UnprovenTerminal);
}

#[test]
fn without_a_terminal_it_is_a_script_wherever_it_began() {
    assert_eq!(found(&[INIT, (20, 1, 20, 0, ME)]), Ancestry::NoTerminal);
    assert_eq!(found(&[INIT, (20, 1, 20, 0, 0), (21, 20, 21, 0, ME)]), Ancestry::NoTerminal);
}

#[test]
fn a_session_in_which_an_agent_was_proves_nothing_until_a_tap() {
    let sshd = [INIT, (21, 1, 21, 0, 0), (23, 21, 23, TTY, ME), (24, 23, 23, TTY, ME)];
    let mut known = KnownProcesses { hosted: HashSet::from([id(23)]), ..KnownProcesses::default() };
    // `clone(CLONE_PARENT)`: a sibling of the agent, below the shell.
    assert_eq!(traced(&sshd, &known, ME).ancestry, Ancestry::UnprovenTerminal);
    known.vouched.insert(id(23), Some(id(23)));
    assert_eq!(traced(&sshd, &known, ME).ancestry, Ancestry::VouchedTerminal);
}

#[test]
fn a_tap_holds_for_one_shell_and_not_for_its_neighbours() {
    let known = KnownProcesses { vouched: HashMap::from([(id(21), Some(id(21)))]), ..KnownProcesses::default() };
    let pane = |shell: u32| [INIT, (20, 1, 20, 0, ME), (shell, 20, shell, TTY, ME), (90, shell, shell, TTY, ME)];
    assert_eq!(traced(&pane(21), &known, ME).ancestry, Ancestry::VouchedTerminal);
    assert_eq!(traced(&pane(22), &known, ME).ancestry, Ancestry::UnprovenTerminal);
}

#[test]
fn below_an_agent_nothing_else_counts() {
    let sshd = [INIT, (21, 1, 21, 0, 0), (23, 21, 23, TTY, ME), (24, 23, 23, TTY, ME), (25, 24, 23, TTY, ME)];
    let known = KnownProcesses {
        agents: HashSet::from([id(24)]),
        vouched: HashMap::from([(id(23), None)]),
        ..KnownProcesses::default()
    };
    assert_eq!(traced(&sshd, &known, ME).ancestry, Ancestry::BelowAnAgent);
}

#[test]
fn a_line_that_cannot_be_followed_is_an_agents() {
    assert_eq!(found(&[(30, 29, 30, TTY, ME)]), Ancestry::Unknown);
    let long: Vec<Row> = (0..400).map(|at| (at + 2, at + 1, 2, TTY, ME)).collect();
    assert_eq!(found(&long), Ancestry::Unknown);
}

#[test]
fn we_ourselves_are_below_an_agent_once_our_parent_is_one() {
    let agents = Agents::default();
    let me = std::process::id();
    assert_ne!(agents.ancestry(me), Ancestry::BelowAnAgent);
    let parent = System.kin(me).unwrap().parent;
    assert!(agents.announce(parent).is_some());
    assert_eq!(agents.ancestry(me), Ancestry::BelowAnAgent);
}

#[test]
fn a_process_that_does_not_exist_is_not_trusted() {
    assert_eq!(Agents::default().ancestry(u32::MAX), Ancestry::Unknown);
    assert_eq!(Agents::default().announce(u32::MAX), None);
}
