//! Decides in a living cluster.

use std::sync::Arc;
use std::time::Duration;

use lictor_controller::cluster;
use lictor_controller::decide::RunMode;
use lictor_controller::ops::start::{RunningOperations, identity, start};
use lictor_controller::run::log::LogObserver;
use lictor_controller::run::{LoopDependencies, RunError, Settings, run as decide};
use lictor_controller::state::{CheckpointStore, ConfigMapStore, FileStore};
use lictor_controller::tokio;
use lictor_controller::upgrade::follow::ConfigMapFollower;
use lictor_controller::upgrade::{ReplacementObserver, ReplacementService};
use tracing_subscriber::EnvFilter;

use super::open::{ClusterSessionFactory, system};
use super::{CheckpointArgs, LogFormat, RunArgs, RunModeArgs, UnschedulableGrace, upgrade};
use crate::exit::Exit;
use crate::failure::CommandError;
use crate::recorded::RecordingFile;

impl RunModeArgs {
    /// Returns the mode that the options choose.
    fn mode(&self) -> RunMode {
        match (self.dry_run, self.observe) {
            (true, _) => RunMode::DryRun,
            (false, true) => RunMode::Observe,
            (false, false) => RunMode::Enforce,
        }
    }
}

/// Decides until the process must end.
pub(crate) fn run(asked: &RunArgs) -> Result<Exit, CommandError> {
    log(asked.log)?;
    let mode = asked.mode.mode();
    let recording = asked.record.as_deref().map(RecordingFile::open).transpose()?;
    let recorder = recording.as_ref().map(|recording| recording.recorder().clone());
    let opening = Arc::new(ClusterSessionFactory::read(asked, mode, recorder, |described| system(asked, described))?);
    // Errors of the policy or its arguments are reported before the first request to the cluster.
    opening.open()?;
    let (upgrades, offers) = ReplacementObserver::new();
    let desk = upgrade::replacement_service(asked, &opening, offers);
    upgrade::follow(asked, &desk)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ran = runtime.block_on(serve(asked, mode, &opening, (upgrades, desk)));
    recording.iter().try_for_each(RecordingFile::finish)?;
    ran
}

async fn serve(
    asked: &RunArgs,
    mode: RunMode,
    opening: &ClusterSessionFactory,
    (upgrades, desk): (ReplacementObserver, ReplacementService),
) -> Result<Exit, CommandError> {
    let client = cluster::connect(&asked.access.access()).await.map_err(|error| CommandError::Cluster {
        message: error.to_string(),
        remedy: "name a kubeconfig with `--kubeconfig`, or run in a pod with a service account",
    })?;
    let UnschedulableGrace(grace) = asked.refused_grace;
    let settings = Settings {
        mode,
        schedulers: opening.schedulers.clone(),
        max_concurrent_requests: usize::from(asked.requests),
        refused_grace: grace.map(|seconds| Duration::from_secs(seconds.into())),
        identity: identity(),
        ..Settings::default()
    };
    let identity = settings.identity.clone();
    let CheckpointArgs { checkpoint, checkpoint_map } = &asked.checkpoint;
    let checkpoint_store: Option<Box<dyn CheckpointStore>> = match (checkpoint, checkpoint_map) {
        (Some(file), _) => Some(Box::new(FileStore(file.clone()))),
        (None, Some((namespace, name))) => {
            Some(Box::new(ConfigMapStore::new(client.clone(), (namespace, name), &identity)))
        }
        (None, None) => None,
    };
    let follower = asked
        .policy_map
        .as_ref()
        .map(|(namespace, name)| ConfigMapFollower::new(client.clone(), (namespace, name), desk.clone(), &identity));
    let follower = match follower {
        Some(mut follower) => {
            follower.begin().await;
            Some(follower)
        }
        None => None,
    };
    let started = start(client.clone(), asked.operations.config(mode, opening, desk, identity)).await;
    let RunningOperations { observer: listener, leads, handle: ender } =
        started.map_err(|error| CommandError::Cluster {
            message: error.to_string(),
            remedy: "name another address or path, or end what listens there",
        })?;
    let following = follower.map(|follower| tokio::spawn(follower.run(leads.clone())));
    let stop = cluster::stop_signal();
    let open = || {
        opening.open().map_err(|failure| {
            let (message, remedy) = failure.lines();
            tracing::error!(remedy, "{message}");
            failure.to_string()
        })
    };
    let observer = (LogObserver::default(), (listener, upgrades));
    let with = LoopDependencies { client, open, observer, checkpoint_store, leads, stop };
    let ran = decide(settings, with).await;
    following.iter().for_each(|following| following.abort());
    ender.shut_down().await;
    match ran {
        Ok(()) => Ok(Exit::Success),
        // The reason is in the log since the session could not be opened.
        Err(RunError::Open(_)) => Ok(Exit::Failure),
        Err(error) => Err(CommandError::Cluster {
            message: error.to_string(),
            remedy: "start it again: it goes on from the cluster and its checkpoint",
        }),
    }
}

/// Writes log lines from now on: those that `RUST_LOG` selects, or those that operators need.
fn log(format: LogFormat) -> Result<(), CommandError> {
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(asked) => EnvFilter::try_new(&asked).map_err(|error| CommandError::Cluster {
            message: format!("`RUST_LOG`: {error}"),
            remedy: "write levels such as `info` or `warn,lictor_controller=debug`",
        })?,
        // The watches report themselves what cannot be read, once for each kind.
        Err(_) => EnvFilter::new("info,kube_runtime=error"),
    };
    // The place in the code of a log line says nothing to an operator.
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr);
    // A second subscriber is refused, and the first one is as good.
    let _set = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    Ok(())
}
