//! The table: kube-scheduler's, with the queue and the gates of the proposal.

use crate::laws::{Gate, Laws, Order, Sample, gate, limit, order, rule};
use crate::systems::kubernetes;

const GANG_HAS_ITS_MEMBERS: Gate = Gate {
    rule: rule("coscheduling/gang-has-its-members", "seed 20200116, Pre-Filter 1", &gate::gang_has_its_members::LAW),
    holds: gate::gang_has_its_members::holds,
};
const ITS_ROOM_IS_NOT_HELD: Gate = Gate {
    rule: rule(
        "coscheduling/its-room-is-not-held-at-permit",
        "seed 20200116, UnReserve; upstream plugins/defaultpreemption; ruling R17",
        &gate::its_room_is_not_held_at_permit::LAW,
    ),
    holds: gate::its_room_is_not_held_at_permit::holds,
};
const GANG_IS_COMPLETE: Gate = Gate {
    rule: rule("coscheduling/gang-is-complete", "seed 20200116, Permit 3", &limit::gang_is_complete::LAW),
    holds: limit::gang_is_complete::holds,
};

/// The laws in force when so many nodes are looked at.
pub fn table(sample: Sample) -> Laws {
    let base = kubernetes::table(sample);
    let under_way = base.under_way.iter().copied().chain([ITS_ROOM_IS_NOT_HELD]).collect();
    Laws {
        under_way,
        queue_order: Order {
            rule: rule(
                "coscheduling/gang-members-together",
                "seed 20200116, QueueSort 1 to 4",
                &order::gang_members_together::LAW,
            ),
            compare: order::gang_members_together::compare,
        },
        final_gates: vec![GANG_HAS_ITS_MEMBERS],
        permit: vec![GANG_IS_COMPLETE],
        ..base
    }
}
