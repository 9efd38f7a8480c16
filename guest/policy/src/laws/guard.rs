//! Guards: may this one make way for the preemptor?

pub mod victim_is_bound;
pub mod victim_is_of_another_job;
pub mod victim_is_of_the_same_kind;
pub mod victim_is_outside_reservations;
pub mod victim_is_preemptible;
pub mod victim_outside_default_queue;
pub mod victim_ranks_lower;
