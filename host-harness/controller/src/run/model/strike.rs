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
    pub(super) const ALL: [InjectedFault; 8] = [
        InjectedFault::Ends,
        InjectedFault::EndsAfter,
        InjectedFault::Led,
        InjectedFault::Object,
        InjectedFault::Preemptor,
        InjectedFault::Victim,
        InjectedFault::Groups,
        InjectedFault::Node,
    ];

    /// The strikes that end the process, and nothing else.
    pub(super) const ENDS: [InjectedFault; 3] = [InjectedFault::Ends, InjectedFault::EndsAfter, InjectedFault::Led];

    /// Returns how long the request of a process is under way still. A process that has lost the lead is ended.
    pub(super) fn delay(self, state: &mut ApiServerState, process: u64) -> Duration {
        if self != InjectedFault::Led {
            return Duration::ZERO;
        }
        state.end(process);
        Duration::from_secs(ROUND) + Duration::from_millis(u64::try_from(state.random.below(200)).unwrap())
    }

    /// Strikes before the request of a process about an object is served. Returns whether the request is lost.
    pub(super) fn before(self, state: &mut ApiServerState, process: u64, object: &str) -> bool {
        let nominated = |pod: &serde_json::Value| text(pod, "/status/nominatedNodeName").to_owned();
        match self {
            InjectedFault::Ends => {
                state.end(process);
                return true;
            }
            InjectedFault::EndsAfter | InjectedFault::Led => {}
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
