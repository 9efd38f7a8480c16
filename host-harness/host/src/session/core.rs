//! A policy and a cluster, tied together.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::permit::Held;
use super::{Happened, OpenError, SessionError};
use crate::cluster::Mirror;
use crate::policy::{CallError, Policy};
use crate::verify::{Departures, Ground, Occupancy};

/// How many events the policy is told at once, so that a deadline holds between chunks.
const CHUNK: usize = 4096;

/// A cluster and the policy that decides in it: who is held at permit, who is planned to leave, what has happened.
///
/// Whatever changes in the cluster is told to the policy before it is asked anything. After an error the session is not to be
/// used any more: what the policy believes may differ from what is so.
pub struct Session {
    pub(super) policy: Box<dyn Policy>,
    pub(super) points: BTreeSet<ExtensionPoint>,
    pub(super) mirror: Mirror,
    pub(super) occupancy: Occupancy,
    pub(super) departures: Departures,
    pub(super) held: Held,
    /// What was written on pods that have a node and are not bound yet.
    pub(super) written: BTreeMap<PodId, Vec<Mark>>,
    /// The numbers of plans that the policy has used.
    pub(super) plans: BTreeSet<u64>,
    /// Every attempt is explained.
    pub(super) explains: bool,
    /// The queue must be ordered anew.
    pub(super) reorder: bool,
    pub(super) happened: Happened,
    findings: Vec<Finding>,
}

impl Session {
    /// Configures the policy and gives it an empty cluster. The laws are the policy's first where they are empty; the arguments
    /// are a JSON object, or empty for none.
    pub fn open(mut policy: Box<dyn Policy>, laws: &str, arguments: &str) -> Result<Session, OpenError> {
        let mut described = policy.describe()?.systems;
        let laws = match described.first() {
            Some(first) if laws.is_empty() => first.name.clone(),
            _ => laws.to_owned(),
        };
        policy.configure(&laws, arguments)?.map_err(OpenError::Refused)?;
        described.retain(|set| set.name == laws);
        let set = described.pop().ok_or(OpenError::Undescribed(laws))?;
        Ok(Session {
            policy,
            points: set.extension_points.into_iter().collect(),
            occupancy: Occupancy::new(&set.interests),
            mirror: Mirror::new(set.interests),
            departures: Departures::default(),
            held: Held::default(),
            written: BTreeMap::new(),
            plans: BTreeSet::new(),
            explains: false,
            reorder: false,
            happened: Happened::default(),
            findings: Vec::new(),
        })
    }

    /// The cluster.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// What has happened since this was last asked.
    pub fn take_happened(&mut self) -> Happened {
        std::mem::take(&mut self.happened)
    }

    /// What the policy found in the objects so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The books, as of now.
    pub fn accounts(&mut self) -> Result<Vec<QueueAccount>, SessionError> {
        self.ask(|policy| policy.queues())
    }

    /// The policy itself, told of everything, for what the cycle does not ask.
    pub fn policy(&mut self) -> Result<&mut dyn Policy, SessionError> {
        self.sync()?;
        Ok(self.policy.as_mut())
    }

    /// Whether the laws in force decide here.
    pub(super) fn decides(&self, point: ExtensionPoint) -> bool {
        self.points.contains(&point)
    }

    /// Asks the policy something, when it has been told of everything that changed.
    pub(super) fn ask<T>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>,
    ) -> Result<T, SessionError> {
        self.sync()?;
        Ok(question(self.policy.as_mut())?)
    }

    /// Tells the policy, and notes for the host, what changed.
    pub(super) fn sync(&mut self) -> Result<(), SessionError> {
        let mut events = self.mirror.drain_events();
        for event in &events {
            self.occupancy.observe(event);
        }
        self.occupancy.refresh(&self.mirror);
        while !events.is_empty() {
            let rest = events.split_off(events.len().min(CHUNK));
            self.tell(std::mem::replace(&mut events, rest))?;
        }
        Ok(())
    }

    /// Tells the policy these events.
    pub(super) fn tell(&mut self, events: Vec<Event>) -> Result<(), SessionError> {
        let applied = self.policy.apply(events)?;
        self.findings.extend(applied.findings);
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
        assert_eq!(refused.to_string(), "no such laws; the policy knows `test`");
        let refused = Session::open(Box::new(Scripted::deciding(&[])), "test", "{\"speed\": 1}").err().unwrap();
        assert_eq!(refused.to_string(), "the laws take no argument `speed`");
    }
}
