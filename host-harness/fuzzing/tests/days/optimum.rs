//! The least that must stop for a plan: an exact search over sets of jobs.

use std::collections::BTreeMap;

use super::instance::{Instance, Stoppable};

/// So many sets are looked at before the search gives up.
const VISITS: usize = 2_000_000;

/// The cost of a GPU that is lost, so much that no number of jobs counts as much.
const GPU: u64 = 10_000;

/// The cost of a gang that stops, so much that no number of GPUs counts as much.
const GANG: u64 = 100_000 * GPU;

/// The jobs and GPUs that stop, or the least that must stop, each sought apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stopped {
    pub jobs: u32,
    pub gpus: u32,
    pub in_order: InOrder,
}

/// The jobs that stop, counted in the order that the rules name: as few gangs as possible, with these as few GPUs, and with both as few jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InOrder {
    pub gangs: u32,
    pub gpus: u32,
    pub jobs: u32,
}

impl InOrder {
    fn cost(self) -> u64 {
        u64::from(self.gangs) * GANG + u64::from(self.gpus) * GPU + u64::from(self.jobs)
    }

    /// Returns whether this is at most 5 % above the least, in GPUs and in jobs. Days have too few gangs that must stop for a percentage.
    pub fn is_near(self, least: InOrder) -> bool {
        let counts = [(self.gpus, least.gpus), (self.jobs, least.jobs)];
        counts.into_iter().all(|(actual, least)| actual * 100 <= least * 105)
    }

    fn of(cost: u64) -> InOrder {
        let part = |cost: u64| u32::try_from(cost).unwrap();
        InOrder { gangs: part(cost / GANG), gpus: part(cost % GANG / GPU), jobs: part(cost % GPU) }
    }
}

impl Stopped {
    /// Returns what stops with some jobs.
    pub fn of<'j>(jobs: impl Iterator<Item = &'j Stoppable> + Clone) -> Stopped {
        let gpus = jobs.clone().map(|job| job.gpus).sum();
        Stopped {
            jobs: u32::try_from(jobs.clone().count()).unwrap(),
            gpus,
            in_order: InOrder::of(jobs.map(in_order).sum()),
        }
    }

    /// Adds up.
    pub fn add(&mut self, other: Stopped) {
        self.jobs += other.jobs;
        self.gpus += other.gpus;
        self.in_order.gangs += other.in_order.gangs;
        self.in_order.gpus += other.in_order.gpus;
        self.in_order.jobs += other.in_order.jobs;
    }
}

fn in_order(job: &Stoppable) -> u64 {
    InOrder { gangs: u32::from(job.on.len() > 1), gpus: job.gpus, jobs: 1 }.cost()
}

/// Returns the least that must stop; `None` where the search gave up. `plan`: what a plan stops that is known.
pub fn least(instance: &Instance, plan: Stopped) -> Option<Stopped> {
    let jobs = least_by(instance, plan.jobs.into(), |_| 1)?;
    let gpus = least_by(instance, plan.gpus.into(), |job| job.gpus.into())?;
    let in_order = InOrder::of(least_by(instance, plan.in_order.cost(), in_order)?);
    Some(Stopped { jobs: u32::try_from(jobs).unwrap(), gpus: u32::try_from(gpus).unwrap(), in_order })
}

/// Returns the least cost of a set of jobs with which the pods have room. The set of the plan itself costs `known`.
fn least_by(instance: &Instance, known: u64, cost: impl Fn(&Stoppable) -> u64) -> Option<u64> {
    let mut order: Vec<usize> = (0..instance.jobs.len()).collect();
    order.sort_by_key(|job| (cost(&instance.jobs[*job]), std::cmp::Reverse(instance.jobs[*job].gpus)));
    let costs: Vec<u64> = order.iter().map(|job| cost(&instance.jobs[*job])).collect();
    let chosen = Vec::new();
    let mut search = Search { instance, order, costs, chosen, free: instance.free.clone(), best: known, visits: 0 };
    search.from(0, 0);
    (search.visits < VISITS).then_some(search.best)
}

struct Search<'i> {
    instance: &'i Instance,
    /// The jobs, the cheapest first.
    order: Vec<usize>,
    costs: Vec<u64>,
    /// The jobs that stop.
    chosen: Vec<usize>,
    free: Vec<u32>,
    best: u64,
    visits: usize,
}

impl Search<'_> {
    /// Tries all sets that have the jobs chosen so far, and any of those from a place on.
    fn from(&mut self, place: usize, spent: u64) {
        self.visits += 1;
        if self.visits >= VISITS || spent >= self.best {
            return;
        }
        if self.suffices(&self.free, &self.chosen) {
            self.best = spent;
            return;
        }
        for next in place..self.order.len() {
            // Every later job costs at least as much.
            if spent + self.costs[next] >= self.best || !self.may_fit(next) {
                return;
            }
            let job = self.order[next];
            for (node, gpus) in &self.instance.jobs[job].on {
                self.free[*node] += gpus;
            }
            self.chosen.push(job);
            self.from(next + 1, spent + self.costs[next]);
            self.chosen.pop();
            for (node, gpus) in &self.instance.jobs[job].on {
                self.free[*node] -= gpus;
            }
        }
    }

    /// Returns whether the pods have room if all jobs from a place on stop, too.
    fn may_fit(&self, place: usize) -> bool {
        let mut free = self.free.clone();
        for job in &self.order[place..] {
            for (node, gpus) in &self.instance.jobs[*job].on {
                free[*node] += gpus;
            }
        }
        let all: Vec<usize> = self.chosen.iter().chain(&self.order[place..]).copied().collect();
        self.suffices(&free, &all)
    }

    /// Returns whether the pods have room when these jobs stop and the nodes have these free GPUs then.
    fn suffices(&self, free: &[u32], stopped: &[usize]) -> bool {
        self.instance.fits(free) && self.instance.gives(free, stopped.iter().map(|job| &self.instance.jobs[*job]))
    }
}

#[test]
fn the_least_of_a_small_cluster_is_found() {
    let job = |name: &str, on: &[(usize, u32)]| Stoppable {
        name: name.to_owned(),
        team: "a",
        gpus: on.iter().map(|(_, gpus)| gpus).sum(),
        on: on.to_vec(),
    };
    let in_order = |gangs, gpus, jobs| InOrder { gangs, gpus, jobs };
    let much = Stopped { jobs: 9, gpus: 99, in_order: in_order(9, 99, 9) };
    // One pod of 4: a job of 8, or two jobs of 2.
    let jobs = vec![job("whole", &[(0, 8)]), job("x", &[(1, 2)]), job("y", &[(1, 2)])];
    let over = BTreeMap::new();
    let instance = Instance { free: vec![0, 0], pods: 1, gpus: 4, least_free: 0, over, jobs };
    assert_eq!(least(&instance, much), Some(Stopped { jobs: 1, gpus: 4, in_order: in_order(0, 4, 2) }));
    // Two pods of 4: the job of 8 alone, though both small ones free a place, too.
    let two = Instance { pods: 2, ..instance.clone() };
    assert_eq!(least(&two, much), Some(Stopped { jobs: 1, gpus: 8, in_order: in_order(0, 8, 1) }));
    // The quota is over its min by 2 GPUs: it gives 2 + 2 - 1 of jobs of 2, too few, and 4 of the one of 8.
    let over = BTreeMap::from([("a", 2)]);
    let given = Instance { over, ..instance.clone() };
    assert_eq!(least(&given, much), Some(Stopped { jobs: 1, gpus: 8, in_order: in_order(0, 8, 1) }));
    // With 5 GPUs free on all nodes together, the two small ones are not enough.
    let bounded = Instance { least_free: 5, ..instance };
    assert_eq!(least(&bounded, much), Some(Stopped { jobs: 1, gpus: 8, in_order: in_order(0, 8, 1) }));
    // As a gang the job of 4 costs more than two single jobs, which are more jobs.
    let jobs = vec![job("gang", &[(0, 2), (0, 2)]), job("x", &[(1, 3)]), job("y", &[(1, 3)])];
    let instance = Instance { free: vec![0, 0], pods: 1, gpus: 4, least_free: 0, over: BTreeMap::new(), jobs };
    assert_eq!(least(&instance, much), Some(Stopped { jobs: 1, gpus: 4, in_order: in_order(0, 6, 2) }));
}
