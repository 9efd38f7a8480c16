//! The checks: a file an interface, a line a check, and the functions that look.

mod account;
mod configure;
mod core;
mod cycle;
mod describe;
mod enforce;
mod explain;
mod marks;
mod permit;
mod placement;
mod plans;
mod queue;
mod reasons;
mod score;
mod standing;
mod state;
mod told;

use super::check::Check;

/// All checks.
pub(super) const ALL: &[&[Check]] = &[
    core::CHECKS,
    describe::CHECKS,
    configure::CHECKS,
    told::CHECKS,
    reasons::CHECKS,
    queue::CHECKS,
    placement::CHECKS,
    score::CHECKS,
    permit::CHECKS,
    cycle::CHECKS,
    account::CHECKS,
    explain::CHECKS,
    state::CHECKS,
    marks::CHECKS,
    enforce::CHECKS,
    standing::CHECKS,
];
