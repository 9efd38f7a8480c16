//! Sends the requests of an elector to the API server.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Api, ObjectMeta, PostParams};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use super::{Elector, ElectorAction, LeaseRecord, LeaseRequest, LeaseResponse, LeaseTimings, ObservedLease};

/// A lease to hold, with the candidate for it.
#[derive(Debug, Clone)]
pub struct ElectionConfig {
    /// The namespace of the Lease object.
    pub namespace: String,
    /// The name of the Lease object.
    pub name: String,
    /// The unique name of this candidate.
    pub identity: String,
    /// The times of the election.
    pub terms: LeaseTimings,
}

/// Takes part in the election until `stop` becomes true, then gives the lease back. `leads` says whether this process leads. It becomes false at the
/// moment at which the leader's time is up without a renewal, also while a request is under way.
///
/// What the leader does must have ended, or be given up, when `stop` becomes true: another process leads at once.
pub async fn run_election(
    client: kube::Client,
    what: ElectionConfig,
    leads: watch::Sender<bool>,
    mut stop: watch::Receiver<bool>,
) {
    let api: Api<Lease> = Api::namespaced(client, &what.namespace);
    let mut elector = Elector::new(what.identity.clone(), what.terms);
    let start = Instant::now();
    let (mut lease, mut told) = (None, false);
    loop {
        let is_stopped = *stop.borrow();
        if is_stopped {
            elector.release(start.elapsed());
        }
        match publish_leadership(&leads, &mut told, &elector, start.elapsed()) {
            Some(true) => info!(lease = %what.name, holder = %what.identity, "leads"),
            Some(false) if is_stopped => info!(lease = %what.name, "gives back the lease"),
            Some(false) => warn!(lease = %what.name, holder = elector.holder(), "does not lead any more"),
            None => {}
        }
        match elector.next(start.elapsed(), Timestamp::now()) {
            ElectorAction::Ended => break,
            ElectorAction::Wait(until) => {
                let pause = until.saturating_sub(start.elapsed());
                tokio::select! {
                    () = sleep(pause) => {}
                    changed = stop.changed() => if changed.is_err() { break },
                }
            }
            ElectorAction::Send(request) => {
                let sent = start.elapsed();
                let asked =
                    timeout(deadline(&elector, &what.terms, sent), send_request(&api, &what, &request, &mut lease));
                let answer = asked.await.unwrap_or(LeaseResponse::Failed);
                if elector.leads_until().is_some_and(|until| until <= start.elapsed()) {
                    let _receivers = leads.send_replace(false);
                }
                elector.handle_response(&request, sent, start.elapsed(), answer);
            }
        }
    }
    let _receivers = leads.send_replace(false);
}

/// Returns how long a request may take that is sent at this moment. No request outlives the time of the leader that sent it, and one that hangs leaves
/// time for another: half of [`LeaseTimings::renew`], as client-go gives its client for leases (upstream: `NewFromKubeconfig` in
/// `tools/leaderelection/resourcelock/interface.go`).
fn deadline(elector: &Elector, terms: &LeaseTimings, sent: Duration) -> Duration {
    let half = terms.renew.checked_div(2).unwrap_or_default();
    elector.leads_until().map_or(half, |until| until.saturating_sub(sent).min(half))
}

/// Tells the receivers whether this process leads. `None`: that did not change.
fn publish_leadership(leads: &watch::Sender<bool>, told: &mut bool, elector: &Elector, now: Duration) -> Option<bool> {
    let now_leads = elector.leads(now);
    let known = !elector.holder().is_empty();
    let mut changed = false;
    // A candidate that waits learns here that the Lease was read: its receivers are notified, though the value is the same.
    let _told = leads.send_if_modified(|leads| {
        changed = std::mem::replace(leads, now_leads) != now_leads;
        changed || (known && !std::mem::replace(told, true))
    });
    changed.then_some(now_leads)
}

/// Sends one request and returns its answer. `kept` is the whole lease as it was read last: its other fields are written back unchanged.
async fn send_request(
    api: &Api<Lease>,
    what: &ElectionConfig,
    request: &LeaseRequest,
    kept: &mut Option<Lease>,
) -> LeaseResponse {
    let answer = match request {
        LeaseRequest::Read => api.get(&what.name).await,
        LeaseRequest::Create(record) => {
            let metadata = ObjectMeta { name: Some(what.name.clone()), ..ObjectMeta::default() };
            api.create(&PostParams::default(), &Lease { metadata, spec: Some(spec(LeaseSpec::default(), record)) })
                .await
        }
        LeaseRequest::Replace(ObservedLease { version, record }) => {
            let Lease { mut metadata, spec: old } = kept.clone().unwrap_or_default();
            metadata.name = Some(what.name.clone());
            metadata.resource_version = Some(version.clone());
            let lease = Lease { metadata, spec: Some(spec(old.unwrap_or_default(), record)) };
            api.replace(&what.name, &PostParams::default(), &lease).await
        }
    };
    match answer {
        Ok(lease) => {
            let seen = observed_lease(&lease);
            *kept = Some(lease);
            LeaseResponse::Lease(seen)
        }
        Err(kube::Error::Api(status)) if status.code == 409 => LeaseResponse::Conflict,
        Err(kube::Error::Api(status)) if status.code == 404 && matches!(request, LeaseRequest::Create(_)) => {
            warn!(namespace = %what.namespace, "the namespace of the lease does not exist");
            LeaseResponse::Failed
        }
        Err(kube::Error::Api(status)) if status.code == 404 => LeaseResponse::Missing,
        Err(error) => {
            warn!(lease = %what.name, error = %error, "the lease cannot be read or written");
            LeaseResponse::Failed
        }
    }
}

fn spec(old: LeaseSpec, record: &LeaseRecord) -> LeaseSpec {
    LeaseSpec {
        holder_identity: Some(record.holder.clone()),
        lease_duration_seconds: record.seconds,
        acquire_time: record.acquired.map(MicroTime),
        renew_time: record.renewed.map(MicroTime),
        lease_transitions: Some(record.transitions),
        ..old
    }
}

fn observed_lease(lease: &Lease) -> ObservedLease {
    let spec = lease.spec.clone().unwrap_or_default();
    let record = LeaseRecord {
        holder: spec.holder_identity.unwrap_or_default(),
        seconds: spec.lease_duration_seconds,
        acquired: spec.acquire_time.map(|time| time.0),
        renewed: spec.renew_time.map(|time| time.0),
        transitions: spec.lease_transitions.unwrap_or_default(),
    };
    ObservedLease { version: lease.metadata.resource_version.clone().unwrap_or_default(), record }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::silent;

    /// Returns a candidate that has renewed its lease at the beginning.
    fn leader() -> Elector {
        let mut elector = Elector::new("a", LeaseTimings::default());
        let (zero, seen) = (Duration::ZERO, ObservedLease { version: "1".to_owned(), record: LeaseRecord::default() });
        let request = LeaseRequest::Replace(seen.clone());
        elector.handle_response(&request, zero, zero, LeaseResponse::Lease(seen));
        elector
    }

    #[test]
    fn a_renewal_that_hangs_leaves_time_for_another_and_none_outlives_the_lead() {
        let (elector, terms) = (leader(), LeaseTimings::default());
        let at = |seconds| deadline(&elector, &terms, Duration::from_secs(seconds));
        assert_eq!([0, 2, 7, 10, 11].map(at), [5, 5, 3, 0, 0].map(Duration::from_secs));
        let candidate = Elector::new("b", terms);
        assert_eq!(deadline(&candidate, &terms, Duration::from_secs(100)), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn no_request_keeps_a_candidate_from_ending_for_longer_than_its_deadline() {
        let (client, _server) = silent();
        let [namespace, name, identity] = ["default", "lictor", "a"].map(str::to_owned);
        let what = ElectionConfig { namespace, name, identity, terms: LeaseTimings::default() };
        let ((lead, leads), (stop, stopped)) = (watch::channel(false), watch::channel(false));
        let begun = Instant::now();
        let kept = tokio::spawn(run_election(client, what, lead, stopped));
        // The first request is under way.
        sleep(Duration::from_secs(1)).await;
        stop.send_replace(true);
        kept.await.unwrap();
        assert_eq!((begun.elapsed().as_secs(), *leads.borrow()), (5, false));
    }
}
