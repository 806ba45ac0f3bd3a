//! `POST /api/v1/notifications/send`: a notification that a person sends to their devices.

use askbridge_core::ids::Raw;
use serde_json::{Value, json};

use super::devices::{self, Device, Push};
use super::push::became;
use crate::apps::PushFate;
use crate::peer::{Outbox, Tag};
use crate::wish::{Receipt, Rejection, Wish};

const TITLE_CHARS_MAX: usize = 100;
const BODY_CHARS_MAX: usize = 500;
/// The first tag of the calls, one for each device.
const FIRST: u64 = 100;

#[derive(Debug)]
pub(super) struct Notification {
    title: String,
    body: String,
    device_filter: Option<String>,
    data: Option<Value>,
}

impl Notification {
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let read: Value = serde_json::from_slice(body).map_err(|_| "the body is not JSON")?;
        let text = |name: &str| match &read[name] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(format!("{name}: has to be text")),
        };
        let data = match &read["data"] {
            Value::Null => None,
            Value::Object(data) => Some(Value::Object(data.clone())),
            _ => return Err("data: has to be an object".to_owned()),
        };
        let read = Self {
            title: text("title")?.unwrap_or_default(),
            body: text("body")?.unwrap_or_default(),
            device_filter: text("device_filter")?,
            data,
        };
        for (name, text, max) in [("title", &read.title, TITLE_CHARS_MAX), ("body", &read.body, BODY_CHARS_MAX)] {
            if text.is_empty() || text.chars().count() > max {
                return Err(format!("{name}: 1 to {max} characters"));
            }
        }
        Ok(read)
    }
}

/// A notification on its way to the devices.
#[derive(Debug, Default)]
pub(super) struct Sending {
    devices: Vec<Device>,
    fates: Vec<Option<PushFate>>,
}

impl Sending {
    pub(super) fn begin(wanted: Notification, kept: &[(String, Raw)], out: &mut Outbox) -> Self {
        let meant = |device: &Device| device.is_meant(wanted.device_filter.as_deref());
        let devices: Vec<_> = devices::all(kept).filter(meant).collect();
        let push = Push { title: wanted.title, body: wanted.body, data: wanted.data };
        for (place, device) in devices.iter().enumerate() {
            out.wishes.push((Tag(FIRST + place as u64), Wish::Call(device.call(&push))));
        }
        let fates = devices.iter().map(|_| None).collect();
        Self { devices, fates }
    }

    /// Takes the result of one call. A device that is gone is forgotten.
    pub(super) fn hear(&mut self, tag: Tag, reply: &Result<Receipt, Rejection>, out: &mut Outbox) {
        let Some(place) = tag.0.checked_sub(FIRST).map(|place| place as usize) else { return };
        let (Some(fate), Some(device)) = (self.fates.get_mut(place), self.devices.get(place)) else { return };
        let became = match reply.as_ref().map(|receipt| receipt.called.as_deref()) {
            Ok(Some(called)) => became(called.status, &called.body),
            Ok(None) => PushFate::Failed("nobody was called".to_owned()),
            Err(why) => PushFate::Failed(why.to_string()),
        };
        if became == PushFate::Gone {
            out.wishes.push((Tag(0), Wish::Keep { name: device.kept_as(), thing: None }));
        }
        *fate = Some(became);
    }

    /// Returns the report, once every call has a result.
    pub(super) fn report(&self) -> Option<Value> {
        let fates: Option<Vec<_>> = self.fates.iter().map(Option::as_ref).collect();
        let fates = fates?;
        let count = |fits: fn(&PushFate) -> bool| fates.iter().filter(|fate| fits(fate)).count();
        let devices = self.devices.iter().zip(&fates).map(|(device, fate)| {
            let (status, error) = match fate {
                PushFate::Sent => ("sent", None),
                PushFate::Gone => ("invalid_binding", Some("the relay does not know it any more, so it was removed")),
                PushFate::Failed(why) | PushFate::Refused(why) => ("failed", Some(why.as_str())),
            };
            json!({"name": device.name(), "status": status, "error": error})
        });
        let (sent, gone) = (count(|fate| *fate == PushFate::Sent), count(|fate| *fate == PushFate::Gone));
        let failed = fates.len() - sent - gone;
        Some(json!({
            "success": failed == 0,
            "sent": sent,
            "failed": failed,
            "invalid_tokens_removed": gone,
            "devices": devices.collect::<Vec<_>>(),
        }))
    }
}
