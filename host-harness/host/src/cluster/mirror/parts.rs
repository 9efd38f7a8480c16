//! The picture of the cluster in parts, for an instance that loads the cluster while the session continues.

use lictor_contract::{Event, InterPodId, NodeId, PodId, ShapeId, TopologyId};

use super::Mirror;

/// The bytes of text, and the numbers of a list, that take as long to send as one pod.
const BYTES_PER_POD: usize = 256;
const NUMBERS_PER_POD: usize = 64;

/// The position up to which an instance has received the picture, in the order of [`Mirror::replay`]; inclusive.
///
/// An instance receives changes before this position when they happen. It receives changes after this position together with their part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReplayPosition {
    Nothing,
    /// The resources and the clock.
    Beginning,
    Node(NodeId),
    Shape(ShapeId),
    Topology(TopologyId),
    InterPod(InterPodId),
    /// Group, kind, namespace and name.
    Object(Box<[String; 4]>),
    Pod(PodId),
    All,
}

/// A part of the picture.
#[derive(Debug)]
pub(crate) struct ReplayChunk {
    pub(crate) events: Vec<Event>,
    /// The position where the part ends.
    pub(crate) end: ReplayPosition,
    /// The size of the part: about the number of pods that take as long to send.
    pub(crate) weight: usize,
}

impl ReplayPosition {
    /// Returns the position of the object of an event. `None`: the event is about a plan, which has no position.
    pub(crate) fn of(event: &Event) -> Option<ReplayPosition> {
        let object = |group: &String, kind: &String, namespace: &String, name: &String| {
            ReplayPosition::Object(Box::new([group.clone(), kind.clone(), namespace.clone(), name.clone()]))
        };
        Some(match event {
            Event::Resources(_) | Event::Clock(_) => ReplayPosition::Beginning,
            Event::NodeUpserted(node) => ReplayPosition::Node(node.id),
            Event::NodeRemoved(node) => ReplayPosition::Node(*node),
            Event::Eligibility(eligibility) => ReplayPosition::Shape(eligibility.shape),
            Event::Topology(topology) => ReplayPosition::Topology(topology.id),
            Event::InterPod(inter_pod) => ReplayPosition::InterPod(inter_pod.id),
            Event::ObjectUpserted(it) => object(&it.group, &it.kind, &it.namespace, &it.name),
            Event::ObjectRemoved(it) => object(&it.group, &it.kind, &it.namespace, &it.name),
            Event::PodUpserted(pod) => ReplayPosition::Pod(pod.id),
            Event::PodStatus(status) => ReplayPosition::Pod(status.id),
            Event::PodRemoved(pod) => ReplayPosition::Pod(*pod),
            Event::PlanAccepted(_) | Event::PlanRefused(_) => return None,
        })
    }

    /// Returns the first number of a kind that was not reached. The kind begins at `first`; `own` is the number where this position is in the kind.
    fn next(&self, first: &ReplayPosition, own: Option<u32>) -> u32 {
        match own {
            Some(own) => own.saturating_add(1),
            None if self < first => 0,
            None => u32::MAX,
        }
    }
}

impl Mirror {
    /// Returns the next part of the picture after this position, of about this weight. Drain the changes before: the part includes them.
    pub(crate) fn replay_chunk(&self, from: &ReplayPosition, most: usize) -> ReplayChunk {
        let mut part = ReplayChunk { events: Vec::new(), end: from.clone(), weight: 0 };
        if *from == ReplayPosition::Nothing {
            part.events = vec![Event::Resources(self.resources.announced(0)), Event::Clock(self.clock.now)];
            part.end = ReplayPosition::Beginning;
        }
        for event in self.events_after(from) {
            part.weight = part.weight.saturating_add(weight(&event));
            part.end = ReplayPosition::of(&event).unwrap_or(part.end);
            part.events.push(event);
            if part.weight >= most {
                return part;
            }
        }
        part.end = ReplayPosition::All;
        part
    }

    /// Returns the events after a position, in the order of [`Mirror::replay`].
    fn events_after(&self, from: &ReplayPosition) -> impl Iterator<Item = Event> {
        let number = |first: ReplayPosition, own: Option<u32>| from.next(&first, own);
        let [mut node, mut shape, mut topology, mut inter_pod, mut pod] = [None; 5];
        match from {
            ReplayPosition::Node(id) => node = Some(*id),
            ReplayPosition::Shape(id) => shape = Some(*id),
            ReplayPosition::Topology(id) => topology = Some(*id),
            ReplayPosition::InterPod(id) => inter_pod = Some(*id),
            ReplayPosition::Pod(id) => pod = Some(*id),
            _ => {}
        }
        let object = match from {
            ReplayPosition::Object(key) => Some(key.as_ref()),
            _ => None,
        };
        let objects = *from < ReplayPosition::Pod(0);
        let nodes = self.nodes.from(number(ReplayPosition::Node(0), node)).map(|entry| entry.record.clone());
        let shapes = self.shared.shapes.from(number(ReplayPosition::Shape(0), shape));
        let topology = number(ReplayPosition::Topology(0), topology);
        let inter_pods = self.inter_pods.from(topology, number(ReplayPosition::InterPod(0), inter_pod));
        let objects = objects.then(|| self.objects.after(object)).into_iter().flatten();
        let pods = self.pods.from(number(ReplayPosition::Pod(0), pod)).map(|entry| entry.record.clone());
        let nodes = nodes.map(Event::NodeUpserted).chain(shapes.map(Event::Eligibility)).chain(inter_pods);
        nodes.chain(objects.map(Event::ObjectUpserted)).chain(pods.map(Event::PodUpserted))
    }
}

/// Computes the weight of an event: about the number of pods that take as long to send.
fn weight(event: &Event) -> usize {
    let more = match event {
        Event::ObjectUpserted(object) => object.json.len().checked_div(BYTES_PER_POD),
        Event::Eligibility(eligibility) => eligibility.nodes.len().checked_div(NUMBERS_PER_POD),
        Event::Topology(topology) => topology.domains.len().checked_div(NUMBERS_PER_POD),
        Event::InterPod(inter_pod) => {
            let numbers = inter_pod.spread.iter().map(|spread| spread.nodes.len()).sum::<usize>();
            numbers.saturating_add(inter_pod.selected_by.len()).checked_div(NUMBERS_PER_POD)
        }
        _ => None,
    };
    more.unwrap_or(0).saturating_add(1)
}
