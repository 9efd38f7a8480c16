//! Drives a case in rounds until a round changes nothing, and judges every step.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::ModelInputError;
use crate::case::{CaseStep, FuzzCase, RoundKind};
use crate::outcome::ReportedOutcome;
use crate::systems;
use crate::tally::{BrokenLaw, RunCounts, StepFindings};
use crate::world::ModelCluster;

/// The maximum number of rounds. Every case of up to 12 running pods comes to rest long before.
const ROUNDS: usize = 40;

/// The result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseOutcome {
    /// The steps, in order. With a breach, the last step is the one that broke a law.
    pub steps: Vec<(CaseStep, Value)>,
    /// The broken laws. The case ends with the first step that breaks a law.
    pub breaches: Vec<BrokenLaw>,
    /// The counts of the case.
    pub tally: RunCounts,
}

/// Why a case could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum Stopped<E> {
    /// A step failed.
    #[error("{0}")]
    Step(E),
    /// The model cannot read an object or an outcome.
    #[error(transparent)]
    Read(#[from] ModelInputError),
}

/// Plays a case. `take` executes a step and returns its outcome in the format of `lictor test --output json`, with all nominations after the
/// step under key `standing`.
///
/// # Errors
/// A step failed, or the model cannot read an outcome or an object.
pub fn play<E>(case: &FuzzCase, take: impl FnMut(&CaseStep) -> Result<Value, E>) -> Result<CaseOutcome, Stopped<E>> {
    CaseRun::of(case, take, ModelCluster::of(&case.objects)?, Some(systems::SystemStates::default())).play()
}

/// Plays a case as [`play`] does, and judges only that its rounds end. This is for clusters with objects that the model cannot judge: of an object,
/// the model reads only which pods there are, and where they run.
///
/// # Errors
/// A step failed, or the model cannot read an outcome.
pub fn play_to_rest<E>(
    case: &FuzzCase,
    take: impl FnMut(&CaseStep) -> Result<Value, E>,
) -> Result<CaseOutcome, Stopped<E>> {
    CaseRun::of(case, take, ModelCluster::of_places(&case.objects)?, None).play()
}

/// A case in progress.
struct CaseRun<'c, F> {
    case: &'c FuzzCase,
    take: F,
    world: ModelCluster,
    /// What the laws of the system remember between steps. `None`: these laws are not judged.
    memory: Option<systems::SystemStates>,
    played: CaseOutcome,
}

impl<'c, E, F: FnMut(&CaseStep) -> Result<Value, E>> CaseRun<'c, F> {
    /// Returns a case that has not begun.
    fn of(case: &'c FuzzCase, take: F, world: ModelCluster, memory: Option<systems::SystemStates>) -> Self {
        let played = CaseOutcome { steps: Vec::new(), breaches: Vec::new(), tally: RunCounts::default() };
        CaseRun { case, take, world, memory, played }
    }

    /// Plays the case.
    fn play(mut self) -> Result<CaseOutcome, Stopped<E>> {
        self.rounds()?;
        Ok(self.played)
    }

    /// Runs rounds until one changes nothing or a law is broken.
    fn rounds(&mut self) -> Result<(), Stopped<E>> {
        let drive = self.case.drive;
        if drive.first > 0 {
            self.step(CaseStep::Advance(drive.first))?;
        }
        if !self.case.later.is_empty() {
            self.step(CaseStep::Apply(self.case.later.clone()))?;
        }
        let mut seen = BTreeSet::new();
        let mut quiet = 0;
        let mut without_evictions = 0;
        for round in 0..ROUNDS {
            let held = self.held_at_permit();
            let mut changed = match drive.by {
                RoundKind::Attempts => self.attempts()?,
                RoundKind::Cycles => self.step(CaseStep::Cycle)?.changes(),
            };
            if self.is_over() {
                return Ok(());
            }
            if drive.retries_early && self.world.pods.values().any(|pod| pod.leaving) {
                changed |= self.attempts()?;
                if self.is_over() {
                    return Ok(());
                }
            }
            self.usage()?;
            let evicting = self.world.pods.values().any(|pod| pod.leaving);
            changed |= evicting;
            self.step(CaseStep::EvictionsComplete)?;
            let recreated = self.world.recreated();
            if drive.recreate && !recreated.is_empty() {
                self.step(CaseStep::Apply(recreated))?;
            }
            if round == 0 && !self.case.late.is_empty() {
                changed = true;
                self.step(CaseStep::Apply(self.case.late.clone()))?;
            }
            if drive.between > 0 {
                self.step(CaseStep::Advance(drive.between))?;
            }
            quiet = if changed { 0 } else { quiet + 1 };
            without_evictions = if evicting { 0 } else { without_evictions + 1 };
            if self.is_over() {
                return Ok(());
            }
            // A gang may get its nodes one in each round.
            let now = self.held_at_permit();
            let holds_more = held.is_subset(&now) && held != now;
            if quiet >= self.quiet_rounds() && !holds_more {
                self.check_rest();
                return Ok(());
            }
            if evicting && !seen.insert(self.world.describe()) {
                self.breach("comes-to-rest", "pods were evicted, and the cluster is in an earlier state again");
                return Ok(());
            }
        }
        if self.world.is_constrained() && without_evictions >= ROUNDS / 2 {
            let excuse = "a gang with constraints between pods waits at permit again and again, and evicts nobody";
            self.played.tally.excuses.insert(excuse, 1);
        } else {
            self.breach("comes-to-rest", format!("the cluster still changes after {ROUNDS} rounds"));
        }
        Ok(())
    }

    /// Reads the usage of the quotas or queues, where the laws of the system are judged.
    fn usage(&mut self) -> Result<(), Stopped<E>> {
        if self.memory.is_some() {
            let accounts = systems::accounts(self.case, &self.world)?;
            if !accounts.is_empty() {
                self.step(CaseStep::Usage(accounts.into_keys().collect()))?;
            }
        }
        Ok(())
    }

    /// Judges the cluster at rest: no gang holds nodes that are of no use to it.
    fn check_rest(&mut self) {
        if self.memory.is_none() {
            return;
        }
        if let Some(held) = systems::useless_hold(self.case, &self.world) {
            self.breach("no-gang-holds-room-in-vain", format!("at rest, {held}"));
        }
    }

    /// Returns the names of the pods that hold nodes at Permit.
    fn held_at_permit(&self) -> BTreeSet<String> {
        let held = self.world.pods.values().filter(|pod| pod.held.is_some());
        held.map(|pod| pod.name.clone()).collect()
    }

    /// Returns how many rounds must change nothing before the case is at rest. While pods wait at permit, or queues are over their maxima, time
    /// alone may change something.
    fn quiet_rounds(&self) -> usize {
        if !self.case.later.is_empty() {
            return 5;
        }
        if self.world.pods.values().any(|pod| pod.held.is_some()) { 2 } else { 1 }
    }

    /// Tries every pod of the queue that is still pending.
    fn attempts(&mut self) -> Result<bool, Stopped<E>> {
        let queue = self.step(CaseStep::Order)?.order;
        let mut changed = false;
        for pod in queue {
            if self.is_over() {
                break;
            }
            if self.world.pods.get(&pod).is_some_and(|pod| pod.pending()) {
                let outcome = self.step(CaseStep::Schedule(pod))?;
                changed |= outcome.changes();
            }
        }
        Ok(changed)
    }

    /// Executes a step, judges it, and updates the cluster.
    fn step(&mut self, step: CaseStep) -> Result<ReportedOutcome, Stopped<E>> {
        let reported = (self.take)(&step).map_err(Stopped::Step)?;
        let outcome = ReportedOutcome::read(&reported)?;
        let mut verdict = StepFindings::default();
        if let Some(memory) = &mut self.memory {
            systems::judge(self.case, &self.world, memory, &step, &outcome, &mut verdict)?;
        }
        self.world.apply_outcome(&step, &outcome)?;
        self.played.tally.add(&verdict.tally);
        self.played.breaches.extend(verdict.breaches);
        self.played.steps.push((step, reported));
        Ok(outcome)
    }

    /// Returns whether the case is over, because a law was broken.
    fn is_over(&self) -> bool {
        !self.played.breaches.is_empty()
    }

    /// Records a breach of a law about the whole run.
    fn breach(&mut self, law: &'static str, text: impl Into<String>) {
        self.played.breaches.push(BrokenLaw { law, text: text.into(), expect: None });
    }
}
