//! One file per intent: an intent in, events or a refusal out. No events means that nothing changes.

mod answer;
mod ask;
mod close;
mod configure;
mod deliver;
mod dismiss;
mod dispatch;
mod extend;
mod found;
mod host;
mod late;
mod overrule;
mod park;
mod rule;
mod say;
mod settle;
mod start;
mod strand;
mod tick;
mod undo;
mod vote;
mod withdraw;

pub use dispatch::decide;
