//! Victims that were only marked and still run: no controller deletes what is marked.

use std::collections::BTreeMap;

use lictor_contract::{Phase, Pod};
use lictor_host::cluster::Mirror;
use lictor_host::session::{CommandAction, EvictionBeneficiary, EvictionMethod, Session, StepOutput};

/// How long a marked victim may run before it counts as overdue: a minute, as in `lictor run`.
pub const OVERDUE: i64 = 60_000_000_000;

/// How often the victims are looked at, in nanoseconds: once a second.
const CHECK_INTERVAL: i64 = 1_000_000_000;

/// How long a mark may take until every session has seen it.
const MARK_DELAY: i64 = 10_000_000_000;

/// A victim that still runs a minute after it was marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueVictim {
    /// The pod, `namespace/name`.
    pub pod: String,
    /// The plan that marked the pod, and the preemptor; `None`: the mark is older than the session.
    pub by: Option<(u64, EvictionBeneficiary)>,
}

/// The victims that were only marked and still run, by `namespace/name`.
#[derive(Debug, Default)]
pub struct MarkedVictims {
    victims: BTreeMap<String, MarkedVictim>,
    checked_at: Option<i64>,
    adopts_marked: bool,
    overdue: usize,
}

#[derive(Debug)]
struct MarkedVictim {
    uid: String,
    by: Option<(u64, EvictionBeneficiary)>,
    since: i64,
    is_reported: bool,
}

impl MarkedVictims {
    /// Adds the victims that a step marks, and removes those whose mark could not be written.
    pub fn step(&mut self, step: &StepOutput, session: &Session) {
        let mirror = session.mirror();
        for (name, evicted) in step.happened.victims.iter().filter(|(_, evicted)| evicted.how == EvictionMethod::Soft) {
            let Some(pod) = mirror.pod_id(name).and_then(|pod| mirror.pod(pod)) else { continue };
            // A victim that a later plan marks again has stood since the first mark.
            if self.victims.get(name).is_some_and(|known| known.uid == pod.uid) {
                continue;
            }
            let by = Some((evicted.plan, evicted.for_whom.clone()));
            self.victims.insert(
                name.clone(),
                MarkedVictim { uid: pod.uid.clone(), by, since: mirror.now(), is_reported: false },
            );
        }
        for failed in step.happened.failed.iter().filter(|failed| matches!(failed.action, CommandAction::Evict { .. }))
        {
            self.victims.remove(&failed.pod);
        }
    }

    /// Adds the pods that carry a mark of the system and are on a node, at a next look: another session has marked them.
    pub fn adopt_marked(&mut self) {
        self.adopts_marked = true;
    }

    /// Removes the victims that are gone, stop or have ended, and returns those that have run for a minute; each is returned once.
    pub fn take_overdue(&mut self, mirror: &Mirror) -> Vec<OverdueVictim> {
        let now = mirror.now();
        if self.checked_at.is_some_and(|at| at.saturating_add(CHECK_INTERVAL) > now) {
            return Vec::new();
        }
        self.checked_at = Some(now);
        if std::mem::take(&mut self.adopts_marked) && mirror.has_eviction_labels() {
            for pod in mirror.pods().filter(|pod| pod.kind.is_none() && pod.node.is_some() && mirror.is_marked(pod)) {
                let marked = MarkedVictim { uid: pod.uid.clone(), by: None, since: now, is_reported: false };
                self.victims.entry(format!("{}/{}", pod.template.namespace, pod.name)).or_insert(marked);
            }
        }
        self.victims.retain(|name, victim| {
            let pod = mirror.pod_id(name).and_then(|pod| mirror.pod(pod));
            pod.is_some_and(|pod| pod.uid == victim.uid && still_runs(mirror, pod, victim.since))
        });
        let mut due = Vec::new();
        self.overdue = 0;
        for (pod, victim) in &mut self.victims {
            if victim.since.saturating_add(OVERDUE) > now {
                continue;
            }
            self.overdue = self.overdue.saturating_add(1);
            if !std::mem::replace(&mut victim.is_reported, true) {
                due.push(OverdueVictim { pod: pod.clone(), by: victim.by.clone() });
            }
        }
        due
    }

    /// Counts the victims that ran a minute after they were marked, as of the last look.
    pub fn overdue(&self) -> usize {
        self.overdue
    }
}

/// Checks whether a marked pod runs on, and still carries its mark where the system names its marks. Another session may see the mark later.
fn still_runs(mirror: &Mirror, pod: &Pod, since: i64) -> bool {
    let has_ended = matches!(pod.phase, Phase::Succeeded | Phase::Failed);
    let may_lag = since.saturating_add(MARK_DELAY) > mirror.now();
    !pod.terminating && !has_ended && (may_lag || !mirror.has_eviction_labels() || mirror.is_marked(pod))
}

#[cfg(test)]
mod tests;
