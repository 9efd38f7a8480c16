//! A policy without `lictor-sdk`, the smallest that decides something: it exports the required core and one optional interface.
//!
//! It tries the pod first that requests the least cpu; the host does everything else.

mod bindings;

use std::cell::RefCell;
use std::collections::BTreeMap;

use bindings::exports::lictor::policy::answers::{PolicyError, Unannounced};
use bindings::exports::lictor::policy::cluster::{
    Event, NumberedTemplate, Pod, PodId, PodTemplate, ResourceId, TemplateId,
};
use bindings::exports::lictor::policy::core::{self, Applied, ConfigError, Description, Interests, SystemInfo};
use bindings::exports::lictor::policy::queue::{self, SortKeys};

/// The name of the one system.
const SYSTEM: &str = "smallest-first";

/// The cluster, as far as it matters here.
#[derive(Default)]
struct ClusterState {
    resources: Vec<String>,
    /// What pods have in common.
    templates: BTreeMap<TemplateId, PodTemplate>,
    /// What each pod requests of `cpu`, in thousandths of a core.
    requests: BTreeMap<PodId, i64>,
}

thread_local! {
    /// The cluster; none until the policy is configured.
    static CLUSTER: RefCell<Option<ClusterState>> = const { RefCell::new(None) };
}

impl ClusterState {
    fn is_cpu(&self, resource: ResourceId) -> bool {
        usize::try_from(resource).ok().and_then(|index| self.resources.get(index)).is_some_and(|name| name == "cpu")
    }

    /// Applies an event. The error is the number of the template that its pod names, if the host has not sent that template.
    fn apply(&mut self, event: Event) -> Result<(), TemplateId> {
        match event {
            Event::Resources(resources) => self.resources.extend(resources.into_iter().map(|resource| resource.name)),
            Event::PodUpserted(pod) => self.upsert(&pod)?,
            Event::PodRemoved(pod) => drop(self.requests.remove(&pod)),
            // What a pod requests does not change with its status.
            _ => {}
        }
        Ok(())
    }

    fn upsert(&mut self, pod: &Pod) -> Result<(), TemplateId> {
        let template = self.templates.get(&pod.template).ok_or(pod.template)?;
        let cpu = template.requests.iter().find(|amount| self.is_cpu(amount.resource));
        self.requests.insert(pod.id, cpu.map_or(0, |amount| amount.value));
        Ok(())
    }
}

/// The type on which the interfaces are implemented.
struct Minimal;

impl core::Guest for Minimal {
    fn describe() -> Description {
        let nothing = Interests {
            labels: Vec::new(),
            leaving_labels: Vec::new(),
            annotations: Vec::new(),
            pod_fields: Vec::new(),
            node_labels: Vec::new(),
            placed_kinds: Vec::new(),
            kinds: Vec::new(),
        };
        let system = SystemInfo {
            name: SYSTEM.to_owned(),
            about: "the pod that requests the least cpu is tried first".to_owned(),
            extension_points: vec!["queue-order".to_owned()],
            judges_room: false,
            evicts_higher_priority: false,
            schedulers: vec!["default-scheduler".to_owned()],
            interests: nothing,
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Description { name: "minimal".to_owned(), version: "1".to_owned(), systems: vec![system] }
    }

    fn configure(system: String, arguments: String) -> Result<(), ConfigError> {
        if system != SYSTEM {
            return Err(ConfigError::UnknownSystem(vec![SYSTEM.to_owned()]));
        }
        if !matches!(arguments.trim(), "" | "{}") {
            return Err(ConfigError::Malformed("the system takes no arguments".to_owned()));
        }
        CLUSTER.with_borrow_mut(|cluster| *cluster = Some(ClusterState::default()));
        Ok(())
    }

    fn apply(templates: Vec<NumberedTemplate>, events: Vec<Event>) -> Result<Applied, PolicyError> {
        CLUSTER.with_borrow_mut(|cluster| {
            let cluster = cluster.as_mut().ok_or(PolicyError::NotConfigured)?;
            cluster.templates.extend(templates.into_iter().map(|told| (told.id, told.template)));
            for (event, happened) in (0..).zip(events) {
                let unannounced = |number| Unannounced { event, what: "template".to_owned(), number };
                cluster.apply(happened).map_err(|number| PolicyError::Unannounced(unannounced(number)))?;
            }
            Ok(Applied { findings: Vec::new() })
        })
    }
}

impl queue::Guest for Minimal {
    fn queue_keys(pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        CLUSTER.with_borrow(|cluster| {
            let cluster = cluster.as_ref().ok_or(PolicyError::NotConfigured)?;
            let cpu = |pod: PodId| cluster.requests.get(&pod).copied().ok_or(PolicyError::UnknownPod(pod));
            // No amount is negative: its bytes compare as the number does.
            let keys = pods.into_iter().map(|pod| Ok(cpu(pod)?.to_be_bytes().to_vec()));
            // What a pod requests never changes: there is one epoch only.
            Ok(SortKeys { epoch: 0, keys: keys.collect::<Result<_, _>>()? })
        })
    }
}

/// A native linker takes no names with colons in them, and the crate must build there, too.
#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exporting is unsafe")]
mod exported {
    use crate::{Minimal, bindings};

    bindings::export!(Minimal with_types_in bindings);
}
