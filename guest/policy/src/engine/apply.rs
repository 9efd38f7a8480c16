//! Events: the cluster as the host tells it.

use std::sync::Arc;

use crate::contract::{self, *};
use crate::model::{
    self, ClassIx, Cluster, InterPodIx, NodeIx, PodController, PodInfo, PodIx, PodKind, PodLocation, PodName,
    PodRequirements, PodState, PodTimes, ResourceIx, ResourceRequest, SelectorIx, ShapeIx, TopologyIx,
};
use crate::systems::{Findings, ParsedObject};

use super::Engine;

/// The largest gap between the count of announced items and a new number. A host gives out the next free number.
const MAX_NUMBER_GAP: usize = 1024;

impl Engine {
    /// Implements `core.apply`: applies events to the cluster, then updates what depends on all of them. Returns the findings on objects.
    pub fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        if self.system.is_none() {
            return Err(PolicyError::NotConfigured);
        }
        let mut findings = std::mem::take(&mut self.unreported);
        let applied = self.apply_all(events, &mut findings);
        self.cluster.rebuild_domain_counts();
        if let Some(system) = &mut self.system {
            system.sync_queues(&mut self.cluster, &mut findings);
        }
        self.recompute();
        self.plans_in_flight.drop_finished(&self.cluster);
        self.sweep();
        match applied {
            Ok(()) => Ok(Applied { findings }),
            Err(error) => {
                self.unreported = findings;
                Err(error)
            }
        }
    }

    /// Forgets the jobs, classes and names that are no longer in use.
    fn sweep(&mut self) {
        self.cluster.sweep_jobs();
        self.cluster.sweep_classes();
        if let (Some(system), Some(mut used)) = (&mut self.system, self.cluster.names_in_use()) {
            system.sweep_names(&self.cluster, &mut used);
            self.cluster.sweep_names(&used);
        }
    }

    /// Applies the events in their order, up to the first one that would overflow a sum or names an unannounced item. That event changes nothing.
    fn apply_all(&mut self, events: Vec<Event>, findings: &mut Findings) -> Result<(), PolicyError> {
        for (event, happened) in (0..).zip(events) {
            if let Some((what, number)) = unannounced(&self.cluster, &happened) {
                return Err(PolicyError::Unannounced(Unannounced { event, what: what.to_owned(), number }));
            }
            self.apply_event(happened, findings).map_err(|OverflowingEvent { object, overflow: over }| {
                let resource = self.cluster.resource_name(over.resource).to_owned();
                PolicyError::Overflow(Overflow { event, object, resource })
            })?;
        }
        Ok(())
    }

    fn apply_event(&mut self, event: Event, findings: &mut Findings) -> Result<(), OverflowingEvent> {
        if may_help_a_gang(&event) {
            self.cluster.record_change();
        }
        match event {
            Event::Resources(resources) => {
                for resource in resources {
                    self.cluster
                        .announce(resource.name, resource.everywhere)
                        .map_err(OverflowingEvent::of(String::new()))?;
                }
            }
            Event::NodeUpserted(node) => {
                let named = node.allocatable.iter().map(|amount| (ResourceIx(amount.resource), amount.value));
                let uncounted = OverflowingEvent::of(format!("Node/{}", node.name));
                self.cluster.upsert_node(NodeIx(node.id), node.name, named).map_err(uncounted)?;
            }
            Event::NodeRemoved(node) => self.cluster.remove_node(NodeIx(node)),
            Event::PodUpserted(pod) => self.upsert_pod(pod, findings)?,
            Event::PodStatus(status) => self.set_status(&status)?,
            Event::PodRemoved(pod) => {
                self.cluster.remove_pod(PodIx(pod));
                self.plans_in_flight.forget_pod(PodIx(pod));
                self.trace.forget_pod(PodIx(pod));
                if let Some(system) = &mut self.system {
                    system.forget_pod(PodIx(pod));
                }
            }
            Event::Eligibility(eligibility) => {
                self.cluster.set_eligible_nodes(ShapeIx(eligibility.shape), eligibility.nodes);
            }
            Event::Topology(Topology { id, key, domains }) => {
                self.cluster.set_topology(TopologyIx(id), model::TopologyDomains { key, domains });
            }
            Event::InterPod(told) => self.cluster.set_inter_pod(InterPodIx(told.id), inter_pod(told)),
            Event::ObjectUpserted(object) => {
                let system = self.system.as_mut().zip(ParsedObject::read(&object, findings));
                if let Some((system, document)) = system {
                    system.read_object(&mut self.cluster, &document, findings);
                }
            }
            Event::ObjectRemoved(key) => {
                if let Some(system) = &mut self.system {
                    system.remove_object(&mut self.cluster, &key);
                }
            }
            Event::Clock(now) => self.cluster.set_now(now),
            Event::PlanAccepted(plan) => {
                self.plans_in_flight.mark_accepted(plan);
                self.cluster.record_scaling(self.plans_in_flight.victims_of(plan));
                self.cluster.count_evictions(self.plans_in_flight.victims_of(plan));
            }
            Event::PlanRefused(plan) => self.plans_in_flight.remove(plan),
        }
        Ok(())
    }

    fn upsert_pod(&mut self, pod: contract::Pod, findings: &mut Findings) -> Result<(), OverflowingEvent> {
        let Some(system) = &mut self.system else { return Ok(()) };
        let amounts = pod.template.requests.iter().map(|amount| (ResourceIx(amount.resource), amount.value));
        let request = ResourceRequest::new(amounts.collect());
        self.cluster
            .can_count_request(PodIx(pod.id), &request)
            .map_err(|over| OverflowingEvent::of(object_name(&pod))(over))?;
        let attributes = system.read_pod(&mut self.cluster, &pod, findings);
        let kind = match pod.kind {
            None => PodKind::Pod,
            Some(_) => PodKind::Reservation,
        };
        let status = pod.status();
        let (namespace, namespace_id) = self.cluster.intern_shared(&pod.template.namespace);
        let mut entry = PodInfo {
            namespace: namespace_id,
            name: PodName { kind, namespace, name: pod.name.into() },
            uid: pod.uid,
            rank: 0,
            times: PodTimes { created: pod.created, entered: pod.entered, started: None, scheduled: None },
            requirements: PodRequirements {
                request,
                shape: ShapeIx(pod.shape),
                inter_pod: pod.inter_pod.map(InterPodIx),
                class: ClassIx(0),
                required_node: pod.required_node.map(NodeIx),
            },
            template: Arc::clone(&pod.template),
            controller: PodController::of(&pod.template),
            past_evictions: 0,
            state: PodState {
                location: PodLocation::Pending,
                nominated: None,
                terminating: false,
                preempted: false,
                foreign: pod.template.foreign,
                protected: pod.template.protected,
                gated: pod.gated,
            },
            attributes,
            queue: None,
        };
        apply_status(&mut entry, &status);
        entry.queue = system.queue_of(&self.cluster, &entry);
        entry.past_evictions = self.cluster.past_evictions(&entry);
        self.cluster.upsert_pod(PodIx(pod.id), entry).map_err(OverflowingEvent::of(String::new()))
    }

    /// Sets the parts of a pod that change while it lives. An unknown pod was left out when it was announced, and stays out.
    fn set_status(&mut self, status: &PodStatus) -> Result<(), OverflowingEvent> {
        let ix = PodIx(status.id);
        let Some((system, mut entry)) = self.system.as_mut().zip(self.cluster.pod(ix).cloned()) else { return Ok(()) };
        apply_status(&mut entry, status);
        system.read_pod_status(&self.cluster, status, &mut entry.attributes);
        entry.queue = system.queue_of(&self.cluster, &entry);
        self.cluster.upsert_pod(ix, entry).map_err(OverflowingEvent::of(String::new()))
    }
}

/// Returns whether a gang whose attempts have failed may be complete after an event. The model itself judges events about pods
/// and about the nodes that they may run on.
fn may_help_a_gang(event: &Event) -> bool {
    use Event::{Clock, Eligibility, PlanAccepted, PodRemoved, PodStatus, PodUpserted};
    !matches!(event, Clock(_) | Eligibility(_) | PlanAccepted(_) | PodRemoved(_) | PodStatus(_) | PodUpserted(_))
}

/// Writes what changes while a pod lives into the model's pod.
fn apply_status(entry: &mut PodInfo, status: &PodStatus) {
    entry.state.location = match (status.phase, status.node) {
        (Phase::Succeeded | Phase::Failed, _) => PodLocation::Finished,
        (_, Some(node)) => PodLocation::Bound(NodeIx(node)),
        (_, None) => PodLocation::Pending,
    };
    entry.state.nominated = status.nominated.map(NodeIx);
    (entry.state.terminating, entry.state.preempted) = (status.terminating, status.preempted);
    (entry.times.started, entry.times.scheduled) = (status.started, status.scheduled);
}

/// Converts the constraints between pods from the numbers of the contract into those of the model.
fn inter_pod(told: InterPod) -> model::InterPodConstraints {
    let term =
        |selector, topology| model::InterPodTerm { selector: SelectorIx(selector), topology: TopologyIx(topology) };
    model::InterPodConstraints {
        selected_by: told.selected_by.into_iter().map(SelectorIx).collect(),
        affinity: told.affinity.map(|affinity| model::Affinity {
            selector: SelectorIx(affinity.selector),
            topologies: affinity.topologies.into_iter().map(TopologyIx).collect(),
        }),
        anti_affinity: told.anti_affinity.into_iter().map(|one| term(one.selector, one.topology)).collect(),
        spread: told
            .spread
            .into_iter()
            .map(|one| model::SpreadConstraint {
                term: term(one.selector, one.topology),
                max_skew: one.max_skew,
                min_domains: one.min_domains,
                nodes: one.nodes,
            })
            .collect(),
    }
}

/// An upper bound of node numbers: more than a host gives out, however long it runs. Memory is allocated up to the highest number.
const MOST_NODES: usize = 1 << 20;

/// An upper bound of pod numbers: more than a host gives out.
const MOST_PODS: usize = 1 << 28;

/// Returns what an event names without an announcement: its kind and its number. `None`: the event names nothing unknown. The check comes first
/// because lists are indexed by these numbers, and one high number would allocate a list of that length.
fn unannounced(cluster: &Cluster, event: &Event) -> Option<(&'static str, u32)> {
    let (amounts, (what, number, most)) = match event {
        Event::NodeUpserted(node) => (&node.allocatable, ("node", node.id, MOST_NODES)),
        Event::PodUpserted(pod) => (&pod.template.requests, ("pod", pod.id, MOST_PODS)),
        Event::Eligibility(told) => return implausible_number("shape", told.shape, cluster.shape_count()),
        Event::Topology(told) => return implausible_number("topology", told.id, cluster.topology_count()),
        Event::InterPod(told) => return implausible_number("inter-pod", told.id, cluster.inter_pod_count()),
        _ => return None,
    };
    let known = u32::try_from(cluster.resource_count()).unwrap_or(u32::MAX);
    let highest = amounts.iter().map(|amount| amount.resource).max();
    let resource = highest.filter(|highest| *highest >= known).map(|highest| ("resource", highest));
    resource.or_else(|| (usize::try_from(number).unwrap_or(usize::MAX) >= most).then_some((what, number)))
}

/// Returns the kind and the number if the number is more than [`MAX_NUMBER_GAP`] beyond the count of items. `None`: the number is plausible, as numbers have no
/// holes.
fn implausible_number(what: &'static str, number: u32, count: usize) -> Option<(&'static str, u32)> {
    let most = count.saturating_add(MAX_NUMBER_GAP);
    usize::try_from(number).map_or(true, |number| number > most).then_some((what, number))
}

/// An event that would make a sum larger than 64 bits can count.
struct OverflowingEvent {
    object: String,
    overflow: model::SumOverflow,
}

impl OverflowingEvent {
    /// Returns a function that attributes an overflow to this object.
    fn of(object: String) -> impl FnOnce(model::SumOverflow) -> OverflowingEvent {
        |over| OverflowingEvent { object, overflow: over }
    }
}

/// Returns the name of a pod for a finding: `Pod/namespace/name`, or `Reservation/name`.
fn object_name(pod: &contract::Pod) -> String {
    match pod.kind {
        None => format!("Pod/{}/{}", pod.template.namespace, pod.name),
        Some(_) => format!("Reservation/{}", pod.name),
    }
}
