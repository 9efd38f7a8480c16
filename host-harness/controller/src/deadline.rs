//! How long requests may take. A request past its deadline is given up: it is not known whether the API server has carried it out.

use std::future::Future;
use std::time::Duration;

use kube::Error;
use tokio::time::timeout;

/// A request of a command: an API server answers within 60 s or not at all (`--request-timeout` of kube-apiserver), and a webhook within 30 s.
pub const COMMAND: Duration = Duration::from_secs(60);

/// A report, which is an event, a condition or a status, a question about rights, or a request about the policy that is wanted.
pub const REPORT: Duration = Duration::from_secs(60);

/// Loading or storing a checkpoint, whatever requests that takes: the session waits meanwhile.
pub const CHECKPOINT: Duration = Duration::from_secs(10);

/// A connection on which nothing arrives. Lists and watches have no other deadline; the API server ends each watch after 290 s.
pub const SILENCE: Duration = Duration::from_secs(300);

/// A request that was not answered in time.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} s", .0.as_secs())]
pub struct Late(pub Duration);

/// Waits for the answer to a request, at most so long.
///
/// # Errors
/// Those of the request; [`Late`], as a failure of the connection.
pub async fn within<T>(limit: Duration, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(limit, request).await.unwrap_or_else(|_| Err(Error::Service(Box::new(Late(limit)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Terms;

    #[test]
    fn the_manual_names_the_deadlines() {
        let manual = include_str!("../README.md");
        let lease = Terms::default().renew.checked_div(2).unwrap();
        for limit in [COMMAND, REPORT, CHECKPOINT, SILENCE, lease] {
            let seconds = format!("| {} s |", limit.as_secs());
            assert!(manual.lines().any(|line| line.starts_with("| ") && line.contains(&seconds)), "{seconds}");
        }
    }
}
