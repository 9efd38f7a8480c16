//! Rounds of gangs: each pod of a group of gangs is tried once, then the next round begins. A group that cannot be whole any more in its
//! round gives up what it holds, and its other pods are turned away until the next one (upstream Koordinator coscheduling/core;
//! kube-scheduler `schedule_one_podgroup.go`; proposal of January 2020, Pre-Filter 2). After a round that failed, the next one must begin when
//! something else than the group has changed, or five minutes later; before, the group may be turned away.

mod rearranged;

pub(super) use rearranged::released_cluster;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::outcome::{AttemptStatus, ReportedOutcome};
use crate::tally::StepFindings;
use crate::world::{ModelCluster, ModelPod};

/// After this time a group that failed is tried again, whatever has changed: 5 minutes, in seconds.
const RETRY_INTERVAL: i64 = 300;

/// A gang, when one pod of its group is tried.
#[derive(Debug, Clone)]
pub(super) struct GangProgress<'w> {
    /// All its pods.
    pub(super) pods: Vec<&'w ModelPod>,
    /// How many more places it lacks.
    pub(super) lacks: usize,
    /// How many pods it must get that are not on nodes yet. Where it lacks places, its pods that are on nodes count here by every match policy.
    pub(super) awaits: usize,
}

impl<'w> GangProgress<'w> {
    /// Returns a gang whose pods on nodes count whenever it lacks places.
    pub(super) fn lacking(lacks: usize, pods: Vec<&'w ModelPod>) -> GangProgress<'w> {
        GangProgress { pods, lacks, awaits: lacks }
    }
}

/// The rounds of all groups, by the name of the group.
#[derive(Debug, Default)]
pub(super) struct GroupRounds(BTreeMap<String, GroupRound>);

/// The round of a group.
#[derive(Debug, Default)]
struct GroupRound {
    /// The pods that the group had when one of them was tried last.
    known: BTreeSet<String>,
    tried: BTreeSet<String>,
    /// The pods of the group that held nodes then: a round that ends has tried them, whichever round gave them their nodes.
    held: BTreeSet<String>,
    is_over: bool,
    /// A pod of the group was tried and got neither a place nor a plan.
    has_failures: bool,
    /// What there was when a pod of it was tried last before it was over.
    fingerprint: ClusterFingerprint,
    /// What there was then is not known for sure.
    is_doubtful: bool,
}

/// The cluster as a group finds it.
#[derive(Debug, Default)]
struct ClusterFingerprint {
    now: i64,
    /// The nodes, and the objects that are no pods.
    objects: String,
    /// Where each pod is: its node, the node that it is promised, whether it is leaving or gated, and the node that it holds.
    pods: BTreeMap<String, (String, Option<String>)>,
}

impl ClusterFingerprint {
    /// Returns what a group of these pods finds now.
    fn of(world: &ModelCluster, own: &BTreeSet<String>) -> ClusterFingerprint {
        let place = |pod: &ModelPod| {
            let is_own = own.contains(&pod.name);
            let (promised, held) = if is_own { (None, None) } else { (pod.nominated.clone(), pod.held.clone()) };
            let place = (pod.node.clone(), promised, pod.leaving, pod.finished, pod.restrictions.gated, &pod.request);
            // A pod that has just come, and waits, is as good as none.
            let is_there = is_own || pod.occupied_node().is_some() || pod.nominated.is_some();
            is_there.then(|| (pod.name.clone(), (format!("{place:?}"), held)))
        };
        let objects = format!("{:?} {:?}", world.nodes, world.others);
        ClusterFingerprint { now: world.now, objects, pods: world.pods.values().filter_map(place).collect() }
    }

    /// Returns whether all is as it was, but for pods that hold a node at Permit now and did not then.
    fn is_same_as(&self, then: &ClusterFingerprint) -> bool {
        let has_come = |name: &String| !then.pods.contains_key(name);
        let is_held_only = |place: &(String, Option<String>)| place.1.is_some();
        let is_known = |(name, place): (&String, &(String, Option<String>))| has_come(name) && is_held_only(place);
        let is_there = |(name, (place, held)): (&String, &(String, Option<String>))| {
            self.pods.get(name).is_some_and(|(now, holds)| now == place && (held.is_none() || held == holds))
        };
        self.now < then.now.saturating_add(RETRY_INTERVAL)
            && self.objects == then.objects
            && then.pods.iter().all(is_there)
            && self.pods.iter().filter(|(name, _)| has_come(name)).all(is_known)
    }
}

/// The turn of a pod of a group.
#[derive(Debug, Clone)]
pub(super) struct GangTurn<'w> {
    group: String,
    gangs: Vec<GangProgress<'w>>,
    /// The group is over in this round: the pod is turned away.
    pub(super) is_over: bool,
    /// If the pod finds neither a place nor a plan, the group cannot be whole in this round.
    pub(super) is_last_chance: bool,
    /// The pod would hold a node in vain: even with a place for this pod the group cannot be whole, because another pod has failed in this
    /// round, or because a gang has too few pods that are on nodes or may be tried.
    pub(super) is_in_vain: bool,
    /// A pod of the group has failed in this round before.
    has_failures: bool,
}

impl GroupRounds {
    /// Returns whether the round of a group is over, and the next one need not begin yet. A pod that may be tried all the same, because its
    /// own gang does not fail together, begins no round then.
    pub(super) fn is_quiet(&self, world: &ModelCluster, group: &str, gangs: &[GangProgress<'_>]) -> bool {
        let names: BTreeSet<String> = gangs.iter().flat_map(|gang| &gang.pods).map(|pod| pod.name.clone()).collect();
        self.0
            .get(group)
            .is_some_and(|round| round.is_over && ClusterFingerprint::of(world, &names).is_same_as(&round.fingerprint))
    }

    /// Begins the turn of a pod. `fails_at_once`: a pod that got no place and no plan has failed, and its gang gives up all its places with it;
    /// otherwise [`GroupRounds::record_failure`] notes the failure at the end of the turn. `triggers`: an attempt for a pod may evict others.
    pub(super) fn turn<'w>(
        &mut self,
        (world, group, fails_at_once): (&ModelCluster, &str, bool),
        pod: &ModelPod,
        gangs: Vec<GangProgress<'w>>,
        outcome: &ReportedOutcome,
        triggers: impl Fn(&ModelPod) -> bool,
    ) -> GangTurn<'w> {
        let all = gangs.iter().flat_map(|gang| &gang.pods);
        let names: BTreeSet<String> = all.map(|pod| pod.name.clone()).collect();
        let round = self.0.entry(group.to_owned()).or_default();
        let held = gangs.iter().flat_map(|gang| &gang.pods).filter(|other| other.held.is_some());
        let held: BTreeSet<String> = held.map(|other| other.name.clone()).collect();
        let seen = ClusterFingerprint::of(world, &names);
        let is_same = round.is_doubtful || seen.is_same_as(&round.fingerprint);
        let may_be_turned_away = round.is_over && is_same && outcome.ended == Some(AttemptStatus::Rejected);
        if round.tried.contains(&pod.name) && !may_be_turned_away || !names.is_subset(&round.known) {
            *round = GroupRound::default();
        }
        if !round.is_over {
            round.fingerprint = seen;
        }
        (round.known, round.held) = (names, held);
        round.tried.insert(pod.name.clone());
        let fresh = |other: &ModelPod| other.pending() && !round.tried.contains(&other.name);
        let hopes =
            |other: &ModelPod| other.name != pod.name && other.pending() && (fresh(other) || other.nominated.is_some());
        let can_be_whole =
            |gang: &GangProgress<'_>| gang.pods.iter().filter(|other| hopes(other)).count() >= gang.lacks;
        let others = gangs.iter().flat_map(|gang| &gang.pods).any(|other| fresh(other) && triggers(other));
        let whole_with_it = |gang: &GangProgress<'_>| {
            gang.pods.iter().filter(|other| other.name == pod.name || hopes(other)).count() >= gang.lacks
        };
        // Pods that wait with scheduling gates or for another scheduler make no gang whole, in this round or a later one.
        let never_whole =
            |gang: &GangProgress<'_>| gang.pods.iter().filter(|other| other.pending()).count() < gang.awaits;
        let is_in_vain = round.has_failures && !gangs.iter().all(whole_with_it) || gangs.iter().any(never_whole);
        let has_failures = round.has_failures;
        round.has_failures |=
            fails_at_once && matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected));
        GangTurn {
            is_in_vain,
            has_failures,
            group: group.to_owned(),
            is_over: round.is_over,
            is_last_chance: !gangs.iter().all(can_be_whole) && (triggers(pod) || !others),
            gangs,
        }
    }

    /// Notes the cluster in which a pod of a group is judged, where it is another one than it found: pods that waited at Permit were rejected
    /// for its turn, so the group did not fail while they held nodes.
    pub(super) fn record_cluster(&mut self, world: &ModelCluster, group: &str) {
        if let Some(round) = self.0.get_mut(group).filter(|round| !round.is_over) {
            round.fingerprint = ClusterFingerprint::of(world, &round.known);
        }
    }

    /// Notes that it is not known for sure what a group finds in its round: whether the next one must begin is left open.
    pub(super) fn record_doubt(&mut self, group: &str) {
        if let Some(round) = self.0.get_mut(group) {
            round.is_doubtful = true;
        }
    }

    /// Notes that a pod of a group has failed whose gang gives up all its places with it.
    pub(super) fn record_failure(&mut self, group: &str) {
        self.0.entry(group.to_owned()).or_default().has_failures = true;
    }

    /// Returns whether a pod of a group was tried in its round.
    pub(super) fn was_tried(&self, group: &str, pod: &ModelPod) -> bool {
        self.0.get(group).is_some_and(|round| round.tried.contains(&pod.name))
    }

    /// Ends the round of a group, where a failed turn says so.
    pub(super) fn end(&mut self, group: Option<String>) {
        if let Some(round) = group.and_then(|group| self.0.get_mut(&group)) {
            round.is_over = true;
            round.tried.append(&mut round.held);
        }
    }

    /// Removes the round of a group, so that the next attempt for one of its pods begins a new round.
    pub(super) fn forget(&mut self, group: &str) {
        self.0.remove(group);
    }
}

/// Judges the attempt of a pod that fits a node and would hold it in vain: the attempt ends without a node, and changes nothing. PreFilter may have
/// turned the pod away already, where the last round of its group is over.
pub(super) fn holds_no_node(pod: &ModelPod, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    if !matches!(outcome.ended, Some(AttemptStatus::Unschedulable | AttemptStatus::Rejected)) || outcome.changes() {
        let text = format!("the group of `{}` cannot start, and it ended {:?}", pod.name, outcome.ended);
        verdict.breach_expecting("no-gang-holds-room-in-vain", text, json!({"result": "Unschedulable"}));
    }
}

/// Judges the turn of a pod whose group is over in this round.
pub(super) fn check_rejected(pod: &ModelPod, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
    if outcome.ended != Some(AttemptStatus::Rejected) || outcome.changes() {
        let text = format!("the group of `{}` is over in this round, and it ended {:?}", pod.name, outcome.ended);
        verdict.breach_expecting("gang-has-not-failed", text, json!({"result": "Rejected", "victims": []}));
    }
}

impl GangTurn<'_> {
    /// Returns the same turn as the last chance of its group.
    pub(super) fn at_last(self) -> Self {
        GangTurn { is_last_chance: true, ..self }
    }

    /// Returns the same turn as one that is not the last chance of its group: the pod waits for what it was promised.
    pub(super) fn not_yet(self) -> Self {
        GangTurn { is_last_chance: false, ..self }
    }

    /// Returns the turn of a pod whose own gang does not fail together. Its failure counts for the other gangs of the group where one of them has
    /// failed already and waits only for a pod that could evict others for it. Returns none otherwise.
    pub(super) fn for_others(self) -> Option<Self> {
        let is_last = self.has_failures && self.is_last_chance && !self.is_over;
        is_last.then_some(GangTurn { is_in_vain: false, ..self })
    }

    /// Returns the group.
    pub(super) fn group(&self) -> &str {
        &self.group
    }

    /// Returns the group whose round is over if the pod found neither a node nor a plan. `None`: the attempt is not the last chance of the round.
    pub(super) fn ends(&self) -> Option<String> {
        self.is_last_chance.then(|| self.group.clone())
    }

    /// Judges what the pods of the group hold after the turn of a pod that found neither a place nor a plan: nothing where the group cannot be
    /// whole any more, else what they held before.
    pub(super) fn after_failure(&self, pod: &ModelPod, outcome: &ReportedOutcome, verdict: &mut StepFindings) {
        let others = self.gangs.iter().flat_map(|gang| &gang.pods).filter(|other| other.name != pod.name);
        for other in others {
            let text = |held: &str| {
                format!("`{}` failed, last chance: {}; `{}` {held}", pod.name, self.is_last_chance, other.name)
            };
            let is_held = outcome.waiting.contains(&other.name);
            if other.held.is_some() && is_held == self.is_last_chance {
                verdict.breach("gang-fails-together", text(&format!("is held: {is_held}")));
            }
            let Some(standing) = outcome.nominations.as_ref().filter(|_| other.pending() && other.nominated.is_some())
            else {
                continue;
            };
            let is_promised = standing.contains_key(&other.name);
            if is_promised == self.is_last_chance {
                verdict.breach("gang-fails-together", text(&format!("is nominated: {is_promised}")));
            }
        }
    }
}
