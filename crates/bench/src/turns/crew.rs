//! All sessions of one measurement, and their rounds.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::sleep_until;

use super::seat::Seat;
use crate::load::Pace;

/// How far a paced session may fall behind before it skips rounds.
const LAG_MAX: Duration = Duration::from_millis(100);

pub(super) struct Crew {
    pub(super) seats: Vec<Seat>,
}

impl Crew {
    /// Plays rounds in all sessions for `span`. Returns how long each took.
    pub(super) async fn run(&mut self, pace: Pace, span: Duration) -> Result<Vec<Duration>> {
        let sessions = self.seats.len();
        let interval = match pace {
            Pace::Saturated => Duration::ZERO,
            Pace::PerSecond(rate) => Duration::from_secs(1).mul_f64(sessions as f64 / f64::from(rate)),
        };
        let start = Instant::now();
        let mut playing = JoinSet::new();
        for (place, mut seat) in self.seats.drain(..).enumerate() {
            let mut next = start + interval.mul_f64(place as f64 / sessions as f64);
            playing.spawn(async move {
                let mut took = Vec::new();
                // At least one round each, also where a whole span is shorter than that.
                while took.is_empty() || Instant::now() < start + span {
                    if !interval.is_zero() {
                        sleep_until(next.into()).await;
                    }
                    took.push(seat.round().await?);
                    next = (next + interval).max(Instant::now() - LAG_MAX);
                }
                Ok::<_, anyhow::Error>((seat, took))
            });
        }
        let mut all = Vec::new();
        while let Some(done) = playing.join_next().await {
            let (seat, took) = done??;
            self.seats.push(seat);
            all.extend(took);
        }
        Ok(all)
    }

    /// Lets every agent ask, and leaves the questions open.
    pub(super) async fn wait(&mut self) -> Result<()> {
        let mut asking = JoinSet::new();
        for mut seat in self.seats.drain(..) {
            asking.spawn(async move { seat.say().await.map(|_| seat) });
        }
        while let Some(asked) = asking.join_next().await {
            self.seats.push(asked??);
        }
        Ok(())
    }
}
