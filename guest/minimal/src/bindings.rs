//! The bindings of a world of its own: what every policy exports, and `queue`.

wit_bindgen::generate!({
    inline: r#"
        package example:minimal;

        world minimal {
          export lictor:policy/cluster@0.1.0;
          export lictor:policy/answers@0.1.0;
          export lictor:policy/core@0.1.0;
          export lictor:policy/queue@0.1.0;
        }
    "#,
    path: "../../wit",
    world: "example:minimal/minimal",
});
