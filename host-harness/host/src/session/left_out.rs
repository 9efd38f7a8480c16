//! Objects that the policy cannot count. It does not receive such pods, and receives such nodes without amounts, so that it can serve everything else.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::quantity::readable;
use lictor_contract::*;

use super::Session;
use crate::cluster::{MAX_AMOUNT, NO_NUMBER};

/// The objects that the policy cannot count, with the amounts that overflow. Other amounts are sent again.
#[derive(Debug, Default)]
pub(super) struct UncountableObjects {
    pods: BTreeMap<PodId, Vec<Amount>>,
    nodes: BTreeMap<NodeId, Vec<Amount>>,
    /// The reported pods: those with a request that no node can have.
    reported_pods: BTreeSet<PodId>,
    /// The reported nodes: those with more than the maximum amount.
    reported_nodes: BTreeSet<NodeId>,
}

impl UncountableObjects {
    /// Returns the number of objects.
    pub(super) fn len(&self) -> usize {
        self.pods.len().saturating_add(self.nodes.len())
    }

    /// Returns whether a pod is left out.
    pub(super) fn has_pod(&self, pod: PodId) -> bool {
        self.pods.contains_key(&pod)
    }

    /// Returns the event for the policy. `None`: the event is about a pod that is left out. A node that is left out is sent without amounts.
    fn filter_event(&mut self, event: Event) -> Option<Event> {
        match &event {
            Event::PodRemoved(pod) => drop(self.reported_pods.remove(pod)),
            Event::NodeRemoved(node) => drop(self.reported_nodes.remove(node)),
            _ => {}
        }
        match event {
            Event::PodUpserted(pod) if self.pods.get(&pod.id) == Some(&pod.template.requests) => None,
            Event::PodUpserted(pod) => {
                self.pods.remove(&pod.id);
                Some(Event::PodUpserted(pod))
            }
            Event::PodStatus(status) if self.pods.contains_key(&status.id) => None,
            Event::PodRemoved(pod) if self.pods.remove(&pod).is_some() => None,
            Event::NodeUpserted(node) if self.nodes.get(&node.id) == Some(&node.allocatable) => {
                Some(Event::NodeUpserted(Node { allocatable: Vec::new(), ..node }))
            }
            Event::NodeUpserted(node) => {
                self.nodes.remove(&node.id);
                Some(Event::NodeUpserted(node))
            }
            Event::NodeRemoved(node) => {
                self.nodes.remove(&node);
                Some(Event::NodeRemoved(node))
            }
            other => Some(other),
        }
    }
}

impl Session {
    /// Leaves out the object of an event that the policy could not count, and reports it. Does nothing where the event is about no pod and no node.
    pub(super) fn exclude_uncountable(&mut self, over: &Overflow) {
        let pod = self.mirror.pod_of_key(&over.object).and_then(|pod| self.mirror.pod(pod));
        let node = over.object.strip_prefix("Node/").and_then(|name| self.mirror.node(self.mirror.node_id(name)?));
        match (pod, node) {
            (Some(pod), _) => drop(self.instance.uncountable.pods.insert(pod.id, pod.template.requests.clone())),
            (None, Some(node)) => drop(self.instance.uncountable.nodes.insert(node.id, node.allocatable.clone())),
            (None, None) => return,
        }
        self.findings.extend([Finding {
            severity: Severity::Error,
            object: over.object.clone(),
            path: String::new(),
            message: format!("the sum of `{}` exceeds 64 bits; the policy decides without this object", over.resource),
            remedy: "correct the amounts".to_owned(),
        }]);
    }

    /// Returns the events without objects that the policy cannot count. Pods that are left out do not count as pending.
    pub(super) fn countable(&mut self, events: Vec<Event>) -> Vec<Event> {
        events.iter().for_each(|event| self.report_excessive_amounts(event));
        let events = events.into_iter().filter_map(|event| self.instance.uncountable.filter_event(event)).collect();
        self.occupancy.set_uncounted(self.instance.uncountable.pods.keys().copied());
        events
    }

    /// Reports once a pod with a request that no node can have, because of the amount or of the resource, or a node with more than the maximum amount.
    fn report_excessive_amounts(&mut self, event: &Event) {
        let UncountableObjects { reported_pods, reported_nodes, .. } = &mut self.instance.uncountable;
        let (object, amounts, least, (reported, id)) = match event {
            Event::PodUpserted(pod) => {
                let (kind, namespace) = self.mirror.kind_of(pod);
                let parts = [kind, namespace, &pod.name];
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                let object = parts.collect::<Vec<_>>().join("/");
                (object, &pod.template.requests, MAX_AMOUNT.saturating_add(1), (reported_pods, pod.id))
            }
            Event::NodeUpserted(node) => {
                (format!("Node/{}", node.name), &node.allocatable, MAX_AMOUNT, (reported_nodes, node.id))
            }
            _ => return,
        };
        let resources = self.mirror.resources();
        let named = |amount: &Amount| resources.get(amount.resource as usize).map_or("", |resource| &*resource.name);
        let is_reported = |amount: &&Amount| amount.value >= least || named(amount) == NO_NUMBER;
        let Some(amount) = amounts.iter().find(is_reported) else { return };
        let (resource, most) = (named(amount), readable(named(amount), MAX_AMOUNT));
        let (message, remedy) = match event {
            _ if resource == NO_NUMBER => (
                format!(
                    "requests a resource or a host port that no other object names, after pods have requested thousands \
                     of others: it counts as `{NO_NUMBER}`, and no node takes the pod"
                ),
                "correct the name of the resource or the port; if a node has the resource since, restart this program",
            ),
            Event::NodeUpserted(_) => (
                format!("has {most} of `{resource}` or more; it counts with {most}"),
                "correct the amount, if the node does not have so much",
            ),
            Event::PodUpserted(pod) if pod.node.is_some() => {
                (format!("holds more than {most} of `{resource}`, which no node has"), "request less")
            }
            _ => (
                format!("requests more than {most} of `{resource}`, which no node has: no node takes the pod"),
                "request less",
            ),
        };
        if reported.insert(id) {
            let (path, remedy) = (String::new(), remedy.to_owned());
            self.findings.extend([Finding { severity: Severity::Warning, object, path, message, remedy }]);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::UncountableObjects;
    use crate::session::testing::{Scripted, session};
    use crate::session::{FailureCause, SessionInput};
    use crate::verify::testing::{node, object, on, pod, with};

    /// Returns a policy that cannot count pods of more than 99 cores, nor nodes of more than 999.
    fn counting() -> Scripted {
        Scripted::deciding(&[]).counting(99_000, 999_000)
    }

    #[test]
    fn what_cannot_be_counted_is_left_out_and_everything_else_is_served() {
        let policy = counting();
        let mut session = session(&policy, [node("n1", 4)]);
        let objects = [pod("a", 1, 0), pod("huge", 100, 0), pod("b", 1, 0), node("n2", 1000), on("n1", pod("c", 1, 0))];
        let failed = session.apply(objects.map(object).to_vec()).unwrap_err();
        assert!(failed.to_string().contains("Node/n2"), "{failed}");
        // The other objects are sent to a new instance, and the node is sent without free capacity.
        session.serve(SessionInput::Clock(5)).unwrap();
        let said: Vec<_> = session.findings().iter().map(|finding| finding.object.clone()).collect();
        assert_eq!(said, ["Node/n2", "Pod/default/huge"]);
        assert_eq!(policy.received_count(), 3);
        assert_eq!(session.queue().unwrap(), ["default/a", "default/b"]);
        assert_eq!(session.try_pod("default/a").unwrap().node.as_deref(), Some("n2"), "the host can count the node");
        let error = session.try_pod("default/huge").unwrap_err();
        assert!(matches!(error, FailureCause::NotPending { .. }), "{error}");
        let restarts = || policy.log().iter().filter(|asked| *asked == "restart").count();
        let before = restarts();
        // The same amounts are not sent again, but others are.
        session.apply(vec![object(pod("huge", 100, 7))]).unwrap();
        assert_eq!((restarts(), session.queue().unwrap().len()), (before, 1));
        session.apply(vec![object(pod("huge", 2, 7))]).unwrap();
        assert_eq!(session.queue().unwrap(), ["default/huge", "default/b"]);
        assert!(session.remove("Pod/default/huge").unwrap());
        assert_eq!(restarts(), before);
    }

    #[test]
    fn a_pod_that_is_left_out_may_go() {
        let policy = counting();
        let mut session = session(&policy, [node("n1", 4)]);
        session.apply(vec![object(pod("huge", 100, 0))]).unwrap_err();
        assert!(session.remove("Pod/default/huge").unwrap());
        session.apply(vec![object(pod("huge", 1, 0))]).unwrap();
        assert_eq!(session.queue().unwrap(), ["default/huge"]);
        assert!(!policy.log().contains(&"removed default/huge".to_owned()));
    }

    #[test]
    fn a_resource_beyond_the_bound_of_names_is_reported_and_its_pod_waits() {
        let mut session = session(&Scripted::deciding(&[]), [node("n1", 4)]);
        let requests = "/spec/containers/0/resources/requests";
        let asks = |number: usize| object(with(pod("a", 1, 0), requests, &format!("example.com/{number}"), json!("1")));
        for number in 0..4096 {
            session.apply(vec![asks(number)]).unwrap();
        }
        assert_eq!(session.findings(), []);
        session.apply(vec![asks(4096)]).unwrap();
        let [finding] = session.findings() else { panic!("{:?}", session.findings()) };
        assert!(finding.object == "Pod/default/a" && finding.message.starts_with("requests a resource"), "{finding:?}");
        assert_eq!(session.queue().unwrap(), ["default/a"]);
    }

    #[test]
    fn a_request_that_no_node_can_have_is_reported_once() {
        let mut session = session(&Scripted::deciding(&[]), [node("n1", 4)]);
        let requests = "/spec/containers/0/resources/requests";
        let huge = |priority| object(with(pod("huge", 1, priority), requests, "memory", json!("50E")));
        let large = with(node("n2", 4), "/status/allocatable", "memory", json!("2Ei"));
        session.apply(vec![huge(0), object(large)]).unwrap();
        session.apply(vec![huge(7)]).unwrap();
        let said: Vec<_> = session.findings().iter().map(|found| (&*found.object, &*found.message)).collect();
        let node = "has 1Pi of `memory` or more; it counts with 1Pi";
        let pod = "requests more than 1Pi of `memory`, which no node has: no node takes the pod";
        assert_eq!(said, [("Node/n2", node), ("Pod/default/huge", pod)]);
        assert_eq!(session.queue().unwrap(), ["default/huge"]);
        // Nothing is kept of objects that are gone.
        assert!(session.remove("Pod/default/huge").unwrap() && session.remove("Node/n2").unwrap());
        let UncountableObjects { pods, nodes, reported_pods, reported_nodes } = &session.session().instance.uncountable;
        assert!(pods.is_empty() && nodes.is_empty() && reported_pods.is_empty() && reported_nodes.is_empty());
    }
}
