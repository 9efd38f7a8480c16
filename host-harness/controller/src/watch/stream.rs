//! One watch for each kind, which never gives up.

use std::time::Duration;

use futures::StreamExt;
use kube::api::{Api, ApiResource, DynamicObject};
use kube::discovery;
use kube::error::DiscoveryError;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Error};
use serde_json::Value;
use tracing::{debug, warn};

use super::{Kind, Seen};

/// How long to wait after an error: at first, and at most.
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(5);

/// How often to look whether the cluster has a kind now that it did not have.
const LOOK: Duration = Duration::from_secs(2);

/// Follows the objects of a kind until nobody listens any more. `tell` answers false then.
///
/// Where the cluster has no such kind, it is looked for again and again: a CustomResourceDefinition may come later.
pub async fn follow(client: Client, kind: Kind, tell: impl Fn(Seen) -> bool) {
    let mut pause = FIRST;
    loop {
        match resource_of(&client, &kind).await {
            Ok(Some(resource)) => {
                if !watch(&client, &resource, &kind, &tell).await {
                    return;
                }
                pause = FIRST;
            }
            Ok(None) => {
                if !tell(Seen::Absent) {
                    return;
                }
                tokio::time::sleep(LOOK).await;
            }
            Err(error) => {
                warn!(%kind, %error, "the API server does not say whether it has this kind");
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(LAST);
            }
        }
    }
}

/// The most stable version of a kind; none where the cluster does not have it.
///
/// # Errors
/// The API server does not answer.
pub async fn resource_of(client: &Client, kind: &Kind) -> Result<Option<ApiResource>, Error> {
    let group = match discovery::group(client, &kind.group).await {
        Ok(group) => group,
        Err(Error::Discovery(DiscoveryError::MissingApiGroup(_) | DiscoveryError::EmptyApiGroup(_))) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let known = group.resources_by_stability().into_iter().map(|(resource, _)| resource);
    Ok(known.into_iter().find(|resource| resource.kind == kind.kind))
}

/// Watches until nobody listens any more (false) or the kind is not there any more (true).
async fn watch(client: &Client, resource: &ApiResource, kind: &Kind, tell: &impl Fn(Seen) -> bool) -> bool {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), resource);
    let mut events = watcher(api, watcher::Config::default()).boxed();
    let mut pause = FIRST;
    while let Some(event) = events.next().await {
        let seen = match event {
            Ok(Event::Init) => Some(Seen::Listing),
            Ok(Event::InitApply(object) | Event::Apply(object)) => whole(object, resource).map(Seen::There),
            Ok(Event::InitDone) => Some(Seen::Complete),
            Ok(Event::Delete(object)) => whole(object, resource).map(Seen::Gone),
            Err(error) => {
                if is_gone(&error) {
                    return tell(Seen::Absent);
                }
                debug!(%kind, %error, "the watch was interrupted");
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(LAST);
                continue;
            }
        };
        pause = FIRST;
        if seen.is_some_and(|seen| !tell(seen)) {
            return false;
        }
    }
    true
}

/// Whether the API server does not know the kind any more.
fn is_gone(error: &watcher::Error) -> bool {
    matches!(error, watcher::Error::InitialListFailed(Error::Api(status)) if status.code == 404)
}

/// The object with its kind, which items of lists do not name.
fn whole(mut object: DynamicObject, resource: &ApiResource) -> Option<Value> {
    object.metadata.managed_fields = None;
    object.types = None;
    let mut value = serde_json::to_value(object).ok()?;
    let fields = value.as_object_mut()?;
    fields.insert("apiVersion".to_owned(), resource.api_version.clone().into());
    fields.insert("kind".to_owned(), resource.kind.clone().into());
    Some(value)
}
