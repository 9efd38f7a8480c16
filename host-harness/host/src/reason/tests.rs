use lictor_contract::Template;
use serde_json::json;

use super::*;

fn templates() -> MessageTemplates {
    let template = |(code, case, text): (&str, &str, &str)| Template {
        code: code.to_owned(),
        case: case.to_owned(),
        text: text.to_owned(),
    };
    MessageTemplates::new(
        [
            ("node/has-room", "", "<Insufficient {resource} (requested {~requested}, free {~free})>"),
            (
                "team/max",
                "",
                "quota `{queue}`<, {resource}: used {used}[ + promised {promised}] is more than max {max}>",
            ),
            ("back", "", "with this pod back"),
            ("wait", "", "pending for {waited}[, and {others} {others:other|others}]"),
        ]
        .map(template),
    )
}

fn amounts(name: &str, amounts: &[(&str, i64)]) -> NamedFact {
    let amounts = amounts.iter().map(|(resource, n)| ((*resource).to_owned(), (*n).into())).collect();
    NamedFact { name: name.to_owned(), value: NamedFactValue::Amounts(amounts) }
}

fn room(requested: i64, free: i64) -> NamedReason {
    templates().render(
        "node/has-room",
        "",
        vec![amounts("requested", &[("cpu", requested)]), amounts("free", &[("cpu", free)])],
    )
}

#[test]
fn what_is_in_angle_brackets_is_said_of_each_resource() {
    let facts = vec![
        amounts("requested", &[("cpu", 4000), ("memory", 8 << 30)]),
        amounts("free", &[("cpu", 1500), ("memory", 0)]),
    ];
    assert_eq!(
        templates().render("node/has-room", "", facts).message,
        "Insufficient cpu (requested 4, free 1.5), Insufficient memory (requested 8Gi, free 0)"
    );
}

#[test]
fn what_is_in_square_brackets_is_said_where_its_facts_are_there() {
    let facts = |promised: Option<i64>| {
        let mut facts =
            vec![NamedFact::name("queue", "a"), amounts("used", &[("cpu", 9000)]), amounts("max", &[("cpu", 8000)])];
        facts.extend(promised.map(|n| amounts("promised", &[("cpu", n)])));
        templates().render("team/max", "", facts).message
    };
    assert_eq!(facts(None), "quota `a`, cpu: used 9 is more than max 8");
    assert_eq!(facts(Some(1500)), "quota `a`, cpu: used 9 + promised 1500m is more than max 8");
    let waited = NamedFact { name: "waited".to_owned(), value: NamedFactValue::Duration(90_000_000_000.into()) };
    assert_eq!(templates().render("wait", "", vec![waited.clone()]).message, "pending for 1m 30s");
    let others = vec![waited.clone(), NamedFact::count("others", 2)];
    assert_eq!(templates().render("wait", "", others).message, "pending for 1m 30s, and 2 others");
    let other = vec![waited, NamedFact::count("others", 1)];
    assert_eq!(templates().render("wait", "", other).message, "pending for 1m 30s, and 1 other");
}

#[test]
fn a_context_stands_in_front() {
    let mut facts = room(2000, 0).facts;
    facts.push(NamedFact::name("context", "back"));
    let said = templates().render("node/has-room", "", facts).message;
    assert_eq!(said, "with this pod back: Insufficient cpu (requested 2, free 0)");
}

#[test]
fn a_reason_without_a_template_lists_its_facts() {
    let facts = vec![NamedFact::count("victims", 2), amounts("free", &[("cpu", 500)])];
    assert_eq!(templates().render("other", "", facts).message, "victims 2; free cpu 500m");
    assert_eq!(templates().render("other", "closed", Vec::new()).message, "closed");
    assert_eq!(templates().render("other", "", vec![NamedFact::name("text", "a sentence")]).message, "a sentence");
}

#[test]
fn numbers_that_differ_become_the_least_and_the_most() {
    let reasons = [room(8000, 1500), room(8000, -2000), room(8000, 4000)];
    let folded = fold(&reasons);
    assert_eq!(folded.message, "Insufficient cpu (requested 8, free -2 to 4)");
    assert_eq!(
        serde_json::to_value(&folded).unwrap(),
        json!({
            "law": "node/has-room", "code": "node/has-room",
            "message": "Insufficient cpu (requested 8, free -2 to 4)",
            "facts": {"requested": {"cpu": "8"}, "free": {"cpu": {"least": "-2", "most": "4"}}},
        })
    );
    let other = templates().render(
        "node/has-room",
        "",
        vec![amounts("requested", &[("gpu", 8)]), amounts("free", &[("gpu", 4)])],
    );
    assert_ne!(other.fold_key(), folded.fold_key(), "another resource is another reason");
    assert_eq!(room(1, 2).fold_key(), room(3, 4).fold_key());
}

#[test]
fn what_is_no_template_is_shown_as_it_is() {
    for text in ["a [ b", "a < b", "a { b", ""] {
        assert_eq!(
            MessageTemplates::new([Template { code: "c".to_owned(), case: String::new(), text: text.to_owned() }])
                .render("c", "", vec![NamedFact::count("n", 1)])
                .message,
            text
        );
    }
}
