//! Which pods a name means: one pod, or those of a job.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::{Phase, SystemInfo};

use super::super::failure::Failure;
use super::super::jobs::members;
use lictor_host::cluster::Mirror;

/// How alike two names are for one to be taken for the other, of 1.
const ALIKE: f64 = 0.8;

/// How many names are suggested.
const SUGGESTED: usize = 3;

/// What a name means.
#[derive(Debug)]
pub struct Meant {
    /// The pods, by name, as they were before anything was decided.
    pub pods: Vec<Before>,
    /// The other pods of the job of a single pod.
    pub mates: Vec<Before>,
}

/// A pod before anything was decided.
#[derive(Debug, Clone)]
pub struct Before {
    /// Its name.
    pub name: String,
    /// The node that it is bound to.
    pub node: Option<String>,
    /// It is being deleted.
    pub leaves: bool,
    /// It has ended.
    pub ended: bool,
}

/// The pods that a name means; with or without a namespace, as long as it means one pod or one job.
pub fn find(mirror: &Mirror, laws: Option<&SystemInfo>, asked: &str) -> Result<Meant, Failure> {
    let jobs = members(mirror, laws);
    let pods = meant(mirror, &jobs, asked)?;
    let mates: BTreeSet<&String> = match pods.as_slice() {
        [only] => jobs.values().filter(|pods| pods.contains(only)).flatten().filter(|pod| *pod != only).collect(),
        _ => BTreeSet::new(),
    };
    let before = |name: &String| {
        let pod = mirror.pod_id(name).and_then(|id| mirror.pod(id));
        let node = pod.and_then(|pod| pod.node).and_then(|node| mirror.node(node)).map(|node| node.name.clone());
        let ended = pod.is_some_and(|pod| matches!(pod.phase, Phase::Succeeded | Phase::Failed));
        Before { name: name.clone(), node, leaves: pod.is_some_and(|pod| pod.terminating), ended }
    };
    Ok(Meant { pods: pods.iter().map(before).collect(), mates: mates.into_iter().map(before).collect() })
}

fn meant(mirror: &Mirror, jobs: &BTreeMap<String, BTreeSet<String>>, asked: &str) -> Result<Vec<String>, Failure> {
    let pods: BTreeSet<&str> = mirror.pods().filter_map(|pod| mirror.pod_name(pod.id)).collect();
    if pods.contains(asked) {
        return Ok(vec![asked.to_owned()]);
    }
    let matching = |name: &str| name == asked || !asked.contains('/') && bare(name) == asked;
    let pods_meant: Vec<&str> = pods.iter().copied().filter(|name| matching(name)).collect();
    let jobs_meant: Vec<&String> = jobs.keys().filter(|name| matching(name)).collect();
    match (pods_meant.as_slice(), jobs_meant.as_slice()) {
        ([pod], _) => Ok(vec![(*pod).to_owned()]),
        ([], [job]) => Ok(jobs.get(*job).into_iter().flatten().cloned().collect()),
        ([], []) => Err(Failure::UnknownName(asked.to_owned(), near(asked, &pods, jobs))),
        ([], jobs) => Err(several(asked, jobs)),
        (pods, _) => Err(several(asked, pods)),
    }
}

fn bare(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, bare)| bare)
}

fn several<T: AsRef<str>>(asked: &str, meant: &[T]) -> Failure {
    Failure::SeveralNames(asked.to_owned(), meant.iter().map(|name| name.as_ref().to_owned()).collect())
}

/// The names that are written most like this one.
fn near(asked: &str, pods: &BTreeSet<&str>, jobs: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let names: BTreeSet<&str> = pods.iter().copied().chain(jobs.keys().map(String::as_str)).collect();
    let alike = |name: &str| strsim::jaro_winkler(name, asked).max(strsim::jaro_winkler(bare(name), bare(asked)));
    let mut near: Vec<(f64, &str)> = names.into_iter().map(|name| (alike(name), name)).collect();
    near.retain(|(alike, _)| *alike > ALIKE);
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().take(SUGGESTED).map(|(_, name)| name.to_owned()).collect()
}
