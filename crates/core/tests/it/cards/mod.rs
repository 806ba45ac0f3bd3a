//! Cards and the way back from them: `fit` for every screen, `unfit` for every reply.

mod always;
mod decided;
mod meant;
mod said;
mod shown;
mod stand_ins;
mod strange;
