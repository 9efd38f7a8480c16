//! The arguments of the laws, from a file.

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_contract::{Argument, ConfigError, SystemInfo};
use serde_json::{Map, Value};

use super::failure::Failure;
use super::problem::Problem;
use lictor_host::cluster::load::{Document, Origin, each_in};
use lictor_host::cluster::{InputError, step};
use lictor_host::session::OpenError;

/// The options that choose the laws.
#[derive(Debug, Args)]
pub(super) struct InForce {
    /// The laws in force [default: the first that the policy knows]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(super) laws: String,
    /// The arguments of the laws, YAML or JSON, by their own names
    #[arg(long, value_name = "FILE")]
    pub(super) args: Option<PathBuf>,
}

/// Arguments as they were given.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The arguments by their names.
    pub(super) given: Map<String, Value>,
    /// Where they stand, and below which pointer.
    origin: Option<(Origin, &'static str)>,
}

impl Arguments {
    /// Reads a file; without one there are none. An empty file has none, too.
    pub(super) fn read(file: Option<&Path>) -> Result<Arguments, Failure> {
        let Some(file) = file else { return Ok(Arguments::default()) };
        let mut documents: Vec<Document> = Vec::new();
        let mut keep = |document| {
            documents.push(document);
            Ok(())
        };
        each_in(file, &mut keep).map_err(|mistake| vec![mistake])?;
        let first = documents.pop();
        match (first, documents.is_empty()) {
            (None, _) => Ok(Arguments::default()),
            (Some(document), true) => Ok(Arguments::of(document).map_err(|mistake| vec![mistake])?),
            (Some(second), false) => {
                let message = "a second document in a file of arguments";
                Err(vec![second.origin.mistake("", message, "write all arguments into one mapping")].into())
            }
        }
    }

    /// Reads a document: a mapping of arguments, or one that has it under `args`.
    fn of(document: Document) -> Result<Arguments, InputError> {
        let Document { value, origin } = document;
        let remedy = "write `name: value` pairs, or the same below `args:`";
        let Value::Object(mut root) = value else {
            return Err(origin.mistake("", "the arguments are not a mapping", remedy));
        };
        let wrapped = root.len() == 1 && root.get("args").is_some_and(|args| args.is_object() || args.is_null());
        if !wrapped {
            return Ok(Arguments { given: root, origin: Some((origin, "")) });
        }
        let given = match root.remove("args") {
            Some(Value::Object(given)) => given,
            _ => Map::new(),
        };
        Ok(Arguments { given, origin: Some((origin, "/args")) })
    }

    /// The arguments as the policy takes them.
    pub(super) fn json(&self) -> String {
        Value::Object(self.given.clone()).to_string()
    }

    /// Why the policy does not take this configuration, for the user.
    pub(super) fn refused(&self, error: OpenError, asked: &str, laws: Option<&SystemInfo>) -> Failure {
        let OpenError::Refused(refusal) = &error else { return Failure::Open(error) };
        let mut problem = Problem::error(error.to_string());
        let name = match refusal {
            ConfigError::UnknownArgument(name) => {
                problem.remedy = laws.map(|laws| known(&laws.arguments));
                Some(name)
            }
            ConfigError::BadArgument(bad) => {
                problem.remedy = Some(format!("write {}", bad.expected));
                Some(&bad.name)
            }
            ConfigError::UnknownSystem(_) => {
                problem.message = format!("`{asked}`: {}", problem.message);
                problem.remedy = Some("choose one of them with `--laws`".to_owned());
                None
            }
            ConfigError::Malformed(_) => None,
        };
        if let (Some(name), Some((origin, base))) = (name, &self.origin) {
            let pointer = format!("{base}{}", step(name));
            (problem.file, problem.line) = (Some(origin.file().to_string()), Some(origin.line(&pointer)));
        }
        Failure::Refused(Box::new(problem))
    }
}

/// The arguments there are, for who took another.
fn known(arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return "these laws take none".to_owned();
    }
    let named = arguments.iter().map(|argument| format!("`{}` ({})", argument.name, argument.kind));
    format!("they take {}", named.collect::<Vec<_>>().join(", "))
}
