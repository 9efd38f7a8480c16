//! Why a command cannot continue, and how that is reported.

use std::io;

use anstyle::{AnsiColor, Style};
use lictor_contract::{Description, Severity};

use super::exit::Exit;
use super::limited;
use lictor_decide::{DecideError, Problem, either};
use lictor_host::cluster::InputError;
use lictor_host::policy::CallError;
use lictor_host::recording::RecordingError;
use lictor_host::sandbox::LoadError;
use lictor_host::session::{OpenError, ReplaceError, SessionError};

/// The message about a policy that cannot explain its decisions.
pub(super) const UNEXPLAINED: &str =
    "the policy cannot explain its decisions: it does not export `lictor:policy/explain`";

/// Why a command cannot continue.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// Nothing can be decided.
    #[error("{0}")]
    Decide(#[from] DecideError),
    /// A component is not a valid policy.
    #[error("{error}")]
    Component { file: String, error: LoadError },
    /// A file cannot be read.
    #[error("cannot be read: {error}")]
    Unreadable { file: String, error: io::Error },
    /// A file cannot be written.
    #[error("cannot be written: {error}")]
    Unwritable { file: String, error: io::Error },
    /// An artifact is not pushed or pulled.
    #[cfg(feature = "oci")]
    #[error("{message}")]
    Registry { about: String, message: String, remedy: &'static str },
    /// Nothing here speaks to registries.
    #[cfg(not(feature = "oci"))]
    #[error("this build of lictor cannot reach registries")]
    NoRegistries,
    /// Nothing here speaks to living clusters.
    #[cfg(not(feature = "live"))]
    #[error("this build of lictor cannot reach a cluster")]
    NoClusters,
    /// The page is not built in.
    #[cfg(not(feature = "page"))]
    #[error("this build of lictor has no page")]
    NoPage,
    /// A file that the page is to show is not text.
    #[cfg(feature = "page")]
    #[error("is not text")]
    NotText { file: String },
    /// The page cannot be served.
    #[cfg(feature = "page")]
    #[error("the page cannot be served at {address}: {error}")]
    PageUnserved { address: std::net::SocketAddr, error: String },
    /// A cluster cannot be reached, or not be worked with in these surroundings.
    #[cfg(feature = "live")]
    #[error("{message}")]
    Cluster { message: String, remedy: &'static str },
    /// A running process has no answer.
    #[cfg(feature = "live")]
    #[error("{message}")]
    ControllerRefused { message: String, hint: String },
    /// A recording cannot be read, or not be appended to.
    #[error("{error}")]
    Recording { file: String, error: RecordingError },
    /// A recording cannot be written.
    #[error("the recording cannot be written: {error}")]
    RecordingUnwritable { file: String, error: io::Error },
    /// A policy does not know a system.
    #[error("`{word}`: there is no system `{system}`")]
    UnknownSystem { word: String, system: String, known: Vec<String> },
    /// No system is named, and there is no cluster yet that would say which of these fits.
    #[error("no system is named, and a scheduler that has not connected yet does not say which one fits")]
    NoSystemNamed(Vec<String>),
    /// The replacement of a policy cannot begin.
    #[error("{0}")]
    ReplacementRejected(ReplaceError),
    /// A scenario cannot be played with a policy.
    #[error("{error}")]
    Scenario { file: String, error: String },
    /// The law does not exist.
    #[error("there is no law `{0}`")]
    UnknownLaw(String, Vec<String>),
    /// The law is not in force in any of the scenarios.
    #[error("law `{0}` is not in force in any of these scenarios")]
    NotInForce(String),
    /// The policy cannot explain its decisions.
    #[error("{UNEXPLAINED}")]
    Unexplained { file: String },
    /// The policy cannot be held to the contract at all.
    #[error("the policy cannot be tested: {0}")]
    Untestable(String),
    /// A socket cannot be listened at.
    #[error("{0}")]
    Socket(lictor_serve::ListenError),
    /// The two sides of a measurement decide differently.
    #[error("{0}")]
    SidesDiffer(String),
    /// No judge is available for the decisions.
    #[error("{message}")]
    NoJudge { message: String, remedy: &'static str },
    /// Two options do not work together.
    #[error("{0}")]
    ConflictingOptions(&'static str),
    /// A document could not be written.
    #[error("the output could not be written: {0}")]
    Serialization(String),
    /// Writing to the output failed.
    #[error("the output could not be written: {0}")]
    Output(#[from] io::Error),
}

impl From<Vec<InputError>> for CommandError {
    fn from(mistakes: Vec<InputError>) -> CommandError {
        CommandError::Decide(mistakes.into())
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> CommandError {
        CommandError::Decide(error.into())
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> CommandError {
        CommandError::Decide(DecideError::Open(error))
    }
}

impl From<CallError> for CommandError {
    fn from(error: CallError) -> CommandError {
        CommandError::Decide(DecideError::Session(error.into()))
    }
}

impl CommandError {
    /// Makes the failure for a word that names a system which the policy does not have.
    pub(super) fn unknown_system(word: &str, system: &str, policy: &Description) -> CommandError {
        let known = policy.systems.iter().map(|known| known.name.clone()).collect();
        CommandError::UnknownSystem { word: word.to_owned(), system: system.to_owned(), known }
    }

    /// Reports the failure on the standard error. Returns the exit status.
    pub(super) fn report(&self) -> Exit {
        if matches!(self, CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            return Exit::Success;
        }
        for problem in self.problems() {
            anstream::eprint!("{}", format_problem(&problem));
        }
        match self {
            CommandError::Decide(DecideError::Session(_) | DecideError::Open(OpenError::CallError(_)))
            | CommandError::SidesDiffer(_)
            | CommandError::Untestable(_) => Exit::Failure,
            _ => Exit::Error,
        }
    }

    /// Reports the failure as a warning on the standard error; the command continues.
    pub(super) fn warn(&self) {
        for problem in self.problems() {
            let problem = problem.of(Severity::Warning).remedy("continuing without explanations");
            anstream::eprint!("{}", format_problem(&problem));
        }
    }

    /// Returns what is wrong and what to do, each as one line.
    pub(super) fn lines(&self) -> (String, String) {
        let problems = self.problems();
        let place = |problem: &Problem| problem.place().map(|place| format!("{place}: ")).unwrap_or_default();
        let said = problems.iter().map(|problem| format!("{}{}", place(problem), problem.sentence()));
        let remedies = problems.iter().filter_map(|problem| problem.remedy.clone());
        (said.collect::<Vec<_>>().join("; "), remedies.collect::<Vec<_>>().join("; "))
    }

    /// Returns all problems to report.
    fn problems(&self) -> Vec<Problem> {
        let this = || Problem::error(self.to_string());
        match self {
            CommandError::Decide(DecideError::Session(cause)) => vec![this().remedy(limited::remedy(cause))],
            CommandError::Decide(failure) => failure.problems(),
            CommandError::Component { file, error } => {
                vec![Problem { remedy: limited::remedy_at_start(error), ..this().about(file) }]
            }
            CommandError::Unreadable { file, .. } => vec![this().about(file).remedy("name a readable file")],
            CommandError::Unwritable { file, .. } => {
                vec![this().about(file).remedy("name a folder that is there and may be written to")]
            }
            CommandError::NoJudge { remedy, .. } => vec![this().remedy(*remedy)],
            #[cfg(feature = "oci")]
            CommandError::Registry { about, remedy, .. } => vec![this().about(about).remedy(*remedy)],
            #[cfg(not(feature = "oci"))]
            CommandError::NoRegistries => vec![this().remedy("build it with them: `cargo build --features oci`")],
            #[cfg(not(feature = "live"))]
            CommandError::NoClusters => vec![this().remedy("build it with them: `cargo build --features live`")],
            #[cfg(not(feature = "page"))]
            CommandError::NoPage => {
                vec![this().remedy("build it with the page, `cargo build --features page`, or add `--text`")]
            }
            #[cfg(feature = "page")]
            CommandError::NotText { file } => {
                let remedy = "name a snapshot, a scenario, or a recording that `--record` has written";
                vec![this().about(file).remedy(remedy)]
            }
            #[cfg(feature = "page")]
            CommandError::PageUnserved { .. } => vec![this().remedy("name another `--port`, or none")],
            #[cfg(feature = "live")]
            CommandError::Cluster { remedy, .. } => vec![this().remedy(*remedy)],
            #[cfg(feature = "live")]
            CommandError::ControllerRefused { hint, .. } => vec![this().remedy(hint.clone())],
            CommandError::Recording { file, error } => vec![this().about(file).remedy(error.remedy())],
            CommandError::RecordingUnwritable { file, .. } => {
                vec![this().about(file).remedy("name a file that can be written, with `--record`")]
            }
            CommandError::UnknownSystem { known, .. } => {
                vec![this().remedy(format!("the policy knows {}", either(known)))]
            }
            CommandError::NoSystemNamed(known) => {
                vec![this().remedy(format!("name the system with `--system`: {}", either(known)))]
            }
            CommandError::Scenario { file, .. } => {
                vec![
                    this().about(file).remedy("name a policy that knows the system of the scenario, or another system"),
                ]
            }
            CommandError::UnknownLaw(_, near) if near.is_empty() => vec![this().remedy("run `lictor laws` for a list")],
            CommandError::UnknownLaw(_, near) => vec![this().remedy(format!("did you mean {}?", either(near)))],
            CommandError::NotInForce(law) => {
                vec![this().remedy(format!("run `lictor laws {law}` for scenarios that prove it"))]
            }
            CommandError::Unexplained { file } => {
                vec![this().about(file).remedy("run `lictor decide` for the decisions and their laws")]
            }
            CommandError::Untestable(_) => vec![this().remedy("run `lictor inspect` for details of the policy")],
            CommandError::Socket(_) => {
                vec![this().remedy("name another path with `--socket`, or end what listens there")]
            }
            CommandError::ReplacementRejected(_)
            | CommandError::ConflictingOptions(_)
            | CommandError::SidesDiffer(_)
            | CommandError::Serialization(_)
            | CommandError::Output(_) => vec![this()],
        }
    }
}

/// Formats a problem for the user.
pub(super) fn format_problem(problem: &Problem) -> String {
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
