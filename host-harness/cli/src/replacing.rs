//! Replaces the policy of a running process when its file changes.

use std::path::Path;
use std::thread;
use std::time::Duration;

use clap::Args;
use lictor_host::replace::ReplacementTerms;
use sha2::{Digest, Sha256};

use super::choice::PolicyArgs;
use super::failure::CommandError;
use super::upgrade::allowed;

/// The heading of the options in the help.
pub(super) const REPLACING: &str = "Replacement of the policy";

/// The time between two looks at the file.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The options for the replacement of the policy of a running process.
#[derive(Debug, Clone, Args)]
pub(super) struct ReplacementArgs {
    /// When the file of `--component` changes, compare the new policy with the one in force; where it decides alike, it takes over
    #[arg(long, help_heading = REPLACING)]
    pub(super) follow: bool,
    /// For how many seconds the new policy is compared before it takes over
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = REPLACING)]
    pub(super) shadow: u32,
    /// For how many seconds the old policy is kept afterwards: it is back at once where the new one fails
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = REPLACING)]
    pub(super) watch: u32,
    /// How many answers may decide otherwise, before and after the new policy takes over each; `any` for all
    #[arg(long, value_name = "N", default_value = "0", value_parser = allowed, help_heading = REPLACING)]
    pub(super) allow: u64,
    /// How many answers must have been compared before the new policy takes over; 0: it takes over unseen where nothing is decided
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = REPLACING)]
    pub(super) answers: u64,
    /// For how many seconds more they are waited for, when those of `--shadow` are over; then the old policy stays
    #[arg(long, value_name = "SECONDS", default_value_t = 600, help_heading = REPLACING)]
    pub(super) patience: u32,
}

impl ReplacementArgs {
    /// Returns the terms of a replacement.
    pub(super) fn terms(&self) -> ReplacementTerms {
        ReplacementTerms::in_seconds(self.shadow, self.watch, self.allow, self.answers, self.patience)
    }

    /// Follows the file of the component from now on, where an option says so. Calls `changed` when the file has changed, or cannot be read any more.
    pub(super) fn follow(
        &self,
        policy: &PolicyArgs,
        is_recorded: bool,
        mut changed: impl FnMut() + Send + 'static,
    ) -> Result<(), CommandError> {
        if !self.follow {
            return Ok(());
        }
        if is_recorded {
            return Err(CommandError::ConflictingOptions(
                "`--follow` replaces the policy, and a recording (`--record`) is of one policy",
            ));
        }
        let Some(file) = policy.file().map(ToOwned::to_owned) else {
            return Err(CommandError::ConflictingOptions(
                "`--follow` looks at the file of a component: name it with `--component`",
            ));
        };
        let mut looks = FileWatch::new(digest(&file));
        thread::Builder::new().name("follow".to_owned()).spawn(move || {
            loop {
                thread::sleep(POLL_INTERVAL);
                if looks.should_take(digest(&file)) {
                    changed();
                }
            }
        })?;
        Ok(())
    }
}

/// The content of a file at the last look; `None` where it could not be read.
#[derive(Debug)]
struct FileWatch {
    taken: Option<Vec<u8>>,
    last_seen: Option<Vec<u8>>,
}

impl FileWatch {
    fn new(now: Option<Vec<u8>>) -> FileWatch {
        FileWatch { taken: now.clone(), last_seen: now }
    }

    /// Returns whether to take the file now: its content is new, and was the same at two looks, so that no process is writing it. A file that cannot
    /// be read any more is taken, too: then the reason is reported.
    fn should_take(&mut self, now: Option<Vec<u8>>) -> bool {
        let is_still = std::mem::replace(&mut self.last_seen, now.clone()) == now;
        let is_new = is_still && now != self.taken;
        if is_new {
            self.taken = now;
        }
        is_new
    }
}

fn digest(file: &Path) -> Option<Vec<u8>> {
    Some(Sha256::digest(std::fs::read(file).ok()?).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_taken_when_it_is_another_one_and_rests_and_one_that_is_gone_once() {
        let file = |bytes: &[u8]| Some(bytes.to_vec());
        let mut looks = FileWatch::new(file(b"old"));
        let seen =
            [file(b"old"), file(b"ne"), file(b"new"), file(b"new"), file(b"new"), None, None, None, file(b"new")];
        let taken: Vec<bool> = seen.into_iter().map(|now| looks.should_take(now)).collect();
        assert_eq!(taken, [false, false, false, true, false, false, true, false, false]);
        assert!(looks.should_take(file(b"new")), "it is back");
    }
}
