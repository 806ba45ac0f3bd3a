//! Encodes spans for a collector: OTLP 1 in JSON, where ids are hex, enums are numbers and 64-bit integers are strings
//! (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>).

use serde_json::{Value as Json, json};

use super::context::Context;
use super::span::{Span, Value};

/// How this server identifies itself in each request.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) version: &'static str,
    /// The run id of this node.
    pub(crate) instance: String,
}

/// Encodes one request.
pub(super) fn page(resource: &Resource, spans: &[Span]) -> Vec<u8> {
    let ours = [
        attribute("service.name", &Value::Text("askbridge".into())),
        attribute("service.version", &Value::Text(resource.version.into())),
        attribute("service.instance.id", &Value::Text(resource.instance.clone().into())),
    ];
    let spans: Vec<_> = spans.iter().map(written).collect();
    let scope = json!({"name": "askbridge", "version": resource.version});
    let page = json!({"resourceSpans": [{
        "resource": {"attributes": ours},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    }]});
    serde_json::to_vec(&page).expect("a page has text keys")
}

/// How many spans a collector rejected although it took the request.
pub(super) fn rejected(answer: &[u8]) -> u64 {
    let answer: Json = serde_json::from_slice(answer).unwrap_or_default();
    let count = &answer["partialSuccess"]["rejectedSpans"];
    count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0)
}

fn written(span: &Span) -> Json {
    let attributes: Vec<_> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut written = json!({
        "traceId": trace(span.context),
        "spanId": id(span.context.span),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.began.to_string(),
        "endTimeUnixNano": span.ended.to_string(),
        "attributes": attributes,
        // 0 is unset and 2 an error. OTLP leaves 1, success, to the operator.
        "status": if span.failed { json!({"code": 2}) } else { json!({}) },
    });
    if let Some(parent) = span.parent {
        written["parentSpanId"] = json!(id(parent));
    }
    if let Some(link) = span.link {
        written["links"] = json!([{"traceId": trace(link), "spanId": id(link.span)}]);
    }
    written
}

fn attribute(name: &str, value: &Value) -> Json {
    let value = match value {
        Value::Text(text) => json!({"stringValue": text}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
    };
    json!({"key": name, "value": value})
}

fn trace(context: Context) -> String {
    format!("{:032x}", context.trace)
}

fn id(span: u64) -> String {
    format!("{span:016x}")
}

#[cfg(test)]
mod tests {
    use super::super::span::Kind;
    use super::*;

    #[test]
    fn a_page_is_what_the_protocol_wants() {
        let span = Span {
            context: Context { trace: 0xa1, span: 0xb2, sampled: true },
            parent: Some(0xc3),
            link: Some(Context { trace: 0xd4, span: 0xe5, sampled: true }),
            name: "GET /v1/asks".into(),
            kind: Kind::Server,
            began: 1_800_000_000_000_000_001,
            ended: 1_800_000_000_000_000_002,
            failed: true,
            attributes: vec![
                ("http.response.status_code", Value::Number(503)),
                ("url.scheme", Value::Text("http".into())),
            ],
        };
        let resource = Resource { version: "1.2.3", instance: "7".to_owned() };
        let page: Json = serde_json::from_slice(&page(&resource, &[span])).unwrap();
        let text = |key: &str, text: &str| json!({"key": key, "value": {"stringValue": text}});
        let expected = json!({"resourceSpans": [{
            "resource": {"attributes": [
                text("service.name", "askbridge"), text("service.version", "1.2.3"), text("service.instance.id", "7"),
            ]},
            "scopeSpans": [{"scope": {"name": "askbridge", "version": "1.2.3"}, "spans": [{
                "traceId": "000000000000000000000000000000a1",
                "spanId": "00000000000000b2",
                "parentSpanId": "00000000000000c3",
                "name": "GET /v1/asks",
                "kind": 2,
                "startTimeUnixNano": "1800000000000000001",
                "endTimeUnixNano": "1800000000000000002",
                "attributes": [
                    {"key": "http.response.status_code", "value": {"intValue": "503"}}, text("url.scheme", "http"),
                ],
                "links": [{"traceId": "000000000000000000000000000000d4", "spanId": "00000000000000e5"}],
                "status": {"code": 2},
            }]}],
        }]});
        assert_eq!(page, expected);
    }

    #[test]
    fn what_a_collector_did_not_take_is_counted() {
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#), 3);
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedSpans":2}}"#), 2);
        assert_eq!(rejected(b"{}") + rejected(b"") + rejected(b"thanks"), 0);
    }
}
