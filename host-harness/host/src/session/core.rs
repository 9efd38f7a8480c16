//! A policy and a cluster, tied together.

use lictor_contract::*;

use super::asked::PendingCommands;
use super::configured::configure;
use super::due::DueWork;
use super::found::Findings;
use super::instance::InstanceHealth;
use super::journal::Journal;
use super::replace::Replacement;
use super::scores::ScoreCache;
use super::{FailureCause, OpenError};
use crate::cluster::{InvalidObject, Mirror};
use crate::policy::{CallError, Policy};
use crate::rails::Rails;
use crate::replace::{Configuration, PolicyWithShadow};
use crate::verify::{Occupancy, PlannedEvictions, VerifyContext, is_waiting};

/// The maximum events of one `apply`, and about the maximum pods of one `memberships`. Chunks keep each call within its deadline.
pub(super) const EVENTS_PER_CALL: usize = 4096;

/// A cluster and the policy that decides in it, with the commands in flight, the pods held at permit and the victims of plans.
///
/// The policy receives every change of the cluster before any other call. When the policy fails, a new instance replaces it: the new instance gets
/// the same configuration, the current cluster and the last checkpoint.
pub struct Session {
    /// The policy in force, and the one in shadow during a replacement.
    pub(super) policy: PolicyWithShadow,
    pub(super) replacement: Option<Box<Replacement>>,
    /// The configuration of the policy in force.
    pub(super) configuration: Configuration,
    pub(super) instance: InstanceHealth,
    pub(super) mirror: Mirror,
    pub(super) occupancy: Occupancy,
    pub(super) host_scores: ScoreCache,
    pub(super) planned_evictions: PlannedEvictions,
    pub(super) pending_commands: PendingCommands,
    /// What the current input has decided so far.
    pub(super) journal: Journal,
    pub(super) due: DueWork,
    pub(super) findings: Findings,
}

impl Session {
    /// Configures the policy and gives it an empty cluster. `laws` is the name of a system; the policy's first system where it is empty. `arguments`
    /// is a JSON object, or empty.
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub fn open(mut policy: Box<dyn Policy>, laws: &str, arguments: &str) -> Result<Session, OpenError> {
        let (configuration, schedulers) = configure(policy.as_mut(), laws, arguments)?;
        Ok(Session {
            mirror: mirror(configuration.interests.clone(), schedulers),
            policy: PolicyWithShadow::new(policy),
            replacement: None,
            configuration,
            instance: InstanceHealth::default(),
            occupancy: Occupancy::default(),
            host_scores: ScoreCache::default(),
            planned_evictions: PlannedEvictions::default(),
            pending_commands: PendingCommands::default(),
            journal: Journal::default(),
            due: DueWork::default(),
            findings: Findings::default(),
        })
    }

    /// Makes the policy decide about the pods of these schedulers (`spec.schedulerName`), instead of those that the system names. Pods of other
    /// schedulers keep what they hold, and may be victims where the system says so.
    pub fn set_schedulers(&mut self, names: impl IntoIterator<Item = String>) {
        self.mirror.set_schedulers(names);
    }

    /// Sets the rails, which hold whatever the policy says.
    pub fn set_rails(&mut self, rails: Rails) {
        self.mirror.set_rails(rails);
    }

    /// Returns the cluster.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Returns the objects and fields that the policy reads.
    pub fn interests(&self) -> &Interests {
        &self.configuration.interests
    }

    /// Returns the findings in the objects: the last ones, at least 8,192 of them where there are so many.
    pub fn findings(&self) -> &[Finding] {
        self.findings.as_slice()
    }

    /// Returns whether the system in force decides at this extension point.
    pub(super) fn decides(&self, point: ExtensionPoint) -> bool {
        self.configuration.points.contains(&point)
    }

    /// Calls the policy, after it has received every change.
    pub(super) fn call_policy<T>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError>,
    ) -> Result<T, FailureCause> {
        self.sync()?;
        let answer = question(&mut self.policy)?;
        self.compare_shadow_replies();
        Ok(answer)
    }

    /// Applies all changes to the host's own state, and sends them to the policy.
    pub(super) fn sync(&mut self) -> Result<(), FailureCause> {
        self.report_invalid_objects();
        let mut events = self.apply_changes();
        if !self.instance.needs_restart {
            events.append(&mut self.instance.pending_notices);
        }
        let findings = self.apply_chunked(events)?;
        self.findings.extend(findings);
        Ok(())
    }

    /// Adds a finding for each object that could not be read.
    fn report_invalid_objects(&mut self) {
        let unread =
            self.mirror.drain_invalid_objects().into_iter().map(|InvalidObject { object, mistake, severity }| {
                Finding { severity, object, path: String::new(), message: mistake.message, remedy: mistake.remedy }
            });
        self.findings.extend(unread);
    }

    /// Applies changes to the host's own state. Returns the events for the policy.
    pub(super) fn apply_changes(&mut self) -> Vec<Event> {
        self.mirror.set_held(self.occupancy.permit_holds().iter().map(|(pod, place)| (pod, place.node)));
        let events = self.mirror.drain_events();
        for event in &events {
            let status = match event {
                Event::PodUpserted(pod) => Some(pod.status()),
                Event::PodStatus(status) => Some(status.clone()),
                _ => None,
            };
            let lost = status.filter(|status| status.nominated.is_none() && is_waiting(status)).map(|status| status.id);
            let lost = lost.filter(|pod| self.occupancy.nominated_node(*pod).is_some());
            self.occupancy.observe(event);
            if let Some(pod) = lost {
                let name = self.pod_name(pod);
                self.journal.report.withdrawn.push(name);
            }
        }
        self.occupancy.refresh(&self.mirror);
        events
    }

    /// Sends events to the policy in chunks, without objects that it cannot count. Returns its findings. An object whose amounts overflow is left out
    /// from now on, and the next input gets an instance that knows everything else.
    pub(super) fn apply_chunked(&mut self, events: Vec<Event>) -> Result<Vec<Finding>, FailureCause> {
        let mut events = self.countable(events).into_iter();
        let mut findings = Vec::new();
        while events.len() > 0 {
            let applied = self.policy.apply(events.by_ref().take(EVENTS_PER_CALL).collect());
            if let Err(CallError::Refused { error: PolicyError::Overflow(over), .. }) = &applied {
                self.exclude_uncountable(over);
            }
            findings.extend(applied?.findings);
        }
        Ok(findings)
    }

    /// Sends the policy this event only.
    pub(super) fn send_event(&mut self, event: Event) -> Result<(), FailureCause> {
        let findings = self.apply_chunked(vec![event])?;
        self.findings.extend(findings);
        Ok(())
    }

    /// Returns the state that plans and bindings are checked against.
    pub(super) fn verify_context(&self) -> VerifyContext<'_> {
        let declared = self.configuration.evicts_higher_priority;
        VerifyContext::new(&self.mirror, &self.occupancy, &self.planned_evictions, declared)
    }

    /// Returns the name of a pod, or its number where the name is no longer known.
    pub(super) fn pod_name(&self, pod: PodId) -> String {
        self.mirror.pod_name(pod).map_or_else(|| format!("pod number {pod}"), str::to_owned)
    }

    /// Returns the name of a node, or its number where the node does not exist.
    pub(super) fn node_name(&self, node: NodeId) -> String {
        self.mirror.node(node).map_or_else(|| format!("node number {node}"), |node| node.name.clone())
    }
}

/// Creates an empty cluster for a system with these interests and schedulers. No schedulers: all pods are decided about.
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
        drop(session(&policy, (0..2 * EVENTS_PER_CALL).map(|number| pod(&format!("p{number}"), 1, 0))));
        assert_eq!(policy.received_count(), 2 * EVENTS_PER_CALL);
        assert!(policy.most_events_at_once() <= EVENTS_PER_CALL);
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
