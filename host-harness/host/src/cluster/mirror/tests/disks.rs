//! The numbers of disks that pods name in their own specs.

use super::picture::Picture;
use super::*;
use crate::sweep::UNUSED_TOLERANCE;

/// Returns a pod that writes this disk, as YAML.
fn writer(pod: &str, disk: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {pod}}}, spec: {{containers: [{{name: c}}], volumes: [{{name: v, gcePersistentDisk: {{pdName: {disk}}}}}]}}}}"
    )
}

/// Returns the number of the disk that a pod requests.
fn disk_of(mirror: &Mirror, pod: &str) -> ResourceId {
    let requests = &the_pod(mirror, pod).template.requests;
    requests.iter().find(|amount| amount.value > 1).unwrap().resource
}

#[test]
fn the_number_of_a_disk_that_no_pod_names_is_given_to_another_one() {
    let (mut mirror, mut picture) = (mirror(), Picture::default());
    apply(&mut mirror, &writer("kept", "kept"));
    let kept = disk_of(&mirror, "default/kept");
    for round in 0..3 * UNUSED_TOLERANCE {
        apply(&mut mirror, &writer("passing", &format!("disk-{round}")));
        picture.apply(mirror.drain_events());
        let (disk, name) = (disk_of(&mirror, "default/passing"), format!("volume/disk/gce-pd/disk-{round}"));
        assert_ne!(disk, kept);
        assert_eq!(mirror.resources()[disk as usize], Resource { name, everywhere: 1 << 32 });
        assert!(mirror.remove("Pod/default/passing"));
    }
    picture.apply(mirror.drain_events());
    assert!(mirror.resources().len() < 2 * UNUSED_TOLERANCE, "{} resources", mirror.resources().len());
    assert_eq!(disk_of(&mirror, "default/kept"), kept);
    assert_eq!(mirror.resources()[kept as usize].name, "volume/disk/gce-pd/kept");
    // A policy that starts later hears the same, in names that another disk does not change.
    let mut later = Picture::default();
    later.apply(mirror.replay());
    assert_eq!(later, picture);
    assert_eq!(mirror.resources.announced(kept as usize)[0].name, format!("volume/disk/{kept}"));
}
