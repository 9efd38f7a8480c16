//! Deadlines of requests. A request past its deadline is given up: it is unknown whether the API server has carried it out.

use std::future::Future;
use std::time::Duration;

use kube::Error;
use tokio::time::timeout;

/// The deadline of a request of a command: an API server answers within 60 s or not at all (`--request-timeout` of kube-apiserver), and a webhook
/// within 30 s.
pub const COMMAND: Duration = Duration::from_secs(60);

/// The deadline of a report (an event, a condition or a status), of a question about rights, and of a request for the policy in the cluster.
pub const REPORT: Duration = Duration::from_secs(60);

/// The deadline for loading or storing a checkpoint, whatever number of requests that takes: the session waits meanwhile.
pub const CHECKPOINT: Duration = Duration::from_secs(10);

/// The deadline of a connection on which nothing arrives. Lists and watches have no other deadline; the API server ends each watch after 290 s.
pub const SILENCE: Duration = Duration::from_secs(300);

/// A request that was not answered in time.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} s", .0.as_secs())]
pub struct DeadlineExceeded(pub Duration);

/// Waits for the answer to a request, at most for `limit`.
///
/// # Errors
/// Those of the request; [`DeadlineExceeded`], as a failure of the connection.
pub async fn within<T>(limit: Duration, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(limit, request).await.unwrap_or_else(|_| Err(Error::Service(Box::new(DeadlineExceeded(limit)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::LeaseTimings;

    #[test]
    fn the_manual_names_the_deadlines() {
        let manual = include_str!("../README.md");
        let lease = LeaseTimings::default().renew.checked_div(2).unwrap();
        for limit in [COMMAND, REPORT, CHECKPOINT, SILENCE, lease] {
            let seconds = format!("| {} s |", limit.as_secs());
            assert!(manual.lines().any(|line| line.starts_with("| ") && line.contains(&seconds)), "{seconds}");
        }
    }
}
