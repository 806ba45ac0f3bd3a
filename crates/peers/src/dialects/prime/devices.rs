//! Devices that clients register for push notifications.

use askbridge_core::ids::{Raw, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::apps::AppDevice;
use crate::json::Rfc3339;
use crate::wish::OutboundCall;

/// Prefix of the names under which devices are kept.
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
    /// Anyone who knows it may push, so it is never listed.
    push_url: String,
    #[serde(default)]
    registered_at: Option<String>,
    /// When its client last registered it.
    #[serde(default)]
    last_seen: Option<String>,
    /// Its owner.
    #[serde(default)]
    owner: String,
}

/// A client's registration of its device.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) installation_id: String,
    device_name: Option<String>,
    device_type: String,
    /// Optional for a known device.
    push_url: Option<String>,
}

impl Registration {
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|_| "the body is not JSON")?;
        let text = |name: &str| match &body[name] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(format!("{name}: has to be text")),
        };
        let registration = Self {
            installation_id: text("installation_id")?.ok_or("installation_id: is needed")?,
            device_name: text("device_name")?.filter(|name| !name.trim().is_empty()),
            device_type: text("device_type")?.unwrap_or_else(|| TYPES[0].to_owned()),
            push_url: text("push_url")?,
        };
        registration.check().map(|()| registration)
    }

    fn check(&self) -> Result<(), String> {
        let id = &self.installation_id;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > ID_CHARS_MAX || !id.chars().all(is_plain) {
            return Err("installation_id: letters, digits, `-`, `_` and `.`, at most 128".to_owned());
        }
        if self.device_name.as_ref().is_some_and(|name| name.chars().count() > NAME_CHARS_MAX) {
            return Err(format!("device_name: at most {NAME_CHARS_MAX} characters"));
        }
        if !TYPES.contains(&self.device_type.as_str()) {
            return Err(format!("device_type: one of {}", TYPES.join(", ")));
        }
        if self.push_url.as_ref().is_some_and(|url| !url.starts_with("https://") || url.len() > URL_BYTES_MAX) {
            return Err("push_url: an address that begins with https://".to_owned());
        }
        Ok(())
    }

    /// The device as it is kept from now on. Only its owner may leave out the push address.
    pub(super) fn of(self, owner: &str, known: Option<Device>, now: Timestamp) -> Result<Device, String> {
        let known = known.filter(|known| known.owner == owner);
        let url = self.push_url.or_else(|| known.as_ref().map(|known| known.push_url.clone()));
        let now = Rfc3339(now).to_string();
        Ok(Device {
            installation_id: self.installation_id,
            device_name: self.device_name,
            device_type: self.device_type,
            push_url: url.ok_or("push_url: is needed for a new device")?,
            registered_at: known.and_then(|known| known.registered_at).or_else(|| Some(now.clone())),
            last_seen: Some(now),
            owner: owner.to_owned(),
        })
    }
}

impl Device {
    /// The name under which it is kept.
    pub(super) fn kept_as(&self) -> String {
        format!("{PREFIX}{}", self.installation_id)
    }

    pub(super) fn thing(&self) -> Raw {
        Raw::from(serde_json::to_string(self).expect("a device has text keys"))
    }

    /// Whether a filter matches: its type, or a part of its name, in any case.
    pub(super) fn is_meant(&self, filter: Option<&str>) -> bool {
        filter.map(str::to_lowercase).is_none_or(|filter| {
            let named = self.device_name.as_ref().is_some_and(|name| name.to_lowercase().contains(&filter));
            self.device_type == filter || named
        })
    }

    /// Its name in a report.
    pub(super) fn name(&self) -> &str {
        self.device_name.as_deref().unwrap_or(&self.device_type)
    }

    /// What the rest of askbridge has to know of it.
    pub(super) fn as_an_app(&self) -> AppDevice {
        AppDevice {
            kept_as: self.kept_as(),
            name: self.name().to_owned(),
            owner: self.owner.clone(),
            push_url: self.push_url.clone(),
        }
    }

    /// The call that pushes a person's own notification to it.
    pub(super) fn call(&self, push: &Push) -> Box<OutboundCall> {
        let body = Raw::from(serde_json::to_string(push).expect("a push has text keys"));
        Box::new(OutboundCall { url: self.push_url.clone(), body, reader: self.owner.clone() })
    }
}

/// The body of a push.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Push {
    pub(super) title: String,
    pub(super) body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

pub(super) fn all(kept: &[(String, Raw)]) -> impl Iterator<Item = Device> {
    kept.iter().filter_map(|(_, thing)| serde_json::from_str(thing.as_str()).ok())
}

pub(super) fn registered() -> Value {
    json!({"success": true, "message": "Device registered successfully"})
}

/// Lists devices without their push addresses.
pub(super) fn list(kept: &[(String, Raw)], filter: Option<&str>) -> Value {
    let devices = all(kept).filter(|device| device.is_meant(filter)).map(|device| {
        json!({
            "installation_id": device.installation_id,
            "device_name": device.device_name,
            "device_type": device.device_type,
            "last_seen": device.last_seen.as_ref().or(device.registered_at.as_ref()),
            "registered_at": device.registered_at,
        })
    });
    let devices: Vec<_> = devices.collect();
    json!({"total": devices.len(), "devices": devices})
}
