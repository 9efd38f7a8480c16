//! How a policy breaks while it runs.

use std::time::Duration;

use wasmtime::{Trap, WasmBacktrace};

use super::Limits;
use super::guard::Guard;

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

impl Breakage {
    /// Reads what wasmtime says of a call that failed.
    pub(super) fn of(error: &wasmtime::Error, guard: &Guard, limits: &Limits) -> Breakage {
        let trap = error.downcast_ref::<Trap>().copied();
        if trap == Some(Trap::Interrupt) {
            return Breakage::Deadline(limits.call_deadline);
        }
        if trap == Some(Trap::OutOfFuel) {
            return Breakage::Fuel(limits.call_fuel.unwrap_or(0));
        }
        let said = format!("{:#}", error.root_cause());
        if said.starts_with(RESULT_TOO_LARGE) {
            return Breakage::ResultTooLarge(limits.result_bytes);
        }
        if let Some(wanted) = guard.refused() {
            return Breakage::Memory { wanted, limit: limits.memory_bytes };
        }
        if let Some(trap) = trap {
            return Breakage::Trapped { trap: trap.to_string(), functions: functions(error) };
        }
        Breakage::BadAnswer(said)
    }
}

/// How wasmtime begins when a guest returns too much; it has no public type for it.
const RESULT_TOO_LARGE: &str = "too much data is being copied";

/// The named functions on the guest's stack, innermost first.
fn functions(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else {
        return Vec::new();
    };
    let names = backtrace.frames().iter().filter_map(|frame| frame.func_name());
    names.map(|name| format!("{:#}", rustc_demangle::demangle(name))).collect()
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
