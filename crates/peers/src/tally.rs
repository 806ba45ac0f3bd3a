//! Statistics of a session: how many messages, which model, what it cost, and whether the agent is working.

use askbridge_core::event::Event;
use askbridge_core::ids::Timestamp;
use serde_json::Value;

use crate::turn::Turn;

/// What lists of sessions show about each session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Messages of people and of the agent, and tool calls.
    pub messages: usize,
    pub model: Option<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// What each turn cost, in US dollars, and when it ended.
    pub costs: Vec<(Timestamp, f64)>,
    pub standing: Standing,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// Nothing has been said yet.
    #[default]
    New,
    /// The agent has received a message, and has not said or done anything yet.
    Thinking,
    /// The agent is writing or using tools.
    Generating,
    /// It waits for a person.
    Waiting,
    Done,
}

/// Counts one session, event by event.
#[derive(Debug, Default)]
pub struct Counting {
    tally: Tally,
    turn: Turn,
    open: usize,
    says_something: bool,
    /// The cost that the agent's process had reported when its last turn ended; the next report includes it.
    counted_usd: f64,
}

impl Counting {
    pub fn hear(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::Started(started) => self.set_model(started.settings.model.as_ref()),
            Event::Configured(settings) => self.set_model(settings.model.as_ref()),
            Event::Said(_) => self.tally.messages += 1,
            Event::Text { .. } | Event::ToolCalled { .. } => {
                self.tally.messages += 1;
                self.says_something = true;
            }
            Event::Asked(_) => self.open += 1,
            Event::Settled(_) | Event::Withdrawn { .. } | Event::Overtaken { .. } => {
                self.open = self.open.saturating_sub(1);
            }
            Event::TurnEnded { usage, .. } => {
                self.says_something = false;
                let usage = usage.as_ref().and_then(|usage| serde_json::from_str::<Value>(usage.as_str()).ok());
                self.spent(&usage.unwrap_or_default(), at);
            }
            _ => {}
        }
        self.turn.hear(event);
    }

    fn set_model(&mut self, model: Option<&String>) {
        if let Some(model) = model {
            self.tally.model = Some(model.clone());
        }
    }

    fn spent(&mut self, usage: &Value, at: Timestamp) {
        let tokens = |name: &str| usage["usage"][name].as_u64().unwrap_or_default();
        self.tally.input_tokens += tokens("input_tokens");
        self.tally.output_tokens += tokens("output_tokens");
        let Some(counted) = usage["total_cost_usd"].as_f64() else { return };
        // Claude Code's total grows as long as its process runs, and a new process begins at zero.
        let before = if counted < self.counted_usd { 0.0 } else { self.counted_usd };
        self.counted_usd = counted;
        if counted > before {
            self.tally.costs.push((at, counted - before));
        }
    }

    pub fn tally(mut self) -> Tally {
        self.tally.standing = match (self.open > 0, self.turn.is_running()) {
            (true, _) => Standing::Waiting,
            (false, true) if self.says_something => Standing::Generating,
            (false, true) => Standing::Thinking,
            (false, false) if self.tally.messages == 0 => Standing::New,
            (false, false) => Standing::Done,
        };
        self.tally
    }
}

impl Tally {
    /// The cost of the turns that ended since then.
    pub fn cost_since(&self, since: Timestamp) -> f64 {
        self.costs.iter().filter(|(at, _)| *at >= since).fold(0.0, |sum, (_, cost)| sum + cost)
    }

    pub fn cost(&self) -> f64 {
        self.cost_since(Timestamp(i64::MIN))
    }

    /// Whether the agent is working and does not wait for a person.
    pub fn works(&self) -> bool {
        matches!(self.standing, Standing::Thinking | Standing::Generating)
    }

    /// Whether the agent is working or waits for a person.
    pub fn is_running(&self) -> bool {
        matches!(self.standing, Standing::Thinking | Standing::Generating | Standing::Waiting)
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::Raw;

    use super::*;

    fn ended(cost: f64) -> Event {
        let usage = format!(r#"{{"total_cost_usd":{cost},"usage":{{"input_tokens":10,"output_tokens":3}}}}"#);
        Event::TurnEnded { reason: "success".to_owned(), usage: Some(Raw::from(usage)) }
    }

    #[test]
    fn what_a_process_counts_up_is_counted_once_and_a_new_process_begins_anew() {
        let mut counting = Counting::default();
        for (at, cost) in [(1, 0.5), (2, 0.75), (3, 0.25)] {
            counting.hear(&ended(cost), Timestamp(at));
        }
        let tally = counting.tally();
        assert_eq!(tally.costs, [(Timestamp(1), 0.5), (Timestamp(2), 0.25), (Timestamp(3), 0.25)]);
        assert_eq!((tally.input_tokens, tally.output_tokens), (30, 9));
        assert!(
            (tally.cost() - 1.0).abs() < f64::EPSILON && (tally.cost_since(Timestamp(3)) - 0.25).abs() < f64::EPSILON
        );
    }

    #[test]
    fn a_session_stands_where_its_last_event_left_it() {
        let text = Event::Text { block: 1, text: "hi".to_owned() };
        let mut counting = Counting::default();
        let mut stand = |events: &[Event]| {
            let mut counted = std::mem::take(&mut counting);
            events.iter().for_each(|event| counted.hear(event, Timestamp(1)));
            counted.tally().standing
        };
        assert_eq!(stand(&[]), Standing::New);
        assert_eq!(stand(std::slice::from_ref(&text)), Standing::Generating);
        assert_eq!(stand(&[text, ended(0.0)]), Standing::Done);
    }
}
