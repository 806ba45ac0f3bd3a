//! A program of the person's own: what it reads on its input, and what its exit code says.
//!
//! The input is one line of JSON in the shape that [webhooks](crate::webhook) have, then the end of the file. Texts are
//! never arguments: a program that hands its arguments to a shell would run them.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | sent |
//! | 75 (`EX_TEMPFAIL` in sysexits.h) | try again later |
//! | any other | refused; the first line of the error output says why |
//! | none: killed by a signal, or by us when it took too long | try again later |

use serde_json::Value;

use crate::clip::first_line;
use crate::notice::Notice;
use crate::webhook::{self, Occasion};
use crate::wire::Fate;

const TRY_LATER: i32 = 75;

/// Returns the program's input.
pub fn payload(occasion: Occasion, notice: &Notice, ask: Option<Value>) -> Vec<u8> {
    let mut line = webhook::payload(occasion, notice, ask).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Says what became of a notice. `code` is `None` if the program did not exit by itself.
pub fn ended(code: Option<i32>, stderr: &[u8]) -> Fate {
    let said = |otherwise: String| first_line(stderr).unwrap_or(otherwise);
    match code {
        Some(0) => Fate::Sent { reference: None },
        Some(TRY_LATER) => Fate::Later { after: None, why: said("the command asks to be tried later".into()) },
        Some(code) => Fate::Refused { why: said(format!("the command ended with exit code {code}")) },
        None => Fate::Later { after: None, why: said("the command was killed before it ended".into()) },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{notice, notices};

    #[test]
    fn a_command_reads_one_line_of_json() {
        let input = payload(Occasion::Test, &notice(), None);
        let read: Value = serde_json::from_slice(&input).unwrap();
        assert_eq!(read, webhook::payload(Occasion::Test, &notice(), None));
    }

    #[test]
    fn the_exit_code_says_what_became_of_it() {
        let why = |text: &str| text.to_owned();
        assert_eq!(ended(Some(0), b"warning: slow"), Fate::Sent { reference: None });
        assert_eq!(ended(Some(75), b"offline\n"), Fate::Later { after: None, why: why("offline") });
        assert_eq!(ended(Some(1), b"\nno bell\nat line 3"), Fate::Refused { why: why("no bell") });
        assert_eq!(ended(Some(127), b""), Fate::Refused { why: why("the command ended with exit code 127") });
        let killed = why("the command was killed before it ended");
        assert_eq!(ended(None, b" "), Fate::Later { after: None, why: killed });
    }

    proptest! {
        #[test]
        fn no_text_begins_a_second_line(notice in notices()) {
            let input = payload(Occasion::Waits, &notice, None);
            prop_assert_eq!(input.iter().position(|byte| *byte == b'\n'), Some(input.len() - 1));
        }

        #[test]
        fn any_exit_and_any_error_output_can_be_read(code: Option<i32>, stderr: Vec<u8>) {
            prop_assert_eq!(matches!(ended(code, &stderr), Fate::Sent { .. }), code == Some(0));
        }
    }
}
