//! The runner: `given([events]).when(intent).then([events])`, repeated as often as a story needs it.

use askbridge_core::event::Event;
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::refusal::Refusal;
use askbridge_core::{Session, decide, evolve};

use crate::facts::started;

/// The session of every story.
pub(crate) const HERE: SessionId = SessionId(1);

/// A story so far: its events, and the time.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) session: Session,
    at: Timestamp,
}

/// The decision about one intent.
#[must_use = "say what happens then"]
#[derive(Debug)]
pub(crate) struct When {
    before: Given,
    decided: Result<Vec<Event>, Refusal>,
}

/// A session without events.
pub(crate) fn nothing() -> Given {
    Given { session: Session::new(HERE), at: Timestamp(0) }
}

/// A session that was started at second 0, and in which `events` happened.
pub(crate) fn given(events: impl IntoIterator<Item = Event>) -> Given {
    let events: Vec<_> = [started()].into_iter().chain(events).collect();
    Given { session: Session::replay(HERE, &events), at: Timestamp(0) }
}

/// The given second.
pub(crate) fn second(second: i64) -> Timestamp {
    Timestamp(second * 1000)
}

impl Given {
    /// Sets the clock to this second.
    pub(crate) fn at(self, second: i64) -> Self {
        Self { at: self::second(second), ..self }
    }

    pub(crate) fn and(mut self, event: Event) -> Self {
        evolve(&mut self.session, &event);
        self
    }

    pub(crate) fn when(self, wish: Intent) -> When {
        let decided = decide(&self.session, wish, self.at);
        When { before: self, decided }
    }
}

impl When {
    /// Exactly these events happen.
    #[track_caller]
    pub(crate) fn then(mut self, expected: impl IntoIterator<Item = Event>) -> Given {
        let expected: Vec<_> = expected.into_iter().collect();
        assert_eq!(self.decided.as_ref(), Ok(&expected));
        expected.iter().for_each(|event| evolve(&mut self.before.session, event));
        self.before
    }

    /// Nothing changes.
    #[track_caller]
    pub(crate) fn no_news(self) -> Given {
        self.then([])
    }

    /// It is refused, with this code.
    #[track_caller]
    pub(crate) fn refused(self, code: &str) -> Given {
        assert_eq!(self.decided.as_ref().map_err(Refusal::code), Err(code));
        self.before
    }

    /// It is refused, with exactly this refusal.
    #[track_caller]
    pub(crate) fn refused_as(self, refusal: Refusal) -> Given {
        assert_eq!(self.decided, Err(refusal));
        self.before
    }

    /// Continues with the resulting events, for tables that compare something else.
    #[track_caller]
    pub(crate) fn then_whatever(self) -> Given {
        let events = self.decided.clone().expect("something happens");
        self.then(events)
    }

    pub(crate) fn decided(self) -> Result<Vec<Event>, Refusal> {
        self.decided
    }
}
