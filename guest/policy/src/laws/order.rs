//! Orders: which first?

pub mod cheapest_node_first;
pub mod costlier_eviction_first;
pub mod earlier_task_first;
pub mod fair_queues_first;
pub mod fewest_violations_first;
pub mod gang_members_together;
pub mod higher_priority_first;
pub mod higher_queue_first;
pub mod important_first;
pub mod lesser_job_gives_first;
pub mod opted_out_last;
pub mod ordinary_pod_gives_first;
pub mod queue_then_job_then_task;
pub mod smallest_group_first;
pub mod waiting_gang_first;
