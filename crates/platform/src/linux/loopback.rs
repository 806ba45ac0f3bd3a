//! Finds the process at the other end of a TCP connection on this machine.

use std::fs;

/// One end of a connection.
#[derive(Debug, PartialEq, Eq)]
pub struct End {
    port: u16,
    pub user: u32,
    inode: u64,
}

/// Finds the ends of established connections with this local port. Empty if the system does not say.
pub fn ends_at(port: u16) -> impl Iterator<Item = End> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let ends: Vec<_> = tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(End::read).collect();
    ends.into_iter().filter(move |end| end.port == port)
}

impl End {
    /// Parses a line of `/proc/net/tcp`. Our own end of a connection has the other's port as its remote port.
    fn read(line: &str) -> Option<Self> {
        const ESTABLISHED: &str = "01";
        let fields: Vec<_> = line.split_whitespace().collect();
        let (local, state) = (fields.get(1)?, fields.get(3)?);
        let port = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
        let (user, inode) = (fields.get(7)?.parse().ok()?, fields.get(9)?.parse().ok()?);
        (*state == ESTABLISHED).then_some(Self { port, user, inode })
    }

    /// Finds the process that holds it, among those that we may inspect.
    pub fn process(&self) -> Option<u32> {
        let wanted = format!("socket:[{}]", self.inode);
        let pids =
            fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.into_iter().find(|pid| {
            let held = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            held.into_iter().any(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.to_str() == Some(&wanted)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_is_read() {
        let line =
            "   3: 0100007F:A1B2 0100007F:1298 01 00000000:00000000 00:00000000 00000000  1000        0 123456 1 x";
        assert_eq!(End::read(line), Some(End { port: 0xa1b2, user: 1000, inode: 123_456 }));
        assert_eq!(End::read("  sl  local_address rem_address   st"), None);
    }
}
