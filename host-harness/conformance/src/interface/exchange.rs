//! One question to a policy and what it said, with what it knew of the cluster then.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_contract::*;

/// A call that a host makes in a cycle.
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
    /// Returns the export that answers the call.
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

/// The answer of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallReply {
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
    /// The policy refused to answer, with an error of the contract.
    Refused(PolicyError),
    /// The policy broke.
    Broke(String),
}

/// A pod in the form that the policy received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReceivedPod {
    /// The name: `namespace/name`, or `kind number/namespace/name` of an object that is placed like a pod.
    pub(super) name: String,
    /// Whether the pod still exists.
    pub(super) exists: bool,
    /// The index of the last event about the pod, counted from the first event of the instance.
    pub(super) changed: u64,
}

/// The objects that the policy has received, as far as answers are checked against them.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedObjects {
    pub(super) pods: BTreeMap<PodId, ReceivedPod>,
    pub(super) nodes: BTreeMap<NodeId, String>,
    pub(super) resources: Vec<String>,
    /// The number of node numbers that were given, including those of deleted nodes.
    pub(super) node_numbers: usize,
    events: u64,
}

impl ReceivedObjects {
    /// Applies an event.
    pub(super) fn apply(&mut self, event: &Event) {
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
                self.pods.insert(pod.id, ReceivedPod { name, exists: true, changed });
            }
            Event::PodStatus(PodStatus { id, .. }) => {
                self.pods.entry(*id).and_modify(|pod| pod.changed = changed);
            }
            Event::PodRemoved(id) => {
                self.pods.entry(*id).and_modify(|pod| pod.exists = false);
            }
            _ => {}
        }
    }

    /// Returns the name of a pod, also of a deleted one; its number where the pod is unknown.
    pub(super) fn pod(&self, pod: PodId) -> String {
        self.pods.get(&pod).map_or_else(|| format!("pod number {pod}"), |known| known.name.clone())
    }

    /// Returns the name of a node; its number where the node does not exist.
    pub(super) fn node(&self, node: NodeId) -> String {
        self.nodes.get(&node).cloned().unwrap_or_else(|| format!("node number {node}"))
    }

    /// Returns the name of a resource; its number where the resource is unknown.
    pub(super) fn resource(&self, resource: ResourceId) -> String {
        let known = usize::try_from(resource).ok().and_then(|index| self.resources.get(index));
        known.cloned().unwrap_or_else(|| format!("resource number {resource}"))
    }
}

/// A call, the answer, and the state that the policy knew.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) call: Call,
    pub(super) reply: CallReply,
    /// The objects that the policy had received before the call.
    pub(super) received: Arc<ReceivedObjects>,
    /// The index of the instance that answered, counted from the first.
    pub(super) instance: usize,
}

impl Exchange {
    /// Returns the reasons in the answer.
    pub(super) fn reasons(&self) -> Vec<&Reason> {
        match &self.reply {
            CallReply::PreFiltered(PreFiltered {
                admission: Admission::Refused(why) | Admission::Final(why), ..
            }) => {
                vec![why]
            }
            CallReply::Verdicts(verdicts) => verdicts.obstacles.iter().map(|obstacle| &obstacle.reason).collect(),
            CallReply::PostFiltered(answer) => {
                answer.plan.iter().map(|plan| &plan.reason).chain([&answer.reason]).collect()
            }
            CallReply::Permitted(answer) => match &answer.permission {
                Permission::Reject(why) => vec![why],
                Permission::Wait(_) => vec![&answer.reason],
                Permission::Allow => Vec::new(),
            },
            CallReply::Actions(actions) => actions.plans.reasons.iter().collect(),
            CallReply::Enforced(enforced) => enforced.enforcements.iter().map(|it| &it.reason).collect(),
            CallReply::Standings(lists) => lists.iter().flatten().filter_map(|threat| threat.spared.as_ref()).collect(),
            CallReply::Notes(notes) => notes.iter().map(|note| &note.reason).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the retry hint of the answer. `None`: this kind of answer has none.
    pub(super) fn retry(&self) -> Option<&Retry> {
        match &self.reply {
            CallReply::PreFiltered(answer) => Some(&answer.retry),
            CallReply::PostFiltered(answer) => Some(&answer.retry),
            CallReply::Permitted(answer) => Some(&answer.retry),
            CallReply::Actions(answer) => Some(&answer.retry),
            CallReply::Enforced(answer) => Some(&answer.retry),
            _ => None,
        }
    }

    /// Returns the effects of the answer on other pods. `None`: this kind of answer has none.
    pub(super) fn effects(&self) -> Option<&Effects> {
        match &self.reply {
            CallReply::PreFiltered(answer) => Some(&answer.effects),
            CallReply::PostFiltered(answer) => Some(&answer.effects),
            CallReply::Permitted(answer) => Some(&answer.effects),
            CallReply::Effects(effects) => Some(effects),
            _ => None,
        }
    }

    /// Returns the numbers of the plans in the answer.
    pub(super) fn plans(&self) -> Vec<u64> {
        match &self.reply {
            CallReply::PostFiltered(answer) => answer.plan.iter().map(|plan| plan.id).collect(),
            CallReply::Actions(actions) => actions.plans.slices.iter().map(|plan| plan.id).collect(),
            CallReply::Enforced(enforced) => enforced.enforcements.iter().map(|it| it.id).collect(),
            _ => Vec::new(),
        }
    }
}
