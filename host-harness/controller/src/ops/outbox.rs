//! The queue of reports until they are written, and the writing: events, conditions, statuses and marks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::Status;
use crate::report::{ApiWrite, ReportWriter, WriteError};

/// The number of reports that are written at a time: decisions come first.
const MAX_CONCURRENT_WRITES: usize = 4;

/// The number of reports that may wait. A slow API server must not cost memory without end; some 20 MB are as much as the pods of a small cluster.
const MAX_QUEUED: usize = 10_000;

/// How long the log does not repeat that the reports of a kind fail in the same way.
const LOG_INTERVAL: Duration = Duration::from_secs(300);

/// The sender of reports. Its copies fill the same queue.
#[derive(Debug, Clone)]
pub struct Outbox {
    queue: mpsc::Sender<ApiWrite>,
    status: Arc<Status>,
}

impl Outbox {
    /// Returns an outbox, and its receiving end. The status counts the reports that are lost because the queue is full.
    pub fn new(status: Arc<Status>) -> (Outbox, mpsc::Receiver<ApiWrite>) {
        let (queue, reports) = mpsc::channel(MAX_QUEUED);
        (Outbox { queue, status }, reports)
    }

    /// Puts a report into the queue. The report is lost where the queue is full; its content is reported again when it changes.
    pub fn send(&self, report: ApiWrite) {
        if let Err(mpsc::error::TrySendError::Full(report)) = self.queue.try_send(report) {
            self.status.metrics.report_lost(&report.resource.kind);
        }
    }
}

/// Returns an outbox whose reports a task writes while this process leads.
pub(super) fn writing(
    client: Client,
    tasks: &mut JoinSet<()>,
    leads: watch::Receiver<bool>,
    status: Arc<Status>,
) -> Outbox {
    let (outbox, reports) = Outbox::new(status.clone());
    tasks.spawn(write_all(ReportWriter::new(client).with_status(status.clone()), status, leads, reports));
    outbox
}

/// Writes reports while this process leads. Writes that are under way when it has lost the lead are given up.
async fn write_all(
    writer: ReportWriter,
    status: Arc<Status>,
    mut leads: watch::Receiver<bool>,
    mut reports: mpsc::Receiver<ApiWrite>,
) {
    let (mut under_way, mut failures) = (JoinSet::new(), LoggedFailures::default());
    loop {
        let report = tokio::select! {
            // Reports that arrive after the loss of the lead are not written.
            biased;
            changed = leads.changed() => match changed {
                Ok(()) if !*leads.borrow() => {
                    under_way.abort_all();
                    continue;
                }
                Ok(()) => continue,
                // The election has ended: the process ends.
                Err(_) => return,
            },
            Some(done) = under_way.join_next() => {
                if let Ok(Err(error)) = done {
                    failures.record(&error, &status);
                }
                continue;
            }
            report = reports.recv(), if under_way.len() < MAX_CONCURRENT_WRITES => match report {
                Some(report) => report,
                None => return,
            },
        };
        if !*leads.borrow() {
            // Another process reports now.
            continue;
        }
        let writer = writer.clone();
        under_way.spawn(async move { writer.write(&report).await });
    }
}

/// The failures that were logged, by kind and status code, each with the time.
#[derive(Debug, Default)]
struct LoggedFailures(BTreeMap<(String, u16), Instant>);

impl LoggedFailures {
    /// Counts a report that was not written, and logs it: as a warning, unless the same failure was logged in the last minutes.
    fn record(&mut self, error: &WriteError, status: &Status) {
        status.metrics.report_lost(error.kind());
        let is_new = self.is_new((error.kind().to_owned(), error.code()), Instant::now());
        let kind = error.kind();
        match is_new {
            true => warn!(kind, %error, "reports are not written: `lictor_reports_lost_total` counts them"),
            false => debug!(kind, %error, "a report was not written"),
        }
    }

    /// Returns whether a failure was not logged within [`LOG_INTERVAL`], and notes that it is logged now.
    fn is_new(&mut self, failure: (String, u16), now: Instant) -> bool {
        let known = self.0.get(&failure).is_some_and(|said| now.saturating_duration_since(*said) < LOG_INTERVAL);
        if !known {
            self.0.insert(failure, now);
        }
        !known
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::WriteOperation;
    use crate::testing::{serving, silent};

    fn report(name: &str) -> ApiWrite {
        let resource = kube::discovery::ApiResource::erase::<k8s_openapi::api::core::v1::Pod>(&());
        let (namespace, name) = (Some("default".to_owned()), name.to_owned());
        ApiWrite { resource, namespace, name, change: WriteOperation::Merge(Value::Null) }
    }

    /// Returns whether the metrics have this line.
    fn counts(status: &Status, line: &str) -> bool {
        status.metrics.text().unwrap().lines().any(|has| has == line)
    }

    #[tokio::test(start_paused = true)]
    async fn no_report_is_sent_or_stays_under_way_after_the_loss_of_the_lead() {
        let (client, server) = silent();
        let (lead, leads) = watch::channel(true);
        let status = Arc::new(Status::default());
        let (outbox, reports) = Outbox::new(status.clone());
        let writer = ReportWriter::new(client).with_status(status.clone());
        let all = tokio::spawn(write_all(writer, status.clone(), leads, reports));
        (0..3 * MAX_CONCURRENT_WRITES).for_each(|number| outbox.send(report(&number.to_string())));
        // Each write has a deadline: the first ones are given up, and the next ones are under way.
        tokio::time::sleep(crate::deadline::REPORT + Duration::from_secs(1)).await;
        lead.send_replace(false);
        outbox.send(report("late"));
        drop(outbox);
        all.await.unwrap();
        assert!(counts(
            &status,
            &format!("lictor_api_requests_total{{verb=\"patch\",code=\"0\"}} {MAX_CONCURRENT_WRITES}")
        ));
        assert!(counts(&status, &format!("lictor_reports_lost_total{{kind=\"Pod\"}} {MAX_CONCURRENT_WRITES}")));
        drop(server);
    }

    #[test]
    fn no_more_reports_wait_than_there_is_space_for() {
        let status = Arc::new(Status::default());
        let (outbox, mut reports) = Outbox::new(status.clone());
        (0..MAX_QUEUED + 7).for_each(|number| outbox.send(report(&number.to_string())));
        assert!(counts(&status, "lictor_reports_lost_total{kind=\"Pod\"} 7"));
        let waited: Vec<String> = std::iter::from_fn(|| reports.try_recv().ok()).map(|report| report.name).collect();
        assert_eq!(waited, (0..MAX_QUEUED).map(|number| number.to_string()).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn reports_that_are_refused_are_counted() {
        let forbidden =
            json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "message": "no"});
        let client = serving(move |_, _, _| (403, forbidden.clone()));
        let ((_lead, leads), status) = (watch::channel(true), Arc::new(Status::default()));
        let mut tasks = JoinSet::new();
        let outbox = writing(client, &mut tasks, leads, status.clone());
        (0..3).for_each(|number| outbox.send(report(&number.to_string())));
        let all_counted = async {
            while !counts(&status, "lictor_reports_lost_total{kind=\"Pod\"} 3") {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), all_counted).await.unwrap();
    }

    #[test]
    fn the_log_says_once_in_five_minutes_that_reports_of_a_kind_fail() {
        let (mut failures, now) = (LoggedFailures::default(), Instant::now());
        let mut is_new =
            |kind: &str, code, seconds| failures.is_new((kind.to_owned(), code), now + Duration::from_secs(seconds));
        assert!(is_new("Event", 403, 0) && is_new("Event", 500, 1) && is_new("Pod", 403, 1));
        assert!(!is_new("Event", 403, 299));
        assert!(is_new("Event", 403, 300) && !is_new("Event", 403, 301));
    }
}
