//! What strikes in the middle of a request: the process ends, or an object of the plan is deleted.

use std::time::Duration;

use super::play::ROUND;
use super::server::{ApiServerState, kind_of, name_of, pods};
use super::system::SystemFixture;
use super::world::remove_node;
use crate::names::EVICTED_FOR;
use crate::view::{annotation, text};
use crate::watch::GroupKind;

/// Something that strikes at the moment at which a request is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InjectedFault {
    /// The process ends before the API server takes the request. It is lost.
    Ends,
    /// The process ends before it has the answer.
    EndsAfter,
    /// Another process leads from now on. The API server takes the request when the other process is at work.
    Led,
    /// Another process leads from now on. The process does not know that, and continues to write. The API server takes the request when both are at work.
    Deposed,
    /// The object of the request is deleted before.
    Object,
    /// A pod that is nominated is deleted before.
    Preemptor,
    /// A pod that is marked as a victim is deleted before.
    Victim,
    /// The groups of the gangs are deleted before.
    Groups,
    /// The node of a nomination is deleted before.
    Node,
}

impl InjectedFault {
    pub(super) const ALL: [InjectedFault; 9] = [
        InjectedFault::Ends,
        InjectedFault::EndsAfter,
        InjectedFault::Led,
        InjectedFault::Object,
        InjectedFault::Preemptor,
        InjectedFault::Victim,
        InjectedFault::Groups,
        InjectedFault::Node,
        InjectedFault::Deposed,
    ];

    /// The strikes that end the process or its lead, and nothing else.
    pub(super) const ENDS: [InjectedFault; 4] =
        [InjectedFault::Ends, InjectedFault::EndsAfter, InjectedFault::Led, InjectedFault::Deposed];

    /// Returns how long the request of a process is under way still. A process that has lost the lead is ended, where it knows that.
    pub(super) fn delay(self, state: &mut ApiServerState, process: u64) -> Duration {
        let mut below = |most| Duration::from_millis(u64::try_from(state.random.below(most)).unwrap());
        match self {
            InjectedFault::Led => {
                let delay = Duration::from_secs(ROUND) + below(200);
                state.end(process);
                delay
            }
            InjectedFault::Deposed => {
                let delay = below(20_000);
                state.depose(process);
                delay
            }
            _ => Duration::ZERO,
        }
    }

    /// Strikes before the request of a process about an object is served. Returns whether the request is lost.
    pub(super) fn before(self, state: &mut ApiServerState, process: u64, object: &str) -> bool {
        let nominated = |pod: &serde_json::Value| text(pod, "/status/nominatedNodeName").to_owned();
        match self {
            InjectedFault::Ends => {
                state.end(process);
                return true;
            }
            InjectedFault::EndsAfter | InjectedFault::Led | InjectedFault::Deposed => {}
            InjectedFault::Object => state.stop(object, "DeletionByUser"),
            InjectedFault::Preemptor => stop_first(state, |pod| !nominated(pod).is_empty()),
            InjectedFault::Victim => stop_first(state, |pod| !annotation(pod, EVICTED_FOR).is_empty()),
            InjectedFault::Groups => remove_groups(state),
            InjectedFault::Node => {
                let node = state.all(&pods()).map(nominated).find(|node| !node.is_empty());
                node.iter().for_each(|node| remove_node(state, node));
            }
        }
        false
    }

    /// Strikes after the request is served.
    pub(super) fn after(self, state: &mut ApiServerState, process: u64) {
        if self == InjectedFault::EndsAfter {
            state.end(process);
        }
    }
}

/// Deletes the first pod that suits.
fn stop_first(state: &mut ApiServerState, suits: impl Fn(&serde_json::Value) -> bool) {
    let name = state.all(&pods()).find(|pod| suits(pod)).map(name_of);
    name.iter().for_each(|name| state.stop(name, "DeletionByUser"));
}

/// Returns the kind of the groups of gangs.
pub(super) fn groups(system: &SystemFixture) -> GroupKind {
    kind_of(&(system.group)("g", 2, false))
}

fn remove_groups(state: &mut ApiServerState) {
    let kind = state.groups.clone();
    let all = state.all(&kind).filter(|object| text(object, "/metadata/name").starts_with('g')).map(name_of);
    all.collect::<Vec<_>>().iter().for_each(|name| state.remove(&kind, name));
}
