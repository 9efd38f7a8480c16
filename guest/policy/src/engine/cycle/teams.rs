//! Who waits: the pods of each job that want a node, in the order of the job.

use std::collections::BTreeMap;

use super::{Context, Stage};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::laws::Gate;
use crate::model::{Cluster, JobIx, Kind, Overflow, Pod, PodIx, QueueIx};

/// The pods of one job that wait.
#[derive(Debug, Clone)]
pub struct Team {
    /// The queue of the job.
    pub queue: QueueIx,
    /// The pods, the first to be served first; never empty.
    pub pods: Vec<PodIx>,
}

impl Team {
    /// A pod that stands for the job.
    pub fn lead(&self) -> Option<PodIx> {
        self.pods.first().copied()
    }
}

/// Whether a pod asks for more than to be there.
pub fn asks(cluster: &Cluster, pod: &Pod) -> bool {
    pod.request.iter().any(|(resource, _)| cluster.resource_name(resource) != "pods")
}

/// The teams of the pods that wait and are wanted, without those that one of the laws bars.
pub fn waiting(
    stage: &Stage<'_>,
    notes: &mut Notes,
    context: &Context<'_>,
    laws: &[Gate],
    wanted: impl Fn(&Cluster, &Pod) -> bool,
) -> Result<Vec<Team>, Overflow> {
    let cluster = stage.cluster();
    let mut teams: BTreeMap<(Option<JobIx>, Option<PodIx>), Team> = BTreeMap::new();
    let all = cluster.pods().filter(|(ix, pod)| pod.name.kind == Kind::Pod && stage.is_waiting(*ix));
    for (ix, pod) in all.filter(|(_, pod)| wanted(cluster, pod)) {
        let alone = pod.traits.job.is_none();
        let Some(queue) = pod.queue else {
            tell_homeless(cluster, notes, context, laws, ix)?;
            continue;
        };
        let team = teams.entry((pod.traits.job, alone.then_some(ix))).or_insert(Team { queue, pods: Vec::new() });
        team.pods.push(ix);
    }
    let mut free = Vec::new();
    for mut team in teams.into_values() {
        in_order(cluster, context, &mut team.pods);
        notes.resume_job(&team.pods);
        match context.broken(cluster, laws, &team.pods)? {
            None => free.push(team),
            Some((rule, breach)) => notes.breach(cluster, Subject::Asker, Outcome::Barred, &rule, &breach),
        }
    }
    Ok(free)
}

/// Notes what bars a pod that is of no queue.
fn tell_homeless(
    cluster: &Cluster,
    notes: &mut Notes,
    context: &Context<'_>,
    laws: &[Gate],
    ix: PodIx,
) -> Result<(), Overflow> {
    if notes.are_on() {
        notes.resume_job(&[ix]);
        if let Some((rule, breach)) = context.broken(cluster, laws, &[ix])? {
            notes.breach(cluster, Subject::Asker, Outcome::Barred, &rule, &breach);
        }
    }
    Ok(())
}

/// Puts pods of a job in the order in which they are served.
pub fn in_order(cluster: &Cluster, context: &Context<'_>, pods: &mut [PodIx]) {
    pods.sort_by(|a, b| match (cluster.pod(*a), cluster.pod(*b)) {
        (Some(a), Some(b)) => (context.cycle.tasks.compare)(cluster, a, b),
        _ => a.cmp(b),
    });
}
