//! Strategies for arbitrary events, as wild as the types allow.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, FieldValue, Filled, Outcome, Pick, Review, RulePlace, Scope, Who};
use askbridge_core::ask::*;
use askbridge_core::event::*;
use askbridge_core::ids::*;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Terms, Wait, Warm, WhileOpen, Wishes};
use askbridge_core::verdict::{Ruling, Verdict};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Text with everything that has to be escaped somewhere.
pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        3 => "[a-z ]{0,12}",
        1 => vec(any::<char>(), 0..12).prop_map(String::from_iter),
        1 => Just("\"\\\n\r\t\u{0}\u{2028}\u{feff}😀".to_owned()),
    ]
    .boxed()
}

fn words<T: From<String> + std::fmt::Debug + 'static>() -> BoxedStrategy<T> {
    text().prop_map(T::from).boxed()
}

/// JSON in many spellings, and what only looks like it.
pub(crate) fn raw() -> BoxedStrategy<Raw> {
    let known = prop::sample::select(vec![
        "{}",
        "null",
        "true",
        "1.50",
        "-0",
        "1e400",
        "\"x\"",
        "\"\\u00e9\\/\"",
        "[1, 2,3]",
        "{\"b\":1,\"a\":{\"b\":[]}}",
        " {}",
        "{}\n",
        "{\n  \"a\": 1\n}",
        "{\"$raw\":\"x\"}",
        "{\"$raw\": 1}",
        "not json",
        "",
        "{",
        "1 2",
        "{\"a\":1,\"a\":2}",
        "123456789012345678901234567890",
    ]);
    prop_oneof![known.prop_map(Raw::from), text().prop_map(Raw::from)].boxed()
}

fn id() -> BoxedStrategy<SessionId> {
    any::<u128>().prop_map(SessionId).boxed()
}

fn ask_id() -> BoxedStrategy<AskId> {
    (id(), 1..u32::MAX).prop_map(|(session, number)| AskId { session, number }).boxed()
}

fn message_id() -> BoxedStrategy<MessageId> {
    (id(), 1..u32::MAX).prop_map(|(session, number)| MessageId { session, number }).boxed()
}

fn time() -> BoxedStrategy<Timestamp> {
    any::<i64>().prop_map(Timestamp).boxed()
}

/// Records keep milliseconds.
fn span() -> BoxedStrategy<Duration> {
    any::<u64>().prop_map(Duration::from_millis).boxed()
}

pub(crate) fn who() -> BoxedStrategy<Who> {
    (words(), text(), text()).prop_map(|(person, device, via)| Who { person, device, via }).boxed()
}

fn pick() -> BoxedStrategy<Pick> {
    (vec(any::<u16>(), 0..3), of(text()), of(text()))
        .prop_map(|(chosen, text, note)| Pick { chosen, text, note })
        .boxed()
}

fn field_value() -> BoxedStrategy<FieldValue> {
    prop_oneof![
        text().prop_map(FieldValue::Text),
        text().prop_map(FieldValue::Number),
        any::<bool>().prop_map(FieldValue::Flag),
        vec(text(), 0..3).prop_map(FieldValue::Many),
    ]
    .boxed()
}

pub(crate) fn answer() -> BoxedStrategy<Answer> {
    let scope = prop_oneof![Just(Scope::Once), any::<u16>().prop_map(Scope::Always)];
    prop_oneof![
        vec(pick(), 0..3).prop_map(Answer::Questions),
        (scope, of(raw())).prop_map(|(scope, edited)| Answer::Approval(Decision::Allow { scope, edited })),
        (of(text()), any::<bool>()).prop_map(|(words, stop)| Answer::Approval(Decision::Deny { words, stop })),
        of(text()).prop_map(|edited| Answer::Plan(Review::Approve { edited })),
        text().prop_map(|words| Answer::Plan(Review::SendBack { words })),
        vec((text(), field_value()), 0..4).prop_map(|values| Answer::Form(Filled::Accept(values))),
        of(text()).prop_map(|words| Answer::Form(Filled::Decline { words })),
    ]
    .boxed()
}

fn place() -> BoxedStrategy<RulePlace> {
    (text(), any::<u32>()).prop_map(|(file, line)| RulePlace { file, line }).boxed()
}

fn outcome() -> BoxedStrategy<Outcome> {
    prop_oneof![
        (answer(), who()).prop_map(|(answer, by)| Outcome::Answered { answer, by }),
        (of(text()), who()).prop_map(|(words, by)| Outcome::Dismissed { words, by }),
        Just(Outcome::Expired),
        (text(), of(place()), answer()).prop_map(|(rule, place, answer)| Outcome::Ruled { rule, place, answer }),
        (text(), of(place()), text()).prop_map(|(rule, place, words)| Outcome::RuledOut { rule, place, words }),
    ]
    .boxed()
}

fn verdict() -> BoxedStrategy<Verdict> {
    let ruling = prop_oneof![
        answer().prop_map(Ruling::Answer),
        answer().prop_map(Ruling::Assume),
        Just(Ruling::Deny),
        Just(Ruling::DenyAndStop),
    ];
    (ruling, text()).prop_map(|(ruling, words)| Verdict { ruling, words }).boxed()
}

fn on_expiry() -> BoxedStrategy<OnExpiry> {
    prop_oneof![Just(OnExpiry::Tell), Just(OnExpiry::TellAndStop), vec(pick(), 0..3).prop_map(OnExpiry::Assume)].boxed()
}

fn on_dismissal() -> BoxedStrategy<OnDismissal> {
    prop_oneof![Just(OnDismissal::Tell), Just(OnDismissal::TellAndStop)].boxed()
}

fn warm() -> BoxedStrategy<Warm> {
    prop_oneof![Just(Warm::Hold), span().prop_map(Warm::For)].boxed()
}

fn while_open() -> BoxedStrategy<WhileOpen> {
    prop::sample::select(vec![WhileOpen::Hold, WhileOpen::CancelTurn, WhileOpen::Refuse, WhileOpen::PassOn]).boxed()
}

fn other_tools() -> BoxedStrategy<OtherTools> {
    prop::sample::select(vec![OtherTools::Allow, OtherTools::ByMode, OtherTools::Ask]).boxed()
}

fn terms() -> BoxedStrategy<Terms> {
    let times = (of(time()), span(), warm());
    let ways = (on_expiry(), on_dismissal(), while_open(), other_tools());
    (times, ways, any::<bool>(), any::<u8>())
        .prop_map(|((deadline, undo, warm), ways, parallel, quorum)| {
            let (on_expiry, on_dismissal, messages, other_tools) = ways;
            Terms { deadline, on_expiry, on_dismissal, warm, undo, messages, parallel, other_tools, quorum }
        })
        .boxed()
}

fn wishes() -> BoxedStrategy<Wishes> {
    let wait = prop_oneof![Just(Wait::Forever), span().prop_map(Wait::For)];
    let times = (of(wait), of(warm()), of(span()));
    let ways = (of(on_expiry()), of(on_dismissal()), of(while_open()), of(other_tools()));
    (times, ways, of(any::<bool>()), of(any::<u8>()))
        .prop_map(|((wait, warm, undo), ways, parallel, quorum)| {
            let (on_expiry, on_dismissal, messages, other_tools) = ways;
            Wishes { wait, on_expiry, on_dismissal, warm, undo, messages, parallel, other_tools, quorum }
        })
        .boxed()
}

fn question() -> BoxedStrategy<Question> {
    let choice = (text(), of(text()), of(text())).prop_map(|(label, description, preview)| Choice {
        label,
        description,
        preview,
    });
    (text(), of(text()), vec(choice, 0..3), any::<bool>(), any::<bool>())
        .prop_map(|(text, header, options, multi, secret)| Question { text, header, options, multi, secret })
        .boxed()
}

fn approval() -> BoxedStrategy<Approval> {
    let rule = (text(), raw()).prop_map(|(label, rule)| OfferedRule { label, rule });
    (text(), raw(), of(text()), of(text()), vec(rule, 0..3), any::<bool>())
        .prop_map(|(tool, input, summary, reason, rules, overrule)| Approval {
            tool,
            input,
            summary,
            reason,
            rules,
            overrule,
        })
        .boxed()
}

fn form() -> BoxedStrategy<Form> {
    let kind = prop_oneof![
        Just(FieldKind::Text),
        Just(FieldKind::Number),
        Just(FieldKind::Integer),
        Just(FieldKind::Flag),
        vec(text(), 0..3).prop_map(FieldKind::OneOf),
        vec(text(), 0..3).prop_map(FieldKind::ManyOf),
    ];
    let field = (text(), of(text()), of(text()), kind, any::<bool>())
        .prop_map(|(name, title, description, kind, required)| Field { name, title, description, kind, required });
    (text(), vec(field, 0..3), of(text()), of(raw()))
        .prop_map(|(message, fields, url, schema)| Form { message, fields, url, schema })
        .boxed()
}

fn body() -> BoxedStrategy<Body> {
    prop_oneof![
        vec(question(), 0..3).prop_map(Body::Questions),
        approval().prop_map(Body::Approval),
        text().prop_map(|text| Body::Plan(Plan { text })),
        form().prop_map(Body::Form),
    ]
    .boxed()
}

fn context() -> BoxedStrategy<Context> {
    (of(text()), of(text()), of(text()), of(text()), of(raw()))
        .prop_map(|(text, title, folder, branch, more)| Context { text, title, folder, branch, more })
        .boxed()
}

pub(crate) fn ask() -> BoxedStrategy<Ask> {
    let asker = (text(), text(), words(), of(text()));
    let asker = asker.prop_map(|(door, agent, party, machine)| Asker { door, agent, party, machine });
    let reach = prop::sample::select(vec![Reach::Resumable, Reach::Pull, Reach::Held]);
    let names = (ask_id(), time(), of(words()), of(words()), of(ask_id()));
    (names, body(), terms(), reach, asker, context(), of(any::<u32>()), of(raw()))
        .prop_map(|((id, at, call, key, instead_of), body, terms, reach, asker, context, stated, original)| Ask {
            id,
            at,
            body,
            terms,
            reach,
            asker,
            call,
            context,
            key,
            stated,
            original,
            instead_of,
        })
        .boxed()
}

fn settings() -> BoxedStrategy<Settings> {
    (of(text()), of(text()), of(text()), of(text()), of(text()), wishes(), of(raw()))
        .prop_map(|(title, folder, branch, model, mode, wishes, more)| Settings {
            title,
            folder,
            branch,
            model,
            mode,
            wishes,
            more,
        })
        .boxed()
}

fn started() -> BoxedStrategy<Started> {
    let audience = prop_oneof![Just(Audience::Everyone), vec(words(), 0..3).prop_map(Audience::Only)];
    let host = of(any::<u64>().prop_map(StableNodeId));
    (time(), text(), text(), words(), audience, settings(), of(id()), host)
        .prop_map(|(at, door, agent, owner, audience, settings, continues, host)| Started {
            at,
            door,
            agent,
            owner,
            audience,
            settings,
            continues,
            host,
        })
        .boxed()
}

fn parcel() -> BoxedStrategy<Parcel> {
    prop_oneof![ask_id().prop_map(Parcel::Verdict), message_id().prop_map(Parcel::Message)].boxed()
}

fn process() -> BoxedStrategy<Process> {
    any::<(u32, u64)>().prop_map(|(pid, started)| Process { pid, started }).boxed()
}

fn of_sessions() -> BoxedStrategy<Event> {
    prop_oneof![
        started().prop_map(|started| Event::Started(Box::new(started))),
        (text(), time()).prop_map(|(why, at)| Event::Closed { why, at }),
        (id(), time()).prop_map(|(to, at)| Event::Continued { to, at }),
        (any::<u64>(), any::<u32>(), of(process())).prop_map(|(node, epoch, process)| Event::Hosted {
            node: NodeId(node),
            epoch: Epoch(epoch),
            process
        }),
        any::<u32>().prop_map(|epoch| Event::Unhosted { epoch: Epoch(epoch) }),
        (message_id(), time(), text(), of(who()), of(ask_id()), of(text())).prop_map(
            |(message, at, text, by, about, client_id)| {
                let client_id = client_id.map(Into::into);
                Event::Said(Box::new(Said { message, at, text, by, about, client_id }))
            }
        ),
        message_id().prop_map(|message| Event::Unsaid { message }),
        settings().prop_map(|settings| Event::Configured(Box::new(settings))),
        (of(who()), time()).prop_map(|(by, at)| Event::Interrupted { by, at }),
    ]
    .boxed()
}

fn of_asks() -> BoxedStrategy<Event> {
    prop_oneof![
        3 => ask().prop_map(|ask| Event::Asked(ask.into())),
        1 => (ask_id(), answer(), who(), time())
            .prop_map(|(ask, answer, by, until)| Event::Proposed { ask, answer, by, until }),
        1 => (ask_id(), who()).prop_map(|(ask, by)| Event::Undone { ask, by }),
        1 => (ask_id(), of(time()), who()).prop_map(|(ask, deadline, by)| Event::Extended { ask, deadline, by }),
        1 => (ask_id(), answer(), who()).prop_map(|(ask, answer, by)| Event::Voted { ask, answer, by }),
        2 => (ask_id(), time(), outcome(), verdict()).prop_map(|(ask, at, outcome, verdict)| {
            Event::Settled(Box::new(Settled { ask, at, outcome, verdict }))
        }),
        1 => (ask_id(), text(), time()).prop_map(|(ask, why, at)| Event::Withdrawn { ask, why, at }),
        1 => (ask_id(), text(), of(raw()), time())
            .prop_map(|(ask, mouth, ran, at)| Event::Overtaken { ask, mouth, ran, at }),
        1 => ask_id().prop_map(|ask| Event::Parked { ask }),
        1 => ask_id().prop_map(|ask| Event::Stranded { ask }),
        1 => (ask_id(), answer(), who(), time())
            .prop_map(|(ask, answer, by, at)| Event::LateAnswered { ask, answer, by, at }),
        1 => (ask_id(), words(), time()).prop_map(|(ask, call, at)| Event::OverruleUsed { ask, call, at }),
        1 => (parcel(), any::<u32>()).prop_map(|(parcel, attempt)| Event::Handed { parcel, attempt }),
        1 => (parcel(), text(), time()).prop_map(|(parcel, proof, at)| Event::Delivered { parcel, proof, at }),
    ]
    .boxed()
}

pub(crate) fn content() -> BoxedStrategy<Event> {
    let ruling = prop_oneof![Just(ToolRuling::Allow), Just(ToolRuling::Ask), Just(ToolRuling::Deny)];
    let level = prop::sample::select(vec![Level::Info, Level::Warning, Level::Error]);
    prop_oneof![
        (any::<u32>(), text()).prop_map(|(block, text)| Event::Text { block, text }),
        (any::<u32>(), text()).prop_map(|(block, text)| Event::Thinking { block, text }),
        (words(), text(), raw(), of(ask_id()), of(words()))
            .prop_map(|(call, name, input, ask, within)| { Event::ToolCalled { call, name, input, ask, within } }),
        (words(), any::<bool>(), text()).prop_map(|(call, ok, output)| Event::ToolReturned { call, ok, output }),
        (words(), text(), text(), of(place()), ruling).prop_map(|(call, tool, rule, place, ruling)| Event::ToolRuled {
            call,
            tool,
            rule,
            place,
            ruling
        }),
        (text(), of(raw())).prop_map(|(reason, usage)| Event::TurnEnded { reason, usage }),
        (level, text()).prop_map(|(level, text)| Event::Notice { level, text }),
    ]
    .boxed()
}

pub(crate) fn event() -> BoxedStrategy<Event> {
    prop_oneof![of_sessions(), of_asks(), content()].boxed()
}
