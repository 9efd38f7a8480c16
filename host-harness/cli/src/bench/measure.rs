//! Measures the operations of a policy in one cluster.

use std::collections::BTreeSet;
use std::time::Instant;

use lictor_conformance::shape::Shape;
use lictor_contract::{Admission, Event, ExtensionPoint, Interests, PodId, Refuted, SystemInfo};
use lictor_host::cluster::load::{each, read};
use lictor_host::cluster::{Mirror, Object};
use lictor_host::driver::Virtual;
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::Input;

use super::super::choice::Chosen;
use super::super::failure::Failure;
use super::super::progress::Progress;
use super::figures::{Figure, Measured, Operation, repeat};
use crate::Native;

/// A larger cluster is not read from text: the text alone would fill the memory.
const LARGEST_TEXT: usize = 200_000;

/// The time of a cycle, in nanoseconds since 1970: a month after all that waits has come.
const NOW: i64 = 1_772_323_200_000_000_000;

/// A cluster as a policy is told it.
struct Told {
    system: SystemInfo,
    points: BTreeSet<ExtensionPoint>,
    objects: Vec<Object>,
    events: Vec<Event>,
    preemptor: PodId,
    hopeless: PodId,
    pending: Vec<PodId>,
}

/// A policy that is measured.
#[derive(Clone, Copy)]
enum Side<'a> {
    Native,
    Component(&'a Chosen),
}

/// What was measured of an operation on one side.
type Took = (String, Figure, String);

/// Measures everything in one cluster; without a component the native policy alone.
pub(super) fn measure(shape: &Shape, component: Option<&Chosen>) -> Result<Measured, Failure> {
    let told = Told::of(shape)?;
    let mut operations = Vec::new();
    if shape.running() <= LARGEST_TEXT {
        operations.push(read_text(shape, &told.system.interests)?);
    }
    let (native, _) = Side::Native.measure(&told)?;
    let (mut beside, bytes) = match component {
        Some(component) => Side::Component(component).measure(&told).map(|(took, bytes)| (took, Some(bytes)))?,
        None => (Vec::new(), None),
    };
    for (name, figure, answer) in native {
        let place = beside.iter().position(|(other, ..)| *other == name);
        let component = match place.map(|place| beside.remove(place)) {
            Some((_, _, theirs)) if theirs != answer => {
                return Err(Failure::Unlike(format!("{shape}, {name}: natively {answer}, in the component {theirs}")));
            }
            found => found.map(|(_, figure, _)| figure),
        };
        operations.push(Operation { name, native: Some(figure), component, answer });
    }
    Ok(Measured {
        shape: shape.to_string(),
        nodes: shape.nodes,
        pods: shape.running(),
        queues: shape.queues,
        gang: shape.gang,
        seed: shape.seed,
        component_bytes: bytes,
        operations,
    })
}

/// From the text of kubectl to the picture that the host keeps.
fn read_text(shape: &Shape, interests: &Interests) -> Result<Operation, Failure> {
    let _progress = Progress::of("reading");
    let text = shape.text();
    let (figure, count) = repeat(|| {
        let begun = Instant::now();
        let (mut mirror, mut count) = (Mirror::new(interests.clone()), 0_usize);
        let mut mistakes = Vec::new();
        let mut objects = Vec::new();
        let read = each("shape.json", &text, &mut |document| {
            count = count.saturating_add(1);
            match Object::from_document(document) {
                Ok(object) => objects.push(object),
                Err(mistake) => mistakes.push(mistake),
            }
            Ok(())
        });
        mistakes.extend(read.err());
        mirror.load_objects(objects);
        let took = begun.elapsed();
        if mistakes.is_empty() { Ok((took, count)) } else { Err(Failure::Input(mistakes)) }
    })?;
    let answer = format!("{count} objects, {} bytes", text.len());
    Ok(Operation { name: "read text".to_owned(), native: Some(figure), component: None, answer })
}

impl Told {
    fn of(shape: &Shape) -> Result<Told, Failure> {
        let _progress = Progress::of("making a cluster");
        let described = Native::default().describe().map_err(failed)?;
        let unknown = || Failure::Unlike(format!("the policy has no system `{}`", shape.system));
        let system = described.system(shape.system.name()).cloned().ok_or_else(unknown)?;
        let points = system.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
        let mistaken = |mistake| Failure::Input(vec![mistake]);
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
        Ok(Told { system, points, objects, events: mirror.drain_events(), preemptor, hopeless, pending })
    }

    /// The event of a pod that runs.
    fn one_pod(&self) -> Option<&Event> {
        self.events.iter().rfind(|event| matches!(event, Event::PodUpserted(pod) if pod.node.is_some()))
    }
}

impl Side<'_> {
    fn start(self) -> Result<Box<dyn Policy>, Failure> {
        match self {
            Side::Native => Ok(Box::new(Native::default())),
            Side::Component(chosen) => chosen.start(),
        }
    }

    fn configured(self, told: &Told) -> Result<Box<dyn Policy>, Failure> {
        let mut policy = self.start()?;
        let refused = |error| Failure::Unlike(format!("the system is refused: {error:?}"));
        policy.configure(&told.system.name, "").map_err(failed)?.map_err(refused)?;
        Ok(policy)
    }

    /// Every operation, and the memory of the policy with the cluster.
    fn measure(self, told: &Told) -> Result<(Vec<Took>, u64), Failure> {
        let _progress = Progress::of(match self {
            Side::Native => "measuring natively",
            Side::Component(_) => "measuring the component",
        });
        let mut took = Vec::new();
        let (figure, _) = repeat(|| {
            let (mut policy, events) = (self.configured(told)?, told.events.clone());
            let begun = Instant::now();
            policy.apply(events).map_err(failed)?;
            Ok((begun.elapsed(), ()))
        })?;
        took.push(("load".to_owned(), figure, format!("{} events", told.events.len())));
        let mut policy = self.configured(told)?;
        policy.apply(told.events.clone()).map_err(failed)?;
        let bytes = policy.usage().memory_bytes;
        if let Some(event) = told.one_pod() {
            let (figure, ()) = repeat(|| {
                let events = vec![event.clone()];
                let begun = Instant::now();
                policy.apply(events).map_err(failed)?;
                Ok((begun.elapsed(), ()))
            })?;
            took.push(("one pod".to_owned(), figure, "1 event".to_owned()));
        }
        asked(policy.as_mut(), told, "", &mut took)?;
        match policy.record_notes(true) {
            Ok(()) => asked(policy.as_mut(), told, ", explained", &mut took)?,
            Err(CallError::Lacks(_)) => {}
            Err(fault) => return Err(failed(fault)),
        }
        took.push(self.cycle(told)?);
        Ok((took, bytes))
    }

    /// A cycle of the session: every pod that waits, in order, with all that the host does for it.
    fn cycle(self, told: &Told) -> Result<Took, Failure> {
        let (figure, answer) = repeat(|| {
            let mut session = Virtual::open(self.start()?, &told.system.name, "").map_err(Failure::Open)?;
            session.apply(told.objects.clone())?;
            session.tell(Input::Clock(NOW))?;
            let begun = Instant::now();
            session.tell(Input::Cycle)?;
            let took = begun.elapsed();
            let happened = session.take_happened();
            let victims: usize = happened.plans.iter().map(|plan| plan.victims.len()).sum();
            let (bound, plans) = (happened.bound.len(), happened.plans.len());
            Ok((took, format!("{bound} bound, {plans} plans, {victims} victims")))
        })?;
        Ok(("cycle".to_owned(), figure, answer))
    }
}

/// Asks a policy that was told the cluster, at each point where it decides.
fn asked(policy: &mut dyn Policy, told: &Told, how: &str, took: &mut Vec<Took>) -> Result<(), Failure> {
    let mut at = |name: &str, point, once: &mut dyn FnMut(&mut dyn Policy) -> Result<String, CallError>| {
        if !told.points.contains(&point) {
            return Ok(());
        }
        let (figure, answer) = repeat(|| {
            let begun = Instant::now();
            let answer = once(policy).map_err(failed)?;
            Ok((begun.elapsed(), answer))
        })?;
        took.push((format!("{name}{how}"), figure, answer));
        Ok::<(), Failure>(())
    };
    let none = Refuted::default();
    let admitted = |admission: &Admission| if *admission == Admission::Pass { "passes" } else { "refused" }.to_owned();
    at("queue order", ExtensionPoint::QueueOrder, &mut |policy| {
        policy.queue_keys(&told.pending).map(|_| format!("{} pods", told.pending.len()))
    })?;
    at("pre-filter", ExtensionPoint::PreFilter, &mut |policy| {
        policy.pre_filter(told.preemptor).map(|answer| admitted(&answer.admission))
    })?;
    at("filter", ExtensionPoint::Filter, &mut |policy| {
        let verdicts = policy.filter(told.preemptor)?;
        let fits = verdicts.codes.iter().filter(|code| **code == 0).count();
        Ok(format!("{fits} of {} nodes fit", verdicts.codes.len()))
    })?;
    for (name, pod) in [("post-filter, room is made", told.preemptor), ("post-filter, in vain", told.hopeless)] {
        at(name, ExtensionPoint::PostFilter, &mut |policy| {
            let answer = policy.post_filter(&[pod], &none)?;
            Ok(answer.plan.map_or("no plan".to_owned(), |plan| {
                format!("{} nominated, {} victims", plan.nominations.len(), plan.victims.len())
            }))
        })?;
    }
    Ok(())
}

fn failed(fault: CallError) -> Failure {
    Failure::Session(fault.into())
}
