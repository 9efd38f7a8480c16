//! Gates: may the preemptor?

pub mod elastic_pods_grow_by_steps;
pub mod gang_can_start;
pub mod gang_demands_are_known;
pub mod gang_group_is_served_first;
pub mod gang_has_its_members;
pub mod gang_has_its_roles;
pub mod gang_has_not_failed;
pub mod gang_is_short;
pub mod gang_minimum_is_free;
pub mod gang_runs;
pub mod its_room_is_not_held_at_permit;
pub mod its_victims_have_left;
pub mod last_plan_is_done;
pub mod may_preempt;
pub mod no_preempted_pod_is_leaving;
pub mod no_victim_is_leaving;
pub mod non_preemptible_fits_guaranteed;
pub mod over_max_for_the_delay;
pub mod pending_for_the_delay;
pub mod pod_demands_are_known;
pub mod preemption_is_on;
pub mod queue_gives_back;
pub mod queue_is_known;
pub mod queue_is_under_guarantee;
pub mod queue_takes_pods;
pub mod scaling_interval_is_over;
