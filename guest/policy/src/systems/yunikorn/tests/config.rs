//! Reading `queues.yaml`.

use super::super::config::{self, Quantity};
use super::yaml;

fn mistake(text: &str) -> String {
    config::read(text).unwrap_err().sentence()
}

#[test]
fn amounts_are_whole_numbers_with_a_suffix() {
    let read =
        |resource: &str, text: &str| config::quantity::read(resource, text, 1).map(|q| (q.resource, q.amount)).ok();
    for (resource, text, expected) in [
        ("vcore", "4", Some(("cpu", 4000))),
        ("vcore", "500m", Some(("cpu", 500))),
        ("vcore", "2k", Some(("cpu", 2_000_000))),
        ("memory", "10G", Some(("memory", 10_000_000_000))),
        ("memory", "1Ki", Some(("memory", 1024))),
        ("memory", "7Ei", Some(("memory", 8_070_450_532_247_928_832))),
        ("pods", "10", Some(("pods", 10))),
        ("nvidia.com/gpu", "2", Some(("nvidia.com/gpu", 2))),
        ("memory", "500m", None),
        ("vcore", "1.5", None),
        ("vcore", "-1", None),
        ("vcore", "", None),
        ("memory", "1 G", None),
        ("memory", "1g", None),
        ("memory", "8Ei", None),
        ("vcore", "9223372036854775807", None),
    ] {
        let expected = expected.map(|(name, amount): (&str, i64)| (name.to_owned(), amount));
        assert_eq!(read(resource, text), expected, "{resource} {text}");
    }
}

#[test]
fn every_mistake_names_its_line_its_place_and_the_key() {
    // The first line of the queues is line 7.
    for (queues, expected) in [
        ("- {name: a, weight: 1}", "line 7: `root.a`: unknown key `weight`; known are name, parent,"),
        ("- {name: a}\n- {name: A}", "line 8: `root.a name`: line 7 already has a queue of this name"),
        ("- {parent: true}", "line 7: `root`: a queue has no name"),
        ("- {name: a.b}", "line 7: `root.a.b`: `a.b` of key `name` is not a valid queue name"),
        ("- {name: a, name: b}", "line 7: `root`: key `name` occurs twice, first on line 7"),
        ("- {name: a, parent: perhaps}", "line 7: `root.a`: `perhaps` of key `parent` is neither true nor false"),
        (
            "- {name: a, maxapplications: -1}",
            "line 7: `root.a`: `-1` of key `maxapplications` is not a whole number of 0 or more",
        ),
        ("- {name: a, queues: b}", "line 7: `root.a`: key `queues` is not a list"),
        (
            "- name: a\n  resources:\n    guaranteed: {vcore: 1.5}",
            "line 9: `root.a resources.guaranteed.vcore`: `1.5` is not an amount of vcore",
        ),
        (
            "- name: a\n  resources:\n    min: {vcore: 1}",
            "line 9: `root.a resources`: unknown key `min`; known are guaranteed, max",
        ),
        (
            "- {name: a, resources: {guaranteed: {vcore: 3}, max: {vcore: 2}}}",
            "line 7: `root.a resources.guaranteed.vcore`: 3 is more than the maximum 2",
        ),
        (
            "- {name: a, resources: {max: {vcore: 2}}, queues: [{name: b, resources: {max: {vcore: 3}}}]}",
            "line 7: `root.a.b resources.max.vcore`: 3 is more than the maximum 2 of an ancestor",
        ),
        (
            "- {name: a, resources: {max: {vcore: 2}}, queues: [{name: b, queues: [{name: c, resources: {guaranteed: {vcore: 3}}}]}]}",
            "line 7: `root.a.b.c resources.guaranteed.vcore`: 3 is more than the maximum 2",
        ),
        (
            "- {name: a, resources: {guaranteed: {memory: 1Gi}}, queues: [{name: b, resources: {guaranteed: {memory: 600Mi}}}, \
             {name: c, queues: [{name: d, resources: {guaranteed: {memory: 600Mi}}}]}]}",
            "line 7: `root.a resources.guaranteed.memory`: the guarantees of its children sum up to 1200Mi, more than its guarantee 1Gi",
        ),
        (
            "- {name: a, resources: {max: {vcore: 3}}, queues: [{name: b, resources: {guaranteed: {vcore: 2}}}, \
             {name: c, resources: {guaranteed: {vcore: 2}}}]}",
            "line 7: `root.a resources.max.vcore`: the guarantees of its children sum up to 4, more than its maximum 3",
        ),
        (
            "- {name: a, parent: true, childtemplate: {resources: {guaranteed: {vcore: 3}, max: {vcore: 2}}}}",
            "line 7: `root.a childtemplate resources.guaranteed.vcore`: 3 is more than the maximum 2",
        ),
        (
            "- name: a\n  properties:\n    preemption.delay: [30s]",
            "line 9: `root.a properties.preemption.delay`: this is not a single value",
        ),
        (
            "- name: a\n  resources:\n    max:\n      vcore: {is: 3}",
            "line 10: `root.a resources.max.vcore`: this is not a single value",
        ),
        ("- {name: [a]}", "line 7: `root name`: this is not a single value"),
        ("- {name: a, parent: [true]}", "line 7: `root.a parent`: this is not a single value"),
        (
            "- name: a\n  limits:\n  - limit: x\n    maxresources:\n      memory: much",
            "line 11: `root.a limits.maxresources.memory`: `much` is not an amount of memory",
        ),
        ("- {name: a, <<: [b]}", "line 7: the value of key `<<` is not a map"),
        ("- {name: a, limits: [{limit: x, size: 3}]}", "line 7: `root.a limits`: unknown key `size`"),
    ] {
        let found = mistake(&yaml(queues));
        assert!(found.starts_with(expected), "{queues}\n{found}\n{expected}");
    }
}

#[test]
fn mistakes_of_the_partition() {
    for (text, expected) in [
        ("", "line 1: the configuration is empty"),
        ("partitions: [{name: gpu}]", "line 1: there is no partition `default`"),
        ("partitions: [{name: default}, {name: default}]", "line 1: there are two partitions `default`"),
        ("partition: []", "line 1: unknown key `partition`; known are partitions, checksum"),
        (
            "partitions:\n- name: default\n  queues:\n  - name: root\n    resources: {max: {vcore: 1}}",
            "line 5: `root resources`: the root must",
        ),
        (
            "partitions:\n- name: default\n  queues: [{name: root}, {name: a}]",
            "line 3: `root`: `root` is not the only top-level queue",
        ),
        ("partitions:\n- placementrules: [{name: guess}]", "line 2: `guess` is not a placement rule"),
        ("partitions:\n- placementrules: [{name: fixed}]", "line 2: placement rule `fixed` has no value"),
        ("partitions:\n- nodesortpolicy: {type: best}", "line 2: `partition nodesortpolicy`: `best` of key `type`"),
        ("partitions:\n- preemption: {on: true}", "line 2: `partition preemption`: unknown key `on`"),
        ("partitions:\n- name: default\n  queues:\n  - {name: a", "line "),
        ("partitions: [&a {name: default, queues: [*a]}]", "line 1: an alias refers to an anchor that contains it"),
    ] {
        let found = mistake(text);
        assert!(found.starts_with(expected), "{text}\n{found}\n{expected}");
    }
}

#[test]
fn invalid_properties_are_reported_with_the_value_used() {
    let queues = "- {name: a, properties: {preemption.delay: soon, preemption.policy: walled, priority.offset: x}}";
    let (_, warnings) = config::read(&yaml(queues)).unwrap();
    let found: Vec<String> = warnings.iter().map(config::ConfigProblem::sentence).collect();
    assert_eq!(
        found,
        [
            "line 7: `root.a properties.preemption.delay`: `soon` is not a duration above 0s: 30s is used",
            "line 7: `root.a properties.preemption.policy`: `walled` is not a preemption policy: `default` is used",
            "line 7: `root.a properties.priority.offset`: `x` is not an offset: 0 is used",
        ]
    );
}

#[test]
fn unsupported_settings_are_reported() {
    let rest = "
- {name: a, submitacl: ops, maxapplications: 3, limits: [{limit: x, users: [u], maxresources: {vcore: 1}}]}
- {name: b, submitacl: '*', adminacl: ' ', maxapplications: 0}
- {name: c, properties: {application.sort.policy: fair, quota.preemption.delay: soon, preemption.dealy: 5s}}
- {name: d, properties: {application.sort.policy: fifo, application.sort.priority: enabled, quota.preemption.delay: 1m}}
- {name: e, parent: true, childtemplate: {maxapplications: 1}}";
    let head = "    preemption: {quotapreemptionenabled: true}\n    nodesortpolicy: {type: binpacking}\n    limits: [{limit: y}]\n    queues:\n      - name: root";
    let rules = "placementrules: [{name: user}, {name: recovery}, {name: tag, value: team}, {name: fixed, value: a, filter: {type: deny}}, ";
    let text = yaml(rest).replace("    queues:\n      - name: root", head).replace("placementrules: [", rules);
    let (_, warnings) = config::read(&text).unwrap();
    let found: Vec<String> = warnings.iter().map(config::ConfigProblem::sentence).collect();
    let expected = [
        "line 5: `partition nodesortpolicy`: `binpacking` is not supported",
        "line 6: `partition limits`: this limit is not supported: the user of a pod is not known",
        "line 3: `placement rule`: placement rule `user` finds no queue: the user of a pod is not known",
        "line 3: `placement rule`: placement rule `recovery` finds no queue",
        "line 3: `placement rule`: placement rule `tag` finds no queue: pods have no tag `team`",
        "line 3: `placement rule filter`: the filter of placement rule `fixed` is not supported",
        "line 10: `root.a maxapplications`: this bound is not supported",
        "line 10: `root.a submitacl`: `ops` is not supported",
        "line 10: `root.a limits`: this limit is not supported",
        "line 11: `root.b adminacl`: ` ` is not supported",
        "line 12: `root.c properties.application.sort.policy`: `fair` is not supported",
        "line 12: `root.c properties.quota.preemption.delay`: `soon` is not a duration",
        "line 12: `root.c properties.preemption.dealy`: there is no property `preemption.dealy`",
        "line 14: `root.e childtemplate maxapplications`: this bound is not supported",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
}

#[test]
fn merge_keys_add_entries_that_the_map_does_not_have() {
    let text = "partitions:\n- name: default\n  queues:\n  - &a {name: a, resources: {guaranteed: {vcore: 1}}, maxapplications: 0}\n  \
                - {<<: *a, name: b}\n  - {name: c, <<: [{parent: true}, *a]}";
    let (config, warnings) = config::read(text).unwrap();
    let queues: Vec<(&str, usize, bool)> =
        config.root.queues.iter().map(|q| (q.path.as_str(), q.resources.guaranteed.len(), q.is_parent)).collect();
    assert_eq!(queues, [("root.a", 1, false), ("root.b", 1, false), ("root.c", 1, true)]);
    assert_eq!(warnings, []);
}

#[test]
fn anchors_and_a_missing_root_are_understood() {
    let text = "partitions:\n- name: default\n  queues:\n  - name: a\n    resources: &r {guaranteed: {vcore: 1}}\n  - {name: b, resources: *r}";
    let (config, warnings) = config::read(text).unwrap();
    assert_eq!((config.root.path.as_str(), warnings.len()), ("root", 0));
    let guaranteed: Vec<&[Quantity]> =
        config.root.queues.iter().map(|queue| queue.resources.guaranteed.as_slice()).collect();
    assert_eq!(guaranteed.len(), 2);
    assert!(guaranteed.iter().all(|amounts| amounts.iter().map(|q| q.amount).eq([1000])));
}
