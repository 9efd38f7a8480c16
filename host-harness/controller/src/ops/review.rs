//! Asks the API server whether this process has the rights without which no plan can be carried out.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use kube::api::{Api, PostParams};
use kube::{Client, Error};
use tracing::{info, warn};

use super::Status;
use super::rights::sentence;
use crate::deadline::{REPORT, within};

/// The rights that every system needs: group, resource with its subresource, verb. A kind that cannot be read is reported by its watch.
const NEEDED: &[(&str, &str, &str)] =
    &[("", "pods", "get"), ("", "pods", "patch"), ("", "pods/status", "patch"), ("", "pods/eviction", "create")];

/// The right to write events.
const EVENTS: (&str, &str, &str) = ("events.k8s.io", "events", "create");

/// The time until the next review while a right is missing, and while none is.
const MISSING: Duration = Duration::from_secs(30);
const COMPLETE: Duration = Duration::from_secs(300);

/// Updates the status with the rights that are missing, and logs each missing right once.
pub(super) async fn follow(client: Client, status: Arc<Status>, reports: bool) {
    let api: Api<SelfSubjectAccessReview> = Api::all(client);
    let mut was_complete = true;
    loop {
        // An API server that does not answer says nothing about rights.
        let Ok(missing) = missing(&api, reports).await else {
            tokio::time::sleep(MISSING).await;
            continue;
        };
        let is_complete = missing.is_empty();
        for right in status.set_missing_rights(missing) {
            warn!(remedy = right, "a right is missing without which plans cannot be carried out");
        }
        if is_complete && !was_complete {
            info!("no right is missing any more");
        }
        was_complete = is_complete;
        tokio::time::sleep(if is_complete { COMPLETE } else { MISSING }).await;
    }
}

/// Returns the rights that are missing, each as a sentence.
async fn missing(api: &Api<SelfSubjectAccessReview>, reports: bool) -> Result<Vec<String>, Error> {
    let mut missing = Vec::new();
    for (group, resource, verb) in NEEDED.iter().chain(reports.then_some(&EVENTS)) {
        let (name, below) = resource.split_once('/').unwrap_or((resource, ""));
        let attributes = ResourceAttributes {
            group: Some((*group).to_owned()),
            resource: Some(name.to_owned()),
            subresource: Some(below.to_owned()).filter(|below| !below.is_empty()),
            verb: Some((*verb).to_owned()),
            ..ResourceAttributes::default()
        };
        let spec = SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), ..Default::default() };
        let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
        let answer = within(REPORT, api.create(&PostParams::default(), &review)).await?;
        if !answer.status.is_some_and(|status| status.allowed) {
            missing.push(sentence(verb, group, resource));
        }
    }
    Ok(missing)
}
