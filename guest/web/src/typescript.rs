//! The inputs and answers of [`Lictor`](crate::Lictor), as TypeScript.

use std::collections::BTreeMap;

use lictor_conformance::ScenarioReport;
use lictor_contract::SystemInfo;
use lictor_decide::edit::{Edit, EditableBound};
use lictor_decide::explain::ExplanationReport;
use lictor_decide::laws::RegisteredRule;
use lictor_decide::recorded::ReadPosition;
use lictor_decide::what_if::WhatIfReport;
use lictor_decide::written::ExportedFile;
use lictor_decide::{CycleInterval, DecisionReport, Problem};
use lictor_picture::{Picture, PodOnNode};
use ts_rs::{Config, TS, TypeVisitor};

use crate::{CycleSnapshot, InputSummary, OpenInput};

/// Returns the declarations of all types in the signatures of [`Lictor`](crate::Lictor), and of those within them, sorted by name.
///
/// # Errors
/// Two types have the same name.
pub fn declarations() -> Result<String, String> {
    // A whole number of JSON is a number in JavaScript, whatever its size.
    let mut all = Declarations { config: Config::new().with_large_int("number"), found: BTreeMap::new(), twice: None };
    all.visit::<SystemInfo>();
    all.visit::<RegisteredRule>();
    all.visit::<OpenInput>();
    all.visit::<InputSummary>();
    all.visit::<DecisionReport>();
    all.visit::<CycleInterval>();
    all.visit::<CycleSnapshot<'static>>();
    all.visit::<ReadPosition>();
    all.visit::<ExplanationReport<'static>>();
    all.visit::<WhatIfReport>();
    all.visit::<ExportedFile>();
    all.visit::<Picture>();
    all.visit::<Edit>();
    all.visit::<EditableBound>();
    all.visit::<PodOnNode>();
    all.visit::<ScenarioReport>();
    all.visit::<Problem>();
    match all.twice {
        Some(name) => Err(format!("two types are called {name} in TypeScript")),
        None => Ok(all.found.into_values().collect::<Vec<_>>().join("\n")),
    }
}

/// Types that were found, by their names.
struct Declarations {
    config: Config,
    found: BTreeMap<String, String>,
    twice: Option<String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // The types of the language itself are not declared.
        if T::output_path().is_none() {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let (name, text) = (T::ident(&self.config), format!("{docs}export {}\n", T::decl(&self.config)));
        match self.found.get(&name) {
            Some(known) if *known == text => {}
            Some(_) => self.twice = Some(name),
            None => {
                self.found.insert(name, text);
                T::visit_dependencies(self);
            }
        }
    }
}
