//! Asks the policy for the standings of running pods while the loop turns, and has the marks written.

use std::time::Instant;

use tracing::warn;

use super::{StandingMarks, StandingScan};
use crate::decide::{DeciderOutput, RecordableSession};
use crate::ops::Outbox;
use crate::report::{QualifiedName, ReportedObject};
use crate::run::listener::LoopObserver;
use crate::view::text;
use crate::watch::store::ObjectChange;
use lictor_host::cluster::Mirror;
use lictor_host::session::{Session, SessionReport, StepOutput};

/// The listener that marks running pods. Without a way to write it does nothing.
#[derive(Debug, Default)]
pub struct StandingMarker {
    outbox: Option<Outbox>,
    marks: StandingMarks,
    scan: StandingScan,
    /// The time of the last turn.
    now: i64,
}

impl StandingMarker {
    /// Returns a listener that marks pods; `None`: it does nothing.
    pub fn new(writes: Option<Outbox>) -> StandingMarker {
        StandingMarker { outbox: writes, ..StandingMarker::default() }
    }

    /// Asks for the standings of the pods that are due.
    fn request_standings(&mut self, now: i64, talk: &mut RecordableSession) {
        let pods = self.scan.next_batch(now, talk.session().mirror());
        if pods.is_empty() {
            return;
        }
        let begun = Instant::now();
        match talk.standings_of(&pods) {
            Ok(standings) => {
                pods.iter().for_each(|pod| self.marks.set_standing(now, pod, standings.get(pod)));
                self.scan.record_duration(now, pods.len(), begun.elapsed());
            }
            Err(error) => {
                warn!(%error, "the policy does not say which running pods are safe: it is asked again in five minutes");
                self.scan.failed(now);
            }
        }
    }
}

impl LoopObserver for StandingMarker {
    fn leadership_started(&mut self, _: crate::run::listener::WakeFunction) {
        *self = StandingMarker::new(self.outbox.take());
    }

    fn object_changed(&mut self, news: &ObjectChange) {
        if self.outbox.is_none() {
            return;
        }
        if !matches!(news, ObjectChange::Marked(..)) {
            self.scan.changed(self.now);
        }
        match news {
            ObjectChange::Deleted(key) => self.marks.forget(key.strip_prefix("Pod/").unwrap_or_default()),
            ObjectChange::Marked(pod, mark) => self.marks.observe_mark(self.now, pod, mark.clone()),
            ObjectChange::Upserted(shown) => {
                let is_leaving = !text(&shown.object, "/metadata/deletionTimestamp").is_empty();
                let has_ended = matches!(text(&shown.object, "/status/phase"), "Succeeded" | "Failed");
                if let Some(pod) = shown.key.strip_prefix("Pod/").filter(|_| is_leaving || has_ended) {
                    self.marks.forget(pod);
                }
            }
        }
    }

    fn output_applied(&mut self, turn: &DeciderOutput, _: &Session, _: Option<i64>) {
        let is_change = |step: &StepOutput| step.happened != SessionReport::default() || !step.replacement.is_empty();
        if turn.steps.iter().any(is_change) {
            self.scan.changed(self.now);
        }
    }

    fn tick(&mut self, now: i64, talk: Option<&mut RecordableSession>) {
        self.now = now;
        let (Some(writes), Some(talk)) = (self.outbox.clone(), talk) else { return };
        // Pods that wait come first.
        if !talk.session().is_in_cycle() {
            self.request_standings(now, talk);
        }
        let mirror = talk.session().mirror();
        self.marks.due(now, |pod| subject(mirror, pod)).into_iter().for_each(|write| writes.send(write));
        if self.marks.take_refused_warning(now) {
            warn!(
                "no label and no condition of running pods (`--standing`) was kept by the API server: each is written again later; see whether \
                 this process may patch `pods` and `pods/status`, and the log of `RUST_LOG=lictor_controller=debug`"
            );
        }
    }

    fn due(&self) -> Option<i64> {
        self.outbox.as_ref()?;
        Some(self.marks.wake_at(self.now).map_or(self.scan.wake_at(), |at| at.min(self.scan.wake_at())))
    }
}

/// Finds the pod of a name that runs and stays.
fn subject(mirror: &Mirror, pod: &str) -> Option<ReportedObject> {
    let pod = mirror.pod_id(pod).and_then(|id| mirror.pod(id)).filter(|pod| !pod.terminating && pod.node.is_some())?;
    let [group, kind, version, plural] = ["", "Pod", "v1", "pods"].map(str::to_owned);
    let name = QualifiedName { group, kind, namespace: pod.template.namespace.clone(), name: pod.name.clone() };
    Some(ReportedObject { name, version, plural, uid: pod.uid.clone(), ..ReportedObject::default() })
}
