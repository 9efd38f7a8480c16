use super::*;

fn map(written: &[Value]) -> ConfigMap {
    let mut whole = json!({"metadata": {"annotations": {}}, "data": {}, "binaryData": {}});
    for part in written {
        for pointer in ["/metadata/annotations", "/data", "/binaryData"] {
            let new = part.pointer(pointer).and_then(Value::as_object).cloned().unwrap_or_default();
            let place = whole.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap();
            place.extend(new);
            place.retain(|_, value| !value.is_null());
        }
    }
    serde_json::from_value(whole).unwrap()
}

fn wish(bytes: Option<Vec<u8>>) -> ReplacementRequest {
    let on = TermOverrides { shadow: Some(5), allow: Some(u64::MAX), answers: Some(0), ..TermOverrides::default() };
    ReplacementRequest { component: "a".to_owned(), bytes, arguments: Some("x: 1\n".to_owned()), on }
}

#[test]
fn what_is_written_into_it_is_what_it_says() {
    for bytes in [None, Some(vec![7; 3_000_000])] {
        let said = read("a", &map(&[request_patch(&wish(bytes.clone()), "1").unwrap()])).unwrap();
        assert!(said.request == Ok(wish(bytes)) && said.result.is_none());
    }
    // The same order twice, and another one.
    let digest = |ordered| read("a", &map(&[request_patch(&wish(None), ordered).unwrap()])).unwrap().digest;
    assert!(digest("1") == digest("1") && digest("1") != digest("2"));
    assert!(read("a", &ConfigMap::default()).is_none() && read("a", &map(&[])).is_none());
}

#[test]
fn a_component_that_does_not_fit_is_refused_with_both_sizes() {
    // Random bytes cannot be compressed.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    };
    let bytes = (0..1_100_000).map(|_| next()).collect();
    let refusal = request_patch(&wish(Some(bytes)), "1").unwrap_err();
    assert!(refusal.message.starts_with("it has 1100000 bytes, 1100"), "{}", refusal.message);
    assert!(refusal.remedy.contains("oci://"));
}

#[test]
fn what_is_wrong_with_it_is_said() {
    let annotated =
        |key: &str, value: &str| map(&[json!({"metadata": {"annotations": {COMPONENT: DATA, key: value}}})]);
    let refused = |map: &ConfigMap| read("a", map).unwrap().request.unwrap_err().message;
    assert_eq!(refused(&annotated(SHADOW, "soon")), "the annotation `lictor.dev/shadow` is no number: `soon`");
    assert!(refused(&annotated(REQUEST_ID, "1")).starts_with("there is neither"));
    let both = json!({"binaryData": {PLAIN: ByteString(vec![1]), COMPRESSED: ByteString(vec![1])}});
    assert!(refused(&map(&[json!({"metadata": {"annotations": {COMPONENT: DATA}}}), both])).starts_with("there are"));
    let bad = json!({"metadata": {"annotations": {COMPONENT: DATA}}, "binaryData": {COMPRESSED: ByteString(vec![1])}});
    assert!(refused(&map(&[bad])).starts_with("`component.wasm.zst` cannot be read: "));
}

#[test]
fn who_leads_orders_it_once_and_who_comes_later_goes_on_from_the_answer() {
    let order = request_patch(&wish(None), "1").unwrap();
    let said = read("a", &map(std::slice::from_ref(&order))).unwrap();
    assert_eq!(next(Some(&said), None, true), FollowAction::Submit);
    assert_eq!(next(Some(&said), None, false), FollowAction::Nothing);
    assert_eq!(next(Some(&said), Some(&said.digest), true), FollowAction::Nothing);
    assert_eq!(next(None, Some(&said.digest), true), FollowAction::GiveUp);
    assert_eq!(next(None, None, true), FollowAction::Nothing);
    let answered = |stage: ReplacementStage, of: &str| {
        let progress = ReplacementProgress::new(1, "a", stage);
        read("a", &map(&[order.clone(), result_patch(of, "me", &progress)])).unwrap()
    };
    for (stage, leads, then) in [
        (ReplacementStage::Done, false, FollowAction::Adopt),
        // It leads by now, with another policy: the wish is compared once more.
        (ReplacementStage::Done, true, FollowAction::Submit),
        (ReplacementStage::RolledBack, true, FollowAction::Nothing),
        (ReplacementStage::Refused, false, FollowAction::Nothing),
        // The process that carried it out has ended in the middle.
        (ReplacementStage::Watching, true, FollowAction::Submit),
        (ReplacementStage::Watching, false, FollowAction::Nothing),
    ] {
        assert_eq!(next(Some(&answered(stage, &said.digest)), None, leads), then, "{stage:?} {leads}");
    }
    // The answer to another order does not count.
    assert_eq!(next(Some(&answered(ReplacementStage::Refused, "other")), None, true), FollowAction::Submit);
}
