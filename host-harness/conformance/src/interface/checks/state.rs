//! `state`: checkpoints.

use lictor_contract::*;
use lictor_host::policy::Policy;

use super::super::check::{Check, ensure};
use super::super::lab::{CheckContext, CheckResult};
use super::super::play::{Disturbance, RunOptions, garbage};
use super::super::tap::EventDelivery;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "state/restored-decides-alike",
        demands: "A new instance with the checkpoint decides as the one that took it, also where the host's numbers are others",
        rule: "wit/state.wit, restore",
        remedy: "save what the cluster does not show, and name objects by kind, namespace, name and uid",
        verdict: |lab| lab.same(&RunOptions { replaced: true, holes: true, ..RunOptions::default() }),
    },
    Check {
        id: "state/saving-changes-nothing",
        demands: "Taking a checkpoint changes no decision",
        rule: "wit/state.wit, save",
        remedy: "read the state in `save`, and change nothing",
        verdict: saving_changes_nothing,
    },
    Check {
        id: "state/own-checkpoint-is-taken",
        demands: "An instance takes the checkpoint that an instance of the same policy has taken",
        rule: "wit/state.wit, restore",
        remedy: "read in `restore` what `save` writes",
        verdict: own_checkpoint_is_taken,
    },
    Check {
        id: "state/garbage-is-refused",
        demands: "Bytes that are no checkpoint are refused with `malformed`, and damaged ones are no trap",
        rule: "wit/state.wit, state-error.malformed",
        remedy: "check the bytes before anything is restored; begin them with a mark of your own, and check it",
        verdict: garbage_is_refused,
    },
    Check {
        id: "state/unknown-format-is-refused",
        demands: "A checkpoint of a layout that the policy does not know is refused with `unknown-format`",
        rule: "wit/state.wit, state-error.unknown-format",
        remedy: "compare `checkpoint.format` first, and answer with the number that is known",
        verdict: unknown_format_is_refused,
    },
    Check {
        id: "state/refused-restore-changes-nothing",
        demands: "A checkpoint that is refused changes no decision",
        rule: "wit/state.wit, state-error",
        remedy: "read the whole checkpoint before anything of it is kept",
        verdict: |lab| lab.same(&RunOptions { disturbance: Disturbance::RestoresGarbage, ..RunOptions::default() }),
    },
];

fn saving_changes_nothing(lab: &CheckContext<'_>) -> CheckResult {
    let telling = EventDelivery { unsaved: true, ..EventDelivery::default() };
    lab.same(&RunOptions { delivery: telling, ..RunOptions::default() })
}

/// Restores a checkpoint in an instance that has received the cluster.
fn restored(lab: &CheckContext<'_>, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, String> {
    let (_, tap) = lab.start_loaded()?;
    tap.call_unrecorded(|policy: &mut dyn Policy| policy.restore(checkpoint))
        .map_err(|error| format!("`state.restore`: {error}"))
}

/// Returns the checkpoints of the plain run.
fn saved<'a>(lab: &'a CheckContext<'_>) -> impl Iterator<Item = &'a Checkpoint> {
    lab.plain().saved().iter().flatten()
}

fn own_checkpoint_is_taken(lab: &CheckContext<'_>) -> CheckResult {
    let mut seen = 0_usize;
    for checkpoint in saved(lab) {
        restored(lab, checkpoint)?.map_err(|error| format!("`state.restore` refuses its own checkpoint: {error:?}"))?;
        seen = seen.saturating_add(1);
    }
    Ok(seen)
}

fn garbage_is_refused(lab: &CheckContext<'_>) -> CheckResult {
    let Some(last) = saved(lab).last() else { return Ok(0) };
    let taken = restored(lab, &garbage(last.format))?;
    let refused = matches!(taken, Err(StateError::Malformed(_)));
    ensure(refused, || format!("`state.restore` of bytes that are no checkpoint answers {taken:?}"))?;
    let half = last.bytes.iter().take(last.bytes.len() / 2).copied().collect();
    let turned = last.bytes.iter().rev().copied().collect();
    let flipped = last.bytes.iter().enumerate().map(|(at, byte)| if at % 7 == 3 { !byte } else { *byte }).collect();
    for bytes in [half, turned, flipped] {
        // The damaged bytes may by chance be a valid state, but must not trap.
        drop(restored(lab, &Checkpoint { format: last.format, bytes })?);
    }
    Ok(4)
}

fn unknown_format_is_refused(lab: &CheckContext<'_>) -> CheckResult {
    let Some(last) = saved(lab).last() else { return Ok(0) };
    let other = Checkpoint { format: !last.format, bytes: last.bytes.clone() };
    let taken = restored(lab, &other)?;
    let refused = matches!(taken, Err(StateError::UnknownFormat(known)) if known == last.format);
    ensure(refused, || format!("`state.restore` of format {} answers {taken:?}", other.format))?;
    Ok(1)
}
