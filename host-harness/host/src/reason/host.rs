//! The host's own reasons: the invariants of every plan and binding, and the nodes that can never take a pod. Registered and documented like
//! laws.

mod rails;

use std::sync::LazyLock;

use lictor_contract::Template;

use super::{MessageTemplates, NamedFact, NamedReason};

/// A rule of the host, whose violation is a reason.
#[derive(Debug, Clone, Copy)]
pub struct HostRule {
    /// The code.
    pub code: &'static str,
    /// The sentence that must hold.
    pub sentence: &'static str,
    /// The cases and their templates.
    pub templates: &'static [(&'static str, &'static str)],
    /// The manual page.
    pub page: &'static str,
}

const fn rule(
    code: &'static str,
    sentence: &'static str,
    templates: &'static [(&'static str, &'static str)],
    page: &'static str,
) -> HostRule {
    HostRule { code, sentence, templates, page }
}

/// The reasons of the host but for the rails.
const RULES: &[HostRule] = &[
    rule(
        "host/known",
        "every number in a plan names a pod or a node",
        &[("pod", "no pod has the number {number}"), ("node", "no node has the number {number}")],
        "A policy names pods and nodes by the numbers that the host gave them. Example: a plan names pod 7, which was removed. The plan is refused.",
    ),
    rule(
        "host/distinct",
        "a pod is evicted or placed only once in a plan",
        &[("victim", "`{pod}` is a victim twice"), ("placed", "`{pod}` is placed twice")],
        "A pod stands once among the victims, and once among the placements. Example: a plan that nominates `a` to two nodes is refused.",
    ),
    rule(
        "host/apart",
        "a plan does not evict the pods that it places",
        &[("", "`{pod}` is a victim of the plan that places it")],
        "Neither the preemptor nor another nominated pod is a victim of the same plan.",
    ),
    rule(
        "host/running",
        "a victim holds room",
        &[("", "the victim `{pod}` neither runs on a node nor is held at permit")],
        "A victim is bound to a node or held at Permit. The eviction of a pending pod would free nothing.",
    ),
    rule(
        "host/leaving",
        "a victim is not leaving by an earlier plan",
        &[
            ("", "`{pod}` is already leaving by plan {plan}"),
            ("deleted", "`{pod}` is already being deleted"),
            ("refused", "the API server refused to evict `{pod}`; it is asked again at {time}"),
        ],
        "The room of a victim is promised once. Example: pod `v` leaves for plan 3; a plan that evicts `v` again is refused. A victim whose eviction the API server refuses is named again after a pause.",
    ),
    rule(
        "host/pending",
        "a placed pod waits for a node",
        &[("", "`{pod}` cannot be placed: it {state}")],
        "A pod that is bound, held at Permit, being deleted or finished is not placed again.",
    ),
    rule(
        "host/purpose",
        "pods are evicted only for pods that are placed",
        &[
            ("nobody", "{victims} {victims:pod is|pods are} evicted and no pod is nominated"),
            ("preemptor", "the plan nominates {nominated} {nominated:pod|pods}, but not the preemptor `{pod}`"),
        ],
        "A plan with victims nominates at least one pod, and the pod whose attempt made it is among them.",
    ),
    rule(
        "host/refuted",
        "a refused placement or victim is not planned again",
        &[("", "`{pod}` on `{node}` was refused before"), ("victim", "`{pod}` was refused as a victim before")],
        "After a refused plan the host asks again and names what it refused: placements, or victims that cannot be evicted. The same in the next answer is refused as well.",
    ),
    rule(
        "host/eligible",
        "a placed pod may run on its node",
        &[
            ("unschedulable", "node(s) were unschedulable"),
            ("taint", "node(s) had untolerated taint {taint}"),
            ("selector", "node(s) didn't match Pod's node affinity/selector"),
            ("claim-missing", "persistentvolumeclaim \"{claim}\" not found"),
            ("claim-deleted", "persistentvolumeclaim \"{claim}\" is being deleted"),
            ("claim-unbound", "pod has unbound immediate PersistentVolumeClaims: {claim}"),
            ("class-missing", "storageclass.storage.k8s.io of persistentvolumeclaim \"{claim}\" not found"),
            ("volume-missing", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s): {claim}"),
            ("bound-volume", "node(s) didn't match PersistentVolume's node affinity"),
            ("volume", "node(s) didn't find available persistent volumes to bind"),
            ("zone", "node(s) had no available volume zone"),
            (
                "claim-of-another-pod",
                "persistentvolumeclaim \"{claim}\" was not created for the pod: another pod controls it, or none",
            ),
            (
                "volume-of-another-claim",
                "persistentvolumeclaim \"{claim}\" is bound to a persistentvolume whose claimRef names another claim",
            ),
            (
                "volume-contested",
                "node(s) didn't find available persistent volumes to bind: {claim}; those that serve it are promised to other claims",
            ),
            (
                "claim-shared",
                "persistentvolumeclaim \"{claim}\" waits for its first pod, and the pod has an affinity or another such claim: it follows when another pod of the claim has a node",
            ),
            ("capacity", "node(s) did not have enough free storage"),
            ("attachments", "node(s) exceed max volume count"),
            ("resource-claims", "the pod has resource claims, which are not judged: {claims}"),
            ("unknown", "there is no such {what}"),
            ("plan", "`{node}` does not take `{pod}`: {why}"),
        ],
        "The node is schedulable, the pod tolerates its taints, and its labels match the selector and the affinity of the pod. Its volumes can be used on the node, as far as the snapshot has PersistentVolumeClaims, PersistentVolumes, StorageClasses, CSINodes, CSIDrivers and CSIStorageCapacities. A pod with resource claims is refused, because nobody here can say where devices are free. The words are those of kube-scheduler. No eviction helps. Example: a node has the taint {gpu: true} and the pod does not tolerate it.",
    ),
    rule(
        "host/fits",
        "the pods of a plan fit on their nodes once the victims are gone",
        &[("", "`{node}` lacks room: <{resource}: allocatable {allocatable}, in use {in-use}, requested {requested}>")],
        "For every resource, what stays in use or promised on a node and what is placed there is at most what the node has. Example: a node has 4 cpu, 3 stay in use, and a pod of 3 is placed there. The plan is refused: allocatable 4, in use 3, requested 3.",
    ),
    rule(
        "host/inter-pod",
        "a placed pod may be where the other pods are",
        &[
            ("existing-anti-affinity", "node(s) didn't satisfy existing pods anti-affinity rules"),
            ("anti-affinity", "node(s) didn't match pod anti-affinity rules"),
            ("affinity", "node(s) didn't match pod affinity rules"),
            ("spread", "node(s) didn't match pod topology spread constraints"),
            ("spread-label", "node(s) didn't match pod topology spread constraints (missing required label)"),
            ("claim", "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"),
            ("plan", "`{node}` does not take `{pod}`: {why}"),
        ],
        "Required pod affinity and anti-affinity, topology spread constraints with DoNotSchedule, and claims with the access mode ReadWriteOncePod hold where a pod is placed, by the rules of kube-scheduler and in its words. The pods that one answer places are held against each other, too; in a plan, the victims count as gone, and pods that are leaving already as gone or as there. A namespace that is not in the snapshot has no labels but its name: anti-affinity counts it in where a namespaceSelector asks for others, affinity does not. Example: a pod that does not suffer pods of app `db` in its zone is bound to a node of a zone with such a pod. The binding is refused.",
    ),
    rule(
        "host/gated",
        "a pod with scheduling gates is not tried",
        &[("", "waits for its scheduling gates to be removed: {gates}")],
        "While `spec.schedulingGates` of a pod is not empty, no scheduler tries it, and no pod is evicted for it. The controller that set a gate removes it. It counts in a quota or gang where its system counts such pods.",
    ),
    rule(
        "host/other-scheduler",
        "only pods of the own schedulers are tried",
        &[
            ("", "another scheduler decides about it: `{scheduler}`"),
            ("victim", "`{pod}` is a pod of another scheduler: no queue gives it back"),
        ],
        "The policy decides about pods whose `spec.schedulerName` is one of the names that its system stands for, or that `--scheduler` gives. Other pods keep what they hold. Example: under `yunikorn`, a pod without a scheduler name is a pod of `default-scheduler`.",
    ),
    rule(
        "host/of-nodes",
        "a clause before the sentence of a node",
        &[("", "{count} of {nodes} nodes")],
        "Where no law denied a pod, its reason is what most nodes lack, and on how many of them.",
    ),
];

/// Returns every reason of the host.
pub fn host_rules() -> impl Iterator<Item = &'static HostRule> {
    RULES.iter().chain(&rails::RAIL_RULES)
}

static TEMPLATES: LazyLock<MessageTemplates> = LazyLock::new(|| MessageTemplates::new(host_templates()));

/// Returns the templates of the host.
pub fn host_templates() -> Vec<Template> {
    let of = |rule: &HostRule| {
        let code = rule.code.to_owned();
        rule.templates.iter().map(move |(case, text)| Template {
            code: code.clone(),
            case: (*case).to_owned(),
            text: (*text).to_owned(),
        })
    };
    host_rules().flat_map(of).collect()
}

/// Returns a reason of the host, with its sentence.
pub fn render(code: &str, case: &str, facts: Vec<NamedFact>) -> NamedReason {
    TEMPLATES.render(code, case, facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_host_is_registered_once_with_a_sentence_for_each_case_and_a_page() {
        for (at, rule) in host_rules().enumerate() {
            assert!(rule.code.starts_with("host/") && rule.page.len() > 40 && !rule.templates.is_empty(), "{rule:?}");
            assert!(host_rules().skip(at + 1).all(|other| other.code != rule.code), "{rule:?}");
        }
    }
}
