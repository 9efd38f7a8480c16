//! Gates: may the preemptor?

pub mod gang_has_its_members;
pub mod gang_has_its_roles;
pub mod gang_is_short;
pub mod gang_runs;
pub mod last_plan_is_done;
pub mod may_preempt;
pub mod no_victim_is_leaving;
pub mod non_preemptible_fits_guaranteed;
pub mod queue_takes_pods;
pub mod scaling_interval_is_over;
