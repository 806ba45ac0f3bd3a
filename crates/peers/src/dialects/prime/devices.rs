//! Devices that want to be told when a question waits and nobody is connected.

use askbridge_core::ids::{Raw, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::Rfc3339;

/// Under which names devices are kept.
pub(super) const PREFIX: &str = "device/";
const TYPES: &[&str] = &["iphone", "ipad", "mac"];
const NAME_CHARS_MAX: usize = 64;
const ID_CHARS_MAX: usize = 128;
const URL_BYTES_MAX: usize = 2048;

#[derive(Serialize, Deserialize)]
struct Device {
    installation_id: String,
    #[serde(default)]
    device_name: Option<String>,
    device_type: String,
    /// Whoever knows it may push, so it is never listed.
    push_url: String,
    #[serde(default)]
    registered_at: Option<String>,
}

/// Reads a registration. Returns under which name it is kept, and what.
pub(super) fn read(body: &[u8], now: Timestamp) -> Result<(String, Raw), String> {
    let mut device: Device = serde_json::from_slice(body).map_err(|error| error.to_string())?;
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
    let name = format!("{PREFIX}{}", device.installation_id);
    Ok((name, Raw::from(serde_json::to_string(&device).expect("a device has text keys"))))
}

pub(super) fn registered(name: &str) -> Value {
    json!({"success": true, "installation_id": name.strip_prefix(PREFIX)})
}

/// Lists devices without the addresses that reach them.
pub(super) fn list(kept: &[(String, Raw)], filter: Option<&str>) -> Value {
    let devices = kept.iter().filter_map(|(_, thing)| serde_json::from_str::<Device>(thing.as_str()).ok());
    let is_meant = |device: &Device| {
        filter.is_none_or(|filter| device.device_type == filter || device.device_name.as_deref() == Some(filter))
    };
    let devices = devices.filter(is_meant).map(|device| {
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
