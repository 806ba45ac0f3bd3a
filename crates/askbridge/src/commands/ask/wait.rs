//! Waits for an answer, through restarts and lost connections.

use std::time::Duration;

use crate::client::{Ask, Backoff, Client, Error};
use crate::failure::Failure;
use crate::output::tell;

/// How long one request waits. Short enough to notice a connection that died silently.
const ROUND: Duration = Duration::from_secs(50);

/// Returns the ask once it is settled. The question is stored, so a lost server is no reason to give up.
pub(crate) async fn until_settled(client: &Client, id: &str) -> Result<Ask, Failure> {
    let mut backoff = Backoff::default();
    let mut told = false;
    loop {
        // Even if it is already settled: fetching it tells the server that the answer arrived.
        match client.wait_for(id, ROUND).await {
            Ok(now) if !now.shown.is_open() => return Ok(now),
            Ok(_) => {
                backoff = Backoff::default();
                // A server that is stopping responds at once; do not poll it in a tight loop.
                backoff.wait().await;
            }
            Err(Error::Refused(problem)) if problem.code == "unknown_ask" => {
                let why = format!("askbridge does not know the question {id}, or no longer");
                return Err(Failure::new(why).hint("was it asked with another token? does askbridge run on another data folder now? see ASKBRIDGE_DATA"));
            }
            Err(error) if error.passes() => {
                if !told {
                    tell("lost the connection to askbridge; the question is kept, and so is the wait for its answer");
                    told = true;
                }
                backoff.wait().await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
