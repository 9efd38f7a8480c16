//! Decides in a living cluster.

use std::sync::Arc;
use std::time::Duration;

use lictor_controller::cluster;
use lictor_controller::decide::Mode;
use lictor_controller::ops::start::{Started, identity, start};
use lictor_controller::run::log::Log as Lines;
use lictor_controller::run::{RunError, Settings, Surroundings, run as decide};
use lictor_controller::state::{InConfigMap, InFile, Keep};
use lictor_controller::tokio;
use lictor_controller::upgrade::follow::Follower;
use lictor_controller::upgrade::{Desk, Upgrades};
use tracing_subscriber::EnvFilter;

use super::open::{Opening, system};
use super::{Asked, Grace, Log, upgrade};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::recorded::Recording;

/// Decides until the process must end.
pub(crate) fn run(asked: &Asked) -> Result<Exit, Failure> {
    log(asked.log)?;
    let mode = match (asked.dry_run, asked.observe) {
        (true, _) => Mode::DryRun,
        (false, true) => Mode::Observe,
        (false, false) => Mode::Act,
    };
    let recording = asked.record.as_deref().map(Recording::open).transpose()?;
    let recorder = recording.as_ref().map(|recording| recording.recorder().clone());
    let opening = Arc::new(Opening::read(asked, mode, recorder, |described| system(asked, described))?);
    // Errors of the policy or its arguments are reported before the first request to the cluster.
    opening.open()?;
    let (upgrades, offers) = Upgrades::new();
    let desk = upgrade::desk(asked, &opening, offers);
    upgrade::follow(asked, &desk)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ran = runtime.block_on(serve(asked, mode, &opening, (upgrades, desk)));
    recording.iter().try_for_each(Recording::finish)?;
    ran
}

async fn serve(
    asked: &Asked,
    mode: Mode,
    opening: &Opening,
    (upgrades, desk): (Upgrades, Desk),
) -> Result<Exit, Failure> {
    let client = cluster::connect(&asked.access.way()).await.map_err(|error| Failure::Cluster {
        message: error.to_string(),
        remedy: "name a kubeconfig with `--kubeconfig`, or run in a pod with a service account",
    })?;
    let Grace(grace) = asked.refused_grace;
    let settings = Settings {
        mode,
        schedulers: opening.schedulers.clone(),
        at_once: usize::from(asked.requests),
        refused_grace: grace.map(|seconds| Duration::from_secs(seconds.into())),
        identity: identity(),
        ..Settings::default()
    };
    let identity = settings.identity.clone();
    let keep: Option<Box<dyn Keep>> = match (&asked.checkpoint, &asked.checkpoint_map) {
        (Some(file), _) => Some(Box::new(InFile(file.clone()))),
        (None, Some((namespace, name))) => {
            Some(Box::new(InConfigMap::new(client.clone(), (namespace, name), &identity)))
        }
        (None, None) => None,
    };
    let follower = asked
        .policy_map
        .as_ref()
        .map(|(namespace, name)| Follower::new(client.clone(), (namespace, name), desk.clone(), &identity));
    let follower = match follower {
        Some(mut follower) => {
            follower.begin().await;
            Some(follower)
        }
        None => None,
    };
    let started = start(client.clone(), asked.operations.wanted(mode, opening, desk, identity)).await;
    let Started { listener, leads, ender } = started.map_err(|error| Failure::Cluster {
        message: error.to_string(),
        remedy: "name another address or path, or end what listens there",
    })?;
    let following = follower.map(|follower| tokio::spawn(follower.run(leads.clone())));
    let stop = cluster::stop();
    let open = || {
        opening.open().map_err(|failure| {
            failure.tell();
            failure.to_string()
        })
    };
    let with = Surroundings { client, open, listener: (Lines::default(), (listener, upgrades)), keep, leads, stop };
    let ran = decide(settings, with).await;
    following.iter().for_each(|following| following.abort());
    ender.end().await;
    match ran {
        Ok(()) => Ok(Exit::Done),
        // The reason was reported when the session could not be opened.
        Err(RunError::Open(_)) => Ok(Exit::Failed),
        Err(error) => Err(Failure::Cluster {
            message: error.to_string(),
            remedy: "start it again: it goes on from the cluster and its checkpoint",
        }),
    }
}

/// Writes log lines from now on: those that `RUST_LOG` selects, or those that operators need.
fn log(format: Log) -> Result<(), Failure> {
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(asked) => EnvFilter::try_new(&asked).map_err(|error| Failure::Cluster {
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
        Log::Text => lines.try_init(),
        Log::Json => lines.json().try_init(),
    };
    Ok(())
}
