//! The labels of metrics. Their values are few: no metric has a label of a pod, node or queue.

use prometheus_client::encoding::EncodeLabelSet;

macro_rules! labels {
    ($($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident),* })*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, EncodeLabelSet)]
            pub struct $name {
                $($(#[$field_about])* pub $field: String,)*
            }
        )*
    };
}

labels! {
    /// What runs.
    Build {
        /// The version of the controller.
        version,
        /// The policy and its version.
        policy,
        /// The digest of its component.
        component
    }
    /// Of a system.
    System {
        /// Its name.
        system
    }
    /// Of a system, with a result.
    SystemResult {
        /// Its name.
        system,
        /// The result.
        result
    }
    /// How a victim leaves.
    How {
        /// Its name.
        system,
        /// `delete`: it is evicted, or deleted where it is no pod; `soft`: it is marked, for another controller to delete; `unreserved`: it was held at
        /// permit, and is pending again.
        how
    }
    /// Where pending pods stand.
    Queue {
        /// `active`, `gated`, `nominated` or `held`.
        queue
    }
    /// A kind of something.
    Kind {
        /// The kind.
        kind
    }
    /// A state.
    State {
        /// The state.
        state
    }
    /// The outcome of a command.
    Outcome {
        /// `bind`, `nominate`, `evict`, `confirm`, `withdraw`, `unmark` or `delete`.
        action,
        /// `accepted`, `done`, `failed` or `refused`.
        outcome
    }
    /// A request to the API server.
    Request {
        /// `get`, `list`, `watch`, `create`, `update`, `patch` or `delete`.
        verb,
        /// The status code; `0` where there was no answer.
        code
    }
    /// The verb of a request.
    Verb {
        /// `get`, `list`, `watch`, `create`, `update`, `patch` or `delete`.
        verb
    }
    /// An election.
    Election {
        /// The Lease.
        name
    }
    /// Why something was given up.
    Reason {
        /// A word.
        reason
    }
    /// How something ended.
    Ended {
        /// How.
        result
    }
}
