//! Attempts whose answers by koord-scheduler are written by hand.

mod demands;
mod gangs;
mod nominations;
mod plans;
mod quotas;

use lictor_oracle::{CaseStep, FuzzCase, RoundKind, SystemKind};
use serde_json::{Value, json};

use super::answer::{
    Amounts, KoordinatorPermit, KoordinatorPostFilter, KoordinatorResponse, QuotaAccount, UpstreamPlan, UpstreamRefusal,
};
use crate::tests::{binds, node, nominates, pod, refuses};
use crate::{CaseComparison, TrialError, UpstreamDifference};

/// A cluster and the answers of upstream: nodes `n1` and `n2` have 1 cpu, `d/v` of quota `a` is on `n1`, and `d/p` of the quota waits.
struct Table {
    objects: Vec<Value>,
    arguments: Value,
    answers: Vec<KoordinatorResponse>,
}

impl Table {
    fn new() -> Table {
        let quota = |name: &str, parent: &str| {
            let labels = json!({"quota.scheduling.koordinator.sh/parent": parent});
            json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota", "metadata": {"name": name, "labels": labels}})
        };
        let root = "koordinator-root-quota";
        let objects =
            vec![node("n1"), node("n2"), pod("v", Some("n1")), pod("p", None), quota("a", root), quota("b", root)];
        let account = QuotaAccount {
            parent: root.to_owned(),
            used: cpu(1000),
            max: cpu(9000),
            min: cpu(9000),
            ..QuotaAccount::default()
        };
        let quotas = [("a".to_owned(), account.clone()), ("b".to_owned(), account)].into();
        let answer = KoordinatorResponse {
            quotas,
            post_filter: Some(KoordinatorPostFilter::default()),
            ..KoordinatorResponse::default()
        };
        let table = Table { objects, arguments: json!({}), answers: vec![answer] };
        table.labelled("v", "name", "a").labelled("p", "name", "a").pod("p", |pod| pod["spec"]["priority"] = json!(5))
    }

    /// Changes the answer.
    fn with(mut self, change: impl FnOnce(&mut KoordinatorResponse)) -> Table {
        change(self.answers.first_mut().unwrap());
        self
    }

    /// Lets upstream answer another question so.
    fn then(mut self, change: impl FnOnce(&mut KoordinatorResponse)) -> Table {
        let mut answer = self.answers[0].clone();
        change(&mut answer);
        self.answers.push(answer);
        self
    }

    /// Changes a quota, as upstream knows it.
    fn account(self, name: &str, change: impl FnOnce(&mut QuotaAccount)) -> Table {
        self.with(|answer| change(answer.quotas.get_mut(name).unwrap()))
    }

    /// Changes a pod.
    fn pod(mut self, name: &str, change: impl FnOnce(&mut Value)) -> Table {
        change(self.objects.iter_mut().find(|object| object["metadata"]["name"] == name).unwrap());
        self
    }

    /// Adds a pod of quota `a`.
    fn add(mut self, name: &str, on: Option<&str>) -> Table {
        self.objects.push(pod(name, on));
        self.labelled(name, "name", "a")
    }

    /// Sets a label of ElasticQuota.
    fn labelled(self, name: &str, key: &str, value: &str) -> Table {
        self.pod(name, |pod| pod["metadata"]["labels"][format!("quota.scheduling.koordinator.sh/{key}")] = json!(value))
    }

    /// Makes pods a gang, with annotations of its PodGroup.
    fn gang(mut self, name: &str, minimum: u64, pods: &[&str], annotations: &Value) -> Table {
        self.objects.push(json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
            "metadata": {"name": name, "namespace": "d", "annotations": annotations}, "spec": {"minMember": minimum}}));
        pods.iter().fold(self, |table, pod| {
            table.pod(pod, |pod| pod["metadata"]["labels"]["pod-group.scheduling.sigs.k8s.io"] = json!(name))
        })
    }

    /// Nominates a pod.
    fn nominated(self, name: &str, node: &str) -> Table {
        self.pod(name, |pod| pod["status"]["nominatedNodeName"] = json!(node))
    }

    /// Lets a pod leave.
    fn leaving(self, name: &str) -> Table {
        self.pod(name, |pod| pod["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z"))
    }

    fn argument(mut self, name: &str) -> Table {
        self.arguments[name] = json!(true);
        self
    }

    /// Lets upstream refuse the pod for its quota.
    fn over_quota(self) -> Table {
        let refusal = UpstreamRefusal { plugin: "ElasticQuota".to_owned(), ..UpstreamRefusal::default() };
        self.with(|answer| answer.pre_filter = Some(refusal))
    }

    /// Lets upstream place the pod.
    fn feasible(self, node: &str) -> Table {
        self.with(|answer| {
            answer.feasible = vec![node.to_owned()];
            answer.permit = Some(KoordinatorPermit { result: "bind".to_owned(), released: Vec::new() });
        })
    }

    /// Lets upstream evict pods.
    fn plan(self, node: &str, victims: &[&str]) -> Table {
        self.with(|answer| answer.preemption.plans = vec![plan(node, victims)])
    }

    /// Returns the rulings that explain the last of some attempts, or the kind of the difference. The earlier ones are not compared.
    fn judge_after(&self, earlier: &[(&str, Value)], outcome: &Value) -> Result<Vec<&'static str>, &'static str> {
        self.judge_late(earlier, None, outcome)
    }

    /// Returns the same as `judge_after`, after time has passed in which the pods at Permit lose their nodes, where the outcome `late` says so.
    fn judge_late(
        &self,
        earlier: &[(&str, Value)],
        late: Option<&Value>,
        outcome: &Value,
    ) -> Result<Vec<&'static str>, &'static str> {
        let mut case = FuzzCase::by_hand(SystemKind::Koordinator, RoundKind::Attempts, self.objects.clone());
        case.args = self.arguments.as_object().cloned().unwrap();
        let mut trial = CaseComparison::of(&case).unwrap();
        for (pod, outcome) in earlier {
            // Only the cluster has to follow: a difference of this attempt does not matter.
            let quotas = &self.answers[0].quotas;
            let mut alike = KoordinatorResponse { quotas: quotas.clone(), ..KoordinatorResponse::default() };
            if outcome["result"] == "Waiting" {
                alike.feasible = vec!["n1".to_owned(), "n2".to_owned()];
                alike.permit = Some(KoordinatorPermit { result: "wait".to_owned(), released: Vec::new() });
            }
            trial.step(&CaseStep::Schedule((*pod).to_owned()), outcome, |_| Ok(json!(alike))).unwrap();
        }
        if let Some(late) = late {
            trial.step(&CaseStep::Advance(60), late, |_| Ok(json!({}))).unwrap();
        }
        let before = trial.tally.clone();
        let mut answers = self.answers.iter().chain(self.answers.last().into_iter().cycle());
        match trial.step(&CaseStep::Schedule("d/p".to_owned()), outcome, |_| Ok(json!(answers.next().unwrap()))) {
            Ok(()) => {
                assert_eq!(before.departures, Default::default());
                Ok(trial.tally.departures.into_keys().collect())
            }
            Err(TrialError::Difference(UpstreamDifference { kind, .. })) => Err(kind),
            Err(error) => panic!("{error}"),
        }
    }

    fn judge(&self, outcome: &Value) -> Result<Vec<&'static str>, &'static str> {
        self.judge_after(&[], outcome)
    }
}

fn cpu(amount: i64) -> Amounts {
    Amounts::from([("cpu".to_owned(), amount)])
}

fn plan(node: &str, victims: &[&str]) -> UpstreamPlan {
    let victims = victims.iter().map(|victim| (*victim).to_owned()).collect();
    UpstreamPlan { node: node.to_owned(), victims, possible: true, ..UpstreamPlan::default() }
}

/// Returns an outcome without a node or plan.
fn nothing() -> Value {
    refuses(&json!({}))
}

/// Returns an outcome with this result, for this reason.
fn because(result: &str, law: &str) -> Value {
    let mut outcome = nothing();
    outcome["result"] = json!(result);
    outcome["reasons"] = json!([{"code": format!("koordinator/{law}")}]);
    outcome
}

/// Returns an outcome that evicts `d/v`.
fn takes_v() -> Value {
    nominates("d/p", "n1", &["d/v"])
}

/// Returns an outcome that has a pod wait at Permit.
fn waits(pod: &str, node: &str) -> Value {
    json!({"result": "Waiting", "node": node, "bound": {}, "nominated": {}, "victims": [], "waiting": [pod], "standing": {}})
}

#[test]
fn what_upstream_may_decide_is_alike() {
    assert_eq!(Table::new().feasible("n2").judge(&binds("d/p", "n2")), Ok(vec![]));
    assert_eq!(Table::new().feasible("n2").judge(&binds("d/p", "n1")), Err("upstream/node"));
    assert_eq!(Table::new().feasible("n2").judge(&nothing()), Err("upstream/node"));
    assert_eq!(Table::new().judge(&nothing()), Ok(vec![]));
    assert_eq!(Table::new().plan("n1", &["d/v"]).judge(&takes_v()), Ok(vec![]));
    assert_eq!(Table::new().plan("n1", &["d/v"]).judge(&nothing()), Err("upstream/plan"));
    assert_eq!(Table::new().judge(&takes_v()), Err("upstream/plan"));
}

#[test]
fn a_nominated_pod_takes_its_node() {
    let table = Table::new().nominated("p", "n2").feasible("n1").with(|answer| {
        answer.feasible.push("n2".to_owned());
        answer.nominated = true;
    });
    assert_eq!(table.judge(&binds("d/p", "n2")), Ok(vec![]));
    assert_eq!(table.judge(&binds("d/p", "n1")), Err("upstream/node"));
}

#[test]
fn what_is_not_judged_is_passed_over() {
    let cases = [
        ("reservations hold room", json!({"kind": "Reservation", "status": {"nodeName": "n1"}})),
        (
            "a quota names a parent that is missing",
            json!({"kind": "ElasticQuota", "metadata": {"labels": {"quota.scheduling.koordinator.sh/parent": "gone"}}}),
        ),
    ];
    for (reason, mut object) in cases {
        assert_eq!(super::not_compared(&Table::new().objects), None);
        let kind = object["kind"].as_str().unwrap_or("Pod").to_owned();
        object["kind"] = json!(kind);
        assert_eq!(super::not_compared(&[object]), Some(reason));
    }
}

#[test]
fn every_ruling_is_in_the_manual() {
    let manual = include_str!("../../../../guest/policy/src/systems/koordinator/README.md");
    for id in super::departures().map(|departure| departure.id) {
        assert!(manual.contains(&format!("\n| {id} |")), "{id}");
    }
}
