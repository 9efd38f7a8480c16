//! An observer that sees to it, during a whole test, that no node is overcommitted, no pod misplaced, none bound or evicted twice.
//!
//! It watches pods and nodes as raw objects and reads the audit log of the API server. It knows nothing of the policy, the host or the
//! controller, and asks none of them.

pub mod audit;
pub mod books;
mod placement;
mod quantity;
mod requests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use futures::StreamExt;
use kube::Client;
use kube::api::ListParams;
use kube::core::DynamicObject;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::objects::{api, wait_for};
use super::testbed::Testbed;
pub use audit::Eviction;
use books::Books;
pub use books::{Moment, What};

/// How long it may take until the observer has seen all that there is.
const CATCH_UP: Duration = Duration::from_secs(20);

/// Watches a cluster until it is finished with.
pub struct Observer {
    client: Client,
    books: Arc<Mutex<Books>>,
    tasks: Vec<JoinHandle<()>>,
    audit: PathBuf,
    /// How many evictions there had been before.
    before: usize,
}

impl Observer {
    /// Begins to watch, and returns once it knows what is there.
    pub async fn start(testbed: &Testbed) -> Self {
        let (client, audit) = (testbed.admin().await, testbed.ready.audit.clone());
        let books = Arc::<Mutex<Books>>::default();
        let tasks = ["Pod", "Node"].map(|kind| tokio::spawn(watch(client.clone(), kind, Arc::clone(&books)))).into();
        let observer = Self { client, books, tasks, before: audit::read(&audit).len(), audit };
        observer.catch_up().await;
        observer
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }

    /// Waits until all pods have been seen as they are now.
    pub async fn catch_up(&self) {
        let list = wait_for("a list of all pods", CATCH_UP, async || {
            api(&self.client, "v1", "Pod", "").list(&ListParams::default()).await.ok()
        });
        let text = |text: Option<String>| text.unwrap_or_default();
        let versions = |pod: DynamicObject| (text(pod.metadata.uid), text(pod.metadata.resource_version));
        let expected: BTreeMap<String, String> = list.await.items.into_iter().map(versions).collect();
        // What has gone or changed since is fine, too.
        let number = |version: &String| version.parse::<u64>().unwrap_or(0);
        wait_for("the observer has seen all pods", CATCH_UP, async || {
            let seen = self.books().versions();
            let gone = |uid: &String| {
                self.books().moments.iter().any(|moment| moment.what == What::Gone && moment.uid == *uid)
            };
            let mut all = expected.iter();
            let is_seen = |(uid, version): (&String, &String)| {
                seen.get(uid).map_or_else(|| gone(uid), |at| number(at) >= number(version))
            };
            all.all(is_seen).then_some(())
        })
        .await;
    }

    /// Returns what has happened to the pods so far.
    pub fn moments(&self) -> Vec<Moment> {
        self.books().moments.clone()
    }

    /// Returns when this first happened to a pod, named with its namespace. `None`: it has not happened.
    pub fn when(&self, pod: &str, what: What) -> Option<Instant> {
        self.books().moments.iter().find(|moment| moment.what == what && moment.pod == pod).map(|moment| moment.at)
    }

    /// Returns the evictions that the API server has accepted since the observer began.
    pub fn evictions(&self) -> Vec<Eviction> {
        audit::read(&self.audit).split_off(self.before)
    }

    /// Returns what has been wrong so far.
    pub async fn violations(&self) -> Vec<String> {
        self.catch_up().await;
        let mut violations = self.books().violations.clone();
        violations.extend(audit::evicted_twice(&self.evictions()));
        violations
    }

    /// Ends the watch.
    ///
    /// # Panics
    ///
    /// Where anything was wrong at any time.
    pub async fn finish(self) {
        self.catch_up().await;
        self.books().close();
        let violations = self.violations().await;
        assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Tells the books all that happens to the objects of a kind. A watch that ends begins anew, with a list.
async fn watch(client: Client, kind: &'static str, books: Arc<Mutex<Books>>) {
    let events = watcher(api(&client, "v1", kind, ""), watcher::Config::default()).default_backoff();
    let mut events = pin!(events);
    let mut listed = Vec::new();
    while let Some(event) = events.next().await {
        let (mut books, now) = (books.lock().unwrap(), Instant::now());
        let raw = |object: DynamicObject| -> Value { serde_json::to_value(object).unwrap() };
        match event {
            Ok(Event::Init) => listed.clear(),
            Ok(Event::InitApply(object)) => listed.push(raw(object)),
            Ok(Event::InitDone) if kind == "Pod" => books.all_pods(std::mem::take(&mut listed), now),
            Ok(Event::InitDone) => books.all_nodes(std::mem::take(&mut listed), now),
            Ok(Event::Apply(object)) if kind == "Pod" => books.pod(raw(object), now),
            Ok(Event::Apply(object)) => books.node(raw(object), now),
            Ok(Event::Delete(object)) if kind == "Pod" => books.pod_gone(&raw(object), now),
            Ok(Event::Delete(object)) => books.node_gone(&object.metadata.name.unwrap_or_default(), now),
            // The watch continues: an API server may be away for a while.
            Err(_) => {}
        }
    }
}
