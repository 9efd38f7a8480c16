//! Which nodes take a pod, and why the others do not.

use crate::testing::{PolicyHarness, pod};

#[test]
fn filter_tells_of_every_number_why_the_node_does_not_take_the_pod() {
    let mut world = PolicyHarness::new();
    for (name, has) in
        [("fits", "cpu=2"), ("small", "cpu=1"), ("full", "cpu=2"), ("promised", "cpu=2"), ("barred", "cpu=9")]
    {
        world.node(name, has);
    }
    world.pod(pod("v").requests("cpu=1").on("full"));
    world.pod(pod("equal").requests("cpu=1").nominated("promised"));
    world.pod(pod("lesser").requests("cpu=1").priority(-1).nominated("fits"));
    let all = ["fits", "small", "full", "promised", "gone"];
    world.pod(pod("a").requests("cpu=2").only_on(&all));
    world.node("later", "cpu=9");
    let verdicts = world.engine.filter(world.id("a")).unwrap();
    // `gone` has number 5 and no node; `later` has 6 and is not eligible.
    assert_eq!(verdicts.codes, [0, 1, 2, 3, 4, 4, 4]);
    let said: Vec<_> = verdicts
        .obstacles
        .iter()
        .map(|obstacle| {
            (obstacle.reason.code.as_str(), crate::testing::render_reason(&obstacle.reason), obstacle.resolvable)
        })
        .collect();
    assert_eq!(
        said,
        [
            ("node/large-enough", "any: short-of cpu".to_owned(), false),
            ("node/has-room", "any: short-of cpu".to_owned(), true),
            ("node/keeps-promises", "any: short-of cpu".to_owned(), true),
            ("node/eligible", String::new(), false),
        ]
    );
}
