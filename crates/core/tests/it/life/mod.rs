//! An ask's life, stage by stage, and the session around it.

mod answer;
mod ask;
mod ask_again;
mod closed;
mod deliver;
mod dismiss;
mod every_stage;
mod forget;
mod hosts;
mod late;
mod leave;
mod limits;
mod overrule;
mod park;
mod rule;
mod say;
mod start;
mod strand;
mod time;
mod undo;
mod vote;
