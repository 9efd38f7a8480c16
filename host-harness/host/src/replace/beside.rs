//! Calls both policies: every call to the policy in force is also made to the shadow policy.

use lictor_contract::*;

use super::answer::ComparableReply;
use super::numbers::PlanNumberMap;
use super::pair::{PolicyWithShadow, sum_usage};
use super::slot::PolicyCheckpoint;
use super::transition::StateTransfer;
use crate::cluster::ReplayPosition;
use crate::policy::{CallError, Policy, PolicyUsage};

impl Policy for PolicyWithShadow {
    /// Restarts both policies. Both then receive everything again together.
    fn restart(&mut self) -> Result<(), CallError> {
        self.primary.policy.restart()?;
        self.primary.plan_numbers = PlanNumberMap::starting_after(self.last_plan);
        if let Some(shadow) = &mut self.shadow {
            shadow.call(|policy| policy.restart());
            shadow.slot.plan_numbers = PlanNumberMap::detached();
            shadow.progress.position = ReplayPosition::All;
            shadow.comparison.mismatches.clear();
            shadow.progress.backlog.clear();
            shadow.used_plan_numbers.clear();
            (shadow.diverged, shadow.cycle_finished) = (false, false);
            shadow.progress.state_transfer = Some(StateTransfer::None);
            shadow.comparison.report.restarts = shadow.comparison.report.restarts.saturating_add(1);
        }
        Ok(())
    }
    fn usage(&self) -> PolicyUsage {
        let beside = self.shadow.as_ref().map(|shadow| shadow.usage()).unwrap_or_default();
        sum_usage(sum_usage(self.primary.policy.usage(), beside), self.dropped_usage)
    }
    fn recycle_bytes(&self) -> Option<u64> {
        self.primary.policy.recycle_bytes()
    }
    fn has(&self, interface: Interface) -> bool {
        self.primary.policy.has(interface)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        self.primary.policy.describe()
    }
    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        if let Some(shadow) = &mut self.shadow {
            let (system, arguments) = (shadow.configuration.system.clone(), shadow.configuration.arguments.clone());
            if let Some(Err(error)) = shadow.call(|policy| policy.configure(&system, &arguments)) {
                shadow.record_invalid_reply("configure", format!("it refuses what it took before: {error:?}"));
            }
        }
        self.primary.policy.configure(system, arguments)
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let Some(shadow) = &mut self.shadow else { return self.primary.policy.apply(self.to_instance_events(events)) };
        let hears = shadow.translate_events(&events);
        let told = if hears.is_empty() { None } else { shadow.submit(|policy| policy.apply(hears)) };
        let applied = self.primary.policy.apply(self.to_instance_events(events));
        if let Some(shadow) = &mut self.shadow
            && let Some(beside) = shadow.wait_for("apply", told)
        {
            shadow.findings.extend(beside.findings);
        }
        applied
    }
    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        let asked = pods.to_vec();
        let order = |asked: Vec<PodId>, keys| ComparableReply::Order { pods: asked, keys };
        self.call_both(
            (ExtensionPoint::QueueOrder, None),
            move |policy| policy.queue_keys(&asked).map(|keys| order(asked, keys)),
            |pair| pair.primary.policy.queue_keys(pods),
            |keys| order(pods.to_vec(), keys.clone()),
        )
    }
    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.call_both(
            (ExtensionPoint::PreFilter, Some(pod)),
            move |policy| policy.pre_filter(pod).map(ComparableReply::PreFilter),
            |pair| pair.primary.policy.pre_filter(pod),
            |answer| ComparableReply::PreFilter(answer.clone()),
        )
    }
    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.call_both(
            (ExtensionPoint::Filter, Some(pod)),
            move |policy| policy.filter(pod).map(ComparableReply::Filter),
            |pair| pair.primary.policy.filter(pod),
            |answer| ComparableReply::Filter(answer.clone()),
        )
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let (asked, known) = (pods.to_vec(), refuted.clone());
        self.call_both(
            (ExtensionPoint::PostFilter, pods.first().copied()),
            move |policy| policy.post_filter(&asked, &known).map(|answer| ComparableReply::PostFilter(answer, known)),
            |pair| {
                let mut answer = pair.primary.policy.post_filter(pods, refuted)?;
                if let Some(plan) = &mut answer.plan {
                    plan.id = pair.session_number(plan.id);
                }
                Ok(answer)
            },
            |answer| ComparableReply::PostFilter(answer.clone(), refuted.clone()),
        )
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.call_both(
            (ExtensionPoint::Reserve, Some(pod)),
            move |policy| policy.reserve(pod, node).map(ComparableReply::Reserve),
            |pair| pair.primary.policy.reserve(pod, node),
            |answer| ComparableReply::Reserve(answer.clone()),
        )
    }
    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.call_both(
            (ExtensionPoint::Reserve, Some(pod)),
            move |policy| policy.unreserve(pod, cause).map(ComparableReply::Unreserve),
            |pair| pair.primary.policy.unreserve(pod, cause),
            |answer| ComparableReply::Unreserve(answer.clone()),
        )
    }
    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        let asked = nodes.to_vec();
        self.call_both(
            (ExtensionPoint::Score, Some(pod)),
            move |policy| policy.score(pod, &asked).map(|scores| ComparableReply::Score(asked, scores)),
            |pair| pair.primary.policy.score(pod, nodes),
            |scores| ComparableReply::Score(nodes.to_vec(), scores.clone()),
        )
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.call_both(
            (ExtensionPoint::Permit, Some(pod)),
            move |policy| policy.permit(pod).map(ComparableReply::Permit),
            |pair| pair.primary.policy.permit(pod),
            |answer| ComparableReply::Permit(answer.clone()),
        )
    }
    fn act(&mut self) -> Result<Actions, CallError> {
        // The shadow policy is not called where its own cycle has ended before.
        let asked = self.compared_shadow(ExtensionPoint::Act).filter(|shadow| !shadow.cycle_finished);
        let asked = asked.and_then(|shadow| shadow.submit(|policy| policy.act()));
        let answer = self.primary.policy.act().map(|mut answer| {
            for slice in &mut answer.plans.slices {
                slice.id = self.session_number(slice.id);
            }
            answer
        });
        let own = self.shadow.as_deref_mut().and_then(|shadow| shadow.wait_for("act", asked));
        let answer = answer?;
        if let Some(shadow) = self.compared_shadow(ExtensionPoint::Act) {
            if shadow.cycle_finished {
                shadow.cycle_finished = answer.more;
            } else if let Some(own) = own {
                let own_more = own.more;
                shadow.compare(None, ComparableReply::Act(answer.clone()), ComparableReply::Act(own));
                shadow.follow_cycle(answer.more, own_more);
            }
        }
        Ok(answer)
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.call_both(
            (ExtensionPoint::Enforce, None),
            |policy| policy.enforce().map(ComparableReply::Enforce),
            |pair| {
                let mut answer = pair.primary.policy.enforce()?;
                for enforcement in &mut answer.enforcements {
                    enforcement.id = pair.session_number(enforcement.id);
                }
                Ok(answer)
            },
            |answer| ComparableReply::Enforce(answer.clone()),
        )
    }
    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.primary.policy.queues()
    }
    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.primary.policy.memberships(pods)
    }
    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        let answer = self.primary.policy.marks(pod, node)?;
        if let Some(shadow) = self.shadow.as_deref_mut().filter(|shadow| shadow.is_ready())
            && let Some(own) = shadow.call(|policy| policy.marks(pod, node))
        {
            shadow.compare(Some(pod), ComparableReply::Marks(answer.clone()), ComparableReply::Marks(own));
        }
        Ok(answer)
    }
    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.primary.policy.standings(pods)
    }
    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.call(|policy| policy.record_notes(pods));
        }
        self.primary.policy.record_notes(pods)
    }
    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.primary.policy.notes(pod)
    }
    /// Takes a checkpoint of both policies. That of the shadow policy restores it when it is restarted.
    fn save(&mut self) -> Result<Checkpoint, CallError> {
        let up = self.shadow.as_deref_mut().filter(|shadow| shadow.is_ready() && !shadow.diverged);
        let asked = up.and_then(|shadow| shadow.submit(|policy| policy.save()));
        let saved = self.primary.save();
        if let Some(shadow) = &mut self.shadow {
            let own = shadow.wait_for("save", asked);
            shadow.store_checkpoint(own);
        }
        saved?.ok_or(CallError::MissingInterface(Interface::State))
    }
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        self.restore_checkpoint(&PolicyCheckpoint {
            checkpoint: checkpoint.clone(),
            plan_numbers: PlanNumberMap::default(),
        })
    }
}
