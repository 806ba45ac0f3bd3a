//! The loop between keyboard, server and screen.

use std::io::{Stdin, stdin};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

use super::board::{Board, BoardAction, Key, Mode};
use super::draw::draw;
use super::feed::{UPDATES_MAX, follow};
use super::screen::Screen;
use crate::client::{Client, Error, Shown};
use crate::commands::answer::{Deed, Prompt, by_hand, outcome, refused};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{Paint, tell};
use crate::settings::Settings;

/// How often the waiting times are redrawn.
const TICK: Duration = Duration::from_secs(1);

/// Runs until the person quits, across restarts of the server.
pub(in super::super) async fn live(settings: &Settings, client: &Client) -> Result<Exit, Failure> {
    let (to, mut updates) = mpsc::channel(UPDATES_MAX);
    tokio::spawn(follow(client.clone(), to));
    let mut board = Board::default();
    // Wait for the first update before taking over the screen, so that an unreachable server is reported as usual.
    if let Some(first) = updates.recv().await {
        board.hear(first?);
    }
    let paint = Paint::stdout(settings);
    let mut ends = Ends::new()?;
    let mut resized = signal(SignalKind::window_change())?;
    #[expect(
        deprecated,
        reason = "its successor is unsafe for the sake of types that lie about their file; Stdin does not"
    )]
    let keyboard = AsyncFd::with_interest(stdin(), Interest::READABLE)?;
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let screen = Screen::open()?;
    loop {
        screen.show(&draw(&board, screen.rows(), paint))?;
        tokio::select! {
            _ = tick.tick() => {}
            _ = resized.recv() => {}
            () = ends.next() => return Ok(Exit::Interrupted),
            heard = updates.recv() => match heard {
                Some(heard) => board.hear(heard?),
                None => return Err(Failure::new("the connection to askbridge ended")),
            },
            keys = pressed(&keyboard) => {
                for key in keys? {
                    let Some(key) = key else { return Ok(Exit::Interrupted) };
                    match board.press(key) {
                        BoardAction::Stay => {}
                        BoardAction::Quit => return Ok(Exit::Good),
                        BoardAction::Send(id, deed) => send(client, &screen, &mut board, &id, deed).await?,
                        BoardAction::InWords(ask) => {
                            screen.suspend()?;
                            let deed = in_words(settings, &ask, &mut ends, &screen).await?;
                            screen.resume()?;
                            match deed {
                                Some(deed) => send(client, &screen, &mut board, &ask.id, deed).await?,
                                None => board.note = "nothing was sent".to_owned(),
                            }
                        }
                    }
                }
            }
        }
    }
}

async fn send(client: &Client, screen: &Screen, board: &mut Board, id: &str, deed: Deed) -> Result<(), Failure> {
    let path = format!("/v1/asks/{id}/{}", deed.verb);
    let mut sent = client.post(&path, &deed.body).await;
    if sent.as_ref().is_err_and(Error::needs_a_tap) {
        // That may take minutes, and Ctrl-C must end it, so it happens on the normal screen.
        screen.suspend()?;
        let proven = client.prove().await;
        screen.resume()?;
        sent = match proven {
            Ok(()) => client.post(&path, &deed.body).await,
            Err(error) => Err(error),
        };
    }
    match sent {
        Ok(reply) => {
            let note = outcome(&reply, deed.verb).unwrap_or_else(|failure| failure.what());
            // Here a key does what the hinted command would do.
            let note = note.split("\nfor ").enumerate().map(|(place, part)| match place {
                0 => part.to_owned(),
                _ => format!("; for {}: u", part.split(':').next().unwrap_or_default()),
            });
            board.sent(id, &deed, note.collect());
        }
        Err(error) => {
            board.note = refused(client, error).await.what();
            board.mode = Mode::List;
        }
    }
    Ok(())
}

/// Prompts step by step, on the normal screen. In a blocking thread, so that signals are handled meanwhile.
async fn in_words(settings: &Settings, ask: &Shown, ends: &mut Ends, screen: &Screen) -> Result<Option<Deed>, Failure> {
    let (mut prompt, ask) = (Prompt::new(settings), ask.clone());
    let asking = tokio::task::spawn_blocking(move || by_hand(&ask, &mut prompt));
    tokio::select! {
        asked = asking => asked.map_err(|error| Failure::new(format!("could not ask: {error}")))?,
        () = ends.next() => {
            // That thread is blocked on a line that may never come; only the end of the process ends it.
            tell("");
            screen.give_back();
            std::process::exit(i32::from(Exit::Interrupted.number()));
        }
    }
}

/// Returns the keys that were pressed; `None` for Ctrl-C, which is a key like any other here.
async fn pressed(keyboard: &AsyncFd<Stdin>) -> Result<Vec<Option<Key>>, Failure> {
    let mut ready = keyboard.readable().await?;
    let mut keys = Vec::new();
    while event::poll(Duration::ZERO)? {
        if let Event::Key(pressed) = event::read()? {
            keys.extend(key(pressed));
        }
    }
    ready.clear_ready();
    Ok(keys)
}

fn key(pressed: KeyEvent) -> Option<Option<Key>> {
    if pressed.kind == KeyEventKind::Release {
        return None;
    }
    Some(Some(match pressed.code {
        KeyCode::Char('c' | 'd') if pressed.modifiers.contains(KeyModifiers::CONTROL) => return Some(None),
        KeyCode::Char(char) => Key::Char(char),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    }))
}

/// The signals that ask a program to stop.
struct Ends([Signal; 3]);

impl Ends {
    fn new() -> Result<Self, Failure> {
        Ok(Self([signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?]))
    }

    async fn next(&mut self) {
        let [terminate, hang_up, interrupt] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
