//! An instance of a component as a policy.

use lictor_contract::*;

use super::bindings::bound;
use super::chunks::chunks;
use super::instance::RunningInstance;
use super::templates::TemplateNumbers;
use super::{LoadError, LoadedComponent, PolicyFault};
use crate::policy::{CallError, Policy, PolicyUsage};

/// A policy in the sandbox with one cluster. When it breaks, its state is lost, and every call fails until [`restart_instance`](SandboxedPolicy::restart_instance).
pub struct SandboxedPolicy {
    loaded: LoadedComponent,
    state: InstanceState,
    usage: PolicyUsage,
}

enum InstanceState {
    Running(Box<RunningInstance>),
    Failed { call: &'static str, cause: PolicyFault },
}

/// The result of a call of the bindings.
type BindingsResult<T> = wasmtime::Result<T>;

impl SandboxedPolicy {
    pub(super) fn new(loaded: LoadedComponent) -> Result<SandboxedPolicy, LoadError> {
        let state = InstanceState::Running(Box::new(RunningInstance::new(&loaded)?));
        let mut sandboxed = SandboxedPolicy { loaded, state, usage: PolicyUsage::default() };
        sandboxed.started();
        Ok(sandboxed)
    }

    /// Counts a new instance and measures its memory.
    fn started(&mut self) {
        self.usage.instances = self.usage.instances.saturating_add(1);
        self.measure();
    }

    /// Updates the memory usage.
    fn measure(&mut self) {
        self.usage.memory_bytes = u64::try_from(self.memory_bytes()).unwrap_or(u64::MAX);
        self.usage.memory_high_bytes = self.usage.memory_high_bytes.max(self.usage.memory_bytes);
    }

    /// Replaces the instance by a new one, without configuration and with an empty cluster. A policy that broke works only after that. For a working
    /// policy, this frees the memory that an instance never gives back.
    pub fn restart_instance(&mut self) -> Result<(), LoadError> {
        self.state = InstanceState::Running(Box::new(RunningInstance::new(&self.loaded)?));
        self.started();
        Ok(())
    }

    /// Returns the bytes of memory that the instance holds; 0 when it is gone. Memory only grows: a host that finds too much revives the policy and
    /// sends it the cluster again.
    pub fn memory_bytes(&self) -> usize {
        match &self.state {
            InstanceState::Running(live) => live.store.data().granted(),
            InstanceState::Failed { .. } => 0,
        }
    }

    /// Calls the instance. An instance that breaks is dropped with its state.
    fn call<T>(
        &mut self,
        call: &'static str,
        question: impl FnOnce(&mut RunningInstance) -> Result<BindingsResult<T>, CallError>,
    ) -> Result<T, CallError> {
        let sandbox = &self.loaded.sandbox;
        let live = match &mut self.state {
            InstanceState::Running(live) => live,
            InstanceState::Failed { call: since, cause } => {
                let cause = PolicyFault::AlreadyFailed { call: since, cause: Box::new(cause.clone()) };
                return Err(CallError::Broke { call, cause: Box::new(cause) });
            }
        };
        let fuel = sandbox.limits().call_fuel;
        live.arm(fuel);
        let answer = question(live);
        live.disarm();
        let answer = answer?;
        self.usage.calls = self.usage.calls.saturating_add(1);
        self.usage.fuel = self.usage.fuel.saturating_add(live.fuel_used(fuel));
        let answer = answer.map_err(|error| PolicyFault::of(&error, live.store.data(), sandbox.limits()));
        self.measure();
        answer.map_err(|cause| {
            self.state = InstanceState::Failed { call, cause: cause.clone() };
            self.usage.memory_bytes = 0;
            CallError::Broke { call, cause: Box::new(cause) }
        })
    }

    /// Calls a function that the policy itself may refuse to answer.
    fn call_fallible<T: Cross<U>, U>(
        &mut self,
        call: &'static str,
        question: impl FnOnce(
            &mut RunningInstance,
        ) -> Result<BindingsResult<Result<T, bound::answers::PolicyError>>, CallError>,
    ) -> Result<U, CallError> {
        let answer = self.call(call, question)?;
        answer.map(Cross::cross).map_err(|error| CallError::Refused { call, error: error.cross() })
    }
}

impl Policy for SandboxedPolicy {
    fn restart(&mut self) -> Result<(), CallError> {
        self.restart_instance().map_err(|cause| CallError::Broke { call: "restart", cause: Box::new(cause) })
    }

    fn usage(&self) -> PolicyUsage {
        self.usage
    }

    fn recycle_bytes(&self) -> Option<u64> {
        u64::try_from(self.loaded.sandbox.limits().recycle_bytes).ok()
    }

    fn has(&self, interface: Interface) -> bool {
        self.loaded.indices.has(interface)
    }

    fn describe(&mut self) -> Result<Description, CallError> {
        self.call("describe", |it| Ok(it.core.call_describe(&mut it.store))).map(Cross::cross)
    }

    fn configure(&mut self, system: &str, arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        let configured = self.call("configure", |it| {
            let configured = it.core.call_configure(&mut it.store, system, arguments);
            if let Ok(Ok(())) = configured {
                it.templates = TemplateNumbers::default();
            }
            Ok(configured)
        });
        configured.map(Cross::cross)
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        let mut all = Applied { findings: Vec::new() };
        let mut told = 0_u32;
        for chunk in chunks(events) {
            let length = u32::try_from(chunk.len()).unwrap_or(u32::MAX);
            let applied: Result<Applied, _> = self.call_fallible("apply", |it| {
                let (templates, events) = it.templates.number(chunk);
                let (templates, events): (Vec<_>, Vec<_>) = (templates.cross(), events.cross());
                Ok(it.core.call_apply(&mut it.store, &templates, &events))
            });
            all.findings.extend(applied.map_err(|error| shift_event_index(error, told))?.findings);
            told = told.saturating_add(length);
        }
        Ok(all)
    }

    fn queue_keys(&mut self, pods: &[PodId]) -> Result<SortKeys, CallError> {
        self.call_fallible(
            "queue-keys",
            |it| Ok(has(Interface::Queue, &it.queue)?.call_queue_keys(&mut it.store, pods)),
        )
    }

    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, CallError> {
        self.call_fallible("pre-filter", |it| {
            Ok(has(Interface::Placement, &it.placement)?.call_pre_filter(&mut it.store, pod))
        })
    }

    fn filter(&mut self, pod: PodId) -> Result<NodeVerdicts, CallError> {
        self.call_fallible("filter", |it| Ok(has(Interface::Placement, &it.placement)?.call_filter(&mut it.store, pod)))
    }

    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let refuted = refuted.clone().cross();
        self.call_fallible("post-filter", |it| {
            Ok(has(Interface::Placement, &it.placement)?.call_post_filter(&mut it.store, pods, &refuted))
        })
    }

    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        self.call_fallible("reserve", |it| {
            Ok(has(Interface::Placement, &it.placement)?.call_reserve(&mut it.store, pod, node))
        })
    }

    fn unreserve(&mut self, pod: PodId, cause: ReleaseCause) -> Result<Effects, CallError> {
        self.call_fallible("unreserve", |it| {
            Ok(has(Interface::Placement, &it.placement)?.call_unreserve(&mut it.store, pod, cause.cross()))
        })
    }

    fn score(&mut self, pod: PodId, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        self.call_fallible("score", |it| Ok(has(Interface::Score, &it.score)?.call_score(&mut it.store, pod, nodes)))
    }

    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        self.call_fallible("permit", |it| Ok(has(Interface::Permit, &it.permit)?.call_permit(&mut it.store, pod)))
    }

    fn act(&mut self) -> Result<Actions, CallError> {
        self.call_fallible("act", |it| Ok(has(Interface::Cycle, &it.cycle)?.call_act(&mut it.store)))
    }

    fn enforce(&mut self) -> Result<Enforced, CallError> {
        self.call_fallible("enforce", |it| Ok(has(Interface::Enforce, &it.enforce)?.call_enforce(&mut it.store)))
    }

    fn queues(&mut self) -> Result<Vec<QueueAccount>, CallError> {
        self.call_fallible("queues", |it| Ok(has(Interface::Account, &it.account)?.call_queues(&mut it.store)))
    }

    fn memberships(&mut self, pods: &[PodId]) -> Result<Vec<Membership>, CallError> {
        self.call_fallible("memberships", |it| {
            Ok(has(Interface::Account, &it.account)?.call_memberships(&mut it.store, pods))
        })
    }

    fn marks(&mut self, pod: PodId, node: NodeId) -> Result<Vec<Mark>, CallError> {
        self.call_fallible("marks", |it| Ok(has(Interface::Marks, &it.marks)?.call_marks(&mut it.store, pod, node)))
    }

    fn standings(&mut self, pods: &[PodId]) -> Result<Vec<Vec<Threat>>, CallError> {
        self.call_fallible("standings", |it| {
            Ok(has(Interface::Standing, &it.standing)?.call_standings(&mut it.store, pods))
        })
    }

    fn record_notes(&mut self, pods: &NotedPods) -> Result<(), CallError> {
        let pods = pods.clone().cross();
        self.call(
            "record-notes",
            |it| Ok(has(Interface::Explain, &it.explain)?.call_record_notes(&mut it.store, &pods)),
        )
    }

    fn notes(&mut self, pod: PodId) -> Result<Vec<Note>, CallError> {
        self.call_fallible("notes", |it| Ok(has(Interface::Explain, &it.explain)?.call_notes(&mut it.store, pod)))
    }

    fn save(&mut self) -> Result<Checkpoint, CallError> {
        self.call("save", |it| Ok(has(Interface::State, &it.state)?.call_save(&mut it.store))).map(Cross::cross)
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<Result<(), StateError>, CallError> {
        let checkpoint = checkpoint.clone().cross();
        self.call("restore", |it| Ok(has(Interface::State, &it.state)?.call_restore(&mut it.store, &checkpoint)))
            .map(Cross::cross)
    }
}

/// Returns the functions of an optional interface.
///
/// # Errors
/// `Lacks`: the component does not export the interface.
fn has<G>(interface: Interface, guest: &Option<G>) -> Result<&G, CallError> {
    guest.as_ref().ok_or(CallError::MissingInterface(interface))
}

/// Adds the number of events that earlier calls have applied to the index of the event in an error.
fn shift_event_index(mut error: CallError, told: u32) -> CallError {
    if let CallError::Refused {
        error: PolicyError::Overflow(Overflow { event, .. }) | PolicyError::Unannounced(Unannounced { event, .. }),
        ..
    } = &mut error
    {
        *event = event.saturating_add(told);
    }
    error
}
