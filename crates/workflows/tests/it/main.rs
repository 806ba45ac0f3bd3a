//! Rules of gobby's wheels and of our own, against CPython, PyYAML and Jinja2, and event by event.

mod conditions;
mod dirty;
mod effects;
mod failover;
mod generated;
mod limits;
mod questions;
mod random;
mod state;
mod steps;
mod support;
mod templates;
mod tools;
mod wheels;
mod yaml;
