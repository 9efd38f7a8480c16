//! Lets a session follow another session, whose commands are the ones that are carried out.
//!
//! A session that follows receives the same inputs. After each input it gives up its decisions that the other session has not made, and takes over
//! the decisions of the other session. So both sessions decide about the same cluster, even where their decisions differ.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lictor_contract::{ExtensionPoint, PodId, ReleaseCause};

use super::asked::{EXTERNAL_PLAN, PendingCommand};
use super::command::{Command, CommandAction, CommandId};
use super::{FailureCause, NamedHold, Session, SessionError, SessionReport};
use crate::cluster::PodChange;
use crate::policy::CallError;
use crate::verify::PlannedEviction;

/// The reason why a command of a following session is not carried out.
const LEADER_DECIDES: &str = "another session decides";

/// The decisions of the leading session in a step.
#[derive(Debug, Clone, Copy)]
pub struct LeaderDecisions<'a> {
    /// The commands of the leading session.
    pub commands: &'a [Command],
    /// The pods that the leading session holds at permit at the end of the step.
    pub held: &'a BTreeMap<String, NamedHold>,
}

impl Session {
    /// Replaces the decisions of the last step, whose commands are `own`, by those of another session for the same input. Decisions that both
    /// sessions made stay. Returns the command numbers of this session, by those of the other one. Outcomes must use the numbers of this session.
    ///
    /// Pods that only the other session holds at permit are held here, too, if the policy accepts them. The policy's own memory stays as the policy
    /// decided.
    ///
    /// # Errors
    /// The policy fails. The other session's commands are applied all the same.
    pub fn follow_leader(
        &mut self,
        own: &[Command],
        led: LeaderDecisions<'_>,
    ) -> Result<BTreeMap<CommandId, CommandId>, SessionError> {
        let mut numbers = BTreeMap::new();
        self.retract_unmatched(own, led.commands, &mut numbers);
        self.adopt_commands(led.commands, &mut numbers);
        self.journal.report = SessionReport::default();
        let followed = match self.instance.needs_restart {
            // The next instance receives the cluster as it is then.
            true => Ok(()),
            false => self.run_input(
                || "what another session decided".to_owned(),
                |session| {
                    session.match_permit_holds(led.held)?;
                    session.sync()
                },
            ),
        };
        // The commands that follow from releasing pods are not carried out either.
        self.retract_undelivered();
        self.journal.report = SessionReport::default();
        followed.map(|()| numbers)
    }

    /// Retracts the commands that the other session has not given.
    fn retract_unmatched(&mut self, own: &[Command], led: &[Command], numbers: &mut BTreeMap<CommandId, CommandId>) {
        for command in own {
            let same = |other: &&Command| command.is_like(other) && !numbers.contains_key(&other.id);
            match led.iter().find(same) {
                Some(other) => drop(numbers.insert(other.id, command.id)),
                None if command.action == CommandAction::Confirm => {}
                None => self.retract_command(command.id, LEADER_DECIDES.to_owned()),
            }
        }
        self.retract_undelivered();
    }

    /// Retracts commands that were not handed out yet. A `Confirm` leaves its command in flight.
    fn retract_undelivered(&mut self) {
        for Command { id, action, .. } in std::mem::take(&mut self.pending_commands.outbox) {
            let ask = if action == CommandAction::Confirm { None } else { self.pending_commands.in_flight.remove(&id) };
            if let Some(ask) = ask {
                self.mirror.retract(ask.pod, id);
            }
        }
    }

    /// Adds the remaining commands of the other session to those in flight.
    fn adopt_commands(&mut self, led: &[Command], numbers: &mut BTreeMap<CommandId, CommandId>) {
        let nominated =
            led.iter().filter(|command| matches!(command.action, CommandAction::Nominate { node: Some(_) }));
        let beneficiaries: BTreeSet<PodId> = nominated.filter_map(|it| self.pod_of_object(&it.object)).collect();
        for Command { id, object, action } in led {
            if numbers.contains_key(id) {
                continue;
            }
            let (Some(pod), Some(change)) = (self.pod_of_object(object), self.change_of(action)) else { continue };
            match &change {
                PodChange::Bind { .. } => {
                    self.release_hold(pod);
                    self.clear_assumed_marks(pod);
                }
                PodChange::Evict { .. } => {
                    let departure = PlannedEviction { plan: EXTERNAL_PLAN, beneficiaries: beneficiaries.clone() };
                    self.planned_evictions.set(pod, Some(departure));
                }
                PodChange::Nominate(_) | PodChange::Mark(_) => {}
            }
            let number = self.pending_commands.number();
            self.mirror.assume(pod, number, change.clone());
            let (object, since) = (object.clone(), self.mirror.now());
            self.pending_commands
                .in_flight
                .insert(number, PendingCommand { pod, object, change, plan: EXTERNAL_PLAN, since, pause: 0 });
            numbers.insert(*id, number);
        }
    }

    /// Returns the change of a command. `None`: the command is a `Confirm`.
    fn change_of(&self, action: &CommandAction) -> Option<PodChange> {
        let now = self.mirror.now();
        Some(match action {
            CommandAction::Bind { node, marks } => {
                PodChange::Bind { node: node.clone(), at: now, marks: marks.clone() }
            }
            CommandAction::Nominate { node } => PodChange::Nominate(node.clone()),
            CommandAction::Evict { delete, marks, .. } => {
                PodChange::Evict { deleted: delete.then_some(now), marks: marks.clone() }
            }
            CommandAction::Confirm => return None,
        })
    }

    /// Holds the pods at permit that the other session holds, and no others.
    fn match_permit_holds(&mut self, led: &BTreeMap<String, NamedHold>) -> Result<(), FailureCause> {
        let mut rounds = VecDeque::new();
        for (name, held) in self.permit_holds() {
            let Some(pod) = self.mirror.pod_id(&name) else { continue };
            if led.get(&name).is_none_or(|other| other.node != held.node) {
                rounds.extend(self.unreserve(pod, ReleaseCause::Failed)?);
            }
        }
        self.apply_effects(rounds)?;
        self.sync()?;
        for (name, held) in led {
            let (Some(pod), Some(node)) = (self.mirror.pod_id(name), self.mirror.node_id(&held.node)) else { continue };
            if !self.mirror.pod(pod).is_some_and(|pod| self.occupancy.is_pending(pod)) {
                continue;
            }
            if self.decides(ExtensionPoint::Reserve) {
                match self.call_policy(|policy| policy.reserve(pod, node)) {
                    // The effects on other pods have happened in the other session.
                    Ok(_) => {}
                    Err(FailureCause::CallError(CallError::Refused { .. })) => continue,
                    Err(fault) => return Err(fault),
                }
            }
            let place = self.occupancy.new_hold(node, held.deadline);
            self.occupancy.hold(pod, Some(place));
        }
        Ok(())
    }
}

impl Command {
    /// Returns whether two commands have the same action on the same object. The numbers of plans differ between policies and are not compared.
    fn is_like(&self, other: &Command) -> bool {
        let is_like = match (&self.action, &other.action) {
            (
                CommandAction::Evict { delete, marks, .. },
                CommandAction::Evict { delete: as_well, marks: others, .. },
            ) => (delete, marks) == (as_well, others),
            (one, another) => one == another,
        };
        is_like && self.object == other.object
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::session::testing::{ALL, Scripted, ScriptedEffects, ScriptedPlan, ScriptedReply, session};
    use crate::session::{CommandOutcome, SessionInput, StepOutput};
    use crate::verify::testing::{node, object, on, pod};

    /// Opens a session with a cluster: one node full with `v` and `w`, one with free capacity for `a`; `p` and `a` are pending.
    fn opened(policy: &Scripted) -> Session {
        let objects = [
            node("n1", 4),
            node("n2", 1),
            on("n1", pod("v", 3, 0)),
            on("n1", pod("w", 1, 0)),
            pod("p", 3, 9),
            pod("a", 1, 1),
        ];
        let mut session = Session::open(Box::new(policy.clone()), "", "").unwrap();
        session.handle(SessionInput::Objects(objects.into_iter().map(object).collect())).unwrap();
        session
    }

    fn evicting(victim: &'static [&'static str]) -> Scripted {
        let plan = ScriptedPlan { id: 5, nominations: &[("default/p", "n1")], victims: victim, soft: true };
        Scripted::deciding(ALL)
            .reply("filter default/p", ScriptedReply::Fits(&[]))
            .reply("post-filter default/p", ScriptedReply::Plan(plan, ScriptedEffects::default()))
    }

    fn attempt(session: &mut Session, pod: &str) -> StepOutput {
        session.handle(SessionInput::Attempt(format!("default/{pod}"))).unwrap()
    }

    fn outcomes(step: &StepOutput, numbers: &BTreeMap<CommandId, CommandId>, outcome: &CommandOutcome) -> SessionInput {
        let told = step.commands.iter().filter_map(|command| Some((*numbers.get(&command.id)?, outcome.clone())));
        SessionInput::Outcomes(told.collect())
    }

    #[test]
    fn what_both_decide_alike_stays_and_gets_its_outcome() {
        let (one, other) = (evicting(&["default/v"]), evicting(&["default/v"]));
        let (mut leads, mut follows) = (opened(&one), opened(&other));
        let (led, own) = (attempt(&mut leads, "p"), attempt(&mut follows, "p"));
        let held = leads.permit_holds();
        let numbers =
            follows.follow_leader(&own.commands, LeaderDecisions { commands: &led.commands, held: &held }).unwrap();
        assert_eq!(numbers.len(), 2);
        assert_eq!(follows.commands_in_flight(), 2);
        follows.handle(outcomes(&led, &numbers, &CommandOutcome::Done)).unwrap();
        assert_eq!(follows.commands_in_flight(), 0);
        // The plan was kept, because the policy received no refusal.
        assert!(!other.log().iter().any(|asked| asked.starts_with("refused")), "{:?}", other.log());
    }

    #[test]
    fn another_plan_takes_the_place_of_the_own_one() {
        let other = Scripted::deciding(ALL).reply("filter default/a", ScriptedReply::Fits(&["n2"]));
        let one = evicting(&["default/v"]);
        let (mut leads, mut follows) = (opened(&one), opened(&other));
        let led = attempt(&mut leads, "p");
        let own = attempt(&mut follows, "a");
        assert_eq!(own.commands.len(), 1, "it binds `a`");
        let held = leads.permit_holds();
        let numbers =
            follows.follow_leader(&own.commands, LeaderDecisions { commands: &led.commands, held: &held }).unwrap();
        let mirror = follows.mirror();
        let named = |name: &str| mirror.pod(mirror.pod_id(name).unwrap()).unwrap();
        assert_eq!(named("default/a").node, None, "its own binding is given up");
        assert_eq!(named("default/p").nominated, mirror.node_id("n1"));
        let v = mirror.pod_id("default/v").unwrap();
        assert!(follows.planned_evictions.plan_of_victim(mirror, v).is_some(), "somebody waits for its room");
        assert!(follows.journal.report.attempts.is_empty());
        // The cluster does not evict the victim, so it stays.
        follows.handle(outcomes(&led, &numbers, &CommandOutcome::Failed("no".to_owned()))).unwrap();
        let mirror = follows.mirror();
        assert_eq!(mirror.pod(mirror.pod_id("default/p").unwrap()).unwrap().nominated, None);
        assert!(follows.planned_evictions.plan_of_victim(mirror, v).is_none());
        assert!(!other.log().iter().any(|asked| asked.starts_with("refused")), "it was no plan of this policy");
    }

    #[test]
    fn pods_are_held_as_the_other_session_holds_them() {
        let holds = |name: &str| {
            Scripted::deciding(ALL)
                .reply(&format!("permit default/{name}"), ScriptedReply::Wait(10, ScriptedEffects::default()))
        };
        let (one, other) = (holds("a"), holds("b"));
        let cluster = || [node("n1", 4), pod("a", 1, 0), pod("b", 1, 0)];
        let (mut leads, mut follows) = (session(&one, cluster()), session(&other, cluster()));
        let (leads, follows) = (&mut leads.session, &mut follows.session);
        let led = attempt(leads, "a");
        let own = attempt(follows, "b");
        assert_eq!(follows.waiting().into_keys().collect::<Vec<_>>(), ["default/b"]);
        let held = leads.permit_holds();
        follows.follow_leader(&own.commands, LeaderDecisions { commands: &led.commands, held: &held }).unwrap();
        assert_eq!(follows.permit_holds(), held);
        let tail = ["unreserve default/b Failed", "reserve default/a n1"].map(str::to_owned);
        assert!(other.log().ends_with(&tail), "{:?}", other.log());
        // Once its gang is complete, the other session binds the pod.
        let bind = Command {
            id: 77,
            object: follows.object_ref(follows.mirror().pod_id("default/a").unwrap()).unwrap(),
            action: CommandAction::Bind { node: "n1".to_owned(), marks: Vec::new() },
        };
        follows.follow_leader(&[], LeaderDecisions { commands: &[bind], held: &BTreeMap::new() }).unwrap();
        assert!(follows.permit_holds().is_empty());
        let mirror = follows.mirror();
        assert_eq!(mirror.pod(mirror.pod_id("default/a").unwrap()).unwrap().node, mirror.node_id("n1"));
        assert!(!other.log().contains(&"unreserve default/a Failed".to_owned()));
    }
}
