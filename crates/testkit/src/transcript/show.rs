//! Shows a peer's outputs, each as one line of a transcript.

use std::fmt::Write;

use askbridge_core::answer::{Decision, Review, Scope};
use askbridge_core::event::{Parcel, Settings};
use askbridge_core::terms::{OnExpiry, Wait, Wishes};
use askbridge_core::unfit::{FormReply, QuestionKey, QuestionReply, Reply, Value};
use askbridge_journal::Written;
use askbridge_peers::consult::Consultation;
use askbridge_peers::peer::{BlockKind, EndsWith, Frame, Outbox, Record, Streamed, Tag};
use askbridge_peers::wish::{AskRef, AskWish, Query, Watch, Wish};

use crate::asks::SESSION;

pub(super) fn outbox(out: &Outbox) -> Vec<String> {
    let frames = out.frames.iter().map(frame);
    let wishes = out.wishes.iter().map(|(of, wanted)| format!("? {} {}", tag(*of), wish(wanted)));
    let queries = out.queries.iter().map(|(of, wanted)| format!("query {} {}", tag(*of), query(wanted)));
    let watches = out.watches.iter().map(watch);
    let records = out.records.iter().map(record);
    let streams = out.streams.iter().map(streamed);
    let whispers = out.whispers.iter().map(|(session, words)| format!("whisper in {session}: {words}"));
    let endings = out.endings.iter().map(|(session, ends)| match ends {
        EndsWith::Process => format!("ends with its process: {session}"),
        EndsWith::LastQuestion => format!("ends with its last question: {session}"),
    });
    let wanted = wishes.chain(queries).chain(watches).chain(whispers).chain(endings);
    streams.chain(records).chain(frames).chain(wanted).collect()
}

fn streamed(it: &Streamed) -> String {
    let kind = match it.kind {
        BlockKind::Text => "",
        BlockKind::Thinking => "thinking ",
        BlockKind::Asking => "asking ",
    };
    format!("~ {} {} {kind}{:?}", it.block, it.offset, it.text)
}

/// Content, as the journal writes it.
fn record(record: &Record) -> String {
    let elsewhere = if record.session == SESSION { String::new() } else { format!("{} ", record.session) };
    format!("+ {elsewhere}{:?} {}", record.name, Written::new(record.event.clone()).json)
}

fn frame(frame: &Frame<'_>) -> String {
    match frame {
        Frame::Text(text) => format!("> {text}"),
        Frame::Response(resp) => {
            let open = if resp.open { " …" } else { "" };
            let headers: String = resp.headers.iter().map(|(name, value)| format!(" [{name}: {value}]")).collect();
            let body = String::from_utf8_lossy(&resp.body);
            format!(">{} {}{headers} {body}{open}", resp.status, resp.content_type)
        }
        Frame::Chunk(chunk) => format!(">chunk {}", String::from_utf8_lossy(chunk)),
        Frame::Close(code, reason) => format!(">close {code} {reason}"),
        Frame::Request(req) => format!(">{} {} {}", req.method, req.path, String::from_utf8_lossy(req.body)),
    }
}

/// Tags that count down are the peer's own; the others were chosen by its client.
fn tag(Tag(tag): Tag) -> String {
    let below = u64::MAX - tag;
    if below < 1000 { format!("own{below}") } else { tag.to_string() }
}

fn query(query: &Query) -> String {
    match query {
        Query::Login { token } => format!("login {token:?}"),
        Query::Ask(ask) => format!("{ask}"),
        Query::Session(session) => format!("{session}"),
        Query::Sessions { after, limit } => format!("sessions after {after:?} at most {limit}"),
        Query::Folders => "folders".to_owned(),
        Query::Folder(folder) => format!("folder {folder}"),
        Query::Kept(prefix) => format!("kept {prefix}"),
        Query::Counts(sessions) => {
            let sessions: Vec<_> = sessions.iter().map(ToString::to_string).collect();
            format!("counts of {}", sessions.join(" "))
        }
        Query::Summaries(sessions) => {
            let sessions: Vec<_> = sessions.iter().map(ToString::to_string).collect();
            format!("summaries of {}", sessions.join(" "))
        }
        Query::Terms(session) => format!("terms in {session}"),
        Query::Consult(about) => consultation(about),
        Query::Logout => "logout".to_owned(),
        Query::Redeem { code } => format!("redeem {code:?}"),
    }
}

fn consultation(about: &Consultation) -> String {
    let Consultation { id, mode, folder, in_subagent, is_cut, what, .. } = about;
    let mut shown = format!("consult {:?} about {what:?}", id.as_deref().unwrap_or_default());
    for (name, text) in [("mode", mode), ("folder", folder)] {
        if let Some(text) = text {
            shown.push_str(&format!(" {name} {text}"));
        }
    }
    for (name, is_so) in [("in a subagent", in_subagent), ("cut", is_cut)] {
        if *is_so {
            shown.push_str(&format!(" {name}"));
        }
    }
    shown
}

fn watch(watch: &Watch) -> String {
    match watch {
        Watch::News => "watch news".to_owned(),
        Watch::Inbox { after: None } => "watch inbox".to_owned(),
        Watch::Inbox { after: Some(cursor) } => format!("watch inbox after {cursor}"),
        Watch::Session { session } => format!("watch {session}"),
        Watch::Chat { session, remembered } => {
            let and = if *remembered { ", and remember" } else { "" };
            format!("watch {session} from its beginning{and}")
        }
        Watch::Seat { session } => format!("watch {session} as the only one"),
        Watch::Cards { asks } => {
            let asks: Vec<_> = asks.iter().map(ToString::to_string).collect();
            format!("watch cards [{}]", asks.join(" "))
        }
    }
}

fn wish(wish: &Wish) -> String {
    match wish {
        Wish::Look { session, screen, loaded_to } => {
            let at = session.map_or("nothing".to_owned(), |session| session.to_string());
            let who = screen.map_or("a screen".to_owned(), |screen| format!("screen {screen}"));
            let to = loaded_to.map(|position| format!(", loaded to {}", position.0)).unwrap_or_default();
            format!("{who} looks at {at}{to}")
        }
        Wish::Start { session, door, agent, settings, host } => {
            let host = host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
            let session = session.map_or("a session".to_owned(), |session| session.to_string());
            let agent = agent.as_deref().unwrap_or("(the caller)");
            format!("start {session} door {door} agent {agent}{host}{}", self::settings(settings))
        }
        Wish::Forget { session } => format!("forget {session}"),
        Wish::Close { session, why } => format!("close {session}: {}", why.as_deref().unwrap_or("(no reason)")),
        Wish::Say { session, text, about, client_id } => {
            let about = about.map(|ask| format!(" about {ask}")).unwrap_or_default();
            let named = client_id.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
            format!("say in {session}{about}{named}: {text:?}")
        }
        Wish::Unsay { message } => format!("unsay {message}"),
        Wish::Interrupt { session } => format!("interrupt {session}"),
        Wish::Configure { session, settings } => format!("configure {session} {settings:?}"),
        Wish::ReportSettings { session, settings } => format!("report {session} {settings:?}"),
        Wish::Ask(ask) => self::ask(ask),
        Wish::Note { session, level, text } => format!("note in {session} {level:?}: {text:?}"),
        Wish::Abandon { ask, why } => format!("abandon {}: {why}", ask_ref(ask)),
        Wish::Withdraw { ask, why } => format!("withdraw {}: {why}", ask_ref(ask)),
        Wish::Overtake { ask, mouth, ran: None } => format!("overtake {}: {mouth}", ask_ref(ask)),
        Wish::Overtake { ask, mouth, ran: Some(ran) } => format!("overtake {}: {mouth}, ran {ran}", ask_ref(ask)),
        Wish::Answer { ask, reply, undo } if undo.is_zero() => {
            format!("answer {} {}", ask_ref(ask), self::reply(reply))
        }
        Wish::Answer { ask, reply, undo } => {
            format!("answer {} {} undo {}s", ask_ref(ask), self::reply(reply), undo.as_secs())
        }
        Wish::Undo { ask } => format!("undo {}", ask_ref(ask)),
        Wish::Dismiss { ask, words } => match words {
            Some(words) => format!("dismiss {}: {words:?}", ask_ref(ask)),
            None => format!("dismiss {}", ask_ref(ask)),
        },
        Wish::Extend { ask, wait } => format!("extend {} {}", ask_ref(ask), self::wait(*wait)),
        Wish::Draft { ask, draft } => format!("draft {} {draft}", ask_ref(ask)),
        Wish::Snooze { ask, time: Some(time) } => format!("snooze {} {}s", ask_ref(ask), time.as_secs()),
        Wish::Snooze { ask, time: None } => format!("show {} again", ask_ref(ask)),
        Wish::Remember { ask, rule } => {
            let until = rule.until.map_or_else(|| "for good".to_owned(), |until| format!("until {}", until.0));
            format!("remember {} {:?} {} {until}", ask_ref(ask), rule.decides, rule.reach.name())
        }
        Wish::Revoke { rule } => format!("revoke {rule}"),
        Wish::Park { ask } => format!("park {}", ask_ref(ask)),
        Wish::Hand { parcel } => format!("hand {}", self::parcel(*parcel)),
        Wish::Deliver { parcel, proof } => format!("deliver {} proof {proof:?}", self::parcel(*parcel)),
        Wish::Took { parcel, proof } => format!("took {} proof {proof:?}", self::parcel(*parcel)),
        Wish::Return { ask, result } => {
            let came = if result.ok { "came back with" } else { "failed with" };
            format!("return {ask}: {} {came} {:?}", result.call, result.output)
        }
        Wish::Strand { ask } => format!("strand {}", ask_ref(ask)),
        Wish::Keep { name, thing: Some(thing) } => format!("keep {name} {thing}"),
        Wish::Keep { name, thing: None } => format!("let go {name}"),
        Wish::Call(call) => format!("call {} for {}: {}", call.url, call.reader, call.body),
    }
}

/// Shows the settings that are set.
fn settings(settings: &Settings) -> String {
    let mut line = String::new();
    let texts = [
        ("title", &settings.title),
        ("folder", &settings.folder),
        ("model", &settings.model),
        ("mode", &settings.mode),
    ];
    let texts = texts.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
    let more = settings.more.as_ref().map(|more| ("more", more.to_string()));
    for (name, value) in texts.chain(more).chain(wishes(&settings.wishes).map(|wishes| ("wishes", wishes))) {
        write!(line, " {name} {value}").expect("writing to a string does not fail");
    }
    line
}

fn ask(wish: &AskWish) -> String {
    // Few approvals are about a denial, so the others do not say that they are not.
    let body = format!("{:?}", wish.body).replace(", overrule: false", "");
    let mut line = format!("ask through {} reach {:?} {body}", wish.door, wish.reach);
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            write!(line, " {name} {value}").expect("writing to a string does not fail");
        }
    };
    add("session", wish.session.map(|session| session.to_string()));
    add("agent", wish.agent.clone());
    add("call", wish.call.as_ref().map(ToString::to_string));
    add("key", wish.key.as_ref().map(ToString::to_string));
    add("context", (wish.context != Default::default()).then(|| format!("{:?}", wish.context)));
    add("made by", wish.made.as_ref().map(|made| format!("{} {}", made.name, made.input)));
    let ruled = wish.made.as_ref().and_then(|made| made.ruled.as_ref());
    add("ruled by", ruled.map(|ruled| format!("{} {:?}", ruled.rule, ruled.ruling)));
    add("wishes", wishes(&wish.wishes));
    line
}

fn wishes(wishes: &Wishes) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(wishes.wait.map(wait));
    parts.extend(wishes.undo.map(|undo| format!("undo {}s", undo.as_secs_f64())));
    parts.extend(wishes.quorum.map(|quorum| format!("quorum {quorum}")));
    parts.extend(wishes.on_expiry.as_ref().map(|then| match then {
        OnExpiry::Tell => "then tell".to_owned(),
        OnExpiry::TellAndStop => "then tell and stop".to_owned(),
        OnExpiry::Assume(picks) => format!("then assume {picks:?}"),
    }));
    parts.extend(wishes.on_dismissal.map(|then| format!("on dismissal {then:?}")));
    parts.extend(wishes.messages.map(|messages| format!("messages {messages:?}")));
    parts.extend(wishes.other_tools.map(|others| format!("other tools {others:?}")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn wait(wait: Wait) -> String {
    match wait {
        Wait::Forever => "for ever".to_owned(),
        Wait::For(span) => format!("for {}s", span.as_secs_f64()),
    }
}

fn ask_ref(ask: &AskRef) -> String {
    match ask {
        AskRef::Id(id) => id.to_string(),
        AskRef::Call(session, call) => format!("(call {call} of {session})"),
        AskRef::OnlyOpen(session, kind) => format!("(the only open {} of {session})", kind.name()),
    }
}

fn parcel(parcel: Parcel) -> String {
    match parcel {
        Parcel::Verdict(ask) => format!("the verdict on {ask}"),
        Parcel::Message(message) => message.to_string(),
    }
}

fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Questions(given) => given.iter().map(self::given).collect::<Vec<_>>().join("; "),
        Reply::Approval(Decision::Allow { scope, edited }) => {
            let scope = match scope {
                Scope::Once => "once".to_owned(),
                Scope::Always(rule) => format!("always by rule {rule}"),
            };
            let edited = edited.as_ref().map(|input| format!(" with {input}")).unwrap_or_default();
            format!("allow {scope}{edited}")
        }
        Reply::Approval(Decision::Deny { words, stop }) => {
            format!("deny{}{}", if *stop { " and stop" } else { "" }, said(words.as_deref()))
        }
        Reply::Plan(Review::Approve { edited }) => format!("approve{}", said(edited.as_deref())),
        Reply::Plan(Review::SendBack { words }) => format!("send back: {words:?}"),
        Reply::Form(FormReply::Accept(values)) => format!("accept {values:?}"),
        Reply::Form(FormReply::Decline { words }) => format!("decline{}", said(words.as_deref())),
    }
}

fn said(words: Option<&str>) -> String {
    words.map(|words| format!(": {words:?}")).unwrap_or_default()
}

fn given(given: &QuestionReply) -> String {
    let key = match &given.key {
        QuestionKey::Index(index) => format!("#{index}"),
        QuestionKey::Text(text) => format!("{text:?}"),
    };
    let value = given.value.as_ref().map_or("skipped".to_owned(), value);
    let note = given.note.as_ref().map(|note| format!(" note {note:?}")).unwrap_or_default();
    format!("{key} = {value}{note}")
}

fn value(value: &Value) -> String {
    match value {
        Value::Index(index) => format!("option {index}"),
        Value::Label(label) => format!("label {label:?}"),
        Value::Text(text) => format!("text {text:?}"),
        Value::Typed(text) => format!("typed {text:?}"),
        Value::List(list) => format!("[{}]", list.iter().map(self::value).collect::<Vec<_>>().join(", ")),
    }
}
