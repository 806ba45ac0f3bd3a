//! The client: its settings, and calls with one bounded answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::limits;
use bytes::Bytes;
use ipnet::IpNet;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::address::{Address, HTTP};
use super::call::{Answered, Call};
use super::connect::{Dialer, SystemDialer};
use super::exchange::{Cut, Response, request};
use super::failed::Failed;
use super::names::{Resolver, SystemResolver};
use super::trust::Authorities;
use super::turns::Turns;

/// The client for outgoing calls. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbound(pub(super) Arc<Inner>);

/// Settings for outgoing calls.
#[derive(Debug, Clone)]
pub struct OutboundOptions {
    /// Private addresses that may be called all the same.
    pub private: Vec<IpNet>,
    pub authorities: Authorities,
    /// How long one call may take, from resolving the name to the last byte, unless the call itself says. Beyond: it
    /// failed.
    pub patience: Duration,
    pub resolver: Arc<dyn Resolver>,
    pub dialer: Arc<dyn Dialer>,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            private: Vec::new(),
            authorities: Authorities::default(),
            patience: limits::OUTBOUND_WAIT_MAX,
            resolver: Arc::new(SystemResolver),
            dialer: Arc::new(SystemDialer),
        }
    }
}

pub(super) struct Inner {
    pub(super) options: OutboundOptions,
    /// Made for the first call.
    pub(super) connector: OnceCell<TlsConnector>,
    pub(super) turns: Arc<Turns>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Outbound {
    pub fn new(options: OutboundOptions) -> Self {
        Self(Arc::new(Inner { options, connector: OnceCell::new(), turns: Arc::new(Turns::new()) }))
    }

    /// Posts JSON.
    pub async fn post(&self, url: &str, json: impl Into<Bytes>) -> Result<Answered, Failed> {
        self.call(Call::post(url, json)).await
    }

    /// Makes a call and reads the whole answer. The time does not include the wait for a turn.
    pub async fn call(&self, call: Call) -> Result<Answered, Failed> {
        let address = Address::read(&call.url, &HTTP).ok_or(Failed::NotAnAddress)?;
        let after = self.patience(&call);
        let exchange = async {
            match timeout(after, self.exchange(&address, call)).await {
                Ok(answered) => answered,
                Err(_) => Err(Failed::TooSlow { host: address.host.clone(), after }),
            }
        };
        if after > self.0.options.patience {
            let _turn = self.0.turns.long(&address)?;
            exchange.await
        } else {
            let _turn = self.0.turns.short(&address).await;
            exchange.await
        }
    }

    /// Connects, and sends nothing: is there a server at this address, with a certificate that is trusted?
    pub(crate) async fn connects(&self, url: &str, named_by_operator: bool) -> Result<(), Failed> {
        let address = Address::read(url, &HTTP).ok_or(Failed::NotAnAddress)?;
        let after = self.0.options.patience;
        let _turn = self.0.turns.short(&address).await;
        match timeout(after, self.connect(&address, named_by_operator)).await {
            Ok(connected) => connected.map(drop),
            Err(_) => Err(Failed::TooSlow { host: address.host.clone(), after }),
        }
    }

    pub(super) fn patience(&self, call: &Call) -> Duration {
        call.patience.map_or(self.0.options.patience, |patience| patience.min(limits::OUTBOUND_PATIENCE_MAX))
    }

    /// Connects, sends the request and waits for the head of the response.
    pub(super) async fn begin(&self, address: &Address, call: Call) -> Result<Response, Failed> {
        let named_by_operator = call.named_by_operator;
        let request = request(address, call)?;
        let wire = self.connect(address, named_by_operator).await?;
        let no_answer = |why| Failed::NoAnswer { host: address.host.clone(), why };
        Response::begin(wire, request).await.map_err(no_answer)
    }

    async fn exchange(&self, address: &Address, call: Call) -> Result<Answered, Failed> {
        let mut response = self.begin(address, call).await?;
        let host = || address.host.clone();
        let body = response.whole().await.map_err(|cut| match cut {
            Cut::Broken(why) => Failed::NoAnswer { host: host(), why },
            Cut::TooLarge => {
                Failed::TooLarge { host: host(), what: "an answer", bytes_max: limits::OUTBOUND_ANSWER_BYTES_MAX }
            }
        })?;
        Ok(Answered { status: response.status, headers: std::mem::take(&mut response.headers), body })
    }
}
