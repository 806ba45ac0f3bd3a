//! askbridge's own JSON: the shapes that the http door and the native dialect share.

mod answer;
mod ask;
mod codes;
mod given;
mod host;
mod lent;
mod listed;
mod new_question;
mod new_session;
mod on_expiry;
mod problem;
mod repeated;
mod reply;
mod ring;
mod schema;
mod session;
mod time;
mod wild;

pub use answer::in_labels;
pub use ask::{AskJson, BodyJson};
pub use codes::{CODES, Code};
pub use host::HostJson;
pub(crate) use lent::Lent;
pub use listed::ListedAsk;
pub(crate) use new_question::{NewQuestion, VISIBLE, are_whole, is_plain, questions, takes_more, text_or_whole};
pub use new_session::{Hosting, NewSession, SessionChanges, UNATTENDED_FIELD, UnattendedWord};
pub(crate) use on_expiry::NewOnExpiry;
pub use on_expiry::on_expiry;
pub use problem::Problem;
pub(crate) use repeated::{last_of_each, repeated};
pub use reply::{Answering, ReplyError};
pub use ring::{RingJson, RingState};
pub use schema::{AskState, ErrorCode, SessionState};
pub use session::{SessionJson, StepJson};
pub use time::Rfc3339;
pub use wild::{WildJson, parse, raw, render};
