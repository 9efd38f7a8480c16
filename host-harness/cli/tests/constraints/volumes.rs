//! Random clusters with volumes: local ones, claims that pods share, limits of drivers, disks.

use std::fmt::Write;

use lictor_oracle::constraints::{ObjectIndex, broken};

use super::decided::{decided, listed, objects_of, victims};
use super::run::file;

/// Random numbers below a bound: the same seed gives the same ones.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33).checked_rem(bound).unwrap()
    }

    /// Returns a number from 1 to `most`.
    fn one_to(&mut self, most: u64) -> u64 {
        self.below(most).saturating_add(1)
    }

    /// Returns the size of a volume in Gi.
    fn size(&mut self) -> u64 {
        self.one_to(2).saturating_mul(5)
    }
}

/// Returns a cluster of three nodes with volumes, and pods of this scheduler.
fn cluster(seed: u64, scheduler: &str) -> String {
    let mut random = Random(seed);
    let mut text = String::from(
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}\n---\n\
         {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: made}, provisioner: disk.example.com, volumeBindingMode: WaitForFirstConsumer}\n---\n\
         {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}}\n",
    );
    for node in 1..=3 {
        let count = random.below(4);
        write!(text, "---\n{{apiVersion: v1, kind: Node, metadata: {{name: n{node}, labels: {{host: n{node}}}}}, status: {{allocatable: {{cpu: '3', memory: 8Gi, pods: '9'}}}}}}\n\
            ---\n{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: n{node}}}, spec: {{drivers: [{{name: disk.example.com, nodeID: n{node}, allocatable: {{count: {count}}}}}]}}}}\n").unwrap();
    }
    for volume in 0..random.below(5) {
        let (node, size) = (random.one_to(3), random.size());
        write!(text, "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: local-{volume}}}, spec: {{storageClassName: local, accessModes: [ReadWriteOnce], capacity: {{storage: {size}Gi}}, \
            nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: host, operator: In, values: [n{node}]}}]}}]}}}}}}, status: {{phase: Available}}}}\n").unwrap();
    }
    for claim in 0..6 {
        let (class, size) = (if random.below(2) == 0 { "local" } else { "made" }, random.size());
        let bound = class == "made" && random.below(2) == 0;
        let (name, phase) = (
            if bound { format!("volumeName: pv-{claim}, ") } else { String::new() },
            if bound { "Bound" } else { "Pending" },
        );
        write!(text, "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c{claim}, namespace: default}}, spec: {{{name}storageClassName: {class}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {size}Gi}}}}}}, status: {{phase: {phase}}}}}\n").unwrap();
        if bound {
            write!(text, "---\n{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv-{claim}}}, spec: {{storageClassName: made, accessModes: [ReadWriteOnce], capacity: {{storage: {size}Gi}}, claimRef: {{namespace: default, name: c{claim}}}, \
                csi: {{driver: disk.example.com, volumeHandle: h{claim}}}}}, status: {{phase: Bound}}}}\n").unwrap();
        }
    }
    for pod in 0..8 {
        let runs = pod < 2 && random.below(2) == 0;
        let node = if runs { format!("nodeName: n{}, ", random.one_to(3)) } else { String::new() };
        let (priority, claim) = (if runs { 0 } else { random.below(3) }, random.below(8));
        let volume = match claim {
            6 => format!("gcePersistentDisk: {{pdName: d, readOnly: {}}}", random.below(2) == 0),
            7 => "emptyDir: {}".to_owned(),
            _ if runs => "emptyDir: {}".to_owned(),
            claim => format!("persistentVolumeClaim: {{claimName: c{claim}}}"),
        };
        let phase = if runs { "Running" } else { "Pending" };
        write!(text, "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{pod}, namespace: default}}, spec: {{schedulerName: {scheduler}, {node}priority: {priority}, volumes: [{{name: v, {volume}}}], \
            containers: [{{name: c, resources: {{requests: {{cpu: '1'}}}}}}]}}, status: {{phase: {phase}}}}}\n").unwrap();
    }
    text
}

#[test]
fn volumes_of_random_clusters_are_kept_by_every_system() {
    let systems = [
        ("kubernetes", "default-scheduler"),
        ("koordinator", "koord-scheduler"),
        ("coscheduling", "default-scheduler"),
        ("volcano", "volcano"),
    ];
    let mut placed = 0;
    for seed in 0..60 {
        let (system, scheduler) = systems[usize::try_from(seed % 4).unwrap()];
        let text = cluster(seed, scheduler);
        let path = file(&format!("volumes-{seed}.yaml"), &text);
        let decided = decided(&path, &["--system", system, "--native"]);
        let objects = objects_of("volumes.yaml", &text);
        let (dump, bound) = (ObjectIndex::of(&objects), listed(&decided, "bound"));
        let (nominated, victims) = (listed(&decided, "nominated"), victims(&decided));
        let mut places = dump.node_by_pod();
        places.extend(bound.clone());
        assert_eq!(broken(&dump, &places, bound.keys()), [""; 0], "{system}, seed {seed}, with the victims: {text}");
        places.retain(|pod, _| !victims.contains(pod));
        places.extend(nominated.clone());
        assert_eq!(
            broken(&dump, &places, bound.keys().chain(nominated.keys())),
            [""; 0],
            "{system}, seed {seed}: {text}"
        );
        placed += bound.len() + nominated.len();
    }
    assert!(placed > 100, "{placed}");
}
