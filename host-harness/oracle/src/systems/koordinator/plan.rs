//! Preemption by whole jobs: who may go, whether all of the job then fits, and whether there would have been a plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::books::counts;
use super::switches::priority;
use super::{Inquiry, QUOTA, job, waiting};
use crate::amounts::Amounts;
use crate::outcome::Outcome;
use crate::puzzle::{Asker, Mover, Puzzle, Set};
use crate::tally::Verdict;
use crate::world::{Pod, owner};

impl Inquiry<'_> {
    /// Why this pod may not preempt, whoever there is.
    fn barred(&self) -> Option<&'static str> {
        if self.in_flight {
            return Some("its last plan is in flight");
        }
        if !self.switches.triggers(self.pod) {
            return Some("it may not trigger preemption");
        }
        let fits = self.books.iter().all(|books| books.may_trigger(self.stays, &self.total));
        (!fits).then_some("its job does not fit the quota whoever goes")
    }

    /// Whether a pod may be a victim.
    fn may_go(&self, other: &Pod) -> bool {
        let kind = other.is_reservation() == self.pod.is_reservation();
        let class = other.is_reservation() || !self.switches.stays(other);
        kind && class
            && other.node.is_some()
            && !other.leaving
            && !other.finished
            && priority(other) < priority(self.pod)
    }

    /// The pods to be placed, and those who may make way: on a node, or in the own quota.
    fn puzzle<'a>(&'a self, gives: &'a BTreeMap<&str, Amounts>) -> Puzzle<'a> {
        let nodes: Vec<_> = self.world.nodes.values().collect();
        let askers = waiting(self.world, self.pod);
        let asks = |pod: &&'a Pod| {
            let may = nodes.iter().enumerate().filter(|(_, node)| self.world.may_run(pod, node));
            Asker { request: &pod.request, nodes: may.map(|(place, _)| place).collect() }
        };
        let kept =
            |other: &&Pod| other.pending() && priority(other) >= priority(self.pod) && job(other) != job(self.pod);
        let free = nodes.iter().map(|node| {
            let mut free = self.world.free(node);
            let nominees = self.world.pods.values().filter(|other| other.nominated.as_deref() == Some(&node.name));
            nominees.filter(kept).for_each(|other| free.take(&other.request));
            self.world
                .on(&node.name)
                .filter(|other| other.leaving && !self.world.inside(other))
                .for_each(|other| free.add(&other.request));
            free
        });
        let movers = self.world.pods.values().filter(|other| self.may_go(other)).filter_map(|other| {
            let node = nodes.iter().position(|node| Some(&node.name) == other.node.as_ref())?;
            Some(Mover { name: &other.name, node, request: gives.get(other.name.as_str())? })
        });
        Puzzle { free: free.collect(), movers: movers.collect(), askers: askers.iter().map(asks).collect() }
    }

    /// What everybody gives on its node: nothing who lives inside a reservation.
    fn gives(&self) -> BTreeMap<&str, Amounts> {
        let gift = |pod: &Pod| if self.world.inside(pod) { Amounts::default() } else { pod.request.clone() };
        self.world.pods.values().map(|pod| (pod.name.as_str(), gift(pod))).collect()
    }

    /// Whether every quota that bounds it holds the job when these have left, and who leaves already.
    fn quota_holds(&self, puzzle: &Puzzle<'_>, gone: Set) -> bool {
        let gone = || puzzle.of(gone).filter_map(|mover| self.world.pods.get(mover.name));
        self.books.iter().all(|books| {
            let leaving = self.world.pods.values().filter(|other| other.leaving);
            let ours = gone().chain(leaving).filter(|other| counts(self.world, other, &books.name));
            books.holds(self.stays, &self.total, &Amounts::sum(ours.map(|pod| &pod.request)))
        })
    }

    /// Judges a plan.
    pub(super) fn plan(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let Inquiry { world, pod, .. } = self;
        if let Some(why) = self.barred() {
            let text = format!("`{}` planned {:?} although {why}", pod.name, outcome.victims);
            return verdict.breach_expecting("may-preempt", text, json!({"victims": []}));
        }
        let (gives, askers) = (self.gives(), waiting(world, pod));
        let puzzle = self.puzzle(&gives);
        let named: BTreeSet<&String> = askers.iter().map(|pod| &pod.name).collect();
        if !outcome.nominated.keys().eq(named) {
            let text = format!(
                "the job of `{}` is {:?}, and nominated is {:?}",
                pod.name,
                askers.iter().map(|pod| &pod.name).collect::<Vec<_>>(),
                outcome.nominated
            );
            return verdict.breach("job-is-all-or-nothing", text);
        }
        let carried =
            |name: &str| world.pods.get(name).and_then(owner).is_some_and(|owner| outcome.victims.contains(&owner));
        for victim in &outcome.victims {
            let inside = self.switches.deletes && carried(victim);
            if puzzle.set(|name| name == victim) == 0 && !inside {
                let text =
                    format!("`{victim}` may not be a victim of `{}`: its rank, class or kind forbids it", pod.name);
                verdict.breach("victim-may-go", text);
            }
        }
        for other in world.pods.values().filter(|other| self.switches.deletes && carried(&other.name)) {
            if !outcome.victims.contains(&other.name) {
                verdict.breach(
                    "who-is-inside-goes-too",
                    format!("`{}` runs inside a reservation that is deleted", other.name),
                );
            }
        }
        let how = if self.switches.deletes { "Delete" } else { "Soft" };
        if !outcome.victims.is_empty() && outcome.eviction.as_deref() != Some(how) {
            verdict.breach("evicted-as-configured", format!("evicted by {:?}, not {how}", outcome.eviction));
        }
        let victims = puzzle.set(|name| outcome.victims.contains(name));
        let nodes: Vec<&String> = world.nodes.keys().collect();
        let place = |pod: &&Pod| nodes.iter().position(|node| Some(*node) == outcome.nominated.get(&pod.name));
        let places: Vec<usize> = askers.iter().filter_map(place).collect();
        if !puzzle.seated(victims, &places) {
            let text = format!("{:?} do not fit when {:?} have left", outcome.nominated, outcome.victims);
            verdict.breach("nobody-is-evicted-in-vain", text);
        }
        if !self.quota_holds(&puzzle, victims) {
            verdict.breach(
                "quota-holds-afterwards",
                format!("the quota of `{}` is over its max when {:?} have left", pod.name, outcome.victims),
            );
        }
        for victim in &outcome.victims {
            let without = victims & !puzzle.set(|name| name == victim);
            if without != victims && puzzle.seated(without, &places) && self.quota_holds(&puzzle, without) {
                verdict.breach("who-can-stay-stays", format!("`{victim}` need not go for {:?}", outcome.nominated));
            }
        }
        let fewest = puzzle.fewest(victims.count_ones() as usize, |set| self.quota_holds(&puzzle, set));
        verdict.planned(victims.count_ones() as usize, fewest);
    }

    /// Judges that there is no plan.
    pub(super) fn complete(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let pod = self.pod;
        if let Some(why) = self.barred() {
            return verdict.excuse(why);
        }
        let gives = self.gives();
        let puzzle = self.puzzle(&gives);
        if !puzzle.solved_by(puzzle.all()) || !self.quota_holds(&puzzle, puzzle.all()) {
            return;
        }
        let own =
            puzzle.set(|name| self.world.pods.get(name).is_some_and(|other| other.label(QUOTA) == pod.label(QUOTA)));
        if !self.quota_holds(&puzzle, own) {
            return verdict.excuse("only pods of its own quota make way for the quota's sake wherever they are");
        }
        if puzzle.askers.iter().any(|asker| asker.request != &pod.request) {
            return verdict.excuse("members of different size are placed one after the other");
        }
        let who: Vec<&str> = puzzle.movers.iter().map(|mover| mover.name).collect();
        let text = format!(
            "`{}` found no plan ({:?}), and its job fits when {who:?} leave: {}",
            pod.name, outcome.ended, outcome.reason
        );
        verdict.breach_expecting("a-plan-is-found", text, json!({"result": "Nominated"}));
    }
}
