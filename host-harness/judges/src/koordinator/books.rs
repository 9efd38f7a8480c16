//! The formula of a quota at PreFilter, as upstream has it and with each of the rulings that change it.

use serde_json::Value;

use super::answer::{Amounts, QuotaAccount};
use super::view::{KoordinatorSituation, amounts, are_of_one_job, is_labelled_fixed, requests};

/// A part that the formula of the policy counts, and that of upstream does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotaTerm {
    /// The class of a pod without a label, as an argument says it.
    Class,
    /// The requests of all pods of the job without a node.
    Job,
    /// What non-preemptible pods request within min.
    ReservedWithinMin,
    /// What nominated pods will use.
    Promised,
    /// The mins of the quotas above, where their maxes are checked.
    Above,
}

/// The formula of the policy has all terms, that of upstream none.
pub(super) const TERMS: [QuotaTerm; 5] =
    [QuotaTerm::Class, QuotaTerm::Job, QuotaTerm::ReservedWithinMin, QuotaTerm::Promised, QuotaTerm::Above];

impl KoordinatorSituation<'_> {
    /// Returns whether the quotas admit the pod when these have left, by the accounts of upstream and a formula with these terms.
    pub(super) fn admits(&self, terms: &[QuotaTerm], gone: &[&Value]) -> bool {
        let levels = if self.is_on("enableCheckParentQuota") { usize::MAX } else { 1 };
        let chain = self.quotas(self.pod);
        chain.iter().take(levels).enumerate().all(|(level, quota)| {
            let Some(account) = self.answer.quotas.get(*quota) else { return true };
            self.holds((quota, account, level > 0), terms, gone)
        })
    }

    /// Returns whether the policy and upstream have the same account of the quota for which the policy refuses the pod: what it says is used is
    /// what upstream says, with or without what is promised to nominated pods.
    pub(super) fn agree_on_usage(&self) -> bool {
        let Some(facts) = self.outcome.pointer("/reasons/0/facts") else { return true };
        let quota = crate::object::text(facts, "/queue");
        let Some(account) = self.answer.quotas.get(quota) else { return true };
        let said = |key: &str| amounts(facts.get(key));
        let (lesser, fixed, all) = (said("preemptible-used"), said("non-preemptible-used"), &account.used);
        let ours = || self.pods().filter(|pod| self.quotas(pod).contains(&quota));
        let of_fixed = requests(ours().filter(|pod| !self.is_pending(pod) && self.is_non_preemptible(pod)));
        let promised: Vec<&Value> = self.promised().filter(|pod| self.quotas(pod).contains(&quota)).collect();
        let promised_lesser = requests(promised.iter().copied().filter(|pod| !self.is_non_preemptible(pod)));
        let promised = requests(promised);
        lesser.keys().all(|resource| {
            let of = |list: &Amounts| list.get(resource).copied().unwrap_or(0);
            match fixed.is_empty() {
                true => [0, of(&promised_lesser)].contains(&(of(&lesser) - (of(all) - of(&of_fixed)))),
                false => [0, of(&promised)].contains(&(of(&lesser) + of(&fixed) - of(all))),
            }
        })
    }

    /// Returns whether a quota holds with the pod.
    fn holds(
        &self,
        (quota, account, is_above): (&str, &QuotaAccount, bool),
        terms: &[QuotaTerm],
        gone: &[&Value],
    ) -> bool {
        let has = |term| terms.contains(&term);
        let stays = |pod: &Value| match has(QuotaTerm::Class) {
            true => self.is_non_preemptible(pod),
            false => is_labelled_fixed(pod),
        };
        let counts = |pod: &&Value| self.quotas(pod).contains(&quota);
        let total = match has(QuotaTerm::Job) {
            true => requests(self.pending_job(self.pod)),
            false => requests([self.pod]),
        };
        let fixed = |these: Vec<&Value>| requests(these.into_iter().filter(|pod| stays(pod)));
        let placed = self.pods().filter(|pod| !self.is_pending(pod)).filter(counts);
        let fixed_used = match has(QuotaTerm::Class) {
            true => fixed(placed.collect()),
            false => account.non_preemptible_used.clone(),
        };
        let promised =
            self.promised().filter(|pod| has(QuotaTerm::Promised) && !are_of_one_job(pod, self.pod)).filter(counts);
        let promised: Vec<&Value> = promised.collect();
        let (all_promised, fixed_promised) = (requests(promised.iter().copied()), fixed(promised));
        let gone = requests(gone.iter().copied().filter(counts));
        let limit = self.limit(account);
        if stays(self.pod) {
            let reaches_min = is_above && !has(QuotaTerm::Above)
                || within(&[&fixed_used, &fixed_promised, &total], &[], &account.min);
            return reaches_min && within(&[&account.used, &all_promised, &total], &[&gone], limit);
        }
        if !has(QuotaTerm::ReservedWithinMin) {
            return within(&[&account.used, &all_promised, &total], &[&gone], limit);
        }
        let mut aside = fixed(self.pods().filter(counts).collect());
        for (resource, amount) in &mut aside {
            *amount = account.min.get(resource).map_or(*amount, |min| (*amount).min(*min));
        }
        within(&[&account.used, &all_promised, &total, &aside], &[&fixed_used, &fixed_promised, &gone], limit)
    }

    /// Returns what a quota may use.
    fn limit<'q>(&self, account: &'q QuotaAccount) -> &'q Amounts {
        if self.is_on("enableRuntimeQuota") { &account.runtime } else { &account.max }
    }
}

/// Returns whether amounts without others are within a limit, in each resource that it names.
fn within(amounts: &[&Amounts], without: &[&Amounts], limit: &Amounts) -> bool {
    limit.iter().all(|(resource, limit)| {
        let sum = |lists: &[&Amounts]| lists.iter().filter_map(|list| list.get(resource)).sum::<i64>();
        sum(amounts) - sum(without) <= *limit
    })
}
