//! What wasmtime says of a call that failed.

use wasmtime::{Trap, WasmBacktrace};

use super::guard::ResourceGuard;
use super::{PolicyFault, SandboxLimits};

/// The beginning of the wasmtime error for an answer that is too large. wasmtime has no public type for it.
const RESULT_TOO_LARGE: &str = "too much data is being copied";

impl PolicyFault {
    /// Converts the wasmtime error of a failed call.
    pub(super) fn of(error: &wasmtime::Error, guard: &ResourceGuard, limits: &SandboxLimits) -> PolicyFault {
        let trap = error.downcast_ref::<Trap>().copied();
        if trap == Some(Trap::Interrupt) {
            return PolicyFault::Deadline(limits.call_deadline);
        }
        if trap == Some(Trap::OutOfFuel) {
            return PolicyFault::Fuel(limits.call_fuel.unwrap_or(0));
        }
        let said = format!("{:#}", error.root_cause());
        if said.starts_with(RESULT_TOO_LARGE) {
            return PolicyFault::ResultTooLarge(limits.result_bytes);
        }
        if let Some(wanted) = guard.refused() {
            return PolicyFault::Memory { wanted, limit: limits.memory_bytes };
        }
        if let Some(trap) = trap {
            return PolicyFault::Trapped { trap: trap.to_string(), functions: functions(error) };
        }
        PolicyFault::BadAnswer(said)
    }
}

/// Returns the named functions on the guest's stack, innermost first.
fn functions(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else {
        return Vec::new();
    };
    let names = backtrace.frames().iter().filter_map(|frame| frame.func_name());
    names.map(|name| format!("{:#}", rustc_demangle::demangle(name))).collect()
}
