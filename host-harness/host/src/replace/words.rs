//! What becomes of a replacement, in sentences.

use std::fmt::{Display, Formatter, Result};

use super::report::{ComparisonTotals, DecisionSummary, ReplyDifference};
use super::transition::{ReplacementState, StateTransfer, Transition, TransitionReason};

impl Display for ReplacementState {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        to.write_str(match self {
            ReplacementState::Loading => "loading",
            ReplacementState::Shadow => "shadow",
            ReplacementState::Switching => "switching",
            ReplacementState::Watching => "watching",
            ReplacementState::Done => "done",
            ReplacementState::RolledBack => "rolled back",
        })
    }
}

impl Display for Transition {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{} -> {}: {}", self.from, self.to, self.reason)
    }
}

impl Display for TransitionReason {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            TransitionReason::Loaded { memory } => write!(to, "the new policy was told everything; {memory}"),
            TransitionReason::Compared { totals, memory } => write!(to, "{totals}; {memory}"),
            TransitionReason::Switched => to.write_str("the new policy took over between two inputs"),
            TransitionReason::Watched { totals } => write!(to, "{totals}"),
            TransitionReason::Different { totals, allowed } => write!(to, "{totals}, {allowed} allowed"),
            TransitionReason::TooFew { totals, demanded } => {
                write!(to, "{totals}, {demanded} demanded: too little was decided to compare the two policies")
            }
            TransitionReason::Fault { call, message } => write!(to, "it broke in `{call}`: {message}"),
            TransitionReason::Lie { call, message } => write!(to, "its answer to `{call}` cannot be: {message}"),
            TransitionReason::GivenUp { why } => write!(to, "given up: {why}"),
        }
    }
}

impl Display for StateTransfer {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            StateTransfer::None => to.write_str("the old one keeps no memory"),
            StateTransfer::Same => to.write_str("both remember the same"),
            StateTransfer::Restored => to.write_str("it took what the old one remembers"),
            StateTransfer::Rebuilt { why } => {
                write!(to, "rebuilt from the cluster, because it does not take the old one's memory: {why}")
            }
        }
    }
}

impl Display for ComparisonTotals {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{} answers, {} decide otherwise", self.compared, self.different)
    }
}

impl Display for ReplyDifference {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let about = self.pod.as_ref().map(|pod| format!(" {pod}")).unwrap_or_default();
        write!(to, "{}{about}: {} => {}", self.call, self.old, self.new)
    }
}

/// A decision in a few words.
impl Display for DecisionSummary {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let DecisionSummary { verdict, law, placements, victims, names, effects } = self;
        let placed = placements.iter().map(|(pod, node)| format!("{pod} -> {node}"));
        let evicted = victims.iter().map(|pod| format!("evicts {pod}"));
        let parts: Vec<String> =
            placed.chain(evicted).chain(names.iter().cloned()).chain(effects.iter().cloned()).collect();
        to.write_str(verdict)?;
        if !law.is_empty() {
            write!(to, " ({law})")?;
        }
        if !parts.is_empty() {
            write!(to, ": {}", parts.join(", "))?;
        }
        Ok(())
    }
}
