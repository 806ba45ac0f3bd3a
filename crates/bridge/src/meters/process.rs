//! What the system says about this process. Under the names that every Prometheus client uses.

use std::fs;

use rustix::process::{Resource, getrlimit};

use super::text::Page;

/// Leaves out what cannot be found out.
pub(super) fn write(page: &mut Page, started_at_ms: i64) {
    let start = format!("{}.{:03}", started_at_ms / 1000, started_at_ms % 1000);
    page.gauge("process_start_time_seconds", "When this process started to serve, in seconds since 1970.", start);
    if let Some((virtual_bytes, resident_bytes)) = memory() {
        page.gauge("process_resident_memory_bytes", "Memory that is really held.", resident_bytes);
        page.gauge("process_virtual_memory_bytes", "Memory that is set aside.", virtual_bytes);
    }
    if let Some(seconds) = cpu_seconds() {
        page.head("process_cpu_seconds_total", "Processor time that was used, in seconds.", "counter");
        page.line("process_cpu_seconds_total", &[], seconds);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // One of them is the folder that is being read.
        page.gauge("process_open_fds", "Files and sockets that are open.", open.count().saturating_sub(1));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        page.gauge("process_max_fds", "Files and sockets that may be open.", most);
    }
}

fn memory() -> Option<(u64, u64)> {
    let page_bytes = rustix::param::page_size() as u64;
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().map_while(|number| number.parse::<u64>().ok());
    Some((pages.next()? * page_bytes, pages.next()? * page_bytes))
}

fn cpu_seconds() -> Option<String> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name stands in brackets and may contain anything; the rest is numbers, and these are the 14th and 15th.
    let mut numbers = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = numbers.next()?.parse::<u64>().ok()? + numbers.next()?.parse::<u64>().ok()?;
    let per_second = rustix::param::clock_ticks_per_second();
    Some(format!("{}.{:02}", ticks / per_second, ticks % per_second * 100 / per_second))
}
