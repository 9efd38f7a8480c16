//! The pods that a name means: one pod, or those of a job.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Phase, Pod};

use super::super::failure::DecideError;
use super::super::jobs::{Memberships, members};
use lictor_host::cluster::Mirror;

/// The similarity from which on one name may be meant by another, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.8;

/// The number of names that are suggested.
const SUGGESTED: usize = 3;

/// The pods that a name means.
#[derive(Debug)]
pub struct ResolvedPods {
    /// The pods, as they were before any decision.
    pub pods: Vec<InitialPod>,
    /// The other pods of the job of a single pod.
    pub other_pods: Vec<InitialPod>,
}

impl ResolvedPods {
    /// Returns the names of the pods.
    pub fn names(&self) -> Vec<String> {
        self.pods.iter().map(|pod| pod.name.clone()).collect()
    }
}

/// A pod before any decision.
#[derive(Debug, Clone)]
pub struct InitialPod {
    /// Its name.
    pub name: String,
    /// The node that it is bound to.
    pub node: Option<String>,
    /// Whether it is being deleted.
    pub is_terminating: bool,
    /// Whether it has ended.
    pub ended: bool,
}

/// The pods and jobs of a cluster by name, as they were before any decision.
#[derive(Debug)]
pub struct NameIndex {
    pods: BTreeMap<String, InitialPod>,
    jobs: BTreeMap<String, BTreeSet<String>>,
}

impl NameIndex {
    /// Reads the names of a cluster before any decision, with the jobs that the policy assigns to pods.
    pub fn of(mirror: &Mirror, memberships: &Memberships) -> NameIndex {
        let before = |pod: &Pod| {
            let name = mirror.pod_name(pod.id)?.to_owned();
            let node = pod.node.and_then(|node| mirror.node(node)).map(|node| node.name.clone());
            let ended = matches!(pod.phase, Phase::Succeeded | Phase::Failed);
            Some((name.clone(), InitialPod { name, node, is_terminating: pod.terminating, ended }))
        };
        NameIndex { pods: mirror.pods().filter_map(before).collect(), jobs: members(mirror, memberships) }
    }

    /// Returns the pods that wait, by job; a pod of no job by its own name.
    pub fn waiting(&self) -> BTreeMap<String, Vec<String>> {
        let of_pods = self.jobs.iter().flat_map(|(job, pods)| pods.iter().map(move |pod| (pod, job)));
        let job_of: BTreeMap<&String, &String> = of_pods.collect();
        let waits = |pod: &&InitialPod| pod.node.is_none() && !pod.ended && !pod.is_terminating;
        let mut waiting: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pod in self.pods.values().filter(waits) {
            let job = job_of.get(&pod.name).copied().unwrap_or(&pod.name);
            waiting.entry(job.clone()).or_default().push(pod.name.clone());
        }
        waiting
    }

    /// Returns the pods that a name means. The namespace may be left out as long as one pod or one job has the name.
    ///
    /// # Errors
    /// No pod or job has the name, or several have it.
    pub fn find(&self, asked: &str) -> Result<ResolvedPods, DecideError> {
        let pods = self.resolve(asked)?;
        let mates: BTreeSet<&String> = match pods.as_slice() {
            [only] => {
                self.jobs.values().filter(|pods| pods.contains(only)).flatten().filter(|pod| *pod != only).collect()
            }
            _ => BTreeSet::new(),
        };
        let before = |name: &String| self.pods.get(name).cloned();
        Ok(ResolvedPods {
            pods: pods.iter().filter_map(before).collect(),
            other_pods: mates.into_iter().filter_map(before).collect(),
        })
    }

    fn resolve(&self, asked: &str) -> Result<Vec<String>, DecideError> {
        if self.pods.contains_key(asked) {
            return Ok(vec![asked.to_owned()]);
        }
        let matching = |name: &str| name == asked || !asked.contains('/') && bare(name) == asked;
        let pods_meant: Vec<&String> = self.pods.keys().filter(|name| matching(name)).collect();
        let jobs_meant: Vec<&String> = self.jobs.keys().filter(|name| matching(name)).collect();
        match (pods_meant.as_slice(), jobs_meant.as_slice()) {
            ([pod], _) => Ok(vec![(*pod).clone()]),
            ([], [job]) => Ok(self.jobs.get(*job).into_iter().flatten().cloned().collect()),
            ([], []) => Err(DecideError::UnknownName(asked.to_owned(), self.near(asked))),
            ([], jobs) => Err(several(asked, jobs)),
            (pods, _) => Err(several(asked, pods)),
        }
    }

    /// Returns the names that are spelled most similarly.
    fn near(&self, asked: &str) -> Vec<String> {
        let names: BTreeSet<&str> = self.pods.keys().chain(self.jobs.keys()).map(String::as_str).collect();
        let alike = |name: &str| strsim::jaro_winkler(name, asked).max(strsim::jaro_winkler(bare(name), bare(asked)));
        let mut near: Vec<(f64, &str)> = names.into_iter().map(|name| (alike(name), name)).collect();
        near.retain(|(alike, _)| *alike > MIN_SIMILARITY);
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.into_iter().take(SUGGESTED).map(|(_, name)| name.to_owned()).collect()
    }
}

fn bare(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, bare)| bare)
}

fn several(asked: &str, meant: &[&String]) -> DecideError {
    DecideError::SeveralNames(asked.to_owned(), meant.iter().map(|name| (*name).clone()).collect())
}
