//! A policy behind the bindings.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::thread::LocalKey;

use lictor_contract::{Cross, Templates};

use crate::bindings::exports::lictor::policy as bound;
use crate::{ConfigError, Policy, PolicyError};
use bound::answers;
use bound::cluster::{Event, NodeId, NumberedTemplate, PodId};

/// The place of the one policy of a component. [`export!`](crate::export) implements it.
pub trait PolicyStorage: Policy + 'static {
    /// Returns the place of the policy. It is empty until the policy is configured.
    fn slot() -> &'static LocalKey<RefCell<Option<Self>>>;
}

thread_local! {
    /// The templates of pods that the host sent to the one policy of this component.
    static TEMPLATES: RefCell<Templates> = RefCell::default();
}

/// A policy as the bindings call it.
#[derive(Debug)]
pub struct ExportedPolicy<P>(PhantomData<P>);

/// Calls the configured policy, and converts its answer into a binding.
fn with_policy<P: PolicyStorage, A: Cross<B>, B>(
    question: impl FnOnce(&mut P) -> Result<A, PolicyError>,
) -> Result<B, answers::PolicyError> {
    let answer = P::slot().with_borrow_mut(|policy| match policy {
        Some(policy) => question(policy),
        None => Err(PolicyError::NotConfigured),
    });
    answer.cross()
}

/// Calls a function of the policy that needs no configuration. Where no policy is configured, a new one answers.
fn with_policy_or_default<P: PolicyStorage, A>(question: impl FnOnce(&mut P) -> A) -> A {
    P::slot().with_borrow_mut(|policy| match policy {
        Some(policy) => question(policy),
        None => question(&mut P::default()),
    })
}

/// Configures a policy that is new, and keeps it where it takes the configuration.
fn configure<P: PolicyStorage>(system: &str, arguments: &str) -> Result<(), ConfigError> {
    let mut policy = P::default();
    policy.configure(system, arguments)?;
    P::slot().with_borrow_mut(|slot| *slot = Some(policy));
    TEMPLATES.take();
    Ok(())
}

impl<P: PolicyStorage> bound::core::Guest for ExportedPolicy<P> {
    fn describe() -> bound::core::Description {
        P::describe().cross()
    }
    fn configure(system: String, arguments: String) -> Result<(), bound::core::ConfigError> {
        configure::<P>(&system, &arguments).cross()
    }
    fn apply(
        templates: Vec<NumberedTemplate>,
        events: Vec<Event>,
    ) -> Result<bound::core::Applied, answers::PolicyError> {
        with_policy(|policy: &mut P| {
            TEMPLATES
                .with_borrow_mut(|known| known.apply(templates.cross(), events.cross(), |events| policy.apply(events)))
        })
    }
}

impl<P: PolicyStorage> bound::queue::Guest for ExportedPolicy<P> {
    fn queue_keys(pods: Vec<PodId>) -> Result<bound::queue::SortKeys, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.queue_keys(pods))
    }
}

impl<P: PolicyStorage> bound::placement::Guest for ExportedPolicy<P> {
    fn pre_filter(pod: PodId) -> Result<bound::placement::PreFiltered, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.pre_filter(pod))
    }
    fn filter(pod: PodId) -> Result<bound::placement::NodeVerdicts, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.filter(pod))
    }
    fn post_filter(
        pods: Vec<PodId>,
        refuted: bound::placement::Refuted,
    ) -> Result<bound::placement::PostFiltered, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.post_filter(pods, refuted.cross()))
    }
    fn reserve(pod: PodId, node: NodeId) -> Result<answers::Effects, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.reserve(pod, node))
    }
    fn unreserve(pod: PodId, cause: bound::placement::ReleaseCause) -> Result<answers::Effects, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.unreserve(pod, cause.cross()))
    }
}

impl<P: PolicyStorage> bound::score::Guest for ExportedPolicy<P> {
    fn score(pod: PodId, nodes: Vec<NodeId>) -> Result<Vec<i64>, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.score(pod, nodes))
    }
}

impl<P: PolicyStorage> bound::permit::Guest for ExportedPolicy<P> {
    fn permit(pod: PodId) -> Result<bound::permit::Permitted, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.permit(pod))
    }
}

impl<P: PolicyStorage> bound::cycle::Guest for ExportedPolicy<P> {
    fn act() -> Result<bound::cycle::Actions, answers::PolicyError> {
        with_policy(P::act)
    }
}

impl<P: PolicyStorage> bound::enforce::Guest for ExportedPolicy<P> {
    fn enforce() -> Result<bound::enforce::Enforced, answers::PolicyError> {
        with_policy(P::enforce)
    }
}

impl<P: PolicyStorage> bound::account::Guest for ExportedPolicy<P> {
    fn queues() -> Result<Vec<bound::account::QueueAccount>, answers::PolicyError> {
        with_policy(P::queues)
    }
    fn memberships(pods: Vec<PodId>) -> Result<Vec<bound::account::Membership>, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.memberships(pods))
    }
}

impl<P: PolicyStorage> bound::marks::Guest for ExportedPolicy<P> {
    fn marks(pod: PodId, node: NodeId) -> Result<Vec<answers::Mark>, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.marks(pod, node))
    }
}

impl<P: PolicyStorage> bound::standing::Guest for ExportedPolicy<P> {
    fn standings(pods: Vec<PodId>) -> Result<Vec<Vec<bound::standing::Threat>>, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.standings(pods))
    }
}

impl<P: PolicyStorage> bound::explain::Guest for ExportedPolicy<P> {
    fn record_notes(pods: bound::explain::NotedPods) {
        with_policy_or_default(|policy: &mut P| policy.record_notes(&pods.cross()));
    }
    fn notes(pod: PodId) -> Result<Vec<bound::explain::Note>, answers::PolicyError> {
        with_policy(|policy: &mut P| policy.notes(pod))
    }
}

impl<P: PolicyStorage> bound::state::Guest for ExportedPolicy<P> {
    fn save() -> bound::state::Checkpoint {
        with_policy_or_default(P::save).cross()
    }
    fn restore(checkpoint: bound::state::Checkpoint) -> Result<(), bound::state::StateError> {
        with_policy_or_default(|policy: &mut P| policy.restore(checkpoint.cross())).cross()
    }
}
