//! What the policy in shadow does on its own thread: answers while the policy in force does, and work that is waited for with a later input.

use lictor_contract::*;

use super::member::Shadow;
use super::slot::PolicyCheckpoint;
use super::transition::StateTransfer;
use super::worker::{DetachedPolicy, PendingReply, ReturnedPolicy};
use crate::cluster::ReplayPosition;
use crate::policy::{CallError, Policy, PolicyUsage};

/// The work in progress on the thread of the shadow policy.
pub(super) enum ShadowTask {
    /// The shadow policy receives a part of the cluster.
    Load(PendingReply<Applied>),
    /// The shadow policy receives the pods that are held, and the checkpoint of the policy in force, where that has a memory.
    TransferState(PendingReply<TransferReply>, Option<Box<PolicyCheckpoint>>),
}

/// The findings in the last events, and the policy's verdict on the checkpoint.
type TransferReply = (Applied, Result<(), StateError>);

impl Shadow {
    /// Puts a question to the shadow policy on its thread. `None`: the policy has failed.
    pub(super) fn submit<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError> + Send + 'static,
    ) -> Option<PendingReply<T>> {
        self.wait_for_task();
        if self.fault.is_some() {
            return None;
        }
        self.usage = self.slot.policy.usage();
        let policy = std::mem::replace(&mut self.slot.policy, Box::new(DetachedPolicy));
        Some(self.thread.call(policy, question))
    }

    /// Returns what the shadow policy has used. While it works, this is the usage before the work began.
    pub(super) fn usage(&self) -> PolicyUsage {
        if self.progress.task.is_some() { self.usage } else { self.slot.policy.usage() }
    }

    /// Waits for the answer of a question. `None`: the shadow policy has failed or lacks the interface.
    pub(super) fn wait_for<T>(&mut self, call: &'static str, pending: Option<PendingReply<T>>) -> Option<T> {
        let answer = self.take_back(call, pending?.wait());
        self.check_reply(answer)
    }

    /// Takes the shadow policy back from its thread. `None` in `done`: the thread broke, which is an error.
    fn take_back<T>(&mut self, call: &'static str, done: Option<ReturnedPolicy<T>>) -> Result<T, CallError> {
        let Some((policy, answer)) = done else { return Err(DetachedPolicy::fault(call)) };
        self.slot.policy = policy;
        answer
    }

    /// Sends the shadow policy a part of the cluster, after the changes to the parts that it already has. Does not wait.
    pub(super) fn send_chunk(&mut self, events: Vec<Event>, reached: ReplayPosition) {
        let mut all = std::mem::take(&mut self.progress.backlog);
        all.extend(events);
        self.progress.task = self.submit(|policy| policy.apply(all)).map(ShadowTask::Load);
        self.progress.position = reached;
    }

    /// Sends the shadow policy the pods that are held, and the checkpoint of the policy in force. Does not wait.
    pub(super) fn start_transfer(&mut self, held: Vec<(PodId, NodeId)>, theirs: Option<PolicyCheckpoint>) {
        let backlog = std::mem::take(&mut self.progress.backlog);
        let checkpoint = theirs.as_ref().map(|theirs| theirs.checkpoint.clone());
        let settles = self.submit(move |policy| {
            let applied = policy.apply(backlog)?;
            reserve(policy, &held)?;
            Ok((applied, checkpoint.map_or(Ok(Ok(())), |checkpoint| policy.restore(&checkpoint))?))
        });
        self.progress.task = settles.map(|pending| ShadowTask::TransferState(pending, theirs.map(Box::new)));
    }

    /// Waits for the work in progress.
    pub(super) fn wait_for_task(&mut self) {
        match self.progress.task.take() {
            None => {}
            Some(ShadowTask::Load(pending)) => self.chunk_received(pending.wait()),
            Some(ShadowTask::TransferState(pending, theirs)) => self.transfer_finished(pending.wait(), theirs),
        }
    }

    /// Returns whether no work is in progress, and takes the result of finished work. Does not wait.
    pub(super) fn is_idle(&mut self) -> bool {
        match self.progress.task.take() {
            None => {}
            Some(ShadowTask::Load(pending)) => match pending.poll() {
                Ok(done) => self.chunk_received(done),
                Err(pending) => self.progress.task = Some(ShadowTask::Load(pending)),
            },
            Some(ShadowTask::TransferState(pending, theirs)) => match pending.poll() {
                Ok(done) => self.transfer_finished(done, theirs),
                Err(pending) => self.progress.task = Some(ShadowTask::TransferState(pending, theirs)),
            },
        }
        self.progress.task.is_none()
    }

    fn chunk_received(&mut self, done: Option<ReturnedPolicy<Applied>>) {
        let applied = self.take_back("apply", done);
        if let Some(applied) = self.check_reply(applied) {
            self.findings.extend(applied.findings);
        }
    }

    fn transfer_finished(
        &mut self,
        done: Option<ReturnedPolicy<TransferReply>>,
        theirs: Option<Box<PolicyCheckpoint>>,
    ) {
        let taken = self.take_back("restore", done).map(|(applied, taken)| {
            self.findings.extend(applied.findings);
            taken
        });
        match (theirs, taken) {
            (Some(theirs), taken) => drop(self.record_transfer(*theirs, Some(taken))),
            (None, Ok(_)) => self.progress.state_transfer = Some(StateTransfer::None),
            (None, Err(fault)) => self.record_fault(&fault),
        }
    }

    /// Records what became of the checkpoint `theirs`. `taken` is `None` where the shadow policy failed before. Returns whether the policy took the
    /// checkpoint.
    pub(super) fn record_transfer(
        &mut self,
        theirs: PolicyCheckpoint,
        taken: Option<Result<Result<(), StateError>, CallError>>,
    ) -> bool {
        let why = match taken {
            None => "it has failed".to_owned(),
            Some(Ok(Ok(()))) => {
                self.progress.state_transfer = Some(StateTransfer::Restored);
                self.slot.plan_numbers = theirs.plan_numbers.clone();
                // This checkpoint restores the policy when it is restarted.
                self.slot.last_checkpoint = Some(theirs);
                return true;
            }
            Some(Ok(Err(StateError::UnknownFormat(known)))) => {
                format!("it has format {}, the other policy knows {known}", theirs.checkpoint.format)
            }
            Some(Ok(Err(StateError::Malformed(what)))) => what,
            Some(Err(CallError::MissingInterface(_))) => "the other policy takes none".to_owned(),
            Some(Err(fault)) => {
                self.record_fault(&fault);
                "it has failed".to_owned()
            }
        };
        self.progress.state_transfer = Some(StateTransfer::Rebuilt { why });
        false
    }

    /// Drops the shadow policy on its thread, because freeing its memory takes time, too.
    pub(super) fn drop_policy(&mut self) {
        self.wait_for_task();
        let policy = std::mem::replace(&mut self.slot.policy, Box::new(DetachedPolicy));
        self.thread.drop(policy);
    }
}

/// Reserves pods that are held. The effects that the policy answers with are ignored, because the pods are held already.
pub(super) fn reserve(policy: &mut dyn Policy, held: &[(PodId, NodeId)]) -> Result<(), CallError> {
    for (pod, node) in held {
        match policy.reserve(*pod, *node) {
            Ok(_) | Err(CallError::MissingInterface(_)) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}
