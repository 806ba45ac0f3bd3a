//! `GET /`: a small page that pairs the browser and shows what waits, until the web app takes its place.

mod files;

pub(crate) use files::{file, page, script, style};
