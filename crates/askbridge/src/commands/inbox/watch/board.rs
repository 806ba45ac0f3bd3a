//! The state of the board, and what each key does to it. No terminal here.

use serde_json::json;

use super::choices::{choices, deed, takes_several};
use super::feed::InboxUpdate;
use crate::client::{Ask, Shown};
use crate::commands::answer::Deed;

/// How much longer an ask waits after `e`.
const EXTEND_SECONDS: u32 = 600;

#[derive(Debug, Default)]
pub(super) struct Board {
    /// The open asks, in the order in which they were asked.
    pub(super) asks: Vec<Ask>,
    /// The selected ask: by id, so that it stays selected when others come and go.
    chosen: Option<String>,
    pub(super) mode: Mode,
    /// The last update, for the status line.
    pub(super) note: String,
    pub(super) is_lost: bool,
    /// The ask that was last answered here, for `u`.
    last_answered: Option<String>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    List,
    /// One ask in full: which choices are marked, and how far it is scrolled.
    Card {
        marked: Vec<usize>,
        scroll: usize,
    },
    /// Confirms a dismissal with `y`.
    Closing,
    Help,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    Enter,
    Escape,
    Char(char),
}

/// What a key triggers.
#[derive(Debug)]
pub(super) enum BoardAction {
    Stay,
    Quit,
    Send(String, Deed),
    /// The answer needs text: prompt for it step by step.
    InWords(Box<Shown>),
}

impl Board {
    pub(super) fn hear(&mut self, update: InboxUpdate) {
        let place = self.place().unwrap_or_default();
        match update {
            InboxUpdate::Open(asks) => self.asks = asks,
            InboxUpdate::Happened { ask, .. } => {
                let known = self.asks.iter().position(|old| old.shown.id == ask.shown.id);
                match (known, ask.shown.is_open()) {
                    (Some(place), true) => self.asks[place] = *ask,
                    (None, true) => self.asks.push(*ask),
                    (Some(place), false) => drop(self.asks.remove(place)),
                    (None, false) => {}
                }
            }
            InboxUpdate::Lost => self.is_lost = true,
            InboxUpdate::Back => self.is_lost = false,
        }
        if self.place().is_none() {
            // The selected ask is gone: select its neighbour, and keep no marks.
            if self.chosen.is_some() && self.mode != Mode::List && self.mode != Mode::Help {
                self.note = "someone else was faster, or it is no longer asked".to_owned();
                self.mode = Mode::List;
            }
            let next = self.asks.get(place).or_else(|| self.asks.last());
            self.chosen = next.map(|ask| ask.shown.id.clone());
        }
    }

    /// Returns the index of the selected ask.
    pub(super) fn place(&self) -> Option<usize> {
        let chosen = self.chosen.as_deref()?;
        self.asks.iter().position(|ask| ask.shown.id == chosen)
    }

    pub(super) fn chosen(&self) -> Option<&Shown> {
        Some(&self.asks.get(self.place()?)?.shown)
    }

    /// Notes that an answer was acknowledged.
    pub(super) fn sent(&mut self, id: &str, deed: &Deed, note: String) {
        self.note = note;
        self.mode = Mode::List;
        if deed.verb == "answer" {
            self.last_answered = Some(id.to_owned());
        }
    }

    pub(super) fn press(&mut self, key: Key) -> BoardAction {
        self.note.clear();
        match self.mode.clone() {
            Mode::Help => {
                self.mode = Mode::List;
                BoardAction::Stay
            }
            Mode::Closing => {
                self.mode = Mode::List;
                match (key, &self.chosen) {
                    (Key::Char('y' | 'Y'), Some(id)) => BoardAction::Send(id.clone(), Deed::dismiss(None)),
                    _ => {
                        self.note = "not closed".to_owned();
                        BoardAction::Stay
                    }
                }
            }
            Mode::List => self.press_in_list(key),
            Mode::Card { marked, scroll } => self.press_in_card(key, marked, scroll),
        }
    }

    fn press_in_list(&mut self, key: Key) -> BoardAction {
        match key {
            Key::Up | Key::Char('k') => self.go(-1),
            Key::Down | Key::Char('j') => self.go(1),
            Key::Escape | Key::Char('q') => return BoardAction::Quit,
            Key::Char('?') => self.mode = Mode::Help,
            Key::Enter => self.open(Vec::new()),
            Key::Char(digit @ '1'..='9') => {
                self.open(Vec::new());
                return self.press_if_open(Key::Char(digit));
            }
            Key::Char(other) => return self.press_anywhere(other),
        }
        BoardAction::Stay
    }

    /// A number opens an ask only if it has choices to mark.
    fn press_if_open(&mut self, key: Key) -> BoardAction {
        match (self.chosen().and_then(choices), &self.mode) {
            (Some(_), Mode::Card { .. }) => self.press(key),
            _ => {
                self.mode = Mode::List;
                self.note = "this one takes words: Enter asks for them".to_owned();
                BoardAction::Stay
            }
        }
    }

    fn press_in_card(&mut self, key: Key, mut marked: Vec<usize>, scroll: usize) -> BoardAction {
        let Some(ask) = self.chosen().cloned() else { return BoardAction::Stay };
        let choices = choices(&ask).unwrap_or_default();
        match key {
            Key::Escape | Key::Char('q') => self.mode = Mode::List,
            Key::Up | Key::Char('k') => self.mode = Mode::Card { marked, scroll: scroll.saturating_sub(1) },
            Key::Down | Key::Char('j') => self.mode = Mode::Card { marked, scroll: scroll + 1 },
            Key::Char('w') => return BoardAction::InWords(Box::new(ask)),
            // Nothing is marked, or the answer needs text.
            Key::Enter => match deed(&ask, &marked) {
                Some(deed) => return BoardAction::Send(ask.id.clone(), deed),
                None => return BoardAction::InWords(Box::new(ask)),
            },
            Key::Char(digit @ '1'..='9') => {
                let place = digit as usize - '1' as usize;
                if place >= choices.len() {
                    self.note = format!("there is no choice {digit}");
                } else if let Some(known) = marked.iter().position(|mark| *mark == place) {
                    marked.remove(known);
                } else if takes_several(&ask) {
                    marked.push(place);
                    marked.sort_unstable();
                } else {
                    marked = vec![place];
                }
                self.mode = Mode::Card { marked, scroll };
            }
            Key::Char('?') => self.mode = Mode::Help,
            Key::Char(other) => return self.press_anywhere(other),
        }
        BoardAction::Stay
    }

    fn press_anywhere(&mut self, key: char) -> BoardAction {
        match (key, self.chosen.clone()) {
            ('d', Some(_)) => self.mode = Mode::Closing,
            ('e', Some(id)) => {
                return BoardAction::Send(id, Deed { verb: "extend", body: json!({"seconds": EXTEND_SECONDS}) });
            }
            ('u', chosen) => {
                let proposed = self.chosen().filter(|ask| ask.state == "proposed").and(chosen);
                match proposed.or_else(|| self.last_answered.clone()) {
                    Some(id) => return BoardAction::Send(id, Deed { verb: "undo", body: json!({}) }),
                    None => self.note = "nothing was answered here that could be taken back".to_owned(),
                }
            }
            ('d' | 'e', None) => {}
            _ => self.note = "? shows what the keys do".to_owned(),
        }
        BoardAction::Stay
    }

    fn open(&mut self, marked: Vec<usize>) {
        if self.chosen().is_some() {
            self.mode = Mode::Card { marked, scroll: 0 };
        }
    }

    fn go(&mut self, steps: isize) {
        let Some(place) = self.place() else { return };
        let place = place.saturating_add_signed(steps).min(self.asks.len().saturating_sub(1));
        self.chosen = Some(self.asks[place].shown.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(name: &str, more: serde_json::Value) -> Ask {
        let mut ask = json!({
            "id": format!("ask_{name}_1"), "session": format!("ses_{name}"), "state": "open", "agent": "ci", "answerable": true, "answers": {},
            "by": null, "words": null, "verdict": null, "asked_at": "2026-11-15T08:30:00Z", "deadline": null,
            "undo_until": null,
            "questions": [{"question": "Deploy?", "options": [{"label": "Yes"}, {"label": "No"}]}],
        });
        for (name, value) in more.as_object().unwrap() {
            ask[name] = value.clone();
        }
        Ask::read(&ask.to_string()).unwrap()
    }

    fn board(names: &[&str]) -> Board {
        let mut board = Board::default();
        board.hear(InboxUpdate::Open(names.iter().map(|name| ask(name, json!({}))).collect()));
        board
    }

    fn sent(step: BoardAction) -> Option<(String, String)> {
        match step {
            BoardAction::Send(id, deed) => Some((id, format!("{} {}", deed.verb, deed.body))),
            _ => None,
        }
    }

    #[test]
    fn the_chosen_ask_stays_chosen_when_others_come_and_go() {
        let mut board = board(&["a", "b", "c"]);
        board.press(Key::Down);
        assert_eq!(board.chosen().unwrap().id, "ask_b_1");
        let gone = ask("a", json!({"state": "answered"}));
        board.hear(InboxUpdate::Happened { what: "settled".into(), ask: Box::new(gone) });
        board.hear(InboxUpdate::Happened { what: "asked".into(), ask: Box::new(ask("d", json!({}))) });
        assert_eq!((board.chosen().unwrap().id.as_str(), board.asks.len()), ("ask_b_1", 3));
        let gone = ask("b", json!({"state": "answered"}));
        board.hear(InboxUpdate::Happened { what: "settled".into(), ask: Box::new(gone) });
        assert_eq!(board.chosen().unwrap().id, "ask_c_1");
    }

    #[test]
    fn nothing_is_sent_by_a_number_alone() {
        let mut board = board(&["a"]);
        assert!(matches!(board.press(Key::Char('2')), BoardAction::Stay));
        assert_eq!(board.mode, Mode::Card { marked: vec![1], scroll: 0 });
        let answer = r#"answer {"answers":{"Deploy?":{"options":[1]}}}"#;
        assert_eq!(sent(board.press(Key::Enter)), Some(("ask_a_1".into(), answer.into())));
    }

    #[test]
    fn what_was_marked_does_not_go_to_another_ask() {
        let mut board = board(&["a", "b"]);
        board.press(Key::Char('1'));
        let gone = ask("a", json!({"state": "withdrawn"}));
        board.hear(InboxUpdate::Happened { what: "withdrawn".into(), ask: Box::new(gone) });
        assert_eq!(board.mode, Mode::List);
        assert!(!board.note.is_empty());
        assert_eq!(board.chosen().unwrap().id, "ask_b_1");
    }

    #[test]
    fn closing_takes_a_yes() {
        let mut board = board(&["a"]);
        board.press(Key::Char('d'));
        assert!(sent(board.press(Key::Enter)).is_none());
        board.press(Key::Char('d'));
        assert_eq!(sent(board.press(Key::Char('y'))), Some(("ask_a_1".into(), r#"dismiss {"words":null}"#.into())));
    }

    #[test]
    fn several_options_are_marked_one_after_the_other() {
        let mut board = Board::default();
        let options = json!([{"label": "a"}, {"label": "b"}, {"label": "c"}]);
        let questions = json!([{"question": "Which?", "options": options, "multiSelect": true}]);
        board.hear(InboxUpdate::Open(vec![ask("a", json!({"questions": questions}))]));
        for key in ['3', '1', '2', '2'] {
            board.press(Key::Char(key));
        }
        assert_eq!(board.mode, Mode::Card { marked: vec![0, 2], scroll: 0 });
    }

    #[test]
    fn what_takes_words_is_asked_in_words() {
        let mut board = Board::default();
        board.hear(InboxUpdate::Open(vec![ask("a", json!({"questions": [{"question": "Name?"}]}))]));
        assert!(matches!(board.press(Key::Char('1')), BoardAction::Stay));
        assert_eq!(board.mode, Mode::List);
        board.press(Key::Enter);
        assert!(matches!(board.press(Key::Enter), BoardAction::InWords(_)));
    }

    #[test]
    fn keys_on_an_empty_board_do_nothing() {
        let mut board = board(&[]);
        for key in [Key::Up, Key::Down, Key::Enter, Key::Char('d'), Key::Char('e'), Key::Char('1'), Key::Char('u')] {
            assert!(matches!(board.press(key), BoardAction::Stay), "{key:?}");
            board.mode = Mode::List;
        }
        assert!(matches!(board.press(Key::Char('q')), BoardAction::Quit));
    }
}
