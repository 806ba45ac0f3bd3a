//! Pairing: a link that works once turns a browser or a phone into a person's device.

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use serde::{Deserialize, Serialize};

use super::secret::{self, Secret};
use super::tokens::{TokenInfo, TokenRole, Tokens, TokensError};
use crate::chance::Chance;
use crate::runtime::Store;

/// A person's new token.
#[derive(Debug)]
pub struct Paired {
    pub token: Secret,
    pub info: TokenInfo,
}

#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    #[error("this pairing link was used or is too old; make a new one with `askbridge pair`")]
    UsedOrOld,
    #[error("could not read or write the pairing link")]
    Shelf(#[from] ShelfError),
    #[error(transparent)]
    Tokens(#[from] TokensError),
}

#[derive(Serialize, Deserialize)]
struct Link {
    name: String,
    role: TokenRole,
}

const PREFIX: &str = "pairing/";

/// Makes the secret of a link that pairs one device of the person called `name`.
pub async fn make_link(
    store: &Store,
    chance: &Chance,
    name: &str,
    role: TokenRole,
    now: Timestamp,
) -> Result<Secret, PairingError> {
    let secret = Secret::fresh("pair", chance);
    let link = serde_json::to_vec(&Link { name: name.to_owned(), role }).expect("a link has text keys");
    let expires_at = Some(now.plus(limits::PAIRING_LINK_LIFE));
    store.put(&key(&secret), &link, Expect::Absent, expires_at, now).await?;
    Ok(secret)
}

/// Uses a link: of any number who try, one gets the token.
pub async fn redeem(
    store: &Store,
    tokens: &Tokens,
    secret: Secret,
    device: &str,
    now: Timestamp,
) -> Result<Paired, PairingError> {
    let item = store.take(&key(&secret), now).await?.ok_or(PairingError::UsedOrOld)?;
    let link: Link = serde_json::from_slice(&item.value).map_err(|_| PairingError::UsedOrOld)?;
    let (token, info) = tokens.make(&link.name, device, link.role, now).await?;
    Ok(Paired { token, info })
}

fn key(secret: &Secret) -> String {
    format!("{PREFIX}{}", secret::hex(&secret.hash()))
}
