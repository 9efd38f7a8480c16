//! The extension points of the plugin (`points.go`, `reserved.go`, `fresh.go`; PreEnqueue of `keys.go`).

use std::collections::BTreeMap;

use crate::message::{RequestBody, RetryConditions};
use crate::wire::kind;

use super::cycle::NodeSnapshot;
use super::hints::{NODE_UPSERTED, POD_REMOVED};
use super::play::SchedulerSimulation;
use super::plugin::{PlanRequest, Reservation};
use super::queue::Rejectors;
use super::talk::RequestError;
use super::tasks::TimedTask;
use super::world::{Object, SECOND, name_of, nominated, text, uid_of};

/// The longest wait that kube-scheduler allows at Permit.
const LONGEST_WAIT: i64 = 15 * 60 * SECOND;
/// How long to wait before all keys are requested anew.
const REFRESH_DELAY: i64 = SECOND / 20;

/// The answers in the cycle of a pod.
#[derive(Debug, Default)]
pub(super) struct PluginCycleState {
    codes: Vec<u8>,
    numbers: BTreeMap<String, u32>,
    message: String,
    is_final: bool,
    is_void: bool,
}

impl PluginCycleState {
    /// Returns whether the policy takes a node. No codes: all nodes take the pod.
    pub(super) fn takes(&self, node: &str) -> bool {
        let number = self.numbers.get(node).and_then(|number| usize::try_from(*number).ok());
        self.codes.is_empty() || number.and_then(|number| self.codes.get(number)) == Some(&0)
    }
}

/// A result of PreFilter.
#[derive(Debug)]
pub(super) enum PreFilterResult {
    Pass,
    Refused(String),
    Error(String),
}

/// A result of PostFilter.
#[derive(Debug)]
pub(super) struct PostFilterResult {
    /// The node to which the pod is nominated, none where the pod loses it; `None`: it stays as it is.
    pub(super) nominated: Option<String>,
    pub(super) message: String,
}

impl PostFilterResult {
    fn none(message: &str) -> PostFilterResult {
        PostFilterResult { nominated: None, message: message.to_owned() }
    }
}

fn of(pod: &Object) -> RequestBody {
    RequestBody { pod: name_of(pod), ..RequestBody::default() }
}

impl SchedulerSimulation<'_> {
    /// Returns the status where there is no answer: true where it is an error.
    fn failed(&mut self, pod: &Object, asked: u64, fail: RequestError) -> (bool, String) {
        match fail {
            RequestError::NoHost => {
                let woken = self.plugin.hints.host_unavailable(pod, asked);
                self.activate(woken);
                (false, "the policy host is not there; the pod waits for it".to_owned())
            }
            RequestError::Other(why) => (true, why),
        }
    }

    pub(super) fn pre_filter(&mut self, cycle: &mut PluginCycleState, pod: &Object) -> PreFilterResult {
        let uid = uid_of(pod);
        cycle.is_final = true;
        if !self.feed_ensure(pod) {
            return PreFilterResult::Refused("lictor: the pod is gone".to_owned());
        }
        for victim in self.plugin.hints.victims_of(uid) {
            if !self.is_known(&victim) {
                self.feed_removed(&victim);
            }
        }
        let asked = self.plugin.hints.count;
        let (head, codes) = match self.request(kind::PRE_FILTER_AND_FILTER, &of(pod)) {
            Ok(answer) => answer,
            Err(fail) => {
                return match self.failed(pod, asked, fail) {
                    (true, why) => PreFilterResult::Error(why),
                    (false, why) => PreFilterResult::Refused(why),
                };
            }
        };
        let is_final = head.verdict == "final";
        *cycle = PluginCycleState {
            codes: codes[..codes.len() - head.scores].to_vec(),
            numbers: self.plugin.numbers.clone(),
            message: head.message.clone(),
            is_final,
            is_void: is_final,
        };
        if head.verdict == "pass" {
            self.plugin.hints.passed(uid);
            return PreFilterResult::Pass;
        }
        let woken = self.plugin.hints.refused(pod, &head.again, asked);
        self.activate(woken);
        PreFilterResult::Refused(head.message)
    }

    pub(super) fn post_filter(
        &mut self,
        cycle: &PluginCycleState,
        snapshot: &NodeSnapshot,
        pod: &Object,
    ) -> PostFilterResult {
        if cycle.is_final {
            return PostFilterResult { nominated: cycle.is_void.then(String::new), message: String::new() };
        }
        if self.is_snapshot_stale(snapshot, pod) {
            let room = RetryConditions {
                after: [POD_REMOVED, NODE_UPSERTED].map(str::to_owned).into(),
                ..RetryConditions::default()
            };
            let woken = self.plugin.hints.merge(pod, &room, self.plugin.hints.count);
            self.activate(woken);
            return PostFilterResult::none("lictor: a pod has left or a node has come since the nodes were looked at");
        }
        let asked = self.plugin.hints.count;
        if !self.feed_ensure(pod) {
            return PostFilterResult::none("lictor: the pod is gone");
        }
        self.plugin.plan_request = Some(PlanRequest { pod: name_of(pod), ..PlanRequest::default() });
        let answer = self.request(kind::POST_FILTER, &of(pod));
        let plan = self.plugin.plan_request.take().unwrap_or_default();
        let head = match answer {
            Ok((head, _)) => head,
            Err(fail) => return PostFilterResult::none(&self.failed(pod, asked, fail).1),
        };
        if head.verdict != "planned" {
            let woken = self.plugin.hints.merge(pod, &head.again, asked);
            self.activate(woken);
            // A pod that was promised a node keeps it, unless the node is gone.
            let is_void = !nominated(pod).is_empty() && !snapshot.nodes.contains_key(nominated(pod));
            let message = if cycle.message == head.message { String::new() } else { head.message };
            return PostFilterResult { nominated: is_void.then(String::new), message };
        }
        let informers = &self.informers;
        let is_there = |victim: &lictor_host::session::ObjectRef| {
            informers.pod(&victim.pod_name()).is_some_and(|pod| uid_of(pod) == victim.uid)
        };
        self.plugin.hints.planned(pod, plan.on_its_node(), plan.all(), is_there);
        PostFilterResult { nominated: Some(head.node), message: head.message }
    }

    /// Returns whether the host knows of room for a pod that the snapshot of this scheduling cycle does not show.
    fn is_snapshot_stale(&mut self, snapshot: &NodeSnapshot, pod: &Object) -> bool {
        let (feed, victims, name) = (&mut self.plugin.feed, &self.plugin.victims, name_of(pod));
        let mut is_ahead = false;
        feed.removed_pods.retain(|uid, node| {
            let holds = snapshot.pods.get(node).is_some_and(|pods| pods.iter().any(|it| uid_of(it) == uid));
            let holds = holds && snapshot.nodes.contains_key(node);
            is_ahead |= holds && victims.is_capacity_for(uid, &name);
            holds
        });
        let objects = &feed.objects;
        feed.new_nodes
            .retain(|node| !snapshot.nodes.contains_key(node) && objects.contains_key(&format!("Node/{node}")));
        is_ahead || !feed.new_nodes.is_empty()
    }

    pub(super) fn reserve(&mut self, pod: &Object, node: &str) -> Result<(), String> {
        let (uid, node) = (uid_of(pod).to_owned(), node.to_owned());
        let (waiting, bind, marks, wake) = (false, 0, Vec::new(), None);
        let held = Reservation { uid, node: node.clone(), waiting, bind, marks, wake };
        self.plugin.reserved.insert(name_of(pod), held);
        let asked = self.plugin.hints.count;
        let said = self.send_request(kind::RESERVE, &RequestBody { node, ..of(pod) });
        said.map(drop).map_err(|fail| self.failed(pod, asked, fail).1)
    }

    /// Asks whether a pod may be bound: at once, or after it has waited.
    pub(super) fn permit(&mut self, pod: &Object) -> Result<Option<i64>, (Rejectors, String)> {
        let asked = self.plugin.hints.count;
        let head = match self.request(kind::PERMIT, &of(pod)) {
            Ok((head, _)) => head,
            Err(fail) => {
                let (is_error, why) = self.failed(pod, asked, fail);
                return Err((if is_error { Rejectors::default() } else { Rejectors::LICTOR }, why));
            }
        };
        match head.verdict.as_str() {
            "allow" => Ok(None),
            "wait" => {
                match self.plugin.reserved.get_mut(&name_of(pod)) {
                    Some(held) if held.bind == 0 => held.waiting = true,
                    Some(_) => return Ok(None),
                    None => {}
                }
                let woken = self.plugin.hints.waits(pod);
                self.activate(woken);
                Ok(Some(head.wait.min(LONGEST_WAIT)))
            }
            _ => {
                let woken = self.plugin.hints.refused(pod, &head.again, asked);
                self.activate(woken);
                Err((Rejectors::LICTOR, head.message))
            }
        }
    }

    pub(super) fn unreserve(&mut self, pod: &Object) {
        let name = name_of(pod);
        let Some(waited) =
            self.plugin.reserved.get(&name).filter(|held| held.uid == uid_of(pod)).map(|held| held.waiting)
        else {
            return;
        };
        self.plugin.reserved.remove(&name);
        let is_there = self.informers.pod(&name).is_some_and(|now| uid_of(now) == uid_of(pod));
        if waited && is_there {
            self.plugin.hints.record_release(pod);
        }
        self.plugin.drop_command(uid_of(pod), "bind");
        self.feed_resend(pod);
        let _unheard = self.request(kind::UNRESERVE, &of(pod));
    }

    /// Requests the key of a pod before the pod enters the queue.
    pub(super) fn pre_enqueue(&mut self, pod: &Object) {
        let (name, version) = (name_of(pod), text(pod, "/metadata/resourceVersion"));
        if self.plugin.connection.is_none() || !self.plugin.keys.needs_key(&name, version) {
            return;
        }
        self.feed_ensure(pod);
        let Ok((head, _)) =
            self.request(kind::QUEUE_KEYS, &RequestBody { pods: vec![name.clone()], ..RequestBody::default() })
        else {
            return;
        };
        let mut void = self.plugin.keys.store(head.epoch, head.keys);
        if !void.is_empty() {
            void.push(name);
            self.tasks.add(self.api_server.now + REFRESH_DELAY, TimedTask::Refresh(void));
        }
    }

    /// Requests all keys anew: they have another epoch.
    pub(super) fn refresh(&mut self, mut pods: Vec<String>) {
        pods.sort();
        pods.dedup();
        let head = self
            .request(kind::QUEUE_KEYS, &RequestBody { pods, ..RequestBody::default() })
            .map(|(head, _)| head)
            .unwrap_or_default();
        self.plugin.keys.refreshed(head.epoch, head.keys);
    }
}
