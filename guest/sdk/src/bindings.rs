//! The bindings of the world `complete-policy`.

wit_bindgen::generate!({
    path: "../../wit",
    world: "complete-policy",
    pub_export_macro: true,
    default_bindings_module: "lictor_sdk::bindings",
});

use exports::lictor::policy as bound;

lictor_contract::cross_contract!(bound);
