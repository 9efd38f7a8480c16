//! Rounds: queue by queue, job by job, whoever is next now.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::Context;
use super::teams::Team;
use crate::model::{Cluster, QueueIx};

/// The teams that are still to be served, by queue, each queue's in order.
pub struct Rounds(BTreeMap<QueueIx, Vec<Team>>);

impl Rounds {
    /// All of these are to be served.
    pub fn new(cluster: &Cluster, context: &Context<'_>, teams: Vec<Team>) -> Rounds {
        let mut queues: BTreeMap<QueueIx, Vec<Team>> = BTreeMap::new();
        for team in teams {
            queues.entry(team.queue).or_default().push(team);
        }
        for teams in queues.values_mut() {
            teams.sort_by(|a, b| compare(cluster, context, a, b).reverse());
        }
        Rounds(queues)
    }

    /// The first team of the first queue, as things stand.
    pub fn next(&mut self, cluster: &Cluster, context: &Context<'_>) -> Option<Team> {
        let waiting = self.0.iter().filter(|(_, teams)| !teams.is_empty()).map(|(queue, _)| *queue);
        let first = waiting.min_by(|a, b| (context.cycle.queues.1)(cluster, *a, *b))?;
        self.0.get_mut(&first)?.pop()
    }

    /// A team wants to be served again.
    pub fn again(&mut self, cluster: &Cluster, context: &Context<'_>, team: Team) {
        if team.pods.is_empty() {
            return;
        }
        let teams = self.0.entry(team.queue).or_default();
        let at = teams.partition_point(|other| compare(cluster, context, other, &team) == Ordering::Greater);
        teams.insert(at, team);
    }
}

fn compare(cluster: &Cluster, context: &Context<'_>, a: &Team, b: &Team) -> Ordering {
    let lead = |team: &Team| team.lead().and_then(|ix| cluster.pod(ix));
    match (lead(a), lead(b)) {
        (Some(a), Some(b)) => (context.cycle.jobs.compare)(cluster, a, b),
        _ => Ordering::Equal,
    }
}
