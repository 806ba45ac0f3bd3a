//! A client of a running askbridge: over the local socket, over TCP with a token, or to a URL with a token. On a connected
//! machine (`connection.rs`), to the askbridge that it is connected to.

mod ask;
mod backoff;
mod connection;
mod error;
mod events;
mod home_down;
mod http;
mod lines;
mod list;
mod remote;
mod tap;
mod time;

pub(crate) use ask::{Approval, Ask, Body, By, Choice, Field, Form, Question, Shown};
pub(crate) use backoff::Backoff;
pub(crate) use connection::{Connection, PendingConnection};
pub(crate) use error::Error;
pub(crate) use events::StreamUpdate;
pub(crate) use home_down::HomeDown;
pub(crate) use http::{Client, Exchanged, Greeting, Reply, dialable};
pub(crate) use time::Moment;
