//! The decisions of a cycle, in sections: the pods that are bound, nominated, held, refused.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::LanePodState;
use crate::data::{AttemptView, CycleView, ObstacleCounts, ReasonView};

mod others;
#[cfg(test)]
mod tests;

/// The code of the reason of pods with scheduling gates. Other reasons are those of pods that another scheduler decides about.
const GATED: &str = "host/gated";

/// The results of an attempt, in the words of the engine.
pub(super) const REJECTED: &str = "Rejected";
const UNSCHEDULABLE: &str = "Unschedulable";
const WITH_NODE: [&str; 3] = ["Scheduled", "Waiting", "Nominated"];

/// Returns whether the page knows this result of an attempt.
pub fn is_known_result(result: &str) -> bool {
    [REJECTED, UNSCHEDULABLE].contains(&result) || WITH_NODE.contains(&result)
}

/// The number of nodes that are named.
const NAMED: usize = 6;

/// A section of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The topic in one word, for style.
    pub word: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Jobs, single pods, and queues that give resources back.
    pub entries: Vec<ResultEntry>,
}

/// The result for a pod that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingPodResult {
    /// It was bound.
    Bound,
    /// It is nominated, and receives its node when its victims have left.
    Nominated,
    /// It is held at permit.
    Held,
    /// It was refused before any node was tried.
    Refused,
    /// No node takes it.
    Unschedulable,
    /// It waits after a cycle of the policy's own.
    Pending,
    /// It has scheduling gates.
    Gated,
    /// Another scheduler decides about it.
    Elsewhere,
}

impl PendingPodResult {
    /// All results, in the order in which they are shown.
    pub const ALL: [PendingPodResult; 8] = [
        PendingPodResult::Bound,
        PendingPodResult::Nominated,
        PendingPodResult::Held,
        PendingPodResult::Refused,
        PendingPodResult::Unschedulable,
        PendingPodResult::Pending,
        PendingPodResult::Gated,
        PendingPodResult::Elsewhere,
    ];

    /// Returns the title of its section.
    pub fn title(self) -> &'static str {
        match self {
            PendingPodResult::Bound => "Bound",
            PendingPodResult::Nominated => "Nominated, to be bound when the victims have left",
            PendingPodResult::Held => "Held at permit",
            PendingPodResult::Refused => "Refused",
            PendingPodResult::Unschedulable => "Unschedulable",
            PendingPodResult::Pending => "Still pending",
            PendingPodResult::Gated => "Gated, not tried",
            PendingPodResult::Elsewhere => "Left to other schedulers",
        }
    }

    /// Returns its name in one word, for badges and for style.
    pub fn word(self) -> &'static str {
        match self {
            PendingPodResult::Bound => "bound",
            PendingPodResult::Nominated => "nominated",
            PendingPodResult::Held => "held",
            PendingPodResult::Refused => "refused",
            PendingPodResult::Unschedulable => "unschedulable",
            PendingPodResult::Pending => "pending",
            PendingPodResult::Gated => "gated",
            PendingPodResult::Elsewhere => "elsewhere",
        }
    }
}

/// An entry: pods of one job with the same lines, a single pod, or a queue that gives resources back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultEntry {
    /// The job, the pod or the queue.
    pub name: String,
    /// The job or the pod to ask about. `None`: the entry is a queue.
    pub explain_name: Option<String>,
    /// The pods.
    pub pods: Vec<String>,
    /// Their nodes.
    pub nodes: String,
    /// The reasons.
    pub lines: Vec<Line>,
    /// The pods that are evicted for them.
    pub victims: Vec<ListedVictim>,
}

/// A sentence with its law.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The code of the law.
    pub law: Option<String>,
    /// The sentence.
    pub text: String,
}

impl Line {
    fn of(reason: &ReasonView) -> Line {
        Line { law: Some(reason.code.clone()), text: reason.message.clone() }
    }

    fn plain(text: String) -> Line {
        Line { law: None, text }
    }
}

/// A victim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedVictim {
    /// The pod.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// How it is evicted.
    pub method: &'static str,
}

/// The job of each pod.
pub type Jobs = BTreeMap<String, String>;

/// Returns the result for every pod that waited, by name.
pub fn pending_results(cycle: &CycleView) -> BTreeMap<&str, PendingPodResult> {
    let mut fates = BTreeMap::new();
    for pod in &cycle.pending.still_pending {
        fates.insert(pod.as_str(), PendingPodResult::Pending);
    }
    for attempt in &cycle.attempts {
        let fate = match attempt.result.as_str() {
            REJECTED => PendingPodResult::Refused,
            UNSCHEDULABLE => PendingPodResult::Unschedulable,
            _ => PendingPodResult::Pending,
        };
        fates.insert(attempt.pod.as_str(), fate);
    }
    for (pod, reason) in &cycle.pending.held_back {
        fates.insert(pod, if reason.code == GATED { PendingPodResult::Gated } else { PendingPodResult::Elsewhere });
    }
    let named = [
        (&cycle.nominated, PendingPodResult::Nominated),
        (&cycle.waiting, PendingPodResult::Held),
        (&cycle.bound, PendingPodResult::Bound),
    ];
    for (pods, fate) in named {
        fates.extend(pods.keys().map(|pod| (pod.as_str(), fate)));
    }
    fates
}

/// Returns the sections of a cycle; empty ones are left out.
pub fn sections(cycle: &CycleView, jobs: &Jobs) -> Vec<Section> {
    let fates = pending_results(cycle);
    let attempts: BTreeMap<&str, &AttemptView> =
        cycle.attempts.iter().map(|attempt| (attempt.pod.as_str(), attempt)).collect();
    let section = |fate: PendingPodResult| {
        let pods = fates.iter().filter(|(_, theirs)| **theirs == fate).map(|(pod, _)| *pod);
        let said = pods.map(|pod| (pod, lines(cycle, attempts.get(pod).copied(), pod)));
        let entries = group(said, jobs).into_iter().map(|(name, pods, lines)| entry(cycle, name, &pods, lines));
        Section { word: fate.word(), title: fate.title(), entries: entries.collect() }
    };
    let sections = PendingPodResult::ALL.map(section).into_iter().chain(others::sections(cycle));
    sections.filter(|section| !section.entries.is_empty()).collect()
}

/// Returns how many pods a cycle has bound, nominated, evicted and so on, in words.
pub fn summary(cycle: &CycleView) -> String {
    let fates = pending_results(cycle);
    let waited = |fate: PendingPodResult| (fates.values().filter(|theirs| **theirs == fate).count(), fate.word());
    let evicted = (cycle.victims.len(), LanePodState::Evicted.word());
    let after = |fate: PendingPodResult| if fate == PendingPodResult::Nominated { Some(evicted) } else { None };
    let counts = PendingPodResult::ALL.into_iter().flat_map(|fate| [Some(waited(fate)), after(fate)]).flatten();
    let said = counts.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    said.collect::<Vec<_>>().join(" · ")
}

fn entry(cycle: &CycleView, name: String, pods: &[&str], lines: Vec<Line>) -> ResultEntry {
    let at =
        |pod: &&str| [&cycle.bound, &cycle.waiting, &cycle.nominated].into_iter().find_map(|nodes| nodes.get(*pod));
    let nodes: BTreeSet<&String> = pods.iter().filter_map(at).collect();
    let pods: Vec<String> = pods.iter().map(|pod| (*pod).to_owned()).collect();
    let plans = cycle.plans.iter().filter(|plan| pods.iter().any(|pod| plan.nominated.contains_key(pod)));
    let plans: BTreeSet<u64> = plans.map(|plan| plan.plan).collect();
    let victims = cycle.victims.iter().filter(|(_, victim)| plans.contains(&victim.plan));
    // A question about several pods of a job is one about the whole job, where the job has a name of its own.
    let asked = match pods.as_slice() {
        [only] => only.clone(),
        _ => name.clone(),
    };
    ResultEntry {
        name,
        explain_name: Some(asked),
        nodes: names(&nodes),
        victims: victims.map(victim).collect(),
        pods,
        lines,
    }
}

fn victim((pod, victim): (&String, &crate::data::VictimView)) -> ListedVictim {
    ListedVictim { pod: pod.clone(), node: victim.node.clone().unwrap_or_default(), method: eviction_text(&victim.how) }
}

/// Returns how a victim is evicted, in words.
pub fn eviction_text(how: &str) -> &'static str {
    match how {
        "Soft" => "labelled for eviction",
        "Delete" => "deleted",
        _ => "gives up the place held for it",
    }
}

/// Returns the first names, and how many more there are.
fn names(nodes: &BTreeSet<&String>) -> String {
    let first: Vec<&str> = nodes.iter().take(NAMED).map(|node| node.as_str()).collect();
    match nodes.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Groups the pods of a job with the same lines, in the order of the first pod.
fn group<'a>(said: impl Iterator<Item = (&'a str, Vec<Line>)>, jobs: &Jobs) -> Vec<(String, Vec<&'a str>, Vec<Line>)> {
    let mut groups: Vec<(String, Vec<&'a str>, Vec<Line>)> = Vec::new();
    let mut places: BTreeMap<(String, Vec<Line>), usize> = BTreeMap::new();
    for (pod, lines) in said {
        let name = jobs.get(pod).cloned().unwrap_or_else(|| pod.to_owned());
        let place = *places.entry((name.clone(), lines.clone())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, pods, _)) => pods.push(pod),
            None => groups.push((name, vec![pod], lines)),
        }
    }
    for (name, pods, _) in &mut groups {
        // A single pod of a job has its own name, which distinguishes it from the other pods.
        if let [only] = pods.as_slice() {
            (*only).clone_into(name);
        }
    }
    groups
}

/// Returns the reasons for the result of a pod.
fn lines(cycle: &CycleView, attempt: Option<&AttemptView>, pod: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(node) = cycle.pending.still_nominated.get(pod) {
        lines.push(Line::plain(format!("nominated to {node} before, and still is")));
    }
    lines.extend(cycle.pending.reason(pod).map(Line::of));
    // Where a pod has a node, the obstacles of other nodes do not matter; of a gang only one pod was tried.
    let has_node = [&cycle.bound, &cycle.waiting, &cycle.nominated].into_iter().any(|nodes| nodes.contains_key(pod));
    let Some(attempt) = attempt.filter(|_| !has_node) else { return lines };
    lines.extend(attempt.reason.iter().filter(|_| attempt.result == REJECTED).map(Line::of));
    lines.extend(attempt.nodes.iter().map(|nodes| Line::plain(sentence(nodes))));
    // The reason that stopped the pod first may also be the one that forbids a preemption: it is shown once.
    let preemption = attempt.preemption.as_ref().filter(|reason| Some(*reason) != attempt.reason.as_ref());
    lines.extend(preemption.map(Line::of));
    lines
}

/// Returns the obstacles of the nodes as one sentence, the most frequent first.
pub fn sentence(nodes: &ObstacleCounts) -> String {
    let mut counted: Vec<(&String, &usize)> = nodes.obstacles.iter().collect();
    counted.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    let said: Vec<String> = counted.iter().map(|(obstacle, count)| format!("{count} {obstacle}")).collect();
    format!("0/{} nodes are available: {}", nodes.nodes, said.join(", "))
}
