//! The session of a living cluster.

use std::sync::{Arc, Mutex, PoisonError};

use lictor_contract::{Description, ExtensionPoint};
use lictor_controller::decide::{RecordableSession, RunMode};
use lictor_controller::names::DEFAULT_SCHEDULER;
use lictor_controller::run::SessionSetup;
use lictor_host::cluster::KubernetesObject;
use lictor_host::living::only_marks;
use lictor_host::policy::Policy;
use lictor_host::recording::Recorder;
use lictor_host::session::{FaultRules, Session};

use super::{ClusterArgs, RunArgs};
use crate::arguments;
use crate::choice::LoadedPolicy;
use crate::decide::{SnapshotSource, deciding_kinds};
use crate::failure::CommandError;
use crate::recorded::header;
use lictor_decide::UserArguments;
use lictor_decide::system::{SystemChoice, choose, lacks_kinds};
use tracing::{info, warn};

impl ClusterArgs {
    /// Returns the access to the cluster.
    pub(super) fn access(&self) -> lictor_controller::cluster::ClusterAccess {
        lictor_controller::cluster::ClusterAccess { kubeconfig: self.kubeconfig.clone(), context: self.context.clone() }
    }
}

/// The parts with which a session of a living cluster is opened.
pub(super) struct ClusterSessionFactory {
    active: Mutex<ActivePolicy>,
    /// The name of the system; empty for the only one of the policy.
    pub(super) system: String,
    /// The name of the system, as the policy describes it; not empty where the policy describes the system.
    pub(super) system_name: String,
    /// The policy and its version.
    pub(super) policy: String,
    pub(super) schedulers: Vec<String>,
    pub(super) recorder: Option<Recorder>,
}

/// The policy that sessions are opened with, and its arguments.
#[derive(Clone)]
pub(super) struct ActivePolicy {
    pub(super) chosen: Arc<LoadedPolicy>,
    pub(super) arguments: Arc<UserArguments>,
}

impl ClusterSessionFactory {
    /// Reads the options. The policy is started to learn for which schedulers it would decide. `choose` chooses the system.
    pub(super) fn read(
        asked: &RunArgs,
        mode: RunMode,
        recorder: Option<Recorder>,
        choose: impl FnOnce(&Description) -> Result<String, CommandError>,
    ) -> Result<ClusterSessionFactory, CommandError> {
        let arguments = arguments::read(asked.in_force.args.as_deref())?;
        let first = if asked.is_replaced() { asked.policy.first() } else { asked.policy.clone() };
        let chosen = first.load_policy()?;
        let described = described(chosen.start()?.as_mut())?;
        let system = choose(&described)?;
        let policy = format!("{} {}", described.name, described.version);
        let info = described.system(&system);
        let system_name = info.map_or(&system, |info| &info.name).clone();
        let schedulers = match (asked.in_force.schedulers.as_slice(), mode) {
            // kube-scheduler binds the pods that are let go.
            ([], RunMode::Enforce | RunMode::DryRun) => vec![DEFAULT_SCHEDULER.to_owned()],
            ([], RunMode::Observe) => info.map(|info| info.schedulers.clone()).unwrap_or_default(),
            (named, _) => named.to_vec(),
        };
        let in_force = Mutex::new(ActivePolicy { chosen: Arc::new(chosen), arguments: Arc::new(arguments) });
        Ok(ClusterSessionFactory { active: in_force, system, system_name, policy, schedulers, recorder })
    }

    /// Returns the policy that sessions are opened with now.
    pub(super) fn active_policy(&self) -> ActivePolicy {
        self.active.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the policy that sessions are opened with from now on.
    pub(super) fn set_active_policy(&self, new: ActivePolicy) {
        *self.active.lock().unwrap_or_else(PoisonError::into_inner) = new;
    }

    /// Opens a session.
    pub(super) fn open(&self) -> Result<SessionSetup, CommandError> {
        let ActivePolicy { chosen, arguments } = self.active_policy();
        let mut policy = chosen.start()?;
        let json = arguments.json();
        let described = described(policy.as_mut())?;
        let info = described.system(&self.system);
        if let Some(recorder) = &self.recorder {
            let with = (info.map_or(&*self.system, |info| &info.name), &*json);
            let of = vec!["the cluster".to_owned()];
            let header = header(&described, &chosen, with, &self.schedulers, FaultRules::default(), of);
            policy = recorder.observe(policy, &header);
        }
        let opened = Session::open(policy, &self.system, &json);
        let mut session = opened.map_err(|error| arguments.refused(error, &self.system, info))?;
        session.set_schedulers(self.schedulers.iter().cloned());
        session.set_rails(chosen.rails.clone());
        let points = info.map(|info| info.extension_points.as_slice()).unwrap_or_default();
        Ok(SessionSetup {
            interests: session.interests().clone(),
            deletes_victims: !only_marks(&self.system_name, &json),
            points: points.iter().filter_map(|point| ExtensionPoint::named(point)).collect(),
            session: RecordableSession::new(session, self.recorder.clone()),
        })
    }
}

/// Returns the system that decides in the cluster: the named one, else the one that scheduler names and kinds of objects fit. Logs which one was chosen
/// and why, and warns of a cluster in which nothing belongs to the named one. Reads the cluster once.
pub(super) fn system(asked: &RunArgs, described: &Description) -> Result<String, CommandError> {
    let named = &asked.in_force.laws;
    if described.systems.len() < 2 || !named.is_empty() && described.system(named).is_none() {
        return Ok(named.clone());
    }
    match super::cluster(&asked.access, &deciding_kinds(described)) {
        Ok(cluster) => Ok(in_force(named, &SnapshotSource::Text("the cluster", cluster).read()?.objects, described)),
        // The session reads less, and reports itself what is wrong with the cluster.
        Err(_) if !named.is_empty() => Ok(named.clone()),
        Err(CommandError::Cluster { message, .. }) => {
            let message = format!("no system is named, and the cluster does not say which one fits: {message}");
            Err(CommandError::Cluster { message, remedy: "name the system with `--system`" })
        }
        Err(failure) => Err(failure),
    }
}

fn in_force(named: &str, objects: &[KubernetesObject], described: &Description) -> String {
    if named.is_empty() {
        let SystemChoice { system, why, others } = choose(objects, described);
        let others = others.join(", ");
        info!(system, reason = why, others, remedy = "`--system` names another system", "the system was chosen");
        return system;
    }
    if let Some(lacks) = lacks_kinds(objects, described, named) {
        let remedy = "name another system with `--system`, unless such objects are still to come";
        warn!(system = named, reason = lacks, remedy, "nothing in the cluster is of the system");
    }
    named.to_owned()
}

fn described(policy: &mut dyn Policy) -> Result<Description, CommandError> {
    policy.describe().map_err(CommandError::from)
}
