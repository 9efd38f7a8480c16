//! The process of session and driver is killed, and another one goes on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::play::Simulation;
use crate::session::{Happened, Input, Session};

impl Simulation {
    /// From here on a checkpoint is stored after every step, before its commands are carried out.
    pub fn keep_checkpoints(&mut self) {
        self.stored = Some(self.checkpoint());
    }

    /// With so many percent, the process is killed: between two steps, or before anybody has heard what the last one came to. What the
    /// driver had to do and to tell is lost with it. A new session is told the cluster and given the last checkpoint. Whether it was.
    ///
    /// # Panics
    /// A plan is forgotten.
    pub fn may_be_killed(&mut self, percent: usize, open: impl FnOnce() -> Session) -> bool {
        let Some(stored) = self.stored.clone().filter(|_| self.random.percent(percent)) else { return false };
        if self.random.percent(50) {
            drop(self.session.handle(Input::Cycle));
        }
        self.commands.clear();
        self.news.clear();
        self.loose.clear();
        self.fuse.set(-1);
        self.session = open();
        let objects = self.cluster.objects().into_iter().chain(self.objects.clone());
        self.session.handle(Input::Listed(objects.collect())).unwrap();
        self.session.restore(serde_json::from_str(&stored).unwrap()).unwrap();
        self.check_plans(&serde_json::from_str(&stored).unwrap());
        self.promises.follow(&Happened::default(), self.session.mirror());
        // What is withdrawn comes with the first step.
        self.tell(Input::Clock(self.now));
        true
    }

    /// The session's checkpoint, as it is stored. A policy that breaks is asked again.
    pub(super) fn checkpoint(&mut self) -> String {
        let taken = (0..3).find_map(|_| self.session.checkpoint().ok()).unwrap();
        serde_json::to_string(&taken).unwrap()
    }

    /// Every victim that has not left is still one of its plan, for the same pods.
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
