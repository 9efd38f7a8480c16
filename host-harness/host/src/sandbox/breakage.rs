//! How a policy breaks while it runs.

use std::time::Duration;

/// A failure of a policy while it runs. The instance and its memory are lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFault {
    /// The policy trapped: a panic, an access out of bounds, a stack overflow.
    #[error("{trap}{}", within(.functions))]
    Trapped {
        /// The trap, in the words of the engine.
        trap: String,
        /// The active functions, innermost first, as far as the component names them.
        functions: Vec<String>,
    },
    /// The policy had not answered within its deadline.
    #[error("no answer within {0:?}")]
    Deadline(Duration),
    /// The policy had not answered when its fuel was used up. Unlike a deadline, fuel is the same on every machine.
    #[error("no answer with {0} units of fuel")]
    Fuel(u64),
    /// The policy was refused memory, and stopped.
    #[error("{wanted} bytes of memory wanted where {limit} are the limit")]
    Memory {
        /// The bytes that the policy would have held.
        wanted: usize,
        /// The maximum of bytes.
        limit: usize,
    },
    /// The answer has more than this many bytes, the limit of what the host copies.
    #[error("an answer of more than {0} bytes")]
    ResultTooLarge(usize),
    /// The answer is not a value of its type: text that is not UTF-8, an unknown case, an address outside of the memory.
    #[error("an answer that is none: {0}")]
    BadAnswer(String),
    /// The policy broke in an earlier call and was not restarted.
    #[error("it is gone since `{call}`: {cause}")]
    AlreadyFailed {
        /// The call in which the policy broke.
        call: &'static str,
        /// The cause.
        cause: Box<PolicyFault>,
    },
}

/// Returns a text with the innermost functions; empty where no function is known.
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
        let broken = PolicyFault::Trapped { trap: "wasm trap: integer overflow".to_owned(), functions };
        assert_eq!(
            broken.to_string(),
            "wasm trap: integer overflow, in `a`, called by `b`, called by `c`, called by `d`"
        );
        let nameless = PolicyFault::Trapped { trap: "wasm trap: integer overflow".to_owned(), functions: Vec::new() };
        assert_eq!(nameless.to_string(), "wasm trap: integer overflow");
    }
}
