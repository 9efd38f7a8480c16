//! The bindings: what every policy exports, and the optional interfaces that the engine has. It leaves scoring to the host.

wit_bindgen::generate!({
    inline: r#"
        package lictor:component;

        world component {
          include lictor:policy/policy@0.1.0;
          export lictor:policy/queue@0.1.0;
          export lictor:policy/placement@0.1.0;
          export lictor:policy/permit@0.1.0;
          export lictor:policy/cycle@0.1.0;
          export lictor:policy/account@0.1.0;
          export lictor:policy/explain@0.1.0;
          export lictor:policy/state@0.1.0;
          export lictor:policy/marks@0.1.0;
          export lictor:policy/enforce@0.1.0;
          export lictor:policy/standing@0.1.0;
        }
    "#,
    path: "../../wit",
    world: "lictor:component/component",
});
