//! The source of the queues: which ConfigMaps are in force, and what happens when they are unusable.
//!
//! An installation of YuniKorn has ConfigMap `yunikorn-defaults`, which its chart writes, and `yunikorn-configs`, which is laid over it key
//! by key (yunikorn-k8shim `conf.FlattenConfigMaps`). Where several namespaces have one of these, those of namespace `yunikorn` are used,
//! else those of the first namespace by name. The others are reported.

use std::collections::{BTreeMap, BTreeSet};

use super::config::{self, ConfigProblem, PartitionConfig};
use super::keys;
use super::maps::{ConfigMap, ConfigMapText};
use crate::contract::ObjectKey;
use crate::systems::{Findings, ParsedObject};

/// What happens to the queues when their description is unusable.
const UNCHANGED: &str = ": the queues stay unchanged";
/// What happens when there is no description at all.
const BUILT_IN: &str = ": the configuration built into YuniKorn is in force, one queue for each namespace";

/// A namespace, sorted so that the first one is used.
type Namespace = (bool, String);

/// The ConfigMaps, and the configuration in force.
#[derive(Debug, Default)]
pub struct QueueConfigMaps {
    /// The ConfigMaps by namespace and name; `yunikorn-defaults` is last.
    maps: BTreeMap<Namespace, BTreeMap<&'static str, ConfigMap>>,
    /// The ConfigMaps that were read since the last [`QueueConfigMaps::sync`].
    read: BTreeSet<(Namespace, &'static str)>,
    /// Whether a ConfigMap in force has been removed since the last [`QueueConfigMaps::sync`]: its queues do not stay in force.
    removed: bool,
    /// The namespace whose ConfigMaps are used.
    namespace_in_force: Option<Namespace>,
    /// The text in force. `None`: the built-in configuration is in force.
    text: Option<String>,
    /// Whether the text in force has no mistakes.
    valid: bool,
}

fn namespace(name: &str) -> Namespace {
    (name != keys::NAMESPACE, name.to_owned())
}

/// Returns the name of a ConfigMap that is read; none for others.
fn known(name: &str) -> Option<&'static str> {
    [keys::CONFIG_MAP, keys::DEFAULTS].into_iter().find(|known| *known == name)
}

impl QueueConfigMaps {
    /// Stores a ConfigMap that is new or has changed. One of another name is ignored.
    pub fn read(&mut self, object: &ParsedObject) {
        let Some(name) = known(&object.name) else { return };
        let namespace = namespace(&object.namespace);
        self.maps.entry(namespace.clone()).or_default().insert(name, ConfigMap::read(object));
        self.read.insert((namespace, name));
    }

    /// Removes a ConfigMap.
    pub fn remove(&mut self, object: &ObjectKey) {
        let namespace = namespace(&object.namespace);
        let Some(maps) = self.maps.get_mut(&namespace) else { return };
        if maps.remove(&*object.name).is_none() {
            return;
        }
        if maps.is_empty() {
            self.maps.remove(&namespace);
        }
        self.removed |= self.namespace_in_force.as_ref() == Some(&namespace);
        self.read.retain(|(of, name)| (of, *name) != (&namespace, &*object.name));
    }

    /// Returns the configuration now in force if it has changed since the last call.
    pub fn sync(&mut self, findings: &mut Findings) -> Option<PartitionConfig> {
        let (read, removed) = (std::mem::take(&mut self.read), std::mem::take(&mut self.removed));
        let chosen = self.maps.keys().next().cloned();
        // The configuration of another namespace, or of a ConfigMap that is gone, does not stay in force.
        let replace = removed || self.namespace_in_force != chosen;
        self.namespace_in_force = chosen;
        let used = self.namespace_in_force.clone().unwrap_or_default();
        for (namespace, name) in read.iter().filter(|(namespace, _)| *namespace != used) {
            let message = format!("the one in namespace `{}` is used, this one has no effect", used.1);
            findings.push(ParsedObject::named("ConfigMap", &namespace.1, name).warning(
                "",
                message,
                "remove one of the two",
            ));
        }
        if !replace && !read.iter().any(|(namespace, _)| *namespace == used) {
            return None;
        }
        let found = self.find_queues(&used, replace, findings);
        let config = found.and_then(|(object, entry)| self.put_in_force(&entry, &object, findings));
        config.or_else(|| replace.then(|| self.reset()))
    }

    /// Returns the text in force, for a checkpoint.
    pub fn checkpoint(&self) -> Option<String> {
        self.text.clone()
    }

    /// Restores the text in force from a checkpoint. It is used where the current ConfigMap has mistakes.
    pub fn restore(&mut self, text: String) -> Option<PartitionConfig> {
        let (config, _) = Some(&text).filter(|_| !self.valid).and_then(|text| config::read(text).ok())?;
        (self.valid, self.text) = (true, Some(text));
        Some(config)
    }

    /// Finds the queues in the ConfigMaps of a namespace, `yunikorn-configs` first; none, and a finding, where they have none.
    fn find_queues(
        &self,
        used: &Namespace,
        replace: bool,
        findings: &mut Findings,
    ) -> Option<(ParsedObject, ConfigMapText)> {
        let maps = self.maps.get(used)?;
        let first = |key: &str| maps.iter().find_map(|(name, map)| Some((*name, map.get(key)?)));
        let group = first(keys::POLICY_GROUP).and_then(|(_, entry)| entry.text.clone().ok());
        let key = group.map_or_else(|| keys::QUEUES.to_owned(), |group| format!("{group}.yaml"));
        if let Some((name, entry)) = first(&key) {
            return Some((ParsedObject::named("ConfigMap", &used.1, name), entry.clone()));
        }
        let (name, _) = maps.first_key_value()?;
        let kept = if replace || self.text.is_none() { BUILT_IN } else { UNCHANGED };
        let message = format!("key `{key}` is missing, in `{}` and `{}`{kept}", keys::CONFIG_MAP, keys::DEFAULTS);
        let object = ParsedObject::named("ConfigMap", &used.1, name);
        findings.push(object.warning("/data", message, "add the key with the description of the queues"));
        None
    }

    fn reset(&mut self) -> PartitionConfig {
        (self.valid, self.text) = (false, None);
        PartitionConfig::default()
    }

    /// Puts a text in force; `None` where it is unusable.
    fn put_in_force(
        &mut self,
        entry: &ConfigMapText,
        object: &ParsedObject,
        findings: &mut Findings,
    ) -> Option<PartitionConfig> {
        let path = &entry.path;
        let text = match &entry.text {
            Ok(text) => text,
            Err(wrong) => {
                let remedy = "write the text under `data`, or compress it anew: `gzip queues.yaml`";
                findings.push(object.error(path, format!("{wrong}{UNCHANGED}"), remedy));
                return None;
            }
        };
        let (config, mistakes) = match config::read(text) {
            Ok(read) => read,
            Err(mistake) => {
                let message = format!("{}{UNCHANGED}", mistake.sentence());
                findings.push(object.error(path, message, mistake.remedy));
                return None;
            }
        };
        let warning = |mistake: &ConfigProblem| object.warning(path, mistake.sentence(), mistake.remedy);
        findings.extend(mistakes.iter().map(warning));
        (self.valid, self.text) = (true, Some(text.clone()));
        Some(config)
    }
}
