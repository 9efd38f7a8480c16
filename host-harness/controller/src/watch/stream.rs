//! One watch for each kind, which never gives up.

use std::fmt::Display;
use std::time::{Duration, Instant};

use futures::StreamExt;
use kube::api::{Api, ApiResource, DynamicObject};
use kube::discovery;
use kube::error::DiscoveryError;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Error};
use serde_json::Value;
use tracing::debug;

use super::{GroupKind, WatchMessage};
use crate::ops::rights;
use crate::run::rivals::is_controller;

/// The pause after an error: at first, and at most.
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(30);

/// The time between two looks whether the cluster has a kind now.
const KIND_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Follows the objects of a kind until `tell` returns false, because no receiver is left.
///
/// Where the cluster has no such kind, it is looked for again and again: a CustomResourceDefinition may be added later.
pub async fn watch_kind(client: Client, kind: GroupKind, tell: impl Fn(WatchMessage) -> bool) {
    let mut failures = ReadFailures::new(kind.clone());
    loop {
        match resource_of(&client, &kind).await {
            Ok(Some(resource)) => {
                if !watch(&client, &resource, &mut failures, &tell).await {
                    return;
                }
            }
            Ok(None) => {
                if !tell(WatchMessage::KindMissing) {
                    return;
                }
                tokio::time::sleep(KIND_CHECK_INTERVAL).await;
            }
            Err(error) => {
                if !send_event(failures.failed(&error), &tell) {
                    return;
                }
                tokio::time::sleep(failures.pause()).await;
            }
        }
    }
}

/// Returns the most stable version of a kind. `None`: the cluster does not have the kind.
///
/// # Errors
/// The API server does not answer.
pub async fn resource_of(client: &Client, kind: &GroupKind) -> Result<Option<ApiResource>, Error> {
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

/// Watches until no receiver is left (false) or the kind is absent (true).
async fn watch(
    client: &Client,
    resource: &ApiResource,
    failures: &mut ReadFailures,
    tell: &impl Fn(WatchMessage) -> bool,
) -> bool {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), resource);
    let mut events = watcher(api, watcher::Config::default()).boxed();
    while let Some(event) = events.next().await {
        if let Ok(event) = &event
            && !send_event(failures.handle_event(event), tell)
        {
            return false;
        }
        let seen = match event {
            Ok(Event::Init) => Some(WatchMessage::ListStarted),
            Ok(Event::InitApply(object) | Event::Apply(object)) => {
                complete_json(object, resource).map(WatchMessage::Upserted)
            }
            Ok(Event::InitDone) => Some(WatchMessage::ListCompleted),
            Ok(Event::Delete(object)) => complete_json(object, resource).map(WatchMessage::Deleted),
            Err(error) => {
                if is_gone(&error) {
                    return tell(WatchMessage::KindMissing);
                }
                if !send_event(failures.failed(&error), tell) {
                    return false;
                }
                tokio::time::sleep(failures.pause()).await;
                // A kind that could not be watched is listed again: the end of a list shows that it can be read.
                if error.forbidden().is_some() && !error.is_list() {
                    return true;
                }
                continue;
            }
        };
        if seen.is_some_and(|seen| !tell(seen)) {
            return false;
        }
    }
    true
}

/// Passes a message on, if there is one. Returns false where no receiver is left.
fn send_event(seen: Option<WatchMessage>, tell: &impl Fn(WatchMessage) -> bool) -> bool {
    seen.is_none_or(tell)
}

/// Count of the failures in a row to read a kind.
#[derive(Debug)]
struct ReadFailures {
    kind: GroupKind,
    count: u32,
    /// When the last failure was.
    last: Option<Instant>,
    /// The last report; empty where the kind can be read.
    last_report: String,
}

/// The number of failures in a row after which they are reported: fewer mean a watch that was cut, or an API server that starts.
const REPORT_AFTER: u32 = 3;

/// The time without a failure after which the next one counts as the first again.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(120);

impl ReadFailures {
    fn new(kind: GroupKind) -> ReadFailures {
        ReadFailures { kind, count: 0, last: None, last_report: String::new() }
    }

    /// Counts a failure to read the kind. Returns a report, where its text is new.
    fn failed(&mut self, error: &(impl Display + ServerError)) -> Option<WatchMessage> {
        // A quiet watch sends nothing when the connection is restored.
        if self.last.replace(Instant::now()).is_some_and(|last| last.elapsed() > FORGOTTEN_AFTER) {
            self.count = 0;
        }
        self.count = self.count.saturating_add(1);
        debug!(kind = %self.kind, %error, "the objects of this kind could not be read");
        let why = match error.forbidden() {
            Some(message) => rights::missing(message),
            None if self.count >= REPORT_AFTER && error.is_list() => error.to_string(),
            None => return None,
        };
        (self.last_report != why).then(|| {
            self.last_report.clone_from(&why);
            WatchMessage::Unreadable(why)
        })
    }

    /// Takes an event of the watch. Only an event that cannot come before a failed list ends the failures: each list begins with [`Event::Init`], and
    /// its first page comes before its second one fails.
    fn handle_event(&mut self, event: &Event<DynamicObject>) -> Option<WatchMessage> {
        if matches!(event, Event::Init | Event::InitApply(_)) {
            return None;
        }
        self.count = 0;
        (!std::mem::take(&mut self.last_report).is_empty()).then(|| WatchMessage::Unreadable(String::new()))
    }

    /// Returns how long to wait until the next attempt, which doubles with each failure.
    fn pause(&self) -> Duration {
        let factor = 1_u32.checked_shl(self.count.saturating_sub(1)).unwrap_or(u32::MAX);
        FIRST.saturating_mul(factor).min(LAST)
    }
}

/// An error that may be an answer of the API server.
trait ServerError {
    /// Returns what the API server says, where it forbids the request.
    fn forbidden(&self) -> Option<&str>;
    /// Returns whether a list failed, or what comes before it: that ends when a list has ended.
    fn is_list(&self) -> bool;
}

impl ServerError for Error {
    fn forbidden(&self) -> Option<&str> {
        match self {
            Error::Api(status) if status.code == 403 => Some(&status.message),
            _ => None,
        }
    }

    fn is_list(&self) -> bool {
        true
    }
}

impl ServerError for watcher::Error {
    fn forbidden(&self) -> Option<&str> {
        match self {
            watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error) => error.forbidden(),
            watcher::Error::WatchError(status) if status.code == 403 => Some(&status.message),
            _ => None,
        }
    }

    fn is_list(&self) -> bool {
        matches!(self, watcher::Error::InitialListFailed(_))
    }
}

/// Returns whether an error means that the API server does not have the kind any more.
fn is_gone(error: &watcher::Error) -> bool {
    matches!(error, watcher::Error::InitialListFailed(Error::Api(status)) if status.code == 404)
}

/// Returns the object as JSON with its API version and kind, which items of lists do not name. Of the managed fields, which are larger than many a
/// pod, it has the names of our controllers and the times of their writes. `None`: the object cannot be written as JSON.
fn complete_json(mut object: DynamicObject, resource: &ApiResource) -> Option<Value> {
    let mut entries = object.metadata.managed_fields.take().unwrap_or_default();
    entries.retain(|entry| entry.manager.as_deref().is_some_and(is_controller));
    entries.iter_mut().for_each(|entry| entry.fields_v1 = None);
    object.metadata.managed_fields = Some(entries).filter(|entries| !entries.is_empty());
    object.types = None;
    let mut value = serde_json::to_value(object).ok()?;
    let fields = value.as_object_mut()?;
    fields.insert("apiVersion".to_owned(), resource.api_version.clone().into());
    fields.insert("kind".to_owned(), resource.kind.clone().into());
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbidden() -> watcher::Error {
        let message = r#"pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope"#;
        let status = serde_json::json!({"status": "Failure", "code": 403, "reason": "Forbidden", "message": message});
        watcher::Error::InitialListFailed(Error::Api(serde_json::from_value(status).unwrap()))
    }

    #[test]
    fn a_list_that_always_fails_is_tried_less_and_less_often_and_said_once() {
        let mut failures = ReadFailures::new(GroupKind::new("", "Pod"));
        let (mut pauses, mut said) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            // The watch reports so before each list.
            assert!(failures.handle_event(&Event::Init).is_none());
            said.extend(failures.failed(&forbidden()));
            pauses.push(failures.pause());
        }
        assert_eq!(pauses[..4], [100, 200, 400, 800].map(Duration::from_millis));
        assert_eq!(pauses[11], LAST);
        let [WatchMessage::Unreadable(why)] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!(why, "may not list pods: grant `list` on `pods`, as deploy/cluster-role.yaml does");
        assert!(
            matches!(failures.handle_event(&Event::InitDone), Some(WatchMessage::Unreadable(why)) if why.is_empty())
        );
        assert!(failures.handle_event(&Event::InitDone).is_none());
        assert_eq!((failures.count, failures.pause()), (0, FIRST));
    }

    #[test]
    fn of_managed_fields_the_writes_of_controllers_are_kept() {
        let entry = |manager: &str| {
            serde_json::json!({"manager": manager, "operation": "Update", "time": "2026-03-12T09:00:00Z",
                               "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}})
        };
        let pod = |managers: &[&str]| {
            let entries: Vec<Value> = managers.iter().map(|manager| entry(manager)).collect();
            let pod = serde_json::json!({"metadata": {"name": "a", "managedFields": entries}});
            let resource = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk("", "v1", "Pod"));
            complete_json(serde_json::from_value(pod).unwrap(), &resource).unwrap()
        };
        let kept = pod(&["kubelet", "lictor.dev/one"])["metadata"]["managedFields"].clone();
        assert_eq!((&kept[0]["manager"], &kept[0]["time"]), (&"lictor.dev/one".into(), &"2026-03-12T09:00:00Z".into()));
        assert!(kept.as_array().unwrap().len() == 1 && kept[0].get("fieldsV1").is_none(), "{kept}");
        assert!(pod(&["kubelet"])["metadata"].get("managedFields").is_none());
    }

    #[test]
    fn a_watch_that_is_cut_is_no_failure_of_the_installation() {
        let mut failures = ReadFailures::new(GroupKind::new("", "Pod"));
        let cut = || Error::Api(serde_json::from_value(serde_json::json!({"code": 500, "message": "busy"})).unwrap());
        assert!(failures.failed(&cut()).is_none() && failures.failed(&cut()).is_none());
        assert!(failures.failed(&cut()).is_some(), "one that stays is");
    }
}
