//! Tests of the constraints between pods: the selectors, topologies and demands that the policy receives.

use super::*;
use crate::sweep::UNUSED_TOLERANCE;

/// Returns a node with these labels.
fn labelled_node(name: &str, labels: &str) -> String {
    node(name).replace("metadata: {", &format!("metadata: {{labels: {{{labels}}}, "))
}

/// Returns a pod with these labels.
fn labelled(name: &str, labels: &str, spec: &str) -> String {
    pod(name, spec).replace("metadata: {", &format!("metadata: {{labels: {{{labels}}}, "))
}

/// Returns the anti-affinity to an app in a topology, as part of a spec.
fn avoids(app: &str, key: &str, more: &str) -> String {
    format!(
        "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{labelSelector: {{matchLabels: {{app: {app}}}}}, topologyKey: {key}, {more}}}]}}}}"
    )
}

/// A spread over zones of the pods of app `web`, as part of a spec.
const SPREAD: &str = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]";

/// Returns the content of a pod of `default` in the form that the policy receives.
fn told(mirror: &Mirror, pod: &str) -> Option<InterPod> {
    let id = the_pod(mirror, &format!("default/{pod}")).inter_pod?;
    mirror.replay().into_iter().find_map(|event| match event {
        Event::InterPod(inter_pod) if inter_pod.id == id => Some(inter_pod),
        _ => None,
    })
}

fn selected_by(mirror: &Mirror, pod: &str) -> Vec<SelectorId> {
    told(mirror, pod).map(|inter_pod| inter_pod.selected_by).unwrap_or_default()
}

#[test]
fn nothing_stands_between_pods_that_nobody_selects() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}", labelled_node("n1", "zone: a"), labelled("p", "app: web", "")));
    assert_eq!(drained(&mut mirror), ["+cpu +memory +pods ", "node n1", "shape 0 [1]", "pod 0 p"]);
    assert_eq!(the_pod(&mirror, "default/p").inter_pod, None);
}

#[test]
fn a_selector_chooses_pods_that_were_there_before_and_comes_after_topologies() {
    let mut mirror = mirror();
    let nodes = [labelled_node("n1", "zone: a"), labelled_node("n2", "zone: b"), node("n3")].concat();
    apply(&mut mirror, &format!("{nodes}{}{}", labelled("web", "app: web", ""), labelled("db", "app: db", "")));
    mirror.drain_events();
    apply(&mut mirror, &labelled("p", "app: x", &avoids("web", "zone", "")));
    // The pod that demands and the pod that it selects have a content. The third pod has none.
    assert_eq!(drained(&mut mirror), ["topology zone [1, 2]", "inter-pod 0", "inter-pod 1", "pod 0 web", "pod 2 p"]);
    let p = told(&mirror, "p").unwrap();
    let [term] = p.anti_affinity.as_slice() else { panic!("{p:?}") };
    assert_eq!((p.selected_by, selected_by(&mirror, "web")), (vec![], vec![term.selector]));
    assert_eq!(the_pod(&mirror, "default/db").inter_pod, None);
}

#[test]
fn pods_of_one_template_share_what_stands_between_them() {
    let mut mirror = mirror();
    let replica = |name| labelled(name, "app: web", &avoids("web", "zone", ""));
    apply(&mut mirror, &format!("{}{}{}", node("n1"), replica("p"), replica("q")));
    assert_eq!(the_pod(&mirror, "default/p").inter_pod, the_pod(&mirror, "default/q").inter_pod);
    // The same selector in another namespace chooses another set of pods.
    apply(&mut mirror, &replica("r").replace("name: r", "name: r, namespace: other"));
    assert_ne!(the_pod(&mirror, "default/p").inter_pod, the_pod(&mirror, "other/r").inter_pod);
}

#[test]
fn the_domains_follow_the_labels_of_the_nodes() {
    let mut mirror = mirror();
    apply(
        &mut mirror,
        &format!("{}{}", labelled_node("n1", "zone: a"), labelled("p", "app: x", &avoids("web", "zone", ""))),
    );
    mirror.drain_events();
    apply(&mut mirror, &format!("{}{}", labelled_node("n2", "zone: a"), labelled_node("n3", "zone: c")));
    assert!(drained(&mut mirror).contains(&"topology zone [1, 1, 2]".to_owned()));
    apply(&mut mirror, &node("n1"));
    assert_eq!(drained(&mut mirror), ["node n1", "topology zone [0, 1, 2]"]);
    assert!(mirror.remove("Node/n3"));
    assert_eq!(drained(&mut mirror), ["shape 0 [3]", "topology zone [0, 1]", "no node 2"]);
}

#[test]
fn marks_and_new_labels_choose_anew() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}", labelled("p", "app: x", &avoids("web", "zone", "")), pod("q", "")));
    mirror.drain_events();
    let mark = |key: &str, value: &str| Mark { place: MarkPlace::Label, key: key.to_owned(), value: value.to_owned() };
    let q = mirror.pod_id("default/q").unwrap();
    mirror.mark(q, &[mark("app", "web")]);
    assert_eq!(drained(&mut mirror), ["inter-pod 1", "pod 1 q"]);
    assert_eq!(selected_by(&mirror, "q").len(), 1);
    apply(&mut mirror, &labelled("q", "app: y", ""));
    assert!(selected_by(&mirror, "q").is_empty());
}

#[test]
fn what_is_assumed_of_a_pod_leaves_what_stands_between_it_and_others() {
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}", node("n1"), labelled("q", "app: web", "")));
    mirror.drain_events();
    let q = mirror.pod_id("default/q").unwrap();
    mirror.assume(q, 1, PodChange::Nominate(Some("n1".to_owned())));
    apply(&mut mirror, &labelled("p", "app: x", &avoids("web", "zone", "")));
    mirror.drain_events();
    assert_eq!(selected_by(&mirror, "q").len(), 1);
    mirror.retract(q, 1);
    mirror.drain_events();
    assert_eq!(selected_by(&mirror, "q").len(), 1, "it was seen before the selector came");
}

#[test]
fn the_nodes_that_count_for_a_spread_are_told_again() {
    let mut mirror = mirror();
    let nodes = [labelled_node("n1", "zone: a"), labelled_node("n2", "zone: b, disk: ssd"), node("n3")].concat();
    let picky = labelled("q", "app: web", &format!("nodeSelector: {{disk: ssd}}, {SPREAD}"));
    apply(&mut mirror, &format!("{nodes}{}{picky}", labelled("p", "app: web", SPREAD)));
    let counted = |mirror: &Mirror, pod: &str| told(mirror, pod).unwrap().spread.remove(0).nodes;
    assert_eq!((counted(&mirror, "p"), counted(&mirror, "q")), (vec![0b11], vec![0b10]));
    mirror.drain_events();
    apply(&mut mirror, &labelled_node("n1", "zone: a, disk: ssd"));
    assert_eq!(drained(&mut mirror), ["shape 1 [3]", "inter-pod 1"]);
    assert_eq!((counted(&mirror, "p"), counted(&mirror, "q")), (vec![0b11], vec![0b11]));
}

#[test]
fn a_claim_for_one_pod_keeps_its_users_apart() {
    let claim = |modes: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c, namespace: default}}, spec: {{accessModes: [{modes}]}}}}\n"
        )
    };
    let user = |name: &str| pod(name, "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]");
    let mut mirror = mirror();
    apply(&mut mirror, &format!("{}{}{}{}", node("n1"), user("p"), user("q"), claim("ReadWriteOnce")));
    mirror.drain_events();
    assert_eq!(told(&mirror, "p"), None);
    apply(&mut mirror, &claim("ReadWriteOncePod"));
    assert!(drained(&mut mirror).contains(&"topology  [1]".to_owned()));
    let (p, q) = (told(&mirror, "p").unwrap(), told(&mirror, "q").unwrap());
    assert_eq!((&p, p.selected_by.len()), (&q, 1));
    assert_eq!(p.anti_affinity.iter().map(|term| term.selector).collect::<Vec<_>>(), p.selected_by);
    assert!(mirror.remove("PersistentVolumeClaim/default/c"));
    mirror.drain_events();
    assert_eq!(told(&mirror, "p").unwrap().anti_affinity, []);
}

#[test]
fn namespaces_are_chosen_by_their_labels_where_they_are_known() {
    let namespace = |team: &str| {
        format!("---\n{{apiVersion: v1, kind: Namespace, metadata: {{name: other, labels: {{team: {team}}}}}}}\n")
    };
    let selector = "namespaceSelector: {matchLabels: {team: a}}";
    let mut mirror = mirror();
    let web = labelled("web", "app: web", "").replace("name: web", "name: web, namespace: other");
    apply(&mut mirror, &format!("{web}{}", labelled("p", "app: x", &avoids("web", "zone", selector))));
    mirror.drain_events();
    let is_chosen = |mirror: &Mirror| the_pod(mirror, "other/web").inter_pod.is_some();
    // Anti-affinity includes a namespace whose labels are unknown.
    assert!(is_chosen(&mirror));
    let warnings = mirror.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.starts_with("`default/p` chooses namespaces by label"), "{}", warnings[0]);
    for (team, expected) in [("b", false), ("a", true), ("b", false)] {
        apply(&mut mirror, &namespace(team));
        mirror.drain_events();
        let inter_pod = the_pod(&mirror, "other/web").inter_pod;
        assert_eq!(inter_pod.is_some(), expected, "{team}");
    }
    assert_eq!((mirror.warnings(), mirror.contains("Namespace/other")), (vec![], true));
    assert!(mirror.remove("Namespace/other") && !mirror.remove("Namespace/other"));
    mirror.drain_events();
    assert!(is_chosen(&mirror));
    assert_eq!(mirror.ignored().len(), 0, "a namespace is read");
}

#[test]
fn what_no_pod_has_between_it_and_others_is_forgotten() {
    // The pod avoids all pods that have a job, except those of its own job. So each job has its own selector, which chooses the pod that stays.
    let job = |name: &str, app: &str| {
        let others = format!("[{{key: app, operator: Exists}}, {{key: app, operator: NotIn, values: [{app}]}}]");
        let term = format!("{{labelSelector: {{matchExpressions: {others}}}, topologyKey: kubernetes.io/hostname}}");
        let affinity =
            format!("affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}");
        let own = format!(
            "{{labelSelector: {{matchLabels: {{app: {app}}}}}, maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}}"
        );
        let selector = format!("nodeSelector: {{app: {app}}}");
        labelled(name, &format!("app: {app}"), &format!("{affinity}, topologySpreadConstraints: [{own}], {selector}"))
    };
    let hosted = |name: &str| labelled_node(name, &format!("zone: a, kubernetes.io/hostname: {name}"));
    let mut mirror = mirror();
    apply(&mut mirror, &[hosted("n1"), labelled("web", "app: web", ""), job("q", "own")].concat());
    for round in 0..200 {
        let names: Vec<String> = (0..10).map(|at| format!("j{round}-{at}")).collect();
        names.iter().for_each(|name| apply(&mut mirror, &[hosted(name), job(name, name)].concat()));
        mirror.drain_events();
        for name in &names {
            assert!(mirror.remove(&format!("Pod/default/{name}")) && mirror.remove(&format!("Node/{name}")));
        }
        mirror.drain_events();
        let told = mirror.replay();
        let contents = told.iter().filter(|event| matches!(event, Event::InterPod(_))).count();
        assert!(contents <= 2 * UNUSED_TOLERANCE, "round {round}: {contents} contents");
        let chosen = selected_by(&mirror, "web").len();
        assert!(chosen <= UNUSED_TOLERANCE, "round {round}: {chosen} selectors choose the pod that stays");
        let domains = told.iter().filter_map(|event| match event {
            Event::Topology(topology) => topology.domains.iter().max().copied(),
            _ => None,
        });
        assert!(domains.max().unwrap() <= 11, "no more domains than there are nodes at a time");
    }
    // The selector of the pod that stayed has kept its number. The next pod has a selector of its own.
    let q = told(&mirror, "q").unwrap();
    apply(&mut mirror, &job("p", "new"));
    mirror.drain_events();
    let p = told(&mirror, "p").unwrap();
    let selectors = |told: &InterPod| (told.anti_affinity[0].selector, told.spread[0].selector);
    let ((q_others, q_own), (p_others, p_own)) = (selectors(&q), selectors(&p));
    assert_eq!(selectors(&told(&mirror, "q").unwrap()), (q_others, q_own));
    let web = selected_by(&mirror, "web");
    assert!(web.contains(&q_others) && web.contains(&p_others) && !web.contains(&q_own) && !web.contains(&p_own));
    assert!(p.selected_by.contains(&q_others) && p.selected_by.contains(&p_own) && !p.selected_by.contains(&p_others));
}
