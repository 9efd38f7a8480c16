use serde_json::json;

use super::*;

fn failure(file: &str, text: &str) -> InputError {
    read(file, text).unwrap_err()
}

#[test]
fn every_value_in_yaml_has_its_line() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: \"1\"\n    command: [run,\n      fast]\n";
    let documents = read("a.yaml", text).unwrap();
    assert_eq!(documents.len(), 1);
    let origin = &documents[0].origin;
    for (pointer, line) in [
        ("", 1),
        ("/kind", 2),
        ("/metadata/name", 4),
        ("/spec/containers", 6),
        ("/spec/containers/0", 7),
        ("/spec/containers/0/resources/requests/cpu", 10),
        ("/spec/containers/0/resources/limits", 8),
        ("/spec/containers/0/command/1", 12),
        ("/spec/containers/1", 6),
        ("/status", 1),
    ] {
        assert_eq!(origin.line(pointer), line, "{pointer}");
    }
    let container = origin.below("/spec/containers/0");
    assert_eq!(container.line("/resources/requests/cpu"), 10);
    assert_eq!(&**origin.file(), "a.yaml");
}

#[test]
fn every_value_in_json_has_its_line() {
    let text = "\n{\n\t\"kind\": \"Pod\",\n\t\"n\": 12\n,\n\t\"list\":\n[\"\\ud83d\\ude00\",\n-1.5e3\n]}\n";
    let documents = read("a", text).unwrap();
    assert_eq!(documents[0].value, json!({"kind": "Pod", "n": 12, "list": ["😀", -1500.0]}));
    let origin = &documents[0].origin;
    for (pointer, line) in [("", 2), ("/kind", 3), ("/n", 4), ("/list", 6), ("/list/0", 7), ("/list/1", 8)] {
        assert_eq!(origin.line(pointer), line, "{pointer}");
    }
}

#[test]
fn reads_several_documents_and_leaves_empty_ones_out() {
    let yaml = read("a", "---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n").unwrap();
    assert_eq!(yaml.iter().map(|d| d.value.clone()).collect::<Vec<_>>(), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(yaml[1].origin.line("/b"), 7);
    let json = read("a", "{\"a\": 1}\n{\"b\":\n2}").unwrap();
    assert_eq!(json.iter().map(|d| d.value.clone()).collect::<Vec<_>>(), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(json[1].origin.line("/b"), 2);
    assert_eq!(read("a", "").unwrap().len(), 0);
    assert_eq!(read("a.json", " \n").unwrap().len(), 0);
}

#[test]
fn a_list_is_expanded_whether_its_kind_comes_first_or_last() {
    let item = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}});
    let text = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: b\nkind: List\nmetadata:\n  resourceVersion: \"\"\n";
    let documents = read("a", text).unwrap();
    assert_eq!(documents.iter().map(|d| d.value.clone()).collect::<Vec<_>>(), [item("a"), item("b")]);
    assert_eq!(documents[1].origin.line("/metadata/name"), 10);
    assert_eq!(documents[1].origin.line(""), 7);
    let first = read("a", "kind: List\napiVersion: v1\nitems:\n- {kind: Pod, apiVersion: v1}\n").unwrap();
    assert_eq!(first[0].value, json!({"kind": "Pod", "apiVersion": "v1"}));
    assert_eq!(read("a", "kind: List\napiVersion: v1\nitems: []\n").unwrap().len(), 0);
    assert_eq!(read("a", "kind: PodList\napiVersion: v1\nitems: null\n").unwrap().len(), 0);
}

#[test]
fn items_of_a_typed_list_get_its_kind() {
    let expected = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    for text in [
        "kind: PodList\napiVersion: v1\nitems:\n- metadata:\n    name: a\n",
        "items:\n-\n\n  metadata: {name: a}\nkind: PodList\napiVersion: v1\n",
        "{\"kind\": \"PodList\",\n\"apiVersion\": \"v1\", \"items\": [\n\n{\"metadata\": {\"name\": \"a\"}}]}",
    ] {
        let documents = read("a", text).unwrap();
        assert_eq!(documents[0].value, expected, "{text}");
        assert_eq!(documents[0].origin.line("/metadata"), 4, "{text}");
        assert_eq!(documents.len(), 1);
    }
}

#[test]
fn items_outside_of_a_list_are_a_mistake_unless_they_are_only_data() {
    let mistake = failure("a", "items:\n- {kind: Pod, apiVersion: v1}\n\nkind: Foo\n");
    assert_eq!(mistake.line, 4);
    assert!(mistake.message.contains("is not a list"), "{mistake}");
    let data = read("a", "kind: Foo\nitems:\n- {a: 1}\n- 2\n").unwrap();
    assert_eq!(data[0].value, json!({"kind": "Foo", "items": [{"a": 1}, 2]}));
    assert_eq!(data[0].origin.line("/items/0/a"), 3);
    assert_eq!(data[0].origin.line("/items/1"), 4);
    assert_eq!(failure("a", "kind: List\nitems: 3\n").line, 2);
}

#[test]
fn managed_fields_are_dropped() {
    let text = "metadata:\n  managedFields:\n  - manager: kubectl\n  name: a\nmanagedFields: 1\n";
    let documents = read("a", text).unwrap();
    assert_eq!(documents[0].value, json!({"metadata": {"name": "a"}, "managedFields": 1}));
    assert_eq!(documents[0].origin.line("/metadata/name"), 4);
    assert_eq!(documents[0].origin.line("/managedFields"), 5);
}

#[test]
fn aliases_repeat_the_anchored_value_with_its_lines() {
    let documents = read("a", "x: &x\n  cpu: \"1\"\ny: *x\nz: [*x, &s 5, *s]\n").unwrap();
    assert_eq!(documents[0].value, json!({"x": {"cpu": "1"}, "y": {"cpu": "1"}, "z": [{"cpu": "1"}, 5, 5]}));
    for (pointer, line) in [("/y/cpu", 2), ("/z/0/cpu", 2), ("/z/2", 4)] {
        assert_eq!(documents[0].origin.line(pointer), line, "{pointer}");
    }
    let list = read("a", "a: &a {kind: Pod, apiVersion: v1}\nitems: [*a]\nkind: List\n").unwrap();
    assert_eq!(list[0].value, json!({"kind": "Pod", "apiVersion": "v1"}));
    assert_eq!(list.len(), 1);
}

#[test]
fn aliases_that_expand_beyond_the_limit_are_refused() {
    let mut laughs = "l0: &l0 lol\n".to_owned();
    for level in 1..40 {
        let repeated = vec![format!("*l{}", level - 1); 9].join(", ");
        laughs.push_str(&format!("l{level}: &l{level} [{repeated}]\n"));
    }
    let mistake = failure("a", &laughs);
    assert!(mistake.message.contains("expand"), "{mistake}");
    // 9^4 * 64 bytes are 0.4 MB, 9^6 * 64 bytes are 34 MB: the bound is met between the fifth level and the seventh.
    assert!((5..=7).contains(&mistake.line), "{mistake}");
    let long = format!("l: &l {}\nm: [{}*l]\n", "x".repeat(1_000_000), "*l, ".repeat(20));
    assert!(failure("a", &long).message.contains("expand"));
    assert!(failure("a", "a: &a [*a]\n").message.contains("contains it"));
}

#[test]
fn invalid_yaml_or_json_is_refused_with_its_line() {
    for (file, text, line, message) in [
        ("a", "a: 1\nb: [1, 2\nc: 3\n", 3, "not valid YAML"),
        ("a", "a: 1\n\nb: 2\n  c: 3\n", 4, "not valid YAML"),
        ("a", "a: 1\nb: *none\n", 2, "not valid YAML"),
        ("a.json", "{\n\"a\": 1,\n}\n", 3, "not valid JSON"),
        ("a.json", "{\"a\": 1}\n{\"b\": 1e999}\n", 2, "not valid JSON: number out of range"),
        ("a", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", 5, "key `c` occurs for the second time, first on line 3"),
        ("a", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, "key `a` occurs for the second time, first on line 1"),
        ("a", "a: 1\nb: .nan\n", 2, "`.nan` is not a number"),
        ("a", "a: 1\nb: 1e999\n", 2, "`1e999` is not a number"),
        ("a", "a: &a {b: 1}\nc:\n  <<: *a\n", 3, "merge keys"),
        ("a", "a: !own 1\n", 1, "tag `!own`"),
        ("a", "? [a]\n: 1\n", 1, "not a plain text"),
    ] {
        let mistake = failure(file, text);
        assert_eq!(mistake.line, line, "{mistake}");
        assert!(mistake.message.contains(message), "{mistake}");
        assert!(!mistake.remedy.is_empty());
    }
}

#[test]
fn flow_mappings_of_yaml_are_not_taken_for_json() {
    assert_eq!(read("a", "{a: 1, b: [x]}").unwrap()[0].value, json!({"a": 1, "b": ["x"]}));
    assert_eq!(read("a", "\u{feff}{\"a\": 1}").unwrap()[0].value, json!({"a": 1}));
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    for file in ["a", "a.json"] {
        assert!(read(file, &deep(120)).is_ok());
        assert_eq!(failure(file, &deep(130)).line, 1);
    }
    let block = (0..200).map(|level| format!("{}a:\n", " ".repeat(level))).collect::<String>();
    let mistake = failure("a", &block);
    assert_eq!(mistake.line, 129);
    assert!(mistake.message.contains("128 levels"), "{mistake}");
    let long = "x".repeat(builder::MAX_SCALAR + 1);
    assert_eq!(failure("a", &format!("a: 1\nb: {long}\n")).line, 2);
    assert_eq!(failure("a", &format!("{{\"a\":\n\"{long}\"}}")).line, 2);
}

#[test]
fn stops_at_the_first_mistake_of_the_sink() {
    let mut taken = 0;
    let stopped = each("a", "a: 1\n---\nb: 2\n---\nc: 3\n", &mut |document| {
        taken += 1;
        if taken == 2 { Err(document.origin.mistake("/b", "enough", "stop")) } else { Ok(()) }
    });
    assert_eq!(stopped.unwrap_err().to_string(), "a:3: enough; stop");
    assert_eq!(taken, 2);
}

/// A dump that contains every syntax once.
const SAMPLE: &str = "# dump\n--- !!map\napiVersion: &v v1\nkind: List\nitems:\n- apiVersion: *v\n  kind: \"Pod\"\n  metadata: {name: 'a', labels: {x: y}}\n  spec:\n    text: |\n      one\n      two\n    folded: >-\n      three\n    n: [1, -2.5, 0x1F, ~, true]\n---\n{\"json\": [1, {\"a\": null}]}\n";

#[test]
fn the_sample_is_read() {
    let documents = read("a", SAMPLE).unwrap();
    assert_eq!(documents[0].value.pointer("/spec/text"), Some(&json!("one\ntwo\n")));
    assert_eq!(documents[0].value.pointer("/spec/n"), Some(&json!([1, -2.5, 31, null, true])));
    assert_eq!(documents[1].value, json!({"json": [1, {"a": null}]}));
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "[-a:#\\[\\]{}&*!|>'\"%@`,?<0. \t\n~\\\\é]{0,60}") {
        let _ = read("a", &text);
        let _ = read("a.json", &text);
    }

    #[test]
    fn no_damage_breaks_the_reader(at in 0..SAMPLE.len(), cut in 0..6_usize, put in "[-a:\\[\\]{}&*!|>'\"\n ]{0,3}") {
        let text: String = SAMPLE.chars().take(at).chain(put.chars()).chain(SAMPLE.chars().skip(at.saturating_add(cut))).collect();
        if let Err(mistake) = read("a", &text) {
            proptest::prop_assert!(mistake.line > 0 && mistake.line as usize <= text.lines().count().saturating_add(1), "{}", mistake);
        }
    }
}
