//! Tests of the labels, annotations and fields that the policy receives.

use serde_json::json;

use super::*;

fn attribute(key: u32, value: &str) -> Attribute {
    Attribute { key, value: value.to_owned() }
}

#[test]
fn a_field_is_found_wherever_it_is() {
    let json = json!({"spec": {"a": 1, "b-c.d": {"x": [7, 8]}, "overhead": {"cpu": 2}, "é": 3, "s/t": 4}, "9": 5});
    let json = json.to_string();
    let kept = RawJson::Own(json.clone().into());
    let found =
        |pointer: &str| PodFieldInterests::new(vec![pointer.to_owned()]).of(&kept).pop().map(|field| field.value);
    for (pointer, value) in [
        ("/spec/a", Some("1")),
        ("/spec/b-c.d", Some("{\"x\":[7,8]}")),
        ("/spec/b-c.d/x/1", Some("8")),
        ("/spec/overhead", Some("{\"cpu\":\"2\"}")),
        ("/spec/é", Some("3")),
        ("/spec/s~1t", Some("4")),
        ("/9", Some("5")),
        ("/spec/cpu", None),
        ("/spec/none", None),
    ] {
        assert_eq!(found(pointer).as_deref(), value, "{pointer}");
    }
    assert_eq!(found("").unwrap(), json.replace("\"cpu\":2", "\"cpu\":\"2\""));
}

#[test]
fn tells_only_what_is_of_interest_by_its_number() {
    let labels = [("a", "1"), ("b", "2"), ("c", "3")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let interests = ["c", "*", "a"].map(str::to_owned);
    let all = AttributeFilter::new(&interests, true);
    let expected =
        [attribute(0, "3"), attribute(1, "a=1"), attribute(1, "b=2"), attribute(1, "c=3"), attribute(2, "1")];
    assert_eq!(all.apply(&labels), expected);
    let mut told = all.apply(&labels);
    all.set(&mut told, "a", "9");
    all.set(&mut told, "d", "4");
    let expected = [
        attribute(0, "3"),
        attribute(1, "a=9"),
        attribute(1, "b=2"),
        attribute(1, "c=3"),
        attribute(1, "d=4"),
        attribute(2, "9"),
    ];
    assert_eq!(told, expected);
    all.clear(&mut told, "d");
    all.clear(&mut told, "c");
    assert_eq!(told, [attribute(1, "a=9"), attribute(1, "b=2"), attribute(2, "9")]);
    assert_eq!(AttributeFilter::new(&interests, false).apply(&labels), [attribute(0, "3"), attribute(2, "1")]);
}
