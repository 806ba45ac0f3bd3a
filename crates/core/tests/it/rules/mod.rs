//! Rules about asks: their order, their terms, what they may say, and what is explained.

mod every_call;
mod explained;
mod given;
mod laws;
mod order;
mod projects;
mod unattended;
