//! The model shares no code with the policy that it judges.

use lictor_oracle::{SystemKind, generate};

#[test]
fn the_model_depends_on_no_crate_of_the_engine_or_the_host() {
    let manifest = include_str!("../Cargo.toml");
    let dependencies = manifest.split_once("[dependencies]\n").unwrap().1.split_once("\n[").unwrap().0;
    let names: Vec<&str> = dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
    let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(named, ["serde_json", "thiserror"]);
    assert_eq!(manifest.matches("dependencies]").count(), 1, "there are no other dependencies");
}

#[test]
fn the_same_seed_and_index_make_the_same_case() {
    for system in SystemKind::ALL {
        assert_eq!(generate(system, 7, 11), generate(system, 7, 11), "{system}");
        assert_ne!(generate(system, 7, 11).objects, generate(system, 7, 12).objects, "{system}");
        assert_ne!(generate(system, 7, 11).objects, generate(system, 8, 11).objects, "{system}");
    }
}

#[test]
fn every_case_is_a_possible_cluster() {
    for system in SystemKind::ALL {
        let unfair = (0..500).find(|index| !generate(system, 1, *index).is_fair());
        assert_eq!(unfair, None, "{system}");
    }
}
