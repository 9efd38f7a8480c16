//! A process without any right: what it says, and how often.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::begin;
use crate::support::objects::{SOON, wait_for};
use crate::support::testbed::Testbed;

/// Counts the log lines of this process that are no debugging.
struct Lines(AtomicUsize);

static LINES: Lines = Lines(AtomicUsize::new(0));

impl tracing::Subscriber for &'static Lines {
    fn enabled(&self, about: &tracing::Metadata<'_>) -> bool {
        // As the command has it: the watches of the library say nothing, ours say what cannot be read.
        *about.level() <= tracing::Level::INFO && about.target().starts_with("lictor")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// So many log lines are written at most without any right: one for each kind that cannot be read and each right that is missing, and a few at
/// the start.
const FEW: usize = 30;

/// Starts a process without any right: it says once of each right that it is missing, is alive and not ready, and `/readyz` names the rights.
pub async fn without_a_right(testbed: &Testbed) {
    tracing::subscriber::set_global_default(&LINES).unwrap();
    let controller = begin("stranger", &testbed.ready.user.kubeconfig, false).await;
    let named = [
        "may not create pods/eviction",
        "may not patch pods",
        "Pod cannot be read: may not list pods",
        "Node cannot be read",
    ];
    let says = async || {
        let ready = controller.get("/readyz");
        (ready.starts_with("HTTP/1.1 503 ") && named.iter().all(|right| ready.contains(right))).then_some(ready)
    };
    let ready = wait_for("every right that is missing is named", SOON, says).await;
    assert!(ready.contains("deploy/cluster-role.yaml"), "what grants them: {ready}");
    // What is measured is a rate: there is nothing to wait for. Ten lists a second of each kind would be a thousand lines.
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    let lines = LINES.0.load(Ordering::SeqCst);
    eprintln!("{lines} log lines");
    assert!((1..=FEW).contains(&lines), "{lines} log lines");
    assert!(controller.get("/healthz").starts_with("HTTP/1.1 200 "), "a restart would not help");
    controller.stop.send_replace(true);
    controller.ended.await.unwrap();
}
