//! Least harm (rulings C33, C37), and which pods give way for a bound alone (ruling C34).

use super::books::{QuotaBalance, counts};
use super::gangs::Gangs;
use super::switches::priority;
use super::{KoordinatorAttemptCheck, QUOTA};
use crate::amounts::MilliAmounts;
use crate::harm::Counting;
use crate::outcome::ReportedOutcome;
use crate::placement::{PlacementProblem, Set};
use crate::tally::StepFindings;
use crate::world::ModelPod;

impl KoordinatorAttemptCheck<'_> {
    /// Judges that no other plan does less harm, and that no pod is evicted for a bound without need.
    pub(super) fn least_harm(
        &self,
        problem: &PlacementProblem<'_>,
        places: &[usize],
        outcome: &ReportedOutcome,
        verdict: &mut StepFindings,
    ) {
        let world = self.world;
        let candidate = |name: &str| world.pods.get(name);
        let elsewhere = problem.candidates.iter().filter(|candidate| !places.contains(&candidate.node));
        let elsewhere = elsewhere.filter_map(|other| candidate(other.name));
        let elsewhere: Vec<&ModelPod> = elsewhere.filter(|pod| outcome.victims.contains(&pod.name)).collect();
        if let Some(pod) = self.not_eligible_in_order(problem, &elsewhere) {
            let text =
                format!("`{}` makes no room, and its quota owes the job of `{}` nothing", pod.name, self.pod.name);
            verdict.breach("victim-frees-the-bound", text);
        }
        let unlike = problem.incoming.iter().any(|incoming| incoming.request != &self.pod.request);
        let nests = world.pods.values().any(|pod| world.inside(pod));
        if unlike || nests {
            return verdict.excuse(
                "the least harm is not sought for pods of different size, and where pods run inside of others",
            );
        }
        let gang_of = |pod: &ModelPod| Gangs::needs(world, pod);
        let counting = Counting { world, gang_of: &gang_of, priority };
        let victims: Vec<&ModelPod> = outcome.victims.iter().filter_map(|name| candidate(name)).collect();
        let harm = counting.of(&victims, 0);
        let is_bound = !self.quota_holds(problem, 0);
        let gives = |name: &str| candidate(name).is_some_and(|pod| self.is_of_the_own_quota(pod));
        let legal = |set: Set| {
            let own = !is_bound || !self.switches.checks_parents || problem.of(set).all(|other| gives(other.name));
            own && self.quota_holds(problem, set)
        };
        if let Some(least) = counting.least(problem, legal)
            && least < harm
        {
            let text = format!("{:?} for `{}` do {harm:?}, and {least:?} is enough", outcome.victims, self.pod.name);
            verdict.breach("least-harm", text);
        }
    }

    fn is_of_the_own_quota(&self, other: &ModelPod) -> bool {
        self.parts.iter().any(|part| other.label(QUOTA) == part.lead.label(QUOTA))
    }

    /// Returns a pod that may not go for a quota in whatever order these pods go; none where there is an order in which each may. A pod that may go
    /// after all others may go last: the others find no less in use then.
    fn not_eligible_in_order<'p>(&self, problem: &PlacementProblem<'_>, pods: &[&'p ModelPod]) -> Option<&'p ModelPod> {
        let mut left = pods.to_vec();
        while let Some(first) = left.first().copied() {
            let others = |pod: &ModelPod| {
                left.iter().copied().filter(|other| other.name != pod.name).collect::<Vec<&ModelPod>>()
            };
            let last = left.iter().position(|pod| self.is_eligible_for_bound(problem, pod, &others(pod)));
            let Some(last) = last else { return Some(first) };
            left.remove(last);
        }
        None
    }

    /// Returns whether a pod on a node without a planned pod may go for a quota: it counts against the own quota of a part of the job; or the
    /// quotas above are asked, the part stays within the min of its own, and the quota of the pod uses more than its own min without those that
    /// are gone. Those that make room on the nodes of the plan go later, so they are counted.
    fn is_eligible_for_bound(&self, problem: &PlacementProblem<'_>, other: &ModelPod, gone: &[&ModelPod]) -> bool {
        let world = self.world;
        let is_below_own = |books: &QuotaBalance| counts(world, other, &books.name);
        let gives = |own: &QuotaBalance, part: &super::PlannedJob<'_>| {
            let pods = problem.candidates.iter().filter_map(|candidate| world.pods.get(candidate.name));
            let ours = MilliAmounts::sum(pods.filter(|pod| counts(world, pod, &own.name)).map(|pod| &pod.request));
            let mut least = own.used.clone();
            least.take(&ours);
            least.add(&part.total);
            if own.min.0.is_empty() || !least.within(&own.min) {
                return false;
            }
            let Some(lender) = other.label(QUOTA) else { return false };
            let is_there =
                |pod: &&ModelPod| pod.label(QUOTA) == Some(lender) && !pod.finished && pod.occupied_node().is_some();
            let is_gone = |pod: &&ModelPod| gone.iter().any(|gone| gone.name == pod.name);
            let stays = world.pods.values().filter(|pod| is_there(pod) && !is_gone(pod));
            let uses = MilliAmounts::sum(stays.map(|pod| &pod.request));
            let key = ("ElasticQuota".to_owned(), lender.to_owned());
            let min = world.others.get(&key).map(|quota| MilliAmounts::read(crate::world::at(quota, "/spec/min")));
            let min = min.and_then(Result::ok).unwrap_or_default();
            own.min.0.keys().any(|resource| other.request.get(resource) > 0 && uses.get(resource) > min.get(resource))
        };
        self.parts.iter().any(|part| {
            let Some(own) = part.balances.first() else { return false };
            is_below_own(own) || self.switches.checks_parents && gives(own, part)
        })
    }
}
