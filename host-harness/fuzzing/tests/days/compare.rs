//! Compares the plans of a day with the least that must stop.

use std::collections::{BTreeMap, BTreeSet};

use crate::days::Days;
use crate::instance::{Instance, Stoppable};
use crate::objects::Rules;
use crate::optimum::{self, Stopped};
use crate::trace::{Job, TEAMS, number};

impl Days {
    /// Compares a plan with the least that must stop.
    pub(super) fn compare(&mut self, nominated: &BTreeSet<String>, victims: &BTreeSet<String>) {
        // Each pod is a job in YuniKorn, and its rulings name the order of victims to the last.
        if self.rules == Rules::Yunikorn {
            return;
        }
        let Some(lead) = nominated.first().map(|pod| self.job_of(pod)) else { return };
        let Some(highest) = victims.iter().map(|pod| self.jobs[self.job_of(pod)].priority).max() else { return };
        let candidates = self.candidates(lead, nominated, highest);
        let mut free = vec![8_u32; self.nodes];
        for (job, life) in self.lives.iter().enumerate() {
            life.bound.values().for_each(|node| free[*node] -= self.jobs[job].gpus);
        }
        for (pod, node) in self.session.waiting() {
            free[number(&node)] -= self.jobs[self.job_of(&pod)].gpus;
        }
        for (pod, node) in self.promised().into_iter().filter(|(pod, _)| !nominated.contains(pod)) {
            free[node] = free[node].saturating_sub(self.jobs[self.job_of(&pod)].gpus);
        }
        let stoppable = |job: &usize| {
            let (of, life) = (&self.jobs[*job], &self.lives[*job]);
            let on: Vec<(usize, u32)> = life.bound.values().map(|node| (*node, of.gpus)).collect();
            Stoppable { name: of.name.clone(), team: of.team, gpus: on.iter().map(|(_, gpus)| gpus).sum(), on }
        };
        let jobs: Vec<Stoppable> = candidates.iter().map(stoppable).collect();
        let pods = u32::try_from(nominated.len()).unwrap();
        let least_free = self.least_free(&free, pods * self.jobs[lead].gpus, nominated);
        let over = self.over(lead, &jobs);
        let instance = Instance { free, pods, gpus: self.jobs[lead].gpus, least_free, over, jobs };
        let stopped: BTreeSet<usize> = victims.iter().map(|pod| self.job_of(pod)).collect();
        let stopped: Vec<Stoppable> = stopped.iter().map(stoppable).collect();
        let stopped = Stopped::of(stopped.iter());
        let least = optimum::least(&instance, stopped);
        if let Ok(folder) = std::env::var("LICTOR_DAYS_INSTANCES") {
            let file = format!("{folder}/{}-{}-{}.json", self.rules.name(), self.now, self.jobs[lead].name);
            std::fs::write(file, instance.to_json(stopped, least).to_string()).unwrap();
        }
        if let Some(least) = least {
            self.figures.compared += 1;
            self.figures.stopped.add(stopped);
            self.figures.least.add(least);
        }
    }

    /// Returns the GPUs that must be free for a plan, so that all quotas together use no more than their minimums. Only Coscheduling has such
    /// a bound. Pods that leave use nothing: so it is never too much.
    fn least_free(&self, free: &[u32], request: u32, nominated: &BTreeSet<String>) -> u32 {
        if self.rules != Rules::Coscheduling {
            return 0;
        }
        let bound: u32 = TEAMS.iter().map(|(team, _)| self.min(team)).sum();
        let waiting = self.session.waiting();
        let others = waiting.keys().filter(|pod| !nominated.contains(*pod)).map(|pod| self.job_of(pod));
        let used = self.gpus(|job| !self.lives[job].is_leaving, others);
        free.iter().sum::<u32>() + (used + request).saturating_sub(bound)
    }

    /// Returns the GPUs that each quota uses over its min, where a job takes back from other quotas.
    fn over(&self, lead: usize, jobs: &[Stoppable]) -> BTreeMap<&'static str, u32> {
        let waiting = self.session.waiting();
        let over = |team: &'static str| {
            let is_of_team = |job: usize| self.jobs[job].team == team;
            let held = waiting.keys().map(|pod| self.job_of(pod)).filter(|job| is_of_team(*job));
            (team, self.gpus(is_of_team, held).saturating_sub(self.min(team)))
        };
        let has_quotas = matches!(self.rules, Rules::Coscheduling | Rules::Volcano);
        let takes_back = has_quotas && jobs.iter().all(|job| job.team != self.jobs[lead].team);
        TEAMS.iter().filter(|_| takes_back).map(|(team, _)| over(team)).collect()
    }

    /// Returns the GPUs that a team may take back.
    fn min(&self, team: &str) -> u32 {
        let total = u32::try_from(self.nodes * 8).unwrap();
        TEAMS.iter().find(|(name, _)| *name == team).map_or(0, |(_, part)| total * part / 100)
    }

    /// Sums up the GPUs of the bound pods of the jobs that count, and of one pod of each of the other jobs.
    fn gpus(&self, counts: impl Fn(usize) -> bool, others: impl Iterator<Item = usize>) -> u32 {
        let bound = |job: usize| self.jobs[job].gpus * u32::try_from(self.lives[job].bound.len()).unwrap();
        let held = (0..self.jobs.len()).filter(|job| counts(*job)).map(bound);
        held.chain(others.map(|job| self.jobs[job].gpus)).sum()
    }

    /// Returns the jobs whose pods the laws allow as victims of a job, none of a priority above the highest one of the victims of the plan.
    fn candidates(&self, lead: usize, nominated: &BTreeSet<String>, highest: i64) -> Vec<usize> {
        let of = &self.jobs[lead];
        // What pods of a team hold, at Permit, too, and are promised.
        let reserved = self.reserved();
        let used = |team: &str| -> u32 {
            let is_of_team = |job: usize| self.jobs[job].team == team;
            let others = reserved.keys().filter(|pod| !nominated.contains(*pod)).map(|pod| self.job_of(pod));
            self.gpus(is_of_team, others.filter(|job| is_of_team(*job)))
        };
        let request = of.gpus * u32::try_from(nominated.len()).unwrap();
        let takes_back = used(of.team) + request <= self.min(of.team);
        let is_allowed = |job: &Job| match self.rules {
            Rules::KubernetesSingle | Rules::KubernetesAll => job.priority < of.priority,
            Rules::Koordinator => job.priority < of.priority && job.team == of.team,
            Rules::Yunikorn => false,
            Rules::Volcano => job.team != of.team && used(job.team) > self.min(job.team),
            Rules::Coscheduling if takes_back => job.team != of.team && used(job.team) > self.min(job.team),
            Rules::Coscheduling => job.priority < of.priority && job.team == of.team,
        };
        let runs = |job: &usize| {
            let (of, life) = (&self.jobs[*job], &self.lives[*job]);
            !life.is_leaving && !life.bound.is_empty() && is_allowed(of) && of.priority <= highest
        };
        (0..self.jobs.len()).filter(runs).collect()
    }
}
