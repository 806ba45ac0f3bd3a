//! The rules, tested from outside: cards and replies, wild asks, an ask's life, the laws, and replay at random.

mod asks;
mod cards;
mod facts;
mod given;
mod laws;
mod life;
mod people;
mod replay;
mod replies;
mod wild;
mod wishes;
