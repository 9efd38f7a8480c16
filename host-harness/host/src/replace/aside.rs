//! What the policy in shadow does on its own thread: answers while the policy in force does, and work that is waited for with a later input.

use lictor_contract::*;

use super::member::{PolicyCheckpoint, Shadow};
use super::transition::StateTransfer;
use super::worker::{DetachedPolicy, PendingReply, ReturnedPolicy};
use crate::cluster::ReplayPosition;
use crate::policy::{CallError, Policy, PolicyUsage};

/// The work in progress on the thread of the shadow policy.
pub(super) enum ShadowTask {
    /// The shadow policy receives a part of the cluster.
    Told(PendingReply<Applied>),
    /// The shadow policy receives the pods that are held, and the checkpoint of the policy in force, where that has a memory.
    Settles(PendingReply<TransferReply>, Option<Box<PolicyCheckpoint>>),
}

/// The findings in the last events, and the policy's verdict on the checkpoint.
type TransferReply = (Applied, Result<(), StateError>);

impl Shadow {
    /// Puts a question to the shadow policy on its thread. `None`: the policy has failed.
    pub(super) fn put<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&mut dyn Policy) -> Result<T, CallError> + Send + 'static,
    ) -> Option<PendingReply<T>> {
        self.fetch();
        if self.wrong.is_some() {
            return None;
        }
        self.usage = self.member.policy.usage();
        let policy = std::mem::replace(&mut self.member.policy, Box::new(DetachedPolicy));
        Some(self.worker.ask(policy, question))
    }

    /// Returns what the shadow policy has used. While it works, this is the usage before the work began.
    pub(super) fn usage(&self) -> PolicyUsage {
        if self.busy.is_some() { self.usage } else { self.member.policy.usage() }
    }

    /// Waits for the answer of a question. `None`: the shadow policy has failed or lacks the interface.
    pub(super) fn get<T>(&mut self, call: &'static str, pending: Option<PendingReply<T>>) -> Option<T> {
        let answer = self.back(call, pending?.wait());
        self.answered(answer)
    }

    /// Takes the shadow policy back from its thread. `None` in `done`: the thread broke, which is an error.
    fn back<T>(&mut self, call: &'static str, done: Option<ReturnedPolicy<T>>) -> Result<T, CallError> {
        let Some((policy, answer)) = done else { return Err(DetachedPolicy::fault(call)) };
        self.member.policy = policy;
        answer
    }

    /// Sends the shadow policy a part of the cluster, after the changes to the parts that it already has. Does not wait.
    pub(super) fn tell_aside(&mut self, events: Vec<Event>, reached: ReplayPosition) {
        let mut all = std::mem::take(&mut self.backlog);
        all.extend(events);
        self.busy = self.put(|policy| policy.apply(all)).map(ShadowTask::Told);
        self.reached = reached;
    }

    /// Sends the shadow policy the pods that are held, and the checkpoint of the policy in force. Does not wait.
    pub(super) fn settle_aside(&mut self, held: Vec<(PodId, NodeId)>, theirs: Option<PolicyCheckpoint>) {
        let backlog = std::mem::take(&mut self.backlog);
        let checkpoint = theirs.as_ref().map(|theirs| theirs.checkpoint.clone());
        let settles = self.put(move |policy| {
            let applied = policy.apply(backlog)?;
            reserve(policy, &held)?;
            Ok((applied, checkpoint.map_or(Ok(Ok(())), |checkpoint| policy.restore(&checkpoint))?))
        });
        self.busy = settles.map(|pending| ShadowTask::Settles(pending, theirs.map(Box::new)));
    }

    /// Waits for the work in progress.
    pub(super) fn fetch(&mut self) {
        match self.busy.take() {
            None => {}
            Some(ShadowTask::Told(pending)) => self.told(pending.wait()),
            Some(ShadowTask::Settles(pending, theirs)) => self.settled(pending.wait(), theirs),
        }
    }

    /// Returns whether no work is in progress, and takes the result of finished work. Does not wait.
    pub(super) fn is_back(&mut self) -> bool {
        match self.busy.take() {
            None => {}
            Some(ShadowTask::Told(pending)) => match pending.poll() {
                Ok(done) => self.told(done),
                Err(pending) => self.busy = Some(ShadowTask::Told(pending)),
            },
            Some(ShadowTask::Settles(pending, theirs)) => match pending.poll() {
                Ok(done) => self.settled(done, theirs),
                Err(pending) => self.busy = Some(ShadowTask::Settles(pending, theirs)),
            },
        }
        self.busy.is_none()
    }

    fn told(&mut self, done: Option<ReturnedPolicy<Applied>>) {
        let applied = self.back("apply", done);
        if let Some(applied) = self.answered(applied) {
            self.findings.extend(applied.findings);
        }
    }

    fn settled(&mut self, done: Option<ReturnedPolicy<TransferReply>>, theirs: Option<Box<PolicyCheckpoint>>) {
        let taken = self.back("restore", done).map(|(applied, taken)| {
            self.findings.extend(applied.findings);
            taken
        });
        match (theirs, taken) {
            (Some(theirs), taken) => drop(self.handed(*theirs, Some(taken))),
            (None, Ok(_)) => self.memory = Some(StateTransfer::None),
            (None, Err(fault)) => self.fault(&fault),
        }
    }

    /// Records what became of the checkpoint `theirs`. `taken` is `None` where the shadow policy failed before. Returns whether the policy took the
    /// checkpoint.
    pub(super) fn handed(
        &mut self,
        theirs: PolicyCheckpoint,
        taken: Option<Result<Result<(), StateError>, CallError>>,
    ) -> bool {
        let why = match taken {
            None => "it has failed".to_owned(),
            Some(Ok(Ok(()))) => {
                self.memory = Some(StateTransfer::Restored);
                self.member.numbers = theirs.numbers.clone();
                // This checkpoint restores the policy when it is restarted.
                self.member.saved = Some(theirs);
                return true;
            }
            Some(Ok(Err(StateError::UnknownFormat(known)))) => {
                format!("it has format {}, the other policy knows {known}", theirs.checkpoint.format)
            }
            Some(Ok(Err(StateError::Malformed(what)))) => what,
            Some(Err(CallError::Lacks(_))) => "the other policy takes none".to_owned(),
            Some(Err(fault)) => {
                self.fault(&fault);
                "it has failed".to_owned()
            }
        };
        self.memory = Some(StateTransfer::Rebuilt { why });
        false
    }

    /// Drops the shadow policy on its thread, because freeing its memory takes time, too.
    pub(super) fn leave(&mut self) {
        self.fetch();
        let policy = std::mem::replace(&mut self.member.policy, Box::new(DetachedPolicy));
        self.worker.drop(policy);
    }
}

/// Reserves pods that are held. The effects that the policy answers with are ignored, because the pods are held already.
pub(super) fn reserve(policy: &mut dyn Policy, held: &[(PodId, NodeId)]) -> Result<(), CallError> {
    for (pod, node) in held {
        match policy.reserve(*pod, *node) {
            Ok(_) | Err(CallError::Lacks(_)) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}
