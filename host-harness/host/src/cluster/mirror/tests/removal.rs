//! Objects of one kind and name in several API groups.

use super::*;

#[test]
fn a_key_that_names_objects_of_two_groups_removes_none_of_them() {
    let groups = ["scheduling.k8s.io", "scheduling.x-k8s.io"];
    let kinds = groups.map(|group| KindInterest { group: group.to_owned(), kind: "PodGroup".to_owned() });
    let mut mirror = Mirror::new(Interests { kinds: kinds.to_vec(), ..Interests::default() });
    let group = |group: &str, name: &str| {
        format!("---\n{{apiVersion: {group}/v1beta1, kind: PodGroup, metadata: {{name: {name}, namespace: a}}}}\n")
    };
    apply(&mut mirror, &[group(groups[0], "g"), group(groups[1], "g"), group(groups[1], "h")].concat());
    let full = ["PodGroup.scheduling.k8s.io/a/g", "PodGroup.scheduling.x-k8s.io/a/g"];
    assert_eq!(mirror.ambiguous("PodGroup/a/g"), full);
    assert!(!mirror.remove("PodGroup/a/g"));
    assert!(full.iter().all(|key| mirror.contains(key)));
    assert!(mirror.ambiguous("PodGroup/a/h").is_empty() && mirror.remove("PodGroup/a/h"));
    assert!(!mirror.remove("PodGroup.example.com/a/g"));
    assert!(mirror.remove(full[0]));
    assert!(mirror.contains(full[1]) && !mirror.contains(full[0]));
    assert!(mirror.ambiguous("PodGroup/a/g").is_empty() && mirror.remove("PodGroup/a/g"));
}

#[test]
fn of_pods_that_are_gone_only_the_last_names_are_kept() {
    let mut mirror = mirror();
    let come_and_go = |mirror: &mut Mirror, name: &str| {
        apply(mirror, &pod(name, ""));
        let id = mirror.pod_id(&format!("default/{name}")).unwrap();
        assert!(mirror.remove(&format!("Pod/default/{name}")));
        id
    };
    let first = come_and_go(&mut mirror, "first");
    assert_eq!(mirror.pod_name(first), Some("default/first"), "what is said of it names it");
    for number in 0..1 << 14 {
        come_and_go(&mut mirror, &format!("p{number}"));
    }
    assert_eq!(mirror.pod_name(first), None);
    let again = come_and_go(&mut mirror, "first");
    assert!(again > first, "a number is never used again");
}
