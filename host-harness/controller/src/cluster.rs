//! The connection to a cluster, and the signals that end a process.

use std::path::PathBuf;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::deadline::SILENCE;

/// The address of a cluster and the identity of its user, as a kubeconfig names them.
#[derive(Debug, Clone, Default)]
pub struct ClusterAccess {
    /// The kubeconfig. `None`: the kubeconfig that kubectl finds, or the service account of the pod.
    pub kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig. `None`: the current one.
    pub context: Option<String>,
}

/// Why a cluster cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no configuration, or it cannot be used.
    #[error("no cluster is configured: {0}")]
    Config(String),
    /// The client cannot be made.
    #[error("the cluster cannot be reached: {0}")]
    Client(#[from] kube::Error),
}

/// Makes a client for a cluster.
///
/// The client retries nothing by itself: the executor of commands must know what was refused.
///
/// # Errors
/// There is no configuration, or it cannot be used. No request is sent: a silent API server is no error here.
pub async fn connect(access: &ClusterAccess) -> Result<Client, ConnectError> {
    let options = KubeConfigOptions { context: access.context.clone(), ..KubeConfigOptions::default() };
    let mut config = match &access.kubeconfig {
        Some(file) => {
            let read = Kubeconfig::read_from(file).map_err(|error| ConnectError::Config(error.to_string()))?;
            Config::from_custom_kubeconfig(read, &options)
                .await
                .map_err(|error| ConnectError::Config(error.to_string()))?
        }
        None if access.context.is_some() => {
            Config::from_kubeconfig(&options).await.map_err(|error| ConnectError::Config(error.to_string()))?
        }
        None => Config::infer().await.map_err(|error| ConnectError::Config(error.to_string()))?,
    };
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(5));
    config.read_timeout = Some(SILENCE);
    // The time-out counts from a request, not from the previous one on the same connection.
    config.reset_reader_on_write = true;
    Ok(Client::try_from(config)?)
}

/// Returns a value that becomes true when the process receives SIGTERM or SIGINT. Must be called within a runtime.
pub fn stop_signal() -> watch::Receiver<bool> {
    let (send, stop) = watch::channel(false);
    tokio::spawn(async move {
        match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
            (Ok(mut terminate), Ok(mut interrupt)) => {
                tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            }
            _ => std::future::pending().await,
        }
        send.send_replace(true);
    });
    stop
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::GroupKind;
    use crate::watch::stream::resource_of;

    #[tokio::test(start_paused = true)]
    async fn a_connection_on_which_nothing_is_heard_is_given_up() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        let file = std::env::temp_dir().join(format!("lictor-silent-{}.kubeconfig", std::process::id()));
        let config = serde_json::json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [{"name": "u", "user": {}}],
            "clusters": [{"name": "s", "cluster": {"server": server}}],
            "contexts": [{"name": "c", "context": {"cluster": "s", "user": "u"}}],
        });
        std::fs::write(&file, config.to_string()).unwrap();
        let client = connect(&ClusterAccess { kubeconfig: Some(file.clone()), context: None }).await.unwrap();
        let begun = tokio::time::Instant::now();
        assert!(resource_of(&client, &GroupKind::new("", "Pod")).await.is_err());
        assert_eq!(begun.elapsed().as_secs(), SILENCE.as_secs());
        std::fs::remove_file(file).unwrap();
    }
}
