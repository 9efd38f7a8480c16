//! Pauses after the API server has refused a command about an object: they double with each refusal in a row.

use std::collections::BTreeMap;

use lictor_host::session::{CommandOutcome, ObjectRef};

use crate::report::SECOND;

/// The first pause after a refusal that does not come from a budget, for example because a right is missing: 1 s.
const FIRST: i64 = SECOND;
/// The first pause after the refusal of a PodDisruptionBudget: 30 s. The executor has tried for as long before.
const FIRST_OF_BUDGET: i64 = 30 * SECOND;
/// The longest pause: 5 minutes.
const LONGEST: i64 = 300 * SECOND;

/// The number of refusals in a row, by object and by whether a budget refuses.
#[derive(Debug, Default)]
pub(super) struct RefusalBackoff(BTreeMap<(ObjectRef, bool), u32>);

impl RefusalBackoff {
    /// Takes the outcome of a command about an object, and writes the end of the pause into a refusal.
    pub(super) fn take(&mut self, object: &ObjectRef, outcome: &mut CommandOutcome, now: i64) {
        match outcome {
            CommandOutcome::Refused { until, budget, .. } => {
                let count = self.0.entry((object.clone(), *budget)).or_default();
                let first = if *budget { FIRST_OF_BUDGET } else { FIRST };
                let pause = first.saturating_mul(1_i64.checked_shl(*count).unwrap_or(i64::MAX)).min(LONGEST);
                *count = count.saturating_add(1).min(16);
                *until = now.saturating_add(pause);
            }
            CommandOutcome::Accepted | CommandOutcome::Done => self.forget(object),
            CommandOutcome::Failed(_) => {}
        }
    }

    /// Forgets the refusals of an object: it is gone, or a command about it was served.
    pub(super) fn forget(&mut self, object: &ObjectRef) {
        for budget in [false, true] {
            self.0.remove(&(object.clone(), budget));
        }
    }

    /// Forgets the objects of this key, as removals name them.
    pub(super) fn forget_key(&mut self, key: &str) {
        self.0.retain(|(object, _), _| object.key() != key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_with_each_refusal_and_ends_with_a_success() {
        let object = |name: &str| {
            let [kind, namespace, uid] = ["Pod", "default", "1"].map(str::to_owned);
            ObjectRef { kind, namespace, name: name.to_owned(), uid }
        };
        let mut pauses = RefusalBackoff::default();
        let mut until = |name: &str, budget: bool| {
            let mut outcome = CommandOutcome::Refused { reason: String::new(), until: 0, budget };
            pauses.take(&object(name), &mut outcome, 7);
            let CommandOutcome::Refused { until, .. } = outcome else { panic!("{outcome:?}") };
            (until - 7) / SECOND
        };
        assert_eq!([0; 11].map(|_| until("a", false)), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!((until("b", false), until("a", true), until("a", true)), (1, 30, 60), "each by itself");
        pauses.take(&object("a"), &mut CommandOutcome::Accepted, 7);
        pauses.forget_key("Pod/default/b");
        assert!(pauses.0.is_empty());
    }
}
