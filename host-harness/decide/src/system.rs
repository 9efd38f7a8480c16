//! The system whose laws fit a snapshot, where the user has named none.
//!
//! The evidence for a system is read from the policy's description of it: pods that name a scheduler that it stands for, except `default-scheduler`,
//! and objects of kinds that are not of Kubernetes itself. Pods that wait count before other pods, and these before objects; of two systems with
//! equal evidence, the first of the policy is chosen. A snapshot without evidence is decided by the system that stands for `default-scheduler` alone,
//! else by the first one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lictor_contract::{Description, KindInterest, Severity, SystemInfo};
use lictor_host::cluster::KubernetesObject;

use super::failure::either;
use super::problem::Problem;

/// The scheduler of pods that name none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// A system, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemChoice {
    /// The name of the system.
    pub system: String,
    /// The evidence for it.
    pub why: String,
    /// The other systems with evidence.
    pub others: Vec<String>,
}

impl SystemChoice {
    /// Returns the choice as a sentence.
    pub fn sentence(&self) -> String {
        let others = match self.others.as_slice() {
            [] => String::new(),
            others => format!("; objects of {} are there, too", others.join(", ")),
        };
        format!("the laws of `{}` decide: {}{others}; `--system` names another system", self.system, self.why)
    }
}

/// The evidence for a system in a snapshot.
#[derive(Debug, Default)]
struct Evidence {
    /// The number of pods that wait and name a scheduler of the system.
    waiting: usize,
    /// The number of all pods that name a scheduler of the system.
    pods: usize,
    /// The scheduler that one of those pods names.
    scheduler: String,
    /// The number of objects of its kinds, by kind.
    kinds: BTreeMap<String, usize>,
}

impl Evidence {
    /// Collects the evidence for the system at this place among those of the policy.
    fn of(objects: &[KubernetesObject], described: &Description, place: usize) -> Evidence {
        let mut evidence = Evidence::default();
        let Some(system) = described.systems.get(place) else { return evidence };
        let schedulers: Vec<&str> = own_schedulers(system).collect();
        for object in objects {
            if let Some((scheduler, waits)) = object.scheduler() {
                if schedulers.contains(&scheduler) {
                    evidence.pods = evidence.pods.saturating_add(1);
                    evidence.waiting = evidence.waiting.saturating_add(usize::from(waits));
                    evidence.scheduler = scheduler.to_owned();
                }
                continue;
            }
            let (group, kind, name) = object.identity();
            let is_named = || name.strip_prefix(&*system.name).is_some_and(|rest| rest.starts_with('-'));
            let is_own = if group.is_empty() { reads(system, group, kind) && is_named() } else { !is_common(group) };
            let first = described.systems.iter().position(|system| reads(system, group, kind));
            if is_own && first == Some(place) {
                let count = evidence.kinds.entry(kind.to_owned()).or_default();
                *count = count.saturating_add(1);
            }
        }
        evidence
    }

    fn objects(&self) -> usize {
        self.kinds.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    fn is_empty(&self) -> bool {
        self.pods == 0 && self.kinds.is_empty()
    }

    fn why(&self) -> String {
        let pods = match self.pods {
            0 => None,
            1 => Some(format!("1 pod names scheduler `{}`", self.scheduler)),
            pods => Some(format!("{pods} pods name scheduler `{}`", self.scheduler)),
        };
        let kinds = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ");
        let kinds = (!kinds.is_empty()).then(|| format!("the cluster has {kinds}"));
        pods.into_iter().chain(kinds).collect::<Vec<_>>().join(", and ")
    }
}

/// Chooses the system for a snapshot. The policy must describe at least one system.
pub fn choose(objects: &[KubernetesObject], described: &Description) -> SystemChoice {
    let all = (0..described.systems.len()).map(|place| Evidence::of(objects, described, place));
    let mut found: Vec<(&SystemInfo, Evidence)> =
        described.systems.iter().zip(all).filter(|(_, evidence)| !evidence.is_empty()).collect();
    // The sort is stable: of equals the first of the policy stays first.
    found.sort_by_key(|(_, evidence)| Reverse((evidence.waiting, evidence.pods, evidence.objects())));
    let others = found.iter().skip(1).map(|(system, _)| format!("`{}`", system.name)).collect();
    if let Some((system, evidence)) = found.first() {
        return SystemChoice { system: system.name.clone(), why: evidence.why(), others };
    }
    let plain = described.systems.iter().find(|system| system.schedulers == [DEFAULT_SCHEDULER]);
    let system = plain.or(described.systems.first()).map(|system| system.name.clone()).unwrap_or_default();
    SystemChoice { system, why: "nothing in the cluster is of another system".to_owned(), others }
}

/// Makes a warning about a snapshot in which nothing belongs to this system, although the system has schedulers or kinds of its own. `None`: there is
/// nothing to warn of.
pub fn lacking(objects: &[KubernetesObject], described: &Description, system: &str) -> Option<Problem> {
    let message = format!("nothing in the snapshot is of system `{system}`: {}", lacks(objects, described, system)?);
    let remedy = match choose(objects, described).system {
        other if other == system => "add these kinds to the dump".to_owned(),
        other => format!("add these kinds to the dump, or decide with `--system {other}`"),
    };
    Some(Problem::error(message).remedy(remedy).of(Severity::Warning))
}

/// Returns what these objects lack of a system, in words. `None`: an object belongs to the system, or the system has neither schedulers nor kinds of
/// its own.
pub fn lacks(objects: &[KubernetesObject], described: &Description, system: &str) -> Option<String> {
    let place = described.systems.iter().position(|known| known.name == system)?;
    let info = described.systems.get(place)?;
    let schedulers: Vec<String> = own_schedulers(info).map(str::to_owned).collect();
    let no_pod = (!schedulers.is_empty()).then(|| format!("no pod names scheduler {}", either(&schedulers)));
    let has_evidence = !Evidence::of(objects, described, place).is_empty();
    let lacks: Vec<String> = no_pod.into_iter().chain(no_kinds(described, place)).collect();
    (!has_evidence && !lacks.is_empty()).then(|| lacks.join(", and "))
}

/// Returns what these objects lack of the kinds of a system, in words. `None`: an object belongs to the system, or it has no kinds of its own. The
/// schedulers that pods name are no matter where kube-scheduler binds all pods.
pub fn lacks_kinds(objects: &[KubernetesObject], described: &Description, system: &str) -> Option<String> {
    let place = described.systems.iter().position(|known| known.name == system)?;
    no_kinds(described, place).filter(|_| Evidence::of(objects, described, place).is_empty())
}

/// Says that there are no objects of the kinds that only this system reads. `None`: there are no such kinds but those of Kubernetes.
fn no_kinds(described: &Description, place: usize) -> Option<String> {
    // A kind that an earlier system reads, too, is evidence for that system.
    let first = |group: &str, kind: &str| described.systems.iter().position(|system| reads(system, group, kind));
    let is_own = |known: &&KindInterest| !is_common(&known.group) && first(&known.group, &known.kind) == Some(place);
    let kinds = described.systems.get(place)?.interests.kinds.iter().filter(is_own);
    let kinds: Vec<String> = kinds.map(|known| format!("{}.{}", known.kind, known.group)).collect();
    (!kinds.is_empty()).then(|| format!("there is no {}", either(&kinds)))
}

fn own_schedulers(system: &SystemInfo) -> impl Iterator<Item = &str> {
    system.schedulers.iter().map(String::as_str).filter(|scheduler| *scheduler != DEFAULT_SCHEDULER)
}

fn reads(system: &SystemInfo, group: &str, kind: &str) -> bool {
    let mut kinds = system.interests.kinds.iter().map(|known| (&*known.group, &*known.kind));
    let mut placed = system.interests.placed_kinds.iter().map(|known| (&*known.group, &*known.kind));
    kinds.any(|known| known == (group, kind)) || placed.any(|known| known == (group, kind))
}

/// Returns whether an API group is one of Kubernetes itself, such as `policy` and `scheduling.k8s.io`, and so of every cluster.
fn is_common(group: &str) -> bool {
    !group.contains('.') || group.strip_suffix(".k8s.io").is_some_and(|word| !word.contains('.'))
}

#[cfg(test)]
mod tests;
