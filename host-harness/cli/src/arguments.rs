//! The system and its arguments, as options.

use std::path::{Path, PathBuf};

use clap::Args;
use lictor_conformance::each_in;
use lictor_decide::UserArguments;
use lictor_host::cluster::load::SourceDocument;

use super::failure::CommandError;

/// The options that choose the system.
#[derive(Debug, Args)]
pub(super) struct SystemArgs {
    /// The system whose laws apply [default: the one that the kinds and scheduler names of the cluster fit; `serve` needs it if the policy has several]
    #[arg(long = "system", alias = "laws", value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(super) laws: String,
    /// A YAML or JSON file with the arguments of the system
    #[arg(long, value_name = "FILE")]
    pub(super) args: Option<PathBuf>,
    /// Decide about the pods of this scheduler (`spec.schedulerName`); may be repeated [default: those that the system stands for]
    #[arg(long = "scheduler", value_name = "NAME")]
    pub(super) schedulers: Vec<String>,
}

/// Reads arguments from a file. Without a file, or with an empty one, the arguments are empty.
pub(super) fn read(file: Option<&Path>) -> Result<UserArguments, CommandError> {
    let Some(file) = file else { return Ok(UserArguments::default()) };
    let mut documents: Vec<SourceDocument> = Vec::new();
    let mut keep = |document| {
        documents.push(document);
        Ok(())
    };
    each_in(file, &mut keep).map_err(|mistake| vec![mistake])?;
    Ok(UserArguments::read(documents).map_err(|mistake| vec![mistake])?)
}
