//! Gates: may the preemptor?

pub mod gang_has_its_members;
pub mod last_plan_is_done;
pub mod may_preempt;
pub mod no_victim_is_leaving;
pub mod non_preemptible_fits_guaranteed;
