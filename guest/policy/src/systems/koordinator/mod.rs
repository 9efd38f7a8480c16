//! Koordinator: ElasticQuota, gangs, and the two proposals on preemption by jobs and among reservations.
//!
//! Upstream never built the proposals. Where they are silent, the rules of the elastic quota and coscheduling plugins apply
//! (pkg/scheduler/plugins/{elasticquota,coscheduling}, module of Kubernetes 1.35).

mod args;
mod demands;
mod gangs;
mod keys;
mod laws;
mod metadata;
mod owners;
mod pods;
mod quotas;
mod reservation;
mod runtime;
mod taints;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::contract::{self, ConfigError, Eviction, Interests, Mark, MarkPlace, ObjectKey, PodStatus, SystemInfo};
use crate::laws::{LawListing, Laws};
use crate::model::{Cluster, NameId, PodAttributes, PodInfo, PodIx, QueueIx};
use crate::systems::document::label_path;
use crate::systems::gang_findings::GangLabelKeys;
use crate::systems::named_queues::{NamedQueues, exists};
use crate::systems::scheduling_groups::{SchedulingGroups, with_groups};
use crate::systems::{
    self, DEFAULT_SCHEDULER, Findings, ParsedObject, QueueVocabulary, System, SystemArguments, interests, pod_group,
    schedulers,
};
use args::KoordinatorArgs;
use gangs::AnnotatedGangs;
use metadata::KoordinatorPodMetadata;
use owners::ReservationOwnersIndex;
use quotas::KoordinatorQuotas;

/// Describes the system.
pub fn describe() -> SystemInfo {
    use contract::ExtensionPoint::*;
    let kinds = [(keys::SIGS_GROUP, "ElasticQuota"), (keys::SIGS_GROUP, "PodGroup")];
    let interests = interests(&[&keys::POD_LABELS[..], &["*"]].concat(), &keys::POD_ANNOTATIONS, &kinds);
    SystemInfo {
        name: "koordinator".to_owned(),
        about: "ElasticQuota, gangs and preemption by whole jobs".to_owned(),
        extension_points: [QueueOrder, PreFilter, Filter, PostFilter, Reserve, Permit].map(Into::into).into(),
        judges_room: true,
        evicts_higher_priority: true,
        schedulers: schedulers(&["koord-scheduler", DEFAULT_SCHEDULER]),
        interests: with_groups(Interests {
            leaving_labels: vec![keys::SOFT_EVICTION.to_owned()],
            placed_kinds: vec![reservation::placed_kind()],
            ..interests
        }),
        arguments: args::arguments(),
        templates: systems::message_templates(&list_laws(), TERMS),
    }
}

/// What users of this system call a queue and its bounds.
const TERMS: QueueVocabulary = QueueVocabulary { queue: "quota", guaranteed: "min", deserved: "", max: "max" };

/// Returns every law that some arguments put in force.
pub fn list_laws() -> Vec<LawListing> {
    laws::table(&KoordinatorArgs::all_enabled()).list()
}

/// Configures the system.
pub fn configure(arguments: &SystemArguments) -> Result<Box<dyn System>, ConfigError> {
    let args = KoordinatorArgs::new(arguments);
    Ok(Box::new(Koordinator {
        laws: Arc::new(laws::table(&args)),
        args,
        quotas: KoordinatorQuotas::default(),
        gangs: AnnotatedGangs::default(),
        groups: SchedulingGroups::for_equal_pods(GangLabelKeys { class: keys::PREEMPTIBLE, quota: keys::QUOTA }),
        owners: ReservationOwnersIndex::default(),
        named: NamedQueues::default(),
        runtime_version: None,
    }))
}

/// Koordinator's laws with their arguments, and the objects read so far.
#[derive(Debug)]
struct Koordinator {
    args: KoordinatorArgs,
    laws: Arc<Laws>,
    quotas: KoordinatorQuotas,
    gangs: AnnotatedGangs,
    groups: SchedulingGroups,
    owners: ReservationOwnersIndex,
    /// The quotas that labels of pods name.
    named: NamedQueues,
    /// The version of the cluster for which the runtime quotas were last computed.
    runtime_version: Option<u64>,
}

impl System for Koordinator {
    fn laws(&self) -> &Arc<Laws> {
        &self.laws
    }

    fn laws_mut(&mut self) -> &mut Laws {
        Arc::make_mut(&mut self.laws)
    }

    fn read_pod(&mut self, cluster: &mut Cluster, pod: &contract::Pod, findings: &mut Findings) -> PodAttributes {
        self.owners.read_pod(pod);
        let mut attributes = pods::read(&self.args, &mut self.gangs, cluster, pod, findings);
        if let Some(quota) =
            KoordinatorPodMetadata::of(pod).label(keys::QUOTA).filter(|quota| !quota.is_empty() && pod.kind.is_none())
        {
            let object = || ParsedObject::named("Pod", &pod.template.namespace, &pod.name);
            self.named.record(cluster, quota, object, || label_path(keys::QUOTA));
        }
        self.groups.read_pod(
            cluster,
            pod,
            &mut attributes,
            || gangs::field(&KoordinatorPodMetadata::of(pod)),
            findings,
        );
        attributes
    }

    fn read_pod_status(&mut self, _: &Cluster, status: &PodStatus, _: &mut PodAttributes) {
        self.owners.read_status(status);
        self.groups.read_status(status);
    }

    fn forget_pod(&mut self, pod: PodIx) {
        self.owners.forget_pod(pod);
        self.gangs.forget_pod(pod);
        self.groups.forget_pod(pod);
    }

    fn queue_of(&self, cluster: &Cluster, pod: &PodInfo) -> Option<QueueIx> {
        self.quotas.quota_of(cluster, pod)
    }

    fn read_object(&mut self, cluster: &mut Cluster, object: &ParsedObject, findings: &mut Findings) {
        if self.groups.read_object(object, findings) {
            return;
        }
        match object.kind.as_str() {
            "ElasticQuota" => self.quotas.read(object, findings),
            "PodGroup" => gangs::read_pod_group(&self.args, cluster, object, findings),
            "Reservation" => self.owners.read(object, findings),
            _ => {}
        }
    }

    fn remove_object(&mut self, cluster: &mut Cluster, object: &ObjectKey) {
        if self.groups.remove_object(object) {
            return;
        }
        match object.kind.as_str() {
            "ElasticQuota" => self.quotas.remove(object),
            "PodGroup" => pod_group::remove(cluster, &object.namespace, &object.name),
            "Reservation" => self.owners.remove(object),
            _ => {}
        }
    }

    fn sync_queues(&mut self, cluster: &mut Cluster, findings: &mut Findings) {
        self.owners.sync(cluster);
        self.gangs.sync(cluster);
        self.groups.sync(cluster, findings);
        self.quotas.sync(cluster, findings);
        self.groups.report(cluster, findings);
        let outcome = || format!("its pods belong to `{}`", keys::DEFAULT_QUOTA);
        self.named.report(cluster, "quota", |quota, _| (!exists(cluster, quota)).then(outcome), findings);
    }

    fn sweep_names(&mut self, _: &Cluster, used: &mut BTreeSet<NameId>) {
        used.extend(self.quotas.names());
        self.named.sweep(used);
    }

    fn refresh_derived_values(&mut self, cluster: &mut Cluster) {
        if !self.args.uses_runtime_quota || self.runtime_version == Some(cluster.version()) {
            return;
        }
        let builtin = [keys::DEFAULT_QUOTA, keys::SYSTEM_QUOTA].into_iter();
        let excluded: Vec<QueueIx> = builtin.filter_map(|name| cluster.queue_named(cluster.name_id(name)?)).collect();
        let claims = self.quotas.share_policies(cluster);
        runtime::split_capacity(cluster, &claims, &excluded, self.args.scale_min);
        self.runtime_version = Some(cluster.version());
    }

    fn eviction(&self) -> Eviction {
        if self.args.delete_victims { Eviction::Delete } else { Eviction::Soft }
    }

    fn marks(&self, cluster: &Cluster, preemptor: PodIx) -> Vec<Mark> {
        if self.args.delete_victims {
            return Vec::new();
        }
        let job = cluster.pod(preemptor).and_then(|pod| pod.attributes.job).and_then(|job| cluster.job(job));
        let by = match (job, cluster.pod(preemptor)) {
            (Some(job), _) => format!("{}/{}", job.key.0, job.key.1),
            (None, pod) => pod.map(|pod| pod.name.to_string()).unwrap_or_default(),
        };
        let timestamp = jiff::Timestamp::from_nanosecond(cluster.now().into()).unwrap_or_default().to_string();
        let details = BTreeMap::from([
            ("initiator", "lictor"),
            ("preemptJob", by.as_str()),
            ("reason", "preempted by a job of higher priority"),
            ("timestamp", timestamp.as_str()),
        ]);
        let details = serde_json::to_string(&details).unwrap_or_default();
        let mark = |place, value: String| Mark { place, key: keys::SOFT_EVICTION.to_owned(), value };
        vec![mark(MarkPlace::Label, "true".to_owned()), mark(MarkPlace::Annotation, details)]
    }

    fn reservation_marks(&self, cluster: &Cluster, reservation: PodIx) -> Vec<Mark> {
        self.owners.marks(cluster, reservation)
    }

    fn vocabulary(&self) -> QueueVocabulary {
        TERMS
    }
}
