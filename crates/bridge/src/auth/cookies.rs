//! Login cookies: what a page of another system gets for a token. Each is a random secret for one dialect; the shelf
//! and the memory hold its hash.
//!
//! Browsers send a cookie to every port of a machine, so an agent's own web server may receive it. It is never a token:
//! it is accepted only where the dialect's listing says so, and ends at logout, with its token, or after thirty days.

use std::collections::HashMap;

use askbridge_core::ids::{PartyId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Item, Shelf, ShelfError};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use super::caller::Caller;
use super::secret::{self, Secret};
use super::tokens::{Tokens, TokensError, parse_hash};
use crate::runtime::Store;

pub(super) const PREFIX: &str = "cookie/";

/// What a cookie stands for, as stored on the shelf. Never the cookie itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Cookie {
    /// Whose token it stands for.
    party: String,
    dialect: String,
    ends_at: i64,
}

/// Every login cookie that is known here.
#[derive(Debug, Default)]
pub(super) struct Cookies(RwLock<HashMap<[u8; 32], Cookie>>);

impl Cookies {
    /// Loads the cookies from the shelf.
    pub(super) async fn load(store: &Store, now: Timestamp) -> Result<Self, ShelfError> {
        let items = store.list(PREFIX, now).await?;
        let known = items.iter().filter_map(|item| {
            let hash = parse_hash(item.key.strip_prefix(PREFIX)?)?;
            Some((hash, serde_json::from_slice(&item.value).ok()?))
        });
        Ok(Self(RwLock::new(known.collect())))
    }
}

impl Tokens {
    /// Makes a cookie that stands for this caller's token in one dialect, and returns it; afterwards only its hash is
    /// known. `None`: the token was revoked meanwhile.
    pub(crate) async fn make_cookie(
        &self,
        caller: &Caller,
        dialect: &str,
        now: Timestamp,
    ) -> Result<Option<Secret>, TokensError> {
        // No cookie is made while its token is being revoked.
        let _alone = self.changing.lock().await;
        if !self.holds(&caller.party) {
            return Ok(None);
        }
        let secret = Secret::fresh("abc", &self.chance);
        let ends_at = now.plus(limits::LOGIN_COOKIE_LIFE);
        let party = caller.party.as_str().to_owned();
        let cookie = Cookie { party, dialect: dialect.to_owned(), ends_at: ends_at.0 };
        let value = serde_json::to_vec(&cookie).expect("a cookie's description has text keys");
        self.store.put(&key(&secret.hash()), &value, Expect::Any, Some(ends_at), now).await?;
        let superfluous = {
            let mut known = self.cookies.0.write();
            known.retain(|_, cookie| cookie.ends_at > now.0);
            known.insert(secret.hash(), cookie);
            let mut own: Vec<_> = known.iter().filter(|(_, cookie)| cookie.party == caller.party.as_str()).collect();
            own.sort_by_key(|(_, cookie)| std::cmp::Reverse(cookie.ends_at));
            own.into_iter().skip(limits::LOGIN_COOKIES_MAX).map(|(hash, _)| *hash).collect::<Vec<_>>()
        };
        self.end_these(superfluous).await?;
        Ok(Some(secret))
    }

    /// Takes in a cookie that another node made or ended. Returns whether the key is a cookie's.
    pub(super) fn learn_cookie(&self, key: &str, item: Option<&Item>) -> bool {
        let Some(name) = key.strip_prefix(PREFIX) else { return false };
        let Some(hash) = parse_hash(name) else { return true };
        match item.map(|item| serde_json::from_slice::<Cookie>(&item.value)) {
            Some(Ok(cookie)) => drop(self.cookies.0.write().insert(hash, cookie)),
            Some(Err(_)) => {}
            None => {
                if self.cookies.0.write().remove(&hash).is_some() {
                    self.tell_changes();
                }
            }
        }
        true
    }

    /// Returns the caller whose token a cookie stands for, if the cookie was made for this dialect.
    pub(crate) fn cookie_holder(&self, cookie: &Secret, dialect: &str, now: Timestamp) -> Option<Caller> {
        let hash = cookie.hash();
        let party = {
            let known = self.cookies.0.read();
            let (kept, cookie) = known.get_key_value(&hash)?;
            // The map's comparison stops at the first different byte, so what it found is compared once more in
            // constant time.
            let counts = bool::from(kept.ct_eq(&hash)) && cookie.dialect == dialect && cookie.ends_at > now.0;
            counts.then(|| PartyId::from(cookie.party.as_str()))?
        };
        self.holder(&party)
    }

    /// Is this cookie still valid?
    pub(crate) fn knows_cookie(&self, cookie: &Secret) -> bool {
        self.cookies.0.read().contains_key(&cookie.hash())
    }

    /// Ends one cookie. Returns whether it was one of this dialect.
    pub(crate) async fn end_cookie(&self, cookie: &Secret, dialect: &str) -> Result<bool, TokensError> {
        let hash = cookie.hash();
        if self.cookies.0.read().get(&hash).is_none_or(|known| known.dialect != dialect) {
            return Ok(false);
        }
        self.end_these(vec![hash]).await?;
        Ok(true)
    }

    /// Ends every cookie that stands for this party's token, in one dialect or in all.
    pub(crate) async fn end_cookies_of(&self, party: &PartyId, dialect: Option<&str>) -> Result<(), TokensError> {
        let is_meant =
            |cookie: &Cookie| cookie.party == party.as_str() && dialect.is_none_or(|dialect| cookie.dialect == dialect);
        let known = self.cookies.0.read().iter().filter(|(_, it)| is_meant(it)).map(|(hash, _)| *hash).collect();
        self.end_these(known).await
    }

    async fn end_these(&self, cookies: Vec<[u8; 32]>) -> Result<(), TokensError> {
        if cookies.is_empty() {
            return Ok(());
        }
        for hash in cookies {
            self.store.delete(&key(&hash), Expect::Any).await?;
            self.cookies.0.write().remove(&hash);
        }
        self.tell_changes();
        Ok(())
    }
}

fn key(hash: &[u8; 32]) -> String {
    format!("{PREFIX}{}", secret::hex(hash))
}
