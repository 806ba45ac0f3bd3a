//! What the system says about this process, under the names that every Prometheus client uses.

use askbridge_platform::{limits, ourselves};

use super::text::Page;

/// Leaves out what cannot be found out.
pub(super) fn write(page: &mut Page, started_at_ms: i64) {
    let start = format!("{}.{:03}", started_at_ms / 1000, started_at_ms % 1000);
    page.gauge("process_start_time_seconds", "When this process started to serve, in seconds since 1970.", start);
    if let Some(memory) = ourselves::memory() {
        page.gauge("process_resident_memory_bytes", "Memory that is really held.", memory.resident);
        page.gauge("process_virtual_memory_bytes", "Memory that is set aside.", memory.reserved);
    }
    if let Some(used) = ourselves::cpu_time() {
        let seconds = format!("{}.{:02}", used.as_secs(), used.subsec_millis() / 10);
        page.head("process_cpu_seconds_total", "Processor time that was used, in seconds.", "counter");
        page.line("process_cpu_seconds_total", &[], seconds);
    }
    if let Some(open) = ourselves::open_files() {
        page.gauge("process_open_fds", "Files and sockets that are open.", open);
    }
    if let Some(most) = limits::open_files() {
        page.gauge("process_max_fds", "Files and sockets that may be open.", most);
    }
}
