//! `askbridge expose off`, and changing from one way to another.

use super::home::Home;
use crate::nginx::free_port;

#[test]
fn off_leaves_the_settings_byte_for_byte_as_they_were() {
    let mut home = Home::start();
    let before = "# mine, with a comment\r\nretention = \"90d\" # kept\r\n\r\n[log]\r\nlevel = \"debug\"\r\n";
    home.write_settings(before);
    let port = free_port();
    home.expose(&format!("lan --name localhost --https 127.0.0.1:{port} --no-pair"));
    assert!(home.settings().contains("# mine, with a comment\r\n") && home.settings().contains("[tls]\r\n"));
    assert!(!home.bridge.log().contains("was open to other users"), "{}", home.bridge.log());
    let dry = home.run("expose off --dry-run");
    assert!(dry.good().contains("-public_url") && dry.stderr.contains("would delete the keys"), "{}", dry.stdout);
    home.run("expose off").good();
    assert_eq!(home.settings(), before);
    assert!(!home.bridge.data().join("tls").exists(), "nothing of it is left");
    assert!(home.run("expose off").good().contains("nothing to undo"));
    home.start_again();
    assert_eq!(home.bridge.get("/metrics", "").status, 200, "this machine is this machine again");
}

#[test]
fn another_way_replaces_what_the_one_before_wrote_and_keeps_what_a_person_added() {
    let mut home = Home::start();
    home.expose(&format!("lan --name localhost --https 127.0.0.1:{} --no-pair", free_port()));
    home.write_settings(&format!("{}# added since\n", home.settings()));
    let ran = home.run("expose proxy nginx --name ask.example.org --no-wait");
    assert!(ran.good().contains("server_name ask.example.org;"), "{}", ran.stdout);
    let settings = home.settings();
    for gone in ["[tls]", "authority", "listen"] {
        assert!(!settings.contains(gone), "{settings}");
    }
    for there in ["public_url = \"https://ask.example.org\"", "behind_proxy = true", "# added since"] {
        assert!(settings.contains(there), "{settings}");
    }
    home.run("expose off").good();
    assert_eq!(home.settings().trim(), "# added since");
}

#[test]
fn settings_in_another_file_than_before_leave_nothing_in_that_one() {
    let home = Home::start();
    let other = home.bridge.dir.path().join("other.toml");
    std::fs::write(&other, "# other\n").unwrap();
    home.run("expose proxy caddy --name one.example --no-wait --config other.toml").good();
    assert!(std::fs::read_to_string(&other).unwrap().contains("one.example"));
    home.run("expose proxy caddy --name two.example --no-wait").good();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "# other\n");
    assert!(home.settings().contains("two.example"), "{}", home.settings());
    home.run("expose off").good();
    assert_eq!(home.settings(), "");
}
