//! The requests to the API server that are under way, and the steps that follow their answers.

use std::collections::BTreeMap;

use lictor_host::driver::random::Random;

use super::orders::PlanExecution;
use super::play::SchedulerSimulation;
use super::world::{Object, SECOND, SchedulerApiRequest};
use crate::message::CommandMessage;

/// The next step after an answer.
#[derive(Debug, Clone)]
pub(super) enum Continuation {
    Nothing,
    /// The next nomination of a plan that is carried out, by the number of its run.
    Nominated(u64),
    /// A victim was marked, or has its condition, or is deleted.
    Evicted(u64, CommandMessage, EvictionStep),
    /// A pod was read to learn the outcome of a command of this conversation. With it the host's knowledge of the pod before.
    Confirmed(u64, CommandMessage, Option<Object>),
    /// Of a pod, by uid: the nomination that is expected, its marks, its binding.
    Expected(String),
    Marked(String),
    Bound(String),
}

/// The stage of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvictionStep {
    Mark,
    Condition,
    Delete,
}

/// Something that happens at a moment.
#[derive(Debug, Clone)]
pub(super) enum TimedTask {
    /// The API server takes a request.
    Serve(SchedulerApiRequest, Continuation),
    /// The answer is there.
    Respond(Result<Object, u16>, Continuation),
    /// The binding cycle of a pod begins.
    Begin(String),
    /// All keys are requested anew.
    Refresh(Vec<String>),
    /// Pods are activated in kube-scheduler.
    Activate(Vec<Object>),
}

/// The requests under way, by the time at which each continues.
#[derive(Debug, Default)]
pub(super) struct TimedTasks {
    all: BTreeMap<(i64, u64), TimedTask>,
    last: u64,
    /// The plans that are being carried out.
    pub(super) runs: BTreeMap<u64, PlanExecution>,
}

impl TimedTasks {
    pub(super) fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(super) fn add(&mut self, at: i64, task: TimedTask) {
        let number = self.number();
        self.all.insert((at, number), task);
    }

    /// Begins the binding cycle of a pod.
    pub(super) fn begin(&mut self, now: i64, random: &mut Random, uid: String) {
        self.add(now + pause(random, 5), TimedTask::Begin(uid));
    }

    pub(super) fn due(&self) -> Option<i64> {
        self.all.first_key_value().map(|((at, _), _)| *at)
    }

    /// Forgets the tasks of a process that has ended. Its requests may still be served.
    pub(super) fn restart(&mut self) {
        self.runs.clear();
        self.all.retain(|_, task| matches!(task, TimedTask::Serve(..)));
        for task in self.all.values_mut() {
            if let TimedTask::Serve(_, then) = task {
                *then = Continuation::Nothing;
            }
        }
    }

    fn pop(&mut self, now: i64) -> Option<TimedTask> {
        let first = self.all.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

/// Returns a pause of up to `most` milliseconds.
fn pause(random: &mut Random, most: usize) -> i64 {
    i64::try_from(1 + random.below(most)).unwrap() * SECOND / 1000
}

impl SchedulerSimulation<'_> {
    /// Sends a request to the API server.
    pub(super) fn send(&mut self, request: SchedulerApiRequest, then: Continuation) {
        let most = if self.draw(self.faults.chances.slow) { 8_000 } else { 40 };
        let there = self.now() + pause(&mut self.random, most);
        self.tasks.add(there, TimedTask::Serve(request, then));
    }

    pub(super) fn draw(&mut self, of_thousand: usize) -> bool {
        of_thousand > 0 && self.random.below(1000) < of_thousand
    }

    /// Runs the tasks that are due.
    pub(super) fn run_due(&mut self) {
        while let Some(task) = self.tasks.pop(self.api_server.now) {
            match task {
                TimedTask::Serve(request, then) => self.serve(request, then),
                TimedTask::Respond(answer, then) => self.continue_task(answer, then),
                TimedTask::Begin(uid) => self.begin_binding(&uid),
                TimedTask::Refresh(pods) => self.refresh(pods),
                TimedTask::Activate(pods) => self.activate_now(&pods),
            }
        }
    }

    /// Sends a request to the API server, unless something goes wrong.
    fn serve(&mut self, request: SchedulerApiRequest, then: Continuation) {
        let chances = self.faults.chances;
        self.inject_fault(&request);
        let served = if self.draw(chances.dropped) {
            Err(0)
        } else if self.draw(chances.busy) {
            Err([429, 500, 503][self.random.below(3)])
        } else {
            self.observed(&request, &then)
        };
        let answer = if self.draw(chances.lost) { Err(0) } else { served };
        let back = self.now() + pause(&mut self.random, 40);
        self.tasks.add(back, TimedTask::Respond(answer, then));
    }

    /// Serves a request, and has the observer see it. A kube-scheduler that was started since knows nothing of a binding that is served late.
    fn observed(&mut self, request: &SchedulerApiRequest, then: &Continuation) -> Result<Object, u16> {
        let (now, before) = (self.now(), self.api_server.pod(&request.pod).cloned());
        let served = self.api_server.serve(request);
        self.observer.requested(now, request, before.as_ref(), &served);
        match (request.verb, &served, then) {
            ("bind", Ok(pod), Continuation::Bound(_)) => self.observer.bound(&self.api_server, pod),
            ("bind", Ok(pod), _) => self.observer.bound_late(pod),
            _ => {}
        }
        served
    }

    /// Continues a task with the code of an answer; 0: there was none.
    fn continue_task(&mut self, answer: Result<Object, u16>, then: Continuation) {
        match then {
            Continuation::Nothing => {}
            Continuation::Nominated(run) => self.nominated(run, answer.err()),
            Continuation::Evicted(run, order, stage) => self.evicted(run, order, stage, answer.err()),
            Continuation::Confirmed(talk, order, known) => self.confirmed(talk, &order, known.as_ref(), answer),
            Continuation::Expected(uid) => self.wait_on_permit(&uid),
            Continuation::Marked(uid) => self.marked(&uid, answer.err()),
            Continuation::Bound(uid) => self.bound(&uid, answer.err()),
        }
    }
}
