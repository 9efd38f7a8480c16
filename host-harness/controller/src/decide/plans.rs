//! The plans that are being carried out: first the pods that receive the room are nominated, then the victims are evicted.
//!
//! In this order no victim is evicted for a pod that is gone, and no other pod takes the room in between.

use std::collections::{BTreeMap, BTreeSet};

use lictor_host::session::{Command, CommandAction, CommandId, CommandOutcome, Session, StepOutput};

/// The plans that are under way, by number.
#[derive(Debug, Default)]
pub struct CommandSequencer(BTreeMap<u64, PlanCommands>);

/// A plan that is being carried out.
#[derive(Debug, Default)]
struct PlanCommands {
    /// The pods that wait for the room, by name and uid.
    beneficiaries: BTreeSet<(String, String)>,
    /// The commands that nominate and have not succeeded yet.
    nominations: BTreeSet<CommandId>,
    /// The evictions that wait for those nominations.
    waiting_evictions: Vec<Command>,
    /// The evictions that are under way.
    evictions: BTreeSet<CommandId>,
    /// Whether the plan's commands under way were already reported as not needed any more.
    is_given_up: bool,
}

/// The commands that the outcome of another command releases or fails.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReleasedCommands {
    /// The commands that can be carried out now.
    pub ready: Vec<Command>,
    /// The commands that will never be carried out, with their outcomes.
    pub failed: Vec<(CommandId, CommandOutcome)>,
}

impl CommandSequencer {
    /// Takes the plans of a step. Returns the commands of the step that can be carried out now.
    pub fn take(&mut self, step: &StepOutput) -> Vec<Command> {
        let mut nominations: BTreeMap<String, &Command> = BTreeMap::new();
        for command in &step.commands {
            if matches!(command.action, CommandAction::Nominate { node: Some(_) }) {
                nominations.insert(command.object.pod_name(), command);
            }
        }
        for made in &step.happened.plans {
            let commands = || made.nominated.keys().filter_map(|pod| nominations.get(pod));
            let plan = PlanCommands {
                beneficiaries: commands().map(|it| (it.object.pod_name(), it.object.uid.clone())).collect(),
                nominations: commands().map(|command| command.id).collect(),
                ..PlanCommands::default()
            };
            self.0.insert(made.plan, plan);
        }
        step.commands.iter().filter_map(|command| self.ready_or_hold(command)).collect()
    }

    /// Returns the command where it can be carried out now. `None`: it is an eviction that waits for the nominations of its plan.
    fn ready_or_hold(&mut self, command: &Command) -> Option<Command> {
        let CommandAction::Evict { plan, .. } = &command.action else { return Some(command.clone()) };
        let Some(plan) = self.0.get_mut(plan) else { return Some(command.clone()) };
        if plan.nominations.is_empty() {
            plan.evictions.insert(command.id);
            return Some(command.clone());
        }
        plan.waiting_evictions.push(command.clone());
        None
    }

    /// Takes the outcome of a command. Returns the evictions that it releases, or fails because a nomination failed.
    pub fn settle(&mut self, id: CommandId, outcome: &CommandOutcome) -> ReleasedCommands {
        let mut released = ReleasedCommands::default();
        for plan in self.0.values_mut() {
            plan.evictions.remove(&id);
            if !plan.nominations.remove(&id) {
                continue;
            }
            if let CommandOutcome::Failed(why) | CommandOutcome::Refused { reason: why, .. } = outcome {
                plan.nominations.clear();
                let failed =
                    || CommandOutcome::Failed(format!("nobody is evicted for a nomination that failed: {why}"));
                released.failed.extend(plan.waiting_evictions.drain(..).map(|command| (command.id, failed())));
            } else if plan.nominations.is_empty() {
                plan.evictions.extend(plan.waiting_evictions.iter().map(|command| command.id));
                released.ready.append(&mut plan.waiting_evictions);
            }
        }
        self.0.retain(|_, plan| {
            !(plan.nominations.is_empty() && plan.waiting_evictions.is_empty() && plan.evictions.is_empty())
        });
        released
    }

    /// Returns the evictions under way for pods that do not wait for the room any more. Each is returned once.
    pub fn obsolete_evictions(&mut self, session: &Session) -> Vec<CommandId> {
        let mirror = session.mirror();
        let waits = |(name, uid): &(String, String)| {
            let pod = mirror.pod_id(name).and_then(|pod| mirror.pod(pod));
            pod.is_some_and(|pod| pod.uid == *uid && pod.node.is_none() && pod.nominated.is_some() && !pod.terminating)
        };
        let mut pointless = Vec::new();
        for plan in self.0.values_mut() {
            let is_pointless = !plan.beneficiaries.is_empty() && !plan.beneficiaries.iter().any(waits);
            if is_pointless && !plan.is_given_up {
                plan.is_given_up = true;
                pointless.extend(plan.evictions.iter().copied());
            }
        }
        pointless
    }
}

#[cfg(test)]
mod tests {
    use lictor_host::session::{AppliedPlan, EvictionBeneficiary, ObjectRef};

    use super::*;

    fn command(id: CommandId, name: &str, action: CommandAction) -> Command {
        let [kind, namespace, name, uid] = ["Pod", "default", name, name].map(str::to_owned);
        Command { id, object: ObjectRef { kind, namespace, name, uid }, action }
    }

    fn nominate(id: CommandId, name: &str) -> Command {
        command(id, name, CommandAction::Nominate { node: Some("n1".to_owned()) })
    }

    fn evict(id: CommandId, name: &str, plan: u64) -> Command {
        command(id, name, CommandAction::Evict { delete: true, marks: Vec::new(), plan })
    }

    /// Returns a step with plan 5 for `p` and `q`, victims `v` and `w`.
    fn step(commands: Vec<Command>) -> StepOutput {
        let nominated = ["p", "q"].map(|pod| (format!("default/{pod}"), "n1".to_owned()));
        let plan = AppliedPlan {
            plan: 5,
            for_whom: EvictionBeneficiary::Preemptor("default/p".to_owned()),
            nominated: nominated.into(),
            victims: ["default/v".to_owned(), "default/w".to_owned()].into(),
        };
        let mut step = StepOutput { commands, ..StepOutput::default() };
        step.happened.plans.push(plan);
        step
    }

    fn planned() -> (CommandSequencer, Vec<CommandId>) {
        let mut plans = CommandSequencer::default();
        let commands = vec![nominate(1, "p"), nominate(2, "q"), evict(3, "v", 5), evict(4, "w", 5)];
        let now = plans.take(&step(commands)).iter().map(|command| command.id).collect();
        (plans, now)
    }

    #[test]
    fn victims_are_evicted_when_every_nomination_is_written() {
        let (mut plans, now) = planned();
        assert_eq!(now, [1, 2]);
        assert_eq!(plans.settle(2, &CommandOutcome::Done), ReleasedCommands::default());
        let released = plans.settle(1, &CommandOutcome::Done);
        assert_eq!(released.ready, [evict(3, "v", 5), evict(4, "w", 5)]);
        assert!(released.failed.is_empty());
    }

    #[test]
    fn nobody_is_evicted_for_a_nomination_that_failed() {
        let forbidden = CommandOutcome::Refused { reason: "forbidden".to_owned(), until: 9, budget: false };
        for outcome in [CommandOutcome::Failed("it is gone".to_owned()), forbidden] {
            let (mut plans, _) = planned();
            let released = plans.settle(1, &outcome);
            assert!(released.ready.is_empty());
            assert_eq!(released.failed.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [3, 4]);
            assert_eq!(plans.settle(2, &CommandOutcome::Done), ReleasedCommands::default());
        }
    }

    #[test]
    fn what_belongs_to_no_plan_is_carried_out_at_once() {
        let mut plans = CommandSequencer::default();
        let bind = command(1, "p", CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() });
        let commands = vec![bind.clone(), evict(2, "v", 9)];
        let mut step = step(commands.clone());
        step.happened.plans.clear();
        assert_eq!(plans.take(&step), commands);
    }
}
