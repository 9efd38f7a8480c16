//! The inputs and answers of [`Lictor`](crate::Lictor), as TypeScript.

use std::collections::BTreeMap;

use lictor_conformance::Report;
use lictor_contract::SystemInfo;
use lictor_decide::edit::{Bound, Edit};
use lictor_decide::explain::Answer;
use lictor_decide::laws::Registered;
use lictor_decide::recorded::Known;
use lictor_decide::what_if::WhatIf;
use lictor_decide::written::Written;
use lictor_decide::{Between, Problem, Record};
use lictor_picture::{Picture, Placed};
use ts_rs::{Config, TS, TypeVisitor};

use crate::{Moment, Summary, Told};

/// Returns the declarations of all types in the signatures of [`Lictor`](crate::Lictor), and of those within them, sorted by name.
///
/// # Errors
/// Two types have the same name.
pub fn declarations() -> Result<String, String> {
    // A whole number of JSON is a number in JavaScript, whatever its size.
    let mut all = Declarations { config: Config::new().with_large_int("number"), found: BTreeMap::new(), twice: None };
    all.visit::<SystemInfo>();
    all.visit::<Registered>();
    all.visit::<Told>();
    all.visit::<Summary>();
    all.visit::<Record>();
    all.visit::<Between>();
    all.visit::<Moment<'static>>();
    all.visit::<Known>();
    all.visit::<Answer<'static>>();
    all.visit::<WhatIf>();
    all.visit::<Written>();
    all.visit::<Picture>();
    all.visit::<Edit>();
    all.visit::<Bound>();
    all.visit::<Placed>();
    all.visit::<Report>();
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
