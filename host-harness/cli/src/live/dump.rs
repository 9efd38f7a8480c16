//! The cluster of the kubeconfig as a dump, for `decide` and `explain` in place of a file.

use lictor_contract::Interests;
use lictor_controller::cluster::connect;
use lictor_controller::{dump, tokio};

use super::ClusterArgs;
use crate::failure::CommandError;

/// Reads all objects that a policy with these interests reads, as JSON.
pub(crate) fn cluster(access: &ClusterArgs, interests: &Interests) -> Result<String, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let failed = |message: String, remedy| CommandError::Cluster { message, remedy };
    runtime.block_on(async {
        let remedy = "name a kubeconfig with `--kubeconfig`, or set KUBECONFIG";
        let client = connect(&access.access()).await.map_err(|error| failed(error.to_string(), remedy))?;
        let read = dump::read(&client, interests).await;
        let remedy = "you need the rights to list pods, nodes and the objects that the system reads";
        read.map(|list| list.to_string()).map_err(|error| failed(error.to_string(), remedy))
    })
}
