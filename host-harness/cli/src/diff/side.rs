//! One of the two policies that are compared.

use std::path::{Path, PathBuf};

use lictor_contract::Description;
use lictor_host::recording::Header;
use serde::Serialize;
use serde_json::{Map, Value};

use super::super::arguments;
use super::super::choice::BoundArgs;
use super::super::choice::{LoadedPolicy, PolicyArgs};
use super::super::failure::CommandError;
use super::super::remote::RegistryArgs;
use lictor_decide::UserArguments;
use lictor_decide::record::PolicySource;

/// A policy with its configuration.
pub(super) struct ConfiguredPolicy {
    pub(super) chosen: LoadedPolicy,
    pub(super) described: Description,
    /// The system. `None`: that of the input, else the first one of the policy.
    system: Option<String>,
    /// The file of the arguments. `None`: those of the input.
    arguments: Option<PathBuf>,
}

/// A side as it is reported.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SideSummary {
    /// The word on the command line.
    pub(super) word: String,
    pub(super) name: String,
    pub(super) version: String,
    #[serde(flatten)]
    pub(super) source: PolicySource,
    /// The system, where the side names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system: Option<String>,
    /// The arguments, where the side has some of its own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) arguments: Map<String, Value>,
}

impl ConfiguredPolicy {
    /// Reads a word: `embedded`, `native`, or the file of a component, each with `@SYSTEM` where the system is not that of the input; or
    /// a system alone, of the embedded policy.
    pub(super) fn of(
        word: &str,
        bounds: &BoundArgs,
        remote: &RegistryArgs,
        system: Option<&str>,
        arguments: Option<&Path>,
    ) -> Result<ConfiguredPolicy, CommandError> {
        let (policy, named) = split(word);
        let chosen = PolicyArgs::from_word(policy, bounds, remote).load_policy()?;
        let described = chosen.start()?.describe()?;
        let system = named.or(system).map(str::to_owned);
        let known = |name: &String| described.systems.iter().any(|it| it.name == *name);
        if let Some(unknown) = system.as_ref().filter(|name| !known(name)) {
            return Err(CommandError::unknown_system(word, unknown, &described));
        }
        Ok(ConfiguredPolicy { chosen, described, system, arguments: arguments.map(Path::to_owned) })
    }

    pub(super) fn named(&self, word: &str) -> Result<SideSummary, CommandError> {
        Ok(SideSummary {
            word: word.to_owned(),
            name: self.described.name.clone(),
            version: self.described.version.clone(),
            source: self.chosen.source.clone(),
            system: self.system.clone(),
            arguments: arguments::read(self.arguments.as_deref())?.values,
        })
    }

    /// Returns the system for an input with the system `of_input`, which may be empty.
    pub(super) fn system<'a>(&'a self, of_input: &'a str) -> &'a str {
        self.system.as_deref().unwrap_or(of_input)
    }

    /// Reads the arguments of this side from their file. Without a file they are empty.
    pub(super) fn own_arguments(&self) -> Result<UserArguments, CommandError> {
        arguments::read(self.arguments.as_deref())
    }

    /// Returns the arguments for an input with the arguments `of_input` and the system `system`. Arguments of another system are not used.
    pub(super) fn arguments(&self, of_input: &str, system: &str) -> Result<String, CommandError> {
        match &self.arguments {
            Some(_) => Ok(self.own_arguments()?.json()),
            None if self.system.as_ref().is_some_and(|own| own != system) => Ok(String::new()),
            None => Ok(of_input.to_owned()),
        }
    }

    /// Returns the header of a session of this side, for an input with the header `of_input`. Unless the input names schedulers, the session decides
    /// about the pods of those for which the system of the input stands, as `known` describes it.
    pub(super) fn header(&self, of_input: &Header, known: &Description) -> Result<Header, CommandError> {
        let system = known.systems.iter().find(|it| it.name == of_input.system);
        let of_system = system.map(|it| it.schedulers.clone()).unwrap_or_default();
        let named = !of_input.schedulers.is_empty() || self.system(&of_input.system) == of_input.system;
        Ok(Header {
            schedulers: if named { of_input.schedulers.clone() } else { of_system },
            policy: self.chosen.identified(&self.described),
            rails: self.chosen.rails.clone(),
            system: self.system(&of_input.system).to_owned(),
            arguments: self.arguments(&of_input.arguments, &of_input.system)?,
            ..of_input.clone()
        })
    }
}

/// Splits a word into the policy and the system. `None`: the word names no system.
fn split(word: &str) -> (&str, Option<&str>) {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if Path::new(word).exists() || matches!(word, "embedded" | "native") {
        return (word, None);
    }
    match word.rsplit_once('@') {
        Some((policy, system)) if is_name(system) => (policy, Some(system)),
        None if is_name(word) => ("embedded", Some(word)),
        _ => (word, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_policy_a_system_or_both() {
        for (word, policy, system) in [
            ("embedded", "embedded", None),
            ("native@volcano", "native", Some("volcano")),
            ("koordinator", "embedded", Some("koordinator")),
            ("dist/new.wasm", "dist/new.wasm", None),
            ("dist/new.wasm@yunikorn", "dist/new.wasm", Some("yunikorn")),
            ("oci://host/it@sha256:0a", "oci://host/it@sha256:0a", None),
            ("oci://host/it@sha256:0a@volcano", "oci://host/it@sha256:0a", Some("volcano")),
        ] {
            assert_eq!(split(word), (policy, system), "{word}");
        }
    }
}
