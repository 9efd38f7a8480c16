//! Updates the cluster after each step.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{ModelCluster, ModelPod, job_of, owner};
use crate::ModelInputError;
use crate::build::put;
use crate::case::CaseStep;
use crate::object::{stamp, text};
use crate::outcome::ReportedOutcome;

impl ModelCluster {
    /// Applies the outcome of a step, which has been judged before.
    pub(crate) fn apply_outcome(&mut self, step: &CaseStep, outcome: &ReportedOutcome) -> Result<(), ModelInputError> {
        match step {
            CaseStep::Advance(seconds) => self.now += seconds,
            CaseStep::Apply(objects) => objects.iter().try_for_each(|object| self.put(object))?,
            CaseStep::EvictionsComplete => self.complete_evictions(),
            CaseStep::Order | CaseStep::Schedule(_) | CaseStep::Cycle | CaseStep::Usage(_) => {}
        }
        for pod in self.pods.values_mut().filter(|pod| !outcome.waiting.contains(&pod.name)) {
            pod.held = None;
        }
        if let (CaseStep::Schedule(name), Some(node)) = (step, &outcome.node)
            && outcome.waiting.contains(name)
            && let Some(pod) = self.pods.get_mut(name)
        {
            pod.held = Some(node.clone());
        }
        for (name, node) in &outcome.bound {
            if let Some(pod) = self.pods.get_mut(name) {
                (pod.node, pod.nominated, pod.held) = (Some(node.clone()), None, None);
                pod.times.started = Some(self.now);
            }
        }
        for (name, node) in &outcome.nominated {
            if let Some(pod) = self.pods.get_mut(name) {
                pod.nominated = Some(node.clone());
            }
        }
        if let Some(standing) = &outcome.nominations {
            for pod in self.pods.values_mut() {
                pod.nominated = standing.get(&pod.name).cloned();
            }
        }
        let jobs = outcome.victims.iter().filter_map(|name| Some(job_of(self.pods.get(name)?)));
        for job in jobs.collect::<BTreeSet<String>>() {
            *self.evictions.entry(job).or_default() += 1;
        }
        self.terminate(&outcome.victims);
        Ok(())
    }

    /// Begins to delete victims. One that waited at Permit is pending again.
    pub(crate) fn terminate(&mut self, victims: &BTreeSet<String>) {
        for name in victims {
            if let Some(pod) = self.pods.get_mut(name).filter(|pod| pod.node.is_some()) {
                pod.leaving = true;
                put(&mut pod.object, "/metadata", "deletionTimestamp", json!(stamp(self.now)));
            }
        }
    }

    /// Removes the victims, and the pods inside of evicted reservations.
    fn complete_evictions(&mut self) {
        let leaving: BTreeSet<String> =
            self.pods.values().filter(|pod| pod.leaving).map(|pod| pod.name.clone()).collect();
        let inside = |pod: &ModelPod| owner(pod).is_some_and(|reservation| leaving.contains(&reservation));
        let (gone, kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.pods).into_iter().partition(|(name, pod)| leaving.contains(name) || inside(pod));
        self.pods = kept;
        self.departed.extend(gone.into_values());
    }

    /// Takes the pods that have left since the last call, and returns them as their controllers create them again.
    pub(crate) fn recreated(&mut self) -> Vec<Value> {
        let stamp = stamp(self.now);
        let recreate = |pod: ModelPod| {
            let mut object = pod.object;
            let name = format!("{}r", text(&object, "/metadata/name"));
            put(&mut object, "/metadata", "name", json!(name));
            put(&mut object, "/metadata", "creationTimestamp", json!(stamp));
            put(&mut object, "", "status", json!({"phase": "Pending"}));
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("deletionTimestamp");
            }
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.remove("nodeName");
            }
            object
        };
        std::mem::take(&mut self.departed).into_iter().filter(|pod| !pod.is_reservation()).map(recreate).collect()
    }
}
