//! Speaks to the services: sends a notice, takes it back, checks settings.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ask::Ask;
use askbridge_peers::apps::PushAbout;
use askbridge_ringing::channel::{Channel, Command, Content, Decides, Service};
use askbridge_ringing::news::{News, NewsKind};
use askbridge_ringing::notice::Notice;
use askbridge_ringing::record::Ring;
use askbridge_ringing::webhook::Occasion;
use askbridge_ringing::wire::{Fate, Method, Request, Response};
use askbridge_ringing::{command, ntfy, slack, telegram, webhook};
use axum::http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::{apps, web_push};
use crate::outbound::{Answered, Call, Failed};
use crate::server::App;

/// How long a person's own program may take.
const COMMAND_PATIENCE: Duration = Duration::from_secs(10);

/// Sends a notice about asks, for the `nth` time. `ask`: if it is about one.
pub(super) async fn deliver(
    app: &App,
    channel: &Channel,
    notice: &Notice,
    (named, count): (&[Arc<Ask>], usize),
    nth: u8,
) -> Fate {
    let about = named
        .first()
        .filter(|_| count == 1)
        .map(|ask| json!({"id": ask.id.to_string(), "kind": ask.body.kind().name()}));
    // The same id when it is tried again, and another one for a reminder.
    let id = format!("{}-waits-{nth}", notice.tag);
    if let (Service::App(it), Some(ask)) = (&channel.service, named.first()) {
        let is_shown = channel.content == Content::Shown;
        return apps::push(app, channel, it, notice, PushAbout::Ask { ask, count, is_shown }).await;
    }
    say(app, channel, Occasion::Waits, notice, &id, about).await
}

/// Sends a message that only shows that the channel works.
pub(super) async fn deliver_test(app: &App, channel: &Channel, notice: &Notice) -> Fate {
    say(app, channel, Occasion::Test, notice, &notice.tag, None).await
}

/// Sends a notice about something other than asks.
pub(super) async fn deliver_news(app: &App, channel: &Channel, notice: &Notice, news: &[News]) -> Fate {
    if let (Service::App(it), [News { kind: NewsKind::TurnEnded, session: Some(session), usage, .. }]) =
        (&channel.service, news)
    {
        let about = PushAbout::TurnEnded { session: *session, usage: usage.as_ref() };
        return apps::push(app, channel, it, notice, about).await;
    }
    say(app, channel, Occasion::Notice, notice, &notice.tag, None).await
}

async fn say(
    app: &App,
    channel: &Channel,
    occasion: Occasion,
    notice: &Notice,
    id: &str,
    about: Option<Value>,
) -> Fate {
    match &channel.service {
        Service::Ntfy(it) => exchange(app, channel, Some(ntfy::send(it, notice, None)), ntfy::sent).await,
        Service::Telegram(it) => match telegram::send(it, notice) {
            Ok(request) => exchange(app, channel, Some(request), telegram::sent).await,
            Err(fate) => fate,
        },
        Service::Slack(it) => exchange(app, channel, slack::send(it, notice), slack::sent).await,
        Service::Webhook(it) => {
            let payload = webhook::payload(occasion, notice, about);
            let request = webhook::send(it, id, app.handle.now(), &payload);
            exchange(app, channel, Some(request), webhook::sent).await
        }
        Service::Command(it) => run(it, command::payload(occasion, notice, about)).await,
        Service::WebPush(it) => web_push::send(app, channel, it, notice).await,
        Service::App(it) => apps::push(app, channel, it, notice, PushAbout::Other).await,
    }
}

/// Removes a message, or makes it say what became of the ask.
pub(super) async fn take_back(app: &App, channel: &Channel, ring: &Ring, tag: &str, line: &str) -> Fate {
    let nothing = Fate::Sent { reference: None };
    let reference = ring.reference.as_deref();
    let settled = || Notice::saying(tag.to_owned(), line.to_owned(), String::new());
    let about = || ring.asks.first().map(|ask| json!({"id": ask.to_string()}));
    match &channel.service {
        Service::Ntfy(it) => match reference {
            Some(reference) => exchange(app, channel, Some(ntfy::close(it, reference, line)), ntfy::sent).await,
            None => nothing,
        },
        // A reminder is a message of its own there: the earlier ones lose their buttons as well.
        Service::Telegram(it) => {
            let messages = ring.earlier.iter().map(String::as_str).chain(reference);
            let requests = messages.filter_map(|message| telegram::close(it, message, line).ok());
            every(app, channel, requests, telegram::changed).await
        }
        Service::Slack(it) => {
            let messages = ring.earlier.iter().map(String::as_str).chain(reference);
            let requests = messages.filter_map(|message| slack::close(it, message, line));
            every(app, channel, requests, slack::sent).await
        }
        Service::Webhook(it) => {
            let payload = webhook::payload(Occasion::Settled, &settled(), about());
            let request = webhook::send(it, &format!("{tag}-settled"), app.handle.now(), &payload);
            exchange(app, channel, Some(request), webhook::sent).await
        }
        Service::Command(it) => run(it, command::payload(Occasion::Settled, &settled(), about())).await,
        // iOS revokes a subscription after pushes that show nothing, and what is shown there cannot be taken back. The
        // page and its worker close what they show when they hear of the end.
        // Nothing takes a push back there; its client closes the card.
        Service::WebPush(_) | Service::App(_) => nothing,
    }
}

/// Checks a channel's settings with its service, before they are stored. The error is the reason that the service gave.
pub(crate) async fn check(app: &App, channel: &Channel) -> Result<Option<String>, String> {
    let refused = |fate| match fate {
        Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why } => Err(why),
        Fate::Sent { .. } => Ok(None),
    };
    match &channel.service {
        Service::Ntfy(it) => {
            if let Some(problem) = ntfy::problem(it) {
                return Err(problem);
            }
            let ask = async |request| call(app, channel, request, None).await.map_err(|error| error.to_string());
            let answered = ask(ntfy::check_reading(it)).await?;
            if answered.status == 401 || ntfy::checked(&response(&answered)).is_err() {
                ntfy::checked(&response(&ask(ntfy::check(it)).await?))?;
            }
            let answered = ask(ntfy::check_replies(it)).await?;
            if channel.decides > Decides::Nothing && matches!(answered.status, 401 | 403) {
                let why = ntfy::checked(&response(&answered)).err().unwrap_or_default();
                let allow = ntfy::allow_buttons(it);
                return Err(format!(
                    "{why}; answers come back over a second topic: on the ntfy server, `{allow}` and read \
                                    access for this token allow that, or add the channel with `decides` set to `nothing`"
                ));
            }
            Ok(None)
        }
        Service::Telegram(it) => {
            if let Some(problem) = telegram::problem(it) {
                return Err(problem);
            }
            let answered = call(app, channel, telegram::check(it), None).await.map_err(|error| error.to_string())?;
            telegram::checked(&response(&answered)).map(Some)
        }
        Service::Slack(it) => {
            let answered = call(app, channel, slack::check(it), None).await.map_err(|error| error.to_string())?;
            let workspace = match slack::checked(&response(&answered)) {
                Ok(workspace) => workspace,
                Err(fate) => return refused(fate),
            };
            // The app's token opens connections. That this one is not used does no harm.
            let answered = call(app, channel, slack::open(it), None).await.map_err(|error| error.to_string())?;
            match slack::opened(&response(&answered)) {
                Ok(_) => Ok(Some(workspace.name)),
                Err(fate) => refused(fate),
            }
        }
        // Nothing is posted: a receiver need not know of tests. But there has to be one, with a certificate that is trusted.
        Service::Webhook(it) => match (url::Url::parse(&it.url).is_ok_and(|url| url.has_host()), app.outbound()) {
            (false, _) => Err(format!("`{}` is not an address", it.url)),
            (true, None) => Ok(None),
            (true, Some(outbound)) => {
                let connected = outbound.connects(&it.url, channel.named_by_operator).await;
                connected.map(|()| None).map_err(|error| error.to_string())
            }
        },
        Service::Command(it) => match it.program.trim() {
            "" => Err("there is no program to run".to_owned()),
            // A bare name is looked for when it is run.
            path if path.contains('/') && !std::path::Path::new(path).is_file() => Err(format!("there is no `{path}`")),
            _ => Ok(None),
        },
        Service::WebPush(_) | Service::App(_) => Ok(None),
    }
}

/// Sends several requests, one after the other, until one is to be tried later. What is refused, such as a message that
/// the person has deleted, does not keep the others from being sent.
async fn every(
    app: &App,
    channel: &Channel,
    requests: impl Iterator<Item = Request>,
    read: impl Fn(&Response<'_>) -> Fate,
) -> Fate {
    let mut last = Fate::Sent { reference: None };
    for request in requests {
        last = exchange(app, channel, Some(request), &read).await;
        if matches!(last, Fate::Later { .. }) {
            break;
        }
    }
    last
}

/// Sends a request, and reads what became of it. No request: the channel is not paired yet.
pub(super) async fn exchange(
    app: &App,
    channel: &Channel,
    request: Option<Request>,
    read: impl Fn(&Response<'_>) -> Fate,
) -> Fate {
    let Some(request) = request else {
        return Fate::Refused { why: "the channel is not paired with a person there yet".to_owned() };
    };
    match call(app, channel, request, None).await {
        Ok(answered) => read(&response(&answered)),
        Err(error @ (Failed::NotAnAddress | Failed::Private { .. } | Failed::NoTrust(_))) => {
            Fate::Refused { why: error.to_string() }
        }
        Err(error) => Fate::Later { after: None, why: error.to_string() },
    }
}

pub(super) async fn call(
    app: &App,
    channel: &Channel,
    request: Request,
    patience: Option<Duration>,
) -> Result<Answered, Failed> {
    let Some(outbound) = app.outbound() else {
        return Err(Failed::NoTrust("this server makes no outgoing calls".to_owned()));
    };
    outbound.call(Call { patience, ..as_call(channel, request) }).await
}

/// A request as an outgoing call.
pub(super) fn as_call(channel: &Channel, request: Request) -> Call {
    let method = match request.method {
        Method::Get => axum::http::Method::GET,
        Method::Post => axum::http::Method::POST,
        Method::Put => axum::http::Method::PUT,
        Method::Delete => axum::http::Method::DELETE,
    };
    let headers = request.headers.iter().filter_map(|(name, value)| {
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
    });
    let mut call = Call::new(method, request.url);
    call.headers = headers.collect();
    call.body = request.body.into();
    call.named_by_operator = channel.named_by_operator;
    call
}

pub(super) fn response(answered: &Answered) -> Response<'_> {
    Response { status: answered.status, retry_after: answered.retry_after(), body: &answered.body }
}

/// Runs a person's own program with the notice on its standard input.
async fn run(command: &Command, input: Vec<u8>) -> Fate {
    let mut process = tokio::process::Command::new(&command.program);
    process.args(&command.args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = match process.spawn() {
        Ok(child) => child,
        Err(error) => return Fate::Refused { why: format!("`{}` cannot be started: {error}", command.program) },
    };
    let feed = child.stdin.take();
    let ended = async move {
        if let Some(mut feed) = feed {
            // A program need not read it.
            let _ = feed.write_all(&input).await;
        }
        child.wait_with_output().await
    };
    match timeout(COMMAND_PATIENCE, ended).await {
        Ok(Ok(output)) => command::ended(output.status.code(), &output.stderr),
        Ok(Err(error)) => Fate::Later { after: None, why: error.to_string() },
        // It was told; to start it again would tell it twice.
        Err(_) => Fate::Sent { reference: None },
    }
}
