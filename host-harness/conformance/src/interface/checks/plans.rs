//! What plans of `placement`, `cycle` and `enforce` have in common.

use std::collections::BTreeSet;

use lictor_contract::ExtensionPoint;

use super::super::check::ensure;
use super::super::exchange::Exchange;
use super::super::lab::{CheckContext, CheckResult};

/// Checks that no instance gives a number twice, to plans of this export or of the others that share its count.
pub(super) fn numbers_once(lab: &CheckContext<'_>, export: &str) -> CheckResult {
    let mut seen = 0_usize;
    for run in lab.runs() {
        let mut used = BTreeSet::new();
        for exchange in &run.exchanges {
            for plan in exchange.plans() {
                let fresh = used.insert((exchange.instance, plan));
                if exchange.call.export() == export {
                    ensure(fresh, || format!("`{export}`: plan {plan} has the number of an earlier one"))?;
                    seen = seen.saturating_add(1);
                }
            }
        }
    }
    Ok(seen)
}

/// Checks that the host refuses none of the plans in answers of this export, but by rails.
pub(super) fn sound(lab: &CheckContext<'_>, export: &str) -> CheckResult {
    not_refused(lab, export, false)
}

/// Checks that no rail refuses a plan in answers of this export.
pub(super) fn within_rails(lab: &CheckContext<'_>, export: &str) -> CheckResult {
    not_refused(lab, export, true)
}

fn not_refused(lab: &CheckContext<'_>, export: &str, is_by_rail: bool) -> CheckResult {
    let own = |exchange: &&Exchange| exchange.call.export() == export;
    let plans = lab.plain().exchanges.iter().filter(own).map(|exchange| exchange.plans().len()).sum();
    let (enforces, acts) = (export == "enforce.enforce", lab.decides(ExtensionPoint::Act));
    if !enforces && acts != (export == "cycle.act") {
        return Ok(0);
    }
    let mut refused = lab.plain().refused.iter();
    let refused = refused.find(|plan| plan.is_enforced == enforces && plan.is_by_rail == is_by_rail);
    refused.map_or(Ok(plans), |plan| Err(format!("`{export}`: the host refuses a plan: {}", plan.message)))
}

/// Checks that the host finds no unsound placement in answers of this export.
pub(super) fn bindable(lab: &CheckContext<'_>, call: &str) -> CheckResult {
    use lictor_host::session::{FailureCause, ProtocolError};
    let unsound = |cause: &&FailureCause| matches!(cause, FailureCause::ProtocolError { call: of, protocol_error: ProtocolError::InvariantViolated(_) } if *of == call);
    let named = lab.plain().exchanges.iter().filter(|exchange| exchange.call.export().ends_with(&format!(".{call}")));
    match lab.plain().faults.iter().find(unsound) {
        Some(cause) => Err(cause.to_string()),
        None => Ok(named.count()),
    }
}
