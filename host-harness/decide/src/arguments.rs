//! The arguments of the system.

use lictor_contract::{Argument, ConfigError, SystemInfo};
use serde_json::{Map, Value};

use super::failure::DecideError;
use super::problem::Problem;
use lictor_host::cluster::load;
use lictor_host::cluster::load::{DocumentOrigin, SourceDocument};
use lictor_host::cluster::{InputError, step};
use lictor_host::session::OpenError;

/// The arguments of the system that the user gave.
#[derive(Debug, Clone, Default)]
pub struct UserArguments {
    /// The arguments by name.
    pub values: Map<String, Value>,
    /// The file of the arguments with its lines, and the JSON pointer of the mapping.
    origin: Option<(DocumentOrigin, &'static str)>,
}

impl UserArguments {
    /// Reads documents: one mapping, or no document.
    ///
    /// # Errors
    /// There are two documents, or one is no mapping.
    pub fn read(mut documents: Vec<SourceDocument>) -> Result<UserArguments, InputError> {
        match (documents.pop(), documents.is_empty()) {
            (None, _) => Ok(UserArguments::default()),
            (Some(document), true) => UserArguments::of(document),
            (Some(second), false) => {
                let message = "the arguments have a second document";
                Err(second.origin.mistake("", message, "write all arguments into one mapping"))
            }
        }
    }

    /// Reads a text; `name` is its name in messages. An empty text has no arguments.
    ///
    /// # Errors
    /// The text is no YAML or JSON, or its documents are no arguments.
    pub fn read_text(name: &str, text: &str) -> Result<UserArguments, InputError> {
        UserArguments::read(load::read(name, text)?)
    }

    /// Reads a document: a mapping of arguments, or a mapping with the arguments under `args`.
    fn of(document: SourceDocument) -> Result<UserArguments, InputError> {
        let SourceDocument { value, origin } = document;
        let remedy = "write `name: value` pairs, at the top or under `args:`";
        let Value::Object(mut root) = value else {
            return Err(origin.mistake("", "the arguments are not a mapping", remedy));
        };
        let wrapped = root.len() == 1 && root.get("args").is_some_and(|args| args.is_object() || args.is_null());
        if !wrapped {
            return Ok(UserArguments { values: root, origin: Some((origin, "")) });
        }
        let given = match root.remove("args") {
            Some(Value::Object(given)) => given,
            _ => Map::new(),
        };
        Ok(UserArguments { values: given, origin: Some((origin, "/args")) })
    }

    /// Returns the arguments as JSON, for the policy.
    pub fn json(&self) -> String {
        Value::Object(self.values.clone()).to_string()
    }

    /// Makes the failure of a configuration that the policy refuses. `asked`: the name of the system; `laws`: its description.
    pub fn refused(&self, error: OpenError, asked: &str, laws: Option<&SystemInfo>) -> DecideError {
        let OpenError::Refused(refusal) = &error else { return DecideError::Open(error) };
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
                problem.remedy = Some("choose one of them with `--system`".to_owned());
                None
            }
            ConfigError::Malformed(_) => None,
        };
        if let (Some(name), Some((origin, base))) = (name, &self.origin) {
            let pointer = format!("{base}{}", step(name));
            (problem.file, problem.line) = (Some(origin.file().to_string()), Some(origin.line(&pointer)));
        }
        DecideError::Refused(Box::new(problem))
    }
}

/// Returns the hint for an unknown argument: the known ones.
fn known(arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return "the system has no arguments".to_owned();
    }
    let named = arguments.iter().map(|argument| format!("`{}` ({})", argument.name, argument.kind));
    format!("known arguments: {}", named.collect::<Vec<_>>().join(", "))
}
