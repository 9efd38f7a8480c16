//! The policy of a session, together with the shadow policy during a replacement.

use lictor_contract::*;

use super::answer::{ComparableReply, ReplyMismatch};
use super::member::Shadow;
use super::numbers::PlanNumberMap;
use super::slot::{PolicyCheckpoint, PolicySlot};
use super::transition::StateTransfer;
use crate::cluster::ReplayPosition;
use crate::policy::{CallError, Policy, PolicyUsage};

/// The policy in force, and the one in shadow. A pair answers as the policy in force does, with the plan numbers of the session.
pub(crate) struct PolicyWithShadow {
    pub(super) primary: PolicySlot,
    pub(crate) shadow: Option<Box<Shadow>>,
    /// The highest plan number of the session.
    pub(super) last_plan: u64,
    /// The usage of policies that were dropped.
    pub(super) dropped_usage: PolicyUsage,
}

/// The progress of the shadow policy in loading the cluster.
pub(crate) enum ShadowLoading {
    /// The policy is still reading a part.
    Busy,
    /// The policy needs the part after this position.
    Next(ReplayPosition),
    /// The policy has everything, or has failed.
    Finished,
}

impl PolicyWithShadow {
    pub(crate) fn new(policy: Box<dyn Policy>) -> PolicyWithShadow {
        PolicyWithShadow {
            primary: PolicySlot::new(policy, PlanNumberMap::default()),
            shadow: None,
            last_plan: 0,
            dropped_usage: PolicyUsage::default(),
        }
    }

    /// Returns the last checkpoint of the policy in force.
    pub(crate) fn last_checkpoint(&self) -> Option<&PolicyCheckpoint> {
        self.primary.last_checkpoint.as_ref()
    }

    /// Returns the last checkpoint of the shadow policy. `None`: there is no shadow policy, or no checkpoint.
    pub(crate) fn shadow_checkpoint(&self) -> Option<&PolicyCheckpoint> {
        self.shadow.as_ref()?.slot.last_checkpoint.as_ref()
    }

    /// Sets the checkpoint that restores the policy in force when it is restarted.
    pub(crate) fn set_last_checkpoint(&mut self, saved: Option<PolicyCheckpoint>) {
        self.primary.last_checkpoint = saved;
    }

    /// Returns the highest plan number of the session.
    pub(crate) fn last_plan(&self) -> u64 {
        self.last_plan
    }

    /// Reserves the plan numbers up to this one: no new plan gets one of them.
    pub(crate) fn reserve_plans(&mut self, last: u64) {
        self.last_plan = self.last_plan.max(last);
    }

    /// Restores a checkpoint in new instances. The shadow policy takes the same checkpoint, or else its own last one. Returns the verdict of the
    /// policy in force.
    pub(crate) fn restore_checkpoint(&mut self, saved: &PolicyCheckpoint) -> Result<Result<(), StateError>, CallError> {
        let taken = self.primary.restore(saved)?;
        if taken.is_ok() {
            self.primary.plan_numbers.rebase(self.last_plan);
        }
        self.transfer_state(Some(saved.clone()), true);
        Ok(taken)
    }

    /// Returns how far the shadow policy has loaded the cluster. Does not wait.
    pub(crate) fn shadow_loading(&mut self) -> ShadowLoading {
        let Some(shadow) = &mut self.shadow else { return ShadowLoading::Finished };
        if !shadow.is_idle() {
            return ShadowLoading::Busy;
        }
        match shadow.progress.state_transfer.is_none() && shadow.fault.is_none() {
            true => ShadowLoading::Next(shadow.progress.position.clone()),
            false => ShadowLoading::Finished,
        }
    }

    /// Waits for the work of the shadow policy.
    pub(crate) fn wait_for_shadow(&mut self) {
        if let Some(shadow) = &mut self.shadow {
            shadow.wait_for_task();
        }
    }

    /// Sends the shadow policy the next part of the cluster. Does not wait.
    pub(crate) fn feed_shadow(&mut self, events: Vec<Event>, reached: ReplayPosition) {
        if let Some(shadow) = &mut self.shadow {
            shadow.send_chunk(events, reached);
        }
    }

    /// Sends the shadow policy the pods that are held and the checkpoint of the policy in force, after the whole cluster. Waits only where `at_once`.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn finish_loading(&mut self, held: Vec<(PodId, NodeId)>, at_once: bool) -> Result<(), CallError> {
        self.primary.save()?;
        let Some(shadow) = &mut self.shadow else { return Ok(()) };
        let held = if shadow.comparison.points.contains(&ExtensionPoint::Reserve) { held } else { Vec::new() };
        shadow.start_transfer(held, self.primary.last_checkpoint.clone());
        if at_once {
            shadow.wait_for_task();
        }
        Ok(())
    }

    /// Reserves the held pods in the shadow policy before it takes over, where only this policy has the extension point Reserve.
    pub(crate) fn reserve_in_shadow(&mut self, held: &[(PodId, NodeId)]) {
        if let Some(shadow) = &mut self.shadow
            && !shadow.comparison.points.contains(&ExtensionPoint::Reserve)
            && shadow.configuration.points.contains(&ExtensionPoint::Reserve)
        {
            shadow.reserve(held);
        }
    }

    /// Aligns the memory of the shadow policy with that of the policy in force: hands over the latter where the two differ.
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn sync_shadow_state(&mut self) -> Result<(), CallError> {
        let Some(shadow) = self.shadow.as_mut().filter(|shadow| shadow.is_ready()) else { return Ok(()) };
        shadow.diverged = false;
        let asked = shadow.submit(|policy| policy.save());
        let is_rebuilt = matches!(shadow.progress.state_transfer, Some(StateTransfer::Rebuilt { .. }));
        let theirs = if is_rebuilt { Ok(None) } else { self.primary.save() };
        let own = shadow.wait_for("save", asked);
        let own = shadow.store_checkpoint(own);
        let theirs = theirs?;
        if is_rebuilt {
            return Ok(());
        }
        match theirs.is_some() && theirs == own {
            true => shadow.progress.state_transfer = Some(StateTransfer::Same),
            false => self.transfer_state(self.primary.last_checkpoint.clone().filter(|_| theirs.is_some()), false),
        }
        Ok(())
    }

    /// Aligns the memory where the shadow policy may remember decisions that were not carried out; see [`sync_shadow_state`](Self::sync_shadow_state).
    ///
    /// # Errors
    /// The policy in force fails.
    pub(crate) fn resync_diverged(&mut self) -> Result<(), CallError> {
        match self.shadow.as_ref().is_some_and(|shadow| shadow.diverged) {
            true => self.sync_shadow_state(),
            false => Ok(()),
        }
    }

    /// Restores the checkpoint of the policy in force in the shadow policy. A new instance that refuses it gets its own last checkpoint.
    fn transfer_state(&mut self, saved: Option<PolicyCheckpoint>, is_new: bool) {
        let Some(shadow) = &mut self.shadow else { return };
        let Some(theirs) = saved else {
            shadow.progress.state_transfer = Some(StateTransfer::None);
            return;
        };
        shadow.wait_for_task();
        let taken = shadow.fault.is_none().then(|| shadow.slot.policy.restore(&theirs.checkpoint));
        let own = shadow.slot.last_checkpoint.clone().filter(|_| is_new);
        if !shadow.record_transfer(theirs, taken)
            && let Some(own) = own
        {
            drop(shadow.call(|policy| policy.restore(&own.checkpoint)));
        }
    }

    /// Exchanges the two policies. New plans get numbers that the session has not used.
    pub(crate) fn swap(&mut self) {
        let Some(shadow) = &mut self.shadow else { return };
        shadow.wait_for_task();
        std::mem::swap(&mut self.primary, &mut shadow.slot);
        self.primary.plan_numbers.rebase(self.last_plan);
    }

    /// Drops the shadow policy and returns its records. `None`: there is no shadow policy.
    pub(crate) fn drop_shadow(&mut self) -> Option<Box<Shadow>> {
        let mut shadow = self.shadow.take()?;
        shadow.wait_for_task();
        let used = shadow.slot.policy.usage();
        shadow.drop_policy();
        self.dropped_usage = PolicyUsage { memory_bytes: 0, ..sum_usage(self.dropped_usage, used) };
        Some(shadow)
    }

    /// Returns the pairs of answers that decide differently, since the last call.
    pub(crate) fn take_mismatches(&mut self) -> Vec<ReplyMismatch> {
        self.shadow.as_mut().map(|shadow| std::mem::take(&mut shadow.comparison.mismatches)).unwrap_or_default()
    }

    /// Returns whether there are such pairs.
    pub(crate) fn has_mismatches(&self) -> bool {
        self.shadow.as_ref().is_some_and(|shadow| !shadow.comparison.mismatches.is_empty())
    }

    /// Returns the shadow policy. `None`: there is none, it has failed, or its answers at this extension point are not compared.
    pub(super) fn compared_shadow(&mut self, point: ExtensionPoint) -> Option<&mut Shadow> {
        let shadow = self.shadow.as_deref_mut()?;
        (shadow.is_ready() && shadow.comparison.points.contains(&point)).then_some(shadow)
    }

    /// Calls both policies at the same time and compares the answers. `wrap` makes the answer of the policy in force comparable. Returns this answer.
    pub(super) fn call_both<T>(
        &mut self,
        (point, pod): (ExtensionPoint, Option<PodId>),
        beside: impl FnOnce(&mut dyn Policy) -> Result<ComparableReply, CallError> + Send + 'static,
        primary: impl FnOnce(&mut PolicyWithShadow) -> Result<T, CallError>,
        wrap: impl FnOnce(&T) -> ComparableReply,
    ) -> Result<T, CallError> {
        let asked = self.compared_shadow(point).and_then(|shadow| shadow.submit(beside));
        let answer = primary(self);
        let (Some(asked), Some(shadow)) = (asked, &mut self.shadow) else { return answer };
        let own = shadow.wait_for(point.interface().name(), Some(asked));
        match (&answer, own) {
            (Ok(answer), Some(own)) => shadow.compare(pod, wrap(answer), own),
            // The shadow policy may remember an answer that the policy in force did not give.
            (Err(_), _) => shadow.diverged = true,
            (Ok(_), None) => {}
        }
        answer
    }

    /// Returns the session number of a plan of the policy in force.
    pub(super) fn session_number(&mut self, own: u64) -> u64 {
        let plan = self.primary.plan_numbers.session_number(own);
        self.last_plan = self.last_plan.max(plan);
        plan
    }

    /// Returns the events with the plan numbers of the policy in force. Events about plans that it does not know are left out.
    pub(super) fn to_instance_events(&self, events: Vec<Event>) -> Vec<Event> {
        if self.primary.plan_numbers.is_identity() {
            return events;
        }
        let numbers = &self.primary.plan_numbers;
        let own = |event| match event {
            Event::PlanAccepted(plan) => numbers.to_instance(plan).map(Event::PlanAccepted),
            Event::PlanRefused(plan) => numbers.to_instance(plan).map(Event::PlanRefused),
            other => Some(other),
        };
        events.into_iter().filter_map(own).collect()
    }
}

/// Adds the usage of two policies. The current memory is that of the first policy, and the peak is the larger one.
pub(super) fn sum_usage(one: PolicyUsage, other: PolicyUsage) -> PolicyUsage {
    PolicyUsage {
        instances: one.instances.saturating_add(other.instances),
        calls: one.calls.saturating_add(other.calls),
        fuel: one.fuel.saturating_add(other.fuel),
        memory_bytes: one.memory_bytes,
        memory_high_bytes: one.memory_high_bytes.max(other.memory_high_bytes),
    }
}
