//! Runs of the reference host over a cluster, with one instance of the policy.

use lictor_contract::*;
use lictor_host::cluster::KubernetesObject;
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::{CallError, Policy};
use lictor_host::rails::rail_of;
use lictor_host::reason::NamedReason;
use lictor_host::session::{EvictionBeneficiary, FailureCause, SessionError, SessionInput};
use lictor_oracle::RandomSource;

use super::cluster::{ClusterChange, SuiteCluster};
use super::exchange::Exchange;
use super::lab::CheckContext;
use super::tap::{EventDelivery, RecordingPolicy};

const SECOND: i64 = 1_000_000_000;

/// Extra calls of a host that must not change any decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Disturbance {
    #[default]
    Nothing,
    /// The host calls with an unknown pod.
    UnknownPods,
    /// The host configures an unknown system.
    Misconfigures,
    /// The host restores bytes that are not a checkpoint.
    RestoresGarbage,
}

/// The settings of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct RunOptions {
    pub(super) delivery: EventDelivery,
    pub(super) disturbance: Disturbance,
    /// Whether attempts are explained.
    pub(super) explained: bool,
    /// Whether `standings` is called before and after each cycle.
    pub(super) standing: bool,
    /// Whether the objects come in another order, with others between them that are removed again, so that their numbers differ.
    pub(super) renumbered: bool,
    /// Whether the numbers have gaps, in the same order.
    pub(super) holes: bool,
    /// Whether the instance has decided in another cluster before, and is configured again.
    pub(super) reused: bool,
    /// Whether a new instance takes over in every round.
    pub(super) replaced: bool,
}

/// A plan that the host refused.
#[derive(Debug)]
pub(super) struct RejectedPlan {
    /// Whether the plan is one of `enforce`.
    pub(super) is_enforced: bool,
    /// Whether a rail refused the plan, which is sound else.
    pub(super) is_by_rail: bool,
    pub(super) message: String,
}

/// The record of a run.
#[derive(Debug, Default)]
pub(super) struct RunRecord {
    pub(super) exchanges: Vec<Exchange>,
    /// The plans that the host refused.
    pub(super) refused: Vec<RejectedPlan>,
    /// The errors of inputs that could not be served.
    pub(super) faults: Vec<FailureCause>,
    /// Why the session could not be opened.
    pub(super) unopened: Option<String>,
    saved: Vec<Option<Checkpoint>>,
}

impl RunRecord {
    /// Returns the checkpoints that were taken, round by round.
    pub(super) fn saved(&self) -> &[Option<Checkpoint>] {
        &self.saved
    }
}

/// Runs the cluster from its first round to its last.
///
/// # Errors
/// No session could be opened.
pub(super) fn play(lab: &CheckContext<'_>, manner: &RunOptions, run: &mut RunRecord) -> Result<(), String> {
    let tap = RecordingPolicy::new((lab.start)()?, manner.delivery.clone());
    if manner.reused {
        let mut before = lab.open(&tap)?;
        let other = SuiteCluster::of(u64::MAX, lab.system).map_err(|error| error.to_string())?;
        let others = other.rounds.into_iter().next().unwrap_or_default().objects;
        // With these objects first, the numbers of the other cluster differ from the later ones.
        let passing = SuiteCluster::transient_objects(80).map_err(|error| error.to_string())?;
        let objects = passing.into_iter().chain(others).collect();
        // The decisions in the other cluster do not matter to this run, even where they fail.
        drop(before.apply(objects).and_then(|()| before.serve(SessionInput::Cycle)));
        drop(before.advance(600 * SECOND));
        tap.take();
    }
    let mut session = lab.open(&tap)?;
    if manner.explained {
        session.explain().map_err(message)?;
    }
    for (place, round) in lab.cluster.rounds.iter().enumerate() {
        let mut player = Player { lab, options: manner, session: &mut session, tap: &tap, run };
        player.round(place, round);
    }
    run.exchanges = tap.take();
    Ok(())
}

fn message(error: SessionError) -> String {
    error.to_string()
}

/// The driver of one run.
struct Player<'a> {
    lab: &'a CheckContext<'a>,
    options: &'a RunOptions,
    session: &'a mut VirtualDriver,
    tap: &'a RecordingPolicy,
    run: &'a mut RunRecord,
}

impl Player<'_> {
    /// Runs one round: the changes, two cycles, and time that passes.
    fn round(&mut self, place: usize, round: &ClusterChange) {
        let mut objects = round.objects.clone();
        let mut gone = Vec::new();
        if place == 0 && (self.options.holes || self.options.renumbered) {
            // A pod that is removed at once is between every two objects.
            let passing = SuiteCluster::transient_objects(objects.len()).unwrap_or_default();
            gone.extend(passing.iter().map(KubernetesObject::key));
            objects = passing.into_iter().zip(objects).flat_map(|(passing, object)| [passing, object]).collect();
        }
        if self.options.renumbered {
            RandomSource::after(7).shuffle(&mut objects);
        }
        for key in &round.removed {
            self.record(|session| session.remove(key).map(drop));
        }
        self.record(|session| session.apply(objects));
        for key in &gone {
            self.record(|session| session.remove(key).map(drop));
        }
        self.disturb();
        self.save();
        if self.options.replaced && place > 0 {
            self.replace(place);
        }
        self.call_standings();
        self.record(|session| session.queue().map(drop));
        self.record(|session| session.serve(SessionInput::Cycle));
        self.call_standings();
        if self.tap.has(Interface::Account) {
            self.record(|session| session.accounts().map(drop));
            self.record(|session| session.memberships().map(drop));
        }
        self.record(|session| session.advance(5 * SECOND));
        self.record(VirtualDriver::evictions_complete);
        self.record(|session| session.serve(SessionInput::Cycle));
        self.record(|session| session.advance(900 * SECOND));
    }

    /// Calls the session, and records refused plans and errors.
    fn record(&mut self, does: impl FnOnce(&mut VirtualDriver) -> Result<(), SessionError>) {
        if let Err(error) = does(self.session) {
            self.run.faults.push(error.cause);
        }
        for refused in self.session.take_report().refused {
            let is_enforced = matches!(refused.for_whom, EvictionBeneficiary::Queue(_));
            let NamedReason { code, message, .. } = refused.reason;
            self.run.refused.push(RejectedPlan { is_enforced, is_by_rail: rail_of(&code).is_some(), message });
        }
    }

    /// Makes the extra calls that must not change any decision.
    fn disturb(&mut self) {
        let lab = self.lab;
        self.tap.call_unrecorded(|policy| match self.options.disturbance {
            Disturbance::Nothing => {}
            Disturbance::UnknownPods => drop(call_unknown_pod(policy, lab.system)),
            Disturbance::Misconfigures => drop(policy.configure("no such system", "")),
            Disturbance::RestoresGarbage => {
                let format = policy.save().map_or(0, |saved| saved.format);
                drop(policy.restore(&garbage(format)));
            }
        });
    }

    /// Calls `standings`, if the settings of the run demand it.
    fn call_standings(&mut self) {
        if self.options.standing {
            self.record(|session| session.standings().map(drop));
        }
    }

    fn save(&mut self) {
        let saved = match self.options.delivery.unsaved {
            true => None,
            false => self.tap.call_unrecorded(|policy| policy.save()).ok(),
        };
        self.run.saved.push(saved);
    }

    /// Replaces the instance by a new one, with the checkpoint that the plain run took at this place. A policy without checkpoints is replaced only
    /// while it has no promises.
    fn replace(&mut self, place: usize) {
        let has_state = self.tap.has(Interface::State);
        let recall = self.lab.plain().saved.get(place).cloned().flatten();
        let promised = !self.session.waiting().is_empty()
            || self.session.mirror().pods().any(|pod| pod.nominated.is_some() || pod.terminating && pod.preempted);
        if (has_state && recall.is_none()) || (!has_state && promised) {
            return;
        }
        self.tap.end(recall, self.session.waiting().len());
        // The instance ends in the first call, so that nothing is decided.
        let ended = self.session.serve(SessionInput::Cycle);
        if !self.tap.has_ended() {
            drop(ended);
        }
    }
}

/// Returns a checkpoint with bytes that no policy has written.
pub(super) fn garbage(format: u32) -> Checkpoint {
    let text = b"this is no checkpoint: \xff\xfe\x00\x01 ";
    Checkpoint { format, bytes: text.repeat(3) }
}

/// The result of a call about an unknown pod, with the export and its extension point.
pub(super) type UnknownPodReply = (ExtensionPoint, &'static str, Result<(), CallError>);

/// Makes every call of the system's extension points about an unknown pod.
pub(super) fn call_unknown_pod(policy: &mut dyn Policy, system: &SystemInfo) -> Vec<UnknownPodReply> {
    const STRANGER: PodId = 4_000_000_000;
    let node = NodeId::default();
    let named = |point: &&ExtensionPoint| system.extension_points.iter().any(|name| name == point.name());
    let mut answers = Vec::new();
    for point in ExtensionPoint::ALL.iter().filter(named) {
        let (export, answer) = match point {
            ExtensionPoint::QueueOrder => ("queue.queue-keys", policy.queue_keys(&[STRANGER]).map(drop)),
            ExtensionPoint::PreFilter => ("placement.pre-filter", policy.pre_filter(STRANGER).map(drop)),
            ExtensionPoint::Filter => ("placement.filter", policy.filter(STRANGER).map(drop)),
            ExtensionPoint::PostFilter => {
                ("placement.post-filter", policy.post_filter(&[STRANGER], &Refuted::default()).map(drop))
            }
            ExtensionPoint::Score => ("score.score", policy.score(STRANGER, &[node]).map(drop)),
            ExtensionPoint::Reserve => ("placement.reserve", policy.reserve(STRANGER, node).map(drop)),
            ExtensionPoint::Permit => ("permit.permit", policy.permit(STRANGER).map(drop)),
            ExtensionPoint::Act | ExtensionPoint::Enforce => continue,
        };
        answers.push((*point, export, answer));
    }
    answers
}
