//! A listener that adds to the story what a process decides and why.

use std::collections::BTreeMap;

use lictor_host::session::Session;

use super::observer::ControllerChecker;
use super::server::ApiServerHandle;
use crate::decide::DeciderOutput;
use crate::run::listener::LoopObserver;

/// A listener of a process.
pub(super) struct StoryObserver {
    pub(super) server: ApiServerHandle,
    /// The number of the process.
    pub(super) process: u64,
    /// How the process sees each pod.
    pub(super) pods: BTreeMap<String, String>,
}

impl StoryObserver {
    /// Adds to the story the pods that the process sees differently from before.
    fn describe_pods(&mut self, observer: &mut ControllerChecker, session: &Session) {
        let mirror = session.mirror();
        let name = |node: Option<u32>| node.and_then(|node| mirror.node(node)).map_or("-", |node| &node.name);
        for pod in mirror.pods() {
            let gone = if pod.terminating { "leaves" } else { "" };
            let (node, nominated) = (name(pod.node), name(pod.nominated));
            let seen = format!("{:?} node {node} nominated {nominated} {gone}", pod.phase);
            let key = format!("{} {}", pod.name, pod.uid);
            if self.pods.insert(key.clone(), seen.clone()).as_ref() != Some(&seen) {
                observer.add_line(|| format!("process {} sees {key}: {seen}", self.process));
            }
        }
    }
}

impl LoopObserver for StoryObserver {
    fn checkpoint_failed(&mut self, why: &str) {
        self.server.state().observer.add_line(|| format!("process {} checkpoint: {why}", self.process));
    }

    fn output_applied(&mut self, turn: &DeciderOutput, session: &Session, _cycle: Option<i64>) {
        let server = self.server.clone();
        let observer = &mut server.state().observer;
        if observer.story.is_none() {
            return;
        }
        let process = self.process;
        self.describe_pods(observer, session);
        for happened in turn.steps.iter().map(|step| &step.happened) {
            for attempt in &happened.attempts {
                observer.add_line(|| {
                    let (pod, result, node) = (&attempt.pod, attempt.result, attempt.node.as_deref().unwrap_or("-"));
                    format!(
                        "process {process} tries {pod}: {result} {node} {}; again {}",
                        attempt.message(),
                        attempt.retry
                    )
                });
            }
            for plan in &happened.plans {
                observer.add_line(|| format!("process {process} plans {}: {plan:?}", plan.plan));
            }
            for refused in &happened.refused {
                observer.add_line(|| format!("process {process}: plan refused {refused:?}"));
            }
            for pod in &happened.withdrawn {
                observer.add_line(|| format!("process {process}: the nomination of {pod} was withdrawn"));
            }
            for failed in &happened.failed {
                observer.add_line(|| format!("process {process}: command failed {failed:?}"));
            }
        }
        for error in &turn.errors {
            observer.add_line(|| format!("process {process}: nothing was decided: {error}"));
        }
        for given_up in &turn.given_up {
            observer.add_line(|| format!("process {process} gives up {given_up:?}"));
        }
    }
}
