//! Objects that are placed like pods.

use lictor_contract::{Phase, PlacedKind};

use super::*;
use crate::verify::testing::slots;

const SLOT: &str = "\
apiVersion: example.com/v1
kind: Slot
metadata:
  name: r
  uid: u-r
  labels: {a: own, b: own}
spec:
  pod:
    metadata: {namespace: team, labels: {a: template, c: template}}
    spec:
      priority: 9
      nodeName: elsewhere
      containers:
      - resources: {requests: {cpu: '8', memory: 1Gi}}
        ports: [{containerPort: 80, hostPort: 80}]
";

/// Reads an object of the placed kind of the tests.
fn slot(text: &str) -> Result<PodFacts, InputError> {
    let KubernetesObject { id, body, .. } = object(text).unwrap();
    let Body::Other(value, origin) = body else { panic!("not other") };
    crate::cluster::object::placed::read(3, &slots(), &id, &value, &origin)
}

#[test]
fn reads_an_object_of_a_placed_kind_like_a_pod() {
    let pending = slot(SLOT).unwrap();
    assert_eq!((pending.kind, &*pending.metadata.namespace, &*pending.metadata.name), (Some(3), "team", "r"));
    assert_eq!(
        (&*pending.metadata.uid, pending.scheduling.priority, pending.status.phase, pending.node),
        ("u-r", Some(9), Phase::Pending, None)
    );
    let labels = [("a", "own"), ("b", "own"), ("c", "template")];
    assert_eq!(pending.metadata.labels, labels.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
    assert_eq!(pending.requests.get("memory"), Some(&(1 << 30)));
    let in_state = |state: &str| {
        let status = format!("status: {{state: {state}, placement: {{node: n1, next: n2}}, held: {{cpu: '6'}}, ");
        let conditions = "conditions: [{type: Placed, status: 'True', lastTransitionTime: '1970-01-01T00:00:01Z'}]}";
        slot(&format!("{SLOT}{status}{conditions}\n")).unwrap()
    };
    let open = in_state("Open");
    assert_eq!(
        (open.status.phase, open.node.as_deref(), open.status.nominated.as_deref()),
        (Phase::Running, Some("n1"), Some("n2"))
    );
    let expected = [("cpu", 6000), ("hostport/TCP/80", 1 << 32), ("pods", 1)];
    assert_eq!(open.requests, expected.map(|(name, amount)| (name.to_owned(), amount)).into());
    assert_eq!(open.status.scheduled, Some(1_000_000_000));
    // Only a running slot has other amounts than its template, and a pending slot has no node.
    for (state, phase, node) in [
        ("Waiting", Phase::Pending, None),
        ("''", Phase::Pending, None),
        ("Lost", Phase::Unknown, Some("n1")),
        ("Over", Phase::Succeeded, Some("n1")),
        ("Broken", Phase::Failed, Some("n1")),
    ] {
        let facts = in_state(state);
        assert_eq!((facts.status.phase, facts.node.as_deref(), facts.requests.get("cpu")), (phase, node, Some(&8000)));
    }
}

#[test]
fn mistakes_in_an_object_of_a_placed_kind_are_named_with_their_line() {
    for (line, message, remedy, text) in [
        (
            6,
            "spec.pod of Slot r: is missing",
            "write the template of its pods",
            "apiVersion: example.com/v1\nkind: Slot\nmetadata:\n  name: r\n\nspec: {}".to_owned(),
        ),
        (
            17,
            "status.state of Slot r: `Closed` is not a phase",
            "write Waiting, Open, Full, Lost, Over or Broken",
            format!("{SLOT}status:\n  state: Closed"),
        ),
        (
            18,
            "status.placement.node of Slot r: is missing",
            "write the node that it is on",
            format!("{SLOT}status:\n  state: Open\n  placement: {{}}"),
        ),
        (
            18,
            "status.placement.node of Slot r: invalid type: integer `5`",
            "",
            format!("{SLOT}status:\n  state: Open\n  placement: {{node: 5}}"),
        ),
        (
            17,
            "status.held.cpu of Slot r: ",
            "",
            format!("{SLOT}status:\n  held: {{cpu: x}}\n  state: Open\n  placement: {{node: a}}"),
        ),
        (14, "spec.pod.spec.containers[0].resources.requests.cpu of Slot r: ", "", SLOT.replace("'8'", "1x")),
    ] {
        let mistake = slot(&text).unwrap_err();
        assert_eq!(mistake.line, line, "{mistake}");
        assert!(mistake.message.starts_with(message), "{mistake}");
        assert!(mistake.remedy.contains(remedy) && !mistake.remedy.is_empty(), "{mistake}");
    }
}

#[test]
fn declarations_of_placed_kinds_are_checked() {
    let text = str::to_owned;
    assert_eq!(check_placed_kinds(&[]), Ok(()));
    let other = PlacedKind { kind: text("Claim"), ..slots() };
    assert_eq!(check_placed_kinds(&[slots(), other.clone()]), Ok(()));
    let same = PlacedKind { group: text("example.org"), ..slots() };
    assert_eq!(check_placed_kinds(&[slots(), other, same]), Err(BadPlacedKind::Twice(text("Slot"))));
    let own = PlacedKind { kind: text("Pod"), ..slots() };
    assert_eq!(check_placed_kinds(&[own]), Err(BadPlacedKind::Own(text("Pod"))));
    let idle = PlacedKind { phases: Vec::new(), ..slots() };
    assert_eq!(check_placed_kinds(&[idle]), Err(BadPlacedKind::NeverRuns(text("Slot"))));
    let relative = PlacedKind { amounts: Some(text("held")), ..slots() };
    let bad = BadPlacedKind::Pointer { kind: text("Slot"), pointer: text("held") };
    assert_eq!(check_placed_kinds(&[relative]), Err(bad));
}
