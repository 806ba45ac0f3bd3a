//! Runs numbered jobs on all cores: numbers are taken in order, and the lowest one that fails is reported.
//!
//! Seeds of a simulation and batches of a fuzzer are independent, so each runs on one thread and several run at once.
//! Every number that was taken is finished, however the run ends; so what was done is always a range without gaps, and
//! a run that was stopped can say exactly how far it came.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two reports about a long run.
const BEAT: Duration = Duration::from_secs(10);
/// Results queued for the reporting thread. Beyond: the worker threads wait for it.
const QUEUE_MAX: usize = 256;

/// Worker threads, and what makes them stop early.
#[derive(Debug, Clone)]
pub struct Crew {
    jobs: usize,
    until: Option<Instant>,
    stop: Arc<AtomicBool>,
}

/// What the reporting thread is told while the workers run.
#[derive(Debug)]
pub enum CrewReport<T> {
    /// One number was done.
    Done(T),
    /// Ten seconds have passed.
    Beat,
}

/// How far the run came.
#[derive(Debug)]
pub struct Worked<E> {
    /// Every number before this one was done and did not fail.
    pub end: u64,
    /// The lowest number that failed, and how.
    pub failed: Option<(u64, E)>,
}

impl Crew {
    /// Makes a crew of `jobs` threads; by default one for each core.
    pub fn of(jobs: Option<usize>) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Self { jobs: jobs.unwrap_or_else(cores).max(1), until: None, stop: Arc::default() }
    }

    /// Takes no further number once this much time has passed.
    pub fn for_time(self, span: Duration) -> Self {
        Self { until: Some(Instant::now() + span), ..self }
    }

    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Takes no further number from now on.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Was it told to stop?
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops at Ctrl-C: running jobs are finished, and the run reports how far it came. A second one ends the process.
    pub fn stop_at_ctrl_c(&self) -> std::io::Result<()> {
        let crew = self.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        thread::spawn(move || {
            runtime.block_on(async {
                if tokio::signal::ctrl_c().await.is_ok() {
                    crew.stop();
                }
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(130);
                }
            });
        });
        Ok(())
    }

    /// Runs `one` for every number of a range, on all threads, and calls `news` on this one.
    pub fn work<T: Send, E: Send>(
        &self,
        numbers: Range<u64>,
        one: impl Fn(u64) -> Result<T, E> + Sync,
        mut news: impl FnMut(CrewReport<T>),
    ) -> Worked<E> {
        let (next, failing) = (AtomicU64::new(numbers.start), AtomicBool::new(false));
        let mut failed: Option<(u64, E)> = None;
        let mut end = numbers.start;
        thread::scope(|scope| {
            let (done, results) = sync_channel(QUEUE_MAX);
            for _ in 0..self.jobs {
                let (done, next, failing, one, until) = (done.clone(), &next, &failing, &one, numbers.end);
                scope.spawn(move || {
                    while !self.is_over() && !failing.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= until {
                            return;
                        }
                        let result = one(number);
                        failing.fetch_or(result.is_err(), Ordering::Relaxed);
                        if done.send((number, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(done);
            let mut beat = Instant::now() + BEAT;
            loop {
                match results.recv_timeout(beat.saturating_duration_since(Instant::now())) {
                    Ok((number, result)) => {
                        end = end.max(number + 1);
                        match result {
                            Ok(it) => news(CrewReport::Done(it)),
                            Err(error) if failed.as_ref().is_none_or(|(lowest, _)| number < *lowest) => {
                                failed = Some((number, error));
                            }
                            Err(_) => {}
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                if Instant::now() >= beat {
                    news(CrewReport::Beat);
                    beat = Instant::now() + BEAT;
                }
            }
        });
        let end = failed.as_ref().map_or(end, |(lowest, _)| *lowest);
        Worked { end, failed }
    }

    fn is_over(&self) -> bool {
        self.is_stopped() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_number_is_done_once_and_reported() {
        let (seen, mut reported) = (Mutex::new(Vec::new()), 0);
        let one = |number| {
            seen.lock().unwrap().push(number);
            Ok::<_, ()>(1)
        };
        let worked = Crew::of(Some(4)).work(5..105, one, |news| {
            if let CrewReport::Done(count) = news {
                reported += count;
            }
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!((seen, reported), ((5..105).collect(), 100));
        assert_eq!((worked.end, worked.failed), (105, None));
    }

    #[test]
    fn of_several_that_fail_the_lowest_is_reported_however_many_work() {
        for jobs in [1, 2, 8] {
            let one = |number| if number == 40 || number > 60 { Err(number * 2) } else { Ok(()) };
            let worked = Crew::of(Some(jobs)).work(0..1000, one, |_| {});
            assert_eq!((worked.end, worked.failed), (40, Some((40, 80))), "{jobs} jobs");
        }
    }

    #[test]
    fn what_was_done_when_it_was_stopped_has_no_holes() {
        let crew = Crew::of(Some(4));
        let seen = Mutex::new(Vec::new());
        let one = |number| {
            if number == 50 {
                crew.stop();
            }
            seen.lock().unwrap().push(number);
            Ok::<_, ()>(())
        };
        let worked = crew.work(0..u64::MAX, one, |_| {});
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..worked.end).collect::<Vec<_>>());
        assert!(worked.end > 50, "{}", worked.end);
    }
}
