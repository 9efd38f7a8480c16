//! A policy and a cluster, tied together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lictor_contract::*;

use super::asked::Asked;
use super::breaker::Breaker;
use super::claimed::Claimed;
use super::configured::configured;
use super::journal::Undo;
use super::left_out::LeftOut;
use super::replace::Replacement;
use super::scores::Scores;
use super::{Cause, CommandId, Counters, Happened, OpenError};
use crate::cluster::{Mirror, Unread};
use crate::policy::{CallError, Policy};
use crate::reason::Templates;
use crate::replace::Pair;
use crate::verify::{Departures, Ground, Occupancy, waits};

/// How many events the policy is told at once, and about how many pods it is asked at once where it says where they belong, so that a
/// deadline holds between chunks.
pub(super) const CHUNK: usize = 4096;

/// How long the session waits for the outcome of a command before it asks again: 30 s.
const PATIENCE: i64 = 30_000_000_000;

/// A cluster and the policy that decides in it: what was asked for, which pods are held at permit, which are planned to leave.
///
/// Whatever changes in the cluster is told to the policy before it is asked anything. When the policy fails, a new instance takes its
/// place: it is configured as the first one, told the cluster as it is, and given what the last one remembered.
pub struct Session {
    /// The policy in force, and the one beside it while it is replaced.
    pub(super) policy: Pair,
    pub(super) replacement: Option<Box<Replacement>>,
    /// What the policy reads.
    pub(super) interests: Interests,
    pub(super) system: String,
    pub(super) arguments: String,
    /// The policy has failed: it is not asked any more before a new instance has taken its place.
    pub(super) down: bool,
    pub(super) breaker: Breaker,
    pub(super) counters: Counters,
    /// The bytes of memory that the last new instance held when it had been told the cluster.
    pub(super) told_bytes: u64,
    /// How often in a row the policy broke when it was given what it remembered.
    pub(super) broke_restoring: u32,
    /// The policy has promised something, or withdrawn it, since its last checkpoint.
    pub(super) promised: bool,
    pub(super) points: BTreeSet<ExtensionPoint>,
    /// The verdict of the policy's Filter is about room, too.
    pub(super) judges_room: bool,
    pub(super) mirror: Mirror,
    pub(super) occupancy: Occupancy,
    pub(super) own_scores: Scores,
    pub(super) departures: Departures,
    pub(super) asked: Asked,
    /// How long an outcome may take.
    pub(super) patience: i64,
    /// How what this input has decided is taken back.
    pub(super) journal: Vec<Undo>,
    /// What the policy is still to be told beside what has changed in the cluster.
    pub(super) notices: Vec<Event>,
    /// What the policy cannot count.
    pub(super) left_out: LeftOut,
    /// The marks that are assumed on pods that have a node and are not bound yet, under their numbers.
    pub(super) written: BTreeMap<PodId, (CommandId, Vec<Mark>)>,
    /// The numbers of plans that this instance of the policy has used.
    pub(super) plans: Claimed,
    /// When time alone may let these pods be scheduled that were refused, nanoseconds since 1970.
    pub(super) retries: BTreeMap<PodId, i64>,
    /// The same for the pods that waited in the last cycle of the policy's own.
    pub(super) cycle_retry: Option<i64>,
    /// When queues may have to give back something, nanoseconds since 1970.
    pub(super) enforce_at: Option<i64>,
    /// Every attempt is explained.
    pub(super) explains: bool,
    /// The queue must be ordered anew.
    pub(super) reorder: bool,
    /// The pods that a cycle in parts has still to try, in order.
    pub(super) untried: VecDeque<PodId>,
    pub(super) happened: Happened,
    /// What of it stands when the input fails.
    pub(super) kept: Happened,
    /// The sentences of the system in force.
    pub(super) templates: Templates,
    pub(super) findings: Vec<Finding>,
    /// How many findings have been handed out.
    pub(super) told_findings: usize,
}

impl Session {
    /// Configures the policy and gives it an empty cluster. The laws are the policy's first where they are empty; the arguments
    /// are a JSON object, or empty for none.
    pub fn open(mut policy: Box<dyn Policy>, laws: &str, arguments: &str) -> Result<Session, OpenError> {
        let (set, points) = configured(policy.as_mut(), laws, arguments)?;
        Ok(Session {
            policy: Pair::new(policy),
            replacement: None,
            interests: set.interests.clone(),
            system: set.name,
            arguments: arguments.to_owned(),
            down: false,
            breaker: Breaker::default(),
            counters: Counters::default(),
            told_bytes: 0,
            broke_restoring: 0,
            promised: false,
            points,
            judges_room: set.judges_room,
            templates: Templates::new(set.templates),
            occupancy: Occupancy::default(),
            own_scores: Scores::default(),
            mirror: mirror(set.interests, set.schedulers),
            departures: Departures::default(),
            asked: Asked::default(),
            patience: PATIENCE,
            journal: Vec::new(),
            notices: Vec::new(),
            left_out: LeftOut::default(),
            written: BTreeMap::new(),
            plans: Claimed::default(),
            retries: BTreeMap::new(),
            cycle_retry: None,
            enforce_at: None,
            explains: false,
            reorder: false,
            untried: VecDeque::new(),
            happened: Happened::default(),
            kept: Happened::default(),
            findings: Vec::new(),
            told_findings: 0,
        })
    }

    /// Decides about the pods of these schedulers (`spec.schedulerName`), instead of those that the system names. Pods of other
    /// schedulers keep what they hold, and may be victims where the system says so.
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.mirror.set_schedulers(names);
    }

    /// The cluster.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// What the policy reads.
    pub fn interests(&self) -> &Interests {
        &self.interests
    }

    /// Returns what was found in the objects: the last findings, at least 8,192 of them where there are so many.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the laws in force decide here.
    pub(super) fn decides(&self, point: ExtensionPoint) -> bool {
        self.points.contains(&point)
    }

    /// Asks the policy something, when it has been told of everything that changed.
    pub(super) fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>,
    ) -> Result<T, Cause> {
        self.sync()?;
        let answer = question(&mut self.policy)?;
        self.examine();
        Ok(answer)
    }

    /// Tells the policy, and notes for the host, what changed.
    pub(super) fn sync(&mut self) -> Result<(), Cause> {
        self.report_unread();
        let mut events = self.note_changes();
        if !self.down {
            events.append(&mut self.notices);
        }
        let findings = self.apply_chunked(events)?;
        self.findings.extend(findings);
        Ok(())
    }

    /// Makes findings of the host of the objects that could not be read.
    fn report_unread(&mut self) {
        let unread = self.mirror.drain_unread().into_iter().map(|Unread { object, mistake, severity }| Finding {
            severity,
            object,
            path: String::new(),
            message: mistake.message,
            remedy: mistake.remedy,
        });
        self.findings.extend(unread);
    }

    /// Notes for the host what changed; what the policy is to be told of it.
    pub(super) fn note_changes(&mut self) -> Vec<Event> {
        self.mirror.set_held(self.occupancy.held().iter().map(|(pod, place)| (pod, place.node)));
        let events = self.mirror.drain_events();
        for event in &events {
            let status = match event {
                Event::PodUpserted(pod) => Some(pod.status()),
                Event::PodStatus(status) => Some(status.clone()),
                _ => None,
            };
            let lost = status.filter(|status| status.nominated.is_none() && waits(status)).map(|status| status.id);
            let lost = lost.filter(|pod| self.occupancy.promise_of(*pod).is_some());
            self.occupancy.observe(event);
            if let Some(pod) = lost {
                let name = self.pod_name(pod);
                self.happened.withdrawn.push(name);
            }
        }
        self.occupancy.refresh(&self.mirror);
        events
    }

    /// Tells the policy these events, without what it cannot count; what it finds. An object that it proves unable to count is left out
    /// from now on, and the next input has an instance that knows everything else.
    pub(super) fn apply_chunked(&mut self, events: Vec<Event>) -> Result<Vec<Finding>, Cause> {
        let mut events = self.countable(events).into_iter();
        let mut findings = Vec::new();
        while events.len() > 0 {
            let applied = self.policy.apply(events.by_ref().take(CHUNK).collect());
            if let Err(CallError::Refused { error: PolicyError::Overflow(over), .. }) = &applied {
                self.leave_out(over);
            }
            findings.extend(applied?.findings);
        }
        Ok(findings)
    }

    /// Tells the policy this event, and nothing else.
    pub(super) fn tell(&mut self, event: Event) -> Result<(), Cause> {
        let findings = self.apply_chunked(vec![event])?;
        self.findings.extend(findings);
        Ok(())
    }

    /// What plans and bindings are held against.
    pub(super) fn ground(&self) -> Ground<'_> {
        Ground { mirror: &self.mirror, occupancy: &self.occupancy, departures: &self.departures }
    }

    /// The name of a pod; its number where it is gone.
    pub(super) fn pod_name(&self, pod: PodId) -> String {
        self.mirror.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned)
    }

    /// The name of a node; its number where it is gone.
    pub(super) fn node_name(&self, node: NodeId) -> String {
        self.mirror.node(node).map_or_else(|| format!("node number {node}"), |node| node.name.clone())
    }
}

/// An empty cluster for a system that reads this much and stands for these schedulers; for all where it names none.
fn mirror(interests: Interests, schedulers: Vec<String>) -> Mirror {
    let mut mirror = Mirror::new(interests);
    if !schedulers.is_empty() {
        mirror.set_schedulers(schedulers);
    }
    mirror
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::session::testing::{Scripted, session};
    use crate::verify::testing::pod;

    #[test]
    fn everything_is_told_in_chunks() {
        let policy = Scripted::deciding(&[]);
        drop(session(&policy, (0..2 * CHUNK).map(|number| pod(&format!("p{number}"), 1, 0))));
        assert_eq!(policy.seen_count(), 2 * CHUNK);
        assert!(policy.most_events_at_once() <= CHUNK);
    }

    #[test]
    fn the_first_laws_are_the_default_and_unknown_ones_are_refused() {
        assert!(Session::open(Box::new(Scripted::deciding(&[])), "", "").is_ok());
        let refused = Session::open(Box::new(Scripted::deciding(&[])), "other", "").err().unwrap();
        assert_eq!(refused.to_string(), "no such system; the policy knows `test`");
        let refused = Session::open(Box::new(Scripted::deciding(&[])), "test", "{\"speed\": 1}").err().unwrap();
        assert_eq!(refused.to_string(), "the system takes no argument `speed`");
    }
}
