//! Tests of which pods may preempt: labels, preemptionPolicy and the argument.

use super::*;
use crate::laws::gate::may_preempt::LAW;
use crate::testing::{CAN_PREEMPT, PodBuilder, pod, reservation};

const RESERVATION_CAN_PREEMPT: &str = "scheduling.koordinator.sh/can-preempt";
const ONLY_BY_LABEL: &str = r#"{"disableDefaultTriggerPreemption": true}"#;

fn may(arguments: &str, draft: PodBuilder) -> bool {
    let mut world = PolicyHarness::with(arguments);
    let name = draft.name();
    world.pod(draft);
    match admission(&mut world, &name, LAW.function) {
        Ok(()) => true,
        Err(denial) => {
            assert_eq!(denial, Denial::Case(""));
            false
        }
    }
}

#[test]
fn a_pod_preempts_unless_it_is_forbidden_or_only_where_its_label_says_so() {
    let never = |draft: PodBuilder| draft.with(|pod| pod.template_mut().never_preempts = true);
    let labelled = |value: &str| pod("a").label(CAN_PREEMPT, value);
    for (draft, by_policy, by_label) in [
        (pod("a"), true, false),
        (labelled("true"), true, true),
        (labelled("false"), false, false),
        (labelled("True"), false, false),
        (labelled(""), false, false),
        (never(pod("a")), false, false),
        (never(labelled("true")), false, false),
        (never(labelled("false")), false, false),
        // The label of reservations says nothing of a pod.
        (pod("a").label(RESERVATION_CAN_PREEMPT, "true"), true, false),
        (pod("a").label(RESERVATION_CAN_PREEMPT, "false"), true, false),
    ] {
        let said = format!("{draft:?}");
        assert_eq!([may("", draft.clone()), may(ONLY_BY_LABEL, draft)], [by_policy, by_label], "{said}");
    }
}

#[test]
fn a_reservation_preempts_only_where_its_own_label_says_so() {
    for (draft, expected) in [
        (reservation("r"), false),
        (reservation("r").label(RESERVATION_CAN_PREEMPT, "true"), true),
        (reservation("r").label(RESERVATION_CAN_PREEMPT, "false"), false),
        (reservation("r").label(CAN_PREEMPT, "true"), false),
        (
            reservation("r")
                .label(RESERVATION_CAN_PREEMPT, "true")
                .with(|pod| pod.template_mut().never_preempts = true),
            false,
        ),
    ] {
        let said = format!("{draft:?}");
        assert_eq!([may("", draft.clone()), may(ONLY_BY_LABEL, draft)], [expected; 2], "{said}");
    }
}
