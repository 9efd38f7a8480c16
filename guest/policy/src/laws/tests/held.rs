//! No second plan is made while a pod that may yet be rejected holds the promised room at Permit.

use super::*;
use crate::laws::gate::its_room_is_not_held_at_permit::LAW;
use crate::testing::{PodBuilder, pod, pod_group};

const HELD: Denial = Denial::Case("");

/// Checks the law for a pod of priority 10. It is nominated to a node of 8 cpu, where `bound` is bound and `held` waits at Permit.
fn with(bound: &str, held: PodBuilder, preemptor: PodBuilder, others: Vec<PodBuilder>) -> Result<(), Denial> {
    let mut world = PolicyHarness::new();
    ["ours", "theirs"].into_iter().for_each(|name| world.object(pod_group(name, 5, &[])));
    ["n", "m"].into_iter().for_each(|node| world.node(node, "cpu=8"));
    world.pod(pod("bound").requests(bound).on("n"));
    let name = held.name();
    world.pod(held);
    world.reserve(&name, "n");
    world.pod(preemptor);
    others.into_iter().for_each(|other| world.pod(other));
    admission(&mut world, "asker", LAW.function)
}

fn preemptor() -> PodBuilder {
    pod("asker").priority(10).requests("cpu=4").nominated("n")
}

fn held() -> PodBuilder {
    pod("held").priority(10).requests("cpu=4").job("theirs")
}

#[test]
fn room_that_is_held_and_would_be_enough_is_waited_for() {
    // 8 - 4 bound - 4 held = 0 free; with the held amount 4, and 4 are requested.
    assert_eq!(with("cpu=4", held(), preemptor(), vec![]), Err(HELD));
    // 8 - 5 - 4 < 0 would be no node; 5 bound and 3 held leave 3 at most.
    assert_eq!(with("cpu=5", held().requests("cpu=3"), preemptor(), vec![]), Ok(()));
    // 4 are free as it is: whatever refuses the pod, it is not the held pod.
    assert_eq!(with("cpu=0", held(), preemptor(), vec![]), Ok(()));
}

#[test]
fn who_could_be_made_to_leave_or_is_of_the_same_gang_is_not_waited_for() {
    assert_eq!(with("cpu=4", held().priority(9), preemptor(), vec![]), Ok(()));
    let sibling = pod("held").priority(10).requests("cpu=4").job("ours");
    assert_eq!(with("cpu=4", sibling, preemptor().job("ours"), vec![]), Ok(()));
    assert_eq!(with("cpu=4", held(), preemptor().job("ours"), vec![]), Err(HELD));
}

#[test]
fn only_a_promise_that_may_still_be_kept_is_waited_for() {
    let bare = pod("asker").priority(10).requests("cpu=4");
    assert_eq!(with("cpu=4", held(), bare, vec![]), Ok(()));
    assert_eq!(with("cpu=4", held(), preemptor().nominated("m"), vec![]), Ok(()));
    assert_eq!(with("cpu=4", held(), preemptor().only_on(&["m"]), vec![]), Ok(()));
    // The capacity would go to another pod that it was promised to, unless that pod has a lower priority.
    let rival = |priority| pod("rival").priority(priority).requests("cpu=1").nominated("n");
    assert_eq!(with("cpu=4", held(), preemptor(), vec![rival(10)]), Ok(()));
    assert_eq!(with("cpu=4", held(), preemptor(), vec![rival(9)]), Err(HELD));
}
