//! Objects with all their fields. A text is `x` where anything may stand, and the canary itself within documents and keys.

use serde_json::{Value, json};

use super::CANARY;

fn metadata() -> Value {
    let owner = json!({"apiVersion": "x", "kind": "x", "name": "x", "uid": "x", "controller": true});
    json!({
        "name": CANARY, "namespace": "x", "uid": "x", "generateName": "x", "selfLink": "x", "resourceVersion": "x",
        "creationTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["x"], "ownerReferences": [owner],
        "managedFields": [{"manager": "x", "fieldsV1": {"f:x": {}}}],
        "labels": {
            "a": "x", "example.com/zqcanary": "x", "queue": "x", "applicationId": "x", "topology.kubernetes.io/zone": "x",
            "kubernetes.io/hostname": "x", "quota.scheduling.koordinator.sh/name": "x", "quota.scheduling.koordinator.sh/preemptible": "x",
            "volcano.sh/task-spec": "x", "volcano.sh/task-index": "x", "volcano.sh/preemptable": "x", "koordinator.sh/priority": "x",
        },
        "annotations": {
            "a": "x", "kubectl.kubernetes.io/last-applied-configuration": "x", "gang.scheduling.koordinator.sh/name": "x",
            "gang.scheduling.koordinator.sh/mode": "x", "gang.scheduling.koordinator.sh/waiting-time": "x",
            "gang.scheduling.koordinator.sh/groups": format!("[\"{CANARY}/{CANARY}\", {{\"a\": \"{CANARY}\"}}]"),
            "quota.scheduling.koordinator.sh/namespaces": format!("[\"{CANARY}\"]"),
            "quota.scheduling.koordinator.sh/shared-weight": format!("{{\"cpu\": \"{CANARY}\"}}"),
            "scheduling.koordinator.sh/reservation-allocated":
                format!("{{\"name\": \"{CANARY}\", \"uid\": \"{CANARY}\", \"a\": \"{CANARY}\"}}"),
            "scheduling.k8s.io/group-name": "x", "scheduling.volcano.sh/queue-name": "x", "volcano.sh/task-priority": "x",
            "volcano.sh/elastic-train": "x", "yunikorn.apache.org/app-id": "x", "yunikorn.apache.org/allow-preemption": "x",
            "volume.kubernetes.io/selected-node": "x", "volume.beta.kubernetes.io/storage-class": "x",
            "kubernetes.io/config.mirror": "x", "example.koordinator.sh/a": "x",
        },
    })
}

fn selector() -> Value {
    json!({"matchLabels": {"a": "x"}, "matchExpressions": [{"key": "x", "operator": "In", "values": ["x"]}]})
}

fn node_selector() -> Value {
    let field = json!({"key": "metadata.name", "operator": "In", "values": ["x"]});
    let expression = json!({"key": "x", "operator": "In", "values": ["x"]});
    json!({"nodeSelectorTerms": [{"matchExpressions": [expression], "matchFields": [field]}]})
}

fn spec() -> Value {
    let resources =
        json!({"requests": {"cpu": "1"}, "limits": {"cpu": "1"}, "claims": [{"name": "x", "request": "x"}]});
    let container = json!({
        "name": "x", "image": "x", "command": ["x"], "args": ["x"], "workingDir": "x", "imagePullPolicy": "x", "restartPolicy": "x",
        "env": [{"name": "x", "value": "x", "valueFrom": {"secretKeyRef": {"name": "x", "key": "x"}}}],
        "envFrom": [{"prefix": "x", "configMapRef": {"name": "x"}}], "volumeMounts": [{"name": "x", "mountPath": "x", "subPath": "x"}],
        "ports": [{"name": "x", "containerPort": 1, "hostPort": 2, "protocol": "TCP", "hostIP": "192.0.2.7"}], "resources": resources,
        "livenessProbe": {"exec": {"command": ["x"]}}, "securityContext": {"seccompProfile": {"type": "x", "localhostProfile": "x"}},
        "terminationMessagePath": "x",
    });
    let term = json!({
        "labelSelector": selector(), "namespaceSelector": selector(), "namespaces": ["x"], "topologyKey": "x", "matchLabelKeys": ["x"],
        "mismatchLabelKeys": ["x"],
    });
    let spread = json!({"labelSelector": selector(), "topologyKey": "x", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["x"]});
    json!({
        "containers": [container], "initContainers": [container], "ephemeralContainers": [container], "hostAliases": [{"ip": "x", "hostnames": ["x"]}],
        "dnsConfig": {"searches": ["x"], "nameservers": ["x"], "options": [{"name": "x", "value": "x"}]}, "dnsPolicy": "x", "hostname": "x",
        "subdomain": "x", "serviceAccount": "x", "serviceAccountName": "x", "imagePullSecrets": [{"name": "x"}], "runtimeClassName": "x",
        "priorityClassName": "x", "preemptionPolicy": "Never", "schedulerName": "x", "schedulingGates": [{"name": "x"}],
        "schedulingGroup": {"podGroupName": "x"}, "nodeName": "x", "nodeSelector": {"a": "x", "example.com/zqcanary": "x"},
        "restartPolicy": "x", "readinessGates": [{"conditionType": "x"}], "resources": resources, "overhead": {"cpu": "1"},
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": node_selector(),
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": node_selector()["nodeSelectorTerms"][0]}],
            },
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term],
                            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]},
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
        },
        "tolerations": [{"key": "x", "operator": "Equal", "value": "x", "effect": "NoExecute", "tolerationSeconds": 7}],
        "topologySpreadConstraints": [spread], "resourceClaims": [{"name": "x", "resourceClaimName": "x", "resourceClaimTemplateName": "x"}],
        "volumes": [{"name": "x", "nfs": {"server": "x", "path": "x"}, "hostPath": {"path": "x"}, "persistentVolumeClaim": {"claimName": "x"},
                     "secret": {"secretName": "x"}, "csi": {"driver": "x", "volumeAttributes": {"a": "x"}},
                     "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "x"}}}}],
        "securityContext": {"seLinuxOptions": {"user": "x"}},
    })
}

fn pod() -> Value {
    let status = json!({
        "name": "x", "image": "x", "imageID": "x", "containerID": "x", "ready": true, "restartCount": 0,
        "state": {"terminated": {"exitCode": 1, "message": "x", "reason": "x"}}, "resources": {"requests": {"cpu": "1"}},
        "allocatedResources": {"cpu": "1"},
    });
    let condition = json!({"type": "x", "status": "x", "reason": "x", "message": "x", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata(), "spec": spec(),
        "status": {"phase": "Pending", "nominatedNodeName": "x", "message": "x", "reason": "x", "hostIP": "x", "podIP": "x",
                   "podIPs": [{"ip": "x"}], "hostIPs": [{"ip": "x"}], "qosClass": "x", "startTime": "2026-01-01T00:00:00Z",
                   "conditions": [condition], "containerStatuses": [status], "initContainerStatuses": [status]},
    })
}

fn volume() -> Value {
    json!({
        "capacity": {"storage": "1Gi"}, "storageClassName": "x", "accessModes": ["x"], "volumeMode": "x",
        "claimRef": {"apiVersion": "x", "kind": "x", "namespace": "x", "name": "x", "uid": "x"}, "nfs": {"server": "x", "path": "x"},
        "csi": {"driver": "x", "volumeHandle": "x", "fsType": "x", "volumeAttributes": {"a": "x"}, "nodeStageSecretRef": {"name": "x", "namespace": "x"}},
        "iscsi": {"iqn": "x", "targetPortal": "x", "lun": 1}, "hostPath": {"path": "x"}, "mountOptions": ["x"],
        "persistentVolumeReclaimPolicy": "x", "nodeAffinity": {"required": node_selector()}, "volumeAttributesClassName": "x",
    })
}

fn queues() -> String {
    let resources = json!({"guaranteed": {"vcore": CANARY}, "max": {"memory": CANARY}});
    let properties = json!({"preemption.policy": CANARY, "preemption.delay": CANARY, "application.sort.policy": CANARY, "a": CANARY});
    let limit = json!({"limit": CANARY, "users": [CANARY], "groups": [CANARY], "maxresources": {"vcore": CANARY}});
    let queue = json!({"name": CANARY, "adminacl": CANARY, "submitacl": CANARY, "resources": resources, "properties": properties,
                       "limits": [limit], "childtemplate": {"properties": properties, "resources": resources}, "unknown": CANARY});
    let root = json!({"name": "root", "queues": [queue]});
    let rule = |name: &str| {
        json!({"name": name, "value": CANARY, "filter": {"type": CANARY, "users": [CANARY]}, "unknown": CANARY,
                                   "parent": {"name": CANARY, "value": CANARY}})
    };
    json!({"partitions": [{"name": CANARY, "queues": [root], "placementrules": [rule("fixed"), rule("tag"), rule(CANARY)],
                           "nodesortpolicy": {"type": CANARY}, "usergroupresolver": {"type": CANARY}, "limits": [limit]}],
           "checksum": CANARY, "unknown": [CANARY]})
    .to_string()
}

fn object(api_version: &str, kind: &str, more: Value) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata()});
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

/// Returns objects of each kind that is read, and of a kind that is not, with all fields that such objects have.
pub(super) fn objects() -> Vec<Value> {
    [vec![pod()], of_the_core(), of_storage(), of_systems(), of_volcano()].concat()
}

fn of_the_core() -> Vec<Value> {
    let mut config =
        object("v1", "ConfigMap", json!({"data": {"queues.yaml": queues(), "a": "x"}, "binaryData": {"a": "x"}}));
    config["metadata"]["name"] = json!("yunikorn-configs");
    let node =
        json!({"taints": [{"key": "x", "value": "x", "effect": "NoSchedule"}], "providerID": "x", "podCIDR": "x"});
    let info = json!({"allocatable": {"cpu": "1"}, "addresses": [{"type": "x", "address": "x"}], "nodeInfo": {"kernelVersion": "x"}});
    let budget = json!({"spec": {"selector": selector(), "minAvailable": "x"},
                        "status": {"disruptionsAllowed": 1, "disruptedPods": {CANARY: "2026-01-01T00:00:00Z"}}});
    let class = json!({"value": 1, "description": "x", "preemptionPolicy": "Never"});
    vec![
        object("v1", "Node", json!({"spec": node, "status": info})),
        object("v1", "Namespace", json!({"spec": {"finalizers": ["x"]}, "status": {"phase": "x"}})),
        config,
        object("policy/v1", "PodDisruptionBudget", budget),
        object("scheduling.k8s.io/v1", "PriorityClass", class),
    ]
}

fn of_storage() -> Vec<Value> {
    let claim = json!({"volumeName": "x", "storageClassName": "x", "accessModes": ["x"], "volumeMode": "x", "selector": selector(),
                       "resources": {"requests": {"storage": "1Gi"}}, "dataSource": {"kind": "x", "name": "x"}});
    let claim = json!({"spec": claim, "status": {"phase": "x", "conditions": [{"type": "x"}]}});
    let volume = json!({"spec": volume(), "status": {"phase": "x", "message": "x", "reason": "x"}});
    let terms = json!([{"matchLabelExpressions": [{"key": "x", "values": ["x"]}]}]);
    let class = json!({"provisioner": "x", "parameters": {"a": "x"}, "mountOptions": ["x"], "reclaimPolicy": "x",
                       "volumeBindingMode": "x", "allowedTopologies": terms});
    let devices = json!({"spec": {"extendedResourceName": "x", "selectors": [{"cel": {"expression": "x"}}]}});
    let drivers = json!({"spec": {"drivers": [{"name": "x", "nodeID": "x", "topologyKeys": ["x"], "allocatable": {"count": 1}}]}});
    let attachment = json!({"spec": {"attacher": "x", "nodeName": "x", "source": {"persistentVolumeName": "x"}}});
    let capacity = json!({"storageClassName": "x", "nodeTopology": selector(), "capacity": "1Gi"});
    vec![
        object("v1", "PersistentVolumeClaim", claim),
        object("v1", "PersistentVolume", volume),
        object("storage.k8s.io/v1", "StorageClass", class),
        object("resource.k8s.io/v1", "DeviceClass", devices),
        object("storage.k8s.io/v1", "CSINode", drivers),
        object("storage.k8s.io/v1", "CSIDriver", json!({"spec": {"storageCapacity": true}})),
        object("storage.k8s.io/v1", "CSIStorageCapacity", capacity),
        object("storage.k8s.io/v1", "VolumeAttachment", attachment),
        // Nothing reads it.
        object("coordination.k8s.io/v1", "Lease", json!({"spec": {"holderIdentity": "x"}})),
    ]
}

fn amounts() -> Value {
    json!({"cpu": "1", "memory": "x"})
}

fn gang() -> Value {
    let spec = json!({"minMember": 1, "minTaskMember": {CANARY: 1}, "queue": "x", "priorityClassName": "x", "minResources": amounts(),
                      "scheduleTimeoutSeconds": 1, "networkTopology": {"mode": "x"}});
    json!({"spec": spec, "status": {"phase": "x", "conditions": [{"type": "x", "message": "x"}]}})
}

fn of_systems() -> Vec<Value> {
    let reference = json!({"kind": "x", "namespace": "x", "name": "x", "uid": "x", "apiVersion": "x"});
    let owners = json!([{"object": reference, "controller": reference, "labelSelector": selector()}]);
    let template = json!({"metadata": metadata(), "spec": spec()});
    let status = json!({"phase": "x", "nodeName": "x", "currentOwners": [reference], "allocatable": {"cpu": "1"}});
    let reservation = json!({"template": template, "owners": owners, "ttl": "x", "allocatePolicy": "x"});
    let of_kubernetes = json!({"schedulingPolicy": {"gang": {"minCount": 1}}, "priority": 1, "priorityClassName": "x", "preemptionPolicy": "x",
                               "disruptionMode": {CANARY: {}}, "schedulingConstraints": {"topology": [{"key": "x"}]},
                               "resourceClaims": [{"name": "x"}], "parentCompositePodGroupName": "x", "podGroupTemplateRef": {"name": "x"}});
    let quota = json!({"spec": {"min": amounts(), "max": amounts()}, "status": {"used": amounts()}});
    let reservation = json!({"spec": reservation, "status": status});
    vec![
        object("scheduling.k8s.io/v1beta1", "PodGroup", json!({"spec": of_kubernetes, "status": {"phase": "x"}})),
        object("scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", quota.clone()),
        object("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", gang()),
        object("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", quota),
        object("scheduling.x-k8s.io/v1alpha1", "PodGroup", gang()),
        object("scheduling.koordinator.sh/v1alpha1", "Reservation", reservation),
    ]
}

fn of_volcano() -> Vec<Value> {
    let queue = json!({"parent": "x", "weight": 1, "capability": amounts(), "deserved": amounts(), "guarantee": {"resource": amounts()},
                       "affinity": {"nodeGroupAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ["x"]}}, "type": "x"});
    let template = json!({"metadata": metadata(), "spec": spec()});
    let job = json!({"minAvailable": 1, "queue": "x", "schedulerName": "x", "plugins": {"svc": ["x"]}, "volumes": [{"mountPath": "x"}],
                     "tasks": [{"name": "x", "replicas": 1, "template": template}]});
    let status = json!({"state": {"phase": "x", "message": "x"}});
    vec![
        object("scheduling.volcano.sh/v1beta1", "Queue", json!({"spec": queue, "status": {"state": "x"}})),
        object("scheduling.volcano.sh/v1beta1", "PodGroup", gang()),
        object("batch.volcano.sh/v1alpha1", "Job", json!({"spec": job, "status": status})),
    ]
}
