//! Words of the contract: what crosses as text because more of them will come.

use std::fmt;

/// Names a closed list of words as this version knows them.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $case:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$each])* $case),*
        }

        impl $name {
            /// All words of the list.
            pub const ALL: &'static [$name] = &[$($name::$case),*];

            /// Returns the word as it crosses the interface.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$case => $word),*
                }
            }

            /// Returns the case with this name. `None`: this version does not know the name.
            pub fn named(name: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> String {
                word.name().to_owned()
            }
        }
    };
}

words! {
    /// A point of the scheduling cycle at which a system may decide. Where it does not, the host decides as if every pod passed.
    ExtensionPoint {
        /// `queue.queue-keys`.
        QueueOrder = "queue-order",
        /// `placement.pre-filter`.
        PreFilter = "pre-filter",
        /// `placement.filter`.
        Filter = "filter",
        /// `placement.post-filter`.
        PostFilter = "post-filter",
        /// `score.score`.
        Score = "score",
        /// `placement.reserve` and `placement.unreserve`.
        Reserve = "reserve",
        /// `permit.permit`.
        Permit = "permit",
        /// `cycle.act`: the policy runs whole cycles of its own in place of the host's.
        Act = "act",
        /// `enforce.enforce`: pods are evicted because their queue holds more than it may.
        Enforce = "enforce",
    }
}

words! {
    /// What an argument may be.
    ArgumentKind {
        /// true or false.
        Boolean = "boolean",
        /// A whole number.
        Integer = "integer",
        /// A length of time as Go writes it, such as `1m30s`; a plain number counts seconds.
        Duration = "duration",
        /// Any text.
        Text = "text",
    }
}

words! {
    /// A kind of change in the cluster, after which the answer to a question may be another: the name of its event.
    ChangeKind {
        /// A node is new or has changed.
        NodeUpserted = "node-upserted",
        /// A node is gone.
        NodeRemoved = "node-removed",
        /// A pod is new or has changed; a `pod-status` is such a change, too.
        PodUpserted = "pod-upserted",
        /// A pod is gone.
        PodRemoved = "pod-removed",
        /// An object is new or has changed; where it crosses, `/` and the kind of the object follow.
        ObjectUpserted = "object-upserted",
        /// An object is gone; where it crosses, `/` and the kind of the object follow.
        ObjectRemoved = "object-removed",
    }
}

words! {
    /// An interface that a policy may have.
    Interface {
        /// `queue`.
        Queue = "queue",
        /// `placement`.
        Placement = "placement",
        /// `score`.
        Score = "score",
        /// `permit`.
        Permit = "permit",
        /// `cycle`.
        Cycle = "cycle",
        /// `account`.
        Account = "account",
        /// `explain`.
        Explain = "explain",
        /// `state`.
        State = "state",
        /// `marks`.
        Marks = "marks",
        /// `enforce`.
        Enforce = "enforce",
        /// `standing`.
        Standing = "standing",
    }
}

impl ExtensionPoint {
    /// Returns the interface that has the functions of the extension point.
    pub fn interface(self) -> Interface {
        match self {
            ExtensionPoint::QueueOrder => Interface::Queue,
            ExtensionPoint::PreFilter
            | ExtensionPoint::Filter
            | ExtensionPoint::PostFilter
            | ExtensionPoint::Reserve => Interface::Placement,
            ExtensionPoint::Score => Interface::Score,
            ExtensionPoint::Permit => Interface::Permit,
            ExtensionPoint::Act => Interface::Cycle,
            ExtensionPoint::Enforce => Interface::Enforce,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_by_its_name_and_no_other_is() {
        for point in ExtensionPoint::ALL {
            assert_eq!(ExtensionPoint::named(&point.to_string()), Some(*point));
        }
        assert_eq!(ExtensionPoint::named("pre-score"), None);
        assert_eq!(ArgumentKind::named("Text"), None);
        assert_eq!(Interface::ALL.len(), 11);
        assert_eq!(ChangeKind::named("pod-removed"), Some(ChangeKind::PodRemoved));
    }
}
