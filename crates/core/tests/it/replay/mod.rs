//! Random stories: replay agrees with the first run, and the laws hold at every step.

mod always;
mod chance;
mod watch;
