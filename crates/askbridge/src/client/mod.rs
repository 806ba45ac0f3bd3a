//! A client of a running askbridge: over the local socket, over TCP with a token, or to a URL with a token.

mod ask;
mod backoff;
mod error;
mod events;
mod http;
mod lines;
mod list;
mod remote;
mod tap;
mod time;

pub(crate) use ask::{Approval, Ask, Body, By, Choice, Field, Form, Question, Shown};
pub(crate) use backoff::Backoff;
pub(crate) use error::Error;
pub(crate) use events::StreamUpdate;
pub(crate) use http::{Client, Exchanged, Reply, dialable};
pub(crate) use time::Moment;
