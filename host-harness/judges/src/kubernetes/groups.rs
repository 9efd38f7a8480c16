//! PodGroups: kube-scheduler decides about a group in one cycle, the policy pod by pod. A round of attempts for the pods of a group, one
//! after the other, is compared with that cycle.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{PodGroupDecision, PodGroupOutcome, PodGroupResponse};
use super::departures::{LEAVING, PRIORITY, with_priorities_of_groups};
use crate::departure::{AttemptComparison, UpstreamDeparture};
use crate::object::{is_constrained, is_rejected_early, is_terminating, list, name, pods, text, texts};
use crate::question::JudgeRequest;
use crate::trial::{JudgeClient, TrialError, UpstreamDifference};

/// The ruling about scheduling gates. The cluster is read with it where upstream does not try the group without.
pub(super) const GATED: UpstreamDeparture = UpstreamDeparture {
    id: "K76",
    upstream: "does not try a group of which one pod has scheduling gates",
    policy: "tries the other pods of the group, where these are enough for it to start",
};

/// A round of attempts for the pods of one group.
pub(crate) struct PodGroupRound {
    /// The group, `namespace/name`.
    group: String,
    /// The cluster before the first of them.
    question: JudgeRequest,
    /// Whether it is read without the pods of the group that have scheduling gates.
    without_gated: bool,
    upstream: PodGroupDecision,
    /// The decision of upstream where the pods of other groups have the priority of their group; none where they have it already.
    with_priorities: Option<PodGroupDecision>,
    bound: BTreeSet<String>,
    victims: BTreeSet<String>,
    /// The pods that wait at Permit, and those that are nominated, after the last attempt.
    waiting: BTreeSet<String>,
    nominated: BTreeSet<String>,
    /// The pods that were tried, or turned away.
    tried: BTreeSet<String>,
    /// The reason of each attempt. That a pod is turned away, because its group had failed in a round of the policy that is not over, is none.
    reasons: Vec<String>,
}

impl PodGroupRound {
    /// Begins the round of the group of a pod; none where upstream does not try the group, or pods of it wait at Permit already.
    ///
    /// # Errors
    /// The judge has no answer.
    pub(crate) fn begin(
        group: String,
        question: &JudgeRequest,
        ask: &mut JudgeClient<'_>,
    ) -> Result<Option<PodGroupRound>, TrialError> {
        if waits_at_permit(question, &group) {
            return Ok(None);
        }
        let mut question = question.with_waiting_bound();
        let mut answer: PodGroupResponse = ask.request(&question)?;
        let without_gated = answer.group.is_none() && take_out_gated(&mut question, &group);
        if without_gated {
            answer = ask.request(&question)?;
        }
        let mut read = question.clone();
        with_priorities_of_groups(&mut read, |other| other != group);
        let with_priorities = if read == question { None } else { ask.request::<PodGroupResponse>(&read)?.group };
        let none = BTreeSet::new;
        let (bound, victims, held, nominated, tried, reasons) = (none(), none(), none(), none(), none(), Vec::new());
        let round = |upstream| PodGroupRound {
            group,
            question,
            without_gated,
            upstream,
            with_priorities,
            bound,
            victims,
            waiting: held,
            nominated,
            tried,
            reasons,
        };
        Ok(answer.group.map(round))
    }

    /// Returns whether an attempt for a pod of this group belongs to the round.
    pub(crate) fn is_of(&self, group: &str) -> bool {
        self.group == group
    }

    /// Adds the outcome of an attempt for a pod.
    pub(crate) fn add(&mut self, pod: &str, outcome: &Value) {
        self.tried.insert(pod.to_owned());
        self.bound.extend(texts(outcome, "bound").into_keys());
        self.victims.extend(list(outcome, "victims"));
        self.waiting = list(outcome, "waiting").into_iter().collect();
        self.nominated = texts(outcome, "standing").into_keys().collect();
        self.reasons.extend((!is_rejected_early(outcome)).then(|| text(outcome, "/reason").to_owned()));
    }

    /// Ends the round.
    pub(crate) fn end(self) -> AttemptComparison {
        let is_nothing = self.bound.is_empty() && self.victims.is_empty();
        if self.is_like(&self.upstream) {
            return if self.without_gated && !is_nothing {
                AttemptComparison::Ruled(vec![GATED.id])
            } else {
                AttemptComparison::Same
            };
        }
        if self.with_priorities.as_ref().is_some_and(|upstream| self.is_like(upstream)) {
            return AttemptComparison::Ruled(vec![PRIORITY.id]);
        }
        let rulings: Vec<&'static str> =
            RULES.iter().filter(|rule| (rule.applies)(&self)).map(|rule| rule.departure.id).collect();
        if rulings.is_empty() && self.is_cut_short() {
            AttemptComparison::NotCompared("groups of which some pods wait at Permit and others were not tried")
        } else if rulings.is_empty() {
            AttemptComparison::Differs(self.difference())
        } else {
            AttemptComparison::Ruled(rulings)
        }
    }

    /// Returns whether the policy binds as many pods as upstream may, evicts where upstream does, and holds no nodes in vain.
    fn is_like(&self, upstream: &PodGroupDecision) -> bool {
        let counts: BTreeSet<usize> = upstream.outcomes.iter().map(|outcome| outcome.placed.len()).collect();
        let evicts: BTreeSet<bool> = upstream.outcomes.iter().map(|outcome| !outcome.victims.is_empty()).collect();
        counts.contains(&self.bound.len()) && evicts.contains(&!self.victims.is_empty()) && !self.waits_without_plan()
    }

    /// Returns whether nothing has come of the round yet: pods of the group wait at Permit for others that were not tried before the round ended.
    fn is_cut_short(&self) -> bool {
        let mut pending = self.members().filter(|pod| text(pod, "/spec/nodeName").is_empty() && !is_terminating(pod));
        self.bound.is_empty()
            && self.victims.is_empty()
            && self.members().any(|pod| self.waiting.contains(&name(pod)))
            && pending.any(|pod| !self.tried.contains(&name(pod)))
    }

    /// Returns whether pods of the group wait at Permit though all of it were tried and no plan is in flight: upstream binds a group or holds
    /// nothing.
    fn waits_without_plan(&self) -> bool {
        let is_tried = |pod: &&Value| text(pod, "/spec/nodeName").is_empty() && !is_terminating(pod);
        let pending = self.members().filter(is_tried).count();
        let names: BTreeSet<String> = self.members().map(name).collect();
        self.reasons.len() >= pending
            && self.waiting.intersection(&names).next().is_some()
            && self.nominated.is_disjoint(&names)
    }

    /// Returns the difference, with what both decide.
    fn difference(&self) -> UpstreamDifference {
        let PodGroupRound { group, bound, victims, waiting: held, reasons, upstream, .. } = self;
        let upstream: Vec<String> = upstream
            .outcomes
            .iter()
            .map(|PodGroupOutcome { placed, victims, nominated }| {
                format!("binds {placed:?}, evicts {victims:?} for {nominated:?}")
            })
            .collect();
        let text = format!(
            "group `{group}`: the policy binds {bound:?}, evicts {victims:?}, has {held:?} wait ({}); upstream {}",
            reasons.join(" | "),
            upstream.join(" or ")
        );
        UpstreamDifference { kind: "upstream/group", text }
    }
}

/// Returns whether pods of a group wait at Permit.
pub(super) fn waits_at_permit(question: &JudgeRequest, group: &str) -> bool {
    let mut of_it = pods(&question.objects).filter(|pod| group_of(pod).as_deref() == Some(group));
    of_it.any(|pod| question.waiting.contains_key(&name(pod)))
}

/// Takes the pods that have scheduling gates out of a group. Returns whether there are any.
pub(super) fn take_out_gated(question: &mut JudgeRequest, group: &str) -> bool {
    let has_gates =
        |pod: &Value| pod.pointer("/spec/schedulingGates").is_some() && group_of(pod).as_deref() == Some(group);
    let gated = question.objects.iter_mut().filter(|object| text(object, "/kind") == "Pod" && has_gates(object));
    let specs = gated.filter_map(|pod| pod.pointer_mut("/spec").and_then(Value::as_object_mut));
    specs.map(|spec| drop(spec.remove("schedulingGroup"))).count() > 0
}

/// Returns the PodGroup of a pod, `namespace/name`.
pub(crate) fn group_of(pod: &Value) -> Option<String> {
    let group = text(pod, "/spec/schedulingGroup/podGroupName");
    let namespace = pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default");
    (!group.is_empty()).then(|| format!("{namespace}/{group}"))
}

/// A ruling about groups, and its situation.
pub(super) struct PodGroupRuling {
    pub(super) departure: UpstreamDeparture,
    applies: fn(&PodGroupRound) -> bool,
}

/// The rulings about groups, in the order in which they are tried.
pub(super) const RULES: &[PodGroupRuling] = &[
    PodGroupRuling { departure: PRIORITY, applies: PodGroupRound::has_priorities_of_its_own },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K34",
            upstream: "places those pods of a group that name it as their scheduler",
            policy: "a group whose pods name different schedulers is not tried",
        },
        applies: PodGroupRound::has_schedulers,
    },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K21",
            upstream: "places a group by its topology only behind a gate that is off",
            policy: "a group that demands a topology is not tried",
        },
        applies: |round| round.demands_a_topology() && round.bound.is_empty() && round.victims.is_empty(),
    },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K17",
            upstream: "decides about all pods of a group at once, and evicts for those without a node in a later cycle",
            policy: "the pods are tried one by one: one without a node evicts when it is tried, though others may be bound",
        },
        applies: |round| !round.victims.is_empty() && round.upstream.outcomes.iter().any(PodGroupOutcome::starts),
    },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K69",
            upstream: "places the pods of a group in the order of the queue, and has no plan where one finds no node behind others",
            policy: "plans the pods with the fewest nodes and the largest first, and leaves them out where they take the room of others",
        },
        applies: PodGroupRound::has_different_requests,
    },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K63",
            upstream: "places the pods of a group one after the other, whatever their constraints demand of the ones before",
            policy: "in a plan, each pod leaves those before it allowed, and one that does not is left out",
        },
        applies: |round| round.members().any(is_constrained),
    },
    PodGroupRuling {
        departure: UpstreamDeparture {
            id: "K78",
            upstream: "reprieves every pod that it would evict for a group, where their constraints keep the group out, and evicts none",
            policy: "evicts those that keep the pods of the group out",
        },
        applies: PodGroupRound::gets_a_plan_without_victims,
    },
    PodGroupRuling { departure: LEAVING, applies: |round| pods(&round.question.objects).any(is_terminating) },
];

impl PodGroupRound {
    /// Returns the pods of the group.
    fn members(&self) -> impl Iterator<Item = &Value> {
        pods(&self.question.objects).filter(|pod| group_of(pod).as_ref() == Some(&self.group))
    }

    /// Returns whether a pod has another priority than the group.
    fn has_priorities_of_its_own(&self) -> bool {
        let is_it = |object: &&Value| text(object, "/kind") == "PodGroup" && name(object) == self.group;
        let of_group = self.question.objects.iter().find(is_it).and_then(|group| group.pointer("/spec/priority"));
        let priority = |object: Option<&Value>| object.and_then(Value::as_i64).unwrap_or(0);
        self.members().any(|pod| priority(pod.pointer("/spec/priority")) != priority(of_group))
    }

    /// Returns whether upstream finds no node for the group, and nominates its pods, though it evicts none and none is leaving; and the policy evicts a
    /// pod. This one, or a pod on a node that upstream nominates to, has constraints between pods.
    fn gets_a_plan_without_victims(&self) -> bool {
        let outcomes = &self.upstream.outcomes;
        let is_vain = |one: &PodGroupOutcome| !one.starts() && one.victims.is_empty() && !one.nominated.is_empty();
        let is_node = |node: &str| outcomes.iter().flat_map(|one| one.nominated.values()).any(|on| on == node);
        let is_near = |pod: &&Value| self.victims.contains(&name(pod)) || is_node(text(pod, "/spec/nodeName"));
        let has_plan = self.bound.is_empty() && !self.victims.is_empty();
        has_plan
            && outcomes.iter().all(is_vain)
            && !pods(&self.question.objects).any(is_terminating)
            && pods(&self.question.objects).filter(is_near).any(is_constrained)
    }

    /// Returns whether the group demands a topology.
    fn demands_a_topology(&self) -> bool {
        let is_it = |object: &&Value| text(object, "/kind") == "PodGroup" && name(object) == self.group;
        let mut groups = self.question.objects.iter().filter(is_it);
        groups.any(|group| group.pointer("/spec/schedulingConstraints/topology").is_some())
    }

    /// Returns whether the pods differ in what they request, or in the nodes that they may run on.
    fn has_different_requests(&self) -> bool {
        let demands = |pod: &Value| {
            let fields = ["/spec/containers", "/spec/nodeSelector", "/spec/affinity", "/spec/tolerations"];
            fields.map(|field| pod.pointer(field).map(Value::to_string))
        };
        self.members().map(demands).collect::<BTreeSet<_>>().len() > 1
    }

    /// Returns whether the pods name more than one scheduler.
    fn has_schedulers(&self) -> bool {
        let schedulers: BTreeSet<&str> = self.members().map(|pod| text(pod, "/spec/schedulerName")).collect();
        schedulers.len() > 1
    }
}
