use super::*;
use crate::Native;

fn ask(system: &str, name: &str, text: &str) -> Result<WhatIfReport, DecideError> {
    let snapshot = ClusterSnapshot::from_text("a.yaml", text.to_owned()).unwrap();
    let (arguments, schedulers) = (UserArguments::default(), ["default-scheduler".to_owned()]);
    let rails = lictor_host::rails::Rails::default();
    let case = WhatIfRequest {
        snapshot: &snapshot,
        name,
        system,
        arguments: &arguments,
        schedulers: &schedulers,
        rails: &rails,
    };
    what_if(&case, &mut || Ok(Box::new(Native::default())))
}

fn told(answer: &WhatIfReport) -> Vec<(String, usize)> {
    answer.changes.iter().map(|change| (change.sentence.clone(), change.victims)).collect()
}

fn expected(changes: &[(&str, usize)]) -> Vec<(String, usize)> {
    changes.iter().map(|(sentence, victims)| ((*sentence).to_owned(), *victims)).collect()
}

/// Returns a pod: name, labels, priority, cpu, node.
fn pod(name: &str, more: &str, priority: u32, cpu: &str, node: &str) -> String {
    let (node, phase) = match node {
        "" => (String::new(), "Pending"),
        node => (format!("nodeName: {node}, "), "Running"),
    };
    format!(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default{more}}}, spec: {{{node}priority: {priority}, \
         containers: [{{name: main, image: pause, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}, status: {{phase: {phase}}}}}\n"
    )
}

const NODE: &str = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '10', memory: 64Gi, pods: '110'}}}\n";

/// Asks about a pod of priority 5 that requests 5 cpu: a pod of priority 10 holds 6 of 10, and 4 are free.
#[test]
fn a_node_more_or_a_priority_above_that_of_the_victim_is_enough() {
    let text = format!("{NODE}{}{}", pod("holds", "", 10, "6", "n1"), pod("waits", "", 5, "5", ""));
    let answer = ask("kubernetes", "waits", &text).unwrap();
    assert!(!answer.is_in);
    let changes = [("add 1 like node `n1`", 0), ("raise the priority from 5 to 11", 1)];
    assert_eq!(told(&answer), expected(&changes));
}

#[test]
fn where_all_of_it_gets_in_nothing_need_be_changed() {
    let text = format!("{NODE}{}", pod("waits", "", 5, "5", ""));
    let answer = ask("kubernetes", "waits", &text).unwrap();
    assert!(answer.is_in && answer.changes.is_empty());
    assert_eq!(answer.pods, ["default/waits"]);
    assert!(matches!(ask("kubernetes", "nobody", &text), Err(DecideError::UnknownName(..))));
}

/// Asks about a pod that requests 2.5 cpu of a quota with 3 of its 4 in use: 5.5 are the least. No node and no priority is of use.
#[test]
fn a_quota_is_raised_by_what_is_missing_and_not_more() {
    let quota = "---\n{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: team, namespace: default}, \
                 spec: {min: {cpu: 2}, max: {cpu: 4}}}\n";
    let label = ", labels: {quota.scheduling.koordinator.sh/name: team}";
    let text =
        format!("{NODE}{quota}{}{}", pod("holds", label, 9000, "3", "n1"), pod("waits", label, 9000, "2500m", ""));
    let answer = ask("koordinator", "waits", &text).unwrap();
    assert_eq!(told(&answer), expected(&[("raise in `team` max cpu from 4 to 5500m", 0)]));
}

/// Asks about a pod that requests 3 cpu of a leaf with 1 of its 2 in use. Its parent may have 100.
#[test]
fn a_queue_of_yunikorn_is_raised_in_its_document() {
    let queues = "partitions: [{name: default, placementrules: [{name: provided}], queues: [{name: root, submitacl: '*', queues: \
                  [{name: teams, resources: {max: {vcore: 100}}, queues: [{name: a, resources: {max: {vcore: 2}}}]}]}]}]";
    let config = format!(
        "---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: yunikorn-configs, namespace: yunikorn}}, \
         data: {{queues.yaml: \"{queues}\"}}}}\n"
    );
    let label = ", labels: {applicationId: app-1, queue: root.teams.a}";
    let text = format!("{NODE}{config}{}{}", pod("holds", label, 0, "1", "n1"), pod("waits", label, 0, "3", ""));
    let answer = ask("yunikorn", "waits", &text).unwrap();
    assert_eq!(told(&answer), expected(&[("raise in `root.teams.a` max vcore from 2 to 4", 0)]));
}

/// Applies each reported change: with its objects in the cluster, the job gets in without a further change.
#[test]
fn the_objects_of_a_change_are_enough() {
    let text = format!("{NODE}{}{}", pod("holds", "", 10, "6", "n1"), pod("waits", "", 5, "5", ""));
    for change in ask("kubernetes", "waits", &text).unwrap().changes {
        let added = change.objects.iter().map(|object| format!("---\n{object}\n")).collect::<String>();
        let others = text.split("---\n").filter(|own| change.kind == ChangeKind::Nodes || !own.contains("name: waits"));
        let changed = others.collect::<Vec<_>>().join("---\n") + &added;
        assert!(ask("kubernetes", "waits", &changed).unwrap().is_in, "{}", change.sentence);
    }
}

/// Adds nodes where an earlier added node has its name: the next ones have other names.
#[test]
fn nodes_that_are_added_take_no_name_that_is_taken() {
    let taken = NODE.replace("n1", "what-if-0");
    let text = format!("{taken}{}{}", pod("holds", "", 10, "6", "what-if-0"), pod("waits", "", 5, "5", ""));
    let answer = ask("kubernetes", "waits", &text).unwrap();
    assert_eq!(answer.changes[0].objects[0]["metadata"]["name"], "what-if-1");
}

/// Raises the priority of a group, which is 1, whatever its pod says; the pod on the node has 5.
#[test]
fn the_priority_of_a_group_of_kubernetes_is_raised() {
    let group = "---\n{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: default}, \
                 spec: {priority: 1, schedulingPolicy: {gang: {minCount: 1}}}}\n";
    let waits = pod("waits", "", 100, "5", "").replace("spec: {", "spec: {schedulingGroup: {podGroupName: team}, ");
    let text = format!("{NODE}{group}{}{waits}", pod("holds", "", 5, "6", "n1"));
    let answer = ask("kubernetes", "waits", &text).unwrap();
    let changes = [("add 1 like node `n1`", 0), ("raise the priority from 1 to 6", 1)];
    assert_eq!(told(&answer), expected(&changes));
    let kinds: Vec<&Value> = answer.changes[1].objects.iter().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["PodGroup", "Pod"]);
}

/// Raises the class of a gang, of two that wait, with room for one. The gang of class 5 comes first: the other one needs 6, and so a class of this
/// value.
#[test]
fn the_class_of_a_group_of_volcano_is_raised() {
    let queue =
        "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}}\n";
    let class = |value: u32| {
        format!(
            "---\n{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: c{value}}}, value: {value}}}\n"
        )
    };
    let gang = |name: &str, class: u32| {
        let group = format!(
            "---\n{{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {{name: {name}, namespace: default}}, \
             spec: {{minMember: 1, queue: default, priorityClassName: c{class}}}}}\n"
        );
        let annotation = format!(", annotations: {{scheduling.k8s.io/group-name: {name}}}");
        group + &pod(&format!("{name}-0"), &annotation, 0, "6", "")
    };
    let text = format!("{NODE}{queue}{}{}{}{}", class(5), class(1), gang("first", 5), gang("second", 1));
    let answer = ask("volcano", "second-0", &text).unwrap();
    let raised = answer.changes.iter().find(|change| change.kind == ChangeKind::Priority).unwrap();
    assert_eq!((raised.sentence.as_str(), raised.victims), ("raise the priority from 1 to 6", 0));
    let kinds: Vec<&Value> = raised.objects.iter().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["PriorityClass", "PodGroup", "Pod"]);
}

/// Asks about pods that are held back: none of them is tried, whatever is changed.
#[test]
fn nothing_is_tried_for_pods_that_are_held_back() {
    let gated =
        pod("waits", "", 5, "5", "").replace("spec: {", "spec: {schedulingGates: [{name: example.com/quota}], ");
    let other = pod("waits", "", 5, "5", "").replace("spec: {", "spec: {schedulerName: other, ");
    for (waits, why) in [
        (gated, "waits for its scheduling gates to be removed: example.com/quota"),
        (other, "another scheduler decides about it: `other`"),
    ] {
        let answer = ask("kubernetes", "waits", &format!("{NODE}{waits}")).unwrap();
        assert_eq!((answer.is_in, answer.changes.len(), answer.tried), (false, 0, 1));
        let expected =
            format!("`default/waits`: {why}. No change of a quota, of the nodes or of its priority lets it in.");
        assert_eq!(answer.not_tried, Some(expected));
    }
}
