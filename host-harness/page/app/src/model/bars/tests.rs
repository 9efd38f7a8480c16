use super::*;

fn account(name: &str, parent: Option<&str>, used: &str, bounds: &[(&str, &str)]) -> Account {
    let bounds = bounds.iter().map(|(name, bound)| ((*name).to_owned(), (*bound).to_owned())).collect();
    let amounts = AccountResourceView {
        resource: "cpu".to_owned(),
        used_before: "1".to_owned(),
        used_after: used.to_owned(),
        promised: "2".to_owned(),
        pending: "0".to_owned(),
        bounds,
    };
    Account {
        kind: "quota".to_owned(),
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        resources: vec![amounts],
    }
}

#[test]
fn queues_stand_below_their_parents() {
    let bounds = [("max", "4")];
    let accounts = [
        account("b", Some("root"), "1", &bounds),
        account("root", None, "1", &bounds),
        account("a", Some("root"), "1", &bounds),
        account("aa", Some("a"), "1", &bounds),
        account("lost", Some("nowhere"), "1", &bounds),
    ];
    let shown: Vec<(String, usize)> = queues(&accounts).into_iter().map(|queue| (queue.name, queue.depth)).collect();
    let expected = [("lost", 0), ("root", 0), ("a", 1), ("aa", 2), ("b", 1)];
    assert_eq!(shown, expected.map(|(name, depth)| (name.to_owned(), depth)));
}

#[test]
fn a_bar_is_as_long_as_the_largest_in_it() {
    let shown = queues(&[account("q", None, "4", &[("min", "2"), ("max", "8")])]);
    let bar = &shown[0].bars[0];
    assert_eq!((bar.used, bar.promised, bar.grows), (0.5, 0.25, true));
    let at: Vec<(&str, f64)> = bar.bounds.iter().map(|bound| (bound.name.as_str(), bound.at)).collect();
    assert_eq!(at, [("min", 0.25), ("max", 1.0)]);
    assert_eq!(bar.label, "cpu: used 4, before 1, promised 2, max 8, min 2");
    // The used 12 and the promised 2 are more than the maximum.
    let over = queues(&[account("q", None, "12", &[("max", "7")])]);
    assert_eq!(over[0].bars[0].bounds[0].at, 0.5);
}

#[test]
fn what_has_no_limit_has_no_bar() {
    assert!(queues(&[account("q", None, "4", &[("max", "2000000000000000000")])]).is_empty());
}
