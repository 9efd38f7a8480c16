//! Measures the operations of a policy in one cluster.

use std::path::Path;
use std::time::Instant;

use lictor_conformance::shape::ClusterSize;
use lictor_contract::{Admission, ExtensionPoint, NotedPods, Refuted};
use lictor_decide::{ClusterSnapshot, UserArguments};
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::SessionInput;

use super::super::choice::LoadedPolicy;
use super::super::failure::CommandError;
use super::super::progress::ProgressDisplay;
use super::figures::{ClusterResults, Operation, Timing, repeat};
use super::told::{BenchmarkPods, MeasuredCluster, failed, read_shape, read_text, text_of};
use crate::Native;

/// A policy that is measured.
#[derive(Clone, Copy)]
enum MeasuredPolicy<'a> {
    Native,
    Component(&'a LoadedPolicy),
}

/// The figure of an operation on one side: its name, the times, and the answer.
type OperationTiming = (String, Timing, String);

/// Measures all operations in the cluster of a shape. Without a component, only the native policy is measured.
pub(super) fn measure(
    shape: &ClusterSize,
    arguments: &UserArguments,
    component: Option<&LoadedPolicy>,
) -> Result<ClusterResults, CommandError> {
    let told = MeasuredCluster::of(shape, arguments)?;
    let read = read_shape(shape, &told.system.interests)?;
    let (operations, component_bytes) = both(&shape.to_string(), &told, read, component)?;
    Ok(ClusterResults {
        shape: shape.to_string(),
        nodes: shape.nodes,
        pods: shape.running(),
        queues: shape.queues,
        gang: shape.gang,
        seed: shape.seed,
        component_bytes,
        operations,
    })
}

/// Measures reading, loading and a cycle of a dump.
pub(super) fn measure_snapshot(
    file: &Path,
    by: (&str, &UserArguments),
    component: Option<&LoadedPolicy>,
) -> Result<ClusterResults, CommandError> {
    let (name, text) = (file.display().to_string(), text_of(file)?);
    let told = MeasuredCluster::of_snapshot(ClusterSnapshot::from_text(&name, text.clone())?, by.0, by.1)?;
    let read = read_text(&name, &text, &told.system.interests)?;
    let (operations, component_bytes) = both(&name, &told, Some(read), component)?;
    let (nodes, pods) = (told.nodes, told.pods);
    Ok(ClusterResults { shape: name, nodes, pods, queues: 0, gang: 0, seed: 0, component_bytes, operations })
}

/// Measures every operation on both sides. Returns the operations, and the memory of the component in bytes.
///
/// # Errors
/// [`CommandError::SidesDiffer`] where both sides give different answers.
fn both(
    name: &str,
    told: &MeasuredCluster,
    read: Option<Operation>,
    component: Option<&LoadedPolicy>,
) -> Result<(Vec<Operation>, Option<u64>), CommandError> {
    let mut operations = Vec::from_iter(read);
    let (native, _) = MeasuredPolicy::Native.measure(told)?;
    let (mut beside, bytes) = match component {
        Some(component) => {
            MeasuredPolicy::Component(component).measure(told).map(|(took, bytes)| (took, Some(bytes)))?
        }
        None => (Vec::new(), None),
    };
    for (operation, figure, answer) in native {
        let place = beside.iter().position(|(other, ..)| *other == operation);
        let component = match place.map(|place| beside.remove(place)) {
            Some((_, _, theirs)) if theirs != answer => {
                let message = format!("{name}, {operation}: natively {answer}, in the component {theirs}");
                return Err(CommandError::SidesDiffer(message));
            }
            found => found.map(|(_, figure, _)| figure),
        };
        operations.push(Operation { name: operation, native: Some(figure), component, answer });
    }
    Ok((operations, bytes))
}

impl MeasuredPolicy<'_> {
    fn start(self) -> Result<Box<dyn Policy>, CommandError> {
        match self {
            MeasuredPolicy::Native => Ok(Box::new(Native::default())),
            MeasuredPolicy::Component(chosen) => chosen.start(),
        }
    }

    fn configured(self, told: &MeasuredCluster) -> Result<Box<dyn Policy>, CommandError> {
        let mut policy = self.start()?;
        told.configure(policy.as_mut())?;
        Ok(policy)
    }

    /// Measures every operation on this side. Returns the operations, and the memory of the policy with the cluster in bytes.
    fn measure(self, told: &MeasuredCluster) -> Result<(Vec<OperationTiming>, u64), CommandError> {
        let _progress = ProgressDisplay::of(match self {
            MeasuredPolicy::Native => "measuring natively",
            MeasuredPolicy::Component(_) => "measuring the component",
        });
        let mut took = Vec::new();
        let (figure, _) = repeat(|| {
            let mut policy = self.configured(told)?;
            Ok((told.send_events(policy.as_mut())?, ()))
        })?;
        took.push(("load".to_owned(), figure, format!("{} events", told.events.len())));
        let mut policy = self.configured(told)?;
        told.send_events(policy.as_mut())?;
        let bytes = policy.usage().memory_bytes;
        for (name, event) in told.one_pod() {
            let (figure, ()) = repeat(|| {
                let events = vec![event.clone()];
                let begun = Instant::now();
                policy.apply(events).map_err(failed)?;
                Ok((begun.elapsed(), ()))
            })?;
            took.push((name.to_owned(), figure, "1 event".to_owned()));
        }
        let asked = |policy: &mut dyn Policy, how, took: &mut Vec<OperationTiming>| match told.measured_pods {
            Some(pods) => measure_calls(policy, told, pods, how, took),
            None => Ok(()),
        };
        asked(policy.as_mut(), "", &mut took)?;
        match policy.record_notes(&NotedPods::All) {
            Ok(()) => asked(policy.as_mut(), ", explained", &mut took)?,
            Err(CallError::MissingInterface(_)) => {}
            Err(fault) => return Err(failed(fault)),
        }
        // The cycle has a policy of its own.
        drop(policy);
        took.push(self.cycle(told)?);
        Ok((took, bytes))
    }

    /// Measures a cycle of the session: every pod that waits, in order, with all that the host does for it.
    fn cycle(self, told: &MeasuredCluster) -> Result<OperationTiming, CommandError> {
        let (figure, answer) = repeat(|| {
            let mut session = told.open(self.start()?)?;
            told.each_part(&mut |objects| session.apply(objects))?;
            session.serve(SessionInput::Clock(told.now))?;
            let begun = Instant::now();
            session.serve(SessionInput::Cycle)?;
            let took = begun.elapsed();
            let happened = session.take_report();
            let victims: usize = happened.plans.iter().map(|plan| plan.victims.len()).sum();
            let (bound, plans) = (happened.bound.len(), happened.plans.len());
            Ok((took, format!("{bound} bound, {plans} plans, {victims} victims")))
        })?;
        Ok(("cycle".to_owned(), figure, answer))
    }
}

/// Measures the calls at each point where the policy decides. The policy must have received the cluster.
fn measure_calls(
    policy: &mut dyn Policy,
    told: &MeasuredCluster,
    pods: BenchmarkPods,
    how: &str,
    took: &mut Vec<OperationTiming>,
) -> Result<(), CommandError> {
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
        Ok::<(), CommandError>(())
    };
    let none = Refuted::default();
    let admitted = |admission: &Admission| if *admission == Admission::Pass { "passes" } else { "refused" }.to_owned();
    at("queue order", ExtensionPoint::QueueOrder, &mut |policy| {
        policy.queue_keys(&told.pending).map(|_| format!("{} pods", told.pending.len()))
    })?;
    at("pre-filter", ExtensionPoint::PreFilter, &mut |policy| {
        policy.pre_filter(pods.preemptor).map(|answer| admitted(&answer.admission))
    })?;
    at("filter", ExtensionPoint::Filter, &mut |policy| {
        let verdicts = policy.filter(pods.preemptor)?;
        let fits = verdicts.codes.iter().filter(|code| **code == 0).count();
        Ok(format!("{fits} of {} nodes fit", verdicts.codes.len()))
    })?;
    for (name, pod) in [("post-filter, room is made", pods.preemptor), ("post-filter, in vain", pods.hopeless)] {
        at(name, ExtensionPoint::PostFilter, &mut |policy| {
            let answer = policy.post_filter(&[pod], &none)?;
            Ok(answer.plan.map_or("no plan".to_owned(), |plan| {
                format!("{} nominated, {} victims", plan.nominations.len(), plan.victims.len())
            }))
        })?;
    }
    Ok(())
}
