//! Drives a case: rounds of attempts or cycles until one changes nothing, and a judgement after every step.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::ReadError;
use crate::case::{By, Case, Step};
use crate::outcome::Outcome;
use crate::systems;
use crate::tally::{Breach, Tally, Verdict};
use crate::world::World;

/// The most rounds. Every case of up to 12 running pods has come to rest long before.
const ROUNDS: usize = 40;

/// What became of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The steps, in order; with a breach, the last is the one that broke a law.
    pub steps: Vec<(Step, Value)>,
    /// The laws that were broken. The case ends with the first step that breaks one.
    pub breaches: Vec<Breach>,
    /// Numbers.
    pub tally: Tally,
}

/// Why a case could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped<E> {
    /// A step could not be taken.
    #[error("{0}")]
    Step(E),
    /// The model does not understand what it reads.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Plays a case. `take` takes a step and says what came of it in the words of `lictor test --output json`, and with the key `standing` all
/// nominations that stand afterwards.
///
/// # Errors
/// A step that could not be taken, and an outcome or object that the model cannot read.
pub fn play<E>(case: &Case, take: impl FnMut(&Step) -> Result<Value, E>) -> Result<Played, Stopped<E>> {
    let played = Played { steps: Vec::new(), breaches: Vec::new(), tally: Tally::default() };
    let memory = systems::Memory::default();
    let mut table = Table { case, take, world: World::of(&case.objects)?, memory, played };
    table.rounds()?;
    Ok(table.played)
}

/// A case that is being played.
struct Table<'c, F> {
    case: &'c Case,
    take: F,
    world: World,
    memory: systems::Memory,
    played: Played,
}

impl<E, F: FnMut(&Step) -> Result<Value, E>> Table<'_, F> {
    /// Rounds until one changes nothing, or a law is broken.
    fn rounds(&mut self) -> Result<(), Stopped<E>> {
        let drive = self.case.drive;
        if drive.first > 0 {
            self.step(Step::Advance(drive.first))?;
        }
        let mut seen = BTreeSet::new();
        let mut quiet = 0;
        for _ in 0..ROUNDS {
            let mut changed = match drive.by {
                By::Attempts => self.attempts()?,
                By::Cycles => self.step(Step::Cycle)?.changes(),
            };
            if self.over() {
                return Ok(());
            }
            let books = systems::accounts(self.case, &self.world)?;
            if !books.is_empty() {
                self.step(Step::Books(books.into_keys().collect()))?;
            }
            let evicting = self.world.pods.values().any(|pod| pod.leaving);
            changed |= evicting;
            self.step(Step::EvictionsComplete)?;
            let anew = self.world.created_anew();
            if drive.recreate && !anew.is_empty() {
                self.step(Step::Apply(anew))?;
            }
            if drive.between > 0 {
                self.step(Step::Advance(drive.between))?;
            }
            quiet = if changed { 0 } else { quiet + 1 };
            if self.over() || quiet >= self.patience() {
                return Ok(());
            }
            if evicting && !seen.insert(self.world.picture()) {
                if self.may_go_on() {
                    return Ok(());
                }
                self.found("comes-to-rest", "pods were evicted, and the cluster is as it was before");
                return Ok(());
            }
        }
        if self.may_go_on() {
            return Ok(());
        }
        self.found("comes-to-rest", format!("something still changes after {ROUNDS} rounds"));
        Ok(())
    }

    /// Whether it is known why this may go on for ever where victims are created anew.
    fn may_go_on(&mut self) -> bool {
        let why = self.memory.unrest().filter(|_| self.case.drive.recreate);
        if let Some(why) = why {
            *self.played.tally.excuses.entry(why).or_insert(0) += 1;
        }
        why.is_some()
    }

    /// How many rounds must change nothing: with pods at permit, time may.
    fn patience(&self) -> usize {
        if self.world.pods.values().any(|pod| pod.held.is_some()) { 2 } else { 1 }
    }

    /// One attempt for every pod of the queue that is still pending.
    fn attempts(&mut self) -> Result<bool, Stopped<E>> {
        let queue = self.step(Step::Order)?.order;
        let mut changed = false;
        for pod in queue {
            if self.over() {
                break;
            }
            if self.world.pods.get(&pod).is_some_and(|pod| pod.pending()) {
                let outcome = self.step(Step::Schedule(pod))?;
                changed |= outcome.changes();
            }
        }
        Ok(changed)
    }

    /// Takes a step, judges it, and notes what became of the cluster.
    fn step(&mut self, step: Step) -> Result<Outcome, Stopped<E>> {
        let said = (self.take)(&step).map_err(Stopped::Step)?;
        let outcome = Outcome::read(&said)?;
        let mut verdict = Verdict::default();
        systems::judge(self.case, &self.world, &mut self.memory, &step, &outcome, &mut verdict)?;
        self.world.take(&step, &outcome)?;
        self.played.tally.add(&verdict.tally);
        self.played.breaches.extend(verdict.breaches);
        self.played.steps.push((step, said));
        Ok(outcome)
    }

    /// Whether a law was broken.
    fn over(&self) -> bool {
        !self.played.breaches.is_empty()
    }

    /// A law of the whole run is broken.
    fn found(&mut self, law: &'static str, text: impl Into<String>) {
        self.played.breaches.push(Breach { law, text: text.into(), expect: None });
    }
}
