//! What becomes of a replacement, in sentences.

use std::fmt::{Display, Formatter, Result};

use super::machine::{Memory, Reason, State, Transition};
use super::report::{Decided, Difference, Totals};

impl Display for State {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        to.write_str(match self {
            State::Loading => "loading",
            State::Shadow => "shadow",
            State::Switching => "switching",
            State::Watching => "watching",
            State::Done => "done",
            State::RolledBack => "rolled back",
        })
    }
}

impl Display for Transition {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{} -> {}: {}", self.from, self.to, self.reason)
    }
}

impl Display for Reason {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Reason::Loaded { memory } => write!(to, "the new policy was told everything; {memory}"),
            Reason::Compared { totals, memory } => write!(to, "{totals}; {memory}"),
            Reason::Switched => to.write_str("the new policy took over between two inputs"),
            Reason::Watched { totals } => write!(to, "{totals}"),
            Reason::Different { totals, allowed } => write!(to, "{totals}, {allowed} allowed"),
            Reason::TooFew { totals, demanded } => {
                write!(to, "{totals}, {demanded} demanded: too little was decided to compare the two policies")
            }
            Reason::Fault { call, message } => write!(to, "it broke in `{call}`: {message}"),
            Reason::Lie { call, message } => write!(to, "its answer to `{call}` cannot be: {message}"),
            Reason::GivenUp { why } => write!(to, "given up: {why}"),
        }
    }
}

impl Display for Memory {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        match self {
            Memory::None => to.write_str("the old one keeps no memory"),
            Memory::Same => to.write_str("both remember the same"),
            Memory::Restored => to.write_str("it took what the old one remembers"),
            Memory::Rebuilt { why } => {
                write!(to, "rebuilt from the cluster, because it does not take the old one's memory: {why}")
            }
        }
    }
}

impl Display for Totals {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{} answers, {} decide otherwise", self.compared, self.different)
    }
}

impl Display for Difference {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let about = self.pod.as_ref().map(|pod| format!(" {pod}")).unwrap_or_default();
        write!(to, "{}{about}: {} => {}", self.call, self.old, self.new)
    }
}

/// A decision in a few words.
impl Display for Decided {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let Decided { verdict, law, placements, victims, names, effects } = self;
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
