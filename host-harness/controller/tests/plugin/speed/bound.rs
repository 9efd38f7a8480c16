//! When pods are bound, by watches that cost the API server little.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use kube::Api;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::DynamicObject;

/// So long may a workload take.
const PATIENCE: Duration = Duration::from_secs(290);

/// Measures the time from the first change of one of these pods until so many are bound, in seconds.
pub async fn seconds_until_bound(pods: &Api<DynamicObject>, count: usize, begin: impl AsyncFnOnce()) -> f64 {
    let all = WatchParams::default().timeout(290);
    let is_bound = all.clone().fields("spec.nodeName!=");
    // From now on: a list at this moment says which version that is. The API server may answer a watch only when there is something to tell.
    let now = pods.list_metadata(&ListParams::default().limit(1)).await.unwrap();
    let version = now.metadata.resource_version.unwrap();
    begin().await;
    let changed = nth(pods, &all, &version, 1);
    let bound = nth(pods, &is_bound, &version, count);
    let (changed, bound) = tokio::join!(changed, bound);
    bound.duration_since(changed).as_secs_f64()
}

/// Returns when so many pods have been added or changed since this version. Where the API server ends a watch, such as for a slow client, another
/// watch continues after the last event.
async fn nth(pods: &Api<DynamicObject>, which: &WatchParams, version: &str, count: usize) -> Instant {
    let (began, mut version, mut came) = (Instant::now(), version.to_owned(), BTreeSet::new());
    while began.elapsed() < PATIENCE {
        let mut watch = pods.watch_metadata(which, &version).await.unwrap().boxed();
        while let Some(event) = watch.try_next().await.unwrap() {
            match event {
                WatchEvent::Added(pod) | WatchEvent::Modified(pod) => {
                    version = pod.metadata.resource_version.unwrap();
                    came.insert(pod.metadata.name);
                }
                WatchEvent::Error(error) => panic!("{error:?}"),
                WatchEvent::Deleted(_) | WatchEvent::Bookmark(_) => {}
            }
            if came.len() == count {
                return Instant::now();
            }
        }
    }
    panic!("{} of {count} pods after {PATIENCE:?}", came.len())
}
