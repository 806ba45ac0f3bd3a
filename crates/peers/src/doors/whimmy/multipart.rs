//! Extracts one file from a form, as browsers and Node send it (RFC 7578).

/// A file that was uploaded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Upload<'a> {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) bytes: &'a [u8],
}

/// Finds the part called `file`.
pub(super) fn file<'a>(content_type: &str, body: &'a [u8]) -> Option<Upload<'a>> {
    let boundary = content_type.split(';').find_map(|part| part.trim().strip_prefix("boundary="))?;
    let boundary = format!("--{}", boundary.trim_matches('"'));
    let mut rest = after(body, boundary.as_bytes())?;
    loop {
        let (head, content) = split(rest.strip_prefix(b"\r\n")?, b"\r\n\r\n")?;
        let (bytes, more) = split(content, format!("\r\n{boundary}").as_bytes())?;
        let head = std::str::from_utf8(head).ok()?;
        if parameter(head, "name").as_deref() == Some("file") {
            let kind = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
            });
            let name = parameter(head, "filename").unwrap_or_else(|| "file".to_owned());
            return Some(Upload { name, kind: kind.unwrap_or_else(|| "application/octet-stream".to_owned()), bytes });
        }
        rest = more;
    }
}

/// A quoted parameter of a part's header line.
fn parameter(head: &str, wanted: &str) -> Option<String> {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
    line.split(';').find_map(|part| {
        let (name, value) = part.trim().split_once('=')?;
        (name == wanted).then(|| value.trim_matches('"').to_owned())
    })
}

fn after<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    split(bytes, mark).map(|(_, rest)| rest)
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &[u8] =
        b"--b1\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n--b1\r\nContent-Disposition: \
        form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n\x00\r\n\xff\r\n--b1--\r\n";

    #[test]
    fn the_file_is_found_among_other_parts_byte_by_byte() {
        let found = file("multipart/form-data; boundary=b1", FORM).unwrap();
        let expected = Upload { name: "a.png".to_owned(), kind: "image/png".to_owned(), bytes: b"\x00\r\n\xff" };
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_cut_short_anywhere_is_no_form() {
        for end in 0..FORM.len() - 8 {
            assert_eq!(file("multipart/form-data; boundary=b1", &FORM[..end]), None, "{end}");
        }
        assert_eq!(file("multipart/form-data", FORM), None);
    }
}
