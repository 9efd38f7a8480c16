//! The least that must stop for a plan: an exact search over sets of jobs.

use super::instance::Instance;

/// So many sets are looked at before the search gives up.
const VISITS: usize = 2_000_000;

/// Returns the fewest jobs that must stop, and the fewest GPUs of jobs that must stop; `None` where the search gave up.
pub fn least(instance: &Instance, jobs: usize, gpus: u32) -> Option<(usize, u32)> {
    let fewest = least_by(instance, u32::try_from(jobs).unwrap(), |_| 1)?;
    Some((fewest.try_into().unwrap(), least_by(instance, gpus, |gpus| gpus)?))
}

/// Returns the least cost of a set of jobs with which the pods have room. The set of the plan itself costs `known`.
fn least_by(instance: &Instance, known: u32, cost: impl Fn(u32) -> u32) -> Option<u32> {
    let mut order: Vec<usize> = (0..instance.jobs.len()).collect();
    order.sort_by_key(|job| (cost(instance.jobs[*job].gpus), std::cmp::Reverse(instance.jobs[*job].gpus)));
    let costs: Vec<u32> = order.iter().map(|job| cost(instance.jobs[*job].gpus)).collect();
    let mut search = Search { instance, order, costs, free: instance.free.clone(), best: known, visits: 0 };
    search.from(0, 0);
    (search.visits < VISITS).then_some(search.best)
}

struct Search<'i> {
    instance: &'i Instance,
    /// The jobs, the cheapest first.
    order: Vec<usize>,
    costs: Vec<u32>,
    free: Vec<u32>,
    best: u32,
    visits: usize,
}

impl Search<'_> {
    /// Tries all sets that have the jobs chosen so far, and any of those from a place on.
    fn from(&mut self, place: usize, spent: u32) {
        self.visits += 1;
        if self.visits >= VISITS || spent >= self.best {
            return;
        }
        if self.instance.fits(&self.free) {
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
            self.from(next + 1, spent + self.costs[next]);
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
        self.instance.fits(&free)
    }
}

#[test]
fn the_least_of_a_small_cluster_is_found() {
    use super::instance::Stoppable;
    let job = |name: &str, on: &[(usize, u32)]| Stoppable {
        name: name.to_owned(),
        gpus: on.iter().map(|(_, gpus)| gpus).sum(),
        on: on.to_vec(),
    };
    // One pod of 4: either a job of 8, or two jobs of 2.
    let jobs = vec![job("whole", &[(0, 8)]), job("x", &[(1, 2)]), job("y", &[(1, 2)])];
    let instance = Instance { free: vec![0, 0], pods: 1, gpus: 4, jobs };
    assert_eq!(least(&instance, 9, 99), Some((1, 4)));
    // Two pods of 4: the job of 8 alone, though both small ones free a place, too.
    assert_eq!(least(&Instance { pods: 2, ..instance }, 9, 99), Some((1, 8)));
}
