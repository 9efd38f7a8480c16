//! The crossing: every type of the contract, once, for the crates that turn it into bindings and back, `lictor-host`, `lictor-sdk` and
//! `lictor-component`.
//!
//! A type that differs from its binding by a field or a case does not compile.

/// Turns a type of the contract into its binding, or a binding into its type of the contract. Strings and numbers move.
pub trait Cross<T> {
    /// Converts the value into the type of the other side.
    fn cross(self) -> T;
}

macro_rules! as_they_are {
    ($($plain:ty),*) => {
        $(impl Cross<$plain> for $plain {
            fn cross(self) -> $plain {
                self
            }
        })*
    };
}

as_they_are!((), bool, u8, u32, u64, i32, i64, String);

impl<A: Cross<B>, B> Cross<Option<B>> for Option<A> {
    fn cross(self) -> Option<B> {
        self.map(Cross::cross)
    }
}

impl<A: Cross<B>, B> Cross<Vec<B>> for Vec<A> {
    fn cross(self) -> Vec<B> {
        self.into_iter().map(Cross::cross).collect()
    }
}

impl<A: Cross<B>, B, E: Cross<F>, F> Cross<Result<B, F>> for Result<A, E> {
    fn cross(self) -> Result<B, F> {
        self.map(Cross::cross).map_err(Cross::cross)
    }
}

/// Implements [`Cross`], both ways, between all types of the contract and those in the modules of the bindings
/// that the given name stands for: one module an interface.
#[macro_export]
macro_rules! cross_contract {
    ($bindings:ident) => {
        $crate::cross_types! { $bindings
            record cluster::Resource { name, everywhere }
            record cluster::Amount { resource, value }
            record cluster::Attribute { key, value }
            record cluster::Node { id, name, allocatable, labels }
            choice cluster::Phase { Pending, Running, Succeeded, Failed, Unknown }
            record cluster::Owner { kind, name, uid }
            record cluster::PodTemplate {
                namespace, owner, priority, priority_class, never_preempts, scheduler, foreign, protected, requests, labels, annotations, fields
            }
            record cluster::NumberedTemplate { id, template }
            record cluster::Pod {
                id, template, kind, name, uid, gated, phase, node, nominated, required_node, terminating, preempted, created, entered,
                started, scheduled, shape, inter_pod
            }
            record cluster::PodStatus { id, phase, node, nominated, terminating, preempted, started, scheduled }
            record cluster::Eligibility { shape, nodes }
            record cluster::Topology { id, key, domains }
            record cluster::TopologyTerm { selector, topology }
            record cluster::PodAffinity { selector, topologies }
            record cluster::TopologySpread { selector, topology, max_skew, min_domains, nodes }
            record cluster::InterPod { id, selected_by, affinity, anti_affinity, spread }
            record cluster::Object { group, kind, namespace, name, json }
            record cluster::ObjectKey { group, kind, namespace, name }
            choice cluster::Event {
                Resources(it), NodeUpserted(it), NodeRemoved(it), PodUpserted(it), PodStatus(it),
                PodRemoved(it), Eligibility(it), Topology(it), InterPod(it), ObjectUpserted(it), ObjectRemoved(it),
                Clock(it), PlanAccepted(it), PlanRefused(it)
            }
            record core::KindInterest { group, kind }
            record core::PlacedPhase { word, phase }
            record core::RoomUse { annotation, name }
            record core::PlacedKind {
                group, kind, namespaced, template, node, nominated, phase, phases, amounts, conditions, scheduled, room_use
            }
            record core::Interests { labels, leaving_labels, annotations, pod_fields, node_labels, kinds, placed_kinds }
            record core::Argument { name, kind, default, about }
            record core::Template { code, case, text }
            record core::SystemInfo {
                name, about, extension_points, judges_room, evicts_higher_priority, schedulers, interests, arguments, templates
            }
            record core::Description { name, version, systems }
            record core::BadArgument { name, expected, found }
            choice core::ConfigError { UnknownSystem(it), UnknownArgument(it), BadArgument(it), Malformed(it) }
            record answers::Overflow { event, object, resource }
            record answers::Unannounced { event, what, number }
            choice answers::PolicyError {
                NotConfigured, UnknownPod(it), UnknownNode(it), WrongState(it), Overflow(it),
                Unannounced(it), Unsupported(it)
            }
            choice answers::Severity { Error, Warning }
            record answers::Finding { severity, object, path, message, remedy }
            record core::Applied { findings }
            choice answers::FactValue {
                Amounts(it), Count(it), Duration(it), Time(it), Pod(it), Node(it), Queue(it), Job(it), Text(it)
            }
            record answers::Fact { name, value }
            record answers::Reason { code, case, facts }
            record answers::Placement { pod, node }
            record answers::Retry { at, after }
            record answers::Effects { releases, admits, withdrawn, reorder }
            record queue::SortKeys { epoch, keys }
            choice placement::Admission { Pass, Refused(it), Final(it) }
            record placement::PreFiltered { admission, retry, effects }
            record placement::Obstacle { reason, resolvable }
            record placement::NodeVerdicts { codes, obstacles }
            choice answers::Eviction { Soft, Delete }
            record answers::Victim { pod, eviction }
            choice answers::MarkPlace { Label, Annotation }
            record answers::Mark { place, key, value }
            record answers::Plan { id, preemptor, nominations, victims, marks, reason }
            record placement::Refuted { placements, victims }
            record placement::PostFiltered { plan, reason, retry, effects }
            choice placement::ReleaseCause { Timeout, Released, Preempted, Failed, Removed }
            choice permit::Permission { Allow, Wait(it), Reject(it) }
            record permit::Permitted { permission, reason, retry, effects }
            record cycle::PlanSlice { id, preemptor, nominations_end, victims_end, reason }
            record cycle::Plans { slices, nominations, victims, reasons }
            record cycle::Refusal { pods, reason, nodes }
            record cycle::Actions { name, bindings, plans, retry, refusals, more }
            record enforce::Enforcement { id, queue, victims, marks, reason }
            record enforce::Enforced { enforcements, retry }
            record account::Bound { name, amounts }
            record account::QueueAccount { kind, name, parent, bounds, used, promised, pending }
            record account::Membership { queue, job }
            choice explain::NotedPods { None, All, These(it) }
            choice explain::Subject { Preemptor, Pod(it), Node(it), Queue(it) }
            choice explain::Outcome { Barred, Spared, Unneeded, Reprieved, Needed, Enough, Chosen }
            record explain::Note { subject, outcome, reason }
            record standing::Threat { by, priority, spared }
            record state::Checkpoint { format, bytes }
            choice state::StateError { UnknownFormat(it), Malformed(it) }
        }
    };
}

/// The part of [`cross_contract`] that goes over the types.
#[doc(hidden)]
#[macro_export]
macro_rules! cross_types {
    ($bindings:ident $($shape:ident $module:ident::$name:ident $parts:tt)*) => {
        $(
            $crate::cross_type! { $shape $bindings::$module::$name => $crate::crossing::$name, $parts }
            $crate::cross_type! { $shape $crate::crossing::$name => $bindings::$module::$name, $parts }
        )*
    };
}

/// The part of [`cross_contract`] that implements one type one way.
#[doc(hidden)]
#[macro_export]
macro_rules! cross_type {
    (record $from:path => $to:path, { $($field:ident),* }) => {
        impl $crate::Cross<$to> for $from {
            fn cross(self) -> $to {
                type From = $from;
                type To = $to;
                let From { $($field),* } = self;
                To { $($field: $crate::Cross::cross($field)),* }
            }
        }
    };
    (choice $from:path => $to:path, { $($case:ident $(($it:ident))?),* }) => {
        impl $crate::Cross<$to> for $from {
            fn cross(self) -> $to {
                type To = $to;
                match self {
                    $(Self::$case $(($it))? => To::$case $(($crate::Cross::cross($it)))?,)*
                }
            }
        }
    };
}
