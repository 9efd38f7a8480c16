//! The policy of a running process is replaced when its file changes.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use lictor_host::replace::{Period, Terms};
use sha2::{Digest, Sha256};

use super::choice::Choice;
use super::failure::Failure;
use super::upgrade::allowed;

/// The heading of the options in the help.
const REPLACING: &str = "Replacement of the policy";

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How the policy of a running process is replaced.
#[derive(Debug, Clone, Args)]
pub(super) struct Replacing {
    /// When the file of `--component` changes, compare the new policy with the one in force; where it decides alike, it takes over
    #[arg(long, help_heading = REPLACING)]
    follow: bool,
    /// For how many seconds the new policy is compared before it takes over
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = REPLACING)]
    shadow: u32,
    /// For how many seconds the old policy is kept afterwards: it is back at once where the new one fails
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = REPLACING)]
    watch: u32,
    /// How many answers may decide otherwise, before and after the new policy takes over each; `any` for all
    #[arg(long, value_name = "N", default_value = "0", value_parser = allowed, help_heading = REPLACING)]
    allow: u64,
    /// How many answers must have been compared before the new policy takes over; 0: it takes over unseen where nothing is decided
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = REPLACING)]
    answers: u64,
    /// For how many seconds more they are waited for, when those of `--shadow` are over; then the old policy stays
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = REPLACING)]
    patience: u32,
}

impl Replacing {
    /// On which terms a policy is replaced.
    pub(super) fn terms(&self) -> Terms {
        let period = |seconds: u32| Period::Nanoseconds(i64::from(seconds).saturating_mul(1_000_000_000));
        Terms {
            shadow: period(self.shadow),
            watch: period(self.watch),
            allowed: self.allow,
            answers: self.answers,
            at_most: period(self.shadow.saturating_add(self.patience)),
        }
    }

    /// Looks at the file of the component from now on, where that was asked for, and calls this when it has changed.
    pub(super) fn follow(
        &self,
        policy: &Choice,
        is_recorded: bool,
        mut changed: impl FnMut() -> Result<(), Failure> + Send + 'static,
    ) -> Result<(), Failure> {
        if !self.follow {
            return Ok(());
        }
        if is_recorded {
            return Err(Failure::Useless(
                "`--follow` replaces the policy, and a recording (`--record`) is of one policy",
            ));
        }
        let Some(file) = policy.file().map(ToOwned::to_owned) else {
            return Err(Failure::Useless("`--follow` looks at the file of a component: name it with `--component`"));
        };
        let mut taken = digest(&file);
        let mut seen = taken.clone();
        thread::Builder::new().name("upgrade".to_owned()).spawn(move || {
            loop {
                thread::sleep(LOOK);
                let now = digest(&file);
                // Only a file that nobody is writing any more is read.
                if std::mem::replace(&mut seen, now.clone()) != now || now == taken || now.is_none() {
                    continue;
                }
                taken = now;
                if let Err(failure) = changed() {
                    failure.tell();
                }
            }
        })?;
        Ok(())
    }
}

fn digest(file: &PathBuf) -> Option<Vec<u8>> {
    Some(Sha256::digest(std::fs::read(file).ok()?).to_vec())
}
