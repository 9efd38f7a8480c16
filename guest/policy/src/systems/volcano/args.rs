//! The arguments, with Volcano's names.

use crate::contract::{Argument, ArgumentKind, BadArgument, ConfigError};
use crate::laws::Action;
use crate::systems::{SystemArguments, argument};

/// The pods that a queue may reclaim resources from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReclaimMode {
    /// Elastic pods first, then normal pods of queues that use more than their deserved amounts.
    Reclaim,
    /// Elastic pods only. Normal pods cannot exceed the deserved amounts of their queue.
    Elastic,
}

/// The arguments in force.
#[derive(Debug, Clone)]
pub struct VolcanoArgs {
    /// The pods that a queue may reclaim resources from.
    pub mode: ReclaimMode,
    /// The steps of a cycle. The elastic action is the last one.
    pub actions: Vec<Action>,
    /// Whether the elastic action was configured before others.
    pub elastic_was_moved: bool,
    /// Whether queues form a tree (enableHierarchy).
    pub is_tree: bool,
    /// The number of ancestors of a queue that must also exceed their deserved amounts before others may reclaim from it.
    pub ancestor_reclaim_level: u32,
}

const MODE: &str = "capacity.reclaim.mode";
const ACTIONS: &str = "actions";
const TREE: &str = "enableHierarchy";
const ANCESTOR_RECLAIM_LEVEL: &str = "ancestorReclaimLevel";

impl VolcanoArgs {
    /// Reads the arguments.
    pub fn new(arguments: &SystemArguments) -> Result<VolcanoArgs, ConfigError> {
        let bad = |name: &str, expected: &str| {
            let (name, expected, found) = (name.to_owned(), expected.to_owned(), arguments.text(name).to_owned());
            ConfigError::BadArgument(BadArgument { name, expected, found })
        };
        let mode = match arguments.text(MODE) {
            "reclaim" => ReclaimMode::Reclaim,
            "elastic" => ReclaimMode::Elastic,
            _ => return Err(bad(MODE, "`reclaim` or `elastic`")),
        };
        let actions = arguments.text(ACTIONS).split(',').map(str::trim).filter(|name| !name.is_empty()).map(action);
        let actions = actions.collect::<Option<Vec<Action>>>();
        let mut actions = actions.unwrap_or_default();
        let elastic = |action: &Action| *action == Action::Elastic;
        let elastic_was_moved = actions.iter().skip_while(|action| !elastic(action)).any(|action| !elastic(action));
        actions.sort_by_key(elastic);
        let expected = "some of `allocate`, `reclaim`, `preempt`, `backfill` and `elastic`, separated by commas";
        Ok(VolcanoArgs {
            mode,
            actions: Some(actions).filter(|actions| !actions.is_empty()).ok_or_else(|| bad(ACTIONS, expected))?,
            elastic_was_moved,
            is_tree: arguments.flag(TREE),
            ancestor_reclaim_level: arguments.whole(ANCESTOR_RECLAIM_LEVEL, 0..=u32::MAX)?,
        })
    }
}

fn action(name: &str) -> Option<Action> {
    match name {
        "allocate" => Some(Action::Allocate),
        "reclaim" => Some(Action::Reclaim),
        "preempt" => Some(Action::Preempt),
        "backfill" => Some(Action::Backfill),
        "elastic" => Some(Action::Elastic),
        _ => None,
    }
}

/// Returns the arguments that the system declares.
pub fn arguments() -> Vec<Argument> {
    vec![
        argument(
            MODE,
            ArgumentKind::Text,
            "\"reclaim\"",
            "`elastic`: only elastic pods may exceed the deserved amounts of their queue, and only they are evicted; `reclaim`: normal \
             pods may borrow as well, and may be evicted",
        ),
        argument(
            ACTIONS,
            ArgumentKind::Text,
            "\"allocate, reclaim, elastic\"",
            "the steps of a cycle, in order: `allocate`, `reclaim`, `preempt`, `backfill`, `elastic`; `elastic` always comes last",
        ),
        argument(
            TREE,
            ArgumentKind::Boolean,
            "false",
            "queues form a tree by their `parent`; only leaf queues take pods",
        ),
        argument(
            ANCESTOR_RECLAIM_LEVEL,
            ArgumentKind::Integer,
            "0",
            "how many ancestors of a queue must also exceed their deserved amounts before others may reclaim from it",
        ),
    ]
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::systems::configure;

    #[test]
    fn invalid_values_are_refused_by_argument_name() {
        for (arguments, name) in [
            (r#"{"capacity.reclaim.mode": "both"}"#, MODE),
            (r#"{"capacity.reclaim.mode": true}"#, MODE),
            (r#"{"actions": "allocate, enqueue"}"#, ACTIONS),
            (r#"{"actions": " , "}"#, ACTIONS),
            (r#"{"enableHierarchy": "yes"}"#, TREE),
            (r#"{"ancestorReclaimLevel": -1}"#, ANCESTOR_RECLAIM_LEVEL),
        ] {
            let bad = match configure("volcano", arguments) {
                Err(ConfigError::BadArgument(bad)) => Some(bad.name),
                _ => None,
            };
            assert_eq!(bad.as_deref(), Some(name), "{arguments}");
        }
        assert!(configure("volcano", r#"{"actions": "allocate,preempt"}"#).is_ok());
        assert!(configure("volcano", "").is_ok());
    }

    #[test]
    fn actions_run_in_the_order_they_are_named_and_elastic_last() {
        let laws = super::super::describe();
        let arguments = SystemArguments::read(&laws, r#"{"actions": "elastic, allocate"}"#).unwrap();
        let args = VolcanoArgs::new(&arguments).unwrap();
        assert_eq!((args.actions, args.elastic_was_moved), (vec![Action::Allocate, Action::Elastic], true));
        let arguments = SystemArguments::read(&laws, r#"{"actions": "reclaim, allocate"}"#).unwrap();
        let args = VolcanoArgs::new(&arguments).unwrap();
        assert_eq!((args.actions, args.elastic_was_moved), (vec![Action::Reclaim, Action::Allocate], false));
        let arguments = SystemArguments::read(&laws, "").unwrap();
        let args = VolcanoArgs::new(&arguments).unwrap();
        assert_eq!(args.actions, [Action::Allocate, Action::Reclaim, Action::Elastic]);
        assert!(!args.elastic_was_moved);
    }
}
