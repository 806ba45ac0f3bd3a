//! The doubles hold the conversations in their folders.

use askbridge_testkit::doubles::LISTING;
use askbridge_testkit::transcript::check_folder;

#[test]
fn the_doubles_speak_as_their_transcripts_say() {
    for listing in LISTING {
        let folder = format!("{}/src/doubles/{}/transcripts", env!("CARGO_MANIFEST_DIR"), listing.name);
        check_folder(folder, listing.greet.expect("a double is a machine"));
    }
}
