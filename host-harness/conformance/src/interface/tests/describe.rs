//! The description of the good policy.

use lictor_contract::*;

/// Returns the description: a system that tries pod by pod, and one with its own cycles.
pub(super) fn description() -> Description {
    use ExtensionPoint::{Act, Enforce, Filter, Permit, PostFilter, PreFilter, QueueOrder, Reserve, Score};
    let pods = system("pods", &[QueueOrder, PreFilter, Filter, PostFilter, Score, Reserve, Permit, Enforce]);
    let cycles = system("cycles", &[Act, Reserve]);
    Description { name: "good".to_owned(), version: "1".to_owned(), systems: vec![pods, cycles] }
}

fn system(name: &str, points: &[ExtensionPoint]) -> SystemInfo {
    let template = |(code, text): (&str, &str)| Template {
        code: format!("good/{code}"),
        case: String::new(),
        text: text.to_owned(),
    };
    let templates = [
        ("few-of-the-middle", "{held} are there[ and {more}]"),
        ("small-at-first", "{requested} are too much"),
        ("not-eligible", "it may not run there"),
        ("no-room", "{requested} do not fit"),
        ("no-way", "nobody can be evicted"),
        ("lower-are-evicted", "pods of lower priority are evicted for {pod}"),
        ("its-pair", "it waits for another"),
        ("over-its-limit", "they hold too much"),
    ];
    SystemInfo {
        name: name.to_owned(),
        about: "a policy of tests".to_owned(),
        extension_points: points.iter().map(|point| (*point).into()).collect(),
        judges_room: true,
        evicts_higher_priority: false,
        schedulers: vec!["default-scheduler".to_owned()],
        interests: Interests {
            labels: vec!["example.com/tier".to_owned()],
            node_labels: vec!["example.com/zone".to_owned()],
            kinds: vec![KindInterest { group: "example.com".to_owned(), kind: "Band".to_owned() }],
            ..Interests::default()
        },
        arguments: vec![Argument {
            name: "limit".to_owned(),
            kind: ArgumentKind::Integer.into(),
            default: "1".to_owned(),
            about: "how much pods of priority 10 may hold".to_owned(),
        }],
        templates: templates.map(template).to_vec(),
    }
}
