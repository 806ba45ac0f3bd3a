//! Tokens: stored as hashes on the shelf, cached in memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use askbridge_core::ids::{PartyId, Timestamp};
use askbridge_core::limits::MACHINES_MAX;
use askbridge_journal::journal::Journal;
use askbridge_journal::shelf::{Expect, Item, Shelf, ShelfError};
use parking_lot::{Mutex, RwLock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tokio::sync::watch;

use super::caller::{Caller, MACHINE, Role};
use super::cookies::{self, Cookies};
use super::first::{self, Taps};
use super::secret::{self, Secret};
use crate::chance::Chance;
use crate::runtime::Store;

/// Does this key of the shelf belong to tokens, cookies or taps?
pub(crate) fn is_of_tokens(key: &str) -> bool {
    [PREFIX, cookies::PREFIX].iter().any(|prefix| key.starts_with(prefix)) || first::is_of_taps(key)
}

/// What a token is good for, as stored on the shelf. Never the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenInfo {
    /// Names the token in lists and for revoking; not a secret.
    pub id: String,
    pub name: String,
    pub device: String,
    pub role: TokenRole,
    pub made_at: i64,
    /// The person whose device agreed to it, if it is the token of a connected machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_by: Option<String>,
}

impl TokenInfo {
    /// Is this the token of a machine that a person connected?
    pub fn is_a_machine(&self) -> bool {
        self.role == TokenRole::Agent && self.device == MACHINE
    }
}

/// What a token may be good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenRole {
    Agent,
    Person,
    Operator,
    Bot,
    Local,
}

#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    #[error("could not read or write the tokens")]
    Shelf(#[from] ShelfError),
    #[error("there is no token `{0}`")]
    Unknown(String),
    #[error("a name has 1 to 64 characters")]
    BadName,
    #[error("{MACHINES_MAX} machines are connected; revoke one that is no longer used")]
    TooManyMachines,
    #[error("this token is in use")]
    InUse,
}

const PREFIX: &str = "token/";
/// When a token was last used, by its id.
const USED_PREFIX: &str = "token-used/";
const NAME_CHARS_MAX: usize = 64;

/// A token and its holder.
#[derive(Debug, Clone)]
struct TokenEntry {
    info: Arc<TokenInfo>,
    caller: Caller,
    /// When it was last used, in milliseconds; 0: never, as far as is known.
    used_at: Arc<AtomicI64>,
    /// What of that is on the shelf.
    noted_at: Arc<AtomicI64>,
}

/// Every token that this server knows.
#[derive(Debug)]
pub struct Tokens {
    pub(super) store: Store,
    pub(super) chance: Chance,
    known: RwLock<HashMap<[u8; 32], TokenEntry>>,
    /// Counts changes to known tokens, so that open connections check again whose they are.
    changes: watch::Sender<u64>,
    /// Tokens that this node revoked. What the shelf still says of them is from before that.
    revoked_here: Mutex<HashSet<[u8; 32]>>,
    /// Held while a token is renamed or revoked: a rename that began before a revocation would bring the token back.
    pub(super) changing: tokio::sync::Mutex<()>,
    pub(super) taps: Taps,
    /// Login cookies, which pages of other systems hold instead of a token.
    pub(super) cookies: Cookies,
}

impl TokenRole {
    /// May its holder decide?
    pub fn decides(self) -> bool {
        matches!(self, Self::Person | Self::Operator)
    }

    /// Is it known only to the node that made it? The token file of a machine opens no door of another.
    fn is_of_one_node(self) -> bool {
        self == Self::Local
    }
}

impl Tokens {
    /// Loads the tokens from the shelf.
    pub async fn load(store: Store, chance: Chance, now: Timestamp) -> Result<Self, TokensError> {
        let mut items = store.list(PREFIX, now).await?;
        if !store.exclusive() {
            // A journal that was moved here brings the token of the token file along; it counts on its own machine alone.
            items.retain(|item| {
                serde_json::from_slice(&item.value).is_ok_and(|info: TokenInfo| !info.role.is_of_one_node())
            });
            items.extend(store.own().list(PREFIX, now).await?);
        }
        let known = items.iter().filter_map(|item| {
            let hash = parse_hash(item.key.strip_prefix(PREFIX)?)?;
            let info: TokenInfo = serde_json::from_slice(&item.value).ok()?;
            Some((hash, TokenEntry::from(info)))
        });
        let known: HashMap<_, TokenEntry> = known.collect();
        for item in store.list(USED_PREFIX, now).await? {
            let id = item.key.strip_prefix(USED_PREFIX);
            let entry = known.values().find(|entry| Some(&*entry.info.id) == id);
            let at = std::str::from_utf8(&item.value).ok().and_then(|at| at.parse().ok());
            if let Some((entry, at)) = entry.zip(at) {
                entry.used_at.store(at, Ordering::Relaxed);
                entry.noted_at.store(at, Ordering::Relaxed);
            }
        }
        let has_people = known.values().any(|known| known.info.role.decides());
        let taps = Taps::load(&store, has_people, now).await?;
        let cookies = Cookies::load(&store, now).await?;
        Ok(Self {
            store,
            chance,
            known: RwLock::new(known),
            revoked_here: Mutex::default(),
            changes: watch::Sender::new(0),
            changing: tokio::sync::Mutex::default(),
            taps,
            cookies,
        })
    }

    /// Returns the holder of a token.
    pub fn caller(&self, token: &str) -> Option<Caller> {
        self.entry(&secret::hash(token), |entry| entry.caller.clone())
    }

    /// Looks at what is known of the token with this hash.
    fn entry<T>(&self, hash: &[u8; 32], look: impl FnOnce(&TokenEntry) -> T) -> Option<T> {
        let known = self.known.read();
        let (kept, entry) = known.get_key_value(hash)?;
        // The map's comparison stops at the first different byte, so what it found is compared once more in constant
        // time.
        bool::from(kept.ct_eq(hash)).then(|| look(entry))
    }

    /// The same, and remembers that it was used now.
    pub(crate) fn caller_at(&self, token: &str, now: Timestamp) -> Option<Caller> {
        self.entry(&secret::hash(token), |entry| {
            entry.used_at.store(now.0, Ordering::Relaxed);
            entry.caller.clone()
        })
    }

    /// When a token was last used. `None`: never, as far as is known.
    pub fn used_at(&self, id: &str) -> Option<Timestamp> {
        let known = self.known.read();
        let at = known.values().find(|entry| entry.info.id == id)?.used_at.load(Ordering::Relaxed);
        (at > 0).then_some(Timestamp(at))
    }

    /// Stores when tokens were last used, of those that were used since it was stored.
    pub(crate) async fn note_uses(&self, now: Timestamp) -> Result<(), ShelfError> {
        let changed: Vec<_> = {
            let known = self.known.read();
            let used = known.values().map(|entry| {
                let at = entry.used_at.load(Ordering::Relaxed);
                (entry.info.id.clone(), at, entry.noted_at.swap(at, Ordering::Relaxed))
            });
            used.filter(|(_, at, noted)| at != noted).collect()
        };
        for (id, at, _) in changed {
            self.store.put(&format!("{USED_PREFIX}{id}"), at.to_string().as_bytes(), Expect::Any, None, now).await?;
        }
        Ok(())
    }

    /// The holders of tokens with this name, except agents and bots.
    pub(crate) fn people(&self, name: &str) -> Vec<Caller> {
        let known = self.known.read();
        let callers = known.values().map(|known| &known.caller);
        callers
            .filter(|caller| !matches!(caller.role, Role::Agent | Role::Bot) && *caller.name == *name)
            .cloned()
            .collect()
    }

    /// Does this party still hold a token?
    pub fn holds(&self, party: &PartyId) -> bool {
        self.holder(party).is_some()
    }

    /// Returns the holder of this party's token, under their present name.
    pub fn holder(&self, party: &PartyId) -> Option<Caller> {
        self.known.read().values().find(|known| known.caller.party == *party).map(|known| known.caller.clone())
    }

    /// Waits until this caller's token is revoked. Everything that waits on a caller's behalf also waits for this, and
    /// polls it first: a caller whose token was revoked is told nothing more.
    ///
    /// Never returns for a caller that was let in without a token.
    pub(crate) async fn revoked(&self, caller: &Caller) {
        let mut changes = self.changes();
        let is_known = || match caller.has_no_token() {
            true => true,
            false => self.holds(&caller.party),
        };
        // A script on the local socket has the token file's party even if there is no token file.
        if Caller::is_of_this_machine(&caller.party) && !is_known() {
            std::future::pending::<()>().await;
        }
        while is_known() {
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Makes open connections check again whose they are.
    pub(super) fn tell_changes(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Signals that a token was revoked, its device renamed, or a page logged out.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Makes a token and returns its secret; afterwards only its hash is known.
    pub async fn make(
        &self,
        name: &str,
        device: &str,
        role: TokenRole,
        now: Timestamp,
    ) -> Result<(Secret, TokenInfo), TokensError> {
        let name = checked_name(name)?;
        let secret = Secret::fresh("ab", &self.chance);
        let info = TokenInfo {
            id: secret::hex(&self.chance.bytes::<5>()),
            name: name.to_owned(),
            device: device.chars().take(NAME_CHARS_MAX).collect(),
            role,
            made_at: now.0,
            connected_by: None,
        };
        self.keep(&secret, info.clone(), now).await?;
        Ok((secret, info))
    }

    /// Lets a machine ask with a token that it made itself and of which only the hash was sent. The same hash again is
    /// the same machine.
    pub(crate) async fn connect(
        &self,
        hash: [u8; 32],
        name: &str,
        connected_by: Option<String>,
        now: Timestamp,
    ) -> Result<Arc<TokenInfo>, TokensError> {
        let name = checked_name(name)?.to_owned();
        let _alone = self.changing.lock().await;
        if let Some(known) = self.machine(&hash) {
            return Ok(known);
        }
        if self.is_known(&hash) {
            return Err(TokensError::InUse);
        }
        if self.list().iter().filter(|info| info.is_a_machine()).count() >= MACHINES_MAX {
            return Err(TokensError::TooManyMachines);
        }
        let info = TokenInfo {
            id: secret::hex(&self.chance.bytes::<5>()),
            name,
            device: MACHINE.to_owned(),
            role: TokenRole::Agent,
            made_at: now.0,
            connected_by,
        };
        self.put(hash, info.clone(), now).await?;
        Ok(Arc::new(info))
    }

    /// Is there a token with this hash, of anyone?
    pub(crate) fn is_known(&self, hash: &[u8; 32]) -> bool {
        self.entry(hash, |_| ()).is_some()
    }

    /// Returns the machine whose token has this hash.
    pub(crate) fn machine(&self, hash: &[u8; 32]) -> Option<Arc<TokenInfo>> {
        self.entry(hash, |entry| Arc::clone(&entry.info)).filter(|info| info.is_a_machine())
    }

    /// Stores a secret that was made elsewhere, such as the one in the token file.
    pub async fn keep(&self, secret: &Secret, info: TokenInfo, now: Timestamp) -> Result<(), TokensError> {
        self.put(secret.hash(), info, now).await
    }

    async fn put(&self, hash: [u8; 32], info: TokenInfo, now: Timestamp) -> Result<(), TokensError> {
        self.put_as(hash, info, Expect::Any, now).await
    }

    async fn put_as(&self, hash: [u8; 32], info: TokenInfo, expect: Expect, now: Timestamp) -> Result<(), TokensError> {
        if info.role.decides() {
            // Before the token: after a kill in between, the other order would let the next pairing count as the first.
            self.be_first(now).await?;
        }
        let value = serde_json::to_vec(&info).expect("a token's description has text keys");
        let key = format!("{PREFIX}{}", secret::hex(&hash));
        match info.role.is_of_one_node() {
            true => self.store.own().put(&key, &value, expect, None, now).await?,
            false => self.store.put(&key, &value, expect, None, now).await?,
        };
        self.revoked_here.lock().remove(&hash);
        self.remember(hash, info);
        Ok(())
    }

    fn remember(&self, hash: [u8; 32], info: TokenInfo) {
        let mut entry = TokenEntry::from(info);
        let mut known = self.known.write();
        // A token that is renamed stays as used as it was.
        if let Some(former) = known.remove(&hash) {
            (entry.used_at, entry.noted_at) = (former.used_at, former.noted_at);
        }
        known.insert(hash, entry);
    }

    /// Takes in what another node, or this one, changed on the shelf. `None`: it was removed.
    pub(crate) async fn learn(&self, key: &str, item: Option<&Item>) {
        if self.learn_cookie(key, item) || self.learn_of_taps(key, item) {
            return;
        }
        let Some(hash) = key.strip_prefix(PREFIX).and_then(parse_hash) else { return };
        match item.map(|item| serde_json::from_slice::<TokenInfo>(&item.value)) {
            // A new name counts for open connections too.
            Some(Ok(info)) if !info.role.is_of_one_node() && !self.revoked_here.lock().contains(&hash) => {
                let is_news = self.entry(&hash, |entry| *entry.info != info).unwrap_or(true);
                if is_news {
                    self.remember(hash, info);
                    self.tell_changes();
                }
            }
            Some(_) => {}
            None => {
                // A token of this machine's own shelf is not removed by what the shared one says.
                let is_shared = self.entry(&hash, |entry| !entry.info.role.is_of_one_node()).unwrap_or(false);
                if is_shared {
                    self.known.write().remove(&hash);
                    self.tell_changes();
                }
            }
        }
    }

    /// The holders of all tokens.
    pub(crate) fn holders(&self) -> Vec<Caller> {
        self.known.read().values().map(|known| known.caller.clone()).collect()
    }

    pub fn list(&self) -> Vec<Arc<TokenInfo>> {
        let mut tokens: Vec<_> = self.known.read().values().map(|known| Arc::clone(&known.info)).collect();
        tokens.sort_by(|a, b| (a.made_at, &a.id).cmp(&(b.made_at, &b.id)));
        tokens
    }

    /// Renames the device of a token.
    pub async fn rename(&self, id: &str, device: &str, now: Timestamp) -> Result<Arc<TokenInfo>, TokensError> {
        let device = checked_name(device)?;
        let _alone = self.changing.lock().await;
        let (hash, info) = self.found(id)?;
        let renamed = TokenInfo { device: device.to_owned(), ..(*info).clone() };
        // As it is on the shelf: another node may have revoked it, and a new name must not bring it back.
        let key = format!("{PREFIX}{}", secret::hex(&hash));
        let there = match info.role.is_of_one_node() {
            true => self.store.own().get(&key, now).await?,
            false => self.store.get(&key, now).await?,
        };
        let there = there.ok_or_else(|| TokensError::Unknown(id.to_owned()))?;
        self.put_as(hash, renamed.clone(), Expect::Revision(there.revision), now).await?;
        self.tell_changes();
        Ok(Arc::new(renamed))
    }

    fn found(&self, id: &str) -> Result<([u8; 32], Arc<TokenInfo>), TokensError> {
        let known = self.known.read();
        let found = known.iter().find(|(_, known)| known.info.id == id);
        let found = found.map(|(hash, known)| (*hash, Arc::clone(&known.info)));
        found.ok_or_else(|| TokensError::Unknown(id.to_owned()))
    }

    /// Revokes a token: its holder is unknown from now on.
    pub async fn revoke(&self, id: &str) -> Result<Arc<TokenInfo>, TokensError> {
        let _alone = self.changing.lock().await;
        let (hash, info) = self.found(id)?;
        let key = format!("{PREFIX}{}", secret::hex(&hash));
        match info.role.is_of_one_node() {
            true => self.store.own().delete(&key, Expect::Any).await?,
            false => self.store.delete(&key, Expect::Any).await?,
        }
        self.revoked_here.lock().insert(hash);
        let revoked = self.known.write().remove(&hash);
        self.tell_changes();
        // A leftover says only when a token that is gone was used.
        let _ = self.store.delete(&format!("{USED_PREFIX}{id}"), Expect::Any).await;
        if let Some(revoked) = revoked {
            // Without its token a cookie is worthless, even if it could not be removed.
            let _ = self.end_cookies_of(&revoked.caller.party, None).await;
        }
        Ok(info)
    }
}

/// Returns a name in its stored form, so that a tap names the same person as the token that it is given for.
pub fn checked_name(name: &str) -> Result<&str, TokensError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        return Err(TokensError::BadName);
    }
    Ok(name)
}

impl From<TokenInfo> for TokenEntry {
    fn from(info: TokenInfo) -> Self {
        let role = match info.role {
            TokenRole::Agent => Role::Agent,
            TokenRole::Person => Role::Person,
            TokenRole::Operator => Role::Operator,
            TokenRole::Bot => Role::Bot,
            TokenRole::Local => Role::Local,
        };
        let party = party_of(&info.id);
        let caller = Caller { party, role, name: info.name.as_str().into(), device: info.device.as_str().into() };
        Self { info: Arc::new(info), caller, used_at: Arc::default(), noted_at: Arc::default() }
    }
}

/// The party of a token.
pub(crate) fn party_of(token: &str) -> PartyId {
    PartyId::from(format!("tok_{token}"))
}

pub(super) fn parse_hash(hex: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if hex.len() != 64 {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}
