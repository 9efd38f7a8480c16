//! The status of quotas and queues.

use lictor_contract::{Amount, Bound, QueueAccount, Resource};
use serde_json::{Value, json};

use super::*;

/// Returns the account of a queue that bounds cpu and gpu, with this much cpu in millicores.
fn account(name: &str, used: i64, pending: i64) -> QueueAccount {
    let of = |resource, value| Amount { resource, value };
    QueueAccount {
        kind: "quota".to_owned(),
        name: name.to_owned(),
        parent: None,
        bounds: vec![
            Bound { name: "max".to_owned(), amounts: vec![of(0, 8000), of(1, 4)] },
            Bound { name: "runtime".to_owned(), amounts: vec![of(0, 5000)] },
        ],
        used: vec![of(0, used), of(2, 3)],
        promised: Vec::new(),
        pending: vec![of(0, pending)],
    }
}

fn resources() -> Vec<Resource> {
    ["cpu", "gpu", "pods"].map(|name| Resource { name: name.to_owned(), everywhere: 0 }).to_vec()
}

/// Returns the changes that are written to an object of this kind with this status.
fn accounted(system: &str, mut object: ReportedObject, status: Value, name: &str) -> Vec<Value> {
    object.status = status;
    let mut cluster = Cluster::default();
    cluster.add(object);
    let mut reporter = reporter(ReportMode::Enforce, system);
    let accounts = [account(name, 2500, 500)];
    let writes = reporter.accounts(NOW, &accounts, &resources(), &cluster);
    assert_eq!(reporter.accounts(NOW + SECOND - 1, &accounts, &resources(), &cluster), [], "once a second");
    let body = |write: ApiWrite| match write.change {
        WriteOperation::Status(body) => body["status"].clone(),
        WriteOperation::Merge(body) => body["metadata"]["annotations"].clone(),
        other => panic!("{other:?}"),
    };
    writes.into_iter().map(body).collect()
}

#[test]
fn quotas_and_queues_say_what_they_use_where_upstream_writes_it() {
    let quota = || subject("scheduling.sigs.k8s.io", "ElasticQuota", "team", "q");
    let used = json!({"used": {"cpu": "2500m", "gpu": "0"}});
    let annotations = json!({
        "quota.scheduling.koordinator.sh/request": "{\"cpu\":\"3\",\"gpu\":\"0\"}",
        "quota.scheduling.koordinator.sh/runtime": "{\"cpu\":\"5\",\"gpu\":\"0\"}",
    });
    assert_eq!(accounted("koordinator", quota(), Value::Null, "q"), [used.clone(), annotations]);
    // scheduler-plugins: the quota of the namespace. A resource that the quota does not count any more is removed.
    let quota = subject("scheduling.x-k8s.io", "ElasticQuota", "team", "any");
    let stale = json!({"used": {"cpu": "1", "memory": "1Gi"}});
    let expected = json!({"used": {"cpu": "2500m", "gpu": "0", "memory": null}});
    assert_eq!(accounted("coscheduling", quota.clone(), stale, "team"), [expected]);
    assert_eq!(accounted("coscheduling", quota, used, "team"), Vec::<Value>::new(), "nothing has changed");
    let queue = subject("scheduling.volcano.sh", "Queue", "", "q");
    assert_eq!(accounted("volcano", queue, Value::Null, "q"), [json!({"allocated": {"cpu": "2500m", "gpu": "0"}})]);
    let config = subject("", "ConfigMap", "yunikorn", "q");
    assert_eq!(accounted("yunikorn", config, Value::Null, "q"), Vec::<Value>::new());
}
