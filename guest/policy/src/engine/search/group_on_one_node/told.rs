//! What is noted of the nodes from which a group could go, and of those from which none can.

use super::{Offer, Quest, Site, case, offer};
use crate::contract::{Outcome, Subject};
use crate::engine::room::Lack;
use crate::engine::search::tell::{Full, make_way};
use crate::laws::{Breach, Gate, Group, Rule};
use crate::model::{Amounts, Cluster, Overflow, PodIx, Request};

/// Notes why each of the group is needed and why the others are not, and of the nodes that were not chosen whether they would have
/// done.
pub(super) fn found(
    cluster: &Cluster,
    quest: &mut Quest<'_>,
    group: &Group,
    (request, sites): (&Request, &[Site]),
    best: &Offer,
) -> Result<(), Overflow> {
    let rule = quest.laws.node_choice.rule;
    for site in sites {
        let there: Vec<PodIx> = site.candidates.iter().map(|(ix, _)| *ix).collect();
        if site.node == best.node {
            victims(cluster, quest, (request, site), &best.victims)?;
            quest.tell_unneeded(&others(&there, &best.victims), "others are enough");
            continue;
        }
        let mut other = None;
        for reasons in 0..4 {
            other = match other {
                None => offer(cluster, quest, group, request, site, reasons)?.map(|offer| (offer, reasons)),
                found => found,
            };
        }
        let Some((other, reasons)) = other else {
            unfit(cluster, quest, group, request, site)?;
            continue;
        };
        let spare = if reasons == 0 { "" } else { ", some of which are to be spared where others do" };
        let message = || format!("{}{spare}", make_way(cluster, &other.victims, "would make way"));
        quest.notes.note(Subject::Node(site.node.0), Outcome::Enough, &rule, message);
        quest.tell_unneeded(&there, "nothing was planned onto its node");
    }
    Ok(())
}

fn others(there: &[PodIx], victims: &[PodIx]) -> Vec<PodIx> {
    there.iter().copied().filter(|ix| !victims.contains(ix)).collect()
}

/// Notes what would be missing with each of the group back.
fn victims(
    cluster: &Cluster,
    quest: &mut Quest<'_>,
    (request, site): (&Request, &Site),
    victims: &[PodIx],
) -> Result<(), Overflow> {
    for ix in victims {
        let without = others(victims, &[*ix]);
        let room = emptied(cluster, site, &without)?;
        let (rule, message) = match Lack::of(&room, request) {
            Some(lack) => (quest.laws.node_choice.rule, lack.sentence(cluster)),
            None => match broken(cluster, quest, &quest.laws.limits, &without) {
                Some((rule, breach)) => (rule, breach.sentence(cluster)),
                None => continue,
            },
        };
        quest.notes.note(Subject::Pod(ix.0), Outcome::Needed, &rule, || format!("with it back, {message}"));
    }
    Ok(())
}

/// Notes why no group of a node would do: too little room, a limit, or a floor.
pub(super) fn unfit(
    cluster: &Cluster,
    quest: &mut Quest<'_>,
    group: &Group,
    request: &Request,
    site: &Site,
) -> Result<(), Overflow> {
    let there: Vec<PodIx> = site.candidates.iter().map(|(ix, _)| *ix).collect();
    let room = emptied(cluster, site, &there)?;
    if room.lacks(request).is_some() {
        return quest.tell_full(cluster, &Full { node: site.node, candidates: &there, room: &room, request });
    }
    let subject = Subject::Node(site.node.0);
    let limit = broken(cluster, quest, &quest.laws.limits, &there);
    if let Some((rule, breach)) = limit {
        let message = || format!("even with all gone that may make way there, {}", breach.sentence(cluster));
        quest.notes.note(subject, Outcome::Barred, &rule, message);
    } else if let Some((rule, breach)) = broken(cluster, quest, &group.floors, &there) {
        let message = || format!("with fewer gone it has too little room, with more {}", breach.sentence(cluster));
        quest.notes.note(subject, Outcome::Barred, &rule, message);
    }
    quest.tell_unneeded(&there, "it would not be enough on its node");
    Ok(())
}

fn emptied(cluster: &Cluster, site: &Site, gone: &[PodIx]) -> Result<Amounts, Overflow> {
    let mut room = site.room.clone();
    for pod in gone.iter().filter_map(|ix| cluster.pod(*ix)) {
        room.add(&pod.request)?;
    }
    Ok(room)
}

fn broken(cluster: &Cluster, quest: &Quest<'_>, gates: &[Gate], gone: &[PodIx]) -> Option<(Rule, Breach)> {
    let case = case(cluster, quest, gone);
    gates.iter().find_map(|gate| Some((gate.rule, (gate.holds)(&case).err()?)))
}
