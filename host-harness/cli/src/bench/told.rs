//! A cluster as it is read, and as a policy is told it.

use std::collections::BTreeSet;
use std::time::Instant;

use lictor_conformance::shape::Shape;
use lictor_contract::{Event, ExtensionPoint, Interests, PodId, SystemInfo};
use lictor_host::cluster::load::{each_item, read};
use lictor_host::cluster::{Mirror, Object};
use lictor_host::policy::{CallError, Policy};

use super::super::failure::Failure;
use super::super::progress::Progress;
use super::figures::{Operation, repeat};
use crate::Native;

/// A larger cluster is not read from text: the text alone would fill the memory.
const LARGEST_TEXT: usize = 200_000;

/// The time of a cycle, in nanoseconds since 1970: a month after all that waits has come.
pub(super) const NOW: i64 = 1_772_323_200_000_000_000;

/// A cluster as a policy is told it.
pub(super) struct Told {
    pub(super) system: SystemInfo,
    pub(super) points: BTreeSet<ExtensionPoint>,
    pub(super) objects: Vec<Object>,
    pub(super) events: Vec<Event>,
    pub(super) preemptor: PodId,
    pub(super) hopeless: PodId,
    pub(super) pending: Vec<PodId>,
}

impl Told {
    /// The cluster of a shape.
    pub(super) fn of(shape: &Shape) -> Result<Told, Failure> {
        let _progress = Progress::of("making a cluster");
        let described = Native::default().describe().map_err(failed)?;
        let unknown = || Failure::Unlike(format!("the policy has no system `{}`", shape.system));
        let system = described.system(shape.system.name()).cloned().ok_or_else(unknown)?;
        let points = system.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
        let mistaken = |mistake| Failure::from(vec![mistake]);
        let origin = read("shape.json", "{}").map_err(mistaken)?.into_iter().next().map(|document| document.origin);
        let mut objects = Vec::new();
        for value in shape.objects() {
            if let Some(origin) = &origin {
                objects.push(Object::from_value(value, origin, "").map_err(mistaken)?);
            }
        }
        let mut mirror = Mirror::new(system.interests.clone());
        mirror.load_objects(objects.iter().cloned());
        let number = |pod: &str| mirror.pod_id(pod).ok_or_else(|| Failure::Unlike(format!("{shape} has no pod {pod}")));
        let (preemptor, hopeless) = (number(&shape.preemptor())?, number(&shape.hopeless())?);
        let pending = mirror.pods().filter(|pod| pod.node.is_none()).map(|pod| pod.id).collect();
        let mut events = mirror.drain_events();
        events.push(Event::Clock(NOW));
        Ok(Told { system, points, objects, events, preemptor, hopeless, pending })
    }

    /// The event of a pod that runs.
    pub(super) fn one_pod(&self) -> Option<&Event> {
        self.events.iter().rfind(|event| matches!(event, Event::PodUpserted(pod) if pod.node.is_some()))
    }
}

/// From the text of kubectl to the picture that the host keeps; nothing for a cluster whose text is too large.
pub(super) fn read_text(shape: &Shape, interests: &Interests) -> Result<Option<Operation>, Failure> {
    if shape.running() > LARGEST_TEXT {
        return Ok(None);
    }
    let _progress = Progress::of("reading");
    let text = shape.text();
    let (figure, count) = repeat(|| {
        let text = text.clone();
        let begun = Instant::now();
        let (mut mirror, mut count) = (Mirror::new(interests.clone()), 0_usize);
        let mut mistakes = Vec::new();
        let mut objects = Vec::new();
        let read = each_item("shape.json", text, &mut |item| {
            count = count.saturating_add(1);
            match item.object() {
                Ok(object) => objects.push(object),
                Err(mistake) => mistakes.push(mistake),
            }
            Ok(())
        });
        mistakes.extend(read.err());
        mirror.load_objects(objects);
        let took = begun.elapsed();
        if mistakes.is_empty() { Ok((took, count)) } else { Err(mistakes.into()) }
    })?;
    let answer = format!("{count} objects, {} bytes", text.len());
    Ok(Some(Operation { name: "read text".to_owned(), native: Some(figure), component: None, answer }))
}

/// A policy that did not answer.
pub(super) fn failed(fault: CallError) -> Failure {
    fault.into()
}
