//! Polls a Telegram bot, for all people whom it reaches.

use std::sync::Arc;
use std::time::Duration;

use askbridge_ringing::channel::{Channel, Service, Telegram, TelegramChat};
use askbridge_ringing::record::Action;
use askbridge_ringing::telegram::{self, POLL_SECONDS, Shown, Update, What};
use askbridge_ringing::wire::{Fate, Request};
use tokio::time::Instant;
use tracing::{debug, info, warn};

use super::Backoff;
use crate::hooks::{AwayMode, set_away};
use crate::outbound::Failed;
use crate::ringing::deliver::{call, exchange, response};
use crate::ringing::redeem::{Along, Redeemed, note_seen, redeem, redeem_in};
use crate::server::App;

/// The least time between two polls that brought nothing.
const PAUSE: Duration = Duration::from_secs(1);
/// Longer than the poll itself.
const PATIENCE: Duration = Duration::from_secs(POLL_SECONDS + 10);

pub(super) async fn listen(app: &App, channel: &Channel, wait: &mut Backoff) {
    let Service::Telegram(settings) = &channel.service else { return };
    let mut offset = None;
    loop {
        let asked = Instant::now();
        let after = match call(app, channel, telegram::poll(settings, offset), Some(PATIENCE)).await {
            Ok(answered) => match telegram::updates(&response(&answered)) {
                Ok(updates) => {
                    wait.worked();
                    let is_nothing = updates.is_empty();
                    offset = telegram::next_offset(&updates).or(offset);
                    for update in updates {
                        heard(app, channel, update).await;
                    }
                    // A service that does not wait would otherwise be asked without a pause.
                    if is_nothing && asked.elapsed() < PAUSE {
                        tokio::time::sleep(PAUSE).await;
                    }
                    continue;
                }
                Err(Fate::Later { after, why }) => {
                    debug!(channel = channel.id, why, "Telegram cannot be polled; trying again");
                    after
                }
                Err(Fate::Refused { why } | Fate::Gone { why }) => {
                    warn!(channel = channel.id, why, "Telegram refuses the bot");
                    Some(Duration::from_secs(300))
                }
                Err(Fate::Sent { .. }) => None,
            },
            Err(Failed::TooLarge { .. }) => {
                warn!(channel = channel.id, "Telegram's news are too large; all but the newest are skipped");
                offset = Some(-1);
                None
            }
            Err(error) => {
                debug!(channel = channel.id, %error, "Telegram cannot be reached; trying again");
                None
            }
        };
        wait.failed(after).await;
    }
}

async fn heard(app: &App, bot: &Channel, update: Update) {
    match update.what {
        What::Start { code, chat } => pair(app, bot, &code, chat).await,
        What::Tap { callback, ticket, chat, message } => {
            let Some((own, settings)) = paired(app, bot, chat) else {
                info!(channel = bot.id, "A stranger tapped a button; nothing was decided");
                return;
            };
            let action = app.ringing().action_of(&ticket);
            if let Some((key, _)) = &action {
                note_seen(app, key).await;
            }
            let said = match action {
                Some((key, Action::Choose(option))) if app.ringing().is_several(&key) => {
                    toggle(app, &own, &settings, &key, &message, option).await
                }
                Some((key, Action::Words)) => prompt(app, &own, &settings, &key, &message).await,
                action => {
                    let marked = action.map(|(key, _)| app.ringing().marked(&key)).unwrap_or_default();
                    in_words(&redeem(app, Some(&own), &ticket, Along { words: None, marked }).await)
                }
            };
            // One answer per tap, so it comes last.
            say(app, &own, telegram::answer_tap(&settings, &callback, &said, Shown::Briefly)).await;
        }
        What::Words { chat, reply_to, text } => {
            let Some((own, settings)) = paired(app, bot, chat) else { return };
            let key = reply_to.as_deref().and_then(|message| {
                app.ringing().prompted(message).or_else(|| app.ringing().ring_of(&own.id, message))
            });
            let Some(key) = key else { return };
            let along = Along { words: Some(text), marked: Vec::new() };
            let redeemed = redeem_in(app, &own, &key, Action::Words, along).await;
            if let (Redeemed::Refused { .. }, Some(message)) = (&redeemed, reply_to)
                && let Ok(request) = telegram::prompt(&settings, &message, &in_words(&redeemed), "")
            {
                say(app, &own, request).await;
            }
        }
        What::Away { chat, is_away } => {
            // What the machine's user may say, and nobody else.
            let is_user = |person: &str| app.ringing_options().is_some_and(|options| options.user == person);
            if paired(app, bot, chat).is_some_and(|(own, _)| is_user(&own.person)) {
                let mode = if is_away { AwayMode::On } else { AwayMode::Auto };
                if let Err(error) = set_away(app, mode).await {
                    warn!(%error, "Could not store that the person is away");
                }
            }
        }
        What::Inbox { .. } | What::Other => {}
    }
}

/// Binds a chat to the person whose code it brings.
async fn pair(app: &App, bot: &Channel, code: &str, chat: TelegramChat) {
    let Some(id) = app.ringing().take_code(code, app.handle.now()) else {
        info!(channel = bot.id, "A chat brought a code that is used, too old or not ours");
        return;
    };
    let Some(channel) = app.ringing().channels.get(&id) else { return };
    let (Service::Telegram(settings), Service::Telegram(ours)) = (&channel.service, &bot.service) else { return };
    if (&settings.api, &settings.bot_token) != (&ours.api, &ours.bot_token) {
        return;
    }
    let service = Service::Telegram(Telegram { chat: Some(chat), ..settings.clone() });
    let paired = Channel { service, added_at: app.handle.now().0, ..(*channel).clone() };
    match app.ringing().channels.put(&app.handle, paired).await {
        Ok(_) => {
            info!(channel = id, "A Telegram chat is paired");
            app.ringing().changed();
        }
        Err(error) => warn!(%error, "A paired chat could not be stored"),
    }
}

/// The channel that is bound to this chat and person, of this bot.
fn paired(app: &App, bot: &Channel, from: TelegramChat) -> Option<(Arc<Channel>, Telegram)> {
    let Service::Telegram(ours) = &bot.service else { return None };
    app.ringing().channels.all().into_iter().find_map(|channel| match &channel.service {
        Service::Telegram(it)
            if it.api == ours.api && it.bot_token == ours.bot_token && telegram::is_paired(it, from) =>
        {
            Some((Arc::clone(&channel), it.clone()))
        }
        _ => None,
    })
}

async fn toggle(app: &App, own: &Channel, settings: &Telegram, key: &str, message: &str, option: usize) -> String {
    let Some((notice, marked)) = app.ringing().toggle(key, option) else {
        return "Open askbridge to choose several".to_owned();
    };
    if let Ok(request) = telegram::toggle(settings, message, &notice, &marked) {
        let _ = exchange(app, own, Some(request), telegram::changed).await;
    }
    String::new()
}

async fn prompt(app: &App, own: &Channel, settings: &Telegram, key: &str, message: &str) -> String {
    let Ok(request) = telegram::prompt(settings, message, "Your answer, as a reply to this message:", "Your answer")
    else {
        return "Open askbridge to answer in words".to_owned();
    };
    match exchange(app, own, Some(request), telegram::sent).await {
        Fate::Sent { reference: Some(reference) } => app.ringing().remember_prompt(reference, key),
        fate => debug!(?fate, "Could not ask for words"),
    }
    String::new()
}

fn in_words(redeemed: &Redeemed) -> String {
    match redeemed {
        Redeemed::Counted { .. } => "It counts".to_owned(),
        Redeemed::Seen { .. } => "Seen".to_owned(),
        Redeemed::Again { .. } => "It counted already".to_owned(),
        Redeemed::Refused { why } => why.clone(),
    }
}

async fn say(app: &App, own: &Channel, request: Request) {
    let fate = exchange(app, own, Some(request), telegram::changed).await;
    if !matches!(fate, Fate::Sent { .. }) {
        debug!(?fate, "Telegram did not take a reply");
    }
}
