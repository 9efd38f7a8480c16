//! A cycle that the policy runs itself, step by step.

use lictor_policy::contract::*;

use super::{Lie, Session, SessionError};
use crate::verify::{self, Proposal};

/// How many steps a cycle may have.
const STEPS: usize = 64;

impl Session<'_> {
    /// Carries out what the policy says, until it says that the cycle has no next step.
    pub(super) fn act(&mut self) -> Result<(), SessionError> {
        for _ in 0..STEPS {
            let actions = self.ask(|policy| policy.act())?;
            let plans = unfold(actions.plans).map_err(|lie| lie.told_by("act"))?;
            self.claim("act", plans.iter().map(|plan| plan.id))?;
            self.bind_all(&actions.bindings)?;
            for plan in plans {
                self.judge_and_carry_out(plan)?;
            }
            if !actions.more {
                return Ok(());
            }
        }
        Err(Lie::Endless(STEPS).told_by("act"))
    }

    /// Binds all of these, or none.
    fn bind_all(&mut self, bindings: &[Placement]) -> Result<(), SessionError> {
        let sound = verify::bindings(&self.ground(), bindings);
        sound.map_err(|violation| Lie::Unsound(violation).told_by("act"))?;
        for binding in bindings {
            self.reserve(binding.pod, binding.node)?;
        }
        for binding in bindings {
            self.bind(binding.pod, binding.node);
        }
        Ok(())
    }

    /// Carries a plan out if it is sound; else the policy has been told, and the next step may bring another.
    fn judge_and_carry_out(&mut self, plan: Plan) -> Result<(), SessionError> {
        let effects = Effects::default();
        let proposal = Proposal { plan: &plan, asker: None, effects: &effects, refuted: &[] };
        match self.judge(&proposal)? {
            Ok(()) => self.carry_out(plan, effects),
            Err(_) => Ok(()),
        }
    }
}

/// The plans one by one.
fn unfold(plans: Plans) -> Result<Vec<Plan>, Lie> {
    let mut unfolded = Vec::with_capacity(plans.slices.len());
    let (mut nominated, mut evicted) = (0, 0);
    for slice in plans.slices {
        let nominations = part(&plans.nominations, &mut nominated, slice.nominations_end, slice.id, "nominations")?;
        let victims = part(&plans.victims, &mut evicted, slice.victims_end, slice.id, "victims")?;
        let reason = usize::try_from(slice.reason).ok().and_then(|index| plans.reasons.get(index));
        let reason = reason.cloned().ok_or(Lie::Ragged {
            plan: slice.id,
            list: "reasons",
            start: 0,
            end: usize::try_from(slice.reason).unwrap_or(usize::MAX),
            length: plans.reasons.len(),
        })?;
        unfolded.push(Plan {
            id: slice.id,
            preemptor: slice.preemptor,
            nominations,
            victims,
            marks: Vec::new(),
            expires: None,
            reason,
        });
    }
    Ok(unfolded)
}

/// The part of a flat list from where the plan before ended to the given end.
fn part<T: Clone>(list: &[T], start: &mut usize, end: u32, plan: u64, name: &'static str) -> Result<Vec<T>, Lie> {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let part = list.get(*start..end).ok_or(Lie::Ragged { plan, list: name, start: *start, end, length: list.len() })?;
    *start = end;
    Ok(part.to_vec())
}
