//! Pairing: a link that works once turns a browser or a phone into a person's device.

use askbridge_core::ids::{PartyId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use serde::{Deserialize, Serialize};

use super::secret::{self, Secret};
use super::tokens::{TokenInfo, TokenRole, Tokens, TokensError};
use crate::chance::Chance;
use crate::runtime::Store;

/// The token that a link or code was redeemed for.
#[derive(Debug)]
pub struct Paired {
    pub token: Secret,
    pub info: TokenInfo,
}

#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    #[error("this pairing link was used or is too old; make a new one with `askbridge pair`")]
    UsedOrOld,
    #[error(
        "another device was paired before this link was opened, and a further one needs a tap; make a new link with `askbridge pair`"
    )]
    NotTheFirst,
    #[error("could not read or write the pairing link")]
    Shelf(#[from] ShelfError),
    #[error(transparent)]
    Tokens(#[from] TokensError),
}

#[derive(Serialize, Deserialize)]
struct Link {
    name: String,
    role: TokenRole,
    /// Did a person's device agree to it? If not, it pairs only the first device, unless taps are off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    vouched: bool,
    /// The device that made it. The link is void once that device is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maker: Option<String>,
}

/// Who made a link that pairs a person's device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkMadeBy {
    /// A device of that person.
    ADevice(PartyId),
    /// A process to which a device gave a tap.
    ATap,
    /// A process of this machine. That is enough for the first device only.
    ThisMachine,
}

const PREFIX: &str = "pairing/";
const CODE_PREFIX: &str = "pairing-code/";

/// Makes the secret of a link that pairs one device of the person called `name`.
pub async fn make_link(
    store: &Store,
    chance: &Chance,
    name: &str,
    role: TokenRole,
    made_by: LinkMadeBy,
    now: Timestamp,
) -> Result<Secret, PairingError> {
    let secret = Secret::fresh("pair", chance);
    let (vouched, maker) = match made_by {
        LinkMadeBy::ADevice(party) => (true, Some(party.as_str().to_owned())),
        LinkMadeBy::ATap => (true, None),
        LinkMadeBy::ThisMachine => (false, None),
    };
    let link = serde_json::to_vec(&Link { name: name.to_owned(), role, vouched, maker }).expect("a link has text keys");
    let expires_at = Some(now.plus(limits::PAIRING_LINK_LIFE));
    store.put(&key(&secret), &link, Expect::Absent, expires_at, now).await?;
    Ok(secret)
}

/// Makes a code of six digits that becomes a token of the agent called `name`.
pub async fn make_code(
    store: &Store,
    chance: &Chance,
    name: &str,
    role: TokenRole,
    now: Timestamp,
) -> Result<Secret, PairingError> {
    let link = serde_json::to_vec(&Link { name: name.to_owned(), role, vouched: false, maker: None })
        .expect("a link has text keys");
    let expires_at = Some(now.plus(limits::PAIRING_LINK_LIFE));
    loop {
        let code = Secret::from(format!("{:06}", chance.u64() % 1_000_000));
        match store.put(&code_key(&code), &link, Expect::Absent, expires_at, now).await {
            Ok(_) => return Ok(code),
            // The code is taken, which can happen among a million.
            Err(ShelfError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Redeems a link. Of any number of attempts, one gets the token.
pub async fn redeem(
    store: &Store,
    tokens: &Tokens,
    secret: Secret,
    device: &str,
    now: Timestamp,
) -> Result<Paired, PairingError> {
    use_up(store, tokens, &key(&secret), device, now).await
}

/// Redeems a code. Codes and links have separate keys: a code is short, and is safe only because attempts are rate
/// limited.
pub async fn redeem_code(
    store: &Store,
    tokens: &Tokens,
    code: Secret,
    device: &str,
    now: Timestamp,
) -> Result<Paired, PairingError> {
    use_up(store, tokens, &code_key(&code), device, now).await
}

async fn use_up(
    store: &Store,
    tokens: &Tokens,
    key: &str,
    device: &str,
    now: Timestamp,
) -> Result<Paired, PairingError> {
    let item = store.take(key, now).await?.ok_or(PairingError::UsedOrOld)?;
    let link: Link = serde_json::from_slice(&item.value).map_err(|_| PairingError::UsedOrOld)?;
    if link.maker.as_deref().is_some_and(|maker| !tokens.holds(&PartyId::from(maker))) {
        return Err(PairingError::UsedOrOld);
    }
    let needs_to_be_first = link.role.decides() && !link.vouched && !tokens.taps_are_off();
    if needs_to_be_first && !tokens.be_first(now).await? {
        return Err(PairingError::NotTheFirst);
    }
    let (token, info) = tokens.make(&link.name, device, link.role, now).await?;
    Ok(Paired { token, info })
}

fn code_key(code: &Secret) -> String {
    format!("{CODE_PREFIX}{}", secret::hex(&code.hash()))
}

fn key(secret: &Secret) -> String {
    format!("{PREFIX}{}", secret::hex(&secret.hash()))
}
