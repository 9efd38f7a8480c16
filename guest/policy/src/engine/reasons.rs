//! What the engine itself finds, whatever laws are in force: registered, documented and given as data like a law.

use crate::contract::ChangeKind;
use crate::laws::{ActiveLaw, ImaginedPreemptors, LawKind, LawListing, LawMetadata, LawText, MessageTemplate};

/// The changes after which the engine may find something else: all, because an object may say which pods laws protect.
const ANYTHING: &[ChangeKind] = ChangeKind::ALL;

/// Defines a rule for each of these reasons, and the list of all of them.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $sentence:literal, [$($template:expr),+ $(,)?], $page:literal;)+) => {
        $(
            $(#[$doc])*
            pub const $name: ActiveLaw = {
                const TEMPLATES: &[MessageTemplate] = &[$($template),+];
                const TEXT: LawText = LawText { name: $code, sentence: $sentence, templates: TEMPLATES, file: $page };
                const ABOUT: LawMetadata =
                    LawMetadata { kind: LawKind::EngineReason, text: TEXT, retry_after: ANYTHING, depends_on_pod_identity: false, checked_for: ImaginedPreemptors::None };
                ActiveLaw { code: $code, source: "Lictor", about: &ABOUT, exemption: None, muted: None }
            };
        )+

        /// Returns every reason of the engine.
        pub fn engine_rules() -> Vec<LawListing> {
            [$($name),+].iter().map(LawListing::from).collect()
        }
    };
}

reasons! {
    /// Failed where the pod may not run on the node.
    ELIGIBLE = "node/eligible", "the pod may run on the node",
        [("", "the pod may not run there")],
        "The selector, the affinity and the tolerations of the pod allow the node. The host judges this; the policy only repeats it. The reason `host/eligible` says which of them does not.";
    /// The node is too small even when it is empty.
    LARGE_ENOUGH = "node/large-enough", "the node is large enough for the pod when it is empty",
        [
            ("any", "node(s) too small: {short-of}"),
            ("any-port", "node(s) didn't have free ports for the requested pod ports"),
            ("any-attachment", "node(s) exceed max volume count"),
            ("any-disk", "node(s) had no available disk"),
            ("any-volume", "node(s) didn't find available persistent volumes to bind"),
            ("", "<Insufficient {resource} (requested {~requested}, free {~free})> on the empty node"),
            ("ports", "node(s) didn't have free ports for the requested pod ports: {ports}"),
            ("ports-and-room", "node(s) didn't have free ports: {ports}; <Insufficient {resource} (requested {~requested}, free {~free})>"),
        ],
        "The allocatable amounts of the node are at least what the pod requests. Example: a node of 4 cpu never takes a pod of 6 cpu. No eviction helps.";
    /// Failed where other pods use what the pod requests.
    HAS_ROOM = "node/has-room", "the node has free what the pod requests",
        [
            ("any", "Insufficient {short-of}"),
            ("any-port", "node(s) didn't have free ports for the requested pod ports"),
            ("any-attachment", "node(s) exceed max volume count"),
            ("any-disk", "node(s) had no available disk"),
            ("any-volume", "node(s) didn't find available persistent volumes to bind"),
            ("", "<Insufficient {resource} (requested {~requested}, free {~free})>"),
            ("ports", "node(s) didn't have free ports for the requested pod ports: {ports}"),
            ("ports-and-room", "node(s) didn't have free ports: {ports}; <Insufficient {resource} (requested {~requested}, free {~free})>"),
        ],
        "For every resource, the free amount of the node is at least what the pod requests; every requested host port is free. Example: 3 of 4 cpu are used, and a pod of 2 is refused: Insufficient cpu (requested 2, free 1). An eviction may help. This is the Filter of kube-scheduler for resources and ports, for the volumes that drivers attach, for disks that one pod may write, and for free volumes.";
    /// Failed where what the pod requests is promised to other pods.
    KEEPS_PROMISES = "node/keeps-promises", "the node has free what the pod requests beside what is promised to nominated pods",
        [
            ("any", "{short-of} promised to nominated pods"),
            ("any-port", "a host port promised to nominated pods"),
            ("any-attachment", "attachments promised to nominated pods"),
            ("any-disk", "a disk promised to nominated pods"),
            ("any-volume", "persistent volumes promised to nominated pods"),
            ("daemon-set", "kept for a pod of a DaemonSet"),
            ("", "<Insufficient {resource} (requested {~requested}, free {~free})> beside what is promised to nominated pods"),
            ("ports", "host ports promised to nominated pods: {ports}"),
            ("ports-and-room", "host ports promised to nominated pods: {ports}; <Insufficient {resource} (requested {~requested}, free {~free})>"),
        ],
        "Room that is promised to nominated pods of the same or higher priority is kept for them; where the system says so, for all nominated pods. A node may be kept for a pod of a DaemonSet that may run on no other node. Example: 4 cpu are free and 3 are promised; a pod of 2 does not fit.";
    /// Failed where the constraints between pods forbid the node.
    INTER_POD = "node/inter-pod", "the pods in the domains of the node allow the pod there",
        [
            ("", "node(s) take no pod of which it is not known what stands between it and others"),
            ("affinity", "node(s) didn't match pod affinity rules"),
            ("anti-affinity", "node(s) didn't match pod anti-affinity rules"),
            ("existing", "node(s) didn't satisfy existing pods anti-affinity rules"),
            ("nominated", "constraints of nominated pods would be broken"),
            ("claim", "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"),
            ("no-domain", "node(s) didn't match pod topology spread constraints (missing required label)"),
            ("spread", "node(s) didn't match pod topology spread constraints"),
        ],
        "The required affinity and anti-affinity of the pod, the required anti-affinity of the pods that are there, the topology spread constraints with `DoNotSchedule`, and claims that one pod alone may use. Example: pod `a` must not be in a zone with pods of app `b`; no node of a zone in which one runs takes it. An eviction may help, except where a pod that `a` needs is missing, or the node has no label for a domain. Pods that are nominated count as if they were on their nodes, and the pod must be allowed without them, too. A nominated pod must stay allowed on its node. This is the Filter of kube-scheduler for interpodaffinity, podtopologyspread and volumerestrictions, which looks at pods that are nominated to the same node only: there a pod is bound near a nominated one, is evicted for it, is created again, without end. What is only preferred (`preferredDuringSchedulingIgnoredDuringExecution`, `ScheduleAnyway`) is not looked at.";
    /// Failed where another node has a reservation for the pod.
    RESERVED = "node/reserved", "no other node holds reserved room for the pod",
        [("", "room is reserved for the pod on another node")],
        "A pod that owns a reservation uses the room of that reservation first. Example: a reservation on `n1` is for pod `a`; `a` is not placed on `n2` while `n1` takes it.";
    /// The pod may be bound: no law keeps it waiting at Permit.
    PERMITTED = "engine/permitted", "no law holds the pod at permit",
        [("", "no law holds the pod at permit")],
        "A system without gangs binds a pod as soon as it has a node.";
    /// No node fits the pod.
    NO_NODE = "engine/no-node", "a node fits, once every eligible pod is evicted",
        [
            ("", "no node fits, even after evicting every eligible pod"),
            ("job", "no node fits `{pod}`, even after evicting every eligible pod: {planned} of the {pods} waiting pods of the job find one, so no pod is evicted"),
            ("gang-group", "no node fits `{pod}`, even after evicting every eligible pod: {planned} of the {pods} waiting pods of the gang group find one, so no pod is evicted"),
            ("gang", "even after evicting every eligible pod, not every pod of the gang has a node: no pod is evicted"),
        ],
        "A plan is made only where every pod that needs a node gets one. Example: a job of 3 pods finds nodes for 2, even with every eligible victim gone. Then no pod is evicted.";
    /// Leaving pods free enough capacity without evictions.
    ROOM_IS_COMING = "engine/room-is-coming", "no room is coming without evictions",
        [
            ("", "`{node}` has room once the leaving pods are gone: no other pod is evicted"),
            ("gang", "there is room once the leaving pods are gone: no other pod is evicted"),
            ("surplus", "enough other pods of the gang are promised nodes: no pod is evicted for one more before the gang is complete"),
            ("kept", "the gang keeps the room that leaving pods will free: no other pod is evicted"),
        ],
        "While leaving pods free enough room, no further pod is evicted. Example: a terminating pod of 4 cpu is still on `n1`; a pod of 3 waits for it. A gang of 4 pods that needs 2 has a plan for two of them: the other two wait until these have their nodes, and then plan for themselves.";
    /// A waiting pod would evict the pods of the plan.
    ROOM_IS_CLAIMED = "engine/room-is-claimed", "no gang that waits would evict the pod in the next cycle",
        [("", "pod `{pod}` waits and would evict the pod at once: its gang gets the room first")],
        "A pod that would be evicted in the next cycle, for a gang that waits already, gets no node, and no room that is coming is kept for it. Example: a queue borrows idle cpu while a gang within the deserved amount of another queue waits for more than is idle. The gang gets a plan with the idle cpu in it, and fewer pods are evicted. Where the gang would have no plan without the eviction of the pod, the pod gets its node. Nor is a plan made for a pod that takes its quota over its min, if a pod that waits within the min of another quota would then evict it: the two quotas would evict each other's pods without an end.";
    /// The growth of a job would cost other pods their nodes.
    GROWTH_COSTS_NOBODY = "engine/growth-costs-nobody", "no gang that waits could evict pods because a job grows",
        [("", "with more pods of the job running, pod `{pod}` that waits could evict pods: the job does not grow")],
        "New pods of an elastic job count as used by its queue, and what they take of a node may be short there. Where a gang of another queue could evict pods only because of that, the job keeps its size. Example: a queue deserves 3 cpu and runs two gangs of 2. A gang of another queue may evict no gang of 2 there: the second pod would be taken from a queue that uses no more than it deserves. With an elastic pod more it could.";
    /// A plan was made.
    PLAN = "engine/plan", "a plan evicts as few pods as the laws allow",
        [
            ("", "evicts {victims} {victims:pod|pods} for {pods} {pods:pod|pods}[; no longer complete: gang {broken}][, of which {left} would stay]"),
            ("none", "no eviction is needed: leaving pods free enough room"),
            ("rearranged", "no eviction is needed: {pods} {pods:pod completes|pods complete} the gang once others of it give up the nodes that they hold at Permit"),
            ("jobs", "evicts {victims} {victims:pod|pods} of {jobs} {jobs:job|jobs} for {pods} {pods:pod|pods}[; no longer complete: gang {broken}][, of which {left} would stay]"),
        ],
        "The reason of a plan: how many pods it evicts and for how many pods. The explanation names each of them. A gang that falls below its minimum does no work any more, though the plan evicts only some of its pods: the reason names the gang, and the pods of it that would go on holding their nodes.";
    /// A queue gives back what it uses over its maximum.
    GIVES_BACK = "engine/gives-back", "a queue gives back what it holds over its maximum",
        [("", "@queue `{queue}` holds <{~over} {resource}> more than its @max: evicts {victims} {victims:pod|pods}")],
        "The reason of evictions that make no room for a pod. Example: the maximum of a queue was lowered from 10 cpu to 6 while its pods use 10; after its delay pods of 4 cpu are evicted. As far as pods are larger than what is left to give back, the queue stays above its maximum.";
    /// The node lacks capacity even after evictions.
    NODE_LACKS_ROOM = "engine/node-lacks-room", "the node has room, once every eligible pod there is evicted",
        [
            ("", "<Insufficient {resource} (requested {~requested}, free {~free})>, even after evicting all {candidates} eligible {candidates:pod|pods} there"),
            ("ports", "no free port: {ports}, even after evicting all {candidates} eligible {candidates:pod|pods} there"),
            ("ports-and-room", "no free port: {ports}; <Insufficient {resource} (requested {~requested}, free {~free})>, even after evicting all {candidates} eligible {candidates:pod|pods} there"),
            ("nobody", "no pod there is eligible for eviction"),
        ],
        "What a node lacks for the pod in a trial without its eligible pods. Example: a node of 4 cpu with 3 used by non-preemptible pods has free 1, even with every eligible pod gone.";
    /// The node would be enough, but another one was chosen.
    NODE_SUFFICES = "engine/node-suffices", "another node was chosen",
        [
            ("", "{victims} {victims:pod|pods} would be evicted, of priority up to {priority}[, {violations} against a disruption budget]"),
            ("none", "no eviction would be needed"),
            ("one-pod", "for one pod: {victims} {victims:pod|pods} would be evicted, of priority up to {priority}"),
            ("spared", "{victims} {victims:pod|pods} would be evicted, of priority up to {priority}; some of them should be spared where others suffice"),
        ],
        "A node that has room in a trial, and what the eviction there would cost. The law of the system for the choice of nodes prefers another one.";
    /// The node of a plan.
    NODE_CHOSEN = "engine/node-chosen", "a plan names the nodes of its pods",
        [
            ("", "{pods} {pods:pod is|pods are} planned onto it: {victims} {victims:pod is|pods are} evicted, of priority up to {priority}"),
            ("none", "{pods} {pods:pod is|pods are} planned onto it: no eviction is needed"),
        ],
        "How many pods a plan puts onto a node, and what is evicted there.";
    /// The node was not examined.
    NOT_LOOKED_AT = "engine/not-looked-at", "enough nodes that suffice were found before",
        [("", "not looked at: {candidates} nodes that suffice are enough")],
        "Where the system looks at a sample of the nodes, the search ends with enough candidates. Options: `minCandidateNodesPercentage` and `minCandidateNodesAbsolute`.";
    /// The candidate is reprieved.
    REPRIEVED = "engine/reprieved", "a candidate stays where there is room for it beside the preemptor",
        [("", "there is room for the pod beside the preemptor")],
        "Every candidate is considered for a reprieve in the trial, the more important one first, and stays where it fits and no limit is broken.";
    /// The candidate is a victim: it cannot be reprieved.
    NEEDED = "engine/needed", "a candidate is a victim if it cannot be reprieved",
        [
            ("", "with this pod back: <Insufficient {resource} (requested {~requested}, free {~free})>"),
            ("ports", "with this pod back no free port: {ports}"),
            ("ports-and-room", "with this pod back no free port: {ports}; <Insufficient {resource} (requested {~requested}, free {~free})>"),
            ("shrinks", "the job of the pod shrinks to its next legal size"),
            ("whole-gang", "the gang of the pod is evicted as a whole"),
        ],
        "What the preemptor would lack on the node with the victim back. Example: a node of 4 cpu; with a victim of 3 back, a preemptor of 3 has 1 free.";
    /// The candidate is not evicted: its eviction does not help.
    NOT_NEEDED = "engine/not-needed", "a candidate whose eviction does not help stays",
        [
            ("others-suffice", "other pods are enough"),
            ("unused-node", "no pod is planned onto its node"),
            ("not-enough", "its eviction would not free enough on its node"),
            ("leaving", "the pod is leaving anyway: its room counts as free"),
            ("job-incomplete", "not every pod of the job would have a node"),
            ("gang-incomplete", "not every pod of the gang would have a node"),
            ("other-node", "its node does not take the pod that finds none"),
            ("whole-job", "the pod would go with its whole job only, and not all of that job may be evicted"),
        ],
        "Why an eligible pod is not evicted.";
    /// The host refused the pod as a victim.
    REFUSED_AS_VICTIM = "engine/refused-as-victim", "the host accepts the pod as a victim",
        [("", "the host refused the pod as a victim")],
        "The host refused an earlier plan because of this victim, such as a pod that is leaving already. A plan that evicts the pod, or a reservation with the pod inside, is not made again in this attempt.";
    /// The host protects the pod from every eviction.
    PROTECTED = "engine/protected", "the host does not protect the pod from evictions",
        [("", "the host evicts no such pod: its priority, its namespace or its label protects it")],
        "The host refuses every plan that evicts the pod, whatever the system says, because of a rail: `host/rail-system-priority`, `host/rail-namespace` or `host/rail-never-evict`. So no plan evicts it.";
    /// The queue is not known.
    QUEUE_IS_UNKNOWN = "engine/queue-is-unknown", "the queue of the pod is known",
        [("", "the queue of the pod is not known")],
        "Without a known queue nothing can be reclaimed for a gang.";
    /// The cycle has no action that evicts.
    NO_ACTION = "engine/no-action", "an action of the cycle may evict for the pod",
        [("", "no action of the cycle evicts pods for it")],
        "Only the actions `reclaim` and `preempt` evict pods. Options: `actions`.";
    /// No pod of the gang waits.
    NO_POD_WAITS = "engine/no-pod-waits", "a pod of the gang waits for a node",
        [("", "no pod of the gang waits")],
        "A plan is made for waiting pods only.";
    /// A clause: if the pod were reprieved.
    POD_BACK = "engine/pod-back", "a clause before the sentence of a law",
        [("", "with this pod back")],
        "The law would be broken if the victim stayed.";
    /// A clause: after all evictions.
    ALL_EVICTED = "engine/all-evicted", "a clause before the sentence of a law",
        [("", "even after evicting every eligible pod there")],
        "The law is broken however many pods of the node are evicted.";
    /// A clause: after more evictions.
    MORE_EVICTED = "engine/more-evicted", "a clause before the sentence of a law",
        [("", "evicting fewer pods frees too little, and evicting more breaks this")],
        "The law limits how many pods may be evicted.";
    /// A clause: the pod would make the difference.
    ENOUGH_WITH = "engine/enough-with", "a clause before the sentence of a law",
        [("", "its node would have room if this pod[ and {others} other {others:pod|pods} listed here] were evicted")],
        "A law protects the pod. Without that law its eviction would have made the room.";
    /// A clause: for another gang of the group.
    OTHER_GANG = "engine/other-gang", "a clause before the sentence of a law",
        [("", "for gang `{other-gang}` of the gang group")],
        "Gangs of a gang group are planned together. The law does not hold for another gang of the group.";
}
