//! The bindings of the world `complete-policy`. A policy need not have its optional interfaces: each is bound by itself.

wasmtime::component::bindgen!({ path: "../../wit", world: "complete-policy" });

pub use exports::lictor::policy as bound;

lictor_contract::cross_contract!(bound);
