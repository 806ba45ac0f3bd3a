//! Notices for tests, with texts that try to break out of their place.

use proptest::prelude::*;
use proptest::sample::select;

use crate::notice::{Button, Notice, Ticket, Tone};

/// An ordinary notice with two buttons.
pub(crate) fn notice() -> Notice {
    Notice {
        tag: "k7q2".into(),
        title: "Claude Code asks in shop".into(),
        body: "Deploy now?".into(),
        link: Some("https://bridge.example.org/#/asks/ask_1".into()),
        is_urgent: false,
        buttons: vec![button("Allow", 'a', Tone::Allow), button("Deny", 'd', Tone::Deny)],
        done: None,
        words: None,
        receipt: None,
    }
}

pub(crate) fn button(label: &str, letter: char, tone: Tone) -> Button {
    Button { label: label.into(), ticket: ticket(letter), tone }
}

/// A ticket of the greatest length.
pub(crate) fn ticket(letter: char) -> Ticket {
    Ticket(letter.to_string().repeat(40))
}

/// Texts that end strings, open tags, mention everybody, turn the line around, or have an emoji where they are cut.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "",
        " ",
        "\"},\"x\":{\"",
        "</b><a href='https://evil.example'>x</a>",
        "<!channel> <@U1> <https://evil.example|Allow>",
        "&lt;!channel&gt; &amp;",
        "a\nb\r\nc\tX: y\0",
        "\u{202e}gnp.exe\u{202c}",
        "שלום עולם",
        "*bold* _x_ ~y~ `z` ```w```",
        "\\u0022 \\ \\\\",
        "{\"web_push\":8030}",
    ];
    let long = (prop_oneof!["[👩\u{200d}👧👍🏽🇯🇵]", "[<>&\"\\\\\n]", "\\PC"], 1usize..10_000)
        .prop_map(|(part, times)| part.repeat(times));
    let at_a_cut =
        (0usize..4000).prop_map(|before| format!("{}{}", "a".repeat(before), "👩\u{200d}👩\u{200d}👧".repeat(9)));
    prop_oneof![select(KNOWN).prop_map(str::to_owned), "\\PC{0,80}", any::<String>(), long, at_a_cut]
}

fn tickets() -> impl Strategy<Value = Ticket> {
    "[0-9a-zA-Z]{1,40}".prop_map(Ticket)
}

/// Any notice that keeps the promises of `notice.rs`.
pub(crate) fn notices() -> impl Strategy<Value = Notice> {
    let tone = select(&[Tone::Plain, Tone::Allow, Tone::Deny][..]);
    let button = (hostile(), tickets(), tone).prop_map(|(label, ticket, tone)| Button { label, ticket, tone });
    let link = proptest::option::of("https://[a-z]{1,20}\\.example/#/asks/[a-z0-9_]{0,60}");
    let texts = ("[0-9a-zA-Z]{1,32}", hostile(), hostile(), link, any::<bool>());
    let decisions = (
        prop_oneof![
            4 => proptest::collection::vec(button, 0..8),
            1 => proptest::collection::vec(("[a-z]{0,5}", tickets()), 90..130).prop_map(|some| {
                some.into_iter().map(|(label, ticket)| Button { label, ticket, tone: Tone::Plain }).collect()
            }),
        ],
        proptest::option::of(tickets()),
        proptest::option::of(tickets()),
    );
    (texts, decisions).prop_map(|((tag, title, body, link, is_urgent), (buttons, done, words))| Notice {
        tag,
        title,
        body,
        link,
        is_urgent,
        buttons,
        done,
        words,
        receipt: None,
    })
}
