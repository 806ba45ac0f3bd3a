//! The rules, tested from outside: cards and replies, wild asks, the life of an ask, the laws, and random replay.

mod asks;
mod cards;
mod facts;
mod given;
mod laws;
mod life;
mod people;
mod replay;
mod replies;
mod rules;
mod wild;
mod wishes;
