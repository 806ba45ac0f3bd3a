//! Six-digit codes that are redeemed for a token: for programs of other systems that people pair by typing.
//!
//! Six digits can be guessed. So a code lives as long as a pairing link and works once, and wrong ones are counted
//! together for all addresses: twenty per minute leave one chance in five thousand.

use std::net::{IpAddr, Ipv4Addr};

use askbridge_core::limits;
use askbridge_peers::wish::{Receipt, Rejection};

use super::app::App;
use crate::auth::{PairingError, Secret, TokenRole, make_code, redeem_code as use_code};
use crate::runtime::down;

/// All attempts at codes share one rate limit for failures.
const ANYBODY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// Makes a code with which one program becomes the agent called `name`.
pub(super) async fn new_code(app: &App, name: &str) -> Result<Secret, PairingError> {
    make_code(&app.handle.store, &app.handle.chance, name, TokenRole::Agent, app.handle.clock.now()).await
}

/// Redeems a code. Of any number of attempts, one gets the token.
pub(super) async fn redeem_code(app: &App, code: String, via: &str) -> Result<Receipt, Rejection> {
    let now = app.handle.clock.now();
    // Taken before the code is checked, or guessing would cost nothing as long as it succeeds.
    app.failures.take(&ANYBODY, now).map_err(|retry_after| Rejection::TooFast { retry_after })?;
    match use_code(&app.handle.store, &app.tokens, Secret::from(code), via, now).await {
        Ok(paired) => Ok(Receipt { token: Some(paired.token.reveal().to_owned()), ..Receipt::default() }),
        Err(PairingError::UsedOrOld) => Err(Rejection::Unauthorized),
        Err(error) => Err(down(error)),
    }
}

/// How long a code works, in seconds.
pub(super) const LIFE_SECONDS: u64 = limits::PAIRING_LINK_LIFE.as_secs();
