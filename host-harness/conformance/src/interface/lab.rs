//! A cluster, a system, and the runs over them that checks look at.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use lictor_contract::*;
use lictor_host::driver::VirtualDriver;
use lictor_host::policy::{CallError, Policy};
use lictor_host::session::FaultRules;

use super::cluster::SuiteCluster;
use super::exchange::{Call, Exchange};
use super::names;
use super::play::{RunOptions, RunRecord, play};
use super::tap::{EventDelivery, RecordingPolicy};

/// The number of answers that a check has examined; or what is wrong, in a sentence.
pub(super) type CheckResult = Result<usize, String>;

/// Calls of a policy about a pod and the node that is to be reserved for it.
pub(super) type ReserveCall<T> = fn(&mut dyn Policy, PodId, NodeId) -> Result<T, CallError>;

/// The results of such calls, by pod name.
pub(super) type Answers<T> = Vec<(String, Result<T, CallError>)>;

/// A function that starts an instance of the policy under test.
pub type InstanceFactory<'a> = dyn Fn() -> Result<Box<dyn Policy>, String> + 'a;

/// A cluster, a system, and the runs over them that several checks look at.
pub(super) struct CheckContext<'a> {
    pub(super) start: &'a InstanceFactory<'a>,
    pub(super) description: &'a Description,
    pub(super) system: &'a SystemInfo,
    pub(super) cluster: &'a SuiteCluster,
    plain: OnceCell<RunRecord>,
    refusing: OnceCell<RunRecord>,
    explained: OnceCell<RunRecord>,
}

impl<'a> CheckContext<'a> {
    pub(super) fn new(
        start: &'a InstanceFactory<'a>,
        description: &'a Description,
        system: &'a SystemInfo,
        cluster: &'a SuiteCluster,
    ) -> CheckContext<'a> {
        let (plain, refusing, explained) = Default::default();
        CheckContext { start, description, system, cluster, plain, refusing, explained }
    }

    /// Returns whether the system decides at an extension point.
    pub(super) fn decides(&self, point: ExtensionPoint) -> bool {
        self.system.extension_points.iter().any(|name| name == point.name())
    }

    /// Returns the plain run: the one that a host makes.
    pub(super) fn plain(&self) -> &RunRecord {
        self.plain.get_or_init(|| self.run(&RunOptions::default()))
    }

    /// Returns the runs whose answers are all examined: the plain run, a run with refused plans, and one with explanations and standings.
    pub(super) fn runs(&self) -> [&RunRecord; 3] {
        let telling = EventDelivery { refusing: true, ..EventDelivery::default() };
        let refusing = || self.run(&RunOptions { delivery: telling, ..RunOptions::default() });
        let explained = || self.run(&RunOptions { explained: true, standing: true, ..RunOptions::default() });
        [self.plain(), self.refusing.get_or_init(refusing), self.explained.get_or_init(explained)]
    }

    /// Examines every answer of these runs with `look`. Returns the number of examined answers.
    ///
    /// # Errors
    /// The first wrong answer.
    pub(super) fn each(&self, look: impl Fn(&Exchange) -> Option<Result<(), String>>) -> CheckResult {
        let mut seen = 0_usize;
        for exchange in self.runs().iter().flat_map(|run| &run.exchanges) {
            if let Some(looked) = look(exchange) {
                looked.map_err(|wrong| format!("`{}`: {wrong}", exchange.call.export()))?;
                seen = seen.saturating_add(1);
            }
        }
        Ok(seen)
    }

    /// Checks that a run with these settings has the same decisions as the plain run.
    pub(super) fn same(&self, manner: &RunOptions) -> CheckResult {
        let lines = |run: &RunRecord| -> Vec<String> {
            let is_said = |exchange: &&Exchange| !matches!(exchange.call, Call::Notes(_) | Call::Standings(_));
            let asked = run.exchanges.iter().filter(is_said);
            asked.map(names::line).collect()
        };
        first_difference(&lines(self.plain()), &lines(&self.run(manner)))
    }

    /// Checks that a run with these settings has the same answers as the plain run, byte for byte.
    pub(super) fn identical(&self, manner: &RunOptions) -> CheckResult {
        let lines = |run: &RunRecord| -> Vec<String> {
            run.exchanges.iter().map(|exchange| format!("{} = {:?}", exchange.call.export(), exchange.reply)).collect()
        };
        first_difference(&lines(self.plain()), &lines(&self.run(manner)))
    }

    /// Starts an instance that is configured and has received the cluster.
    ///
    /// # Errors
    /// No instance can be started, or it fails.
    pub(super) fn start_loaded(&self) -> Result<(VirtualDriver, RecordingPolicy), String> {
        let tap = RecordingPolicy::new((self.start)()?, EventDelivery::default());
        let mut session = self.open(&tap)?;
        if let Some(first) = self.cluster.rounds.first() {
            session.apply(first.objects.clone()).map_err(|error| error.to_string())?;
        }
        Ok((session, tap))
    }

    /// Opens a session of the instance, configured for the cluster.
    ///
    /// # Errors
    /// The policy refuses the configuration, or fails.
    pub(super) fn open(&self, tap: &RecordingPolicy) -> Result<VirtualDriver, String> {
        let opened = VirtualDriver::open(Box::new(tap.clone()), &self.system.name, &self.cluster.arguments);
        let mut session = opened.map_err(|error| error.to_string())?;
        session.set_fault_rules(FaultRules::ONCE);
        if !self.cluster.schedulers.is_empty() {
            session.set_schedulers(self.cluster.schedulers.iter().cloned());
        }
        Ok(session)
    }

    /// Calls a new instance about every pod that gets a node in the plain run. The instance has received the cluster. Returns the results, by pod.
    ///
    /// # Errors
    /// No instance can be started, or it fails.
    pub(super) fn call_for_reserved<T>(&self, ask: ReserveCall<T>) -> Result<Answers<T>, String> {
        let (session, tap) = self.start_loaded()?;
        let named = |exchange: &Exchange| match exchange.call {
            Call::Reserve(pod, node) => Some((exchange.received.pod(pod), exchange.received.node(node))),
            _ => None,
        };
        let reserved: BTreeSet<(String, String)> = self.plain().exchanges.iter().filter_map(named).collect();
        let mirror = session.mirror();
        let asked = reserved.into_iter().filter_map(|(pod, node)| {
            let (id, on) = (mirror.pod_id(&pod)?, mirror.node_id(&node)?);
            let waits = mirror.pod(id).is_some_and(|pod| pod.node.is_none());
            waits.then(|| (pod, tap.call_unrecorded(|policy| ask(policy, id, on))))
        });
        Ok(asked.collect())
    }

    /// Makes a run with these settings.
    pub(super) fn run(&self, manner: &RunOptions) -> RunRecord {
        let mut run = RunRecord::default();
        run.unopened = play(self, manner, &mut run).err();
        run
    }
}

/// Returns the pods that can be tried, ordered by number.
pub(super) fn pending(session: &VirtualDriver) -> Vec<PodId> {
    let waits = |pod: &&Pod| {
        let tried = !pod.gated && !pod.template.foreign && !pod.terminating;
        pod.node.is_none() && pod.phase == Phase::Pending && tried
    };
    session.mirror().pods().filter(waits).map(|pod| pod.id).collect()
}

/// Compares the lines of two runs. Returns the number of compared lines.
///
/// # Errors
/// The first line that differs.
fn first_difference(one: &[String], other: &[String]) -> CheckResult {
    let short = |line: &str| line.chars().take(300).collect::<String>();
    for (at, line) in one.iter().enumerate() {
        match other.get(at) {
            Some(same) if same == line => {}
            Some(differs) => {
                return Err(format!("answer {at} differs: `{}`, and then `{}`", short(line), short(differs)));
            }
            None => return Err(format!("answer {at} was `{}`, and is not asked for then", short(line))),
        }
    }
    match other.get(one.len()) {
        Some(more) => Err(format!("then one more answer follows: `{}`", short(more))),
        None => Ok(one.len()),
    }
}
