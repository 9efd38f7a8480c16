//! One question to a policy and what it said, with what it knew of the cluster then.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_contract::*;

/// A question that a host asks in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    QueueKeys(Vec<PodId>),
    PreFilter(PodId),
    Filter(PodId),
    PostFilter(Vec<PodId>, Refuted),
    Reserve(PodId, NodeId),
    Unreserve(PodId, ReleaseCause),
    Score(PodId, Vec<NodeId>),
    Permit(PodId),
    Act,
    Enforce,
    Queues,
    Memberships(Vec<PodId>),
    Marks(PodId, NodeId),
    Standings(Vec<PodId>),
    Notes(PodId),
}

impl Call {
    /// The export that answers it.
    pub(super) fn export(&self) -> &'static str {
        match self {
            Call::QueueKeys(_) => "queue.queue-keys",
            Call::PreFilter(_) => "placement.pre-filter",
            Call::Filter(_) => "placement.filter",
            Call::PostFilter(..) => "placement.post-filter",
            Call::Reserve(..) => "placement.reserve",
            Call::Unreserve(..) => "placement.unreserve",
            Call::Score(..) => "score.score",
            Call::Permit(_) => "permit.permit",
            Call::Act => "cycle.act",
            Call::Enforce => "enforce.enforce",
            Call::Queues => "account.queues",
            Call::Memberships(_) => "account.memberships",
            Call::Marks(..) => "marks.marks",
            Call::Standings(_) => "standing.standings",
            Call::Notes(_) => "explain.notes",
        }
    }
}

/// What a policy said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Keys(SortKeys),
    PreFiltered(PreFiltered),
    Verdicts(NodeVerdicts),
    PostFiltered(PostFiltered),
    Effects(Effects),
    Scores(Vec<i64>),
    Permitted(Permitted),
    Actions(Actions),
    Enforced(Enforced),
    Queues(Vec<QueueAccount>),
    Memberships(Vec<Membership>),
    Marks(Vec<Mark>),
    Standings(Vec<Vec<Threat>>),
    Notes(Vec<Note>),
    /// It said why it cannot answer.
    Refused(PolicyError),
    /// It broke.
    Broke(String),
}

/// A pod as the policy was told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownPod {
    /// `namespace/name`, or `kind number/namespace/name` of what is placed like a pod.
    pub(super) name: String,
    /// It is not gone.
    pub(super) there: bool,
    /// Which event, counted from the first, was the last about it.
    pub(super) changed: u64,
}

/// What the policy was told, as far as answers are held against it.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) pods: BTreeMap<PodId, KnownPod>,
    pub(super) nodes: BTreeMap<NodeId, String>,
    pub(super) resources: Vec<String>,
    /// How many numbers nodes had, also those that are gone.
    pub(super) node_numbers: usize,
    events: u64,
}

impl Known {
    /// Takes note of an event.
    pub(super) fn hear(&mut self, event: &Event) {
        self.events = self.events.saturating_add(1);
        let changed = self.events;
        match event {
            Event::Resources(resources) => self.resources.extend(resources.iter().map(|it| it.name.clone())),
            Event::NodeUpserted(node) => {
                let numbers = usize::try_from(node.id).unwrap_or(usize::MAX).saturating_add(1);
                self.node_numbers = self.node_numbers.max(numbers);
                self.nodes.insert(node.id, node.name.clone());
            }
            Event::NodeRemoved(node) => drop(self.nodes.remove(node)),
            Event::PodUpserted(pod) => {
                let kind = pod.kind.map(|kind| format!("kind {kind}/")).unwrap_or_default();
                let name = format!("{kind}{}/{}", pod.template.namespace, pod.name);
                self.pods.insert(pod.id, KnownPod { name, there: true, changed });
            }
            Event::PodStatus(PodStatus { id, .. }) => {
                self.pods.entry(*id).and_modify(|pod| pod.changed = changed);
            }
            Event::PodRemoved(id) => {
                self.pods.entry(*id).and_modify(|pod| pod.there = false);
            }
            _ => {}
        }
    }

    /// The name of a pod, also of one that is gone; its number where it never was.
    pub(super) fn pod(&self, pod: PodId) -> String {
        self.pods.get(&pod).map_or_else(|| format!("pod number {pod}"), |known| known.name.clone())
    }

    /// The name of a node.
    pub(super) fn node(&self, node: NodeId) -> String {
        self.nodes.get(&node).cloned().unwrap_or_else(|| format!("node number {node}"))
    }

    /// The name of a resource.
    pub(super) fn resource(&self, resource: ResourceId) -> String {
        let known = usize::try_from(resource).ok().and_then(|index| self.resources.get(index));
        known.cloned().unwrap_or_else(|| format!("resource number {resource}"))
    }
}

/// A question, the answer, and what was known then.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) call: Call,
    pub(super) said: Said,
    /// What the policy had been told before.
    pub(super) known: Arc<Known>,
    /// Which instance answered, counted from the first.
    pub(super) life: usize,
}

impl Exchange {
    /// The reasons in the answer.
    pub(super) fn reasons(&self) -> Vec<&Reason> {
        match &self.said {
            Said::PreFiltered(PreFiltered { admission: Admission::Refused(why) | Admission::Final(why), .. }) => {
                vec![why]
            }
            Said::Verdicts(verdicts) => verdicts.obstacles.iter().map(|obstacle| &obstacle.reason).collect(),
            Said::PostFiltered(answer) => answer.plan.iter().map(|plan| &plan.reason).chain([&answer.reason]).collect(),
            Said::Permitted(answer) => match &answer.permission {
                Permission::Reject(why) => vec![why],
                Permission::Wait(_) => vec![&answer.reason],
                Permission::Allow => Vec::new(),
            },
            Said::Actions(actions) => actions.plans.reasons.iter().collect(),
            Said::Enforced(enforced) => enforced.enforcements.iter().map(|it| &it.reason).collect(),
            Said::Standings(lists) => lists.iter().flatten().filter_map(|threat| threat.spared.as_ref()).collect(),
            Said::Notes(notes) => notes.iter().map(|note| &note.reason).collect(),
            _ => Vec::new(),
        }
    }

    /// When the answer says to ask again.
    pub(super) fn retry(&self) -> Option<&Retry> {
        match &self.said {
            Said::PreFiltered(answer) => Some(&answer.retry),
            Said::PostFiltered(answer) => Some(&answer.retry),
            Said::Permitted(answer) => Some(&answer.retry),
            Said::Actions(answer) => Some(&answer.retry),
            Said::Enforced(answer) => Some(&answer.retry),
            _ => None,
        }
    }

    /// What the answer means for others.
    pub(super) fn effects(&self) -> Option<&Effects> {
        match &self.said {
            Said::PreFiltered(answer) => Some(&answer.effects),
            Said::PostFiltered(answer) => Some(&answer.effects),
            Said::Permitted(answer) => Some(&answer.effects),
            Said::Effects(effects) => Some(effects),
            _ => None,
        }
    }

    /// The numbers of the plans in the answer.
    pub(super) fn plans(&self) -> Vec<u64> {
        match &self.said {
            Said::PostFiltered(answer) => answer.plan.iter().map(|plan| plan.id).collect(),
            Said::Actions(actions) => actions.plans.slices.iter().map(|plan| plan.id).collect(),
            Said::Enforced(enforced) => enforced.enforcements.iter().map(|it| it.id).collect(),
            _ => Vec::new(),
        }
    }
}
