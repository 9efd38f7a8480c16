//! What pods demand of other pods.

use super::*;
use crate::cluster::eligibility::{LabelRequirement, LabelTest};
use crate::cluster::inter_pod::{PodDemands, PodSet};

/// Reads a pod of namespace `team` with labels, and with these lines in its spec.
fn labelled(spec: &str) -> Result<KubernetesObject, InputError> {
    object(&format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: team, labels: {{app: web, hash: x1}}}}\nspec:\n  containers: [{{name: c}}]\n{spec}\n"
    ))
}

fn demands(spec: &str) -> Option<PodDemands> {
    match labelled(spec).unwrap().body {
        Body::Pod(facts) => facts.demands.map(|demands| (*demands).clone()),
        other => panic!("not a pod: {other:?}"),
    }
}

/// Returns a term of required affinity (`podAffinity`) or anti-affinity, as part of a spec.
fn term(kind: &str, term: &str) -> String {
    format!(
        "  affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: zone, {term}}}]}}}}"
    )
}

fn set(kind: &str, written: &str) -> PodSet {
    let demands = demands(&term(kind, written)).unwrap();
    let terms = if kind == "podAffinity" { demands.affinity } else { demands.anti_affinity };
    assert_eq!(terms.len(), 1);
    terms.into_iter().next().unwrap().pods
}

fn label(key: &str, test: LabelTest) -> LabelRequirement {
    LabelRequirement { key: key.to_owned(), test }
}

fn one(value: &str) -> std::collections::BTreeSet<String> {
    [value.to_owned()].into()
}

#[test]
fn a_pod_that_demands_nothing_hard_has_no_demands() {
    assert_eq!(demands(""), None);
    let soft = "  affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: zone}}]}}\n  \
                topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]";
    assert_eq!(demands(soft), None);
}

#[test]
fn the_namespaces_of_a_term_are_its_own_where_it_names_none() {
    let spaces = |written: &str| {
        let set = set("podAffinity", &format!("labelSelector: {{}}, {written}"));
        (set.namespaces.into_iter().collect::<Vec<_>>(), set.namespace_labels)
    };
    assert_eq!(spaces(""), (vec!["team".to_owned()], None));
    assert_eq!(spaces("namespaces: [x]"), (vec!["x".to_owned()], None));
    assert_eq!(spaces("namespaceSelector: {}"), (vec![], Some([].into())));
    let selected = Some([label("k", LabelTest::In(one("v")))].into());
    assert_eq!(spaces("namespaces: [x], namespaceSelector: {matchLabels: {k: v}}"), (vec!["x".to_owned()], selected));
}

#[test]
fn the_labels_of_a_term_are_read_and_completed_from_the_pod() {
    let labels = |written: &str| set("podAntiAffinity", written).labels;
    assert_eq!(labels("matchLabelKeys: []"), None, "no selector selects nothing");
    assert_eq!(labels("labelSelector: {}"), Some([].into()), "an empty one selects all");
    let expressions = "labelSelector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}, {key: c, operator: Exists}, {key: d, operator: DoesNotExist}]}";
    let expected =
        [label("a", LabelTest::NotIn(one("b"))), label("c", LabelTest::Exists), label("d", LabelTest::DoesNotExist)];
    assert_eq!(labels(expressions), Some(expected.into()));
    let keys = "labelSelector: {matchLabels: {k: v}}, matchLabelKeys: [hash, none], mismatchLabelKeys: [app]";
    let merged = [
        label("k", LabelTest::In(one("v"))),
        label("hash", LabelTest::In(one("x1"))),
        label("app", LabelTest::NotIn(one("web"))),
    ];
    assert_eq!(labels(keys), Some(merged.into()));
    // The API server stores the pod in this form.
    let stored = "labelSelector: {matchLabels: {k: v}, matchExpressions: [{key: hash, operator: In, values: [x1]}, {key: app, operator: NotIn, values: [web]}]}, \
                  matchLabelKeys: [hash, none], mismatchLabelKeys: [app]";
    assert_eq!(labels(stored), labels(keys));
}

#[test]
fn anti_affinity_counts_a_strange_namespace_in_and_affinity_does_not() {
    let asks = "labelSelector: {}, namespaceSelector: {matchLabels: {k: v}}";
    assert!(set("podAntiAffinity", asks).includes_unknown);
    assert!(!set("podAffinity", asks).includes_unknown);
    // Without labels of namespaces, affinity and anti-affinity choose the same pods and are the same set.
    assert_eq!(set("podAntiAffinity", "labelSelector: {}"), set("podAffinity", "labelSelector: {}"));
}

#[test]
fn a_spread_constraint_has_defaults() {
    let spec = "  nodeSelector: {disk: ssd}\n  tolerations: [{key: t, operator: Exists}]\n  topologySpreadConstraints:\n  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [hash]}\n  - {maxSkew: 1, minDomains: 3, topologyKey: host, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor}";
    let spread = demands(spec).unwrap().spread;
    let [first, second] = spread.as_slice() else { panic!("{spread:?}") };
    assert_eq!((&*first.topology, first.max_skew, first.min_domains), ("zone", 2, 1));
    assert_eq!((&*second.topology, second.max_skew, second.min_domains), ("host", 1, 3));
    assert_eq!(first.pods.namespaces, ["team".to_owned()].into());
    let expected = [label("app", LabelTest::In(one("web"))), label("hash", LabelTest::In(one("x1")))];
    assert_eq!((&first.pods.labels, &second.pods.labels), (&Some(expected.into()), &None));
    // All nodes must have the labels of both constraints.
    let keys: std::collections::BTreeSet<String> = ["host".to_owned(), "zone".to_owned()].into();
    assert_eq!((&first.nodes.keys, &second.nodes.keys), (&keys, &keys));
    assert_eq!((first.nodes.constraints.selector.len(), first.nodes.honors_taints), (1, false));
    assert_eq!((second.nodes.constraints.selector.len(), second.nodes.honors_taints), (0, true));
    assert_eq!((first.nodes.constraints.tolerations.len(), second.nodes.constraints.tolerations.len()), (0, 1));
}

#[test]
fn what_cannot_be_meant_is_a_mistake_with_its_place() {
    let spread = |written: &str| format!("  topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, {written}}}]");
    let no_key = "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]}}";
    for (spec, message, remedy) in [
        (no_key.to_owned(), "topologyKey of Pod team/a: is missing", "write the key of a label of nodes"),
        (
            term("podAntiAffinity", "labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}"),
            "operator of Pod team/a: `Gt` is not a valid operator",
            "write In, NotIn, Exists or DoesNotExist",
        ),
        (
            spread("maxSkew: 0").replacen("maxSkew: 1, ", "", 1),
            "maxSkew of Pod team/a: 0 is less than 1",
            "write a whole number from 1 on",
        ),
        (spread("minDomains: 0"), "minDomains of Pod team/a: 0 is less than 1", "write a whole number from 1 on"),
        (
            spread("whenUnsatisfiable: Never"),
            "whenUnsatisfiable of Pod team/a: `Never` is not a value of it",
            "write DoNotSchedule or ScheduleAnyway",
        ),
        (
            spread("nodeTaintsPolicy: Maybe"),
            "nodeTaintsPolicy of Pod team/a: `Maybe` is not a value of it",
            "write Ignore or Honor",
        ),
    ] {
        let mistake = labelled(&spec).unwrap_err();
        assert!(mistake.message.ends_with(message), "{mistake}");
        assert_eq!((mistake.line, &*mistake.remedy), (6, remedy), "{mistake}");
    }
}

#[test]
fn an_object_that_is_placed_like_a_pod_demands_what_its_template_does() {
    let text = "{apiVersion: example.com/v1, kind: Slot, metadata: {name: r, labels: {hash: own}}, spec: {pod: {metadata: {namespace: team, labels: {hash: template}}, \
                spec: {containers: [{name: c}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {}, matchLabelKeys: [hash]}]}}}}}}";
    let KubernetesObject { id, body, .. } = object(text).unwrap();
    let Body::Other(value, origin) = body else { panic!("not other") };
    let facts =
        crate::cluster::object::placed::read(0, &crate::verify::testing::slots(), &id, &value, &origin).unwrap();
    let demands = facts.demands.unwrap();
    let pods = &demands.anti_affinity.first().unwrap().pods;
    assert_eq!(pods.namespaces, ["team".to_owned()].into());
    assert_eq!(pods.labels, Some([label("hash", LabelTest::In(one("own")))].into()));
}

#[test]
fn reads_the_labels_of_a_namespace() {
    let object = object("{apiVersion: v1, kind: Namespace, metadata: {name: n, labels: {team: a}}}").unwrap();
    assert_eq!(object.key(), "Namespace/n");
    let Body::Namespace(labels, _) = object.body else { panic!("no namespace") };
    assert_eq!(labels, [("team".to_owned(), "a".to_owned())].into());
}
