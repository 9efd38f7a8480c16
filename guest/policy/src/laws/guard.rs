//! Guards: may this pod be evicted for the preemptor?

pub mod normal_victim_is_of_another_queue;
pub mod normal_victim_leaves_guarantee;
pub mod normal_victim_queue_is_above_deserved;
pub mod victim_did_not_opt_out;
pub mod victim_frees_what_is_asked;
pub mod victim_has_a_queue;
pub mod victim_is_above_gang_minimum;
pub mod victim_is_bound;
pub mod victim_is_elastic;
pub mod victim_is_inside_the_fence;
pub mod victim_is_no_system_pod;
pub mod victim_is_of_another_job;
pub mod victim_is_of_another_queue;
pub mod victim_is_of_no_daemon_set;
pub mod victim_is_of_the_same_kind;
pub mod victim_is_of_the_same_queue;
pub mod victim_is_outside_reservations;
pub mod victim_is_past_its_cooldown;
pub mod victim_is_preemptible;
pub mod victim_job_ranks_lower;
pub mod victim_outside_default_queue;
pub mod victim_queue_is_not_spared;
pub mod victim_queue_is_over_guarantee;
pub mod victim_queue_is_reclaimable;
pub mod victim_ranks_lower;
pub mod victim_ranks_no_higher;
