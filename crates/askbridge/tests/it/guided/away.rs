//! The guide for being reached while away, with stand-ins on loopback for the services.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use crate::bridge::TestBridge;
use crate::patience::until;

use super::page::block_with;
use super::reader::Reader;

const AWAY: &str = include_str!("../../../../../docs/guides/away.md");

/// A service that takes everything, and answers as ntfy, Telegram and Slack do. A request for news is never answered.
struct Service {
    url: String,
    /// The first line and the body of each request.
    heard: Arc<Mutex<Vec<(String, String)>>>,
}

impl Service {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        thread::spawn(move || {
            // Kept open: a client that waits for news would come again at once.
            let mut waiting = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some((line, body)) = request(&mut stream) else { continue };
                let answer = answer(&line);
                told.lock().unwrap().push((line, body));
                match answer {
                    Some(json) => {
                        let length = json.len();
                        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                        let _ = stream.write_all(format!("{head}{json}").as_bytes());
                    }
                    None => waiting.push(stream),
                }
            }
        });
        Self { url, heard }
    }

    fn heard(&self, part: &str) -> Option<(String, String)> {
        self.heard.lock().unwrap().iter().find(|(line, _)| line.contains(part)).cloned()
    }
}

fn request(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.trim().to_owned(), String::from_utf8(body).unwrap()))
}

fn answer(line: &str) -> Option<&'static str> {
    match line {
        _ if line.contains("/auth ") => Some(r#"{"success":true}"#),
        _ if line.starts_with("POST / ") => Some(r#"{"id":"m1","event":"message","sequence_id":"s1"}"#),
        _ if line.contains("/getMe ") => Some(r#"{"ok":true,"result":{"id":1,"is_bot":true,"username":"ask_bot"}}"#),
        _ if line.contains("auth.test") => Some(r#"{"ok":true,"team":"makers","user_id":"UBOT"}"#),
        // Nothing listens there: the connection is tried again and again.
        _ if line.contains("connections.open") => Some(r#"{"ok":true,"url":"ws://127.0.0.1:1/link"}"#),
        _ => None,
    }
}

#[test]
fn a_person_is_reached_over_each_channel_with_the_lines_of_the_guide() {
    let (reader, service) = (Reader::at(TestBridge::start()), Service::open());
    let lines = block_with(AWAY, "channel add ntfy").text.replace("https://ntfy.example.org", &service.url);
    let mut lines = lines.lines();
    let id = reader.types(lines.next().unwrap()).good().trim().to_owned();
    assert!(id.starts_with("ch_"), "{id}");
    assert!(reader.types(lines.next().unwrap()).good().contains(&id));
    assert_eq!(reader.types(&lines.next().unwrap().replace("ch_…", &id)).good().trim(), "sent");
    let (_, test) = service.heard("POST / ").unwrap();
    assert!(test.contains("ada-asks") && test.contains("askbridge reaches you here"), "{test}");
    assert!(reader.types(lines.next().unwrap()).good().contains("test"));
    assert_eq!(lines.next(), None);
    let set = block_with(AWAY, "channel set").text.replace("ch_…", &id);
    reader.types(set.trim_end()).good();
    let listed = reader.types("askbridge channel list --json").good().to_owned();
    assert!(
        listed.contains(r#""quiet":"22:00-07:00""#)
            && listed.contains(r#""tells":["turn_ended","agent_failed","down"]"#),
        "{listed}"
    );
    let (_, alarm) = until("the alarm is set", || {
        service.heard.lock().unwrap().iter().find(|(_, body)| body.contains(r#""delay":"1800s""#)).cloned()
    });
    assert!(alarm.contains("has not been heard of"), "{alarm}");
    // Whatever the time of day is while this runs.
    reader.types(&format!("askbridge channel set {id} --quiet ''")).good();

    for (name, secret) in [("bot.token", "123:abc"), ("app.token", "xapp-1")] {
        fs::write(reader.home().join(name), secret).unwrap();
    }
    let api = format!(" --api {}", service.url);
    let added = reader.types(&format!("{}{api}", block_with(AWAY, "channel add telegram").text.trim_end()));
    assert!(
        added.good().starts_with("ch_") && added.stderr.contains("https://t.me/ask_bot?start="),
        "{}",
        added.stderr
    );
    let added = reader.types(&format!("{}{api}", block_with(AWAY, "channel add slack").text.trim_end()));
    assert!(added.good().starts_with("ch_") && added.stderr.contains("/askbridge "), "{}", added.stderr);

    reader.stand_in("notify-send", "cat > \"$HOME/told\"");
    let bin = reader.home().join("bin/notify-send");
    let command = block_with(AWAY, "channel add command").text.replace("notify-send", &bin.display().to_string());
    let id = reader.types(&command).good().trim().to_owned();
    reader.types(&format!("askbridge channel test {id}")).good();
    let told = fs::read_to_string(reader.home().join("told")).unwrap();
    assert!(told.contains(r#""type":"test""#), "{told}");
    reader.types("askbridge away on").good();
    let ask = reader.types("askbridge ask --no-wait 'Deploy now?' -o Yes -o No").good().trim().to_owned();
    let log = until("it rang", || {
        let log = reader.types("askbridge notify log --json").good().to_owned();
        let rung = log.lines().filter(|line| line.contains(&ask) && line.contains(r#""state":"sent""#)).count();
        (rung == 2).then_some(log)
    });
    assert!(log.contains(&ask), "{log}");
}
