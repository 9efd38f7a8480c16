//! How a story stands in the cluster: when it has settled, and how it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::core::DynamicObject;
use lictor_host::session::EvictionMethod;
use serde_json::{Value, json};

use super::cluster::{PATIENCE, POLL, Stage};
use super::harness::End;
use super::hold::{SCHEDULER, pod_name, text};
use crate::support::objects::api;

/// So long nothing happens before it counts as settled.
const QUIET: Duration = Duration::from_millis(200);

impl Stage<'_, '_> {
    /// Waits until bound pods run, and kube-scheduler has tried in vain to ask about those that wait.
    pub(super) async fn begun(&self) {
        let began = Instant::now();
        let started = |pod: &&Value| !text(pod, "/status/startTime").is_empty();
        let mut stamped = false;
        while began.elapsed() < PATIENCE {
            let there = self.pods().await;
            let is_ready = |object: &Value| match there.get(&pod_name(object)) {
                Some(pod) if !text(pod, "/spec/nodeName").is_empty() => text(pod, "/status/phase") == "Running",
                Some(pod) => is_gated(pod) || text(pod, "/spec/schedulerName") != SCHEDULER || is_refused(pod),
                None => false,
            };
            let mine = || self.objects.iter().filter(|object| object["kind"] == "Pod");
            if mine().all(is_ready) {
                if stamped || mine().filter(started).count() == 0 {
                    return;
                }
                for pod in mine().filter(started) {
                    let patch = Patch::Merge(json!({"status": {"startTime": text(pod, "/status/startTime")}}));
                    let name = text(pod, "/metadata/name");
                    self.of(pod).patch_status(name, &PatchParams::default(), &patch).await.unwrap();
                }
                stamped = true;
            }
            tokio::time::sleep(POLL).await;
        }
        eprintln!("{}: not all pods are as they should be at the start", self.story.name);
    }

    /// Waits until all events have been sent, then lets the clock go on. No question arrives here that would do so.
    pub(super) async fn nobody_waits(&self) {
        let host = self.host.as_ref().unwrap();
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            tokio::time::sleep(POLL).await;
            if host.said(|said| said.last.is_some_and(|last| last.elapsed() > QUIET)) {
                break;
            }
        }
        host.go_on();
    }

    /// Returns all pods of the cluster, by name.
    pub(super) async fn pods(&self) -> BTreeMap<String, Value> {
        let all: Api<DynamicObject> = api(&self.player.world.admin, "v1", "Pod", "");
        let list = all.list(&ListParams::default()).await.unwrap().items;
        let values = list.into_iter().map(|pod| serde_json::to_value(pod).unwrap());
        values.map(|pod| (pod_name(&pod), pod)).collect()
    }

    pub(super) async fn settle(&self, wanted: &End, is_first: bool) -> End {
        let began = Instant::now();
        loop {
            tokio::time::sleep(POLL).await;
            let there = self.pods().await;
            let end = self.end(&there);
            let host = self.host.as_ref().unwrap();
            let all_tried = !is_first
                || there.values().all(|pod| {
                    let waits = text(pod, "/spec/nodeName").is_empty() && !is_gated(pod);
                    let ours = text(pod, "/spec/schedulerName") == SCHEDULER;
                    // Of a group it tries no more pods once it cannot start.
                    let alone = pod.pointer("/spec/schedulingGroup").is_none();
                    !(waits && ours && alone) || host.said(|said| said.tried.contains_key(&pod_name(pod)))
                });
            let last = host.said(|said| said.last).unwrap_or(began).max(began);
            let is_as_wanted = super::agrees(self.story, wanted, &end);
            if is_as_wanted && all_tried && last.elapsed() > QUIET {
                return end;
            }
            if began.elapsed() > PATIENCE {
                host.said(|said| {
                    eprintln!("{}: tried {:?}, plans {:?}", self.story.name, said.tried, said.happened.plans);
                    eprintln!("  failed {:?}, errors {:?}", said.happened.failed, said.errors);
                    eprintln!("  withdrawn {:?}", said.happened.withdrawn);
                    for attempt in &said.happened.attempts {
                        eprintln!("  {} {:?} {:?} {}", attempt.pod, attempt.result, attempt.node, attempt.message());
                    }
                });
                return end;
            }
        }
    }

    fn end(&self, there: &BTreeMap<String, Value>) -> End {
        let host = self.host.as_ref().unwrap();
        let (waiting, marked) = host.said(|said| {
            let soft = said.happened.victims.iter().filter(|(_, victim)| victim.how == EvictionMethod::Soft);
            (said.waiting.clone(), soft.map(|(pod, _)| pod.clone()).collect::<BTreeSet<_>>())
        });
        let mut end = End { waiting, victims: marked, ..End::default() };
        for object in self.objects.iter().filter(|object| object["kind"] == "Pod") {
            let name = pod_name(object);
            let was_leaving = object.pointer("/metadata/deletionTimestamp").is_some();
            let is_leaving = |pod: &Value| pod.pointer("/metadata/deletionTimestamp").is_some();
            match there.get(&name) {
                _ if was_leaving || end.victims.contains(&name) => {}
                Some(pod) if !is_leaving(pod) => {
                    let [node, nominated] = ["/spec/nodeName", "/status/nominatedNodeName"].map(|it| text(pod, it));
                    if !node.is_empty() {
                        end.bound.insert(name, node.to_owned());
                    } else if !nominated.is_empty() && !end.waiting.contains(&name) {
                        end.nominated.insert(name, nominated.to_owned());
                    }
                }
                _ => drop(end.victims.insert(name)),
            }
        }
        end
    }
}

pub(super) fn is_bound(object: &Value) -> bool {
    object["kind"] == "Pod" && !text(object, "/spec/nodeName").is_empty()
}

fn is_gated(pod: &Value) -> bool {
    pod.pointer("/spec/schedulingGates").and_then(Value::as_array).is_some_and(|gates| !gates.is_empty())
}

/// Returns whether kube-scheduler has reported that it cannot schedule the pod.
fn is_refused(pod: &Value) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    conditions.is_some_and(|all| all.iter().any(|it| it["type"] == "PodScheduled" && it["status"] == "False"))
}
