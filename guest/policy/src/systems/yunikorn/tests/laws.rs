//! The seven laws of preemption, and the additional laws.

use super::{Scene, class, of};

const TWO: &str = "
- {name: prod, resources: {guaranteed: {vcore: 2}}}
- {name: test, resources: {guaranteed: {vcore: 2}}}";

fn names(names: &[&str]) -> Result<Vec<String>, String> {
    Ok(names.iter().map(|name| (*name).to_owned()).collect())
}

fn law(code: &str) -> Result<Vec<String>, String> {
    Err(code.to_owned())
}

/// Creates pods with 2 cores each in queue `test`, which fill node `n`.
fn full(queues: &str, pods: &[&str]) -> Scene {
    let cpu = u32::try_from(pods.len() * 2).unwrap();
    Scene::new(queues).nodes(&[("n", cpu)]).pods(pods.iter().map(|name| of(name, "root.test", 2).on("n")))
}

#[test]
fn a_queue_under_its_guarantee_takes_one_pod_of_a_queue_over_its_own() {
    let mut scene = full(TWO, &["a", "b"]).pods([of("p", "root.prod", 2)]).after(30);
    assert_eq!(scene.victims("p").unwrap().len(), 1);
}

#[test]
fn law_1_an_opted_out_pod_goes_only_where_no_other_does() {
    let opted =
        |name: &str| of(name, "root.test", 2).with(|pod| pod.template_mut().priority_class = "polite".to_owned());
    let mut scene = Scene::new(TWO).nodes(&[("n", 4), ("m", 2)]).pods([
        of("a", "root.test", 2).on("m"),
        opted("b").on("n"),
        opted("c").on("n"),
        of("p", "root.prod", 2),
    ]);
    scene.0.object(class("polite", "false"));
    let mut scene = scene.after(30);
    // `a` arrived first and is the originator. It is evicted before pods that opted out.
    assert_eq!(scene.victims("p"), names(&["a"]));
    scene.0.pod(of("a", "root.test", 2).on("m").priority(1));
    assert_eq!(scene.victims("p").unwrap().len(), 1);
    assert_eq!(scene.denied_by("p", "a"), Some("yunikorn/6".to_owned()));
}

#[test]
fn law_2_checks_the_whole_eviction_set_at_every_level() {
    // 6 used, 3 guaranteed: one pod of 2 may be evicted, two may not.
    let three = "
- {name: prod, resources: {guaranteed: {vcore: 9}}}
- {name: test, resources: {guaranteed: {vcore: 3}}}";
    let mut scene =
        full(three, &["a", "b", "c"]).pods([of("one", "root.prod", 2), of("two", "root.prod", 4)]).after(30);
    assert_eq!(scene.victims("one").unwrap().len(), 1);
    assert_eq!(scene.victims("two"), law("engine/no-node"));
    let nested = "
- {name: prod, resources: {guaranteed: {vcore: 9}}}
- {name: team, resources: {guaranteed: {vcore: 6}}, queues: [{name: a, resources: {guaranteed: {vcore: 2}}}]}";
    let pods = ["x", "y", "z"].map(|name| of(name, "root.team.a", 2).on("n"));
    let mut scene = Scene::new(nested).nodes(&[("n", 6)]).pods(pods).pods([of("p", "root.prod", 2)]).after(30);
    assert_eq!(scene.victims("p"), law("engine/no-node"));
    assert_eq!(
        scene.denied_by("p", "x"),
        None,
        "its own queue is over its guarantee: the law denies the set, not the pod"
    );
}

#[test]
fn law_2_counts_victims_that_are_leaving_as_gone() {
    let three = "
- {name: prod, resources: {guaranteed: {vcore: 4}}}
- {name: test, resources: {guaranteed: {vcore: 3}}}";
    let mut scene = Scene::new(three).nodes(&[("n1", 2), ("n2", 2), ("n3", 2)]).after(0);
    let pods = [("a", "n1"), ("b", "n2"), ("c", "n3")].map(|(name, node)| of(name, "root.test", 2).on(node));
    scene = scene.pods(pods).pods([of("p", "root.prod", 2), of("q", "root.prod", 2)]).after(30);
    let (node, _) = scene.carried_out("p");
    scene = scene.pods([of("p", "root.prod", 2).nominated(&node)]);
    // 6 used - 2 leaving - 2 is less than 3.
    assert_eq!(scene.victims("q"), law("engine/no-node"));
    assert_eq!(scene.victims("p"), law("yunikorn/not-again"));
}

#[test]
fn law_4_the_last_pod_may_take_the_queue_beyond() {
    let queues = "
- {name: prod, resources: {guaranteed: {vcore: 3}}}
- {name: test}";
    let mut scene = full(queues, &["a", "b", "c"])
        .nodes(&[("m", 2)])
        .pods([of("p0", "root.prod", 2).on("m"), of("p1", "root.prod", 2), of("p2", "root.prod", 2)])
        .after(30);
    let (node, victims) = scene.carried_out("p1");
    assert_eq!((node.as_str(), victims.len()), ("n", 1));
    scene = scene.pods([of("p1", "root.prod", 2).nominated("n")]);
    // 2 used and 2 promised are not less than 3.
    assert_eq!(scene.victims("p2"), law("yunikorn/4"));
}

#[test]
fn law_4_a_queue_without_a_guarantee_preempts_no_pod() {
    let queues = "
- {name: prod, resources: {guaranteed: {memory: 2G}}}
- {name: test}";
    let mut scene = full(queues, &["a"]).pods([of("p", "root.prod", 2), of("q", "root.other", 2)]).after(30);
    assert_eq!(scene.victims("p"), law("yunikorn/4"), "the pod does not request the guaranteed resource");
    assert_eq!(scene.victims("q"), law("yunikorn/4"));
}

#[test]
fn law_4_under_a_full_parent_victims_come_from_inside_and_cover_the_request() {
    let queues = "
- {name: team, resources: {guaranteed: {vcore: 6}}, queues: [{name: a, resources: {guaranteed: {vcore: 2}}}, {name: b}]}
- {name: test}";
    let mut scene = Scene::new(queues)
        .nodes(&[("n", 8)])
        .pods(["x", "y", "z"].map(|name| of(name, "root.team.a", 2).on("n")))
        .pods([of("t", "root.test", 2).on("n"), of("p", "root.team.b", 2)])
        .after(30);
    assert_eq!(scene.denied_by("p", "t"), Some("yunikorn/4".to_owned()));
    assert_eq!(scene.victims("p").unwrap().len(), 1);
}

#[test]
fn law_5_siblings_do_not_preempt_each_other_while_their_shared_guarantee_is_not_used_up() {
    let queues = "- {name: team, resources: {guaranteed: {vcore: 8}}, queues: [{name: a}, {name: b}]}";
    let pods = ["x", "y", "z"].map(|name| of(name, "root.team.a", 2).on("n"));
    let mut scene = Scene::new(queues).nodes(&[("n", 6)]).pods(pods).pods([of("p", "root.team.b", 2)]).after(30);
    assert_eq!(scene.denied_by("p", "x"), Some("yunikorn/5".to_owned()));
    // A request for memory, which no queue guarantees, changes nothing.
    scene.0.node("n", "cpu=6 memory=8Gi");
    scene = scene.pods([of("q", "root.team.b", 2).requests("cpu=2 memory=1Gi")]);
    assert_eq!(scene.denied_by("q", "x"), Some("yunikorn/5".to_owned()));
}

#[test]
fn a_child_without_a_guarantee_takes_nothing_while_its_parent_is_over_the_guarantee() {
    let with = |guaranteed: i64, giver: &str| {
        let queues = format!(
            "- {{name: team, resources: {{guaranteed: {{vcore: {guaranteed}}}}}, queues: [{{name: a, resources: {{guaranteed: {{{giver}}}}}}}, {{name: b}}]}}"
        );
        let a = ["w", "x", "y", "z"].map(|name| of(name, "root.team.a", 2).on("n"));
        Scene::new(&queues).nodes(&[("n", 8)]).pods(a).pods([of("p", "root.team.b", 2)]).after(30)
    };
    // The team uses 8 of 7: it is over its guarantee, whatever `a` is guaranteed.
    assert_eq!(with(7, "").victims("p"), law("yunikorn/4"));
    assert_eq!(with(7, "vcore: 2").victims("p"), law("yunikorn/4"));
    // The team uses 8 of 8, and ends with 8: one pod for one of the same size.
    assert_eq!(with(8, "vcore: 2").victims("p").unwrap().len(), 1);
    // The guarantee belongs to both, and is not exceeded: law 5 spares the pods of `a`.
    assert_eq!(with(8, "").victims("p"), law("yunikorn/4"));
}

#[test]
fn siblings_that_share_a_guarantee_even_out_without_a_preemption_loop() {
    // The team shares 8 vcore, all of them used. `a` is over its own guarantee of gpu, which `p` requests, too.
    let queues = "
- name: team
  resources: {guaranteed: {vcore: 8}}
  queues: [{name: a, resources: {guaranteed: {gpu: 1}}}, {name: b}]";
    let with = |a: &[&str], b: &[&str]| {
        let running = |name: &&str, leaf: &str| of(name, leaf, 2).requests("cpu=2 gpu=1").on("n");
        let a = a.iter().map(|name| running(name, "root.team.a"));
        let b = b.iter().map(|name| running(name, "root.team.b"));
        let pods: Vec<_> = a.chain(b).chain([of("p", "root.team.b", 2).requests("cpu=2 gpu=1")]).collect();
        let mut scene = Scene::new(queues);
        scene.0.node("n", "cpu=8 gpu=9");
        scene.pods(pods).after(30)
    };
    // `b` ends with 2 of 8, then with 4 of 8.
    assert_eq!(with(&["w", "x", "y", "z"], &[]).victims("p").unwrap().len(), 1);
    assert_eq!(with(&["x", "y", "z"], &["w"]).victims("p").unwrap().len(), 1);
    // `b` would end with 6 and `a` with 2: the recreated pods of `a` would preempt in turn.
    assert_eq!(with(&["y", "z"], &["w", "x"]).victims("p"), law("engine/no-node"));
}

#[test]
fn law_6_offsets_and_priority_fences_decide() {
    let tree = |prod: &str, test: &str| {
        format!(
            "
- {{name: prod, resources: {{guaranteed: {{vcore: 2}}}}, properties: {{{prod}}}}}
- {{name: test, properties: {{{test}}}}}"
        )
    };
    for (prod, test, evicted) in [
        ("", "", false),
        ("priority.offset: \"5\"", "", true),
        ("priority.offset: \"4\"", "", false),
        ("", "priority.offset: \"-5\"", true),
        ("priority.offset: \"5\"", "priority.offset: \"1\"", false),
        ("", "priority.policy: fence", true),
        ("", "priority.policy: fence, priority.offset: \"1\"", false),
        ("priority.policy: fence, priority.offset: \"5\"", "", true),
        ("priority.policy: fence, priority.offset: \"1\"", "priority.policy: fence, priority.offset: \"1\"", true),
    ] {
        let queues = tree(prod, test);
        let pods = [of("v", "root.test", 2).on("n").priority(5), of("p", "root.prod", 2)];
        let mut scene = Scene::new(&queues).nodes(&[("n", 2)]).pods(pods).after(30);
        let denied = scene.denied_by("p", "v");
        assert_eq!(denied, (!evicted).then(|| "yunikorn/6".to_owned()), "prod {prod}, test {test}");
    }
}

#[test]
fn law_7_a_fence_confines_its_own_preemptors_and_no_others() {
    let queues = "
- {name: one, properties: {preemption.policy: fence}, queues: [{name: a, resources: {guaranteed: {vcore: 2}}}, {name: b}]}
- {name: two, resources: {guaranteed: {vcore: 2}}}";
    let pods = [of("b", "root.one.b", 2).on("n"), of("t", "root.three", 2).on("n")];
    let pending = [of("a", "root.one.a", 2), of("x", "root.two", 4)];
    let mut scene = Scene::new(queues).nodes(&[("n", 4)]).pods(pods).pods(pending).after(30);
    assert_eq!(scene.victims("a"), names(&["b"]));
    assert_eq!(scene.denied_by("a", "t"), Some("yunikorn/7".to_owned()));
    assert_eq!(scene.victims("x"), names(&["b", "t"]));
}

#[test]
fn preemption_is_allowed_as_soon_as_the_delay_has_passed() {
    let queues = "
- {name: prod, resources: {guaranteed: {vcore: 2}}, properties: {preemption.delay: 5s}}
- {name: test}";
    let scene = full(queues, &["a"]).pods([of("p", "root.prod", 2).with(|pod| pod.entered = 1_000_000_000)]);
    let mut scene = scene.after(5);
    assert_eq!(scene.victims("p"), law("yunikorn/delay"));
    let mut scene = scene.after(6);
    assert_eq!(scene.victims("p"), names(&["a"]));
}

#[test]
fn a_pod_with_policy_never_does_not_preempt() {
    let polite = of("p", "root.prod", 2).with(|pod| pod.template_mut().never_preempts = true);
    let mut scene = full(TWO, &["a", "b"]).pods([polite]).after(30);
    assert_eq!(scene.victims("p"), law("yunikorn/may-preempt"));
}

#[test]
fn a_queue_with_disabled_preemption_has_no_victims_and_may_preempt() {
    let queues = "
- {name: prod, resources: {guaranteed: {vcore: 2}}}
- {name: test, properties: {preemption.policy: disabled}, queues: [{name: a}, {name: b, properties: {preemption.policy: default}}]}";
    let pods = [of("a", "root.test.a", 2).on("n"), of("b", "root.test.b", 2).on("n"), of("p", "root.prod", 2)];
    let mut scene = Scene::new(queues).nodes(&[("n", 4)]).pods(pods).after(30);
    assert_eq!(scene.denied_by("p", "a"), Some("yunikorn/victim-queue-is-not-spared".to_owned()));
    assert_eq!(scene.victims("p"), names(&["b"]));
}

#[test]
fn for_a_full_parent_only_pods_below_it_are_evicted() {
    let queues = "
- {name: team, resources: {max: {vcore: 4}}, queues: [{name: a}, {name: b, resources: {guaranteed: {vcore: 2}}}]}
- {name: test}";
    let pods = [of("x", "root.team.a", 2).on("n"), of("y", "root.team.a", 2).on("n"), of("t", "root.test", 2).on("n")];
    let mut scene = Scene::new(queues).nodes(&[("n", 8)]).pods(pods).pods([of("p", "root.team.b", 2)]).after(30);
    assert_eq!(scene.refused("p"), Some(("yunikorn/max-of-ancestors".to_owned(), false)));
    let victims = scene.victims("p").unwrap();
    assert_eq!(victims.len(), 1);
    assert_ne!(victims, ["t"]);
    // Capacity nominated for one pod of the full parent is not available to another.
    scene.0.remove_pod(&victims.concat());
    let mut scene = scene.pods([of("p", "root.team.b", 2).nominated("n"), of("q", "root.team.a", 2)]);
    assert_eq!(scene.refused("q"), Some(("yunikorn/max-of-ancestors".to_owned(), false)));
    assert_eq!(scene.refused("p"), None);
}

#[test]
fn with_preemption_disabled_only_daemon_set_pods_preempt() {
    let mut scene =
        full(TWO, &["a", "b"]).pods([of("p", "root.prod", 2), super::daemon("d", "root.agents", 2, ("n", 0))]);
    let off = super::yaml(TWO).replace(
        "    queues:\n      - name: root",
        "    preemption: {enabled: false}\n    queues:\n      - name: root",
    );
    scene.0.object(super::config_map(&off));
    let mut scene = scene.after(30);
    assert_eq!(scene.victims("p"), law("yunikorn/switch"));
    assert_eq!(scene.victims("d").unwrap().len(), 1);
    scene.0.object(super::config_map(&super::yaml(TWO)));
    assert_eq!(scene.victims("p").unwrap().len(), 1);
}

#[test]
fn a_changed_class_applies_to_its_pods_and_a_pod_may_override_it() {
    let of_class = |name: &str| {
        of(name, "root.test", 2).on("n").with(|pod| pod.template_mut().priority_class = "polite".to_owned())
    };
    let own = super::annotation(of_class("c"), super::keys::ALLOW_PREEMPTION, "true").with(|pod| pod.created = 1);
    let pods = [of_class("a"), of_class("b").with(|pod| pod.created = 2), own, of("p", "root.prod", 2)];
    let mut scene = Scene::new(TWO).nodes(&[("n", 6)]).pods(pods).after(30);
    // Of equal pods the youngest is evicted, and not the originator `a`.
    assert_eq!(scene.victims("p"), names(&["b"]));
    scene.0.object(class("polite", "false"));
    assert_eq!(scene.victims("p"), names(&["c"]));
    scene.0.object(class("polite", "true"));
    assert_eq!(scene.victims("p"), names(&["b"]));
}
