//! Follows a ConfigMap that wishes for a policy, and writes the progress of the replacement into it.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, ObjectReference};
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Client, Error};
use tokio::sync::watch;
use tracing::{info, warn};

use super::map::{self, ConfigMapRequest, FollowAction};
use super::{ReplacementProgress, ReplacementService, ReplacementStage};
use crate::deadline::{REPORT, within};

/// The time between two reads of the ConfigMap's version. The rest is read when the version has changed.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The time between two writes of the progress while a replacement is under way.
const WRITE_INTERVAL: Duration = Duration::from_millis(500);

/// The follower of a ConfigMap.
pub struct ConfigMapFollower {
    api: Api<ConfigMap>,
    namespace: String,
    name: String,
    service: ReplacementService,
    events: Recorder,
    process: String,
    /// The version of the ConfigMap that was read last.
    version: Option<String>,
    request: Option<ConfigMapRequest>,
    /// The wish that was ordered or adopted: its digest, and the number of the order.
    own: Option<(String, Option<u64>)>,
    /// The progress that was written last.
    written_progress: Option<ReplacementProgress>,
    /// Whether it was reported that the ConfigMap cannot be read.
    is_unreadable_reported: bool,
}

impl ConfigMapFollower {
    /// Makes a follower of this ConfigMap; `by` is the name of this process.
    pub fn new(
        client: Client,
        (namespace, name): (&str, &str),
        desk: ReplacementService,
        by: &str,
    ) -> ConfigMapFollower {
        let reporter = Reporter { controller: "lictor.dev/lictor".to_owned(), instance: Some(by.to_owned()) };
        let (version, said, own, told) = Default::default();
        ConfigMapFollower {
            api: Api::namespaced(client.clone(), namespace),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            service: desk,
            events: Recorder::new(client, reporter),
            process: by.to_owned(),
            version,
            request: said,
            own,
            written_progress: told,
            is_unreadable_reported: false,
        }
    }

    /// Reads the ConfigMap once, before this process leads: a policy that took over elsewhere is in force here, too.
    pub async fn begin(&mut self) {
        self.poll(false).await;
    }

    /// Follows the ConfigMap forever.
    pub async fn run(mut self, leads: watch::Receiver<bool>) {
        loop {
            let leads = *leads.borrow();
            self.poll(leads).await;
            let is_under_way = self.write_result(leads).await;
            tokio::time::sleep(if is_under_way { WRITE_INTERVAL } else { POLL_INTERVAL }).await;
        }
    }

    async fn poll(&mut self, leads: bool) {
        match self.read().await {
            Ok(()) => self.is_unreadable_reported = false,
            Err(error) => {
                if !std::mem::replace(&mut self.is_unreadable_reported, true) {
                    warn!(object = self.key(), %error, "the policy that is wanted cannot be read");
                }
                return;
            }
        }
        if !leads && self.own.as_ref().is_some_and(|(_, number)| number.is_some()) {
            // The process that leads now orders the replacement, if it has not ended.
            self.own = None;
        }
        let own = self.own.as_ref().map(|(digest, _)| digest.as_str());
        match map::next(self.request.as_ref(), own, leads) {
            FollowAction::Nothing => {}
            FollowAction::GiveUp => {
                if let Some((_, Some(number))) = self.own.take() {
                    self.service.give_up(number, "the ConfigMap wishes for nothing any more");
                }
            }
            FollowAction::Submit => self.submit(),
            FollowAction::Adopt => self.adopt().await,
        }
    }

    /// Reads the ConfigMap where it has changed.
    async fn read(&mut self) -> Result<(), Error> {
        let version = match within(REPORT, self.api.get_metadata_opt(&self.name)).await? {
            Some(found) => found.metadata.resource_version,
            None => {
                (self.version, self.request) = (None, None);
                return Ok(());
            }
        };
        if version.is_none() || version != self.version {
            let found = within(REPORT, self.api.get_opt(&self.name)).await?;
            self.take(found);
        }
        Ok(())
    }

    fn take(&mut self, found: Option<ConfigMap>) {
        self.version = found.as_ref().and_then(|map| map.metadata.resource_version.clone());
        self.request = found.and_then(|map| map::read(&self.key(), &map));
    }

    fn submit(&mut self) {
        let Some(said) = &self.request else { return };
        let number = match &said.request {
            Ok(wish) => self.service.submit(wish.clone()),
            Err(refusal) => self.service.refuse(&self.key(), refusal.clone()),
        };
        (self.own, self.written_progress) = (Some((said.digest.clone(), Some(number))), None);
    }

    /// Adopts the policy that took over elsewhere: sessions are opened with it from now on.
    async fn adopt(&mut self) {
        let Some(ConfigMapRequest { digest, request: Ok(wish), .. }) = self.request.clone() else { return };
        self.own = Some((digest, None));
        let desk = self.service.clone();
        match tokio::task::spawn_blocking(move || desk.read(wish)).await {
            Ok(Ok(offer)) => {
                info!(component = offer.name, "the policy that took over elsewhere is in force");
                (offer.settled)();
            }
            Ok(Err(refusal)) => {
                let (message, remedy) = (refusal.message, refusal.remedy);
                warn!(object = self.key(), remedy, "the policy that took over elsewhere cannot be read: {message}");
            }
            Err(error) => warn!(%error, "the policy that took over elsewhere was not read"),
        }
    }

    /// Writes the progress into the ConfigMap, where it has changed. Returns true where the replacement has not ended.
    async fn write_result(&mut self, leads: bool) -> bool {
        let Some((digest, Some(number))) = self.own.clone().filter(|_| leads) else { return false };
        let Some(progress) = self.service.progress(Some(number)) else { return false };
        if self.written_progress.as_ref() == Some(&progress) {
            return !progress.stage.is_final();
        }
        let written = Patch::Merge(map::result_patch(&digest, &self.process, &progress));
        match within(REPORT, self.api.patch(&self.name, &PatchParams::default(), &written)).await {
            Ok(found) => {
                if self.written_progress.as_ref().map(|told| told.stage) != Some(progress.stage) {
                    self.report(&progress).await;
                }
                self.take(Some(found));
                self.written_progress = Some(progress);
            }
            Err(Error::Api(status)) if status.code == 404 => self.take(None),
            Err(error) => {
                warn!(object = self.key(), %error, "what became of the replacement is not written");
            }
        }
        true
    }

    /// Reports a stage as an event of the ConfigMap. The first stages have no event.
    async fn report(&self, progress: &ReplacementProgress) {
        let reason = match progress.stage {
            ReplacementStage::Shadow => "PolicyCompared",
            ReplacementStage::Watching => "PolicySwitched",
            ReplacementStage::Done => "PolicyReplaced",
            ReplacementStage::RolledBack => "PolicyRolledBack",
            ReplacementStage::Refused => "PolicyRefused",
            _ => return,
        };
        let is_bad = matches!(progress.stage, ReplacementStage::RolledBack | ReplacementStage::Refused);
        let remedy = if progress.remedy.is_empty() { String::new() } else { format!(": {}", progress.remedy) };
        // A refusal names what it is about.
        let about = if progress.stage == ReplacementStage::Refused {
            String::new()
        } else {
            format!("{}: ", progress.component)
        };
        let note = format!("{about}{}{remedy}", progress.last());
        let event = Event {
            type_: if is_bad { EventType::Warning } else { EventType::Normal },
            reason: reason.to_owned(),
            note: Some(note.chars().take(1000).collect()),
            action: "Replacing".to_owned(),
            secondary: None,
        };
        let about = ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("ConfigMap".to_owned()),
            namespace: Some(self.namespace.clone()),
            name: Some(self.name.clone()),
            ..ObjectReference::default()
        };
        if let Err(error) = within(REPORT, self.events.publish(&event, &about)).await {
            warn!(object = self.key(), %error, "an event is not written");
        }
    }

    fn key(&self) -> String {
        format!("ConfigMap/{}/{}", self.namespace, self.name)
    }
}
