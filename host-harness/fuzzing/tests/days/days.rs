//! The days: a session decides after each event until it comes to rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use lictor::Native;
use lictor_host::driver::VirtualDriver;
use lictor_host::session::{EvictionMethod, SessionInput, SessionReport};

use crate::figures::Figures;
use crate::objects::{BEGIN, Rules};
use crate::plans::Planned;
use crate::trace::{CHECKPOINT, Job, number};

/// An event that is not at rest after so many cycles does not settle.
const ROUNDS: usize = 20;
/// How long victims take to leave, and until their job is there again, seconds.
pub(super) const GRACE: i64 = 30;
const RESTART: i64 = 60;
const SECOND: i64 = 1_000_000_000;

/// An event, and the job that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Its pods have left.
    Left(usize),
    /// It has ended, if it is still in this life.
    Ended(usize, u32),
    /// It is there, for the first time or again.
    Came(usize),
}

/// A job as it is now.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// How often it was stopped.
    stopped: u32,
    created: i64,
    /// What is left to do, seconds.
    left: i64,
    /// When all its pods had a node.
    pub(super) since: Option<i64>,
    pub(super) bound: BTreeMap<String, usize>,
    pub(super) is_there: bool,
    pub(super) is_leaving: bool,
    pub(super) has_ended: bool,
}

/// A cluster over days.
pub struct Days {
    pub(super) rules: Rules,
    pub(super) session: VirtualDriver,
    pub(super) jobs: Vec<Job>,
    pub(super) lives: Vec<Life>,
    pub(super) nodes: usize,
    pub(super) now: i64,
    events: BinaryHeap<Reverse<(i64, Event)>>,
    /// The jobs for which pods leave.
    pub(super) planned: BTreeMap<usize, Planned>,
    pub(super) figures: Figures,
}

impl Days {
    /// Returns a cluster of these nodes before the first job comes.
    pub fn of(rules: Rules, jobs: Vec<Job>, nodes: usize) -> Days {
        let mut session = VirtualDriver::open(Box::new(Native::default()), rules.system(), "{}").unwrap();
        let jobs = rules.jobs(jobs);
        let schedulers = ["default-scheduler", "volcano", "yunikorn"].map(str::to_owned);
        session.set_schedulers(schedulers);
        session.serve(SessionInput::Clock(BEGIN * SECOND)).unwrap();
        session.apply(rules.cluster(nodes)).unwrap();
        if rules == Rules::Volcano {
            session.apply(Rules::classes()).unwrap();
        }
        let lives = jobs.iter().map(|job| Life { left: job.duration, ..Life::default() }).collect();
        let events = jobs.iter().enumerate().map(|(job, of)| Reverse((of.submitted, Event::Came(job)))).collect();
        let (planned, figures) = Default::default();
        Days { rules, session, jobs, lives, nodes, now: 0, events, planned, figures }
    }

    /// Plays to the last event.
    pub fn play(mut self) -> Figures {
        while let Some(Reverse((at, event))) = self.events.pop() {
            self.now = at;
            self.session.serve(SessionInput::Clock((BEGIN + at) * SECOND)).unwrap();
            self.happen(event);
            while self.events.peek().is_some_and(|Reverse((next, _))| *next == at) {
                let Reverse((_, event)) = self.events.pop().unwrap();
                self.happen(event);
            }
            self.rest();
            self.figures.events += 1;
        }
        self.figures.never_started = self.lives.iter().filter(|life| !life.has_ended).count();
        self.figures
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Came(job) => {
                let (of, life) = (&self.jobs[job], &mut self.lives[job]);
                (life.created, life.is_there) = (self.now, true);
                let group = if life.stopped == 0 { self.rules.group(of, self.now) } else { None };
                let pods = of.pod_names().map(|name| self.rules.pod(of, &name, self.now, None));
                self.session.apply(group.into_iter().chain(pods).collect()).unwrap();
            }
            Event::Ended(job, life) => {
                if self.lives[job].stopped != life || self.lives[job].is_leaving {
                    return;
                }
                self.remove_pods(job);
                self.session.remove(&self.rules.group_key(&self.jobs[job])).unwrap();
                self.lives[job].has_ended = true;
            }
            Event::Left(job) => {
                self.remove_pods(job);
                self.lives[job].is_leaving = false;
                self.events.push(Reverse((self.now + RESTART, Event::Came(job))));
            }
        }
    }

    fn remove_pods(&mut self, job: usize) {
        for name in self.jobs[job].pod_names() {
            self.session.remove(&format!("Pod/{name}")).unwrap();
        }
        let life = &mut self.lives[job];
        life.bound.clear();
        (life.since, life.is_there) = (None, false);
    }

    /// Runs cycles until one changes nothing, and checks what must hold then.
    fn rest(&mut self) {
        let (mut is_quiet, mut last) = (false, String::new());
        for _ in 0..ROUNDS {
            let (before, reserved) = ((self.session.waiting(), self.promised()), self.reserved());
            self.session.serve(SessionInput::Cycle).unwrap();
            let happened = self.session.take_report();
            let nothing = happened.bound.is_empty() && happened.victims.is_empty();
            is_quiet = nothing && before == (self.session.waiting(), self.promised());
            if is_quiet {
                break;
            }
            self.take(&happened);
            self.timed_out(&happened.released);
            self.displaced(&reserved);
            last = format!("bound {:?}, victims {:?}", happened.bound, happened.victims.keys());
        }
        if !is_quiet {
            self.figures.unsettled += 1;
            self.figures.fault(format!("t={}: not at rest after {ROUNDS} cycles: {last}", self.now));
        }
        self.check();
    }

    /// Returns the nodes that are promised to pods.
    pub(super) fn promised(&self) -> BTreeMap<String, usize> {
        let mirror = self.session.mirror();
        let waiting = mirror.pods().filter(|pod| pod.node.is_none());
        let promised = waiting.filter_map(|pod| Some((pod, number(&mirror.node(pod.nominated?)?.name))));
        promised.map(|(pod, node)| (format!("{}/{}", pod.template.namespace, pod.name), node)).collect()
    }

    pub(super) fn job_of(&self, pod: &str) -> usize {
        let name = pod.rsplit_once('-').unwrap().0;
        let number = name.rsplit_once('j').unwrap().1;
        number.parse().unwrap()
    }

    /// Carries out what a cycle decided.
    fn take(&mut self, happened: &SessionReport) {
        let mut objects = Vec::new();
        for (pod, node) in &happened.bound {
            let job = self.job_of(pod);
            let (of, life) = (&self.jobs[job], &mut self.lives[job]);
            life.bound.insert(pod.clone(), number(node));
            objects.push(self.rules.pod(of, pod, life.created, Some((node, self.now))));
            if life.bound.len() == of.pods && !life.is_leaving {
                life.since = Some(self.now);
                self.events.push(Reverse((self.now + life.left, Event::Ended(job, life.stopped))));
            }
        }
        self.session.apply(objects).unwrap();
        let with_victims: Vec<_> = happened.plans.iter().filter(|plan| !plan.victims.is_empty()).collect();
        if let [plan] = with_victims.as_slice() {
            self.compare(&plan.nominated.keys().cloned().collect(), &plan.victims);
        }
        for plan in with_victims {
            self.figures.plans += 1;
            if let Some(pod) = plan.for_whom.preemptor() {
                self.planned.insert(self.job_of(pod), Planned::made(self.now));
            }
        }
        let evicted = happened.victims.iter().filter(|(_, victim)| victim.how != EvictionMethod::Unreserved);
        let stopped: BTreeSet<usize> = evicted.map(|(pod, _)| self.job_of(pod)).collect();
        stopped.into_iter().for_each(|job| self.stop(job));
    }

    /// Stops a job because one of its pods was evicted. All of the job stops, and loses what it did since its last checkpoint.
    fn stop(&mut self, job: usize) {
        let (of, life) = (&self.jobs[job], &mut self.lives[job]);
        if life.is_leaving {
            return;
        }
        let done = life.since.map_or(0, |since| self.now - since);
        life.left -= done - done % CHECKPOINT;
        life.stopped += 1;
        life.is_leaving = true;
        self.figures.jobs_stopped += 1;
        self.figures.gpus_stopped += of.gpus * u32::try_from(life.bound.len()).unwrap();
        self.figures.most_stopped = self.figures.most_stopped.max(life.stopped);
        self.events.push(Reverse((self.now + GRACE, Event::Left(job))));
        self.planned.remove(&job);
    }

    fn check(&mut self) {
        for (job, life) in self.lives.iter().enumerate() {
            let of = &self.jobs[job];
            if !life.is_leaving && life.bound.len() != of.pods && !life.bound.is_empty() {
                self.figures.partial += 1;
                self.figures.fault(format!(
                    "t={}: {} of {} pods of {} run",
                    self.now,
                    life.bound.len(),
                    of.pods,
                    of.name
                ));
            }
        }
        self.check_plans();
        let promised = self.promised();
        let held: Vec<String> = self.session.waiting().into_keys().collect();
        for pod in held {
            let job = self.job_of(&pod);
            let is_displaced = self.planned.get(&job).is_some_and(|plan| plan.is_displaced);
            if !is_displaced && !self.jobs[job].pod_names().any(|member| promised.contains_key(&member)) {
                self.figures.held_in_vain += 1;
                self.figures.fault(format!("t={}: {pod} waits at Permit, and no pod leaves for its job", self.now));
            }
        }
    }
}
