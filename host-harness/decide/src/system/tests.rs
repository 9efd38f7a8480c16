use lictor_policy::Engine;

use super::*;
use crate::ClusterSnapshot;

fn object(kind: &str, name: &str) -> String {
    let (version, kind) = kind.rsplit_once('/').unwrap();
    format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}, namespace: a}}}}\n---\n")
}

/// Returns a pod of this scheduler; without a node, the pod waits.
fn pod(name: &str, scheduler: &str, node: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: a}}, spec: {{schedulerName: {scheduler}, \
         nodeName: '{node}', containers: [{{name: c}}]}}}}\n---\n"
    )
}

fn objects(parts: &[String]) -> Vec<KubernetesObject> {
    ClusterSnapshot::from_text("dump.yaml", parts.concat()).unwrap().objects
}

fn chosen(parts: &[String]) -> (String, String) {
    let SystemChoice { system, why, .. } = choose(&objects(parts), &Engine::describe());
    (system, why)
}

#[test]
fn a_kind_or_a_scheduler_of_one_system_alone_chooses_it() {
    let cases = [
        (object("scheduling.sigs.k8s.io/v1alpha1/ElasticQuota", "q"), "koordinator", "the cluster has 1 ElasticQuota"),
        (object("scheduling.koordinator.sh/v1alpha1/Reservation", "r"), "koordinator", "the cluster has 1 Reservation"),
        (object("scheduling.volcano.sh/v1beta1/Queue", "q"), "volcano", "the cluster has 1 Queue"),
        (object("scheduling.x-k8s.io/v1alpha1/ElasticQuota", "q"), "coscheduling", "the cluster has 1 ElasticQuota"),
        (object("scheduling.x-k8s.io/v1alpha1/PodGroup", "g"), "coscheduling", "the cluster has 1 PodGroup"),
        (object("v1/ConfigMap", "yunikorn-defaults"), "yunikorn", "the cluster has 1 ConfigMap"),
        (pod("p", "yunikorn", ""), "yunikorn", "1 pod names scheduler `yunikorn`"),
        (pod("p", "volcano", "n"), "volcano", "1 pod names scheduler `volcano`"),
        (pod("p", "koord-scheduler", ""), "koordinator", "1 pod names scheduler `koord-scheduler`"),
    ];
    for (object, system, why) in cases {
        assert_eq!(chosen(&[object]), (system.to_owned(), why.to_owned()));
    }
}

#[test]
fn what_every_cluster_has_chooses_kube_scheduler() {
    let common = [
        object("policy/v1/PodDisruptionBudget", "b"),
        object("scheduling.k8s.io/v1beta1/PodGroup", "g"),
        object("v1/ConfigMap", "kube-root-ca.crt"),
        object("batch/v1/Job", "j"),
        pod("p", "default-scheduler", ""),
        pod("q", "scheduler-of-mine", ""),
    ];
    assert_eq!(chosen(&common).0, "kubernetes");
    assert_eq!(chosen(&[]).0, "kubernetes");
}

#[test]
fn pods_that_wait_count_before_others_and_these_before_objects() {
    let quotas = [
        object("scheduling.sigs.k8s.io/v1alpha1/ElasticQuota", "q"),
        object("scheduling.sigs.k8s.io/v1alpha1/PodGroup", "g"),
    ];
    let [quota, group] = quotas.clone();
    assert_eq!(chosen(&[quota.clone(), group.clone(), pod("p", "volcano", "n")]).0, "volcano");
    let all = [quota, group, pod("p", "volcano", "n"), pod("q", "yunikorn", "")];
    let choice = choose(&objects(&all), &Engine::describe());
    assert_eq!(
        (&*choice.system, choice.others),
        ("yunikorn", vec!["`volcano`".to_owned(), "`koordinator`".to_owned()])
    );
    // Of equals the first one of the policy is chosen.
    let equal = [pod("p", "volcano", ""), pod("q", "koord-scheduler", "")];
    let choice = choose(&objects(&equal), &Engine::describe());
    let said = "the laws of `koordinator` decide: 1 pod names scheduler `koord-scheduler`; objects of `volcano` are there, too; \
                `--system` names another system";
    assert_eq!(choice.sentence(), said);
}

#[test]
fn a_snapshot_without_any_object_of_the_system_is_a_warning() {
    let plain = objects(&[pod("p", "default-scheduler", "")]);
    let warned = |system: &str| lacking(&plain, &Engine::describe(), system);
    let warning = warned("koordinator").unwrap();
    let said = "nothing in the snapshot is of system `koordinator`: no pod names scheduler `koord-scheduler`, and there is no \
                `ElasticQuota.scheduling.sigs.k8s.io` or `PodGroup.scheduling.sigs.k8s.io`";
    let remedy = "add these kinds to the dump, or decide with `--system kubernetes`";
    assert_eq!((&*warning.message, warning.remedy.as_deref()), (said, Some(remedy)));
    assert!(warned("yunikorn").unwrap().message.ends_with("no pod names scheduler `yunikorn`"));
    assert_eq!(lacking(&objects(&[pod("p", "volcano", "")]), &Engine::describe(), "volcano"), None);
    assert_eq!(lacking(&plain, &Engine::describe(), "unheard-of"), None);
    assert_eq!(warned("kubernetes"), None, "every cluster is one of kube-scheduler");
}
