//! The plugin arguments.

use crate::Engine;
use crate::contract::{BadArgument, ConfigError};

fn configure(arguments: &str) -> Result<(), ConfigError> {
    Engine::default().configure("koordinator", arguments)
}

fn bad(name: &str, expected: &str, found: &str) -> Result<(), ConfigError> {
    let [name, expected, found] = [name, expected, found].map(str::to_owned);
    Err(ConfigError::BadArgument(BadArgument { name, expected, found }))
}

#[test]
fn no_arguments_and_all_arguments_are_valid_configurations() {
    for arguments in ["", " ", "null", "{}"] {
        assert_eq!(configure(arguments), Ok(()));
    }
    let all = r#"{"disableDefaultPreemptiable": true, "disableDefaultTriggerPreemption": true,
        "podShouldBeDeletedWhenPreempted": true, "disableDefaultQuotaPreemption": true, "enableCheckParentQuota": true,
        "enableRuntimeQuota": true, "enableMinQuotaScale": false, "defaultTimeout": 30}"#;
    assert_eq!(configure(all), Ok(()));
}

#[test]
fn the_arguments_have_the_names_and_defaults_of_upstream() {
    let arguments = Engine::describe().systems.swap_remove(0).arguments;
    let declared: Vec<(&str, &str)> = arguments.iter().map(|one| (one.name.as_str(), one.default.as_str())).collect();
    for seed in ["disableDefaultPreemptiable", "disableDefaultTriggerPreemption", "podShouldBeDeletedWhenPreempted"] {
        assert!(declared.contains(&(seed, "false")), "{seed}");
    }
    assert!(declared.contains(&("defaultTimeout", "\"600s\"")));
}

#[test]
fn unknown_arguments_and_values_of_the_wrong_kind_are_refused() {
    assert_eq!(
        configure(r#"{"disableDefaultPreemptible": true}"#),
        Err(ConfigError::UnknownArgument("disableDefaultPreemptible".to_owned())),
        "upstream spells it Preemptiable"
    );
    let flag = "enableCheckParentQuota";
    assert_eq!(configure(r#"{"enableCheckParentQuota": "true"}"#), bad(flag, "true or false", "\"true\""));
    assert_eq!(configure(r#"{"enableCheckParentQuota": null}"#), bad(flag, "true or false", "null"));
    let duration = "a duration such as `1m30s`";
    assert_eq!(configure(r#"{"defaultTimeout": "soon"}"#), bad("defaultTimeout", duration, "\"soon\""));
    assert_eq!(configure(r#"{"defaultTimeout": -1}"#), bad("defaultTimeout", duration, "-1"));
    for arguments in ["[]", "true", "{", "disableDefaultPreemptiable=true"] {
        assert!(matches!(configure(arguments), Err(ConfigError::Malformed(_))), "{arguments}");
    }
    let refused = Engine::default().configure("yunikom", "");
    assert!(matches!(refused, Err(ConfigError::UnknownSystem(known)) if known.contains(&"koordinator".to_owned())));
}

#[test]
fn a_refused_configuration_changes_nothing() {
    let mut world = crate::testing::PolicyHarness::new();
    world.node("n", "cpu=1");
    world.pod(crate::testing::pod("p").requests("cpu=1").on("n"));
    assert!(world.engine.configure("koordinator", "{").is_err());
    assert_eq!(world.account(crate::testing::DEFAULT).used, crate::testing::amounts("cpu=1"));
    assert_eq!(world.engine.configure("koordinator", ""), Ok(()));
    assert_eq!(world.engine.queues(), Ok(Vec::new()), "a new configuration forgets everything");
}
