use super::super::eligibility::{LabelRequirement, LabelTest, NodeProperties, NodeTerm, VolumeDemand};
use super::needs::on_node;
use super::*;

fn key(claim: &str) -> ClaimKey {
    ("default".to_owned(), claim.to_owned())
}

/// Returns the demands of the claim `c` of a pod `p` on the nodes `a`, `b` and `c`. Each node is in the zone of its name.
fn needs_of(volumes: &Volumes, namespace: &str, made: bool) -> Vec<VolumeDemand> {
    let offers = volumes.offers(&[waiting("c", None, 0)], &zones());
    let own = PodVolumes { claims: vec!["c".to_owned()], ..PodVolumes::default() };
    let own = PodVolumes { ephemeral: own.claims.iter().filter(|_| made).cloned().collect(), ..own };
    let user = ClaimUser { namespace, name: "p", uid: "u", volumes: &own };
    volumes.volume_demands(&user, "c", ClaimDecision { node: None, offer: offers.claims.get(&key("c")) })
}

fn waiting(claim: &str, node: Option<u32>, priority: i32) -> WaitingClaim {
    WaitingClaim { key: key(claim), node, priority, created: 0 }
}

fn terrains() -> [NodeProperties; 3] {
    ["a", "b", "c"].map(|name| NodeProperties {
        name: name.to_owned(),
        labels: BTreeMap::from([("topology.kubernetes.io/zone".to_owned(), name.to_owned())]),
        ..NodeProperties::default()
    })
}

fn zones() -> Vec<(u32, &'static NodeProperties)> {
    static ZONES: std::sync::OnceLock<[NodeProperties; 3]> = std::sync::OnceLock::new();
    (0..).zip(ZONES.get_or_init(terrains)).collect()
}

fn zone(name: &str) -> LabelRequirement {
    let key = "topology.kubernetes.io/zone".to_owned();
    LabelRequirement { key, test: LabelTest::In(BTreeSet::from([name.to_owned()])) }
}

fn term(name: &str) -> NodeTerm {
    NodeTerm { labels: BTreeSet::from([zone(name)]), names: BTreeSet::new() }
}

fn modes(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|mode| (*mode).to_owned()).collect()
}

/// Returns a cluster with this claim `default/c`, a class of each kind and three local volumes.
fn volumes(claim: ClaimFacts) -> Volumes {
    let local = |name: &str, storage| VolumeFacts {
        affinity: Some(BTreeSet::from([term(name)])),
        class: "local".to_owned(),
        modes: modes(&["ReadWriteOnce"]),
        storage,
        ..VolumeFacts::default()
    };
    let bound = VolumeFacts { zones: BTreeSet::from([zone("z")]), ..local("b", 1) };
    let waits = StorageFacts { waits_for_consumer: true, ..StorageFacts::default() };
    let made = StorageFacts { provisions_volumes: true, ..waits.clone() };
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

fn needs(claim: ClaimFacts) -> Vec<VolumeDemand> {
    needs_of(&volumes(claim), "default", false)
}

fn of_class(class: &str) -> ClaimFacts {
    ClaimFacts { class: class.to_owned(), ..ClaimFacts::default() }
}

fn nowhere(case: &'static str) -> Vec<VolumeDemand> {
    vec![VolumeDemand::NoNode { case, claim: "c".to_owned() }]
}

#[test]
fn a_claim_that_cannot_be_used_keeps_its_pod_from_every_node() {
    let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
    assert_eq!(needs(ClaimFacts { is_being_deleted: true, ..bound.clone() }), nowhere("claim-deleted"));
    assert_eq!(needs(ClaimFacts { binding: ClaimBinding::Lost, ..bound.clone() }), nowhere("volume-missing"));
    assert_eq!(needs(ClaimFacts { volume: "gone".to_owned(), ..bound }), nowhere("volume-missing"));
    assert_eq!(needs(of_class("immediate")), nowhere("claim-unbound"));
    assert_eq!(needs(of_class("")), nowhere("claim-unbound"));
    assert_eq!(needs(of_class("unknown")), nowhere("class-missing"));
    assert_eq!(needs_of(&volumes(of_class("made")), "other", false), nowhere("claim-missing"));
}

#[test]
fn a_bound_claim_goes_with_the_affinity_and_the_zone_of_its_volume() {
    let bound = ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() };
    let expected =
        [VolumeDemand::BoundVolume(BTreeSet::from([term("b")])), VolumeDemand::Zones(BTreeSet::from([zone("z")]))];
    assert_eq!(needs(bound), expected);
}

#[test]
fn a_claim_that_waits_goes_where_a_volume_can_be_made() {
    assert_eq!(needs(of_class("made")), []);
    assert_eq!(needs(of_class("zoned")), [VolumeDemand::Volume(BTreeSet::from([term("a"), term("b")]))]);
    let mut zoned = volumes(of_class("zoned"));
    zoned.volumes.get_mut("small").unwrap().class = "zoned".to_owned();
    zoned.volumes.get_mut("small").unwrap().affinity = None;
    assert_eq!(needs_of(&zoned, "default", false), [], "a volume is there for every node");
    let selected = ClaimFacts { selected_node: Some("n1".to_owned()), ..of_class("made") };
    assert_eq!(needs(selected), [VolumeDemand::Volume(BTreeSet::from([on_node("n1")]))]);
}

#[test]
fn a_claim_that_waits_goes_where_a_volume_of_its_class_size_and_mode_is_free() {
    let asks = |storage, mode: &str| ClaimFacts { storage, modes: modes(&[mode]), ..of_class("local") };
    assert_eq!(needs(asks(5, "ReadWriteOnce")), [VolumeDemand::Volume(BTreeSet::from([term("a"), term("b")]))]);
    assert_eq!(needs(asks(6, "ReadWriteOnce")), [VolumeDemand::Volume(BTreeSet::from([term("b")]))]);
    assert_eq!(needs(asks(11, "ReadWriteOnce")), [VolumeDemand::Volume(BTreeSet::new())]);
    assert_eq!(needs(asks(5, "ReadWriteMany")), [VolumeDemand::Volume(BTreeSet::new())]);
    let asked = asks(5, "ReadWriteOnce");
    assert_eq!(needs(ClaimFacts { is_block: true, ..asked.clone() }), [VolumeDemand::Volume(BTreeSet::new())]);
    let selector = Some(BTreeSet::from([zone("a")]));
    assert_eq!(needs(ClaimFacts { selector, ..asked.clone() }), [VolumeDemand::Volume(BTreeSet::new())], "no labels");
    let mut kept = volumes(asked);
    let keep = |volume: &mut VolumeFacts, name: &str| {
        volume.claim = Some(ClaimRef { namespace: "default".to_owned(), name: name.to_owned(), uid: String::new() });
    };
    keep(kept.volumes.get_mut("small").unwrap(), "d");
    keep(kept.volumes.get_mut("large").unwrap(), "c");
    assert_eq!(
        needs_of(&kept, "default", false),
        [VolumeDemand::Volume(BTreeSet::from([term("b")]))],
        "one is kept for another claim, one for this"
    );
}

#[test]
fn uid_and_phase_decide_and_not_the_name() {
    let named =
        |uid: &str| Some(ClaimRef { namespace: "default".to_owned(), name: "c".to_owned(), uid: uid.to_owned() });
    let waits = ClaimFacts { uid: "new".to_owned(), storage: 6, ..of_class("local") };
    let serves = |claim: Option<ClaimRef>, state| {
        let mut volumes = volumes(waits.clone());
        let volume = volumes.volumes.get_mut("large").unwrap();
        (volume.claim, volume.state) = (claim, state);
        needs_of(&volumes, "default", false) != [VolumeDemand::Volume(BTreeSet::new())]
    };
    assert!(serves(None, VolumeState::Available) && serves(named(""), VolumeState::Available));
    assert!(serves(named("new"), VolumeState::Reserved));
    assert!(!serves(named("old"), VolumeState::Available) && !serves(named("old"), VolumeState::Reserved));
    assert!(!serves(named("new"), VolumeState::Unavailable) && !serves(None, VolumeState::Reserved));
    // A claim that only requests a volume is not bound to it. A bound claim is not bound to a volume of another claim.
    let asks = ClaimFacts { volume: "bound".to_owned(), uid: "new".to_owned(), ..of_class("local") };
    assert_eq!(needs(ClaimFacts { binding: ClaimBinding::Pending, ..asks.clone() }), nowhere("claim-unbound"));
    let mut taken = volumes(asks);
    taken.volumes.get_mut("bound").unwrap().claim = named("old");
    assert_eq!(needs_of(&taken, "default", false), nowhere("volume-of-another-claim"));
}

#[test]
fn the_claim_of_an_ephemeral_volume_is_controlled_by_its_pod() {
    let of = |uid: &str| Some(OwnerPod { name: "p".to_owned(), uid: uid.to_owned() });
    let needs = |pod| needs_of(&volumes(ClaimFacts { pod, ..of_class("made") }), "default", true);
    assert_eq!(needs(of("u")), []);
    assert_eq!(needs(of("of a former pod")), nowhere("claim-of-another-pod"));
    assert_eq!(needs(None), nowhere("claim-of-another-pod"));
}

#[test]
fn a_volume_is_made_where_the_driver_has_enough_storage() {
    let mut volumes = volumes(ClaimFacts { storage: 7, ..of_class("zoned") });
    volumes.classes.get_mut("zoned").unwrap().provisioner = "d".to_owned();
    let capacity = |volumes: &mut Volumes, name: &str, nodes, largest| {
        let facts = CapacityFacts { class: "zoned".to_owned(), nodes, largest };
        volumes.set("d", name, Storage::Capacity(facts));
    };
    let within = VolumeDemand::Volume(BTreeSet::from([term("a"), term("b")]));
    capacity(&mut volumes, "a", Some(BTreeSet::from([zone("a")])), Some(7));
    assert_eq!(needs_of(&volumes, "default", false), std::slice::from_ref(&within), "the driver does not report");
    volumes.set("", "d", Storage::Driver(true));
    capacity(&mut volumes, "b", Some(BTreeSet::from([zone("b")])), Some(6));
    capacity(&mut volumes, "c", None, Some(9));
    assert_eq!(needs_of(&volumes, "default", false), [within, VolumeDemand::Capacity(BTreeSet::from([term("a")]))]);
}

/// Returns the number of resources that each claim takes, and the amounts of each node.
fn shared(volumes: &Volumes, claims: &[WaitingClaim]) -> (Vec<usize>, Vec<(u32, Vec<i64>)>) {
    let VolumeOffers { claims, nodes } = volumes.offers(claims, &zones());
    let amounts = nodes.into_iter().map(|(node, amounts)| (node, amounts.into_values().collect()));
    (claims.into_values().map(|offer| offer.requests.len()).collect(), amounts.collect())
}

#[test]
fn volumes_of_one_node_are_counted() {
    // `small` (5) is on a, `large` (10) on b. A claim of 5 may have either, and a claim of 6 only the large one. So the latter takes 1 of both sets.
    let mut volumes = volumes(ClaimFacts { storage: 5, ..of_class("local") });
    let waits = [waiting("c", None, 0), waiting("d", None, 0)];
    assert_eq!(shared(&volumes, &waits[..1]), (vec![1], vec![(0, vec![1]), (1, vec![1])]));
    volumes.claims.insert(key("d"), ClaimFacts { storage: 6, ..of_class("local") });
    assert_eq!(shared(&volumes, &waits), (vec![1, 2], vec![(0, vec![1]), (1, vec![1, 1])]));
    // Two claims with overlapping sets get the union of the sets as well: one claim is limited by zone, the other by size.
    volumes.volumes.get_mut("small").unwrap().labels =
        BTreeMap::from([("topology.kubernetes.io/zone".to_owned(), "a".to_owned())]);
    let third =
        VolumeFacts { labels: volumes.volumes["small"].labels.clone(), storage: 9, ..volumes.volumes["large"].clone() };
    volumes.volumes.insert("third".to_owned(), third);
    volumes.claims.get_mut(&key("c")).unwrap().selector = Some(BTreeSet::from([zone("a")]));
    assert_eq!(shared(&volumes, &waits), (vec![2, 2], vec![(0, vec![1, 1]), (1, vec![1, 2, 2])]));
}

#[test]
fn volumes_that_several_nodes_reach_are_given_where_they_are_not_enough() {
    let mut volumes = volumes(ClaimFacts { storage: 5, ..of_class("local") });
    volumes.volumes.values_mut().for_each(|volume| volume.affinity = None);
    for claim in ["d", "e"] {
        volumes.claims.insert(key(claim), volumes.claims[&key("c")].clone());
    }
    let offered = |waits: &[WaitingClaim]| {
        let offers = volumes.offers(waits, &zones());
        let names =
            |offer: &VolumeOffer| (offer.volumes.iter().cloned().collect::<Vec<_>>().join(" "), offer.is_contested);
        offers.claims.values().map(names).collect::<Vec<_>>()
    };
    let all = || ("large small".to_owned(), false);
    assert_eq!(offered(&[waiting("c", None, 0), waiting("d", None, 0)]), [all(), all()]);
    let (small, large, none) = (("small".to_owned(), false), ("large".to_owned(), false), (String::new(), true));
    let three = [waiting("c", None, 0), waiting("d", None, 9), waiting("e", Some(2), 0)];
    assert_eq!(offered(&three), [none, large, small]);
}

#[test]
fn a_volume_is_counted_for_the_driver_that_attaches_it() {
    let mut volumes = volumes(ClaimFacts { volume: "bound".to_owned(), ..ClaimFacts::default() });
    volumes.volumes.get_mut("bound").unwrap().attached_by = Some(("d".to_owned(), "h".to_owned()));
    assert_eq!(volumes.attached(&key("c")), None, "no node has a limit");
    volumes.set("", "a", Storage::Limits(BTreeMap::from([("d".to_owned(), 3), ("ebs.csi.aws.com".to_owned(), 1)])));
    assert_eq!(volumes.attached(&key("c")), Some(("d".to_owned(), "h".to_owned())));
    volumes.claims.insert(key("c"), of_class("made"));
    assert_eq!(volumes.attached(&key("c")), None, "the class has another provisioner");
    volumes.classes.get_mut("made").unwrap().provisioner = "kubernetes.io/aws-ebs".to_owned();
    assert_eq!(volumes.attached(&key("c")).unwrap().0, "ebs.csi.aws.com");
    assert!(volumes.remove("CSINode", "", "a") && !volumes.has_limits());
}
