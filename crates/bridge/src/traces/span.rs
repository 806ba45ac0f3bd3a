//! A finished span, waiting to be exported.

use std::borrow::Cow;

use super::context::Context;

/// Bytes of one attribute. Beyond: it is left out. Our own are shorter; names of agents may not be.
const TEXT_BYTES_MAX: usize = 256;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(super) context: Context,
    pub(super) parent: Option<u64>,
    /// Another span that had to do with this one, in any trace.
    pub(super) link: Option<Context>,
    pub(super) name: Cow<'static, str>,
    pub(super) kind: Kind,
    /// Nanoseconds since 1970, like `ended`.
    pub(super) began: u64,
    pub(super) ended: u64,
    pub(super) failed: bool,
    pub(super) attributes: Vec<(&'static str, Value)>,
}

/// The numbers are those of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Internal = 1,
    Server = 2,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

impl Span {
    pub(super) fn say(&mut self, name: &'static str, text: impl Into<Cow<'static, str>>) {
        let text = text.into();
        if text.len() <= TEXT_BYTES_MAX {
            self.attributes.push((name, Value::Text(text)));
        }
    }
}
