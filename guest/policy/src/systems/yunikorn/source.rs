//! The source of the queues: which ConfigMap is in force, and what happens when it is unusable.
//!
//! Each YuniKorn installation has one ConfigMap. Where several namespaces have one of this name, that of namespace `yunikorn` is used,
//! else that of the first namespace by name. The others are reported.

use std::collections::BTreeMap;

use super::config::{self, Config, Mistake};
use super::keys;
use crate::systems::{Document, Findings};

/// What happens to the queues when their description is unusable.
const UNCHANGED: &str = ": the queues stay unchanged";

/// A namespace, sorted so that the first one is used.
type Namespace = (bool, String);

/// The text of each ConfigMap, and the configuration in force.
#[derive(Debug, Default)]
pub struct Source {
    texts: BTreeMap<Namespace, String>,
    /// The namespace whose ConfigMap is used.
    chosen: Option<Namespace>,
    /// The text in force; none for the built-in configuration.
    text: Option<String>,
    /// The text in force has no mistakes.
    valid: bool,
}

fn namespace(name: &str) -> Namespace {
    (name != keys::NAMESPACE, name.to_owned())
}

impl Source {
    /// Reads a ConfigMap that is new or has changed. Returns the configuration now in force if it has changed.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) -> Option<Config> {
        let path = format!("/data/{}", keys::QUEUES);
        let Some(text) = object.at(&path).and_then(|value| value.as_str()) else {
            let message = format!("key `{}` is missing{UNCHANGED}", keys::QUEUES);
            findings.push(object.error("/data", message, "add the key with the description of the queues"));
            return None;
        };
        self.texts.insert(namespace(&object.namespace), text.to_owned());
        match self.texts.keys().next() {
            Some(first) if *first != namespace(&object.namespace) => {
                let message = format!("the one in namespace `{}` is used, this one has no effect", first.1);
                findings.push(object.warning("", message, "remove one of the two"));
                None
            }
            first => {
                let other = self.chosen.as_ref() != first;
                self.chosen = first.cloned();
                let read = self.take(text, object, findings);
                // The configuration of another namespace does not stay in force.
                read.or_else(|| other.then(|| self.reset()))
            }
        }
    }

    /// Removes a ConfigMap. Returns the configuration now in force if it has changed.
    pub fn remove(&mut self, from: &str) -> Option<Config> {
        self.texts.remove(&namespace(from));
        if self.chosen != Some(namespace(from)) {
            return None;
        }
        let built_in = self.reset();
        self.chosen = self.texts.keys().next().cloned();
        let next = self.chosen.as_ref().and_then(|chosen| self.texts.get(chosen)).cloned();
        let object = Document::named("ConfigMap", from, keys::CONFIG_MAP);
        next.and_then(|text| self.take(&text, &object, &mut Vec::new())).or(Some(built_in))
    }

    /// The text in force, for a checkpoint.
    pub fn checkpoint(&self) -> Option<String> {
        self.text.clone()
    }

    /// Restores the text in force from a checkpoint. It is used where the current ConfigMap has mistakes.
    pub fn restore(&mut self, text: String) -> Option<Config> {
        let (config, _) = Some(&text).filter(|_| !self.valid).and_then(|text| config::read(text).ok())?;
        (self.valid, self.text) = (true, Some(text));
        Some(config)
    }

    fn reset(&mut self) -> Config {
        (self.valid, self.text) = (false, None);
        Config::default()
    }

    /// Puts a text in force; `None` where it is unusable.
    fn take(&mut self, text: &str, object: &Document, findings: &mut Findings) -> Option<Config> {
        let path = format!("/data/{}", keys::QUEUES);
        let (config, mistakes) = match config::read(text) {
            Ok(read) => read,
            Err(mistake) => {
                let message = format!("{}{UNCHANGED}", mistake.sentence());
                findings.push(object.error(&path, message, mistake.remedy));
                return None;
            }
        };
        let warning = |mistake: &Mistake| object.warning(&path, mistake.sentence(), mistake.remedy);
        findings.extend(mistakes.iter().map(warning));
        (self.valid, self.text) = (true, Some(text.to_owned()));
        Some(config)
    }
}
