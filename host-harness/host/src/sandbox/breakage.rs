//! How a policy breaks while it runs.

use std::time::Duration;

/// What a policy did instead of answering. It keeps nothing of what it held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Breakage {
    /// It stopped itself: a panic, an access out of bounds, a stack overflow.
    #[error("{trap}{}", within(.functions))]
    Trapped {
        /// What the machine says.
        trap: String,
        /// The functions it was in, innermost first, as far as the component names them.
        functions: Vec<String>,
    },
    /// It had not answered when its time was up.
    #[error("no answer within {0:?}")]
    Deadline(Duration),
    /// It had not answered when its fuel was used up. Unlike a deadline, that is so on every machine.
    #[error("no answer with {0} units of fuel")]
    Fuel(u64),
    /// It was refused memory, and stopped.
    #[error("{wanted} bytes of memory wanted where {limit} are the limit")]
    Memory {
        /// What it would have held.
        wanted: usize,
        /// What it may hold.
        limit: usize,
    },
    /// It answered with more than the host is willing to copy.
    #[error("an answer of more than {0} bytes")]
    ResultTooLarge(usize),
    /// It answered with what is no value of the type: text that is not UTF-8, an unknown case, an address outside its memory.
    #[error("an answer that is none: {0}")]
    BadAnswer(String),
    /// It broke in an earlier call and has not been revived.
    #[error("it is gone since `{call}`: {cause}")]
    Gone {
        /// The call it broke in.
        call: &'static str,
        /// How.
        cause: Box<Breakage>,
    },
}

/// The innermost functions, for people.
fn within(functions: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = functions.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if shown.is_empty() { String::new() } else { format!(", in {}", shown.join(", called by ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_names_its_innermost_functions() {
        let functions = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let broken = Breakage::Trapped { trap: "wasm trap: integer overflow".to_owned(), functions };
        assert_eq!(
            broken.to_string(),
            "wasm trap: integer overflow, in `a`, called by `b`, called by `c`, called by `d`"
        );
        let nameless = Breakage::Trapped { trap: "wasm trap: integer overflow".to_owned(), functions: Vec::new() };
        assert_eq!(nameless.to_string(), "wasm trap: integer overflow");
    }
}
