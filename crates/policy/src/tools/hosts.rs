//! The host of a web address.

use url::Url;

/// Returns the host of a web address as a browser reads it, in lower case. A client reads `https:evil.example` and
/// `https://ev%69l.example` as the same host, so texts are not compared.
pub(crate) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then_some(host)
}
