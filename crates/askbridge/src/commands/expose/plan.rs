//! What one way of being reached needs.

use std::path::Path;

use askbridge_edits::Node;
use serde_json::Value;

/// Every setting that `expose` may write: the section, and the name in it.
pub(super) const OURS: &[(&str, &str)] = &[
    ("", "public_url"),
    ("", "behind_proxy"),
    ("tls", "cert"),
    ("tls", "key"),
    ("tls", "listen"),
    ("tls", "redirect"),
    ("tls", "authority"),
    ("tls", "tailscale"),
    ("acme", "names"),
    ("acme", "directory"),
    ("acme", "profile"),
    ("acme", "challenge"),
    ("acme", "authorities"),
];

/// What is to be done.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) way: &'static str,
    /// Where people will open it.
    pub(super) url: String,
    /// Settings: the section, the name, the value.
    pub(super) values: Vec<(&'static str, &'static str, Value)>,
    /// What is done beside that, after "would".
    pub(super) steps: Vec<String>,
    /// Printed first: what the person puts elsewhere.
    pub(super) shows: Vec<String>,
    /// Said once it is done.
    pub(super) notes: Vec<String>,
    /// Commands that undo what was done outside of our settings.
    pub(super) undo: Vec<Vec<String>>,
    /// Terms of service that the person accepted for this.
    pub(super) accepted: Option<String>,
}

impl Plan {
    pub(super) fn new(way: &'static str, url: String) -> Self {
        let values = vec![("", "public_url", Value::from(url.clone()))];
        let (steps, shows, notes, undo) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { way, url, values, steps, shows, notes, undo, accepted: None }
    }

    pub(super) fn set(&mut self, section: &'static str, name: &'static str, value: impl Into<Value>) {
        self.values.push((section, name, value.into()));
    }

    pub(super) fn set_path(&mut self, section: &'static str, name: &'static str, path: &Path) {
        self.set(section, name, path.display().to_string());
    }

    /// The value that this plan wants for a setting.
    pub(super) fn wants(&self, section: &str, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, key, _)| *known == section && *key == name).map(|(_, _, value)| value)
    }
}

pub(super) fn full_name(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

pub(super) fn node(value: &Value) -> Node {
    Node::from(value.clone())
}

/// The origin of a host on a port, as a browser writes it.
pub(super) fn https(host: &str, port: u16) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_ascii_lowercase() };
    match port {
        443 => format!("https://{host}"),
        port => format!("https://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_browsers_write_it() {
        assert_eq!(https("Ask.example.org", 443), "https://ask.example.org");
        assert_eq!(https("203.0.113.7", 8443), "https://203.0.113.7:8443");
        assert_eq!(https("2001:db8::1", 443), "https://[2001:db8::1]");
    }
}
