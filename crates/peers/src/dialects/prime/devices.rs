//! Devices that want to be told when a question waits and nobody is connected.

use askbridge_core::ids::{Raw, SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::quirks;
use crate::json::Rfc3339;
use crate::wish::{Call, Called, Receipt, Rejection};

/// Under which names devices are kept.
pub(super) const PREFIX: &str = "device/";
/// Devices that are kept. Beyond: another is refused until one is gone.
pub(super) const DEVICES_MAX: usize = 64;
const TYPES: &[&str] = &["iphone", "ipad", "mac"];
const NAME_CHARS_MAX: usize = 64;
const ID_CHARS_MAX: usize = 128;
const URL_BYTES_MAX: usize = 2048;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Device {
    pub(super) installation_id: String,
    #[serde(default)]
    device_name: Option<String>,
    device_type: String,
    /// Whoever knows it may push, so it is never listed.
    push_url: String,
    #[serde(default)]
    registered_at: Option<String>,
    /// Whose it is.
    #[serde(default)]
    owner: String,
}

impl Device {
    /// Reads a registration.
    pub(super) fn read(body: &[u8], owner: &str, now: Timestamp) -> Result<Self, String> {
        let mut device: Self = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let id = &device.installation_id;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > ID_CHARS_MAX || !id.chars().all(is_plain) {
            return Err("installation_id: letters, digits, `-`, `_` and `.`, at most 128".to_owned());
        }
        if device.device_name.as_ref().is_some_and(|name| name.chars().count() > NAME_CHARS_MAX) {
            return Err(format!("device_name: at most {NAME_CHARS_MAX} characters"));
        }
        if !TYPES.contains(&device.device_type.as_str()) {
            return Err(format!("device_type: one of {}", TYPES.join(", ")));
        }
        if !device.push_url.starts_with("https://") || device.push_url.len() > URL_BYTES_MAX {
            return Err("push_url: an address that begins with https://".to_owned());
        }
        device.registered_at = Some(Rfc3339(now).to_string());
        device.owner = owner.to_owned();
        Ok(device)
    }

    /// Under which name it is kept.
    pub(super) fn kept_as(&self) -> String {
        format!("{PREFIX}{}", self.installation_id)
    }

    pub(super) fn thing(&self) -> Raw {
        Raw::from(serde_json::to_string(self).expect("a device has text keys"))
    }

    /// Is it meant by a filter: its type, or its name?
    pub(super) fn is_meant(&self, filter: Option<&str>) -> bool {
        filter.is_none_or(|filter| self.device_type == filter || self.device_name.as_deref() == Some(filter))
    }

    /// What it is called in a report.
    pub(super) fn name(&self) -> &str {
        self.device_name.as_deref().unwrap_or(&self.installation_id)
    }

    /// Something that it is to show.
    pub(super) fn call(&self, push: &Push, about: Option<SessionId>) -> Box<Call> {
        let body = Raw::from(serde_json::to_string(push).expect("a push has text keys"));
        Box::new(Call { url: self.push_url.clone(), body, reader: self.owner.clone(), about })
    }
}

/// What a device is sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Push {
    pub(super) title: String,
    pub(super) body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    Sent,
    /// There is no such device any more.
    Gone,
    Failed(String),
}

impl Fate {
    pub(super) fn of(ruling: &Result<Receipt, Rejection>) -> Self {
        match ruling {
            Ok(receipt) => match receipt.called.as_deref() {
                Some(Called { status: quirks::DEVICE_GONE, .. }) => Self::Gone,
                Some(Called { status: 200..=299, body }) if !is_refused(body) => Self::Sent,
                Some(Called { status: 200..=299, .. }) => Self::Failed("the relay did not queue it".to_owned()),
                Some(Called { status, .. }) => Self::Failed(format!("the relay answered {status}")),
                None => Self::Failed("nobody was called".to_owned()),
            },
            Err(why) => Self::Failed(why.to_string()),
        }
    }
}

/// The relay answers `{"queued":true}`. Only a plain no counts as one.
fn is_refused(body: &str) -> bool {
    serde_json::from_str::<Value>(body).is_ok_and(|said| said["queued"] == false)
}

pub(super) fn all(kept: &[(String, Raw)]) -> impl Iterator<Item = Device> {
    kept.iter().filter_map(|(_, thing)| serde_json::from_str(thing.as_str()).ok())
}

pub(super) fn registered(device: &Device) -> Value {
    json!({"success": true, "installation_id": device.installation_id})
}

/// Lists devices without the addresses that reach them.
pub(super) fn list(kept: &[(String, Raw)], filter: Option<&str>) -> Value {
    let devices = all(kept).filter(|device| device.is_meant(filter)).map(|device| {
        json!({
            "installation_id": device.installation_id,
            "device_name": device.device_name,
            "device_type": device.device_type,
            "registered_at": device.registered_at,
        })
    });
    let devices: Vec<_> = devices.collect();
    json!({"count": devices.len(), "devices": devices})
}
