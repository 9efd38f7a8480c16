use super::super::eligibility::LabelTest;
use super::*;

fn zone(name: &str) -> Requirement {
    let key = "topology.kubernetes.io/zone".to_owned();
    Requirement { key, test: LabelTest::In(BTreeSet::from([name.to_owned()])) }
}

fn term(name: &str) -> Term {
    Term { labels: BTreeSet::from([zone(name)]), names: BTreeSet::new() }
}

fn modes(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|mode| (*mode).to_owned()).collect()
}

/// A cluster of this claim of `default`, named `c`, with a class of each kind and two local volumes.
fn volumes(claim: ClaimFacts) -> Volumes {
    let local = |name: &str, storage| VolumeFacts {
        affinity: Some(BTreeSet::from([term(name)])),
        class: "local".to_owned(),
        modes: modes(&["ReadWriteOnce"]),
        storage,
        is_available: true,
        ..VolumeFacts::default()
    };
    let bound = VolumeFacts { zones: BTreeSet::from([zone("z")]), ..local("b", 1) };
    let waits = StorageFacts { waits: true, ..StorageFacts::default() };
    let made = StorageFacts { makes_volumes: true, ..waits.clone() };
    let zoned = StorageFacts { topologies: BTreeSet::from([term("a"), term("b")]), ..made.clone() };
    let classes = [("local", waits), ("made", made), ("zoned", zoned), ("immediate", StorageFacts::default())];
    Volumes {
        claims: BTreeMap::from([(("default".to_owned(), "c".to_owned()), claim)]),
        volumes: [("small", local("a", 5)), ("large", local("b", 10)), ("bound", bound)]
            .map(|(name, volume)| (name.to_owned(), volume))
            .into(),
        classes: classes.map(|(name, class)| (name.to_owned(), class)).into(),
        ..Volumes::default()
    }
}

fn needs(claim: ClaimFacts) -> Vec<Need> {
    volumes(claim).needs("default", &["c".to_owned()]).into_iter().collect()
}

fn of_class(class: &str) -> ClaimFacts {
    ClaimFacts { class: class.to_owned(), ..ClaimFacts::default() }
}

fn nowhere(case: &'static str) -> Vec<Need> {
    vec![Need::Nowhere { case, claim: "c".to_owned() }]
}

#[test]
fn a_claim_that_cannot_be_used_keeps_its_pod_from_every_node() {
    let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
    assert_eq!(needs(ClaimFacts { is_being_deleted: true, ..bound.clone() }), nowhere("claim-deleted"));
    assert_eq!(needs(ClaimFacts { is_lost: true, ..bound.clone() }), nowhere("volume-missing"));
    assert_eq!(needs(ClaimFacts { volume: "gone".to_owned(), ..bound }), nowhere("volume-missing"));
    assert_eq!(needs(of_class("immediate")), nowhere("claim-unbound"));
    assert_eq!(needs(of_class("")), nowhere("claim-unbound"));
    assert_eq!(needs(of_class("unknown")), nowhere("class-missing"));
    let other = volumes(of_class("made")).needs("other", &["c".to_owned()]);
    assert_eq!(Vec::from_iter(other), nowhere("claim-missing"));
}

#[test]
fn a_bound_claim_goes_with_the_affinity_and_the_zone_of_its_volume() {
    let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
    let expected = [Need::BoundVolume(BTreeSet::from([term("b")])), Need::Zones(BTreeSet::from([zone("z")]))];
    assert_eq!(needs(bound), expected);
}

#[test]
fn a_claim_that_waits_goes_where_a_volume_can_be_made() {
    assert_eq!(needs(of_class("made")), []);
    assert_eq!(needs(of_class("zoned")), [Need::Volume(BTreeSet::from([term("a"), term("b")]))]);
    let mut zoned = volumes(of_class("zoned"));
    zoned.volumes.get_mut("small").unwrap().class = "zoned".to_owned();
    zoned.volumes.get_mut("small").unwrap().affinity = None;
    assert_eq!(Vec::from_iter(zoned.needs("default", &["c".to_owned()])), [], "a volume is there for every node");
    let selected = ClaimFacts { selected_node: Some("n1".to_owned()), ..of_class("made") };
    assert_eq!(needs(selected), [Need::Volume(BTreeSet::from([on_node("n1")]))]);
}

#[test]
fn a_claim_that_waits_goes_where_a_volume_of_its_class_size_and_mode_is_free() {
    let asks = |storage, mode: &str| ClaimFacts { storage, modes: modes(&[mode]), ..of_class("local") };
    assert_eq!(needs(asks(5, "ReadWriteOnce")), [Need::Volume(BTreeSet::from([term("a"), term("b")]))]);
    assert_eq!(needs(asks(6, "ReadWriteOnce")), [Need::Volume(BTreeSet::from([term("b")]))]);
    assert_eq!(needs(asks(11, "ReadWriteOnce")), [Need::Volume(BTreeSet::new())]);
    assert_eq!(needs(asks(5, "ReadWriteMany")), [Need::Volume(BTreeSet::new())]);
    let asked = asks(5, "ReadWriteOnce");
    assert_eq!(needs(ClaimFacts { is_block: true, ..asked.clone() }), [Need::Volume(BTreeSet::new())]);
    let selector = Some(BTreeSet::from([zone("a")]));
    assert_eq!(needs(ClaimFacts { selector, ..asked.clone() }), [Need::Volume(BTreeSet::new())], "no labels");
    let mut kept = volumes(asked);
    let keep = |volume: &mut VolumeFacts, name: &str| volume.claim = Some(("default".to_owned(), name.to_owned()));
    keep(kept.volumes.get_mut("small").unwrap(), "d");
    keep(kept.volumes.get_mut("large").unwrap(), "c");
    let needs: Vec<Need> = kept.needs("default", &["c".to_owned()]).into_iter().collect();
    assert_eq!(needs, [Need::Volume(BTreeSet::from([term("b")]))], "one is kept for another claim, one for this");
}
