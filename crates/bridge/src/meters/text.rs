//! Renders numbers for Prometheus: the text format, version 0.0.4.

use std::fmt::{Display, Write};

use askbridge_journal::meter::Reading;

pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page being rendered.
#[derive(Debug, Default)]
pub(super) struct Page(String);

/// The unit of a reading, which says how to convert it: Prometheus expects seconds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    Micros,
    Millis,
    Pieces,
}

impl Page {
    pub(super) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "counter");
        self.line(name, &[], value);
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, help, "gauge");
        self.line(name, &[], value);
    }

    /// Begins a metric whose lines differ in their labels.
    pub(super) fn head(&mut self, name: &str, help: &str, kind: &str) {
        let written = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        written.expect("writing to a string does not fail");
    }

    pub(super) fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            let open = if place == 0 { '{' } else { ',' };
            write!(self.0, "{open}{label}=\"{}\"", escaped(text)).expect("writing to a string does not fail");
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        writeln!(self.0, " {value}").expect("writing to a string does not fail");
    }

    pub(super) fn histogram(&mut self, name: &str, help: &str, reading: &Reading, unit: Unit) {
        self.head(name, help, "histogram");
        let bucket = format!("{name}_bucket");
        for (bound, count) in reading.bounds.iter().zip(&reading.up_to) {
            self.line(&bucket, &[("le", &unit.of(*bound))], count);
        }
        let all = reading.up_to.last().copied().unwrap_or(0);
        self.line(&bucket, &[("le", "+Inf")], all);
        self.line(&format!("{name}_sum"), &[], unit.of(reading.sum));
        self.line(&format!("{name}_count"), &[], all);
    }

    pub(super) fn done(self) -> String {
        self.0
    }
}

impl Unit {
    fn of(self, value: u64) -> String {
        let (whole, rest, digits) = match self {
            Self::Pieces => return value.to_string(),
            Self::Millis => (value / 1_000, value % 1_000, 3),
            Self::Micros => (value / 1_000_000, value % 1_000_000, 6),
        };
        let text = format!("{whole}.{rest:0digits$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_as_prometheus_wants_it() {
        let mut page = Page::default();
        page.gauge("up", "Whether we are.", 1);
        page.head("calls", "By whom.", "counter");
        page.line("calls", &[("who", "a \"b\"\n"), ("how", "\\")], 3);
        let reading = Reading { bounds: &[500, 2_000_000], up_to: vec![1, 2, 3], sum: 60_000_250 };
        page.histogram("took_seconds", "How long.", &reading, Unit::Micros);
        let expected = "# HELP up Whether we are.\n# TYPE up gauge\nup 1\n\
            # HELP calls By whom.\n# TYPE calls counter\ncalls{who=\"a \\\"b\\\"\\n\",how=\"\\\\\"} 3\n\
            # HELP took_seconds How long.\n# TYPE took_seconds histogram\n\
            took_seconds_bucket{le=\"0.0005\"} 1\ntook_seconds_bucket{le=\"2\"} 2\ntook_seconds_bucket{le=\"+Inf\"} 3\n\
            took_seconds_sum 60.00025\ntook_seconds_count 3\n";
        assert_eq!(page.done(), expected);
    }

    #[test]
    fn spans_become_seconds_without_losing_a_digit() {
        assert_eq!(Unit::Millis.of(0), "0");
        assert_eq!(Unit::Millis.of(10_000), "10");
        assert_eq!(Unit::Millis.of(15), "0.015");
        assert_eq!(Unit::Micros.of(1_000_001), "1.000001");
    }
}
