//! The table: kube-scheduler's, with the queue and the gates of the proposal. A line is a law: its place in the table, its code, its file
//! and its source.

use crate::laws::{Gate, Laws, Sample, gate, laws, limit, order};
use crate::systems::kubernetes;

laws! { "coscheduling":
    Gate GANG_HAS_ITS_MEMBERS = "gang-has-its-members", gate::gang_has_its_members::LAW, "seed 20200116, Pre-Filter 1";
    Gate GANG_MINIMUM_IS_FREE = "gang-minimum-is-free", gate::gang_minimum_is_free::LAW, "scheduler-plugins, PreFilter and CheckClusterResource; ruling R20";
    Gate ITS_ROOM_IS_NOT_HELD = "its-room-is-not-held-at-permit", gate::its_room_is_not_held_at_permit::LAW, "seed 20200116, UnReserve; upstream plugins/defaultpreemption; ruling R17";
    Gate GANG_CAN_START = "gang-can-start", gate::gang_can_start::LAW, "KEP-3521; ruling R18";
    Gate GANG_IS_COMPLETE = "gang-is-complete", limit::gang_is_complete::LAW, "seed 20200116, Permit 3";
    PendingByKey QUEUE = "gang-members-together", order::gang_members_together::LAW, "seed 20200116, QueueSort 1 to 4";
}

/// The laws in force when so many nodes are looked at.
pub fn table(sample: Sample) -> Laws {
    let base = kubernetes::table(sample);
    let with_own = |law: &Gate| match law.rule.code {
        "kubernetes/gang-can-start" => GANG_CAN_START,
        "kubernetes/gang-has-its-members" => GANG_HAS_ITS_MEMBERS,
        "kubernetes/its-room-is-not-held-at-permit" => ITS_ROOM_IS_NOT_HELD,
        _ => *law,
    };
    let trigger = base.trigger.iter().map(with_own).collect();
    let final_gates = base.final_gates.iter().map(with_own).chain([GANG_MINIMUM_IS_FREE]).collect();
    let under_way = base.under_way.iter().map(with_own).collect();
    Laws { under_way, trigger, queue_order: QUEUE, final_gates, permit: vec![GANG_IS_COMPLETE], ..base }
}
