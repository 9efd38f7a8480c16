//! When pods are bound, by watches that cost the API server little.

use std::time::Instant;

use futures::{StreamExt, TryStreamExt};
use kube::Api;
use kube::api::{WatchEvent, WatchParams};
use kube::core::DynamicObject;

/// From the first change of one of these pods until so many are bound, in seconds.
pub async fn seconds_until_bound(pods: &Api<DynamicObject>, count: u32, begin: impl AsyncFnOnce()) -> f64 {
    let mine = || WatchParams::default().timeout(290);
    // From now on: a list at this moment says which version that is.
    let now = pods.list_metadata(&kube::api::ListParams::default().limit(1)).await.unwrap();
    let version = now.metadata.resource_version.unwrap();
    let mut changes = pods.watch_metadata(&mine(), &version).await.unwrap().boxed();
    let mut bound = pods.watch_metadata(&mine().fields("spec.nodeName!="), &version).await.unwrap().boxed();
    begin().await;
    changes.try_next().await.unwrap().unwrap();
    let begun = Instant::now();
    drop(changes);
    let mut left = count;
    while left > 0 {
        match bound.try_next().await.unwrap() {
            Some(WatchEvent::Added(_)) => left -= 1,
            Some(WatchEvent::Error(error)) => panic!("{error:?}"),
            Some(_) => {}
            None => panic!("{left} of {count} pods are not bound after 290 s"),
        }
    }
    begun.elapsed().as_secs_f64()
}
