//! Where the queues come from: the ConfigMap in force, and what becomes of one that cannot be used.
//!
//! There is one for each YuniKorn. Where several namespaces have one of the name, that of namespace `yunikorn` counts, else the first by
//! name; the others are told so.

use std::collections::BTreeMap;

use super::config::{self, Config, Mistake};
use super::keys;
use crate::systems::{Document, Findings};

/// What becomes of the queues when their description cannot be used.
const STAY: &str = ": the queues stay as they are";

/// A namespace; the one that counts is the least.
type Namespace = (bool, String);

/// The descriptions of the queues there are, and which one is in force.
#[derive(Debug, Default)]
pub struct Source {
    texts: BTreeMap<Namespace, String>,
    /// The namespace whose description counts.
    chosen: Option<Namespace>,
    /// The text in force; none where it is what is built in.
    text: Option<String>,
    /// It was read without a mistake.
    good: bool,
}

fn namespace(name: &str) -> Namespace {
    (name != keys::NAMESPACE, name.to_owned())
}

impl Source {
    /// A ConfigMap of the queues is new or has changed; what is in force from now on, where that is something else.
    pub fn read(&mut self, object: &Document, findings: &mut Findings) -> Option<Config> {
        let path = format!("/data/{}", keys::QUEUES);
        let Some(text) = object.at(&path).and_then(|value| value.as_str()) else {
            let message = format!("it has no `{}`{STAY}", keys::QUEUES);
            findings.push(object.error("/data", message, "describe the queues there"));
            return None;
        };
        self.texts.insert(namespace(&object.namespace), text.to_owned());
        match self.texts.keys().next() {
            Some(first) if *first != namespace(&object.namespace) => {
                let message = format!("that of namespace `{}` counts, this one has no effect", first.1);
                findings.push(object.warning("", message, "remove one of them"));
                None
            }
            first => {
                let other = self.chosen.as_ref() != first;
                self.chosen = first.cloned();
                let read = self.take(text, object, findings, other);
                // What another namespace described does not stay in force.
                read.or_else(|| other.then(|| self.nothing()))
            }
        }
    }

    /// A ConfigMap of the queues is gone; what is in force from now on, where that is something else.
    pub fn remove(&mut self, of: &str) -> Option<Config> {
        self.texts.remove(&namespace(of));
        if self.chosen != Some(namespace(of)) {
            return None;
        }
        let nothing = self.nothing();
        self.chosen = self.texts.keys().next().cloned();
        let next = self.chosen.as_ref().and_then(|chosen| self.texts.get(chosen)).cloned();
        let object = Document::named("ConfigMap", of, keys::CONFIG_MAP);
        next.and_then(|text| self.take(&text, &object, &mut Vec::new(), true)).or(Some(nothing))
    }

    /// What a policy remembers of it.
    pub fn remember(&self) -> Option<String> {
        self.text.clone()
    }

    /// The text that was in force. It counts where what was told since cannot be used as it is.
    pub fn recall(&mut self, text: String) -> Option<Config> {
        let (config, told) = Some(&text).filter(|_| !self.good).and_then(|text| config::read(text).ok())?;
        (self.good, self.text) = (is_good(&told), Some(text));
        Some(config)
    }

    fn nothing(&mut self) -> Config {
        (self.good, self.text) = (false, None);
        Config::default()
    }

    /// Takes a text; none where it cannot be used. `anew`: there is nothing good to keep.
    fn take(&mut self, text: &str, object: &Document, findings: &mut Findings, anew: bool) -> Option<Config> {
        let path = format!("/data/{}", keys::QUEUES);
        let refused = |mistake: &Mistake| object.error(&path, format!("{}{STAY}", mistake.sentence()), mistake.remedy);
        let (config, told) = match config::read(text) {
            Ok(read) => read,
            Err(mistake) => {
                findings.push(refused(&mistake));
                return None;
            }
        };
        if self.good && !anew && !is_good(&told) {
            findings.extend(told.iter().filter(|mistake| mistake.instead.is_some()).map(refused));
            return None;
        }
        let tell = |mistake: &Mistake| {
            let instead = mistake.instead.map(|instead| format!(": {instead}")).unwrap_or_default();
            object.warning(&path, mistake.sentence() + &instead, mistake.remedy)
        };
        findings.extend(told.iter().map(tell));
        (self.good, self.text) = (is_good(&told), Some(text.to_owned()));
        Some(config)
    }
}

fn is_good(told: &[Mistake]) -> bool {
    told.iter().all(|mistake| mistake.instead.is_none())
}
