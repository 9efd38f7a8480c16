//! Limits: does this hold with the plan carried out? A limit of what a job may hold is asked as a gate as well, before
//! anything is planned.

pub mod elastic_size_is_legal;
pub mod fits_max_of_ancestors;
pub mod fits_max_of_quota;
pub mod fits_min_of_all_quotas;
pub mod gang_is_complete;
pub mod giver_keeps_guarantee;
pub mod guarantees_are_left_free;
pub mod no_queue_falls_below_guarantee;
pub mod non_preemptible_fits_max;
pub mod normal_pods_fit_deserved;
pub mod preemptible_leaves_guaranteed;
pub mod queue_fits_capability;
pub mod reclaimer_stays_within_deserved;
pub mod stops_at_max;
pub mod taker_ends_no_larger_than_giver;
