//! The originators of applications: the first pod stays the originator of its application when it is gone, which no object shows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::CorePod;
use crate::object::{name, pods};

/// The applications of a case, as far as the judge has answered about their pods.
#[derive(Debug, Clone, Default)]
pub(crate) struct ApplicationOriginators {
    /// The application of each pod.
    pods: BTreeMap<String, String>,
    /// The first originator of each application.
    originators: BTreeMap<String, String>,
}

impl ApplicationOriginators {
    /// Stores the pods of an answer, and the originators of applications that had none.
    pub(super) fn remember(&mut self, pods: &BTreeMap<String, CorePod>) {
        for (pod, core) in pods.iter().filter(|(_, core)| !core.app.is_empty()) {
            self.pods.insert(pod.clone(), core.app.clone());
            if core.originator {
                self.originators.entry(core.app.clone()).or_insert_with(|| pod.clone());
            }
        }
    }

    /// Removes the pods that are not among these objects, and the applications without a pod: as in the policy, another application of that name has
    /// an originator of its own.
    pub(crate) fn retain(&mut self, objects: &[Value]) {
        let names: BTreeSet<String> = pods(objects).map(name).collect();
        self.pods.retain(|pod, _| names.contains(pod));
        let used: BTreeSet<&String> = self.pods.values().collect();
        self.originators.retain(|app, _| used.contains(app));
    }

    /// Returns the applications whose originator is gone, ordered by name.
    pub(crate) fn without_originator(&self) -> Vec<String> {
        let gone = self.originators.iter().filter(|(_, pod)| !self.pods.contains_key(*pod));
        gone.map(|(app, _)| app.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_originator_that_is_gone_has_no_successor_while_its_application_has_pods() {
        let core = |originator| CorePod { app: "a".to_owned(), originator, ..CorePod::default() };
        let object = |name: &str| json!({"kind": "Pod", "metadata": {"name": name, "namespace": "d"}});
        let mut applications = ApplicationOriginators::default();
        applications.remember(&[("d/p".to_owned(), core(true)), ("d/q".to_owned(), core(false))].into());
        applications.retain(&[object("p"), object("q")]);
        assert!(applications.without_originator().is_empty());
        applications.retain(&[object("q")]);
        assert_eq!(applications.without_originator(), ["a"]);
        applications.remember(&[("d/q".to_owned(), core(true))].into());
        assert_eq!(applications.without_originator(), ["a"], "the first one counts");
        applications.retain(&[]);
        assert!(applications.without_originator().is_empty());
        applications.remember(&[("d/r".to_owned(), core(true))].into());
        assert!(applications.without_originator().is_empty(), "another application of this name");
    }
}
