//! What is noted of the jobs that could make way, and of the nodes that they would leave.

use std::collections::{BTreeMap, BTreeSet};

use super::elastic_first::is_elastic;
use super::fit::Fit;
use super::{Bundle, VictimSearch};
use crate::contract::{Outcome, Subject};
use crate::engine::Notes;
use crate::engine::room::Lack;
use crate::engine::search::tell::{self, Full};
use crate::model::{Cluster, NodeIx, Place, PodIx, ResourceIx, Trial};

/// Where everybody is who may make way.
pub type Places = BTreeMap<PodIx, Place>;

/// Where everybody of these bundles is; nobody where nothing is noted.
pub fn places(cluster: &Cluster, notes: &Notes, levels: &[Vec<Bundle>]) -> Places {
    if !notes.are_on() {
        return Places::new();
    }
    let pods = levels.iter().flatten().flat_map(|bundle| &bundle.pods);
    pods.filter_map(|ix| Some((*ix, cluster.pod(*ix)?.place))).collect()
}

/// Notes of those of a job whom no law spares singly, that the job cannot go as a whole, and what keeps them then.
pub fn bound_together(cluster: &Cluster, notes: &mut Notes, victim_search: &VictimSearch<'_>, free: &[PodIx]) {
    if !notes.are_on() {
        return;
    }
    for ix in free {
        let Some(pod) = cluster.pod(*ix) else { continue };
        let job = pod.attributes.job.and_then(|job| cluster.job(job));
        match job.and_then(|job| job.elastic()) {
            Some(_) if is_elastic(cluster, *ix) => {}
            Some(_) => {
                let rule = victim_search.rules.order.0;
                notes.unneeded(*ix, &rule, "it would go with its whole job only, and not all of that may go");
            }
            None => {
                if let Some((rule, denial)) = victim_search.barring(cluster, &victim_search.rules.single, *ix) {
                    notes.denial(cluster, Subject::Pod(ix.0), Outcome::Spared, &rule, &denial);
                }
            }
        }
    }
}

/// Notes that the room that is idle, or is being left, is enough.
pub fn nobody(cluster: &Cluster, notes: &mut Notes, victim_search: &VictimSearch<'_>, fit: &Fit) {
    let rule = victim_search.rules.order.0;
    let message = || "there is room, or will be when those that are leaving are gone: nobody is evicted".to_owned();
    notes.note(Subject::Preemptor, Outcome::Chosen, &rule, message);
    notes.planned(cluster, &rule, &fit.placements, &[]);
}

/// Notes of every node what it lacks for a pod of the gang with everybody gone, or that it would do for one.
pub fn nowhere(cluster: &Cluster, notes: &mut Notes, victim_search: &VictimSearch<'_>, levels: &[Vec<Bundle>]) {
    let rule = victim_search.rules.order.0;
    let (needed, preemptor) = (
        cluster.lacking(&victim_search.preemptor.pods),
        victim_search.may.iter().find(|ix| victim_search.preemptor.pods.contains(ix)),
    );
    if let Some((rule, denial)) = victim_search.broken_by_asking(cluster, &needed) {
        notes.denial(cluster, Subject::Preemptor, Outcome::Barred, &rule, &denial);
    }
    let Some(pod) = preemptor.and_then(|ix| cluster.pod(*ix)) else { return };
    let may: BTreeSet<PodIx> = levels.iter().flatten().flat_map(|bundle| bundle.pods.iter().copied()).collect();
    for (ix, node) in cluster.nodes().filter(|(ix, _)| cluster.eligible(pod.shape, *ix)) {
        let (candidates, others): (Vec<PodIx>, Vec<PodIx>) = node.pods.iter().partition(|pod| may.contains(pod));
        let mut room = node.free.clone();
        for candidate in candidates.iter().filter_map(|ix| cluster.pod(*ix)) {
            room.add(&candidate.request);
        }
        if room.lacks(&pod.request).is_some() {
            let barring = |ix: PodIx| Some((ix, victim_search.barring(cluster, &victim_search.rules.guards, ix)?));
            let barred = others.into_iter().filter_map(barring).map(|(ix, (rule, denial))| (ix, rule, denial));
            let full = Full { node: ix, candidates: &candidates, room: &room, request: &pod.request };
            tell::full(cluster, notes, &rule, &full, barred.collect());
            continue;
        }
        let message = || format!("for one pod: {}", tell::make_way(cluster, &candidates, "would make way"));
        notes.note(Subject::Node(ix.0), Outcome::Enough, &rule, message);
        for ix in candidates {
            notes.unneeded(ix, &rule, "not every pod of the gang would have a node");
        }
    }
}

/// Notes why each victim is needed, in a trial where they have gone and the gang has its nodes; and that the others are not.
pub fn found(trial: &mut Trial<'_>, notes: &mut Notes, victim_search: &VictimSearch<'_>, fit: &Fit, places: &Places) {
    let rule = victim_search.rules.order.0;
    for (level, victims) in fit.victims.iter().enumerate() {
        for ix in victims {
            let Some(place) = places.get(ix) else { continue };
            let before = trial.mark();
            trial.put(*ix, *place);
            let lack = place.node().and_then(|node| crowded(trial.cluster(), fit, node));
            let broken =
                victim_search.broken(trial.cluster(), &fit.placements.iter().map(|(ix, _)| *ix).collect::<Vec<_>>());
            let cluster = trial.cluster();
            let subject = Subject::Pod(ix.0);
            match (lack, broken) {
                (Some(lack), _) => {
                    let message = || format!("with it back, {}", lack.sentence(cluster));
                    notes.note(subject, Outcome::Needed, &rule, message);
                }
                (None, Some((rule, denial))) => {
                    let message = || format!("with it back, {}", denial.sentence(cluster));
                    notes.note(subject, Outcome::Needed, &rule, message);
                }
                (None, None) => {
                    let message = || match level {
                        0 => "its job shrinks to the next of its legal sizes".to_owned(),
                        _ => "its gang makes way as a whole".to_owned(),
                    };
                    notes.note(subject, Outcome::Chosen, &rule, message);
                }
            }
            trial.rewind(before);
        }
    }
    let victims: Vec<(PodIx, NodeIx)> =
        fit.victims.iter().flatten().filter_map(|ix| Some((*ix, places.get(ix)?.node()?))).collect();
    notes.planned(trial.cluster(), &rule, &fit.placements, &victims);
    for ix in places.keys().filter(|ix| victims.iter().all(|(victim, _)| victim != *ix)) {
        notes.unneeded(*ix, &rule, "others are enough");
    }
}

/// What the pods of the gang lack on a node.
fn crowded(cluster: &Cluster, fit: &Fit, at: NodeIx) -> Option<Lack> {
    let node = cluster.node(at)?;
    let here: Vec<PodIx> = fit.placements.iter().filter(|(_, node)| *node == at).map(|(ix, _)| *ix).collect();
    let of = |resource: ResourceIx| {
        let pods = here.iter().filter_map(|ix| cluster.pod(*ix));
        pods.fold(0, |sum: i64, pod| sum.saturating_add(pod.request.get(resource)))
    };
    let resources: BTreeSet<ResourceIx> =
        here.iter().filter_map(|ix| cluster.pod(*ix)).flat_map(|pod| pod.request.iter().map(|(r, _)| r)).collect();
    Lack::among(resources.into_iter().map(|resource| {
        let asked = of(resource);
        (resource, asked, node.free.get(resource).saturating_add(asked))
    }))
}
