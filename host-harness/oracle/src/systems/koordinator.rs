//! Koordinator: quotas and jobs (proposal 20240115), reservations (20240201), gangs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::kubernetes;
use crate::ReadError;
use crate::amounts::Amounts;
use crate::case::Case;
use crate::outcome::{Ended, Outcome};
use crate::puzzle::{Asker, Mover, Puzzle, Set};
use crate::tally::Verdict;
use crate::world::{Pod, World, at, owner, text};

const QUOTA: &str = "quota.scheduling.koordinator.sh/name";
const CLASS: &str = "quota.scheduling.koordinator.sh/preemptible";
const TRIGGER: &str = "quota.scheduling.koordinator.sh/can-preempt";
const JOB: &str = "pod-group.scheduling.sigs.k8s.io";

/// What the plugin remembers.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The victims of the last plan of every job.
    flights: BTreeMap<String, BTreeSet<String>>,
    /// Gangs that have been bound.
    satisfied: BTreeSet<String>,
}

/// The switches of the plugin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    unlabelled_stays: bool,
    only_labelled_trigger: bool,
    deletes: bool,
}

impl Switches {
    pub(crate) fn of(case: &Case) -> Switches {
        let on = |name: &str| case.args.get(name).and_then(serde_json::Value::as_bool).unwrap_or(false);
        Switches {
            unlabelled_stays: on("disableDefaultPreemptiable"),
            only_labelled_trigger: on("disableDefaultTriggerPreemption"),
            deletes: on("podShouldBeDeletedWhenPreempted"),
        }
    }

    /// Non-preemptible: labelled so, or not labelled where that means the same.
    fn stays(self, pod: &Pod) -> bool {
        match pod.label(CLASS) {
            Some(label) => label == "false",
            None => self.unlabelled_stays,
        }
    }

    /// Whether the pod may trigger a preemption.
    fn triggers(self, pod: &Pod) -> bool {
        if pod.is_reservation() {
            return pod.label("scheduling.koordinator.sh/can-preempt") == Some("true");
        }
        match pod.label(TRIGGER) {
            _ if pod.never_preempts => false,
            Some(label) => label == "true" || label != "false" && !self.only_labelled_trigger,
            None => !self.only_labelled_trigger,
        }
    }
}

/// The priority that counts: a reservation's stands in a label.
fn priority(pod: &Pod) -> i64 {
    if !pod.is_reservation() {
        return pod.priority;
    }
    pod.label("koordinator.sh/priority").and_then(|text| text.parse().ok()).unwrap_or(i64::from(i32::MAX))
}

/// The name of the job of a pod: a pod without the label is a job of one.
fn job(pod: &Pod) -> String {
    let label = pod.label(JOB).filter(|_| !pod.is_reservation());
    label.map_or_else(|| pod.name.clone(), |label| format!("{}#{label}", pod.namespace))
}

/// The pods of the job of a pod that are neither bound nor held: those that are still to be placed.
fn waiting<'w>(world: &'w World, pod: &Pod) -> Vec<&'w Pod> {
    world.pods.values().filter(|other| other.pending() && job(other) == job(pod)).collect()
}

/// What a quota holds and allows.
#[derive(Debug)]
struct Books {
    min: Amounts,
    max: Amounts,
    used: Amounts,
    fixed_used: Amounts,
    fixed_request: Amounts,
}

/// The books of the quota of a pod; none for a reservation, or a pod without one.
fn books(world: &World, switches: Switches, pod: &Pod) -> Result<Option<Books>, ReadError> {
    let name = pod.label(QUOTA).filter(|_| !pod.is_reservation());
    let Some(quota) = name.and_then(|name| world.others.get(&("ElasticQuota".to_owned(), name.to_owned()))) else {
        return Ok(None);
    };
    let (min, max) = (Amounts::read(at(quota, "/spec/min"))?, Amounts::read(at(quota, "/spec/max"))?);
    let ours = || world.pods.values().filter(|other| other.label(QUOTA) == name && !other.finished);
    let used = || ours().filter(|other| other.place().is_some());
    let requests = |pods: Vec<&Pod>| Amounts::sum(pods.into_iter().map(|pod| &pod.request));
    Ok(Some(Books {
        used: requests(used().collect()),
        fixed_used: requests(used().filter(|other| switches.stays(other)).collect()),
        fixed_request: requests(ours().filter(|other| switches.stays(other)).collect()),
        min,
        max,
    }))
}

/// The sum of two amounts.
fn plus(one: &Amounts, other: &Amounts) -> Amounts {
    Amounts::sum([one, other])
}

impl Books {
    /// Non-preemptible: `npUsed + T <= min`. Preemptible: `min(min, npRequest) + pUsed + T <= max`.
    fn may_trigger(&self, stays: bool, total: &Amounts) -> bool {
        if stays {
            return plus(&self.fixed_used, total).within(&self.min);
        }
        let mut sum = plus(&self.used, total);
        sum.take(&self.fixed_used);
        let aside = |(resource, asked): (&String, &i64)| {
            let least = if self.min.names(resource) { self.min.get(resource) } else { i64::MAX };
            (resource.clone(), least.min(*asked))
        };
        sum.add(&Amounts(self.fixed_request.0.iter().map(aside).collect()));
        sum.within(&self.max)
    }

    /// The same, and for a non-preemptible job `used + T <= max`.
    fn admits(&self, stays: bool, total: &Amounts) -> bool {
        self.may_trigger(stays, total) && (!stays || plus(&self.used, total).within(&self.max))
    }
}

/// A gang: how many it needs, and its members.
fn gang<'w>(world: &'w World, pod: &Pod) -> Option<(usize, Vec<&'w Pod>)> {
    let label = pod.label(JOB).filter(|_| !pod.is_reservation())?;
    let group = world.others.get(&("PodGroup".to_owned(), label.to_owned()))?;
    let minimum = at(group, "/spec/minMember")?.as_i64()?;
    let members = world.pods.values().filter(|other| job(other) == job(pod) && !other.finished).collect();
    Some((usize::try_from(minimum).ok()?, members))
}

/// Judges one attempt.
pub(crate) fn attempt(
    case: &Case,
    world: &World,
    memory: &mut Memory,
    name: &str,
    outcome: &Outcome,
    verdict: &mut Verdict,
) -> Result<(), ReadError> {
    let pod = world.pods.get(name).ok_or_else(|| ReadError(format!("there is no pod `{name}`")))?;
    let switches = Switches::of(case);
    let there = |victim: &String| world.pods.contains_key(victim);
    let inquiry = Inquiry {
        world,
        pod,
        switches,
        stays: switches.stays(pod),
        total: Amounts::sum(waiting(world, pod).iter().map(|pod| &pod.request)),
        books: books(world, switches, pod)?,
        in_flight: memory.flights.get(&job(pod)).is_some_and(|victims| victims.iter().any(there))
            || waiting(world, pod).iter().any(|member| room_is_being_left(world, member)),
        satisfied: memory.satisfied.contains(&job(pod)),
    };
    inquiry.judge(outcome, verdict);
    if outcome.ended == Some(Ended::Nominated) {
        memory.flights.insert(job(pod), outcome.victims.clone());
    }
    if outcome.ended == Some(Ended::Scheduled) {
        memory.satisfied.insert(job(pod));
    }
    Ok(())
}

/// Whether a pod of lower priority is leaving the node that a pod is nominated to.
fn room_is_being_left(world: &World, pod: &Pod) -> bool {
    let Some(node) = &pod.nominated else { return false };
    world.on(node).any(|other| other.leaving && priority(other) < priority(pod))
}

/// Everything that is asked of one attempt.
struct Inquiry<'w> {
    world: &'w World,
    pod: &'w Pod,
    switches: Switches,
    stays: bool,
    total: Amounts,
    books: Option<Books>,
    in_flight: bool,
    satisfied: bool,
}

impl Inquiry<'_> {
    fn judge(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let Inquiry { world, pod, .. } = self;
        if let Some((minimum, members)) = gang(world, pod)
            && !self.satisfied
            && members.iter().filter(|member| !member.leaving).count() < minimum
        {
            if outcome.ended != Some(Ended::Rejected) || outcome.changes() {
                let text =
                    format!("`{}` is of a gang that has too few members; it ended {:?}", pod.name, outcome.ended);
                verdict.breach_expecting("gang-has-its-members", text, json!({"result": "Rejected", "victims": []}));
            }
            return;
        }
        let admitted = self.books.as_ref().is_none_or(|books| books.admits(self.stays, &self.total));
        let takers: Vec<String> = takers(world, pod);
        let placed = matches!(outcome.ended, Some(Ended::Scheduled | Ended::Waiting));
        if admitted && !takers.is_empty() {
            return self.with_room(&takers, outcome, verdict);
        }
        if placed {
            let law = if admitted { "bound-where-there-is-room" } else { "job-fits-quota" };
            let text = format!("`{}` was placed; quota admits: {admitted}, nodes with room: {takers:?}", pod.name);
            return verdict.breach(law, text);
        }
        let wanted = if admitted { Ended::Unschedulable } else { Ended::Rejected };
        if outcome.ended == Some(Ended::Nominated) {
            return self.plan(outcome, verdict);
        }
        if outcome.ended != Some(wanted) {
            verdict.breach("an-attempt-is-told-whole", format!("`{}`: {:?}, not {wanted:?}", pod.name, outcome.ended));
        }
        if !self.in_flight && !self.satisfied {
            self.releases(outcome, verdict);
        }
        self.complete(outcome, verdict);
    }

    /// A pod that is admitted and fits is bound, or held until its gang is complete.
    fn with_room(&self, takers: &[String], outcome: &Outcome, verdict: &mut Verdict) {
        let pod = self.pod;
        let held = |member: &&&Pod| member.held.is_some();
        let enough = match gang(self.world, pod) {
            Some((minimum, members)) if !self.satisfied => members.iter().filter(held).count() + 1 >= minimum,
            _ => true,
        };
        let wanted = if enough { Ended::Scheduled } else { Ended::Waiting };
        let there = outcome.node.as_ref().is_some_and(|node| takers.contains(node));
        if outcome.ended != Some(wanted) || !there {
            let text = format!(
                "`{}` is admitted and fits {takers:?}; it ended {:?} {:?}",
                pod.name, outcome.ended, outcome.node
            );
            let expect = json!({"result": format!("{wanted:?}"), "nodeIn": takers});
            return verdict.breach_expecting("bound-where-there-is-room", text, expect);
        }
        if pod.nominated.as_ref().is_some_and(|node| takers.contains(node) && outcome.node.as_ref() != Some(node)) {
            verdict.breach("nominated-node-first", format!("`{}` was not given its nominated node", pod.name));
        }
    }

    /// Where a member of a strict gang fails, those who wait for it lose their places.
    fn releases(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let Some((_, members)) = gang(self.world, self.pod) else { return };
        for member in members.iter().filter(|member| outcome.waiting.contains(&member.name)) {
            let text = format!("`{}` failed, and `{}` of its gang waits on", self.pod.name, member.name);
            verdict.breach("gang-fails-together", text);
        }
    }

    /// Why this pod may not preempt, whoever there is.
    fn barred(&self) -> Option<&'static str> {
        if self.in_flight {
            return Some("its last plan is in flight");
        }
        if !self.switches.triggers(self.pod) {
            return Some("it may not trigger preemption");
        }
        let fits = self.books.as_ref().is_none_or(|books| books.may_trigger(self.stays, &self.total));
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

    /// Whether the own quota holds the job when these have left.
    fn quota_holds(&self, puzzle: &Puzzle<'_>, gone: Set) -> bool {
        let Some(books) = &self.books else { return true };
        let mut used = plus(&books.used, &self.total);
        let ours = |name: &str| self.world.pods.get(name).filter(|other| other.label(QUOTA) == self.pod.label(QUOTA));
        puzzle.of(gone).filter_map(|mover| ours(mover.name)).for_each(|victim| used.take(&victim.request));
        // Who leaves already, leaves.
        for leaving in
            self.world.pods.values().filter(|other| other.leaving && other.label(QUOTA) == self.pod.label(QUOTA))
        {
            used.take(&leaving.request);
        }
        used.within(&books.max)
    }

    /// Judges a plan.
    fn plan(&self, outcome: &Outcome, verdict: &mut Verdict) {
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

    /// Whether another job of the quota is nominated, and with it the job does not fit any more.
    fn promised(&self) -> bool {
        let Some(books) = &self.books else { return false };
        let ours =
            |other: &&Pod| other.pending() && other.nominated.is_some() && other.label(QUOTA) == self.pod.label(QUOTA);
        let others = self.world.pods.values().filter(ours).filter(|other| job(other) != job(self.pod));
        let mut total = self.total.clone();
        others.for_each(|other| total.add(&other.request));
        total != self.total && !books.admits(self.stays, &total)
    }

    /// Judges that there is no plan.
    fn complete(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let pod = self.pod;
        if let Some(why) = self.barred() {
            return verdict.excuse(why);
        }
        let gives = self.gives();
        let puzzle = self.puzzle(&gives);
        if !puzzle.solved_by(puzzle.all()) || !self.quota_holds(&puzzle, puzzle.all()) {
            return;
        }
        if puzzle.solved_by(0) && self.quota_holds(&puzzle, 0) {
            return verdict.excuse("room comes free without a plan");
        }
        if self.world.pods.values().any(|other| other.leaving) {
            return verdict.excuse("somebody leaves already");
        }
        if self.promised() {
            return verdict.excuse("the quota is promised to a job that is nominated");
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

/// The nodes that take a pod: the room of those of its priority or a higher one who are nominated there is kept.
fn takers(world: &World, pod: &Pod) -> Vec<String> {
    kubernetes::takers_by(world, pod, priority).iter().map(|node| node.name.clone()).collect()
}

/// Judges the queue: priority first.
pub(crate) fn order(world: &World, order: &[String], verdict: &mut Verdict) {
    let pods: Vec<&Pod> = order.iter().filter_map(|name| world.pods.get(name)).collect();
    if pods.len() != world.pods.values().filter(|pod| pod.pending()).count()
        || !pods.is_sorted_by_key(|pod| -priority(pod))
    {
        verdict.breach("higher-priority-first", format!("the queue is {order:?}"));
    }
}

/// The books that the policy must keep.
pub(crate) fn accounts(world: &World) -> Result<BTreeMap<String, Amounts>, ReadError> {
    let mut accounts = BTreeMap::new();
    for quota in world.all("ElasticQuota") {
        let name = text(quota, "/metadata/name");
        let max = Amounts::read(at(quota, "/spec/max"))?;
        let ours = world.pods.values().filter(|pod| pod.label(QUOTA) == Some(name) && pod.place().is_some());
        let mut used = Amounts::sum(ours.map(|pod| &pod.request));
        used.0.retain(|resource, _| max.names(resource));
        accounts.insert(format!("quota/{name}"), used);
    }
    Ok(accounts)
}

/// Whether every quota has a min of at most its max, and holds no more than it may; and every job has its gang.
pub(crate) fn fair(case: &Case, world: &World) -> Result<bool, ReadError> {
    for pod in world.pods.values() {
        let Some(books) = books(world, Switches::of(case), pod)? else { continue };
        let gang =
            pod.label(JOB).is_none() || gang(world, pod).is_some_and(|(minimum, members)| minimum >= members.len());
        if !gang
            || !books.min.within(&books.max)
            || !books.used.within(&books.max)
            || !books.fixed_used.within(&books.min)
        {
            return Ok(false);
        }
    }
    Ok(true)
}
