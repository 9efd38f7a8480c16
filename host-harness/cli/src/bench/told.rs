//! A cluster as it is read, and as a policy receives it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use lictor_conformance::shape::ClusterSize;
use lictor_contract::{Event, ExtensionPoint, Interests, PodId, SystemInfo};
use lictor_decide::record::newest;
use lictor_decide::{ClusterSnapshot, UserArguments};
use lictor_host::cluster::load::{DocumentOrigin, each_item, read};
use lictor_host::cluster::{KubernetesObject, Mirror};
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::{OpenError, SessionError};

use super::super::failure::CommandError;
use super::super::progress::ProgressDisplay;
use super::figures::{Operation, repeat};
use crate::Native;

/// The most running pods of a shape that is read from text: the text of a larger one would fill the memory.
const LARGEST_TEXT: usize = 200_000;

/// The time of a cycle, in nanoseconds since 1970: a month after the newest pending pod was created.
pub(super) const NOW: i64 = 1_772_323_200_000_000_000;

/// A cluster as a policy receives it.
pub(super) struct MeasuredCluster {
    pub(super) system: SystemInfo,
    arguments: UserArguments,
    pub(super) points: BTreeSet<ExtensionPoint>,
    source: BenchmarkSource,
    pub(super) events: Vec<Event>,
    /// The time of a cycle, in nanoseconds since 1970.
    pub(super) now: i64,
    /// The pods for which the policy is measured: one that obtains room by evictions, and one that does not. `None`: no such pods are known in a
    /// cluster that was read from a file.
    pub(super) measured_pods: Option<BenchmarkPods>,
    pub(super) pending: Vec<PodId>,
    pub(super) nodes: usize,
    pub(super) pods: usize,
}

/// The source of a cluster's objects. Those of a shape are made when they are needed: a million pods fill the memory as objects.
enum BenchmarkSource {
    Shape(ClusterSize, DocumentOrigin),
    Objects(Vec<KubernetesObject>),
}

/// The number of objects, and of events, that are passed at once, as a session passes them.
const OBJECTS: usize = 200_000;
const EVENTS: usize = 4096;

/// The pods for which the policy is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct BenchmarkPods {
    pub(super) preemptor: PodId,
    pub(super) hopeless: PodId,
}

impl MeasuredCluster {
    /// Makes the cluster of a shape.
    pub(super) fn of(shape: &ClusterSize, arguments: &UserArguments) -> Result<MeasuredCluster, CommandError> {
        let _progress = ProgressDisplay::of("making a cluster");
        let empty = read("shape.json", "{}").map_err(|mistake| vec![mistake])?;
        let nothing = || CommandError::SidesDiffer("a text without an object".to_owned());
        let origin = empty.into_iter().next().map(|document| document.origin).ok_or_else(nothing)?;
        let source = BenchmarkSource::Shape(shape.clone(), origin);
        let (mut told, mirror) = MeasuredCluster::of_source((shape.system.name(), arguments), source, Some(NOW))?;
        let number = |pod: &str| {
            mirror.pod_id(pod).ok_or_else(|| CommandError::SidesDiffer(format!("{shape} has no pod {pod}")))
        };
        told.measured_pods = Some(BenchmarkPods {
            preemptor: number(&shape.preemptor())?,
            hopeless: number(&shape.unschedulable_pod())?,
        });
        Ok(told)
    }

    /// Makes the cluster of a dump, for a system; without a name, for the first system.
    pub(super) fn of_snapshot(
        snapshot: ClusterSnapshot,
        system: &str,
        arguments: &UserArguments,
    ) -> Result<MeasuredCluster, CommandError> {
        Ok(MeasuredCluster::of_source((system, arguments), BenchmarkSource::Objects(snapshot.objects), None)?.0)
    }

    /// Makes a cluster of these objects at this time. `None`: at the newest time that the objects name.
    fn of_source(
        by: (&str, &UserArguments),
        source: BenchmarkSource,
        now: Option<i64>,
    ) -> Result<(MeasuredCluster, Mirror), CommandError> {
        let (system, arguments) = (by.0, by.1.clone());
        let described = Native::default().describe().map_err(failed)?;
        let unknown = || CommandError::unknown_system("--system", system, &described);
        let system = described.system(system).cloned().ok_or_else(unknown)?;
        let points = system.extension_points.iter().filter_map(|point| ExtensionPoint::named(point)).collect();
        let mut mirror = Mirror::new(system.interests.clone());
        if let BenchmarkSource::Objects(objects) = &source {
            let mistakes = mirror.mistakes_in(objects);
            if !mistakes.is_empty() {
                return Err(mistakes.into());
            }
        }
        source.each(&mut |objects| {
            mirror.load_objects(objects);
            Ok(())
        })?;
        let now = now.unwrap_or_else(|| newest(&mirror));
        let pending = mirror.pods().filter(|pod| pod.node.is_none()).map(|pod| pod.id).collect();
        let mut events = mirror.drain_events();
        events.push(Event::Clock(now));
        let (nodes, pods) = (mirror.nodes().count(), mirror.pods().count());
        Ok((
            MeasuredCluster {
                system,
                arguments,
                points,
                source,
                events,
                now,
                measured_pods: None,
                pending,
                nodes,
                pods,
            },
            mirror,
        ))
    }

    /// Passes all objects to `take`, some at a time.
    pub(super) fn each_part(
        &self,
        take: &mut dyn FnMut(Vec<KubernetesObject>) -> Result<(), SessionError>,
    ) -> Result<(), CommandError> {
        self.source.each(take)
    }

    /// Opens a session with the policy.
    pub(super) fn open(&self, policy: Box<dyn Policy>) -> Result<VirtualDriver, CommandError> {
        let (system, arguments) = (&self.system.name, &self.arguments);
        let refused = |error| arguments.refused(error, system, Some(&self.system));
        Ok(VirtualDriver::open(policy, system, &arguments.json()).map_err(refused)?)
    }

    /// Configures the policy.
    pub(super) fn configure(&self, policy: &mut dyn Policy) -> Result<(), CommandError> {
        let (system, arguments) = (&self.system.name, &self.arguments);
        let configured = policy.configure(system, &arguments.json()).map_err(failed)?;
        Ok(configured.map_err(|error| arguments.refused(OpenError::Refused(error), system, Some(&self.system)))?)
    }

    /// Passes all events to a policy, as a session does: some at a time. Returns the time of the policy.
    pub(super) fn send_events(&self, policy: &mut dyn Policy) -> Result<Duration, CommandError> {
        let mut took = Duration::ZERO;
        let mut events = self.events.clone().into_iter();
        while events.len() > 0 {
            let part = events.by_ref().take(EVENTS).collect();
            let begun = Instant::now();
            policy.apply(part).map_err(failed)?;
            took = took.saturating_add(begun.elapsed());
        }
        Ok(took)
    }

    /// Returns events about one running pod, by name: the same pod again, and the pod with another status.
    pub(super) fn one_pod(&self) -> Vec<(&'static str, Event)> {
        let runs = |event: &&Event| matches!(event, Event::PodUpserted(pod) if pod.node.is_some());
        let Some(Event::PodUpserted(pod)) = self.events.iter().rfind(runs) else { return Vec::new() };
        let status = Event::PodStatus(pod.status());
        vec![("one pod", Event::PodUpserted(pod.clone())), ("one pod's status", status)]
    }
}

impl BenchmarkSource {
    fn each(
        &self,
        take: &mut dyn FnMut(Vec<KubernetesObject>) -> Result<(), SessionError>,
    ) -> Result<(), CommandError> {
        match self {
            BenchmarkSource::Objects(objects) => objects.chunks(OBJECTS).try_for_each(|part| Ok(take(part.to_vec())?)),
            BenchmarkSource::Shape(shape, origin) => {
                let made = shape.objects().map(|value| KubernetesObject::from_value(value, origin, ""));
                let mut made = made.map(|object| object.map_err(|mistake| CommandError::from(vec![mistake])));
                loop {
                    let part: Vec<KubernetesObject> = made.by_ref().take(OBJECTS).collect::<Result<_, _>>()?;
                    if part.is_empty() {
                        return Ok(());
                    }
                    take(part)?;
                }
            }
        }
    }
}

/// Measures from the text of a shape to the mirror of the host. `None`: the text of the cluster would be too large.
pub(super) fn read_shape(shape: &ClusterSize, interests: &Interests) -> Result<Option<Operation>, CommandError> {
    if shape.running() > LARGEST_TEXT {
        return Ok(None);
    }
    read_text("shape.json", &shape.text(), interests).map(Some)
}

/// Reads the text of a file.
pub(super) fn text_of(file: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(file).map_err(|error| CommandError::Unreadable { file: file.display().to_string(), error })
}

/// Measures from the text of kubectl to the mirror of the host.
pub(super) fn read_text(name: &str, text: &str, interests: &Interests) -> Result<Operation, CommandError> {
    let _progress = ProgressDisplay::of("reading");
    let (figure, count) = repeat(|| {
        let text = text.to_owned();
        let begun = Instant::now();
        let (mut mirror, mut count) = (Mirror::new(interests.clone()), 0_usize);
        let mut mistakes = Vec::new();
        let mut objects = Vec::new();
        let read = each_item(name, text, &mut |item| {
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
    Ok(Operation { name: "read text".to_owned(), native: Some(figure), component: None, answer })
}

/// Makes a failure of a policy that did not answer.
pub(super) fn failed(fault: CallError) -> CommandError {
    fault.into()
}
