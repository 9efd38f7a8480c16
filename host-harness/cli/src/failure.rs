//! Why a command cannot go on, and how that is told.

use std::io;

use anstyle::{AnsiColor, Style};
use lictor_contract::Severity;

use super::exit::Exit;
use super::problem::Problem;
use lictor_host::cluster::InputError;
use lictor_host::sandbox::LoadError;
use lictor_host::session::{Cause, OpenError, SessionError};

/// What is said of a policy that does not say why.
pub(super) const UNEXPLAINED: &str =
    "the policy does not say why it decides as it does: it does not export `lictor:policy/explain`";

/// Why a command cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The input has mistakes.
    #[error("the input has mistakes")]
    Input(Vec<InputError>),
    /// The objects cannot be decided upon.
    #[error("the objects have mistakes")]
    Objects(Vec<Problem>),
    /// There is nothing to decide.
    #[error("there is no {what} in {}", .files.join(", "))]
    Nothing { what: &'static str, files: Vec<String>, remedy: &'static str },
    /// A component is not taken as a policy.
    #[error("{error}")]
    Component { file: String, error: LoadError },
    /// A file cannot be read.
    #[error("cannot be read: {error}")]
    Unreadable { file: String, error: io::Error },
    /// The laws, or their arguments, are refused.
    #[error("{}", .0.message)]
    Refused(Box<Problem>),
    /// The policy could not be configured.
    #[error("{0}")]
    Open(OpenError),
    /// The policy broke, or answered with what is no answer.
    #[error("{0}")]
    Session(Cause),
    /// There is no such law.
    #[error("there is no law `{0}`")]
    UnknownLaw(String, Vec<String>),
    /// A law that stands in none of the tables that are asked.
    #[error("the law `{0}` is in force in none of these scenarios")]
    NotInForce(String),
    /// There is no such pod or job.
    #[error("there is no pod and no job `{0}`")]
    UnknownName(String, Vec<String>),
    /// A name means more than one pod or job.
    #[error("`{0}` may be any of several")]
    SeveralNames(String, Vec<String>),
    /// The policy cannot say why.
    #[error("{UNEXPLAINED}")]
    Unexplained { file: String },
    /// An option has no use beside another.
    #[error("{0}")]
    Useless(&'static str),
    /// A document could not be written.
    #[error("the output could not be written: {0}")]
    Written(String),
    /// The output is gone.
    #[error("the output could not be written: {0}")]
    Output(#[from] io::Error),
}

impl From<Vec<InputError>> for Failure {
    fn from(mistakes: Vec<InputError>) -> Failure {
        Failure::Input(mistakes)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Failure {
        // A command has one input only: itself.
        Failure::Session(error.cause)
    }
}

impl Failure {
    /// Tells the user on the standard error; the exit status that follows.
    pub(super) fn tell(&self) -> Exit {
        if matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return Exit::Done;
        }
        for problem in self.problems() {
            anstream::eprint!("{}", shown(&problem));
        }
        match self {
            Failure::Session(_) | Failure::Open(OpenError::CallError(_)) => Exit::Failed,
            _ => Exit::Unable,
        }
    }

    /// Tells the user on the standard error, where the command goes on all the same.
    pub(super) fn warn(&self) {
        for problem in self.problems() {
            let problem = problem.of(Severity::Warning).remedy("it goes on without");
            anstream::eprint!("{}", shown(&problem));
        }
    }

    /// Everything there is to tell.
    fn problems(&self) -> Vec<Problem> {
        let this = || Problem::error(self.to_string());
        match self {
            Failure::Input(mistakes) => mistakes.iter().map(Problem::from).collect(),
            Failure::Objects(problems) => problems.clone(),
            Failure::Refused(problem) => vec![Problem::clone(problem)],
            Failure::Nothing { remedy, .. } => vec![this().remedy(*remedy)],
            Failure::Component { file, .. } => vec![this().about(file)],
            Failure::Unreadable { file, .. } => {
                vec![this().about(file).remedy("name a file that exists and may be read")]
            }
            Failure::UnknownLaw(_, near) if near.is_empty() => vec![this().remedy("`lictor laws` lists them")],
            Failure::UnknownLaw(_, near) => vec![this().remedy(format!("did you mean {}?", either(near)))],
            Failure::NotInForce(law) => {
                vec![this().remedy(format!("`lictor laws {law}` names scenarios that prove it"))]
            }
            Failure::UnknownName(_, near) if near.is_empty() => {
                vec![this().remedy("name a pod of the snapshot, or the job of some, as `namespace/name`")]
            }
            Failure::UnknownName(_, near) => vec![this().remedy(format!("did you mean {}?", either(near)))],
            Failure::SeveralNames(_, meant) => vec![this().remedy(format!("name one of them: {}", either(meant)))],
            Failure::Unexplained { file } => {
                vec![this().about(file).remedy("`lictor decide` shows what it decides, with the law it names")]
            }
            Failure::Session(_) => {
                let remedy = "nothing of that answer was carried out; `lictor inspect` shows which policy it is";
                vec![this().remedy(remedy)]
            }
            Failure::Open(_) | Failure::Useless(_) | Failure::Written(_) | Failure::Output(_) => vec![this()],
        }
    }
}

/// Names in backticks, any of which may be meant.
fn either(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

/// A problem as the user is shown it.
pub(super) fn shown(problem: &Problem) -> String {
    let (word, colour) = match problem.severity {
        Severity::Error => ("error", AnsiColor::Red),
        Severity::Warning => ("warning", AnsiColor::Yellow),
    };
    let (strong, faint) = (Style::new().bold().fg_color(Some(colour.into())), Style::new().dimmed());
    let mut text = format!("{strong}{word}:{strong:#} {}\n", problem.sentence());
    if let Some(place) = problem.place() {
        text.push_str(&format!("  {faint}-->{faint:#} {place}\n"));
    }
    if let Some(remedy) = &problem.remedy {
        text.push_str(&format!("  {faint}hint:{faint:#} {remedy}\n"));
    }
    text
}
