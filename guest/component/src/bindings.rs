//! The bindings of the world `complete-policy`.

wit_bindgen::generate!({ path: "../../wit", world: "complete-policy" });
