//! How many asks wait for a person: the number on the icon of the app.

use std::collections::HashSet;

use askbridge_core::limits;
use askbridge_journal::index::{AskFilter, State, StateFilter};
use askbridge_ringing::notice::Ticket;
use tracing::warn;

use crate::auth::Caller;
use crate::server::App;

/// Counts the asks that this person may decide and has not snoozed, as the page does: up to one page of them, more than
/// any icon shows. `None`: they could not be counted.
pub(crate) async fn waiting_for(app: &App, person: &str) -> Option<u32> {
    let filter =
        AskFilter { states: StateFilter::One(State::Open), person: Some(person.into()), ..AskFilter::default() };
    let rows = app.handle.look_up(move |index| index.rows(&filter, None, limits::PAGE_MAX)).await;
    let snoozed = app.handle.snoozes_of(&Caller::without_token(person)).await;
    match rows.and_then(|rows| Ok((rows, snoozed?))) {
        Ok((rows, snoozed)) => {
            let snoozed: HashSet<_> = snoozed.into_iter().map(|(ask, _)| ask).collect();
            u32::try_from(rows.iter().filter(|row| !snoozed.contains(&row.id)).count()).ok()
        }
        Err(error) => {
            warn!(%error, "What waits for a person could not be counted");
            None
        }
    }
}

/// The same for the person of a ticket.
pub(crate) async fn waiting_for_owner(app: &App, ticket: &Ticket) -> Option<u32> {
    let person = app.ringing().rings.lock().find(ticket)?.1.person;
    waiting_for(app, &person).await
}
