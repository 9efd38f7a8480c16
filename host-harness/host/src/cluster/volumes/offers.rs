//! The volumes that are there for claims that wait for their first pod, so that no volume is promised to two of them.
//!
//! A volume of one node is counted like a resource of the node: a claim takes one of the volumes that serve it. By Hall's theorem all
//! claims of a node have a volume each if and only if no set of volumes has more claims that need one of the set than it has volumes.
//! It is enough to look at the sets that claims can choose from and at the unions of those that overlap: each becomes a resource.
//! Volumes that several nodes reach are no resource of a node. Where they are not enough for all claims, each claim is given one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::NodeId;

use super::{ClaimFacts, ClaimKey, VolumeFacts, VolumeState, Volumes};
use crate::cluster::eligibility::NodeProperties;
use crate::cluster::object::ResourceAmounts;

/// The maximum number of sets for one storage class. Beyond, each claim is given a volume.
const MAX_SETS: usize = 64;

/// A claim that waits for its first pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WaitingClaim {
    pub(crate) key: ClaimKey,
    /// The node of the first of its pods that has one.
    pub(crate) node: Option<NodeId>,
    /// The highest priority of the pods of the claim.
    pub(crate) priority: i32,
    /// The creation time of the oldest pod of the claim, in nanoseconds since 1970.
    pub(crate) created: i64,
}

/// The volumes that are available to a waiting claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VolumeOffer {
    /// The volumes, by name.
    pub(crate) volumes: BTreeSet<String>,
    /// The resources of the node of which the claim takes 1 each.
    pub(crate) requests: BTreeSet<String>,
    /// Whether other claims were given all volumes that serve this claim.
    pub(crate) is_contested: bool,
}

/// The offers to all waiting claims, and the resources of nodes that stand for the available volumes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct VolumeOffers {
    pub(crate) claims: BTreeMap<ClaimKey, VolumeOffer>,
    pub(crate) nodes: BTreeMap<NodeId, ResourceAmounts>,
}

/// A set of free volumes, by their indices in the list of all.
type VolumeSet = BTreeSet<usize>;

/// A free volume and the nodes that reach it.
struct FreeVolume<'a> {
    name: &'a String,
    facts: &'a VolumeFacts,
    reach: BTreeSet<NodeId>,
}

/// A waiting claim and the free volumes that serve it.
struct ClaimVolumes<'a> {
    waiting: &'a WaitingClaim,
    claim: &'a ClaimFacts,
    set: VolumeSet,
}

impl Volumes {
    /// Computes the offers to these claims on these nodes.
    pub(crate) fn offers(&self, waiting: &[WaitingClaim], nodes: &[(NodeId, &NodeProperties)]) -> VolumeOffers {
        let mut offers = VolumeOffers::default();
        let mut by_class: BTreeMap<&str, Vec<(&WaitingClaim, &ClaimFacts)>> = BTreeMap::new();
        for one in waiting {
            let Some((claim, _)) = self.waiting_class(&one.key) else { continue };
            let kept = self.reserved_for(&one.key, claim);
            if kept.is_empty() {
                by_class.entry(&claim.class).or_default().push((one, claim));
            } else {
                offers.claims.insert(one.key.clone(), VolumeOffer { volumes: kept, ..VolumeOffer::default() });
            }
        }
        for (class, claims) in by_class {
            let makes = self.classes.get(class).is_some_and(|facts| facts.provisions_volumes);
            let free = self.free(class, if makes { &[] } else { nodes });
            let choices: Vec<ClaimVolumes<'_>> =
                claims.into_iter().map(|(waiting, claim)| choice(waiting, claim, &free)).collect();
            match makes {
                true => offer_unshared(&choices, &free, &mut offers),
                false => offer_shared(class, &choices, &free, &mut offers),
            }
        }
        offers
    }

    /// Returns the volumes that are kept for a claim by their `spec.claimRef`.
    fn reserved_for(&self, key: &ClaimKey, claim: &ClaimFacts) -> BTreeSet<String> {
        let is_kept = |volume: &VolumeFacts| volume.claim.is_some() && volume.serves(key, claim);
        self.volumes.iter().filter(|(_, volume)| is_kept(volume)).map(|(name, _)| name.clone()).collect()
    }

    /// Returns the volumes of a class that any claim may have.
    fn free(&self, class: &str, nodes: &[(NodeId, &NodeProperties)]) -> Vec<FreeVolume<'_>> {
        let is_free = |volume: &VolumeFacts| {
            volume.class == class && volume.claim.is_none() && volume.state == VolumeState::Available
        };
        let reach = |volume: &VolumeFacts| {
            let holds = |node: &NodeProperties| {
                let one_holds = |terms: &BTreeSet<_>| {
                    terms
                        .iter()
                        .any(|term: &super::super::eligibility::NodeTerm| term.matches(&node.name, &node.labels))
                };
                volume.affinity.as_ref().is_none_or(one_holds)
            };
            nodes.iter().filter(|(_, node)| holds(node)).map(|(id, _)| *id).collect()
        };
        let free = self.volumes.iter().filter(|(_, facts)| is_free(facts));
        free.map(|(name, facts)| FreeVolume { name, facts, reach: reach(facts) }).collect()
    }
}

/// Computes the free volumes that serve a claim.
fn choice<'a>(waiting: &'a WaitingClaim, claim: &'a ClaimFacts, free: &[FreeVolume<'_>]) -> ClaimVolumes<'a> {
    let serving = (0..).zip(free).filter(|(_, free)| free.facts.serves(&waiting.key, claim));
    ClaimVolumes { waiting, claim, set: serving.map(|(at, _)| at).collect() }
}

/// Offers volumes of a class that provisions more on demand. Each claim is offered the volumes that serve no other claim.
fn offer_unshared(choices: &[ClaimVolumes<'_>], free: &[FreeVolume<'_>], offers: &mut VolumeOffers) {
    let mut served = BTreeMap::<usize, usize>::new();
    for at in choices.iter().flat_map(|choice| &choice.set) {
        let claims = served.entry(*at).or_default();
        *claims = claims.saturating_add(1);
    }
    for choice in choices {
        let own = choice.set.iter().filter(|at| served.get(at) == Some(&1));
        let volumes = own.filter_map(|at| free.get(*at)).map(|free| free.name.clone()).collect();
        offers.claims.insert(choice.waiting.key.clone(), VolumeOffer { volumes, ..VolumeOffer::default() });
    }
}

/// Offers volumes of a class that provisions none.
fn offer_shared(class: &str, choices: &[ClaimVolumes<'_>], free: &[FreeVolume<'_>], offers: &mut VolumeOffers) {
    let used: VolumeSet = choices.iter().flat_map(|choice| choice.set.iter().copied()).collect();
    let is_of_one_node = used.iter().filter_map(|at| free.get(*at)).all(|free| free.reach.len() <= 1);
    let sets = choices.iter().map(|choice| choice.set.clone()).filter(|set| !set.is_empty()).collect();
    match close_under_union(sets).filter(|_| is_of_one_node) {
        Some(sets) => count(class, choices, free, &sets, offers),
        None if suffices_for_all(choices, free) => {
            for choice in choices {
                let volumes = names(&choice.set, free);
                offers.claims.insert(choice.waiting.key.clone(), VolumeOffer { volumes, ..VolumeOffer::default() });
            }
        }
        None => assign_each(choices, free, offers),
    }
}

/// Adds the unions of sets that overlap, until no union is new. `None`: there are more than [`MAX_SETS`] new sets.
fn close_under_union(mut sets: BTreeSet<VolumeSet>) -> Option<BTreeSet<VolumeSet>> {
    let most = sets.len().saturating_add(MAX_SETS);
    loop {
        let overlaps = |one: &VolumeSet, other: &VolumeSet| {
            !one.is_disjoint(other) && !one.is_subset(other) && !other.is_subset(one)
        };
        let pairs = sets.iter().flat_map(|one| sets.iter().map(move |other| (one, other)));
        let unions = pairs.filter(|(one, other)| one < other && overlaps(one, other)).map(|(one, other)| one | other);
        let new: BTreeSet<VolumeSet> = unions.filter(|union| !sets.contains(union)).take(MAX_SETS).collect();
        if new.is_empty() {
            return Some(sets);
        }
        sets.extend(new);
        if sets.len() > most {
            return None;
        }
    }
}

/// Makes a resource of each set. A node has as many units as volumes of the set that it reaches. A claim that needs a volume of the set takes 1.
fn count(
    class: &str,
    choices: &[ClaimVolumes<'_>],
    free: &[FreeVolume<'_>],
    sets: &BTreeSet<VolumeSet>,
    offers: &mut VolumeOffers,
) {
    for choice in choices {
        let takes = sets.iter().filter(|set| !choice.set.is_empty() && choice.set.is_subset(set));
        let offer = VolumeOffer {
            volumes: names(&choice.set, free),
            requests: takes.map(|set| resource(class, set, choices)).collect(),
            is_contested: false,
        };
        offers.claims.insert(choice.waiting.key.clone(), offer);
    }
    for set in sets {
        let name = resource(class, set, choices);
        for node in set.iter().filter_map(|at| free.get(*at)).flat_map(|free| &free.reach) {
            let amount = offers.nodes.entry(*node).or_default().entry(name.clone()).or_default();
            *amount = amount.saturating_add(1);
        }
    }
}

/// Returns the name of the resource of a set. The name lists the labels of the claims that choose from the whole set, or from the largest parts of
/// it.
fn resource(class: &str, set: &VolumeSet, choices: &[ClaimVolumes<'_>]) -> String {
    let within: BTreeSet<&VolumeSet> =
        choices.iter().map(|choice| &choice.set).filter(|own| own.is_subset(set)).collect();
    let is_part =
        |own: &&&VolumeSet| !own.is_empty() && !within.iter().any(|other| other != *own && own.is_subset(other));
    let label =
        |own: &&VolumeSet| choices.iter().filter(|choice| choice.set == **own).map(|choice| label(choice.claim)).min();
    let labels: BTreeSet<String> = within.iter().filter(is_part).filter_map(label).collect();
    let labels: Vec<String> = labels.into_iter().collect();
    format!("volume/free/{class}/{}", labels.join("+"))
}

/// Returns a text of the demands of a claim on its volume: bytes, access modes, block mode and selector.
fn label(claim: &ClaimFacts) -> String {
    let modes: Vec<&str> = claim.modes.iter().map(String::as_str).collect();
    let block = if claim.is_block { "-block" } else { "" };
    let selector = claim.selector.as_ref().map(|selector| format!("-{selector:?}")).unwrap_or_default();
    format!("{}-{}{block}{selector}", claim.storage, modes.join("-"))
}

/// Returns whether every claim finds a volume, whatever nodes the claims need. Each node that reaches a volume of a claim must reach as many of them
/// as there are claims.
fn suffices_for_all(choices: &[ClaimVolumes<'_>], free: &[FreeVolume<'_>]) -> bool {
    choices.iter().all(|choice| {
        let mut reached = BTreeMap::<NodeId, usize>::new();
        for node in choice.set.iter().filter_map(|at| free.get(*at)).flat_map(|free| &free.reach) {
            let volumes = reached.entry(*node).or_default();
            *volumes = volumes.saturating_add(1);
        }
        reached.values().all(|volumes| *volumes >= choices.len())
    })
}

/// Gives each claim one volume, the smallest that serves it. Claims whose pods have nodes come first, then those of the highest priority, then the
/// oldest.
fn assign_each(choices: &[ClaimVolumes<'_>], free: &[FreeVolume<'_>], offers: &mut VolumeOffers) {
    let mut ordered: Vec<&ClaimVolumes<'_>> = choices.iter().collect();
    ordered.sort_by_key(|choice| {
        let WaitingClaim { key, node, priority, created } = choice.waiting;
        (node.is_none(), Reverse(*priority), *created, key)
    });
    let mut given = VolumeSet::new();
    for choice in ordered {
        let can = |at: &&usize| {
            let is_there = |node: NodeId| free.get(**at).is_some_and(|free| free.reach.contains(&node));
            !given.contains(at) && choice.waiting.node.is_none_or(is_there)
        };
        let smallest =
            choice.set.iter().filter(can).min_by_key(|at| free.get(**at).map(|free| free.facts.storage)).copied();
        given.extend(smallest);
        let volumes = names(&smallest.into_iter().collect(), free);
        let is_contested = smallest.is_none() && !choice.set.is_empty();
        offers
            .claims
            .insert(choice.waiting.key.clone(), VolumeOffer { volumes, is_contested, ..VolumeOffer::default() });
    }
}

/// Returns the names of the volumes of a set.
fn names(set: &VolumeSet, free: &[FreeVolume<'_>]) -> BTreeSet<String> {
    set.iter().filter_map(|at| free.get(*at)).map(|free| free.name.clone()).collect()
}
