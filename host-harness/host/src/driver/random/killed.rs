//! Kills the process of session and driver, and continues with a new session.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::play::SessionSimulation;
use crate::session::{Session, SessionInput, SessionReport};

impl SessionSimulation {
    /// Stores a checkpoint after every step from now on, before the commands of the step are carried out.
    pub fn keep_checkpoints(&mut self) {
        self.stored = Some(self.checkpoint());
    }

    /// Kills the process with this probability: between two steps, or before the outcome of the last step was observed. Pending work of the driver is
    /// lost. A new session receives the cluster and the last checkpoint. Returns whether the process was killed.
    ///
    /// # Panics
    /// A plan is forgotten.
    pub fn may_be_killed(&mut self, percent: usize, open: impl FnOnce() -> Session) -> bool {
        let Some(stored) = self.stored.clone().filter(|_| self.random.percent(percent)) else { return false };
        if self.random.percent(50) {
            drop(self.session.handle(SessionInput::Cycle));
        }
        self.messages.commands.clear();
        self.messages.events.clear();
        self.messages.outcomes.clear();
        self.faults.fuse.set(-1);
        self.session = open();
        let objects = self.cluster.objects().into_iter().chain(self.objects.clone());
        self.session.handle(SessionInput::InitialList(objects.collect())).unwrap();
        self.session.restore(serde_json::from_str(&stored).unwrap()).unwrap();
        self.check_plans(&serde_json::from_str(&stored).unwrap());
        self.nominations.observe(&SessionReport::default(), self.session.mirror());
        // The withdrawals of the restored session come with its first step.
        self.serve(SessionInput::Clock(self.now));
        true
    }

    /// Returns the checkpoint of the session as text. A policy that breaks is called again, up to three times.
    pub(super) fn checkpoint(&mut self) -> String {
        let taken = (0..3).find_map(|_| self.session.checkpoint().ok()).unwrap();
        serde_json::to_string(&taken).unwrap()
    }

    /// Checks that every remaining victim is still part of its plan, for the same pods.
    fn check_plans(&mut self, before: &Value) {
        let after: Value = serde_json::from_str(&self.checkpoint()).unwrap();
        let is_there = |object: &&Value| {
            let pod = self.cluster.pods.get(object["name"].as_str().unwrap());
            pod.is_some_and(|pod| object["uid"] == pod.uid.as_str())
        };
        let plans = |saved: &Value| -> BTreeMap<String, (Value, BTreeSet<String>)> {
            let victims = saved["leaving"].as_array().unwrap().iter().filter(|victim| is_there(&&victim["object"]));
            let plan = |victim: &Value| {
                let pods = victim["beneficiaries"].as_array().unwrap().iter().filter(is_there);
                let pods: BTreeSet<String> = pods.map(Value::to_string).collect();
                (victim["object"].to_string(), (victim["plan"].clone(), pods))
            };
            victims.map(plan).collect()
        };
        assert_eq!(plans(before), plans(&after), "a plan is forgotten");
    }
}
