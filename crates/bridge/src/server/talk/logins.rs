//! Logins: identifies the client by a token that it sends, and sets the cookie that a page of another system gets for
//! it.

use askbridge_peers::listing::LISTING;
use askbridge_peers::peer::Tag;
use askbridge_peers::wish::{CallerName, Receipt, Rejection};

use super::connection::Connection;
use crate::auth::Caller;
use crate::driver::Replies;
use crate::runtime::down;
use crate::server::app::App;
use crate::server::guest::LoginCookie;
use crate::server::identify::sign_in;

impl Connection {
    /// Answers a login: at once, or with a cookie once that is stored.
    pub(super) fn log_in(&mut self, tag: Tag, token: &str, replies: &mut Replies) {
        let reply = self.signed_in(token);
        if let (Ok(receipt), Some(caller)) = (&reply, &self.guest.caller)
            && !token.is_empty()
            && sets_a_cookie(self.guest.via)
        {
            let (app, caller, via, receipt) = (self.app.clone(), caller.clone(), self.guest.via, receipt.clone());
            replies.wait_for(async move { (tag, with_cookie(&app, &caller, via, receipt).await) });
            return;
        }
        replies.know(tag, reply);
    }

    fn signed_in(&mut self, token: &str) -> Result<Receipt, Rejection> {
        let caller = match (&self.guest.caller, token.is_empty()) {
            (Some(caller), true) => caller.clone(),
            _ => sign_in(&self.app, token, self.guest.from)?,
        };
        let name = CallerName { name: caller.name.to_string(), role: caller.role.name() };
        self.guest.caller = Some(caller);
        Ok(Receipt { caller: Some(name), ..Receipt::default() })
    }

    pub(super) fn log_out(&mut self, tag: Tag, replies: &mut Replies) {
        let (app, caller, via) = (self.app.clone(), self.guest.caller.clone(), self.guest.via);
        // Taken, so that the request that ends a cookie does not end with it.
        let cookie = self.guest.cookie.take();
        replies.wait_for(async move { (tag, logged_out(&app, caller.as_ref(), via, cookie).await) });
    }
}

/// Does a login in this dialect set a cookie?
fn sets_a_cookie(via: &str) -> bool {
    LISTING.iter().any(|listing| listing.name == via && listing.login_cookie().is_some())
}

async fn with_cookie(app: &App, caller: &Caller, via: &str, receipt: Receipt) -> Result<Receipt, Rejection> {
    let made = app.tokens.make_cookie(caller, via, app.handle.clock.now()).await.map_err(down)?;
    let cookie = made.ok_or(Rejection::Unauthorized)?;
    Ok(Receipt { cookie: Some(cookie.reveal().to_owned()), ..receipt })
}

/// Ends the cookie that came along. Without a known one, ends every cookie of the caller's token in this dialect.
async fn logged_out(
    app: &App,
    caller: Option<&Caller>,
    via: &str,
    cookie: Option<LoginCookie>,
) -> Result<Receipt, Rejection> {
    let ended = match cookie {
        Some(cookie) => app.tokens.end_cookie(&cookie.secret, via).await.map_err(down)?,
        None => false,
    };
    if let Some(caller) = caller.filter(|_| !ended) {
        app.tokens.end_cookies_of(&caller.party, Some(via)).await.map_err(down)?;
    }
    Ok(Receipt::default())
}
